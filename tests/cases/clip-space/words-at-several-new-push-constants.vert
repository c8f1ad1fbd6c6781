// The same where the shader has none of its own.
// RUN: polyshade clip-space %f --range push-constant=16 --flip-y push-constant=4 --validate -o %t.spv

#version 450

void main() {
    gl_Position = vec4(1);
}
