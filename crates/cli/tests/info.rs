//! Tests `polyshade info` on the stages of a pipeline.

use super::work::{Work, json};

const VERTEX: &str = "#version 450
layout(constant_id = 3) const int count = 2;
layout(set = 0, binding = 1) uniform Camera { mat4 view; };
layout(set = 2, binding = 0) uniform Bones { mat4 bones[4]; };
layout(push_constant) uniform Push { vec4 offset; };
layout(location = 0) in vec4 p;
layout(location = 0) out vec4 v;
void main() { v = bones[count] * p; gl_Position = view * p + offset; }
";
const FRAGMENT: &str = "#version 450
layout(constant_id = 3) const int count = 2;
layout(constant_id = 4) const float scale = 1.0;
layout(set = 0, binding = 1) uniform Camera { mat4 view; };
layout(set = 0, binding = 2) uniform sampler2D images[3];
layout(push_constant) uniform Push { layout(offset = 16) vec4 tint; };
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 colour;
void main() { colour = view * texture(images[count], v.xy) * tint * scale; }
";

fn work() -> Work {
    Work::with(&[("a.vert", VERTEX), ("b.frag", FRAGMENT)])
}

#[test]
fn what_stages_use_together_is_the_layout_that_they_share() {
    let text = work().succeeds("info a.vert b.frag");
    assert!(
        text.starts_with("a.vert: SPIR-V 1.3") && text.contains("\nb.frag: SPIR-V 1.3"),
        "{text}"
    );
    let together = text.split("\ntogether ").nth(1).expect("it comes last");
    assert_eq!(
        together,
        "(vertex, fragment)
  set 0 binding 1: uniform buffer Camera, vertex, fragment
  set 0 binding 2: combined image sampler[3] images, fragment
  set 2 binding 0: uniform buffer Bones, vertex
  push constants: bytes 0 to 16, vertex
  push constants: bytes 16 to 32, fragment
  specialization constant 3: int count, vertex, fragment
  specialization constant 4: float scale, fragment
  free: push constants from byte 32 on, set 1
"
    );
}

#[test]
fn a_place_that_is_two_kinds_at_once_is_said() {
    let work = work();
    work.write(
        "c.frag",
        &FRAGMENT.replace("uniform Camera { mat4 view", "buffer Camera { mat4 view"),
    );
    let conflict = "set 0 binding 1: cannot be storage buffer and uniform buffer at once Camera";
    work.tells(0, "info a.vert c.frag", &[conflict]);
}

#[test]
fn several_stages_are_one_document_of_json() {
    let work = work();
    let report = json(&work.succeeds("info a.vert b.frag --json"));
    assert_eq!(report["version"], 1);
    let alone = json(&work.succeeds("info b.frag --json"));
    assert_eq!(report["shaders"][1], alone);
    let together = &report["together"];
    assert_eq!(together["stages"], serde_json::json!(["vertex", "fragment"]));
    assert_eq!(together["descriptors"][1]["count"], 3);
    assert_eq!(together["free_set"], 1);
    assert_eq!(together["push_constants_end"], 32);
    work.fails("info a.vert no.frag", 1, "no.frag");
}

#[test]
fn costs_are_computed_for_the_first_entry_points_only() {
    let entry = |number: usize| {
        format!(
            "@vertex fn e{number}() -> @builtin(position) vec4f {{ return vec4f({number}); }}\n"
        )
    };
    let work = Work::with(&[("a.wgsl", &(0..20).map(entry).collect::<String>())]);
    let entries = json(&work.succeeds("info a.wgsl --json"))["entry_points"].clone();
    let refused = |entry: &serde_json::Value| entry["cost"]["refused"].is_string();
    let refused: Vec<bool> = entries.as_array().expect("a list").iter().map(refused).collect();
    assert_eq!(refused, [[false; 16].as_slice(), &[true; 4]].concat());
    let named = json(&work.succeeds("info a.wgsl --json --entry e19"));
    assert!(named["entry_points"][0]["cost"]["original"].is_object(), "{named}");
}
