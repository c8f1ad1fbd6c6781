//! The shader fetches attributes as specified, and like fixed-function fetch if the driver supports the format.

mod model;

use crate::drivers::{DRIVERS, Driver};
use crate::glsl;
use crate::memory::words;
use crate::noise::Noise;
pub(crate) use model::Reference;
use model::{Read, elements, halves, is_right};
use polyshade::Module;
use polyshade::host::{AddressSource, Lowered, ParamSource};
use polyshade::vertex_pulling::{
    self, Attribute, Buffer, Format, Options, Pulled, Rate, Robustness,
};
use polyshade_formats::SpirvVersion;
use polyshade_tests::sample::sample;
use polyshade_tests::shader::validate;
use polyshade_vulkan as vulkan;
use polyshade_vulkan::{
    Descriptor, Draw, Range, Resource, Stage, VertexBuffer, VertexLayout, Work, bind_pulled, vk,
};
use std::collections::BTreeMap;

/// Returns Vulkan's format, or `None` for the format that `VK_KHR_maintenance5` added.
pub(crate) fn vulkan_format(format: Format) -> Option<vk::Format> {
    let name = format.to_string().to_uppercase();
    let of_extensions = [vk::Format::A4R4G4B4_UNORM_PACK16, vk::Format::A4B4G4R4_UNORM_PACK16];
    let mut all = (1..185).map(vk::Format::from_raw).chain(of_extensions);
    let found = all.find(|one| format!("{one:?}") == name);
    assert!(found.is_some() || name == "A1B5G5R5_UNORM_PACK16", "Vulkan has no {name}");
    found
}

/// Returns a shader that stores the bits of the attribute at location 0, eight words for each vertex.
fn shader(reference: &Reference) -> Vec<u32> {
    // Missing components of a 64-bit format are undefined.
    let count = if reference.is_wide() { reference.count() } else { 4 };
    let (scalar, vector) = match (reference.read(), reference.is_wide()) {
        (Read::Float, false) => ("", "vec"),
        (Read::Int, false) => ("", "ivec"),
        (Read::Uint, false) => ("", "uvec"),
        (Read::Float, true) => ("double", "dvec"),
        (Read::Int, true) => ("int64_t", "i64vec"),
        (Read::Uint, true) => ("uint64_t", "u64vec"),
    };
    let (ty, component) = match count {
        1 => (scalar.to_owned(), "a"),
        _ => (format!("{vector}{count}"), "a[i]"),
    };
    let bits = match (reference.read(), reference.is_wide()) {
        (Read::Float, false) => format!("uvec2(floatBitsToUint({component}), 0)"),
        (_, false) => format!("uvec2({component}, 0)"),
        (Read::Float, true) => format!("unpackDouble2x32({component})"),
        (_, true) => format!("unpackUint2x32(uint64_t({component}))"),
    };
    let extension = if reference.is_wide() { INT64 } else { "" };
    let source = format!(
        "#version 450
        {extension}
        layout(location = 0) in {ty} a;
        layout(set = 1, binding = 3) buffer Out {{ uvec2 found[]; }};
        void main() {{
            uint vertex = (gl_VertexIndex & 0xffffff) + {INSTANCE} * gl_InstanceIndex;
            for (int i = 0; i < {count}; ++i) found[vertex * 4 + i] = {bits};
            gl_Position = vec4(0);
            gl_PointSize = 1.0;
        }}"
    );
    glsl::vertex(&source, "", SpirvVersion::SPIRV1_3)
}

/// The number of vertices between the stored data of two instances.
const INSTANCE: u32 = 16;

const INT64: &str = "#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require";

/// The source of a shader's parameters.
#[derive(Clone, Copy, Debug)]
struct Host {
    place: Option<ParamSource>,
    /// Whether offset, format, stride and rate are host parameters.
    dynamic: bool,
}

const HOSTS: [Host; 5] = [
    Host { place: None, dynamic: false },
    Host { place: Some(ParamSource::PushConstant { offset: 0 }), dynamic: true },
    Host {
        place: Some(ParamSource::Address(AddressSource::PushConstant { offset: 0 })),
        dynamic: false,
    },
    Host {
        place: Some(ParamSource::Address(AddressSource::Specialization { first_id: 7 })),
        dynamic: true,
    },
    Host {
        place: Some(ParamSource::Address(AddressSource::Attribute { location: 0 })),
        dynamic: false,
    },
];

/// A vertex buffer, and the range of it that is bound.
#[derive(Clone, Debug)]
struct Given {
    bytes: Vec<u8>,
    /// The number of bytes before the range.
    before: u32,
    /// The number of bytes in the range.
    size: u32,
    layout: Buffer,
}

impl Given {
    fn new(bytes: Vec<u8>, stride: u32) -> Given {
        let layout = Buffer { stride: Some(stride), rate: Some(Rate::Vertex) };
        Given { before: 0, size: bytes.len() as u32, bytes, layout }
    }
}

/// Returns the options for these attributes and buffers. Values that are not host parameters become constants.
fn options(
    attributes: &BTreeMap<u32, Attribute>,
    buffers: &BTreeMap<u32, Given>,
    host: Host,
) -> Options {
    let mut options = Options::new();
    for (location, attribute) in attributes {
        let attribute = match host.dynamic {
            true => Attribute { offset: None, format: None, ..*attribute },
            false => *attribute,
        };
        options = options.attribute(*location, attribute);
    }
    for (number, given) in buffers {
        let buffer = match host.dynamic {
            true => Buffer { stride: None, rate: None },
            false => given.layout,
        };
        options = options.buffer(*number, buffer);
    }
    match host.place {
        Some(place) => options.params(place),
        None => options,
    }
}

#[track_caller]
fn pull<'m>(module: &'m Module<'_>, options: &Options) -> Lowered<'m, Pulled> {
    let pulled = vertex_pulling::lower(module, "main", options);
    let pulled = pulled.unwrap_or_else(|error| panic!("{options:?}: {error}"));
    validate(pulled.module.words()).unwrap_or_else(|error| panic!("{options:?}: {error}"));
    pulled
}

/// Binds the resources of a shader that pulls vertices.
fn bind(
    pulled: &Lowered<'_, Pulled>,
    (attributes, buffers): (&BTreeMap<u32, Attribute>, &BTreeMap<u32, Given>),
    draw: &mut Draw<'_>,
    work: &mut Work<'_>,
) {
    let given_options = options(attributes, buffers, HOSTS[0]);
    let mut ranges = BTreeMap::new();
    for (number, given) in buffers {
        let mut bytes = given.bytes.clone();
        bytes.resize(bytes.len().next_multiple_of(4).max(4), 0xa5);
        let (buffer, offset, size) = (work.buffers.len(), given.before.into(), given.size.into());
        ranges.insert(*number, Range { buffer, offset, size });
        work.buffers.push(bytes);
    }
    bind_pulled(pulled, &given_options, &ranges, 0, draw, work);
}

/// Runs draws that store two words for each component of this many vertices.
fn run(
    driver: Driver,
    shaders: &[&[u32]],
    count: u32,
    fill: impl Fn(usize, &mut Draw<'_>, &mut Work<'_>),
) -> Vec<Vec<u32>> {
    let mut work = Work::default();
    let mut outputs = Vec::new();
    for (number, shader) in shaders.iter().enumerate() {
        let mut draw = Draw::new(vec![Stage::vertex(shader)], 0..count);
        let size = u64::from(count) * 32;
        let output = Range { buffer: work.buffers.len(), offset: 0, size };
        outputs.push(output.buffer);
        work.buffers.push(vec![0; size as usize]);
        draw.descriptors.push(Descriptor::new(1, 3, Resource::StorageBuffer(output)));
        fill(number, &mut draw, &mut work);
        work.draws.push(draw);
    }
    let outcome = driver.run(&work);
    outputs.into_iter().map(|buffer| words(&outcome.buffers[buffer])).collect()
}

/// Whether the driver's shaders can read the format.
fn reads(driver: Driver, reference: &Reference) -> bool {
    !reference.is_wide() || driver == Driver::Lavapipe
}

/// Returns whether fixed-function fetch may return the value `found`. A NaN may be any NaN, and SwiftShader decodes
/// half floats with the largest exponent as finite numbers.
fn is_fetched(driver: Driver, reference: &Reference, found: u32, expected: u32) -> bool {
    let is_number = f32::from_bits(expected).is_finite();
    let is_half = reference.numbers == "sfloat" && reference.fields[0].1 == 16;
    match (is_half && !is_number, driver) {
        (true, Driver::SwiftShader) => true,
        (true, Driver::Lavapipe) if f32::from_bits(expected).is_nan() => {
            f32::from_bits(found).is_nan()
        }
        _ => is_right(reference, found, expected),
    }
}

#[test]
fn every_format_is_what_the_specification_and_the_driver_say() {
    let mut compared = [0, 0];
    for format in sample(Format::all(), 4) {
        let reference = Reference::of(&format.to_string());
        let elements = elements(&reference);
        let count = elements.len() as u32;
        let stride = reference.bytes.next_multiple_of(format.alignment());
        let expected: Vec<u32> =
            elements.iter().flat_map(|element| halves(reference.decode(element))).collect();
        let original = shader(&reference);
        let module = Module::parse(&original).expect("glslang's words parse");
        let attribute = Attribute { buffer: 2, offset: Some(0), format: Some(format) };
        let attributes = BTreeMap::from([(0, attribute)]);
        let buffers = BTreeMap::from([(2, Given::new(elements.concat(), stride))]);
        let pulled = HOSTS.map(|host| pull(&module, &options(&attributes, &buffers, host)));
        let vulkan = vulkan_format(format);
        for driver in DRIVERS.into_iter().filter(|one| reads(*one, &reference)) {
            let mut shaders: Vec<&[u32]> = pulled.iter().map(|one| one.module.words()).collect();
            let is_native = vulkan.is_some_and(|one| driver.device().takes_vertex_format(one))
                // The validation layer requires an attribute for the second location of an attribute with two
                // locations, and lavapipe converts signed 64-bit integers.
                && !(reference.is_wide()
                    && (reference.count() > 2 || reference.read() == Read::Int));
            if is_native {
                shaders.push(&original);
            }
            let fill = |number: usize, draw: &mut Draw<'_>, work: &mut Work<'_>| match pulled
                .get(number)
            {
                Some(pulled) => bind(pulled, (&attributes, &buffers), draw, work),
                None => feed(draw, work, &buffers[&2], vulkan.expect("the driver knows it")),
            };
            let found = run(driver, &shaders, count, fill);
            for (number, found) in found.iter().enumerate() {
                let is_same = |(at, found): (usize, &u32)| {
                    let expected = expected[at];
                    let is_read = !reference.is_wide() || at / 2 % 4 < reference.count();
                    !is_read
                        || match number < pulled.len() {
                            true => is_right(&reference, *found, expected),
                            false => is_fetched(driver, &reference, *found, expected),
                        }
                };
                let different = found.iter().enumerate().find(|one| !is_same(*one));
                if let Some((at, _)) = different {
                    let (element, at) = (&elements[at / 8], at / 8 * 8);
                    let [found, expected] = [found, &expected].map(|words| &words[at..at + 8]);
                    panic!(
                        "{driver:?} {format} {number}, of {element:02x?}: {found:08x?}, not {expected:08x?}"
                    );
                }
                compared[usize::from(number == pulled.len())] += 1;
            }
        }
    }
    // Every format is read in every way, and the drivers' fixed-function fetch supports most formats.
    assert!(compared[0] > 200 && compared[1] > 30, "{compared:?}");
}

/// The comparison detects a shader that assumes a different format or different positions of elements.
#[test]
fn what_is_fetched_otherwise_is_noticed() {
    let right: Format = "r8g8b8a8_unorm".parse().expect("it is a format");
    let reference = Reference::of("r8g8b8a8_unorm");
    let elements = elements(&reference);
    let expected: Vec<u32> =
        elements.iter().flat_map(|element| halves(reference.decode(element))).collect();
    let original = shader(&reference);
    let module = Module::parse(&original).expect("glslang's words parse");
    // The right format and stride, then wrong ones.
    let given_options = [
        (right, 4),
        ("b8g8r8a8_unorm".parse().expect("it is a format"), 4),
        ("r8g8b8a8_snorm".parse().expect("it is a format"), 4),
        ("r8g8b8a8_uscaled".parse().expect("it is a format"), 4),
        ("r8g8b8_unorm".parse().expect("it is a format"), 4),
        ("a2b10g10r10_unorm_pack32".parse().expect("it is a format"), 4),
        (right, 8),
        (right, 0),
    ];
    for (number, (format, stride)) in given_options.into_iter().enumerate() {
        let attribute = Attribute { buffer: 0, offset: Some(0), format: Some(format) };
        let attributes = BTreeMap::from([(0, attribute)]);
        let buffers = BTreeMap::from([(0, Given::new(elements.concat(), stride))]);
        for host in HOSTS {
            let pulled = pull(&module, &options(&attributes, &buffers, host));
            for driver in DRIVERS {
                let count = elements.len() as u32;
                let found = run(driver, &[pulled.module.words()], count, |_, draw, work| {
                    bind(&pulled, (&attributes, &buffers), draw, work);
                });
                let mut words = found[0].iter().zip(&expected);
                let is_same = words.all(|(one, other)| is_right(&reference, *one, *other));
                assert_eq!(is_same, number == 0, "{driver:?} {host:?} {format} {stride}");
            }
        }
    }
}

/// Makes fixed-function fetch read location 0.
fn feed(draw: &mut Draw<'_>, work: &mut Work<'_>, given: &Given, format: vk::Format) {
    let buffer = work.buffers.len();
    work.buffers.push(given.bytes.clone());
    let attributes = vec![vulkan::Attribute { location: 0, format, offset: 0 }];
    let rate = vk::VertexInputRate::VERTEX;
    let stride = given.layout.stride.expect("the options contain it");
    let place = vulkan::Place { buffer, offset: u64::from(given.before) };
    draw.vertex_buffers
        .push(VertexBuffer { place, layout: VertexLayout { stride, rate, attributes } });
}

/// A draw of a few vertices and instances with one attribute, which may be anywhere in a buffer.
struct Fetch {
    format: &'static str,
    offset: u32,
    given: Given,
    robustness: Robustness,
    vertices: std::ops::Range<u32>,
    instances: std::ops::Range<u32>,
}

impl Fetch {
    /// Returns a random draw, with some elements out of bounds.
    fn any(random: &mut Noise) -> Fetch {
        let format = [
            "r8_uint",
            "r8g8b8a8_unorm",
            "r16g16_sint",
            "r16g16b16_sfloat",
            "r32g32b32_uint",
            "a2b10g10r10_uint_pack32",
        ][random.below(6) as usize];
        let parsed: Format = format.parse().expect("it is one");
        let step = parsed.alignment();
        let stride = [0, step, step * (1 + random.below(8)), 36][random.below(4) as usize];
        let rate = match random.below(5) {
            0 | 1 => Rate::Vertex,
            divisor => Rate::Instance { divisor: divisor - 2 },
        };
        let before = step * random.below(6);
        let size = random.below(200);
        let bytes = (0..before + size + random.below(40)).map(|_| random.bits() as u8).collect();
        let layout = Buffer { stride: Some(stride), rate: Some(rate) };
        let (vertex, instance) = (random.below(6), random.below(5));
        Fetch {
            format,
            offset: step * random.below(5),
            given: Given { bytes, before, size, layout },
            robustness: [Robustness::Access, Robustness::Access2][random.below(2) as usize],
            vertices: vertex..vertex + 1 + random.below(INSTANCE - 6),
            instances: instance..instance + 1 + random.below(4),
        }
    }

    /// Returns the offset of an invocation's attribute in the buffer, or `None` if the attribute exceeds the range.
    fn place(&self, vertex: u32, instance: u32) -> Option<usize> {
        let first = self.instances.start;
        let element = match self.given.layout.rate.expect("the options contain it") {
            Rate::Vertex => vertex,
            Rate::Instance { divisor: 0 } => first,
            Rate::Instance { divisor } => first + (instance - first) / divisor,
        };
        let place =
            element * self.given.layout.stride.expect("the options contain it") + self.offset;
        let bytes = Reference::of(self.format).bytes;
        (place + bytes <= self.given.size).then_some((self.given.before + place) as usize)
    }

    /// Returns the number of invocations whose attribute is out of bounds.
    fn outside(&self) -> usize {
        let of = |one| self.vertices.clone().filter(move |at| self.place(*at, one).is_none());
        self.instances.clone().flat_map(of).count()
    }
}

#[test]
fn elements_are_those_of_the_index_and_what_is_out_of_bounds_is_zero() {
    let mut random = Noise::new();
    let all: Vec<Fetch> = (0..100).map(|_| Fetch::any(&mut random)).collect();
    // The sample differs between commits, so the draws are checked before it is taken.
    let outside: usize = all.iter().map(Fetch::outside).sum();
    assert!(outside > 200, "only few reads are out of bounds: {outside}");
    for (number, fetch) in sample(all.into_iter().enumerate(), 3) {
        let reference = Reference::of(fetch.format);
        let original = shader(&reference);
        let module = Module::parse(&original).expect("glslang's words parse");
        let format = fetch.format.parse().expect("it is a format");
        let attribute = Attribute { buffer: 0, offset: Some(fetch.offset), format: Some(format) };
        let attributes = BTreeMap::from([(0, attribute)]);
        let buffers = BTreeMap::from([(0, fetch.given.clone())]);
        let host = HOSTS[number % HOSTS.len()];
        let options = options(&attributes, &buffers, host)
            .robustness(fetch.robustness)
            .access_beyond_stride(true);
        let mut ways = vec![pull(&module, &options)];
        let asks = pull(&module, &options.base_instance(true));
        for driver in DRIVERS {
            // SwiftShader does not support shaderDrawParameters.
            if driver == Driver::Lavapipe {
                ways.push(asks.clone());
            }
            let shaders: Vec<&[u32]> = ways.iter().map(|one| one.module.words()).collect();
            let slots = fetch.vertices.end + INSTANCE * (fetch.instances.end - 1);
            let found = run(driver, &shaders, slots, |way, draw, work| {
                draw.vertices = fetch.vertices.clone();
                draw.instances = fetch.instances.clone();
                bind(&ways[way], (&attributes, &buffers), draw, work);
            });
            ways.truncate(1);
            for found in found {
                for instance in fetch.instances.clone() {
                    for vertex in fetch.vertices.clone() {
                        let at = 8 * (vertex + INSTANCE * instance) as usize;
                        let place = fetch.place(vertex, instance);
                        let zero = vec![0; reference.bytes as usize];
                        let bytes = place.map_or(&zero[..], |at| &fetch.given.bytes[at..]);
                        let expected: Vec<u32> = halves(reference.decode(bytes)).collect();
                        let mut words = found[at..at + 8].iter().zip(&expected);
                        let is_any = place.is_none() && fetch.robustness == Robustness::Access;
                        assert!(
                            is_any || words.all(|(one, other)| is_right(&reference, *one, *other)),
                            "{driver:?} {number} {host:?} {} at {place:?}: {:08x?}, not {expected:08x?}",
                            fetch.format,
                            &found[at..at + 8],
                        );
                    }
                }
            }
        }
    }
}

/// Nothing outside the range is read, with wrong host parameters, empty buffers or elements beyond 4 GiB. The
/// shader's own stores are unchanged.
#[test]
fn nothing_outside_of_the_range_is_read() {
    let reference = Reference::of("r32_uint");
    let original = shader(&reference);
    let module = Module::parse(&original).expect("glslang's words parse");
    let attribute =
        Attribute { buffer: 0, offset: Some(4), format: Some("r32_uint".parse().expect("one")) };
    let attributes = BTreeMap::from([(0, attribute)]);
    let given = Given::new(vec![0x11; 64], 0);
    for host in HOSTS {
        for robustness in [Robustness::Access, Robustness::Access2] {
            for (before, size, stride) in [
                (0, 0, 4),
                (0, u32::MAX, 65_532),
                (u32::MAX, u32::MAX, 4),
                (64, 8, 4),
                (60, 4, 0),
                (0, 7, 4),
            ] {
                // The shader trusts an address and the size of the memory there, so these stay correct.
                let by_address = host.place.is_some_and(ParamSource::is_address);
                if by_address && (before > 60 || size > 64) {
                    continue;
                }
                let layout = Buffer { stride: Some(stride), rate: Some(Rate::Vertex) };
                let given = Given { before, size, layout, ..given.clone() };
                let buffers = BTreeMap::from([(0, given)]);
                let options = options(&attributes, &buffers, host)
                    .robustness(robustness)
                    .access_beyond_stride(true);
                let pulled = pull(&module, &options);
                let vertices = [0..16, 0x4000_0000..0x4000_0010];
                for driver in DRIVERS {
                    for vertices in &vertices {
                        let first = vertices.start;
                        let shaders = [pulled.module.words()];
                        let found = run(driver, &shaders, 16, |_, draw, work| {
                            draw.vertices = vertices.clone();
                            bind(&pulled, (&attributes, &buffers), draw, work);
                        });
                        let known = [0, 0x1111_1111];
                        let is_known = found[0].iter().step_by(8).all(|word| known.contains(word));
                        assert!(is_known, "{driver:?} {host:?} {before} {size} {stride} {first}");
                    }
                }
            }
        }
    }
}
