//! Captures with device-owned counters in APIs without barriers, in which only the ends of passes wait. The model of
//! encoders executes them, with MSL compiled as C++ or with WGSL. The counter pass's own shaders are translated too.

use super::{Case, On, Subject, Way, difference, execute, some_of};
use crate::noise::Noise;
use crate::storage::HOSTS;
use crate::webgpu::{WebGpu, tests_in_webgpu};
use polyshade_metal::Metal;
use polyshade_planner::{CounterPass, ParamValue, Path, Preset, Step};
use polyshade_vulkan::{Capabilities, Counts, Error, Layer, Message, Outcome, Runner, Work};

/// The number of captures of each kind that are executed for Metal.
const CASES: usize = 6;

/// Returns captures of indexed draws with primitive restart, or of draws without indices.
fn some(noise: &mut Noise, path: Path, indexed: bool) -> (Subject, Vec<Case>) {
    some_of(noise, (HOSTS[0], path), (indexed, indexed), false)
}

/// Executes cases with edited plans, and compares each result with the model.
fn right(
    subject: &Subject,
    way: Way<'_>,
    cases: &[Case],
    edit: impl Fn(&mut Step),
) -> Vec<Result<(), String>> {
    let of = |case: &Case| {
        let cases = std::slice::from_ref(case);
        let mut left = execute(subject, way, cases, |plan| plan.steps.iter_mut().for_each(&edit));
        let (model, left) = (case.model(subject, 1), left.swap_remove(0));
        if model == left { Ok(()) } else { Err(difference(case, &model, &left)) }
    };
    cases.iter().map(of).collect()
}

/// The counter pass runs between two encoders of the application's pass.
#[test]
fn the_device_keeps_on_metal() {
    let metal = Metal::new().expect("a machine that builds polyshade has a C++ compiler");
    let on = On::Encoders(Preset::Metal, &metal);
    let mut noise = Noise::new();
    for path in [Path::Storage, Path::Compute] {
        for indexed in [false, true] {
            let (subject, cases) = some(&mut noise, path, indexed);
            let way = Way { on, path, again: 0 };
            for one in right(&subject, way, &cases[..CASES], |_| {}) {
                one.unwrap_or_else(|what| panic!("{path:?} {what}"));
            }
        }
    }
}

/// Sets the vertex count of variants to 0.
fn without_vertices(step: &mut Step) {
    let Step::CounterPass(CounterPass { params: Some(words), .. }) = step else { return };
    let counts = |word: &&mut ParamValue| **word == ParamValue::VertexCount;
    words.values.iter_mut().filter(counts).for_each(|word| *word = ParamValue::Constant(0));
}

#[test]
fn wrong_plans_for_metal_are_noticed() {
    let metal = Metal::new().expect("a machine that builds polyshade has a C++ compiler");
    let on = On::Encoders(Preset::Metal, &metal);
    for path in [Path::Storage, Path::Compute] {
        let (subject, cases) = some(&mut Noise::new(), path, false);
        let way = Way { on, path, again: 0 };
        let right = right(&subject, way, &cases[..CASES], without_vertices);
        assert!(right.iter().any(Result::is_err), "{path:?}");
    }
}

/// WebGPU as a device with the capabilities that every device has.
struct Web {
    by: WebGpu,
    capabilities: Capabilities,
}

impl Runner for Web {
    fn run(&self, work: &Work<'_>) -> Result<Outcome, Error> {
        // WebGPU has no empty buffers.
        let mut work = work.clone();
        let sizes: Vec<usize> = work.buffers.iter().map(Vec::len).collect();
        work.buffers.iter_mut().for_each(|bytes| bytes.resize(bytes.len().max(4), 0));
        let crate::webgpu::Outcome { mut buffers, targets } = self.by.run(&work);
        buffers.iter_mut().zip(sizes).for_each(|(bytes, size)| bytes.truncate(size));
        let captured = vec![None; work.draws.len()];
        Ok(Outcome { buffers, textures: Vec::new(), targets, captured })
    }

    fn count(&self, _: &Work<'_>) -> Result<(Outcome, Vec<Counts>), Error> {
        Err(Error::Unsupported("counts".to_owned()))
    }

    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    fn validation_layer(&self) -> Option<&Layer> {
        None
    }

    fn take_messages(&self) -> Vec<Message> {
        Vec::new()
    }
}

tests_in_webgpu!(wgpu: keeps_in_webgpu);

/// Checks that dispatches capture as the model does, and that a wrong plan is detected.
fn keeps_in_webgpu(by: WebGpu) {
    let mut capabilities = Capabilities::of_metal(String::new());
    capabilities.limits.min_storage_buffer_offset_alignment = 256;
    let web = Web { by, capabilities };
    let (on, path) = (On::Encoders(Preset::WebGpu, &web), Path::Compute);
    let way = Way { on, path, again: 0 };
    let mut noise = Noise::new();
    for indexed in [false, true] {
        let (subject, mut cases) = some(&mut noise, path, indexed);
        let written = |case: &Case| case.model(&subject, 1).1.iter().any(|count| count.written > 0);
        cases.retain(written);
        // Each dispatch starts a process that compiles its shader.
        cases.truncate(1);
        for one in right(&subject, way, &cases, |_| {}) {
            one.unwrap_or_else(|what| panic!("{what}"));
        }
        let wrong = right(&subject, way, &cases[..1], without_vertices);
        assert!(wrong.iter().all(Result::is_err), "{indexed}");
    }
}
