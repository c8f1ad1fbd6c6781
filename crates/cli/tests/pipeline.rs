//! Tests `polyshade pipeline` with several shaders, because a filetest has only one shader.

use crate::work::Work;
use serde_json::Value;
use std::fs;

const VERTEX: &str =
    "#version 450\nlayout(location = 0) out vec4 v; layout(location = 3) out vec2 d;
    void main() { v = vec4(1); d = vec2(gl_VertexIndex); gl_Position = vec4(1); }";

const FRAGMENT: &str =
    "#version 450\nlayout(location = 0) in vec4 v; layout(location = 3) in vec2 d;
    layout(location = 0) out vec4 colour; void main() { colour = v * d.x; }";

const PAGE: &str = include_str!("../../../docs/recipe.md");

fn work() -> Work {
    // The JSON on the documentation page is a recipe for a real pipeline.
    let (_, behind) = PAGE.split_once("```json\n").expect("the page has a recipe");
    let (recipe, _) = behind.split_once("```").expect("which ends");
    Work::with(&[("a.vert", VERTEX), ("a.frag", FRAGMENT), ("recipe.json", recipe)])
}

#[test]
fn each_stage_is_written_and_reported() {
    let work = work();
    work.succeeds("pipeline recipe.json a.vert a.frag --report a.json -o a.vert.spv -o a.frag.spv");
    let report = work.json("a.json");
    let stages = report["stages"].as_array().expect("there are stages");
    let places = |stage: &Value| {
        let words = stage["params"].as_array().cloned().unwrap_or_default();
        words.iter().map(|group| group["source"].to_string()).collect::<Vec<_>>()
    };
    assert_eq!(
        stages.iter().map(|stage| (stage["stage"].clone(), places(stage))).collect::<Vec<_>>(),
        [("vertex".into(), [64, 68].map(at).to_vec()), ("fragment".into(), vec![at(72)])]
    );
    assert_eq!(stages[0]["result"]["masks"]["outputs"]["clip"], 2);
    assert!(work.has("a.vert.spv") && work.has("a.frag.spv"));
}

fn at(offset: u32) -> String {
    format!("{{\"push_constant\":{{\"offset\":{offset}}}}}")
}

#[test]
fn what_fails_names_the_field_and_leaves_nothing() {
    let work = work();
    let files = || fs::read_dir(work.folder()).expect("it is there").count();
    let before = files();
    let fails = |given: &str, code: i32, why: &str| {
        work.fails(&format!("pipeline {given} -o a.vert.spv -o a.frag.spv"), code, why);
        assert_eq!(files(), before);
    };
    let normalize = r#"{"normalize":{"geometry":{}}}"#;
    let none = "normalize: the pipeline has no geometry stage";
    fails(&format!("{normalize} a.vert a.frag"), 2, none);
    fails("recipe.json a.frag a.vert", 2, "must be given in pipeline order");
    fails("no.json a.vert a.frag", 1, "no.json: ");
}
