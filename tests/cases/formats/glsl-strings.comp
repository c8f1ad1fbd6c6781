#version 450
#extension GL_EXT_debug_printf : require
// RUN: polyshade convert %s -o %t.comp --glsl-vulkan
// KNOWN: SPIRV-Cross refuses unknown instructions
// CHECK: debugPrintfEXT("value %u\n", gl_GlobalInvocationID.x);

layout(local_size_x = 1) in;

void main() { debugPrintfEXT("value %u\n", gl_GlobalInvocationID.x); }
