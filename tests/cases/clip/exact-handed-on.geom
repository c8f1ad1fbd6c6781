#version 450
// The fragment stage reads the distances at locations, and so does this stage.
// RUN: polyshade clip %s --exact --hand-on --location 3 --no-names -o %t.spv
// CHECK-NOT: OpCapability ClipDistance
// CHECK: Location 3
// CHECK: Location 3

layout(lines) in;
layout(line_strip, max_vertices = 2) out;
in gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[2]; } gl_in[];
out gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[2]; };

void main() {
    for (int i = 0; i < 2; ++i) {
        gl_Position = gl_in[i].gl_Position;
        gl_ClipDistance[0] = gl_in[i].gl_ClipDistance[0];
        gl_ClipDistance[1] = gl_in[i].gl_ClipDistance[1];
        EmitVertex();
    }
}
