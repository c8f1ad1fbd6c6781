//! The codes of this crate's errors.

polyshade::spv::codes! {
    VULKAN_NO_LOADER: Unsupported, "vulkan.no-loader",
        "Install a Vulkan loader and a driver.";
    VULKAN_NO_DEVICE: NotFound, "vulkan.no-device",
        "Name one of the devices that the message lists.";
    VULKAN_NO_VALIDATION_LAYER: Unsupported, "vulkan.no-validation-layer",
        "Install the Khronos validation layer, or run without validation.";
    VULKAN_MISSING_FEATURE: Unsupported, "vulkan.missing-feature",
        "Use a device that has the feature.";
    VULKAN_UNSUPPORTED: Unsupported, "vulkan.unsupported",
        "Use a device that supports the format or has the larger limit.";
    VULKAN_INVALID_WORK: Options, "vulkan.invalid-work",
        "Correct the description of the draws and dispatches.";
    VULKAN_CALL_FAILED: Failed, "vulkan.call-failed",
        "Look up the result of the call in the Vulkan specification, and update the driver.";
    VULKAN_TIMED_OUT: Failed, "vulkan.timed-out",
        "Check the shader for loops that do not end, and reset the device.";
}
