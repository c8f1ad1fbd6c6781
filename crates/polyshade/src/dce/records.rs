//! What the [walk](super::walk) finds of functions, and what the marking learns of it.

use super::index::{At, Call, Construct, Function, Parameter, Part, Value};
use std::ops::Range;

/// One function.
pub(super) struct FunctionRecord {
    pub(super) at: At,
    /// The word behind its last instruction.
    pub(super) end: u32,
    /// The construct that is its body; `None` until the function was walked through.
    pub(super) body: Option<Construct>,
    pub(super) parameters: Range<Parameter>,
    /// The last call of it that was found, and the last one that became live.
    pub(super) calls: Option<Call>,
    pub(super) live_calls: Option<Call>,
    /// Which blocks of the [analysis](super::analysis::Analysis) return from inside of a construct, and which a value.
    pub(super) early_returns: Range<usize>,
    pub(super) returned: Range<usize>,
    /// Something live in it is seen outside of it.
    pub(super) has_effect: bool,
    /// Something live uses all of its result.
    pub(super) result_wanted: bool,
    /// The members of its result that something live uses, one bit each.
    pub(super) result_members: u64,
}

/// One parameter.
pub(super) struct ParameterRecord {
    pub(super) at: At,
    pub(super) function: Function,
    /// What it points to, if that is memory of the invocation's own.
    pub(super) part: Option<Part>,
    /// Its value, if it is passed by value.
    pub(super) value: Option<Value>,
    /// Something live in the function reads all that it points to.
    pub(super) read: bool,
    /// Some caller reads what it points to after the call.
    pub(super) wanted: bool,
    /// Something live in the function writes to what it points to.
    pub(super) written: bool,
    /// Where not all that it points to is read: the parts that are.
    pub(super) reads: Vec<Part>,
    /// Calls whose argument is read after the call. They become live when something in the function that writes
    /// through the parameter does.
    pub(super) waiting: Vec<Call>,
}

/// One call.
pub(super) struct CallRecord {
    pub(super) at: At,
    pub(super) caller: Function,
    pub(super) callee: Function,
    /// The call of the same function that was found before, and the one that became live before.
    pub(super) next: Option<Call>,
    pub(super) next_live: Option<Call>,
    pub(super) live: bool,
}

/// A structure that an instruction makes or stores, or a parameter that is passed by value: some of its members may be
/// wanted without the others.
#[derive(Clone, Copy)]
pub(super) struct ValueRecord {
    pub(super) at: At,
    /// The parameter that it is, if it is one.
    pub(super) parameter: Option<Parameter>,
    /// Members that something live uses, one bit each.
    pub(super) members: u64,
    /// Something live uses all of it.
    pub(super) whole: bool,
}

/// The members that a structure may have to be looked at one by one.
pub(super) const MOST_MEMBERS: u32 = 64;
