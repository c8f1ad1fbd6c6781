#version 450
// Two variables of one binding are one buffer.
// RUN: polyshade capture %s --varyings v --side-effects in-raster -o %t.spv
// EXIT: 3
// CHECK: the shader reads memory that it writes
layout(set=0,binding=0) buffer A { uvec4 x; } a;
layout(set=0,binding=0) readonly buffer B { vec4 x; } b;
layout(location=0) out vec4 v;
void main(){ a.x = uvec4(gl_VertexIndex); v = b.x; gl_Position=vec4(0); }
