//! Visits everything that the entry points reach, and fills the [analysis](super::analysis).

use super::analysis::{Analysis, WORDS_A_POINTER};
use super::index::{At, Block, Function, Index, all_of};
use super::kinds::{Kind, kind};
use super::notes::{Note, Set};
use super::options::{DceOptions, Effects};
use super::parts::Owner;
use super::pointers;
use super::records::{CallRecord, FunctionRecord, ParameterRecord, ValueRecord};
use super::types::{is_data, stores};
use crate::effects::changes_memory;
use polyshade_spv::view::{ExtInst, ExtInstImport, FunctionCall, Variable};
use polyshade_spv::{
    Decoration, ExecutionModel, GlslOp, Id, Inst, Module, Op, StorageClass, is_debug_set,
};

/// The state of the walk.
struct Walk<'m, 'w> {
    analysis: Analysis<'m, 'w>,
    /// Access chains and copies of pointers, and instructions that write memory.
    pointers: Vec<At>,
    writes: Vec<At>,
    drops_effects: bool,
    /// Whether other invocations see the outputs, as in tessellation control stages.
    shares_outputs: bool,
}

/// Analyses `m`, and finds the possible writers of each part.
pub(super) fn analysis<'m, 'w>(m: &'m Module<'w>, wanted: &DceOptions) -> Analysis<'m, 'w> {
    let few = || Vec::with_capacity(m.words().len() / WORDS_A_POINTER);
    let mut walk = Walk {
        analysis: Analysis::new(m),
        pointers: few(),
        writes: few(),
        drops_effects: wanted.effects != Effects::Stay,
        shares_outputs: m
            .entry_points()
            .any(|entry| entry.model() == ExecutionModel::TESSELLATION_CONTROL),
    };
    walk.globals();
    // Visit functions that are kept as a whole first, so that functions that they share with others are kept too.
    for reduces in [false, true] {
        let first = walk.analysis.functions.next();
        walk.analysis.first_reduced = first;
        for entry in m.entry_points().filter(|entry| wanted.reduces(*entry) == reduces) {
            walk.enter(entry.function());
        }
        if !reduces {
            walk.annotated();
        }
        walk.functions(first);
    }
    let mut analysis = walk.analysis;
    pointers::resolve(&mut analysis, &walk.pointers);
    pointers::add_writes(&mut analysis, &walk.writes, walk.drops_effects);
    analysis
}

impl<'m> Walk<'m, '_> {
    fn globals(&mut self) {
        for inst in self.analysis.m.preamble() {
            let at = At::of(inst);
            match inst.op() {
                Op::TYPE_STRUCT => {
                    let first = Index::new(self.analysis.members as usize);
                    self.analysis.notes.set_note(at, Note::Structure(first));
                    self.analysis.members += inst.words().len() as u32 - 2;
                }
                Op::TYPE_ARRAY | Op::TYPE_RUNTIME_ARRAY => {
                    self.analysis.notes.set_note(at, Note::Array)
                }
                Op::VARIABLE => self.variable(inst, Owner::Module),
                Op::DECORATION_GROUP => self.analysis.has_groups = true,
                Op::DECORATE if inst.words()[2] != Decoration::BUILT_IN.0 => {}
                Op::DECORATE | Op::DECORATE_ID | Op::EXECUTION_MODE_ID => {
                    self.analysis.annotations.push(at);
                }
                Op::EXT_INST_IMPORT => {
                    let import = ExtInstImport::of(inst).expect("it is an import");
                    self.analysis.notes.set_note(at, Note::Set(set_named(&import.name())));
                }
                op if kind(op) == Kind::Unknown => self.analysis.annotations.push(at),
                _ => {}
            }
        }
    }

    /// Enters the functions that unknown annotations refer to. Nothing in these functions can be removed.
    fn annotated(&mut self) {
        let m = self.analysis.m;
        for number in 0..self.analysis.annotations.len() {
            let inst = self.analysis.inst(self.analysis.annotations[number]);
            if kind(inst.op()) != Kind::Unknown {
                continue;
            }
            let mut named = Vec::new();
            m.for_each_operand(inst, |_, id, _| named.extend(m.definition(id)));
            for function in named.into_iter().filter_map(|inst| m.function_around(inst.at())) {
                self.enter(function.id());
            }
        }
    }

    fn variable(&mut self, inst: Inst<'m>, owner: Owner) {
        let variable = Variable::of(inst).expect("it is a variable");
        if self.is_own(variable.storage_class()) {
            let part = self.analysis.parts.add_root(owner);
            self.analysis.notes.set_note(At::of(inst), Note::Part(part));
        }
    }

    /// Whether only the invocation itself sees memory of this storage class while it runs.
    fn is_own(&self, class: StorageClass) -> bool {
        match class {
            StorageClass::FUNCTION | StorageClass::PRIVATE => true,
            StorageClass::OUTPUT => !self.shares_outputs,
            _ => false,
        }
    }

    /// Returns the function `id`. A new function is added, to be visited later.
    fn enter(&mut self, id: Id) -> Option<Function> {
        if let Some(function) = self.analysis.function(id) {
            return Some(function);
        }
        let body = self.analysis.m.function(id)?;
        let none = self.analysis.parameters.next();
        let at = At::from_word(body.at());
        let function = self.analysis.functions.push(FunctionRecord {
            at,
            end: body.end(),
            body: None,
            parameters: none..none,
            calls: None,
            live_calls: None,
            early_returns: 0..0,
            returned: 0..0,
            has_effect: false,
            result_wanted: false,
            result_members: 0,
        });
        self.analysis.notes.set_note(at, Note::Function(function));
        Some(function)
    }

    /// Visits the functions from `next` on, including functions that are added meanwhile.
    fn functions(&mut self, mut next: Function) {
        while let Some(FunctionRecord { at, end, .. }) = self.analysis.functions.get(next) {
            let (at, end) = (*at, *end);
            let first_parameter = self.analysis.parameters.next();
            let first_block = self.analysis.graph.blocks.next();
            self.instructions(next, at.word(), end);

            let mut graph = std::mem::take(&mut self.analysis.graph);
            let block_of = |id| self.analysis.block(id).filter(|block| *block >= first_block);
            let (body, structured) = graph.structure(self.analysis.m, first_block, block_of);
            self.analysis.graph = graph;
            let function = &mut self.analysis.functions[next];
            function.parameters = first_parameter..self.analysis.parameters.next();
            function.body = Some(body);
            if !structured {
                self.analysis.endless.push((body, next));
            }
            self.returns(next, first_block);
            next = Function::new(next.number() + 1);
        }
    }

    fn returns(&mut self, function: Function, first_block: Block) {
        let Analysis { m, graph, functions, early_returns, returned, .. } = &mut self.analysis;
        let function = &mut functions[function];
        let (first_early, first) = (early_returns.len(), returned.len());
        for block in all_of(first_block..graph.blocks.next()) {
            let record = &graph.blocks[block];
            let kind = kind(m.inst_at(record.terminator.word()).op());
            if kind == Kind::ReturnValue {
                returned.push(block);
            }
            let returns = matches!(kind, Kind::Return | Kind::ReturnValue);
            if returns && record.inside != function.body {
                early_returns.push(block);
            }
        }
        function.early_returns = first_early..early_returns.len();
        function.returned = first..returned.len();
    }

    /// Visits the instructions of `function`, which are the words `at..end`.
    fn instructions(&mut self, function: Function, at: u32, end: u32) {
        let mut block = None;
        let mut next = at;
        while next < end {
            let inst = self.analysis.m.inst_at(next);
            let (at, kind) = (At::of(inst), kind(inst.op()));
            next = inst.end();
            match kind {
                Kind::Function | Kind::FunctionEnd => continue,
                Kind::Label => block = Some(self.analysis.graph.begin_block(at)),
                Kind::Parameter => self.parameter(inst, function),
                Kind::Line => {}
                _ => self.analysis.is_malformed |= block.is_none(),
            }
            if let Some(block) = block {
                self.analysis.notes.set_block(at, block);
                let block = &mut self.analysis.graph.blocks[block];
                // A block normally ends with its terminator, but spirv-opt writes debug scopes after it.
                if kind != Kind::Line && inst.op() != Op::EXT_INST {
                    block.terminator = at;
                }
                if kind == Kind::Merge {
                    block.merge = Some(at);
                }
            }
            match kind {
                Kind::Value | Kind::Extract => self.value(inst),
                _ => self.instruction(inst, kind, function),
            }
        }
        self.analysis.is_malformed |= block.is_none();
    }

    fn parameter(&mut self, inst: Inst<'m>, function: Function) {
        let at = At::of(inst);
        let parameter = self.analysis.parameters.next();
        let class = inst.result().and_then(|id| self.analysis.m.storage_class(id));
        let (mut part, mut value) = (None, None);
        // Pointers to memory of the invocation get a part, plain data gets a value.
        if class.is_some_and(|class| self.is_own(class)) {
            let own = self.analysis.parts.add_root(Owner::Parameter(parameter));
            self.analysis.notes.set_note(at, Note::Part(own));
            part = Some(own);
        } else if inst.result_type().is_some_and(|ty| is_data(self.analysis.m, ty)) {
            let (parameter, members, whole) = (Some(parameter), 0, false);
            let own = self.analysis.values.push(ValueRecord { at, parameter, members, whole });
            self.analysis.notes.set_note(at, Note::Value(own));
            value = Some(own);
        }
        self.analysis.parameters.push(ParameterRecord {
            at,
            function,
            part,
            value,
            read: false,
            wanted: false,
            written: false,
            reads: Vec::new(),
            waiting: Vec::new(),
        });
    }

    fn instruction(&mut self, inst: Inst<'m>, kind: Kind, function: Function) {
        let (m, at) = (self.analysis.m, At::of(inst));
        match kind {
            Kind::Chain | Kind::Copy => {
                if pointers::note(&mut self.analysis, inst) {
                    self.pointers.push(at);
                }
            }
            Kind::Variable => self.variable(inst, Owner::Function),
            Kind::Load if is_volatile(inst.words().get(4)) => self.analysis.roots.push(at),
            // With four words, the load has no memory operands, which may contain further ids.
            Kind::Load if inst.words().len() == 4 => {
                self.analysis.add_value(inst, inst.result_type());
            }
            Kind::Phi => self.analysis.add_value(inst, inst.result_type()),
            Kind::Store | Kind::CopyMemory => self.writes.push(at),
            Kind::Call => self.call(inst, function),
            Kind::Extended => {
                let call = ExtInst::of(inst).expect("it is an extended instruction");
                match self.analysis.set(call) {
                    Set::Glsl if stores(call) => self.writes.push(at),
                    Set::Glsl => {}
                    // Debug instructions do not access their operands.
                    Set::Debug => return,
                    Set::Other => self.analysis.roots.push(at),
                }
            }
            Kind::Effect if self.drops_effects && changes_memory(m, inst) => {
                self.analysis.dropped.push(at);
            }
            Kind::Declaration | Kind::Effect | Kind::Unknown => self.analysis.roots.push(at),
            _ => return,
        }
        if matches!(
            kind,
            Kind::CopyMemory | Kind::Call | Kind::Extended | Kind::Effect | Kind::Unknown
        ) {
            m.for_each_operand(inst, |_, id, _| {
                if let Some(part) = self.analysis.part(id) {
                    self.analysis.parts.root_mut(part).addressed = true;
                }
            });
        }
    }

    /// Records the structure that an instruction makes.
    #[inline]
    fn value(&mut self, inst: Inst<'m>) {
        let is_made = match inst.op() {
            Op::COMPOSITE_CONSTRUCT => true,
            Op::COMPOSITE_INSERT => inst.words().len() > 5,
            _ => false,
        };
        if is_made {
            self.analysis.add_value(inst, inst.result_type());
        }
    }

    fn call(&mut self, inst: Inst<'m>, caller: Function) {
        let at = At::of(inst);
        let view = FunctionCall::of(inst).expect("it is a call");
        let Some(callee) = self.enter(view.function()) else {
            self.analysis.roots.push(at);
            return;
        };
        let call = self.analysis.calls.next();
        let next = self.analysis.functions[callee].calls.replace(call);
        let (next_live, live) = (None, false);
        self.analysis.calls.push(CallRecord { at, caller, callee, next, next_live, live });
        self.analysis.notes.set_note(at, Note::Call(call));
        self.writes.push(at);
    }
}

fn is_volatile(memory_operands: Option<&u32>) -> bool {
    const VOLATILE: u32 = 1;
    memory_operands.is_some_and(|mask| mask & VOLATILE != 0)
}

fn set_named(name: &str) -> Set {
    match name {
        GlslOp::SET => Set::Glsl,
        _ if is_debug_set(name) => Set::Debug,
        _ => Set::Other,
    }
}
