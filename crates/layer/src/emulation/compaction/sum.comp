// Sums the numbers of primitives that the invocations of a geometry stage have stored, in one workgroup for each
// record, and clears them for the next submission.

#version 450
#extension GL_GOOGLE_include_directive : require

#include "records.glsl"

const uint INVOCATIONS = 64u;

layout(local_size_x = INVOCATIONS) in;

shared uint sum_of_part[INVOCATIONS];

// Sums stay at the largest number instead of wrapping around.
uint add(const uint one, const uint other) { return one + other < one ? ~0u : one + other; }

void main() {
    Record record = Records(records).all[gl_WorkGroupID.x];
    uint me = gl_LocalInvocationID.x;
    uint size = (record.invocations + INVOCATIONS - 1u) / INVOCATIONS;
    uint begin = min(me * size, record.invocations);
    uint end = min(begin + size, record.invocations);

    // Each invocation sums a part of the counts.
    uint sum = 0u;
    for (uint at = begin; at < end; ++at) {
        sum = add(sum, WORD(record.counts, 4u * at + record.stream));
    }
    sum_of_part[me] = sum;
    barrier();

    // It adds the sums of the parts before its own.
    sum = 0u;
    for (uint part = 0u; part < me; ++part) {
        sum = add(sum, sum_of_part[part]);
    }
    for (uint at = begin; at < end; ++at) {
        uint here = WORD(record.counts, 4u * at + record.stream);
        WORD(record.sums, at) = sum;
        sum = add(sum, here);
        WORD(record.counts, 4u * at + record.stream) = 0u;
    }
    if (me == INVOCATIONS - 1u) {
        WORD(record.sums, record.invocations) = sum;
        WORD(record.total, 0u) = sum;
    }
}
