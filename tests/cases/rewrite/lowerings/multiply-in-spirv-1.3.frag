// It blends however its body returns.
// RUN: rewrite multiply
// Version: 1.3
// CHECK: %main = OpFunction
// CHECK: OpFunctionCall %void %main_body
// CHECK: OpFunctionCall %v4float %blend
// CHECK: OpStore %colour_interface
// CHECK-NOT: OpStore %colour_interface
#version 450
layout(location = 0) in vec4 x;
layout(location = 0) out vec4 colour;
layout(location = 1) out vec4 other;
void shade(float y) {
    if (y < 0.5) { if (x.z > 0.25) discard; colour.a = y; return; }
    colour = x * y;
}
void main() {
    other = x;
    colour = vec4(1.0);
    if (x.x > 2.0) return;
    for (int i = 0; i < 4; ++i) {
        if (x.w > float(i)) { shade(x.y); return; }
    }
    colour.rgb = vec3(0.5);
}
