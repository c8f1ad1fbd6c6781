//! A shader and what is captured of it, and the devices that it is verified on.

use polyshade::Module;
use polyshade::transform_feedback::{Capture, Options, Varying, capture};
use polyshade_formats::{ShaderStage, SpirvVersion, compile};
use polyshade_verify::{Asked, Job, Part, Phase, Verdict, verify};
use polyshade_vulkan::{Device, Validation};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

/// A driver that the tests run on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Driver {
    /// Mesa's: has transform feedback and 64-bit numbers.
    Lavapipe,
    /// Google's: has neither.
    SwiftShader,
}

pub(crate) const DRIVERS: [Driver; 2] = [Driver::Lavapipe, Driver::SwiftShader];

static LAVAPIPE: LazyLock<Mutex<Device>> = LazyLock::new(|| Mutex::new(open("llvmpipe")));
static SWIFTSHADER: LazyLock<Mutex<Device>> = LazyLock::new(|| Mutex::new(open("SwiftShader")));

fn open(name: &str) -> Device {
    Device::open(name, Validation::Off).unwrap_or_else(|error| {
        panic!(
            "{error}: `cargo xtask setup` installs it, `cargo xtask test` tells Vulkan where it is"
        )
    })
}

impl Driver {
    pub(crate) fn device(self) -> MutexGuard<'static, Device> {
        let device = match self {
            Driver::Lavapipe => &LAVAPIPE,
            Driver::SwiftShader => &SWIFTSHADER,
        };
        device.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

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
        let options = Options::new("main").interleaved(varyings(list));
        Subject::new(words, options, Asked::Interleaved(names(list)))
    }

    /// These varyings, a buffer each.
    pub(crate) fn separate(words: Vec<u32>, list: &str) -> Subject {
        let options = Options::new("main").separate(varyings(list));
        Subject::new(words, options, Asked::Separate(names(list)))
    }

    /// What the shader's own qualifiers say.
    pub(crate) fn decorated(words: Vec<u32>) -> Subject {
        Subject::new(words, Options::new("main").decorated(), Asked::Decorations)
    }

    /// Entries of a stream output declaration.
    pub(crate) fn stream_output(words: Vec<u32>, list: &str, strides: &[u32]) -> Subject {
        let entries = names(list);
        let parsed = entries.iter().map(|entry| entry.parse().expect("the tests know the form"));
        let options =
            Options::new("main").stream_output(parsed.collect::<Vec<_>>(), strides.to_vec());
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
        read(&capture(&module, &self.options).expect("the tests ask for what can be done"))
    }

    pub(crate) fn verify(&self, driver: Driver) -> Verdict {
        let module = Module::parse(&self.words).expect("compilers write modules");
        let job = Job {
            module: &module,
            entry: "main",
            options: &self.options,
            asked: self.asked.clone(),
            specialization: self.specialization.clone(),
            given: self.given.clone(),
            seed: self.seed,
            runs: 1,
            vertices: 10,
        };
        let verdict = verify(&job, &driver.device(), |_: Phase| {});
        verdict.unwrap_or_else(|error| panic!("{:?}: {error}", self.asked))
    }

    /// Equal, on both drivers.
    #[track_caller]
    pub(crate) fn is_equal(&self) {
        for driver in DRIVERS {
            self.is_equal_on(driver);
        }
    }

    #[track_caller]
    pub(crate) fn is_equal_on(&self, driver: Driver) {
        match self.verify(driver) {
            Verdict::Equal(equal) => assert!(equal.vertices > 0, "{driver:?} {:?}", self.asked),
            Verdict::Different(difference) => {
                panic!("{driver:?} {:?}: {difference}", self.asked)
            }
            Verdict::NotComparable(why) => panic!("{driver:?} {:?}: {why}", self.asked),
        }
    }
}
