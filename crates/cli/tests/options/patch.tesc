#version 450
layout(constant_id = 3) const float level = 2.0;
layout(vertices = 3) out;
layout(location = 0) in vec4 v[];
layout(location = 0) out vec4 c[];
void main() {
    c[gl_InvocationID] = v[gl_InvocationID];
    gl_TessLevelOuter[0] = level;
}
