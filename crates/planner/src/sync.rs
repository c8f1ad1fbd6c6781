//! The pipeline stages and accesses of each use of captured data and counters.
//!
//! The stages and accesses have the names and values of the Vulkan flags.

use super::state::{Path, ShaderStage, Use};
use polyshade::host::ParamSource;
#[cfg(feature = "serde")]
use serde::Serialize;
use std::fmt;
use std::ops::BitOr;

macro_rules! flags {
    ($(#[$doc:meta])* $name:ident: $vulkan:literal { $($flag:ident = $bits:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
        pub struct $name(u32);

        #[allow(missing_docs)]
        impl $name {
            $(pub const $flag: Self = Self($bits);)*
        }

        impl $name {
            /// All flags, with their names.
            pub const NAMES: &[(Self, &'static str)] =
                &[$((Self::$flag, stringify!($flag)),)*];

            #[doc = concat!("The bits of `", $vulkan, "`.")]
            pub fn bits(self) -> u32 {
                self.0
            }

            /// Whether the set is empty.
            pub fn is_empty(self) -> bool {
                self.0 == 0
            }

            /// Whether all flags of `other` are set.
            pub fn contains(self, other: Self) -> bool {
                self.0 & other.0 == other.0
            }

            /// The names of the flags, in the order of their bits.
            pub fn names(self) -> impl Iterator<Item = &'static str> {
                Self::NAMES.iter().filter(move |(flag, _)| self.contains(*flag)).map(|(_, name)| *name)
            }
        }

        impl BitOr for $name {
            type Output = Self;

            fn bitor(self, other: Self) -> Self {
                Self(self.0 | other.0)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                if self.is_empty() {
                    return f.write_str("none");
                }
                for (index, name) in self.names().enumerate() {
                    write!(f, "{}{name}", if index > 0 { " | " } else { "" })?;
                }
                Ok(())
            }
        }

        #[cfg(feature = "serde")]
        impl Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_seq(self.names())
            }
        }
    };
}

flags! {
    /// Pipeline stages. The names are Vulkan's, without prefix and suffix.
    Stages: "VkPipelineStageFlags" {
        DRAW_INDIRECT = 0x2,
        VERTEX_INPUT = 0x4,
        VERTEX_SHADER = 0x8,
        TESSELLATION_CONTROL_SHADER = 0x10,
        TESSELLATION_EVALUATION_SHADER = 0x20,
        GEOMETRY_SHADER = 0x40,
        FRAGMENT_SHADER = 0x80,
        EARLY_FRAGMENT_TESTS = 0x100,
        LATE_FRAGMENT_TESTS = 0x200,
        COLOR_ATTACHMENT_OUTPUT = 0x400,
        COMPUTE_SHADER = 0x800,
        TRANSFER = 0x1000,
        HOST = 0x4000,
        TRANSFORM_FEEDBACK = 0x0100_0000,
    }
}

flags! {
    /// Memory accesses. The names are Vulkan's, without prefix and suffix.
    Accesses: "VkAccessFlags" {
        INDIRECT_COMMAND_READ = 0x1,
        INDEX_READ = 0x2,
        VERTEX_ATTRIBUTE_READ = 0x4,
        UNIFORM_READ = 0x8,
        INPUT_ATTACHMENT_READ = 0x10,
        SHADER_READ = 0x20,
        SHADER_WRITE = 0x40,
        COLOR_ATTACHMENT_READ = 0x80,
        COLOR_ATTACHMENT_WRITE = 0x100,
        DEPTH_STENCIL_ATTACHMENT_READ = 0x200,
        DEPTH_STENCIL_ATTACHMENT_WRITE = 0x400,
        TRANSFER_READ = 0x800,
        TRANSFER_WRITE = 0x1000,
        HOST_READ = 0x2000,
        HOST_WRITE = 0x4000,
        COLOR_ATTACHMENT_READ_NONCOHERENT = 0x0008_0000,
        TRANSFORM_FEEDBACK_WRITE = 0x0200_0000,
        TRANSFORM_FEEDBACK_COUNTER_READ = 0x0400_0000,
        TRANSFORM_FEEDBACK_COUNTER_WRITE = 0x0800_0000,
    }
}

impl ShaderStage {
    fn stage(self) -> Stages {
        match self {
            Self::Vertex => Stages::VERTEX_SHADER,
            Self::TessellationControl => Stages::TESSELLATION_CONTROL_SHADER,
            Self::TessellationEvaluation => Stages::TESSELLATION_EVALUATION_SHADER,
            Self::Geometry => Stages::GEOMETRY_SHADER,
            Self::Fragment => Stages::FRAGMENT_SHADER,
            Self::Compute => Stages::COMPUTE_SHADER,
        }
    }
}

impl Use {
    /// Returns the stages and accesses of the use.
    pub fn scope(self) -> Scope {
        use Accesses as A;
        let (stages, accesses) = match self {
            Self::Capture(Path::Extension) => {
                (Stages::TRANSFORM_FEEDBACK, A::TRANSFORM_FEEDBACK_WRITE)
            }
            Self::Capture(Path::Storage) => (Stages::VERTEX_SHADER, A::SHADER_WRITE),
            Self::Capture(Path::Compute) => (Stages::COMPUTE_SHADER, A::SHADER_WRITE),
            Self::Vertices => (Stages::VERTEX_INPUT, A::VERTEX_ATTRIBUTE_READ),
            Self::Indices => (Stages::VERTEX_INPUT, A::INDEX_READ),
            Self::IndirectArguments | Self::ByteCount => {
                (Stages::DRAW_INDIRECT, A::INDIRECT_COMMAND_READ)
            }
            Self::Uniform(stage) => (stage.stage(), A::UNIFORM_READ),
            Self::Storage(stage) | Self::Texels(stage) => (stage.stage(), A::SHADER_READ),
            Self::Store(stage) => (stage.stage(), A::SHADER_READ | A::SHADER_WRITE),
            Self::CopySource => (Stages::TRANSFER, A::TRANSFER_READ),
            Self::CopyDestination => (Stages::TRANSFER, A::TRANSFER_WRITE),
            Self::HostRead => (Stages::HOST, A::HOST_READ),
            Self::HostWrite => (Stages::HOST, A::HOST_WRITE),
            // Vulkan allows this read in either of the two stages, and drivers differ.
            Self::Resume => (
                Stages::DRAW_INDIRECT | Stages::TRANSFORM_FEEDBACK,
                A::TRANSFORM_FEEDBACK_COUNTER_READ,
            ),
            Self::Save => (Stages::TRANSFORM_FEEDBACK, A::TRANSFORM_FEEDBACK_COUNTER_WRITE),
        };
        Scope { stages, accesses }
    }

    /// Whether the use is a write.
    pub fn writes(self) -> bool {
        match self {
            Self::Capture(_)
            | Self::Store(_)
            | Self::CopyDestination
            | Self::HostWrite
            | Self::Save => true,
            Self::Vertices
            | Self::Indices
            | Self::IndirectArguments
            | Self::Uniform(_)
            | Self::Storage(_)
            | Self::Texels(_)
            | Self::CopySource
            | Self::HostRead
            | Self::Resume
            | Self::ByteCount => false,
        }
    }

    /// Whether a draw can use data in this way.
    pub(super) fn is_drawn(self) -> bool {
        match self {
            Self::Uniform(stage)
            | Self::Storage(stage)
            | Self::Texels(stage)
            | Self::Store(stage) => stage != ShaderStage::Compute,
            Self::Capture(path) => path != Path::Compute,
            Self::Vertices | Self::Indices | Self::IndirectArguments | Self::ByteCount => true,
            Self::CopySource
            | Self::CopyDestination
            | Self::HostRead
            | Self::HostWrite
            | Self::Resume
            | Self::Save => false,
        }
    }

    /// Whether only counters, and never captured data, can be used in this way.
    pub(super) fn is_of_counters(self) -> bool {
        matches!(self, Self::Resume | Self::Save | Self::ByteCount)
    }
}

/// Pipeline stages and their accesses.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(Serialize))]
pub struct Scope {
    /// The stages.
    pub stages: Stages,
    /// The accesses; empty for an execution dependency.
    pub accesses: Accesses,
}

/// The data that a barrier protects.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize), serde(rename_all = "snake_case"))]
pub enum Resource {
    /// The captured data in all feedback buffers.
    Captured,
    /// The counters of all feedback buffers.
    Counters,
    /// The counter that the vertex count of a draw is computed from.
    Count,
    /// The attachments of the application's pass, which was interrupted.
    Attachments,
    /// The arguments, indices and vertex attributes of a draw.
    Inputs,
    /// The memory of the [counter pass](crate::counter_pass): state, host parameters, tables and draw arguments.
    DeviceCounters,
    /// The outputs that one pass stores and the next pass reads.
    Outputs,
}

impl Resource {
    /// The name of the resource.
    pub fn name(self) -> &'static str {
        match self {
            Self::Captured => "captured data",
            Self::Counters => "counters",
            Self::Count => "vertex count",
            Self::Attachments => "attachments",
            Self::Inputs => "inputs",
            Self::DeviceCounters => "device counters",
            Self::Outputs => "outputs",
        }
    }
}

/// A barrier: the accesses in `from` finish, and their writes become visible, before the accesses in `to` begin.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize))]
pub struct Barrier {
    /// The data that the barrier protects.
    pub resource: Resource,
    /// The first synchronization scope. Its accesses are only writes, so there are none if the data was only read.
    pub from: Scope,
    /// The second synchronization scope.
    pub to: Scope,
}

/// Returns the barrier between earlier and later uses of captured data or counters; `None` if neither list has a
/// write or one list is empty.
pub fn barrier(resource: Resource, from: &[Use], to: &[Use]) -> Option<Barrier> {
    let (from_writes, to_writes) = (writes(from), writes(to));
    if from.is_empty() || to.is_empty() || !(from_writes || to_writes) {
        return None;
    }
    let mut barrier = Barrier { resource, from: Scope::default(), to: Scope::default() };
    // Reads need not wait for other reads.
    for one in from.iter().filter(|one| to_writes || one.writes()) {
        let scope = one.scope();
        barrier.from.stages = barrier.from.stages | scope.stages;
        if one.writes() {
            barrier.from.accesses = barrier.from.accesses | written(scope.accesses);
        }
    }
    for one in to.iter().filter(|one| from_writes || one.writes()) {
        let scope = one.scope();
        barrier.to.stages = barrier.to.stages | scope.stages;
        if from_writes {
            barrier.to.accesses = barrier.to.accesses | scope.accesses;
        }
    }
    Some(barrier)
}

/// Returns the barrier for the attachments between two parts of an interrupted pass.
pub(super) fn attachments() -> Barrier {
    use Accesses as A;
    let stages = Stages::EARLY_FRAGMENT_TESTS
        | Stages::LATE_FRAGMENT_TESTS
        | Stages::COLOR_ATTACHMENT_OUTPUT;
    let drawn = A::COLOR_ATTACHMENT_WRITE | A::DEPTH_STENCIL_ATTACHMENT_WRITE;
    let loaded = A::COLOR_ATTACHMENT_READ | A::DEPTH_STENCIL_ATTACHMENT_READ;
    Barrier {
        resource: Resource::Attachments,
        from: Scope { stages, accesses: drawn },
        to: Scope { stages, accesses: drawn | loaded },
    }
}

/// Returns the barrier between the capture on `path` and the pass that reads the stored outputs.
pub(super) fn outputs(path: Path) -> Barrier {
    let stage = match path {
        Path::Compute => Stages::COMPUTE_SHADER,
        Path::Storage | Path::Extension => Stages::VERTEX_SHADER,
    };
    let from = Scope { stages: stage, accesses: Accesses::SHADER_WRITE };
    Barrier { resource: Resource::Outputs, from, to: Use::Storage(ShaderStage::Vertex).scope() }
}

/// Returns the barrier before the counter pass, which overwrites data that earlier draws or submissions read.
pub(super) fn before_counter_pass() -> Barrier {
    let from = Scope {
        stages: Stages::DRAW_INDIRECT | Stages::VERTEX_SHADER | Stages::COMPUTE_SHADER,
        accesses: Accesses::SHADER_WRITE,
    };
    Barrier { resource: Resource::DeviceCounters, from, to: by_counter_pass() }
}

/// Returns the barrier between the shader that builds the segment tables and the counter pass, which reads the
/// tables.
pub(super) fn within_counter_pass() -> Barrier {
    let from = Scope { stages: Stages::COMPUTE_SHADER, accesses: Accesses::SHADER_WRITE };
    Barrier { resource: Resource::DeviceCounters, from, to: by_counter_pass() }
}

/// Returns the barrier between the counter pass and the reads of its results: host parameters, draw arguments, or
/// both.
pub(super) fn after_counter_pass(
    words: Option<ParamSource>,
    stage: ShaderStage,
    arguments: bool,
) -> Barrier {
    let from = Scope { stages: Stages::COMPUTE_SHADER, accesses: Accesses::SHADER_WRITE };
    // The shader may also read segment tables, as storage buffers.
    let uses = [
        words.map(|_| Use::Storage(stage)),
        matches!(words, Some(ParamSource::Uniform { .. })).then_some(Use::Uniform(stage)),
        arguments.then_some(Use::IndirectArguments),
    ];
    let to = uses.into_iter().flatten().fold(Scope::default(), |to, one| {
        let Scope { stages, accesses } = one.scope();
        Scope { stages: to.stages | stages, accesses: to.accesses | accesses }
    });
    Barrier { resource: Resource::DeviceCounters, from, to }
}

fn by_counter_pass() -> Scope {
    let accesses = Accesses::SHADER_READ | Accesses::SHADER_WRITE;
    Scope { stages: Stages::COMPUTE_SHADER, accesses }
}

fn writes(uses: &[Use]) -> bool {
    uses.iter().any(|one| one.writes())
}

/// Keeps only writes, because only writes must be made available.
fn written(accesses: Accesses) -> Accesses {
    Accesses(accesses.0 & !Accesses::SHADER_READ.0)
}
