#version 450
// RUN: polyshade clip %s --dry-run
// CHECK: outputs: 6 clip and 2 cull distances
// CHECK: maxClipDistances of at least 6

out float gl_ClipDistance[6];
out float gl_CullDistance[2];
void main() {
    for (int i = 0; i < 6; i++) gl_ClipDistance[i] = 1.0;
    gl_CullDistance[0] = gl_CullDistance[1] = 1.0;
    gl_Position = vec4(0.0);
}
