//! Distances where the device has none, exactly: a geometry stage drops primitives and cuts them.

use super::arrays::{
    AddedRegisters, Array, RegisterPlace, Registers, StageDistances, add_registers, arrays, count,
    with_others,
};
use super::cut::{Parts, emit_cut};
use super::limits::{self, Lacking};
use super::marks::{KINDS, Kind};
use super::prepare::{builtin_array, prepare_blocks, without_unused};
use super::primitives::emitted;
use super::read::read_registers;
use super::varyings::{Interpolation, Leaf, leaves};
use crate::code;
use crate::host::{Feature, LimitName, Lowered, Target};
use crate::moves::{self, Frame, Stages};
use crate::transform_feedback::ProvokingVertex;
use polyshade_spv::view::{EmitStreamVertex, EntryPoint, Mode};
use polyshade_spv::{
    BuiltIn, Decoration, Error, ExecutionMode, ExecutionModel, Id, Inst, Module, Op, Patch,
    StorageClass,
};

/// What the device has, and how what is drawn is read.
#[derive(Clone, PartialEq, Hash, Eq, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Exact {
    lacking: Lacking,
    hand_on: Option<u32>,
    #[cfg_attr(feature = "serde", serde(default))]
    read: Option<Read>,
    interpolation: Interpolation,
    provoking: ProvokingVertex,
}

/// Where the stage before hands its distances on, and how many it has.
#[derive(Clone, Copy, PartialEq, Hash, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Read {
    location: u32,
    #[cfg_attr(feature = "serde", serde(default))]
    linked: Option<[u32; 2]>,
}

impl Exact {
    /// For a device with neither kind, and a fragment stage that reads no distances.
    pub fn new() -> Self {
        Self::default()
    }

    /// Which distances the device lacks. Where it lacks cull distances only, primitives are culled and not cut.
    #[must_use]
    pub fn lacking(mut self, lacking: Lacking) -> Self {
        self.lacking = lacking;
        self
    }

    /// Hands the distances on as ordinary values too, at `location` and the one behind it, for a fragment stage that
    /// [`to_registers`](super::to_registers) makes read them there.
    #[must_use]
    pub fn hand_on(mut self, location: u32) -> Self {
        self.hand_on = Some(location);
        self
    }

    /// Distances of the stage before are ordinary values at `location` and the one behind it, as
    /// [`to_registers`](super::to_registers) hands them on: a stage reads them there that reads any which the device
    /// lacks. `linked` is how many clip and cull distances the stage before has, where this one need not have all.
    #[must_use]
    pub fn read(mut self, location: u32, linked: Option<[u32; 2]>) -> Self {
        self.read = Some(Read { location, linked });
        self
    }

    /// The fragment stage reads what is at `location` flat: from the provoking vertex. Of integers, and of what the
    /// stage itself decorates, it need not be said.
    #[must_use]
    pub fn flat(mut self, location: u32) -> Self {
        self.interpolation.flat.insert(location);
        self
    }

    /// The fragment stage interpolates what is at `location` without perspective. Of what the stage itself decorates,
    /// it need not be said.
    #[must_use]
    pub fn no_perspective(mut self, location: u32) -> Self {
        self.interpolation.no_perspective.insert(location);
        self
    }

    /// Values are interpolated as the fragment stage `entry` of `module` says: only its own decorations do, whatever
    /// the stage before has.
    ///
    /// # Errors
    ///
    /// `Unsupported`: an input with more parts than any has.
    pub fn read_by(mut self, module: &Module<'_>, entry: EntryPoint<'_>) -> Result<Self, Error> {
        self.interpolation.read_by(module, entry)?;
        Ok(self)
    }

    /// Which vertex flat values come from: the first, unless said otherwise.
    #[must_use]
    pub fn provoking(mut self, provoking: ProvokingVertex) -> Self {
        self.provoking = provoking;
        self
    }

    pub(super) fn lacks(&self) -> Lacking {
        self.lacking
    }

    /// The registers that are read.
    pub(super) fn reads(&self) -> Option<Registers> {
        let read = self.read?;
        Some(Registers { inputs: read.location, linked: read.linked, ..Registers::default() })
    }
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
/// Distances that the stage reads are where the options [say](Exact::read), if the device lacks any of them.
///
/// # Errors
///
/// `NotFound`: the entry point. `Options`: a location to hand on or to read that is taken, or that is not said.
/// `Unsupported`: another stage; a stage
/// that is captured or has several vertex streams, since primitives are counted before they are clipped; more vertices
/// or components than the device takes; outputs that cannot be interpolated part by part; what the
/// moves refuse.
pub fn cut<'m>(
    module: &'m Module<'_>,
    target: impl Into<Target>,
    exact: &Exact,
) -> Result<Lowered<'m, StageDistances>, Error> {
    let frame = Frame::new(module, &target.into(), &STAGES)?;
    let target = frame.target();
    let class = StorageClass::OUTPUT;
    let (read, inputs) = read_registers(&frame, exact.lacking, exact.reads())?;
    let version = prepare_blocks(&frame, &read)?;
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
    let is_read = !inputs.marks[0].is_empty();
    let result = StageDistances { outputs: counts, ..inputs };
    let Some((vertices, has_point_size)) = vertices else {
        if !is_read {
            return with_others(&frame, Lowered::unchanged(module, result));
        }
        let last = without_unused(&frame, &next.module)?;
        return with_others(&frame, frame.made(last, limits::requirements(counts), result));
    };
    let kept = match exact.lacking {
        Lacking::All => [0, 0],
        Lacking::Cull => [counts[0], 0],
    };
    limits::check(target, kept)?;
    let mut requirements = limits::requirements(kept);
    requirements.features.insert(0, Feature::GeometryShader);
    if has_point_size {
        requirements.features.push(Feature::ShaderTessellationAndGeometryPointSize);
    }
    requirements.need(LimitName::MaxGeometryOutputVertices, vertices);
    let last = without_unused(&frame, &next.module)?;
    with_others(&frame, frame.made(last, requirements, result))
}

/// The stage, while it is patched.
struct Stage<'s, 'm> {
    entry: EntryPoint<'m>,
    target: &'s Target,
    exact: &'s Exact,
}

impl<'m> Stage<'_, 'm> {
    fn is_emulated(&self, kind: Kind) -> bool {
        self.exact.lacking.is_lacked(kind)
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
        let primitive = emitted(m, entry).ok_or_else(|| {
            Error::new(&code::CLIP_GEOMETRY_MODES, "the stage does not say what it emits")
                .about(entry.function())
        })?;
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
        let place = RegisterPlace { entry, class, target, location, interpolation: &[] };
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
        let needed = [
            (LimitName::MaxGeometryOutputVertices, vertices),
            (LimitName::MaxGeometryOutputComponents, components),
            (LimitName::MaxGeometryTotalOutputComponents, vertices.saturating_mul(components)),
        ];
        let what =
            format!("{vertices} vertices of {components} components are emitted at most, which is");
        self.target.device_limits().check(&what, &needed)
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
            Error::new(&code::CLIP_GEOMETRY_MODES, message).about(self.entry.function())
        })
    }

    /// What emits vertices and ends strips.
    fn emits(&self, m: &'m Module<'_>) -> Result<Vec<Inst<'m>>, Error> {
        if m.mode(self.entry.function(), ExecutionMode::XFB).is_some() {
            let message = "the stage is captured, and primitives would go before they are counted";
            return Err(
                Error::new(&code::CLIP_CAPTURED_STAGE, message).about(self.entry.function())
            );
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
                            return Err(Error::new(&code::CLIP_STREAMS, message)
                                .about(function)
                                .at(inst.at()));
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
