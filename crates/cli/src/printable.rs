//! Makes text safe to print, because names in a module must not control the terminal.

/// Escapes the control characters in `text`, except line feeds.
pub(crate) fn printable(text: &str) -> String {
    let mut printable = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\n' => printable.push(letter),
            _ if letter.is_control() => printable.extend(letter.escape_default()),
            _ => printable.push(letter),
        }
    }
    printable
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_cannot_steer_a_terminal() {
        assert_eq!(printable("a\u{1b}[2Jb\n"), "a\\u{1b}[2Jb\n");
    }
}
