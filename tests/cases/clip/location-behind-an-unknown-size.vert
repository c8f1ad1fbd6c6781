// How many locations the output takes is known when the pipeline is made: none behind it is free.
// RUN: polyshade clip %s --emulate 3 -o %t.spv
// EXIT: 2
// CHECK: location 3 of the outputs is taken or reserved
#version 450
layout(constant_id = 0) const int N = 4;
layout(location = 2) out float values[N];
void main() {
    for (int i = 0; i < N; ++i) values[i] = 1.0;
    gl_ClipDistance[0] = 1.0;
}
