//! Parses options: one of a fixed list of named values, or two values.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use std::str::FromStr;

/// Returns a parser for named values. Each value has a name and a line of help, which may be empty.
pub(crate) fn named<T: Copy + Send + Sync + 'static>(
    values: impl IntoIterator<Item = (&'static str, &'static str, T)>,
) -> impl TypedValueParser<Value = T> {
    let values: Vec<(&str, &str, T)> = values.into_iter().collect();
    let possible = values.iter().map(|(name, help, _)| match *help {
        "" => PossibleValue::new(*name),
        help => PossibleValue::new(*name).help(help),
    });
    let possible: Vec<PossibleValue> = possible.collect();
    PossibleValuesParser::new(possible).map(move |text: String| {
        let value = values.iter().find(|(name, ..)| *name == text);
        value.map(|(.., value)| *value).expect("only these names are possible")
    })
}

/// Parses two values with a separator between them.
pub(crate) fn pair<A: FromStr, B: FromStr>(text: &str, separator: char) -> Option<(A, B)> {
    let (one, other) = text.split_once(separator)?;
    Some((one.parse().ok()?, other.parse().ok()?))
}
