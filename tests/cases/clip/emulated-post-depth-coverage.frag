#version 450
// Where no sample mask is read, nothing differs by what early tests leave of it: the mode goes with them.
// RUN: polyshade clip %s --emulate 4 --signature 1,0 -o %t.spv
// CHECK-NOT: EarlyFragmentTests
// CHECK-NOT: OpExecutionMode %main PostDepthCoverage
// CHECK: OpKill

#extension GL_ARB_post_depth_coverage : require
layout(early_fragment_tests, post_depth_coverage) in;
layout(location = 0) out vec4 colour;
void main() { colour = vec4(1.0); }
