//! Records the outputs of a tessellation evaluation stage for each coordinate of a patch.

use super::{DONE, Recorder, recorder, store};
use crate::Job;
use polyshade::Module;
use polyshade::rewrite;
use polyshade::spv::view::EntryPoint;
use polyshade::spv::{BuiltIn, ExecutionMode, ExecutionModel, Id, Op, Patch, Position};
use polyshade_vulkan::vk;

/// How a tessellation evaluation stage divides patches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Evaluation {
    /// A tessellation level at which all coordinates are multiples of 1 / [`STEPS`].
    pub(crate) level: u8,
    /// The list topology of an undivided patch, if the patch is one primitive.
    pub(crate) makes: Option<vk::PrimitiveTopology>,
    /// Whether the stage sets the spacing; otherwise the control stage does.
    pub(crate) has_spacing: bool,
    /// Whether the stage sets the vertex order; otherwise the control stage sets it to counterclockwise.
    pub(crate) has_order: bool,
    /// Whether the vertex order is clockwise.
    is_clockwise: bool,
}

pub(super) const SPACINGS: [ExecutionMode; 3] = [
    ExecutionMode::SPACING_EQUAL,
    ExecutionMode::SPACING_FRACTIONAL_EVEN,
    ExecutionMode::SPACING_FRACTIONAL_ODD,
];
pub(super) const ORDERS: [ExecutionMode; 2] =
    [ExecutionMode::VERTEX_ORDER_CW, ExecutionMode::VERTEX_ORDER_CCW];

/// The denominator of coordinates. They are multiples of 1/2 or 1/3 at level 2, and of 1/3 or 1/9 at level 3.
const STEPS: u32 = 18;
/// The number of possible coordinates. Each has a slot.
pub(crate) const PLACES: u32 = (STEPS + 1) * (STEPS + 1);

impl Evaluation {
    /// Reads the execution modes of `entry`, or returns why they are not sufficient.
    pub(crate) fn of(m: &Module<'_>, entry: EntryPoint<'_>) -> Result<Evaluation, String> {
        let has = |mode| m.mode(entry.function(), mode).is_some();
        let makes = if has(ExecutionMode::TRIANGLES) {
            Some(vk::PrimitiveTopology::TRIANGLE_LIST)
        } else if has(ExecutionMode::ISOLINES) {
            Some(vk::PrimitiveTopology::LINE_LIST)
        } else if has(ExecutionMode::QUADS) {
            None
        } else {
            return Err("the tessellation evaluation stage does not declare its domain".to_owned());
        };
        let is_divided = has(ExecutionMode::SPACING_FRACTIONAL_EVEN);
        Ok(Evaluation {
            level: if has(ExecutionMode::SPACING_FRACTIONAL_ODD) { 3 } else { 2 },
            makes: makes.filter(|_| !is_divided && !has(ExecutionMode::POINT_MODE)),
            has_spacing: SPACINGS.into_iter().any(has),
            has_order: ORDERS.into_iter().any(has),
            is_clockwise: has(ExecutionMode::VERTEX_ORDER_CW),
        })
    }

    /// Returns the tessellation coordinate of a slot.
    pub(crate) fn coordinates(place: u32) -> [f32; 2] {
        [place / (STEPS + 1), place % (STEPS + 1)].map(|step| step as f32 / STEPS as f32)
    }

    /// Returns the slots of the corners of an undivided patch. Coordinates begin at the upper left.
    pub(crate) fn corners(self) -> &'static [u32] {
        match self.makes {
            None => &[],
            Some(vk::PrimitiveTopology::LINE_LIST) => &[0, STEPS * (STEPS + 1)],
            Some(_) if self.is_clockwise => &[0, STEPS * (STEPS + 1), STEPS],
            Some(_) => &[0, STEPS, STEPS * (STEPS + 1)],
        }
    }
}

/// Makes a recorder of `job`'s evaluation stage, or returns why that is impossible.
pub(crate) fn record(module: &Module<'_>, job: &Job<'_>) -> Result<Recorder, String> {
    recorder(module, job, ExecutionModel::TESSELLATION_EVALUATION, |m, p, entry, record, at| {
        let slot = slot(m, p, entry, at);
        let done = p.uint_constant(DONE);
        store(p, record, (slot, done), None, at);
        Ok(())
    })
}

/// Emits code that computes the slot of the tessellation coordinate.
///
/// ```text
/// %steps  = OpVectorTimesScalar %v3float %tess_coord %float_18
/// %near   = OpFAdd %v3float %steps %halves
/// %place  = OpConvertFToU %v3uint %near
/// %row    = OpIMul %uint %x %uint_19
/// %number = OpIAdd %uint %row %y
/// %first  = OpIMul %uint %patch %uint_361
/// %slot   = OpIAdd %uint %first %number
/// ```
fn slot<'m>(
    m: &'m Module<'_>,
    p: &mut Patch<'m, '_>,
    entry: EntryPoint<'m>,
    at: Position<'m>,
) -> Id {
    let (uint, float) = (p.uint(), p.float());
    let (three, place) = (p.vector(float, 3), p.vector(uint, 3));
    let patch = rewrite::load_integer_builtin(m, p, entry, (BuiltIn::PRIMITIVE_ID, uint), at);
    let (coordinate, _) = rewrite::input_builtin(m, p, entry, BuiltIn::TESS_COORD, three);
    let (scale, half) = (p.float_constant(STEPS as f32), p.float_constant(0.5));
    let halves = p.composite_constant(three, &[half; 3]);
    let [row, all] = [STEPS + 1, PLACES].map(|number| p.uint_constant(number));
    let mut code = p.at(at);
    let coordinate = code.load(three, coordinate);
    let steps = code.binary(Op::VECTOR_TIMES_SCALAR, three, coordinate, scale);
    let near = code.binary(Op::F_ADD, three, steps, halves);
    let near = code.value(Op::CONVERT_F_TO_U, place, &[near.word()]);
    let [x, y] = [0, 1].map(|axis| code.extract(uint, near, &[axis]));
    let x = code.binary(Op::I_MUL, uint, x, row);
    let place = code.binary(Op::I_ADD, uint, x, y);
    let first = code.binary(Op::I_MUL, uint, patch, all);
    code.binary(Op::I_ADD, uint, first, place)
}
