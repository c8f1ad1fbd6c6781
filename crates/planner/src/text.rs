//! Formats plans as text, one step per line, for people and for tests.

mod words;

use super::state::{Counter, Query};
use super::steps::{
    Assembly, Attachments, Bind, Contents, CountedBy, Counters, DrawCall, FeedbackRange, Pass,
    PassScope, Plan, Position, Rasterization, Step, Variant, VertexOrder,
};
use super::sync::{Barrier, Scope};
use polyshade::transform_feedback::ProvokingVertex;
use std::fmt;

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.map_or("nothing is captured", |path| path.name());
        write!(f, "path: {path}")?;
        if self.vertex_order == VertexOrder::AnyRotation {
            f.write_str("; any corner of a primitive may come first")?;
        }
        f.write_str("\n")?;
        if let Some(shader_runs) = self.shader_runs {
            writeln!(f, "{shader_runs}")?;
        }
        let mut indent = "";
        for step in &self.steps {
            if matches!(step, Step::EndPass(_)) {
                indent = "";
            }
            for line in step.to_string().lines() {
                writeln!(f, "{indent}{line}")?;
            }
            if matches!(step, Step::BeginPass(_)) {
                indent = "  ";
            }
        }
        Ok(())
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BeginPass(pass) => pass.fmt(f),
            Self::EndPass(attachments) => write!(f, "end pass: {attachments}"),
            Self::Barriers(barriers) => {
                for barrier in barriers {
                    writeln!(f, "barrier: {barrier}")?;
                }
                Ok(())
            }
            Self::BeginQuery(query) => write!(f, "begin query: {query}"),
            Self::EndQuery(query) => write!(f, "end query: {query}"),
            Self::Count(query) => write!(f, "count on the host: {query}"),
            Self::BindPipeline(bind) => bind.fmt(f),
            Self::BindCompute(variant) => write!(f, "bind compute pipeline: {variant}"),
            Self::BindStorage(range) => write!(
                f,
                "bind set {} binding {}: feedback buffer {}, bytes {} to {}",
                range.set.0,
                range.binding.0,
                range.buffer,
                range.offset,
                range.offset + range.size
            ),
            Self::BindFeedback(ranges) => bind_feedback(f, ranges),
            Self::FillIn(words) => words.fmt(f),
            Self::BeginFeedback(counters) => write!(f, "begin feedback: {counters}"),
            Self::EndFeedback(counters) => write!(f, "end feedback: {counters}"),
            Self::Draw(call) => write!(f, "draw: {call}"),
            Self::Dispatch(DrawCall::OverIndices) => f.write_str("dispatch: its indices"),
            Self::Dispatch(call) => write!(f, "dispatch: {call}"),
            Self::Advance(saved) => advance(f, saved),
            Self::WriteCounters(counters) => {
                f.write_str("write the host's counters:")?;
                counters.iter().try_for_each(|counter| write!(f, " {counter}"))
            }
            Self::BindIndices(set, binding) => {
                write!(f, "bind set {} binding {}: index buffer", set.0, binding.0)
            }
            Self::BindSegments(set, binding) => {
                write!(f, "bind set {} binding {}: the table of segments", set.0, binding.0)
            }
            Self::BindOutputs(set, binding) => {
                write!(f, "bind set {} binding {}: spilled outputs", set.0, binding.0)
            }
            Self::FindSegments => f.write_str("dispatch: find the segments of the indices"),
            Self::CounterPass(pass) => pass.fmt(f),
        }
    }
}

fn bind_feedback(f: &mut fmt::Formatter<'_>, ranges: &[Option<FeedbackRange>]) -> fmt::Result {
    f.write_str("bind feedback buffers from 0:")?;
    for (index, range) in ranges.iter().enumerate() {
        let comma = if index > 0 { "," } else { "" };
        match range {
            Some(range) => {
                write!(f, "{comma} bytes {} to {}", range.offset, range.offset + range.size)?;
            }
            None => write!(f, "{comma} none")?,
        }
    }
    Ok(())
}

fn advance(f: &mut fmt::Formatter<'_>, saved: &[Option<Counter>]) -> fmt::Result {
    f.write_str("advance the host's counters")?;
    for (number, counter) in saved.iter().enumerate() {
        if let Some(counter) = counter {
            write!(f, ", save {number} to {counter}")?;
        }
    }
    Ok(())
}

impl fmt::Display for Pass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let contents = match self.contents {
            Contents::AsAsked => "as asked for",
            Contents::Load => "continue with their contents",
            Contents::DontCare => "hold anything",
        };
        write!(f, "begin {}: {}", scope_name(self.scope), self.attachments)?;
        if self.attachments == Attachments::None {
            return Ok(());
        }
        write!(f, ", {contents}")
    }
}

pub(super) fn scope_name(scope: PassScope) -> &'static str {
    match scope {
        PassScope::RenderPass => "render pass",
        PassScope::Rendering => "rendering",
        PassScope::Encoder => "render encoder",
        PassScope::PassEncoder => "render pass encoder",
    }
}

impl fmt::Display for Attachments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Application => "the application's attachments",
            Self::None => "no attachments",
            Self::Dummy => "a dummy attachment of 1×1",
        })
    }
}

impl fmt::Display for Barrier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} -> {}", self.resource.name(), self.from, self.to)
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} / {}", self.stages, self.accesses)
    }
}

impl fmt::Display for Query {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stream(stream) => {
                write!(f, "primitives written and needed of stream {stream}")
            }
            Self::PrimitivesGenerated(stream) => {
                write!(f, "primitives generated of stream {stream}")
            }
        }
    }
}

impl fmt::Display for Bind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "bind pipeline: {}", self.variant)?;
        match self.assembly {
            Assembly::AsDrawn(topology) => write!(f, ", {}", topology.name())?,
            Assembly::Points => f.write_str(", point list")?,
            Assembly::Rewritten(topology) => {
                write!(f, ", {} by the host's indices", topology.name())?;
            }
        }
        match self.position {
            Position::Unchanged => {}
            Position::MovedAway { constant: None } => f.write_str(", position moved away")?,
            Position::MovedAway { constant: Some(id) } => {
                write!(f, ", position moved away by constant {id} = 1")?;
            }
        }
        if self.provoking_vertex == ProvokingVertex::Last {
            f.write_str(", the last vertex provokes")?;
        }
        f.write_str(match self.rasterization {
            Rasterization::On => "",
            Rasterization::Off => ", rasterization off",
        })
    }
}

impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Original => "the shader as it is",
            Self::Extension => "extension",
            Self::CaptureOnly => "capture-only",
            Self::RasterOnly => "raster-only",
            Self::Both => "both",
            Self::SpillOutputs => "spill-outputs",
            Self::ReloadOutputs => "reload-outputs",
        })
    }
}

impl fmt::Display for Counter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "counter ({}, {})", self.buffer, self.offset)
    }
}

impl fmt::Display for Counters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.counters.is_empty() {
            return f.write_str("no counters");
        }
        f.write_str("counters from 0:")?;
        for (index, counter) in self.counters.iter().enumerate() {
            let comma = if index > 0 { "," } else { "" };
            match counter {
                Some(counter) => write!(f, "{comma} {counter}")?,
                None => write!(f, "{comma} null")?,
            }
        }
        Ok(())
    }
}

impl fmt::Display for DrawCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Vertices => f.write_str("its vertices"),
            Self::Indexed => f.write_str("its indices"),
            Self::Indirect => f.write_str("its arguments in a buffer"),
            Self::IndexedIndirect => f.write_str("its indices, its arguments in a buffer"),
            Self::Rewritten(None) => f.write_str("the host's indices"),
            Self::Rewritten(Some(count)) => {
                write!(f, "the host's indices, vertices counted by the host, {count}")
            }
            Self::OverIndices => f.write_str("a vertex for each of its indices"),
            Self::FromCounterPass => f.write_str("arguments from the counter pass"),
            Self::ByteCount(count) => write!(f, "byte count, {count}"),
            Self::CountedByHost(count) => write!(f, "vertices counted by the host, {count}"),
        }
    }
}

impl fmt::Display for CountedBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({} - {}) / {}", self.counter, self.offset, self.stride)
    }
}
