//! A captured shader: its outputs, and the buffers of its attributes.

use crate::memory::bytes;
use crate::noise::Noise;
use crate::plan::Rig;
use crate::pull::{Reference, vulkan_format};
use crate::shaders::{Shader, Varyings};
use crate::storage::{Storage, options};
use polyshade::Module;
use polyshade::host::{Lowered, ParamSource, Set};
use polyshade::transform_feedback;
use polyshade::vertex_pulling::{self, Attribute, Buffer, Options, Pulled, Rate};
use polyshade_planner::Path;
use polyshade_vulkan::model::{BufferLayout, Value};
use polyshade_vulkan::{
    self as vulkan, PlannedDraw, Range, VertexBuffer, VertexLayout, Work, bind_pulled, vk,
};
use std::collections::BTreeMap;

/// Lists of varyings with the same outputs, for up to four buffers.
pub(super) const LISTS: [Varyings; 5] = [
    Varyings::Interleaved("v_index gl_NextBuffer v_mixed gl_SkipComponents1"),
    Varyings::Interleaved("v_fed"),
    Varyings::Interleaved("v_vertex gl_SkipComponents2 v_fed v_instance"),
    Varyings::Separate("v_each v_index v_fed v_mixed"),
    Varyings::Interleaved("v_mixed gl_NextBuffer gl_SkipComponents1 v_each gl_NextBuffer v_fed"),
];

/// Integer formats, which all drivers read alike.
pub(super) const FORMATS: [&str; 6] = [
    "r32g32b32a32_uint",
    "r32_uint",
    "r16g16_uint",
    "r8g8b8a8_uint",
    "r16g16b16a16_uint",
    "a2b10g10r10_uint_pack32",
];

/// Defines a shader that outputs the vertex and instance indices, and two vectors.
macro_rules! shader {
    ($head:literal) => {
        Shader {
            source: concat!(
                "#version 450\n",
                $head,
                r"
                layout(location = 0) XFB_v_index flat out uvec2 v_index;
                layout(location = 1) XFB_v_mixed flat out uvec3 v_mixed;
                layout(location = 2) XFB_v_vertex flat out uint v_vertex;
                layout(location = 3) XFB_v_instance flat out uint v_instance;
                layout(location = 4) XFB_v_fed flat out uvec4 v_fed;
                layout(location = 5) XFB_v_each flat out uvec4 v_each;
                void main() {
                    v_index = uvec2(gl_VertexIndex, gl_InstanceIndex);
                    v_mixed = v_index.xyx * 1000u + uvec3(7u, 8u, 9u);
                    v_vertex = v_index.x;
                    v_instance = v_index.y;
                    v_fed = OF_VERTEX;
                    v_each = OF_INSTANCE;
                    gl_Position = vec4(0, 0, 0, 1);
                    POINT_SIZE;
                }"
            ),
            outputs: &[
                ("v_index", 2),
                ("v_mixed", 3),
                ("v_vertex", 1),
                ("v_instance", 1),
                ("v_fed", 4),
                ("v_each", 4),
            ],
        }
    };
}

const UNFED: Shader = shader!(
    "#define OF_VERTEX uvec4(v_index, v_index.yx)
    #define OF_INSTANCE uvec4(v_index.y, 1, 2, 3)"
);

/// A shader that outputs a per-vertex and a per-instance attribute as the two vectors.
const FED: Shader = shader!(
    "layout(location = 0) in uvec4 a_vertex;
    layout(location = 1) in uvec4 a_instance;
    #define OF_VERTEX a_vertex
    #define OF_INSTANCE a_instance"
);

/// The number of elements in an attribute buffer: more than there are vertices.
const ELEMENTS: u32 = 256;
/// The offset of an element, in bytes.
const OFFSET: u32 = 4;

/// The attribute buffers.
struct Feed {
    format: &'static str,
    reference: Reference,
    /// The bytes of the buffers, one for vertices and one for instances.
    buffers: [Vec<u8>; 2],
    options: Options,
    pulled: Lowered<'static, Pulled>,
}

impl Feed {
    fn new(format: &'static str) -> Feed {
        let reference = Reference::of(format);
        let mut noise = Noise::new();
        let bytes = ELEMENTS * Feed::stride_of(&reference);
        let buffers = [(); 2].map(|()| (0..bytes).map(|_| noise.bits() as u8).collect());
        let attribute = |buffer| Attribute {
            buffer,
            offset: Some(OFFSET),
            format: Some(format.parse().expect("it is a format")),
        };
        let stride = Some(Feed::stride_of(&reference));
        let buffer = |rate| Buffer { stride, rate: Some(rate) };
        let options = Options::new()
            .attribute(0, attribute(0))
            .attribute(1, attribute(1))
            .buffer(0, buffer(Rate::Vertex))
            .buffer(1, buffer(Rate::Instance { divisor: 1 }))
            .storage(Some(Set(2)), None);
        let words = FED.native(Varyings::Separate(""));
        let module = Module::parse(&words).expect("glslang's words parse");
        let pulled = vertex_pulling::lower(&module, "main", &options).expect("it has attributes");
        Feed { format, reference, buffers, options, pulled: pulled.into_owned() }
    }

    fn stride_of(reference: &Reference) -> u32 {
        OFFSET + reference.bytes + 4
    }

    /// Returns the components of the attribute in one element of a buffer.
    fn element(&self, buffer: usize, number: u32) -> Vec<u32> {
        let at = number * Feed::stride_of(&self.reference) + OFFSET;
        let components = self.reference.decode(&self.buffers[buffer][at as usize..]);
        components.into_iter().map(|bits| bits as u32).collect()
    }
}

/// A shader with its variants, and its attribute buffers.
pub(super) struct Subject {
    pub(super) rig: Rig,
    feed: Option<Feed>,
}

impl Subject {
    /// Creates a subject that captures one of the lists, with or without attributes. `ask` completes the options.
    pub(super) fn new(
        list: Varyings,
        format: Option<&'static str>,
        host: ParamSource,
        ask: impl Fn(transform_feedback::Options) -> transform_feedback::Options,
    ) -> Subject {
        let options = ask(options(list, host));
        let Some(format) = format else {
            return Subject { rig: Rig::with(&UNFED, list, &options), feed: None };
        };
        let feed = Feed::new(format);
        let original = feed.pulled.module.words().to_vec();
        let storage = Storage::of_words(original.clone(), FED.layout(list), &options);
        Subject { rig: Rig { original, native: FED.native(list), storage }, feed: Some(feed) }
    }

    /// Returns the number of feedback buffers that a list needs.
    pub(super) fn buffers(list: Varyings) -> usize {
        UNFED.layout(list).len()
    }

    pub(super) fn layout(&self) -> &[BufferLayout] {
        self.rig.layout()
    }

    /// Returns the values of the shader's outputs, in the order of the layout.
    pub(super) fn values(&self, vertex: u32, instance: u32) -> Vec<Value> {
        let times = |one: u32, add| one.wrapping_mul(1000).wrapping_add(add);
        let of = |name: &str| match (name, &self.feed) {
            ("v_index", _) => vec![vertex, instance],
            ("v_mixed", _) => vec![times(vertex, 7), times(instance, 8), times(vertex, 9)],
            ("v_vertex", _) => vec![vertex],
            ("v_instance", _) => vec![instance],
            ("v_fed", None) => vec![vertex, instance, instance, vertex],
            ("v_each", None) => vec![instance, 1, 2, 3],
            ("v_fed", Some(feed)) => feed.element(0, vertex),
            ("v_each", Some(feed)) => feed.element(1, instance),
            _ => panic!("the shaders have no output {name}"),
        };
        let mut values = Vec::new();
        for (buffer, layout) in self.layout().iter().enumerate() {
            let value = |(name, offset): &(String, u32)| Value {
                buffer,
                offset: *offset as usize,
                bytes: bytes(&of(name)),
            };
            values.extend(layout.varyings.iter().map(value));
        }
        values
    }

    /// Appends the attribute buffers to `work`.
    pub(super) fn add_buffers(&self, work: &mut Work<'_>) {
        work.buffers.extend(self.feed.iter().flat_map(|feed| feed.buffers.clone()));
    }

    /// Binds the attribute buffers, which start at index `first`, as vertex buffers or for vertex pulling.
    pub(super) fn feed(
        &self,
        path: Path,
        first: usize,
        planned: &mut PlannedDraw<'_>,
        work: &mut Work<'_>,
    ) {
        let Some(feed) = &self.feed else { return };
        // Use vertex pulling on the paths with variants.
        if path != Path::Extension {
            let range = |number: usize| {
                let size = feed.buffers[number].len() as u64;
                (number as u32, Range { buffer: first + number, offset: 0, size })
            };
            let ranges = BTreeMap::from([range(0), range(1)]);
            bind_pulled(&feed.pulled, &feed.options, &ranges, 0, &mut planned.draw, work);
            return;
        }
        // Use fixed-function vertex fetch on the extension path.
        let rates = [vk::VertexInputRate::VERTEX, vk::VertexInputRate::INSTANCE];
        for (number, rate) in rates.into_iter().enumerate() {
            let format = vulkan_format(feed.format.parse().expect("it is a format"));
            let format = format.expect("Vulkan has it");
            let attributes =
                vec![vulkan::Attribute { location: number as u32, format, offset: OFFSET }];
            let layout =
                VertexLayout { stride: Feed::stride_of(&feed.reference), rate, attributes };
            let place = vulkan::Place { buffer: first + number, offset: 0 };
            planned.draw.vertex_buffers.push(VertexBuffer { place, layout });
        }
    }
}
