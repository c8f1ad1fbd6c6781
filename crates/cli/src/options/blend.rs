//! `polyshade blend`.

use super::{Acts, Table, Witness};

const PLAIN: &str = "#version 450
layout(location = 0) in vec4 a;
layout(location = 0) out vec4 c;
layout(location = 1) out vec4 d;
void main() { c = a; d = a * 2.0; }
";

const fn on(line: &'static str) -> Witness {
    Witness { file: "a.frag", source: PLAIN, line }
}

const fn acts(option: &'static str, value: &'static str, on: usize) -> Acts {
    Acts { option, value, on }
}

pub(super) const TABLE: Table = Table {
    verb: "blend",
    witnesses: &[
        on("--equations multiply"),
        on("--equations multiply,screen"),
        on("--equations multiply --destination texture"),
        on("--equations multiply --format-class float"),
        on(""),
        on("--blend constant-color,zero"),
        on("--equations multiply,screen --select specialization=5"),
        on("--equations multiply,screen --select push-constant=16"),
        on("--equations multiply,screen --select storage=1:0"),
        on("--equations multiply --multisampled"),
    ],
    acts: &[
        acts("--equations", "multiply", 4),
        acts("--target", "0=screen", 0),
        acts("--select", "push-constant=0", 1),
        acts("--destination", "texture", 0),
        acts("--set", "1", 0),
        acts("--binding", "2", 0),
        acts("--index", "1", 0),
        acts("--layer", "layer", 2),
        acts("--multisampled", "", 0),
        acts("--overlap", "disjoint", 0),
        acts("--source-alpha", "straight", 0),
        acts("--destination-alpha", "straight", 0),
        acts("--clamp-results", "", 3),
        acts("--format-class", "float", 0),
        acts("--without-alpha", "", 0),
        acts("--alpha-to-one", "", 0),
        acts("--blend", "one,one", 4),
        acts("--logic-op", "xor", 4),
        acts("--attachment-format", "R16G16B16A16_SFLOAT", 0),
        acts("--blend-constants", "1,0,0,1", 5),
        acts("--alpha-to-coverage", "4", 9),
        acts("--reserve", "1:0", 8),
        acts("--reserve-constant", "5", 6),
        acts("--reserve-push-constants", "16-19", 7),
        acts("--reserve-ids-below", "1000", 0),
        acts("--no-names", "", 0),
    ],
    together: &[],
    idle: &[("--reserve-location", "a fragment shader gets no other outputs than its own")],
};
