// All levels are equal; `pass_through_tesc` adds the copies of the inputs.
#version 450
layout(vertices = 32) out;
layout(constant_id = 0) const float LEVEL = 1.0;
void main() {
    for (int i = 0; i < 4; ++i) gl_TessLevelOuter[i] = LEVEL;
    for (int i = 0; i < 2; ++i) gl_TessLevelInner[i] = LEVEL;
}
