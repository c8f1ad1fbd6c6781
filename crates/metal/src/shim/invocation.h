// What a function is called with: the border between the shader and what runs it.

#pragma once

// The texels of a texture, four words each, row by row and layer by layer; null where nothing is bound.
struct Texels {
    const unsigned (*words)[4];
    unsigned width, height, depth, layers;
};

struct Invocation {
    unsigned vertex, instance, base_vertex, base_instance;
    // Of a kernel: its place in the grid.
    unsigned grid[2];
    // Of a fragment: its place and depth, and what it is of.
    float position[4];
    unsigned is_front, primitive;
    // By Metal's index, from the first byte that is bound; null where nothing is.
    char *const *buffers;
    // By Metal's index.
    const Texels *textures;
    // Attributes by location, or the outputs of the stage before in the order in which the function has them, four
    // words each.
    const unsigned (*inputs)[4];
    // The outputs of a vertex function; null where nobody asks for them. Of a fragment function by the number of the
    // colour, and before it is called those of the framebuffer.
    unsigned (*outputs)[4];
};

// Calls the function.
extern "C" void polyshade_call(const Invocation &);
// The indices of the buffers that it takes, and how many there are.
extern "C" const unsigned polyshade_takes[];
extern "C" const unsigned polyshade_take_count;
// The buffers that hold patches, and an empty one: the index, the bytes of an element, and what has one.
enum PatchBufferOf { OF_NOTHING, OF_VERTICES, OF_PATCHES, OF_CONTROL_POINTS };
struct PatchBuffer {
    unsigned index;
    unsigned long size;
    PatchBufferOf of;
};
extern "C" const PatchBuffer polyshade_patch_buffers[];
// Stores the outputs of a vertex in the buffer of vertices: four words for each vector of the structure in it.
extern "C" void polyshade_place(char *to, unsigned long number, const unsigned (*from)[4]);
// Lets the other invocations of a patch come as far.
extern "C" void polyshade_wait();
// Has nothing of the fragment written.
extern "C" void polyshade_discard();
// Gives the fragments of a quad each other's values, and returns which of them this is: left and right, upper row
// first.
extern "C" unsigned polyshade_exchange(const float (&mine)[4], float (&all)[4][4]);
// Ends the process: a texture is read that is not bound.
extern "C" [[noreturn]] void polyshade_has_no_texture();
