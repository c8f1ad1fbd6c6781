// The interface between a shader and the code that runs it.

#pragma once

// The texels of a texture, four words each, ordered by layer and then by row; null if no texture is bound.
struct Texels {
    const unsigned (*words)[4];
    unsigned width, height, depth, layers;
};

struct Invocation {
    unsigned vertex, instance, base_vertex, base_instance;
    // Kernels only: the position in the grid.
    unsigned grid[2];
    // Fragments only: `[[position]]` (x, y, depth, 1 / w), and the number of the primitive.
    float position[4];
    unsigned is_front, primitive;
    // The first bound byte of each buffer, indexed by Metal's index; null if no buffer is bound.
    char *const *buffers;
    // The textures, indexed by Metal's index.
    const Texels *textures;
    // The attributes by location, or the previous stage's outputs in the order of the inputs, four words each.
    const unsigned (*inputs)[4];
    // The outputs of a vertex function; null if they are not kept. For a fragment function, the colours by number,
    // which contain the framebuffer's colours before the call.
    unsigned (*outputs)[4];
};

extern "C" void polyshade_call(const Invocation &);
// The indices of the buffers that the function uses, and the number of these buffers.
extern "C" const unsigned polyshade_takes[];
extern "C" const unsigned polyshade_take_count;
// The buffers of patches: the index, the size of an element in bytes, and the kind of element. The last entry is
// empty.
enum PatchBufferOf { OF_NOTHING, OF_VERTICES, OF_PATCHES, OF_CONTROL_POINTS };
struct PatchBuffer {
    unsigned index;
    unsigned long size;
    PatchBufferOf of;
};
extern "C" const PatchBuffer polyshade_patch_buffers[];
// Stores the outputs of a vertex in the buffer of vertices: four words for each vector of its structure.
extern "C" void polyshade_place(char *to, unsigned long number, const unsigned (*from)[4]);
// Waits until all invocations of the patch or threadgroup have reached this call.
extern "C" void polyshade_wait();
// Discards the colours of the fragment.
extern "C" void polyshade_discard();
// Exchanges values between the fragments of a quad. Returns the number of this fragment: left, then right, upper row
// first.
extern "C" unsigned polyshade_exchange(const float (&mine)[4], float (&all)[4][4]);
// Ends the process, because the function reads a texture that is not bound.
extern "C" [[noreturn]] void polyshade_has_no_texture();
