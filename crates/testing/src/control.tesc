#version 450
layout(vertices = 3) out;
layout(location = 0) out vec4 v[][8];
layout(location = 8) patch out vec4 p[4];
void main() {
    for (int i = 0; i < 8; ++i) v[gl_InvocationID][i] = vec4(i);
    for (int i = 0; i < 4; ++i) p[i] = vec4(i);
    gl_out[gl_InvocationID].gl_Position = vec4(0);
    for (int i = 0; i < 4; ++i) gl_TessLevelOuter[i] = 1;
    for (int i = 0; i < 2; ++i) gl_TessLevelInner[i] = 1;
}
