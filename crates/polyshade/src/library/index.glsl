// How an index is read. `word_at` is written where this is included.

// Index `number` of a buffer whose range goes from `start` to `end`, each of 2^`type` bytes; 0 where it is out of bounds.
uint index_at(const uvec2 memory, const uint number, const uint type, const uint start, const uint end) {
    if (number >= end - min(start, end) >> type) {
        return 0u;
    }
    uint place = start + (number << type);
    return word_at(memory, place >> 2) >> (place & 3u) * 8u & ~0u >> 32u - (8u << type);
}
