//! Conversions of words in the input of a program.

use polyshade_vulkan::Error;

pub(crate) fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_ne_bytes()).collect()
}

/// Converts bytes to words. The number of bytes is a multiple of four.
pub(crate) fn words(bytes: &[u8]) -> impl Iterator<Item = u32> {
    bytes.as_chunks().0.iter().map(|word| u32::from_ne_bytes(*word))
}

pub(crate) fn count<T>(all: &[T]) -> u32 {
    u32::try_from(all.len()).expect("compared buffers have far fewer elements")
}

pub(crate) fn narrow(number: u64) -> Result<u32, Error> {
    u32::try_from(number).map_err(|_| Error::Unsupported(format!("a buffer of {number} bytes")))
}
