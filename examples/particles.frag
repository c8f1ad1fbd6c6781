// Fades a particle as it ages.
#version 450
layout(location = 2) in float v_age;
layout(location = 0) out vec4 color;
void main() {
    color = vec4(1.0, 0.8, 0.4, exp(-v_age));
}
