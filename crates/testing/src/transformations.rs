//! Transformations that keep the effect of a shader: other ids, dead code, unknown and non-semantic instructions, and
//! outlined functions. Lowering the transformed shader must have the same effect as lowering the original, so the
//! [canonical](canonical()) forms of the results must be equal.

mod canonical;

pub use canonical::canonical;

use crate::{Choices, Trial};
use polyshade::Module;
use polyshade::spv::view::EntryPoint;
use polyshade::spv::{Id, Inst, Op, Section, StorageClass, is_known};
use std::collections::HashMap;

/// An opcode that no grammar defines.
pub const UNKNOWN: Op = Op(0x7ffe);

/// A non-semantic instruction set that no tool knows, and the instruction set that contains debug scopes.
const NOTES: &str = "NonSemantic.Polyshade.Notes";
const SCOPES: &str = "NonSemantic.Shader.DebugInfo.100";
/// Merge instructions, and terminators that debug scopes may follow.
const ENDS: [Op; 9] = [
    Op::SELECTION_MERGE,
    Op::LOOP_MERGE,
    Op::BRANCH,
    Op::BRANCH_CONDITIONAL,
    Op::SWITCH,
    Op::RETURN,
    Op::RETURN_VALUE,
    Op::KILL,
    Op::UNREACHABLE,
];
/// The number of the instruction `DebugNoScope`.
const NO_SCOPE: u32 = 24;
const NOTES_EXTENSION: &str = "SPV_KHR_non_semantic_info";

/// Transformations of a shader that keep its effect.
#[derive(Clone, Copy, Debug)]
pub struct Transformations {
    /// Renumbers the ids.
    pub permuted: bool,
    /// Adds unused values and a function that nothing calls.
    pub dead_code: bool,
    /// Adds instructions with an unknown opcode and without operands.
    pub unknown: bool,
    /// Moves some stores to outputs and some additions, subtractions and products into functions.
    pub outlined: bool,
    /// Adds non-semantic instructions for variables and values. Ends debug scopes after terminators, as spirv-opt
    /// does.
    pub annotated: bool,
}

impl Transformations {
    /// No transformation.
    pub const NONE: Self = Self {
        permuted: false,
        dead_code: false,
        unknown: false,
        outlined: false,
        annotated: false,
    };

    /// Chooses each transformation at random.
    pub fn any(choices: &mut Choices) -> Self {
        let [permuted, dead_code, unknown, outlined, annotated] = [(); 5].map(|()| choices.maybe());
        Self { permuted, dead_code, unknown, outlined, annotated }
    }

    /// Returns the transformed words, or `None` if unknown instructions hide some ids of the module.
    pub fn words(self, module: &Module<'_>, choices: &mut Choices) -> Option<Vec<u32>> {
        if !module.instructions().all(|inst| is_known(inst.op())) {
            return None;
        }
        let padded = Padding::new(self, module).words(choices);
        if !self.permuted {
            return Some(padded);
        }
        let padded = Module::parse(&padded).expect("padding keeps a module well-formed");
        Some(permute(&padded, choices))
    }
}

/// Checks that `trial`, with the same options, gives modules of equal effect for a module and its transformed form.
///
/// # Errors
///
/// A description of the difference.
pub fn check_transformed(
    trial: &Trial,
    module: &Module<'_>,
    entry: EntryPoint<'_>,
    transformations: Transformations,
    choices: &mut Choices,
) -> Result<(), String> {
    let options = *choices;
    let transformations = Transformations {
        unknown: transformations.unknown && !trial.eliminates(),
        outlined: transformations.outlined && !trial.splits(),
        ..transformations
    };
    let Ok(expected) = trial.attempt(module, entry, &mut options.clone()) else { return Ok(()) };
    let Some(words) = transformations.words(module, choices) else { return Ok(()) };
    let transformed =
        Module::parse(&words).map_err(|error| format!("{transformations:?}: {error}"))?;
    let entry = transformed
        .entry_point(&entry.name(), entry.model())
        .map_err(|error| format!("{transformations:?}: {error}"))?;
    let found = match trial.attempt(&transformed, entry, &mut options.clone()) {
        Ok(found) => found,
        // The effect of an unknown instruction is unknown.
        Err(_) if transformations.unknown => return Ok(()),
        Err(error) => return Err(format!("{transformations:?}: refused: {error}")),
    };
    if expected.len() != found.len() {
        return Err(format!(
            "{transformations:?}: {} and {} variants",
            expected.len(),
            found.len()
        ));
    }
    for ((name, expected), (_, found)) in expected.iter().zip(&found) {
        let (expected, found) = (canonical(expected), canonical(found));
        let differs = |(one, other): (&Vec<u32>, &Vec<u32>)| one != other;
        if let Some(at) = expected.iter().zip(&found).position(differs) {
            let (one, other) = (&expected[at], &found[at]);
            return Err(format!(
                "{transformations:?}: {name}: instruction {at}: {one:x?}, {other:x?}"
            ));
        }
        if expected.len() != found.len() {
            let lengths = (expected.len(), found.len());
            return Err(format!("{transformations:?}: {name}: {lengths:?} instructions"));
        }
    }
    Ok(())
}

/// Returns the words with permuted ids.
fn permute(module: &Module<'_>, choices: &mut Choices) -> Vec<u32> {
    let mut ids: Vec<u32> = (0..module.bound()).collect();
    for last in (2..ids.len()).rev() {
        ids.swap(last, 1 + choices.below(last as u32) as usize);
    }
    let mut words = module.words().to_vec();
    for inst in module.instructions() {
        module.for_each_operand(inst, |operand, id, _| {
            words[operand.at() as usize] = ids[id.word() as usize];
        });
        if let Some(id) = inst.result() {
            let place = inst.words().iter().skip(1).position(|word| *word == id.word());
            let place = if inst.result_type().is_some() { Some(1) } else { place };
            let at = inst.at() as usize + 1 + place.expect("the result is one of the words");
            words[at] = ids[id.word() as usize];
        }
    }
    words
}

/// Inserts instructions into a module.
struct Padding<'m> {
    transformations: Transformations,
    module: &'m Module<'m>,
    bound: u32,
    /// Constants that unused instructions copy, each with its type.
    constants: Vec<[u32; 2]>,
    /// The function types of outlined functions, by result and parameter types, and the words that declare new types.
    types: HashMap<Vec<u32>, u32>,
    globals: Vec<u32>,
    functions: Vec<u32>,
    /// The ids of the type `void`, the instruction set of notes and that of debug scopes, if notes are added.
    notes: Option<[u32; 3]>,
}

impl<'m> Padding<'m> {
    fn new(transformations: Transformations, module: &'m Module<'m>) -> Self {
        let mut constants = Vec::new();
        let mut types = HashMap::new();
        for inst in module.section(Section::Globals) {
            match inst.op() {
                Op::CONSTANT => constants.push([inst.words()[1], inst.words()[2]]),
                Op::TYPE_FUNCTION => {
                    types.insert(inst.words()[2..].to_vec(), inst.words()[1]);
                }
                _ => {}
            }
        }
        let bound = module.bound();
        Self {
            transformations,
            module,
            bound,
            constants,
            types,
            globals: Vec::new(),
            functions: Vec::new(),
            notes: None,
        }
    }

    fn words(mut self, choices: &mut Choices) -> Vec<u32> {
        let m = self.module;
        if self.transformations.annotated {
            self.annotate(choices);
        }
        let mut code = Vec::new();
        for function in m.functions() {
            let (mut can_insert, mut is_terminated) = (false, false);
            let mut last = None;
            for inst in function.instructions() {
                match inst.op() {
                    Op::LABEL => {
                        if is_terminated && choices.maybe() {
                            self.end_scope(&mut code);
                        }
                        (can_insert, is_terminated) = (true, true);
                    }
                    Op::VARIABLE | Op::PHI | Op::LINE | Op::NO_LINE => {}
                    Op::FUNCTION | Op::FUNCTION_PARAMETER | Op::FUNCTION_END => can_insert = false,
                    _ if can_insert && choices.below(4) == 0 => {
                        self.pad(&mut code, choices);
                        if let Some(value) = last {
                            self.note(&mut code, value);
                        }
                    }
                    _ => {}
                }
                // A sampled image may be used only by sampling instructions.
                let is_value = !matches!(inst.op(), Op::LABEL | Op::SAMPLED_IMAGE);
                last = inst.result().filter(|_| is_value).map(Id::word);
                // A branch must follow its merge instruction, and only debug scopes may follow a terminator.
                if ENDS.contains(&inst.op()) {
                    can_insert = false;
                }
                match self.outlined(inst, choices) {
                    Some(call) if can_insert => code.extend(call),
                    _ => code.extend_from_slice(inst.words()),
                }
            }
        }
        if self.transformations.dead_code {
            self.dead_function();
        }
        let mut words = self.preamble();
        words[3] = self.bound;
        words.extend(self.globals);
        words.extend(code);
        words.extend(self.functions);
        words
    }

    fn id(&mut self) -> u32 {
        self.bound += 1;
        self.bound - 1
    }

    /// Returns the module's words before the functions, including the additional extension and instruction sets.
    fn preamble(&self) -> Vec<u32> {
        let m = self.module;
        let [capabilities, imports, globals] =
            [Section::Capabilities, Section::Extensions, Section::Globals]
                .map(|section| m.section_end(section) as usize);
        let mut words = m.words()[..capabilities].to_vec();
        if self.notes.is_some() {
            push(&mut words, Op::EXTENSION, &text(NOTES_EXTENSION));
        }
        words.extend_from_slice(&m.words()[capabilities..imports]);
        for (set, name) in
            self.notes.into_iter().flat_map(|[_, notes, scopes]| [(notes, NOTES), (scopes, SCOPES)])
        {
            push(&mut words, Op::EXT_INST_IMPORT, &[&[set], text(name).as_slice()].concat());
        }
        words.extend_from_slice(&m.words()[imports..globals]);
        words
    }

    /// Adds notes for the module's variables. Types and constants get no notes, because a note would keep unused ones
    /// alive.
    fn annotate(&mut self, choices: &mut Choices) {
        let mut globals = self.module.section(Section::Globals);
        let Some(void) = globals.find(|inst| inst.op() == Op::TYPE_VOID) else { return };
        self.notes = Some([void.words()[1], self.id(), self.id()]);
        let mut notes = Vec::new();
        for variable in self.module.variables() {
            if choices.maybe() {
                self.note(&mut notes, variable.result().word());
            }
        }
        self.globals.extend(notes);
    }

    /// Adds a note for `id`, if notes are enabled.
    fn note(&mut self, code: &mut Vec<u32>, id: u32) {
        if let Some([void, set, _]) = self.notes {
            let note = self.id();
            push(code, Op::EXT_INST, &[void, note, set, 1, id]);
        }
    }

    /// Ends a debug scope, if notes are enabled.
    fn end_scope(&mut self, code: &mut Vec<u32>) {
        if let Some([void, _, set]) = self.notes {
            let end = self.id();
            push(code, Op::EXT_INST, &[void, end, set, NO_SCOPE]);
        }
    }

    /// Adds an instruction without effect.
    fn pad(&mut self, code: &mut Vec<u32>, choices: &mut Choices) {
        if self.transformations.unknown && choices.maybe() {
            code.push(1 << 16 | u32::from(UNKNOWN.0));
        }
        if self.transformations.dead_code && !self.constants.is_empty() {
            let [ty, constant] = choices.of(&self.constants);
            let id = self.id();
            push(code, Op::COPY_OBJECT, &[ty, id, constant]);
        }
    }

    fn dead_function(&mut self) {
        let Some(void) = self.module.section(Section::Globals).find(|i| i.op() == Op::TYPE_VOID)
        else {
            return;
        };
        self.function(void.words()[1], &[], |_, code, _| push(code, Op::RETURN, &[]));
    }

    /// Returns a call that replaces `inst`, if `inst` can be moved into a function.
    fn outlined(&mut self, inst: Inst<'_>, choices: &mut Choices) -> Option<Vec<u32>> {
        if !self.transformations.outlined {
            return None;
        }
        let m = self.module;
        let words = inst.words();
        let type_of = |word: u32| Some(m.type_of(Id::new(word)?)?.word());
        let mut call = Vec::new();
        match inst.op() {
            Op::STORE if words.len() == 3 => {
                let pointer = Id::new(words[1])?;
                let is_output = m.storage_class(pointer) == Some(StorageClass::OUTPUT)
                    && m.definition(pointer).is_some_and(|inst| inst.op() == Op::VARIABLE);
                let is_void = |ty: &Inst<'_>| ty.op() == Op::TYPE_VOID;
                let void = m.section(Section::Globals).find(is_void)?.words()[1];
                let value = type_of(words[2])?;
                if !is_output || choices.maybe() {
                    return None;
                }
                let function = self.function(void, &[value], |_, code, parameters| {
                    push(code, Op::STORE, &[words[1], parameters[0]]);
                    push(code, Op::RETURN, &[]);
                });
                let id = self.id();
                push(&mut call, Op::FUNCTION_CALL, &[void, id, function, words[2]]);
            }
            Op::F_ADD | Op::F_MUL | Op::F_SUB if words.len() == 5 => {
                // The decorations of a value affect how it is computed, so they must stay with the instruction.
                if m.is_decorated(inst.result()?) || choices.maybe() {
                    return None;
                }
                let (ty, operands) = (words[1], [words[3], words[4]]);
                let types = [type_of(operands[0])?, type_of(operands[1])?];
                let op = inst.op();
                let function = self.function(ty, &types, |this, code, parameters| {
                    let id = this.id();
                    push(code, op, &[ty, id, parameters[0], parameters[1]]);
                    push(code, Op::RETURN_VALUE, &[id]);
                });
                let [left, right] = operands;
                push(&mut call, Op::FUNCTION_CALL, &[ty, words[2], function, left, right]);
            }
            _ => return None,
        }
        Some(call)
    }

    /// Adds a function of one block.
    fn function(
        &mut self,
        result: u32,
        parameters: &[u32],
        // Reuse the function type if there is one.
        body: impl FnOnce(&mut Self, &mut Vec<u32>, &[u32]),
    ) -> u32 {
        let key = [&[result], parameters].concat();
        let ty = match self.types.get(&key) {
            Some(ty) => *ty,
            None => {
                let ty = self.id();
                push(&mut self.globals, Op::TYPE_FUNCTION, &[&[ty], key.as_slice()].concat());
                self.types.insert(key, ty);
                ty
            }
        };
        // Emit the function around its body.
        let (function, label) = (self.id(), self.id());
        let mut code = Vec::new();
        push(&mut code, Op::FUNCTION, &[result, function, 0, ty]);
        let mut own = Vec::new();
        for parameter in parameters {
            own.push(self.id());
            push(&mut code, Op::FUNCTION_PARAMETER, &[*parameter, own[own.len() - 1]]);
        }
        push(&mut code, Op::LABEL, &[label]);
        body(self, &mut code, &own);
        push(&mut code, Op::FUNCTION_END, &[]);
        self.functions.extend(code);
        function
    }
}

/// Encodes a string as SPIR-V words.
pub(crate) fn text(text: &str) -> Vec<u32> {
    let mut bytes = text.as_bytes().to_vec();
    bytes.resize((text.len() / 4 + 1) * 4, 0);
    bytes.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
}

/// Appends an instruction.
pub(crate) fn push(words: &mut Vec<u32>, op: Op, operands: &[u32]) {
    let length =
        u16::try_from(operands.len() + 1).expect("an instruction has at most 65,535 words");
    words.push(u32::from(length) << 16 | u32::from(op.0));
    words.extend_from_slice(operands);
}
