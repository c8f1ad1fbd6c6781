#version 450
// A dry run says what the host fills in.
// RUN: polyshade clip-space %s --range push-constant=8 --flip-y specialization=5 --dry-run
// CHECK: clip_space of main
// CHECK: fill in at push-constant=8
// CHECK: convert_depth
// CHECK: fill in at specialization=5
// CHECK: flip_y
// CHECK: maxPushConstantsSize of at least 12
void main() {
    gl_Position = vec4(0.0);
}
