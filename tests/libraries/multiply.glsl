// The equation of `GL_MULTIPLY_KHR` over premultiplied colours (OpenGL ES 3.2, 15.1.5.1).
#version 450
vec3 colour(const vec4 c) { return c.a == 0.0 ? vec3(0.0) : c.rgb / c.a; }
vec4 blend(const vec4 src, const vec4 dst) {
    float both = src.a * dst.a;
    vec3 mixed = colour(src) * colour(dst) * both;
    mixed += src.rgb * (1.0 - dst.a) + dst.rgb * (1.0 - src.a);
    return vec4(mixed, src.a + dst.a - both);
}
void main() { blend(vec4(1.0), vec4(1.0)); }
