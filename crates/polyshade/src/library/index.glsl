// Reads of an index buffer. The including file defines `word_at`.

// Index `number` of a buffer from byte `start` to byte `end`. An index has 2^`type` bytes. Out of bounds, it is 0.
uint index_at(const uvec2 memory, const uint number, const uint type, const uint start, const uint end) {
    if (number >= end - min(start, end) >> type) {
        return 0u;
    }
    uint place = start + (number << type);
    return word_at(memory, place >> 2) >> (place & 3u) * 8u & ~0u >> 32u - (8u << type);
}
