//! The functions of `fetch.glsl` that the shader calls.

use super::format::{Field, Format, Numbers};
use super::inputs::{Input, Leaf};
use super::{Options, Rate, Robustness};
use crate::library;
use crate::rewrite::{self, Hook};
use foldhash::HashMap;
use polyshade_spv::{Cursor, Id, Op, Patch};

/// Linked functions, by name.
#[derive(Debug, Default)]
pub(super) struct Functions(HashMap<&'static str, Id>);

/// The functions that decode a component; [`ANY_COMPONENT`] calls all of them.
const DECODERS: [&str; 7] = [
    "from_sint",
    "from_unorm",
    "from_snorm",
    "from_uscaled",
    "from_sscaled",
    "from_half",
    "from_unsigned_float",
];
pub(super) const ALIGNED_WORD: &str = "aligned_word";
const ANY_WORD: &str = "any_word";
pub(super) const ANY_COMPONENT: &str = "any_component";

/// Returns the function that decodes a component, and whether it takes the number of bits as an argument. Returns
/// `None` if the raw bits are already the value.
fn decoder(numbers: Numbers, bits: u32) -> Option<(&'static str, bool)> {
    Some(match numbers {
        Numbers::Uint => return None,
        Numbers::Sint | Numbers::Sfloat if bits >= 32 => return None,
        Numbers::Sint => ("from_sint", true),
        Numbers::Unorm => ("from_unorm", true),
        Numbers::Snorm => ("from_snorm", true),
        Numbers::Uscaled => ("from_uscaled", false),
        Numbers::Sscaled => ("from_sscaled", true),
        Numbers::Sfloat => ("from_half", false),
        Numbers::Ufloat => ("from_unsigned_float", true),
    })
}

impl Functions {
    fn link(&mut self, p: &mut Patch<'_, '_>, names: &[&'static str], hooks: &[Hook<'_>]) {
        let linked = rewrite::link(p, &library::FETCH, names, hooks);
        self.0.extend(names.iter().copied().zip(linked));
    }

    /// Links the functions that find attributes and decode components.
    pub(super) fn common(p: &mut Patch<'_, '_>, inputs: &[Input], options: &Options) -> Self {
        let mut names = Vec::new();
        let mut need = |name| {
            if !names.contains(&name) {
                names.push(name);
            }
        };
        for leaf in inputs.iter().flat_map(|input| &input.leaves) {
            let Some(attribute) = options.attribute_at(leaf.location) else { continue };
            need("end_of");
            need(place(options.robustness));
            let rate = options.buffers[&attribute.buffer].rate;
            if !matches!(rate, Some(Rate::Vertex | Rate::Instance { divisor: 0 | 1 })) {
                need("element_by_rate");
            }
            // The format determines the decoders. If it is a host parameter, all decoders may be needed.
            match attribute.format {
                Some(format) => {
                    let fields = (leaf.first..leaf.first + leaf.count).map(|one| format.field(one));
                    let fields = fields.filter(|field| field.bits > 0);
                    let decoders = fields.filter_map(|field| decoder(format.numbers(), field.bits));
                    decoders.for_each(|(name, _)| need(name));
                }
                None if leaf.number.is_wide() => {}
                None => {
                    need("size_of");
                    DECODERS.into_iter().for_each(&mut need);
                }
            }
        }
        let mut functions = Self::default();
        functions.link(p, &names, &[]);
        functions
    }

    /// Links the functions `readers` for a buffer. They read its words with `word_at`.
    pub(super) fn of_buffer(
        &self,
        p: &mut Patch<'_, '_>,
        word_at: Id,
        readers: impl Iterator<Item = &'static str>,
    ) -> Self {
        let mut names = Vec::new();
        for name in readers {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        let mut hooks = vec![Hook { name: "word_at", function: word_at }];
        let decoders = DECODERS.into_iter().filter_map(|name| Some((name, *self.0.get(name)?)));
        hooks.extend(decoders.map(|(name, function)| Hook { name, function }));
        let mut functions = Self::default();
        functions.link(p, &names, &hooks);
        functions
    }

    /// Emits a call of a library function that returns a `uint`.
    pub(super) fn call(&self, code: &mut Cursor<'_, '_, '_>, name: &str, arguments: &[Id]) -> Id {
        let uint = code.p.uint();
        code.call(uint, self.0[name], arguments)
    }

    /// Emits the value of one component. `field` describes its bits in the attribute; `word` contains these bits.
    pub(super) fn decode(
        &self,
        code: &mut Cursor<'_, '_, '_>,
        (numbers, field): (Numbers, Field),
        word: Id,
    ) -> Id {
        let uint = code.p.uint();
        let mut raw = word;
        if field.bits < 32 {
            let [position, bits] =
                [field.position % 32, field.bits].map(|one| code.p.uint_constant(one));
            raw = code.value(Op::BIT_FIELD_U_EXTRACT, uint, &[raw, position, bits].map(Id::word));
        }
        let Some((name, takes_bits)) = decoder(numbers, field.bits) else { return raw };
        let bits = code.p.uint_constant(field.bits);
        let arguments = [raw, bits];
        self.call(code, name, &arguments[..1 + usize::from(takes_bits)])
    }
}

/// Returns the function that reads an attribute of this format, or of a format that host parameters describe.
pub(super) fn reader(format: Option<Format>, leaf: &Leaf) -> &'static str {
    match format {
        Some(format) if format.is_in_words() => ALIGNED_WORD,
        Some(_) => ANY_WORD,
        None if leaf.number.is_wide() => ALIGNED_WORD,
        None => ANY_COMPONENT,
    }
}

/// Returns the function that finds an attribute in its buffer.
pub(super) fn place(robustness: Robustness) -> &'static str {
    match robustness {
        Robustness::Access => "place_within",
        Robustness::Access2 => "place_of",
    }
}
