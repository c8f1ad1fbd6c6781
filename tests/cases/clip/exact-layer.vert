#version 450
#extension GL_ARB_shader_viewport_layer_array : require
// RUN: polyshade clip %s --exact --location 8 --geometry %t.spv -o %t.vertex.spv
// EXIT: 3
// CHECK: geometry stages cannot read

out float gl_ClipDistance[1];
void main() {
    gl_Position = vec4(0.0);
    gl_Layer = 1;
    gl_ClipDistance[0] = 1.0;
}
