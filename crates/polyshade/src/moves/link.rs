//! Functions written in GLSL are linked in.

use polyshade_spv::view::{ExtInstImport, FunctionCall};
use polyshade_spv::{Decoration, Error, FunctionBody, Id, Inst, Module, Op, Patch, Section};
use std::collections::HashMap;

/// A function of the library whose body is replaced: calls of `name` become calls of `function`.
#[derive(Clone, Copy, Debug)]
pub struct Hook<'a> {
    /// GLSL name of the function in the library.
    pub name: &'a str,
    /// The function that is called instead; it has the same parameters and result.
    pub function: Id,
}

/// A module of functions that take and return values, without global variables, compiled from GLSL of ours.
#[derive(Debug)]
pub struct Library {
    module: Module<'static>,
    /// The functions by the name that GLSL calls them: the compiler appends the types of the parameters.
    functions: HashMap<String, Id>,
}

impl Library {
    /// The library with the words `words`.
    ///
    /// # Errors
    ///
    /// `Malformed` where they are no module.
    pub fn new(words: Vec<u32>) -> Result<Self, Error> {
        let module = Module::parse_owned(words)?;
        let name = |id| module.name(id)?.split('(').next().map(str::to_owned);
        let functions =
            module.functions().filter_map(|body| Some((name(body.id())?, body.id()))).collect();
        Ok(Self { module, functions })
    }

    fn function(&self, name: &str) -> Id {
        *self.functions.get(name).unwrap_or_else(|| panic!("the library has no function {name}"))
    }
}

/// Links the functions `names` of `library`, and what they call, into the module of `p`, and returns their ids in
/// that order. Each call of `link` makes copies of its own.
///
/// Types, constants and extended instruction sets are shared with the module.
///
/// # Panics
///
/// If the library lacks a function or has global variables: it is part of this crate.
pub fn link(
    p: &mut Patch<'_, '_>,
    library: &Library,
    names: &[&str],
    hooks: &[Hook<'_>],
) -> Vec<Id> {
    let mut linker =
        Linker { library: &library.module, map: vec![None; library.module.bound() as usize] };
    for hook in hooks {
        linker.set(library.function(hook.name), hook.function);
    }

    let roots: Vec<Id> = names.iter().map(|name| library.function(name)).collect();
    for (id, body) in linker.needed(&roots) {
        let new = p.id();
        linker.set(id, new);
        linker.prepare(p, body);
        linker.copy(p, body);
        let name = library.module.name(id).unwrap_or_default();
        p.name(new, name.split('(').next().unwrap_or_default());
    }
    roots.iter().map(|root| linker.get(*root).expect("it was linked")).collect()
}

struct Linker<'l> {
    library: &'l Module<'static>,
    /// By id of the library, the id in the module.
    map: Vec<Option<Id>>,
}

impl<'l> Linker<'l> {
    fn get(&self, id: Id) -> Option<Id> {
        self.map[id.word() as usize]
    }

    fn set(&mut self, id: Id, new: Id) {
        self.map[id.word() as usize] = Some(new);
    }

    /// The functions that `roots` call, callees first, without those that are hooked.
    fn needed(&self, roots: &[Id]) -> Vec<(Id, FunctionBody<'l>)> {
        let mut order: Vec<(Id, FunctionBody<'l>)> = Vec::new();
        let mut open: Vec<Id> = roots.to_vec();
        while let Some(id) = open.pop() {
            if self.get(id).is_some() {
                continue;
            }
            // One that is needed by several goes before all of them.
            order.retain(|(other, _)| *other != id);
            let body = self.library.function(id).expect("the library defines what it calls");
            order.push((id, body));
            open.extend(
                body.instructions().filter_map(FunctionCall::of).map(|call| call.function()),
            );
        }
        order.reverse();
        order
    }

    /// Gives every result in `body` its id, and declares the types and constants that it uses.
    fn prepare(&mut self, p: &mut Patch<'_, '_>, body: FunctionBody<'l>) {
        for inst in body.instructions().skip(1) {
            let Some(result) = inst.result() else { continue };
            let new = p.id();
            self.set(result, new);
            for applied in self.library.decorations_of(result) {
                if matches!(
                    applied.decoration,
                    Decoration::NO_CONTRACTION | Decoration::RELAXED_PRECISION
                ) {
                    p.decorate(new, applied.decoration, applied.operands);
                }
            }
        }
        for inst in body.instructions() {
            self.declare_operands(p, inst);
        }
    }

    /// Declares what `inst` uses and is not mapped yet. Nesting is as deep as our GLSL makes it.
    fn declare_operands(&mut self, p: &mut Patch<'_, '_>, inst: Inst<'l>) {
        let library = self.library;
        library.for_each_operand(inst, |_, id, _| {
            if self.get(id).is_none() {
                let definition = library.definition(id).expect("the library defines what it uses");
                let new = self.declare(p, definition);
                self.set(id, new);
            }
        });
    }

    /// A type, constant or extended instruction set.
    fn declare(&mut self, p: &mut Patch<'_, '_>, inst: Inst<'l>) -> Id {
        if let Some(import) = ExtInstImport::of(inst) {
            return p.import(&import.name());
        }
        let in_globals = inst.at() < self.library.section_end(Section::Globals);
        assert!(in_globals && inst.op() != Op::VARIABLE, "a library has no globals, but {inst:?}");
        self.declare_operands(p, inst);
        let mut operands = Vec::with_capacity(inst.words().len());
        self.map_words(inst, &mut operands);
        operands.remove(if inst.result_type().is_some() { 1 } else { 0 });
        p.declare(inst.op(), &operands)
    }

    fn copy(&self, p: &mut Patch<'_, '_>, body: FunctionBody<'l>) {
        let at = p.lane();
        let mut words = Vec::new();
        for inst in body.instructions() {
            self.map_words(inst, &mut words);
            p.insert(at, inst.op(), &words);
        }
    }

    /// The words of `inst` behind the first, mapped. The extended instructions of a library have ids as operands.
    fn map_words(&self, inst: Inst<'_>, words: &mut Vec<u32>) {
        words.clear();
        words.extend_from_slice(&inst.words()[1..]);
        self.library.for_each_operand(inst, |at, id, _| {
            let new = self.get(id).expect("what an instruction uses is mapped before it is copied");
            words[(at - inst.at()) as usize - 1] = new.word();
        });
        if let Some(new) = inst.result().and_then(|result| self.get(result)) {
            words[if inst.result_type().is_some() { 1 } else { 0 }] = new.word();
        }
    }
}
