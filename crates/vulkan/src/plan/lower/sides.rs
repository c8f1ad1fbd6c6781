//! Commands ahead of a pass that cannot end, in it, and behind it.

use super::Command;
use polyshade_planner::RecordAt;

/// Where commands go.
pub(super) struct Sides {
    now: RecordAt,
    /// How many commands are ahead of the beginning of the pass.
    ahead: usize,
    /// What comes when the pass has ended.
    behind: Vec<Command>,
}

impl Default for Sides {
    fn default() -> Self {
        Self { now: RecordAt::InPass, ahead: 0, behind: Vec::new() }
    }
}

impl Sides {
    /// The application's pass begins behind `commands`.
    pub(super) fn pass_begins(&mut self, commands: &[Command]) {
        self.ahead = commands.len();
    }

    /// The pass has ended with the last of `commands`.
    pub(super) fn pass_ends(&mut self, commands: &mut Vec<Command>) {
        commands.append(&mut self.behind);
    }

    /// What follows goes to this side.
    pub(super) fn record(&mut self, side: RecordAt) {
        self.now = side;
    }

    /// Adds a command, to `commands` or behind the pass.
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
