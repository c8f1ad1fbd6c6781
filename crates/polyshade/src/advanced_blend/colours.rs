//! Composes colours from the outputs that function bodies write, and stores results to their components.

use super::outputs::{Numbers, Piece};
use polyshade_spv::{Cursor, Id, Op, StorageClass};

/// The private variables that function bodies write, each with the interface variable that replaces it.
pub(super) type Interface = Vec<(Id, Id)>;

/// Emits a pointer to a piece of `variable`.
pub(super) fn pointer(
    code: &mut Cursor<'_, '_, '_>,
    piece: &Piece,
    class: StorageClass,
    variable: Id,
) -> Id {
    let ty = code.p.pointer(class, piece.ty);
    let element = piece.element.map(|element| code.p.uint_constant(element));
    code.access_chain(ty, variable, element.as_slice())
}

/// Returns the type that colours are blended in: four floats, or four unsigned integers.
pub(super) fn whole(code: &mut Cursor<'_, '_, '_>, numbers: Numbers) -> Id {
    let component = match numbers {
        Numbers::Floats => code.p.float(),
        Numbers::Signed | Numbers::Unsigned => code.p.uint(),
    };
    code.p.vector(component, 4)
}

/// Emits the colour that `pieces` form: four floats or unsigned integers. Missing components are 0, or 1 for alpha.
///
/// ```text
/// %rg     = OpLoad %v2half %colour_rg
/// %half_r = OpCompositeExtract %half %rg 0
/// %r      = OpFConvert %float %half_r
///           …
/// %source = OpCompositeConstruct %v4float %r %g %b %float_1
/// ```
pub(super) fn gather(code: &mut Cursor<'_, '_, '_>, pieces: &[Piece], numbers: Numbers) -> Id {
    let [zero, one] = match numbers {
        Numbers::Floats => [0.0, 1.0].map(|value| code.p.float_constant(value)),
        Numbers::Signed | Numbers::Unsigned => [0, 1].map(|value| code.p.uint_constant(value)),
    };
    let whole = whole(code, numbers);
    let mut components = [zero, zero, zero, one];
    for piece in pieces {
        let from = pointer(code, piece, StorageClass::PRIVATE, piece.variable);
        let value = code.load(piece.ty, from);
        if piece.ty == whole {
            return value;
        }
        for i in 0..piece.count {
            let indices = if piece.count == 1 { &[][..] } else { &[i] };
            let component = code.extract(piece.component, value, indices);
            components[(piece.first + i) as usize] = widen(code, piece, component);
        }
    }
    code.construct(whole, &components)
}

/// Emits the conversion of a component to a 32-bit float or unsigned integer.
fn widen(code: &mut Cursor<'_, '_, '_>, piece: &Piece, component: Id) -> Id {
    match (piece.numbers, piece.width) {
        (Numbers::Floats, 32) | (Numbers::Unsigned, 32) => component,
        (Numbers::Floats, _) => {
            let float = code.p.float();
            code.value(Op::F_CONVERT, float, &[component.word()])
        }
        (Numbers::Unsigned, _) => {
            let uint = code.p.uint();
            code.value(Op::U_CONVERT, uint, &[component.word()])
        }
        (Numbers::Signed, width) => {
            let (int, uint) = (code.p.int(), code.p.uint());
            let wide = match width {
                32 => component,
                _ => code.value(Op::S_CONVERT, int, &[component.word()]),
            };
            code.bitcast(uint, wide)
        }
    }
}

/// Emits the inverse conversion of [`widen`].
fn narrow(code: &mut Cursor<'_, '_, '_>, piece: &Piece, component: Id) -> Id {
    let ty = piece.component;
    match (piece.numbers, piece.width) {
        (Numbers::Floats, 32) | (Numbers::Unsigned, 32) => component,
        (Numbers::Floats, _) => code.value(Op::F_CONVERT, ty, &[component.word()]),
        (Numbers::Unsigned, _) => code.value(Op::U_CONVERT, ty, &[component.word()]),
        (Numbers::Signed, 32) => code.bitcast(ty, component),
        (Numbers::Signed, _) => {
            let int = code.p.int();
            let wide = code.bitcast(int, component);
            code.value(Op::S_CONVERT, ty, &[wide.word()])
        }
    }
}

/// Emits stores of the components of `color`, which has the type [`whole`], to the pieces in the interface.
pub(super) fn scalarize(
    code: &mut Cursor<'_, '_, '_>,
    pieces: &[Piece],
    interface: &Interface,
    color: Id,
) {
    for piece in pieces {
        let (_, new) = interface
            .iter()
            .find(|(private, _)| *private == piece.variable)
            .expect("blended outputs were demoted");
        // A piece that is not the whole colour is assembled from single components.
        let whole = whole(code, piece.numbers);
        let part = match piece.numbers {
            Numbers::Floats => code.p.float(),
            Numbers::Signed | Numbers::Unsigned => code.p.uint(),
        };
        let mut components = Vec::new();
        for i in piece.first..piece.first + piece.count {
            if piece.ty == whole {
                break;
            }
            let component = code.extract(part, color, &[i]);
            components.push(narrow(code, piece, component));
        }
        let value = match components.as_slice() {
            [] => color,
            [only] => *only,
            several => code.construct(piece.ty, several),
        };
        let to = pointer(code, piece, StorageClass::OUTPUT, *new);
        code.store(to, value);
    }
}
