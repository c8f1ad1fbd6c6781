// Draws whose captured primitives are copied from their own memory to the transform feedback buffers.

#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require

layout(buffer_reference, std430, buffer_reference_align = 4) buffer Memory { uint words[]; };

const uint MAX_BUFFERS = 4u;

struct Copied {
    // The captured vertices, and the address of the transform feedback buffer.
    uvec2 from;
    uvec2 to;
    // The places of the captured words in a vertex, in words. The words between them are not copied.
    uvec2 places;
    uint captured;
    // The number of words per vertex; 0 if the buffer captures nothing of this vertex stream.
    uint stride;
};

// `Recording::record` in compaction.rs writes a record for each vertex stream of a draw.
struct Record {
    // The number of primitives that each invocation has stored: a word for each of four vertex streams.
    uvec2 counts;
    // A word for each invocation and one more: the number of primitives before it.
    uvec2 sums;
    // The number of all primitives.
    uvec2 total;
    // The number of vertices that fit into the transform feedback buffers, then the filled bytes of each buffer.
    uvec2 block;
    uint stream;
    uint invocations;
    // The maximum number of primitives of an invocation.
    uint capacity;
    // The number of vertices per primitive.
    uint vertices;
    Copied buffers[MAX_BUFFERS];
};

layout(buffer_reference, std430, buffer_reference_align = 4) readonly buffer Records { Record all[]; };

layout(push_constant) uniform Push {
    uvec2 records;
    uint record_count;
};

// A word at a location. No variable holds a pointer, because some drivers miscompile pointer variables.
#define WORD(place, number) Memory(place).words[number]
