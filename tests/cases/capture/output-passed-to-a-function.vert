#version 450
// An output that a function gets by pointer, stores on early returns, and a built-in written in a callee.
// RUN: polyshade capture %s --varyings v_colour,gl_Position -o %t.spv
// CHECK: %main_body = OpFunction
// CHECK: %main = OpFunction

layout(location = 0) in vec4 colour;
layout(location = 0) out vec4 v_colour;

void light(inout vec4 c) {
    if (c.x > 0.5) {
        c.y = 1.0;
        return;
    }
    c *= 2.0;
}

void place() {
    gl_Position = vec4(1.0);
}

void main() {
    v_colour = colour;
    place();
    if (colour.w < 0.0) {
        return;
    }
    light(v_colour);
}
