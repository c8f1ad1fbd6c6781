//! Records of functions, parameters, calls and values. The [walk](super::walk) fills them, and the marking updates
//! them.

use super::index::{At, Call, Construct, Function, Parameter, Part, Value};
use std::ops::Range;

pub(super) struct FunctionRecord {
    pub(super) at: At,
    /// The offset of the word after the function's last instruction.
    pub(super) end: u32,
    /// The construct that is the function's body; `None` until the function is visited.
    pub(super) body: Option<Construct>,
    pub(super) parameters: Range<Parameter>,
    /// The call of this function that was found last, and the call that became live last.
    pub(super) calls: Option<Call>,
    pub(super) live_calls: Option<Call>,
    /// The ranges of the function's blocks in the lists of the [analysis](super::analysis::Analysis).
    pub(super) early_returns: Range<usize>,
    pub(super) returned: Range<usize>,
    /// Whether the function contains a live effect that is observed outside of it.
    pub(super) has_effect: bool,
    /// Whether a live instruction uses the whole result.
    pub(super) result_wanted: bool,
    /// The members of the result that live instructions use, one bit per member.
    pub(super) result_members: u64,
}

pub(super) struct ParameterRecord {
    pub(super) at: At,
    pub(super) function: Function,
    /// The parameter's pointee, if that is memory of the invocation.
    pub(super) part: Option<Part>,
    /// The parameter's value, if it is passed by value.
    pub(super) value: Option<Value>,
    /// Whether a live instruction in the function reads the whole pointee.
    pub(super) read: bool,
    /// Whether a caller reads the pointee after the call.
    pub(super) wanted: bool,
    /// Whether a live instruction in the function writes to the pointee.
    pub(super) written: bool,
    /// The parts of the pointee that are read, if it is not read as a whole.
    pub(super) reads: Vec<Part>,
    /// Calls with an argument that is read after the call. They become live as soon as a live instruction in the
    /// function writes through the parameter.
    pub(super) waiting: Vec<Call>,
}

pub(super) struct CallRecord {
    pub(super) at: At,
    pub(super) caller: Function,
    pub(super) callee: Function,
    /// The call of the same function that was found before this one, and the one that became live before it.
    pub(super) next: Option<Call>,
    pub(super) next_live: Option<Call>,
    pub(super) live: bool,
}

/// A structure that an instruction makes or stores, or a parameter that is passed by value. Its members can be live
/// separately.
#[derive(Clone, Copy)]
pub(super) struct ValueRecord {
    pub(super) at: At,
    /// The parameter, if the value is one.
    pub(super) parameter: Option<Parameter>,
    /// The members that live instructions use, one bit per member.
    pub(super) members: u64,
    /// Whether a live instruction uses the whole value.
    pub(super) whole: bool,
}

/// The maximum number of members of a structure that are examined separately.
pub(super) const MOST_MEMBERS: u32 = 64;
