#version 450
// Integers are not blended, and a target without an output stays as it is: nothing changes.
// RUN: polyshade blend %s --equations multiply --target 5=screen -o %t.spv

layout(location = 0) out uvec4 numbers;

void main() {
    numbers = uvec4(1u);
}
