#version 450
// A varying reads what is written, and both go.
// RUN: polyshade position-only %s --side-effects in-complement -o %t.spv
// CHECK: OpFunction
// CHECK-NOT: OpImageWrite
// CHECK-NOT: OpTypeImage

layout(binding = 0, rgba8) uniform image2D picture;
layout(location = 0) out vec4 v;

void main() {
    imageStore(picture, ivec2(1), vec4(1.0));
    v = imageLoad(picture, ivec2(1));
    gl_Position = vec4(1.0);
}
