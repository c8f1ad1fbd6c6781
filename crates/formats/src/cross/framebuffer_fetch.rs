//! Input attachments in GLSL with `GL_EXT_shader_framebuffer_fetch`. An output that is declared `inout` initially has
//! the contents of the framebuffer.
//!
//! SPIRV-Cross supports the extension, but its C API has no option for it. Therefore the module is changed to read
//! the output once at the start instead of the input attachment, and the declaration in the text becomes `inout`.

use super::EntryPoint;
use crate::Error;
use polyshade_spv::{
    Decoration, ExecutionModel, Id, Inst, Module, Op, Patch, Position, Section, StorageClass, Type,
    view,
};

/// A module that reads outputs, and the locations of these outputs.
pub(super) struct Fetched {
    pub(super) words: Vec<u32>,
    pub(super) locations: Vec<u32>,
}

/// How input attachments without an output at their location are handled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Others {
    /// Input attachments stay, as textures.
    Stay,
    /// Input attachments are an error.
    Refuse,
}

/// The value of `SubpassData` in the `Dim` operand of `OpTypeImage`.
const DIM_SUBPASS_DATA: u32 = 6;

/// Whether the module declares an input attachment.
pub(super) fn has_input_attachments(words: &[u32]) -> bool {
    Module::parse(words).is_ok_and(|m| {
        m.variables().any(|variable| {
            let pointee = m.pointer(variable.pointer_type()).map(|(_, ty)| ty);
            pointee.is_some_and(|ty| is_attachment(&m, m.innermost_element(ty)))
        })
    })
}

fn is_attachment(m: &Module<'_>, ty: Id) -> bool {
    m.definition(ty).is_some_and(|inst| {
        inst.op() == Op::TYPE_IMAGE && inst.words().get(3) == Some(&DIM_SUBPASS_DATA)
    })
}

/// Returns the module with the input attachment indices in `colors`; `None` if no index changes.
pub(super) fn numbered(words: &[u32], colors: &[(u32, u32)]) -> Result<Option<Vec<u32>>, Error> {
    if colors.is_empty() {
        return Ok(None);
    }
    let m = Module::parse(words).map_err(|error| Error::Faulty(error.to_string()))?;
    if !m.entry_points().any(|entry| entry.model() == ExecutionModel::FRAGMENT) {
        return Ok(None);
    }
    let is_again = |at: usize| colors[..at].iter().any(|(index, _)| *index == colors[at].0);
    if let Some(at) = (0..colors.len()).find(|at| is_again(*at)) {
        let message = format!("input attachment {} is given two colors", colors[at].0);
        return Err(Error::Options(message));
    }
    // First find the new numbers, then check that all of `colors` were used and that no two attachments share a
    // number.
    let mut attachments = Vec::new();
    let mut numbered = words.to_vec();
    for inst in m.section(Section::Annotations).filter(|inst| inst.op() == Op::DECORATE) {
        let [_, _, decoration, index] = *inst.words() else { continue };
        if decoration == Decoration::INPUT_ATTACHMENT_INDEX.0 {
            let given = colors.iter().find(|(other, _)| *other == index);
            let color = given.map_or(index, |(_, color)| *color);
            numbered[inst.at() as usize + 3] = color;
            attachments.push((index, color));
        }
    }
    let has = |wanted: &u32| attachments.iter().any(|(index, _)| index == wanted);
    if let Some((index, _)) = colors.iter().find(|(index, _)| !has(index)) {
        return Err(Error::Options(format!("the shader has no input attachment {index}")));
    }
    attachments.sort_unstable_by_key(|(index, color)| (*color, *index));
    match attachments.windows(2).find(|pair| pair[0].1 == pair[1].1 && pair[0].0 != pair[1].0) {
        Some(pair) => {
            let ((one, color), (other, _)) = (pair[0], pair[1]);
            let message =
                format!("input attachments {one} and {other} would both be color {color}");
            Err(Error::Options(message))
        }
        None => Ok(Some(numbered)),
    }
}

/// An input attachment with the same contents as an output.
struct Attachment<'m> {
    variable: Id,
    output: Id,
    /// The type of the output.
    ty: Id,
    location: u32,
    /// The loads of the image, and the reads of the loaded images.
    loads: Vec<Inst<'m>>,
    reads: Vec<Inst<'m>>,
}

/// Reads each output instead of the input attachment with the output's location as its index; `None` if there are no
/// such attachments.
pub(super) fn read_outputs(
    words: &[u32],
    entry: EntryPoint<'_>,
    others: Others,
) -> Result<Option<Fetched>, Error> {
    let m = Module::parse(words).map_err(|error| Error::Faulty(error.to_string()))?;
    let fetched = m.rewrite(|m, p| {
        let entry = m.entry_point(entry.name, ExecutionModel(entry.model))?;
        let attachments = match attachments(m, others) {
            Ok(attachments) => attachments,
            Err(why) => return Ok(Err(why)),
        };
        let Some(start) = start(m, entry.function()) else { return Ok(Ok(Vec::new())) };
        for one in &attachments {
            fetch(m, p, entry, start, one);
        }
        Ok(Ok(attachments.iter().map(|one| one.location).collect()))
    });
    let fetched = fetched.map_err(|error| Error::Faulty(error.to_string()))?;
    let locations: Vec<u32> = fetched.value.map_err(Error::Unsupported)?;
    let words = fetched.module.into_words();
    Ok((!locations.is_empty()).then_some(Fetched { words, locations }))
}

/// Returns the input attachments that can be fetched. If `others` are errors, returns why an attachment cannot be
/// fetched.
fn attachments<'m>(m: &'m Module<'_>, others: Others) -> Result<Vec<Attachment<'m>>, String> {
    let mut found = Vec::new();
    for variable in m.variables() {
        let Some((_, ty)) = m.pointer(variable.pointer_type()) else { continue };
        if !is_attachment(m, m.innermost_element(ty)) {
            continue;
        }
        match attachment(m, variable.result(), ty) {
            Ok(attachment) => found.push(attachment),
            Err(_) if others == Others::Stay => {}
            Err(why) => return Err(why),
        }
    }
    Ok(found)
}

/// Copies the output to a variable at the start, and replaces reads of the attachment by loads of that variable.
fn fetch<'m>(
    m: &'m Module<'_>,
    p: &mut Patch<'m, '_>,
    entry: view::EntryPoint<'m>,
    start: Position<'m>,
    one: &Attachment<'m>,
) {
    let held = p.variable(StorageClass::PRIVATE, one.ty, None);
    if let Some(name) = m.name(one.variable) {
        p.name(held, &name);
    }
    if m.version() >= (1, 4) {
        p.join_interface(entry, held);
    }
    let mut code = p.at(start);
    let value = code.load(one.ty, one.output);
    code.store(held, value);
    for load in &one.loads {
        p.remove(*load);
    }
    for read in &one.reads {
        let result = read.result().expect("a read has a result");
        p.remove(*read);
        p.insert(read.after(), Op::LOAD, &[one.ty.word(), result.word(), held.word()]);
    }
    p.remove_definition(one.variable);
}

/// Returns the loads and reads of an input attachment, and the output with the same contents, or why there is no such
/// output.
fn attachment<'m>(m: &'m Module<'_>, variable: Id, ty: Id) -> Result<Attachment<'m>, String> {
    let number = |id, decoration| m.decoration(id, decoration)?.first().copied();
    let index = number(variable, Decoration::INPUT_ATTACHMENT_INDEX).unwrap_or(0);
    let name = m.name(variable).unwrap_or_default();
    let why = |why: &str| format!("input attachment {index} ({name}) cannot be fetched: {why}");
    if !is_attachment(m, ty) {
        return Err(why("it is an element of an array"));
    }
    let is_held = |id: Id| {
        m.storage_class(id) == Some(StorageClass::OUTPUT)
            && number(id, Decoration::LOCATION) == Some(index)
            && number(id, Decoration::INDEX).unwrap_or(0) == 0
    };
    let mut outputs = m.variables().filter(|one| is_held(one.result()));
    let (Some(output), None) = (outputs.next(), outputs.next()) else {
        return Err(why("the location with its index does not have exactly one output"));
    };
    let (_, ty) = m.pointer(output.pointer_type()).ok_or_else(|| why("its output has no type"))?;
    let (mut loads, mut reads) = (Vec::new(), Vec::new());
    for inst in m.code_uses_of(variable) {
        let Some(image) = inst.result().filter(|_| inst.op() == Op::LOAD) else {
            return Err(why("it is passed to a function"));
        };
        loads.push(inst);
        for read in m.code_uses_of(image) {
            if read.op() != Op::IMAGE_READ || read.result_type() != Some(ty) {
                return Err(why(
                    "it must be read as a four-component vector, the type of the matching output",
                ));
            }
            reads.push(read);
        }
    }
    match m.ty(ty) {
        Some(Type::Vector { count: 4, .. }) => {}
        _ => return Err(why("its output has fewer than four components")),
    }
    Ok(Attachment { variable, output: output.result(), ty, location: index, loads, reads })
}

/// Returns the position after the variables of a function.
fn start<'m>(m: &'m Module<'_>, function: Id) -> Option<Position<'m>> {
    let is_ahead = |inst: &Inst<'_>| {
        matches!(
            inst.op(),
            Op::FUNCTION
                | Op::FUNCTION_PARAMETER
                | Op::LABEL
                | Op::VARIABLE
                | Op::LINE
                | Op::NO_LINE
        )
    };
    m.function(function)?.instructions().find(|inst| !is_ahead(inst)).map(Inst::before)
}

/// Whether reads are in primitive order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Coherence {
    Coherent,
    NonCoherent,
}

impl Coherence {
    pub(super) fn extension(self) -> &'static str {
        match self {
            Self::Coherent => "GL_EXT_shader_framebuffer_fetch",
            Self::NonCoherent => "GL_EXT_shader_framebuffer_fetch_non_coherent",
        }
    }
}

/// Declares the outputs at `locations` as `inout`.
pub(super) fn declare_inout(
    source: &str,
    locations: &[u32],
    coherence: Coherence,
) -> Result<String, Error> {
    let mut text = source.to_owned();
    for location in locations {
        let declared = format!("layout(location = {location}) out ");
        if text.matches(&declared).count() != 1 {
            let message = format!(
                "cannot fetch the output at location {location}: it is not declared exactly once"
            );
            return Err(Error::Unsupported(message));
        }
        let inout = match coherence {
            Coherence::Coherent => format!("layout(location = {location}) inout "),
            Coherence::NonCoherent => format!("layout(location = {location}, noncoherent) inout "),
        };
        text = text.replacen(&declared, &inout, 1);
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declarations_become_inout_once() {
        let source = "layout(location = 0) out highp vec4 a;\nlayout(location = 1) out vec4 b;\n";
        let both = declare_inout(source, &[0, 1], Coherence::Coherent).expect("both are there");
        assert_eq!(both, source.replace(" out ", " inout "));
        let second = declare_inout(source, &[1], Coherence::NonCoherent).expect("it is there");
        assert!(second.contains("layout(location = 1, noncoherent) inout vec4 b;"), "{second}");
        assert!(declare_inout(source, &[2], Coherence::Coherent).is_err());
        assert!(declare_inout(&source.repeat(2), &[0], Coherence::Coherent).is_err());
    }
}
