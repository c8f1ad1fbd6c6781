//! Render passes: in front of each the keeper does the jobs of all that is drawn in it.

use crate::driver::Driver;
use crate::emulation::Emulator;
use crate::emulation::recording::{Recording, Scope};
use ash::vk;

impl Recording {
    /// Opens a scope.
    ///
    /// # Safety
    ///
    /// The command buffer is the recording's, and no render pass is open.
    pub(crate) unsafe fn open(
        &mut self,
        device: &Driver,
        emulator: &Emulator,
        commands: vk::CommandBuffer,
        scope: Scope,
    ) {
        // SAFETY: the caller's promise.
        match unsafe { self.reserve(device, emulator, commands) } {
            Ok(list) => self.list = Some(list),
            Err(error) => device.fault(format_args!("no memory for a render pass: {error}")),
        }
        self.jobs.clear();
        self.executed.clear();
        self.scope = scope;
    }

    /// Adds what a secondary command buffer does that is executed here.
    pub(crate) fn execute(
        &mut self,
        device: &Driver,
        commands: vk::CommandBuffer,
        secondary: &Self,
    ) {
        self.is_shared = true;
        self.uses.extend(secondary.uses.iter().cloned());
        if secondary.jobs.words.is_empty() {
            return;
        }
        if self.executed.contains(&commands) {
            // It has one place for what its draws are told. So they store the same once more.
            device.fault(format_args!(
                "a secondary command buffer is executed twice in a render pass: it captures once"
            ));
            return;
        }
        self.executed.push(commands);
        self.jobs.execute(&secondary.jobs, self.predicate());
    }

    pub(crate) fn close(&mut self, device: &Driver, emulator: &Emulator) {
        if !self.keep_suspended() {
            self.finish(device, emulator);
        }
        self.scope = Scope::Outside;
    }

    pub(crate) fn next_subpass(&mut self) {
        if let Scope::Subpass(_, subpass) = &mut self.scope {
            *subpass += 1;
        }
    }
}
