// Divides squares near the middle of the grid most.
#version 450
layout(vertices = 4) out;
layout(location = 0) in vec2 v_place[];
layout(location = 0) out vec2 c_place[];
float level(vec2 from, vec2 to) { return 16.0 * (1.0 - distance(mix(from, to, 0.5), vec2(0.5))); }
void main() {
    c_place[gl_InvocationID] = v_place[gl_InvocationID];
    barrier();
    if (gl_InvocationID == 0) {
        gl_TessLevelOuter[0] = level(c_place[0], c_place[2]);
        gl_TessLevelOuter[1] = level(c_place[0], c_place[1]);
        gl_TessLevelOuter[2] = level(c_place[1], c_place[3]);
        gl_TessLevelOuter[3] = level(c_place[2], c_place[3]);
        gl_TessLevelInner[0] = level(c_place[0], c_place[3]);
        gl_TessLevelInner[1] = gl_TessLevelInner[0];
    }
}
