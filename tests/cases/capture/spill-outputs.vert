#version 450
// All outputs of a vertex are stored by its number among those of all instances, where what is captured is stored to
// the slots of its corners.
// RUN: polyshade capture %s --varyings v_colour --spill-outputs --limit-in-vertices --topologies triangle-list -o %t.capture.spv --variant spill-outputs=%t.spv
// CHECK: %polyshade_outputs
// CHECK: %store_outputs = OpFunction
// CHECK: OpFunctionCall %void %store_outputs

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
