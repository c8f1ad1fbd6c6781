//! Lays out the outputs that the options select.

use super::layout::{Builder, LaidOut, Layout, Piece};
use super::leaves::{Leaf, leaves};
use super::options::{Options, Varyings};
use super::outputs::{Output, Outputs, Part, system_value};
use super::varying::{Components, Locations, StreamOutputEntry, Varying, split_semantic};
use super::{decorated, names};
use crate::code::{self, refuse};
use crate::rewrite::{self, Frame, Sizes};
use polyshade_spv::view::EntryPoint;
use polyshade_spv::{BuiltIn, Error, Id, Module, StorageClass, Type};
use std::borrow::Cow;
use std::cell::OnceCell;

/// Returns the layout for the options, and the captured pieces of each buffer. `outputs` are the outputs of `entry`
/// in the isolated version of the module.
pub(super) fn lay_out(
    frame: &Frame<'_>,
    entry: EntryPoint<'_>,
    options: &Options,
    outputs: &Outputs<'_>,
) -> Result<LaidOut, Error> {
    let (m, builder) = (frame.isolated(), Builder::new(options.allow_duplicates));
    let mut select = Select { frame, m, outputs, given: OnceCell::new(), builder };
    match &options.varyings {
        Varyings::Interleaved(varyings) => select.interleaved(varyings)?,
        Varyings::Separate(varyings) => select.separate(varyings)?,
        Varyings::StreamOutput(entries, strides) => select.stream_output(entries, strides)?,
        Varyings::Decorated => decorated::lay_out(m, entry, outputs, &mut select.builder)?,
    }
    let (layout, stores) = match select.builder.finish()? {
        Some(laid_out) => laid_out,
        // Only a later stage uses the outputs.
        None if options.draws.spill_outputs => (Layout::new(Vec::new()), Vec::new()),
        None => return Err(nothing(outputs)),
    };
    for Output { part, builtin, .. } in &outputs.all {
        // There may be thousands of outputs, but few are built-ins, so only built-ins are searched for.
        let Some(builtin) = *builtin else { continue };
        let mut captured = stores.iter().flatten().map(|stored| &stored.piece.leaf.part);
        if captured.any(|captured| captured == part) {
            rewrite::check_unchanged(m, entry, builtin)?;
        }
    }
    Ok((layout, stores))
}

fn nothing(outputs: &Outputs) -> Error {
    let names: Vec<String> = outputs.names().take(8).map(|name| format!("`{name}`")).collect();
    let error = Error::new(&code::CAPTURE_NO_VARYINGS, "the list of varyings is empty");
    error.help(format!("outputs of the shader: {}", names.join(", ")))
}

struct Select<'s, 'w> {
    frame: &'s Frame<'w>,
    m: &'s Module<'w>,
    outputs: &'s Outputs<'s>,
    /// The output variables in the caller's module, where some ids differ from those in the isolated version.
    given: OnceCell<Vec<Id>>,
    builder: Builder,
}

impl<'s> Select<'s, '_> {
    fn interleaved(&mut self, varyings: &[Varying]) -> Result<(), Error> {
        self.builder.need_buffer(0)?;
        for varying in varyings {
            let buffer = self.builder.buffers() - 1;
            match varying {
                Varying::Name(name) if name == NEXT_BUFFER => {
                    self.builder.need_buffer(buffer + 1)?;
                }
                _ => match varying.gap() {
                    Some(words) => self.builder.skip(buffer, words)?,
                    None => self.varying(buffer, varying)?,
                },
            }
        }
        Ok(())
    }

    fn separate(&mut self, varyings: &[Varying]) -> Result<(), Error> {
        for (buffer, varying) in varyings.iter().enumerate() {
            self.builder.need_buffer(buffer)?;
            if let Varying::Name(name) = varying
                && (name == NEXT_BUFFER || varying.gap().is_some())
            {
                let message = format!("`{name}` is for interleaved varyings only");
                return Err(Error::new(&code::CAPTURE_GAP_IN_SEPARATE, message));
            }
            self.varying(buffer, varying)?;
        }
        Ok(())
    }

    fn varying(&mut self, buffer: usize, varying: &Varying) -> Result<(), Error> {
        let (name, pieces) = match varying {
            Varying::Name(name) => (Cow::from(name), by_name(self.m, self.outputs, name)?),
            Varying::Locations(locations) => {
                (locations.to_string().into(), self.by_locations(*locations)?)
            }
            Varying::BuiltIn(builtin) => self.by_builtin(*builtin)?,
            Varying::Semantic { name, index, components } => {
                let shown = varying.shown();
                let register = self.by_semantic(name, *index, &shown)?;
                let pieces = cut(register, *components, &shown)?;
                (shown.into(), pieces)
            }
            Varying::Variable(id) => (varying.to_string().into(), self.by_id(*id)?),
        };
        self.builder.append(buffer, &name, pieces)
    }

    fn by_builtin(&self, builtin: BuiltIn) -> Result<(Cow<'s, str>, Vec<Piece>), Error> {
        let output = self.outputs.all.iter().find(|output| output.builtin == Some(builtin));
        let output = output.ok_or_else(|| {
            let message = format!("the shader has no output with built-in {}", builtin.0);
            Error::new(&code::CAPTURE_OUTPUT_NOT_FOUND, message)
        })?;
        let shown = output.shown();
        let pieces = whole(self.m, output, &shown)?;
        Ok((shown, pieces))
    }

    fn by_id(&self, id: Id) -> Result<Vec<Piece>, Error> {
        let given = self.given.get_or_init(|| {
            let (m, frame) = (self.frame.given(), self.frame);
            let entry = frame.entry(m).expect("a frame has found its entry point");
            rewrite::interface(m, entry, StorageClass::OUTPUT)
        });
        let place = given.iter().position(|other| *other == id);
        match place.and_then(|place| self.outputs.variables.get(place)) {
            Some(now) => variable(self.m, *now, id),
            None => Err(no_output(id)),
        }
    }

    fn by_locations(&self, wanted: Locations) -> Result<Vec<Piece>, Error> {
        let mut found: Vec<(u64, Leaf, u32)> = Vec::new();
        let mut sizes = Sizes::new(self.m);
        for output in self.outputs.all.iter().filter(|output| output.builtin.is_none()) {
            let Some(location) = output.location else { continue };
            let end = location.saturating_add(sizes.locations(output.part.ty));
            if location > wanted.last || end <= wanted.first {
                continue;
            }
            let register = Some((location, output.component));
            for leaf in leaves(self.m, &output.part, &output.shown(), register)? {
                for component in 0..leaf.count {
                    if let Some(place) = place_of(&leaf, component, wanted)? {
                        found.push((place, leaf.clone(), component));
                    }
                }
            }
        }
        found.sort_by_key(|(place, _, _)| *place);
        if let Some(pair) = found.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            let message = format!("two outputs are at location {}", pair[0].0 / 4);
            let error = Error::new(&code::CAPTURE_AMBIGUOUS_LOCATION, message)
                .about(pair[1].1.part.variable);
            return Err(error.help("name them, or give their ids as id=20"));
        }
        let pieces = join(found.into_iter().map(|(_, leaf, component)| (leaf, component)));
        if pieces.is_empty() { Err(self.no_location(wanted)) } else { Ok(pieces) }
    }

    fn no_location(&self, wanted: Locations) -> Error {
        let mut there: Vec<u32> =
            self.outputs.all.iter().filter_map(|output| output.location).collect();
        there.sort_unstable();
        there.dedup();
        let there: Vec<String> = there.iter().take(16).map(u32::to_string).collect();
        let error =
            Error::new(&code::CAPTURE_OUTPUT_NOT_FOUND, format!("there is no output at {wanted}"));
        error.help(format!("outputs begin at locations: {}", there.join(", ")))
    }

    fn stream_output(
        &mut self,
        entries: &[StreamOutputEntry],
        strides: &[u32],
    ) -> Result<(), Error> {
        for entry in entries {
            let slot = entry.slot as usize;
            self.builder.need_buffer(slot)?;
            match entry.varying.gap() {
                Some(words) => self.builder.skip(slot, words)?,
                None => self.varying(slot, &entry.varying)?,
            }
        }
        for (slot, stride) in strides.iter().enumerate().take(self.builder.buffers()) {
            self.builder.set_stride(slot, *stride)?;
        }
        Ok(())
    }

    /// Returns the components of the register with a semantic, each as a leaf and the index of a component in it.
    fn by_semantic(&self, name: &str, index: u32, shown: &str) -> Result<Vec<(Leaf, u32)>, Error> {
        let mut near = Vec::new();
        for output in &self.outputs.all {
            let Some((other, base)) = output.semantic.as_deref().and_then(split_semantic) else {
                continue;
            };
            near.push(format!("{other}{base}"));
            if output.builtin.is_some() || !other.eq_ignore_ascii_case(name) || base > index {
                continue;
            }
            // Each element of an array or row of a matrix has a separate register and semantic index.
            let leaves = leaves(self.m, &output.part, &output.shown(), None)?;
            if let Some(leaf) = leaves.into_iter().nth((index - base) as usize) {
                return Ok((0..leaf.count).map(|component| (leaf.clone(), component)).collect());
            }
        }
        if let Some(builtin) = system_value(name)
            && let Some(output) =
                self.outputs.all.iter().find(|output| output.builtin == Some(builtin))
        {
            // Clip and cull distances are arrays of scalars. A register contains four of them.
            let leaves = leaves(self.m, &output.part, &output.shown(), None)?;
            let scalars =
                leaves.into_iter().flat_map(|leaf| (0..leaf.count).map(move |i| (leaf.clone(), i)));
            let register: Vec<(Leaf, u32)> =
                scalars.skip(index.saturating_mul(4) as usize).take(4).collect();
            if !register.is_empty() {
                return Ok(register);
            }
        }
        let error =
            Error::new(&code::CAPTURE_OUTPUT_NOT_FOUND, format!("there is no output `{shown}`"));
        Err(match near.is_empty() {
            true => error.help("the module has no semantics: name outputs by location"),
            false => error.help(format!("its semantics: {}", near.join(", "))),
        })
    }
}

const NEXT_BUFFER: &str = "gl_NextBuffer";

/// Returns the pieces that `name` captures. As in OpenGL, `name` cannot be that of a whole structure or array of
/// arrays.
pub(super) fn by_name(m: &Module<'_>, outputs: &Outputs, name: &str) -> Result<Vec<Piece>, Error> {
    let part = names::find(m, outputs, name)?;
    check_whole(m, &part, name)?;
    Ok(leaves(m, &part, name, None)?.into_iter().map(Piece::whole).collect())
}

/// Returns the pieces of a whole output; `shown` is its name in messages.
pub(super) fn whole(m: &Module<'_>, output: &Output, shown: &str) -> Result<Vec<Piece>, Error> {
    let leaves = leaves(m, &output.part, shown, None)?;
    Ok(leaves.into_iter().map(Piece::whole).collect())
}

/// Returns the pieces of the whole variable `id`; `shown` is its id in the caller's module.
pub(super) fn variable(m: &Module<'_>, id: Id, shown: Id) -> Result<Vec<Piece>, Error> {
    let pointee = m.pointee(id);
    let ty = pointee.ok_or_else(|| no_output(shown))?;
    let part = Part { variable: id, path: Vec::new(), ty };
    let leaves = leaves(m, &part, &Varying::Variable(shown).to_string(), None)?;
    Ok(leaves.into_iter().map(Piece::whole).collect())
}

fn no_output(id: Id) -> Error {
    let message = format!("id {} is not an output of the entry point", id.word());
    Error::new(&code::CAPTURE_OUTPUT_NOT_FOUND, message)
}

fn check_whole(m: &Module<'_>, part: &Part, name: &str) -> Result<(), Error> {
    let is_aggregate = |ty| matches!(m.ty(ty), Some(Type::Array { .. } | Type::Struct { .. }));
    match m.ty(part.ty) {
        Some(Type::Array { element, .. }) if is_aggregate(element) => {
            let message =
                format!("`{name}` is an array of arrays or structures: name its elements");
            refuse(&code::CAPTURE_AGGREGATE, message, part.variable)
        }
        Some(Type::Struct { .. }) => refuse(
            &code::CAPTURE_AGGREGATE,
            format!("`{name}` is a structure: name its members"),
            part.variable,
        ),
        _ => Ok(()),
    }
}

/// Returns the position of a component of `leaf` among the components of all locations, or `None` if it is not in
/// `wanted`.
fn place_of(leaf: &Leaf, component: u32, wanted: Locations) -> Result<Option<u64>, Error> {
    let Some((location, first)) = leaf.register else { return Ok(None) };
    let start = u64::from(location) * 4 + u64::from(first) + u64::from(component * leaf.width);
    let is_wanted = |place: u64| {
        (u64::from(wanted.first)..=u64::from(wanted.last)).contains(&(place / 4))
            && (wanted.components.first()..wanted.components.end()).contains(&((place % 4) as u32))
    };
    let words = start..start + u64::from(leaf.width);
    match words.clone().filter(|place| is_wanted(*place)).count() as u32 {
        0 => Ok(None),
        all if all == leaf.width => Ok(Some(start)),
        _ => Err(split(&wanted, leaf)),
    }
}

fn split(what: &dyn std::fmt::Display, leaf: &Leaf) -> Error {
    let message = format!("`{what}` splits a 64-bit component");
    Error::new(&code::CAPTURE_SPLIT_COMPONENT, message).about(leaf.part.variable)
}

/// Returns the pieces for `components` of `register`; `shown` is the text that selects them.
fn cut(
    register: Vec<(Leaf, u32)>,
    components: Components,
    shown: &str,
) -> Result<Vec<Piece>, Error> {
    let words: u32 = register.iter().map(|(leaf, _)| leaf.width).sum();
    let wanted = match components {
        Components::ALL => 0..words,
        some => some.first()..some.end(),
    };
    if wanted.end > words {
        let message = format!("there is no output `{shown}`: the register has {words} components");
        let error = Error::new(&code::CAPTURE_OUTPUT_NOT_FOUND, message);
        return Err(error.about(register[0].0.part.variable));
    }
    let mut taken = Vec::new();
    let mut word = 0;
    for (leaf, component) in register {
        let here = word..word + leaf.width;
        word = here.end;
        match here.filter(|word| wanted.contains(word)).count() as u32 {
            0 => {}
            all if all == leaf.width => taken.push((leaf, component)),
            _ => return Err(split(&shown, &leaf)),
        }
    }
    Ok(join(taken))
}

/// Joins consecutive components of a leaf into pieces.
fn join(components: impl IntoIterator<Item = (Leaf, u32)>) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    for (leaf, component) in components {
        match pieces.last_mut() {
            Some(last) if last.leaf == leaf && last.first + last.count == component => {
                last.count += 1;
            }
            _ => pieces.push(Piece { leaf, first: component, count: 1 }),
        }
    }
    pieces
}
