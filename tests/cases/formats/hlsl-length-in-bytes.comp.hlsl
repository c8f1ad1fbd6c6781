// A buffer with addresses of bytes has a length in bytes, and glslang makes it an array of words.
// RUN: polyshade convert %f -o %t.spvasm
// BEFORE-LEGALIZATION: a buffer is handed to a function
// CHECK: OpArrayLength
// CHECK: OpShiftLeftLogical
// CHECK: OpArrayLength
// CHECK: OpShiftLeftLogical
// CHECK: OpArrayLength
// CHECK-NOT: OpShiftLeftLogical

RWByteAddressBuffer b : register(u0);
ByteAddressBuffer c, d : register(t1);
RWStructuredBuffer<uint> s : register(u2);

uint length(ByteAddressBuffer any) {
    uint n;
    any.GetDimensions(n);
    return n;
}

[numthreads(1, 1, 1)]
void main() {
    uint n, stride;
    b.GetDimensions(n);
    s[0] = n + length(d);
    s.GetDimensions(n, stride);
    s[1] = n;
}
