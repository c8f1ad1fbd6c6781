//! The comparison with native patches detects faults of every stage.

use super::pipeline::{Native, Pipeline};
use super::shaders::Modes;
use super::{Compared, ITEM, NATIVE_ROOM, Patches, compare, modes, patches, run};
use crate::controls::patch;
use crate::drivers::DRIVERS;
use polyshade_tests::shader::validate;

/// The stages of a pipeline.
const CONTROL: usize = 0;
const ALLOCATE: usize = 1;
const TESSELLATE: usize = 2;
const EVALUATION: usize = 3;

/// A fault: a stage, and an edit of its lines.
type Fault = (usize, &'static dyn Fn(&str) -> Option<String>);

fn drops(line: &str, text: &str) -> Option<String> {
    line.contains(text).then(String::new)
}

fn replaces(line: &str, from: &str, to: &str) -> Option<String> {
    line.contains(from).then(|| line.replace(from, to))
}

const FAULTS: [Fault; 10] = [
    // The last input vertex is missing, the instance is taken for the patch, and nothing waits for other invocations.
    (CONTROL, &|line| drops(line, "%load_in_buffer %uint_2")),
    (CONTROL, &|line| replaces(line, "OpUMod", "OpUDiv")),
    (CONTROL, &|line| drops(line, "OpControlBarrier")),
    // The table has no sums, or they are read too early.
    (ALLOCATE, &|line| {
        let is_call = line.contains("OpFunctionCall %v2uint %add_both");
        let first = line.rsplit_once(' ').expect("it has arguments").0;
        is_call.then(|| first.replace("OpFunctionCall %v2uint %add_both", "OpCopyObject %v2uint"))
    }),
    (ALLOCATE, &|line| drops(line, "OpFunctionCall %void %wait_for_table")),
    // Triangles are reversed, or those in the middle are missing.
    (TESSELLATE, &|line| {
        let is_call = line.contains("%void %write_triangles");
        is_call.then(|| line.replace("%true", "%false"))
    }),
    (TESSELLATE, &|line| drops(line, "%store_triangle %")),
    // A vertex is of another patch, the patches of instances have different numbers, and points have no number.
    (EVALUATION, &|line| {
        let is_call = line.contains("%load_in_buffer_1 %uint_2");
        is_call.then(|| line.rsplit_once(' ').expect("it has arguments").0.to_owned() + " %uint_0")
    }),
    (EVALUATION, &|line| replaces(line, "OpUMod", "OpUDiv")),
    (EVALUATION, &|line| drops(line, "%load_in_buffer %uint_0")),
];

#[test]
fn faults_are_noticed() {
    // Invocations of several subgroups read each other's outputs.
    let modes = Modes { outputs: 12, ..modes("triangles", "equal_spacing") };
    let native = patches(&Native::new(&modes).capture(ITEM, NATIVE_ROOM));
    for driver in DRIVERS {
        let compared = |pipeline: &Pipeline| {
            let found: Patches = patches(&run(pipeline, driver, ITEM).1);
            compare(&found, &native, (3, Compared::Positions))
        };
        let whole = || Pipeline::new(&modes);
        compared(&whole()).unwrap_or_else(|error| panic!("{driver:?}: {error}"));
        for (number, (stage, fault)) in FAULTS.iter().enumerate() {
            let mut broken = whole();
            let made = match *stage {
                EVALUATION => &mut broken.evaluation,
                stage => &mut broken.stages[stage],
            };
            made.words = patch(&made.words, fault);
            validate(&made.words).unwrap_or_else(|error| panic!("fault {number}: {error}"));
            assert!(compared(&broken).is_err(), "{driver:?}: fault {number} is not noticed");
        }
    }
}
