//! One immutable version of a module: its words, and analyses that are computed on first use.

use crate::code;
use crate::decorations::Decorations;
use crate::grammar::{Capability, ExecutionMode, ExecutionModel, Op};
use crate::inst::{CapabilityInst, EntryPoint, Function, Inst, Mode, Operand, Variable};
use crate::names::Names;
use crate::patch::{Patch, Rewritten};
use crate::scan::{Extent, HEADER, MAGIC, Scan, Section, Workspace, switch_literal_words};
use crate::types::Declared;
use crate::uses::Uses;
use crate::{Error, Id, operands, scan};
use std::borrow::Cow;
use std::sync::OnceLock;

/// One version of a SPIR-V module. A version never changes; [`rewrite`](Self::rewrite) creates the next one.
///
/// A module *is* its words: they are not converted to another representation, so a lowering cannot change words that
/// it does not edit. Each analysis of a version is computed once, on first use, and borrows the version. Threads can
/// share a module.
#[derive(Clone, Debug)]
pub struct Module<'w> {
    words: Cow<'w, [u32]>,
    analyses: Shared<'w>,
}

/// The analyses that have been computed so far.
#[derive(Clone, Debug, Default)]
struct Analyses {
    scan: OnceLock<Scan>,
    uses: OnceLock<Uses>,
    decorations: OnceLock<Decorations>,
    names: OnceLock<Names>,
    declared: OnceLock<Declared>,
}

/// The memory for the analyses. A module that borrows another module's words borrows its analyses, too.
#[derive(Clone, Debug)]
// Boxing the analyses would cost an allocation for each parse. With reused memory, parsing allocates nothing
// (benchmark `heap`).
#[expect(clippy::large_enum_variant)]
enum Shared<'w> {
    Own(Analyses),
    Borrowed(&'w Analyses),
}

impl From<Scan> for Shared<'_> {
    fn from(scan: Scan) -> Self {
        Self::Own(Analyses { scan: OnceLock::from(scan), ..Analyses::default() })
    }
}

impl<'w> Module<'w> {
    /// Checks `words`, which may be in either byte order, and finds the ends of sections and the definitions of ids.
    ///
    /// Parsing is one linear scan.
    ///
    /// # Errors
    ///
    /// `Malformed`, with the word offset: no SPIR-V header, an instruction that is truncated or has too few operands,
    /// an id that is 0 or not below the bound, an id that is defined twice, a function without an end, a block
    /// outside of functions, a call of an entry point. `Limit` for 2³¹ words and more.
    pub fn parse(words: &'w [u32]) -> Result<Self, Error> {
        if words.first() == Some(&MAGIC.swap_bytes()) {
            return Self::parse_owned(words.iter().map(|word| word.swap_bytes()).collect());
        }
        let scan = Scan::new(words)?;
        Ok(Self { words: Cow::Borrowed(words), analyses: scan.into() })
    }

    /// Does the same as [`parse`](Self::parse) with memory that another module left in `workspace`. Allocates only if
    /// that memory is too small.
    ///
    /// # Errors
    ///
    /// The errors of [`parse`](Self::parse).
    ///
    /// ```
    /// # let words = [0x0723_0203, 0x1_0000, 0, 1, 0];
    /// # let modules = [&words, &words];
    /// use polyshade_spv::{Module, Workspace};
    ///
    /// let mut workspace = Workspace::default();
    /// for words in modules {
    ///     let module = Module::parse_in(words, &mut workspace)?;
    ///     println!("{} functions", module.functions().len());
    ///     module.recycle(&mut workspace);
    /// }
    /// # Ok::<(), polyshade_spv::Error>(())
    /// ```
    pub fn parse_in(words: &'w [u32], workspace: &mut Workspace) -> Result<Self, Error> {
        if words.first() == Some(&MAGIC.swap_bytes()) {
            return Self::parse(words);
        }
        let scan = Scan::in_workspace(words, workspace)?;
        Ok(Self { words: Cow::Borrowed(words), analyses: scan.into() })
    }

    /// Returns the memory of the scan to `workspace`, for the next module that is parsed with it.
    pub fn recycle(self, workspace: &mut Workspace) {
        if let Shared::Own(analyses) = self.analyses
            && let Some(scan) = analyses.scan.into_inner()
        {
            scan.recycle(workspace);
        }
    }

    /// Does the same as [`parse`](Self::parse), but takes ownership of the words.
    ///
    /// # Errors
    ///
    /// The errors of [`parse`](Self::parse).
    pub fn parse_owned(mut words: Vec<u32>) -> Result<Module<'static>, Error> {
        if words.first() == Some(&MAGIC.swap_bytes()) {
            words.iter_mut().for_each(|word| *word = word.swap_bytes());
        }
        let scan = Scan::new(&words)?;
        Ok(Module { words: Cow::Owned(words), analyses: scan.into() })
    }

    /// Does the same as [`parse`](Self::parse) with a copy of a file's bytes, which may be in either byte order.
    ///
    /// # Errors
    ///
    /// The errors of [`parse`](Self::parse); `Malformed` if the number of bytes is not a multiple of four.
    pub fn from_bytes(bytes: &[u8]) -> Result<Module<'static>, Error> {
        let (words, rest) = bytes.as_chunks::<4>();
        if !rest.is_empty() {
            let message = format!("{} bytes are not a multiple of 4 bytes", bytes.len());
            return Err(Error::new(&code::SPIRV_NOT_A_MODULE, message).at(words.len() as u32));
        }
        Module::parse_owned(words.iter().map(|word| u32::from_le_bytes(*word)).collect())
    }

    /// Creates a version from words that a patch has made. They are scanned on first use.
    pub(crate) fn unscanned(words: Cow<'w, [u32]>) -> Self {
        Self { words, analyses: Shared::Own(Analyses::default()) }
    }

    /// Calls `edit`, which reads this version and queues edits, then merges the edits once and returns the next
    /// version.
    ///
    /// This version does not change, even if `edit` fails. Without edits, the next version has the same words.
    ///
    /// # Errors
    ///
    /// The errors of `edit`; `Options` if two edits contradict each other; `Limit` for an instruction of more than
    /// 65,535 words or an id above 4,194,303; `Unsupported` if a signed integer type is added to a module with the
    /// capability `Kernel`.
    pub fn rewrite<'m, T>(
        &'m self,
        edit: impl for<'v> FnOnce(&'v Self, &mut Patch<'v, 'w>) -> Result<T, Error>,
    ) -> Result<Rewritten<'m, T>, Error> {
        let mut patch = Patch::new(self);
        let value = edit(self, &mut patch)?;
        patch.merge(value)
    }

    /// Calls `edit`, discards its edits, and returns its value without creating a next version.
    ///
    /// # Errors
    ///
    /// The errors of [`rewrite`](Self::rewrite), except the error for edits that contradict each other.
    pub fn rehearse<'m, T>(
        &'m self,
        edit: impl for<'v> FnOnce(&'v Self, &mut Patch<'v, 'w>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let mut patch = Patch::new(self);
        let value = edit(self, &mut patch)?;
        patch.finish(value)
    }

    /// The words, header included, in the byte order of the machine.
    pub fn words(&self) -> &[u32] {
        &self.words
    }

    /// The words, copied only if the module does not own them.
    pub fn into_words(self) -> Vec<u32> {
        self.words.into_owned()
    }

    /// Returns the same version as a module that borrows the words and analyses of `self`.
    pub fn borrowed(&self) -> Module<'_> {
        let analyses = Shared::Borrowed(self.analyses());
        Module { words: Cow::Borrowed(&self.words), analyses }
    }

    /// Returns the same version as a module that owns its words.
    pub fn into_owned(self) -> Module<'static> {
        let analyses = match self.analyses {
            Shared::Own(analyses) => analyses,
            // The borrowed analyses are not copied: most results are only written out, and a later use can compute
            // them again.
            Shared::Borrowed(_) => Analyses::default(),
        };
        Module { words: Cow::Owned(self.words.into_owned()), analyses: Shared::Own(analyses) }
    }

    /// The version of SPIR-V: (1, 3) for 1.3.
    pub fn version(&self) -> (u8, u8) {
        let [_, minor, major, _] = self.words[1].to_le_bytes();
        (major, minor)
    }

    /// The bound: a number that all ids are below.
    pub fn bound(&self) -> u32 {
        self.words[3]
    }

    #[inline]
    fn analyses(&self) -> &Analyses {
        match &self.analyses {
            Shared::Own(analyses) => analyses,
            Shared::Borrowed(analyses) => analyses,
        }
    }

    #[inline]
    fn scan(&self) -> &Scan {
        match self.analyses().scan.get() {
            Some(scan) => scan,
            None => self.scan_now(),
        }
    }

    #[cold]
    fn scan_now(&self) -> &Scan {
        self.analyses().scan.get_or_init(|| Scan::of_patched(&self.words))
    }

    /// The instruction that starts at word `at` of this version.
    ///
    /// # Panics
    ///
    /// If `at` is beyond the words, or is not the first word of an instruction.
    #[inline]
    pub fn inst_at(&self, at: u32) -> Inst<'_> {
        Inst::at_word(&self.words, at)
    }

    /// All instructions.
    pub fn instructions(&self) -> Instructions<'_> {
        self.range(HEADER as u32, self.words.len() as u32)
    }

    /// The instructions from word `at` on. An instruction of this version must start there.
    pub fn instructions_from(&self, at: u32) -> Instructions<'_> {
        self.range(at, self.words.len() as u32)
    }

    pub(crate) fn range(&self, at: u32, end: u32) -> Instructions<'_> {
        Instructions { words: &self.words[..end as usize], at }
    }

    /// The offset of the word after the last instruction of `section`.
    pub fn section_end(&self, section: Section) -> u32 {
        self.scan().sections[section as usize]
    }

    /// The instructions of `section`. If sections are out of order, all instructions before the first function.
    pub fn section(&self, section: Section) -> Instructions<'_> {
        if !self.scan().ordered {
            return self.preamble();
        }
        let start = match section as usize {
            0 => HEADER as u32,
            number => self.scan().sections[number - 1],
        };
        self.range(start, self.section_end(section))
    }

    /// The number of words of `section`; an upper bound if sections are out of order.
    pub(crate) fn section_words(&self, section: Section) -> usize {
        let Instructions { words, at } = self.section(section);
        words.len() - at as usize
    }

    /// Every instruction before the first function.
    pub fn preamble(&self) -> Instructions<'_> {
        self.range(HEADER as u32, self.section_end(Section::Globals))
    }

    /// The same offsets as [`defined_at`](Self::defined_at), for callers that look up many ids.
    pub fn definitions(&self) -> Definitions<'_> {
        Definitions(&self.scan().definitions)
    }

    /// The offset of the instruction that defines `id`.
    #[inline]
    pub fn defined_at(&self, id: Id) -> Option<u32> {
        self.scan().definitions.get(id.word())
    }

    /// The instruction that defines `id`.
    #[inline]
    pub fn definition(&self, id: Id) -> Option<Inst<'_>> {
        self.scan().definitions.get(id.word()).map(|at| self.inst_at(at))
    }

    /// The result type of the instruction that defines `id`.
    #[inline]
    pub fn type_of(&self, id: Id) -> Option<Id> {
        self.definition(id)?.result_type()
    }

    /// The functions, in the order of the module.
    pub fn functions(&self) -> impl ExactSizeIterator<Item = FunctionBody<'_>> {
        self.scan()
            .functions
            .iter()
            .map(|extent| FunctionBody { words: &self.words, extent: *extent })
    }

    /// The function `id` and its body.
    pub fn function(&self, id: Id) -> Option<FunctionBody<'_>> {
        let at = self.scan().definitions.get(id.word())?;
        let functions = &self.scan().functions;
        let i = functions.binary_search_by_key(&at, |extent| extent.at).ok()?;
        Some(FunctionBody { words: &self.words, extent: functions[i] })
    }

    /// The function that contains the instruction at word `at`.
    pub fn function_around(&self, at: u32) -> Option<FunctionBody<'_>> {
        let functions = &self.scan().functions;
        let i = functions.partition_point(|extent| extent.end <= at);
        let extent = functions.get(i).filter(|extent| extent.at <= at)?;
        Some(FunctionBody { words: &self.words, extent: *extent })
    }

    /// The entry points, in the order of the module.
    pub fn entry_points(&self) -> impl ExactSizeIterator<Item = EntryPoint<'_>> {
        self.scan()
            .entry_points
            .iter()
            .map(|at| EntryPoint::of(self.inst_at(*at)).expect("the scan lists entry points"))
    }

    /// The entry point with this name and execution model.
    ///
    /// # Errors
    ///
    /// `NotFound`, with the names of all entry points.
    pub fn entry_point(&self, name: &str, model: ExecutionModel) -> Result<EntryPoint<'_>, Error> {
        let found =
            self.entry_points().find(|entry| entry.model() == model && entry.name() == name);
        found.ok_or_else(|| {
            let others: Vec<String> = self
                .entry_points()
                .map(|other| format!("`{}` ({})", other.name(), other.model()))
                .collect();
            let others = if others.is_empty() { "none".to_owned() } else { others.join(", ") };
            let message = format!("there is no entry point `{name}` for the {model} stage");
            Error::new(&code::ENTRY_POINT_NOT_FOUND, message)
                .help(format!("the module's entry points: {others}"))
        })
    }

    /// The execution modes of all entry points that share this function.
    pub fn modes(&self, function: Id) -> impl Iterator<Item = Mode<'_>> {
        let modes = self.section(Section::ExecutionModes).filter_map(Mode::of);
        modes.filter(move |mode| mode.entry_point() == function)
    }

    /// The first execution mode `mode` among the entry points that share this function.
    pub fn mode(&self, function: Id, mode: ExecutionMode) -> Option<Mode<'_>> {
        self.modes(function).find(|found| found.mode() == mode)
    }

    /// Whether the module declares `capability`; implied capabilities do not count.
    pub fn has_capability(&self, capability: Capability) -> bool {
        self.section(Section::Capabilities)
            .filter_map(CapabilityInst::of)
            .any(|declared| declared.capability() == capability)
    }

    /// The module-scope variables, in the order of the module.
    pub fn variables(&self) -> impl Iterator<Item = Variable<'_>> {
        self.section(Section::Globals).filter_map(Variable::of)
    }

    /// Calls `f` for every operand of `inst` that is an id, except for the result. The third argument is `false` for
    /// a word that may or may not be an id, as in unknown instructions.
    #[inline]
    pub fn for_each_operand<'m>(&self, inst: Inst<'m>, mut f: impl FnMut(Operand<'m>, Id, bool)) {
        let switch_literal =
            if inst.op() == Op::SWITCH { self.switch_literal_words(inst) } else { 1 };
        operands::for_each_operand(inst.words(), switch_literal, |word, certain| {
            if let Some(id) = Id::new(inst.words()[word]) {
                f(inst.operand(word), id, certain);
            }
        });
    }

    /// The number of words of each literal of `inst`, an `OpSwitch`.
    pub(crate) fn switch_literal_words(&self, inst: Inst<'_>) -> usize {
        switch_literal_words(&self.words, |id| self.scan().definitions.get(id), inst.words())
    }

    /// The uses of each id.
    pub fn uses(&self) -> &Uses {
        self.analyses().uses.get_or_init(|| Uses::new(self))
    }

    /// The decorations, with groups resolved.
    pub fn decorations(&self) -> &Decorations {
        self.analyses().decorations.get_or_init(|| Decorations::new(self))
    }

    /// The debug names.
    pub fn names(&self) -> &Names {
        self.analyses().names.get_or_init(|| Names::new(self))
    }

    pub(crate) fn declared(&self) -> &Declared {
        self.analyses().declared.get_or_init(|| Declared::new(self))
    }
}

/// The offsets of the definitions of ids in one version.
#[derive(Clone, Copy, Debug)]
pub struct Definitions<'m>(&'m scan::Definitions);

impl Definitions<'_> {
    /// The offset of the instruction that defines `id`.
    #[inline]
    pub fn at(self, id: Id) -> Option<u32> {
        self.0.get(id.word())
    }
}

/// Iterates over instructions in the order of the module.
#[derive(Clone, Debug)]
pub struct Instructions<'m> {
    words: &'m [u32],
    at: u32,
}

impl<'m> Iterator for Instructions<'m> {
    type Item = Inst<'m>;

    #[inline]
    fn next(&mut self) -> Option<Inst<'m>> {
        if self.at as usize >= self.words.len() {
            return None;
        }
        let inst = Inst::at_word(self.words, self.at);
        self.at = inst.end();
        Some(inst)
    }
}

/// A function with its body.
#[derive(Clone, Copy, Debug)]
pub struct FunctionBody<'m> {
    words: &'m [u32],
    extent: Extent,
}

impl<'m> FunctionBody<'m> {
    /// `OpFunction`.
    pub fn function(self) -> Function<'m> {
        Function::of(Inst::at_word(self.words, self.extent.at))
            .expect("a function begins with OpFunction")
    }

    /// The id of the function.
    pub fn id(self) -> Id {
        self.function().result()
    }

    /// The instructions from `OpFunction` to `OpFunctionEnd`.
    pub fn instructions(self) -> Instructions<'m> {
        Instructions { words: &self.words[..self.extent.end as usize], at: self.extent.at }
    }

    /// The offset of the first word.
    pub fn at(self) -> u32 {
        self.extent.at
    }

    /// The offset of the word after the last one.
    pub fn end(self) -> u32 {
        self.extent.end
    }

    /// The parameters, in order.
    pub fn parameters(self) -> impl Iterator<Item = Id> + 'm {
        self.instructions()
            .skip(1)
            .take_while(|inst| inst.op() != Op::LABEL && inst.op() != Op::FUNCTION_END)
            .filter(|inst| inst.op() == Op::FUNCTION_PARAMETER)
            .filter_map(Inst::result)
    }
}
