// As a compiler of HLSL makes it: all outputs are returned at once, stored at once, and read one by one.
// RUN: polyshade position-only %s -o %t.spv
// CHECK-NOT: OpExtInst
// CHECK: OpVectorTimesScalar
// CHECK-NOT: OpVectorTimesScalar
// CHECK-NOT: OpExtInst
// CHECK-NOT: OpFAdd
#version 450
layout(location = 0) in vec4 x;
layout(location = 1) in vec4 y;
layout(location = 0) out vec4 v;
layout(location = 1) out vec4 w;
struct In { vec4 place; vec4 other; };
struct All { vec4 place; vec4 v; vec4 w; };
All shade(In i) { All all; all.place = i.place * 2.0; all.v = sin(i.other); all.w = cos(i.place); return all; }
All entry(In i) { All all = shade(i); all.v += 1.0; return all; }
void main() {
    In i;
    i.place = x;
    i.other = y;
    All all = entry(i);
    gl_Position = all.place;
    v = all.v;
    w = all.w;
}
