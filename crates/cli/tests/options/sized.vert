#version 450
layout(constant_id = 7) const int count = 2;
layout(location = 0) in vec4 a;
layout(location = 0) out vec4 v[count];
void main() { for (int i = 0; i < count; ++i) v[i] = a; gl_Position = a; }
