//! Finds accesses of planned draws that do not wait for earlier accesses. It implements the APIs' memory rules
//! independently of the planner.
//!
//! [`any_sequence`] makes commands. [`executed`] plans them as a host would, with the earlier or the later uses of
//! the data. [`replay()`] executes the plans. None of them shares a table with the planner.

mod host;
mod memory;
mod replay;
mod sequence;
mod usage_scopes;

pub use host::{DependencyMode, Item, executed};
pub use memory::{Cells, DataKind};
pub use replay::replay;
pub use sequence::{Command, Drawn, Sequence, Used, any_sequence};
pub use usage_scopes::{BufferUse, UsageScope, usage_scopes, without_ends};

use polyshade_planner::{Accesses, Path, Scope, ShaderStage, Stages, Use};

/// The faults of a sequence.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Found {
    /// Accesses that do not wait for the accesses on which they depend.
    pub hazards: Vec<String>,
    /// Barriers and ends of passes that no access needs.
    pub idle: Vec<String>,
}

/// Plans a sequence in every mode and returns the first fault.
///
/// # Errors
///
/// The first hazard or unneeded barrier, with the mode of the dependencies.
pub fn check(sequence: &Sequence) -> Result<(), String> {
    for mode in DependencyMode::ALL {
        let items = executed(sequence, mode);
        let found = replay(&sequence.device, &items);
        if let Some(message) = found.hazards.first().or(found.idle.first()) {
            let steps = items.iter().map(text).collect::<Vec<_>>().concat();
            return Err(format!("{mode:?}: {message}\n{steps}"));
        }
    }
    Ok(())
}

fn text(item: &Item) -> String {
    match item {
        Item::BeginPass => "the application begins its pass\n".to_owned(),
        Item::EndPass => "the application ends its pass\n".to_owned(),
        Item::Wait(barrier) => format!("the application waits: {barrier}\n"),
        Item::Other(used) => format!("{used:?}\n"),
        Item::Draw(drawn, plan) => {
            let (draw, reads, captured) = (&drawn.draw, &drawn.reads, &drawn.captured);
            format!("{draw:?}\nreads {reads:?}\ncaptures {captured:?}\n{plan}")
        }
    }
}

/// Returns the accesses of a use in order, each with one stage and one access flag, and whether it writes. See the
/// specification's table of supported access types in the chapter on synchronization.
fn accesses(by: Use) -> Vec<(Scope, bool)> {
    use Accesses as A;
    use Stages as S;
    let shader = |stage| match stage {
        ShaderStage::Vertex => S::VERTEX_SHADER,
        ShaderStage::TessellationControl => S::TESSELLATION_CONTROL_SHADER,
        ShaderStage::TessellationEvaluation => S::TESSELLATION_EVALUATION_SHADER,
        ShaderStage::Geometry => S::GEOMETRY_SHADER,
        ShaderStage::Fragment => S::FRAGMENT_SHADER,
        ShaderStage::Compute => S::COMPUTE_SHADER,
    };
    let reads = |stages, accesses| (Scope { stages, accesses }, false);
    let writes = |stages, accesses| (Scope { stages, accesses }, true);
    match by {
        Use::Capture(Path::Extension) => {
            vec![writes(S::TRANSFORM_FEEDBACK, A::TRANSFORM_FEEDBACK_WRITE)]
        }
        Use::Capture(Path::Storage) => vec![writes(S::VERTEX_SHADER, A::SHADER_WRITE)],
        Use::Capture(Path::Compute) => vec![writes(S::COMPUTE_SHADER, A::SHADER_WRITE)],
        Use::Vertices => vec![reads(S::VERTEX_INPUT, A::VERTEX_ATTRIBUTE_READ)],
        Use::Indices => vec![reads(S::VERTEX_INPUT, A::INDEX_READ)],
        Use::IndirectArguments | Use::ByteCount => {
            vec![reads(S::DRAW_INDIRECT, A::INDIRECT_COMMAND_READ)]
        }
        Use::Uniform(stage) => vec![reads(shader(stage), A::UNIFORM_READ)],
        Use::Storage(stage) | Use::Texels(stage) => vec![reads(shader(stage), A::SHADER_READ)],
        Use::Store(stage) => {
            vec![reads(shader(stage), A::SHADER_READ), writes(shader(stage), A::SHADER_WRITE)]
        }
        Use::CopySource => vec![reads(S::TRANSFER, A::TRANSFER_READ)],
        Use::CopyDestination => vec![writes(S::TRANSFER, A::TRANSFER_WRITE)],
        Use::HostRead => vec![reads(S::HOST, A::HOST_READ)],
        Use::HostWrite => vec![writes(S::HOST, A::HOST_WRITE)],
        // In Vulkan, either stage may make this read.
        Use::Resume => {
            let access = A::TRANSFORM_FEEDBACK_COUNTER_READ;
            vec![reads(S::DRAW_INDIRECT, access), reads(S::TRANSFORM_FEEDBACK, access)]
        }
        Use::Save => vec![writes(S::TRANSFORM_FEEDBACK, A::TRANSFORM_FEEDBACK_COUNTER_WRITE)],
    }
}
