//! The trial that runs tessellation stages as other stages.

use crate::lowerings::{BEFORE, before, target};
use crate::{Choices, Made};
use polyshade::host::{Binding, Lowered, ParamSource, Set, Target};
use polyshade::spv::ExecutionModel;
use polyshade::spv::view::EntryPoint;
use polyshade::transform_feedback::{Layout, Options, tessellation};
use polyshade::{Error, Module};
use std::sync::LazyLock;

/// Makes the stages of a control or evaluation shader. The preceding stage is another entry point of the module, or an
/// embedded shader.
pub(crate) fn provide(m: &Module<'_>, entry: EntryPoint<'_>, choices: &mut Choices) -> Made {
    let target = target(entry, choices);
    let (points, options) = (1 + choices.below(32), options(choices));
    if entry.model() == ExecutionModel::TESSELLATION_CONTROL {
        let control = control(m, &target, (points, &options))?;
        return Ok(vec![("control", control.module.into_owned())]);
    }
    let own = preceding(m, ExecutionModel::TESSELLATION_CONTROL);
    let own = own.and_then(|target| Some(control(m, &target, (points, &options)).ok()?.result));
    let layout = own.unwrap_or_else(|| CONTROL.clone());
    let layout = if choices.maybe() { layout.lower_left_origin() } else { layout };
    // One stage, because most of the cost of a stage is the tessellator's code.
    let (name, made) = match choices.below(3) {
        0 => ("allocate", tessellation::allocate(m, &target, &layout, &options)?),
        1 => ("tessellate", tessellation::tessellate(m, &target, &layout, &options)?),
        _ => ("evaluation", tessellation::evaluation(m, &target, &layout, &options)?),
    };
    Ok(vec![(name, made.module.into_owned())])
}

/// Runs a control shader after a vertex stage of the module, or after an embedded vertex stage.
fn control<'m>(
    m: &'m Module<'_>,
    target: &Target,
    (points, options): (u32, &Options),
) -> Result<Lowered<'m, Layout>, Error> {
    let own = preceding(m, ExecutionModel::VERTEX);
    let own = own.and_then(|target| before(m, &target, true).ok());
    let vertex = own.unwrap_or_else(|| BEFORE[1].clone());
    tessellation::control(m, target, &vertex, points, options)
}

/// Returns the entry point of this stage.
fn preceding(m: &Module<'_>, stage: ExecutionModel) -> Option<Target> {
    let entry = m.entry_points().find(|entry| entry.model() == stage)?;
    Some(Target::new(entry.name()).stage(stage))
}

fn options(choices: &mut Choices) -> Options {
    let options = Options::new();
    let options = match choices.maybe() {
        true => options.into_storage(Set(choices.number()), Binding(choices.number())),
        false => options,
    };
    let options = match choices.below(6) {
        0 | 1 => options,
        2 => options.params(ParamSource::Uniform { set: Set(2), binding: Binding(7) }),
        3 => options.params(ParamSource::PushConstant { offset: choices.offset() }),
        4 => options.params(ParamSource::Specialization { first_id: choices.number() }),
        _ => options.params(ParamSource::StorageBuffer { set: Set(0), binding: Binding(9) }),
    };
    if choices.rarely() {
        let (id, bits) = (choices.below(4), u64::from(choices.number()));
        return options.specialize(id, bits);
    }
    options
}

/// The layout of a control stage with a vector at each of the first locations, for vertices and for patches.
static CONTROL: LazyLock<Layout> = LazyLock::new(|| {
    let (words, _) = include_bytes!("control.spv").as_chunks::<4>();
    let words: Vec<u32> = words.iter().map(|word| u32::from_le_bytes(*word)).collect();
    let module = Module::parse(&words).expect("the embedded shader is a module");
    let made = control(&module, &Target::new("main"), (3, &Options::new()));
    made.expect("the embedded shader can run as a compute stage").result
});
