#version 450
// RUN: polyshade clip %s --emulate 4 --signature 1,1 -o %t.spv
// EXIT: 3
// CHECK: the sample mask that the shader reads already excludes samples that early tests reject

#extension GL_ARB_post_depth_coverage : require
layout(early_fragment_tests, post_depth_coverage) in;
layout(location = 0) out vec4 colour;
void main() { colour = vec4(float(gl_SampleMaskIn[0])); }
