//! Emits the function that converts a position.

use super::{Options, SurfaceRotation};
use crate::host::{HostParams, Target, Value};
use crate::rewrite::{self, ParamReader};
use polyshade_spv::view::EntryPoint;
use polyshade_spv::{Cursor, Decoration, Error, Id, Module, Op, Patch};

pub(super) const DEPTH: &str = "convert_depth";
pub(super) const FLIP_Y: &str = "flip_y";
pub(super) const ROTATION: &str = "rotation";

/// Emits the function that computes the new position from the original one.
///
/// ```text
///   %sum = OpFAdd %float %z %w               ; depth
///  %half = OpFMul %float %sum %float_0_5
/// %minus = OpFNegate %float %y               ; flip
///   %new = OpCompositeConstruct %v4float %x %minus %half %w
/// ```
///
/// If a host parameter selects a conversion, both values are computed and one is selected.
pub(super) fn function<'m>(
    m: &'m Module<'_>,
    p: &mut Patch<'m, '_>,
    entry: EntryPoint<'m>,
    target: &Target,
    options: &Options,
    words: &[HostParams],
) -> Result<Id, Error> {
    let host =
        rewrite::host_params(m, p, entry, target.reservations(), words, "polyshade_position")?;
    let float = p.float();
    let vec4 = p.vector(float, 4);

    let (function, at) = (p.id(), p.slot());
    p.name(function, "convert_position");
    let mut code = p.at(at);
    let old = code.begin_function(function, vec4, &[vec4])[0];
    let [x, y, z, w] = [0, 1, 2, 3].map(|number| code.extract(float, old, &[number]));
    let z = switched(&host, &mut code, (options.depth, DEPTH), z, |code| {
        let half = code.p.float_constant(0.5);
        let sum = code.binary(Op::F_ADD, float, z, w);
        // Contraction with the code that computes z would make the sum differ from that in other shaders.
        code.p.decorate(sum, Decoration::NO_CONTRACTION, &[]);
        code.binary(Op::F_MUL, float, sum, half)
    });
    let y = switched(&host, &mut code, (options.flip_y, FLIP_Y), y, |code| negated(code, y));
    let [x, y] = match options.rotation {
        Value::Fixed(rotation) => rotated(&mut code, rotation, x, y),
        Value::Param(_) => {
            let quarters = host.load(&mut code, ROTATION);
            turned_by(&mut code, quarters, x, y)
        }
    };
    let new = code.construct(vec4, &[x, y, z, w]);
    code.end_function(Some(new));
    Ok(function)
}

fn negated(code: &mut Cursor<'_, '_, '_>, value: Id) -> Id {
    let float = code.p.float();
    code.value(Op::F_NEGATE, float, &[value.word()])
}

/// Rotates x and y clockwise, with y pointing down.
fn rotated(code: &mut Cursor<'_, '_, '_>, rotation: SurfaceRotation, x: Id, y: Id) -> [Id; 2] {
    match rotation {
        SurfaceRotation::None => [x, y],
        SurfaceRotation::Quarter => [negated(code, y), x],
        SurfaceRotation::Half => [negated(code, x), negated(code, y)],
        SurfaceRotation::ThreeQuarters => [y, negated(code, x)],
    }
}

/// Emits the clockwise rotation of x and y by `quarters` quarter turns, a host parameter.
///
/// ```text
///   %odd = bit 0 of %quarters            ; x and y change places
///     %a = bit 1 of %quarters + 1        ; the first is negated
///     %b = bit 1 of %quarters            ; the second is negated
/// ```
fn turned_by(code: &mut Cursor<'_, '_, '_>, quarters: Id, x: Id, y: Id) -> [Id; 2] {
    let (uint, float) = (code.p.uint(), code.p.float());
    let one = code.p.uint_constant(1);
    let next = code.binary(Op::I_ADD, uint, quarters, one);
    let odd = has_bit(code, quarters, 1);
    let [first, second] = [has_bit(code, next, 2), has_bit(code, quarters, 2)];
    let a = code.select(float, odd, y, x);
    let b = code.select(float, odd, x, y);
    [(first, a), (second, b)].map(|(minus, value)| {
        let negated = negated(code, value);
        code.select(float, minus, negated, value)
    })
}

/// Emits the test that bit `bit` of `word` is set.
fn has_bit(code: &mut Cursor<'_, '_, '_>, word: Id, bit: u32) -> Id {
    let (uint, bool) = (code.p.uint(), code.p.bool());
    let [mask, zero] = [bit, 0].map(|value| code.p.uint_constant(value));
    let masked = code.binary(Op::BITWISE_AND, uint, word, mask);
    code.binary(Op::I_NOT_EQUAL, bool, masked, zero)
}

/// Returns the value that `other` emits if `switch` is true, otherwise `value`. If `switch` is a host parameter, emits
/// a selection.
fn switched(
    host: &ParamReader<'_>,
    code: &mut Cursor<'_, '_, '_>,
    (switch, name): (Value<bool>, &str),
    value: Id,
    other: impl FnOnce(&mut Cursor<'_, '_, '_>) -> Id,
) -> Id {
    match switch {
        Value::Fixed(false) => value,
        Value::Fixed(true) => other(code),
        Value::Param(_) => {
            let (float, bool) = (code.p.float(), code.p.bool());
            let word = host.load(code, name);
            let zero = code.p.uint_constant(0);
            let is_on = code.binary(Op::I_NOT_EQUAL, bool, word, zero);
            let other = other(code);
            code.select(float, is_on, other, value)
        }
    }
}
