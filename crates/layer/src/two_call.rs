//! Vulkan's convention for lists: a first call returns the length, and a second call returns the elements.

use ash::vk;

/// The maximum number of attempts to read a list that grows between the two calls.
const MOST_TRIES: u32 = 8;

/// Writes a list to the caller: only its length if `out` is null, otherwise as many elements as fit.
///
/// # Safety
///
/// `count` is valid; `out` is null or points to `*count` elements.
pub(crate) unsafe fn write_list<T: Copy>(list: &[T], count: *mut u32, out: *mut T) -> vk::Result {
    // SAFETY: guaranteed by the caller.
    unsafe {
        if out.is_null() {
            *count = list.len() as u32;
            return vk::Result::SUCCESS;
        }
        let room = (*count as usize).min(list.len());
        out.copy_from_nonoverlapping(list.as_ptr(), room);
        *count = room as u32;
        if room < list.len() { vk::Result::INCOMPLETE } else { vk::Result::SUCCESS }
    }
}

pub(crate) fn read_list<T: Copy + Default>(
    call: impl Fn(*mut u32, *mut T) -> vk::Result,
) -> Result<Vec<T>, vk::Result> {
    for _ in 0..MOST_TRIES {
        let mut count = 0;
        call(&raw mut count, std::ptr::null_mut()).result()?;
        let mut list = vec![T::default(); count as usize];
        match call(&raw mut count, list.as_mut_ptr()) {
            vk::Result::SUCCESS => {
                list.truncate(count as usize);
                return Ok(list);
            }
            vk::Result::INCOMPLETE => {}
            error => return Err(error),
        }
    }
    Err(vk::Result::ERROR_UNKNOWN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_written_as_far_as_it_fits() {
        let list = [1, 2, 3];
        let written = |room: u32| {
            let (mut count, mut out) = (room, [0; 3]);
            // SAFETY: the array has three elements.
            let result = unsafe { write_list(&list, &raw mut count, out.as_mut_ptr()) };
            (result, count, out)
        };
        assert_eq!(written(3), (vk::Result::SUCCESS, 3, [1, 2, 3]));
        assert_eq!(written(2), (vk::Result::INCOMPLETE, 2, [1, 2, 0]));
        assert_eq!(written(0), (vk::Result::INCOMPLETE, 0, [0; 3]));
        let mut count = 0;
        // SAFETY: null requests the length only.
        let result = unsafe { write_list(&list, &raw mut count, std::ptr::null_mut()) };
        assert_eq!((result, count), (vk::Result::SUCCESS, 3));
    }

    #[test]
    fn a_list_that_grows_is_read_again() {
        let tries = std::cell::Cell::new(0);
        let all = read_list(|count, out: *mut u32| {
            tries.set(tries.get() + 1);
            let list = [7; 4];
            let length = if tries.get() == 1 { 2 } else { 4 };
            // SAFETY: `read_list` passes an array of `count` elements.
            unsafe { write_list(&list[..length], count, out) }
        });
        assert_eq!((all, tries.get()), (Ok(vec![7; 4]), 4));
        assert_eq!(
            read_list::<u32>(|_, _| vk::Result::ERROR_UNKNOWN),
            Err(vk::Result::ERROR_UNKNOWN)
        );
    }
}
