//! Rewrite tools that queue edits in a patch.

use polyshade::Error;
use polyshade::host::{Binding, Reserved, Set};
use polyshade::rewrite::{self, Copies, Hook, HostBlock, Place, Scalarized};
use polyshade_spv::{BuiltIn, Capability, Id, Module, Patch, StorageClass};

use super::{entry, misspelt, named, number};
use crate::lowerings;

type Version = Module<'static>;
type Queue<'m> = Patch<'m, 'static>;
type Done = Result<(), Error>;
type Edit = for<'m> fn(&'m Version, &mut Queue<'m>, &[&str]) -> Done;

/// The rewrite tools by name, and the lowerings that consist only of rewrite tools.
pub(super) const EDITS: [(&str, Edit); 17] = [
    ("wrap", wrap),
    ("demote-to-private", demote_to_private),
    ("replace-uses", replace_uses),
    ("scalarize", scalarize),
    ("split-block", split_block),
    ("link", link),
    ("export-points", export_points),
    ("free-outputs", free_outputs),
    ("output-at-end", output_at_end),
    ("push-constants", push_constants),
    ("storage-buffer", storage_buffer),
    ("uniform-block", uniform_block),
    ("inputs", inputs),
    ("output-point-size", output_point_size),
    ("discard-rasterization", discard_rasterization),
    ("multiply", multiply),
    ("move-output", move_output),
];

/// `wrap`: a new variable `counter` becomes 1 before the body and 2 after it.
fn wrap<'m>(m: &'m Version, p: &mut Queue<'m>, _arguments: &[&str]) -> Done {
    let entry = entry(m)?;
    let wrapper = rewrite::wrap(m, p, entry);
    let uint = p.uint();
    let counter = p.variable(StorageClass::PRIVATE, uint, None);
    p.name(counter, "counter");
    rewrite::add_to_interface(m, p, entry, counter);
    let (one, two) = (p.uint_constant(1), p.uint_constant(2));
    // The epilogue follows the body even if it is emitted first.
    p.at(wrapper.epilogue).store(counter, two);
    p.at(wrapper.prologue).store(counter, one);
    Ok(())
}

/// `demote-to-private PLACE NAME… [PLACE NAME…]`: `PLACE` is `prologue` or `epilogue` for a copy there, `uncopied`,
/// or `alone` for no new variable. The name `*` stands for all outputs.
fn demote_to_private<'m>(m: &'m Version, p: &mut Queue<'m>, arguments: &[&str]) -> Done {
    let entry = entry(m)?;
    let copies = |word: &&str| ["prologue", "epilogue"].contains(word);
    let wrapper = arguments.iter().any(copies).then(|| rewrite::wrap(m, p, entry));
    let is_place = |word: &&str| copies(word) || ["uncopied", "alone"].contains(word);
    for group in arguments.chunk_by(|_, next| !is_place(next)) {
        let copies = match (group[0], &wrapper) {
            ("prologue", Some(wrapper)) => Copies::At(wrapper.prologue),
            ("epilogue", Some(wrapper)) => Copies::At(wrapper.epilogue),
            ("uncopied", _) => Copies::Uncopied,
            ("alone", _) => Copies::None,
            _ => return Err(misspelt(group)),
        };
        let variables: Vec<Id> = match &group[1..] {
            ["*"] => rewrite::interface(m, entry, StorageClass::OUTPUT),
            names => names.iter().map(|name| named(m, name)).collect::<Result<_, _>>()?,
        };
        rewrite::demote_to_private(m, p, entry, &variables, copies)?;
    }
    Ok(())
}

/// `replace-uses FROM TO`
fn replace_uses<'m>(m: &'m Version, p: &mut Queue<'m>, arguments: &[&str]) -> Done {
    let [from, to] = arguments else { return Err(misspelt(arguments)) };
    rewrite::replace_uses(m, p, named(m, from)?, named(m, to)?)
}

/// `scalarize FROM TO [per-vertex] INDEX…`: each scalar becomes the element of `TO` with its index, or is dropped if
/// the index is `-`.
fn scalarize<'m>(m: &'m Version, p: &mut Queue<'m>, arguments: &[&str]) -> Done {
    let [from, to, indices @ ..] = arguments else { return Err(misspelt(arguments)) };
    let per_vertex = indices.first() == Some(&"per-vertex");
    let (variable, to) = (named(m, from)?, named(m, to)?);
    let place = |index: &&str| match *index {
        "-" => Ok(None),
        index => Ok(Some(Place { variable: to, path: vec![number(index)?] })),
    };
    let indices = indices.iter().skip(usize::from(per_vertex));
    let places = indices.map(place).collect::<Result<Vec<_>, Error>>()?;
    let what = Scalarized { variable, per_vertex, write_only: false, places: &places };
    rewrite::scalarize(m, p, what, m.storage_class(variable).ok_or_else(|| misspelt(arguments))?)
}

/// `split-block NAME`
fn split_block<'m>(m: &'m Version, p: &mut Queue<'m>, arguments: &[&str]) -> Done {
    let [block] = arguments else { return Err(misspelt(arguments)) };
    rewrite::split_block(m, p, entry(m)?, named(m, block)?).map(drop)
}

/// `link LIBRARY FUNCTION… [instead-of HOOK]`: the hook gets a new body that returns the hook's argument.
fn link<'m>(_m: &'m Version, p: &mut Queue<'m>, arguments: &[&str]) -> Done {
    let (arguments, hook) = match arguments {
        [arguments @ .., "instead-of", hook] => (arguments, Some(*hook)),
        arguments => (arguments, None),
    };
    let [library, names @ ..] = arguments else { return Err(misspelt(arguments)) };
    let hook = hook.map(|name| {
        let (function, at, float) = (p.id(), p.slot(), p.float());
        let mut code = p.at(at);
        let x = code.begin_function(function, float, &[float])[0];
        code.end_function(Some(x));
        p.name(function, "hook");
        Hook { name, function }
    });
    rewrite::link(p, &lowerings::library(library)?, names, hook.as_slice());
    Ok(())
}

/// `export-points [STREAM]`: a new output `mark` becomes 1 before each export point of the stream (or of all
/// streams), and 10 and 11 after it, if the shader continues there.
fn export_points<'m>(m: &'m Version, p: &mut Queue<'m>, arguments: &[&str]) -> Done {
    let stream = arguments.first().map(|stream| number(stream)).transpose()?;
    let (at, back) = rewrite::export_points(m, p, entry(m)?)?.around_exports(p, stream);
    let uint = p.uint();
    let mark = rewrite::add_output(p, entry(m)?, 9, uint, "mark");
    for (at, value) in [(Some(at), 1), (back, 10), (back, 11)] {
        let value = p.uint_constant(value);
        if let Some(at) = at {
            p.at(at).store(mark, value);
        }
    }
    Ok(())
}

/// `free-outputs END RESERVED…`: adds an output at every free location below `END`.
fn free_outputs<'m>(m: &'m Version, p: &mut Queue<'m>, arguments: &[&str]) -> Done {
    let [end, taken @ ..] = arguments else { return Err(misspelt(arguments)) };
    let mut reserved = Reserved::new();
    for location in taken {
        reserved = reserved.location(number(location)?);
    }
    let float = p.float();
    for location in rewrite::free_output_locations(m, entry(m)?, &reserved, number(end)?) {
        rewrite::add_output(p, entry(m)?, location, float, &format!("at_{location}"));
    }
    Ok(())
}

/// `output-at-end`: adds an output after the last location of the shader's outputs.
fn output_at_end<'m>(m: &'m Version, p: &mut Queue<'m>, _arguments: &[&str]) -> Done {
    let float = p.float();
    rewrite::add_output(p, entry(m)?, rewrite::end_of_output_locations(m, entry(m)?), float, "end");
    Ok(())
}

/// `push-constants OFFSET NAME WORD…`: reads all parameters before the body.
fn push_constants<'m>(m: &'m Version, p: &mut Queue<'m>, arguments: &[&str]) -> Done {
    let [offset, name, words @ ..] = arguments else { return Err(misspelt(arguments)) };
    let block = rewrite::push_constants(m, p, entry(m)?, number(offset)?, name, words)?;
    read(m, p, block, words.len())
}

/// `storage-buffer SET BINDING NAME…`: adds buffers of one type with these names, at consecutive bindings.
fn storage_buffer<'m>(m: &'m Version, p: &mut Queue<'m>, arguments: &[&str]) -> Done {
    let [set, binding, names @ ..] = arguments else { return Err(misspelt(arguments)) };
    let words = rewrite::word_array(m, p);
    for (binding, name) in (number(binding)?..).zip(names) {
        let at = (Set(number(set)?), Binding(binding));
        rewrite::storage_buffer(m, p, entry(m)?, words, at, name)?;
    }
    Ok(())
}

/// `uniform-block SET BINDING NAME WORD…`
fn uniform_block<'m>(m: &'m Version, p: &mut Queue<'m>, arguments: &[&str]) -> Done {
    let [set, binding, name, words @ ..] = arguments else { return Err(misspelt(arguments)) };
    let at = (Set(number(set)?), Binding(number(binding)?));
    rewrite::uniform_block(m, p, entry(m)?, at, name, words).map(drop)
}

/// Reads `count` parameters of `block` before the body.
fn read<'m>(m: &'m Version, p: &mut Queue<'m>, block: HostBlock, count: usize) -> Done {
    let prologue = rewrite::wrap(m, p, entry(m)?).prologue;
    for number in 0..count as u32 {
        block.load(&mut p.at(prologue), number);
    }
    Ok(())
}

/// `inputs TYPE BUILTIN…`: reads all built-ins before the body. If the shader declares a built-in, its type there
/// applies.
fn inputs<'m>(m: &'m Version, p: &mut Queue<'m>, arguments: &[&str]) -> Done {
    let prologue = rewrite::wrap(m, p, entry(m)?).prologue;
    let (ty, names) = match arguments {
        ["int", names @ ..] => (p.int(), names),
        ["uint", names @ ..] => (p.uint(), names),
        _ => return Err(misspelt(arguments)),
    };
    for name in names {
        let builtin = match *name {
            "vertex-index" => BuiltIn::VERTEX_INDEX,
            "instance-index" => BuiltIn::INSTANCE_INDEX,
            "sample-id" => BuiltIn::SAMPLE_ID,
            _ => return Err(misspelt(arguments)),
        };
        if builtin == BuiltIn::SAMPLE_ID {
            p.capability(Capability::SAMPLE_RATE_SHADING);
        }
        let (input, ty) = rewrite::input_builtin(m, p, entry(m)?, builtin, ty);
        p.at(prologue).load(ty, input);
    }
    Ok(())
}

/// `output-point-size`
fn output_point_size<'m>(m: &'m Version, p: &mut Queue<'m>, _arguments: &[&str]) -> Done {
    let float = p.float();
    rewrite::add_output_builtin(p, entry(m)?, BuiltIn::POINT_SIZE, float);
    Ok(())
}

/// `discard-rasterization SPEC-ID`
fn discard_rasterization<'m>(m: &'m Version, p: &mut Queue<'m>, arguments: &[&str]) -> Done {
    let [spec_id] = arguments else { return Err(misspelt(arguments)) };
    lowerings::discard_rasterization(m, p, number(spec_id)?)
}

/// `multiply`
fn multiply<'m>(m: &'m Version, p: &mut Queue<'m>, _arguments: &[&str]) -> Done {
    lowerings::blend(m, p, &lowerings::library("multiply")?)
}

/// `move-output FROM TO`
fn move_output<'m>(m: &'m Version, p: &mut Queue<'m>, arguments: &[&str]) -> Done {
    let [from, to] = arguments else { return Err(misspelt(arguments)) };
    lowerings::move_output(m, p, number(from)?, number(to)?)
}
