//! The messages of the Khronos validation layer, kept for the caller.
//!
//! A run without messages proves something only if the layer was active. Therefore [`Layer`] names the active layer,
//! and requesting validation without a layer is an error.

use ash::vk;
use std::ffi::{CStr, c_void};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, MutexGuard, PoisonError};

pub(crate) const LAYER: &CStr = c"VK_LAYER_KHRONOS_validation";

/// A wrong message of the validation layer, and the reason why it is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FalsePositive {
    /// The identifier of the message, a `VUID-…` or `UNASSIGNED-…`.
    pub id: &'static str,
    /// Parts of message texts. A message is a false positive if it contains one of these parts.
    pub says: &'static [&'static str],
    /// The reason why the message is wrong.
    pub reason: &'static str,
}

const NO_FORMATS: &[&str] = &["VkPipelineRenderingCreateInfo::colorAttachmentCount (0)"];
const FORGOTTEN_FORMATS: &str = "chromium's layer forgets the formats of a pipeline that does not rasterize, though \
                                 it was created with as many as its pass has (Khronos' issue 7858); `Device::execute` \
                                 compares the targets itself";

/// The false positives, which are not recorded.
pub const KNOWN_FALSE_POSITIVES: &[FalsePositive] = &[
    FalsePositive {
        id: "VUID-RuntimeSpirv-maxCombinedClipAndCullDistances-00710",
        says: &["TESSELLATION_CONTROL", "GEOMETRY", "TESSELLATION_EVALUATION"],
        reason: "chromium's layer adds a stage's inputs and outputs, which are separate arrays: \
                 handwritten shaders with at most eight distances on either side trigger it too",
    },
    FalsePositive {
        id: "VUID-vkCmdDraw-colorAttachmentCount-06179",
        says: NO_FORMATS,
        reason: FORGOTTEN_FORMATS,
    },
    FalsePositive {
        id: "VUID-vkCmdDrawIndirect-colorAttachmentCount-06179",
        says: NO_FORMATS,
        reason: FORGOTTEN_FORMATS,
    },
    FalsePositive {
        id: "WARNING-vkGetDeviceProcAddr-device",
        says: &["vkGetPhysicalDeviceVideoEncodeQualityLevelPropertiesKHR"],
        reason: "chromium's layer reports it for every device created with NVIDIA's driver: the function belongs \
                 to an extension that is not enabled, and polyshade does not look it up",
    },
];

/// The validation layer that checks a device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layer {
    /// The Vulkan version that the layer was written for, in Vulkan's packed format.
    pub spec_version: u32,
    /// The version of the layer itself.
    pub implementation_version: u32,
    /// The layer's description of itself.
    pub description: String,
}

impl fmt::Display for Layer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let v = self.spec_version;
        let (major, minor) = (vk::api_version_major(v), vk::api_version_minor(v));
        write!(f, "{} {major}.{minor}.{}", self.description, vk::api_version_patch(v))
    }
}

/// The severity of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Something that is allowed but suspicious.
    Warning,
    /// Something that the specification forbids.
    Error,
}

/// One message of the validation layer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// The severity.
    pub severity: Severity,
    /// The violated rule, a `VUID-…` or `UNASSIGNED-…`; may be empty.
    pub id: String,
    /// The whole text.
    pub text: String,
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} {}: {}", self.severity, self.id, self.text)
    }
}

/// The messages so far. The layer appends to them from any thread.
#[derive(Debug, Default)]
pub(crate) struct Log(Mutex<Vec<Message>>);

impl Log {
    /// Returns the messages since the last call.
    pub(crate) fn take(&self) -> Vec<Message> {
        std::mem::take(&mut *self.messages())
    }

    fn messages(&self) -> MutexGuard<'_, Vec<Message>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the create info of a messenger that writes to this log.
    pub(crate) fn messenger(&self) -> vk::DebugUtilsMessengerCreateInfoEXT<'static> {
        use vk::{
            DebugUtilsMessageSeverityFlagsEXT as Severity, DebugUtilsMessageTypeFlagsEXT as Type,
        };

        // GENERAL messages come from the loader, about other drivers; PERFORMANCE messages suggest optimizations.
        vk::DebugUtilsMessengerCreateInfoEXT::default()
            .message_severity(Severity::WARNING | Severity::ERROR)
            .message_type(Type::VALIDATION)
            .pfn_user_callback(Some(record))
            .user_data(std::ptr::from_ref(self).cast_mut().cast())
    }
}

/// Records a message. The layer calls this function for each message.
unsafe extern "system" fn record(
    severity: vk::DebugUtilsMessageSeverityFlagsEXT,
    _types: vk::DebugUtilsMessageTypeFlagsEXT,
    data: *const vk::DebugUtilsMessengerCallbackDataEXT<'_>,
    log: *mut c_void,
) -> vk::Bool32 {
    // SAFETY: `log` is the `Log` of the instance, which outlives its messenger.
    let log = unsafe { &*log.cast::<Log>() };
    // SAFETY: the layer passes a valid structure, whose strings live as long as this call.
    let (id, text) = unsafe { (text((*data).p_message_id_name), text((*data).p_message)) };
    let is_known =
        |known: &FalsePositive| known.id == id && known.says.iter().any(|part| text.contains(part));
    if KNOWN_FALSE_POSITIVES.iter().any(is_known) {
        return vk::FALSE;
    }

    let error = severity.contains(vk::DebugUtilsMessageSeverityFlagsEXT::ERROR);
    let severity = if error { Severity::Error } else { Severity::Warning };
    // A panic must not unwind into the layer.
    let _ = catch_unwind(AssertUnwindSafe(|| log.messages().push(Message { severity, id, text })));
    vk::FALSE
}

/// # Safety
///
/// `string` is null or NUL-terminated.
unsafe fn text(string: *const std::ffi::c_char) -> String {
    if string.is_null() {
        return String::new();
    }
    // SAFETY: guaranteed by the caller.
    unsafe { CStr::from_ptr(string) }.to_string_lossy().into_owned()
}
