//! The result of a comparison.

use std::fmt;

/// The result of a comparison.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// All compared values are equal.
    Equal(Equal),
    /// The first difference.
    Different(Box<Difference>),
    /// The comparison is impossible, for this reason.
    NotComparable(String),
}

/// The extent of a successful comparison.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Equal {
    /// The number of sets of inputs.
    pub runs: u32,
    /// The number of draws whose captures were compared.
    pub draws: u64,
    /// The number of captured vertices, each counted once for every primitive that contains it.
    pub vertices: u64,
    /// The number of recorded 32-bit words, over all outputs and invocations.
    pub words: u64,
    /// In comparisons with another device, the number of words that may differ within a tolerance because of
    /// rounding.
    pub rounded: u64,
    /// The number of words among `rounded` that are not compared, because rounding decides their values.
    pub open: u64,
    /// The number of words that differ from the words of another device.
    pub others: u64,
    /// The number of compared pixels.
    pub pixels: u64,
    /// Whether the driver's transform feedback also recorded the outputs of the original.
    pub native: bool,
}

impl Equal {
    /// Adds the counts of another run.
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

/// The part of a lowering's result that is judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The capture-only variant.
    CaptureOnly,
    /// The raster-only variant.
    RasterOnly,
    /// The variant that stores and rasterizes.
    Both,
    /// The shader of a lowering that makes only one shader.
    Lowered,
    /// The variant with the outputs that decide coverage.
    PositionOnly,
    /// The variant with all other outputs.
    Complement,
    /// The full shader with the lowering's additions.
    Full,
    /// The data for the host, such as the layout, counts and requirements.
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

/// The first difference that a comparison found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The wrong part.
    pub part: Part,
    /// The difference, as a sentence.
    pub message: String,
    /// The seed of the inputs.
    pub seed: u64,
    /// The draw, if the difference belongs to a draw.
    pub draw: Option<String>,
    /// The vertex index and the instance index in the shader.
    pub vertex: Option<(u32, u32)>,
    /// The column and row in an image, from its upper left corner.
    pub pixel: Option<(u32, u32)>,
    /// The name of the output.
    pub varying: Option<String>,
    /// The component of the output.
    pub component: Option<u32>,
    /// The expected value.
    pub expected: Option<Value>,
    /// The value found.
    pub found: Option<Value>,
}

/// A value of one component.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Value {
    /// The bits of the value, least significant word first.
    pub bits: Vec<u32>,
    /// The value in decimal notation.
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
    /// Adds the name of the device on which the comparison ended, if it is not the judged device.
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

/// Ends a comparison that proves nothing, and states the reason.
pub(crate) fn not_comparable(why: impl fmt::Display) -> Stop {
    Stop::NotComparable(why.to_string())
}

/// Ends a comparison because `part` is wrong.
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
