//! What Ctrl-C does to a batch.

use crate::failure::Exit;
use signal_hook::consts::SIGINT;
use signal_hook::flag;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether the user has asked for the end: then shaders that are worked on are done, and no other begins.
#[derive(Default)]
pub(super) struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Takes the first SIGINT from now on; the second one ends the process, whatever it is at.
    pub(super) fn listen() -> io::Result<Self> {
        let interrupt = Self::default();
        // In this order: what ends the process comes first, and sees what the signal before has left.
        flag::register_conditional_shutdown(SIGINT, Exit::Interrupted as i32, interrupt.0.clone())?;
        flag::register(SIGINT, interrupt.0.clone())?;
        Ok(interrupt)
    }

    pub(super) fn is_there(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
