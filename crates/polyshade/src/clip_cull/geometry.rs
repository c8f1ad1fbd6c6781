//! Emulates distances exactly by culling and clipping primitives in a geometry stage.

use super::arrays::{
    AddedRegisters, Array, RegisterPlace, add_registers, arrays, count, with_others,
};
use super::cut::{Parts, emit_cut};
use super::limits::{self, Emulated};
use super::options::{GeometryClip, StageDistances};
use super::prepare::{builtin_array, prepare_blocks, without_unused};
use super::primitives::emitted;
use super::read::read_registers;
use super::semantics::{DISTANCE_KINDS, DistanceKind};
use super::varyings::{Interpolation, Leaf, leaves};
use crate::code::{self, refuse};
use crate::host::{Feature, LimitName, Lowered, Target};
use crate::rewrite::{self, Frame, Stages};
use polyshade_spv::view::{EntryPoint, Mode};
use polyshade_spv::{
    BuiltIn, Decoration, Error, ExecutionMode, ExecutionModel, Id, Inst, Module, Op, Patch,
    StorageClass,
};

const STAGES: Stages =
    Stages { models: &[ExecutionModel::GEOMETRY], otherwise: "emits no primitives" };

/// Applies [`Step::ClipInGeometry`](super::Step::ClipInGeometry) to a geometry stage.
pub(super) fn clip_in_geometry<'m>(
    module: &'m Module<'_>,
    target: &Target,
    clip: &GeometryClip,
) -> Result<Lowered<'m, StageDistances>, Error> {
    let frame = Frame::new(module, target, &STAGES)?;
    let target = frame.target();
    let class = StorageClass::OUTPUT;
    let (read, inputs) = read_registers(&frame, clip.emulated, clip.read())?;
    let version = prepare_blocks(&frame, &read)?;
    let next = frame.rewrite(&version, |m, p, entry| {
        let stage = Stage { entry, target, clip };
        let all = DISTANCE_KINDS.map(|kind| builtin_array(m, stage.entry, class, kind));
        let arrays = arrays(m, p, stage.entry, class)?;
        let counts = DISTANCE_KINDS.map(|kind| count(&arrays, kind));
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
    let is_read = !inputs.inputs.registers.is_empty();
    let result = StageDistances { outputs: counts.into(), ..inputs };
    let Some((vertices, has_point_size)) = vertices else {
        if !is_read {
            let requirements = limits::requirements(counts);
            let unchanged = Lowered { requirements, ..Lowered::unchanged(module, result) };
            return with_others(&frame, unchanged);
        }
        let last = without_unused(&frame, &next.module)?;
        return with_others(&frame, frame.made(last, limits::requirements(counts), result));
    };
    let kept = match clip.emulated {
        Emulated::All => [0, 0],
        Emulated::Cull => [counts[0], 0],
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

/// The geometry stage, while it is patched.
struct Stage<'s, 'm> {
    entry: EntryPoint<'m>,
    target: &'s Target,
    clip: &'s GeometryClip,
}

impl<'m> Stage<'_, 'm> {
    fn is_emulated(&self, kind: DistanceKind) -> bool {
        self.clip.emulated.includes(kind)
    }

    /// Adds clipping. Returns the maximum number of emitted vertices, and whether they have a point size.
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
            Error::new(
                &code::CLIP_GEOMETRY_MODES,
                "the stage does not declare its output primitive",
            )
            .about(entry.function())
        })?;
        let most = self.output_vertices(m)?;
        let [clip, cull] = DISTANCE_KINDS.map(|kind| {
            let used = arrays.iter().filter(|array| self.is_emulated(array.kind));
            used.filter(|array| array.kind == kind).map(|array| array.count).sum::<u32>()
        });
        let mut outputs = rewrite::interface(m, entry, StorageClass::OUTPUT);
        outputs.retain(|output| !unused.contains(output));
        let (flat, no_perspective) = (self.clip.flat.clone(), self.clip.no_perspective.clone());
        let interpolation = Interpolation { flat, no_perspective };
        let mut parts = Vec::new();
        for output in &outputs {
            parts.extend(leaves(m, *output, &interpolation)?);
        }

        let goes = |output: &Id| {
            let of = |array: &&Array| array.register.variable == *output;
            arrays.iter().find(of).is_some_and(|array| self.is_emulated(array.kind))
        };
        let exported_values = self.keep_distances(m, p, arrays)?;
        let vertices = primitive.most_vertices(most.operands()[0], clip);
        self.check_limits(&parts, vertices, goes, exported_values.len() as u32)?;

        let wrapper = rewrite::wrap(m, p, entry);
        let (leaving, staying): (Vec<Id>, Vec<Id>) = outputs.iter().partition(|id| goes(id));
        rewrite::demote_to_private(m, p, entry, &leaving, rewrite::Copies::None)?;
        let taken = rewrite::demote_to_private(m, p, entry, &staying, rewrite::Copies::Uncopied)?;
        let interfaces =
            taken.iter().filter_map(|one| Some((one.private, one.interface?))).collect();
        let distances = DISTANCE_KINDS.map(|kind| {
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
                exported_values,
                counts: [clip, cull],
                position,
                primitive,
                provoking: self.clip.provoking,
            },
            &emits,
            wrapper.prologue,
        );
        p.overwrite(most.inst().operand(3), vertices.max(1));
        Ok((vertices.max(1), parts.iter().any(|leaf| is_builtin(m, leaf, BuiltIn::POINT_SIZE))))
    }

    /// Adds ordinary outputs for the distances if `keep_at` is set. Returns, for each distance, its array, its index
    /// in the array, and the added output.
    fn keep_distances(
        &self,
        m: &'m Module<'_>,
        p: &mut Patch<'m, '_>,
        arrays: &[Array],
    ) -> Result<Vec<(Id, u32, rewrite::Place)>, Error> {
        let Some(location) = self.clip.keep_at else { return Ok(Vec::new()) };
        let (entry, class, target) = (self.entry, StorageClass::OUTPUT, self.target);
        let place = RegisterPlace { entry, class, target, location, interpolation: &[] };
        let counts = DISTANCE_KINDS.map(|kind| count(arrays, kind));
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
        exported_values: u32,
    ) -> Result<(), Error> {
        let staying = parts.iter().filter(|leaf| !goes(&leaf.variable));
        let staying = staying.map(|leaf| leaf.components);
        let components = staying.fold(exported_values, u32::saturating_add);
        let needed = [
            (LimitName::MaxGeometryOutputVertices, vertices),
            (LimitName::MaxGeometryOutputComponents, components),
            (LimitName::MaxGeometryTotalOutputComponents, vertices.saturating_mul(components)),
        ];
        let what = format!("cannot emit up to {vertices} vertices of {components} components:");
        self.target.device_limits().check(&what, &needed)
    }

    /// Returns the execution mode that declares the maximum number of emitted vertices.
    fn output_vertices(&self, m: &'m Module<'_>) -> Result<Mode<'m>, Error> {
        let says = |mode: &Mode<'_>| {
            mode.mode() == ExecutionMode::OUTPUT_VERTICES
                && mode.inst().op() == Op::EXECUTION_MODE
                && mode.operands().len() == 1
        };
        m.modes(self.entry.function()).find(says).ok_or_else(|| {
            let message = "the stage does not declare OutputVertices";
            Error::new(&code::CLIP_GEOMETRY_MODES, message).about(self.entry.function())
        })
    }

    /// Returns the instructions that emit vertices and end strips.
    fn emits(&self, m: &'m Module<'_>) -> Result<Vec<Inst<'m>>, Error> {
        if m.mode(self.entry.function(), ExecutionMode::XFB).is_some() {
            let message =
                "the stage is captured, and clipping would drop primitives before they are counted";
            return refuse(&code::CLIP_CAPTURED_STAGE, message, self.entry.function());
        }
        let emits: Vec<Inst<'m>> = rewrite::emits_and_cuts(m, self.entry).collect();
        match emits.iter().find(|inst| rewrite::vertex_stream(m, **inst) != Some(0)) {
            None => Ok(emits),
            Some(inst) => {
                let message = "the stage emits to vertex streams that are not rasterized";
                let error = Error::new(&code::CLIP_STREAMS, message).at(inst.at());
                let function = m.function_around(inst.at()).expect("it is in a function");
                Err(error.about(function.id()))
            }
        }
    }
}

/// Whether a leaf belongs to a built-in variable or member.
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
