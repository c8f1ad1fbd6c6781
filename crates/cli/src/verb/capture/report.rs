//! Formats the report of `capture` as text.

use polyshade::transform_feedback::{Decorated, Layout};
use std::fmt::Write;

/// Formats the layout of the feedback buffers.
pub(super) fn layout(layout: &Layout) -> String {
    let mut text = String::new();
    for (number, buffer) in layout.buffers.iter().enumerate() {
        let _ = writeln!(text, "  buffer {number}: {} bytes a vertex", buffer.stride);
        for one in &buffer.captured {
            let (offset, name, components) = (one.offset, &one.name, one.components);
            let plural = if components == 1 { "" } else { "s" };
            let _ = writeln!(text, "    {offset:>6}  {name} ({components} component{plural})");
        }
    }
    text
}

/// Formats the report of the extension path, including the added outputs.
pub(super) fn decorated(decorated: &Decorated) -> String {
    let mut text = layout(&decorated.layout);
    let streams = decorated.streams.iter().enumerate();
    for (buffer, stream) in streams.filter(|(_, stream)| **stream > 0) {
        let _ = writeln!(text, "  buffer {buffer} captures vertex stream {stream}");
    }
    if !decorated.locations.is_empty() {
        let locations: Vec<String> = decorated.locations.iter().map(u32::to_string).collect();
        let _ = writeln!(text, "\nadded outputs at locations {}", locations.join(", "));
    }
    text
}
