//! Distances where the device has none, exactly: a geometry stage drops primitives and cuts them.

use super::arrays::{AddedRegisters, Array, RegisterPlace, add_registers, arrays};
use super::cut::{Parts, emit_cut};
use super::limits;
use super::marks::{KINDS, Kind};
use super::prepare::{builtin_array, prepare_blocks, without_unused};
use super::primitives::{GeometryLimits, Provoking, emitted};
use super::varyings::{Interpolation, Leaf, leaves};
use crate::host::{Feature, Limit, LimitName, Lowered, Stages, Target};
use crate::moves::{self, Frame};
use crate::unsupported;
use polyshade_spv::view::{EmitStreamVertex, EntryPoint, Mode};
use polyshade_spv::{
    BuiltIn, Decoration, Error, ExecutionMode, ExecutionModel, Id, Inst, Module, Op, Patch,
    StorageClass,
};

/// What the device has, and how what is drawn is read.
#[derive(Clone, PartialEq, Hash, Eq, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Exact {
    native_clip: bool,
    hand_on: Option<u32>,
    interpolation: Interpolation,
    provoking: Provoking,
    limits: GeometryLimits,
}

impl Exact {
    /// For a device with neither kind, and a fragment stage that reads no distances.
    pub fn new() -> Self {
        Self::default()
    }

    /// The device has this kind. Where it has clip distances, as Metal has, they stay, and primitives are culled only.
    /// Where it has cull distances alone they are no help: of what is left of a cut primitive, other vertices would
    /// decide.
    #[must_use]
    pub fn native(mut self, kind: Kind) -> Self {
        self.native_clip |= kind == Kind::Clip;
        self
    }

    /// Hands the distances on as ordinary values too, at `location` and the one behind it, for a fragment stage that
    /// [`to_registers`](super::to_registers) makes read them there.
    #[must_use]
    pub fn hand_on(mut self, location: u32) -> Self {
        self.hand_on = Some(location);
        self
    }

    /// How the fragment stage interpolates. Integers, and what the stage itself decorates, need not be said.
    #[must_use]
    pub fn interpolation(mut self, interpolation: Interpolation) -> Self {
        self.interpolation = interpolation;
        self
    }

    /// Which vertex flat values come from: the first, unless said otherwise.
    #[must_use]
    pub fn provoking(mut self, provoking: Provoking) -> Self {
        self.provoking = provoking;
        self
    }

    /// How much a geometry stage of the device may emit.
    #[must_use]
    pub fn limits(mut self, limits: GeometryLimits) -> Self {
        self.limits = limits;
        self
    }

    pub(super) fn keeps_clip(&self) -> bool {
        self.native_clip
    }
}

/// What is known of a geometry stage that drops primitives and cuts them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Cut {
    /// How many clip and cull distances it had.
    pub counts: [u32; 2],
    /// How many vertices an invocation emits at most; 0 where there was nothing to do.
    pub vertices: u32,
}

const STAGES: Stages =
    Stages { models: &[ExecutionModel::GEOMETRY], otherwise: "emits no primitives" };

/// Makes a geometry stage do what its clip and cull distances ask for: what is left of the primitives that it emits is
/// emitted, each as a strip of its own.
///
/// A primitive goes where one and the same cull distance is not at least 0 at all of its vertices. Of others, what lies
/// where a clip distance is less than 0 is cut off: new vertices have all outputs of the stage, interpolated in clip
/// space, flat ones those of the provoking vertex. Where a clip distance is infinite or no number, the whole primitive
/// goes; so does a point where one is not at least 0.
///
/// # Errors
///
/// `NotFound`: the entry point. `Options`: a location to hand on that is taken. `Unsupported`: another stage; a stage
/// that is captured or has several vertex streams, since primitives are counted before they are clipped; more vertices
/// or components than the device takes; outputs that cannot be interpolated part by part; what the
/// moves refuse.
pub fn cut<'m>(
    module: &'m Module<'_>,
    target: impl Into<Target>,
    exact: &Exact,
) -> Result<Lowered<'m, Cut>, Error> {
    let frame = Frame::new(module, &target.into(), &STAGES)?;
    let target = frame.target();
    let class = StorageClass::OUTPUT;
    let version = prepare_blocks(&frame)?;
    let next = frame.rewrite(&version, |m, p, entry| {
        let stage = Stage { entry, target, exact };
        let all = KINDS.map(|kind| builtin_array(m, stage.entry, class, kind));
        let arrays = arrays(m, p, stage.entry, class)?;
        let counts = KINDS.map(|kind| count(&arrays, kind));
        let unused = |id: &Id| arrays.iter().all(|array| array.register.variable != *id);
        let unused: Vec<Id> = all.into_iter().flatten().filter(unused).collect();
        let emulated = arrays.iter().any(|array| stage.is_emulated(array.kind));
        let vertices = match emulated {
            true => Some(stage.cut(m, p, &arrays, &unused)?),
            false => None,
        };
        Ok((counts, vertices))
    })?;
    let (counts, vertices) = next.value;
    let Some((vertices, has_point_size)) = vertices else {
        return Ok(Lowered::unchanged(module, Cut { counts, vertices: 0 }));
    };
    let kept = if exact.native_clip { [counts[0], 0] } else { [0, 0] };
    limits::check(target.device_limits().distances, kept)?;
    let mut requirements = limits::requirements(kept);
    requirements.features.insert(0, Feature::GeometryShader);
    if has_point_size {
        requirements.features.push(Feature::ShaderTessellationAndGeometryPointSize);
    }
    let limit = Limit { name: LimitName::MaxGeometryOutputVertices, at_least: vertices };
    requirements.limits.push(limit);
    let last = without_unused(&frame, &next.module)?;
    Ok(frame.made(last, requirements, Cut { counts, vertices }))
}

fn count(arrays: &[Array], kind: Kind) -> u32 {
    arrays.iter().find(|array| array.kind == kind).map_or(0, |array| array.count)
}

/// The stage, while it is patched.
struct Stage<'s, 'm> {
    entry: EntryPoint<'m>,
    target: &'s Target,
    exact: &'s Exact,
}

impl<'m> Stage<'_, 'm> {
    fn is_emulated(&self, kind: Kind) -> bool {
        kind == Kind::Cull || !self.exact.native_clip
    }

    /// Returns how many vertices are emitted at most, and whether they have a size.
    fn cut(
        &self,
        m: &'m Module<'_>,
        p: &mut Patch<'m, '_>,
        arrays: &[Array],
        unused: &[Id],
    ) -> Result<(u32, bool), Error> {
        let entry = self.entry;
        let emits = self.emits(m)?;
        let primitive = emitted(m, entry)
            .ok_or_else(|| unsupported("the stage does not say what it emits", entry.function()))?;
        let most = self.output_vertices(m)?;
        let [clip, cull] = KINDS.map(|kind| {
            let used = arrays.iter().filter(|array| self.is_emulated(array.kind));
            used.filter(|array| array.kind == kind).map(|array| array.count).sum::<u32>()
        });
        let mut outputs = moves::interface(m, entry, StorageClass::OUTPUT);
        outputs.retain(|output| !unused.contains(output));
        let mut parts = Vec::new();
        for output in &outputs {
            parts.extend(leaves(m, *output, &self.exact.interpolation)?);
        }

        let goes = |output: &Id| {
            let of = |array: &&Array| array.register.variable == *output;
            arrays.iter().find(of).is_some_and(|array| self.is_emulated(array.kind))
        };
        let handed_on = self.hand_on(m, p, arrays)?;
        let vertices = primitive.most_vertices(most.operands()[0], clip);
        self.check_limits(&parts, vertices, goes, handed_on.len() as u32)?;

        let wrapper = moves::wrap(m, p, entry);
        let (leaving, staying): (Vec<Id>, Vec<Id>) = outputs.iter().partition(|id| goes(id));
        moves::take_over(m, p, entry, &leaving, moves::Copies::None)?;
        let taken = moves::take_over(m, p, entry, &staying, moves::Copies::Uncopied)?;
        let interfaces =
            taken.iter().filter_map(|one| Some((one.private, one.interface?))).collect();
        let distances = KINDS.map(|kind| {
            let used = arrays.iter().filter(|array| self.is_emulated(array.kind));
            used.into_iter().find(|array| array.kind == kind).map(|array| array.register.variable)
        });
        let position = parts.iter().position(|leaf| is_builtin(m, leaf, BuiltIn::POSITION));
        emit_cut(
            m,
            p,
            entry,
            &Parts {
                leaves: &parts,
                interfaces,
                distances,
                handed_on,
                counts: [clip, cull],
                position,
                primitive,
                provoking: self.exact.provoking,
            },
            &emits,
            wrapper.prologue,
        );
        p.overwrite(most.inst().operand(3), vertices.max(1));
        Ok((vertices.max(1), parts.iter().any(|leaf| is_builtin(m, leaf, BuiltIn::POINT_SIZE))))
    }

    /// Where distances are handed on as ordinary values, in their order.
    fn hand_on(
        &self,
        m: &'m Module<'_>,
        p: &mut Patch<'m, '_>,
        arrays: &[Array],
    ) -> Result<Vec<(Id, u32, moves::Place)>, Error> {
        let Some(location) = self.exact.hand_on else { return Ok(Vec::new()) };
        let (entry, class, target) = (self.entry, StorageClass::OUTPUT, self.target);
        let place = RegisterPlace { entry, class, target, location };
        let counts = KINDS.map(|kind| count(arrays, kind));
        let (places, _): AddedRegisters = add_registers(m, p, place, counts, None)?;
        let all = arrays
            .iter()
            .flat_map(|array| (0..array.count).map(|number| (array.register.variable, number)));
        Ok(all.zip(places).map(|((id, number), (_, place))| (id, number, place)).collect())
    }

    fn check_limits(
        &self,
        parts: &[Leaf],
        vertices: u32,
        goes: impl Fn(&Id) -> bool,
        handed_on: u32,
    ) -> Result<(), Error> {
        let staying = parts.iter().filter(|leaf| !goes(&leaf.variable));
        let staying = staying.map(|leaf| leaf.components);
        let components = staying.fold(handed_on, u32::saturating_add);
        self.exact.limits.check(vertices, components)
    }

    /// The mode that says how many vertices are emitted.
    fn output_vertices(&self, m: &'m Module<'_>) -> Result<Mode<'m>, Error> {
        let says = |mode: &Mode<'_>| {
            mode.mode() == ExecutionMode::OUTPUT_VERTICES
                && mode.inst().op() == Op::EXECUTION_MODE
                && mode.operands().len() == 1
        };
        m.modes(self.entry.function()).find(says).ok_or_else(|| {
            let message = "the stage does not say how many vertices it emits";
            unsupported(message, self.entry.function())
        })
    }

    /// What emits vertices and ends strips.
    fn emits(&self, m: &'m Module<'_>) -> Result<Vec<Inst<'m>>, Error> {
        if m.mode(self.entry.function(), ExecutionMode::XFB).is_some() {
            let message = "the stage is captured, and primitives would go before they are counted";
            return Err(unsupported(message, self.entry.function()));
        }
        let mut emits = Vec::new();
        for function in m.reachable(self.entry.function()) {
            for inst in m.function(function).into_iter().flat_map(|body| body.instructions()) {
                match inst.op() {
                    Op::EMIT_VERTEX | Op::END_PRIMITIVE => emits.push(inst),
                    Op::EMIT_STREAM_VERTEX | Op::END_STREAM_PRIMITIVE => {
                        // Both name the stream in the same place.
                        let stream = EmitStreamVertex::of(inst)
                            .map_or_else(|| Id::new(inst.words()[1]), |emit| Some(emit.stream()));
                        if stream.and_then(|stream| m.constant(stream)) != Some(0) {
                            let message = "the stage has vertex streams that are not rasterized";
                            return Err(unsupported(message, function).at(inst.at()));
                        }
                        emits.push(inst);
                    }
                    _ => {}
                }
            }
        }
        Ok(emits)
    }
}

/// Whether a part is a built-in, or a member that is.
fn is_builtin(m: &Module<'_>, leaf: &Leaf, builtin: BuiltIn) -> bool {
    if m.builtin(leaf.variable) == Some(builtin) {
        return true;
    }
    let structure = m.pointee(leaf.variable);
    structure.zip(leaf.path.first()).is_some_and(|(structure, member)| {
        let words = m.member_decoration(structure, *member, Decoration::BUILT_IN);
        words == Some(&[builtin.0])
    })
}
