//! `pNext` chains with structures that must not reach the driver.
//!
//! An output chain belongs to the layer for the duration of the call: [`Unlinked`] removes structures from it and puts
//! them back. The chain of a create info is constant and may lie in read-only memory: [`Copied`] copies it up to the
//! last structure that changes. A copy needs the size of the structure, which the chain does not contain. A structure
//! of unknown size before a structure that changes is not copied. Instead, the caller gets an error, or the structure
//! points to the copies for the duration of the call.

use crate::structures;
use ash::vk::{self, StructureType, TaggedStructure};
use std::ffi::c_void;
use std::io::{Read as _, Write as _};

/// Iterates over the structures of a chain.
///
/// # Safety
///
/// The structures are valid for as long as the iterator is used.
pub(crate) unsafe fn walk(
    first: *const c_void,
) -> impl Iterator<Item = *mut vk::BaseOutStructure<'static>> {
    let first = first.cast::<vk::BaseOutStructure<'_>>().cast_mut();
    std::iter::successors((!first.is_null()).then_some(first), |at| {
        // SAFETY: guaranteed by the caller; every structure begins with its type and the next pointer.
        let next = unsafe { (**at).p_next };
        (!next.is_null()).then_some(next)
    })
}

/// Returns the first structure of type `T`.
///
/// # Safety
///
/// The same requirements as for [`walk`].
pub(crate) unsafe fn find<T: TaggedStructure>(first: *const c_void) -> Option<*mut T> {
    // SAFETY: guaranteed by the caller.
    unsafe { walk(first).find(|at| (**at).s_type == T::STRUCTURE_TYPE).map(<*mut _>::cast) }
}

/// A chain from which some structures are removed until this value is dropped.
pub(crate) struct Unlinked {
    /// Each predecessor of a removed structure, and its original `pNext`.
    cut: Vec<(*mut vk::BaseOutStructure<'static>, *mut vk::BaseOutStructure<'static>)>,
    /// The removed structures.
    out: Vec<*mut vk::BaseOutStructure<'static>>,
}

impl Unlinked {
    /// Removes structures from the chain after `head`, but not `head` itself.
    ///
    /// # Safety
    ///
    /// The chain may be written, and nobody else uses it until the result is dropped.
    pub(crate) unsafe fn new(
        head: *mut c_void,
        is_unlinked: impl Fn(StructureType) -> bool,
    ) -> Self {
        let mut unlinked = Self { cut: Vec::new(), out: Vec::new() };
        let mut last = head.cast::<vk::BaseOutStructure<'static>>();
        // SAFETY: guaranteed by the caller.
        unsafe {
            while let Some(next) = (*last).p_next.as_mut() {
                let next: *mut vk::BaseOutStructure<'static> = next;
                if is_unlinked((*next).s_type) {
                    unlinked.cut.push((last, next));
                    unlinked.out.push(next);
                    (*last).p_next = (*next).p_next;
                } else {
                    last = next;
                }
            }
        }
        unlinked
    }

    pub(crate) fn structures(&self) -> impl Iterator<Item = *mut vk::BaseOutStructure<'static>> {
        self.out.iter().copied()
    }
}

impl Drop for Unlinked {
    fn drop(&mut self) {
        for (before, next) in self.cut.drain(..).rev() {
            // SAFETY: guaranteed by the caller of `new`.
            unsafe { (*before).p_next = next };
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    Drop,
    /// The structure is copied, so that the layer can edit it.
    Edit,
}

/// A chain whose first structures are copies.
#[derive(Debug)]
pub(crate) struct Copied {
    first: *const c_void,
    // 64-bit elements give the copies the alignment of the structures.
    copies: Vec<Box<[u64]>>,
    /// Structures of the application that point to copies until this value is dropped, each with its original `pNext`.
    led: Vec<(*mut vk::BaseOutStructure<'static>, *mut vk::BaseOutStructure<'static>)>,
}

impl Copied {
    /// Copies the chain up to the last structure that changes; copies nothing if none does. The error is the type of a
    /// structure of unknown size that precedes the last structure that changes.
    ///
    /// # Safety
    ///
    /// The structures stay valid for as long as the result is used.
    pub(crate) unsafe fn new(
        first: *const c_void,
        change: impl Fn(StructureType) -> Option<Change>,
    ) -> Result<Self, StructureType> {
        // SAFETY: guaranteed by the caller; nothing is written.
        unsafe { Self::with(first, change, |_| false) }
    }

    /// Copies a chain like [`Copied::new`], but a structure of unknown size points to the copies until the result is
    /// dropped. The error is the type of a structure of unknown size that lies in read-only memory.
    ///
    /// # Safety
    ///
    /// The same requirements as for [`Copied::new`]. Nobody else uses the structures of unknown size while the result
    /// is used.
    pub(crate) unsafe fn leading(
        first: *const c_void,
        change: impl Fn(StructureType) -> Option<Change>,
    ) -> Result<Self, StructureType> {
        // SAFETY: guaranteed by the caller.
        unsafe { Self::with(first, change, |at| is_writable(at)) }
    }

    /// # Safety
    ///
    /// The same requirements as for [`Copied::leading`], if `may_write` returns true for any structure.
    unsafe fn with(
        first: *const c_void,
        change: impl Fn(StructureType) -> Option<Change>,
        may_write: impl Fn(*mut vk::BaseOutStructure<'static>) -> bool,
    ) -> Result<Self, StructureType> {
        let mut copied = Self::unchanged(first);
        // SAFETY: guaranteed by the caller.
        let chain: Vec<_> =
            unsafe { walk(first) }.map(|at| (at, unsafe { (*at).s_type })).collect();
        let Some(last) = chain.iter().rposition(|(_, s_type)| change(*s_type).is_some()) else {
            return Ok(copied);
        };
        // Copies are collected first and linked afterwards.
        let mut kept: Vec<*mut vk::BaseOutStructure<'static>> = Vec::new();
        for &(at, s_type) in &chain[..=last] {
            if change(s_type) == Some(Change::Drop) {
                continue;
            }
            let Some(size) = structures::size(s_type) else {
                if !may_write(at) {
                    return Err(s_type);
                }
                // SAFETY: the structure is valid.
                copied.led.push((at, unsafe { (*at).p_next }));
                kept.push(at);
                continue;
            };
            let mut copy = vec![0_u64; size.div_ceil(8)].into_boxed_slice();
            // SAFETY: a valid structure of this type has `size` bytes, and the copy is at least as large.
            unsafe { copy.as_mut_ptr().cast::<u8>().copy_from_nonoverlapping(at.cast(), size) };
            kept.push(copy.as_mut_ptr().cast());
            copied.copies.push(copy);
        }
        let rest = chain.get(last + 1).map_or(std::ptr::null_mut(), |(at, _)| *at);
        for (i, &at) in kept.iter().enumerate() {
            // SAFETY: the layer owns the copies, and the other structures may be written.
            unsafe { (*at).p_next = kept.get(i + 1).copied().unwrap_or(rest) };
        }
        copied.first = kept.first().copied().unwrap_or(rest).cast();
        Ok(copied)
    }

    pub(crate) fn unchanged(first: *const c_void) -> Self {
        Self { first, copies: Vec::new(), led: Vec::new() }
    }

    pub(crate) fn first(&self) -> *const c_void {
        self.first
    }

    /// Returns the copy of the structure of type `T`, if it was copied.
    pub(crate) fn copy<T: TaggedStructure>(&mut self) -> Option<&mut T> {
        let copies = self.copies.iter_mut().map(|copy| copy.as_mut_ptr());
        copies.into_iter().find_map(|at| {
            // SAFETY: a copy of a valid structure begins with its type, which identifies the structure.
            unsafe {
                let s_type = (*at.cast::<vk::BaseOutStructure<'_>>()).s_type;
                if s_type == T::STRUCTURE_TYPE { at.cast::<T>().as_mut() } else { None }
            }
        })
    }
}

impl Drop for Copied {
    fn drop(&mut self) {
        for (at, next) in self.led.drain(..) {
            // SAFETY: guaranteed by the caller of `leading`.
            unsafe { (*at).p_next = next };
        }
    }
}

/// Returns whether the `pNext` member can be written. Constants may lie in read-only memory, where a direct write
/// would crash the program. Instead, the kernel writes the same value from a pipe and reports an error for read-only
/// memory.
///
/// # Safety
///
/// The structure is valid, and nobody else uses it.
unsafe fn is_writable(at: *mut vk::BaseOutStructure<'static>) -> bool {
    let Ok((mut reader, mut writer)) = std::io::pipe() else { return false };
    // SAFETY: guaranteed by the caller.
    let next = unsafe { (*at).p_next };
    let bytes = next.expose_provenance().to_ne_bytes();
    // SAFETY: the member is a pointer with this number of bytes, and is overwritten with its own value.
    let place = unsafe {
        std::slice::from_raw_parts_mut((&raw mut (*at).p_next).cast::<u8>(), bytes.len())
    };
    writer.write_all(&bytes).is_ok() && reader.read_exact(place).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    type Multiview = vk::PhysicalDeviceMultiviewFeatures<'static>;
    type Feedback = vk::PhysicalDeviceTransformFeedbackFeaturesEXT<'static>;
    type Storage = vk::PhysicalDevice16BitStorageFeatures<'static>;

    fn types(first: *const c_void) -> Vec<StructureType> {
        // SAFETY: the chains below are valid.
        unsafe { walk(first).map(|at| (*at).s_type).collect() }
    }

    fn is_feedback(s_type: StructureType) -> bool {
        s_type == Feedback::STRUCTURE_TYPE
    }

    #[test]
    fn what_is_unlinked_comes_back() {
        let (mut a, mut b, mut c) =
            (Feedback::default(), Multiview::default(), Feedback::default());
        let mut head = vk::PhysicalDeviceFeatures2::default();
        b.p_next = (&raw mut c).cast();
        a.p_next = (&raw mut b).cast();
        head.p_next = (&raw mut a).cast();
        let first: *const c_void = (&raw const head).cast();
        let before = types(first);
        // SAFETY: nobody else uses the chain.
        let unlinked = unsafe { Unlinked::new((&raw mut head).cast(), is_feedback) };
        assert_eq!(
            types(first),
            [vk::PhysicalDeviceFeatures2::STRUCTURE_TYPE, Multiview::STRUCTURE_TYPE]
        );
        assert_eq!(unlinked.structures().count(), 2);
        drop(unlinked);
        assert_eq!(types(first), before);
        assert_eq!(before.len(), 4);
    }

    #[test]
    fn a_constant_chain_is_copied_up_to_what_changes() {
        let c = Storage::default();
        let b = Feedback { p_next: (&raw const c).cast_mut().cast(), ..Feedback::default() };
        let a = Multiview {
            p_next: (&raw const b).cast_mut().cast(),
            multiview: vk::TRUE,
            ..Multiview::default()
        };
        let first: *const c_void = (&raw const a).cast();
        let drops = |s_type| is_feedback(s_type).then_some(Change::Drop);
        // SAFETY: the chain is valid.
        let mut copied = unsafe { Copied::new(first, drops) }.expect("all structures are known");
        assert_eq!(types(copied.first()), [Multiview::STRUCTURE_TYPE, Storage::STRUCTURE_TYPE]);
        assert_eq!(copied.copy::<Multiview>().map(|copy| copy.multiview), Some(vk::TRUE));
        assert_eq!(types(first).len(), 3, "the application's chain stays as it is");
        // SAFETY: the chain is valid.
        let last = unsafe { walk(copied.first()) }.last();
        assert_eq!(last, Some((&raw const c).cast_mut().cast()), "later structures are not copied");

        // SAFETY: the chain is valid.
        let copied = unsafe { Copied::new((&raw const c).cast(), drops) }.expect("nothing changes");
        assert_eq!((copied.first(), copied.copies.len()), ((&raw const c).cast(), 0));
    }

    #[test]
    fn what_nobody_knows_is_not_copied() {
        let b = Feedback::default();
        let a = Multiview {
            s_type: UNKNOWN,
            p_next: (&raw const b).cast_mut().cast(),
            ..Multiview::default()
        };
        let drops = |s_type| is_feedback(s_type).then_some(Change::Drop);
        // SAFETY: the chain is valid; only its unknown structure type is not real.
        assert_eq!(unsafe { Copied::new((&raw const a).cast(), drops) }.map(|_| ()), Err(UNKNOWN));
        // SAFETY: the chain is valid; the unknown structure is not part of it.
        let behind = unsafe { Copied::new((&raw const b).cast(), drops) };
        assert!(behind.is_ok_and(|copied| copied.first().is_null()));
    }

    const UNKNOWN: StructureType = StructureType::from_raw(2_000_000_000);

    #[test]
    fn what_nobody_knows_leads_to_copies_until_these_are_dropped() {
        let last = Storage::default();
        let d = Feedback { p_next: (&raw const last).cast_mut().cast(), ..Feedback::default() };
        let mut c = Multiview { s_type: UNKNOWN, ..Multiview::default() };
        c.p_next = (&raw const d).cast_mut().cast();
        let b = Storage { p_next: (&raw mut c).cast(), ..Storage::default() };
        let mut a = Multiview { s_type: UNKNOWN, ..Multiview::default() };
        a.p_next = (&raw const b).cast_mut().cast();
        let first: *const c_void = (&raw mut a).cast();
        let before = types(first);
        let changes = |s_type| match s_type {
            Storage::STRUCTURE_TYPE => Some(Change::Edit),
            _ => is_feedback(s_type).then_some(Change::Drop),
        };
        // SAFETY: nobody else uses the chain.
        let mut copied = unsafe { Copied::leading(first, changes) }.expect("all may be written");
        assert!(copied.copy::<Storage>().is_some());
        let kept = [UNKNOWN, Storage::STRUCTURE_TYPE, UNKNOWN, Storage::STRUCTURE_TYPE];
        assert_eq!(types(copied.first()), kept);
        drop(copied);
        assert_eq!(types(first), before);
        assert_eq!(before.len(), 5);
    }

    /// A structure that is a constant of the program.
    struct Constant<T>(T);

    // SAFETY: the constant is never written.
    unsafe impl<T> Sync for Constant<T> {}

    #[test]
    fn what_cannot_be_written_is_left_alone() {
        static BEHIND: Constant<Feedback> = Constant(Feedback {
            s_type: Feedback::STRUCTURE_TYPE,
            p_next: std::ptr::null_mut(),
            transform_feedback: vk::TRUE,
            geometry_streams: vk::FALSE,
            _marker: std::marker::PhantomData,
        });
        static FIRST: Constant<Multiview> = Constant(Multiview {
            s_type: UNKNOWN,
            p_next: (&raw const BEHIND.0).cast_mut().cast(),
            multiview: vk::FALSE,
            multiview_geometry_shader: vk::FALSE,
            multiview_tessellation_shader: vk::FALSE,
            _marker: std::marker::PhantomData,
        });
        let drops = |s_type| is_feedback(s_type).then_some(Change::Drop);
        // SAFETY: nobody else uses the chain.
        let copied = unsafe { Copied::leading((&raw const FIRST.0).cast(), drops) };
        assert_eq!(copied.map(|_| ()), Err(UNKNOWN));
    }
}
