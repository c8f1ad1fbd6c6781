//! Runs functions of the Metal shading language on the CPU: polyshade prints MSL, and no machine but Apple's compiles
//! it.
//!
//! The text that SPIRV-Cross prints is read as C++17, with headers of ours for Metal's types and functions, by the C++
//! compiler of this machine, and called for every vertex and instance of a draw, every thread of a dispatch, or every
//! pixel that triangles cover. So it is known what *the text, read as C++, computes*: which buffers, textures and
//! colours it takes by which index, which places it writes, with which values. It is not known whether Metal compiles
//! it: address spaces, but for `constant`, are not checked, nor is what C++ takes and Metal does not. Arithmetic is
//! contracted only by [`Metal::set_contraction`], and denormals are kept, where Metal may do otherwise.
//!
//! [`Metal`] takes the same [`Work`] as a Vulkan device: dispatches, draws of a vertex stage alone, patches of a vertex
//! and a tessellation control stage, and triangles of a vertex and a fragment stage. Each buffer lies between pages
//! that cannot be accessed: an access outside of it is an error that names it.

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

/// How long a submission may take by default.
const TIME_LIMIT: Duration = Duration::from_secs(20);

/// Changes a text before it is read.
type Edit = Box<dyn Fn(String) -> String + Send + Sync>;

/// A C++ compiler in place of a Metal device.
pub struct Metal {
    compiler: Compiler,
    capabilities: Capabilities,
    time_limit: Duration,
    edit: Option<Edit>,
    contraction: Contraction,
    /// What was compiled, by its C++.
    programs: Mutex<BTreeMap<String, Arc<Program>>>,
}

impl Metal {
    /// Finds the C++ compiler: `CXX` of the environment names it, else it is `c++`.
    ///
    /// # Errors
    ///
    /// There is none, or it does not compile C++17.
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

    /// Limits the processor time that the draws of a work that have a shader in common may take: 20 seconds unless this
    /// is called.
    pub fn set_time_limit(&mut self, limit: Duration) {
        self.time_limit = limit;
    }

    /// Lets arithmetic be contracted.
    ///
    /// # Errors
    ///
    /// The processor cannot do it.
    pub fn set_contraction(&mut self, contraction: Contraction) -> Result<(), Error> {
        contraction.check()?;
        self.contraction = contraction;
        self.programs.get_mut().unwrap_or_else(PoisonError::into_inner).clear();
        Ok(())
    }

    /// Has every text changed before it is read: a control breaks it so, and shows that what compares sees it.
    pub fn set_edit(&mut self, edit: impl Fn(String) -> String + Send + Sync + 'static) {
        self.edit = Some(Box::new(edit));
    }

    /// The program of these words of C++, compiled once.
    fn program(&self, source: &str) -> Result<Arc<Program>, Error> {
        let mut programs = self.programs.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(program) = programs.get(source) {
            return Ok(Arc::clone(program));
        }
        // Metal keeps the arithmetic of such a position as it is written, for every function alike.
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
        Err(Error::Unsupported("counts of what is rasterized".to_owned()))
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
