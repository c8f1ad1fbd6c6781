//! The rewrite tools that lowerings are built from.
//!
//! Each tool is in its own Rust module, and queues one kind of edit in a patch `p` of version `m`. A lowering first
//! [isolates](isolate()) its entry point, which gives a new version, and then applies the tools to that version.

mod accesses;
mod builtin;
mod change_output;
mod demote_to_private;
mod export_points;
mod isolate;
mod link;
mod locations;
mod lower;
mod map_stores;
mod memory;
mod push_constants;
mod replace_uses;
mod resource;
mod scalarize;
mod specialize;
mod split_block;
mod stages;
mod words;
mod wrap;

pub use crate::dce::{DceOptions, dce};
pub(crate) use builtin::add_input_builtin;
pub use builtin::{
    FoundBuiltin, add_output_builtin, find_builtin, find_output, input_builtin,
    load_integer_builtin,
};
pub use change_output::change_output;
pub use demote_to_private::{Copies, Demoted, demote_to_private, demote_to_private_and_hide};
pub(crate) use demote_to_private::{demote_to_workgroup, laid_out_types};
pub use export_points::{ExportPoints, export_points};
pub(crate) use export_points::{emits_and_cuts, is_cut, is_emit, vertex_stream};
pub use isolate::{Origins, isolate};
pub use link::{Hook, Library, link};
pub(crate) use locations::{Sizes, add_at, locations, locations_of, member_locations};
pub use locations::{add_output, end_of_output_locations, free_output_locations};
pub(crate) use lower::check_unchanged;
pub use lower::{Frame, Lowering, lower};
pub use map_stores::map_stores;
pub(crate) use memory::{Memory, Pointed, memory};
pub use push_constants::push_constants;
pub use replace_uses::replace_uses;
pub use resource::{
    HostBlock, WordArray, image_resource, spec_constants, storage_buffer, uniform_block, word_array,
};
pub(crate) use resource::{bindings, buffers_of};
pub use scalarize::{Place, Scalarized, float_dimensions, float_scalars, scalarize};
pub use specialize::specialize;
pub(crate) use specialize::{fold_binary, fold_unary};
pub use split_block::{SplitMember, split_block};
pub use stages::Stages;
pub(crate) use words::{Added, Open, add_words, check_attributes};
pub use words::{ParamReader, host_params};
pub(crate) use wrap::replace_body;
pub use wrap::{Wrapper, wrap};

use crate::host::Reserved;
use foldhash::{HashSet, HashSetExt};
use polyshade_spv::view::{CapabilityInst, Decorate, EntryPoint, Variable};
use polyshade_spv::{
    Capability, Cursor, Decoration, ExecutionModel, Id, Module, Patch, Section, StorageClass,
};

/// Returns the inputs or the outputs of `entry`, as `class` selects, each once. Before SPIR-V 1.4, an interface may
/// list a variable twice.
pub fn interface(m: &Module<'_>, entry: EntryPoint<'_>, class: StorageClass) -> Vec<Id> {
    let mut variables = Vec::with_capacity(entry.interface().size_hint().0);
    variables.extend(listed(m, entry, class));
    // Ids in strictly ascending order have no duplicates.
    if !variables.is_sorted_by(|one, next| one < next) {
        let mut seen = HashSet::with_capacity(variables.len());
        variables.retain(|id| seen.insert(*id));
    }
    variables
}

/// Returns the variables of the interface in order. A variable that is listed twice appears twice in the result.
fn listed<'m>(
    m: &Module<'_>,
    entry: EntryPoint<'m>,
    class: StorageClass,
) -> impl Iterator<Item = Id> {
    let variable = |id: &Id| m.definition(*id).and_then(Variable::of);
    let is_of_class = move |id: &Id| variable(id).is_some_and(|one| one.storage_class() == class);
    entry.interface().filter(is_of_class)
}

/// Adds a variable that is neither an input nor an output to the interface of `entry`. Before SPIR-V 1.4, does
/// nothing, because interfaces list only inputs and outputs.
pub fn add_to_interface<'m>(
    m: &Module<'_>,
    p: &mut Patch<'m, '_>,
    entry: EntryPoint<'m>,
    variable: Id,
) {
    if m.version() >= (1, 4) {
        p.join_interface(entry, variable);
    }
}

/// Adds the function `name` with these parameters. `body` emits its code, and gives the value that the function
/// returns, if any.
pub(crate) fn define_function(
    p: &mut Patch<'_, '_>,
    name: &str,
    (return_type, parameters): (Id, &[Id]),
    body: impl FnOnce(&mut Cursor<'_, '_, '_>, &[Id]) -> Option<Id>,
) -> Id {
    let (id, at) = (p.id(), p.slot());
    p.name(id, name);
    let mut code = p.at(at);
    let parameters = code.begin_function(id, return_type, parameters);
    let value = body(&mut code, &parameters);
    code.end_function(value);
    id
}

/// Returns the descriptors, push constants and specialization constants of `m`, which the stages of a pipeline share.
/// The push constants are those of `entry`.
pub(crate) fn resources_of<'m>(m: &'m Module<'_>, entry: EntryPoint<'m>) -> Reserved {
    let descriptors = bindings(m).into_iter();
    let reserved = descriptors
        .fold(Reserved::new(), |reserved, (set, binding)| reserved.binding(set, binding));
    let bytes = push_constants::push_constant_bytes(m, entry);
    let reserved = bytes.into_iter().fold(reserved, Reserved::push_constants);
    let decorations = m.section(Section::Annotations).filter_map(Decorate::of);
    let numbered = decorations.filter(|one| one.decoration() == Decoration::SPEC_ID);
    let numbers = numbered.filter_map(|one| one.operands().first().copied());
    numbers.fold(reserved, Reserved::specialization)
}

/// Removes the declarations of those capabilities for which `is_removed` returns `true`.
pub(crate) fn remove_capabilities<'m>(
    m: &'m Module<'_>,
    p: &mut Patch<'m, '_>,
    is_removed: impl Fn(Capability) -> bool,
) {
    for declared in m.section(Section::Capabilities).filter_map(CapabilityInst::of) {
        if is_removed(declared.capability()) {
            p.remove(declared.inst());
        }
    }
}

/// Copies the decorations for which `is_copied` returns `true`, and all names, of `from` and its members to `to`. The
/// patch may be that of another module.
pub(crate) fn copy_annotations(
    m: &Module<'_>,
    p: &mut Patch<'_, '_>,
    (from, to): (Id, Id),
    is_copied: impl Fn(Decoration) -> bool,
) {
    for applied in m.decorations_of(from).filter(|applied| is_copied(applied.decoration)) {
        p.copy_decoration(to, applied.member, &applied);
    }
    if let Some(name) = m.name(from) {
        p.name(to, &name);
    }
    for member in 0..m.members(from).len() as u32 {
        if let Some(name) = m.member_name(from, member) {
            p.member_name(to, member, &name);
        }
    }
}

/// Whether the inputs or outputs of a stage, as `class` selects, are arrays with one element per vertex.
pub(crate) fn is_per_vertex(model: ExecutionModel, class: StorageClass) -> bool {
    let is_input = class == StorageClass::INPUT;
    match model {
        ExecutionModel::TESSELLATION_CONTROL => true,
        ExecutionModel::TESSELLATION_EVALUATION | ExecutionModel::GEOMETRY => is_input,
        ExecutionModel::MESH_NV | ExecutionModel::MESH_EXT => !is_input,
        _ => false,
    }
}
