// Positions and clip distances as they come: what the device's own clipping makes of them.
#version 450
layout(location = 0) in vec4 position;
layout(location = 1) in vec4 low;
layout(location = 2) in vec4 high;
out gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[8]; };
void main() {
    gl_Position = position;
    for (int i = 0; i < 4; ++i) {
        gl_ClipDistance[i] = low[i];
        gl_ClipDistance[i + 4] = high[i];
    }
}
