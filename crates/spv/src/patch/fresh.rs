//! The types and constants that a patch declares, by their keys.

use crate::Id;
use crate::types::{Key, has_key};

/// An open-addressed table of instructions in the pool of a patch.
#[derive(Debug, Default)]
pub(super) struct Fresh {
    /// The number of slots is a power of two. Each slot holds the offset of an instruction plus one, or 0 if it is
    /// empty, and the hash.
    slots: Vec<(u32, u32)>,
    count: usize,
}

/// The initial number of slots.
const FIRST_SLOTS: usize = 256;
/// The maximum number of slots that are kept for the next patch.
const MOST_SLOTS_KEPT: usize = 1024;

impl Fresh {
    /// The result of the declaration in `pool` with the key `key`.
    pub(super) fn find(&self, pool: &[u32], key: &Key<'_>) -> Option<Id> {
        if self.slots.is_empty() {
            return None;
        }
        let mut slot = key.hash() as usize & (self.slots.len() - 1);
        while self.slots[slot].0 != 0 {
            let (place, hash) = self.slots[slot];
            let words = instruction(pool, place);
            if hash == key.hash() && has_key(words, key) {
                return Id::new(words[key.result_word()]);
            }
            slot = (slot + 1) & (self.slots.len() - 1);
        }
        None
    }

    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Adds the declaration that begins at `start` in the pool and has the key `key`.
    pub(super) fn add(&mut self, start: u32, key: &Key<'_>) {
        if (self.count + 1) * 2 > self.slots.len() {
            self.grow();
        }
        self.count += 1;
        self.put(start + 1, key.hash());
    }

    /// Removes all entries. Keeps the memory unless it is too large to clear quickly.
    pub(super) fn clear(&mut self) {
        if self.slots.len() > MOST_SLOTS_KEPT {
            self.slots = Vec::new();
        } else if self.count > 0 {
            self.slots.fill((0, 0));
        }
        self.count = 0;
    }

    fn put(&mut self, place: u32, hash: u32) {
        let mut slot = hash as usize & (self.slots.len() - 1);
        while self.slots[slot].0 != 0 {
            slot = (slot + 1) & (self.slots.len() - 1);
        }
        self.slots[slot] = (place, hash);
    }

    fn grow(&mut self) {
        let size = (self.slots.len() * 2).max(FIRST_SLOTS);
        let old = std::mem::replace(&mut self.slots, vec![(0, 0); size]);
        for (place, hash) in old.into_iter().filter(|(place, _)| *place != 0) {
            self.put(place, hash);
        }
    }
}

/// The words of the instruction at offset `place` - 1 of the pool.
fn instruction(pool: &[u32], place: u32) -> &[u32] {
    let start = place as usize - 1;
    &pool[start..start + (pool[start] >> 16) as usize]
}
