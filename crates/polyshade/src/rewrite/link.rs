//! Links functions written in GLSL into a module.

use foldhash::{HashMap, HashMapExt};
use polyshade_spv::view::ExtInstImport;
use polyshade_spv::{Decoration, Error, FunctionBody, Id, Inst, Module, Op, Patch};

/// Replaces a library function: calls of `name` become calls of `function`.
#[derive(Clone, Copy, Debug)]
pub struct Hook<'a> {
    /// GLSL name of the function in the library.
    pub name: &'a str,
    /// The function that is called instead, with the same parameters and result type.
    pub function: Id,
}

/// A library of functions, compiled from polyshade's GLSL. They take and return values, and use no global variables.
#[derive(Debug)]
pub struct Library {
    functions: Vec<Object>,
    globals: Vec<Global>,
}

/// A function in a form that is quick to link: its words are copied, then its ids are overwritten.
#[derive(Debug)]
struct Object {
    /// The GLSL name. The compiler appends the parameter types to it.
    name: String,
    words: Vec<u32>,
    /// The ids in `words`: their indices, and where each comes from.
    ids: Vec<(u32, Source)>,
    /// The number of ids that the body defines, including parameters.
    results: u32,
    /// The defined ids that are decorated. Only decorations that affect the computation are kept.
    decorated: Vec<(u32, Decoration)>,
    /// The globals that the function uses. Each follows the globals that it uses itself.
    globals: Vec<u32>,
    /// The functions that this function calls.
    calls: Vec<u32>,
}

/// A type, constant or extended instruction set.
#[derive(Debug)]
enum Global {
    Import(String),
    Declaration {
        op: Op,
        /// The operands without the result id.
        operands: Vec<u32>,
        /// The operands that are ids: their indices, each with the number of the global.
        ids: Vec<(usize, u32)>,
    },
}

/// Where an id of the library comes from; each kind has its own numbering.
#[derive(Clone, Copy, Debug)]
enum Source {
    Global(u32),
    Function(u32),
    /// A result of the function body.
    Result(u32),
}

impl Library {
    /// Parses the library in `words`.
    ///
    /// # Errors
    ///
    /// `Malformed`: the words are not a module.
    ///
    /// # Panics
    ///
    /// If the words have global variables or functions without a name, which cannot happen, as libraries are part of
    /// this crate.
    pub fn new(words: &[u32]) -> Result<Self, Error> {
        let module = Module::parse(words)?;
        let mut reader = Reader { m: &module, sources: HashMap::new(), globals: Vec::new() };
        let functions = module.functions().map(|body| body.id()).zip((0..).map(Source::Function));
        reader.sources.extend(functions);
        let functions = module.functions().map(|body| reader.object(body)).collect();
        Ok(Self { functions, globals: reader.globals })
    }

    fn number(&self, name: &str) -> u32 {
        let found = self.functions.iter().position(|object| object.name == name);
        found.unwrap_or_else(|| panic!("the library has no function {name}")) as u32
    }
}

struct Reader<'m> {
    m: &'m Module<'m>,
    sources: HashMap<Id, Source>,
    globals: Vec<Global>,
}

impl Reader<'_> {
    fn object(&mut self, body: FunctionBody<'_>) -> Object {
        let m = self.m;
        let mut object = Object {
            name: glsl_name(m, body.id()),
            words: Vec::new(),
            ids: Vec::new(),
            results: 0,
            decorated: Vec::new(),
            globals: Vec::new(),
            calls: Vec::new(),
        };
        for result in body.instructions().filter_map(Inst::result) {
            if result == body.id() {
                continue;
            }
            let kept = m.decorations_of(result).map(|applied| applied.decoration);
            let kept = kept.filter(|decoration| {
                [Decoration::NO_CONTRACTION, Decoration::RELAXED_PRECISION].contains(decoration)
            });
            object.decorated.extend(kept.map(|decoration| (object.results, decoration)));
            self.sources.insert(result, Source::Result(object.results));
            object.results += 1;
        }
        for inst in body.instructions() {
            let start = object.words.len() as u32;
            object.words.extend_from_slice(inst.words());
            // Extended instructions in the library have only ids as operands.
            m.for_each_operand(inst, |operand, id, _| {
                let source = self.source(id, &mut object.globals);
                object.ids.push((start + operand.word() as u32, source));
                if let (Source::Function(callee), Op::FUNCTION_CALL) = (source, inst.op()) {
                    object.calls.push(callee);
                }
            });
            if let Some(result) = inst.result() {
                object.ids.push((start + result_word(inst) as u32, self.sources[&result]));
            }
        }
        object
    }

    /// Returns where `id` comes from. A global is added to `used` after the globals that it uses. The recursion is
    /// only as deep as the nesting of the library's types.
    fn source(&mut self, id: Id, used: &mut Vec<u32>) -> Source {
        let known = self.sources.get(&id).copied();
        let source = known.unwrap_or_else(|| Source::Global(self.global(id)));
        if let Source::Global(number) = source {
            self.list(number, used);
        }
        source
    }

    fn list(&self, number: u32, used: &mut Vec<u32>) {
        if used.contains(&number) {
            return;
        }
        if let Global::Declaration { ids, .. } = &self.globals[number as usize] {
            ids.iter().for_each(|(_, global)| self.list(*global, used));
        }
        used.push(number);
    }

    /// Adds the global `id`, unless it is already known, and returns its number.
    fn global(&mut self, id: Id) -> u32 {
        let inst = self.m.definition(id).expect("a library defines all ids that it uses");
        assert!(inst.op() != Op::VARIABLE, "a library cannot have a global variable: {inst:?}");
        let mut ids = Vec::new();
        self.m.for_each_operand(inst, |operand, id, _| {
            let global = match self.sources.get(&id) {
                Some(Source::Global(number)) => *number,
                Some(_) => panic!("a global cannot use a function: {inst:?}"),
                None => self.global(id),
            };
            let is_behind_result = operand.word() > result_word(inst);
            ids.push((operand.word() - 1 - usize::from(is_behind_result), global));
        });
        let mut operands = inst.words()[1..].to_vec();
        operands.remove(result_word(inst) - 1);
        let number = self.globals.len() as u32;
        self.globals.push(match ExtInstImport::of(inst) {
            Some(import) => Global::Import(import.name().into_owned()),
            None => Global::Declaration { op: inst.op(), operands, ids },
        });
        self.sources.insert(id, Source::Global(number));
        number
    }
}

fn result_word(inst: Inst<'_>) -> usize {
    if inst.result_type().is_some() { 2 } else { 1 }
}

fn glsl_name(m: &Module<'_>, function: Id) -> String {
    let name = m.name(function).expect("the functions of a library have names");
    name.split('(').next().unwrap_or_default().to_owned()
}

/// Links the functions `names` of `library`, and the functions that they call, into the module of `p`. Returns the
/// ids of `names`, in order. Each call of `link` creates separate copies.
///
/// The copies use the module's own types, constants and extended instruction sets where these exist.
///
/// # Panics
///
/// If the library lacks a function, which cannot happen, as libraries are part of this crate.
pub fn link(
    p: &mut Patch<'_, '_>,
    library: &Library,
    names: &[&str],
    hooks: &[Hook<'_>],
) -> Vec<Id> {
    let functions = vec![None; library.functions.len()];
    let globals = vec![None; library.globals.len()];
    let scratch = Vec::with_capacity(FIRST_SCRATCH);
    let mut linker = Linker { library, functions, globals, scratch };
    for hook in hooks {
        linker.functions[library.number(hook.name) as usize] = Some(hook.function);
    }

    let needed = linker.needed(names.iter().map(|name| library.number(name)));
    for number in &needed {
        let new = p.id();
        linker.functions[*number as usize] = Some(new);
        p.name(new, &library.functions[*number as usize].name);
    }
    for number in &needed {
        linker.copy(p, &library.functions[*number as usize]);
    }
    needed[..names.len()].iter().map(|root| linker.function(*root)).collect()
}

/// Most declarations have at most this number of operands.
const FIRST_SCRATCH: usize = 8;

struct Linker<'l> {
    library: &'l Library,
    /// The ids in the module, indexed by the numbers in the library.
    functions: Vec<Option<Id>>,
    globals: Vec<Option<Id>>,
    /// A buffer for the operands of a declaration.
    scratch: Vec<u32>,
}

impl Linker<'_> {
    fn function(&self, number: u32) -> Id {
        self.functions[number as usize].expect("all needed functions were linked")
    }

    fn global(&self, number: u32) -> Id {
        self.globals[number as usize].expect("a global follows the ids that it uses")
    }

    /// Returns the functions `roots`, then the functions that they call, each once. Skips functions that hooks
    /// replace.
    fn needed(&self, roots: impl Iterator<Item = u32>) -> Vec<u32> {
        let mut needed = Vec::with_capacity(self.functions.len());
        needed.extend(roots);
        let mut next = 0;
        while let Some(number) = needed.get(next).copied() {
            next += 1;
            for callee in &self.library.functions[number as usize].calls {
                if !needed.contains(callee) && self.functions[*callee as usize].is_none() {
                    needed.push(*callee);
                }
            }
        }
        needed
    }

    fn copy(&mut self, p: &mut Patch<'_, '_>, object: &Object) {
        for number in &object.globals {
            if self.globals[*number as usize].is_none() {
                self.globals[*number as usize] = Some(self.declare(p, *number));
            }
        }
        let first = p.ids(object.results).word();
        for (result, decoration) in &object.decorated {
            let result = Id::new(first + result).expect("the first id is not 0");
            p.decorate(result, *decoration, &[]);
        }
        let at = p.slot();
        let words = p.insert_words(at, &object.words);
        for (at, source) in &object.ids {
            words[*at as usize] = match *source {
                Source::Result(number) => first + number,
                Source::Global(number) => self.global(number).word(),
                Source::Function(number) => self.function(number).word(),
            };
        }
    }

    /// Declares a global. Its operands must already be declared.
    fn declare(&mut self, p: &mut Patch<'_, '_>, number: u32) -> Id {
        match &self.library.globals[number as usize] {
            Global::Import(name) => p.import(name),
            Global::Declaration { op, operands, ids } => {
                let mut words = std::mem::take(&mut self.scratch);
                words.clear();
                words.extend_from_slice(operands);
                for (at, global) in ids {
                    words[*at] = self.global(*global).word();
                }
                let new = p.declare(*op, &words);
                self.scratch = words;
                new
            }
        }
    }
}
