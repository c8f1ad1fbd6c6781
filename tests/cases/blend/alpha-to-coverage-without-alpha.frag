#version 450
// RUN: polyshade blend %s --equations multiply --alpha-to-coverage 4 --multisampled -o %t.spv
// EXIT: 3
// CHECK: the output at location 0 has no alpha

layout(location = 0) out vec3 colour;

void main() {
    colour = vec3(0.5);
}
