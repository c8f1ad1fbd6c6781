//! Every rewrite tool alone, on an isolated entry point. Added values are used as lowerings use them, so the result
//! must be valid if the module was valid.

use crate::{Choices, Made};
use polyshade::Error;
use polyshade::host::{Binding, Set};
use polyshade::rewrite::{self, Copies, DceOptions, Place, Scalarized};
use polyshade::spv::view::EntryPoint;
use polyshade::spv::{Decoration, Id, Module, Op, Patch, StorageClass};

type Edit<'c> =
    dyn for<'m> FnMut(&'m Module<'_>, &mut Patch<'m, '_>, EntryPoint<'m>) -> Result<(), Error> + 'c;

/// The maximum number of variables that are rewritten one by one. Lowerings demote more variables together.
const ONE_BY_ONE: usize = 8;

/// Isolates `entry`, and returns the version after a patch. Errors have positions in the isolated version.
fn rewritten(
    name: &'static str,
    module: &Module<'_>,
    entry: EntryPoint<'_>,
    edit: &mut Edit<'_>,
) -> Made {
    let isolated = rewrite::isolate(module, &entry.name(), entry.model())?;
    let entry = (entry.name(), entry.model());
    let next = isolated.module.rewrite(|m, p| edit(m, p, m.entry_point(&entry.0, entry.1)?));
    let next = next.map_err(Error::without_place)?;
    Ok(vec![(name, next.module.into_owned())])
}

/// Chooses some interface variables: all outputs or all inputs.
fn variables(
    module: &Module<'_>,
    entry: EntryPoint<'_>,
    choices: &mut Choices,
) -> (StorageClass, Vec<Id>) {
    let class = choices.of(&[StorageClass::OUTPUT, StorageClass::INPUT]);
    (class, choices.some(rewrite::interface(module, entry, class)))
}

pub(crate) fn isolate(m: &Module<'_>, entry: EntryPoint<'_>, _choices: &mut Choices) -> Made {
    rewritten("isolated", m, entry, &mut |_, _, _| Ok(()))
}

pub(crate) fn wrap(m: &Module<'_>, entry: EntryPoint<'_>, _choices: &mut Choices) -> Made {
    rewritten("wrapped", m, entry, &mut |m, p, entry| {
        rewrite::wrap(m, p, entry);
        Ok(())
    })
}

pub(crate) fn demote_to_private(
    m: &Module<'_>,
    entry: EntryPoint<'_>,
    choices: &mut Choices,
) -> Made {
    rewritten("demoted", m, entry, &mut |m, p, entry| {
        let (class, variables) = variables(m, entry, choices);
        let wrapper = rewrite::wrap(m, p, entry);
        let is_output = class == StorageClass::OUTPUT;
        let place = if is_output { wrapper.epilogue } else { wrapper.prologue };
        let copies = choices.of(&[Copies::At(place), Copies::None, Copies::Uncopied]);
        rewrite::demote_to_private(m, p, entry, &variables, copies)?;
        Ok(())
    })
}

/// Replaces all uses of a variable by a new variable, which is private to each invocation if possible.
pub(crate) fn replace_uses(m: &Module<'_>, entry: EntryPoint<'_>, choices: &mut Choices) -> Made {
    rewritten("redirected", m, entry, &mut |m, p, entry| {
        let (class, variables) = variables(m, entry, choices);
        for from in variables.into_iter().take(ONE_BY_ONE) {
            let Some(ty) = m.pointee(from) else { continue };
            let to = p.variable(class, ty, None);
            for decoration in m.decorations_of(from) {
                p.copy_decoration(to, None, &decoration);
            }
            rewrite::replace_uses(m, p, from, to)?;
            p.remove_definition(from);
            p.leave_interface(entry, from);
            p.join_interface(entry, to);
        }
        Ok(())
    })
}

/// Moves each scalar of a variable to an element of an array, or drops it.
pub(crate) fn scalarize(m: &Module<'_>, entry: EntryPoint<'_>, choices: &mut Choices) -> Made {
    rewritten("scattered", m, entry, &mut |m, p, entry| {
        let (class, variables) = variables(m, entry, choices);
        for (number, variable) in (0..).zip(variables).take(ONE_BY_ONE) {
            let dimensions = m.pointee(variable).and_then(|ty| rewrite::float_dimensions(m, ty));
            let Some(dimensions) = dimensions else { continue };
            let scalars = dimensions.iter().map(|one| u64::from(*one)).product::<u64>();
            if scalars > 64 {
                continue;
            }
            let scalars = rewrite::float_scalars(&dimensions).len() as u32;
            let (float, length) = (p.float(), p.uint_constant(scalars.max(1)));
            let array = p.declare(Op::TYPE_ARRAY, &[float.word(), length.word()]);
            let to = p.variable(class, array, None);
            // The new location is far beyond all other locations.
            p.decorate(to, Decoration::LOCATION, &[100 + 64 * number]);
            p.join_interface(entry, to);
            p.leave_interface(entry, variable);
            let places: Vec<Option<Place>> = (0..scalars)
                .map(|i| (choices.below(8) < 7).then(|| Place { variable: to, path: vec![i] }))
                .collect();
            let write_only = false;
            let what = Scalarized { variable, per_vertex: false, write_only, places: &places };
            rewrite::scalarize(m, p, what, class)?;
        }
        Ok(())
    })
}

pub(crate) fn split_block(m: &Module<'_>, entry: EntryPoint<'_>, choices: &mut Choices) -> Made {
    rewritten("split", m, entry, &mut |m, p, entry| {
        let (_, variables) = variables(m, entry, choices);
        for block in variables.into_iter().take(ONE_BY_ONE) {
            let is_block = |ty| m.definition(ty).is_some_and(|ty| ty.op() == Op::TYPE_STRUCT);
            if m.pointee(block).is_some_and(is_block) {
                rewrite::split_block(m, p, entry, block)?;
            }
        }
        Ok(())
    })
}

pub(crate) fn specialize(m: &Module<'_>, _entry: EntryPoint<'_>, choices: &mut Choices) -> Made {
    let numbers = choices.some(0..4);
    let values: Vec<(u32, u64)> =
        numbers.into_iter().map(|id| (id, u64::from(choices.number()))).collect();
    let specialized = rewrite::specialize(m, &values)?;
    Ok(vec![("specialized", specialized.module.into_owned())])
}

pub(crate) fn dce(m: &Module<'_>, entry: EntryPoint<'_>, choices: &mut Choices) -> Made {
    let mut wanted = DceOptions::new();
    for output in rewrite::interface(m, entry, StorageClass::OUTPUT) {
        wanted = match choices.below(4) {
            0 => wanted,
            1 => wanted.without_member(output, choices.below(4)),
            _ => wanted.without_output(output),
        };
    }
    wanted = match choices.below(3) {
        0 => wanted,
        1 => wanted.without_effects(),
        _ => wanted.refuse_effects(),
    };
    if choices.maybe() {
        wanted = wanted.only(entry.name(), entry.model());
    }
    if choices.maybe() {
        wanted = wanted.keep_interface();
    }
    let reduced = rewrite::dce(m, &wanted)?;
    Ok(vec![("reduced", reduced.module.into_owned())])
}

/// Loads host parameters of every kind at the start.
pub(crate) fn resources(m: &Module<'_>, entry: EntryPoint<'_>, choices: &mut Choices) -> Made {
    let at = (Set(5), Binding(choices.number()));
    let offset = choices.offset();
    rewritten("with host parameters", m, entry, &mut |m, p, entry| {
        let place = rewrite::wrap(m, p, entry).prologue;
        let words = rewrite::word_array(m, p);
        let blocks = [
            rewrite::storage_buffer(m, p, entry, words, at, "storage")?,
            rewrite::uniform_block(m, p, entry, (Set(6), at.1), "uniforms", &["one", "two"])?,
            rewrite::push_constants(m, p, entry, offset, "constants", &["one", "two"])?,
        ];
        for block in blocks {
            block.load(&mut p.at(place), 1);
        }
        Ok(())
    })
}

/// Stores a new output at every export point.
pub(crate) fn export_points(m: &Module<'_>, entry: EntryPoint<'_>, _choices: &mut Choices) -> Made {
    rewritten("marked", m, entry, &mut |m, p, entry| {
        let (at, back) = rewrite::export_points(m, p, entry)?.around_exports(p, None);
        let end = rewrite::end_of_output_locations(m, entry);
        let uint = p.uint();
        let mark = rewrite::add_output(p, entry, end, uint, "mark");
        let one = p.uint_constant(1);
        for at in [Some(at), back].into_iter().flatten() {
            p.at(at).store(mark, one);
        }
        Ok(())
    })
}
