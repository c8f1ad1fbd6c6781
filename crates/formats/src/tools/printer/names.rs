//! Readable names for ids.

use super::numbers;
use polyshade_spv::view::Name;
use polyshade_spv::{Id, Inst, Module, Op, Section};
use std::collections::HashMap;

/// The names of ids, derived from debug names, or from the type or value of an id.
#[derive(Default)]
pub(super) struct Names {
    of: HashMap<Id, String>,
    /// The names in use, each with the number that makes the next equal name unique.
    taken: HashMap<String, u32>,
}

impl Names {
    pub(super) fn of(module: &Module<'_>) -> Self {
        let mut names = Self::default();
        for name in module.section(Section::Names).filter_map(Name::of) {
            names.add(name.target(), &name.name());
        }
        for inst in module.instructions() {
            let Some(id) = inst.result().filter(|id| !names.of.contains_key(id)) else { continue };
            if let Some(name) = names.described(module, inst) {
                names.add(id, &name);
            }
        }
        names
    }

    /// `%name`, or `%12`.
    pub(super) fn of_id(&self, id: Id) -> String {
        match self.of.get(&id) {
            Some(name) => format!("%{name}"),
            None => format!("%{}", id.word()),
        }
    }

    /// Gives `id` a unique name that is based on `name` and contains only allowed characters.
    fn add(&mut self, id: Id, name: &str) {
        let is_plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        let mut name: String =
            name.chars().map(|letter| if is_plain(letter) { letter } else { '_' }).collect();
        // Names that begin with a digit are reserved for ids without a name.
        if name.starts_with(|letter: char| letter.is_ascii_digit()) {
            name.insert(0, '_');
        }
        if name.is_empty() || self.of.contains_key(&id) {
            return;
        }
        let mut unique = name.clone();
        while self.taken.contains_key(&unique) {
            let next = self.taken.entry(name.clone()).or_default();
            unique = format!("{name}_{next}");
            *next += 1;
        }
        self.taken.insert(unique.clone(), 0);
        self.of.insert(id, unique);
    }

    /// Returns a descriptive name for a type, or for a numeric constant.
    fn described(&self, module: &Module<'_>, inst: Inst<'_>) -> Option<String> {
        let words = inst.words();
        let word = |at: usize| words.get(at).copied();
        let named = |at: usize| self.of.get(&Id::new(word(at)?)?).cloned();
        Some(match inst.op() {
            Op::TYPE_VOID => "void".to_owned(),
            Op::TYPE_BOOL => "bool".to_owned(),
            Op::TYPE_INT => {
                let sign = if word(3)? == 0 { "u" } else { "" };
                match word(2)? {
                    32 => format!("{sign}int"),
                    width => format!("{sign}int{width}"),
                }
            }
            Op::TYPE_FLOAT => match word(2)? {
                16 => "half".to_owned(),
                32 => "float".to_owned(),
                64 => "double".to_owned(),
                _ => return None,
            },
            Op::TYPE_VECTOR => format!("v{}{}", word(3)?, named(2)?),
            Op::TYPE_MATRIX => format!("mat{}{}", word(3)?, named(2)?),
            Op::TYPE_POINTER => {
                let class = spirv::StorageClass::from_u32(word(2)?)?;
                format!("_ptr_{class:?}_{}", named(3)?)
            }
            Op::CONSTANT_TRUE => "true".to_owned(),
            Op::CONSTANT_FALSE => "false".to_owned(),
            Op::CONSTANT => {
                let of = module.definition(inst.result_type()?)?;
                let (number, _) = numbers::print(of.words(), words.get(3..)?)?;
                // A hexadecimal number is not a readable name.
                let number = Some(number).filter(|number| !number.contains('x'))?;
                format!("{}_{}", named(1)?, number.replace('-', "n"))
            }
            _ => return None,
        })
    }
}
