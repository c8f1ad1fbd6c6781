//! The declarations of a source: structures, parameters of the entry point, and its return value. The text has been
//! preprocessed and compiled, so only its structure has to be parsed.

use std::collections::HashMap;

/// A parameter, a member, or the return value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Declared<'t> {
    /// The name of the type. For `vector<float, 4>` or `TriangleStream<V>`, this is the name of the element type.
    pub(super) ty: &'t str,
    pub(super) semantic: Option<&'t str>,
}

type Named<'t> = Vec<(&'t str, Declared<'t>)>;

/// The declarations of a source.
#[derive(Default)]
pub(in super::super) struct Declarations<'t> {
    structures: HashMap<&'t str, Named<'t>>,
    aliases: HashMap<&'t str, &'t str>,
    parameters: Named<'t>,
    returned: Option<Declared<'t>>,
    byte_address_buffers: Vec<&'t str>,
    calls_lit: bool,
}

impl<'t> Declarations<'t> {
    /// Parses a text whose entry point is named `entry`.
    pub(in super::super) fn of(text: &'t str, entry: &str) -> Self {
        let mut all = Self::default();
        let tokens = tokens(text);
        let mut rest = &tokens[..];
        while !rest.is_empty() {
            rest = all.global(rest, entry);
        }
        all.byte_address_buffers = all.byte_address_buffers(&tokens);
        all.calls_lit = calls(&tokens, "lit");
        all
    }

    /// Whether a byte address buffer has this name.
    pub(in super::super) fn is_byte_address_buffer(&self, name: &str) -> bool {
        self.byte_address_buffers.contains(&name)
    }

    /// Whether the intrinsic `lit` is called.
    pub(in super::super) fn calls_lit(&self) -> bool {
        self.calls_lit
    }

    pub(super) fn returned(&self) -> Option<Declared<'t>> {
        self.returned
    }

    pub(super) fn parameter(&self, name: &str) -> Option<Declared<'t>> {
        find(&self.parameters, name)
    }

    pub(super) fn member(&self, of: &str, name: &str) -> Option<Declared<'t>> {
        let of = self.aliases.get(of).copied().unwrap_or(of);
        find(self.structures.get(of)?, name)
    }

    /// Parses a declaration outside of functions, and returns the tokens after it.
    fn global<'s>(&mut self, tokens: &'s [&'t str], entry: &str) -> &'s [&'t str] {
        match tokens {
            ["struct", name, "{", ..] => {
                let (body, rest) = enclosed(&tokens[2..]);
                let members = split(body, ";").into_iter().flat_map(declarators);
                self.structures.insert(name, members.collect());
                rest
            }
            ["typedef", rest @ ..] => {
                let (declared, rest) = until(rest, ";");
                self.aliases
                    .extend(declarators(declared).into_iter().map(|(name, of)| (name, of.ty)));
                rest
            }
            // `[numthreads(1, 1, 1)]`
            ["[", ..] => enclosed(tokens).1,
            [ty, name, "(", ..] if *name == entry => {
                let (parameters, rest) = enclosed(&tokens[2..]);
                let parameters = split(parameters, ",").into_iter().flat_map(declarators);
                self.parameters = parameters.collect();
                let (semantic, rest) = semantic(rest);
                self.returned = Some(Declared { ty, semantic });
                rest
            }
            ["{" | "(", ..] => enclosed(tokens).1,
            _ => &tokens[1..],
        }
    }
}

impl<'t> Declarations<'t> {
    /// Returns the names of byte address buffers, and of parameters with such a type.
    fn byte_address_buffers(&self, tokens: &[&'t str]) -> Vec<&'t str> {
        let is_one = |ty: &str| {
            let ty = self.aliases.get(ty).copied().unwrap_or(ty);
            ["ByteAddressBuffer", "RWByteAddressBuffer"].contains(&ty)
        };
        let starts = (0..tokens.len()).filter(|at| is_one(tokens[*at]));
        let declared = starts.flat_map(|at| declarators(declaration(&tokens[at..])));
        declared.filter(|(_, declared)| is_one(declared.ty)).map(|(name, _)| name).collect()
    }
}

/// Returns the tokens up to the end of a declaration, or up to the end of the parameter list that contains it.
fn declaration<'s, 't>(tokens: &'s [&'t str]) -> &'s [&'t str] {
    let mut depth = 0_usize;
    let end = tokens.iter().position(|token| {
        let is_end = *token == ";" || depth == 0 && [")", "}", "{"].contains(token);
        depth = change(depth, token);
        is_end
    });
    &tokens[..end.unwrap_or(tokens.len())]
}

/// Whether `function` is called, not only declared. A declaration has a type before the name.
fn calls(tokens: &[&str], function: &str) -> bool {
    let named = tokens.windows(3).filter(|part| part[1] == function && part[2] == "(");
    let is_type = |token: &str| is_name(token) && !["return", "else", "case"].contains(&token);
    let (declared, called): (Vec<_>, Vec<_>) = named.partition(|part| is_type(part[0]));
    declared.is_empty() && called.iter().any(|part| part[0] != ".")
}

fn find<'t>(named: &Named<'t>, wanted: &str) -> Option<Declared<'t>> {
    named.iter().find(|(name, _)| *name == wanted).map(|(_, declared)| *declared)
}

/// Returns the names in a declaration such as `float4 a[2] : A = 1, b : B`.
fn declarators<'t>(tokens: &[&'t str]) -> Named<'t> {
    let mut tokens = tokens;
    while let ["[", ..] = tokens {
        tokens = enclosed(tokens).1;
    }
    let mut ty = None;
    let mut names = Vec::new();
    for part in split(tokens, ",") {
        let end = part.iter().position(|token| [":", "[", "="].contains(token));
        let (before, behind) = part.split_at(end.unwrap_or(part.len()));
        let mut words = before.iter().copied().filter(|token| is_name(token)).rev();
        let Some(name) = words.next() else { continue };
        ty = words.next().or(ty);
        let mut behind = behind;
        while let ["[", ..] = behind {
            behind = enclosed(behind).1;
        }
        if let Some(ty) = ty {
            names.push((name, Declared { ty, semantic: semantic(behind).0 }));
        }
    }
    names
}

/// Parses a semantic at the start, and returns the tokens after it.
fn semantic<'s, 't>(tokens: &'s [&'t str]) -> (Option<&'t str>, &'s [&'t str]) {
    match tokens {
        [":", "register" | "packoffset", ..] => (None, &tokens[2..]),
        [":", name, rest @ ..] => (Some(*name).filter(|name| is_name(name)), rest),
        _ => (None, tokens),
    }
}

fn is_name(token: &str) -> bool {
    token.starts_with(|first: char| first == '_' || first.is_ascii_alphabetic())
}

/// Returns the tokens inside the bracket at the start, and the tokens after its end.
fn enclosed<'s, 't>(tokens: &'s [&'t str]) -> (&'s [&'t str], &'s [&'t str]) {
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate() {
        depth = change(depth, token);
        if depth == 0 {
            return (tokens.get(1..at).unwrap_or_default(), &tokens[at + 1..]);
        }
    }
    (tokens.get(1..).unwrap_or_default(), &[])
}

fn change(depth: usize, token: &str) -> usize {
    match token {
        "{" | "(" | "[" => depth + 1,
        "}" | ")" | "]" => depth.saturating_sub(1),
        _ => depth,
    }
}

/// Splits tokens at separators that are outside of brackets.
fn split<'s, 't>(tokens: &'s [&'t str], separator: &str) -> Vec<&'s [&'t str]> {
    let mut depth = 0_usize;
    // `<` also counts as a bracket, because types contain no comparisons.
    let parts = tokens.split(|token| {
        depth = match *token {
            "<" => depth + 1,
            ">" => depth.saturating_sub(1),
            other => change(depth, other),
        };
        depth == 0 && *token == separator
    });
    parts.collect()
}

fn until<'s, 't>(tokens: &'s [&'t str], end: &str) -> (&'s [&'t str], &'s [&'t str]) {
    let at = tokens.iter().position(|token| *token == end).unwrap_or(tokens.len());
    (&tokens[..at], tokens.get(at + 1..).unwrap_or_default())
}

/// Splits text into names, numbers, and single other characters, without comments and preprocessor lines.
fn tokens(text: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let end = match first {
            '#' => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            '"' => rest[1..].find('"').map_or(rest.len(), |end| end + 2),
            _ if is_part(first) => rest.find(|c: char| !is_part(c)).unwrap_or(rest.len()),
            _ => first.len_utf8(),
        };
        let (token, behind) = rest.split_at(end);
        if first != '#' && !token.starts_with("//") && !token.starts_with("/*") {
            tokens.push(token);
        }
        rest = behind.trim_start();
    }
    tokens
}

fn is_part(c: char) -> bool {
    c == '_' || c.is_ascii_alphanumeric()
}
