// Read-only textures with one level (2.9, 6.12). With any sampler, they return the nearest texel, clamped to the
// edge.

#pragma once

#include "functions.h"
#include "invocation.h"

namespace metal {

enum class access { sample, read, write, read_write };
enum class component { x, y, z, w };

struct sampler {
    sampler(const Texels *) {}
};

// Other sampling arguments, which have no effect with one level.
struct level { level(float) {} };
struct bias { bias(float) {} };
struct min_lod_clamp { min_lod_clamp(float) {} };
struct gradient2d { gradient2d(float2, float2) {} };
struct gradient3d { gradient3d(float3, float3) {} };
struct gradientcube { gradientcube(float3, float3) {} };

// An array of textures or samplers.
template <class T, size_t N> struct array {
    const Texels *first;
    array(const Texels *from) : first(from) {}
    T operator[](size_t i) const { return i < N ? T(first + i) : (undefined(), T(first)); }
};

inline float scaled(float coordinate, uint size) { return coordinate * float(size); }
inline int clamped(float place, uint size) {
    return int(__builtin_fminf(__builtin_fmaxf(__builtin_floorf(place), 0.0f), float(size - 1)));
}
inline int clamped(int place, uint size) { return place < 0 ? 0 : min(place, int(size) - 1); }

// The dimensions of a texture.
enum class Shape { line, plane, space, cube };

// A position in a texture: a face or layer, and coordinates in the face or layer.
struct Spot {
    float place[3];
    uint layer;
};

// Textures with texels of type R: a vector, or a scalar for depths.
template <class T, class R, Shape of> struct sampled {
    const Texels *texels;

    explicit sampled(const Texels *from) : texels(from) {}

    const Texels &bound() const {
        if (texels->words == nullptr) polyshade_has_no_texture();
        return *texels;
    }
    // The texel at a position; zero if the position is outside.
    R at(uint x, uint y, uint z, uint layer) const {
        const Texels &t = bound();
        unsigned words[4] = {};
        if (x < t.width && y < t.height && z < t.depth && layer < t.layers) {
            size_t number = ((size_t(layer) * t.depth + z) * t.height + y) * t.width + x;
            __builtin_memcpy(words, t.words[number], sizeof words);
        }
        vec<T, 4> texel;
        for (int i = 0; i < 4; i++) {
            if constexpr (T(0.5f) != T(0)) texel[i] = T(as_type<float>(words[i]));
            else texel[i] = T(words[i]);
        }
        if constexpr (shape<R>::count == 1) return texel[0];
        else return texel;
    }
    R nearest(Spot s, int3 offset) const {
        const Texels &t = bound();
        int x = clamped(scaled(s.place[0], t.width), t.width) + offset[0];
        int y = clamped(scaled(s.place[1], t.height), t.height) + offset[1];
        int z = clamped(scaled(s.place[2], t.depth), t.depth) + offset[2];
        return at(clamped(x, t.width), clamped(y, t.height), clamped(z, t.depth),
                  clamped(int(s.layer), t.layers));
    }
    // One component of the four texels around a position, counter-clockwise from the lower left.
    vec<T, 4> around(Spot s, int3 offset, component which) const {
        const Texels &t = bound();
        int x = int(__builtin_floorf(scaled(s.place[0], t.width) - 0.5f)) + offset[0];
        int y = int(__builtin_floorf(scaled(s.place[1], t.height) - 0.5f)) + offset[1];
        vec<T, 4> r;
        for (int i = 0; i < 4; i++) {
            int right = i == 1 || i == 2, up = i < 2;
            R texel = at(clamped(x + right, t.width), clamped(y + up, t.height), 0,
                         clamped(int(s.layer), t.layers));
            if constexpr (shape<R>::count == 1) r[i] = texel;
            else r[i] = texel[int(which)];
        }
        return r;
    }

    static Spot spot(float x, uint layer = 0) { return {{x, 0.0f, 0.0f}, layer}; }
    static Spot spot(float2 c, uint layer = 0) { return {{c.x, c.y, 0.0f}, layer}; }
    static Spot spot(float3 c, uint layer = 0) {
        if constexpr (of != Shape::cube) return {{c.x, c.y, c.z}, layer};
        // The face of the largest coordinate (2.9.1), and the coordinates in that face.
        float x = abs(c.x), y = abs(c.y), z = abs(c.z);
        float2 place;
        float most = max(max(x, y), z);
        uint face;
        if (most == x) face = c.x < 0.0f, place = float2(c.x < 0.0f ? c.z : -c.z, -c.y);
        else if (most == y) face = 2 + (c.y < 0.0f), place = float2(c.x, c.y < 0.0f ? -c.z : c.z);
        else face = 4 + (c.z < 0.0f), place = float2(c.z < 0.0f ? -c.x : c.x, -c.y);
        place = place / (2.0f * most) + 0.5f;
        return {{place.x, place.y, 0.0f}, 6 * layer + face};
    }

    uint get_width(uint = 0) const { return bound().width; }
    uint get_height(uint = 0) const { return bound().height; }
    uint get_depth(uint = 0) const { return bound().depth; }
    uint get_array_size() const { return bound().layers / (of == Shape::cube ? 6 : 1); }
    uint get_num_mip_levels() const { return 1; }
    uint get_num_samples() const { return 4; }
};

// The offset and the component that are among the sampling arguments.
struct Extras {
    int3 offset = int3(0);
    component which = component::x;
    void take(int by) { offset[0] = by; }
    template <int N> void take(vec<int, N> by) {
        for (int i = 0; i < N; i++) offset[i] = by[i];
    }
    void take(component c) { which = c; }
    template <class Other> void take(Other) {}
};
template <class... A> Extras extras(A... all) {
    Extras r;
    (r.take(all), ...);
    return r;
}

template <class T, class R> T compare(T with, R texel) {
    if constexpr (shape<R>::count == 1) return with <= texel ? T(1) : T(0);
    else return compare(with, texel[0]);
}

#define SAMPLED(name, R, of, Coordinate)                                                           \
    template <class T, access = access::sample> struct name : sampled<T, R, Shape::of> {           \
        using sampled<T, R, Shape::of>::sampled;                                                   \
        template <class... A> R sample(sampler, Coordinate c, A... all) const {                    \
            return this->nearest(this->spot(c), extras(all...).offset);                            \
        }                                                                                          \
        template <class... A> vec<T, 4> gather(sampler, Coordinate c, A... all) const {            \
            Extras extra = extras(all...);                                                         \
            return this->around(this->spot(c), extra.offset, extra.which);                         \
        }                                                                                          \
        template <class... A> T sample_compare(sampler s, Coordinate c, T with, A... all) const {  \
            return compare(with, sample(s, c, all...));                                            \
        }                                                                                          \
        READ(of)                                                                                   \
    };                                                                                             \
    template <class T, access = access::sample> struct name##_array : sampled<T, R, Shape::of> {   \
        using sampled<T, R, Shape::of>::sampled;                                                   \
        template <class... A> R sample(sampler, Coordinate c, uint layer, A... all) const {        \
            return this->nearest(this->spot(c, layer), extras(all...).offset);                     \
        }                                                                                          \
        template <class... A>                                                                      \
        vec<T, 4> gather(sampler, Coordinate c, uint layer, A... all) const {                      \
            Extras extra = extras(all...);                                                         \
            return this->around(this->spot(c, layer), extra.offset, extra.which);                  \
        }                                                                                          \
        template <class... A>                                                                      \
        T sample_compare(sampler s, Coordinate c, uint layer, T with, A... all) const {            \
            return compare(with, sample(s, c, layer, all...));                                     \
        }                                                                                          \
        READ_LAYER(of)                                                                             \
    };
// Reads of texels by integer coordinates; R is the result of `at`.
#define READ(of) READ_##of
#define READ_LAYER(of) READ_LAYER_##of
#define READ_line auto read(uint x, uint = 0) const { return this->at(x, 0, 0, 0); }
#define READ_plane auto read(uint2 c, uint = 0) const { return this->at(c.x, c.y, 0, 0); }
#define READ_space auto read(uint3 c, uint = 0) const { return this->at(c.x, c.y, c.z, 0); }
#define READ_cube                                                                                  \
    auto read(uint2 c, uint face, uint = 0) const { return this->at(c.x, c.y, 0, face); }
#define READ_LAYER_line                                                                            \
    auto read(uint x, uint layer, uint = 0) const { return this->at(x, 0, 0, layer); }
#define READ_LAYER_plane                                                                           \
    auto read(uint2 c, uint layer, uint = 0) const { return this->at(c.x, c.y, 0, layer); }
#define READ_LAYER_cube                                                                            \
    auto read(uint2 c, uint face, uint layer, uint = 0) const {                                    \
        return this->at(c.x, c.y, 0, 6 * layer + face);                                            \
    }
#define READ_LAYER_space
#define VECTOR vec<T, 4>
SAMPLED(texture1d, VECTOR, line, float)
SAMPLED(texture2d, VECTOR, plane, float2)
SAMPLED(texture3d, VECTOR, space, float3)
SAMPLED(texturecube, VECTOR, cube, float3)
SAMPLED(depth2d, T, plane, float2)
SAMPLED(depthcube, T, cube, float3)
// All samples of a texel are equal.
template <class T, access of = access::read> struct texture2d_ms : texture2d<T, of> {
    using texture2d<T, of>::texture2d;
};
template <class T, access of = access::read> struct texture2d_ms_array : texture2d_array<T, of> {
    using texture2d_array<T, of>::texture2d_array;
};

} // namespace metal
