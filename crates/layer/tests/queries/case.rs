//! The cases of the query tests.

use ash::vk::{self, QueryResultFlags as Flags};
use std::collections::HashSet;

/// The number of choices for each part of a case.
const CHOICES: [u32; 16] = [2, 2, 3, 4, 2, 2, 2, 2, 3, 2, 3, 2, 3, 2, 2, 2];

/// The number of queries in a pool; three of them are drawn and read.
pub(super) const QUERIES: u32 = 5;
pub(super) const FIRST: u32 = 1;
pub(super) const READ: u32 = 3;

/// The capacity of the capture target, in points.
pub(super) const ROOM: usize = 6;

/// The number of 32-bit values in the results.
pub(super) const WORDS: usize = 40;

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Drawn {
    Captured,
    NotCaptured,
    Both,
    Nothing,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Read {
    CopiedAtOnce,
    CopiedLater,
    ByHost,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum State {
    Ended,
    NeverBegun,
    /// The query ended, and was reset once more.
    ResetAgain,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Stages {
    Vertex,
    Geometry,
    Tessellation,
}

#[derive(Debug)]
pub(super) struct Case {
    pub(super) of_generated: bool,
    /// Whether queries begin with the command that takes a stream index.
    pub(super) indexed: bool,
    /// Whether the queries count streams 0, 1 and 2 and are active at the same time, if the device has several
    /// streams.
    pub(super) streams: bool,
    pub(super) drawn: Drawn,
    pub(super) flags: Flags,
    pub(super) read: Read,
    pub(super) resets_by_host: bool,
    pub(super) state: State,
    /// Whether queries begin and end outside of the pass.
    pub(super) around: bool,
    pub(super) stride_is_wide: bool,
    /// The stages of draws that are not captured.
    pub(super) stages: Stages,
    /// Whether captured draws have these stages as well.
    pub(super) captures_stages: bool,
    pub(super) rasterizes: bool,
    /// Whether draws that are not captured are draws by byte count.
    pub(super) by_bytes: bool,
}

/// The primitives of tessellation stages that are counted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Counted {
    All,
    /// Only primitives generated, which the driver counts. The layer captures no primitives of these stages.
    Generated,
    /// None: the layer counts without the driver.
    None,
}

impl Case {
    fn new(choices: [u32; CHOICES.len()]) -> Option<Self> {
        let [
            generated,
            indexed,
            streams,
            drawn,
            wide,
            wait,
            partial,
            availability,
            read,
            by_host,
            state,
            around,
            stages,
            captures_stages,
            rasterizes,
            by_bytes,
        ] = choices;
        let mut flags = Flags::empty();
        for (is_set, flag) in [
            (wide, Flags::TYPE_64),
            (wait, Flags::WAIT),
            (partial, Flags::PARTIAL),
            (availability, Flags::WITH_AVAILABILITY),
        ] {
            flags |= if is_set == 1 { flag } else { Flags::empty() };
        }
        let case = Self {
            of_generated: generated == 1,
            indexed: indexed == 1 || streams == 1,
            streams: streams == 1,
            drawn: [Drawn::Captured, Drawn::NotCaptured, Drawn::Both, Drawn::Nothing]
                [drawn as usize],
            flags,
            read: [Read::CopiedAtOnce, Read::CopiedLater, Read::ByHost][read as usize],
            resets_by_host: by_host == 1,
            state: [State::Ended, State::NeverBegun, State::ResetAgain][state as usize],
            around: around == 1,
            stride_is_wide: streams == 2,
            stages: [Stages::Vertex, Stages::Geometry, Stages::Tessellation][stages as usize],
            captures_stages: captures_stages == 1,
            rasterizes: rasterizes == 1,
            by_bytes: by_bytes == 1,
        };
        // A wait for a query that never ends would hang, and the host cannot reset queries between commands.
        let waits = case.state != State::Ended && wait == 1;
        let by_host = case.state == State::ResetAgain
            && case.resets_by_host
            && case.read == Read::CopiedAtOnce;
        (!waits && !by_host).then_some(case)
    }

    fn width(&self) -> usize {
        if self.flags.contains(Flags::TYPE_64) { 2 } else { 1 }
    }

    pub(super) fn stride(&self) -> u64 {
        if self.stride_is_wide { 40 } else { 24 }
    }

    /// Returns how many captured points, and how many other points, are drawn while a query is active.
    pub(super) fn points(&self, number: u32) -> [u64; 2] {
        let points = u64::from(4 + 2 * number);
        match self.drawn {
            Drawn::Captured => [points, 0],
            Drawn::NotCaptured => [0, points],
            Drawn::Both => [points, points],
            Drawn::Nothing => [0, 0],
        }
    }

    /// Returns the expected 32-bit values of the results, with their positions, according to Vulkan.
    pub(super) fn results(&self, counted: Counted) -> Vec<u32> {
        let mut words = vec![7; WORDS];
        let is_available = self.state == State::Ended;
        for number in 0..READ {
            // The queries of other streams get no points.
            let counts = is_available && (number == 0 || !self.streams);
            let [captured, others] = if counts { self.points(number) } else { [0, 0] };
            let primitives = |points, stages, is_counted| match stages {
                Stages::Vertex => points,
                Stages::Geometry => 2 * points,
                Stages::Tessellation if is_counted => 2 * points,
                Stages::Tessellation => 0,
            };
            let stages = if self.captures_stages { self.stages } else { Stages::Vertex };
            let values = if self.of_generated {
                let is_counted = counted != Counted::None;
                let others = primitives(others, self.stages, is_counted);
                vec![primitives(captured, stages, is_counted) + others]
            } else {
                let captured = primitives(captured, stages, counted == Counted::All);
                vec![captured.min(ROOM as u64), captured]
            };
            let are_there = is_available || self.flags.contains(Flags::PARTIAL);
            let available = self.flags.contains(Flags::WITH_AVAILABILITY);
            let available = available.then_some(Some(u64::from(is_available)));
            let values = values.into_iter().map(|value| are_there.then_some(value));
            let mut at = (u64::from(number) * self.stride() / 4) as usize;
            for value in values.chain(available) {
                if let Some(value) = value {
                    words[at] = value as u32;
                    words[at + 1..at + self.width()].fill(0);
                }
                at += self.width();
            }
        }
        words
    }

    pub(super) fn status(&self) -> vk::Result {
        let is_partial = self.flags.contains(Flags::PARTIAL);
        match self.read == Read::ByHost && self.state != State::Ended && !is_partial {
            true => vk::Result::NOT_READY,
            false => vk::Result::SUCCESS,
        }
    }
}

/// Returns cases in which every valid combination of three choices occurs.
pub(super) fn cases() -> Vec<Case> {
    let (mut noise, mut met, mut cases) = (0x9e37_79b9_7f4a_7c15_u64, HashSet::new(), Vec::new());
    for _ in 0..20_000 {
        let choices = CHOICES.map(|choices| {
            noise ^= noise << 13;
            noise ^= noise >> 7;
            noise ^= noise << 17;
            (noise >> 33) as u32 % choices
        });
        let Some(case) = Case::new(choices) else { continue };
        let before = met.len();
        let choices: Vec<_> = choices.into_iter().enumerate().collect();
        for (third, last) in choices.iter().enumerate() {
            for (second, middle) in choices[..third].iter().enumerate() {
                met.extend(choices[..second].iter().map(|first| (*first, *middle, *last)));
            }
        }
        if met.len() > before {
            cases.push(case);
        }
    }
    cases
}
