//! `polyshade position`.

use super::{Acts, Table, Witness};

const PLAIN: &str = "#version 450
layout(location = 0) in vec4 a;
layout(location = 1) in vec4 b;
layout(location = 0) out vec4 v;
void main() { v = b * 2.0; gl_Position = a * 3.0 + b.xxxx; }
";

const UNUSED: &str = "#version 450
layout(location = 0) in vec4 a;
layout(location = 1) in vec4 b;
layout(location = 0) out vec4 v;
void main() { v = b * 2.0; gl_Position = a * 3.0 + vec4(1.0); }
";

const STORES: &str = "#version 450
layout(location = 0) in vec4 a;
layout(set = 0, binding = 0) buffer Stored { vec4 stored; };
layout(location = 0) out vec4 v;
void main() { stored = a; v = a * 2.0; gl_Position = a * 3.0; }
";

const CAPTURED: &str = "#version 450
layout(location = 0) in vec4 a;
layout(location = 0, xfb_buffer = 0, xfb_offset = 0, xfb_stride = 16) out vec4 v;
void main() { v = a * 2.0; gl_Position = a * 3.0; }
";

const fn on(source: &'static str) -> Witness {
    Witness { file: "a.vert", source, line: "" }
}

const fn acts(option: &'static str, value: &'static str, on: usize) -> Acts {
    Acts { option, value, on }
}

const KEEPS_CLEAR: &str = "the variants add nothing that could be in the way";

pub(super) const TABLE: Table = Table {
    verb: "position",
    witnesses: &[on(PLAIN), on(UNUSED), on(STORES), on(CAPTURED)],
    acts: &[
        acts("--keep", "v", 0),
        acts("--keep-interface", "", 1),
        acts("--invariant", "", 0),
        acts("--precise", "", 0),
        acts("--side-effects", "in-position", 2),
        acts("--feedback", "position", 3),
        acts("--complement", "%d/complement.spv", 0),
        acts("--full", "%d/full.spv", 0),
    ],
    together: &[],
    idle: &[
        ("--reserve", KEEPS_CLEAR),
        ("--reserve-constant", KEEPS_CLEAR),
        ("--reserve-location", KEEPS_CLEAR),
        ("--reserve-push-constants", KEEPS_CLEAR),
        ("--reserve-ids-below", KEEPS_CLEAR),
        ("--no-names", KEEPS_CLEAR),
    ],
};
