// The position moves outside behind a specialization constant.
// RUN: rewrite discard-rasterization 7
// Version: 1.5
// CHECK: SpecId 7
// CHECK: %float_n3 %float_n3 %float_n3 %float_1
// CHECK: OpSelect %
// CHECK-NOT: OpSelect %
#version 450
layout(location = 0) in vec4 x;
layout(location = 0) out vec4 v;
void main() {
    v = x;
    gl_Position = x;
    if (x.x > 1.0) return;
    gl_Position.y = -x.y;
}
