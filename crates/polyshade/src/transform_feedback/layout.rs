//! Where in the buffers a vertex's outputs go.

use super::names::{Outputs, Part};
use super::options::{Options, Varyings};
use super::{MAX_BUFFERS, MAX_STRIDE};
use crate::unsupported;
use polyshade_spv::view::EntryPoint;
use polyshade_spv::{Error, ErrorKind, Id, Module, Type};
use std::collections::HashSet;

/// What is captured where.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Layout {
    /// The feedback buffers.
    pub buffers: Vec<BufferLayout>,
}

/// What one buffer holds for each captured vertex.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct BufferLayout {
    /// Bytes from one vertex to the next, gaps and trailing skips included.
    pub stride: u32,
    /// What is stored, by offset.
    pub captured: Vec<Captured>,
}

/// One captured varying.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Captured {
    /// The name it was asked for by.
    pub name: String,
    /// In bytes from the start of the vertex.
    pub offset: u32,
    /// How many 32-bit components it has.
    pub components: u32,
}

/// A vector or scalar that is stored: a part of an output, and its components' place in the vertex.
#[derive(Clone, Debug)]
pub(super) struct Stored {
    pub(super) part: Part,
    /// Of the first component, in words from the start of the vertex.
    pub(super) word: u32,
    /// Type of the components.
    pub(super) component: Id,
    pub(super) components: u32,
}

/// The layout that the options come to, and for each buffer what is stored.
pub(super) fn lay_out(
    m: &Module<'_>,
    entry: EntryPoint<'_>,
    options: &Options,
) -> Result<(Layout, Vec<Vec<Stored>>), Error> {
    let outputs = Outputs::of(m, entry);
    let mut builder =
        Builder { m, outputs: &outputs, seen: HashSet::new(), buffers: vec![Buffer::default()] };
    match options.varyings() {
        Varyings::Interleaved(names) => {
            for name in names {
                builder.interleaved(name)?;
            }
        }
        Varyings::Separate(names) => {
            for (i, name) in names.iter().enumerate() {
                if i > 0 {
                    builder.next_buffer()?;
                }
                if name == "gl_NextBuffer" || skip(name).is_some() {
                    let message = format!("`{name}` is for interleaved varyings only");
                    return Err(Error::new(ErrorKind::Options, message));
                }
                builder.varying(name)?;
            }
        }
    }
    builder.finish()
}

#[derive(Default)]
struct Buffer {
    captured: Vec<Captured>,
    stored: Vec<Stored>,
    words: u32,
}

struct Builder<'b, 'w> {
    m: &'b Module<'w>,
    outputs: &'b Outputs,
    /// What is captured already, component by component.
    seen: HashSet<(Id, Vec<u32>)>,
    buffers: Vec<Buffer>,
}

impl Builder<'_, '_> {
    fn interleaved(&mut self, name: &str) -> Result<(), Error> {
        if name == "gl_NextBuffer" {
            return self.next_buffer();
        }
        if let Some(words) = skip(name) {
            self.current().words += words;
            return self.check_stride();
        }
        self.varying(name)
    }

    fn next_buffer(&mut self) -> Result<(), Error> {
        if self.buffers.len() == MAX_BUFFERS {
            let message = format!(
                "there would be a feedback buffer {MAX_BUFFERS}; the last one is {}",
                MAX_BUFFERS - 1
            );
            return Err(Error::new(ErrorKind::Options, message));
        }
        self.buffers.push(Buffer::default());
        Ok(())
    }

    fn varying(&mut self, name: &str) -> Result<(), Error> {
        let part = self.outputs.find(self.m, name)?;
        let vectors = vectors(self.m, &part, name)?;
        let offset = self.current().words;
        for (part, component, components) in vectors {
            if !self.seen.insert((part.variable, part.path.clone())) {
                let message = format!("`{name}` is captured twice");
                return Err(Error::new(ErrorKind::Options, message).about(part.variable));
            }
            let buffer = self.current();
            buffer.stored.push(Stored { part, word: buffer.words, component, components });
            buffer.words += components;
            self.check_stride()?;
        }
        let components = self.current().words - offset;
        self.current().captured.push(Captured {
            name: name.to_owned(),
            offset: offset * 4,
            components,
        });
        Ok(())
    }

    fn current(&mut self) -> &mut Buffer {
        self.buffers.last_mut().expect("there is always a buffer")
    }

    fn check_stride(&mut self) -> Result<(), Error> {
        let number = self.buffers.len() - 1;
        if self.current().words > MAX_STRIDE / 4 {
            let message =
                format!("a vertex takes more than {MAX_STRIDE} bytes of feedback buffer {number}");
            return Err(Error::new(ErrorKind::Options, message));
        }
        Ok(())
    }

    fn finish(self) -> Result<(Layout, Vec<Vec<Stored>>), Error> {
        if self.buffers.iter().all(|buffer| buffer.stored.is_empty()) {
            let names: Vec<String> =
                self.outputs.names().take(8).map(|name| format!("`{name}`")).collect();
            let error = Error::new(ErrorKind::Options, "there is no varying to capture");
            return Err(error.help(format!("outputs of the shader: {}", names.join(", "))));
        }
        let (layouts, stores) = self
            .buffers
            .into_iter()
            .map(|buffer| {
                (
                    BufferLayout { stride: buffer.words * 4, captured: buffer.captured },
                    buffer.stored,
                )
            })
            .unzip();
        Ok((Layout { buffers: layouts }, stores))
    }
}

/// The words that `gl_SkipComponentsN` leaves out.
fn skip(name: &str) -> Option<u32> {
    let words = name.strip_prefix("gl_SkipComponents")?.parse().ok()?;
    (1..=4).contains(&words).then_some(words)
}

/// The vectors and scalars that `part` consists of, in the order in which they are captured: elements one behind the
/// other, matrices column by column. With each, the type of its components and their number.
pub(super) fn vectors(
    m: &Module<'_>,
    part: &Part,
    name: &str,
) -> Result<Vec<(Part, Id, u32)>, Error> {
    match m.ty(part.ty) {
        Some(Type::Array { element, length }) => {
            if matches!(m.ty(element), Some(Type::Array { .. } | Type::Struct { .. })) {
                let message =
                    format!("`{name}` is an array of arrays or structures: name its elements");
                return Err(unsupported(message, part.variable));
            }
            let Some(length) = m.constant(length) else {
                let message = format!("the size of `{name}` depends on a specialization constant");
                return Err(unsupported(message, part.variable));
            };
            if length > MAX_STRIDE / 4 {
                let message = format!(
                    "`{name}` has {length} elements: a vertex takes {MAX_STRIDE} bytes at most"
                );
                return Err(Error::new(ErrorKind::Options, message).about(part.variable));
            }
            let mut all = Vec::new();
            for index in 0..length {
                all.extend(columns(m, &inside(part, index, element), name)?);
            }
            Ok(all)
        }
        Some(Type::Struct { .. }) => {
            Err(unsupported(format!("`{name}` is a structure: name its members"), part.variable))
        }
        _ => columns(m, part, name),
    }
}

/// The columns of a matrix; anything else as it is.
fn columns(m: &Module<'_>, part: &Part, name: &str) -> Result<Vec<(Part, Id, u32)>, Error> {
    match m.ty(part.ty) {
        Some(Type::Matrix { column, count }) => {
            check_count(count, part.variable, name)?;
            (0..count).map(|index| components(m, inside(part, index, column), name)).collect()
        }
        _ => Ok(vec![components(m, part.clone(), name)?]),
    }
}

fn components(m: &Module<'_>, part: Part, name: &str) -> Result<(Part, Id, u32), Error> {
    let (component, count) = match m.ty(part.ty) {
        Some(Type::Vector { component, count }) => (component, count),
        _ => (part.ty, 1),
    };
    check_count(count, part.variable, name)?;
    match m.ty(component) {
        Some(Type::Int { width: 32, .. } | Type::Float { width: 32 }) => {
            Ok((part, component, count))
        }
        Some(Type::Int { width, .. } | Type::Float { width }) => Err(unsupported(
            format!("`{name}` has components of {width} bits, not 32"),
            part.variable,
        )),
        _ => Err(unsupported(format!("`{name}` is not made of 32-bit numbers"), part.variable)),
    }
}

/// Vectors and matrices have up to four components and columns (SPIR-V specification, 2.16.1): a module that is not
/// valid may say any number.
fn check_count(count: u32, variable: Id, name: &str) -> Result<(), Error> {
    match count {
        1..=4 => Ok(()),
        _ => {
            Err(unsupported(format!("`{name}` has vectors or matrices of size {count}"), variable))
        }
    }
}

fn inside(part: &Part, index: u32, ty: Id) -> Part {
    let mut path = part.path.clone();
    path.push(index);
    Part { variable: part.variable, path, ty }
}
