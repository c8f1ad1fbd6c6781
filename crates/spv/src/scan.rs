//! The linear scan: checks that words are a well-formed module and finds what everything else is found from.

use crate::grammar::{Grammar, Op};
use crate::{Error, ErrorKind, Id, operands};
use std::collections::HashMap;

/// Words of the header.
pub(crate) const HEADER: usize = 5;
/// `MagicNumber`, in the byte order of the machine.
pub(crate) const MAGIC: u32 = 0x0723_0203;

/// The sections of a module's logical layout (SPIR-V specification, 2.4), but the last: the functions.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Section {
    /// `OpCapability`.
    Capabilities,
    /// `OpExtension`.
    Extensions,
    /// `OpExtInstImport`.
    Imports,
    /// `OpMemoryModel`.
    MemoryModel,
    /// `OpEntryPoint`.
    EntryPoints,
    /// `OpExecutionMode` and `OpExecutionModeId`.
    ExecutionModes,
    /// `OpString`, `OpSource` and its relatives.
    Sources,
    /// `OpName` and `OpMemberName`.
    Names,
    /// `OpModuleProcessed`.
    Processed,
    /// Decorations.
    Annotations,
    /// Types, constants, module-scope variables.
    Globals,
}

pub(crate) const SECTIONS: usize = Section::Globals as usize + 1;

/// Where a function stands, from `OpFunction` to behind `OpFunctionEnd`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extent {
    pub(crate) at: u32,
    pub(crate) end: u32,
}

/// What the scan finds.
#[derive(Debug)]
pub(crate) struct Scan {
    /// Where each section ends.
    pub(crate) sections: [u32; SECTIONS],
    /// Where each id is defined.
    pub(crate) definitions: Definitions,
    /// The functions, in their order.
    pub(crate) functions: Vec<Extent>,
    /// Where the entry points are.
    pub(crate) entry_points: Vec<u32>,
}

/// The word at which each id is defined. Its size follows the number of words, whatever the bound says.
#[derive(Debug)]
pub(crate) enum Definitions {
    /// By id; 0 is no definition.
    Dense(Vec<u32>),
    /// For bounds far above what the words can define.
    Sparse(HashMap<u32, u32>),
}

impl Definitions {
    fn new(bound: u32, words: usize) -> Self {
        if bound as usize <= words * 2 + 64 {
            Self::Dense(vec![0; bound as usize])
        } else {
            Self::Sparse(HashMap::new())
        }
    }

    /// Notes that `id`, below the bound, is defined at `at`. `false` if it already was.
    #[inline]
    fn define(&mut self, id: u32, at: u32) -> bool {
        match self {
            Self::Dense(table) => {
                let slot = &mut table[id as usize];
                let fresh = *slot == 0;
                *slot = at;
                fresh
            }
            Self::Sparse(table) => table.insert(id, at).is_none(),
        }
    }

    /// The word at which `id` is defined.
    #[inline]
    pub(crate) fn get(&self, id: u32) -> Option<u32> {
        match self {
            Self::Dense(table) => table.get(id as usize).copied().filter(|at| *at != 0),
            Self::Sparse(table) => table.get(&id).copied(),
        }
    }
}

impl Scan {
    /// Scans `words`, whose header is in the byte order of the machine.
    pub(crate) fn new(words: &[u32]) -> Result<Self, Error> {
        let bound = header(words)?;
        let mut scanner = Scanner {
            words,
            bound,
            scan: Self {
                sections: [0; SECTIONS],
                definitions: Definitions::new(bound, words.len()),
                functions: Vec::with_capacity(16),
                entry_points: Vec::new(),
            },
        };
        let functions = scanner.preamble()?;
        scanner.functions(functions)?;
        Ok(scanner.scan)
    }
}

/// Checks the header and returns the bound.
fn header(words: &[u32]) -> Result<u32, Error> {
    if words.len() < HEADER {
        return Err(Error::malformed("the header is truncated", words.len()));
    }
    if words[0] != MAGIC {
        return Err(Error::malformed("the magic number is not that of SPIR-V", 0));
    }
    if words.len() > (u32::MAX >> 1) as usize {
        return Err(Error::new(ErrorKind::Limit, "the module has more than 2^31 words"));
    }
    if words[3] == 0 {
        return Err(Error::malformed("the bound is 0", 3));
    }
    Ok(words[3])
}

struct Scanner<'w> {
    words: &'w [u32],
    bound: u32,
    scan: Scan,
}

impl<'w> Scanner<'w> {
    /// Everything before the first function. Sections that are out of order, as some producers leave them, are
    /// taken as they come: a section ends behind the last instruction that belongs to it or to an earlier one.
    fn preamble(&mut self) -> Result<usize, Error> {
        let mut at = HEADER;
        let mut current = Section::Capabilities;
        self.scan.sections = [HEADER as u32; SECTIONS];
        while at < self.words.len() {
            if Op(self.words[at] as u16) == Op::FUNCTION {
                break;
            }
            let inst = self.instruction(at)?;
            let op = Op(inst[0] as u16);
            if op == Op::ENTRY_POINT {
                self.scan.entry_points.push(at as u32);
            }
            current = section(op).unwrap_or(current);
            at += inst.len();
            self.scan.sections[current as usize] = at as u32;
        }
        for section in 1..SECTIONS {
            self.scan.sections[section] =
                self.scan.sections[section].max(self.scan.sections[section - 1]);
        }
        // Whatever belongs nowhere else belongs to the last section.
        self.scan.sections[SECTIONS - 1] = at as u32;
        Ok(at)
    }

    fn functions(&mut self, mut at: usize) -> Result<(), Error> {
        let entry_points = self.entry_point_functions();
        let mut open: Option<usize> = None;
        while at < self.words.len() {
            let inst = self.instruction(at)?;
            if Grammar::of(Op(inst[0] as u16)).is_structural() {
                self.function_boundary(inst, at, &mut open, &entry_points)?;
            }
            at += inst.len();
        }
        open.map_or(Ok(()), |start| Err(Error::malformed("a function does not end", start)))
    }

    /// Looks at an instruction that begins, ends or calls a function.
    fn function_boundary(
        &mut self,
        inst: &[u32],
        at: usize,
        open: &mut Option<usize>,
        entry_points: &[u32],
    ) -> Result<(), Error> {
        match Op(inst[0] as u16) {
            Op::FUNCTION if open.is_some() => {
                return Err(Error::malformed("a function begins inside another", at));
            }
            Op::FUNCTION => *open = Some(at),
            Op::FUNCTION_END => {
                let Some(start) = open.take() else {
                    return Err(Error::malformed("a function ends that did not begin", at));
                };
                let end = (at + inst.len()) as u32;
                self.scan.functions.push(Extent { at: start as u32, end });
            }
            Op::FUNCTION_CALL if entry_points.binary_search(&inst[3]).is_ok() => {
                return Err(Error::malformed("an entry point is called", at).about_word(inst[3]));
            }
            Op::ENTRY_POINT => {
                return Err(Error::malformed("an entry point follows a function", at));
            }
            _ => {}
        }
        Ok(())
    }

    fn entry_point_functions(&self) -> Vec<u32> {
        let mut ids: Vec<u32> =
            self.scan.entry_points.iter().map(|at| self.words[*at as usize + 2]).collect();
        ids.sort_unstable();
        ids
    }

    /// The instruction at `at`, checked: its length, its ids, and that its result is new.
    #[inline(always)]
    fn instruction(&mut self, at: usize) -> Result<&'w [u32], Error> {
        let first = self.words[at];
        let count = (first >> 16) as usize;
        let grammar = Grammar::of(Op(first as u16));
        let Some(inst) = self.words.get(at..at + count).filter(|_| count >= grammar.least()) else {
            return Err(length_error(count, self.words.len() - at, at));
        };

        // Ids are told from literals only where some word could not be one: instructions in functions mostly hold
        // nothing else (benchmark `parse`).
        let last = self.bound - 1;
        if inst[1..].iter().any(|word| word.wrapping_sub(1) >= last) {
            self.check_ids(inst, at)?;
        }
        if let Some(word) = grammar.result_word()
            && !self.scan.definitions.define(inst[word], at as u32)
        {
            return Err(Error::malformed("an id is defined twice", at).about_word(inst[word]));
        }
        Ok(inst)
    }

    /// Checks every id of `inst`. The selector of a switch that is not defined yet counts as 32 bits wide.
    #[inline(never)]
    fn check_ids(&self, inst: &[u32], at: usize) -> Result<(), Error> {
        let switch_literal = match Op(inst[0] as u16) {
            Op::SWITCH => switch_literal_words(self.words, &self.scan.definitions, inst),
            _ => 1,
        };
        let last = self.bound - 1;
        let mut wrong = None;
        operands::for_each_id(inst, switch_literal, |word, certain| {
            if certain && inst[word].wrapping_sub(1) >= last {
                wrong.get_or_insert(word);
            }
        });
        match wrong.map(|word| (word, inst[word])) {
            None => Ok(()),
            Some((word, 0)) => Err(Error::malformed("an id is 0", at + word)),
            Some((word, id)) => Err(Error::malformed(
                format!("id {id} is not below the bound, {}", self.bound),
                at + word,
            )),
        }
    }
}

/// The words that a literal of the `OpSwitch` `inst` takes: 2 for a 64-bit selector, else 1.
pub(crate) fn switch_literal_words(
    words: &[u32],
    definitions: &Definitions,
    inst: &[u32],
) -> usize {
    let definition = |id: u32| definitions.get(id).map(|at| &words[at as usize..]);
    let width = definition(inst[1])
        .filter(|selector| Grammar::of(Op(selector[0] as u16)).has_type())
        .and_then(|selector| definition(selector[1]))
        .filter(|ty| Op(ty[0] as u16) == Op::TYPE_INT)
        .map_or(32, |ty| ty[2]);
    if width > 32 { 2 } else { 1 }
}

#[cold]
fn length_error(count: usize, left: usize, at: usize) -> Error {
    match count {
        0 => Error::malformed("an instruction has a word count of 0", at),
        _ if count > left => {
            Error::malformed(format!("an instruction of {count} words is cut off after {left}"), at)
        }
        _ => Error::malformed(format!("an instruction lacks operands: it has {count} words"), at),
    }
}

/// The section that instructions with this opcode open; `None` for those that may stand in several.
fn section(op: Op) -> Option<Section> {
    Some(match op {
        Op::CAPABILITY => Section::Capabilities,
        Op::EXTENSION => Section::Extensions,
        Op::EXT_INST_IMPORT => Section::Imports,
        Op::MEMORY_MODEL => Section::MemoryModel,
        Op::ENTRY_POINT => Section::EntryPoints,
        Op::EXECUTION_MODE | Op::EXECUTION_MODE_ID => Section::ExecutionModes,
        Op::STRING | Op::SOURCE | Op::SOURCE_CONTINUED | Op::SOURCE_EXTENSION => Section::Sources,
        Op::NAME | Op::MEMBER_NAME => Section::Names,
        Op::MODULE_PROCESSED => Section::Processed,
        Op::DECORATE
        | Op::DECORATE_ID
        | Op::DECORATE_STRING
        | Op::MEMBER_DECORATE
        | Op::MEMBER_DECORATE_STRING
        | Op::DECORATION_GROUP
        | Op::GROUP_DECORATE
        | Op::GROUP_MEMBER_DECORATE => Section::Annotations,
        op if Grammar::of(op).has_result() => Section::Globals,
        Op::TYPE_FORWARD_POINTER => Section::Globals,
        _ => return None,
    })
}

trait AboutWord {
    fn about_word(self, word: u32) -> Self;
}

impl AboutWord for Error {
    fn about_word(self, word: u32) -> Self {
        match Id::new(word) {
            Some(id) => self.about(id),
            None => self,
        }
    }
}
