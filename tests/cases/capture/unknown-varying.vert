#version 450
// A varying that is not there is an error that names those that are near.
// RUN: polyshade capture %s --varyings v_positon -o %t.spv
// EXIT: 1
// CHECK: there is no output `v_positon`
// CHECK: `v_position`

layout(location = 0) out vec3 v_position;
layout(location = 1) out vec3 v_velocity;

void main() {
    v_position = v_velocity = vec3(0.0);
    gl_Position = vec4(0.0);
}
