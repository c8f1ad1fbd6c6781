//! Functions written in GLSL are linked in.

use foldhash::HashMap;
use polyshade_spv::view::{ExtInstImport, FunctionCall};
use polyshade_spv::{Decoration, Error, FunctionBody, Id, Module, Op, Patch, Section};

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
    functions: Vec<Object>,
}

/// A function that is ready to be linked: to copy it is to copy its words and to write the ids over.
#[derive(Debug)]
struct Object {
    id: Id,
    /// As GLSL has it: the compiler appends the types of the parameters.
    name: String,
    words: Vec<u32>,
    /// Where in `words` an id stands, and which.
    ids: Vec<(u32, Id)>,
    /// What has a result in the body, parameters included, but the function itself.
    results: Vec<Id>,
    /// Those of them that are decorated, by what says how the value is computed.
    decorated: Vec<(Id, Decoration)>,
    /// Types, constants and extended instruction sets that it uses, each behind what it uses itself.
    globals: Vec<Id>,
    /// The functions that it calls, by their number in the library.
    calls: Vec<usize>,
}

impl Library {
    /// The library with the words `words`.
    ///
    /// # Errors
    ///
    /// `Malformed` where they are no module.
    ///
    /// # Panics
    ///
    /// If it has global variables or functions without a name: it is part of this crate.
    pub fn new(words: Vec<u32>) -> Result<Self, Error> {
        let module = Module::parse_owned(words)?;
        let numbers = module.functions().map(|body| body.id()).zip(0..).collect();
        let functions = module.functions().map(|body| Object::new(&module, body, &numbers));
        let functions = functions.collect();
        Ok(Self { module, functions })
    }

    fn object(&self, name: &str) -> &Object {
        let found = self.functions.iter().find(|object| object.name == name);
        found.unwrap_or_else(|| panic!("the library has no function {name}"))
    }
}

impl Object {
    fn new(m: &Module<'_>, body: FunctionBody<'_>, numbers: &HashMap<Id, usize>) -> Self {
        let mut object = Self {
            id: body.id(),
            name: glsl_name(m, body.id()),
            words: Vec::new(),
            ids: Vec::new(),
            results: Vec::new(),
            decorated: Vec::new(),
            globals: Vec::new(),
            calls: Vec::new(),
        };
        for inst in body.instructions() {
            let start = object.words.len() as u32;
            object.words.extend_from_slice(inst.words());
            if let Some(call) = FunctionCall::of(inst) {
                object.calls.push(numbers[&call.function()]);
            }
            // The extended instructions of a library have ids as operands.
            m.for_each_operand(inst, |operand, id, _| {
                object.ids.push((start + operand.word() as u32, id));
                object.need(m, id);
            });
            if let Some(result) = inst.result() {
                let word = if inst.result_type().is_some() { 2 } else { 1 };
                object.ids.push((start + word, result));
                if result == object.id {
                    continue;
                }
                object.results.push(result);
                let kept = m.decorations_of(result).map(|applied| applied.decoration);
                let kept = kept.filter(|decoration| {
                    let kept = [Decoration::NO_CONTRACTION, Decoration::RELAXED_PRECISION];
                    kept.contains(decoration)
                });
                object.decorated.extend(kept.map(|decoration| (result, decoration)));
            }
        }
        object
    }

    /// Lists `id`, if it is a global, behind what it uses. Nesting is as deep as our GLSL makes it.
    fn need(&mut self, m: &Module<'_>, id: Id) {
        let inst = m.definition(id).expect("a library defines what it uses");
        if inst.at() >= m.section_end(Section::Globals) || self.globals.contains(&id) {
            return;
        }
        assert!(inst.op() != Op::VARIABLE, "a library has no global variables, but {inst:?}");
        m.for_each_operand(inst, |_, id, _| self.need(m, id));
        self.globals.push(id);
    }
}

fn glsl_name(m: &Module<'_>, function: Id) -> String {
    let name = m.name(function).expect("the functions of a library have names");
    name.split('(').next().unwrap_or_default().to_owned()
}

/// Links the functions `names` of `library`, and what they call, into the module of `p`, and returns their ids in
/// that order. Each call of `link` makes copies of its own.
///
/// Types, constants and extended instruction sets are shared with the module.
///
/// # Panics
///
/// If the library lacks a function: it is part of this crate.
pub fn link(
    p: &mut Patch<'_, '_>,
    library: &Library,
    names: &[&str],
    hooks: &[Hook<'_>],
) -> Vec<Id> {
    let map = vec![None; library.module.bound() as usize];
    let mut linker = Linker { library, map, scratch: Vec::new() };
    for hook in hooks {
        linker.set(library.object(hook.name).id, hook.function);
    }

    let objects = linker.needed(names);
    for object in &objects {
        let new = p.id();
        linker.set(object.id, new);
        p.name(new, &object.name);
    }
    for object in objects {
        linker.copy(p, object);
    }
    let roots = names.iter().map(|name| linker.get(library.object(name).id));
    roots.map(|root| root.expect("it was linked")).collect()
}

struct Linker<'l> {
    library: &'l Library,
    /// By id of the library, the id in the module.
    map: Vec<Option<Id>>,
    /// The operands of a declaration while it is made.
    scratch: Vec<u32>,
}

impl<'l> Linker<'l> {
    fn get(&self, id: Id) -> Option<Id> {
        self.map[id.word() as usize]
    }

    fn set(&mut self, id: Id, new: Id) {
        self.map[id.word() as usize] = Some(new);
    }

    /// The functions `names` and what they call, each once, without those that are hooked.
    fn needed(&self, names: &[&str]) -> Vec<&'l Object> {
        let mut needed: Vec<&'l Object> =
            names.iter().map(|name| self.library.object(name)).collect();
        let mut next = 0;
        while let Some(object) = needed.get(next).copied() {
            next += 1;
            for call in &object.calls {
                let callee = &self.library.functions[*call];
                let is_new = needed.iter().all(|other| other.id != callee.id);
                if is_new && self.get(callee.id).is_none() {
                    needed.push(callee);
                }
            }
        }
        needed
    }

    fn copy(&mut self, p: &mut Patch<'_, '_>, object: &Object) {
        for id in &object.globals {
            if self.get(*id).is_none() {
                let new = self.declare(p, *id);
                self.set(*id, new);
            }
        }
        for result in &object.results {
            let new = p.id();
            self.set(*result, new);
        }
        for (result, decoration) in &object.decorated {
            let new = self.get(*result).expect("it was just mapped");
            p.decorate(new, *decoration, &[]);
        }
        let at = p.lane();
        let words = p.insert_words(at, &object.words);
        for (at, id) in &object.ids {
            words[*at as usize] = self.get(*id).expect("what a function uses is mapped").word();
        }
    }

    /// A type, constant or extended instruction set, whose operands are mapped.
    fn declare(&mut self, p: &mut Patch<'_, '_>, id: Id) -> Id {
        let module = &self.library.module;
        let inst = module.definition(id).expect("it was needed");
        if let Some(import) = ExtInstImport::of(inst) {
            return p.import(&import.name());
        }
        let mut operands = std::mem::take(&mut self.scratch);
        operands.clear();
        operands.extend_from_slice(&inst.words()[1..]);
        module.for_each_operand(inst, |operand, id, _| {
            let new = self.get(id).expect("a global stands behind what it uses");
            operands[operand.word() - 1] = new.word();
        });
        operands.remove(if inst.result_type().is_some() { 1 } else { 0 });
        let new = p.declare(inst.op(), &operands);
        self.scratch = operands;
        new
    }
}
