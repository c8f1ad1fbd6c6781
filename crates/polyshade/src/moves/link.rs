//! Functions written in GLSL are linked in.

use polyshade_spv::view::{ExtInstImport, FunctionCall};
use polyshade_spv::{Decoration, Id, Inst, Module, Op, Patch, Section};
use std::collections::HashMap;

/// A function of the library whose body is replaced: calls of `name` become calls of `function`.
#[derive(Clone, Copy, Debug)]
pub struct Hook<'a> {
    /// GLSL name of the function in the library.
    pub name: &'a str,
    /// The function that is called instead; it has the same parameters and result.
    pub function: Id,
}

/// Links the functions `names` of `library`, and what they call, into the module of `p`, and returns their ids in
/// that order. Each call of `link` makes copies of its own.
///
/// A library is compiled from GLSL of ours: functions that take and return values, without global variables. Types,
/// constants and extended instruction sets are shared with the module.
///
/// # Panics
///
/// If the library lacks a function or is not such a library: it is part of this crate.
pub fn link(
    p: &mut Patch<'_, '_>,
    library: &Module<'_>,
    names: &[&str],
    hooks: &[Hook<'_>],
) -> Vec<Id> {
    let mut linker = Linker { library, map: HashMap::new() };
    for hook in hooks {
        linker.map.insert(function(library, hook.name), hook.function);
    }

    let roots: Vec<Id> = names.iter().map(|name| function(library, name)).collect();
    for id in linker.needed(&roots) {
        let new = p.id();
        p.name(new, &glsl_name(library, id));
        linker.map.insert(id, new);
        linker.copy_function(p, id);
    }
    roots.iter().map(|root| linker.map[root]).collect()
}

/// The function that GLSL calls `name`: the compiler appends the types of the parameters.
fn function(library: &Module<'_>, name: &str) -> Id {
    let found =
        library.functions().map(|body| body.id()).find(|id| glsl_name(library, *id) == name);
    found.unwrap_or_else(|| panic!("the library has no function {name}"))
}

fn glsl_name(library: &Module<'_>, function: Id) -> String {
    let name = library.name(function).unwrap_or_default();
    name.split('(').next().unwrap_or_default().to_owned()
}

struct Linker<'l> {
    library: &'l Module<'l>,
    /// Ids of the library to ids of the module.
    map: HashMap<Id, Id>,
}

impl<'l> Linker<'l> {
    /// The functions that `roots` call, callees first, without those that are hooked.
    fn needed(&self, roots: &[Id]) -> Vec<Id> {
        let mut order: Vec<Id> = Vec::new();
        let mut open: Vec<Id> = roots.to_vec();
        while let Some(id) = open.pop() {
            if self.map.contains_key(&id) {
                continue;
            }
            // One that is needed by several goes before all of them.
            order.retain(|other| *other != id);
            order.push(id);
            let body = self.library.function(id).expect("the library defines what it calls");
            open.extend(
                body.instructions().filter_map(FunctionCall::of).map(|call| call.function()),
            );
        }
        order.reverse();
        order
    }

    fn copy_function(&mut self, p: &mut Patch<'_, '_>, function: Id) {
        let body = self.library.function(function).expect("the library defines it");
        for inst in body.instructions().skip(1) {
            if let Some(result) = inst.result() {
                let new = p.id();
                self.map.insert(result, new);
                self.copy_decorations(p, result, new);
            }
        }
        let at = p.lane();
        for inst in body.instructions() {
            let words = self.mapped(p, inst);
            p.insert(at, inst.op(), &words[1..]);
        }
    }

    /// The words of `inst` with every id mapped.
    fn mapped(&mut self, p: &mut Patch<'_, '_>, inst: Inst<'_>) -> Vec<u32> {
        let mut words = inst.words().to_vec();
        let mut ids = Vec::new();
        self.library.for_each_operand(inst, |at, id, _| ids.push((at, id)));
        // Of all extended instructions a library uses only sets whose operands are ids.
        for (at, id) in ids {
            words[(at - inst.at()) as usize] = self.map_id(p, id).word();
        }
        if let Some(result) = inst.result() {
            let word = if inst.result_type().is_some() { 2 } else { 1 };
            words[word] = self.map[&result].word();
        }
        words
    }

    fn map_id(&mut self, p: &mut Patch<'_, '_>, id: Id) -> Id {
        if let Some(new) = self.map.get(&id) {
            return *new;
        }
        let inst = self.library.definition(id).expect("the library defines what it uses");
        let new = match ExtInstImport::of(inst) {
            Some(import) => p.import(&import.name()),
            None => self.declare(p, inst),
        };
        self.map.insert(id, new);
        new
    }

    /// A type or constant; nesting is as deep as our GLSL makes it.
    fn declare(&mut self, p: &mut Patch<'_, '_>, inst: Inst<'_>) -> Id {
        let in_globals = inst.at() < self.library.section_end(Section::Globals);
        assert!(in_globals && inst.op() != Op::VARIABLE, "a library has no globals, but {inst:?}");
        let mut operands = inst.words()[1..].to_vec();
        let mut ids = Vec::new();
        self.library.for_each_operand(inst, |at, id, _| ids.push((at, id)));
        for (at, id) in ids {
            operands[(at - inst.at()) as usize - 1] = self.map_id(p, id).word();
        }
        operands.remove(if inst.result_type().is_some() { 1 } else { 0 });
        p.declare(inst.op(), &operands)
    }

    fn copy_decorations(&self, p: &mut Patch<'_, '_>, from: Id, to: Id) {
        for applied in self.library.decorations_of(from) {
            if matches!(
                applied.decoration,
                Decoration::NO_CONTRACTION | Decoration::RELAXED_PRECISION
            ) {
                p.decorate(to, applied.decoration, applied.operands);
            }
        }
    }
}
