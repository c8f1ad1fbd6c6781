// Fetches vertex attributes from memory (Vulkan specification, "Vertex Input Extraction").
//
// Values are passed as `uint` bits, so that conversions cannot change them. Functions with a trivial body are hooks.

#version 450
#extension GL_GOOGLE_include_directive : require

// Hook: a word of a buffer. `memory` is its address with the lower 2 bits cleared, or 0 if the buffer is bound.
uint word_at(const uvec2 memory, const uint index) { return index; }

// Stands for the place of an attribute that is out of bounds.
const uint OUTSIDE = ~0u;

// The end of a range of `size` bytes that begins at `start`, limited to a buffer of `length` bytes.
uint end_of(const uint start, const uint size, const uint length) {
    return min(start, length) + min(size, length - min(start, length));
}

// The element that an invocation reads. `rate` is 0 for vertices, or 1 + the divisor for instances.
uint element_by_rate(const uint rate, const uint vertex, const uint instance, const uint first) {
    if (rate == 0u) {
        return vertex;
    }
    uint divisor = rate - 1u;
    return divisor == 0u ? first : first + (instance - first) / max(divisor, 1u);
}

// The byte at which an attribute of `size` bytes begins, `offset` bytes after the start of its element. The range of
// the buffer is from `start` to `end`. Elements are less than 2^16 bytes apart.
uint place_of(const uint element, const uint stride, const uint start, const uint offset, const uint size,
              const uint end) {
    uint upper = (element >> 16) * stride + ((element & 0xffffu) * stride >> 16);
    uint behind = element * stride;
    uint there = behind + offset;
    uint place = there + start;
    bool fits = upper >> 16 == 0u && there >= behind && place >= there;
    return fits && size <= end && place <= end - size ? place : OUTSIDE;
}

// Does the same without an exact bounds check: for an element out of bounds, it may return any place in the range.
uint place_within(const uint element, const uint stride, const uint start, const uint offset, const uint size,
                  const uint end) {
    uint place = element * stride + start + offset;
    return size <= end && place >= start && place <= end - size ? place : OUTSIDE;
}

// Word `number` of an attribute at a multiple of 4.
uint aligned_word(const uvec2 memory, const uint place, const uint number) {
    if (place == OUTSIDE) {
        return 0u;
    }
    return word_at(memory, (place >> 2) + number);
}

// Word `number` of an attribute of `size` bytes at any place. Bits after the last byte are undefined.
uint any_word(const uvec2 memory, const uint place, const uint number, const uint size) {
    if (place == OUTSIDE) {
        return 0u;
    }
    uint first = (place >> 2) + number;
    uint last = (place + (size - 1u)) >> 2;
    uint low = word_at(memory, first);
    uint high = word_at(memory, min(first + 1u, last));
    // Shift in two steps, because a shift by 32 bits is undefined.
    uint shift = (place & 3u) * 8u;
    return low >> shift | high << 1 << (31u - shift);
}

#include "index.glsl"

// The vertex that an index selects. The index that restarts primitives selects no vertex; the result is then 0.
uint index_of_vertex(const uint index, const uint type) {
    return mix(index, 0u, index == ~0u >> 32u - (8u << type));
}

// The following functions convert a component of `bits` bits, zero-extended, to the bits that the shader reads.

uint from_sint(const uint raw, const uint bits) {
    uint unused = 32u - bits;
    return uint(int(raw << unused) >> int(unused));
}

uint from_unorm(const uint raw, const uint bits) {
    uint most = (1u << bits) - 1u;
    return floatBitsToUint(raw == most ? 1.0 : float(raw) / float(most));
}

uint from_snorm(const uint raw, const uint bits) {
    uint most = (1u << (bits - 1u)) - 1u;
    int number = int(from_sint(raw, bits));
    return floatBitsToUint(abs(number) >= int(most) ? float(sign(number)) : float(number) / float(most));
}

uint from_uscaled(const uint raw) { return floatBitsToUint(float(raw)); }

uint from_sscaled(const uint raw, const uint bits) { return floatBitsToUint(float(int(from_sint(raw, bits)))); }

// A small float without a sign: 5 bits of exponent, and `bits` - 5 bits of mantissa.
uint from_unsigned_float(const uint raw, const uint bits) {
    uint mantissa_bits = bits - 5u;
    uint exponent = raw >> mantissa_bits;
    uint mantissa = (raw & ((1u << mantissa_bits) - 1u)) << (23u - mantissa_bits);
    // A denormal number is a multiple of 2^-37, which a 32-bit float represents as a normal number.
    uint small = floatBitsToUint(float(mantissa) * uintBitsToFloat(90u << 23));
    uint large = exponent == 31u ? 255u : exponent + 112u;
    return exponent == 0u ? small : large << 23 | mantissa;
}

uint from_half(const uint raw) { return from_unsigned_float(raw & 0x7fffu, 15u) | (raw & 0x8000u) << 16; }

uint from_float(const uint raw, const uint bits) {
    if (bits == 32u) {
        return raw;
    }
    if (bits == 16u) {
        return from_half(raw);
    }
    return from_unsigned_float(raw, bits);
}

// Numeric formats.
const uint UINT = 0u;
const uint SINT = 1u;
const uint UNORM = 2u;
const uint SNORM = 3u;
const uint USCALED = 4u;
const uint SSCALED = 5u;

// A component of an attribute with a format in host parameters. `widths` has 7 bits for the size of each of four
// components, followed by the numeric format. `positions` has 8 bits for the lowest bit of each component. `absent` is
// the value of a component without bits.
uint any_component(const uvec2 memory, const uint place, const uint widths, const uint positions, const uint component,
                   const uint absent) {
    uint bits = min(widths >> 7u * component & 127u, 32u);
    if (bits == 0u) {
        return absent;
    }
    uint raw = 0u;
    if (place != OUTSIDE) {
        uint position = positions >> 8u * component & 255u;
        uint bytes = place + (position >> 3);
        uint shift = min((bytes & 3u) * 8u + (position & 7u), 32u - bits);
        raw = bitfieldExtract(word_at(memory, bytes >> 2), int(shift), int(bits));
    }
    switch (widths >> 28) {
    case UINT: return raw;
    case SINT: return from_sint(raw, bits);
    case UNORM: return from_unorm(raw, bits);
    case SNORM: return from_snorm(raw, bits);
    case USCALED: return from_uscaled(raw);
    case SSCALED: return from_sscaled(raw, bits);
    default: return from_float(raw, bits);
    }
}

// The size in bytes of a format in host parameters, which is where its last component ends.
uint size_of(const uint widths, const uint positions) {
    uint end = 0u;
    for (uint component = 0u; component < 4u; ++component) {
        end = max(end, (positions >> 8u * component & 255u) + (widths >> 7u * component & 127u));
    }
    return end >> 3;
}

void main() {
    uvec2 memory = uvec2(0u);
    end_of(0u, 0u, 0u);
    element_by_rate(0u, 0u, 0u, 0u);
    place_of(0u, 0u, 0u, 0u, 0u, 0u);
    place_within(0u, 0u, 0u, 0u, 0u, 0u);
    aligned_word(memory, 0u, 0u);
    any_word(memory, 0u, 0u, 0u);
    any_component(memory, 0u, 0u, 0u, 0u, 0u);
    size_of(0u, 0u);
    index_at(memory, 0u, 0u, 0u, 0u);
    index_of_vertex(0u, 0u);
}
