//! Matches the inputs of a geometry stage with the outputs of the stage before it.

use crate::code::{self, refuse};
use crate::rewrite;
use crate::transform_feedback::draw_constraints::Draws;
use crate::transform_feedback::emit::OF_ALL_STAGES;
use crate::transform_feedback::leaves::{Leaf, leaves};
use crate::transform_feedback::outputs::{Output, Outputs};
use crate::transform_feedback::spilled_output::{OutputPlace, SpilledOutput};
use crate::transform_feedback::{Layout, MAX_STRIDE};
use foldhash::HashMap;
use polyshade_spv::view::EntryPoint;
use polyshade_spv::{BuiltIn, Error, Id, Module, StorageClass, Type};

/// An input that the compute stage fills.
#[derive(Clone, Debug)]
pub(super) enum Input {
    /// A vector or scalar of each vertex. The path of its part lacks the index of the vertex. `word` is its offset in
    /// the outputs of a vertex, in 32-bit units.
    OfVertex { leaf: Leaf, word: u32 },
    /// An integer for the whole primitive: its number, or the number of the invocation.
    BuiltIn { variable: Id, ty: Id, builtin: BuiltIn },
    /// A variable without a value: the stage before it has no such output.
    Unwritten { variable: Id },
}

impl Input {
    pub(super) fn variable(&self) -> Id {
        match self {
            Self::OfVertex { leaf, .. } => leaf.part.variable,
            Self::BuiltIn { variable, .. } | Self::Unwritten { variable } => *variable,
        }
    }
}

/// Returns the location of the number of the instance, unless draws have only one.
pub(super) fn instance(
    m: &Module<'_>,
    entry: EntryPoint<'_>,
    given: &Layout,
    draws: &Draws,
) -> Result<Option<u32>, Error> {
    if draws.one_instance {
        return Ok(None);
    }
    let passed = given.spilled.iter().find_map(|output| match output.place {
        OutputPlace::Instance { location } => Some(location),
        _ => None,
    });
    let Some(location) = passed else {
        let message = "the vertex stage does not pass the number of the instance";
        let error = Error::new(&code::GEOMETRY_INPUTS, message);
        return Err(
            error.help("pass the layout of geometry::vertex, or restrict draws to one instance")
        );
    };
    let taken = rewrite::locations(m, entry, StorageClass::INPUT);
    match taken.iter().any(|range| range.contains(&location)) {
        false => Ok(Some(location)),
        true => {
            let message = format!(
                "cannot pass the number of the instance at location {location}: the geometry stage has an input there"
            );
            let error = Error::new(&code::GEOMETRY_LOCATION_TAKEN, message);
            Err(error.about(entry.function()).help("reserve the location in the vertex stage"))
        }
    }
}

/// Finds all inputs of `entry` for a compute stage.
pub(super) fn find(
    m: &Module<'_>,
    entry: EntryPoint<'_>,
    (given, vertices): (&Layout, u32),
) -> Result<Vec<Input>, Error> {
    if given.outputs_stride == 0 {
        let message = "the layout of the stage before the geometry stage has no spilled outputs";
        return Err(Error::new(&code::GEOMETRY_INPUTS, message));
    }
    let mut inputs = Vec::new();
    // The inputs of the whole primitive.
    for variable in rewrite::interface(m, entry, StorageClass::INPUT) {
        let ty = m.pointee(variable).unwrap_or(variable);
        let builtin = m.builtin(variable);
        match builtin {
            Some(builtin) if [BuiltIn::PRIMITIVE_ID, BuiltIn::INVOCATION_ID].contains(&builtin) => {
                inputs.push(Input::BuiltIn { variable, ty, builtin });
            }
            Some(builtin) if OF_ALL_STAGES.contains(&builtin) => {}
            _ if is_array(m, ty, vertices) => inputs.push(Input::Unwritten { variable }),
            _ => {
                let message = "cannot run the geometry stage as a compute stage: an input is neither a built-in of \
                    compute stages nor an array with an element for each vertex of the primitive";
                return refuse(&code::CAPTURE_COMPUTE_BUILT_IN, message, variable);
            }
        }
    }
    // The inputs of each vertex.
    let given = by_place(&given.spilled);
    let mut words = 0_u32;
    for output in Outputs::before(m, entry).all {
        let register = output.location.map(|location| (location, output.component));
        for (element, leaf) in (0..).zip(leaves(m, &output.part, &output.shown(), register)?) {
            words = words.saturating_add(leaf.words());
            let word = word_of(&output, element, &leaf, &given);
            inputs.extend(word.map(|word| Input::OfVertex { leaf, word }));
        }
        if words > MAX_STRIDE / 4 {
            let message = format!("the inputs take more than {MAX_STRIDE} bytes of a vertex");
            let error = Error::new(&code::CAPTURE_SPILL_TOO_LARGE, message);
            return Err(error.about(output.part.variable));
        }
    }
    Ok(inputs)
}

/// The outputs of the stage before, by their places.
pub(in super::super) type Given = HashMap<OutputPlace, SpilledOutput>;

pub(in super::super) fn by_place(given: &[SpilledOutput]) -> Given {
    given.iter().map(|output| (output.place, *output)).collect()
}

/// Whether a type is an array of this length.
fn is_array(m: &Module<'_>, ty: Id, wanted: u32) -> bool {
    let Some(Type::Array { length, .. }) = m.ty(ty) else { return false };
    m.constant(length) == Some(wanted)
}

/// Returns the offset of a leaf of an input in the outputs of a vertex.
pub(in super::super) fn word_of(
    output: &Output<'_>,
    element: u32,
    leaf: &Leaf,
    given: &Given,
) -> Option<u32> {
    let (found, skipped) = match (output.builtin, leaf.register) {
        (Some(builtin), _) => (given.get(&OutputPlace::BuiltIn { builtin, element })?, 0),
        // The output may begin at an earlier component of the same location.
        (None, Some((location, first))) => (0..=first.min(3)).rev().find_map(|component| {
            let found = given.get(&OutputPlace::Location { location, component })?;
            Some((found, first - component))
        })?,
        (None, None) => return None,
    };
    let end = skipped.checked_add(leaf.words())?;
    (end <= found.components).then_some(found.offset / 4 + skipped)
}
