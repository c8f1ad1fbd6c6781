//! The result of a comparison.

use std::fmt;

/// The result of a comparison.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Everything that was compared is equal.
    Equal(Equal),
    /// Something differs: this, first.
    Different(Box<Difference>),
    /// The comparison is impossible, for this reason.
    NotComparable(String),
}

/// What was compared.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Equal {
    /// How many sets of inputs.
    pub runs: u32,
    /// How many draws that captured.
    pub draws: u64,
    /// How many captured vertices, each once for every primitive that it is part of.
    pub vertices: u64,
    /// How many outputs of how many invocations were recorded, in 32-bit words.
    pub words: u64,
    /// Of the words that another device has computed, how many may be others within a tolerance, as they are rounded.
    pub rounded: u64,
    /// How many of them are not compared, since rounding decides their values.
    pub open: u64,
    /// How many of the words that were compared with those of another device are others.
    pub others: u64,
    /// How many pixels of images.
    pub pixels: u64,
    /// Whether what the original computes was recorded by the driver's own transform feedback, too.
    pub native: bool,
}

impl Equal {
    /// Counts what another run has compared, too.
    pub(crate) fn add(&mut self, other: Equal) {
        self.runs += 1;
        self.draws += other.draws;
        self.vertices += other.vertices;
        self.words += other.words;
        self.rounded += other.rounded;
        self.open += other.open;
        self.others += other.others;
        self.pixels += other.pixels;
        self.native |= other.native;
    }
}

/// What is judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The capture-only variant.
    CaptureOnly,
    /// The raster-only variant.
    RasterOnly,
    /// The variant that stores and rasterizes.
    Both,
    /// The shader, where only one is made.
    Lowered,
    /// The variant with the outputs that decide coverage.
    PositionOnly,
    /// The variant with the other outputs.
    Complement,
    /// The full shader, with what is added to it.
    Full,
    /// The data for the host: layout, counts, requirements.
    Host,
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Part::CaptureOnly => "capture-only",
            Part::RasterOnly => "raster-only",
            Part::Both => "both",
            Part::Lowered => "lowered",
            Part::PositionOnly => "position-only",
            Part::Complement => "complement",
            Part::Full => "full",
            Part::Host => "host",
        })
    }
}

/// The first difference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// What is wrong.
    pub part: Part,
    /// What differs, as a sentence.
    pub message: String,
    /// The seed of the inputs.
    pub seed: u64,
    /// The draw, where it is of one.
    pub draw: Option<String>,
    /// The vertex and the instance, as the shader sees them.
    pub vertex: Option<(u32, u32)>,
    /// The column and row of an image, from its upper left corner.
    pub pixel: Option<(u32, u32)>,
    /// The output.
    pub varying: Option<String>,
    /// The component of it.
    pub component: Option<u32>,
    /// What the value must be.
    pub expected: Option<Value>,
    /// What it is.
    pub found: Option<Value>,
}

/// A value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Value {
    /// Its bits, the low word first.
    pub bits: Vec<u32>,
    /// The number that they mean.
    pub number: String,
}

impl Difference {
    pub(crate) fn new(part: Part, message: impl Into<String>) -> Difference {
        Difference {
            part,
            message: message.into(),
            seed: 0,
            draw: None,
            vertex: None,
            pixel: None,
            varying: None,
            component: None,
            expected: None,
            found: None,
        }
    }
}

/// Why a comparison ends early.
#[derive(Debug)]
pub(crate) enum Stop {
    NotComparable(String),
    Different(Box<Difference>),
}

impl Stop {
    /// The same, of what another device than the one that is judged has computed.
    pub(crate) fn on(self, device: &str) -> Stop {
        match self {
            Stop::NotComparable(why) => Stop::NotComparable(format!("on {device}: {why}")),
            Stop::Different(difference) => {
                let message = format!("on {device}: {}", difference.message);
                Stop::Different(Box::new(Difference { message, ..*difference }))
            }
        }
    }
}

impl From<Difference> for Stop {
    fn from(difference: Difference) -> Stop {
        Stop::Different(Box::new(difference))
    }
}

/// The end of a comparison that proves nothing, and why.
pub(crate) fn not_comparable(why: impl fmt::Display) -> Stop {
    Stop::NotComparable(why.to_string())
}

/// The end of a comparison of a variant in which something is wrong.
pub(crate) fn broken(part: Part, why: impl fmt::Display) -> Stop {
    Difference::new(part, why.to_string()).into()
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("0x")?;
        for word in self.bits.iter().rev() {
            write!(f, "{word:08x}")?;
        }
        write!(f, " ({})", self.number)
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.part, self.message)?;
        let lines = [
            self.draw.as_ref().map(|draw| format!("\n  draw: {draw}")),
            self.vertex
                .map(|(vertex, instance)| format!("\n  vertex {vertex} of instance {instance}")),
            self.pixel.map(|(x, y)| format!("\n  pixel {x}, {y}")),
            self.varying.as_ref().map(|varying| format!("\n  varying {varying}")),
            self.component.map(|component| format!(", component {component}")),
            self.expected.as_ref().map(|expected| format!("\n  expected {expected}")),
            self.found.as_ref().map(|found| format!("\n  found    {found}")),
        ];
        lines.into_iter().flatten().try_for_each(|line| f.write_str(&line))?;
        write!(f, "\n  seed {}", self.seed)
    }
}
