//! Library calls on shaders of a typical size, to count machine instructions, allocations and added words. Before a
//! call is measured, its module has been parsed and the same call has been made once.

use std::hint::black_box;

use polyshade::advanced_blend::{self, Equation, Options};
use polyshade::clip_cull::{self, DistanceCounts, Emulated, Registers, Step, UserPlanes};
use polyshade::clip_space::{self, SurfaceRotation};
use polyshade::host::{Binding, ParamSource, Set, Target, Value};
use polyshade::position_only;
use polyshade::spv::view::EntryPoint;
use polyshade::spv::{BuiltIn, ExecutionModel};
use polyshade::transform_feedback::{self, Topology, Variant, Varying};
use polyshade::{Error, Module, rasterizer_discard};

use crate::allocations;

/// The entry point for the calls.
#[derive(Clone, Copy)]
pub struct Of<'m> {
    m: &'m Module<'m>,
    entry: EntryPoint<'m>,
    /// The captured varyings; empty unless the entry point is a vertex stage.
    varyings: &'m [Varying],
}

/// A measured call.
#[derive(Debug)]
pub struct MeasuredCall {
    /// Its name in the list of limits.
    pub name: &'static str,
    stage: ExecutionModel,
    make: Make,
}

const fn call(name: &'static str, stage: ExecutionModel, make: Make) -> MeasuredCall {
    MeasuredCall { name, stage, make }
}

/// A function that makes a call and returns the variants.
type Make = fn(Of<'_>) -> Result<Vec<Module<'_>>, Error>;

const VERTEX: ExecutionModel = ExecutionModel::VERTEX;
const FRAGMENT: ExecutionModel = ExecutionModel::FRAGMENT;

/// All measured calls.
pub const CALLS: [MeasuredCall; 19] = [
    call("identity", VERTEX, |of| Ok(vec![of.m.rewrite(|_, _| Ok(()))?.module])),
    call("capture-all", VERTEX, |of| captured(of, Known::Nothing, &ALL)),
    call("capture-only", VERTEX, |of| captured(of, Known::Nothing, &[Variant::CaptureOnly])),
    call("capture-list", VERTEX, |of| captured(of, Known::List, &[Variant::CaptureOnly])),
    call("capture-instanced", VERTEX, |of| captured(of, Known::Instanced, &[Variant::CaptureOnly])),
    call("capture-strip", VERTEX, |of| captured(of, Known::Strip, &[Variant::CaptureOnly])),
    call("capture-both", VERTEX, |of| captured(of, Known::List, &[Variant::Both])),
    call("capture-extension", VERTEX, |of| {
        let options = of.captured();
        Ok(vec![transform_feedback::decorate(of.m, of.target(), &options)?.module])
    }),
    call("position-only", VERTEX, |of| {
        let options = position_only::Options::new();
        Ok(vec![position_only::lower(of.m, of.target(), &options)?.module])
    }),
    call("complement", VERTEX, |of| {
        let options = position_only::Options::new().variant(position_only::Variant::Complement);
        Ok(vec![position_only::lower(of.m, of.target(), &options)?.module])
    }),
    call("clip-space", VERTEX, |of| {
        let options = clip_space::Options::new()
            .depth(Value::Fixed(true))
            .flip_y(Value::Fixed(true))
            .rotation(Value::Fixed(SurfaceRotation::None));
        Ok(vec![clip_space::lower(of.m, of.target(), &options)?.module])
    }),
    call("rasterizer-discard", VERTEX, |of| {
        let when = Value::Param(ParamSource::Specialization { first_id: 40 });
        let options = rasterizer_discard::Options::new().when(when);
        Ok(vec![rasterizer_discard::lower(of.m, of.target(), &options)?.module])
    }),
    call("clip-planes", VERTEX, |of| {
        let words = ParamSource::Uniform { set: Set(2), binding: Binding(0) };
        clipped(of, Step::UserPlanes(UserPlanes { count: 6, params: words, vertex: None }))
    }),
    call("clip-registers", VERTEX, |of| {
        clipped(of, Step::ToRegisters(Registers { inputs: 28, outputs: 28, signature: None }))
    }),
    call("clip-emulate", VERTEX, |of| clipped(of, emulate(None))),
    call("clip-emulate-fragment", FRAGMENT, |of| {
        clipped(of, emulate(Some(DistanceCounts { clip: 6, cull: 2 })))
    }),
    call("blend-one", FRAGMENT, |of| blended(of, Options::new().equations([Equation::Multiply]))),
    call("blend-15", FRAGMENT, |of| {
        let select = ParamSource::Specialization { first_id: 40 };
        blended(of, Options::new().all_khr().select(select))
    }),
    call("blend-46", FRAGMENT, |of| {
        let select = ParamSource::Uniform { set: Set(2), binding: Binding(0) };
        blended(of, Options::new().all().select(select))
    }),
];

const ALL: [Variant; 3] = [Variant::CaptureOnly, Variant::Both, Variant::RasterOnly];

/// The facts about draws that the host promises.
#[derive(Clone, Copy)]
enum Known {
    Nothing,
    List,
    Instanced,
    Strip,
}

impl<'m> Of<'m> {
    /// Returns the position and the first other output that can be captured.
    fn varyings(m: &Module<'_>, entry: EntryPoint<'_>) -> Vec<Varying> {
        let outputs = transform_feedback::capturable(m, entry);
        let sound = outputs.into_iter().filter(|(_, components)| components.is_ok());
        let is_position = |varying: &Varying| match varying {
            Varying::BuiltIn(builtin) => *builtin == BuiltIn::POSITION,
            varying => varying.to_string() == "gl_Position",
        };
        let is_builtin = |varying: &Varying| match varying {
            Varying::BuiltIn(_) => true,
            varying => varying.to_string().starts_with("gl_"),
        };
        let varyings: Vec<Varying> = sound.map(|(varying, _)| varying).collect();
        let position = varyings.iter().find(|one| is_position(one));
        let own = varyings.iter().find(|one| !is_builtin(one));
        position.into_iter().chain(own).cloned().collect()
    }

    fn target(self) -> Target {
        Target::new(self.entry.name()).stage(self.entry.model()).names(false)
    }

    fn captured(self) -> transform_feedback::Options {
        transform_feedback::Options::new().interleaved(self.varyings.iter().cloned())
    }
}

fn captured<'m>(of: Of<'m>, known: Known, variants: &[Variant]) -> Result<Vec<Module<'m>>, Error> {
    let options = of.captured();
    let options = match known {
        Known::Nothing => options,
        Known::List => {
            options.topologies([Topology::TriangleList]).one_instance().limit_in_vertices()
        }
        Known::Instanced => options.topologies([Topology::TriangleList]).limit_in_vertices(),
        Known::Strip => options.topologies([Topology::TriangleStrip]).limit_in_vertices(),
    };
    let prepared = transform_feedback::prepare(of.m, of.target(), &options)?;
    variants.iter().map(|variant| Ok(prepared.variant(*variant)?.module)).collect()
}

fn emulate(signature: Option<DistanceCounts>) -> Step {
    Step::Emulate { emulated: Emulated::All, location: 28, inputs: None, signature }
}

fn clipped(of: Of<'_>, step: Step) -> Result<Vec<Module<'_>>, Error> {
    Ok(vec![clip_cull::lower(of.m, of.target(), &[step].into())?.module])
}

fn blended(of: Of<'_>, options: Options) -> Result<Vec<Module<'_>>, Error> {
    Ok(vec![advanced_blend::lower(of.m, of.target(), &options)?.module])
}

/// Makes every call that changes an entry point of the module. `call` gets the name of the call and a function that
/// makes it, and may run the function any number of times.
pub fn make_all(words: &[u32], call: &mut dyn FnMut(&'static str, &mut dyn FnMut())) {
    each(words, |one, of| {
        let mut made = None;
        call(one.name, &mut || made = Some(black_box((one.make)(of))));
        // The variants are freed after the count.
        drop(made);
    });
}

fn each(words: &[u32], mut call: impl FnMut(&MeasuredCall, Of<'_>)) {
    let Ok(module) = Module::parse(words) else { return };
    let of = |entry: EntryPoint<'_>| match entry.model() {
        VERTEX => Of::varyings(&module, entry),
        _ => Vec::new(),
    };
    let varyings: Vec<Vec<Varying>> = module.entry_points().map(of).collect();
    for (entry, varyings) in module.entry_points().zip(&varyings) {
        let of = Of { m: &module, entry, varyings };
        for one in CALLS.iter().filter(|one| one.stage == entry.model()) {
            // The first call caches the module's analyses and parses the compiled GLSL library.
            let Ok(made) = (one.make)(of) else { continue };
            let is_changed = made.iter().any(|variant| variant.words() != words);
            if is_changed || one.name == CALLS[0].name {
                call(one, of);
            }
        }
    }
}

/// The typical sizes of modules, in words.
const WORDS: std::ops::RangeInclusive<usize> = 200..=2000;
/// The number of sampled modules for each stage.
const MODULES: usize = 60;

/// Selects modules of a typical size from `modules`. The choice does not depend on file names, and adding or removing
/// a case changes at most one selected module.
pub fn sample(modules: &[Vec<u32>]) -> Vec<Vec<u32>> {
    let usual: Vec<_> = modules.iter().filter(|words| WORDS.contains(&words.len())).collect();
    let of_stage = |stage: ExecutionModel| {
        let is_of_stage = |words: &&&Vec<u32>| {
            let module = Module::parse(words);
            module.is_ok_and(|m| m.entry_points().next().is_some_and(|one| one.model() == stage))
        };
        let mut all: Vec<_> = usual.iter().filter(is_of_stage).collect();
        all.sort_by_cached_key(|words| hash(words));
        all.into_iter().take(MODULES).map(|words| words.to_vec()).collect::<Vec<_>>()
    };
    [VERTEX, FRAGMENT].into_iter().flat_map(of_stage).collect()
}

/// Returns the FNV-1a hash of the words, which is the same on every machine and with every version of every library.
fn hash(words: &[u32]) -> u64 {
    let mix = |hash: u64, word: &u32| (hash ^ u64::from(*word)).wrapping_mul(0x0100_0000_01b3);
    words.iter().fold(0xcbf2_9ce4_8422_2325, mix)
}

/// The number of words that a call adds, and the number of its allocations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sizes {
    /// The total size of the variants minus the size of the original for each variant, in words.
    pub added: i64,
    /// The number of allocator calls, if the program's allocator is [`Counting`](allocations::Counting).
    pub allocations: usize,
}

/// Returns the sizes of each call on a module, by name, in the order of [`make_all`].
pub fn sizes(words: &[u32]) -> Vec<(&'static str, Sizes)> {
    let mut all = Vec::new();
    each(words, |one, of| {
        let mut made = None;
        let make = || made = Some((one.make)(of));
        let allocations = allocations::count(make);
        let variants = made.and_then(Result::ok).expect("the same call succeeded before");
        let added = |variant: &Module<'_>| variant.words().len() as i64 - words.len() as i64;
        let added = variants.iter().map(added).sum();
        all.push((one.name, Sizes { added, allocations }));
    });
    all
}
