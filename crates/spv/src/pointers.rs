//! The origin and the uses of pointers, through access chains, copies and function parameters.

use crate::grammar::{Op, StorageClass};
use crate::inst::{AccessChain, AnyVariable, FunctionCall, Inst};
use crate::module::FunctionBody;
use crate::scan::is_dense;
use crate::{Id, Module, Section};
use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};

/// All instructions in functions that use any of the searched variables or pointers into them.
#[derive(Debug, Default)]
pub struct Reach<'m> {
    /// Instructions whose result is a pointer into one of the variables: access chains, copies, phis, selects, and
    /// function parameters that receive such pointers.
    pub pointers: Vec<Inst<'m>>,
    /// Other instructions that use a variable or a pointer into one: loads, stores, calls and so on.
    pub uses: Vec<Inst<'m>>,
    /// Every call in the module, whatever its arguments.
    pub calls: Vec<FunctionCall<'m>>,
}

/// A set of ids with fast lookups.
enum IdSet {
    Dense(Vec<bool>),
    Sparse(HashSet<u32>),
}

impl IdSet {
    fn new(m: &Module<'_>) -> Self {
        if is_dense(m.bound(), m.words().len()) {
            Self::Dense(vec![false; m.bound() as usize])
        } else {
            Self::Sparse(HashSet::new())
        }
    }

    #[inline]
    fn contains(&self, word: u32) -> bool {
        match self {
            Self::Dense(ids) => is_set(ids, word),
            Self::Sparse(ids) => ids.contains(&word),
        }
    }

    #[inline]
    fn contains_any(&self, words: &[u32]) -> bool {
        match self {
            Self::Dense(ids) => words.iter().any(|word| is_set(ids, *word)),
            Self::Sparse(ids) => words.iter().any(|word| ids.contains(word)),
        }
    }

    /// Returns whether `id` is new.
    fn insert(&mut self, id: Id) -> bool {
        let word = id.word();
        let fresh = !self.contains(word);
        match self {
            // Ids that are not below the bound are never looked up, so they need no entry.
            Self::Dense(ids) => {
                if let Some(id) = ids.get_mut(word as usize) {
                    *id = true;
                }
            }
            Self::Sparse(ids) => {
                ids.insert(word);
            }
        }
        fresh
    }
}

#[inline]
fn is_set(ids: &[bool], word: u32) -> bool {
    ids.get(word as usize).copied().unwrap_or(false)
}

/// A search for the uses of variables. It walks through all functions once. Then it visits the uses of pointers that
/// were found only after the walk had passed the function that contains them.
struct Search<'m, 'w> {
    m: &'m Module<'w>,
    tracked: IdSet,
    /// Whether the search is still in the walk through all functions.
    first_walk: bool,
    /// Pointers whose uses still have to be visited.
    late: Vec<Id>,
    /// The offsets of all uses found. The set is filled at the end of the first walk, which visits each use only
    /// once.
    found: HashSet<u32>,
    reach: Reach<'m>,
}

impl Module<'_> {
    /// Finds all uses of `variables` and of pointers into them, including uses in functions that the pointers are
    /// passed to.
    pub fn reach(&self, variables: &[Id]) -> Reach<'_> {
        let mut tracked = IdSet::new(self);
        for id in variables {
            tracked.insert(*id);
        }
        let mut search = Search {
            m: self,
            tracked,
            first_walk: true,
            late: Vec::new(),
            found: HashSet::new(),
            reach: Reach::default(),
        };
        // First, one walk through all functions in order.
        for body in self.functions() {
            search.walk(body);
        }
        search.first_walk = false;
        if !search.late.is_empty() {
            search.found.extend(search.reach.uses.iter().map(|inst| inst.at()));
        }
        // Then the uses of pointers that were found too late for that walk.
        let functions = self.section_end(Section::Globals);
        while let Some(id) = search.late.pop() {
            for user in self.uses_of(id).filter(|user| user.at() >= functions) {
                search.look_at(user, user.at());
            }
        }
        search.reach
    }
}

impl<'m> Search<'m, '_> {
    fn walk(&mut self, body: FunctionBody<'m>) {
        for inst in body.instructions() {
            if let Some(call) = FunctionCall::of(inst) {
                self.reach.calls.push(call);
            }
            // The comparison may hit literals, so `look_at` checks each hit.
            if self.tracked.contains_any(&inst.words()[1..]) {
                self.look_at(inst, body.at());
            }
        }
    }

    /// Visits an instruction that may use a tracked pointer; `function` is the offset of its function.
    fn look_at(&mut self, inst: Inst<'m>, function: u32) {
        let mut uses = false;
        let mut makes_pointer = false;
        self.m.for_each_operand(inst, |_, id, _| {
            if self.tracked.contains(id.word()) {
                uses = true;
                makes_pointer |= points_into(inst, id);
            }
        });
        if !uses {
            return;
        }
        if makes_pointer {
            let result = inst.result().expect("an instruction that makes a pointer has a result");
            if self.tracked.insert(result) {
                self.reach.pointers.push(inst);
                if !self.first_walk {
                    self.late.push(result);
                }
            }
            return;
        }
        if self.first_walk || self.found.insert(inst.at()) {
            self.reach.uses.push(inst);
        }
        if let Some(call) = FunctionCall::of(inst) {
            self.enter(call, function);
        }
    }

    /// Tracks the parameters of the callee that receive a tracked pointer.
    fn enter(&mut self, call: FunctionCall<'m>, caller: u32) {
        let Some(callee) = self.m.function(call.function()) else { return };
        // Only the first walk visits later functions anyway; otherwise the parameter's uses need another visit.
        let late = callee.at() <= caller || !self.first_walk;
        for (argument, parameter) in call.arguments().zip(callee.parameters()) {
            if self.tracked.contains(argument.word()) && self.tracked.insert(parameter) {
                let inst = self.m.definition(parameter).expect("a parameter is defined");
                self.reach.pointers.push(inst);
                if late {
                    self.late.push(parameter);
                }
            }
        }
    }
}

/// Caches the roots of pointers, so that each step towards a root is computed once.
#[derive(Debug)]
pub struct Roots<'r, 'w> {
    m: &'r Module<'w>,
    known: HashMap<Id, Id>,
    /// The pointers between the requested one and its root.
    way: Vec<Id>,
}

impl<'r, 'w> Roots<'r, 'w> {
    /// Creates an empty cache.
    pub fn new(m: &'r Module<'w>) -> Self {
        Self { m, known: HashMap::new(), way: Vec::new() }
    }

    /// Returns the [`Module::root`] of `id`.
    pub fn root(&mut self, mut id: Id) -> Id {
        self.way.clear();
        while let Some(before) = self.m.made_from(id) {
            if let Some(root) = self.known.get(&id) {
                id = *root;
                break;
            }
            // In an invalid module, an access chain may start from its own result.
            self.known.insert(id, id);
            self.way.push(id);
            id = before;
        }
        for pointer in &self.way {
            self.known.insert(*pointer, id);
        }
        id
    }
}

impl Module<'_> {
    /// The module-scope variables of resources, typed or untyped, in the order of the module.
    pub fn resources(&self) -> impl Iterator<Item = AnyVariable<'_>> {
        let variables = self.section(Section::Globals).filter_map(AnyVariable::of);
        // Excluding the other storage classes is cheaper than matching the resource classes, as few variables are
        // resources.
        variables.filter(|variable| {
            !matches!(
                variable.storage_class(),
                StorageClass::INPUT | StorageClass::OUTPUT | StorageClass::PRIVATE
            )
        })
    }

    /// The type that the pointer `id` points to; `None` if it is not a pointer. For an untyped variable, it is the
    /// data type that the declaration gives, if any.
    pub fn pointee(&self, id: Id) -> Option<Id> {
        let inst = self.definition(id)?;
        if inst.op() == Op::UNTYPED_VARIABLE_KHR {
            return Id::new(*inst.words().get(4)?);
        }
        self.pointer(inst.result_type()?).map(|(_, pointee)| pointee)
    }

    /// The storage class of the pointer `id`, typed or untyped.
    pub fn storage_class(&self, id: Id) -> Option<StorageClass> {
        let ty = self.definition(self.type_of(id)?)?;
        let is_pointer = matches!(ty.op(), Op::TYPE_POINTER | Op::TYPE_UNTYPED_POINTER_KHR);
        is_pointer.then(|| StorageClass(ty.words()[2]))
    }

    /// Returns the origin of the pointer `id`, through access chains and copies. The origin is a variable, a function
    /// parameter, or another instruction that makes a pointer.
    pub fn root(&self, mut id: Id) -> Id {
        // In a valid module, every step leads to an instruction that dominates the previous one. The limit is for
        // invalid modules.
        for _ in 0..self.words().len() {
            let Some(before) = self.made_from(id) else { return id };
            id = before;
        }
        id
    }

    /// The pointer that `id` is derived from, if any.
    fn made_from(&self, id: Id) -> Option<Id> {
        let inst = self.definition(id)?;
        match inst.op() {
            op if op.is_access_chain() => AccessChain::of(inst).map(AccessChain::base),
            Op::COPY_OBJECT | Op::IMAGE_TEXEL_POINTER => Some(inst.id_at(3)),
            // In these instructions, the base type precedes the base.
            Op::UNTYPED_ACCESS_CHAIN_KHR
            | Op::UNTYPED_IN_BOUNDS_ACCESS_CHAIN_KHR
            | Op::UNTYPED_PTR_ACCESS_CHAIN_KHR
            | Op::UNTYPED_IN_BOUNDS_PTR_ACCESS_CHAIN_KHR => Some(inst.id_at(4)),
            _ => None,
        }
    }

    /// `function` and all functions that it calls, directly or indirectly, each once.
    pub fn reachable(&self, function: Id) -> Vec<Id> {
        self.reachable_from([function])
    }

    /// The functions `roots` and all functions that they call, directly or indirectly, each once.
    pub fn reachable_from(&self, roots: impl IntoIterator<Item = Id>) -> Vec<Id> {
        let mut seen = HashSet::new();
        let is_function = |id: &Id| self.function(*id).is_some();
        let mut order: Vec<Id> =
            roots.into_iter().filter(|id| is_function(id) && seen.insert(*id)).collect();
        let mut next = 0;
        while let Some(body) = order.get(next).and_then(|id| self.function(*id)) {
            next += 1;
            for call in body.instructions().filter_map(FunctionCall::of) {
                if is_function(&call.function()) && seen.insert(call.function()) {
                    order.push(call.function());
                }
            }
        }
        order
    }
}

/// Whether the result of `inst` points into the object that `pointer` points to.
fn points_into(inst: Inst<'_>, pointer: Id) -> bool {
    match inst.op() {
        op if op.is_access_chain() => {
            AccessChain::of(inst).is_some_and(|chain| chain.base() == pointer)
        }
        Op::COPY_OBJECT | Op::PHI | Op::SELECT => true,
        _ => false,
    }
}
