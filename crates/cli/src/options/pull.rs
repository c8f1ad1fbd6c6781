//! `polyshade pull`.

use super::{Acts, Table, Together, Witness};

const PLAIN: &str = "#version 450
layout(location = 0) in vec4 a;
layout(location = 1) in vec2 b;
void main() { gl_Position = a + b.xyxy; }
";

const fn on(line: &'static str) -> Witness {
    Witness { file: "a.vert", source: PLAIN, line }
}

const fn acts(option: &'static str, value: &'static str, on: usize) -> Acts {
    Acts { option, value, on }
}

pub(super) const TABLE: Table = Table {
    verb: "pull",
    witnesses: &[
        on("--attribute 0=0:0:r8g8b8a8_unorm --buffer 0=4"),
        on("--attribute 0=0:0:r8g8b8a8_unorm --buffer 0=4 --words push-constant=16"),
        on("--attribute 0=0:0:r8g8b8a8_unorm --buffer 0=4 --words specialization=5"),
        on("--attribute 0=0:0:r8g8b8a8_unorm --buffer 0=4:instance/2"),
        on("--attribute 0=0:0:r16g16b16a16_unorm --buffer 0=4"),
    ],
    acts: &[
        acts("--attribute", "1=0:2:r8g8_unorm", 0),
        acts("--buffer", "1=4", 0),
        acts("--set", "1", 0),
        acts("--binding", "2", 0),
        acts("--words", "uniform=0:7", 0),
        acts("--robustness", "access", 0),
        acts("--access-beyond-stride", "", 4),
        acts("--base-instance", "", 3),
        acts("--reserve", "3:0", 0),
        acts("--reserve-constant", "5", 2),
        acts("--reserve-push-constants", "16-19", 1),
        acts("--reserve-ids-below", "1000", 0),
        acts("--no-names", "", 0),
    ],
    together: &[
        Together { options: ["--reserve", "--set"], why: "another set has room" },
        Together { options: ["--reserve", "--binding"], why: "another binding has room" },
    ],
    idle: &[("--reserve-location", "no output is added")],
};
