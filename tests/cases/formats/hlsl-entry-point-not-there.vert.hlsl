// glslang would make an empty shader of this.
// RUN: polyshade info %f --entry transform
// EXIT: 1
// CHECK: the source has no function `transform`

float4 main() : SV_Position { return 1; }
