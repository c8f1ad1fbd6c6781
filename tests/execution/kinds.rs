//! Every kind of output, named in every way, is captured exactly as the native feature captures it.
//!
//! Each shader has `xfb_*` qualifiers for the native feature. polyshade captures the same module by its decorations,
//! and by names or locations that give the same bytes.

use crate::cases::few;
use crate::drivers::{DRIVERS, Driver};
use crate::extension::{self, by_location};
use crate::feedback::{Case, memories, run_decorated, with_strides};
use crate::glsl;
use crate::storage::Storage;
use polyshade::transform_feedback::{Options, StreamOutputEntry};
use polyshade_formats::SpirvVersion;

/// A shader with `xfb_*` qualifiers.
struct Kind {
    declarations: &'static str,
    /// The code that writes outputs. By default, all points have one position. `f` differs for each vertex and
    /// instance.
    body: &'static str,
    /// The stride of each buffer, in bytes; 0 if nothing is captured into it.
    strides: &'static [u32],
    /// Names that give the same bytes, separated by blanks.
    names: &'static str,
}

impl Kind {
    fn words(&self) -> Vec<u32> {
        let source = format!(
            "#version 450
            {}
            void main() {{
                float f = float(gl_VertexIndex) + float(gl_InstanceIndex) * 16.0;
                gl_Position = vec4(0, 0, 0, 1);
                gl_PointSize = 1.0;
                {}
            }}",
            self.declarations, self.body
        );
        glsl::vertex(&source, "", SpirvVersion::SPIRV1_3)
    }

    fn native(&self, cases: &[Case]) -> Vec<Vec<Vec<u8>>> {
        memories(run_decorated(&self.words(), &with_strides(self.strides), cases))
    }

    /// Checks that captures by decorations and by each of `others` equal the native captures.
    #[track_caller]
    fn is_captured(&self, drivers: &[Driver], others: &[Options]) {
        let cases = few();
        let native = self.native(&cases);
        let names = self.names.split_whitespace();
        let by_name = (!self.names.is_empty()).then(|| Options::new().interleaved(names));
        let decorated = Options::new().decorated();
        for options in [decorated].iter().chain(&by_name).chain(others) {
            let storage = Storage::with_strides(self.words(), self.strides, options);
            for driver in drivers {
                let memories = storage.run(*driver, &cases);
                for ((case, native), memory) in cases.iter().zip(&native).zip(memories) {
                    assert!(
                        *native == memory,
                        "{driver:?} {options:?} {case:?}\n{native:02x?}\n{memory:02x?}"
                    );
                }
            }
            let extension = extension::memories(&self.words(), self.strides, options, &cases);
            assert!(native == extension, "{options:?}\n{native:02x?}\n{extension:02x?}");
        }
    }
}

fn stream_output(entries: &str, strides: &[u32]) -> Options {
    let entries = entries.split_whitespace();
    let entries = entries.map(|text| text.parse::<StreamOutputEntry>().expect("an entry"));
    Options::new().stream_output(entries, strides.iter().copied())
}

#[test]
#[should_panic(expected = "Lavapipe")]
fn another_order_is_noticed() {
    let kind = Kind {
        declarations: r"
            layout(location = 0, xfb_buffer = 0, xfb_offset = 0, xfb_stride = 8) out float v_a;
            layout(location = 1, xfb_buffer = 0, xfb_offset = 4) out float v_b;",
        body: r"
            v_a = float(gl_VertexIndex);
            v_b = -1.0;",
        strides: &[8],
        names: "v_b v_a",
    };
    kind.is_captured(&DRIVERS, &[]);
}

#[test]
fn components_of_sixty_four_bits() {
    let kind = Kind {
        declarations: r"
            #extension GL_ARB_gpu_shader_int64 : require
            layout(xfb_buffer = 0, xfb_stride = 96) out;
            layout(location = 0, xfb_offset = 0) flat out double v_double;
            layout(location = 1, xfb_offset = 8) flat out dvec3 v_vector;
            layout(location = 3, xfb_offset = 32) flat out u64vec2 v_integers;
            layout(location = 4, xfb_offset = 48) flat out dmat2 v_matrix;
            layout(location = 6, xfb_offset = 80) flat out float v_float;
            layout(location = 7, xfb_offset = 88) flat out double v_last;",
        body: r"
            double d = double(gl_VertexIndex) + 1.0lf / 3.0lf;
            v_double = d;
            v_vector = dvec3(d, -d, 1e300lf);
            v_integers = u64vec2(0x123456789abcdef0ul + gl_VertexIndex, ~0ul);
            v_matrix = dmat2(d, 2.0lf, 3.0lf, d);
            v_float = float(gl_InstanceIndex);
            v_last = d * d;",
        strides: &[96],
        names: "v_double v_vector v_integers v_matrix v_float gl_SkipComponents1 v_last",
    };
    // One output has three components of 64 bits, which occupy location 1 and half of location 2.
    let by_location = by_location(
        "location=0 location=1.xy location=1.zw location=2 location=3-6 gl_SkipComponents1
            location=7",
    );
    kind.is_captured(&[Driver::Lavapipe], &[by_location]);
}

#[test]
fn structures_that_nest() {
    let kind = Kind {
        declarations: r"
            struct Inner { vec2 pairs[2]; ivec3 counts; };
            struct Outer { float weight; Inner inner[2]; mat2x3 matrix; };
            layout(location = 0, xfb_buffer = 0, xfb_offset = 4, xfb_stride = 96) flat out Outer v_outer;",
        body: r"
            v_outer.weight = f;
            for (int i = 0; i < 2; ++i) {
                v_outer.inner[i].pairs[0] = vec2(f, float(i));
                v_outer.inner[i].pairs[1] = vec2(2.0, f);
                v_outer.inner[i].counts = ivec3(gl_VertexIndex, i, 7);
            }
            v_outer.matrix = mat2x3(f, 1, 2, 3, 4, f);",
        strides: &[96],
        names: "gl_SkipComponents1 v_outer.weight v_outer.inner[0].pairs v_outer.inner[0].counts
            v_outer.inner[1].pairs[0] v_outer.inner[1].pairs[1] v_outer.inner[1].counts
            v_outer.matrix gl_SkipComponents2",
    };
    let by_location = by_location("gl_SkipComponents1 location=0-8 gl_SkipComponents2");
    kind.is_captured(&DRIVERS, &[by_location]);
}

#[test]
fn arrays_of_arrays() {
    let kind = Kind {
        declarations: r"
            layout(location = 0, xfb_buffer = 0, xfb_offset = 0, xfb_stride = 24) out float v_grid[2][3];
            layout(location = 6, xfb_buffer = 1, xfb_offset = 0, xfb_stride = 32) out mat2 v_matrices[2];",
        body: r"
            for (int i = 0; i < 6; ++i)
                v_grid[i / 3][i % 3] = f + float(i);
            v_matrices = mat2[](mat2(f), mat2(1, 2, f, 3));",
        strides: &[24, 32],
        names: "v_grid[0] v_grid[1] gl_NextBuffer v_matrices",
    };
    let by_location = by_location("location=0-5 gl_NextBuffer location=6-9");
    kind.is_captured(&DRIVERS, &[by_location]);
}

#[test]
fn blocks_with_and_without_an_instance() {
    let kind = Kind {
        declarations: r"
            layout(location = 0, xfb_buffer = 0, xfb_stride = 36) out Named {
                layout(xfb_offset = 20) vec4 colour;
                float ignored;
                layout(xfb_offset = 0) flat ivec2 counts[2];
            } instance;
            layout(location = 4, xfb_buffer = 3, xfb_offset = 0, xfb_stride = 24) out Bare {
                vec2 place;
                flat uint number;
                vec3 rest;
            };",
        body: r"
            instance.colour = vec4(f, 1, 2, 3);
            instance.ignored = f;
            instance.counts = ivec2[](ivec2(gl_VertexIndex, 1), ivec2(2, gl_InstanceIndex));
            place = vec2(f, -f);
            number = 0xffffffffu;
            rest = vec3(4, f, 5);",
        strides: &[36, 0, 0, 24],
        names: "Named.counts gl_SkipComponents1 Named.colour gl_NextBuffer gl_NextBuffer
            gl_NextBuffer place number rest",
    };
    let entries = "location=2 location=3 $SKIP.x location=0 3:location=4 3:location=5 3:location=6";
    let strides = stream_output(entries, &[36, 0, 0, 24]);
    kind.is_captured(&DRIVERS, &[strides]);
}

#[test]
fn arrays_of_blocks() {
    let kind = Kind {
        declarations: r"
            layout(location = 0, xfb_buffer = 1, xfb_stride = 24) out Block {
                layout(xfb_offset = 4) vec4 colour;
                layout(xfb_offset = 20) float weight;
            } blocks[2];",
        body: r"
            blocks[0].colour = vec4(f, 1, 2, 3);
            blocks[0].weight = f;
            blocks[1].colour = vec4(4, f, 5, 6);
            blocks[1].weight = -f;",
        strides: &[0, 24, 24],
        names: "gl_NextBuffer gl_SkipComponents1 Block[0].colour Block[0].weight gl_NextBuffer
            gl_SkipComponents1 Block[1].colour Block[1].weight",
    };
    let by_location = by_location(
        "gl_NextBuffer gl_SkipComponents1 location=0-1 gl_NextBuffer gl_SkipComponents1
            location=2-3",
    );
    kind.is_captured(&DRIVERS, &[by_location]);
}

#[test]
fn outputs_that_share_a_location() {
    let kind = Kind {
        declarations: r"
            layout(xfb_buffer = 0, xfb_stride = 20) out;
            layout(location = 3, component = 0, xfb_offset = 12) out vec2 v_low;
            layout(location = 3, component = 2) out float v_ignored;
            layout(location = 3, component = 3, xfb_offset = 8) out float v_high;
            layout(location = 9, xfb_offset = 0) out mediump vec2 v_medium;",
        body: r"
            v_low = vec2(f, 1);
            v_ignored = 2.0;
            v_high = -f;
            v_medium = vec2(f, 3);",
        strides: &[20],
        names: "v_medium v_high v_low",
    };
    let by_location = by_location("location=9 location=3.w location=3.xy");
    let entries = stream_output("location=9 location=3.w location=3.xy", &[]);
    kind.is_captured(&DRIVERS, &[by_location, entries]);
}

#[test]
fn built_ins_and_parts_of_them() {
    let kind = Kind {
        declarations: r"
            layout(xfb_buffer = 0, xfb_stride = 28) out;
            out gl_PerVertex {
                vec4 gl_Position;
                layout(xfb_offset = 24) float gl_PointSize;
                float gl_ClipDistance[6];
            };
            layout(location = 0, xfb_offset = 0) out vec2 v_position_yz;
            layout(location = 1, xfb_offset = 8) out vec3 v_distances;
            layout(location = 2, xfb_offset = 20) out float v_distance_5;",
        body: r"
            gl_Position = vec4(1, f, -f, 2);
            gl_PointSize = 1.0 + f;
            for (int i = 0; i < 6; ++i)
                gl_ClipDistance[i] = f + float(i);
            v_position_yz = gl_Position.yz;
            v_distances = vec3(gl_ClipDistance[0], gl_ClipDistance[1], gl_ClipDistance[2]);
            v_distance_5 = gl_ClipDistance[5];",
        strides: &[28],
        names: "",
    };
    // The native feature captures copies. The declaration captures the original outputs.
    let entries = "SV_Position.yz SV_ClipDistance0.xyz sv_clipdistance1.y PSIZE";
    kind.is_captured(&DRIVERS, &[stream_output(entries, &[])]);

    let names = "location=0 gl_ClipDistance[0] gl_ClipDistance[1] gl_ClipDistance[2]
        gl_ClipDistance[5] gl_PointSize";
    kind.is_captured(&DRIVERS, &[by_location(names)]);
}

#[test]
fn sizes_that_depend_on_a_constant() {
    let source = r"
        #version 450
        layout(constant_id = 4) const int c_count = 1;
        layout(location = 0) out float v_values[c_count * 2];
        void main() {
            for (int i = 0; i < c_count * 2; ++i)
                v_values[i] = float(gl_VertexIndex * 8 + i) + float(gl_InstanceIndex) * 100.0;
            gl_Position = vec4(0, 0, 0, 1);
        }";
    // The native shader declares the specialized size.
    let native = Kind {
        declarations: "layout(location = 0, xfb_buffer = 0, xfb_offset = 0, xfb_stride = 24) out float v_values[6];",
        body: r"
            for (int i = 0; i < 6; ++i)
                v_values[i] = float(gl_VertexIndex * 8 + i) + float(gl_InstanceIndex) * 100.0;",
        strides: &[24],
        names: "v_values",
    };
    native.is_captured(&DRIVERS, &[]);

    // polyshade gets the value of the constant.
    let cases = few();
    let options = Options::new().interleaved(["v_values"]).specialize(4, 3);
    let words = glsl::vertex(source, "", SpirvVersion::SPIRV1_3);
    let storage = Storage::with_strides(words, native.strides, &options);
    for driver in DRIVERS {
        assert!(storage.run(driver, &cases) == native.native(&cases), "{driver:?}");
    }
}
