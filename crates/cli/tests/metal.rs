//! Tests captures in MSL. The capture-only variant is a `void` vertex function that writes device buffers. The
//! raster-only variant has outputs and writes no buffer. The variant `both` has outputs and writes buffers.

use crate::work::{Work, json};
use serde_json::Value;

/// A shader's outputs, the code that writes the outputs, and the captured outputs.
struct Shader {
    outputs: &'static str,
    code: &'static str,
    varyings: &'static str,
    /// The number of members of the structure that the raster-only variant returns, not counting the position.
    members: usize,
}

const SHADERS: [Shader; 5] = [
    Shader {
        outputs: "layout(location = 0) out float a; layout(location = 1) flat out uint b;",
        code: "a = p.x; b = uint(p.y);",
        varyings: "a,b,gl_Position",
        members: 2,
    },
    Shader {
        outputs: "layout(location = 0) out mat3 m; layout(location = 3) out mat2x4 n;",
        code: "m = mat3(p.x); n = mat2x4(p, p);",
        varyings: "m,n",
        members: 5,
    },
    Shader {
        outputs: "layout(location = 0) out vec2 a[3]; layout(location = 3) out float b[2];",
        code: "a[0] = p.xy; a[1] = p.yz; a[2] = p.zw; b[0] = p.x; b[1] = p.y;",
        varyings: "a,b",
        members: 5,
    },
    Shader {
        outputs: "layout(location = 0) out Block { vec4 colour; float weights[2]; } block;",
        code: "block.colour = p; block.weights[0] = p.x; block.weights[1] = p.y;",
        varyings: "Block.colour,Block.weights",
        members: 3,
    },
    Shader {
        outputs: "layout(location = 0) out vec3 a; layout(location = 1) out vec3 b;",
        code: "a = p.xyz; b = p.zyx;",
        varyings: "a,gl_NextBuffer,b",
        members: 2,
    },
];

impl Shader {
    fn source(&self) -> String {
        format!(
            "#version 450\nlayout(location = 0) in vec4 p;\n{}\nvoid main() {{ {} gl_Position = p; }}\n",
            self.outputs, self.code
        )
    }
}

/// The return type and the writes of an MSL vertex function, read from its text.
#[derive(PartialEq, Eq, Debug)]
struct Shape {
    returns: String,
    /// The number of members of the returned structure, not counting the position.
    members: usize,
    /// The number of assignments to device buffers.
    writes: usize,
}

impl Shape {
    fn of(text: &str) -> Self {
        let entry =
            text.lines().find(|line| line.starts_with("vertex ")).expect("a vertex function");
        let returns = entry.split_whitespace().nth(1).expect("a type").to_owned();
        let structure = text.split_once(&format!("struct {returns}\n{{\n"));
        let members = structure.map_or("", |(_, behind)| behind.split("};").next().unwrap_or(""));
        // Find every writable reference to device memory, in any function.
        let buffers: Vec<&str> = text
            .match_indices("device ")
            .filter(|(at, _)| !text[..*at].ends_with("const "))
            .filter_map(|(at, _)| text[at..].split_once("& ")?.1.split([' ', ',', ')']).next())
            .collect();
        let writes = |line: &&str| {
            let line = line.trim_start();
            let written =
                |name: &&str| line.strip_prefix(*name).is_some_and(|rest| rest.starts_with('.'));
            line.contains(" = ") && buffers.iter().any(written)
        };
        Self {
            members: members.lines().filter(|line| !line.contains("[[position]]")).count(),
            writes: text.lines().filter(writes).count(),
            returns,
        }
    }
}

/// Returns the three variants of a shader in MSL: capture-only, raster-only, both.
#[track_caller]
fn variants(shader: &Shader, options: &str) -> [Shape; 3] {
    let work = Work::with(&[("a.vert", &shader.source())]);
    let variants = "-o c.metal --variant raster-only=r.metal --variant both=b.metal";
    work.succeeds(&format!("capture a.vert --varyings {} {variants} {options}", shader.varyings));
    ["c.metal", "r.metal", "b.metal"].map(|file| Shape::of(&work.text(file)))
}

#[test]
fn capture_writes_buffers_and_raster_has_outputs() {
    for shader in &SHADERS {
        // Metal can draw points without a point size, so both options must give the same result.
        for options in ["--no-point-size", ""] {
            let [capture, raster, both] = variants(shader, options);
            let name = shader.varyings;
            assert_eq!((&*capture.returns, capture.members), ("void", 0), "{name}: {capture:?}");
            assert!(capture.writes > 0, "{name}: {capture:?}");

            assert_eq!(raster.returns, "main0_out", "{name}");
            assert_eq!((raster.members, raster.writes), (shader.members, 0), "{name}: {raster:?}");

            // As a control, the variant `both` differs from the other two variants.
            assert_eq!((&both.returns, both.members), (&raster.returns, shader.members), "{name}");
            assert_eq!(both.writes, capture.writes, "{name}: {both:?}");
        }
    }
}

#[test]
fn what_an_old_version_would_drop_is_refused() {
    let work = Work::with(&[("a.vert", &SHADERS[0].source())]);
    let capture = "capture a.vert --varyings a --msl-version 2.0";
    work.succeeds(&format!("{capture} -o c.metal"));
    work.fails(&format!("{capture} -o c2.metal --variant both=b.metal"), 3, "MSL 2.0");
    assert!(!work.has("c2.metal") && !work.has("b.metal"));
}

#[test]
fn buffers_have_the_indices_that_the_user_asks_for_and_the_report_names() {
    let work = Work::with(&[("a.vert", &SHADERS[0].source())]);
    let capture = "capture a.vert --varyings a --set 3 --binding 4";
    let options = "-o c.metal --json --msl-buffer 3:4=9 --msl-buffer sizes=11";
    let report = json(&work.succeeds(&format!("{capture} {options}")));
    let text = work.text("c.metal");
    let entry = text.lines().find(|line| line.starts_with("vertex ")).unwrap();
    for part in
        ["polyshade_feedback_0 [[buffer(9)]]", "polyshade_host [[buffer(0)]]", "[[buffer(11)]]"]
    {
        assert!(entry.contains(part), "{part}: {entry}");
    }
    let buffers = report["msl"][0]["buffers"].as_array().unwrap().iter();
    let index = |one: &Value| (one["binding"].as_u64(), one["index"].as_u64().unwrap());
    let indices: Vec<_> = buffers.map(index).collect();
    assert_eq!(indices, [(Some(4), 9), (Some(5), 0), (None, 11)]);

    for buffers in ["3:4=1 --msl-buffer 3:5=1", "3:4=25", "0:9=1", "3:4=31"] {
        work.says(2, &format!("{capture} -o x.metal --msl-buffer {buffers}"));
        assert!(!work.has("x.metal"));
    }
}

#[test]
fn a_report_says_no_folders() {
    let work = Work::with(&[("in/a.vert", &SHADERS[0].source())]);
    for isolate in ["", " --isolate"] {
        let line = "batch in capture --varyings a --extension metal --reports --force -o out";
        work.succeeds(&format!("{line}{isolate}"));
        assert_eq!(work.json("out/a.vert.json")["msl"][0]["file"], "a.vert.metal", "{isolate}");
    }
}
