// Chains start from the other variable, and interfaces stay as they are.
// RUN: rewrite replace-uses v other
// CHECK: OpEntryPoint TessellationControl %main "main"
// CHECK: OpDecorate %v Location 1
// CHECK: %main = OpFunction
// CHECK: %other
// CHECK: %other
// CHECK: %other
// CHECK: %other
// CHECK-NOT: %other
#version 450
layout(vertices = 3) out;
layout(location = 0) in vec4 x[];
layout(location = 1) out vec4 v[];
layout(location = 5) out vec4 other[];
void put(out float component) { component = 2.0; }
void main() {
    gl_out[gl_InvocationID].gl_Position = x[gl_InvocationID];
    v[gl_InvocationID] = x[gl_InvocationID];
    if (x[0].x < 0.0) { return; }
    put(v[gl_InvocationID].y);
    v[gl_InvocationID].z = v[0].w;
}
