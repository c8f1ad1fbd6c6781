#version 450
// What another pass has stored is handed on word by word, as it was declared, and nothing else is left of the shader: no
// arithmetic, no attributes, and no built-in that the shader does not write.
// RUN: polyshade capture %s --varyings v_colour --spill-outputs -o %t.capture.spv --variant reload-outputs=%t.spv
// CHECK: NonWritable
// CHECK: OpArrayLength %uint %polyshade_outputs
// CHECK: OpUDiv %uint
// CHECK-NOT: Sqrt
// CHECK-NOT: %position

layout(location = 0) in vec4 position;
layout(location = 0) out vec3 v_colour;
layout(location = 1) flat out dvec2 v_times;
out float gl_ClipDistance[2];

void main() {
    v_colour = sqrt(position.xyz);
    v_times = dvec2(1.0lf);
    gl_ClipDistance[0] = position.x;
    gl_ClipDistance[1] = position.y;
    gl_Position = position;
}
