//! Comments at the top of assembly with the contents of the module's header.

use crate::{Error, SpirvVersion};

/// The indices of the header words that the comments contain.
const VERSION: usize = 1;
const GENERATOR: usize = 2;
const BOUND: usize = 3;
const SCHEMA: usize = 4;

/// No valid module has more ids.
const MOST_IDS: u32 = 0x3f_ffff;

/// The contents of the comments.
#[derive(Default)]
pub(super) struct Header {
    /// The version of SPIR-V.
    pub(super) version: Option<SpirvVersion>,
    generator: Option<u32>,
    bound: Option<u32>,
}

impl Header {
    pub(super) fn read(text: &str, name: &str) -> Result<Self, Error> {
        let mut header = Self::default();
        for (number, line) in (1..).zip(text.lines()) {
            let Some(comment) = line.strip_prefix(';').map(str::trim) else { continue };
            let fault = |what: &str| Error::Faulty(format!("{name}:{number}: {what}: {comment}"));
            if let Some(version) = comment.strip_prefix("Version: ") {
                let minor =
                    version.strip_prefix("1.").and_then(|minor| minor.parse::<usize>().ok());
                let known = minor.and_then(|minor| SpirvVersion::ALL.get(minor).copied());
                header.version = Some(known.ok_or_else(|| fault("unknown version of SPIR-V"))?);
            } else if let Some(generator) = comment.strip_prefix("Generator word: 0x") {
                let word = u32::from_str_radix(generator, 16);
                header.generator =
                    Some(word.map_err(|_| fault("not a 32-bit hexadecimal number"))?);
            } else if let Some(bound) = comment.strip_prefix("Bound: ") {
                let bound = bound.parse().ok().filter(|bound| *bound <= MOST_IDS);
                header.bound = Some(bound.ok_or_else(|| fault("not a valid bound"))?);
            }
        }
        Ok(header)
    }

    /// Writes the contents to the header of assembled words.
    pub(super) fn write(&self, words: &mut [u32]) {
        if let Some(generator) = self.generator {
            words[GENERATOR] = generator;
        }
        // The bound may be too small, because the text may have been edited to use more ids.
        words[BOUND] = words[BOUND].max(self.bound.unwrap_or(0));
    }
}

/// Returns the comments for a module.
pub(super) fn comments(words: &[u32]) -> String {
    format!(
        "; SPIR-V\n; Version: 1.{}\n; Generator word: {:#010x}\n; Bound: {}\n; Schema: {}\n",
        words[VERSION] >> 8 & 0xff,
        words[GENERATOR],
        words[BOUND],
        words[SCHEMA],
    )
}
