// The library functions of the Metal shading language (specification, chapter 6) that shaders call.

#pragma once

#include "types.h"

namespace metal {

// Namespaces with the same functions. The difference in precision (6.5) depends on the driver, not on the text.
namespace fast { using namespace metal; }
namespace precise { using namespace metal; }

template <class T, int N, class F> auto map(vec<T, N> a, F f) {
    vec<decltype(f(a[0])), N> r;
    for (int i = 0; i < N; i++) r[i] = f(a[i]);
    return r;
}
template <class T, class U, int N, class F> auto map(vec<T, N> a, vec<U, N> b, F f) {
    vec<decltype(f(a[0], b[0])), N> r;
    for (int i = 0; i < N; i++) r[i] = f(a[i], b[i]);
    return r;
}
template <class T> struct same { typedef T type; };

// Functions of floats and halves, and of their vectors.
#define FLOATS1(name, value)                                                                       \
    inline float name(float x) { return value; }                                                   \
    inline half name(half from) {                                                                  \
        float x = from;                                                                            \
        return half(value);                                                                        \
    }                                                                                              \
    template <int N> vec<float, N> name(vec<float, N> a) {                                         \
        return map(a, [](float x) { return name(x); });                                            \
    }                                                                                              \
    template <int N> vec<half, N> name(vec<half, N> a) {                                           \
        return map(a, [](half x) { return name(x); });                                             \
    }
#define FLOATS2(name, value)                                                                       \
    inline float name(float x, float y) { return value; }                                          \
    inline half name(half one, half other) {                                                       \
        float x = one, y = other;                                                                  \
        return half(value);                                                                        \
    }                                                                                              \
    template <class T, int N> vec<T, N> name(vec<T, N> a, typename same<vec<T, N>>::type b) {      \
        return map(a, b, [](T x, T y) { return name(x, y); });                                     \
    }
FLOATS1(acos, __builtin_acosf(x)) FLOATS1(acosh, __builtin_acoshf(x))
FLOATS1(asin, __builtin_asinf(x)) FLOATS1(asinh, __builtin_asinhf(x))
FLOATS1(atan, __builtin_atanf(x)) FLOATS1(atanh, __builtin_atanhf(x))
FLOATS1(ceil, __builtin_ceilf(x)) FLOATS1(cos, __builtin_cosf(x))
FLOATS1(cosh, __builtin_coshf(x)) FLOATS1(exp, __builtin_expf(x))
FLOATS1(exp2, __builtin_exp2f(x)) FLOATS1(exp10, __builtin_powf(10.0f, x))
FLOATS1(fabs, __builtin_fabsf(x)) FLOATS1(floor, __builtin_floorf(x))
FLOATS1(log, __builtin_logf(x)) FLOATS1(log2, __builtin_log2f(x))
FLOATS1(log10, __builtin_log10f(x)) FLOATS1(rint, __builtin_rintf(x))
FLOATS1(round, __builtin_roundf(x)) FLOATS1(rsqrt, 1.0f / __builtin_sqrtf(x))
FLOATS1(sin, __builtin_sinf(x)) FLOATS1(sinh, __builtin_sinhf(x))
FLOATS1(sqrt, __builtin_sqrtf(x)) FLOATS1(tan, __builtin_tanf(x))
FLOATS1(tanh, __builtin_tanhf(x)) FLOATS1(trunc, __builtin_truncf(x))
FLOATS1(fract, __builtin_fminf(x - __builtin_floorf(x), 0x1.fffffep-1f))
FLOATS1(sign, x > 0.0f ? 1.0f : x < 0.0f ? -1.0f : 0.0f)
FLOATS1(saturate, __builtin_fminf(__builtin_fmaxf(x, 0.0f), 1.0f))
FLOATS2(atan2, __builtin_atan2f(x, y)) FLOATS2(pow, __builtin_powf(x, y))
FLOATS2(powr, __builtin_powf(x, y)) FLOATS2(fmod, __builtin_fmodf(x, y))
FLOATS2(fmin, __builtin_fminf(x, y)) FLOATS2(fmax, __builtin_fmaxf(x, y))
FLOATS2(copysign, __builtin_copysignf(x, y)) FLOATS2(step, y < x ? 0.0f : 1.0f)
#undef FLOATS1
#undef FLOATS2

#define CLASS(name, value)                                                                         \
    inline bool name(float x) { return value; }                                                    \
    template <int N> vec<bool, N> name(vec<float, N> a) {                                          \
        return map(a, [](float x) { return name(x); });                                            \
    }
CLASS(isnan, x != x) CLASS(isinf, __builtin_isinf(x)) CLASS(isfinite, __builtin_isfinite(x))
CLASS(isnormal, __builtin_isnormal(x)) CLASS(signbit, __builtin_signbit(x))
#undef CLASS
inline bool isunordered(float x, float y) { return x != x || y != y; }
inline bool isordered(float x, float y) { return x == x && y == y; }
template <int N> vec<bool, N> isunordered(vec<float, N> a, vec<float, N> b) {
    return map(a, b, [](float x, float y) { return isunordered(x, y); });
}

// Functions that also exist for integers.
#define NUMBERS(T)                                                                                 \
    inline T min(T x, T y) { return y < x ? y : x; }                                               \
    inline T max(T x, T y) { return x < y ? y : x; }                                               \
    inline T abs(T x) { return x > T(0) ? x : T(-x); }                                             \
    inline T clamp(T x, T least, T most) { return min(max(x, least), most); }
NUMBERS(char) NUMBERS(uchar) NUMBERS(short) NUMBERS(ushort) NUMBERS(int) NUMBERS(uint)
NUMBERS(long) NUMBERS(ulong)
#undef NUMBERS
#define NUMBERS(T)                                                                                 \
    inline T min(T x, T y) { return T(__builtin_fminf(x, y)); }                                    \
    inline T max(T x, T y) { return T(__builtin_fmaxf(x, y)); }                                    \
    inline T abs(T x) { return T(__builtin_fabsf(x)); }                                            \
    inline T clamp(T x, T least, T most) { return min(max(x, least), most); }                      \
    inline T fma(T x, T y, T z) { return T(__builtin_fmaf(x, y, z)); }                             \
    inline T mix(T x, T y, T a) { return x + (y - x) * a; }                                        \
    inline T smoothstep(T from, T to, T x) {                                                       \
        T t = clamp((x - from) / (to - from), T(0), T(1));                                         \
        return t * t * (T(3) - T(2) * t);                                                          \
    }
NUMBERS(float) NUMBERS(half)
#undef NUMBERS
template <class T, int N> vec<T, N> abs(vec<T, N> a) {
    return map(a, [](T x) { return abs(x); });
}
#define PAIRS(name)                                                                                \
    template <class T, int N> vec<T, N> name(vec<T, N> a, typename same<vec<T, N>>::type b) {      \
        return map(a, b, [](T x, T y) { return name(x, y); });                                     \
    }
PAIRS(min) PAIRS(max)
#undef PAIRS
#define TRIPLES(name)                                                                              \
    template <class T, int N>                                                                      \
    vec<T, N> name(vec<T, N> a, typename same<vec<T, N>>::type b,                                  \
                   typename same<vec<T, N>>::type c) {                                             \
        vec<T, N> r;                                                                               \
        for (int i = 0; i < N; i++) r[i] = name(a[i], b[i], c[i]);                                 \
        return r;                                                                                  \
    }
TRIPLES(clamp) TRIPLES(fma) TRIPLES(mix) TRIPLES(smoothstep)
#undef TRIPLES

template <class T> T select(T no, T yes, bool which) { return which ? yes : no; }
template <class T, int N> vec<T, N> select(vec<T, N> no, vec<T, N> yes, vec<bool, N> which) {
    for (int i = 0; i < N; i++) no[i] = which[i] ? yes[i] : no[i];
    return no;
}
inline bool any(bool x) { return x; }
inline bool all(bool x) { return x; }
template <int N> bool any(vec<bool, N> a) {
    bool r = false;
    for (int i = 0; i < N; i++) r |= a[i];
    return r;
}
template <int N> bool all(vec<bool, N> a) { return !any(!a); }

template <class T, int N> T dot(vec<T, N> a, vec<T, N> b) {
    T r = a[0] * b[0];
    for (int i = 1; i < N; i++) r += a[i] * b[i];
    return r;
}
template <class T, int N> T length_squared(vec<T, N> a) { return dot(a, a); }
template <class T, int N> T length(vec<T, N> a) { return sqrt(dot(a, a)); }
template <class T, int N> T distance(vec<T, N> a, vec<T, N> b) { return length(a - b); }
template <class T, int N> vec<T, N> normalize(vec<T, N> a) { return a * rsqrt(dot(a, a)); }
template <class T> vec<T, 3> cross(vec<T, 3> a, vec<T, 3> b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
template <class T, int N> vec<T, N> reflect(vec<T, N> i, vec<T, N> n) {
    return i - n * (T(2) * dot(n, i));
}
template <class T, int N> vec<T, N> refract(vec<T, N> i, vec<T, N> n, T eta) {
    T d = dot(n, i), k = T(1) - eta * eta * (T(1) - d * d);
    return k < T(0) ? vec<T, N>(T(0)) : i * eta - n * (eta * d + sqrt(k));
}
template <class T, int N> vec<T, N> faceforward(vec<T, N> n, vec<T, N> i, vec<T, N> reference) {
    return dot(reference, i) < T(0) ? n : -n;
}

inline float ldexp(float x, int by) { return __builtin_ldexpf(x, by); }
inline float frexp(float x, int &exponent) { return __builtin_frexpf(x, &exponent); }
inline float modf(float x, float &whole) { return __builtin_modff(x, &whole); }
template <int N> vec<float, N> ldexp(vec<float, N> a, vec<int, N> by) {
    return map(a, by, [](float x, int y) { return ldexp(x, y); });
}
template <int N> vec<float, N> frexp(vec<float, N> a, vec<int, N> &exponent) {
    for (int i = 0; i < N; i++) a[i] = frexp(a[i], exponent[i]);
    return a;
}
template <int N> vec<float, N> modf(vec<float, N> a, vec<float, N> &whole) {
    for (int i = 0; i < N; i++) a[i] = modf(a[i], whole[i]);
    return a;
}

template <class T, int C, int R> matrix<T, R, C> transpose(const matrix<T, C, R> &m) {
    matrix<T, R, C> r;
    for (int i = 0; i < C * R; i++) r[i % R][i / R] = m[i / R][i % R];
    return r;
}
template <class T> T determinant(const matrix<T, 2, 2> &m) {
    return m[0][0] * m[1][1] - m[0][1] * m[1][0];
}
template <class T> T determinant(const matrix<T, 3, 3> &m) { return dot(m[0], cross(m[1], m[2])); }
template <class T> T determinant(const matrix<T, 4, 4> &m) {
    T r = T(0);
    for (int c = 0; c < 4; c++) {
        matrix<T, 3, 3> rest;
        for (int i = 0; i < 9; i++) rest[i / 3][i % 3] = m[i / 3 + (i / 3 >= c)][i % 3 + 1];
        r += (c % 2 ? -m[c][0] : m[c][0]) * determinant(rest);
    }
    return r;
}

// Reinterpretation of bits, and bit operations (6.4, 6.13).
template <class T, class U> T as_type(U from) {
    static_assert(sizeof(T) == sizeof(U), "as_type requires types of the same size");
    T r;
    __builtin_memcpy(&r, &from, sizeof r);
    return r;
}
inline uint popcount(uint x) { return __builtin_popcount(x); }
inline uint clz(uint x) { return x ? __builtin_clz(x) : 32; }
inline uint ctz(uint x) { return x ? __builtin_ctz(x) : 32; }
inline uint reverse_bits(uint x) {
    uint r = 0;
    for (int i = 0; i < 32; i++) r |= (x >> i & 1u) << (31 - i);
    return r;
}
inline int popcount(int x) { return int(popcount(uint(x))); }
inline int clz(int x) { return int(clz(uint(x))); }
inline int ctz(int x) { return int(ctz(uint(x))); }
inline int reverse_bits(int x) { return int(reverse_bits(uint(x))); }
inline uint mask(uint bits) { return bits < 32 ? (1u << bits) - 1u : ~0u; }
inline uint extract_bits(uint x, uint from, uint bits) {
    return bits ? x >> from & mask(bits) : 0u;
}
inline int extract_bits(int x, uint from, uint bits) {
    return bits ? int(uint(x) << (32 - bits - from)) >> (32 - bits) : 0;
}
inline uint insert_bits(uint x, uint in, uint from, uint bits) {
    if (bits == 0) return x;
    uint kept = mask(bits) << from;
    return (x & ~kept) | (in << from & kept);
}
inline int insert_bits(int x, int in, uint from, uint bits) {
    return int(insert_bits(uint(x), uint(in), from, bits));
}
inline uint mulhi(uint x, uint y) { return uint(ulong(x) * y >> 32); }
inline int mulhi(int x, int y) { return int(long(x) * y >> 32); }
#define BITS(name)                                                                                 \
    template <class T, int N> vec<T, N> name(vec<T, N> a) {                                        \
        return map(a, [](T x) { return name(x); });                                                \
    }
BITS(popcount) BITS(clz) BITS(ctz) BITS(reverse_bits)
#undef BITS
template <class T, int N> vec<T, N> mulhi(vec<T, N> a, vec<T, N> b) {
    return map(a, b, [](T x, T y) { return mulhi(x, y); });
}
template <class T, int N> vec<T, N> extract_bits(vec<T, N> a, uint from, uint bits) {
    return map(a, [=](T x) { return extract_bits(x, from, bits); });
}
template <class T, int N> vec<T, N> insert_bits(vec<T, N> a, vec<T, N> in, uint from, uint bits) {
    return map(a, in, [=](T x, T y) { return insert_bits(x, y, from, bits); });
}

// Packing (6.14). Normalized numbers are rounded to the nearest integer, and ties to even.
template <int N> uint pack(vec<float, N> a, float least, float most) {
    uint r = 0;
    for (int i = 0; i < N; i++) {
        int number = int(rint(clamp(a[i], least, 1.0f) * most));
        r |= (uint(number) & mask(32 / N)) << (32 / N * i);
    }
    return r;
}
inline uint pack_float_to_unorm4x8(float4 a) { return pack(a, 0.0f, 255.0f); }
inline uint pack_float_to_snorm4x8(float4 a) { return pack(a, -1.0f, 127.0f); }
inline uint pack_float_to_unorm2x16(float2 a) { return pack(a, 0.0f, 65535.0f); }
inline uint pack_float_to_snorm2x16(float2 a) { return pack(a, -1.0f, 32767.0f); }
template <int N> vec<float, N> unpack_unorm(uint x, float most) {
    vec<float, N> r;
    for (int i = 0; i < N; i++) r[i] = float(extract_bits(x, 32 / N * i, 32 / N)) / most;
    return r;
}
template <int N> vec<float, N> unpack_snorm(uint x, float most) {
    vec<float, N> r;
    for (int i = 0; i < N; i++)
        r[i] = max(float(extract_bits(int(x), 32 / N * i, 32 / N)) / most, -1.0f);
    return r;
}
inline float4 unpack_unorm4x8_to_float(uint x) { return unpack_unorm<4>(x, 255.0f); }
inline float4 unpack_snorm4x8_to_float(uint x) { return unpack_snorm<4>(x, 127.0f); }
inline float2 unpack_unorm2x16_to_float(uint x) { return unpack_unorm<2>(x, 65535.0f); }
inline float2 unpack_snorm2x16_to_float(uint x) { return unpack_snorm<2>(x, 32767.0f); }

// Atomics (6.15) for a single thread.
typedef struct { uint value; } atomic_uint;
typedef struct { int value; } atomic_int;
enum memory_order { memory_order_relaxed };
#define ATOMIC(name, result)                                                                       \
    template <class A, class T> auto atomic_##name##_explicit(A *of, T by, memory_order) {         \
        auto before = of->value;                                                                   \
        of->value = result;                                                                        \
        return before;                                                                             \
    }
ATOMIC(fetch_add, before + by) ATOMIC(fetch_sub, before - by) ATOMIC(fetch_and, before & by)
ATOMIC(fetch_or, before | by) ATOMIC(fetch_xor, before ^ by) ATOMIC(exchange, by)
ATOMIC(fetch_min, min(before, decltype(before)(by)))
ATOMIC(fetch_max, max(before, decltype(before)(by)))
#undef ATOMIC
template <class A> auto atomic_load_explicit(A *of, memory_order) { return of->value; }
template <class A, class T> void atomic_store_explicit(A *of, T value, memory_order) {
    of->value = value;
}
template <class A, class T, class U>
bool atomic_compare_exchange_weak_explicit(A *of, T *expected, U wanted, memory_order,
                                           memory_order) {
    bool is_equal = of->value == *expected;
    *expected = of->value;
    if (is_equal) of->value = wanted;
    return is_equal;
}

} // namespace metal
