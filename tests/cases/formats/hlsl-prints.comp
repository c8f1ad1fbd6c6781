#version 450
#extension GL_EXT_debug_printf : require
// RUN: polyshade convert %s -o %t.hlsl
// EXIT: 3
// KNOWN: SPIRV-Cross refuses unknown instructions
// CHECK: HLSL has no printf (NonSemantic.DebugPrintf)

layout(local_size_x = 1) in;

void main() { debugPrintfEXT("value\n"); }
