//! The codes of the errors that only the C library has.

polyshade::spv::codes! {
    C_API_ARGUMENT: Options, "c-api.argument",
        "Correct the call: the message names the argument.";
    C_API_JSON: Malformed, "c-api.json",
        "Correct the JSON text at the place that the message names.";
    C_API_STATE: Options, "c-api.state",
        "Name a device and describe either a draw or blending in the state of the plan.";
    C_API_LAYOUT: Options, "c-api.layout",
        "Load a layout that this version of the library saved.";
    C_API_NOT_FOUND: NotFound, "c-api.not-found",
        "Request an element that the object has.";
    C_API_BUFFER: Limit, "c-api.buffer",
        "Call again with a buffer for as many elements as the count states.";
    C_API_INTERNAL: Failed, "c-api.internal",
        "Report the call: polyshade panicked.";
}
