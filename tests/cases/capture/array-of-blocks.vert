#version 450
// An array of blocks goes by the block's name, never the instance's.
// RUN: polyshade capture %s --varyings Light[1].colour,Light[0].power -o %t.spv
// CHECK: OpStore

layout(location = 0) out Light {
    vec3 colour;
    float power;
} lights[2];

void main() {
    lights[0].power = 1.0;
    lights[1].colour = vec3(1.0);
    gl_Position = vec4(1.0);
}
