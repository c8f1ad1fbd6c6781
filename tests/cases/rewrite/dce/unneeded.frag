// RUN: rewrite dce
// KNOWN: what an unknown instruction stands in stays
// CHECK: OpEntryPoint Fragment %main "main" %v %x
// CHECK-NOT: unused
// CHECK-NOT: picture
// CHECK-NOT: never
// CHECK-NOT: dead
// CHECK-NOT: OpTypeSampledImage
// CHECK-NOT: OpTypeImage
// CHECK: OpFunctionEnd
// CHECK-NOT: OpFunction
#version 450
layout(location = 0) in vec4 x;
layout(location = 1) in vec2 unused;
layout(location = 0) out vec4 v;
layout(binding = 0) uniform sampler2D picture;
vec4 never(vec4 y) { return y * 2.0; }
void main() { vec4 dead = texture(picture, unused); dead = never(dead); v = x; }
