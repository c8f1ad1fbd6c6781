//! A shader with its captured varyings, and the devices on which it is verified.

use polyshade::clip_cull::DistanceSemantic;
use polyshade::host::{Device, Target};
use polyshade::spv::{ExecutionModel, Patch};
use polyshade::transform_feedback::{Options, Varying};
use polyshade::{Error, Module};
use polyshade_formats::{ShaderStage, SpirvVersion, compile};
pub(crate) use polyshade_tests::drivers::{DRIVERS, Driver};
use polyshade_tests::sample::sample_by;
use polyshade_tests::shader::{assemble, disassemble, validate};
use polyshade_verify::{
    Asked, Captured, Difference, Equal, Job, Lowering, Part, Phase, Verdict, verify, verify_against,
};
use polyshade_vulkan::{Runner, Variants};
use std::fmt::Debug;

/// A shader, the options of its capture, and the arguments of `verify`.
#[derive(Debug, Clone)]
pub(crate) struct Subject {
    pub(crate) words: Vec<u32>,
    pub(crate) options: Options,
    pub(crate) asked: Asked,
    pub(crate) specialization: Vec<(u32, u64)>,
    pub(crate) given: Vec<(Part, Vec<u32>)>,
    pub(crate) seed: u64,
}

#[track_caller]
pub(crate) fn compiled(stage: ShaderStage, glsl: &str) -> Vec<u32> {
    let source = format!("#version 450\n{glsl}");
    compile(&source, stage, SpirvVersion::SPIRV1_3)
        .unwrap_or_else(|error| panic!("{source}\n{error}"))
}

#[track_caller]
pub(crate) fn vertex(glsl: &str) -> Vec<u32> {
    compiled(ShaderStage::Vertex, glsl)
}

pub(crate) fn parsed(words: &[u32]) -> Module<'_> {
    Module::parse(words).expect("compilers write modules")
}

/// Parses a module in the form that is verified: with initialized variables.
pub(crate) fn initialised(words: &[u32]) -> Module<'static> {
    polyshade_verify::initialise(&parsed(words), polyshade_verify::Filler::Zero)
        .expect("it is small")
}

/// Returns the words of a shader after `rewrite` has changed it.
pub(crate) fn rewritten(
    words: &[u32],
    rewrite: impl for<'m> FnOnce(&'m Module<'_>, &mut Patch<'m, '_>) -> Result<(), Error>,
) -> Vec<u32> {
    parsed(words).rewrite(rewrite).expect("it is small").module.into_words()
}

/// Returns the module with edited lines. The result must be valid and different.
#[track_caller]
pub(crate) fn edited(words: &[u32], edit: impl Fn(&str) -> Option<String>) -> Vec<u32> {
    let text = disassemble(words).expect("polyshade's words can be read");
    let lines = text.lines().map(|line| edit(line).unwrap_or_else(|| line.to_owned()));
    let broken = reassembled(words, &lines.collect::<Vec<_>>());
    assert!(broken != words, "nothing is broken in\n{text}");
    broken
}

/// Assembles a valid module from `lines`, which are the disassembly of `words` with edits.
#[track_caller]
pub(crate) fn reassembled(words: &[u32], lines: &[String]) -> Vec<u32> {
    let mut broken = assemble(&lines.join("\n")).expect("it is still a module");
    broken[1] = words[1];
    validate(&broken).unwrap_or_else(|error| panic!("{error}"));
    broken
}

/// Replaces the instruction `op` of a line by a copy of its last operand.
pub(crate) fn copied(line: &str, op: &str, ty: &str) -> Option<String> {
    let (head, _) = line.split_once(op)?;
    let last = line.split(' ').next_back().expect("it has operands");
    Some(format!("{head}OpCopyObject {ty} {last}"))
}

/// Splits a list of names at blanks.
pub(crate) fn names(list: &str) -> Vec<String> {
    list.split_whitespace().map(str::to_owned).collect()
}

fn varyings(list: &str) -> Vec<Varying> {
    names(list)
        .iter()
        .map(|name| name.parse().expect("the tests request existing outputs"))
        .collect()
}

impl Subject {
    pub(crate) fn new(words: Vec<u32>, options: Options, asked: Asked) -> Subject {
        let (specialization, given) = (Vec::new(), Vec::new());
        Subject { words, options, asked, specialization, given, seed: 1 }
    }

    /// Captures these varyings interleaved in one buffer.
    pub(crate) fn interleaved(words: Vec<u32>, list: &str) -> Subject {
        let options = Options::new().interleaved(varyings(list));
        Subject::new(words, options, Asked::Interleaved(names(list)))
    }

    /// Captures each of these varyings in its own buffer.
    pub(crate) fn separate(words: Vec<u32>, list: &str) -> Subject {
        let options = Options::new().separate(varyings(list));
        Subject::new(words, options, Asked::Separate(names(list)))
    }

    /// Captures by the shader's own `xfb_*` decorations.
    pub(crate) fn decorated(words: Vec<u32>) -> Subject {
        Subject::new(words, Options::new().decorated(), Asked::Decorations)
    }

    /// Captures the entries of a stream output declaration.
    pub(crate) fn stream_output(words: Vec<u32>, list: &str, strides: &[u32]) -> Subject {
        let entries = names(list);
        let parsed = entries.iter().map(|entry| entry.parse().expect("the tests know the form"));
        let options = Options::new().stream_output(parsed.collect::<Vec<_>>(), strides.to_vec());
        Subject::new(words, options, Asked::StreamOutput(entries, strides.to_vec()))
    }

    /// Passes these varyings to `verify`, even if the options capture others.
    pub(crate) fn asked(mut self, list: &str) -> Subject {
        self.asked = Asked::Interleaved(names(list));
        self
    }

    /// Adds a variant that is verified instead of polyshade's variant.
    pub(crate) fn given(mut self, part: Part, words: Vec<u32>) -> Subject {
        self.given.push((part, words));
        self
    }

    /// Passes polyshade's variants, in the form that is verified, to `read`.
    pub(crate) fn rewrite<T>(&self, read: impl FnOnce(&Variants<'_>) -> T) -> T {
        let module = initialised(&self.words);
        let variants = Variants::new(&module, "main", &self.options);
        read(&variants.expect("the tests request supported options"))
    }

    /// Verifies the storage path.
    pub(crate) fn verify(&self, driver: Driver) -> Verdict {
        self.verify_by(&*driver.unwatched())
    }

    fn captured<'c>(&'c self, target: &'c Target) -> Captured<'c> {
        Captured { target, options: &self.options, asked: self.asked.clone() }
    }

    /// Verifies the storage path on any runner.
    pub(crate) fn verify_by(&self, runner: &dyn Runner) -> Verdict {
        self.verify_as(runner, Lowering::Stores(self.captured(&Target::new("main"))))
    }

    /// Verifies the storage path on one device against the original shader on another.
    pub(crate) fn verify_against(&self, devices: (&dyn Runner, &dyn Runner)) -> Verdict {
        let (module, target) = (parsed(&self.words), Target::new("main"));
        let lowering = Lowering::Stores(self.captured(&target));
        let job = Job { seed: self.seed, ..job(&module, ExecutionModel::VERTEX, lowering) };
        let verdict = verify_against(&job, devices, |_: Phase| {});
        verdict.unwrap_or_else(|error| panic!("{:?}: {error}", job.lowering))
    }

    /// Verifies the extension path.
    pub(crate) fn verify_extension(&self, driver: Driver) -> Verdict {
        let mut device = Device::default();
        // The limit of lavapipe.
        device.output_components = 128;
        let target = Target::new("main").device(device);
        self.verify_as(&*driver.unwatched(), Lowering::Extension(self.captured(&target)))
    }

    fn verify_as(&self, runner: &dyn Runner, lowering: Lowering<'_>) -> Verdict {
        let module = parsed(&self.words);
        let job = Job {
            specialization: self.specialization.clone(),
            given: self.given.clone(),
            seed: self.seed,
            ..job(&module, ExecutionModel::VERTEX, lowering)
        };
        judge_by(runner, &job)
    }

    /// Checks that the storage path is equal on one of the drivers, and the extension path on lavapipe.
    #[track_caller]
    pub(crate) fn is_equal(&self) {
        self.is_equal_by_stores();
        self.is_equal_by_extension();
    }

    #[track_caller]
    pub(crate) fn is_equal_by_stores(&self) {
        for driver in sampled(&DRIVERS, &self.words) {
            self.is_equal_on(driver);
        }
    }

    #[track_caller]
    pub(crate) fn is_equal_on(&self, driver: Driver) {
        assert!(equal(driver, self.verify(driver)).vertices > 0, "{driver:?} {:?}", self.asked);
    }

    /// Checks that the extension path is equal on lavapipe.
    #[track_caller]
    pub(crate) fn is_equal_by_extension(&self) {
        let driver = Driver::Lavapipe;
        let equal = equal(driver, self.verify_extension(driver));
        assert!(equal.vertices > 0 && equal.words > 0, "{:?}", self.asked);
    }
}

/// Returns one of these drivers, chosen by the shader and the commit, or all of them if `POLYSHADE_WHOLE` is set. One
/// driver is enough to test `verify`, because the execution tests run the lowerings on both drivers.
pub(crate) fn sampled(drivers: &[Driver], words: &[u32]) -> impl Iterator<Item = Driver> {
    sample_by(words, drivers.iter().copied(), drivers.len())
}

/// Returns the result on one of these drivers. With `POLYSHADE_WHOLE`, all drivers run, and their results must agree
/// in `key`.
#[track_caller]
pub(crate) fn agreed<T, K: Debug + PartialEq>(
    drivers: &[Driver],
    words: &[u32],
    find: impl Fn(Driver) -> T,
    key: impl Fn(&T) -> K,
) -> T {
    let mut found: Vec<T> = sampled(drivers, words).map(find).collect();
    let last = found.pop().expect("at least one driver is chosen");
    found.iter().for_each(|other| assert_eq!(key(other), key(&last)));
    last
}

/// Vertex and instance indices, each with the mask of the bits that a fault keeps.
pub(crate) const LOST_BITS: [(&str, u32); 3] =
    [("gl_VertexIndex", 63), ("gl_VertexIndex", 255), ("gl_InstanceIndex", 3)];

/// Edits a line that loads an index, so that the loaded value is masked.
pub(crate) fn losing_bits(line: &str, (builtin, mask): (&str, u32)) -> Option<String> {
    if line.trim() == "%int = OpTypeInt 32 1" {
        return Some(format!("{line}\n%bits = OpConstant %int {mask}"));
    }
    let load = format!(" = OpLoad %int %{builtin}");
    let id = line.trim().strip_suffix(&load)?;
    let whole = format!("%whole_{}", &id[1..]);
    Some(format!("{whole}{load}\n{id} = OpBitwiseAnd %int {whole} %bits"))
}

/// Parses the semantics of distances.
pub(crate) fn marks(marks: &[&str]) -> Vec<DistanceSemantic> {
    marks.iter().map(|mark| mark.parse().expect("the tests know marks")).collect()
}

/// Returns a job with a few vertices.
pub(crate) fn job<'j>(
    module: &'j Module<'j>,
    stage: ExecutionModel,
    lowering: Lowering<'j>,
) -> Job<'j> {
    Job {
        module,
        entry: "main",
        stage,
        lowering,
        specialization: Vec::new(),
        given: Vec::new(),
        seed: 1,
        runs: 1,
        vertices: 10,
    }
}

#[track_caller]
pub(crate) fn judge(driver: Driver, job: &Job<'_>) -> Verdict {
    judge_by(&*driver.unwatched(), job)
}

/// Verifies a job on any runner.
#[track_caller]
pub(crate) fn judge_by(runner: &dyn Runner, job: &Job<'_>) -> Verdict {
    let verdict = verify(job, runner, |_: Phase| {});
    verdict.unwrap_or_else(|error| panic!("{:?}: {error}", job.lowering))
}

/// Returns the counts of an equal verdict.
#[track_caller]
pub(crate) fn equal(driver: impl Debug, verdict: Verdict) -> Equal {
    match verdict {
        Verdict::Equal(equal) => equal,
        Verdict::Different(difference) => panic!("{driver:?}: {difference}"),
        Verdict::NotComparable(why) => panic!("{driver:?}: {why}"),
    }
}

#[track_caller]
pub(crate) fn difference(driver: impl Debug, verdict: Verdict) -> Difference {
    match verdict {
        Verdict::Different(difference) => *difference,
        other => panic!("{driver:?}: {other:?}"),
    }
}

/// Returns the reason of a verdict that is not comparable.
#[track_caller]
pub(crate) fn reason(driver: impl Debug, verdict: Verdict) -> String {
    match verdict {
        Verdict::NotComparable(why) => why,
        other => panic!("{driver:?}: {other:?}"),
    }
}
