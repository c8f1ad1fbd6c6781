#version 450
// Only vertex stages have attributes.
// RUN: polyshade blend %s --equations multiply,screen --select address:attribute=3 -o %t.spv
// EXIT: 2
// CHECK: cannot read host parameters at address:attribute=3: only vertex stages have attributes
layout(location = 0) out vec4 color;

void main() {
    color = vec4(1.0);
}
