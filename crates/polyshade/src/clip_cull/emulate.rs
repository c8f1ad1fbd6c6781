//! Emulates distances for devices without them. In the last stage before rasterization, the distances become ordinary
//! outputs. The fragment stage reads these outputs and discards fragments.

use super::arrays::{
    AddedRegisters, RegisterPlace, add_registers, arrays, at_least, behind, count, declared, find,
    relocation, with_others,
};
use super::limits::{self, Emulated};
use super::options::{EMULATED_LOCATIONS, Registers, StageDistances};
use super::prepare::{is_used, prepare_builtins, without_unused};
use super::read::read_registers;
use super::relocate::{Sites, distance_array, interpolation, pointer, relocate};
use super::semantics::{DISTANCE_KINDS, DistanceKind};
use crate::code::{self, refuse};
use crate::fragment_tests::{check_movable, check_per_sample, runs_per_sample};
use crate::host::{Lowered, Requirements, Target};
use crate::position;
use crate::rewrite::{self, Frame, Place, Stages};
use polyshade_spv::view::EntryPoint;
use polyshade_spv::{
    BuiltIn, Capability, Decoration, Error, ExecutionMode, ExecutionModel, Id, Module, Op, Patch,
    Position, StorageClass,
};

/// Applies [`Step::Emulate`](super::Step::Emulate) to the last stage before rasterization.
pub(super) fn emulate_last<'m>(
    module: &'m Module<'_>,
    target: &Target,
    lacking: Emulated,
    registers: Registers,
) -> Result<Lowered<'m, StageDistances>, Error> {
    let frame = Frame::new(module, target, &position::STAGES)?;
    let target = frame.target();
    let class = StorageClass::OUTPUT;
    let (read, inputs) = read_registers(&frame, lacking, Some(registers))?;
    let version = prepare_builtins(&frame, &read, &[class])?;
    let next = frame.rewrite(&version, |m, p, entry| {
        let arrays = arrays(m, p, entry, class)?;
        let counts = DISTANCE_KINDS.map(|kind| count(&arrays, kind));
        if !lacking.is_needed(counts) {
            return Ok((counts, false));
        }
        // All distances become ordinary outputs.
        let sites = Sites::new(m, p, entry);
        let location = registers.outputs;
        let place = RegisterPlace { entry, class, target, location, interpolation: &[] };
        let (places, _) = add_registers(m, p, place, counts, None)?;
        let relocations: Vec<_> = arrays.iter().map(|array| relocation(array, &places)).collect();
        relocate(m, p, entry, class, &relocations, sites)?;

        // Each cull distance also gets a flag. If the device has clip distances, the stage also writes the built-in
        // array.
        let cull = find(&arrays, DistanceKind::Cull);
        let (flags, _) = add_flags(m, p, place, counts[1])?;
        for (number, (_, flag)) in (0..).zip(&flags) {
            let own =
                cull.expect("flags exist only if the stage has cull distances").register.variable;
            export_flag(p, sites.at_exports, (own, number), flag);
        }
        let clip = find(&arrays, DistanceKind::Clip);
        if let Some(clip) = clip.filter(|_| !lacking.includes(DistanceKind::Clip)) {
            limits::check(target, [clip.count, 0])?;
            let native = distance_array(p, entry, class, (DistanceKind::Clip, clip.count), None);
            for number in 0..clip.count {
                copy(p, sites.at_exports, (clip.register.variable, native), number);
            }
        }
        Ok((counts, true))
    })?;
    let (counts, is_emulated) = next.value;
    let made = without_unused(&frame, &next.module)?;
    let native = if lacking.includes(DistanceKind::Clip) { 0 } else { counts[0] };
    let requirements = limits::requirements([native, 0]);
    let result = StageDistances { outputs: counts.into(), ..inputs };
    let lowered = match !is_emulated && !declares_fewer(&frame, lacking, &made)? {
        true => Lowered { requirements, ..Lowered::unchanged(module, result) },
        false => frame.made(made, requirements, result),
    };
    with_others(&frame, lowered)
}

/// The rate at which a fragment stage runs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Runs {
    /// The rate that the module and its pipeline determine.
    AsItIs,
    /// Once per sample, because a later lowering requires per-sample shading.
    ForEachSample,
}

/// Applies [`Step::Emulate`](super::Step::Emulate) to a fragment stage.
pub(crate) fn emulate_fragment<'m>(
    module: &'m Module<'_>,
    target: &Target,
    lacking: Emulated,
    registers: Registers,
    runs: Runs,
) -> Result<Lowered<'m, StageDistances>, Error> {
    let Registers { inputs: location, signature, .. } = registers;
    let Some(signature) = signature else {
        let message = "cannot emulate distances in a fragment stage: their counts are missing";
        return Err(Error::new(&code::CLIP_NO_SIGNATURE, message));
    };
    let counts = signature.to_array();
    let frame = Frame::new(module, target, &FRAGMENT)?;
    let target = frame.target();
    let result = StageDistances { inputs: counts.into(), ..Default::default() };
    let is_emulated = lacking.is_needed(counts);
    let class = StorageClass::INPUT;
    let version = prepare_builtins(&frame, frame.isolated(), &[class])?;
    let next = frame.rewrite(&version, |m, p, entry| {
        let arrays = arrays(m, p, entry, class)?;
        at_least(Some(counts[0]), count(&arrays, DistanceKind::Clip))?;
        at_least(Some(counts[1]), count(&arrays, DistanceKind::Cull))?;
        if !is_emulated {
            return Ok(());
        }
        if runs == Runs::ForEachSample {
            // Check now: the result has per-sample inputs, with which this check always succeeds.
            check_per_sample(m, entry)?;
        }
        test_late(m, p, entry)?;
        let sites = Sites::new(m, p, entry);
        let registers = arrays.iter().map(|array| &array.register);
        let mut interpolation = interpolation(m, entry, registers)?;
        let is_tested = counts[0] > 0 && lacking.includes(DistanceKind::Clip);
        if let Some(array) = arrays.first().filter(|_| is_tested && moves_the_cut(&interpolation)) {
            let message =
                "the shader reads the distances with a different interpolation than clipping uses";
            return refuse(&code::CLIP_INTERPOLATION, message, array.register.variable);
        }
        // Per-sample shading needs the distance at the position of the sample.
        if is_tested && (runs == Runs::ForEachSample || runs_per_sample(m, entry)) {
            interpolation = vec![Decoration::SAMPLE];
            p.capability(Capability::SAMPLE_RATE_SHADING);
        }
        let interpolation = &interpolation;
        let place = RegisterPlace { entry, class, target, location, interpolation };
        let (places, _) = add_registers(m, p, place, counts, None)?;
        let (flags, _) = add_flags(m, p, place, counts[1])?;
        let keep = keep_if(p);
        let at = sites.prologue;
        let clip = places.iter().filter(|(kind, _)| *kind == DistanceKind::Clip);
        let clip =
            clip.filter(|_| lacking.includes(DistanceKind::Clip)).map(|(_, place)| place.clone());
        let clip: Vec<Place> = clip.collect();
        let mut tests: Vec<Id> = clip.iter().map(|place| is_inside(p, at, place)).collect();
        tests.extend(flags.iter().map(|(_, flag)| is_alive(p, at, flag)));
        let (bool, void) = (p.bool(), p.void());
        let mut code = p.at(at);
        let both = |left, right| code.binary(Op::LOGICAL_AND, bool, left, right);
        let all = tests.into_iter().reduce(both).expect("at least one distance is emulated");
        p.at(at).call(void, keep, &[all]);

        let relocations: Vec<_> = arrays.iter().map(|array| relocation(array, &places)).collect();
        relocate(m, p, entry, class, &relocations, sites)
    })?;
    let made = without_unused(&frame, &next.module)?;
    let lowered = match !is_emulated && !declares_fewer(&frame, lacking, &made)? {
        true => Lowered::unchanged(module, result),
        false => frame.made(made, Requirements::default(), result),
    };
    with_others(&frame, lowered)
}

/// Whether `made` declares fewer unsupported built-in arrays than the original module.
fn declares_fewer(frame: &Frame<'_>, lacking: Emulated, made: &Module<'_>) -> Result<bool, Error> {
    let count = |m: &Module<'_>| {
        let kinds = declared(m, frame.entry(m)?).into_iter();
        Ok(kinds.filter(|kind| lacking.includes(*kind)).count())
    };
    Ok(count(made)? < count(frame.isolated())?)
}

/// Removes the `EarlyFragmentTests` mode: early tests would count and write fragments that the shader then discards.
/// Refuses shaders whose results would change.
fn test_late<'m>(
    m: &'m Module<'_>,
    p: &mut Patch<'m, '_>,
    entry: EntryPoint<'m>,
) -> Result<(), Error> {
    let Some(early) = m.mode(entry.function(), ExecutionMode::EARLY_FRAGMENT_TESTS) else {
        return Ok(());
    };
    let help = "emulated distances discard fragments, so fragment tests must be late";
    check_movable(m, entry).map_err(|error| error.help(help))?;
    // `PostDepthCoverage` requires early tests. It affects only shaders that read the sample mask.
    if let Some(mode) = m.mode(entry.function(), ExecutionMode::POST_DEPTH_COVERAGE) {
        let inputs = rewrite::interface(m, entry, StorageClass::INPUT);
        let mut masks =
            inputs.into_iter().filter(|id| m.builtin(*id) == Some(BuiltIn::SAMPLE_MASK));
        if let Some(mask) = masks.find(|mask| is_used(m, *mask)) {
            let message = "the sample mask that the shader reads already excludes samples that early tests reject";
            return Err(Error::new(&code::CLIP_POST_DEPTH_COVERAGE, message)
                .about(mask)
                .help(help));
        }
        p.remove(mode.inst());
    }
    p.remove(early.inst());
    Ok(())
}

/// Whether this interpolation moves the zero line of a distance away from the edge that clipping makes. With
/// perspective interpolation, the distance is 0 exactly on that edge.
fn moves_the_cut(interpolation: &[Decoration]) -> bool {
    interpolation.contains(&Decoration::FLAT) || interpolation.contains(&Decoration::NO_PERSPECTIVE)
}

const FRAGMENT: Stages =
    Stages { models: &[ExecutionModel::FRAGMENT], otherwise: "does not test exported distances" };

/// Adds the flags that state whether cull distances are at least 0.
///
/// Flags use perspective interpolation, which gives 0 if all vertices have 0. Without perspective, lavapipe gives NaN
/// in slivers that clipping leaves, even if all vertices have 0.
fn add_flags<'m>(
    m: &'m Module<'_>,
    p: &mut Patch<'m, '_>,
    place: RegisterPlace<'_, 'm>,
    cull: u32,
) -> Result<AddedRegisters, Error> {
    let location = behind(place.location, EMULATED_LOCATIONS / 2)?;
    add_registers(m, p, RegisterPlace { location, interpolation: &[], ..place }, [0, cull], None)
}

/// Emits the store of a flag, which is 1 if the cull distance is at least 0, otherwise 0.
///
/// ```text
/// %distance = OpLoad %float %private
/// %is_not   = OpFOrdGreaterThanEqual %bool %distance %float_0
/// %flag     = OpSelect %float %is_not %float_1 %float_0
///             OpStore %to %flag
/// ```
fn export_flag<'m>(
    p: &mut Patch<'m, '_>,
    at: Position<'m>,
    (own, number): (Id, u32),
    flag: &Place,
) {
    let (float, bool) = (p.float(), p.bool());
    let (zero, one) = (p.float_constant(0.0), p.float_constant(1.0));
    let mut code = p.at(at);
    let from = pointer(&mut code, StorageClass::PRIVATE, own, &[number]);
    let to = pointer(&mut code, StorageClass::OUTPUT, flag.variable, &flag.path);
    let distance = code.load(float, from);
    let is_not_negative = code.binary(Op::F_ORD_GREATER_THAN_EQUAL, bool, distance, zero);
    let flag = code.select(float, is_not_negative, one, zero);
    code.store(to, flag);
}

/// Emits a copy of a distance to a built-in array.
fn copy<'m>(p: &mut Patch<'m, '_>, at: Position<'m>, (own, native): (Id, Id), number: u32) {
    let float = p.float();
    let mut code = p.at(at);
    let from = pointer(&mut code, StorageClass::PRIVATE, own, &[number]);
    let to = pointer(&mut code, StorageClass::OUTPUT, native, &[number]);
    let distance = code.load(float, from);
    code.store(to, distance);
}

/// Emits the test that a clip distance is at least 0. The result is false for NaN.
fn is_inside<'m>(p: &mut Patch<'m, '_>, at: Position<'m>, place: &Place) -> Id {
    let (float, bool, zero) = (p.float(), p.bool(), p.float_constant(0.0));
    let mut code = p.at(at);
    let from = pointer(&mut code, StorageClass::INPUT, place.variable, &place.path);
    let distance = code.load(float, from);
    code.binary(Op::F_ORD_GREATER_THAN_EQUAL, bool, distance, zero)
}

/// Emits the test that a flag is 1 at any vertex: the flag or one of its derivatives is not 0.
///
/// ```text
/// %flag  = OpLoad %float %from
/// %x     = OpDPdx %float %flag
/// %y     = OpDPdy %float %flag
/// %a     = OpFUnordNotEqual %bool %flag %float_0
/// %b     = OpFUnordNotEqual %bool %x %float_0
/// %c     = OpFUnordNotEqual %bool %y %float_0
/// %ab    = OpLogicalOr %bool %a %b
/// %alive = OpLogicalOr %bool %ab %c
/// ```
fn is_alive<'m>(p: &mut Patch<'m, '_>, at: Position<'m>, flag: &Place) -> Id {
    let (float, bool, zero) = (p.float(), p.bool(), p.float_constant(0.0));
    let mut code = p.at(at);
    let from = pointer(&mut code, StorageClass::INPUT, flag.variable, &flag.path);
    let flag = code.load(float, from);
    let x = code.value(Op::D_PDX, float, &[flag.word()]);
    let y = code.value(Op::D_PDY, float, &[flag.word()]);
    let [a, b, c] = [flag, x, y].map(|value| code.binary(Op::F_UNORD_NOT_EQUAL, bool, value, zero));
    let ab = code.binary(Op::LOGICAL_OR, bool, a, b);
    code.binary(Op::LOGICAL_OR, bool, ab, c)
}

/// Emits `void keep_if(bool kept)`, which discards the fragment unless `kept` is true.
///
/// ```text
///             OpSelectionMerge %merge None
///             OpBranchConditional %kept %merge %discard
/// %discard  = OpLabel
///             OpKill
/// %merge    = OpLabel
///             OpReturn
/// ```
fn keep_if(p: &mut Patch<'_, '_>) -> Id {
    let (id, at, bool, void) = (p.id(), p.slot(), p.bool(), p.void());
    let (merge, discard) = (p.id(), p.id());
    p.name(id, "polyshade_keep_if");
    let mut code = p.at(at);
    let kept = code.begin_function(id, void, &[bool])[0];
    code.emit(Op::SELECTION_MERGE, &[merge.word(), 0]);
    code.emit(Op::BRANCH_CONDITIONAL, &[kept.word(), merge.word(), discard.word()]);
    code.emit(Op::LABEL, &[discard.word()]);
    code.emit(Op::KILL, &[]);
    code.emit(Op::LABEL, &[merge.word()]);
    code.end_function(None);
    id
}
