//! Literal strings: UTF-8 bytes, four per word, lowest byte first, then a zero byte (SPIR-V specification, 2.2.1).

use std::borrow::Cow;

/// The number of words of the string at the start of `words`. If the string has no end, the number of all words.
pub(crate) fn word_count(words: &[u32]) -> usize {
    let ends = |word: &u32| word.to_le_bytes().contains(&0);
    words.iter().position(ends).map_or(words.len(), |last| last + 1)
}

/// Decodes the string at the start of `words`. Bytes that are not valid UTF-8 become replacement characters.
pub fn decode(words: &[u32]) -> Cow<'_, str> {
    #[cfg(target_endian = "little")]
    {
        let bytes: &[u8] = bytemuck::cast_slice(words);
        let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
        let bytes = &bytes[..end];
        // Checking first is faster because invalid bytes are rare.
        std::str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed)
    }
    #[cfg(target_endian = "big")]
    {
        let bytes = words.iter().flat_map(|word| word.to_le_bytes());
        let bytes: Vec<u8> = bytes.take_while(|byte| *byte != 0).collect();
        Cow::Owned(String::from_utf8_lossy(&bytes).into_owned())
    }
}

/// Appends `text` as a literal string.
pub(crate) fn encode(text: &str, words: &mut Vec<u32>) {
    let mut octets = text.bytes().filter(|octet| *octet != 0).peekable();
    loop {
        let mut word = [0; 4];
        for slot in &mut word {
            *slot = octets.next().unwrap_or(0);
        }
        words.push(u32::from_le_bytes(word));
        if word[3] == 0 {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_come_back_as_they_were_whatever_their_length() {
        for length in 0..13 {
            let text = &"abcdefghijklm"[..length];
            let mut words = Vec::new();
            encode(text, &mut words);
            assert_eq!(words.len(), length / 4 + 1);
            assert_eq!(word_count(&words), words.len());
            assert_eq!(decode(&words), text);
        }
    }
}
