//! The inputs and outputs of tessellation stages, and their places in the buffers.

use crate::code::{self, refuse};
use crate::rewrite;
use crate::transform_feedback::emit::OF_ALL_STAGES;
use crate::transform_feedback::geometry::{Given, by_place, word_of};
use crate::transform_feedback::leaves::{Leaf, leaves};
use crate::transform_feedback::outputs::{Output, Outputs as Found};
use crate::transform_feedback::patches::{LEVELS, Patches};
use crate::transform_feedback::spilled::{self, is_handed_on};
use crate::transform_feedback::spilled_output::SpilledOutput;
use crate::transform_feedback::{Layout, MAX_STRIDE};
use polyshade_spv::view::{EntryPoint, Variable};
use polyshade_spv::{BuiltIn, Error, Id, Module, StorageClass, Type};

/// A vector or scalar, and its offset in a vertex or patch in 32-bit units. The path of its part lacks the number of
/// the vertex.
#[derive(Clone, Debug)]
pub(super) struct Placed {
    pub(super) leaf: Leaf,
    pub(super) word: u32,
}

/// The built-ins that a stage loads.
const LOADED: [BuiltIn; 6] = [
    BuiltIn::TESS_LEVEL_OUTER,
    BuiltIn::TESS_LEVEL_INNER,
    BuiltIn::POSITION,
    BuiltIn::POINT_SIZE,
    BuiltIn::CLIP_DISTANCE,
    BuiltIn::CULL_DISTANCE,
];

/// A built-in that the stage computes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Computed {
    pub(super) variable: Id,
    pub(super) ty: Id,
    pub(super) builtin: BuiltIn,
}

/// The inputs that a compute or vertex stage loads or computes.
#[derive(Clone, Debug, Default)]
pub(super) struct Inputs {
    /// The variables, which become private.
    pub(super) variables: Vec<Id>,
    pub(super) of_vertex: Vec<Placed>,
    pub(super) of_patch: Vec<Placed>,
    pub(super) computed: Vec<Computed>,
    /// The number of vertices that all arrays have.
    pub(super) vertices: u32,
}

/// The outputs of a control stage.
#[derive(Clone, Debug, Default)]
pub(super) struct Outputs {
    pub(super) variables: Vec<Id>,
    pub(super) of_vertex: Vec<Placed>,
    pub(super) of_patch: Vec<Placed>,
    /// The places of these outputs, for the layout.
    listed: [Vec<SpilledOutput>; 2],
}

impl Inputs {
    /// Finds the inputs of a control stage after a vertex stage.
    pub(super) fn of_control(
        m: &Module<'_>,
        entry: EntryPoint<'_>,
        before: &Layout,
    ) -> Result<Self, Error> {
        let builtins = [BuiltIn::PRIMITIVE_ID, BuiltIn::INVOCATION_ID, BuiltIn::PATCH_VERTICES];
        let mut inputs = Self::find(m, entry, (&builtins, &OF_ALL_STAGES, "compute"))?;
        inputs.of_vertex = matched(m, entry, false, &by_place(&before.spilled))?;
        Ok(inputs)
    }

    /// Finds the inputs of an evaluation stage after a control stage.
    pub(super) fn of_evaluation(
        m: &Module<'_>,
        entry: EntryPoint<'_>,
        control: &Patches,
    ) -> Result<Self, Error> {
        let builtins = [BuiltIn::PRIMITIVE_ID, BuiltIn::TESS_COORD, BuiltIn::PATCH_VERTICES];
        let kept = [&OF_ALL_STAGES[..], &[BuiltIn::VIEW_INDEX]].concat();
        let mut inputs = Self::find(m, entry, (&builtins, &kept, "vertex"))?;
        inputs.of_vertex = matched(m, entry, false, &by_place(&control.of_vertex))?;
        inputs.of_patch = matched(m, entry, true, &by_place(&control.of_patch))?;
        Ok(inputs)
    }

    /// Whether the stage reads the number of the patch.
    pub(super) fn has_primitive(&self) -> bool {
        self.computed.iter().any(|one| one.builtin == BuiltIn::PRIMITIVE_ID)
    }

    /// Finds the variables. The built-ins in `builtins` are computed, and those in `kept` remain inputs. Others are an
    /// error, which names the `stage` that lacks them.
    fn find(
        m: &Module<'_>,
        entry: EntryPoint<'_>,
        (builtins, kept, stage): (&[BuiltIn], &[BuiltIn], &str),
    ) -> Result<Self, Error> {
        let mut inputs = Self { vertices: u32::MAX, ..Self::default() };
        for variable in rewrite::interface(m, entry, StorageClass::INPUT) {
            let ty = m.pointee(variable).unwrap_or(variable);
            let builtin = m.builtin(variable);
            match builtin {
                Some(builtin) if builtins.contains(&builtin) => {
                    inputs.computed.push(Computed { variable, ty, builtin });
                }
                Some(builtin) if kept.contains(&builtin) => continue,
                _ => {}
            }
            // The built-ins of a vertex or patch, which may also be members of a block, are loaded.
            let structure = m.innermost_element(ty);
            let members = (0..m.members(structure).len() as u32)
                .filter_map(|member| m.member_builtin(structure, member));
            let own = builtin.filter(|builtin| !builtins.contains(builtin));
            if own.into_iter().chain(members).any(|builtin| !LOADED.contains(&builtin)) {
                let message =
                    format!("cannot run the shader as a {stage} stage: it lacks a built-in input");
                return refuse(&code::TESSELLATION_BUILT_IN, message, variable);
            }
            if let Some(length) = Found::vertices(m, variable) {
                inputs.vertices = inputs.vertices.min(length);
            }
            inputs.variables.push(variable);
        }
        Ok(inputs)
    }
}

impl Outputs {
    /// Finds the outputs of a control stage.
    pub(super) fn find(m: &Module<'_>, entry: EntryPoint<'_>) -> Result<Self, Error> {
        let variables = rewrite::interface(m, entry, StorageClass::OUTPUT);
        let initialized = variables.iter().find(|id| {
            m.definition(**id).and_then(Variable::of).is_some_and(|one| one.initializer().is_some())
        });
        if let Some(variable) = initialized {
            let message = "cannot share an output with an initial value between invocations";
            return refuse(&code::INTERFACE_INITIALIZED_OUTPUT, message, *variable);
        }
        let mut outputs = Self { variables, ..Self::default() };
        for (list, per_patch) in [false, true].into_iter().enumerate() {
            let found = Found::of_patch(m, entry, StorageClass::OUTPUT, per_patch);
            let mut next = if per_patch { LEVELS } else { 0 };
            for output in &found.all {
                let handed_on = is_handed_on(m, output, usize::from(!per_patch));
                if per_patch || handed_on {
                    outputs.add((m, output), (list, &mut next))?;
                }
            }
        }
        Ok(outputs)
    }

    /// Adds the vectors and scalars of an output. `next` is the next free place.
    fn add(
        &mut self,
        (m, output): (&Module<'_>, &Output<'_>),
        (list, next): (usize, &mut u32),
    ) -> Result<(), Error> {
        let register = output.location.map(|location| (location, output.component));
        // Levels have the first places of a patch.
        let mut of_levels = match output.builtin {
            Some(BuiltIn::TESS_LEVEL_OUTER) => Some(0),
            Some(BuiltIn::TESS_LEVEL_INNER) => Some(4),
            _ => None,
        };
        let next = of_levels.as_mut().unwrap_or(next);
        for (element, leaf) in (0..).zip(leaves(m, &output.part, &output.shown(), register)?) {
            self.listed[list].extend(
                spilled::place(output, &leaf, element).map(|place| SpilledOutput {
                    place,
                    offset: 4 * *next,
                    components: leaf.words(),
                }),
            );
            let placed = Placed { word: *next, leaf };
            *next += placed.leaf.words();
            match list {
                0 => self.of_vertex.push(placed),
                _ => self.of_patch.push(placed),
            }
        }
        check_size(*next, output)
    }

    /// Returns the layout of the outputs. Other properties of the layout remain at 0.
    pub(super) fn layout(&self) -> Patches {
        let end = |placed: &[Placed], least: u32| {
            let ends = placed.iter().map(|placed| placed.word + placed.leaf.words());
            4 * ends.max().unwrap_or(0).max(least)
        };
        let [of_vertex, of_patch] = self.listed.clone();
        Patches {
            patch_bytes: end(&self.of_patch, LEVELS),
            vertex_bytes: end(&self.of_vertex, 0),
            of_patch,
            of_vertex,
            ..Patches::default()
        }
    }
}

/// Returns the size in bytes of variables in shared memory, by the rules of std430, which Vulkan applies to the limit.
pub(super) fn shared_bytes(m: &Module<'_>, variables: &[Id]) -> u32 {
    let types = variables.iter().filter_map(|variable| m.pointee(*variable));
    types.fold(0, |size: u32, ty| {
        let (bytes, alignment) = std430(m, ty);
        size.checked_next_multiple_of(alignment).unwrap_or(u32::MAX).saturating_add(bytes)
    })
}

/// Returns the size and the alignment of a type in bytes. The types of outputs are not nested deeply.
fn std430(m: &Module<'_>, ty: Id) -> (u32, u32) {
    let repeat = |element, count: u32| {
        let (bytes, alignment) = std430(m, element);
        let stride = bytes.next_multiple_of(alignment);
        (stride.saturating_mul(count), alignment)
    };
    match m.ty(ty) {
        Some(Type::Vector { component, count }) => {
            let (bytes, _) = std430(m, component);
            (bytes * count, bytes * if count == 3 { 4 } else { count })
        }
        Some(Type::Matrix { column, count }) => repeat(column, count),
        Some(Type::Array { element, length }) => repeat(element, m.constant(length).unwrap_or(1)),
        Some(Type::Struct { id }) => {
            let members = m.members(id);
            let (size, all) = members.into_iter().fold((0_u32, 4), |(size, all), member| {
                let (bytes, alignment) = std430(m, member);
                let start = size.checked_next_multiple_of(alignment).unwrap_or(u32::MAX);
                (start.saturating_add(bytes), all.max(alignment))
            });
            (size.checked_next_multiple_of(all).unwrap_or(u32::MAX), all)
        }
        Some(Type::Int { width, .. } | Type::Float { width }) => (width / 8, width / 8),
        _ => (4, 4),
    }
}

/// Returns the inputs of a vertex or of a patch that the stage before has written.
fn matched(
    m: &Module<'_>,
    entry: EntryPoint<'_>,
    per_patch: bool,
    given: &Given,
) -> Result<Vec<Placed>, Error> {
    let (mut inputs, mut words) = (Vec::new(), 0_u32);
    for output in &Found::of_patch(m, entry, StorageClass::INPUT, per_patch).all {
        let register = output.location.map(|location| (location, output.component));
        for (element, leaf) in (0..).zip(leaves(m, &output.part, &output.shown(), register)?) {
            words = words.saturating_add(leaf.words());
            let word = word_of(output, element, &leaf, given);
            inputs.extend(word.map(|word| Placed { leaf, word }));
        }
        check_size(words, output)?;
    }
    Ok(inputs)
}

/// Refuses more data of a vertex or patch than any device allows.
fn check_size(words: u32, output: &Output<'_>) -> Result<(), Error> {
    if words <= MAX_STRIDE / 4 {
        return Ok(());
    }
    let message =
        format!("the inputs or outputs take more than {MAX_STRIDE} bytes of a vertex or patch");
    refuse(&code::CAPTURE_SPILL_TOO_LARGE, message, output.part.variable)
}
