//! A shader and what is captured of it, and the devices that it is verified on.

use polyshade::clip_cull::Mark;
use polyshade::host::{Device, Target};
use polyshade::spv::ExecutionModel;
use polyshade::transform_feedback::{Capture, Options, Varying, capture};
use polyshade::{Error, Module};
use polyshade_formats::{ShaderStage, SpirvVersion, compile};
pub(crate) use polyshade_tests::drivers::{DRIVERS, Driver};
use polyshade_verify::{
    Asked, Captured, Difference, Distances, Equal, Job, Lowering, Part, Phase, Steps, Verdict,
    verify,
};

/// What is verified.
#[derive(Debug, Clone)]
pub(crate) struct Subject {
    pub(crate) words: Vec<u32>,
    pub(crate) options: Options,
    pub(crate) asked: Asked,
    pub(crate) specialization: Vec<(u32, u64)>,
    pub(crate) given: Vec<(Part, Vec<u32>)>,
    pub(crate) seed: u64,
}

/// Reads a vertex shader, whose declarations these are.
pub(crate) fn vertex(glsl: &str) -> Vec<u32> {
    let source = format!("#version 450\n{glsl}");
    compile(&source, ShaderStage::Vertex, SpirvVersion::SPIRV1_3)
        .unwrap_or_else(|error| panic!("{source}\n{error}"))
}

/// The names in a list, which is separated by blanks.
pub(crate) fn names(list: &str) -> Vec<String> {
    list.split_whitespace().map(str::to_owned).collect()
}

fn varyings(list: &str) -> Vec<Varying> {
    names(list).iter().map(|name| name.parse().expect("the tests ask for what there is")).collect()
}

impl Subject {
    pub(crate) fn new(words: Vec<u32>, options: Options, asked: Asked) -> Subject {
        let (specialization, given) = (Vec::new(), Vec::new());
        Subject { words, options, asked, specialization, given, seed: 1 }
    }

    /// These varyings, one behind the other.
    pub(crate) fn interleaved(words: Vec<u32>, list: &str) -> Subject {
        let options = Options::new().interleaved(varyings(list));
        Subject::new(words, options, Asked::Interleaved(names(list)))
    }

    /// These varyings, a buffer each.
    pub(crate) fn separate(words: Vec<u32>, list: &str) -> Subject {
        let options = Options::new().separate(varyings(list));
        Subject::new(words, options, Asked::Separate(names(list)))
    }

    /// What the shader's own qualifiers say.
    pub(crate) fn decorated(words: Vec<u32>) -> Subject {
        Subject::new(words, Options::new().decorated(), Asked::Decorations)
    }

    /// Entries of a stream output declaration.
    pub(crate) fn stream_output(words: Vec<u32>, list: &str, strides: &[u32]) -> Subject {
        let entries = names(list);
        let parsed = entries.iter().map(|entry| entry.parse().expect("the tests know the form"));
        let options = Options::new().stream_output(parsed.collect::<Vec<_>>(), strides.to_vec());
        Subject::new(words, options, Asked::StreamOutput(entries, strides.to_vec()))
    }

    /// With a variant to judge instead of polyshade's.
    pub(crate) fn given(mut self, part: Part, words: Vec<u32>) -> Subject {
        self.given.push((part, words));
        self
    }

    /// What polyshade makes of it, in the form in which it is verified.
    pub(crate) fn rewrite<T>(&self, read: impl FnOnce(&Capture<'_>) -> T) -> T {
        let module = Module::parse(&self.words).expect("compilers write modules");
        let module = polyshade_verify::initialise(&module).expect("it is small");
        read(&capture(&module, "main", &self.options).expect("the tests ask for what can be done"))
    }

    /// By stores.
    pub(crate) fn verify(&self, driver: Driver) -> Verdict {
        let (options, asked) = (&self.options, self.asked.clone());
        let target = &Target::new("main");
        self.verify_as(driver, Lowering::Stores(Captured { target, options, asked }))
    }

    /// By the extension.
    pub(crate) fn verify_extension(&self, driver: Driver) -> Verdict {
        let (options, asked) = (&self.options, self.asked.clone());
        let mut device = Device::default();
        // As many as lavapipe has.
        device.output_components = 128;
        let target = &Target::new("main").device(device);
        self.verify_as(driver, Lowering::Extension(Captured { target, options, asked }))
    }

    fn verify_as(&self, driver: Driver, lowering: Lowering<'_>) -> Verdict {
        let module = Module::parse(&self.words).expect("compilers write modules");
        let job = Job {
            specialization: self.specialization.clone(),
            given: self.given.clone(),
            seed: self.seed,
            ..job(&module, ExecutionModel::VERTEX, lowering)
        };
        judge(driver, &job)
    }

    /// Equal, by stores on both drivers, and by the extension where it is.
    #[track_caller]
    pub(crate) fn is_equal(&self) {
        self.is_equal_by_stores();
        self.is_equal_by_extension();
    }

    #[track_caller]
    pub(crate) fn is_equal_by_stores(&self) {
        for driver in DRIVERS {
            self.is_equal_on(driver);
        }
    }

    #[track_caller]
    pub(crate) fn is_equal_on(&self, driver: Driver) {
        assert!(equal(driver, self.verify(driver)).vertices > 0, "{driver:?} {:?}", self.asked);
    }

    /// Equal as the extension captures it, where it is.
    #[track_caller]
    pub(crate) fn is_equal_by_extension(&self) {
        let driver = Driver::Lavapipe;
        let equal = equal(driver, self.verify_extension(driver));
        assert!(equal.vertices > 0 && equal.words > 0, "{:?}", self.asked);
    }
}

/// Takes steps with clip and cull distances.
pub(crate) type Lower<'l> = &'l dyn Fn(&Module<'_>) -> Result<Module<'static>, Error>;

/// Judges what `lower` makes of a stage's clip and cull distances, when it is to take `steps`.
#[track_caller]
pub(crate) fn judge_distances(
    driver: Driver,
    (words, stage): (&[u32], ExecutionModel),
    steps: &Steps,
    lower: Lower<'_>,
) -> Verdict {
    let module = Module::parse(words).expect("compilers write modules");
    let lowering = Lowering::Clip(Distances { lower, steps });
    let job = Job { vertices: 30, runs: 3, ..job(&module, stage, lowering) };
    judge(driver, &job)
}

/// What is marked as distances.
pub(crate) fn marks(marks: &[&str]) -> Vec<Mark> {
    marks.iter().map(|mark| mark.parse().expect("the tests know marks")).collect()
}

/// A job with a few vertices.
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
    let verdict = verify(job, &driver.unwatched(), |_: Phase| {});
    verdict.unwrap_or_else(|error| panic!("{:?}: {error}", job.lowering))
}

/// What was compared, where all of it is equal.
#[track_caller]
pub(crate) fn equal(driver: Driver, verdict: Verdict) -> Equal {
    match verdict {
        Verdict::Equal(equal) => equal,
        Verdict::Different(difference) => panic!("{driver:?}: {difference}"),
        Verdict::NotComparable(why) => panic!("{driver:?}: {why}"),
    }
}

/// What differs first.
#[track_caller]
pub(crate) fn difference(driver: Driver, verdict: Verdict) -> Difference {
    match verdict {
        Verdict::Different(difference) => *difference,
        other => panic!("{driver:?}: {other:?}"),
    }
}

/// Why nothing can be said.
#[track_caller]
pub(crate) fn reason(driver: Driver, verdict: Verdict) -> String {
    match verdict {
        Verdict::NotComparable(why) => why,
        other => panic!("{driver:?}: {other:?}"),
    }
}
