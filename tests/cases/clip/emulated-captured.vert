#version 450
// RUN: polyshade clip %s --emulate 4 -o %t.spv
// EXIT: 3
// CHECK: cannot relocate distances that are captured natively

out gl_PerVertex {
    vec4 gl_Position;
    layout(xfb_buffer = 0, xfb_offset = 0) float gl_ClipDistance[1];
};
void main() {
    gl_Position = vec4(0.0);
    gl_ClipDistance[0] = 1.0;
}
