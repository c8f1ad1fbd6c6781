// The scalars, vectors and matrices of the Metal shading language (its specification, chapter 2), in C++17.
//
// No C library header is included, because C's functions would become overloads of Metal's functions.

#pragma once

// Address spaces (4). The only check is that constants are not written.
#define device
#define constant const
#define thread
#define threadgroup

typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
typedef decltype(sizeof 0) size_t;
typedef _Float16 half;

namespace metal {

template <bool condition, class T = void> struct enable_if {};
template <class T> struct enable_if<true, T> { typedef T type; };

// Ends the process where Metal's behaviour is undefined.
[[noreturn]] inline void undefined() { __builtin_trap(); }

template <class T, int N> struct members;
template <class T> struct members<T, 2> { T x, y; };
template <class T> struct members<T, 3> { T x, y, z; };
template <class T> struct members<T, 4> { T x, y, z, w; };

template <class T, int N> struct vec;
template <class T, int N> struct packed_vec;

template <class T, int N> struct components {
    typedef T type;
    static constexpr int count = N;
};
template <class T> struct shape : components<T, 1> {};
template <class T, int N> struct shape<vec<T, N>> : components<T, N> {};
template <class T, int N> struct shape<packed_vec<T, N>> : components<T, N> {};

// Whether a type, or its components, are integers.
template <class T> struct is_integral {
    typedef typename shape<T>::type component;
    static constexpr bool value = component(0.5f) == component(0);
};

// Components of a vector that are assigned at once (2.2.1).
template <class T, int N, int... I> struct swizzled {
    vec<T, N> &of;
    void operator=(vec<T, sizeof...(I)> from) {
        int next = 0;
        ((of[I] = from[next++]), ...);
    }
    void operator+=(vec<T, sizeof...(I)> by) {
        int next = 0;
        ((of[I] += by[next++]), ...);
    }
};

// A vector (2.2). Vectors of three components have the size of four components.
template <class T, int N> struct alignas(sizeof(T) * (N == 3 ? 4 : N)) vec : members<T, N> {
    vec() = default;
    vec(T all) {
        for (int i = 0; i < N; i++) (*this)[i] = all;
    }
    template <class U> explicit vec(vec<U, N> from) {
        for (int i = 0; i < N; i++) (*this)[i] = T(from[i]);
    }
    template <class A, class B, class... C> vec(A first, B second, C... rest) {
        constexpr int count = shape<A>::count + shape<B>::count + (0 + ... + shape<C>::count);
        static_assert(count == N, "a vector requires as many components as it has");
        int next = 0;
        add(next, first), add(next, second), (add(next, rest), ...);
    }

    T &operator[](size_t i) { return i < N ? (&this->x)[i] : (undefined(), this->x); }
    const T &operator[](size_t i) const { return i < N ? (&this->x)[i] : (undefined(), this->x); }

    template <int... I> vec<T, sizeof...(I)> get() const {
        return vec<T, sizeof...(I)>((*this)[I]...);
    }
    template <int... I> swizzled<T, N, I...> at() { return {*this}; }

    template <class F> static vec each(vec a, vec b, F f) {
        vec r;
        for (int i = 0; i < N; i++) r[i] = T(f(a[i], b[i]));
        return r;
    }
    template <class F> static vec<bool, N> compare(vec a, vec b, F f) {
        vec<bool, N> r;
        for (int i = 0; i < N; i++) r[i] = f(a[i], b[i]);
        return r;
    }

#define OPERATOR(op)                                                                               \
    friend vec operator op(vec a, vec b) {                                                         \
        return each(a, b, [](auto x, auto y) { return x op y; });                                  \
    }                                                                                              \
    vec &operator op##=(vec b) & { return *this = *this op b; }
    OPERATOR(+) OPERATOR(-) OPERATOR(*) OPERATOR(/) OPERATOR(%)
    OPERATOR(&) OPERATOR(|) OPERATOR(^) OPERATOR(<<) OPERATOR(>>)
#undef OPERATOR
#define OPERATOR(op)                                                                               \
    friend vec<bool, N> operator op(vec a, vec b) {                                                \
        return compare(a, b, [](T x, T y) { return bool(x op y); });                               \
    }
    OPERATOR(==) OPERATOR(!=) OPERATOR(<) OPERATOR(>) OPERATOR(<=) OPERATOR(>=)
    OPERATOR(&&) OPERATOR(||)
#undef OPERATOR
    vec operator-() const {
        return each(*this, *this, [](T x, T) { return -x; });
    }
    vec operator~() const {
        return each(*this, *this, [](T x, T) { return ~x; });
    }
    vec<bool, N> operator!() const {
        return compare(*this, *this, [](T x, T) { return !x; });
    }

  private:
    template <class A> void add(int &next, A one) {
        if constexpr (shape<A>::count == 1) (*this)[next++] = T(one);
        else
            for (int i = 0; i < shape<A>::count; i++) (*this)[next++] = T(one[i]);
    }
};

// A vector with the alignment of its components (2.2.3).
template <class T, int N> struct packed_vec : members<T, N> {
    packed_vec() = default;
    packed_vec(vec<T, N> from) {
        for (int i = 0; i < N; i++) (&this->x)[i] = from[i];
    }
    operator vec<T, N>() const {
        vec<T, N> r;
        for (int i = 0; i < N; i++) r[i] = (*this)[i];
        return r;
    }
    T &operator[](size_t i) { return i < N ? (&this->x)[i] : (undefined(), this->x); }
    const T &operator[](size_t i) const { return i < N ? (&this->x)[i] : (undefined(), this->x); }
};

// A matrix of C columns with R rows (2.3).
template <class T, int C, int R> struct matrix {
    vec<T, R> columns[C];

    matrix() = default;
    explicit matrix(T diagonal) {
        for (int c = 0; c < C; c++)
            for (int r = 0; r < R; r++) columns[c][r] = c == r ? diagonal : T(0);
    }
    template <class U> explicit matrix(const matrix<U, C, R> &from) {
        for (int c = 0; c < C; c++) columns[c] = vec<T, R>(from[c]);
    }
    template <class... A, class = typename enable_if<sizeof...(A) == C - 1>::type>
    matrix(vec<T, R> first, A... rest) : columns{first, vec<T, R>(rest)...} {}
    template <class... A, class = typename enable_if<sizeof...(A) == C * R - 1>::type>
    matrix(T first, A... rest) {
        T all[] = {first, T(rest)...};
        for (int i = 0; i < C * R; i++) columns[i / R][i % R] = all[i];
    }

    vec<T, R> &operator[](size_t c) { return c < C ? columns[c] : (undefined(), columns[0]); }
    const vec<T, R> &operator[](size_t c) const {
        return c < C ? columns[c] : (undefined(), columns[0]);
    }

    friend vec<T, R> operator*(const matrix &m, vec<T, C> v) {
        vec<T, R> r = m.columns[0] * v[0];
        for (int c = 1; c < C; c++) r += m.columns[c] * v[c];
        return r;
    }
    friend vec<T, C> operator*(vec<T, R> v, const matrix &m) {
        vec<T, C> r;
        for (int c = 0; c < C; c++) {
            r[c] = v[0] * m.columns[c][0];
            for (int i = 1; i < R; i++) r[c] += v[i] * m.columns[c][i];
        }
        return r;
    }
    template <int K> matrix<T, K, R> operator*(const matrix<T, K, C> &m) const {
        matrix<T, K, R> r;
        for (int k = 0; k < K; k++) r[k] = *this * m[k];
        return r;
    }
    friend matrix operator*(matrix m, T by) {
        for (int c = 0; c < C; c++) m.columns[c] *= by;
        return m;
    }
    friend matrix operator*(T by, matrix m) { return m * by; }
    friend matrix operator+(matrix a, const matrix &b) {
        for (int c = 0; c < C; c++) a.columns[c] += b.columns[c];
        return a;
    }
    friend matrix operator-(matrix a, const matrix &b) {
        for (int c = 0; c < C; c++) a.columns[c] -= b.columns[c];
        return a;
    }
    matrix operator-() const { return matrix() - *this; }
};

#define VECTORS(T)                                                                                 \
    typedef vec<T, 2> T##2;                                                                        \
    typedef vec<T, 3> T##3;                                                                        \
    typedef vec<T, 4> T##4;                                                                        \
    typedef packed_vec<T, 2> packed_##T##2;                                                        \
    typedef packed_vec<T, 3> packed_##T##3;                                                        \
    typedef packed_vec<T, 4> packed_##T##4;
VECTORS(bool) VECTORS(char) VECTORS(uchar) VECTORS(short) VECTORS(ushort) VECTORS(int)
VECTORS(uint) VECTORS(long) VECTORS(ulong) VECTORS(float) VECTORS(half)
#undef VECTORS
#define MATRICES(T, C)                                                                             \
    typedef matrix<T, C, 2> T##C##x2;                                                              \
    typedef matrix<T, C, 3> T##C##x3;                                                              \
    typedef matrix<T, C, 4> T##C##x4;
MATRICES(float, 2) MATRICES(float, 3) MATRICES(float, 4)
MATRICES(half, 2) MATRICES(half, 3) MATRICES(half, 4)
#undef MATRICES

} // namespace metal

// SPIRV-Cross's assignable array, without SPIRV-Cross's overloads for all address spaces.
template <class T, size_t N> struct spvUnsafeArray {
    T elements[N ? N : 1];
    T &operator[](size_t i) { return i < (N ? N : 1) ? elements[i] : (metal::undefined(), elements[0]); }
    constexpr const T &operator[](size_t i) const {
        return i < (N ? N : 1) ? elements[i] : (metal::undefined(), elements[0]);
    }
};
