//! What the [survey](super::survey) finds of functions, and what the marking learns of it.

/// One function.
pub(super) struct Function {
    pub(super) at: u32,
    pub(super) end: u32,
    /// The construct that is its body.
    pub(super) body: u32,
    /// Its parameters: a range of `Survey::parameters`.
    pub(super) parameters: std::ops::Range<u32>,
    /// The last call of it that was found, and the last that is live: places in `Survey::calls`.
    pub(super) calls: u32,
    pub(super) live_calls: u32,
    /// The blocks that return from inside of a construct, and those that return a value.
    pub(super) early_returns: Vec<u32>,
    pub(super) returned: Vec<u32>,
    /// Something live in it is seen outside of it.
    pub(super) has_effect: bool,
    /// Something live uses its result; else the members of it that something live uses, one bit each.
    pub(super) result_wanted: bool,
    pub(super) result_members: u64,
}

/// One parameter.
pub(super) struct Parameter {
    pub(super) at: u32,
    pub(super) function: u32,
    /// What it points to; `NONE` where that is no memory of the invocation's own.
    pub(super) part: u32,
    /// What it is, where it is passed by value; else `NONE`.
    pub(super) value: u32,
    /// Something live in the function reads what it points to; some caller reads it after the call; something live in
    /// the function writes to it.
    pub(super) read: bool,
    pub(super) wanted: bool,
    pub(super) written: bool,
    /// Where not all of it is read: the parts that are.
    pub(super) reads: Vec<u32>,
    /// Calls after which the argument is read, and which write to it as soon as the function does.
    pub(super) waiting: Vec<u32>,
}

/// One call.
pub(super) struct Call {
    pub(super) at: u32,
    pub(super) caller: u32,
    pub(super) callee: u32,
    /// The call of the same function that was found before, and the one that became live before.
    pub(super) next: u32,
    pub(super) next_live: u32,
    pub(super) live: bool,
}

/// A structure that an instruction makes or stores, or a parameter: what may be asked for members, or for components.
#[derive(Clone, Copy)]
pub(super) struct Value {
    pub(super) at: u32,
    /// The parameter that it is, or `NONE`.
    pub(super) parameter: u32,
    /// Members that something live uses, one bit each.
    pub(super) members: u64,
    /// Something live uses all of it.
    pub(super) whole: bool,
}

/// The members that a structure may have to be looked at one by one.
pub(super) const MOST_MEMBERS: u32 = 64;
