#version 450
// A fragment that fails its tests behind the shader would have been stored: they are made before it.
// RUN: polyshade blend %s --equations screen --destination storage-image -o %t.spv
// CHECK: EarlyFragmentTests

layout(location = 0) out vec4 colour;

void main() {
    colour = vec4(0.5);
}
