#version 450
// Numbered by register, not in the order of the declarations: clip is 1.zw, 3.x; the array has three elements.
// RUN: polyshade clip %s --outputs clip=1.zw,clip=3.x,cull=3.y -o %t.spv
// CHECK: OpCapability ClipDistance
// CHECK: OpCapability CullDistance
// CHECK: BuiltIn ClipDistance
// CHECK: %_arr_float_uint_3 = OpTypeArray %float %uint_3
// CHECK: OpVariable %_ptr_Output__arr_float_uint_3 Output

layout(location = 3, component = 0) out float third;
layout(location = 3, component = 1) out float culled;
layout(location = 1, component = 2) out vec2 first;

void main() {
    first = vec2(1.0, 2.0);
    third = 3.0;
    culled = 4.0;
    gl_Position = vec4(0.0);
}
