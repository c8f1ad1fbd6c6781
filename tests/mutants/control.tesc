#version 450
layout(vertices = 3) out;
layout(location = 0) in vec4 other[];
layout(location = 1) in vec4 from[];
layout(location = 1) out vec4 to[];

void main() {
    to[gl_InvocationID] = from[gl_InvocationID] + other[0].yzwx;
    to[gl_InvocationID].w = float(gl_InvocationID) - 1.5;
    gl_out[gl_InvocationID].gl_Position = other[gl_InvocationID];
    barrier();
    gl_TessLevelOuter[0] = to[2][int(other[0].w) & 3];
}
