//! A plan as a picture.

use crate::{
    Api, Attachments, Barrier, Bind, Device, Path, Plan, Position, Rasterization, Resource, Step,
};
use std::collections::BTreeSet;
use std::fmt::Write;

const LEFT: usize = 36;
const TEXT_WIDTH: usize = 620;
const LANE_WIDTH: usize = 104;
const TOP: usize = 108;
const LINE: usize = 17;
const PADDING: usize = 12;
/// The maximum number of characters in a line of details.
const COLUMNS: usize = 84;

/// A resource, with its column in the picture.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Lane {
    Feedback(u32),
    Counters,
    ParamValues,
    Attachments,
}

#[derive(Clone, Copy, PartialEq)]
enum Mark {
    Read,
    Write,
    /// A barrier.
    Wait,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Begin(Attachments),
    End,
    Barrier,
    Draw,
    Other,
}

/// A step in the picture.
struct Row {
    /// The number of the step. A step with several barriers has one row per barrier.
    number: usize,
    kind: Kind,
    title: String,
    lines: Vec<String>,
    marks: Vec<(Lane, Mark)>,
    top: usize,
}

impl Row {
    fn height(&self) -> usize {
        PADDING + LINE * (1 + self.lines.len())
    }

    fn bottom(&self) -> usize {
        self.top + self.height()
    }

    fn middle(&self) -> usize {
        self.top + self.height() / 2
    }
}

/// Draws the plan as an SVG picture. The steps run from top to bottom, with the passes around them. Each resource has
/// a column with its reads, writes and barriers. `device` is the device that the plan was made for.
pub fn picture(device: &Device, plan: &Plan) -> String {
    let rows = rows(device, plan);
    let lanes: BTreeSet<Lane> =
        rows.iter().flat_map(|row| row.marks.iter().map(|(lane, _)| *lane)).collect();
    let lanes: Vec<Lane> = lanes.into_iter().collect();
    let width = LEFT + TEXT_WIDTH + LANE_WIDTH * lanes.len() + 32;
    let bottom = rows.last().map_or(TOP, Row::bottom) + 10;
    let height = bottom + 44;

    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\">\n<style>{STYLE}</style>\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>\n"
    );
    let path = plan.path.map_or("nothing is captured", |path| match path {
        Path::Extension => "captured by VK_EXT_transform_feedback",
        Path::Storage => "captured with storage buffers",
        Path::Compute => "captured by a compute stage",
    });
    text(&mut svg, LEFT - 12, 34, "title", &format!("{}: {path}", device.api.name()));
    text(&mut svg, LEFT - 12, 56, "note", "one draw, from top to bottom");
    // First the passes, because they are the background of the rows.
    passes(&mut svg, &rows, bottom);
    for (index, lane) in lanes.iter().enumerate() {
        let x = lane_x(index);
        let _ = writeln!(
            svg,
            "<line x1=\"{x}\" y1=\"{}\" x2=\"{x}\" y2=\"{bottom}\" class=\"lane\"/>",
            TOP - 10
        );
        text(&mut svg, x, TOP - 20, "head", &lane.name());
    }
    for row in &rows {
        draw_row(&mut svg, row, &lanes);
    }
    legend(&mut svg, bottom + 26);
    svg.push_str("</svg>\n");
    svg
}

const STYLE: &str = "text{font-family:'DejaVu Sans',Helvetica,Arial,sans-serif;fill:#1f2933}\
    .title{font-size:20px;font-weight:bold}\
    .note{font-size:12px;fill:#627282}\
    .head{font-size:12px;font-weight:bold;text-anchor:middle}\
    .step{font-size:13px;font-weight:bold}\
    .wait{font-size:13px;font-weight:bold;fill:#b42318}\
    .number{font-size:11px;fill:#8a99a8;text-anchor:end}\
    .detail{font-size:11.5px;fill:#46535f}\
    .lane{stroke:#cbd5df;stroke-width:2}\
    .guide{stroke:#dde4ea;stroke-width:1;stroke-dasharray:2 3}\
    .pass{stroke-width:1.5}";

impl Lane {
    fn name(self) -> String {
        match self {
            Self::Feedback(number) => format!("feedback {number}"),
            Self::Counters => "counters".to_owned(),
            Self::ParamValues => "host parameters".to_owned(),
            Self::Attachments => "attachments".to_owned(),
        }
    }
}

fn lane_x(index: usize) -> usize {
    LEFT + TEXT_WIDTH + LANE_WIDTH * index + LANE_WIDTH / 2
}

fn rows(device: &Device, plan: &Plan) -> Vec<Row> {
    let mut reader = Reader {
        bound: None,
        running: None,
        buffers: feedback_buffers(plan),
        passes_wait: device.api != Api::Vulkan,
    };
    let mut rows: Vec<Row> = Vec::new();
    for (number, step) in (1..).zip(&plan.steps) {
        for (kind, title, details) in headlines(step) {
            let marks = match step {
                Step::Barriers(barriers) => {
                    barriers.iter().filter(|one| title.ends_with(one.resource.name())).collect()
                }
                _ => Vec::new(),
            };
            let marks = match marks.first() {
                Some(barrier) => reader.waits(barrier),
                None => reader.marks(step),
            };
            let lines = details.iter().flat_map(|line| broken(line)).collect();
            let top = rows.last().map_or(TOP, Row::bottom);
            rows.push(Row { number, kind, title, lines, marks, top });
        }
    }
    rows
}

/// The number of feedback buffers that the plan binds or has barriers for.
fn feedback_buffers(plan: &Plan) -> u32 {
    let of_step = |step: &Step| match step {
        Step::BindStorage(range) => range.buffer.saturating_add(1),
        Step::BindFeedback(ranges) => ranges.len() as u32,
        Step::Barriers(_) => 1,
        _ => 0,
    };
    plan.steps.iter().map(of_step).max().unwrap_or(0)
}

/// The bindings and queries that are active at a step. They determine the resources that a draw uses.
struct Reader {
    bound: Option<Bind>,
    running: Option<bool>,
    buffers: u32,
    /// Whether the writes of a pass are visible to later passes without a barrier.
    passes_wait: bool,
}

impl Reader {
    fn marks(&mut self, step: &Step) -> Vec<(Lane, Mark)> {
        match step {
            Step::BindPipeline(bind) => {
                self.bound = Some(*bind);
                Vec::new()
            }
            Step::EndPass(_) if self.passes_wait => self.captured(Mark::Wait),
            Step::BeginFeedback(counters) => {
                self.running = Some(true);
                let read = (!counters.counters.is_empty()).then_some((Lane::Counters, Mark::Read));
                read.into_iter().collect()
            }
            Step::EndFeedback(counters) => {
                self.running = None;
                let saved =
                    (!counters.counters.is_empty()).then_some((Lane::Counters, Mark::Write));
                saved.into_iter().collect()
            }
            Step::FillIn(_) => vec![(Lane::ParamValues, Mark::Write)],
            Step::CounterPass(keep) => {
                let words = keep.params.is_some().then_some((Lane::ParamValues, Mark::Write));
                let counters = [(&keep.begin, Mark::Read), (&keep.end, Mark::Write)];
                let counters = counters.into_iter().filter(|(counters, _)| {
                    counters.as_ref().is_some_and(|one| one.counters.iter().any(Option::is_some))
                });
                words.into_iter().chain(counters.map(|(_, mark)| (Lane::Counters, mark))).collect()
            }
            Step::Advance(_) | Step::WriteCounters(_) => vec![(Lane::Counters, Mark::Write)],
            Step::Draw(_) => self.drawn(),
            Step::Dispatch(_) => {
                let mut marks = self.captured(Mark::Write);
                marks.push((Lane::ParamValues, Mark::Read));
                marks
            }
            _ => Vec::new(),
        }
    }

    fn waits(&self, barrier: &Barrier) -> Vec<(Lane, Mark)> {
        match barrier.resource {
            Resource::Captured => self.captured(Mark::Wait),
            Resource::Counters | Resource::Count => vec![(Lane::Counters, Mark::Wait)],
            Resource::Attachments => vec![(Lane::Attachments, Mark::Wait)],
            Resource::DeviceCounters => vec![(Lane::ParamValues, Mark::Wait)],
            Resource::Inputs | Resource::Outputs => Vec::new(),
        }
    }

    fn captured(&self, mark: Mark) -> Vec<(Lane, Mark)> {
        (0..self.buffers).map(|number| (Lane::Feedback(number), mark)).collect()
    }

    fn drawn(&self) -> Vec<(Lane, Mark)> {
        let stores = self.bound.is_some_and(|bind| bind.variant.stores());
        let mut marks = Vec::new();
        if stores || self.running.is_some() {
            marks.extend(self.captured(Mark::Write));
        }
        if stores {
            marks.push((Lane::ParamValues, Mark::Read));
        }
        let rasterized = self.bound.is_none_or(|bind| {
            bind.rasterization == Rasterization::On && bind.position == Position::Unchanged
        });
        if rasterized {
            marks.push((Lane::Attachments, Mark::Write));
        }
        marks
    }
}

/// Returns the headline of a step and its details. A step with several barriers has one headline per barrier.
fn headlines(step: &Step) -> Vec<(Kind, String, Vec<String>)> {
    let kind = match step {
        Step::BeginPass(pass) => Kind::Begin(pass.attachments),
        Step::EndPass(_) => Kind::End,
        Step::Barriers(barriers) => {
            let headline = |one: &Barrier| {
                let details = vec![one.from.to_string(), format!("→ {}", one.to)];
                (Kind::Barrier, format!("wait: {}", one.resource.name()), details)
            };
            return barriers.iter().map(headline).collect();
        }
        Step::Draw(_) | Step::Dispatch(_) => Kind::Draw,
        _ => Kind::Other,
    };
    let whole = step.to_string();
    let (title, details) = match whole.split_once(": ").or_else(|| whole.split_once(", ")) {
        Some((title, details)) => (title.to_owned(), vec![details.to_owned()]),
        None => (whole, Vec::new()),
    };
    vec![(kind, title, details)]
}

/// Breaks a line at blanks.
fn broken(line: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    let indent = line.len() - line.trim_start().len();
    for word in line.split(' ') {
        let last = lines.last_mut().expect("the list begins with one line");
        if last.chars().count() + word.chars().count() > COLUMNS && !last.trim().is_empty() {
            lines.push(format!("{}{word}", " ".repeat(indent + 2)));
            continue;
        }
        if !last.is_empty() || word.is_empty() {
            last.push(' ');
        }
        last.push_str(word);
    }
    lines
}

/// Draws the passes in the background. A pass that begins before the plan, or ends after it, has no edge at that end.
fn passes(svg: &mut String, rows: &[Row], bottom: usize) {
    let begins = |row: &&Row| matches!(row.kind, Kind::Begin(_) | Kind::End);
    let mut open = match rows.iter().find(begins).map(|row| row.kind) {
        Some(Kind::End) | None => Some((Attachments::Application, TOP - 4, true)),
        _ => None,
    };
    for row in rows {
        match row.kind {
            Kind::Begin(attachments) => open = Some((attachments, row.top, false)),
            Kind::End => {
                if let Some((attachments, top, torn)) = open.take() {
                    pass(svg, attachments, top..row.bottom(), [torn, false]);
                }
            }
            Kind::Barrier | Kind::Draw | Kind::Other => {}
        }
    }
    if let Some((attachments, top, torn)) = open {
        pass(svg, attachments, top..bottom, [torn, true]);
    }
}

fn pass(svg: &mut String, attachments: Attachments, rows: std::ops::Range<usize>, torn: [bool; 2]) {
    let (fill, stroke) = match attachments {
        Attachments::Application => ("#eaf2fd", "#7aa7e0"),
        Attachments::None | Attachments::Dummy => ("#f1f0ea", "#b3ad94"),
    };
    let (x, width) = (LEFT - 22, TEXT_WIDTH + 14);
    let (top, height) = (rows.start + 2, rows.end - rows.start - 4);
    let _ = writeln!(
        svg,
        "<rect x=\"{x}\" y=\"{top}\" width=\"{width}\" height=\"{height}\" rx=\"7\" fill=\"{fill}\" \
         stroke=\"{stroke}\" class=\"pass\"/>"
    );
    for (torn, y) in torn.into_iter().zip([top, top + height]) {
        if torn {
            let _ = writeln!(
                svg,
                "<line x1=\"{x}\" y1=\"{y}\" x2=\"{}\" y2=\"{y}\" stroke=\"#ffffff\" stroke-width=\"4\" \
                 stroke-dasharray=\"9 7\"/>",
                x + width
            );
        }
    }
}

fn draw_row(svg: &mut String, row: &Row, lanes: &[Lane]) {
    let baseline = row.top + PADDING / 2 + 13;
    let class = if row.kind == Kind::Barrier { "wait" } else { "step" };
    text(svg, LEFT, baseline, "number", &row.number.to_string());
    text(svg, LEFT + 10, baseline, class, &row.title);
    for (index, line) in (1..).zip(&row.lines) {
        let indent = (line.len() - line.trim_start().len()) * 4;
        text(svg, LEFT + 10 + indent, baseline + LINE * index, "detail", line.trim_start());
    }
    let y = row.middle();
    let last = row.marks.iter().filter_map(|(lane, _)| lanes.iter().position(|l| l == lane)).max();
    if let Some(last) = last {
        let _ = writeln!(
            svg,
            "<line x1=\"{}\" y1=\"{y}\" x2=\"{}\" y2=\"{y}\" class=\"guide\"/>",
            LEFT + TEXT_WIDTH - 4,
            lane_x(last)
        );
    }
    for (lane, mark) in &row.marks {
        let Some(index) = lanes.iter().position(|other| other == lane) else { continue };
        let x = lane_x(index);
        let _ = match mark {
            Mark::Read => writeln!(
                svg,
                "<circle cx=\"{x}\" cy=\"{y}\" r=\"7\" fill=\"#ffffff\" stroke=\"#1d6fd1\" stroke-width=\"3\"/>"
            ),
            Mark::Write => {
                writeln!(svg, "<circle cx=\"{x}\" cy=\"{y}\" r=\"8\" fill=\"#1d6fd1\"/>")
            }
            Mark::Wait => writeln!(
                svg,
                "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"7\" rx=\"2\" fill=\"#b42318\"/>",
                x - LANE_WIDTH / 2 + 8,
                y - 3,
                LANE_WIDTH - 16
            ),
        };
    }
}

fn legend(svg: &mut String, y: usize) {
    let _ = writeln!(
        svg,
        "<circle cx=\"{}\" cy=\"{}\" r=\"7\" fill=\"#1d6fd1\"/>\
         <circle cx=\"{}\" cy=\"{}\" r=\"6\" fill=\"#ffffff\" stroke=\"#1d6fd1\" stroke-width=\"3\"/>\
         <rect x=\"{}\" y=\"{}\" width=\"30\" height=\"7\" rx=\"2\" fill=\"#b42318\"/>",
        LEFT,
        y - 4,
        LEFT + 78,
        y - 4,
        LEFT + 142,
        y - 7,
    );
    for (x, name) in
        [(14, "writes"), (91, "reads"), (180, "all earlier work is complete and visible")]
    {
        text(svg, LEFT + x, y, "note", name);
    }
}

fn text(svg: &mut String, x: usize, y: usize, class: &str, text: &str) {
    let escaped = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let _ = writeln!(svg, "<text x=\"{x}\" y=\"{y}\" class=\"{class}\">{escaped}</text>");
}
