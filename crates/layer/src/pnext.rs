//! Chains of structures, of which some must not reach the driver.
//!
//! A chain that the application hands over to be filled in is its own for as long as the call takes: [`Unlinked`] takes
//! structures out and puts them back. A chain of what is to be created is constant, and may lie where nothing can be
//! written: [`Copied`] copies as much of it as has to change. A copy needs the structure's size, which a chain does not
//! hold. A structure of unknown size in front of one that must be removed stays where it is: the caller gets an error,
//! or lets it point to the copies for as long as the call takes.

use crate::structures;
use ash::vk::{self, StructureType, TaggedStructure};
use std::ffi::c_void;
use std::io::{Read as _, Write as _};

/// The structures of a chain.
///
/// # Safety
///
/// The structures are valid for as long as the iterator is used.
pub(crate) unsafe fn walk(
    first: *const c_void,
) -> impl Iterator<Item = *mut vk::BaseOutStructure<'static>> {
    let first = first.cast::<vk::BaseOutStructure<'_>>().cast_mut();
    std::iter::successors((!first.is_null()).then_some(first), |at| {
        // SAFETY: the caller's promise; every structure begins with its type and the next one.
        let next = unsafe { (**at).p_next };
        (!next.is_null()).then_some(next)
    })
}

/// The first structure of the type.
///
/// # Safety
///
/// As for [`walk`].
pub(crate) unsafe fn find<T: TaggedStructure>(first: *const c_void) -> Option<*mut T> {
    // SAFETY: the caller's promise.
    unsafe { walk(first).find(|at| (**at).s_type == T::STRUCTURE_TYPE).map(<*mut _>::cast) }
}

/// A chain without some of its structures, until this is dropped.
pub(crate) struct Unlinked {
    /// Structures that came before one that was taken out, and what they led to.
    cut: Vec<(*mut vk::BaseOutStructure<'static>, *mut vk::BaseOutStructure<'static>)>,
    /// What was taken out.
    out: Vec<*mut vk::BaseOutStructure<'static>>,
}

impl Unlinked {
    /// Takes structures out of the chain behind `head`, which itself stays.
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
        // SAFETY: the caller's promise.
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

    /// What was taken out.
    pub(crate) fn structures(&self) -> impl Iterator<Item = *mut vk::BaseOutStructure<'static>> {
        self.out.iter().copied()
    }
}

impl Drop for Unlinked {
    fn drop(&mut self) {
        for (before, next) in self.cut.drain(..).rev() {
            // SAFETY: the promise that was made to `new`.
            unsafe { (*before).p_next = next };
        }
    }
}

/// What becomes of a structure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// It is left out.
    Drop,
    /// It is copied, so that it can be changed.
    Edit,
}

/// A chain of which the first structures are copies.
#[derive(Debug)]
pub(crate) struct Copied {
    first: *const c_void,
    // Of words of 64 bits, as structures are aligned to them.
    copies: Vec<Box<[u64]>>,
    /// Structures of the application's that lead to copies until this is dropped, and what they led to.
    led: Vec<(*mut vk::BaseOutStructure<'static>, *mut vk::BaseOutStructure<'static>)>,
}

impl Copied {
    /// Copies the chain up to the last structure that changes; nothing, where none does. The error is a structure that
    /// stands before such a one and cannot be copied.
    ///
    /// # Safety
    ///
    /// The structures are valid, and stay so for as long as the result is used.
    pub(crate) unsafe fn new(
        first: *const c_void,
        change: impl Fn(StructureType) -> Option<Change>,
    ) -> Result<Self, StructureType> {
        // SAFETY: the caller's promise; nothing is written.
        unsafe { Self::with(first, change, |_| false) }
    }

    /// The same, but a structure that cannot be copied leads to the copies until the result is dropped. The error is
    /// one that cannot be written either.
    ///
    /// # Safety
    ///
    /// As for [`Copied::new`], and nobody else uses the structures that nobody knows for as long as the result is used.
    pub(crate) unsafe fn leading(
        first: *const c_void,
        change: impl Fn(StructureType) -> Option<Change>,
    ) -> Result<Self, StructureType> {
        // SAFETY: the caller's promise.
        unsafe { Self::with(first, change, |at| is_writable(at)) }
    }

    /// # Safety
    ///
    /// As for [`Copied::leading`], where any structure may be written.
    unsafe fn with(
        first: *const c_void,
        change: impl Fn(StructureType) -> Option<Change>,
        may_write: impl Fn(*mut vk::BaseOutStructure<'static>) -> bool,
    ) -> Result<Self, StructureType> {
        let mut copied = Self::unchanged(first);
        // SAFETY: the caller's promise.
        let chain: Vec<_> =
            unsafe { walk(first) }.map(|at| (at, unsafe { (*at).s_type })).collect();
        let Some(last) = chain.iter().rposition(|(_, s_type)| change(*s_type).is_some()) else {
            return Ok(copied);
        };
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
            // SAFETY: a valid structure of this type has so many bytes, and there is room for them.
            unsafe { copy.as_mut_ptr().cast::<u8>().copy_from_nonoverlapping(at.cast(), size) };
            kept.push(copy.as_mut_ptr().cast());
            copied.copies.push(copy);
        }
        let rest = chain.get(last + 1).map_or(std::ptr::null_mut(), |(at, _)| *at);
        for (i, &at) in kept.iter().enumerate() {
            // SAFETY: the copies are ours, and the others may be written.
            unsafe { (*at).p_next = kept.get(i + 1).copied().unwrap_or(rest) };
        }
        copied.first = kept.first().copied().unwrap_or(rest).cast();
        Ok(copied)
    }

    /// The chain as it is.
    pub(crate) fn unchanged(first: *const c_void) -> Self {
        Self { first, copies: Vec::new(), led: Vec::new() }
    }

    /// Where the chain begins.
    pub(crate) fn first(&self) -> *const c_void {
        self.first
    }

    /// The copy of the structure of this type, if it was copied.
    pub(crate) fn copy<T: TaggedStructure>(&mut self) -> Option<&mut T> {
        let copies = self.copies.iter_mut().map(|copy| copy.as_mut_ptr());
        copies.into_iter().find_map(|at| {
            // SAFETY: a copy is of a valid structure, and begins with its type, which says what it is.
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
            // SAFETY: the promise that was made to `leading`.
            unsafe { (*at).p_next = next };
        }
    }
}

/// Whether what a structure leads to can be written. Constants may lie where a write would end the program; the system,
/// asked to write what is there already, answers instead.
///
/// # Safety
///
/// The structure is valid, and nobody else uses it.
unsafe fn is_writable(at: *mut vk::BaseOutStructure<'static>) -> bool {
    let Ok((mut reader, mut writer)) = std::io::pipe() else { return false };
    // SAFETY: the caller's promise.
    let next = unsafe { (*at).p_next };
    let bytes = next.expose_provenance().to_ne_bytes();
    // SAFETY: the field is a pointer, of so many bytes, and gets those that it has.
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
        assert_eq!(last, Some((&raw const c).cast_mut().cast()), "what follows is not copied");

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
        // SAFETY: the chain is valid as far as anybody can tell.
        assert_eq!(unsafe { Copied::new((&raw const a).cast(), drops) }.map(|_| ()), Err(UNKNOWN));
        // SAFETY: behind what changes it may stand.
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

    /// A structure among a program's constants.
    struct Constant<T>(T);

    // SAFETY: nobody writes it.
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
