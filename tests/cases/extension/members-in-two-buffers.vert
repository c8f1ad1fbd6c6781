#version 450
// Members of one block that go to several buffers say so each.
// RUN: polyshade capture %s --path extension --varyings a,b --separate -o %t.spv
// CHECK: OpMemberDecorate %Block 0 XfbBuffer 0
// CHECK: OpMemberDecorate %Block 1 XfbBuffer 1
layout(location = 0) out Block { vec4 a; vec2 b; };

void main() {
    a = vec4(1.0);
    b = vec2(2.0);
    gl_Position = vec4(0.0);
}
