//! Emits code at every exit of the shader that blends the colours and writes them.

use super::colours::{Interface, gather, pointer, scalarize, whole};
use super::coverage::Mask;
use super::fetch::Fetch;
use super::functions::{Functions, opaque};
use super::options::{Blending, ColorBlend, Destination};
use super::outputs::{Numbers, Piece, moving_together};
use super::words;
use super::{Blended, Options, Plan};
use crate::code::{self, refuse};
use crate::host::{Reserved, Value};
use crate::rewrite::{self, Copies, ParamReader};
use polyshade_spv::view::EntryPoint;
use polyshade_spv::{Cursor, Error, Id, Module, Op, Patch, Position, StorageClass, Type};

pub(super) fn emit<'m>(
    m: &'m Module<'_>,
    p: &mut Patch<'m, '_>,
    entry: EntryPoint<'m>,
    (options, reserved): (&Options, &Reserved),
    plan: &Plan<'_>,
) -> Result<(), Error> {
    let locations: Vec<(u32, Numbers)> =
        plan.blended.iter().map(|blended| (blended.location, blended.numbers)).collect();
    let in_storage = matches!(options.destination, Destination::StorageImage { .. });

    let wrapper = rewrite::wrap(m, p, entry);
    let interface = demote_to_private(m, p, entry, plan, in_storage)?;
    let host = rewrite::host_params(m, p, entry, reserved, &plan.words, "polyshade_blend")?;
    let fetch = Fetch::add(m, p, entry, (options, reserved), &locations, wrapper.epilogue)?;
    let functions = Functions::link(p, plan);
    let is_fixed_function =
        |one: &Blended<'_>| matches!(one.target.blending, Blending::FixedFunction(_));
    let constants = plan
        .blended
        .iter()
        .any(is_fixed_function)
        .then(|| constants(p, options, &host, wrapper.epilogue));
    let mask = plan.coverage.then(|| Mask::add(m, p, entry, wrapper.epilogue));

    let made = make(p, plan, &functions);
    let mut code = p.at(wrapper.epilogue);
    copy_rest(m, &mut code, plan, &interface)?;
    if in_storage {
        code.emit(Op::BEGIN_INVOCATION_INTERLOCK_EXT, &[]);
    }
    for blended in &plan.blended {
        let (_, function) = made
            .iter()
            .find(|(target, _)| *target == blended.target)
            .expect("a function was made for every target");
        let mut source = gather(&mut code, &blended.pieces, blended.numbers);
        if let (Some(mask), Some(samples), 0) = (&mask, options.coverage_samples, blended.location)
        {
            mask.store(&mut code, &functions, (source, samples));
        }
        // Alpha to one comes after coverage and before blending.
        if options.alpha_to_one && blended.location == 0 {
            source = opaque(&mut code, source);
        }
        let destination = fetch.read(&mut code, blended.location);
        let mut arguments = vec![source, destination];
        match &blended.target.blending {
            Blending::Equations(_) => {
                arguments.extend(words::select(&host, &mut code, blended.location));
            }
            Blending::FixedFunction(_) => {
                arguments.push(second(&mut code, blended));
                arguments.extend(constants);
            }
            Blending::Logic(_) => {}
        }
        let ty = whole(&mut code, blended.numbers);
        let result = code.call(ty, *function, &arguments);
        if in_storage {
            fetch.write(&mut code, blended.location, result);
        } else {
            scalarize(&mut code, &blended.pieces, &interface, result);
        }
    }
    if in_storage {
        code.emit(Op::END_INVOCATION_INTERLOCK_EXT, &[]);
    }
    Ok(())
}

/// Emits the functions that blend. Equal targets share a function.
fn make<'p>(
    p: &mut Patch<'_, '_>,
    plan: &'p Plan<'_>,
    functions: &Functions,
) -> Vec<(&'p ColorBlend, Id)> {
    let mut made: Vec<(&ColorBlend, Id)> = Vec::new();
    for target in plan.blended.iter().map(|blended| blended.target) {
        if made.iter().any(|(other, _)| *other == target) {
            continue;
        }
        let function = match &target.blending {
            Blending::Equations(equations) => functions.blend(p, target, equations, plan.selects),
            Blending::FixedFunction(fixed_function) => {
                functions.fixed_function(p, target, *fixed_function)
            }
            Blending::Logic(operation) => functions.logic(p, target, *operation),
        };
        made.push((target, function));
    }
    made
}

/// Emits the second source of a target. If no factor uses it, emits a null value.
fn second(code: &mut Cursor<'_, '_, '_>, blended: &Blended<'_>) -> Id {
    if blended.reads_second() {
        return gather(code, &blended.second, Numbers::Floats);
    }
    let vec4 = whole(code, Numbers::Floats);
    code.p.null(vec4)
}

/// Emits the blend constants: either the fixed values, or loads of the host parameters at `at`.
fn constants<'m>(
    p: &mut Patch<'m, '_>,
    options: &Options,
    host: &ParamReader<'_>,
    at: Position<'m>,
) -> Id {
    let float = p.float();
    let vec4 = p.vector(float, 4);
    if let Some(read) = words::constants(host, &mut p.at(at)) {
        return read;
    }
    match options.constants {
        Value::Fixed(bits) if bits != [0; 4] => {
            let all = bits.map(|bits| p.float_constant(f32::from_bits(bits)));
            p.composite_constant(vec4, &all)
        }
        Value::Fixed(_) | Value::Param(_) => p.null(vec4),
    }
}

/// Demotes the blended outputs to private variables. Outputs that must move together with them are demoted and
/// copied.
fn demote_to_private<'m>(
    m: &'m Module<'_>,
    p: &mut Patch<'m, '_>,
    entry: EntryPoint<'m>,
    plan: &Plan<'_>,
    in_storage: bool,
) -> Result<Interface, Error> {
    let variables_of = |pieces: &mut dyn Iterator<Item = &Piece>| {
        let mut variables: Vec<Id> = pieces.map(|piece| piece.variable).collect();
        variables.sort_unstable();
        variables.dedup();
        variables
    };
    let second = variables_of(&mut plan.blended.iter().flat_map(|blended| &blended.second));
    let all = plan.blended.iter().flat_map(|blended| blended.pieces.iter().chain(&blended.second));
    let moving = moving_together(m, &variables_of(&mut { all }));
    if in_storage {
        return take_out(m, p, entry, plan, &moving);
    }
    let stays = |id: &&Id| plan.copied.iter().any(|copied| copied.variable == **id);
    if let Some(id) = second.iter().find(stays) {
        let message =
            "cannot remove a second source: an output that is not blended shares its variable";
        return refuse(&code::BLEND_SHARED_VARIABLE, message, *id);
    }

    let taken =
        rewrite::demote_to_private_and_hide(m, p, entry, &moving, &second, Copies::Uncopied)?;
    Ok(taken.iter().filter_map(|taken| Some((taken.private, taken.interface?))).collect())
}

/// Removes the outputs from the interface, because their values are written to storage images instead.
fn take_out<'m>(
    m: &'m Module<'_>,
    p: &mut Patch<'m, '_>,
    entry: EntryPoint<'m>,
    plan: &Plan<'_>,
    moving: &[Id],
) -> Result<Interface, Error> {
    let stays = |id: &&Id| plan.copied.iter().any(|copied| copied.variable == **id);
    let is_blended = |id: &Id| {
        let all =
            plan.blended.iter().flat_map(|blended| blended.pieces.iter().chain(&blended.second));
        { all }.any(|piece| piece.variable == *id)
    };
    if let Some(id) = moving.iter().find(stays).or(moving.iter().find(|id| !is_blended(id))) {
        let message = "cannot remove a blended output: an output that is not blended shares its variable or a \
            function parameter";
        return refuse(&code::BLEND_SHARED_VARIABLE, message, *id);
    }
    rewrite::demote_to_private(m, p, entry, moving, Copies::None)?;
    Ok(Vec::new())
}

/// Copies the demoted outputs that are not blended.
fn copy_rest(
    m: &Module<'_>,
    code: &mut Cursor<'_, '_, '_>,
    plan: &Plan<'_>,
    interface: &Interface,
) -> Result<(), Error> {
    let is_colour = |id: Id| {
        let blended = plan.blended.iter().flat_map(|blended| &blended.pieces);
        blended.chain(&plan.copied).any(|piece| piece.variable == id)
    };
    for (private, new) in interface.iter().filter(|(private, _)| !is_colour(*private)) {
        let ty = m.pointee(*private).expect("a demoted output has a type");
        if matches!(m.ty(m.innermost_element(ty)), Some(Type::Struct { .. })) {
            return refuse(
                &code::BLEND_OUTPUT_TYPE,
                "cannot copy an output: it is a structure",
                *private,
            );
        }
        let value = code.load(ty, *private);
        code.store(*new, value);
    }
    for piece in &plan.copied {
        let Some((_, new)) = interface.iter().find(|(private, _)| *private == piece.variable)
        else {
            continue;
        };
        let from = pointer(code, piece, StorageClass::PRIVATE, piece.variable);
        let value = code.load(piece.ty, from);
        let to = pointer(code, piece, StorageClass::OUTPUT, *new);
        code.store(to, value);
    }
    Ok(())
}
