#version 450
layout(location = 0) in vec4 a;
layout(location = 1) out vec4 v;
out gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[2]; float gl_CullDistance[1]; };
void main() {
    v = a;
    gl_Position = a;
    gl_ClipDistance[0] = a.x;
    gl_ClipDistance[1] = a.y;
    gl_CullDistance[0] = a.z;
}
