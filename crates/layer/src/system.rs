//! Android's log and system properties.

use std::ffi::{CString, OsString, c_char, c_int};

#[link(name = "log")]
unsafe extern "C" {
    fn __android_log_write(priority: c_int, tag: *const c_char, text: *const c_char) -> c_int;
}

unsafe extern "C" {
    fn __system_property_get(name: *const c_char, value: *mut c_char) -> c_int;
}

/// The maximum size in bytes of a property value, including the terminating zero (`PROP_VALUE_MAX`).
const MOST: usize = 92;

/// Writes a line to the system log, with an `android_LogPriority`.
pub(crate) fn say(priority: c_int, text: &str) {
    if let Ok(text) = CString::new(text) {
        // SAFETY: both arguments are NUL-terminated strings.
        unsafe { __android_log_write(priority, c"polyshade-layer".as_ptr(), text.as_ptr()) };
    }
}

/// Returns the system property for an environment variable, such as `debug.polyshade_layer_mode`.
pub(crate) fn property(variable: &str) -> Option<OsString> {
    let name = CString::new(format!("debug.{}", variable.to_lowercase())).ok()?;
    let mut value = [0_u8; MOST];
    // SAFETY: the buffer is large enough for any value.
    let length = unsafe { __system_property_get(name.as_ptr(), value.as_mut_ptr().cast()) };
    let bytes = value.get(..usize::try_from(length).ok()?)?;
    let text = std::str::from_utf8(bytes).ok()?;
    (!text.is_empty()).then(|| text.into())
}
