/* Writes an image as an uncompressed PNG, without other libraries. */
#ifndef PICTURE_H
#define PICTURE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t picture_crc(const uint8_t *bytes, size_t count) {
    uint32_t crc = 0xffffffff;
    for (size_t at = 0; at < count; at++) {
        crc ^= bytes[at];
        for (int bit = 0; bit < 8; bit++) {
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
        }
    }
    return ~crc;
}

static void picture_number(uint8_t *to, uint32_t number) {
    for (int byte = 0; byte < 4; byte++) {
        to[byte] = (uint8_t)(number >> (24 - 8 * byte));
    }
}

/* Writes a chunk of `count` bytes. 8 bytes before them are free for length and name, and 4 after them for the CRC. */
static int picture_chunk(FILE *file, const char *name, uint8_t *chunk, size_t count) {
    picture_number(chunk, (uint32_t)count);
    memcpy(chunk + 4, name, 4);
    picture_number(chunk + 8 + count, picture_crc(chunk + 4, count + 4));
    return fwrite(chunk, 1, count + 12, file) == count + 12;
}

/* Writes `size` × `size` RGBA pixels of four bytes as RGB. */
static int write_picture(const char *path, const uint8_t *pixels, uint32_t size) {
    static const uint8_t signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    const size_t row = 1 + 3 * (size_t)size;
    uint8_t head[12 + 13] = {0};
    uint8_t end[12] = {0};
    uint8_t *chunk = calloc(1, 12 + 2 + (size_t)size * (5 + row) + 4);
    FILE *file = fopen(path, "wb");
    if (file == NULL || chunk == NULL) {
        return 0;
    }
    picture_number(head + 8, size);
    picture_number(head + 12, size);
    memcpy(head + 16, "\x08\x02", 2);

    uint8_t *to = chunk + 8;
    uint32_t low = 1, high = 0;
    memcpy(to, "\x78\x01", 2);
    to += 2;
    for (uint32_t y = 0; y < size; y++) {
        /* Each row is a stored block: its header has the flag of the last block, the length and its complement. */
        const uint8_t block[5] = {y + 1 == size, (uint8_t)row, (uint8_t)(row >> 8), (uint8_t)~row, (uint8_t)(~row >> 8)};
        memcpy(to, block, 5);
        uint8_t *begin = to += 5;
        *to++ = 0;
        for (uint32_t x = 0; x < size; x++, to += 3) {
            memcpy(to, pixels + 4 * ((size_t)y * size + x), 3);
        }
        for (; begin < to; begin++) {
            low = (low + *begin) % 65521;
            high = (high + low) % 65521;
        }
    }
    picture_number(to, high << 16 | low);
    int is_written = fwrite(signature, 1, 8, file) == 8 && picture_chunk(file, "IHDR", head, 13) &&
                     picture_chunk(file, "IDAT", chunk, (size_t)(to + 4 - (chunk + 8))) &&
                     picture_chunk(file, "IEND", end, 0);
    free(chunk);
    return fclose(file) == 0 && is_written;
}

#endif
