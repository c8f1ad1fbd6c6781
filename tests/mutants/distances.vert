#version 450
// Built-in arrays, with a dynamic index.
layout(location = 0) in vec4 a;
layout(location = 1) in vec4 b;
layout(location = 0) out vec4 v_colour;
out float gl_ClipDistance[2];
out float gl_CullDistance[1];

void main() {
    v_colour = a + b;
    for (int i = 0; i < 2; ++i) gl_ClipDistance[i] = a[i] * 0.5 + 1.0;
    gl_CullDistance[0] = b.x + float(gl_VertexIndex);
    gl_Position = vec4(b.xyz * 0.1, 1.0);
    gl_ClipDistance[gl_VertexIndex & 1] += b.y;
}
