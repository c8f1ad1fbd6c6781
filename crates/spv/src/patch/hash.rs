//! Hashes words: keys are looked up some hundred times a patch, and the standard hash is made for hostile keys.

use std::hash::{BuildHasherDefault, Hasher};

/// For maps whose keys are words or ids, and which are not iterated.
pub(super) type WordHash = BuildHasherDefault<WordHasher>;

/// Rotates, mixes in and multiplies, a word at a time.
#[derive(Debug, Default)]
pub(super) struct WordHasher(u64);

impl WordHasher {
    fn mix(&mut self, value: u64) {
        self.0 = (self.0.rotate_left(5) ^ value).wrapping_mul(0x517c_c1b7_2722_0a95);
    }
}

impl Hasher for WordHasher {
    fn write(&mut self, bytes: &[u8]) {
        let mut words = bytes.chunks_exact(4);
        for word in words.by_ref() {
            self.mix(u64::from(u32::from_ne_bytes([word[0], word[1], word[2], word[3]])));
        }
        words.remainder().iter().for_each(|byte| self.mix(u64::from(*byte)));
    }

    fn write_u32(&mut self, word: u32) {
        self.mix(u64::from(word));
    }

    fn write_usize(&mut self, length: usize) {
        self.mix(length as u64);
    }

    fn finish(&self) -> u64 {
        // Tables take the low bits, the product mixes the high ones.
        self.0.rotate_left(26)
    }
}
