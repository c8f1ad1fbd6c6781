//! `polyshade depth`, `discard` and `lower`.

use super::{Acts, Table, Together, Witness};

const PLAIN: &str = "#version 450
layout(location = 0) in vec4 a;
layout(location = 0) out vec4 v;
void main() { v = a * 2.0; gl_Position = a; }
";

/// The position is captured, so it goes to an output of its own.
const CAPTURED: &str = "#version 450
layout(location = 0) in vec4 a;
layout(location = 0) out vec4 v;
out gl_PerVertex { layout(xfb_buffer = 0, xfb_offset = 0, xfb_stride = 16) vec4 gl_Position; };
void main() { v = a * 2.0; gl_Position = a; }
";

const fn on(source: &'static str, line: &'static str) -> Witness {
    Witness { file: "a.vert", source, line }
}

const fn acts(option: &'static str, value: &'static str, on: usize) -> Acts {
    Acts { option, value, on }
}

pub(super) const DEPTH: Table = Table {
    verb: "depth",
    witnesses: &[
        on(PLAIN, ""),
        on(PLAIN, "--rotate specialization=5"),
        on(PLAIN, "--range storage=1:0"),
        on(PLAIN, "--flip-y push-constant=16"),
        on(CAPTURED, ""),
    ],
    acts: &[
        acts("--range", "off", 0),
        acts("--flip-y", "on", 0),
        acts("--rotate", "90", 0),
        acts("--reserve", "1:0", 2),
        acts("--reserve-constant", "5", 1),
        acts("--reserve-location", "1", 4),
        acts("--reserve-push-constants", "16-19", 3),
        acts("--reserve-ids-below", "1000", 0),
        acts("--no-names", "", 0),
        acts("--max-output-components", "4", 4),
    ],
    together: &[Together { options: ["*", "--range"], why: "nothing is left to be done" }],
    idle: &[],
};

pub(super) const DISCARD: Table = Table {
    verb: "discard",
    witnesses: &[
        on(PLAIN, ""),
        on(PLAIN, "--when specialization=5"),
        on(PLAIN, "--when storage=1:0"),
        on(PLAIN, "--when push-constant=16"),
        on(CAPTURED, ""),
    ],
    acts: &[
        acts("--when", "specialization=5", 0),
        acts("--reserve", "1:0", 2),
        acts("--reserve-constant", "5", 1),
        acts("--reserve-location", "1", 4),
        acts("--reserve-push-constants", "16-19", 3),
        acts("--reserve-ids-below", "1000", 0),
        acts("--no-names", "", 0),
        acts("--max-output-components", "4", 4),
    ],
    together: &[],
    idle: &[],
};

pub(super) const LOWER: Table = Table {
    verb: "lower",
    witnesses: &[
        on(PLAIN, r#"'{"depth":{"flip_y":{"fixed":true}}}'"#),
        on(PLAIN, r#"'{"depth":{"flip_y":{"word":{"specialization":{"first_id":5}}}}}'"#),
        on(PLAIN, r#"'{"depth":{"flip_y":{"word":{"storage_buffer":{"set":1,"binding":0}}}}}'"#),
        on(PLAIN, r#"'{"depth":{"flip_y":{"word":{"push_constant":{"offset":16}}}}}'"#),
        on(CAPTURED, r#"'{"depth":{"flip_y":{"fixed":true}}}'"#),
    ],
    acts: &[
        acts("--reserve", "1:0", 2),
        acts("--reserve-constant", "5", 1),
        acts("--reserve-location", "1", 4),
        acts("--reserve-push-constants", "16-19", 3),
        acts("--reserve-ids-below", "1000", 0),
        acts("--no-names", "", 0),
        acts("--max-output-components", "4", 4),
    ],
    together: &[],
    idle: &[],
};
