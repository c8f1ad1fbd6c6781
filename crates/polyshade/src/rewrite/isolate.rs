//! Clones the functions and declarations that an entry point shares with other entry points, before a lowering
//! changes it.

use super::copy_annotations;
use crate::code::{self, refuse_at};
use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};
use polyshade_spv::view::{AnyVariable, EntryPoint, Variable};
use polyshade_spv::{
    Decoration, Error, ExecutionModel, Id, Inst, Module, Op, Patch, Position, Rewritten, Section,
    StorageClass, is_known,
};

/// Returns a version in which the entry point `name` shares no functions and no interface with other entry points. It
/// has its own functions, `Private` variables, interface variables, and structures of these variables. If the entry
/// point already shares nothing, for example because it is the only one, the module does not change.
///
/// # Errors
///
/// `NotFound`: there is no such entry point. `Unsupported`: a function that must be cloned contains an unknown
/// instruction.
pub fn isolate<'m>(
    m: &'m Module<'_>,
    name: &str,
    model: ExecutionModel,
) -> Result<Rewritten<'m, Origins>, Error> {
    m.rewrite(|m, p| {
        let entry = m.entry_point(name, model)?;
        if m.entry_points().len() == 1 {
            return Ok(Origins::default());
        }
        let mut clones = Clones::find(m, entry);
        if clones.functions.is_empty() && clones.globals.is_empty() {
            return Ok(Origins::default());
        }
        clones.check(m)?;
        clones.assign(m, p);
        clones.emit(m, p, entry);
        Ok(Origins(clones.map.into_iter().map(|(old, new)| (new, old)).collect()))
    })
}

/// Maps cloned ids to the ids that they were cloned from.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Origins(HashMap<Id, Id>);

impl Origins {
    /// Returns the id that `id` was cloned from, or `id` itself.
    pub fn of(&self, id: Id) -> Id {
        self.0.get(&id).copied().unwrap_or(id)
    }
}

/// The functions and declarations to clone.
struct Clones<'m> {
    /// Functions that only this entry point reaches. They are changed in place.
    own: Vec<Id>,
    /// Functions that are shared with other entry points.
    functions: Vec<Id>,
    /// Shared module-scope declarations, and declarations that refer to one of these, in the order of the module.
    globals: Vec<Inst<'m>>,
    /// Maps original ids to the ids of their clones.
    map: HashMap<Id, Id>,
}

impl<'m> Clones<'m> {
    fn find(m: &'m Module<'_>, entry: EntryPoint<'m>) -> Self {
        let mine = m.reachable(entry.function());
        let others: Vec<_> =
            m.entry_points().filter(|other| other.inst().at() != entry.inst().at()).collect();
        let theirs = m.reachable_from(others.iter().map(|other| other.function()));
        let theirs: HashSet<Id> = theirs.into_iter().collect();
        let (functions, own): (Vec<Id>, Vec<Id>) = mine.iter().partition(|id| theirs.contains(id));

        let my_globals = globals_of(m, mine.iter().copied(), [entry]);
        let their_globals = globals_of(m, theirs.iter().copied(), others.iter().copied());
        let mut shared: HashSet<Id> = my_globals.intersection(&their_globals).copied().collect();
        shared.extend(shared_structures(m, &my_globals, &their_globals));

        // Types, constants and variables that refer to a shared declaration are cloned, too, except variables of
        // other entry points.
        let mut globals = Vec::new();
        for inst in m.section(Section::Globals) {
            let Some(result) = inst.result() else { continue };
            let mut names_shared = false;
            m.for_each_operand(inst, |_, id, certain| {
                names_shared |= certain && shared.contains(&id)
            });
            let wanted = AnyVariable::of(inst).is_none() || my_globals.contains(&result);
            if shared.contains(&result) || names_shared && wanted {
                shared.insert(result);
                globals.push(inst);
            }
        }
        Self { own, functions, globals, map: HashMap::new() }
    }

    /// Fails for unknown instructions. They cannot be cloned because they may use or define any id.
    fn check(&self, m: &Module<'_>) -> Result<(), Error> {
        for function in &self.functions {
            let body = m.function(*function).expect("a reachable function is defined");
            if let Some(inst) = body.instructions().find(|inst| !is_known(inst.op())) {
                let message = "a function that two entry points share has an unknown instruction";
                return refuse_at(&code::SPIRV_UNKNOWN_INSTRUCTION, message, *function, inst);
            }
        }
        Ok(())
    }

    /// Assigns an id to every clone, including clones of ids inside functions.
    fn assign(&mut self, m: &'m Module<'_>, p: &mut Patch<'m, '_>) {
        let inner = self
            .functions
            .iter()
            .filter_map(|id| m.function(*id))
            .flat_map(|body| body.instructions());
        for inst in self.globals.iter().copied().chain(inner) {
            let Some(old) = inst.result() else { continue };
            let new = p.id();
            self.map.insert(old, new);
            copy_annotations(m, p, (old, new), |_| true);
        }
    }

    fn emit(&self, m: &'m Module<'_>, p: &mut Patch<'m, '_>, entry: EntryPoint<'m>) {
        for inst in &self.globals {
            self.clone_inst(m, p, *inst, inst.after());
        }
        for function in &self.functions {
            let at = p.slot();
            for inst in
                m.function(*function).expect("a reachable function is defined").instructions()
            {
                self.clone_inst(m, p, inst, at);
            }
        }
        for function in &self.own {
            for inst in
                m.function(*function).expect("a reachable function is defined").instructions()
            {
                m.for_each_operand(inst, |operand, id, _| {
                    // All operands of extended instructions are treated as ids. Unknown instructions do not change.
                    if let Some(new) = self.map.get(&id).filter(|_| is_known(inst.op())) {
                        p.overwrite(operand, new.word());
                    }
                });
            }
        }

        for id in entry.interface() {
            if let Some(new) = self.map.get(&id) {
                p.leave_interface(entry, id);
                p.join_interface(entry, *new);
            }
        }
        if let Some(new) = self.map.get(&entry.function()) {
            p.set_entry_function(entry, *new);
            for mode in m.modes(entry.function()) {
                let mut words = mode.inst().words()[1..].to_vec();
                words[0] = new.word();
                p.insert(p.end_of(Section::ExecutionModes), mode.inst().op(), &words);
            }
        }
    }

    fn clone_inst(&self, m: &Module<'_>, p: &mut Patch<'m, '_>, inst: Inst<'_>, at: Position<'m>) {
        let mut words = inst.words()[1..].to_vec();
        m.for_each_operand(inst, |operand, id, _| {
            if let Some(new) = self.map.get(&id) {
                words[operand.word() - 1] = new.word();
            }
        });
        if let Some(result) = inst.result() {
            let word = if inst.result_type().is_some() { 1 } else { 0 };
            words[word] = self.map[&result].word();
        }
        p.insert(at, inst.op(), &words);
    }
}

/// Returns the `Private` and interface variables that the functions use or the entry points list.
fn globals_of<'m>(
    m: &'m Module<'_>,
    functions: impl IntoIterator<Item = Id>,
    entries: impl IntoIterator<Item = EntryPoint<'m>>,
) -> HashSet<Id> {
    let is_cloned = |id: Id| {
        let variable = m.definition(id).and_then(Variable::of);
        let class = variable.map(|variable| variable.storage_class());
        matches!(class, Some(StorageClass::PRIVATE | StorageClass::INPUT | StorageClass::OUTPUT))
            && variable
                .is_some_and(|variable| variable.inst().at() < m.section_end(Section::Globals))
    };
    let mut used = HashSet::new();
    // Collect the variables that the functions use, and the variables that only the interfaces list.
    for body in functions.into_iter().filter_map(|id| m.function(id)) {
        for inst in body.instructions() {
            m.for_each_operand(inst, |_, id, _| {
                if is_cloned(id) {
                    used.insert(id);
                }
            });
        }
    }
    for entry in entries {
        used.extend(entry.interface().filter(|id| is_cloned(*id)));
    }
    used
}

/// Returns the structures that variables of both sets use. Only blocks and structures with built-ins or locations
/// count.
fn shared_structures(m: &Module<'_>, mine: &HashSet<Id>, theirs: &HashSet<Id>) -> Vec<Id> {
    let structures = |variables: &HashSet<Id>| -> HashSet<Id> {
        variables
            .iter()
            .filter(|id| m.storage_class(**id) != Some(StorageClass::PRIVATE))
            .filter_map(|id| m.pointer(m.type_of(*id)?))
            .map(|(_, pointee)| m.innermost_element(pointee))
            .filter(|structure| {
                let of_interface = [Decoration::BLOCK, Decoration::BUILT_IN, Decoration::LOCATION];
                m.definition(*structure).is_some_and(|inst| inst.op() == Op::TYPE_STRUCT)
                    && m.decorations_of(*structure)
                        .any(|applied| of_interface.contains(&applied.decoration))
            })
            .collect()
    };
    structures(mine).intersection(&structures(theirs)).copied().collect()
}
