//! Lookup of setting values by name.

/// Returns the value with this name, or an error message that lists all names.
pub(crate) fn one_of<T: Copy>(names: &[(&str, T)], value: &str) -> Result<T, String> {
    let found = names.iter().find(|(name, _)| *name == value);
    found.map(|(_, value)| *value).ok_or_else(|| {
        let names: Vec<&str> = names.iter().map(|(name, _)| *name).collect();
        format!("`{value}` is none of {}", names.join(", "))
    })
}

pub(crate) fn name_of<T: PartialEq>(names: &[(&'static str, T)], value: &T) -> &'static str {
    names.iter().find(|(_, one)| one == value).map_or("", |(name, _)| name)
}
