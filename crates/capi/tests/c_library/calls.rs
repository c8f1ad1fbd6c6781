//! The results of the calls, compared with the Rust library: the same words for either form of the options.

use polyshade::host::{AddressSource, ParamSource, Value};
use polyshade::transform_feedback::{self, Variant};
use polyshade::{Module, clip_space, rasterizer_discard};
use polyshade_capi::draw::*;
use polyshade_capi::error::*;
use polyshade_capi::failure::*;
use polyshade_capi::hash::*;
use polyshade_capi::layout::*;
use polyshade_capi::lower::*;
use polyshade_capi::module::*;
use polyshade_capi::options::*;
use polyshade_capi::place::*;
use polyshade_capi::reflection::*;
use polyshade_capi::result::*;
use polyshade_capi::target::*;
use sha2::{Digest, Sha256};
use std::ffi::{CStr, c_char};
use std::ptr::{null, null_mut};

const MESH: &[u8] = include_bytes!("../../examples/shaders/mesh.vert.spv");
const DRAW: &[u8] = include_bytes!("../../examples/shaders/draw.vert.spv");
const FRAGMENT: &[u8] = include_bytes!("../../examples/shaders/draw.frag.spv");

/// A struct of zeros with its size, as the header's initializers make it.
macro_rules! zeros {
    ($name:ident) => {{
        // SAFETY: structs of the header may be all zeros.
        let mut value: $name = unsafe { std::mem::zeroed() };
        value.size = size_of::<$name>() as u32;
        value
    }};
    ($name:ident, $kind:expr) => {{
        // SAFETY: structs of the header may be all zeros.
        let mut value: $name = unsafe { std::mem::zeroed() };
        value.base = polyshade_options { size: size_of::<$name>() as u32, kind: $kind };
        value
    }};
}

pub(crate) use zeros;

#[track_caller]
pub(crate) fn check(call: impl FnOnce(*mut polyshade_error) -> polyshade_status) {
    let mut error = zeros!(polyshade_error);
    let status = call(&raw mut error);
    // SAFETY: messages end with a zero.
    let message = unsafe { CStr::from_ptr(error.message.as_ptr()) };
    assert_eq!(status, POLYSHADE_OK, "{message:?}");
}

fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
}

#[track_caller]
fn parse(bytes: &[u8]) -> *mut polyshade_module {
    let mut module = null_mut();
    check(|error| unsafe {
        polyshade_module_parse_bytes(bytes.as_ptr(), bytes.len(), &raw mut module, error)
    });
    module
}

#[track_caller]
fn lower(bytes: &[u8], options: &polyshade_options) -> *mut polyshade_result {
    let (module, mut result) = (parse(bytes), null_mut());
    check(|error| unsafe { polyshade_lower(module, null(), options, &raw mut result, error) });
    unsafe { polyshade_module_release(module) };
    result
}

/// Returns options of this kind that capture the varyings into one buffer.
pub(crate) fn capture(kind: u32, varyings: &[*const c_char]) -> polyshade_capture_options {
    let mut capture = zeros!(polyshade_capture_options, kind);
    (capture.varyings, capture.varying_count) = (varyings.as_ptr(), varyings.len());
    capture
}

/// Returns the layout of the first output.
#[track_caller]
pub(crate) fn first_layout(result: *const polyshade_result) -> *mut polyshade_layout {
    let mut layout = null_mut();
    check(|error| unsafe { polyshade_result_layout(result, 0, &raw mut layout, error) });
    layout
}

/// Returns options as JSON.
pub(crate) fn json(kind: u32, text: &CStr) -> polyshade_json_options {
    let mut options = zeros!(polyshade_json_options, POLYSHADE_OPTIONS_JSON);
    (options.of, options.json) = (kind, text.as_ptr());
    options
}

#[track_caller]
pub(crate) fn lowered_words(result: *const polyshade_result, index: u32) -> Vec<u32> {
    copied(|buffer, count, error| unsafe {
        polyshade_result_copy_words(result, index, buffer, count, error)
    })
}

#[track_caller]
pub(crate) fn hash(options: &polyshade_options, target: *const polyshade_target) -> String {
    let mut hash = [0_u8; 32];
    check(|error| unsafe { polyshade_options_hash(options, target, hash.as_mut_ptr(), error) });
    hash.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Asserts that both forms of the options give the words of the Rust library, and the same hash.
#[track_caller]
fn same(bytes: &[u8], options: &polyshade_options, kind: u32, text: &CStr, words: &[u32]) {
    let as_json = json(kind, text);
    for options in [options, &as_json.base] {
        let result = lower(bytes, options);
        assert!(lowered_words(result, 0) == words);
        unsafe { polyshade_result_release(result) };
    }
    assert_eq!(hash(options, null()), hash(&as_json.base, null()));
}

#[test]
fn structs_and_json_lower_as_the_rust_library_does() {
    let mesh = Module::parse_owned(words(MESH)).expect("it is a module");

    let kind = POLYSHADE_OPTIONS_CLIP_SPACE;
    let mut depth = zeros!(polyshade_clip_space_options, kind);
    depth.depth.fixed = 1;
    depth.flip_y.param.kind = POLYSHADE_SOURCE_PUSH_CONSTANT;
    depth.flip_y.param.number = 64;
    let place = ParamSource::PushConstant { offset: 64 };
    let rust = clip_space::Options::new().depth(true).flip_y(Value::Param(place));
    let rust = clip_space::lower(&mesh, "main", &rust).expect("it can be converted");
    let text =
        c"{\"depth\":{\"fixed\":true},\"flip_y\":{\"param\":{\"push_constant\":{\"offset\":64}}}}";
    same(MESH, &depth.base, kind, text, rust.module.words());

    let kind = POLYSHADE_OPTIONS_RASTERIZER_DISCARD;
    let mut discard = zeros!(polyshade_rasterizer_discard_options, kind);
    discard.when.fixed = 1;
    let rust = rasterizer_discard::Options::new().when(true);
    let rust = rasterizer_discard::lower(&mesh, "main", &rust).expect("it can be discarded");
    same(MESH, &discard.base, kind, c"{\"when\":{\"fixed\":true}}", rust.module.words());

    let kind = POLYSHADE_OPTIONS_CAPTURE_EXTENSION;
    let varyings = [c"v_position".as_ptr(), c"v_color".as_ptr()];
    let capture = capture(kind, &varyings);
    let rust = transform_feedback::Options::new().interleaved(["v_position", "v_color"]);
    let rust = transform_feedback::decorate(&mesh, "main", &rust).expect("it can be captured");
    let text =
        c"{\"varyings\":{\"interleaved\":[{\"name\":\"v_position\"},{\"name\":\"v_color\"}]}}";
    same(MESH, &capture.base, kind, text, rust.module.words());
}

#[test]
fn addresses_are_attributes_that_are_constant() {
    let mesh = Module::parse_owned(words(MESH)).expect("it is a module");
    let place = ParamSource::Address(AddressSource::Attribute { location: 9 });
    let (kind, number) = (POLYSHADE_SOURCE_ADDRESS_IN_ATTRIBUTE, 9);
    let word = polyshade_param_source { kind, set: 0, binding: 0, number };

    let kind = POLYSHADE_OPTIONS_RASTERIZER_DISCARD;
    let mut discard = zeros!(polyshade_rasterizer_discard_options, kind);
    discard.when.param = word;
    let rust = rasterizer_discard::Options::new().when(Value::Param(place));
    let rust = rasterizer_discard::lower(&mesh, "main", &rust).expect("it can be discarded");
    let text = c"{\"when\":{\"param\":{\"address\":{\"attribute\":{\"location\":9}}}}}";
    same(MESH, &discard.base, kind, text, rust.module.words());

    let kind = POLYSHADE_OPTIONS_CAPTURE_STORAGE;
    let varyings = [c"v_position".as_ptr()];
    let mut capture = capture(kind, &varyings);
    (capture.params, capture.flags) = (word, POLYSHADE_CAPTURE_INDEXED);
    capture.constant_attributes = 0b111;
    let rust = transform_feedback::Options::new().interleaved(["v_position"]).params(place);
    let rust = rust.indexed(None).constant_attributes(0..3);
    let rust = transform_feedback::prepare(&mesh, "main", &rust).expect("it can be captured");
    let rust = rust.variant(Variant::CaptureOnly).expect("it can be made");
    let text = c"{\"options\":{\"varyings\":{\"interleaved\":[{\"name\":\"v_position\"}]},\
        \"params\":{\"source\":{\"address\":{\"attribute\":{\"location\":9}}}},\
        \"draws\":{\"indexed\":{},\"constant_attributes\":[0,1,2]}}}";
    same(MESH, &capture.base, kind, text, rust.module.words());
}

#[test]
fn variants_are_outputs_in_their_order() {
    let varyings = [c"v_position".as_ptr()];
    let mut capture = capture(POLYSHADE_OPTIONS_CAPTURE_STORAGE, &varyings);
    capture.variants = POLYSHADE_VARIANT_BOTH | POLYSHADE_VARIANT_RASTER_ONLY;
    let result = lower(MESH, &capture.base);
    assert_eq!(unsafe { polyshade_result_count(result) }, 2);

    let mesh = Module::parse_owned(words(MESH)).expect("it is a module");
    let rust = transform_feedback::Options::new().interleaved(["v_position"]);
    let rust = transform_feedback::prepare(&mesh, "main", &rust).expect("it can be captured");
    for (index, variant) in [Variant::RasterOnly, Variant::Both].into_iter().enumerate() {
        let lowered = rust.variant(variant).expect("it can be made");
        assert!(lowered_words(result, index as u32) == lowered.module.words());
        let mut output = zeros!(polyshade_output);
        check(|error| unsafe {
            polyshade_result_output(result, index as u32, &raw mut output, error)
        });
        assert_eq!(output.variant, POLYSHADE_VARIANT_RASTER_ONLY << index);
        assert_eq!(output.is_changed, u32::from(lowered.is_changed()));
        assert_eq!((output.stage, output.has_layout), (POLYSHADE_STAGE_VERTEX, 1));
    }
    unsafe { polyshade_result_release(result) };
}

#[test]
fn attributes_are_pulled_and_equations_blended() {
    let kind = POLYSHADE_OPTIONS_VERTEX_PULLING;
    let mut pulling = zeros!(polyshade_vertex_pulling_options, kind);
    let attribute = |location: u32| polyshade_attribute {
        location,
        buffer: 0,
        offset: 12 * location,
        reserved: 0,
        format: c"VK_FORMAT_R32G32B32_SFLOAT".as_ptr(),
    };
    let attributes = [0, 1, 2].map(attribute);
    let buffer = polyshade_vertex_buffer { number: 0, stride: POLYSHADE_NONE, rate: 0, divisor: 0 };
    (pulling.attributes, pulling.attribute_count) = (attributes.as_ptr(), 3);
    (pulling.buffers, pulling.buffer_count) = (&raw const buffer, 1);
    let result = lower(DRAW, &pulling.base);
    let mut descriptor = zeros!(polyshade_descriptor);
    check(|error| unsafe { polyshade_result_descriptor(result, 0, 0, &raw mut descriptor, error) });
    assert_eq!(descriptor.purpose, POLYSHADE_PURPOSE_VERTEX_BUFFER);
    let names: Vec<String> = host_params(result).into_iter().map(|(_, name)| name).collect();
    assert!(names.contains(&"vertex_stride_0".to_owned()), "{names:?}");
    unsafe { polyshade_result_release(result) };

    let mut blend = zeros!(polyshade_blend_options, POLYSHADE_OPTIONS_ADVANCED_BLEND);
    let equations = [1_000_148_021_u32, 1_000_148_022];
    // SAFETY: structs of the header may be all zeros.
    let mut color: polyshade_color_blend = unsafe { std::mem::zeroed() };
    color.location = POLYSHADE_NONE;
    (color.equations, color.equation_count) = (equations.as_ptr(), 2);
    (blend.targets, blend.target_count) = (&raw const color, 1);
    blend.select.kind = POLYSHADE_SOURCE_PUSH_CONSTANT;
    let result = lower(FRAGMENT, &blend.base);
    let mut output = zeros!(polyshade_output);
    check(|error| unsafe { polyshade_result_output(result, 0, &raw mut output, error) });
    assert_eq!(output.ordering, POLYSHADE_ORDERING_ATTACHMENT_ACCESS);
    assert_eq!((output.push_constants_first, output.push_constants_end), (0, 4));
    unsafe { polyshade_result_release(result) };
}

/// Returns the kinds of source and the names of the host parameters.
fn host_params(result: *const polyshade_result) -> Vec<(u32, String)> {
    let mut output = zeros!(polyshade_output);
    check(|error| unsafe { polyshade_result_output(result, 0, &raw mut output, error) });
    let word = |index| {
        let mut word = zeros!(polyshade_host_param);
        check(|error| unsafe {
            polyshade_result_host_param(result, 0, index, &raw mut word, error)
        });
        // SAFETY: names end with a zero, and live as long as the result.
        let name = unsafe { CStr::from_ptr(word.name) };
        (word.source.kind, name.to_str().expect("names are text").to_owned())
    };
    (0..output.host_param_count).map(word).collect()
}

/// Returns the values that two calls copy: their number, then the values.
#[track_caller]
fn copied<T: Copy + Default>(
    call: impl Fn(*mut T, *mut usize, *mut polyshade_error) -> polyshade_status,
) -> Vec<T> {
    let mut count = 0;
    check(|error| call(null_mut(), &raw mut count, error));
    let mut buffer = vec![T::default(); count];
    check(|error| call(buffer.as_mut_ptr(), &raw mut count, error));
    buffer
}

#[test]
fn a_recipe_lowers_a_pipeline() {
    let modules = [DRAW, FRAGMENT].map(parse);
    let stages = modules.map(|module| polyshade_stage { module, target: null() });
    let recipe = json(
        POLYSHADE_OPTIONS_RECIPE,
        c"{\"clip_space\":{\"depth\":{\"fixed\":true}},\
          \"blend\":{\"every_target\":{\"blending\":{\"equations\":[\"multiply\"]}}}}",
    );
    let mut result = null_mut();
    check(|error| unsafe {
        polyshade_lower_pipeline(stages.as_ptr(), 2, &recipe.base, &raw mut result, error)
    });
    assert_eq!(unsafe { polyshade_result_count(result) }, 2);
    let report = copied(|buffer, length, error| unsafe {
        polyshade_result_json(result, 1, buffer, length, error)
    });
    // SAFETY: the text ends with a zero.
    let report = unsafe { CStr::from_ptr(report.as_ptr()) }.to_str().expect("it is text");
    for part in [r#""lowering":"recipe""#, r#""stage":"fragment""#, r#""multiply""#] {
        assert!(report.contains(part), "{report}");
    }
    unsafe { polyshade_result_release(result) };
    modules.into_iter().for_each(|module| unsafe { polyshade_module_release(module) });
}

#[test]
fn layouts_are_kept_without_their_modules() {
    let varyings = [c"v_position".as_ptr(), c"v_normal".as_ptr()];
    let mut capture = capture(POLYSHADE_OPTIONS_CAPTURE_STORAGE, &varyings);
    (capture.mode, capture.flags) = (
        POLYSHADE_CAPTURE_SEPARATE,
        POLYSHADE_CAPTURE_UNBOUND_BUFFERS | POLYSHADE_CAPTURE_LIMIT_IN_VERTICES,
    );
    let result = lower(MESH, &capture.base);
    let (layout, mut loaded) = (first_layout(result), null_mut());
    unsafe { polyshade_result_release(result) };

    let saved = copied(|buffer, count, error| unsafe {
        polyshade_layout_save(layout, buffer, count, error)
    });
    let (at, count) = (saved.as_ptr(), saved.len());
    check(|error| unsafe { polyshade_layout_load(at, count, &raw mut loaded, error) });

    let mut draw = zeros!(polyshade_draw);
    (draw.topology, draw.vertex_count, draw.instance_count) =
        (POLYSHADE_TOPOLOGY_TRIANGLE_FAN, 7, 2);
    let range = polyshade_range { address: 0, offset: 16, length: 256, counter: 0, flags: 0 };
    let unbound = polyshade_range { flags: POLYSHADE_RANGE_UNBOUND, ..range };
    let filled = [layout, loaded].map(|layout| {
        let (mut words, mut count) = ([0; 32], 32);
        let mut ranges = [range, unbound];
        let (at, to) = (ranges.as_mut_ptr(), words.as_mut_ptr());
        check(|error| unsafe {
            polyshade_layout_host_params(layout, &draw, at, 2, to, &raw mut count, error)
        });
        let (mut written, mut generated) = (0, 0);
        let counts = (&raw mut written, &raw mut generated);
        check(|error| unsafe {
            polyshade_layout_primitives(layout, &draw, at, 2, counts.0, counts.1, error)
        });
        check(|error| unsafe { polyshade_layout_advance(layout, &draw, at, 2, error) });
        assert_eq!((written, generated, ranges[0].counter), (7, 10, 7 * 3 * 12));
        assert_eq!(ranges[1].flags, POLYSHADE_RANGE_UNBOUND);
        (words, count)
    });
    assert_eq!(filled[0], filled[1]);
    [layout, loaded].into_iter().for_each(|layout| unsafe { polyshade_layout_release(layout) });
}

#[test]
fn draws_are_captured_by_dispatches() {
    let varyings = [c"v_position".as_ptr()];
    let mut capture = capture(POLYSHADE_OPTIONS_CAPTURE_STORAGE, &varyings);
    let mut draw = zeros!(polyshade_draw);
    (draw.topology, draw.vertex_count) = (POLYSHADE_TOPOLOGY_POINT_LIST, 100);
    draw.instance_count = 3;
    for (flags, expected) in [(POLYSHADE_CAPTURE_COMPUTE, Some([5, 1, 1])), (0, None)] {
        capture.flags = flags;
        let result = lower(MESH, &capture.base);
        let layout = first_layout(result);
        unsafe { polyshade_result_release(result) };
        let (mut groups, mut error) = ([0; 3], zeros!(polyshade_error));
        unsafe { polyshade_layout_work_groups(layout, &draw, &raw mut groups, &raw mut error) };
        assert_eq!((error.status == POLYSHADE_OK).then_some(groups), expected);
        unsafe { polyshade_layout_release(layout) };
    }
}

/// A strip of 16-bit indices that restarts: two primitives before the restart, one after it.
#[test]
fn draws_with_indices_are_captured() {
    let varyings = [c"v_position".as_ptr()];
    let mut capture = capture(POLYSHADE_OPTIONS_CAPTURE_STORAGE, &varyings);
    capture.flags = POLYSHADE_CAPTURE_RESTART;
    let result = lower(MESH, &capture.base);
    let layout = first_layout(result);
    unsafe { polyshade_result_release(result) };

    let indices = [9_u16, 0, 1, 2, 3, u16::MAX, 4, 5, 6].map(u16::to_le_bytes).concat();
    let (mut table, mut count, mut primitives) = ([0; 16], 16, 0);
    let (topology, index_type) = (POLYSHADE_TOPOLOGY_TRIANGLE_STRIP, POLYSHADE_INDEX_TYPE_UINT16);
    let (at, length, to) = (indices.as_ptr(), indices.len(), table.as_mut_ptr());
    let (words, found) = (&raw mut count, &raw mut primitives);
    check(|error| unsafe {
        polyshade_segments_find(topology, index_type, at, length, 1, 8, to, words, found, error)
    });
    assert_eq!((primitives, &table[..count]), (3, &[2, 3, 0, 0, 5, 2, 9, 3][..]));

    let mut draw = zeros!(polyshade_draw);
    (draw.topology, draw.first_vertex, draw.vertex_count) = (topology, 1, 8);
    (draw.instance_count, draw.flags) = (2, POLYSHADE_DRAW_INDEXED | POLYSHADE_DRAW_RESTARTED);
    (draw.index_type, draw.index_size) = (index_type, 18);
    (draw.primitives, draw.table_size) = (primitives, 4 * count as u32);
    let range = polyshade_range { address: 0, offset: 0, length: 4096, counter: 0, flags: 0 };
    let (mut written, mut generated) = (0, 0);
    let counts = (&raw mut written, &raw mut generated);
    check(|error| unsafe {
        polyshade_layout_primitives(layout, &draw, &range, 1, counts.0, counts.1, error)
    });
    assert_eq!((written, generated), (6, 6));
    let mut filled = [0; 32];
    let (to, mut count) = (filled.as_mut_ptr(), filled.len());
    check(|error| unsafe {
        polyshade_layout_host_params(layout, &draw, &range, 1, to, &raw mut count, error)
    });
    assert!(filled[..count].contains(&18), "{filled:?}");

    // A program whose header had no index members passes none.
    draw.size = 28;
    let mut error = zeros!(polyshade_error);
    let (at, count) = ((&raw const draw, &raw const range), &raw mut count);
    unsafe { polyshade_layout_host_params(layout, at.0, at.1, 1, to, count, &raw mut error) };
    assert_eq!(error.status, POLYSHADE_ERROR_OPTIONS);
    unsafe { polyshade_layout_release(layout) };
}

#[test]
fn hashes_are_the_same_for_ever() {
    let mut discard =
        zeros!(polyshade_rasterizer_discard_options, POLYSHADE_OPTIONS_RASTERIZER_DISCARD);
    discard.when.fixed = 0;
    let version = rasterizer_discard::VERSION;
    let text = format!(
        "{{\"format\":1,\"lowering\":\"rasterizer_discard\",\"options\":{{\"when\":{{\"fixed\":false}}}},\
         \"target\":{{}},\"version\":{version}}}"
    );
    let digest = Sha256::digest(text.as_bytes());
    let known: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(hash(&discard.base, null()), known);

    let mut target = zeros!(polyshade_target);
    assert_eq!(hash(&discard.base, &raw const target), hash(&discard.base, null()));
    let mut device = zeros!(polyshade_device);
    check(|error| unsafe { polyshade_device_defaults(&raw mut device, error) });
    target.device = &raw const device;
    assert_eq!(hash(&discard.base, &raw const target), hash(&discard.base, null()));
    device.max_clip_distances = 0;
    target.device = &raw const device;
    assert_ne!(hash(&discard.base, &raw const target), hash(&discard.base, null()));
}

#[test]
fn structs_of_other_versions_are_understood() {
    let mut discard =
        zeros!(polyshade_rasterizer_discard_options, POLYSHADE_OPTIONS_RASTERIZER_DISCARD);
    discard.when.fixed = 1;
    let now = hash(&discard.base, null());
    // A newer header has more members, which this library accepts only if they are zero.
    #[repr(C)]
    struct Newer {
        known: polyshade_rasterizer_discard_options,
        added: u32,
    }
    let mut newer = Newer { known: discard, added: 0 };
    newer.known.base.size = size_of::<Newer>() as u32;
    assert_eq!(hash(&newer.known.base, null()), now);
    newer.added = 1;
    let mut bytes = [0; 32];
    let status = unsafe {
        polyshade_options_hash(&newer.known.base, null(), bytes.as_mut_ptr(), null_mut())
    };
    assert_eq!(status, POLYSHADE_ERROR_ARGUMENT);

    // The library writes the members that it knows to a newer struct, and zeros after them.
    #[repr(C)]
    struct NewerInfo {
        known: polyshade_module_info,
        added: u32,
        behind: u32,
    }
    let known = zeros!(polyshade_module_info);
    let mut info = NewerInfo { known, added: 7, behind: 7 };
    info.known.size += 4;
    let module = parse(MESH);
    check(|error| unsafe { polyshade_module_describe(module, (&raw mut info).cast(), error) });
    assert_eq!((info.known.entry_count, info.added, info.behind), (1, 0, 7));
    assert_eq!(info.known.size, size_of::<polyshade_module_info>() as u32 + 4);
    unsafe { polyshade_module_release(module) };
}

#[test]
fn interfaces_are_listed() {
    let module = parse(DRAW);
    let mut entry = zeros!(polyshade_entry_point);
    check(|error| unsafe { polyshade_module_entry(module, 0, &raw mut entry, error) });
    let listed = (0..entry.variable_count).map(|index| {
        let mut one = zeros!(polyshade_variable);
        check(|error| unsafe { polyshade_module_variable(module, 0, index, &raw mut one, error) });
        // SAFETY: names end with a zero, and live as long as the module.
        let name = unsafe { CStr::from_ptr(one.name) }.to_str().expect("names are text");
        (name.to_owned(), one.location, one.components, one.builtin)
    });
    let mut listed: Vec<_> = listed.collect();
    listed.sort();
    let none = POLYSHADE_NONE;
    let color = ("color".to_owned(), 2, 3, none);
    assert!(listed.contains(&color), "{listed:?}");
    let position = ("gl_Position".to_owned(), none, 4, 0);
    assert!(listed.contains(&position), "{listed:?}");
    unsafe { polyshade_module_release(module) };
}
