//! What only Android's libraries have: its log, and its properties.

use std::ffi::{CString, OsString, c_char, c_int};

#[link(name = "log")]
unsafe extern "C" {
    fn __android_log_write(priority: c_int, tag: *const c_char, text: *const c_char) -> c_int;
}

unsafe extern "C" {
    fn __system_property_get(name: *const c_char, value: *mut c_char) -> c_int;
}

/// The bytes of a property's value, with the zero behind it (`PROP_VALUE_MAX`).
const MOST: usize = 92;

/// Says something in the system's log, with a priority as `android_LogPriority` has it.
pub(crate) fn say(priority: c_int, text: &str) {
    if let Ok(text) = CString::new(text) {
        // SAFETY: both are strings.
        unsafe { __android_log_write(priority, c"polyshade-layer".as_ptr(), text.as_ptr()) };
    }
}

/// The property that stands for a variable of the environment: `debug.polyshade_layer_mode`.
pub(crate) fn property(variable: &str) -> Option<OsString> {
    let name = CString::new(format!("debug.{}", variable.to_lowercase())).ok()?;
    let mut value = [0_u8; MOST];
    // SAFETY: there is room for any value.
    let length = unsafe { __system_property_get(name.as_ptr(), value.as_mut_ptr().cast()) };
    let bytes = value.get(..usize::try_from(length).ok()?)?;
    let text = std::str::from_utf8(bytes).ok()?;
    (!text.is_empty()).then(|| text.into())
}
