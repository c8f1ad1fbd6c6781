//! Handles Ctrl-C during a batch.

use crate::failure::Exit;
use signal_hook::consts::SIGINT;
use signal_hook::flag;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether the user interrupted the batch. If so, shaders in progress are finished, and no further shader starts.
#[derive(Default)]
pub(super) struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Handles the first SIGINT from now on; a second SIGINT ends the process immediately.
    pub(super) fn listen() -> io::Result<Self> {
        let interrupt = Self::default();
        // The order matters: the handler that ends the process runs first, so it sees a flag that an
        // earlier signal set.
        flag::register_conditional_shutdown(SIGINT, Exit::Interrupted as i32, interrupt.0.clone())?;
        flag::register(SIGINT, interrupt.0.clone())?;
        Ok(interrupt)
    }

    pub(super) fn is_there(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
