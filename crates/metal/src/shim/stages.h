// The inputs and outputs of functions (5.2), four words per vector, and operations between invocations.

#pragma once

#include "textures.h"

namespace metal {

// Converts the word of a component, which is a float or a 32-bit integer.
template <class T> T of_word(unsigned word) {
    if constexpr (T(0.5f) != T(0)) return T(as_type<float>(word));
    else return T(word);
}
template <class T> unsigned to_word(T value) {
    if constexpr (T(0.5f) != T(0)) return as_type<unsigned>(float(value));
    else return unsigned(value);
}

template <class T> T of_words(const unsigned (&words)[4]) {
    typedef typename shape<T>::type component;
    component components[shape<T>::count];
    for (int i = 0; i < shape<T>::count; i++) components[i] = of_word<component>(words[i]);
    T r;
    __builtin_memcpy(&r, components, sizeof components);
    return r;
}

template <class T> void write_output(unsigned (&words)[4], int first, const T &value) {
    typename shape<T>::type components[shape<T>::count];
    __builtin_memcpy(components, &value, sizeof components);
    for (int i = 0; i < shape<T>::count; i++) words[first + i] = to_word(components[i]);
}

// Stores a vertex output in a member of the structure that the kernel of a patch reads.
template <class T> void place(T &to, const unsigned (*&from)[4]) { to = of_words<T>(*from++); }
template <class T, int C, int R> void place(matrix<T, C, R> &to, const unsigned (*&from)[4]) {
    for (vec<T, R> &column : to.columns) place(column, from);
}
template <class T, size_t N> void place(spvUnsafeArray<T, N> &to, const unsigned (*&from)[4]) {
    for (T &element : to.elements) place(element, from);
}

// The tessellation levels of a patch, in the layout of Metal's tessellator.
struct MTLTriangleTessellationFactorsHalf {
    half edgeTessellationFactor[3], insideTessellationFactor;
};
struct MTLQuadTessellationFactorsHalf {
    half edgeTessellationFactor[4], insideTessellationFactor[2];
};

// Barriers (6.9.1).
enum class mem_flags { mem_none = 0, mem_device = 1, mem_threadgroup = 2, mem_texture = 4 };
inline mem_flags operator|(mem_flags a, mem_flags b) { return mem_flags(int(a) | int(b)); }
inline void threadgroup_barrier(mem_flags) { polyshade_wait(); }

// The position of the single sample of a pixel (6.11.4).
inline float2 get_sample_position(uint) { return float2(0.5f); }

inline void discard_fragment() { polyshade_discard(); }

// Derivatives (6.11.1): differences within a quad, from left to right and from the upper to the lower row.
template <class T> T derive(T value, unsigned step) {
    constexpr int count = shape<T>::count;
    typename shape<T>::type components[count];
    __builtin_memcpy(components, &value, sizeof components);
    float mine[4] = {}, all[4][4];
    for (int i = 0; i < count; i++) mine[i] = float(components[i]);
    unsigned first = polyshade_exchange(mine, all) & ~step;
    for (int i = 0; i < count; i++) components[i] = all[first | step][i] - all[first][i];
    __builtin_memcpy(&value, components, sizeof components);
    return value;
}
template <class T> T dfdx(T value) { return derive(value, 1); }
template <class T> T dfdy(T value) { return derive(value, 2); }
template <class T> T fwidth(T value) { return abs(dfdx(value)) + abs(dfdy(value)); }

} // namespace metal
