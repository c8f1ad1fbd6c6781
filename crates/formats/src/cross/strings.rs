//! Strings that shaders print. SPIRV-Cross writes them between quotation marks without escaping them.

use crate::Error;
use polyshade_spv::{Module, Op, decode_text};

/// Returns the module with its strings escaped; `None` if no string needs escaping.
pub(super) fn escaped(words: &[u32]) -> Result<Option<Vec<u32>>, Error> {
    // SPIRV-Cross reports why a module cannot be parsed.
    let Ok(module) = Module::parse(words) else { return Ok(None) };
    let rewritten = module.rewrite(|module, p| {
        let mut is_any = false;
        for inst in module.instructions().filter(|inst| inst.op() == Op::STRING) {
            let (Some(id), text) = (inst.result(), decode_text(&inst.words()[2..])) else {
                continue;
            };
            let uses = module.uses_of(id).filter(|user| user.op() == Op::EXT_INST);
            let escaped: String = text.chars().flat_map(escape).collect();
            if escaped == text {
                continue;
            }
            let string = p.string(&escaped);
            uses.for_each(|user| p.replace_extended(user, id, string));
            is_any = true;
        }
        Ok(is_any)
    });
    let rewritten = rewritten.map_err(|error| Error::Faulty(error.to_string()))?;
    Ok(rewritten.value.then(|| rewritten.module.into_words()))
}

fn escape(letter: char) -> impl Iterator<Item = char> {
    let (escape, letter) = match letter {
        '\n' => (Some('\\'), 'n'),
        '\r' => (Some('\\'), 'r'),
        '\t' => (Some('\\'), 't'),
        '"' | '\\' => (Some('\\'), letter),
        _ => (None, letter),
    };
    escape.into_iter().chain([letter])
}
