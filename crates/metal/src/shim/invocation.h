// The interface between a shader and the code that runs it.

#pragma once

// The texels of a texture, four words each, by layer, then by row; null if no texture is bound.
struct Texels {
    const unsigned (*words)[4];
    unsigned width, height, depth, layers;
};

struct Invocation {
    unsigned vertex, instance, base_vertex, base_instance;
    // For a kernel: the position in the grid.
    unsigned grid[2];
    // For a fragment: `[[position]]` (x, y, depth, 1 / w), and its primitive.
    float position[4];
    unsigned is_front, primitive;
    // By Metal's index, from the first bound byte on; null if no buffer is bound.
    char *const *buffers;
    // By Metal's index.
    const Texels *textures;
    // Attributes by location, or outputs of the previous stage in the order of the inputs, four words each.
    const unsigned (*inputs)[4];
    // The outputs of a vertex function; null if they are not kept. For a fragment function, the colours by number:
    // before the call, those of the framebuffer.
    unsigned (*outputs)[4];
};

extern "C" void polyshade_call(const Invocation &);
// The indices of the buffers that the function uses, and their number.
extern "C" const unsigned polyshade_takes[];
extern "C" const unsigned polyshade_take_count;
// The buffers of patches, with an empty one at the end: the index, the bytes of an element, and the kind of element.
enum PatchBufferOf { OF_NOTHING, OF_VERTICES, OF_PATCHES, OF_CONTROL_POINTS };
struct PatchBuffer {
    unsigned index;
    unsigned long size;
    PatchBufferOf of;
};
extern "C" const PatchBuffer polyshade_patch_buffers[];
// Stores the outputs of a vertex in the buffer of vertices: four words for each vector of its structure.
extern "C" void polyshade_place(char *to, unsigned long number, const unsigned (*from)[4]);
// Waits until the other invocations of the patch or threadgroup have reached this call, too.
extern "C" void polyshade_wait();
// Discards the colours of the fragment.
extern "C" void polyshade_discard();
// Exchanges values between the fragments of a quad. Returns the number of this one: left and right, upper row first.
extern "C" unsigned polyshade_exchange(const float (&mine)[4], float (&all)[4][4]);
// Ends the process, because a texture is read that is not bound.
extern "C" [[noreturn]] void polyshade_has_no_texture();
