//! HLSL with `SV_ClipDistance` and `SV_CullDistance` in every form, compiled by glslang. The lowered modules draw the
//! same pictures as handwritten GLSL with built-in arrays.

use super::arrays::{each_element, per_vertex};
use super::chain::{Stages, TARGET, draw, each, seeded, with_header};
use super::front_ends::{Case, are_different};
use crate::drivers::Driver;
use polyshade::clip_cull::DistanceCounts;
use polyshade_formats::ShaderStage;
use polyshade_formats::glsl::{Language, SourceText};

/// A way to declare distances: members of the output, the code that writes them, and the numbers of distances.
struct Form {
    members: &'static str,
    writes: &'static str,
    counts: [u32; 2],
}

const fn form(members: &'static str, writes: &'static str, counts: [u32; 2]) -> Form {
    Form { members, writes, counts }
}

const FORMS: [Form; 8] = [
    form("float a : SV_ClipDistance;", "o.a = d(0);", [1, 0]),
    form("float4 a : SV_ClipDistance0;", "o.a = float4(d(0), d(1), d(2), d(3));", [4, 0]),
    form(
        "float2 a : SV_ClipDistance0; float3 b : SV_ClipDistance1;",
        "o.a = float2(d(0), d(1)); o.b = float3(d(2), d(3), d(4));",
        [5, 0],
    ),
    form("float a[3] : SV_ClipDistance;", "for (uint i = 0; i < 3; ++i) o.a[i] = d(i);", [3, 0]),
    form(
        "float4 a[2] : SV_ClipDistance;",
        "[unroll] for (uint i = 0; i < 2; ++i)
            o.a[i] = float4(d(4 * i), d(4 * i + 1), d(4 * i + 2), d(4 * i + 3));",
        [8, 0],
    ),
    form("float a : SV_CullDistance;", "o.a = d(0);", [0, 1]),
    form("float3 a : SV_CullDistance0;", "o.a = float3(d(0), d(1), d(2));", [0, 3]),
    form(
        "float2 a : SV_ClipDistance0; float2 b : SV_CullDistance0;",
        "o.a = float2(d(0), d(1)); o.b = float2(d(2), d(3));",
        [2, 2],
    ),
];

const VERTEX: &str = "
[[vk::push_constant]] cbuffer P { uint seed; uint zero; };
static uint v;
float noise(uint n) {
    n = (n ^ seed) * 2654435761u; n ^= n >> 15; n *= 2246822519u; n ^= n >> 13;
    return float(n & 0xffffu) / 32768.0 - 1.0;
}
float d(uint i) { return noise(v + 11u * i + 3u) + 0.25; }
struct Output { float4 position : SV_Position; MEMBERS };
Output main(uint id : SV_VertexID) {
    v = id * 7u;
    Output o;
    float w = 1.0 + 0.5 * noise(v + 2u);
    o.position = float4(noise(v) * 0.9375 * w, noise(v + 1u) * 0.9375 * w, 0.5 * w, w);
    WRITES
    return o;
}";

const FRAGMENT: &str = "uint2 main() : SV_Target0 { return uint2(1, 2); }";

const BY_HAND: &str = "
float d(uint i) { return noise(uint(gl_VertexIndex) * 7u + 11u * i + 3u) + 0.25; }
OUTPUTS
void main() {
    uint v = uint(gl_VertexIndex) * 7u;
    float w = 1.0 + 0.5 * noise(v + 2u);
    gl_Position = vec4(noise(v) * 0.9375 * w, noise(v + 1u) * 0.9375 * w, 0.5 * w, w);
    WRITES
}";

#[track_caller]
fn hlsl(source: &str, stage: ShaderStage) -> Vec<u32> {
    let words = SourceText::new(source, Language::Hlsl, stage).compile();
    words.unwrap_or_else(|error| panic!("{error}\n{source}"))
}

impl Form {
    #[track_caller]
    fn of_hlsl(&self) -> Stages {
        let vertex = VERTEX.replace("MEMBERS", self.members).replace("WRITES", self.writes);
        let sources = [(ShaderStage::Vertex, &vertex[..]), (ShaderStage::Fragment, FRAGMENT)];
        sources.into_iter().map(|(stage, source)| (stage, hlsl(source, stage))).collect()
    }

    #[track_caller]
    fn by_hand(&self) -> Stages {
        let writes = each_element(self.counts, |name, i| {
            let first = if name == "gl_ClipDistance" { 0 } else { self.counts[0] };
            format!("{name}[{i}] = d({}u);\n", first + i)
        });
        let parts = [("OUTPUTS", &per_vertex(self.counts)[..]), ("WRITES", &writes)];
        let mut stages = self.of_hlsl();
        stages[0].1 = with_header(ShaderStage::Vertex, BY_HAND, &parts);
        stages
    }
}

/// Returns a picture of a triangle for each of several seeds.
#[track_caller]
fn pictures(driver: Driver, stages: &Stages) -> Vec<Vec<u8>> {
    let draws = (0..24).map(|seed| draw(stages, 3, seeded(seed)));
    driver.run(&each(TARGET, draws)).targets
}

#[track_caller]
fn cases() -> Vec<Case> {
    let case = |form: &Form| Case {
        title: form.members.to_owned(),
        own: form.of_hlsl(),
        by_hand: form.by_hand(),
        counts: DistanceCounts::new(form.counts[0], form.counts[1]),
        pictures,
    };
    FORMS.iter().map(case).collect()
}

#[test]
fn every_form_becomes_registers_and_one_array_and_is_drawn_the_same() {
    cases().iter().for_each(Case::takes_other_forms);
}

#[test]
fn every_form_is_cut_in_a_geometry_stage_as_the_device_cuts_it() {
    for case in cases() {
        let DistanceCounts { clip, cull } = case.is_cut_in_a_geometry_stage();
        // glslang pads the first of several registers, so there may be more clip distances.
        assert!(clip >= case.counts.clip && cull == case.counts.cull, "{}", case.title);
    }
}

#[test]
fn cull_distances_of_every_form_are_emulated_in_the_fragment_stage() {
    cases().iter().for_each(Case::is_culled_in_the_fragment_stage);
}

#[test]
fn forms_that_are_mistaken_are_seen() {
    are_different(&cases());
}
