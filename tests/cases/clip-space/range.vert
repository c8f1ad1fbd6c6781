#version 450
// By default the depth range is converted, behind every way out of the shader.
// RUN: polyshade clip-space %s -o %t.spv
// CHECK: NoContraction
// CHECK: OpFunctionCall %void %main_body
// CHECK: OpFunctionCall %v4float %convert_position
// CHECK: OpFAdd
// CHECK-NOT: OpFNegate
layout(location = 0) in vec4 a_position;

void main() {
    gl_Position = a_position;
    if (a_position.x > 0.0)
        return;
    gl_Position.y = 1.0;
}
