#version 450
#extension GL_EXT_device_group : require
// RUN: polyshade capture %s --varyings c -o %t.metal
// KNOWN: SPIRV-Cross refuses unknown instructions
// CHECK: int gl_DeviceIndex = 0;
// CHECK-NOT: const int gl_DeviceIndex

layout(location = 0) out flat int c;

void main() {
    gl_Position = vec4(0.0);
    c = gl_DeviceIndex;
}
