//! Maps from handles to state, with lookups that take no lock.
//!
//! Each recorded command looks up its device, from any thread. A lookup therefore takes no lock: it walks a list whose
//! nodes never move. A node is reused after its handle is destroyed, and freed with the registry.

use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// The key of a free node. No handle is 0, and neither is a key.
const FREE: u64 = 0;

/// A hash map from handles to values with `LISTS` lists. Each list contains the live handles with the same hash.
pub(crate) struct Registry<T, const LISTS: usize = 64> {
    lists: [Node<T>; LISTS],
    /// Locked while an entry is added or removed.
    writing: Mutex<()>,
}

struct Node<T> {
    key: AtomicU64,
    value: AtomicPtr<T>,
    next: AtomicPtr<Node<T>>,
}

impl<T> Node<T> {
    const fn empty() -> Self {
        let (key, value) = (AtomicU64::new(FREE), AtomicPtr::new(ptr::null_mut()));
        Self { key, value, next: AtomicPtr::new(ptr::null_mut()) }
    }

    fn next(&self) -> Option<&Self> {
        // SAFETY: nodes live as long as the registry.
        unsafe { self.next.load(Ordering::Acquire).as_ref() }
    }
}

impl<T, const LISTS: usize> Registry<T, LISTS> {
    pub(crate) const fn new() -> Self {
        Self { lists: [const { Node::empty() }; LISTS], writing: Mutex::new(()) }
    }

    /// Returns the value of a key. The key 0 belongs to the null handle and has no value.
    ///
    /// # Safety
    ///
    /// The value is not removed while it is used: Vulkan requires synchronization for the destruction of objects.
    pub(crate) unsafe fn get<'t>(&self, key: u64) -> Option<&'t T> {
        if key == FREE {
            return None;
        }
        let mut node = self.first(key);
        while node.key.load(Ordering::Acquire) != key {
            node = node.next()?;
        }
        // SAFETY: the value of a present key is a leaked box, until it is removed.
        unsafe { node.value.load(Ordering::Acquire).as_ref() }
    }

    /// Adds a value. Drops a previous value of the key: its handle was destroyed without the layer's knowledge.
    pub(crate) fn insert(&self, key: u64, value: Box<T>) {
        assert!(key != FREE, "a handle that was created is not null");
        drop(self.remove(key));
        let _writing = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let free = self.nodes(key).find(|node| node.key.load(Ordering::Relaxed) == FREE);
        if let Some(node) = free {
            node.value.store(Box::into_raw(value), Ordering::Release);
            node.key.store(key, Ordering::Release);
            return;
        }
        let node = Box::new(Node {
            key: AtomicU64::new(key),
            value: AtomicPtr::new(Box::into_raw(value)),
            next: AtomicPtr::new(ptr::null_mut()),
        });
        let last = self.nodes(key).last().expect("a list has a first node");
        last.next.store(Box::into_raw(node), Ordering::Release);
    }

    pub(crate) fn remove(&self, key: u64) -> Option<Box<T>> {
        let _writing = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let node = self.nodes(key).find(|node| node.key.load(Ordering::Relaxed) == key)?;
        node.key.store(FREE, Ordering::Release);
        let value = node.value.swap(ptr::null_mut(), Ordering::AcqRel);
        // SAFETY: the pointer comes from a box, and no lookup can find it any more.
        (!value.is_null()).then(|| unsafe { Box::from_raw(value) })
    }

    /// Returns the first node of the list of a key.
    fn first(&self, key: u64) -> &Node<T> {
        // Most handles are addresses, whose low bits vary little.
        &self.lists[(key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize % LISTS]
    }

    fn nodes(&self, key: u64) -> impl Iterator<Item = &Node<T>> {
        std::iter::successors(Some(self.first(key)), |node| node.next())
    }
}

impl<T, const LISTS: usize> Drop for Registry<T, LISTS> {
    fn drop(&mut self) {
        for list in &mut self.lists {
            let mut node: *mut Node<T> = list;
            while !node.is_null() {
                let is_first = ptr::eq(node, list);
                // SAFETY: a node is the first of its list or a box, as is its value. Nobody else uses the registry.
                node = unsafe {
                    let value = *(*node).value.get_mut();
                    let next = *(*node).next.get_mut();
                    if !value.is_null() {
                        drop(Box::from_raw(value));
                    }
                    if !is_first {
                        drop(Box::from_raw(node));
                    }
                    next
                };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::thread;

    /// Returns the value of a key. No other thread may remove the key at the same time.
    fn get(registry: &Registry<u64>, key: u64) -> Option<u64> {
        // SAFETY: each key is removed by the thread that looks it up.
        unsafe { registry.get(key).copied() }
    }

    #[test]
    fn keys_are_found_until_they_are_removed() {
        let registry = Registry::<_>::new();
        for key in 1..=1000 {
            registry.insert(key, Box::new(key * 2));
        }
        assert!((1..=1000).all(|key| get(&registry, key) == Some(key * 2)));
        assert_eq!(registry.remove(7), Some(Box::new(14)));
        assert_eq!((get(&registry, 7), get(&registry, 8)), (None, Some(16)));
        assert_eq!(registry.remove(7), None);
        registry.insert(8, Box::new(1));
        assert_eq!(get(&registry, 8), Some(1));
    }

    #[test]
    fn what_goes_takes_its_values_along_and_nodes_are_used_again() {
        let value = Arc::new(());
        let registry = Registry::<_>::new();
        for key in (1..=300).cycle().take(30_000) {
            registry.insert(key, Box::new(Arc::clone(&value)));
            assert_eq!(Arc::strong_count(&value), 2);
            drop(registry.remove(key));
        }
        let nodes: usize = registry.lists.iter().map(|one| usize::from(one.next().is_some())).sum();
        assert_eq!(nodes, 0, "one handle at a time needs no second node");
        registry.insert(1, Box::new(Arc::clone(&value)));
        drop(registry);
        assert_eq!(Arc::strong_count(&value), 1);
    }

    #[test]
    fn threads_find_their_own() {
        let registry = Registry::<_>::new();
        thread::scope(|scope| {
            for first in 0..8_u64 {
                let registry = &registry;
                scope.spawn(move || {
                    for round in 1..2000 {
                        let key = round * 8 + first;
                        registry.insert(key, Box::new(round));
                        assert_eq!(get(registry, key), Some(round));
                        assert_eq!(registry.remove(key).as_deref(), Some(&round));
                        assert_eq!(get(registry, key), None);
                    }
                });
            }
        });
    }
}
