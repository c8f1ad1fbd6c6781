//! The codes of this crate's errors.

crate::codes! {
    SPIRV_NOT_A_MODULE: Malformed, "spirv.not-a-module",
        "Check that the input is a little-endian SPIR-V module and that all of it was read.";
    SPIRV_INVALID_ID: Malformed, "spirv.invalid-id",
        "Validate the module: every id must be defined once, be at least 1 and be below the bound.";
    SPIRV_INSTRUCTION_LENGTH: Malformed, "spirv.instruction-length",
        "Validate the module: an instruction's word count disagrees with its operands or with the module's end.";
    SPIRV_FUNCTION_LAYOUT: Malformed, "spirv.function-layout",
        "Validate the module: an instruction is outside of the function or section that it belongs to.";
    SPIRV_INVALID_ENTRY_POINT: Malformed, "spirv.invalid-entry-point",
        "Validate the module: an entry point must name a function, which no other function calls.";
    SPIRV_MODULE_TOO_LARGE: Limit, "spirv.module-too-large",
        "Split the module: it has more words than polyshade can address.";
    SPIRV_TOO_MANY_IDS: Limit, "spirv.too-many-ids",
        "Renumber the ids of the module, or split it: SPIR-V allows 4,194,303 ids.";
    SPIRV_INSTRUCTION_TOO_LONG: Limit, "spirv.instruction-too-long",
        "Use shorter names and smaller structures: an instruction has at most 65,535 words.";
    SPIRV_TOO_MANY_WORDS_ADDED: Limit, "spirv.too-many-words-added",
        "Check the module's decoration groups: the lowering would make it many times larger.";
    SPIRV_CONFLICTING_EDITS: Options, "spirv.conflicting-edits",
        "Fix the lowering: it overwrites one word of the module with two values.";
    SPIRV_KERNEL_SIGNEDNESS: Unsupported, "spirv.kernel-signedness",
        "Remove the capability Kernel from the module: signed integer types are not allowed with it.";
    ENTRY_POINT_NOT_FOUND: NotFound, "entry-point.not-found",
        "Name one of the module's entry points, and its stage.";
}
