#version 450
// What the shader says of transform feedback itself goes: a driver without the extension may crash on it.
// RUN: polyshade capture %s --varyings v_colour -o %t.capture.spv --variant raster-only=%t.spv
// CHECK-NOT: TransformFeedback
// CHECK-NOT: Xfb

layout(location = 0, xfb_buffer = 0, xfb_offset = 0, xfb_stride = 16) out vec4 v_colour;

void main() {
    v_colour = vec4(1.0);
    gl_Position = vec4(0.0);
}
