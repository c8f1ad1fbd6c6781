//! What becomes of the stages that front ends make: a vertex stage with distances, and a fragment stage without.

use polyshade::Module;
use polyshade::clip_cull::{
    Emulation, Exact, Options, Primitive, Target as Entry, combine, emulate_fragment, emulate_last,
    generate, normalize, separate, to_registers,
};
use polyshade::spv::ExecutionModel;
use polyshade_tests::shader::{disassemble, validate};
use polyshade_vulkan::vk;

/// The stages of a pipeline, in its order.
pub(super) type Stages = Vec<(vk::ShaderStageFlags, Vec<u32>)>;

fn target() -> Entry {
    Entry::new("main", ExecutionModel::VERTEX)
}

/// The vertex stage in another form.
#[track_caller]
pub(super) fn lowered(stages: &Stages, lower: impl Fn(&Module<'_>) -> Vec<u32>) -> Stages {
    let mut stages = stages.clone();
    let words = lower(&Module::parse(&stages[0].1).unwrap());
    validate(&words).unwrap_or_else(|error| panic!("{error}\n{}", disassemble(&words).unwrap()));
    stages[0].1 = words;
    stages
}

pub(super) fn there_and_back(m: &Module<'_>) -> Vec<u32> {
    let registers = to_registers(m, &target(), 5, 5, None).unwrap();
    let marks = registers.marks[1].clone();
    let options = Options::new(target()).outputs(marks);
    normalize(&registers.module, &options).unwrap().module.into_words()
}

/// One array of two, and two again.
pub(super) fn separated(m: &Module<'_>) -> Vec<u32> {
    let [clip, _] = to_registers(m, &target(), 5, 5, None).unwrap().outputs;
    let one = combine(m, &target(), None).unwrap();
    separate(&one.module, &target(), clip).unwrap().module.into_words()
}

/// The vertex stage without distances, and the geometry stage behind it that is made; and how many there were.
#[track_caller]
pub(super) fn with_geometry(stages: &Stages) -> (Stages, [u32; 2]) {
    let mut stages = stages.clone();
    let module = Module::parse(&stages[0].1).unwrap();
    let made = generate(&module, &target(), Primitive::Triangles, 5, &Exact::new()).unwrap();
    stages[0].1 = made.last.into_words();
    let geometry = made.geometry.expect("there are distances").into_words();
    validate(&geometry).unwrap();
    stages.insert(1, (vk::ShaderStageFlags::GEOMETRY, geometry));
    (stages, made.counts)
}

/// Both stages without distances: the fragment stage discards.
#[track_caller]
pub(super) fn emulated(stages: &Stages) -> Stages {
    let mut stages = stages.clone();
    let module = Module::parse(&stages[0].1).unwrap();
    let last = emulate_last(&module, &target(), &Emulation::at(5)).unwrap();
    let fragment = Module::parse(&stages[1].1).unwrap();
    let entry = Entry::new("main", ExecutionModel::FRAGMENT);
    let fragment = emulate_fragment(&fragment, &entry, &Emulation::at(5), last.counts).unwrap();
    let words = [last.module.into_words(), fragment.module.into_words()];
    stages.iter_mut().zip(words).for_each(|(stage, words)| stage.1 = words);
    stages
}
