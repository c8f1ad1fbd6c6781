//! Commands before, inside and after a pass that cannot be interrupted.

use super::Command;
use polyshade_planner::RecordAt;

/// The place where commands are recorded.
pub(super) struct Sides {
    now: RecordAt,
    /// The number of commands before the beginning of the pass.
    ahead: usize,
    /// The commands to record after the end of the pass.
    behind: Vec<Command>,
}

impl Default for Sides {
    fn default() -> Self {
        Self { now: RecordAt::InPass, ahead: 0, behind: Vec::new() }
    }
}

impl Sides {
    /// Records that the application's pass begins after `commands`.
    pub(super) fn pass_begins(&mut self, commands: &[Command]) {
        self.ahead = commands.len();
    }

    /// Records that the pass ends with the last command in `commands`.
    pub(super) fn pass_ends(&mut self, commands: &mut Vec<Command>) {
        commands.append(&mut self.behind);
    }

    /// Selects the side for the following commands.
    pub(super) fn record(&mut self, side: RecordAt) {
        self.now = side;
    }

    /// Adds a command to `commands`, or to the commands after the pass.
    pub(super) fn push(&mut self, commands: &mut Vec<Command>, command: Command) {
        match self.now {
            RecordAt::InPass => commands.push(command),
            RecordAt::BeforePass => {
                commands.insert(self.ahead, command);
                self.ahead += 1;
            }
            RecordAt::AfterPass => self.behind.push(command),
        }
    }
}
