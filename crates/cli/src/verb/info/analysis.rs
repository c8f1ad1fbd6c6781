//! Analyses a module once for all its entry points. A module may have thousands.

use polyshade::Module;
use polyshade::spv::view::{AnyVariable, FunctionCall, Inst, Mode};
use polyshade::spv::{BuiltIn, ExecutionMode, Id, Section};
use std::collections::{BTreeSet, HashMap, HashSet};

/// The functions of a module, the resources that each function uses, and the execution modes.
pub(super) struct Analysis<'m> {
    resources: Vec<AnyVariable<'m>>,
    functions: HashMap<Id, Function>,
    modes: HashMap<(Id, ExecutionMode), Mode<'m>>,
    /// The constant with the decoration `WorkgroupSize`.
    pub(super) workgroup_size: Option<Inst<'m>>,
}

#[derive(Default)]
struct Function {
    instructions: usize,
    calls: Vec<Id>,
    /// Indices into the resources of the module.
    resources: BTreeSet<usize>,
}

/// The instructions and resources that are reachable from an entry point.
pub(super) struct Reached<'m> {
    pub(super) instructions: usize,
    /// The resources, in the order in which the module declares them.
    pub(super) resources: Vec<AnyVariable<'m>>,
}

impl<'m> Analysis<'m> {
    pub(super) fn new(m: &'m Module<'_>) -> Self {
        let resources: Vec<AnyVariable<'m>> = m.resources().collect();
        let mut functions: HashMap<Id, Function> = HashMap::new();
        for body in m.functions() {
            let function = functions.entry(body.id()).or_default();
            function.instructions = body.instructions().count();
            let calls = body.instructions().filter_map(FunctionCall::of);
            function.calls = calls.map(FunctionCall::function).collect();
        }
        for (number, resource) in resources.iter().enumerate() {
            let users = m.uses_of(resource.result());
            for body in users.filter_map(|user| m.function_around(user.at())) {
                functions.entry(body.id()).or_default().resources.insert(number);
            }
        }
        let mut modes = HashMap::new();
        for mode in m.section(Section::ExecutionModes).filter_map(Mode::of) {
            modes.entry((mode.entry_point(), mode.mode())).or_insert(mode);
        }
        let workgroup_size = m.section(Section::Globals).find(|inst| {
            inst.result().is_some_and(|id| m.builtin(id) == Some(BuiltIn::WORKGROUP_SIZE))
        });
        Self { resources, functions, modes, workgroup_size }
    }

    /// Returns the instructions and resources that are reachable from this entry point function.
    pub(super) fn reached(&self, function: Id) -> Reached<'m> {
        let (mut seen, mut open) = (HashSet::from([function]), vec![function]);
        let (mut instructions, mut used) = (0, BTreeSet::new());
        while let Some(function) = open.pop().and_then(|id| self.functions.get(&id)) {
            instructions += function.instructions;
            used.extend(&function.resources);
            open.extend(function.calls.iter().filter(|callee| seen.insert(**callee)));
        }
        let resources = used.into_iter().map(|number: usize| self.resources[number]).collect();
        Reached { instructions, resources }
    }

    /// Returns an execution mode of the entry point with this function.
    pub(super) fn mode(&self, function: Id, mode: ExecutionMode) -> Option<Mode<'m>> {
        self.modes.get(&(function, mode)).copied()
    }
}
