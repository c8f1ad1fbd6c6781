//! The codes of the program's own errors.

polyshade::spv::codes! {
    CLI_USAGE: Options, "cli.usage",
        "Correct the command line: `--help` lists the options of the verb.";
    CLI_AMBIGUOUS_ENTRY_POINT: Options, "cli.ambiguous-entry-point",
        "Choose an entry point with `--entry` or `--stage`.";
    CLI_OTHER_STAGE: Unsupported, "cli.other-stage",
        "Use a shader of a stage that the verb supports.";
    CLI_INVALID_INPUT: Malformed, "cli.invalid-input",
        "Correct the file as the message describes.";
    CLI_SPIRV_VERSION: Unsupported, "cli.spirv-version",
        "Compile the shader to SPIR-V 1.0 to 1.6.";
    CLI_FEATURE_MISSING: Unsupported, "cli.feature-missing",
        "Build the program with the feature that the message names.";
    CLI_FILE_NAME: Unsupported, "cli.file-name",
        "Rename the file: its name cannot be written to a report or depfile.";
    CLI_FILE: Failed, "cli.file",
        "Check that the file exists, and check its permissions and the free space.";
    CLI_PROCESS: Failed, "cli.process",
        "Report the crash together with the shader.";
    CLI_INVALID_OUTPUT: Failed, "cli.invalid-output",
        "Report the shader: polyshade wrote a module that is not valid.";
    CLI_BATCH_FAILED: Failed, "cli.batch-failed",
        "The report lists the shaders that failed, with the reasons.";
    CLI_BATCH_UNSUPPORTED: Unsupported, "cli.batch-unsupported",
        "The report lists the unsupported shaders, with the reasons; `--allow-unsupported` accepts them.";
    VERIFY_DIFFERENT: Failed, "verify.different",
        "Report the shader, the options and the device: a variant behaves differently from the shader.";
    VERIFY_NOT_COMPARABLE: Unsupported, "verify.not-comparable",
        "Compare on another device, or without the feature that the message names.";
    CLI_INTERRUPTED: Failed, "cli.interrupted",
        "Run the batch again: it continues with the remaining shaders.";
}
