//! Prints modules as assembly that SPIRV-Tools reads. Values without a known name are printed as `!NUMBER`, which
//! assemblers copy to the word unchanged.

mod kinds;
mod names;
mod numbers;

use crate::Error;
use kinds::LiteralKind;
use names::Names;
use polyshade_spv::{Id, Inst, Module, Op, decode_text};
use std::borrow::Cow;
use std::fmt::{Display, Write};

/// How ids are printed.
pub(super) enum Ids {
    /// As numbers, so that they are preserved.
    Numbers,
    /// As names, for people.
    Names,
}

/// Prints the instructions, one per line, without the header.
pub(super) fn print(words: &[u32], ids: &Ids) -> Result<String, Error> {
    let cannot =
        |why: &dyn Display| Error::Unsupported(format!("cannot disassemble the module: {why}"));
    let module = Module::parse(words).map_err(|error| cannot(&error))?;
    let names = match ids {
        Ids::Numbers => Names::default(),
        Ids::Names => Names::of(&module),
    };
    let mut lines = String::new();
    for inst in module.instructions() {
        let line = Line::of(&module, &names, inst).map_err(|why| {
            let at = inst.at();
            cannot(&format_args!("word {at:#x}: {why}"))
        })?;
        lines.push_str(&line);
        lines.push('\n');
    }
    Ok(lines)
}

/// The column of `=`, and of opcodes without a result.
const INDENT: usize = 15;

/// A partially printed instruction.
struct Line<'m> {
    module: &'m Module<'m>,
    names: &'m Names,
    inst: Inst<'m>,
    text: String,
    /// Whether a `!NUMBER` has been printed. After a `!NUMBER`, assemblers accept only ids, numbers and strings.
    is_raw: bool,
}

impl<'m> Line<'m> {
    fn of(module: &'m Module<'m>, names: &'m Names, inst: Inst<'m>) -> Result<String, String> {
        let Op(opcode) = inst.op();
        let op = kinds::name(spirv::Op::from_u32(u32::from(opcode)));
        let op = op.ok_or_else(|| format!("opcode {opcode} is not known"))?;
        let text = match inst.result() {
            Some(id) => {
                let name = names.of_id(id);
                format!("{name:>width$} = Op{op}", width = INDENT - 3)
            }
            None => format!("{:INDENT$}Op{op}", ""),
        };
        let mut line = Line { module, names, inst, text, is_raw: false };
        line.operands()?;
        Ok(line.text)
    }

    fn operands(&mut self) -> Result<(), String> {
        let words = self.inst.words();
        let mut is_id = vec![None; words.len()];
        let first = self.inst.at();
        self.module.for_each_operand(self.inst, |operand, id, is_certain| {
            is_id[(operand.at() - first) as usize] = Some((id, is_certain));
        });
        let result = self.inst.result().map(|_| 1 + usize::from(self.inst.result_type().is_some()));
        let mut kinds = kinds::of(self.inst).into_iter();
        let mut at = 1;
        while at < words.len() {
            if Some(at) == result {
                at += 1;
                continue;
            }
            match is_id[at] {
                Some((id, is_certain)) if is_certain || self.has_ids_only() => {
                    self.push(self.names.of_id(id));
                    at += 1;
                }
                Some(_) => at += self.literal(LiteralKind::Raw, at)?,
                None => at += self.literal(kinds.next().unwrap_or(LiteralKind::Number), at)?,
            }
        }
        Ok(())
    }

    /// Whether all words that may be ids are ids. This is true of all extended instruction sets except older debug
    /// information.
    fn has_ids_only(&self) -> bool {
        let set = self.extended_set();
        set.is_some_and(|set| !matches!(&*set, "DebugInfo" | "OpenCL.DebugInfo.100"))
    }

    /// The name of the set of an `OpExtInst`.
    fn extended_set(&self) -> Option<Cow<'m, str>> {
        let is_extended = self.inst.op() == Op::EXT_INST;
        let set = Id::new(*self.inst.words().get(3)?).filter(|_| is_extended)?;
        let import = self.module.definition(set)?;
        Some(decode_text(import.words().get(2..)?))
    }

    fn push(&mut self, operand: impl Display) {
        let _ = write!(self.text, " {operand}");
    }

    /// Prints the literal that begins at word `at`, and returns its number of words.
    fn literal(&mut self, kind: LiteralKind, at: usize) -> Result<usize, String> {
        let words = &self.inst.words()[at..];
        let word = words[0];
        let text = match kind {
            LiteralKind::Text => return self.string(words),
            LiteralKind::Value => return self.value(self.inst.result_type(), words),
            LiteralKind::Label => {
                let selector = Id::new(self.inst.words()[1]);
                return self.value(selector.and_then(|id| self.module.type_of(id)), words);
            }
            LiteralKind::Number => Some(word.to_string()),
            LiteralKind::Enumerant(name) => name(word),
            LiteralKind::Mask(bits) => kinds::mask(word, bits),
            LiteralKind::Extended => self.extended(word),
            LiteralKind::Raw => None,
        };
        match text.filter(|_| !self.is_raw) {
            Some(text) => self.push(text),
            None => self.raw(word),
        }
        Ok(1)
    }

    fn raw(&mut self, word: u32) {
        self.is_raw = true;
        self.push(format!("!{word}"));
    }

    fn extended(&self, number: u32) -> Option<String> {
        kinds::extended(&self.extended_set()?, number)
    }

    fn string(&mut self, words: &[u32]) -> Result<usize, String> {
        let octets: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let end = octets
            .iter()
            .position(|octet| *octet == 0)
            .ok_or("a string has no terminating zero")?;
        let text = std::str::from_utf8(&octets[..end]).map_err(|_| "a string is not UTF-8")?;
        let count = end / 4 + 1;
        if octets[end..4 * count].iter().any(|octet| *octet != 0) {
            return Err("the last word of a string has bytes after the zero".to_owned());
        }
        let text = text.replace('\\', "\\\\").replace('"', "\\\"");
        self.push(format!("\"{text}\""));
        Ok(count)
    }

    /// Prints a number of the type `of`.
    fn value(&mut self, of: Option<Id>, words: &[u32]) -> Result<usize, String> {
        let of = of.and_then(|id| self.module.definition(id)).ok_or("a number has no type")?;
        match numbers::print(of.words(), words) {
            Some((text, count)) => {
                self.push(text);
                Ok(count)
            }
            None => {
                self.raw(words[0]);
                Ok(1)
            }
        }
    }
}
