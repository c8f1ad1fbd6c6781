#version 450
// A dry run says what the host fills in.
// RUN: polyshade depth %s --range push-constant --flip-y specialization=5 --push-constant-offset 8 --dry-run
// CHECK: depth_convention of main
// CHECK: push constants at byte 8: convert_depth
// CHECK: specialization constant 5: flip_y
// CHECK: maxPushConstantsSize of at least 12
void main() {
    gl_Position = vec4(0.0);
}
