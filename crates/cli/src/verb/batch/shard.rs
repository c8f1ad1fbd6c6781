//! Divides a batch among several machines. Each machine runs one shard of the shaders, and the reports are
//! joined into one.
//!
//! Only the contents of a shader's file determine its shard, not its name, the order of the folder or the other
//! shaders. Copies of a shader are therefore in the same shard and share a cache entry.

use super::command::Command;
use super::entry::{Job, hex};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fmt;
use std::str::FromStr;

/// One of several parts into which the shaders are divided, counted from one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct Shard {
    index: u32,
    of: u32,
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers = text.split_once('/').map(|(index, of)| (index.parse(), of.parse()));
        match numbers {
            Some((Ok(index), Ok(of))) if (1..=of).contains(&index) => Ok(Self { index, of }),
            _ => Err("a shard is I/N, the I-th of N, from 1/N to N/N".to_owned()),
        }
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "shard {} of {}", self.index, self.of)
    }
}

impl Shard {
    /// Whether a shader with these contents belongs to the shard.
    pub(super) fn has(self, contents: &[u8]) -> bool {
        let digest = Sha256::digest(contents);
        let (first, _) = digest.split_first_chunk().expect("a digest has 32 bytes");
        u64::from_be_bytes(*first) % u64::from(self.of) == u64::from(self.index - 1)
    }
}

/// The data about the whole batch in the report of a shard. It lets `--merge` detect reports of other batches.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct Part {
    #[serde(flatten)]
    pub(super) shard: Shard,
    pub(super) whole: Whole,
}

/// The data that all shards of a batch share.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct Whole {
    /// The number of shaders in all shards, and the hash of their names.
    pub(super) shaders: usize,
    pub(super) names: String,
    /// The hash of the program, its options, and the files that the options name.
    pub(super) command: String,
}

impl Part {
    /// Describes `shard` as a part of `jobs`, which contains the jobs of all shards.
    pub(super) fn new(shard: Shard, command: &Command, jobs: &[Job]) -> Self {
        let names = jobs.iter().map(|job| job.shader.as_str());
        let whole =
            Whole { shaders: jobs.len(), names: names_hash(names), command: command.digest() };
        Self { shard, whole }
    }

    pub(super) fn of(&self) -> u32 {
        self.shard.of
    }

    pub(super) fn index(&self) -> u32 {
        self.shard.index
    }
}

/// Returns the hash of shader names, which depends on their order.
pub(super) fn names_hash<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let mut hash = Sha256::new();
    for name in names {
        hash.update(name);
        hash.update("\0");
    }
    hex(hash)
}

#[cfg(test)]
mod tests {
    use super::Shard;

    fn shard(text: &str) -> Shard {
        text.parse().expect("it is a shard")
    }

    #[test]
    fn every_shader_is_of_one_shard_and_stays_there() {
        for of in [1, 2, 3, 7] {
            let shards: Vec<Shard> = (1..=of).map(|one| shard(&format!("{one}/{of}"))).collect();
            let mut counts = vec![0; shards.len()];
            for number in 0..700 {
                let name = format!("void main() {{ {number}; }}");
                let having: Vec<usize> =
                    (0..shards.len()).filter(|one| shards[*one].has(name.as_bytes())).collect();
                assert_eq!(having.len(), 1, "{name} of {of}");
                counts[having[0]] += 1;
            }
            let fair = 700 / shards.len();
            assert!(counts.iter().all(|count| (fair / 2..=fair * 2).contains(count)), "{counts:?}");
        }
        // Other versions of the program must divide shaders in the same way.
        assert!(shard("1/3").has(b"a.vert") && shard("2/3").has(b"b.vert"));
    }

    #[test]
    fn shards_are_counted_from_one() {
        for text in ["0/2", "3/2", "1/0", "1", "/", "-1/2", "a/b", "1/2/3", ""] {
            assert!(text.parse::<Shard>().is_err(), "{text}");
        }
        assert_eq!(shard("4294967295/4294967295").to_string(), "shard 4294967295 of 4294967295");
    }
}
