//! Replaces `OpCopyMemory` for MSL.
//!
//! SPIRV-Cross passes inputs and outputs to the functions that use them, but overlooks operands of `OpCopyMemory`, so
//! the text would use undeclared names. Loads and stores replace these copies.

use crate::Error;
use polyshade_spv::view::CopyMemory;
use polyshade_spv::{Module, Op};

/// Returns the module without `OpCopyMemory`, except for copies with memory operands; `None` if there is no such
/// instruction.
pub(super) fn loaded_and_stored(words: &[u32]) -> Result<Option<Vec<u32>>, Error> {
    let faulty = |error: polyshade_spv::Error| Error::Faulty(error.to_string());
    let m = Module::parse(words).map_err(faulty)?;
    let rewritten = m.rewrite(|m, p| {
        let copies = m.instructions().filter(|inst| inst.op() == Op::COPY_MEMORY);
        let plain = copies.filter(|inst| inst.words().len() == 3).filter_map(CopyMemory::of);
        let mut is_any = false;
        for copy in plain {
            let Some(ty) = m.type_of(copy.source()).and_then(|pointer| m.pointer(pointer)) else {
                continue;
            };
            let mut code = p.at(copy.inst().before());
            let value = code.load(ty.1, copy.source());
            code.store(copy.target(), value);
            p.remove(copy.inst());
            is_any = true;
        }
        Ok(is_any)
    });
    let rewritten = rewritten.map_err(faulty)?;
    Ok(rewritten.value.then(|| rewritten.module.into_words()))
}
