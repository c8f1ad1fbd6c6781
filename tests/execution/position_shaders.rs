//! Vertex shaders whose position and other outputs share computations in different ways.

/// A shader, with the outputs that are captured from its position-only variant and from the complement.
pub(crate) struct Tangled {
    pub(crate) name: &'static str,
    /// Declarations and `main`, which follow [`PRELUDE`].
    source: &'static str,
    pub(crate) kept: &'static [&'static str],
    pub(crate) others: &'static [&'static str],
}

/// The inputs of all shaders: three attributes and a block of uniforms.
const PRELUDE: &str = "#version 450
    layout(location = 0) in vec4 a;
    layout(location = 1) in vec4 b;
    layout(location = 2) in vec4 c;
    layout(set = 0, binding = 0) uniform U { mat4 m; vec4 unused[3]; mat4 n; vec4 v[16]; ivec4 i; } u;
    ";

impl Tangled {
    pub(crate) fn text(&self) -> String {
        format!("{PRELUDE}{}", self.source)
    }
}

/// Returns a shader whose position-only variant has no other output.
const fn tangled(
    name: &'static str,
    others: &'static [&'static str],
    source: &'static str,
) -> Tangled {
    Tangled { name, source, kept: &["gl_Position"], others }
}

/// All shaders.
pub(crate) const TANGLED: [Tangled; 16] = [
    tangled(
        "nothing shared",
        &["o", "p"],
        "layout(location = 0) out vec4 o; layout(location = 1) out vec2 p;
            void main() { gl_Position = u.m * a; o = u.n * b; p = c.xy * 2.0; }",
    ),
    tangled(
        "a varying reads the position",
        &["o"],
        "layout(location = 0) out vec4 o;
            void main() { gl_Position = u.m * a; gl_Position.y = -gl_Position.y; o = gl_Position * 0.5 + b; }",
    ),
    tangled(
        "the position reads varyings",
        &["o", "p[0]", "p[1]", "p[2]"],
        "layout(location = 0) out vec4 o; layout(location = 1) out vec4 p[3];
            void main() { o = a + b; p[0] = o; p[1] = a; p[2] = o * c; gl_Position = u.m * p[2] + o; }",
    ),
    tangled(
        "through local arrays",
        &["o"],
        "layout(location = 0) out vec4 o;
            void main() {
                vec4 table[4]; vec4 other[4];
                for (int k = 0; k < 4; ++k) { table[k] = u.v[k] * a; other[k] = u.v[k + 4] * b; }
                int at = int(abs(c.x) * 4.0) & 3;
                gl_Position = table[at] + table[0]; o = other[at] + other[3] + table[1];
            }",
    ),
    tangled(
        "through private variables",
        &["o"],
        "layout(location = 0) out vec4 o;
            vec4 state; vec4 shade; vec4 both;
            void first() { state = a * 2.0; shade = b * 3.0; both = state + shade; }
            void second() { state = u.m * state; shade = u.n * shade; }
            void main() { first(); second(); gl_Position = state; o = shade + both; }",
    ),
    tangled(
        "through pointers",
        &["o", "f"],
        "layout(location = 0) out vec4 o; layout(location = 1) out float f;
            void split(in vec4 x, out vec4 low, out vec4 high) { low = floor(x); high = fract(x); }
            void scale(inout vec4 x, float by) { x *= by; }
            float sum(vec4 x) { return x.x + x.y + x.z + x.w; }
            void main() {
                vec4 low, high; split(a * 3.0, low, high);
                scale(low, 2.0); scale(high, b.x);
                gl_Position = u.m * low; o = high; f = sum(low) + sum(high);
            }",
    ),
    tangled(
        "through structures",
        &["o", "p"],
        "layout(location = 0) out vec4 o; layout(location = 1) out vec2 p;
            struct Inner { vec4 place; vec2 at; }; struct Outer { Inner inner; vec4 colour; float weight[3]; };
            Outer make(vec4 x) { Outer r; r.inner.place = x; r.inner.at = x.yx; r.colour = x * x;
                r.weight = float[3](x.x, x.y, x.z); return r; }
            void main() {
                Outer one = make(a); Outer two = one; two.inner.place += b; two.weight[1] = 4.0;
                gl_Position = two.inner.place * two.weight[1]; o = two.colour; p = two.inner.at * one.weight[2];
            }",
    ),
    tangled(
        "branches",
        &["o"],
        "layout(location = 0) out vec4 o;
            void main() {
                vec4 p = a; vec4 q = b;
                if (c.x > 0.0) { p += u.v[0]; q *= 2.0; } else if (c.y > 0.0) { q -= u.v[1]; }
                if (c.z > 0.0) { q += 1.0; }
                switch (u.i.x & 3) { case 0: p.x += 1.0; case 1: q.x += 1.0; break;
                    case 2: q = p; break; default: p.y = 3.0; }
                gl_Position = p; o = q;
            }",
    ),
    tangled(
        "early returns",
        &["o"],
        "layout(location = 0) out vec4 o;
            vec4 pick(vec4 x) { if (x.x > 0.5) return x;
                for (int k = 0; k < 5; ++k) { if (x.y * float(k) > 1.0) return x.wzyx; } return -x; }
            void main() {
                gl_Position = a; o = b;
                if (c.x > 0.7) { o = pick(c); return; }
                gl_Position += pick(a);
                if (c.y > 0.2) return;
                gl_Position.w = 2.0; o += pick(b);
            }",
    ),
    tangled(
        "loops",
        &["o", "f"],
        "layout(location = 0) out vec4 o; layout(location = 1) out float f;
            void main() {
                vec4 p = a; vec4 q = b; float s = 0.0;
                for (int k = 0; k < u.i.y; ++k) {
                    q += u.v[k & 15]; if (q.x > 4.0) continue; s += q.y; if (s > 9.0) break; }
                int k = 0;
                while (k < 6) { p = p * 0.5 + u.v[k]; for (int l = 0; l < k; ++l) { s += p.x; q.z -= 0.25; } ++k; }
                do { k -= 2; p.x += float(k); } while (k > 0);
                gl_Position = p; o = q; f = s;
            }",
    ),
    tangled(
        "short circuits",
        &["o"],
        "layout(location = 0) out vec4 o;
            bool both(float x, float y) { return x > 0.0 && y > 0.0 || x * y > 0.5; }
            void main() {
                gl_Position = both(a.x, b.x) ? a : b; o = both(a.y, c.y) && !both(c.x, c.z) ? c : a;
            }",
    ),
    tangled(
        "extended instructions that store",
        &["o", "e"],
        "layout(location = 0) out vec4 o; layout(location = 1) flat out ivec4 e;
            void main() {
                vec4 whole; vec4 part = modf(a * 7.0, whole); ivec4 power; vec4 fraction = frexp(b, power);
                gl_Position = whole + fraction; o = part; e = power;
            }",
    ),
    Tangled {
        name: "point size and clip distances",
        source: "layout(location = 0) out vec4 o; out float gl_ClipDistance[3];
            void main() {
                gl_Position = u.m * a; gl_PointSize = 1.0 + abs(b.x);
                for (int k = 0; k < 3; ++k) { gl_ClipDistance[k] = dot(gl_Position, u.v[k]); }
                o = vec4(gl_ClipDistance[1], b.xyz);
            }",
        kept: &["gl_Position", "gl_PointSize", "gl_ClipDistance"],
        others: &["o"],
    },
    tangled(
        "matrices by columns",
        &["o", "p"],
        "layout(location = 0) out mat3 o; layout(location = 3) out vec4 p;
            void main() {
                mat4 r = u.m; r[2] = b; r[int(abs(c.x) * 3.0) & 3].y = 5.0; mat3 s = mat3(u.n); s[1] = c.xyz;
                gl_Position = r * a; o = s * mat3(r); p = r[1];
            }",
    ),
    tangled(
        "exact arithmetic",
        &["o"],
        "layout(location = 0) out vec4 o; invariant gl_Position;
            void main() {
                precise vec4 p = a * b + c; vec4 q = a * b + c;
                gl_Position = p * u.v[2] + q; o = q * u.v[2] + p;
            }",
    ),
    tangled(
        "blocks of varyings",
        &["Block.colour", "Block.at", "Block.more[1]", "n"],
        "layout(location = 0) out Block { vec4 colour; vec2 at; vec4 more[2]; } o;
            layout(location = 6) out vec3 n;
            void main() {
                o.colour = b; o.at = c.xy; o.more[0] = a; o.more[1] = u.n * a; n = o.colour.xyz;
                gl_Position = u.m * vec4(a.xyz, 1.0);
            }",
    ),
];
