//! The places of emitted primitives, and the functions with which `geometry.glsl` accesses the tables.

use super::{Stage, TABLE_HEAD};
use crate::library;
use crate::rewrite::{self, Hook, HostBlock};
use crate::source::Source;
use crate::transform_feedback::emit::feedback::{Feedback, function};
use crate::transform_feedback::geometry::Behind;
use polyshade_spv::{Capability, Cursor, Error, GlslOp, Id, Module, Op, Patch};

/// Where the primitives of an invocation are stored.
pub(super) enum Places {
    /// Every invocation emits these numbers of primitives to the four vertex streams. The function returns the number
    /// of the first primitive of an invocation.
    Constant { each: [u32; 4], function: Id },
    /// Every invocation emits at most these numbers of primitives, and stores its own numbers with the function `put`.
    Sparse { most: [u32; 4], function: Id, put: Id },
    /// The table of counts has a word for each invocation and emitted stream. The functions read and write a word.
    Table { get: Id, put: Id, streams: u32 },
}

impl<'m, 'w> Stage<'_, 'm, 'w> {
    /// Links the functions, and adds the table of counts if it is needed.
    pub(super) fn places(
        &self,
        p: &mut Patch<'m, 'w>,
        feedback: &Feedback<'_>,
    ) -> Result<Places, Error> {
        let emitted = &self.prepared.plan.emitted;
        if let Some(each) = emitted.constant {
            let function = rewrite::link(p, &library::GEOMETRY, &["first_primitive"], &[])[0];
            return Ok(Places::Constant { each, function });
        }
        if let Some(most) = self.prepared.plan.layout.geometry.as_ref().and_then(|one| one.sparse) {
            let hooks = feedback.counts_hooks(p);
            let names = ["first_primitive", "put_table"];
            let linked = rewrite::link(p, &library::GEOMETRY, &names, &hooks);
            return Ok(Places::Sparse { most, function: linked[0], put: linked[1] });
        }
        let counts = self.buffer(p, Behind::Counts, "polyshade_counts")?;
        let hooks = table_hooks(p, counts);
        let linked = rewrite::link(p, &library::GEOMETRY, &["table", "put_table"], &hooks);
        let (get, put, streams) = (linked[0], linked[1], emitted.streams.len() as u32);
        Ok(Places::Table { get, put, streams })
    }
}

impl Places {
    /// Emits the numbers of the first primitives of this invocation and of the next one, for a vertex stream and its
    /// place among the emitted streams.
    pub(super) fn range(
        &self,
        code: &mut Cursor<'_, '_, '_>,
        invocation: Id,
        (index, stream): (u32, u32),
    ) -> (Id, Id) {
        let uint = code.p.uint();
        match *self {
            Self::Constant { each, function } | Self::Sparse { most: each, function, .. } => {
                let each = code.p.uint_constant(each[stream as usize]);
                let one = code.p.uint_constant(1);
                let next = code.binary(Op::I_ADD, uint, invocation, one);
                let begin = code.call(uint, function, &[invocation, each]);
                (begin, code.call(uint, function, &[next, each]))
            }
            Self::Table { get, streams, .. } => {
                let word = word_of(code, (streams, TABLE_HEAD + index), invocation);
                let streams = code.p.uint_constant(streams);
                let next = code.binary(Op::I_ADD, uint, word, streams);
                let begin = code.call(uint, get, &[word]);
                (begin, code.call(uint, get, &[next]))
            }
        }
    }

    /// Emits the store of a count to the table.
    pub(super) fn put(
        &self,
        code: &mut Cursor<'_, '_, '_>,
        (invocation, index): (Id, u32),
        count: Id,
    ) {
        if let Self::Table { put, streams, .. } = *self {
            let word = word_of(code, (streams, TABLE_HEAD + index), invocation);
            let void = code.p.void();
            code.call(void, put, &[word, count]);
        }
    }

    /// Emits the store of the number of sparse primitives in a stream, given the numbers of the first primitive of the
    /// invocation and of the one after its last.
    pub(super) fn put_sparse(
        &self,
        code: &mut Cursor<'_, '_, '_>,
        (invocation, stream): (Id, u32),
        (begin, end): (Id, Id),
    ) {
        let Self::Sparse { most, put, .. } = *self else { return };
        let (uint, void) = (code.p.uint(), code.p.void());
        // A shader must not emit more than it states.
        let most = code.p.uint_constant(most[stream as usize]);
        let count = code.binary(Op::I_SUB, uint, end, begin);
        let count = code.glsl(GlslOp::U_MIN, uint, &[count, most]);
        let word = word_of(code, (4, stream), invocation);
        code.call(void, put, &[word, count]);
    }
}

/// Emits the number of an invocation's word in a table with `streams` words for each invocation, given the number of
/// that word for invocation 0.
fn word_of(code: &mut Cursor<'_, '_, '_>, (streams, first): (u32, u32), invocation: Id) -> Id {
    let uint = code.p.uint();
    let streams = code.p.uint_constant(streams);
    let before = code.binary(Op::I_MUL, uint, invocation, streams);
    let first = code.p.uint_constant(first);
    code.binary(Op::I_ADD, uint, before, first)
}

/// Emits the functions that read the table of segments.
pub(super) fn segments_hooks(
    p: &mut Patch<'_, '_>,
    feedback: &Feedback<'_>,
    source: Source,
) -> Vec<Hook<'static>> {
    let length = feedback.table_length(p, source);
    let word = feedback.table_word(p, source);
    let names = [("segments_length", length), ("segments_word", word)];
    names.map(|(name, function)| Hook { name, function }).to_vec()
}

/// SPIR-V's number of the memory operand `NonPrivatePointer`.
pub(in super::super::super) const NON_PRIVATE: u32 = 0x20;

pub(in super::super::super) fn has_vulkan_memory_model(m: &Module<'_>) -> bool {
    m.has_capability(Capability::VULKAN_MEMORY_MODEL)
}

/// Emits the functions that access the table of counts.
pub(in super::super::super) fn table_hooks(
    p: &mut Patch<'_, '_>,
    table: HostBlock,
) -> Vec<Hook<'static>> {
    let operands = if has_vulkan_memory_model(p.module()) { &[NON_PRIVATE][..] } else { &[] };
    let (uint, void) = (p.uint(), p.void());
    let length = function(p, "table_length", uint, |code| {
        table.length(code).expect("the table is a storage buffer")
    });
    let word = rewrite::define_function(p, "table_word", (uint, &[uint]), |code, parameters| {
        let pointer = table.pointer(code, parameters[0]);
        Some(code.value(Op::LOAD, uint, &[&[pointer.word()], operands].concat()))
    });
    let put = rewrite::define_function(p, "put_word", (void, &[uint; 2]), |code, parameters| {
        let pointer = table.pointer(code, parameters[0]);
        code.emit(Op::STORE, &[&[pointer.word(), parameters[1].word()], operands].concat());
        None
    });
    let names = [("table_length", length), ("table_word", word), ("put_word", put)];
    names.map(|(name, function)| Hook { name, function }).to_vec()
}

/// Emits the function that waits for all invocations of the work group, and makes their stores visible.
pub(in super::super::super) fn wait_for_table(p: &mut Patch<'_, '_>) -> Id {
    // SPIR-V's numbers of the scope `Workgroup`, and of the semantics `AcquireRelease` and `UniformMemory`.
    const WORKGROUP: u32 = 2;
    const SEMANTICS: u32 = 0x8 | 0x40;
    // In Vulkan's memory model also `MakeAvailable` and `MakeVisible`.
    const VULKAN_SEMANTICS: u32 = SEMANTICS | 0x2000 | 0x4000;
    let semantics = if has_vulkan_memory_model(p.module()) { VULKAN_SEMANTICS } else { SEMANTICS };
    let (id, at, void) = (p.id(), p.slot(), p.void());
    p.name(id, "wait_for_table");
    let [scope, semantics] = [WORKGROUP, semantics].map(|word| p.uint_constant(word).word());
    let mut code = p.at(at);
    code.begin_function(id, void, &[]);
    code.emit(Op::CONTROL_BARRIER, &[scope, scope, semantics]);
    code.end_function(None);
    id
}
