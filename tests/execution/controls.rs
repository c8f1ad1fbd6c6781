//! Every oracle detects a lowering with a deliberate fault, because a test that cannot fail proves nothing.

use crate::drivers::{DRIVERS, Driver};
use crate::feedback::{Case, run_native, vertex_values};
use crate::hostile::{bound, only_written_in};
use crate::raster::{SCENE, SCENE_VARYINGS, all_scenes, pixels};
use crate::shaders::{INDICES, Varyings};
use crate::storage::{HOSTS, Storage, options};
use polyshade::Module;
use polyshade_tests::shader::{assemble, disassemble};
use polyshade_vulkan::ProvokingVertex;
use polyshade_vulkan::model::Topology;

const VARYINGS: Varyings = Varyings::Interleaved("v_index v_mixed");

/// The indices of the host parameters for the provoking vertex and the size of the first buffer.
const FLAGS: usize = 1;
const SIZE: usize = 6;

/// Edits a module's disassembly line by line. `edit` must change at least one line.
#[track_caller]
pub(crate) fn patch(words: &[u32], mut edit: impl FnMut(&str) -> Option<String>) -> Vec<u32> {
    let text = disassemble(words).expect("polyshade's words can be read");
    let mut edits = 0;
    let mut patched = String::new();
    for line in text.lines() {
        let edited = edit(line);
        edits += usize::from(edited.is_some());
        patched.push_str(edited.as_deref().unwrap_or(line));
        patched.push('\n');
    }
    assert!(edits > 0, "there is nothing to break in\n{text}");
    let mut patched = assemble(&patched).expect("the patched text is still a module");
    patched[1] = words[1];
    patched
}

/// Drops the first store to a pointer whose access chain contains `to`.
#[track_caller]
fn drop_store(words: &[u32], to: &str) -> Vec<u32> {
    let mut pointers = Vec::new();
    let mut dropped = false;
    patch(words, |line| {
        if let Some((result, definition)) = line.trim().split_once(" = ") {
            if definition.starts_with("OpAccessChain") && definition.contains(to) {
                pointers.push(result.to_owned());
            }
            return None;
        }
        let pointer = line.trim().strip_prefix("OpStore ")?.split(' ').next()?;
        let hit = pointer.contains(to) || pointers.iter().any(|known| known == pointer);
        (hit && !std::mem::replace(&mut dropped, true)).then(String::new)
    })
}

/// Returns a strip with enough room, whose captures show the order of vertices.
fn strip() -> Case {
    let mut case = Case::new(Topology::TriangleStrip, 5);
    case.draw.provoking_vertex = ProvokingVertex::Last;
    case
}

fn native(case: &Case) -> Vec<Vec<u8>> {
    run_native(&INDICES, VARYINGS, std::slice::from_ref(case)).swap_remove(0).memory
}

fn model(case: &Case) -> Vec<Vec<u8>> {
    let values = vertex_values(&INDICES, VARYINGS, std::slice::from_ref(case));
    case.model(&INDICES.layout(VARYINGS), values).memory
}

/// Runs the case on a driver with these host parameters.
fn run(storage: &Storage, driver: Driver, case: &Case, words: Vec<u32>) -> Vec<Vec<u8>> {
    storage.run_with(driver, std::slice::from_ref(case), |_| words.clone()).swap_remove(0)
}

/// Checks that both oracles notice the captures with these host parameters.
#[track_caller]
fn both_oracles_notice(storage: &Storage, case: &Case, words: &[u32]) {
    for driver in DRIVERS {
        let broken = run(storage, driver, case, words.to_vec());
        assert!(broken != native(case), "{driver:?}");
        assert!(broken != model(case), "{driver:?}");
    }
}

#[test]
fn both_oracles_notice_a_dropped_store() {
    let (case, mut storage) = (strip(), Storage::new(&INDICES, VARYINGS));
    let words = storage.host_params(&case);
    for driver in DRIVERS {
        assert!(run(&storage, driver, &case, words.clone()) == native(&case));
        assert!(run(&storage, driver, &case, words.clone()) == model(&case));
    }
    storage.words = drop_store(&storage.words, "_uint");
    both_oracles_notice(&storage, &case, &words);
}

#[test]
fn both_oracles_notice_swapped_corners() {
    let (case, storage) = (strip(), Storage::new(&INDICES, VARYINGS));
    let mut words = storage.host_params(&case);
    words[FLAGS] ^= 1;
    both_oracles_notice(&storage, &case, &words);
}

#[test]
fn both_oracles_notice_a_wrong_stride() {
    let (case, mut storage) = (strip(), Storage::new(&INDICES, VARYINGS));
    let stride = storage.layout[0].stride / 4;
    let constant = format!("OpConstant %uint {stride}");
    storage.words = patch(&storage.words, |line| {
        line.ends_with(&constant).then(|| line.replace(&constant, "OpConstant %uint 6"))
    });
    both_oracles_notice(&storage, &case, &storage.host_params(&case));
}

#[test]
fn both_oracles_notice_a_primitive_that_does_not_fit() {
    let (case, storage) = (Case { room: vec![5], ..strip() }, Storage::new(&INDICES, VARYINGS));
    let mut words = storage.host_params(&case);
    words[SIZE] += storage.layout[0].stride;
    both_oracles_notice(&storage, &case, &words);
}

#[test]
fn pixels_notice_a_dropped_store() {
    let storage = Storage::new(&SCENE, SCENE_VARYINGS);
    let broken = drop_store(storage.capture.raster_only.words(), "v_colour");
    for driver in DRIVERS {
        let cases = all_scenes();
        let original = pixels(driver, &SCENE.plain(), &cases);
        assert!(pixels(driver, &broken, &cases) != original, "{driver:?}");
    }
}

#[test]
fn guards_notice_a_range_that_is_not_kept() {
    let (case, storage) = (Case { room: vec![5], ..strip() }, Storage::new(&INDICES, VARYINGS));
    let range = case.buffers(&storage.layout).swap_remove(0).range;
    let right = storage.host_params(&case);
    let mut wrong = right.clone();
    wrong[SIZE] += storage.layout[0].stride;
    for driver in DRIVERS {
        let memory = &run(&storage, driver, &case, right.clone())[0];
        assert!(only_written_in(memory, range.clone()), "{driver:?}");
        let memory = &run(&storage, driver, &case, wrong.clone())[0];
        assert!(!only_written_in(memory, range.clone()), "{driver:?}");
    }
}

#[test]
fn guards_notice_a_length_that_is_not_asked_for() {
    let case = Case { room: vec![3], ..strip() };
    let mut storage = Storage::new(&INDICES, VARYINGS);
    let mut words = storage.host_params(&case);
    // Give the buffer a size for all three triangles, which is beyond the bound range but within the guard after it.
    words[SIZE] = 9 * storage.layout[0].stride;
    let memory = &run(&storage, Driver::SwiftShader, &case, words.clone())[0];
    assert!(only_written_in(memory, bound(memory)));

    storage.words = patch(&storage.words, |line| {
        if line.trim().ends_with("= OpTypeInt 32 0") {
            return Some(format!("{line}\n%endless = OpConstant %uint 1000000"));
        }
        let (result, _) = line.split_once(" = OpArrayLength ")?;
        Some(format!("{result} = OpCopyObject %uint %endless"))
    });
    let memory = &run(&storage, Driver::SwiftShader, &case, words)[0];
    assert!(!only_written_in(memory, bound(memory)));
}

#[test]
fn validation_notices_a_missing_point_size() {
    let module = Module::parse_owned(INDICES.plain()).expect("glslang's words parse");
    let options = options(VARYINGS, HOSTS[0]).point_size(false);
    let capture =
        polyshade_vulkan::Variants::new(&module, "main", &options).expect("it is supported");
    let mut storage = Storage::new(&INDICES, VARYINGS);
    storage.words = capture.capture_only.words().to_vec();

    let cases = [strip()];
    for driver in DRIVERS {
        let work = storage.work(&cases, |case| storage.host_params(case));
        let (_, messages) = driver.run_watched(&work);
        assert!(messages.iter().any(|message| message.text.contains("PointSize")), "{messages:?}");
    }
}
