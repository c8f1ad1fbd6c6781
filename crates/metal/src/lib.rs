//! Runs functions of the Metal shading language on the CPU, because only Apple's tools can compile the MSL that
//! polyshade prints.
//!
//! The C++ compiler of this machine compiles the text from SPIRV-Cross as C++17, with this crate's headers for
//! Metal's types and functions. The function is called for every vertex and instance of a draw, every thread of a
//! dispatch, or every pixel that triangles cover. This checks the results of *the text, read as C++*: the indices of
//! the buffers, textures and colours that it uses, and the locations and values that it writes. It does not check
//! whether Metal compiles the text: address spaces except `constant` are ignored, and C++ constructs that Metal lacks
//! are accepted. Unlike on Metal, denormals are always kept, and arithmetic is contracted only after
//! [`Metal::set_contraction`].
//!
//! [`Metal`] runs the same [`Work`] as a Vulkan device: dispatches, draws of only a vertex stage, patches of a vertex
//! and a tessellation control stage, and triangles of a vertex and a fragment stage. Each buffer lies between
//! inaccessible pages, so an access outside of a buffer is an error that names the buffer.

mod attributes;
mod bind;
mod draw;
mod patches;
mod program;
mod raster;
mod shader;
mod signature;
mod text;
mod words;

pub use program::Contraction;

use polyshade_vulkan::{Capabilities, Counts, Error, Layer, Message, Outcome, Runner, Work};
use program::{Compiler, Program};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// The default time limit of a submission.
const TIME_LIMIT: Duration = Duration::from_secs(20);

/// A function that changes a text before it is compiled.
type Edit = Box<dyn Fn(String) -> String + Send + Sync>;

/// A C++ compiler in place of a Metal device.
pub struct Metal {
    compiler: Compiler,
    capabilities: Capabilities,
    time_limit: Duration,
    edit: Option<Edit>,
    contraction: Contraction,
    /// The compiled programs, indexed by their C++ source.
    programs: Mutex<BTreeMap<String, Arc<Program>>>,
}

impl Metal {
    /// Finds the C++ compiler: the environment variable `CXX`, or `c++`.
    ///
    /// # Errors
    ///
    /// There is no compiler, or it does not compile C++17.
    pub fn new() -> Result<Metal, Error> {
        let compiler = Compiler::new()?;
        Ok(Metal {
            capabilities: Capabilities::of_metal(compiler.version.clone()),
            compiler,
            time_limit: TIME_LIMIT,
            edit: None,
            contraction: Contraction::Off,
            programs: Mutex::default(),
        })
    }

    /// Limits the processor time of all draws of a work that share their shaders. The default is 20 seconds.
    pub fn set_time_limit(&mut self, limit: Duration) {
        self.time_limit = limit;
    }

    /// Enables or disables contraction of arithmetic.
    ///
    /// # Errors
    ///
    /// The processor does not support the contraction.
    pub fn set_contraction(&mut self, contraction: Contraction) -> Result<(), Error> {
        contraction.check()?;
        self.contraction = contraction;
        self.programs.get_mut().unwrap_or_else(PoisonError::into_inner).clear();
        Ok(())
    }

    /// Sets a function that changes every text before it is compiled. Controls use it to insert faults that
    /// comparisons must detect.
    pub fn set_edit(&mut self, edit: impl Fn(String) -> String + Send + Sync + 'static) {
        self.edit = Some(Box::new(edit));
    }

    /// Returns the program for this C++ source, which is compiled only once.
    fn program(&self, source: &str) -> Result<Arc<Program>, Error> {
        let mut programs = self.programs.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(program) = programs.get(source) {
            return Ok(Arc::clone(program));
        }
        // Metal computes an invariant position as written, with equal results in all functions.
        let contraction = match source.contains("[[position, invariant]]") {
            true => Contraction::Off,
            false => self.contraction,
        };
        let program = Arc::new(self.compiler.compile(source, contraction)?);
        programs.insert(source.to_owned(), Arc::clone(&program));
        Ok(program)
    }
}

impl std::fmt::Debug for Metal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Metal").field(&self.compiler.version).finish()
    }
}

impl Runner for Metal {
    fn run(&self, work: &Work<'_>) -> Result<Outcome, Error> {
        draw::run(self, work)
    }

    fn count(&self, _: &Work<'_>) -> Result<(Outcome, Vec<Counts>), Error> {
        Err(Error::Unsupported("counts of rasterized primitives".to_owned()))
    }

    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    fn rasterizes(&self) -> bool {
        false
    }

    fn validation_layer(&self) -> Option<&Layer> {
        None
    }

    fn take_messages(&self) -> Vec<Message> {
        Vec::new()
    }
}
