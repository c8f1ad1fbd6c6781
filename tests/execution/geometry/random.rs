//! Random geometry stages and draws. A failing group is simplified as long as it still fails.

use super::pipeline::{Draws, Item, Pipeline, drawn_options, options, run_native};
use super::shaders::{OUTPUTS, PRIMITIVES, source};
use crate::drivers::{DRIVERS, Driver};
use crate::indexed::Indexed;
use crate::noise::Noise;
use crate::property::{check_groups, numbers};
use crate::shaders::{Shader, Varyings};
use crate::sweep::pick;
use polyshade::transform_feedback::{IndexType, Topology};
use polyshade_formats::ShaderStage;
use polyshade_vulkan::ProvokingVertex;
use proptest::prelude::*;
use std::fmt::Write;

/// The number of pipelines, unless `POLYSHADE_GROUPS` is set, and the most draws of each.
const GROUPS: u32 = 24;
const DRAWS: usize = 6;

/// The lists of varyings. A member of the built-in block is captured to buffer 0 only.
const LISTS: [Varyings; 4] = [
    Varyings::Interleaved("gl_Position g_more gl_NextBuffer g_index g_values"),
    Varyings::Interleaved("gl_Position gl_SkipComponents1 g_index"),
    Varyings::Separate("gl_Position g_index g_values g_more"),
    Varyings::Interleaved("g_values gl_NextBuffer g_index"),
];

/// A pipeline and its draws.
#[derive(Debug, Clone)]
struct Group {
    source: &'static str,
    varyings: Varyings,
    one_topology: Option<Topology>,
    draws: Draws,
    items: Vec<Item>,
}

impl Group {
    fn drawn((common, items): (Vec<u32>, Vec<Vec<u32>>)) -> Self {
        let noise = &mut Noise::drawn(common);
        let input = noise.below(PRIMITIVES.len() as u32) as usize;
        let output = pick(noise, &["points", "line_strip", "triangle_strip"]);
        let invocations = 1 + noise.below(4);
        let varyings = pick(noise, &LISTS);
        let (_, _, topologies) = PRIMITIVES[input];
        let one_topology = (noise.below(2) == 1).then(|| pick(noise, topologies));
        let indexed = noise.below(2) == 1;
        let draws = Draws { indexed, restart: indexed && noise.below(2) == 1 };
        let mode = pick(noise, &[ProvokingVertex::First, ProvokingVertex::Last]);
        let mut body =
            String::from("void main() { gl_PointSize = 1.0; uint state = seed(), emitted = 0u;\n");
        statements(noise, &mut body, 3);
        body.push('}');
        let item = |numbers| {
            let noise = &mut Noise::drawn(numbers);
            let topology = one_topology.unwrap_or_else(|| pick(noise, topologies));
            item(noise, topology, mode, draws)
        };
        let items = items.into_iter().map(item).collect();
        let source = source(input, output, invocations, &body);
        Self { source, varyings, one_topology, draws, items }
    }

    /// Returns a description of the difference, if any.
    fn compare(&self) -> Result<(), String> {
        let shader = Shader { source: self.source, outputs: OUTPUTS };
        let [dispatched, drawn] =
            [options(self.varyings), drawn_options(self.varyings)].map(|options| {
                match self.one_topology {
                    Some(one) => options.topologies([one]),
                    None => options,
                }
            });
        let layout = shader.layout(self.varyings);
        let words = shader.plain_stage(ShaderStage::Geometry);
        let dispatched = Pipeline::of_words(words.clone(), &dispatched, self.draws);
        let drawn = Pipeline::drawn(words, &drawn);
        let native = run_native(&shader, self.varyings, &self.items);
        let runs = DRIVERS.map(|driver| (driver, &dispatched));
        for (driver, pipeline) in runs.into_iter().chain([(Driver::Lavapipe, &drawn)]) {
            let found = pipeline.run(driver, &self.items, &layout);
            for ((item, found), native) in self.items.iter().zip(&found).zip(&native) {
                if found != native {
                    let (ours, theirs) = (found.captured, native.captured);
                    let stages = pipeline.stages.len();
                    return Err(format!(
                        "{driver:?}, {stages} stages: {ours:?}, natively {theirs:?}\n{item:?}"
                    ));
                }
            }
        }
        Ok(())
    }
}

/// Writes random statements, nested to a depth.
fn statements(noise: &mut Noise, body: &mut String, depth: u32) {
    const EMIT: &str = "if (emitted < 15u) { write(emitted); EmitVertex(); ++emitted; }";
    for _ in 0..1 + noise.below(4) {
        let [large, small] = [2 + noise.below(7), noise.below(3)];
        match noise.below(if depth > 0 { 8 } else { 4 }) {
            0 | 1 => body.push_str(EMIT),
            2 => body.push_str("EndPrimitive();"),
            3 => body.push_str("state = random(state);"),
            4 => {
                write!(body, "if (state % {large}u != {small}u) {{").expect("it is a string");
                statements(noise, body, depth - 1);
                body.push('}');
            }
            5 => write!(body, "if (state % {large}u == 1u) return;").expect("it is a string"),
            loops => {
                // Shaders with constant loops only may emit constant numbers.
                let count = if loops == 6 { "1u" } else { "state" };
                write!(
                    body,
                    "for (uint i = {count} * {large}u % 5u; i > 0u; --i) {{ state = random(state);"
                )
                .expect("it is a string");
                statements(noise, body, depth - 1);
                body.push('}');
            }
        }
        body.push('\n');
    }
}

fn item(noise: &mut Noise, topology: Topology, mode: ProvokingVertex, draws: Draws) -> Item {
    let count = noise.below(30);
    let mut indexed = Indexed::new(topology, IndexType::Uint32, count);
    // The range of indices may be empty, but not the buffer.
    indexed.indices.push(0);
    for index in &mut indexed.indices {
        let restarts = draws.restart && noise.below(6) == 0;
        *index = if restarts { u32::MAX } else { noise.below(40) };
    }
    indexed.restart = draws.restart;
    let case = &mut indexed.case;
    if !draws.indexed {
        let first = noise.below(9);
        case.draw.vertices = first..first + count;
    }
    let first = noise.below(5);
    case.draw.instances = first..first + 1 + noise.below(3);
    case.draw.provoking_vertex = mode;
    let ample = noise.below(3) > 0;
    case.room.fill_with(|| if ample { 5_000 } else { noise.below(120) });
    case.reached = noise.below(2) * noise.below(4).min(*case.room.iter().min().expect("four"));
    Item { draws, indexed }
}

#[test]
fn any_primitive_is_captured_as_natively() {
    let drawn = (numbers(8..=120), prop::collection::vec(numbers(60..=120), 1..=DRAWS));
    check_groups((GROUPS, 1024), drawn.prop_map(Group::drawn), |group| {
        let told = |reason| format!("{reason}\n{}", group.source);
        group.compare().map_err(told)
    });
}
