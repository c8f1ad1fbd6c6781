#version 450
// Early tests would write the depth of what is discarded, and count it: they become late, as nothing else differs.
// RUN: polyshade clip %s --emulate 4 --signature 1,1 -o %t.spv
// CHECK-NOT: EarlyFragmentTests
// CHECK: OpKill

layout(early_fragment_tests) in;
layout(location = 0) out vec4 colour;
void main() { colour = vec4(1.0); }
