#version 450
layout(set = 0, binding = 1) uniform sampler2D t;
layout(location = 0) out vec4 c;
void main() { c = texture(t, vec2(0.5)); }
