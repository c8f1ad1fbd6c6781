#version 450
layout(location = 0) in vec3 position;
out float gl_ClipDistance[2];
void main() {
    gl_ClipDistance[0] = position.x;
    gl_ClipDistance[1] = position.y;
    gl_Position = vec4(position, 1.0);
}
