//! Messages without names and numbers of one shader, so that shaders can be counted by reason.

/// `message` without numbers and names, which differ from shader to shader.
pub(super) fn reason(message: &str) -> String {
    let line = message.lines().next().unwrap_or_default();
    // A process has put the lines of its message behind each other.
    let line = line.split(" | ").next().unwrap_or(line);
    let line = match line.rfind(" (") {
        Some(at) if line.ends_with(')') && line[at..].contains("at word") => &line[..at],
        Some(at) if line.ends_with(')') && line[at..].starts_with(" (id ") => &line[..at],
        _ => line,
    };
    let mut reason = String::with_capacity(line.len());
    let mut letters = line.chars().peekable();
    let mut last = ' ';
    while let Some(letter) = letters.next() {
        let in_word = last.is_alphanumeric() || last == '_';
        if letter == '`'
            || letter == '%' && letters.peek().is_some_and(|next| next.is_alphanumeric())
        {
            skip_name(letter, &mut letters);
            reason.push('…');
            last = '…';
            continue;
        }
        if letter.is_ascii_digit() && !in_word {
            while letters.next_if(|next| next.is_ascii_alphanumeric()).is_some() {}
            reason.push('N');
            last = 'N';
            continue;
        }
        reason.push(letter);
        last = letter;
    }
    reason
}

/// Skips text in quotation marks, or a name behind a `%`.
fn skip_name(first: char, letters: &mut std::iter::Peekable<std::str::Chars<'_>>) {
    if first == '`' {
        letters.by_ref().find(|letter| *letter == '`');
    } else {
        while letters.next_if(|next| next.is_alphanumeric() || *next == '_').is_some() {}
    }
}

#[cfg(test)]
mod tests {
    use super::reason;

    #[test]
    fn a_reason_has_nothing_of_one_shader() {
        let one = "output 12 of `v_a` is not a float array (id %7, at word 0x1f3)";
        assert_eq!(reason(one), "output N of … is not a float array");
        assert_eq!(reason("vec4 at 0x10 is 64-bit\nmore"), "vec4 at N is N-bit");
    }
}
