#version 450
// RUN: polyshade blend %s --equations multiply --multisampled -o %t.spv
// EXIT: 3
// CHECK: cannot run the shader for each sample: it reads the number of invocations for the fragment
#extension GL_EXT_fragment_invocation_density : require

layout(location = 0) out vec4 colour;

void main() {
    colour = vec4(float(gl_FragInvocationCountEXT) / 4.0);
}
