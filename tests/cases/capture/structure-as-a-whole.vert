#version 450
// OpenGL names structures by their members.
// RUN: polyshade capture %s --varyings v_light -o %t.spv
// EXIT: 3
// CHECK: `v_light` is a structure: name its members

struct Light {
    vec3 direction;
    float power;
};
layout(location = 0) out Light v_light;

void main() {
    v_light = Light(vec3(1.0), 2.0);
    gl_Position = vec4(0.0);
}
