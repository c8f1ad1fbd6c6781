// The inputs of a vertex function (5.2.1): attributes, converted to what the function wants of them.

#pragma once

#include "functions.h"
#include "invocation.h"

namespace metal {

// The word of a component is a float, or a whole number of 32 bits.
template <class T> T of_word(unsigned word) {
    if constexpr (T(0.5f) != T(0)) return T(as_type<float>(word));
    else return T(word);
}

template <class T> T attribute(const Invocation &of, int location) {
    typedef typename shape<T>::type component;
    component components[shape<T>::count];
    for (int i = 0; i < shape<T>::count; i++)
        components[i] = of_word<component>(of.attributes[location][i]);
    T r;
    __builtin_memcpy(&r, components, sizeof components);
    return r;
}

} // namespace metal
