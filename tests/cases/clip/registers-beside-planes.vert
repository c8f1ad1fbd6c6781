#version 450
// RUN: polyshade clip %s --outputs clip=3.xy --planes 2 --planes-at push-constant=0 -o %t.spv
// EXIT: 3
// CHECK: the shader already writes clip distances

layout(location = 3) out vec2 a;
void main() { a = vec2(1.0); gl_Position = vec4(0.0); }
