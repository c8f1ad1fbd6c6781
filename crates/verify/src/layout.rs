//! The layout of the captured outputs, computed from the user's list of outputs.
//!
//! This is the other half of the oracle: it implements OpenGL's list of names, Direct3D's stream output declaration
//! and SPIR-V's transform feedback decorations from their specifications.

use crate::Asked;
use crate::leaves::{self, Leaf, ScalarKind};
use polyshade::spv::BuiltIn;

/// A range of words of a leaf, and its place in a captured vertex.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Piece {
    /// The index of the leaf.
    pub leaf: usize,
    /// The first word of the leaf.
    pub first: u32,
    /// The number of words.
    pub count: u32,
    /// The offset from the start of the vertex, in bytes.
    pub offset: u32,
}

/// One feedback buffer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Buffer {
    /// The stride of a vertex in bytes.
    pub stride: u32,
    /// The captured words, in the order of the list.
    pub pieces: Vec<Piece>,
}

/// The maximum number of feedback buffers that any device supports.
const MOST_BUFFERS: u32 = 64;

/// The names that skip one to four components.
const SKIPS: [&str; 4] =
    ["gl_SkipComponents1", "gl_SkipComponents2", "gl_SkipComponents3", "gl_SkipComponents4"];

/// Returns the layout of the listed outputs, or why a list entry cannot be resolved.
pub(crate) fn lay_out(leaves: &[Leaf], asked: &Asked) -> Result<Vec<Buffer>, String> {
    let mut buffers = vec![Buffer::default()];
    match asked {
        Asked::Interleaved(names) => {
            for name in names {
                let buffer = buffers.last_mut().expect("the list of buffers is never empty");
                match SKIPS.iter().position(|skip| skip == name) {
                    Some(skip) => buffer.stride += 4 * (skip as u32 + 1),
                    None if name == "gl_NextBuffer" => buffers.push(Buffer::default()),
                    None => buffer.append(&find(leaves, name)?),
                }
            }
        }
        Asked::Separate(names) => {
            buffers = vec![Buffer::default(); names.len()];
            for (buffer, name) in buffers.iter_mut().zip(names) {
                buffer.append(&find(leaves, name)?);
            }
        }
        Asked::StreamOutput(entries, strides) => {
            for entry in entries {
                stream_output(leaves, entry, &mut buffers)?;
            }
            for (buffer, stride) in buffers.iter_mut().zip(strides) {
                buffer.stride = *stride;
            }
        }
        Asked::Decorations => buffers = decorated(leaves)?,
    }
    Ok(buffers)
}

/// The index of a leaf, and the index of a word in the leaf.
type Word = (usize, u32);

impl Buffer {
    /// Appends words without gaps. Consecutive words of one leaf become one piece.
    fn append(&mut self, words: &[Word]) {
        for &(leaf, word) in words {
            match self.pieces.last_mut() {
                Some(last)
                    if last.leaf == leaf
                        && last.first + last.count == word
                        && last.offset + 4 * last.count == self.stride =>
                {
                    last.count += 1;
                }
                _ => self.pieces.push(Piece { leaf, first: word, count: 1, offset: self.stride }),
            }
            self.stride += 4;
        }
    }
}

/// Returns the words of the wanted leaves.
fn words(leaves: &[Leaf], is_wanted: impl Fn(&Leaf) -> bool) -> Vec<Word> {
    let wanted = leaves.iter().enumerate().filter(|(_, leaf)| is_wanted(leaf));
    wanted.flat_map(|(index, leaf)| (0..leaf.words()).map(move |word| (index, word))).collect()
}

/// Returns the words that a name, a range of locations, a semantic or an id refers to.
fn find(leaves: &[Leaf], name: &str) -> Result<Vec<Word>, String> {
    if let Some(range) = name.strip_prefix("location=") {
        return locations(leaves, range)
            .ok_or_else(|| format!("`{name}` is not a range of locations"));
    }
    if let Some(text) = name.strip_prefix("semantic=") {
        return register(leaves, text);
    }
    if let Some(id) = name.strip_prefix("id=") {
        let words = words(leaves, |leaf| id.parse() == Ok(leaf.variable.word()));
        return if words.is_empty() {
            Err(format!("no output has the id `{name}`"))
        } else {
            Ok(words)
        };
    }
    // A name refers to an output or, if no output has this name, to all elements of an array.
    let is_called_so = |leaf: &Leaf| leaf.name == name;
    let is_any = leaves.iter().any(is_called_so);
    let is_meant = |leaf: &Leaf| match is_any {
        true => is_called_so(leaf),
        false => leaf.whole.as_deref() == Some(name),
    };
    let mut meant = leaves.iter().filter(|leaf| is_meant(leaf)).peekable();
    if meant.peek().is_none() {
        return Err(format!("verify finds no output named `{name}`"));
    }
    if let Some(Leaf { kind, bits, .. }) = meant.find(|leaf| leaf.words() == 0) {
        return Err(format!("`{name}` has components of {bits} bits ({kind:?})"));
    }
    Ok(words(leaves, is_meant))
}

/// Parses `3`, `3-5` or `3.yz`. The words are in the order of locations, then of components.
fn locations(leaves: &[Leaf], range: &str) -> Option<Vec<Word>> {
    let (numbers, letters) = range.split_once('.').unwrap_or((range, "xyzw"));
    let (first, last) = numbers.split_once('-').unwrap_or((numbers, numbers));
    let (first, last): (u32, u32) = (first.parse().ok()?, last.parse().ok()?);
    let wanted = components(letters)?;
    let mut words = at_locations(leaves, first, last);
    words.retain(|((_, component), _)| wanted.contains(component));
    (!words.is_empty()).then(|| words.into_iter().map(|(_, word)| word).collect())
}

/// Parses consecutive component letters, such as `yz`.
fn components(letters: &str) -> Option<std::ops::Range<u32>> {
    let first = "xyzw".find(letters.chars().next()?)?;
    "xyzw"[first..].starts_with(letters).then_some(first as u32..(first + letters.len()) as u32)
}

/// Returns every word at these locations, sorted by location and component.
fn at_locations(leaves: &[Leaf], first: u32, last: u32) -> Vec<((u32, u32), Word)> {
    let mut words = Vec::new();
    for (index, leaf) in leaves.iter().enumerate().filter(|(_, leaf)| leaf.words() > 0) {
        let placed = leaves::registers(leaf).zip((0..).map(move |word| (index, word)));
        words.extend(placed.filter(|((location, _), _)| (first..=last).contains(location)));
    }
    words.sort_unstable();
    words
}

/// Parses `[SLOT:]SEMANTIC[.components]`, where `$SKIP` and `location=N` may replace the semantic.
fn stream_output(leaves: &[Leaf], entry: &str, buffers: &mut Vec<Buffer>) -> Result<(), String> {
    let unknown = || format!("`{entry}` is not an entry of a stream output declaration");
    let (slot, text) = entry.trim().split_once(':').unwrap_or(("0", entry.trim()));
    let slot: u32 = slot.trim().parse().map_err(|_| unknown())?;
    if slot >= MOST_BUFFERS {
        return Err(unknown());
    }
    buffers.resize(buffers.len().max(slot as usize + 1), Buffer::default());
    let buffer = &mut buffers[slot as usize];
    let (source, letters) = of_letters(text.trim());
    if source == "$SKIP" {
        buffer.stride += 4 * components(letters).ok_or_else(unknown)?.len() as u32;
        return Ok(());
    }
    let words = register(leaves, text.trim())?;
    buffer.append(&words);
    Ok(())
}

/// Splits a text into the component letters at its end and the part before them.
fn of_letters(text: &str) -> (&str, &str) {
    text.split_once('.').unwrap_or((text, "xyzw"))
}

/// Returns the words of `SEMANTIC[.components]` or `location=N[.components]`.
fn register(leaves: &[Leaf], text: &str) -> Result<Vec<Word>, String> {
    let unknown = || format!("`{text}` is not an entry of a stream output declaration");
    let (source, letters) = of_letters(text);
    let wanted = components(letters).ok_or_else(unknown)?;
    let all: Vec<Word> = match source.strip_prefix("location=") {
        Some(location) => {
            let location = location.parse().map_err(|_| unknown())?;
            at_locations(leaves, location, location).into_iter().map(|(_, word)| word).collect()
        }
        None => with_semantic(leaves, source).ok_or_else(unknown)?,
    };
    if all.is_empty() {
        return Err(format!("verify finds no output for `{text}`"));
    }
    let end = if letters == "xyzw" { all.len() } else { wanted.end as usize };
    let words = all.get(wanted.start as usize..end).ok_or_else(|| {
        format!("`{text}` selects {} components of an output with {}", wanted.len(), all.len())
    })?;
    Ok(words.to_vec())
}

fn with_semantic(leaves: &[Leaf], source: &str) -> Option<Vec<Word>> {
    let (name, index) = leaves::split_semantic(source)?;
    let builtin = match name.as_str() {
        "SV_POSITION" => Some(BuiltIn::POSITION),
        "SV_CLIPDISTANCE" => Some(BuiltIn::CLIP_DISTANCE),
        "SV_CULLDISTANCE" => Some(BuiltIn::CULL_DISTANCE),
        "SV_RENDERTARGETARRAYINDEX" => Some(BuiltIn::LAYER),
        "SV_VIEWPORTARRAYINDEX" => Some(BuiltIn::VIEWPORT_INDEX),
        "PSIZE" => Some(BuiltIn::POINT_SIZE),
        _ => None,
    };
    let is = |leaf: &Leaf| match &leaf.semantic {
        Some((other, number)) => (other.as_str(), *number) == (name.as_str(), index),
        None => builtin.is_some() && leaf.builtin == builtin,
    };
    Some(words(leaves, is))
}

/// Returns the layout that `Offset`, `XfbBuffer` and `XfbStride` decorations declare.
fn decorated(leaves: &[Leaf]) -> Result<Vec<Buffer>, String> {
    let mut buffers = Vec::new();
    for (index, leaf) in leaves.iter().enumerate() {
        let Some(at) = leaf.feedback else { continue };
        if at.buffer >= MOST_BUFFERS {
            return Err(format!(
                "{} is captured to buffer {}, which verify does not support",
                leaf.title(),
                at.buffer
            ));
        }
        if leaf.words() == 0 {
            return Err(format!("{} has components of {} bits", leaf.title(), leaf.bits));
        }
        buffers.resize(buffers.len().max(at.buffer as usize + 1), Buffer::default());
        let buffer: &mut Buffer = &mut buffers[at.buffer as usize];
        buffer.stride = at.stride;
        buffer.pieces.push(Piece { leaf: index, first: 0, count: leaf.words(), offset: at.offset });
    }
    let end = |piece: &Piece| u64::from(piece.offset) + 4 * u64::from(piece.count);
    for (number, buffer) in buffers.iter().enumerate() {
        if buffer.pieces.iter().any(|piece| end(piece) > u64::from(buffer.stride)) {
            return Err(format!("a vertex does not fit into the stride of buffer {number}"));
        }
    }
    Ok(buffers)
}

/// Formats a component's words in decimal notation, for messages.
pub(crate) fn number(leaf: &Leaf, words: &[u32]) -> String {
    let low = words.first().copied().unwrap_or(0);
    let wide = u64::from(words.get(1).copied().unwrap_or(0)) << 32 | u64::from(low);
    match (leaf.kind, leaf.bits) {
        (ScalarKind::Float, 64) => format!("{:e}", f64::from_bits(wide)),
        (ScalarKind::Float, _) => format!("{:?}", f32::from_bits(low)),
        (ScalarKind::Int, 64) => (wide as i64).to_string(),
        (ScalarKind::Int, _) => (low as i32).to_string(),
        (ScalarKind::Uint | ScalarKind::Bool, 64) => wide.to_string(),
        (ScalarKind::Uint | ScalarKind::Bool, _) => low.to_string(),
    }
}

/// `tests/verify/equal` compares the layouts of all notations with captures.
#[cfg(test)]
mod tests {
    use super::*;
    use crate::leaves::Feedback;
    use crate::leaves::tests::leaf;

    fn leaves() -> Vec<Leaf> {
        let wide = Leaf { bits: 64, ..leaf("wide", 2, (4, 0)) };
        let low = Leaf { semantic: Some(("COLOR".to_owned(), 1)), ..leaf("low", 2, (3, 0)) };
        let elements = [leaf("a[0]", 3, (0, 0)), leaf("a[1]", 3, (1, 0))];
        [&elements[..], &[low, leaf("high", 2, (3, 2)), wide]].concat()
    }

    fn asked(names: &str) -> Vec<String> {
        names.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn what_is_not_understood_is_no_layout() {
        let mut leaves = leaves();
        for names in ["b", "a[2]", "location=9", "location=0.xz", "id=7"] {
            assert!(lay_out(&leaves, &Asked::Interleaved(asked(names))).is_err(), "{names}");
        }
        for entry in ["COLOR7", "COLOR1.zw", "x:COLOR1", "$SKIP.yx"] {
            let asked = Asked::StreamOutput(asked(entry), Vec::new());
            assert!(lay_out(&leaves, &asked).is_err(), "{entry}");
        }
        // The leaf exceeds the stride.
        leaves[4].feedback = Some(Feedback { buffer: 1, offset: 24, stride: 32 });
        assert!(lay_out(&leaves, &Asked::Decorations).is_err());
    }
}
