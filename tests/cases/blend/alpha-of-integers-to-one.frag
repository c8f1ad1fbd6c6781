#version 450
// RUN: polyshade blend %s --logic-op set --attachment-format R8G8B8A8_UINT --alpha-to-one -o %t.spv
// EXIT: 3
// CHECK: cannot emulate alpha to one: the output at location 0 has integer components

layout(location = 0) out uvec4 colour;

void main() {
    colour = uvec4(1);
}
