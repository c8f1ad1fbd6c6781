//! The few moves from which every lowering is made.
//!
//! Each is one module and does one thing to a patch `p` for the version `m` it belongs to. A lowering
//! [isolates](isolate()) its entry point first, in a version of its own, and then makes its moves in the next.

mod add;
mod isolate;
mod link;
mod redirect;
mod take_over;
mod wrap;

pub use add::{
    Binding, HostBlock, Set, WordArray, add_to_interface, input_builtin, output_builtin,
    push_constants, spec_constants, storage_buffer, uniform_block, word_array,
};
pub use isolate::isolate;
pub use link::{Hook, Library, link};
pub use redirect::redirect;
pub use take_over::{Copies, TakenOver, take_over};
pub use wrap::{Wrapper, wrap};
