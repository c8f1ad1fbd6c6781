#version 450
// A copy of the attachment is fetched by fragment coordinate, and by layer.
// RUN: polyshade blend %s --equations darken --destination texture --layer layer --set 2 --binding 7 -o %t.spv
// CHECK: OpCapability Geometry
// CHECK: BuiltIn Layer
// CHECK: OpConvertFToS %v2int
// CHECK: OpCompositeConstruct %v3int
// CHECK: OpImageFetch %v4float

layout(location = 0) out vec4 colour;

void main() {
    colour = gl_FragCoord;
}
