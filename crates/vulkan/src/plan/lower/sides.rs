//! Commands ahead of a pass that cannot end, in it, and behind it.

use super::Command;
use polyshade_planner::Side;

/// Where commands go.
pub(super) struct Sides {
    now: Side,
    /// How many commands are ahead of the beginning of the pass.
    ahead: usize,
    /// What comes when the pass has ended.
    behind: Vec<Command>,
}

impl Default for Sides {
    fn default() -> Self {
        Self { now: Side::Inside, ahead: 0, behind: Vec::new() }
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
    pub(super) fn record(&mut self, side: Side) {
        self.now = side;
    }

    /// Adds a command, to `commands` or behind the pass.
    pub(super) fn push(&mut self, commands: &mut Vec<Command>, command: Command) {
        match self.now {
            Side::Inside => commands.push(command),
            Side::Ahead => {
                commands.insert(self.ahead, command);
                self.ahead += 1;
            }
            Side::Behind => self.behind.push(command),
        }
    }
}
