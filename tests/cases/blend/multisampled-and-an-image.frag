#version 450
// RUN: polyshade blend %s --equations multiply --multisampled -o %t.spv
// EXIT: 3
// CHECK: cannot run the shader for each sample: it has its own stores to memory

layout(set = 0, binding = 0, r32f) uniform writeonly image2D image;
layout(location = 0) out vec4 colour;

void main() {
    imageStore(image, ivec2(gl_FragCoord.xy), vec4(1.0));
    colour = vec4(0.5);
}
