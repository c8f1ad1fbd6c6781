#version 450
// Each part can wait for a push constant, behind those of the shader.
// RUN: polyshade clip-space %s --range push-constant=20 --rotate push-constant=20 -o %t.spv
// CHECK: OpMemberName %Own 1 "convert_depth"
// CHECK: OpMemberName %Own 2 "rotation"
// CHECK: OpMemberDecorate %Own 1 Offset 20
// CHECK: OpMemberDecorate %Own 2 Offset 24
layout(push_constant) uniform Own { vec4 scale; };
layout(location = 0) in vec4 a_position;

void main() {
    gl_Position = a_position * scale;
}
