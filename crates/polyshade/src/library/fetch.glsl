// How vertex attributes are fetched from memory (Vulkan specification, "Vertex Input Extraction").
//
// What is fetched stays bits, so that numbers keep theirs. Functions without a body of their own are hooks.

#version 450
#extension GL_GOOGLE_include_directive : require

// A word of a buffer. `memory` is its address, without the lower 2 bits, or nothing where the buffer is bound.
uint word_at(const uvec2 memory, const uint index) { return index; }

// The place of what is out of bounds.
const uint OUTSIDE = ~0u;

// Where a range of `size` bytes from `start` on ends, in a buffer of `length` bytes.
uint end_of(const uint start, const uint size, const uint length) {
    return min(start, length) + min(size, length - min(start, length));
}

// Which element an invocation reads, by a rate: 0 by vertex, or 1 + the divisor of what steps by instance.
uint element_by_rate(const uint rate, const uint vertex, const uint instance, const uint first) {
    if (rate == 0u) {
        return vertex;
    }
    uint divisor = rate - 1u;
    return divisor == 0u ? first : first + (instance - first) / max(divisor, 1u);
}

// Where an attribute of `size` bytes lies, `offset` bytes behind the start of its element; the buffer's range goes from
// `start` to `end`. Elements are less than 2^16 bytes apart.
uint place_of(const uint element, const uint stride, const uint start, const uint offset, const uint size,
              const uint end) {
    uint upper = (element >> 16) * stride + ((element & 0xffffu) * stride >> 16);
    uint behind = element * stride;
    uint there = behind + offset;
    uint place = there + start;
    bool fits = upper >> 16 == 0u && there >= behind && place >= there;
    return fits && size <= end && place <= end - size ? place : OUTSIDE;
}

// The same for who need not know which elements are out of bounds: one that is may be read as any in the range.
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

// Word `number` of an attribute of `size` bytes anywhere. What is behind the last byte may be anything.
uint any_word(const uvec2 memory, const uint place, const uint number, const uint size) {
    if (place == OUTSIDE) {
        return 0u;
    }
    uint first = (place >> 2) + number;
    uint last = (place + (size - 1u)) >> 2;
    uint low = word_at(memory, first);
    uint high = word_at(memory, min(first + 1u, last));
    // Two shifts, as one by 32 bits is undefined.
    uint shift = (place & 3u) * 8u;
    return low >> shift | high << 1 << (31u - shift);
}

#include "index.glsl"

// An index that no vertex has where it restarts primitives: then 0.
uint index_of_vertex(const uint index, const uint type) {
    return mix(index, 0u, index == ~0u >> 32u - (8u << type));
}

// What follows takes `bits` of a component, the rest of which is 0, and gives the bits of what the shader reads.

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

// A float of less than 32 bits: without a sign, with an exponent of 5 bits and `bits` - 5 of mantissa.
uint from_unsigned_float(const uint raw, const uint bits) {
    uint mantissa_bits = bits - 5u;
    uint exponent = raw >> mantissa_bits;
    uint mantissa = (raw & ((1u << mantissa_bits) - 1u)) << (23u - mantissa_bits);
    // One without the hidden bit is a number of steps of 2^-37, which a float has without being denormal itself.
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

// The kinds of numbers.
const uint UINT = 0u;
const uint SINT = 1u;
const uint UNORM = 2u;
const uint SNORM = 3u;
const uint USCALED = 4u;
const uint SSCALED = 5u;

// A component of an attribute whose format the host says. Of `widths`, the bits of each of four components are 7 bits,
// and the kind is above; of `positions`, where each begins is 8 bits. `absent` is what a component is without bits.
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

// How many bytes a format of the host's has. It ends where its last component does.
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
