//! Calls the C library with valid pointers to arbitrary data.
#![allow(
    clippy::undocumented_unsafe_blocks,
    reason = "all pointers are to values of the same function"
)]

use polyshade_capi::draw::*;
use polyshade_capi::emitted::*;
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
use polyshade_testing::Choices;
use std::ffi::c_char;
use std::ptr::{null, null_mut};

/// Returns a struct that is zero except for its size and, for options, its kind.
macro_rules! zeros {
    ($name:ident) => {{
        // SAFETY: structs in the header may be all zeros.
        let mut value: $name = unsafe { std::mem::zeroed() };
        value.size = size_of::<$name>() as u32;
        value
    }};
    ($name:ident, $kind:expr) => {{
        // SAFETY: structs in the header may be all zeros.
        let mut value: $name = unsafe { std::mem::zeroed() };
        value.base = polyshade_options { size: size_of::<$name>() as u32, kind: $kind };
        value
    }};
}
pub(crate) use zeros;

/// Makes a call, which may return any status except the status of a caught panic.
pub(crate) fn call(of: impl FnOnce(*mut polyshade_error) -> polyshade_status) -> polyshade_status {
    let mut error = zeros!(polyshade_error);
    let status = of(&raw mut error);
    assert!((POLYSHADE_OK..POLYSHADE_ERROR_INTERNAL).contains(&status), "{status}");
    assert_eq!(status, error.status);
    status
}

/// Makes a call that either returns a handle or fails.
pub(crate) fn given<T>(
    of: impl FnOnce(*mut *mut T, *mut polyshade_error) -> polyshade_status,
) -> *mut T {
    let mut handle = std::ptr::dangling_mut();
    let status = call(|error| of(&raw mut handle, error));
    assert_eq!(status == POLYSHADE_OK, !handle.is_null());
    handle
}

/// Makes the two calls that query the size of a result and copy it into a buffer.
pub(crate) fn filled<T: Copy + Default>(
    of: impl Fn(*mut T, *mut usize, *mut polyshade_error) -> polyshade_status,
) -> Option<Vec<T>> {
    let mut count = 0;
    if call(|error| of(null_mut(), &raw mut count, error)) != POLYSHADE_OK {
        return None;
    }
    let mut buffer = vec![T::default(); count];
    let status = call(|error| of(buffer.as_mut_ptr(), &raw mut count, error));
    assert_eq!((status, count), (POLYSHADE_OK, buffer.len()));
    Some(buffer)
}

/// Reads the bytes as a module, which it reflects and lowers, and as a saved layout.
pub fn read(bytes: &[u8], choices: &mut Choices) {
    let (at, count) = (bytes.as_ptr(), bytes.len());
    let layout = given(|layout, error| unsafe { polyshade_layout_load(at, count, layout, error) });
    ask_layout(layout, choices);
    let module =
        given(|module, error| unsafe { polyshade_module_parse_bytes(at, count, module, error) });
    if module.is_null() {
        return;
    }
    reflect(module);
    with_target(module, choices, |target, choices| {
        let then = &mut |options: &_, choices: &mut _| lower(module, target, options, choices);
        with_options(choices, then);
    });
    unsafe { polyshade_module_release(module) };
}

fn reflect(module: *const polyshade_module) {
    let mut info = zeros!(polyshade_module_info);
    call(|error| unsafe { polyshade_module_describe(module, &raw mut info, error) });
    for number in 0..info.entry_count.min(4) + 1 {
        let mut entry = zeros!(polyshade_entry_point);
        call(|error| unsafe { polyshade_module_entry(module, number, &raw mut entry, error) });
        let (of, variables) = ((module, number), entry.variable_count.min(64));
        describe(polyshade_module_variable, of, variables, zeros!(polyshade_variable));
        let capturable = entry.capturable_count.min(64);
        describe(polyshade_module_capturable, of, capturable, zeros!(polyshade_capturable));
    }
}

/// A function that describes an element of a list, which belongs to an element of a handle.
type Describe<H, T> =
    unsafe extern "C" fn(*const H, u32, u32, *mut T, *mut polyshade_error) -> polyshade_status;

/// Describes the first `count` elements of a list in structs like `empty`.
fn describe<H, T: Copy>(of: Describe<H, T>, (at, number): (*const H, u32), count: u32, empty: T) {
    for index in 0..count {
        let mut one = empty;
        call(|error| unsafe { of(at, number, index, &raw mut one, error) });
    }
}

/// Calls `then` with a target that names an entry point of the module, or with NULL.
pub(crate) fn with_target(
    module: *const polyshade_module,
    choices: &mut Choices,
    then: impl FnOnce(*const polyshade_target, &mut Choices),
) {
    let mut entry = zeros!(polyshade_entry_point);
    let mut target = zeros!(polyshade_target);
    call(|error| unsafe {
        polyshade_module_entry(module, choices.below(3), &raw mut entry, error)
    });
    target.entry = entry.name;
    target.stage = if choices.maybe() { entry.stage } else { 1 << choices.below(9) };
    target.flags = choices.below(2);
    let numbers = choices.list(3, Choices::number);
    (target.sets, target.set_count) = (numbers.as_ptr(), numbers.len());
    (target.locations, target.location_count) = (numbers.as_ptr(), numbers.len());
    (target.constants, target.constant_count) = (numbers.as_ptr(), numbers.len());
    let mut device = zeros!(polyshade_device);
    if choices.maybe() {
        call(|error| unsafe { polyshade_device_defaults(&raw mut device, error) });
        device.output_components = choices.number();
        device.max_clip_distances = choices.below(9);
        device.has_transform_feedback = choices.below(2);
        device.max_buffers = choices.below(5);
        target.device = &raw const device;
    }
    then(&raw const target, choices);
}

fn place(choices: &mut Choices) -> polyshade_param_source {
    let (set, binding, number) = (choices.below(5), choices.number(), choices.offset());
    polyshade_param_source { kind: choices.below(9), set, binding, number }
}

fn value(choices: &mut Choices) -> polyshade_value {
    let param = if choices.maybe() { place(choices) } else { place(&mut Choices::plain()) };
    polyshade_value { param, fixed: choices.below(5) }
}

const VARYINGS: [&std::ffi::CStr; 14] = [
    c"v_position",
    c"v",
    c"gl_Position",
    c"gl_PointSize",
    c"gl_NextBuffer",
    c"gl_SkipComponents2",
    c"location=0",
    c"location=1-2.yz",
    c"id=9",
    c"Block.member",
    c"a[1]",
    c"SV_Position",
    c"semantic=TEXCOORD1.xy",
    c"1:$SKIP.xy",
];

fn texts_of(all: &[&std::ffi::CStr], choices: &mut Choices) -> Vec<*const c_char> {
    choices.list(4, |choices| choices.of(all).as_ptr())
}

/// A function that receives a struct of options. The struct is valid only during the call.
type Then<'t> = &'t mut dyn FnMut(&polyshade_options, &mut Choices);

/// Calls `then` with a struct of options that contains arbitrary numbers.
fn with_options(choices: &mut Choices, then: Then<'_>) {
    match choices.below(9) {
        0..=2 => with_capture(choices, then),
        3 => with_pulling(choices, then),
        4 => with_blend(choices, then),
        5 | 8 => with_clip(choices, then),
        6 => {
            let names = texts_of(&VARYINGS, choices);
            let kind = POLYSHADE_OPTIONS_POSITION_ONLY;
            let mut options = zeros!(polyshade_position_only_options, kind);
            options.variant = choices.below(4);
            (options.keep, options.keep_count) = (names.as_ptr(), names.len());
            (options.flags, options.side_effects) = (choices.below(16), choices.below(3));
            then(&options.base, choices);
        }
        _ => {
            let mut options = zeros!(polyshade_clip_space_options, POLYSHADE_OPTIONS_CLIP_SPACE);
            (options.depth, options.flip_y) = (value(choices), value(choices));
            options.rotation = value(choices);
            then(&options.base, choices);
            let kind = POLYSHADE_OPTIONS_RASTERIZER_DISCARD;
            let mut options = zeros!(polyshade_rasterizer_discard_options, kind);
            options.when = value(choices);
            then(&options.base, choices);
        }
    }
}

pub(crate) fn with_capture(choices: &mut Choices, then: Then<'_>) {
    let kind = POLYSHADE_OPTIONS_CAPTURE_STORAGE + choices.below(2);
    let mut options = zeros!(polyshade_capture_options, kind);
    let names = texts_of(&VARYINGS, choices);
    (options.varyings, options.varying_count) = (names.as_ptr(), names.len());
    (options.flags, options.mode) = (choices.below(2049), choices.below(5));
    let strides = choices.list(4, Choices::offset);
    (options.strides, options.stride_count) = (strides.as_ptr(), strides.len());
    let constants = choices.list(2, |choices| polyshade_constant {
        id: choices.number(),
        reserved: 0,
        bits: choices.word().into(),
    });
    (options.constants, options.constant_count) = (constants.as_ptr(), constants.len());
    (options.set, options.binding) = (choices.number(), choices.number());
    options.params = place(choices);
    options.side_effects = choices.below(4);
    options.topologies = choices.word() & 0x1_003f;
    options.variants = choices.below(9);
    then(&options.base, choices);
}

fn with_pulling(choices: &mut Choices, then: Then<'_>) {
    let mut options = zeros!(polyshade_vertex_pulling_options, POLYSHADE_OPTIONS_VERTEX_PULLING);
    let formats = [c"VK_FORMAT_R32G32_SFLOAT", c"r8g8b8a8_unorm", c"a2b10g10r10_snorm_pack32"];
    let attributes = choices.list(4, |choices| polyshade_attribute {
        location: choices.below(4),
        buffer: choices.below(3),
        offset: choices.number(),
        reserved: 0,
        format: choices.perhaps(|choices| choices.of(&formats).as_ptr()).unwrap_or(null()),
    });
    let buffers = choices.list(4, |choices| polyshade_vertex_buffer {
        number: choices.below(3),
        stride: choices.perhaps(Choices::number).unwrap_or(POLYSHADE_NONE),
        rate: choices.of(&[0, 1, POLYSHADE_NONE]),
        divisor: choices.number(),
    });
    (options.attributes, options.attribute_count) = (attributes.as_ptr(), attributes.len());
    (options.buffers, options.buffer_count) = (buffers.as_ptr(), buffers.len());
    (options.flags, options.params) = (choices.below(32), place(choices));
    (options.set, options.binding) = (choices.number(), choices.number());
    then(&options.base, choices);
}

fn with_clip(choices: &mut Choices, then: Then<'_>) {
    let semantics = [c"clip=0", c"cull=1.xy", c"clip=2-3", c"clip=1.w", c"cull=70000"];
    let [inputs, outputs, linked] = [(); 3].map(|()| texts_of(&semantics, choices));
    let locations = choices.list(3, |choices| choices.below(40));
    let steps = choices.list(3, |choices| polyshade_clip_step {
        step: choices.below(10),
        flags: choices.below(513),
        clip: choices.below(9),
        cull: choices.below(9),
        location: choices.number(),
        read_at: choices.number(),
        keep_at: choices.number(),
        planes: choices.below(10),
        vertex: choices.below(5),
        primitive: choices.below(4),
        provoking: choices.below(3),
        reserved: 0,
        params: place(choices),
        enabled: value(choices),
        padding: 0,
        inputs: inputs.as_ptr(),
        input_count: inputs.len(),
        outputs: outputs.as_ptr(),
        output_count: outputs.len(),
        linked_inputs: linked.as_ptr(),
        linked_input_count: linked.len(),
        linked_outputs: linked.as_ptr(),
        linked_output_count: linked.len(),
        flat: locations.as_ptr(),
        flat_count: locations.len(),
        no_perspective: locations.as_ptr(),
        no_perspective_count: locations.len(),
    });
    let mut options = zeros!(polyshade_clip_options, POLYSHADE_OPTIONS_CLIP_CULL);
    (options.steps, options.step_count) = (steps.as_ptr(), steps.len());
    then(&options.base, choices);
}

fn with_blend(choices: &mut Choices, then: Then<'_>) {
    let mut options = zeros!(polyshade_blend_options, POLYSHADE_OPTIONS_ADVANCED_BLEND);
    let equations = choices.list(4, |choices| 1_000_148_000 + choices.below(47));
    let targets = choices.list(3, |choices| polyshade_color_blend {
        location: choices.of(&[0, 1, 9, POLYSHADE_NONE]),
        blending: choices.below(4),
        flags: choices.below(8),
        overlap: choices.below(3),
        straight_source: choices.below(2),
        straight_destination: choices.below(2),
        format_class: choices.below(6),
        format_bits: choices.of(&[0, 0x0808_0808, 0x2020_2020, 0x0006_0505, 0x4040_4040]),
        equations: equations.as_ptr(),
        equation_count: equations.len(),
        logic_op: choices.below(16),
        color_op: choices.below(5),
        source_color: choices.below(19),
        destination_color: choices.below(19),
        alpha_op: choices.below(5),
        source_alpha: choices.below(19),
        destination_alpha: choices.below(19),
        reserved: 0,
    });
    (options.targets, options.target_count) = (targets.as_ptr(), targets.len());
    (options.flags, options.coverage_samples) = (choices.below(2), choices.below(5));
    (options.destination, options.layer) = (choices.below(4), choices.below(3));
    (options.set, options.binding, options.index) =
        (choices.number(), choices.number(), choices.number());
    (options.constants_in, options.select) = (place(choices), place(choices));
    then(&options.base, choices);
}

/// Lowers with a struct of options and with the same options as JSON, which must give equal results, and
/// queries the result.
fn lower(
    module: *const polyshade_module,
    target: *const polyshade_target,
    options: &polyshade_options,
    choices: &mut Choices,
) {
    let result =
        given(|result, error| unsafe { polyshade_lower(module, target, options, result, error) });
    let text = filled::<c_char>(|buffer, length, error| unsafe {
        polyshade_options_json(options, buffer, length, error)
    });
    if let Some(text) = text {
        let mut json = zeros!(polyshade_json_options, POLYSHADE_OPTIONS_JSON);
        (json.of, json.json) = (options.kind, text.as_ptr());
        let again = given(|result, error| unsafe {
            polyshade_lower(module, target, &json.base, result, error)
        });
        assert_eq!(words(result), words(again));
        assert_eq!(hash(options, target), hash(&json.base, target));
        unsafe { polyshade_result_release(again) };
    }
    ask(result, choices);
    unsafe { polyshade_result_release(result) };
}

pub(crate) fn hash(
    options: &polyshade_options,
    target: *const polyshade_target,
) -> Option<[u8; 32]> {
    let mut hash = [0; 32];
    let status =
        call(|error| unsafe { polyshade_options_hash(options, target, hash.as_mut_ptr(), error) });
    (status == POLYSHADE_OK).then_some(hash)
}

fn words(result: *const polyshade_result) -> Vec<Option<Vec<u32>>> {
    let words = |index| {
        filled(|buffer, count, error| unsafe {
            polyshade_result_copy_words(result, index, buffer, count, error)
        })
    };
    (0..unsafe { polyshade_result_count(result) }).map(words).collect()
}

pub(crate) fn ask(result: *const polyshade_result, choices: &mut Choices) {
    for index in 0..unsafe { polyshade_result_count(result) } {
        let mut output = zeros!(polyshade_output);
        call(|error| unsafe { polyshade_result_output(result, index, &raw mut output, error) });
        // Query the lists of the output.
        let (of, params) = ((result, index), output.host_param_count);
        describe(polyshade_result_host_param, of, params, zeros!(polyshade_host_param));
        let descriptors = output.descriptor_count;
        describe(polyshade_result_descriptor, of, descriptors, zeros!(polyshade_descriptor));
        describe(polyshade_result_need, of, output.need_count, zeros!(polyshade_need));
        filled(|buffer, length, error| unsafe {
            polyshade_result_json(result, index, buffer, length, error)
        });
        // Query the handles of the output. Its module must be parseable.
        let layout =
            given(|layout, error| unsafe { polyshade_result_layout(result, index, layout, error) });
        ask_layout(layout, choices);
        let module =
            given(|module, error| unsafe { polyshade_result_module(result, index, module, error) });
        let mut count = 0;
        let words = unsafe { polyshade_module_words(module, &raw mut count) };
        let again =
            given(|module, error| unsafe { polyshade_module_parse(words, count, module, error) });
        assert!(!again.is_null(), "what is written can be read");
        [module, again].into_iter().for_each(|module| unsafe { polyshade_module_release(module) });
    }
}

/// Queries a layout and a copy that was saved and loaded, then releases both layouts.
fn ask_layout(layout: *mut polyshade_layout, choices: &mut Choices) {
    if layout.is_null() {
        return;
    }
    let saved = |layout| {
        filled(|buffer, count, error| unsafe {
            polyshade_layout_save(layout, buffer, count, error)
        })
        .expect("every layout can be saved")
    };
    // The copy must be saved as the same bytes as the original.
    let bytes = saved(layout);
    let again = given(|layout, error| unsafe {
        polyshade_layout_load(bytes.as_ptr(), bytes.len(), layout, error)
    });
    assert_eq!(saved(again), bytes);
    // Both layouts must give equal parameters for arbitrary draws and ranges.
    let mut draw = zeros!(polyshade_draw);
    (draw.topology, draw.provoking_vertex) =
        (choices.of(&[0, 1, 2, 3, 4, 5, 16]), choices.below(2));
    (draw.first_vertex, draw.vertex_count) = (choices.number(), choices.number());
    (draw.first_instance, draw.instance_count) = (choices.number(), choices.number());
    let mut info = zeros!(polyshade_layout_info);
    call(|error| unsafe { polyshade_layout_describe(layout, &raw mut info, error) });
    let mut ranges: Vec<polyshade_range> = (0..info.buffer_count)
        .map(|_| polyshade_range {
            address: choices.offset().into(),
            offset: choices.offset(),
            length: choices.offset(),
            counter: choices.offset(),
            flags: choices.rarely().into(),
        })
        .collect();
    let (at, count) = (ranges.as_mut_ptr(), ranges.len());
    let filled = [layout, again].map(|layout| {
        filled(|buffer, words, error| unsafe {
            polyshade_layout_host_params(layout, &raw const draw, at, count, buffer, words, error)
        })
    });
    assert_eq!(filled[0], filled[1]);
    call(|error| {
        let draw = &raw const draw;
        unsafe { polyshade_layout_primitives(layout, draw, at, count, &mut 0, null_mut(), error) }
    });
    call(|error| unsafe {
        polyshade_layout_work_groups(layout, &raw const draw, &mut [0; 3], error)
    });
    call(|error| unsafe { polyshade_layout_advance(layout, &raw const draw, at, count, error) });
    ask_emitted(layout, &draw, &mut ranges, choices);
    [layout, again].into_iter().for_each(|layout| unsafe { polyshade_layout_release(layout) });
}

/// Asks a layout for the sizes, primitives and counters of a geometry stage or of tessellation.
fn ask_emitted(
    layout: *const polyshade_layout,
    draw: &polyshade_draw,
    ranges: &mut [polyshade_range],
    choices: &mut Choices,
) {
    let (at, count) = (ranges.as_mut_ptr(), ranges.len());
    let mut emitted = [0; 4].map(|_: u32| choices.number());
    let (stream, of_stream) = (choices.below(5), choices.number());
    let level = f32::from_bits(choices.word());
    let mut sizes = zeros!(polyshade_tessellation_sizes);
    call(|error| unsafe { polyshade_layout_outputs_size(layout, draw, &mut 0, error) });
    call(|error| unsafe { polyshade_layout_counts_size(layout, draw, &mut 0, error) });
    call(|error| unsafe {
        polyshade_layout_primitives_of(layout, stream, of_stream, at, count, &mut 0, error)
    });
    call(|error| unsafe {
        polyshade_layout_advance_by(layout, emitted.as_ptr(), at, count, error)
    });
    call(|error| unsafe { polyshade_layout_emitted(layout, draw, emitted.as_mut_ptr(), error) });
    call(|error| unsafe {
        polyshade_layout_tessellation_sizes(layout, draw, level, &raw mut sizes, error)
    });
}
