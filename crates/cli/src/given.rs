//! Applies command-line options that the user may leave out to options of the library.

/// Whether an option is given, and the change that it makes.
type Switch<T> = (bool, fn(T) -> T);

/// Makes the changes whose command-line options are given, in the order of the list.
pub(crate) fn switched<T>(options: T, all: &[Switch<T>]) -> T {
    let given = all.iter().filter(|(is_given, _)| *is_given);
    given.fold(options, |options, (_, change)| change(options))
}

/// Sets a value that is given.
pub(crate) fn with<T, V>(options: T, value: Option<V>, set: fn(T, V) -> T) -> T {
    match value {
        Some(value) => set(options, value),
        None => options,
    }
}
