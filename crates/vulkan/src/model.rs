//! A model of transform feedback as the specifications define it, for devices that lack transform feedback.
//!
//! The model is an oracle: it shares no code with the lowering that it checks, except the names of topologies and
//! provoking vertex modes, and prefers simplicity to speed. It defines the order of captured vertices
//! ([`primitives`]), the offsets of their values ([`interleave`]), and which primitives do not fit into full buffers
//! ([`capture`]).

use crate::work::Captured;
use ash::vk;
use polyshade::transform_feedback::ProvokingVertex;
pub use polyshade::transform_feedback::Topology;
use std::ops::Range;

/// Returns the Vulkan topology, or `None` for line loops, which Vulkan lacks.
pub fn native_topology(topology: Topology) -> Option<vk::PrimitiveTopology> {
    let has_vulkans_number = topology != Topology::LineLoop;
    has_vulkans_number.then(|| vk::PrimitiveTopology::from_raw(topology as i32))
}

/// Returns the primitives of one instance in order: for each, its captured vertices in order, counted from 0.
///
/// Left-over vertices at the end belong to no primitive.
pub fn primitives(topology: Topology, mode: ProvokingVertex, vertices: u32) -> Vec<Vec<u32>> {
    let n = vertices;
    let count = match topology {
        Topology::PointList => n,
        Topology::LineList => n / 2,
        Topology::LineStrip => n.saturating_sub(1),
        Topology::LineLoop if n < 2 => 0,
        Topology::LineLoop => n,
        Topology::TriangleList => n / 3,
        Topology::TriangleStrip | Topology::TriangleFan => n.saturating_sub(2),
        Topology::LineListWithAdjacency => n / 4,
        Topology::LineStripWithAdjacency => n.saturating_sub(3),
        Topology::TriangleListWithAdjacency => n / 6,
        Topology::TriangleStripWithAdjacency => n.saturating_sub(4) / 2,
    };
    (0..count).map(|i| corners(topology, mode, i, n)).collect()
}

/// Returns the vertices of primitive `i` in a draw of `n` vertices. The specification's table applies to the first
/// vertex as provoking vertex. In the last-vertex mode, triangles are rotated, which keeps the winding, until the
/// provoking vertex is last; lines do not change.
fn corners(topology: Topology, mode: ProvokingVertex, i: u32, n: u32) -> Vec<u32> {
    let odd = i % 2 == 1;
    let (mut first, last) = match topology {
        Topology::PointList => return vec![i],
        Topology::LineList => return vec![2 * i, 2 * i + 1],
        Topology::LineStrip => return vec![i, i + 1],
        Topology::LineLoop => return vec![i, (i + 1) % n],
        Topology::LineListWithAdjacency => return vec![4 * i + 1, 4 * i + 2],
        Topology::LineStripWithAdjacency => return vec![i + 1, i + 2],

        Topology::TriangleList => (vec![3 * i, 3 * i + 1, 3 * i + 2], 3 * i + 2),
        Topology::TriangleStrip if odd => (vec![i, i + 2, i + 1], i + 2),
        Topology::TriangleStrip => (vec![i, i + 1, i + 2], i + 2),
        Topology::TriangleFan => (vec![i + 1, i + 2, 0], i + 2),
        Topology::TriangleListWithAdjacency => (vec![6 * i, 6 * i + 2, 6 * i + 4], 6 * i + 4),
        Topology::TriangleStripWithAdjacency if odd => {
            (vec![2 * i, 2 * i + 4, 2 * i + 2], 2 * i + 4)
        }
        Topology::TriangleStripWithAdjacency => (vec![2 * i, 2 * i + 2, 2 * i + 4], 2 * i + 4),
    };
    if mode == ProvokingVertex::Last {
        while first[2] != last {
            first.rotate_left(1);
        }
    }
    first
}

/// An entry in OpenGL's list of varyings for interleaved capture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Entry<'a> {
    /// A varying: its name and its number of 32-bit components.
    Varying(&'a str, u32),
    /// `gl_SkipComponents1` to `4`.
    Skip(u32),
    /// `gl_NextBuffer`.
    NextBuffer,
}

/// The offsets of the varyings in one buffer, and its stride.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BufferLayout {
    /// The distance between two vertices in bytes.
    pub stride: u32,
    /// The varyings and their offsets in bytes.
    pub varyings: Vec<(String, u32)>,
}

/// Lays out varyings one after the other. A new buffer begins after each [`Entry::NextBuffer`].
pub fn interleave(entries: &[Entry<'_>]) -> Vec<BufferLayout> {
    let mut done = Vec::new();
    let mut open = BufferLayout::default();
    for entry in entries {
        match *entry {
            Entry::Varying(name, components) => {
                open.varyings.push((name.to_owned(), open.stride));
                open.stride += 4 * components;
            }
            Entry::Skip(components) => open.stride += 4 * components,
            Entry::NextBuffer => done.push(std::mem::take(&mut open)),
        }
    }
    done.push(open);
    done
}

/// The parameters of a draw that affect the capture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draw {
    /// The primitive topology.
    pub topology: Topology,
    /// The provoking vertex mode, which affects the order of a triangle's vertices.
    pub provoking_vertex: ProvokingVertex,
    /// The range of vertices.
    pub vertices: Range<u32>,
    /// The range of instances.
    pub instances: Range<u32>,
}

/// A feedback buffer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Buffer {
    /// The memory that contains the buffer.
    pub memory: Vec<u8>,
    /// The part that may be written.
    pub range: Range<usize>,
    /// The distance between two vertices in bytes; 0 if nothing is captured.
    pub stride: usize,
    /// The counter: the number of bytes of the range that are filled.
    pub reached: usize,
}

/// A captured value of one vertex.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Value {
    /// The index of the feedback buffer.
    pub buffer: usize,
    /// The offset from the start of the vertex, in bytes.
    pub offset: usize,
    /// The value.
    pub bytes: Vec<u8>,
}

/// Captures a draw. The shader maps a vertex index and an instance index to values.
pub fn capture(
    draw: &Draw,
    buffers: &mut [Buffer],
    shader: impl Fn(u32, u32) -> Vec<Value>,
) -> Captured {
    let vertices: Vec<u32> = draw.vertices.clone().collect();
    capture_indexed(draw, &[vertices], buffers, shader)
}

/// Captures an indexed draw. Each instance has the vertices of each segment between restarts, not `draw.vertices`.
pub fn capture_indexed(
    draw: &Draw,
    segments: &[Vec<u32>],
    buffers: &mut [Buffer],
    shader: impl Fn(u32, u32) -> Vec<Value>,
) -> Captured {
    let mut captured = Captured { written: 0, needed: 0 };
    for instance in draw.instances.clone() {
        for vertices in segments {
            let count = vertices.len() as u32;
            for corners in primitives(draw.topology, draw.provoking_vertex, count) {
                captured.needed += 1;
                let fits = |buffer: &Buffer| {
                    buffer.reached + buffer.stride * corners.len() <= buffer.range.len()
                };
                if !buffers.iter().all(fits) {
                    continue;
                }
                captured.written += 1;
                for corner in corners {
                    let values = shader(vertices[corner as usize], instance);
                    write_vertex(buffers, &values);
                }
            }
        }
    }
    captured
}

/// Appends a vertex to all buffers. Gaps between values keep their contents.
fn write_vertex(buffers: &mut [Buffer], values: &[Value]) {
    for Value { buffer, offset, bytes } in values {
        let buffer = &mut buffers[*buffer];
        let at = buffer.range.start + buffer.reached + offset;
        buffer.memory[at..at + bytes.len()].copy_from_slice(bytes);
    }
    for buffer in buffers {
        buffer.reached += buffer.stride;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ProvokingVertex::{First, Last};

    #[test]
    fn triangles_of_a_strip_keep_their_winding() {
        let strip = |mode| primitives(Topology::TriangleStrip, mode, 4);
        assert_eq!(strip(First), [[0, 1, 2], [1, 3, 2]]);
        assert_eq!(strip(Last), [[0, 1, 2], [2, 1, 3]]);
    }

    #[test]
    fn triangles_of_a_fan_begin_with_the_provoking_vertex() {
        let fan = |mode| primitives(Topology::TriangleFan, mode, 4);
        assert_eq!(fan(First), [[1, 2, 0], [2, 3, 0]]);
        assert_eq!(fan(Last), [[0, 1, 2], [0, 2, 3]]);
    }

    #[test]
    fn a_loop_closes_from_two_vertices_on() {
        let lines = |n| primitives(Topology::LineLoop, First, n);
        assert_eq!(lines(1), [[0; 0]; 0]);
        assert_eq!(lines(2), [[0, 1], [1, 0]]);
        assert_eq!(lines(3), [[0, 1], [1, 2], [2, 0]]);
    }

    #[test]
    fn skips_count_and_buffers_follow_each_other() {
        use Entry::{NextBuffer, Skip, Varying};
        let layouts = interleave(&[Varying("a", 3), Skip(2), NextBuffer, Skip(1), Varying("b", 1)]);
        let [first, second] = layouts.as_slice() else { panic!("{layouts:?}") };
        assert_eq!((first.stride, &first.varyings[..]), (20, &[("a".to_owned(), 0)][..]));
        assert_eq!((second.stride, &second.varyings[..]), (8, &[("b".to_owned(), 4)][..]));
    }
}
