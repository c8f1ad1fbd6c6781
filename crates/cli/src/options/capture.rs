//! `polyshade capture`.

use super::{Acts, Table, Together, Witness};

const PLAIN: &str = "#version 450
layout(location = 0) in vec4 a;
layout(location = 0) out vec4 v;
layout(location = 1) out vec2 w;
void main() { v = a * 2.0; w = a.xy; gl_Position = a; }
";

const DECORATED: &str = "#version 450
layout(location = 0) in vec4 a;
layout(location = 0, xfb_buffer = 0, xfb_offset = 0, xfb_stride = 16) out vec4 v;
layout(location = 1) out vec2 w;
void main() { v = a * 2.0; w = a.xy; gl_Position = a; }
";

const SIZED: &str = "#version 450
layout(constant_id = 7) const int count = 2;
layout(location = 0) in vec4 a;
layout(location = 0) out vec4 v[count];
void main() { for (int i = 0; i < count; ++i) v[i] = a; gl_Position = a; }
";

const STORES: &str = "#version 450
layout(location = 0) in vec4 a;
layout(location = 0) out vec4 v;
layout(set = 0, binding = 0) buffer Stored { vec4 stored; };
void main() { stored = a; v = a; gl_Position = a; }
";

const INDEX: &str = "#version 450
layout(location = 0) out vec4 v;
void main() { v = vec4(gl_VertexIndex); gl_Position = v; }
";

const TWO: &str = "#version 450
layout(location = 0) in vec4 a;
layout(location = 1) in vec2 b;
layout(location = 0) out vec4 v;
void main() { v = a + b.xyxy; gl_Position = a; }
";

const fn on(source: &'static str, line: &'static str) -> Witness {
    Witness { file: "a.vert", source, line }
}

const fn acts(option: &'static str, value: &'static str, on: usize) -> Acts {
    Acts { option, value, on }
}

/// Of the varying of this witness.
const ADDS_NOTHING: &str = "what is decorated where it stands adds no output";

pub(super) const TABLE: Table = Table {
    verb: "capture",
    witnesses: &[
        on(PLAIN, "--varyings v"),
        on(PLAIN, "--path extension --varyings location=1.y"),
        on(PLAIN, "--varyings v --words specialization=5"),
        on(PLAIN, "--varyings v --words push-constant=16"),
        on(PLAIN, "--varyings v,v"),
        on(PLAIN, "--stream-output location=0.xy"),
        on(DECORATED, ""),
        on(SIZED, "--varyings v"),
        on(STORES, "--varyings v"),
        on(PLAIN, "--varyings v,w"),
        on(INDEX, "--varyings v"),
        on(INDEX, "--varyings v --indexed"),
        on(PLAIN, "--varyings v --indexed"),
        on(TWO, "--varyings v --pull --attribute 0=0:0:r8g8b8a8_unorm --buffer 0=4"),
        on(TWO, "--varyings v --pull --attribute 0=0:0:r8g8b8a8_unorm --buffer 0=4:instance/2"),
        on(TWO, "--varyings v --pull --attribute 0=0:0:r16g16b16a16_unorm --buffer 0=4"),
        on(TWO, "--varyings v --attribute 0=0:0:r8g8b8a8_unorm --buffer 0=4:instance/2"),
    ],
    acts: &[
        acts("--varyings", "v,w", 6),
        acts("--varying", "w", 0),
        acts("--separate", "", 9),
        acts("--stream-output", "location=1.xy", 6),
        acts("--repeats", "", 4),
        acts("--strides", "32", 5),
        acts("--specialize", "7=3", 7),
        acts("--reserve", "3", 0),
        acts("--reserve-constant", "6", 2),
        acts("--reserve-location", "2", 1),
        acts("--reserve-push-constants", "16-31", 3),
        acts("--reserve-ids-below", "1000", 0),
        acts("--no-names", "", 0),
        acts("--path", "extension", 0),
        acts("--path", "compute", 10),
        acts("--max-output-components", "4", 1),
        acts("--limits-of", "vulkan-mobile", 1),
        acts("--set", "1", 0),
        acts("--binding", "4", 0),
        acts("--words", "push-constant=16", 0),
        acts("--side-effects", "in-raster", 8),
        acts("--no-point-size", "", 0),
        acts("--topologies", "triangle-list", 0),
        acts("--one-instance", "", 0),
        acts("--one-limit", "", 0),
        acts("--unbound-buffers", "", 0),
        acts("--indexed", "uint16", 10),
        acts("--restart", "", 11),
        acts("--pass-through", "", 0),
        acts("--constant-attributes", "0", 12),
        acts("--pull", "", 16),
        acts("--attribute", "1=0:2:r8g8_unorm", 13),
        acts("--buffer", "1=4", 13),
        acts("--robustness", "access", 13),
        acts("--access-beyond-stride", "", 15),
        acts("--base-instance", "", 14),
        acts("--pull-set", "1", 13),
        acts("--pull-binding", "2", 13),
        acts("--pull-words", "uniform=0:7", 13),
        acts("--variant", "both=%d/both.spv", 0),
    ],
    together: &[
        Together {
            options: ["--reserve", "--path"],
            why: "nothing is bound, and so not what is reserved",
        },
        Together { options: ["--reserve", "--set"], why: "the set that is named is another one" },
        Together { options: ["--reserve-location", "--path"], why: ADDS_NOTHING },
        Together { options: ["--no-names", "--path"], why: ADDS_NOTHING },
        Together { options: ["--max-output-components", "--path"], why: ADDS_NOTHING },
    ],
    idle: &[],
};
