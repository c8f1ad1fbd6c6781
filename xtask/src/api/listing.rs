//! Formats a public API as readable lines. They omit the items that implementations inherit from traits, and the
//! module paths of types in other crates.

use std::collections::BTreeSet;

/// An item in the form that `public_api` prints.
pub(super) struct Item {
    pub(super) id: u32,
    /// The id of the item that contains this item.
    pub(super) parent: Option<u32>,
    pub(super) text: String,
}

pub(super) struct Listing {
    pub(super) text: String,
    /// The paths of structures, enumerations, unions, traits and aliases.
    pub(super) types: Vec<String>,
}

impl Listing {
    /// Lists the `items` of the crate, in their order.
    pub(super) fn new(crate_name: &str, items: &[Item]) -> Self {
        let ids = |is: fn(&str) -> bool| -> BTreeSet<u32> {
            items.iter().filter(|item| is(&item.text)).map(|item| item.id).collect()
        };
        // Group items by the kind of their parent.
        let modules = ids(|text| text.starts_with("pub mod "));
        let implementations = ids(|text| implemented(text).is_some());
        let is_in = |item: &Item, outer: &BTreeSet<u32>| {
            item.parent.is_some_and(|parent| outer.contains(&parent))
        };

        let in_modules = items.iter().filter(|item| is_in(item, &modules));
        let types = in_modules.filter_map(|item| type_name(crate_name, &item.text));
        let types = types.map(str::to_owned).collect();

        let mut lines: Vec<String> = Vec::new();
        for item in items.iter().filter(|item| !is_in(item, &implementations)) {
            let text = without_folders(crate_name, &item.text);
            // The path of a method contains its type, so the type's `impl` line is useful only if it
            // has generic parameters.
            let is_bare = text.starts_with("impl ") && implemented(&text).is_none();
            if is_bare || text.contains("StructuralPartialEq for ") {
                continue;
            }
            match lines.last().and_then(|last| joined(last, &text)) {
                Some(both) => lines.last_mut().expect("it was joined").clone_from(&both),
                None => lines.push(text),
            }
        }
        let text = lines.iter().map(|line| format!("{line}\n")).collect();
        Self { text, types }
    }
}

/// Splits a trait implementation into `impl<…>`, the traits and the type.
fn implemented(text: &str) -> Option<(&str, &str, &str)> {
    let (head, ty) = text.split_once(" for ")?;
    let (parameters, traits) = match head.strip_prefix("impl ") {
        Some(traits) => ("impl", traits),
        None => head.strip_prefix("impl<").and_then(|_| head.split_once("> "))?,
    };
    Some((parameters, traits, ty))
}

/// Joins two trait implementations for the same type into one line, if possible.
fn joined(one: &str, other: &str) -> Option<String> {
    let (parameters, traits, ty) = implemented(one)?;
    let (same, another, of) = implemented(other)?;
    (parameters == same && ty == of).then(|| {
        let closing = if parameters == "impl" { "" } else { ">" };
        format!("{parameters}{closing} {traits} + {another} for {ty}")
    })
}

/// Returns the path of a type that a module defines. Re-exports count only in the crate's root.
fn type_name<'t>(crate_name: &str, text: &'t str) -> Option<&'t str> {
    let mut rest = text;
    while rest.starts_with("#[") {
        rest = rest.split_once("] ")?.1;
    }
    let rest = rest.strip_prefix("pub ")?;
    let (keyword, rest) = rest.strip_prefix("unsafe ").unwrap_or(rest).split_once(' ')?;
    let path = &rest[..rest.find(|c| !is_of_path(c)).unwrap_or(rest.len())];
    match keyword {
        "struct" | "enum" | "union" | "trait" | "type" => Some(path.trim_end_matches(':')),
        "use" => {
            let name = path.strip_prefix(crate_name)?.strip_prefix("::")?;
            name.starts_with(|c: char| c.is_ascii_uppercase()).then_some(path)
        }
        _ => None,
    }
}

/// Shortens every path into another crate to its last component.
fn without_folders(crate_name: &str, text: &str) -> String {
    let mut short = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(is_of_path) {
        short.push_str(&rest[..start]);
        rest = &rest[start..];
        let path = &rest[..rest.find(|c| !is_of_path(c)).unwrap_or(rest.len())];
        rest = &rest[path.len()..];
        match path.split_once("::") {
            Some((outer, _)) if is_foreign(crate_name, outer) => {
                short.push_str(path.rsplit("::").next().unwrap_or(path));
            }
            _ => short.push_str(path),
        }
    }
    short + rest
}

fn is_of_path(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == ':'
}

/// Whether a path that begins with `outer` leads to another crate.
fn is_foreign(crate_name: &str, outer: &str) -> bool {
    outer != crate_name && outer.starts_with(|c: char| c.is_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listing(items: &[(u32, u32, &str)]) -> Listing {
        let item = |&(id, parent, text): &(u32, u32, &str)| Item {
            id,
            parent: (parent != 0).then_some(parent),
            text: text.to_owned(),
        };
        Listing::new("a", &items.iter().map(item).collect::<Vec<_>>())
    }

    #[test]
    fn implementations_of_a_type_are_one_line_without_their_members() {
        let listing = listing(&[
            (1, 0, "pub mod a"),
            (2, 1, "pub struct a::T"),
            (3, 2, "impl a::T"),
            (4, 3, "pub fn a::T::new(core::option::Option<b::x::U>) -> Self"),
            (5, 2, "impl core::clone::Clone for a::T"),
            (6, 5, "pub fn a::T::clone(&self) -> a::T"),
            (7, 2, "impl core::marker::StructuralPartialEq for a::T"),
            (8, 2, "impl core::str::traits::FromStr for a::T"),
            (9, 8, "pub type a::T::Err = b::error::Error"),
            (10, 2, "impl<'m> core::fmt::Debug for a::T"),
            (11, 2, "impl<'m> core::hash::Hash for a::T"),
            (12, 1, "pub fn a::free() -> a::T"),
        ]);
        let expected = "pub mod a\npub struct a::T\npub fn a::T::new(Option<U>) -> Self\n\
            impl Clone + FromStr for a::T\nimpl<'m> Debug + Hash for a::T\npub fn a::free() -> a::T\n";
        assert_eq!(listing.text, expected);
        assert_eq!(listing.types, ["a::T"]);
    }

    #[test]
    fn types_are_counted_where_they_are_named() {
        let listing = listing(&[
            (1, 0, "pub mod a"),
            (2, 1, "pub use a::Error"),
            (3, 1, "pub use a::spv"),
            (4, 1, "pub mod a::m"),
            (5, 4, "#[non_exhaustive] #[repr(C, align(4))] pub enum a::m::E"),
            (6, 4, "pub struct a::m::S<'m>(pub u32)"),
            (7, 4, "pub unsafe trait a::m::T: core::marker::Copy"),
            (8, 7, "pub type a::m::T::Item"),
            (9, 4, "pub type a::m::A = u32"),
            (10, 4, "pub fn a::m::struct_of()"),
        ]);
        assert_eq!(listing.types, ["a::Error", "a::m::E", "a::m::S", "a::m::T", "a::m::A"]);
    }
}
