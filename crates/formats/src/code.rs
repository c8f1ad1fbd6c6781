//! The codes of this crate's errors.

polyshade_spv::codes! {
    FORMAT_INVALID_SHADER: Malformed, "format.invalid-shader",
        "Fix the shader at the place that the compiler, assembler or validator names.";
    FORMAT_NOT_EXPRESSIBLE: Unsupported, "format.not-expressible",
        "Write another format, or remove the construct that the message names from the shader.";
    FORMAT_POINT_SIZE: Unsupported, "format.point-size",
        "Drop PointSize: the language has no point size.";
    FORMAT_OPTIONS: Options, "format.options",
        "Correct the option for the format, or leave it out.";
    FORMAT_CRASHED: Failed, "format.crashed",
        "Report the shader to the library that crashed, or write another format.";
    FORMAT_FEATURE_MISSING: Unsupported, "format.feature-missing",
        "Use a build with the feature that the message names.";
}
