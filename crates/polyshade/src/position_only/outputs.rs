//! The outputs of an entry point, and whether each is kept.

use super::{Keep, Options, Variant, captures, is_captured, not_found};
use crate::rewrite::{self, DceOptions, Sizes, locations_of};
use polyshade_spv::view::EntryPoint;
use polyshade_spv::{BuiltIn, Decoration, Error, ExecutionModel, Id, Module, Patch, StorageClass};

/// One output: a variable, or a built-in member of a block.
#[derive(Clone, Copy)]
struct Output {
    variable: Id,
    /// For a member of a block, the block type and the number of the member.
    member: Option<(Id, u32)>,
    builtin: Option<BuiltIn>,
    in_position_only: bool,
    in_complement: bool,
}

impl Output {
    fn is_in(&self, variant: Variant) -> bool {
        match variant {
            Variant::PositionOnly => self.in_position_only,
            Variant::Complement => self.in_complement,
            Variant::Full => true,
        }
    }
}

/// All outputs, in the order of the interface.
pub(super) struct Outputs(Vec<Output>);

impl Outputs {
    /// Finds the outputs, and decides for each output which variants have it.
    pub(super) fn find(
        m: &Module<'_>,
        entry: EntryPoint<'_>,
        options: &Options,
    ) -> Result<Self, Error> {
        let is_captured = options.captures && is_captured(m, entry);
        let mut found = vec![false; options.keep.len()];
        let mut outputs = Vec::new();
        for variable in rewrite::interface(m, entry, StorageClass::OUTPUT) {
            add_parts_of(m, variable, &mut outputs);
        }
        // Decide for each output which variants have it.
        for output in &mut outputs {
            let mut kept = false;
            for (keep, found) in options.keep.iter().zip(&mut found) {
                let is_it = is(m, entry.model(), keep, output);
                *found |= is_it;
                kept |= is_it;
            }
            let structural = output.builtin.is_some_and(|builtin| {
                always_kept(builtin) || builtin == BuiltIn::CULL_PRIMITIVE_EXT && !kept
            });
            let always = output.builtin.is_some_and(always_kept);
            output.in_position_only =
                kept || structural || is_captured && is_captured_output(m, output);
            output.in_complement = !kept && !structural || always;
        }
        // The outputs that the user selected must exist.
        for (keep, found) in options.keep.iter().zip(found) {
            let by_user = matches!(keep, Keep::Location(_) | Keep::Name(_) | Keep::BuiltIn(_));
            if by_user && !found {
                return Err(not_found(format!("the shader has no output `{keep}` to keep")));
            }
        }
        Ok(Self(outputs))
    }

    /// Adds `Invariant` to the outputs that the position-only variant keeps.
    pub(super) fn make_invariant<'m>(&self, m: &'m Module<'_>, p: &mut Patch<'m, '_>) {
        let mut done: Vec<(Id, Option<u32>)> = Vec::new();
        for output in self.0.iter().filter(|output| output.in_position_only) {
            let (id, member) = match output.member {
                Some((block, member)) => (block, Some(member)),
                None => (output.variable, None),
            };
            let has = match member {
                Some(member) => m.member_decoration(id, member, Decoration::INVARIANT).is_some(),
                None => m.decoration(id, Decoration::INVARIANT).is_some(),
            };
            if !has && !done.contains(&(id, member)) {
                p.decorate_maybe_member(id, member, Decoration::INVARIANT, &[]);
                done.push((id, member));
            }
        }
    }

    /// Returns the outputs that `variant` does not have.
    pub(super) fn unneeded(&self, variant: Variant) -> Unneeded {
        let mut unneeded = Unneeded::default();
        let goes = |output: &&Output| !output.is_in(variant);
        for output in self.0.iter().filter(goes) {
            let mut beside = self.0.iter().filter(|other| other.variable == output.variable);
            match output.member.filter(|_| beside.any(|other| other.is_in(variant))) {
                Some((_, member)) => unneeded.members.push((output.variable, member)),
                None if unneeded.variables.last() != Some(&output.variable) => {
                    unneeded.variables.push(output.variable);
                }
                None => {}
            }
        }
        unneeded
    }
}

/// The outputs that a variant does not have.
#[derive(Default)]
pub(super) struct Unneeded {
    /// The variables that are removed entirely.
    pub(super) variables: Vec<Id>,
    members: Vec<(Id, u32)>,
}

impl Unneeded {
    pub(super) fn elimination(
        &self,
        options: &Options,
        variant: Variant,
        name: &str,
        model: ExecutionModel,
    ) -> DceOptions {
        let mut wanted = DceOptions::new().only(name, model);
        for id in &self.variables {
            wanted = wanted.without_output(*id);
        }
        for (id, member) in &self.members {
            wanted = wanted.without_member(*id, *member);
        }
        if options.keeps_interface {
            wanted = wanted.keep_interface();
        }
        match options.drops_effects(variant) {
            None => wanted.refuse_effects(),
            Some(true) => wanted.without_effects(),
            Some(false) => wanted,
        }
    }
}

/// Adds the outputs in `variable`: the variable itself, or each member of a block of built-ins.
fn add_parts_of(m: &Module<'_>, variable: Id, outputs: &mut Vec<Output>) {
    let output = |member: Option<(Id, u32)>, builtin| Output {
        variable,
        member,
        builtin,
        in_position_only: false,
        in_complement: false,
    };
    let pointee = m.pointee(variable);
    let block = pointee.map(|ty| m.innermost_element(ty));
    let count = block.map_or(0, |block| m.members(block).len() as u32);
    let Some(block) =
        block.filter(|block| (0..count).any(|i| m.member_builtin(*block, i).is_some()))
    else {
        return outputs.push(output(None, m.builtin(variable)));
    };
    let member = |number| output(Some((block, number)), m.member_builtin(block, number));
    outputs.extend((0..count).map(member));
}

/// Whether `keep` selects `output`.
fn is(m: &Module<'_>, model: ExecutionModel, keep: &Keep, output: &Output) -> bool {
    let builtin = |wanted: &[BuiltIn]| output.builtin.is_some_and(|one| wanted.contains(&one));
    match keep {
        Keep::Position => builtin(&[
            BuiltIn::POSITION,
            BuiltIn::POSITION_PER_VIEW_NV,
            BuiltIn::SECONDARY_POSITION_NV,
        ]),
        Keep::PointSize => builtin(&[BuiltIn::POINT_SIZE]),
        Keep::ClipDistance => {
            builtin(&[BuiltIn::CLIP_DISTANCE, BuiltIn::CLIP_DISTANCE_PER_VIEW_NV])
        }
        Keep::CullDistance => {
            builtin(&[BuiltIn::CULL_DISTANCE, BuiltIn::CULL_DISTANCE_PER_VIEW_NV])
        }
        Keep::Layer => builtin(&[BuiltIn::LAYER, BuiltIn::LAYER_PER_VIEW_NV]),
        Keep::ViewportIndex => builtin(&[
            BuiltIn::VIEWPORT_INDEX,
            BuiltIn::VIEWPORT_MASK_NV,
            BuiltIn::VIEWPORT_MASK_PER_VIEW_NV,
            BuiltIn::SECONDARY_VIEWPORT_MASK_NV,
        ]),
        Keep::PrimitiveShadingRate => builtin(&[BuiltIn::PRIMITIVE_SHADING_RATE_KHR]),
        Keep::BuiltIn(wanted) => output.builtin == Some(*wanted),
        Keep::Location(location) => {
            let per_vertex = rewrite::is_per_vertex(model, StorageClass::OUTPUT);
            let taken = locations_of(m, &mut Sizes::new(m), output.variable, per_vertex);
            taken.iter().any(|range| range.contains(location))
        }
        Keep::Name(name) => {
            let of_block =
                output.member.map(|(block, _)| block).or_else(|| block_of(m, output.variable));
            let names = [Some(output.variable), of_block].into_iter().flatten();
            let member = output.member.and_then(|(block, member)| m.member_name(block, member));
            names.into_iter().any(|id| m.name(id).as_deref() == Some(name.as_str()))
                || member.as_deref() == Some(name.as_str())
        }
    }
}

fn block_of(m: &Module<'_>, variable: Id) -> Option<Id> {
    let pointee = m.pointee(variable)?;
    let structure = m.innermost_element(pointee);
    (m.members(structure).len() > 0).then_some(structure)
}

/// Whether transform feedback captures `output`.
fn is_captured_output(m: &Module<'_>, output: &Output) -> bool {
    let of_variable = m.decorations_of(output.variable).any(|applied| captures(applied.decoration));
    let block = output.member.map(|(block, _)| block).or_else(|| block_of(m, output.variable));
    let of_member = block.into_iter().flat_map(|id| m.decorations_of(id)).any(|applied| {
        let here = output.member.is_none_or(|(_, member)| applied.member == Some(member));
        here && captures(applied.decoration)
    });
    of_variable || of_member
}

/// Whether both variants need the built-in. This applies to the primitive indices of a mesh stage, since it draws
/// nothing without them.
fn always_kept(builtin: BuiltIn) -> bool {
    matches!(
        builtin,
        BuiltIn::PRIMITIVE_POINT_INDICES_EXT
            | BuiltIn::PRIMITIVE_LINE_INDICES_EXT
            | BuiltIn::PRIMITIVE_TRIANGLE_INDICES_EXT
            | BuiltIn::PRIMITIVE_COUNT_NV
            | BuiltIn::PRIMITIVE_INDICES_NV
    )
}
