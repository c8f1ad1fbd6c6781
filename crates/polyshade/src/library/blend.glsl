// The equations of VK_EXT_blend_operation_advanced. `source` and `destination` are colours with alpha.
//
// Branches become selections, so the value that is not selected may be infinite or NaN.

#version 450

// The weights p0, p1 and p2 of the areas covered by both colours, only the source, and only the destination.
vec3 uncorrelated(const float source, const float destination) {
    return vec3(source * destination, source * (1.0 - destination), destination * (1.0 - source));
}

vec3 conjoint(const float source, const float destination) {
    return vec3(min(source, destination), max(source - destination, 0.0), max(destination - source, 0.0));
}

vec3 disjoint(const float source, const float destination) {
    return vec3(max(source + destination - 1.0, 0.0), min(source, 1.0 - destination), min(destination, 1.0 - source));
}

// On some devices, x / x is less than 1.
vec4 unpremultiply(const vec4 color) {
    vec3 divided = mix(color.rgb / color.a, vec3(1.0), equal(color.rgb, vec3(color.a)));
    return vec4(mix(divided, vec3(0.0), bvec3(color.a == 0.0)), color.a);
}

vec4 premultiply(const vec4 color) { return vec4(color.rgb * color.a, color.a); }

vec4 to_unorm(const vec4 color) { return clamp(color, 0.0, 1.0); }

vec4 to_snorm(const vec4 color) { return clamp(color, -1.0, 1.0); }

// The general form, with X, Y and Z equal to 1.
vec4 weighted(const vec3 both, const vec4 source, const vec4 destination, const vec3 p) {
    return vec4(both * p.x + source.rgb * p.y + destination.rgb * p.z, p.x + p.y + p.z);
}

// The form with Y equal to 0.
vec4 within_destination(const vec3 both, const vec4 destination, const vec3 p) {
    return vec4(both * p.x + destination.rgb * p.z, p.x + p.z);
}

// The form with Z equal to 0.
vec4 within_source(const vec3 both, const vec4 source, const vec3 p) {
    return vec4(both * p.x + source.rgb * p.y, p.x + p.y);
}

vec4 blend_zero(const vec4 source, const vec4 destination, const vec3 p) { return vec4(0.0); }

vec4 blend_src(const vec4 source, const vec4 destination, const vec3 p) {
    return within_source(source.rgb, source, p);
}

vec4 blend_dst(const vec4 source, const vec4 destination, const vec3 p) {
    return within_destination(destination.rgb, destination, p);
}

vec4 blend_src_over(const vec4 source, const vec4 destination, const vec3 p) {
    return weighted(source.rgb, source, destination, p);
}

vec4 blend_dst_over(const vec4 source, const vec4 destination, const vec3 p) {
    return weighted(destination.rgb, source, destination, p);
}

vec4 blend_src_in(const vec4 source, const vec4 destination, const vec3 p) { return vec4(source.rgb, 1.0) * p.x; }

vec4 blend_dst_in(const vec4 source, const vec4 destination, const vec3 p) { return vec4(destination.rgb, 1.0) * p.x; }

vec4 blend_src_out(const vec4 source, const vec4 destination, const vec3 p) { return vec4(source.rgb, 1.0) * p.y; }

vec4 blend_dst_out(const vec4 source, const vec4 destination, const vec3 p) {
    return vec4(destination.rgb, 1.0) * p.z;
}

vec4 blend_src_atop(const vec4 source, const vec4 destination, const vec3 p) {
    return within_destination(source.rgb, destination, p);
}

vec4 blend_dst_atop(const vec4 source, const vec4 destination, const vec3 p) {
    return within_source(destination.rgb, source, p);
}

vec4 blend_xor(const vec4 source, const vec4 destination, const vec3 p) {
    return vec4(source.rgb, 1.0) * p.y + vec4(destination.rgb, 1.0) * p.z;
}

vec4 blend_multiply(const vec4 source, const vec4 destination, const vec3 p) {
    return weighted(source.rgb * destination.rgb, source, destination, p);
}

vec4 blend_screen(const vec4 source, const vec4 destination, const vec3 p) {
    vec3 both = source.rgb + destination.rgb - source.rgb * destination.rgb;
    return weighted(both, source, destination, p);
}

// Multiplies the colours where `test` is at most 0.5, and screens them elsewhere.
vec3 multiply_or_screen(const vec3 source, const vec3 destination, const vec3 test) {
    vec3 multiplied = 2.0 * source * destination;
    vec3 screened = 1.0 - 2.0 * (1.0 - source) * (1.0 - destination);
    return mix(screened, multiplied, lessThanEqual(test, vec3(0.5)));
}

vec4 blend_overlay(const vec4 source, const vec4 destination, const vec3 p) {
    vec3 both = multiply_or_screen(source.rgb, destination.rgb, destination.rgb);
    return weighted(both, source, destination, p);
}

vec4 blend_darken(const vec4 source, const vec4 destination, const vec3 p) {
    return weighted(min(source.rgb, destination.rgb), source, destination, p);
}

vec4 blend_lighten(const vec4 source, const vec4 destination, const vec3 p) {
    return weighted(max(source.rgb, destination.rgb), source, destination, p);
}

vec4 blend_colordodge(const vec4 source, const vec4 destination, const vec3 p) {
    vec3 s = source.rgb;
    vec3 d = destination.rgb;
    vec3 dodged = mix(vec3(1.0), min(vec3(1.0), d / (1.0 - s)), lessThan(s, vec3(1.0)));
    return weighted(mix(dodged, vec3(0.0), lessThanEqual(d, vec3(0.0))), source, destination, p);
}

vec4 blend_colorburn(const vec4 source, const vec4 destination, const vec3 p) {
    vec3 s = source.rgb;
    vec3 d = destination.rgb;
    vec3 burnt = mix(vec3(0.0), 1.0 - min(vec3(1.0), (1.0 - d) / s), greaterThan(s, vec3(0.0)));
    return weighted(mix(burnt, vec3(1.0), greaterThanEqual(d, vec3(1.0))), source, destination, p);
}

vec4 blend_hardlight(const vec4 source, const vec4 destination, const vec3 p) {
    vec3 both = multiply_or_screen(source.rgb, destination.rgb, source.rgb);
    return weighted(both, source, destination, p);
}

vec4 blend_softlight(const vec4 source, const vec4 destination, const vec3 p) {
    vec3 s = source.rgb;
    vec3 d = destination.rgb;
    vec3 darker = d - (1.0 - 2.0 * s) * d * (1.0 - d);
    vec3 lighter_dark = d + (2.0 * s - 1.0) * d * ((16.0 * d - 12.0) * d + 3.0);
    vec3 lighter_bright = d + (2.0 * s - 1.0) * (sqrt(d) - d);
    vec3 lighter = mix(lighter_bright, lighter_dark, lessThanEqual(d, vec3(0.25)));
    return weighted(mix(lighter, darker, lessThanEqual(s, vec3(0.5))), source, destination, p);
}

vec4 blend_difference(const vec4 source, const vec4 destination, const vec3 p) {
    return weighted(abs(destination.rgb - source.rgb), source, destination, p);
}

vec4 blend_exclusion(const vec4 source, const vec4 destination, const vec3 p) {
    vec3 both = source.rgb + destination.rgb - 2.0 * source.rgb * destination.rgb;
    return weighted(both, source, destination, p);
}

vec4 blend_invert(const vec4 source, const vec4 destination, const vec3 p) {
    return within_destination(1.0 - destination.rgb, destination, p);
}

vec4 blend_invert_rgb(const vec4 source, const vec4 destination, const vec3 p) {
    return within_destination(source.rgb * (1.0 - destination.rgb), destination, p);
}

vec4 blend_lineardodge(const vec4 source, const vec4 destination, const vec3 p) {
    return weighted(min(vec3(1.0), source.rgb + destination.rgb), source, destination, p);
}

vec4 blend_linearburn(const vec4 source, const vec4 destination, const vec3 p) {
    return weighted(max(vec3(0.0), source.rgb + destination.rgb - 1.0), source, destination, p);
}

vec4 blend_vividlight(const vec4 source, const vec4 destination, const vec3 p) {
    vec3 s = source.rgb;
    vec3 d = destination.rgb;
    vec3 burnt = 1.0 - min(vec3(1.0), (1.0 - d) / (2.0 * s));
    vec3 dodged = min(vec3(1.0), d / (2.0 * (1.0 - s)));
    vec3 light = mix(vec3(1.0), dodged, lessThan(s, vec3(1.0)));
    vec3 both = mix(light, burnt, lessThan(s, vec3(0.5)));
    return weighted(mix(both, vec3(0.0), lessThanEqual(s, vec3(0.0))), source, destination, p);
}

vec4 blend_linearlight(const vec4 source, const vec4 destination, const vec3 p) {
    vec3 sum = 2.0 * source.rgb + destination.rgb;
    vec3 both = mix(vec3(0.0), sum - 1.0, greaterThan(sum, vec3(1.0)));
    return weighted(mix(both, vec3(1.0), greaterThan(sum, vec3(2.0))), source, destination, p);
}

vec4 blend_pinlight(const vec4 source, const vec4 destination, const vec3 p) {
    vec3 s = source.rgb;
    vec3 d = destination.rgb;
    vec3 above = mix(2.0 * s - 1.0, vec3(0.0), lessThan(s, vec3(0.5)));
    vec3 below = mix(d, 2.0 * s, lessThan(s, 0.5 * d));
    return weighted(mix(below, above, greaterThan(2.0 * s - 1.0, d)), source, destination, p);
}

vec4 blend_hardmix(const vec4 source, const vec4 destination, const vec3 p) {
    vec3 both = mix(vec3(1.0), vec3(0.0), lessThan(source.rgb + destination.rgb, vec3(1.0)));
    return weighted(both, source, destination, p);
}

float least(const vec3 color) { return min(min(color.r, color.g), color.b); }

float greatest(const vec3 color) { return max(max(color.r, color.g), color.b); }

float luminosity(const vec3 color) { return dot(color, vec3(0.30, 0.59, 0.11)); }

// Moves a colour towards its luminosity until it is in [0, 1]: a minimum below 0 becomes exactly 0, a maximum
// above 1 exactly 1. Due to rounding, the divisors may be 0.
vec3 clip_color(const vec3 color) {
    float lum = luminosity(color);
    float low = least(color);
    float high = greatest(color);
    vec3 grey = vec3(clamp(lum, 0.0, 1.0));
    vec3 raised = mix((color - low) * lum / (lum - low), grey, bvec3(lum <= low));
    vec3 clipped = mix(color, raised, bvec3(low < 0.0));
    vec3 lowered = mix(1.0 - (high - clipped) * (1.0 - lum) / (high - lum), grey, bvec3(high <= lum));
    return mix(clipped, lowered, bvec3(high > 1.0));
}

vec3 set_luminosity(const vec3 base, const vec3 from) {
    return clip_color(base + (luminosity(from) - luminosity(base)));
}

vec3 set_luminosity_and_saturation(const vec3 base, const vec3 saturated, const vec3 from) {
    float low = least(base);
    float saturation = greatest(base) - low;
    float wanted = greatest(saturated) - least(saturated);
    vec3 color = mix(vec3(0.0), (base - low) * wanted / saturation, bvec3(saturation > 0.0));
    return set_luminosity(color, from);
}

vec4 blend_hsl_hue(const vec4 source, const vec4 destination, const vec3 p) {
    vec3 both = set_luminosity_and_saturation(source.rgb, destination.rgb, destination.rgb);
    return weighted(both, source, destination, p);
}

vec4 blend_hsl_saturation(const vec4 source, const vec4 destination, const vec3 p) {
    vec3 both = set_luminosity_and_saturation(destination.rgb, source.rgb, destination.rgb);
    return weighted(both, source, destination, p);
}

vec4 blend_hsl_color(const vec4 source, const vec4 destination, const vec3 p) {
    return weighted(set_luminosity(source.rgb, destination.rgb), source, destination, p);
}

vec4 blend_hsl_luminosity(const vec4 source, const vec4 destination, const vec3 p) {
    return weighted(set_luminosity(destination.rgb, source.rgb), source, destination, p);
}

// The remaining equations take premultiplied colours and ignore the overlap mode.

vec4 blend_plus(const vec4 source, const vec4 destination) { return source + destination; }

vec4 blend_plus_clamped(const vec4 source, const vec4 destination) { return min(vec4(1.0), source + destination); }

vec4 blend_plus_clamped_alpha(const vec4 source, const vec4 destination) {
    float alpha = min(1.0, source.a + destination.a);
    return vec4(min(vec3(alpha), source.rgb + destination.rgb), alpha);
}

// Equals min(1, As + Ad) - ((As - S) + (Ad - D)), without the terms that cancel.
vec4 blend_plus_darker(const vec4 source, const vec4 destination) {
    float excess = max(0.0, source.a + destination.a - 1.0);
    vec3 color = max(vec3(0.0), source.rgb + destination.rgb - excess);
    return vec4(color, min(1.0, source.a + destination.a));
}

vec4 blend_minus(const vec4 source, const vec4 destination) { return destination - source; }

vec4 blend_minus_clamped(const vec4 source, const vec4 destination) { return max(vec4(0.0), destination - source); }

vec4 blend_contrast(const vec4 source, const vec4 destination) {
    float grey = 0.5 * destination.a;
    return vec4(grey + 2.0 * (destination.rgb - grey) * (source.rgb - 0.5 * source.a), destination.a);
}

vec4 blend_invert_ovg(const vec4 source, const vec4 destination) {
    vec3 color = source.a * (1.0 - destination.rgb) + (1.0 - source.a) * destination.rgb;
    return vec4(color, source.a + destination.a - source.a * destination.a);
}

vec4 blend_red(const vec4 source, const vec4 destination) { return vec4(source.r, destination.gba); }

vec4 blend_green(const vec4 source, const vec4 destination) {
    return vec4(destination.r, source.g, destination.ba);
}

vec4 blend_blue(const vec4 source, const vec4 destination) {
    return vec4(destination.rg, source.b, destination.a);
}

// Calls all functions that can be linked, because the compiler removes unused functions.
void main() {
    vec4 s = vec4(0.0), d = vec4(0.0);
    vec3 p = uncorrelated(0.0, 0.0);
    conjoint(0.0, 0.0); disjoint(0.0, 0.0);
    unpremultiply(s); premultiply(s); to_unorm(s); to_snorm(s);
    blend_zero(s, d, p); blend_src(s, d, p); blend_dst(s, d, p); blend_src_over(s, d, p); blend_dst_over(s, d, p);
    blend_src_in(s, d, p); blend_dst_in(s, d, p); blend_src_out(s, d, p); blend_dst_out(s, d, p);
    blend_src_atop(s, d, p); blend_dst_atop(s, d, p); blend_xor(s, d, p);
    blend_multiply(s, d, p); blend_screen(s, d, p); blend_overlay(s, d, p); blend_darken(s, d, p);
    blend_lighten(s, d, p); blend_colordodge(s, d, p); blend_colorburn(s, d, p); blend_hardlight(s, d, p);
    blend_softlight(s, d, p); blend_difference(s, d, p); blend_exclusion(s, d, p);
    blend_invert(s, d, p); blend_invert_rgb(s, d, p); blend_lineardodge(s, d, p); blend_linearburn(s, d, p);
    blend_vividlight(s, d, p); blend_linearlight(s, d, p); blend_pinlight(s, d, p); blend_hardmix(s, d, p);
    blend_hsl_hue(s, d, p); blend_hsl_saturation(s, d, p); blend_hsl_color(s, d, p); blend_hsl_luminosity(s, d, p);
    blend_plus(s, d); blend_plus_clamped(s, d); blend_plus_clamped_alpha(s, d); blend_plus_darker(s, d);
    blend_minus(s, d); blend_minus_clamped(s, d); blend_contrast(s, d); blend_invert_ovg(s, d);
    blend_red(s, d); blend_green(s, d); blend_blue(s, d);
}
