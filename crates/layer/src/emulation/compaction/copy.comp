// Copies the captured primitives that fit into the transform feedback buffers, one record in each row of workgroups.

#version 450
#extension GL_GOOGLE_include_directive : require

#include "records.glsl"

layout(local_size_x = 64) in;

void main() {
    Record record = Records(records).all[gl_WorkGroupID.y];
    uint limit = WORD(record.block, 0u) / record.vertices;
    uint step = gl_NumWorkGroups.x * gl_WorkGroupSize.x;
    for (uint invocation = gl_GlobalInvocationID.x; invocation < record.invocations; invocation += step) {
        uint begin = WORD(record.sums, invocation);
        uint end = WORD(record.sums, invocation + 1u);
        uint count = min(end, limit) - min(begin, limit);
        for (uint buffer_number = 0u; buffer_number < MAX_BUFFERS; ++buffer_number) {
            Copied copied = record.buffers[buffer_number];
            uint words = record.vertices * copied.stride;
            uint from = invocation * record.capacity * words;
            uint to = WORD(record.block, 1u + buffer_number) / 4u + begin * words;
            for (uint vertex = 0u; vertex < count * words; vertex += copied.stride) {
                for (uint at = 0u; at < copied.captured; ++at) {
                    uint word = vertex + WORD(copied.places, at);
                    WORD(copied.to, to + word) = WORD(copied.from, from + word);
                }
            }
        }
    }
}
