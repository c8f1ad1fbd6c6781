// What a vertex function is called with: the border between the shader and what runs it.

#pragma once

struct Invocation {
    unsigned vertex, instance, base_vertex, base_instance;
    // By Metal's index, from the first byte that is bound; null where nothing is.
    char *const *buffers;
    // By location, four words each.
    const unsigned (*attributes)[4];
};

// Calls the vertex function.
extern "C" void polyshade_call(const Invocation &);
// The indices of the buffers that it takes, and how many there are.
extern "C" const unsigned polyshade_takes[];
extern "C" const unsigned polyshade_take_count;
