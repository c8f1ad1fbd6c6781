#version 450
layout(location = 0) in vec4 a;
layout(location = 1) in uvec2 b;
layout(location = 0) out mat2 v_matrix;
layout(location = 2) out vec3 v_vector;
layout(location = 3) flat out uint v_id;
layout(location = 4) out float v_bits;

void main() {
    v_matrix = mat2(a.x, a.y, a.z, a.w);
    v_vector = vec3(0.0);
    v_id = uint(gl_VertexIndex) + 100u * uint(gl_InstanceIndex);
    v_bits = uintBitsToFloat(b.x);
    v_vector = a.xyz * 2.0 + vec3(float(gl_VertexIndex));
    gl_Position = a;
}
