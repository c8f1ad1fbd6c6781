// RUN: rewrite split-block values
// CHECK: OpDecorate %a Location 3
// CHECK: OpDecorate %b Location 5
#version 450
layout(location = 3) out Values { vec4 a; float unused; mat2 b; } values;
void main() {
    values.a.x = 1.0;
    values.b[1] = vec2(2.0);
    gl_Position = values.a;
}
