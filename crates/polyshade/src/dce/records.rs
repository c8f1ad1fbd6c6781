//! Records of functions, parameters, calls and values: filled by the [walk](super::walk), updated by the marking.

use super::index::{At, Call, Construct, Function, Parameter, Part, Value};
use std::ops::Range;

pub(super) struct FunctionRecord {
    pub(super) at: At,
    /// The word after its last instruction.
    pub(super) end: u32,
    /// The construct that is its body; `None` until the function was visited.
    pub(super) body: Option<Construct>,
    pub(super) parameters: Range<Parameter>,
    /// The last call of it that was found, and the last one that became live.
    pub(super) calls: Option<Call>,
    pub(super) live_calls: Option<Call>,
    /// The ranges of its blocks in the lists of the [analysis](super::analysis::Analysis).
    pub(super) early_returns: Range<usize>,
    pub(super) returned: Range<usize>,
    /// A live effect in it is observed outside of it.
    pub(super) has_effect: bool,
    /// A live instruction uses all of its result.
    pub(super) result_wanted: bool,
    /// The members of its result that live instructions use, one bit each.
    pub(super) result_members: u64,
}

pub(super) struct ParameterRecord {
    pub(super) at: At,
    pub(super) function: Function,
    /// Its pointee, if that is memory of the invocation.
    pub(super) part: Option<Part>,
    /// Its value, if it is passed by value.
    pub(super) value: Option<Value>,
    /// A live instruction in the function reads its whole pointee.
    pub(super) read: bool,
    /// A caller reads its pointee after the call.
    pub(super) wanted: bool,
    /// A live instruction in the function writes to its pointee.
    pub(super) written: bool,
    /// The parts that are read if not the whole pointee is.
    pub(super) reads: Vec<Part>,
    /// Calls whose argument is read after the call. They become live when an instruction in the function that writes
    /// through the parameter does.
    pub(super) waiting: Vec<Call>,
}

pub(super) struct CallRecord {
    pub(super) at: At,
    pub(super) caller: Function,
    pub(super) callee: Function,
    /// The previously found call of the same function, and the one that previously became live.
    pub(super) next: Option<Call>,
    pub(super) next_live: Option<Call>,
    pub(super) live: bool,
}

/// A structure that an instruction makes or stores, or a parameter that is passed by value: its members may be wanted
/// separately.
#[derive(Clone, Copy)]
pub(super) struct ValueRecord {
    pub(super) at: At,
    /// The parameter, if it is one.
    pub(super) parameter: Option<Parameter>,
    /// Members that live instructions use, one bit each.
    pub(super) members: u64,
    /// A live instruction uses all of it.
    pub(super) whole: bool,
}

/// The largest number of members of a structure that are examined one by one.
pub(super) const MOST_MEMBERS: u32 = 64;
