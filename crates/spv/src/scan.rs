//! The linear scan. It checks that words are a well-formed module, and finds the module's sections, ids and
//! functions.

mod faults;
mod shape;
#[cfg(test)]
mod tests;

use self::faults::AboutWord;
use crate::grammar::{Grammar, Op};
use crate::{Error, code, operands};
use foldhash::{HashMap, HashMapExt};

/// The number of words of the header.
pub(crate) const HEADER: usize = 5;
/// `MagicNumber`, in the byte order of the machine.
pub(crate) const MAGIC: u32 = 0x0723_0203;

/// The sections of a module's logical layout (SPIR-V specification, 2.4), except for the functions, which come last.
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
    /// `OpString`, `OpSource` and related instructions.
    Sources,
    /// `OpName` and `OpMemberName`.
    Names,
    /// `OpModuleProcessed`.
    Processed,
    /// Decorations.
    Annotations,
    /// Types, constants and module-scope variables.
    Globals,
}

pub(crate) const SECTIONS: usize = Section::Globals as usize + 1;

/// The range of words of a function, from `OpFunction` to the end of `OpFunctionEnd`.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(test, derive(PartialEq))]
pub(crate) struct Extent {
    pub(crate) at: u32,
    pub(crate) end: u32,
}

/// The results of the scan.
#[derive(Clone, Debug)]
#[cfg_attr(test, derive(PartialEq))]
pub(crate) struct Scan {
    /// The end of each section.
    pub(crate) sections: [u32; SECTIONS],
    /// Whether the sections are in the specified order.
    pub(crate) ordered: bool,
    /// The offset of each id's definition.
    pub(crate) definitions: Definitions,
    /// The functions, in the order of the module.
    pub(crate) functions: Vec<Extent>,
    /// The offsets of the entry points.
    pub(crate) entry_points: Vec<u32>,
}

/// The offset of each id's definition. The memory is proportional to the number of words, not to the bound.
#[derive(Clone, Debug)]
#[cfg_attr(test, derive(PartialEq))]
pub(crate) enum Definitions {
    /// Indexed by id; 0 means that the id is not defined.
    Dense(Vec<u32>),
    /// A map, for a bound far above the number of ids that the words can define.
    Sparse(HashMap<u32, u32>),
}

impl Definitions {
    /// The word at which `id` is defined.
    #[inline]
    pub(crate) fn get(&self, id: u32) -> Option<u32> {
        match self {
            Self::Dense(table) => table.defined_at(id),
            Self::Sparse(table) => table.defined_at(id),
        }
    }
}

/// A table of definitions that the scan fills. The scan is monomorphized for each kind of table, so the common kind
/// needs no dispatch per instruction.
trait Table {
    /// Records that `id`, which is below the bound, is defined at `at`. Returns `false` if `id` was already defined.
    fn define(&mut self, id: u32, at: u32) -> bool;
    /// The offset of the definition of `id`.
    fn defined_at(&self, id: u32) -> Option<u32>;
}

impl Table for Vec<u32> {
    #[inline(always)]
    fn define(&mut self, id: u32, at: u32) -> bool {
        let slot = &mut self[id as usize];
        let fresh = *slot == 0;
        *slot = at;
        fresh
    }

    #[inline]
    fn defined_at(&self, id: u32) -> Option<u32> {
        self.get(id as usize).copied().filter(|at| *at != 0)
    }
}

impl Table for HashMap<u32, u32> {
    fn define(&mut self, id: u32, at: u32) -> bool {
        self.insert(id, at).is_none()
    }

    fn defined_at(&self, id: u32) -> Option<u32> {
        self.get(&id).copied()
    }
}

/// Memory for parsing that successive modules can reuse.
#[derive(Default, Debug)]
pub struct Workspace {
    definitions: Vec<u32>,
    functions: Vec<Extent>,
    entry_points: Vec<u32>,
    uncallable: Vec<u32>,
}

impl Scan {
    /// Scans `words`. Their header must be in the byte order of the machine.
    pub(crate) fn new(words: &[u32]) -> Result<Self, Error> {
        Self::in_workspace(words, &mut Workspace::default())
    }

    /// Scans `words` with memory from `workspace`.
    pub(crate) fn in_workspace(words: &[u32], workspace: &mut Workspace) -> Result<Self, Error> {
        Self::run::<CHECKED>(words, workspace)
    }

    /// Scans words that a patch made from a module. They are well-formed, so they are not checked again.
    pub(crate) fn of_patched(words: &[u32]) -> Self {
        debug_assert!(Self::new(words).is_ok(), "{:?}", Self::new(words).err());
        let scan = Self::run::<TRUSTED>(words, &mut Workspace::default());
        scan.expect("a patch keeps a well-formed module well-formed")
    }

    fn run<const HOW: u8>(words: &[u32], workspace: &mut Workspace) -> Result<Self, Error> {
        let bound = header(words)?;
        if is_dense(bound, words.len()) {
            let table = zeros(std::mem::take(&mut workspace.definitions), bound as usize);
            let mut scanner = Scanner::<_, HOW>::new(words, bound, table, workspace);
            scanner.run()?;
            Ok(scanner.finish(Definitions::Dense))
        } else {
            let mut scanner = Scanner::<_, HOW>::new(words, bound, HashMap::new(), workspace);
            scanner.run()?;
            Ok(scanner.finish(Definitions::Sparse))
        }
    }

    /// Leaves the memory to `workspace`.
    pub(crate) fn recycle(self, workspace: &mut Workspace) {
        if let Definitions::Dense(table) = self.definitions {
            workspace.definitions = table;
        }
        workspace.functions = self.functions;
        workspace.entry_points = self.entry_points;
    }
}

/// Returns `count` zeros. Uses the memory of `table` if it is large enough. New memory is already zero.
fn zeros(mut table: Vec<u32>, count: usize) -> Vec<u32> {
    if table.capacity() < count {
        return vec![0; count];
    }
    table.clear();
    table.resize(count, 0);
    table
}

/// Whether tables are indexed by id. As every definition has at least two words, tables for a larger bound would
/// waste memory.
pub(crate) fn is_dense(bound: u32, words: usize) -> bool {
    bound as usize <= words * 2 + 64
}

/// Checks the header and returns the bound.
fn header(words: &[u32]) -> Result<u32, Error> {
    if words.len() < HEADER {
        return Err(faults::not_a_module("the header is truncated", words.len()));
    }
    if words[0] != MAGIC {
        return Err(faults::not_a_module("the magic number is not that of SPIR-V", 0));
    }
    if words.len() > (u32::MAX >> 1) as usize {
        return Err(Error::new(
            &code::SPIRV_MODULE_TOO_LARGE,
            "the module has more than 2^31 words",
        ));
    }
    if words[3] == 0 {
        return Err(faults::invalid_id("the bound is 0", 3));
    }
    Ok(words[3])
}

/// The modes of a scan: without checks, with checks, or, for tests, with checks but without the fast path.
const TRUSTED: u8 = 0;
const CHECKED: u8 = 1;
#[cfg(test)]
const ONE_BY_ONE: u8 = 2;

/// A scan, monomorphized for each mode.
struct Scanner<'w, 's, T, const HOW: u8> {
    words: &'w [u32],
    /// The highest valid id.
    last: u32,
    definitions: T,
    sections: [u32; SECTIONS],
    ordered: bool,
    functions: Vec<Extent>,
    entry_points: Vec<u32>,
    /// The functions of the entry points, sorted. They must not be called.
    uncallable: &'s mut Vec<u32>,
}

impl<'w, 's, T: Table, const HOW: u8> Scanner<'w, 's, T, HOW> {
    fn new(words: &'w [u32], bound: u32, definitions: T, workspace: &'s mut Workspace) -> Self {
        let sections = [HEADER as u32; SECTIONS];
        let mut functions = std::mem::take(&mut workspace.functions);
        let mut entry_points = std::mem::take(&mut workspace.entry_points);
        functions.clear();
        functions.reserve(16);
        entry_points.clear();
        Self {
            words,
            last: bound - 1,
            definitions,
            sections,
            ordered: true,
            functions,
            entry_points,
            uncallable: &mut workspace.uncallable,
        }
    }

    fn finish(self, wrap: impl FnOnce(T) -> Definitions) -> Scan {
        let Self { definitions, sections, ordered, functions, entry_points, .. } = self;
        Scan { sections, ordered, definitions: wrap(definitions), functions, entry_points }
    }

    fn run(&mut self) -> Result<(), Error> {
        let functions = self.preamble()?;
        self.bodies(functions)?;
        for at in &self.entry_points {
            let function = self.words[*at as usize + 2];
            let defined =
                self.definitions.defined_at(function).map(|at| Op(self.words[at as usize] as u16));
            if defined != Some(Op::FUNCTION) {
                let message = "an entry point has no function";
                return Err(faults::invalid_entry_point(message, *at as usize).about_word(function));
            }
        }
        Ok(())
    }

    /// Scans all instructions before the first function. Some producers emit sections out of order, so a section ends
    /// after the last instruction that belongs to it or to an earlier section.
    fn preamble(&mut self) -> Result<usize, Error> {
        let (words, last) = (self.words, self.last);
        let mut at = HEADER;
        let mut current = Section::Capabilities as usize;
        loop {
            let section = Some(current + 1);
            let end = shape::skip::<HOW>(words, last, at, &mut self.definitions, section);
            if end != at {
                at = end;
                self.sections[current] = at as u32;
            }
            if at == words.len() {
                break;
            }
            let op = Op(words[at] as u16);
            if op == Op::FUNCTION {
                break;
            }
            let inst = instruction::<HOW>(words, last, at, &mut self.definitions)?;
            if op == Op::ENTRY_POINT {
                self.entry_points.push(at as u32);
            }
            if op.0 > Op::FUNCTION.0 && is_of_functions(op) {
                return Err(outside_of_functions(at));
            }
            let section = Grammar::of(op).section().checked_sub(1).unwrap_or(current);
            self.ordered &= section >= current;
            current = section;
            at += inst.len();
            self.sections[current] = at as u32;
        }
        for section in 1..SECTIONS {
            self.sections[section] = self.sections[section].max(self.sections[section - 1]);
        }
        // Instructions that belong to no section count as part of the last section.
        self.sections[SECTIONS - 1] = at as u32;
        Ok(at)
    }

    /// Scans the functions from word `at` on.
    fn bodies(&mut self, mut at: usize) -> Result<(), Error> {
        self.note_functions_of_entry_points();
        let mut open: Option<usize> = None;
        let (words, last) = (self.words, self.last);
        loop {
            at = shape::skip::<HOW>(words, last, at, &mut self.definitions, None);
            if at == words.len() {
                break;
            }
            let inst = instruction::<HOW>(words, last, at, &mut self.definitions)?;
            if Grammar::of(Op(inst[0] as u16)).is_structural() {
                self.function_boundary(inst, at, &mut open)?;
            }
            at += inst.len();
        }
        match open {
            Some(start) => Err(faults::function_layout("a function has no OpFunctionEnd", start)),
            None => self.check_gap(words.len()),
        }
    }

    /// Checks that the instructions between the last function and `end` may appear outside of functions.
    fn check_gap(&self, end: usize) -> Result<(), Error> {
        let Some(last) = self.functions.last() else { return Ok(()) };
        let mut at = last.end as usize;
        while at < end {
            if is_of_functions(Op(self.words[at] as u16)) {
                return Err(outside_of_functions(at));
            }
            at += (self.words[at] >> 16) as usize;
        }
        Ok(())
    }

    /// Handles an instruction that begins, ends or calls a function.
    fn function_boundary(
        &mut self,
        inst: &[u32],
        at: usize,
        open: &mut Option<usize>,
    ) -> Result<(), Error> {
        match Op(inst[0] as u16) {
            Op::FUNCTION if open.is_some() => {
                return Err(faults::function_layout("a function begins inside another", at));
            }
            Op::FUNCTION => {
                self.check_gap(at)?;
                *open = Some(at);
            }
            Op::FUNCTION_END => {
                let Some(start) = open.take() else {
                    return Err(faults::function_layout("an OpFunctionEnd has no OpFunction", at));
                };
                if inst.len() != 1 {
                    return Err(faults::instruction_length("OpFunctionEnd has operands", at));
                }
                let end = (at + inst.len()) as u32;
                self.functions.push(Extent { at: start as u32, end });
            }
            Op::FUNCTION_CALL if self.uncallable.binary_search(&inst[3]).is_ok() => {
                return Err(faults::invalid_entry_point("a function calls an entry point", at)
                    .about_word(inst[3]));
            }
            Op::ENTRY_POINT => {
                return Err(faults::function_layout("an entry point follows a function", at));
            }
            _ => {}
        }
        Ok(())
    }

    fn note_functions_of_entry_points(&mut self) {
        let ids = self.entry_points.iter().map(|at| self.words[*at as usize + 2]);
        self.uncallable.clear();
        self.uncallable.extend(ids);
        self.uncallable.sort_unstable();
    }
}

/// Whether the instruction is part of a function. Outside of functions, the operands of such an instruction have no
/// meaning, and the literals of an `OpSwitch` would depend on the type of a selector that may be undefined.
const fn is_of_functions(op: Op) -> bool {
    matches!(op, Op::FUNCTION_PARAMETER | Op::FUNCTION_END)
        || Op::PHI.0 <= op.0 && op.0 <= Op::UNREACHABLE.0
}

#[cold]
fn outside_of_functions(at: usize) -> Error {
    faults::function_layout(
        "an instruction that belongs in a function is outside of all functions",
        at,
    )
}

/// Returns the instruction at `at`. Checks its length, that its ids are at most `last`, and that its result id was
/// not defined before.
#[inline(never)]
fn instruction<'w, const HOW: u8>(
    words: &'w [u32],
    last: u32,
    at: usize,
    definitions: &mut impl Table,
) -> Result<&'w [u32], Error> {
    let rest = &words[at..];
    let count = (rest[0] >> 16) as usize;
    let grammar = Grammar::of(Op(rest[0] as u16));
    if count > rest.len() || count < if HOW == TRUSTED { 1 } else { grammar.least() } {
        return Err(faults::length(count, rest.len(), at));
    }
    let inst = &rest[..count];
    // Check which words are ids only if some word is not a valid id. Most instructions have no such word.
    if HOW != TRUSTED && inst[1..].iter().any(|word| word.wrapping_sub(1) >= last) {
        check_ids(words, last, inst, at, definitions)?;
    }
    if let Some(word) = grammar.result_word()
        && !definitions.define(inst[word], at as u32)
        && HOW != TRUSTED
    {
        return Err(faults::invalid_id("an id is defined twice", at).about_word(inst[word]));
    }
    Ok(inst)
}

/// Checks every id of `inst`. A switch selector that is not defined yet is assumed to be 32 bits wide.
fn check_ids(
    words: &[u32],
    last: u32,
    inst: &[u32],
    at: usize,
    definitions: &impl Table,
) -> Result<(), Error> {
    let switch_literal = match Op(inst[0] as u16) {
        Op::SWITCH => switch_literal_words(words, |id| definitions.defined_at(id), inst),
        _ => 1,
    };
    let mut wrong = None;
    operands::for_each_id(inst, switch_literal, |word, certain| {
        if certain && inst[word].wrapping_sub(1) >= last {
            wrong.get_or_insert(word);
        }
    });
    match wrong.map(|word| (word, inst[word])) {
        None => Ok(()),
        Some((word, 0)) => Err(faults::invalid_id("an id is 0", at + word)),
        Some((word, id)) => {
            let message = format!("id {id} is not below the bound, {}", u64::from(last) + 1);
            Err(faults::invalid_id(message, at + word))
        }
    }
}

/// The number of words of each literal of `inst`, an `OpSwitch`: 2 for a 64-bit selector, otherwise 1.
pub(crate) fn switch_literal_words(
    words: &[u32],
    defined_at: impl Fn(u32) -> Option<u32>,
    inst: &[u32],
) -> usize {
    let definition = |id: u32| defined_at(id).map(|at| &words[at as usize..]);
    let width = definition(inst[1])
        .filter(|selector| Grammar::of(Op(selector[0] as u16)).has_type())
        .and_then(|selector| definition(selector[1]))
        .filter(|ty| Op(ty[0] as u16) == Op::TYPE_INT)
        .map_or(32, |ty| ty[2]);
    if width > 32 { 2 } else { 1 }
}
