// Fixed-function blending: blend factors, blend operations and logic operations.
//
// A factor has values for red, green, blue and alpha. All factors have the same parameters, including the `second`
// source and the blend constants, so that they are called in the same way.

#version 450

vec4 factor_zero(const vec4 source, const vec4 destination, const vec4 second, const vec4 constants) {
    return vec4(0.0);
}

vec4 factor_one(const vec4 source, const vec4 destination, const vec4 second, const vec4 constants) {
    return vec4(1.0);
}

vec4 factor_src_color(const vec4 source, const vec4 destination, const vec4 second, const vec4 constants) {
    return source;
}

vec4 factor_one_minus_src_color(const vec4 source, const vec4 destination, const vec4 second, const vec4 constants) {
    return 1.0 - source;
}

vec4 factor_dst_color(const vec4 source, const vec4 destination, const vec4 second, const vec4 constants) {
    return destination;
}

vec4 factor_one_minus_dst_color(const vec4 source, const vec4 destination, const vec4 second, const vec4 constants) {
    return 1.0 - destination;
}

vec4 factor_src_alpha(const vec4 source, const vec4 destination, const vec4 second, const vec4 constants) {
    return vec4(source.a);
}

vec4 factor_one_minus_src_alpha(const vec4 source, const vec4 destination, const vec4 second, const vec4 constants) {
    return vec4(1.0 - source.a);
}

vec4 factor_dst_alpha(const vec4 source, const vec4 destination, const vec4 second, const vec4 constants) {
    return vec4(destination.a);
}

vec4 factor_one_minus_dst_alpha(const vec4 source, const vec4 destination, const vec4 second, const vec4 constants) {
    return vec4(1.0 - destination.a);
}

vec4 factor_constant_color(const vec4 source, const vec4 destination, const vec4 second, const vec4 constants) {
    return constants;
}

vec4 factor_one_minus_constant_color(
    const vec4 source, const vec4 destination, const vec4 second, const vec4 constants) {
    return 1.0 - constants;
}

vec4 factor_constant_alpha(const vec4 source, const vec4 destination, const vec4 second, const vec4 constants) {
    return vec4(constants.a);
}

vec4 factor_one_minus_constant_alpha(
    const vec4 source, const vec4 destination, const vec4 second, const vec4 constants) {
    return vec4(1.0 - constants.a);
}

vec4 factor_src_alpha_saturate(const vec4 source, const vec4 destination, const vec4 second, const vec4 constants) {
    return vec4(vec3(min(source.a, 1.0 - destination.a)), 1.0);
}

vec4 factor_src1_color(const vec4 source, const vec4 destination, const vec4 second, const vec4 constants) {
    return second;
}

vec4 factor_one_minus_src1_color(const vec4 source, const vec4 destination, const vec4 second, const vec4 constants) {
    return 1.0 - second;
}

vec4 factor_src1_alpha(const vec4 source, const vec4 destination, const vec4 second, const vec4 constants) {
    return vec4(second.a);
}

vec4 factor_one_minus_src1_alpha(const vec4 source, const vec4 destination, const vec4 second, const vec4 constants) {
    return vec4(1.0 - second.a);
}

vec4 combine_add(const vec4 source, const vec4 of_source, const vec4 destination, const vec4 of_destination) {
    return source * of_source + destination * of_destination;
}

vec4 combine_subtract(const vec4 source, const vec4 of_source, const vec4 destination, const vec4 of_destination) {
    return source * of_source - destination * of_destination;
}

vec4 combine_reverse_subtract(
    const vec4 source, const vec4 of_source, const vec4 destination, const vec4 of_destination) {
    return destination * of_destination - source * of_source;
}

vec4 combine_min(const vec4 source, const vec4 destination) { return min(source, destination); }

vec4 combine_max(const vec4 source, const vec4 destination) { return max(source, destination); }

vec4 color_and_alpha(const vec4 color, const vec4 alpha) { return vec4(color.rgb, alpha.a); }

uvec4 logic_clear(const uvec4 source, const uvec4 destination) { return uvec4(0u); }

uvec4 logic_and(const uvec4 source, const uvec4 destination) { return source & destination; }

uvec4 logic_and_reverse(const uvec4 source, const uvec4 destination) { return source & ~destination; }

uvec4 logic_copy(const uvec4 source, const uvec4 destination) { return source; }

uvec4 logic_and_inverted(const uvec4 source, const uvec4 destination) { return ~source & destination; }

uvec4 logic_no_op(const uvec4 source, const uvec4 destination) { return destination; }

uvec4 logic_xor(const uvec4 source, const uvec4 destination) { return source ^ destination; }

uvec4 logic_or(const uvec4 source, const uvec4 destination) { return source | destination; }

uvec4 logic_nor(const uvec4 source, const uvec4 destination) { return ~(source | destination); }

uvec4 logic_equivalent(const uvec4 source, const uvec4 destination) { return ~(source ^ destination); }

uvec4 logic_invert(const uvec4 source, const uvec4 destination) { return ~destination; }

uvec4 logic_or_reverse(const uvec4 source, const uvec4 destination) { return source | ~destination; }

uvec4 logic_copy_inverted(const uvec4 source, const uvec4 destination) { return ~source; }

uvec4 logic_or_inverted(const uvec4 source, const uvec4 destination) { return ~source | destination; }

uvec4 logic_nand(const uvec4 source, const uvec4 destination) { return ~(source & destination); }

uvec4 logic_set(const uvec4 source, const uvec4 destination) { return uvec4(~0u); }

// The integers that an unsigned normalized format stores for a colour. `greatest` has the maximum of each component,
// which a float represents exactly.
uvec4 to_steps(const vec4 color, const uvec4 greatest) {
    return uvec4(clamp(color, 0.0, 1.0) * vec4(greatest) + 0.5);
}

vec4 from_steps(const uvec4 steps, const uvec4 greatest) {
    return vec4(steps & greatest) / vec4(max(greatest, uvec4(1u)));
}

// The part of an unsigned integer that a format stores. `greatest` has all bits of the component set.
uvec4 to_unsigned(const uvec4 value, const uvec4 greatest) { return value & greatest; }

// The part of a signed integer that a format stores. Its highest bit is the sign.
uvec4 to_signed(const uvec4 value, const uvec4 greatest) {
    uvec4 sign = greatest ^ (greatest >> 1u);
    return ((value & greatest) ^ sign) - sign;
}

// Covers the first samples, in proportion to alpha: none for 0, all for 1. A greater alpha never covers fewer samples.
int coverage(const float alpha, const uint samples) {
    uint covered = uint(clamp(alpha, 0.0, 1.0) * float(samples) + 0.5);
    return mix(int((1u << (covered & 31u)) - 1u), -1, covered >= 32u);
}

// Calls all functions that can be linked, because the compiler removes unused functions.
void main() {
    vec4 f = vec4(0.0);
    uvec4 u = uvec4(0u);
    factor_zero(f, f, f, f); factor_one(f, f, f, f); factor_src_color(f, f, f, f);
    factor_one_minus_src_color(f, f, f, f); factor_dst_color(f, f, f, f); factor_one_minus_dst_color(f, f, f, f);
    factor_src_alpha(f, f, f, f); factor_one_minus_src_alpha(f, f, f, f); factor_dst_alpha(f, f, f, f);
    factor_one_minus_dst_alpha(f, f, f, f); factor_constant_color(f, f, f, f);
    factor_one_minus_constant_color(f, f, f, f); factor_constant_alpha(f, f, f, f);
    factor_one_minus_constant_alpha(f, f, f, f); factor_src_alpha_saturate(f, f, f, f);
    factor_src1_color(f, f, f, f); factor_one_minus_src1_color(f, f, f, f); factor_src1_alpha(f, f, f, f);
    factor_one_minus_src1_alpha(f, f, f, f);
    combine_add(f, f, f, f); combine_subtract(f, f, f, f); combine_reverse_subtract(f, f, f, f);
    combine_min(f, f); combine_max(f, f); color_and_alpha(f, f);
    logic_clear(u, u); logic_and(u, u); logic_and_reverse(u, u); logic_copy(u, u); logic_and_inverted(u, u);
    logic_no_op(u, u); logic_xor(u, u); logic_or(u, u); logic_nor(u, u); logic_equivalent(u, u);
    logic_invert(u, u); logic_or_reverse(u, u); logic_copy_inverted(u, u); logic_or_inverted(u, u);
    logic_nand(u, u); logic_set(u, u);
    to_steps(f, u); from_steps(u, u); to_unsigned(u, u); to_signed(u, u); coverage(0.0, 1u);
}
