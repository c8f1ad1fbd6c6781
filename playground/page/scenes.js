// Draws the pictures without and with the lowering.

import { mesh } from "./mesh.js";
import { Scene, SIZE, checked, open, pixels } from "./gpu.js";

// Returns the uniforms at set 0, binding 0 of every shader: the view and the values of the page's sliders.
function frame({ turn, amount }) {
    const [a, b] = [turn * 6.2832, 0.6];
    const [ca, sa, cb, sb] = [Math.cos(a), Math.sin(a), Math.cos(b), Math.sin(b)];
    // Rotate about y, then tilt for a view from above. Depth has WebGPU's range from 0 to 1.
    const columns = [
        [ca, -sb * sa, -0.4 * cb * sa, 0],
        [0, cb, -0.4 * sb, 0],
        [sa, sb * ca, 0.4 * cb * ca, 0],
        [0, 0, 0.5, 1],
    ];
    return new Float32Array([...columns.flat(), turn, amount, SIZE, SIZE]);
}

// The destination of blending, with bands of hues that get lighter to the right.
export const backdrop = pixels((x, y) => {
    const band = Math.floor(y * 8) / 8;
    const hue = [0, 2, 4].map((shift) => 0.5 + 0.5 * Math.cos(6.2832 * band + shift));
    const light = Math.min(1, 0.25 + x);
    return [...hue.map((one) => one * light), 1];
});

// Targets start cleared or with the backdrop. The page shows a checkerboard through transparent pixels.
const CLEAR = [0, 0, 0, 0];

// Draws both pictures: `{ before, after, captured, tiles }`; if a picture cannot be drawn, the reason takes its place.
export async function pictures(asked) {
    const device = await open();
    const scene = new Scene(device);
    const context = { ...asked, device, scene, frame: scene.buffer(frame(asked.sliders)) };
    const vertices = mesh(asked.mesh);
    context.count = vertices.count;
    context.vertices = scene.buffer(vertices.contents);
    context.room = asked.room;
    const attempt = async (draw) => {
        if (!draw) return {};
        return checked(device, () => draw(context)).catch((error) => ({ fault: error.message }));
    };
    const kind = KINDS[asked.kind];
    return { before: await attempt(kind.before), after: await attempt(kind.after) };
}

// Returns the resources that a lowering adds, such as host parameters and feedback buffers, keyed by binding.
function added(context) {
    const found = new Map();
    const put = (set, binding, resource) => found.set(`${set}:${binding}`, resource);
    for (const stage of context.lowered.stages) {
        for (const { descriptors } of stage.requirements) {
            for (const { set, binding, purpose } of descriptors) {
                if (purpose.vertex_buffer !== undefined) put(set, binding, context.vertices);
                if (purpose.feedback !== undefined) put(set, binding, feedback(context, purpose.feedback));
                if (purpose.destination) put(set, binding, context.destination);
            }
        }
        for (const { source, params } of stage.host) {
            const at = source.storage_buffer ?? source.uniform;
            if (at) put(at.set, at.binding, context.scene.buffer(values(context, source, params)));
        }
    }
    return found;
}

// Returns a feedback buffer, which is initially zero.
function feedback(context, number) {
    context.feedback ??= [];
    context.feedback[number] ??= context.scene.buffer(new Uint8Array(context.room));
    return context.feedback[number];
}

function values(context, source, params) {
    const bits = params.map(({ name }) => context.word(source, name) >>> 0);
    return new Uint32Array(bits);
}

// Returns a function that finds the resource of a binding, in `more` or for the original shaders.
function binder(context, more = new Map()) {
    return (group, binding) => {
        const own = more.get(`${group}:${binding}`);
        return own ?? (group === 0 && binding === 0 ? context.frame : undefined);
    };
}

// Draws a picture with these stages.
async function drawn(context, [vertex, fragment], options = {}) {
    const { scene, device } = context;
    const missing = [vertex, fragment].find((stage) => stage.fault);
    if (missing) throw new Error(`${missing.stage} stage: ${missing.fault}`);
    const target = options.target ?? scene.texture();
    const encoder = device.createCommandEncoder();
    await scene.draw(encoder, {
        vertex: vertex.source,
        fragment: fragment.source,
        bound: options.bound ?? binder(context),
        mesh: options.pulled ? undefined : context.vertices,
        count: context.count,
        target,
        clear: CLEAR,
        depth: options.target ? undefined : scene.depth(),
        load: Boolean(options.target),
        blend: options.blend,
    });
    return { pixels: new Uint8ClampedArray(await scene.read(encoder, target)) };
}

const original = (context) => drawn(context, context.texts.before);

// Draws a picture with the lowered stages and their additional resources.
function lowered(context, options = {}) {
    return drawn(context, context.texts.after, { ...options, bound: binder(context, added(context)) });
}

// Draws with WebGPU's fixed-function blending.
async function blendedByFactors(context) {
    const over = { srcFactor: context.isStraight ? "src-alpha" : "one", dstFactor: "one-minus-src-alpha" };
    const alpha = { srcFactor: "one", dstFactor: "one-minus-src-alpha" };
    const target = context.scene.texture(backdrop);
    return drawn(context, context.texts.before, { target, blend: { color: over, alpha } });
}

// Draws once for each equation with the lowered fragment stage, which reads a copy of the destination.
async function blendedInShader(context) {
    context.destination = context.scene.texture(backdrop);
    const one = (equation) => {
        const own = { ...context, word: (place, name) => (name.startsWith("equation_") ? equation : context.word(place, name)) };
        return lowered(own, { target: context.scene.texture(backdrop) });
    };
    const tiles = [];
    for (const [name, word] of context.equations) {
        tiles.push({ name, word, ...(await one(word)) });
    }
    const chosen = tiles.find(({ word }) => word === context.equation) ?? (await one(context.equation));
    return { ...chosen, tiles: tiles.length > 1 ? tiles : undefined };
}

// Captures vertices, and draws a picture of the captured vertices.
async function captured(context) {
    const { scene, device, lowered, texts } = context;
    if (!lowered.stored?.groups) throw new Error("WebGPU's vertex stages cannot store: choose the capture in a compute stage");
    if (texts.after[0].fault) throw new Error(texts.after[0].fault);
    const more = added(context);
    const encoder = device.createCommandEncoder();
    await scene.dispatch(encoder, {
        source: texts.after[0].source,
        bound: binder(context, more),
        workGroups: lowered.stored.groups,
    });
    device.queue.submit([encoder.finish()]);
    const buffers = [];
    for (const [number, layout] of lowered.stored.layout.buffers.entries()) {
        const buffer = feedback(context, number);
        const contents = await scene.read(device.createCommandEncoder(), buffer);
        buffers.push({ ...layout, buffer, contents });
    }
    const found = buffers.flatMap((buffer) => buffer.captured.map((one) => ({ ...one, ...buffer })));
    const position = found.find((one) => /gl_Position|position/i.test(one.name) && one.components >= 3);
    const picture = position ? await points(context, position, found) : {};
    return { ...picture, buffers };
}

// Draws a small square at each captured position, in the captured colour if a colour was captured.
async function points(context, position, found) {
    const { scene, device } = context;
    const named = (pattern) => found.find((one) => pattern.test(one.name) && one.components >= 3);
    const colour = named(/colou?r/i) ?? named(/normal/i);
    const words = (one) => (one ? one.offset / 4 : 0xffffffff);
    const numbers = new Uint32Array([
        position.stride / 4, words(position), position.components,
        colour?.stride / 4 || 0, words(colour), 0, 0, 0,
    ]);
    const more = new Map([
        ["0:0", scene.buffer(numbers)],
        ["0:1", position.buffer],
        ["0:2", (colour ?? position).buffer],
    ]);
    const target = scene.texture();
    const encoder = device.createCommandEncoder();
    await scene.draw(encoder, {
        vertex: POINTS, fragment: POINTS_FRAGMENT, bound: binder(context, more),
        count: 6, instances: context.count, target, clear: CLEAR, depth: scene.depth(),
    });
    return { pixels: new Uint8ClampedArray(await scene.read(encoder, target)) };
}

const POINTS = `
struct Numbers { stride: u32, position: u32, components: u32, colour_stride: u32, colour: u32 }
@group(0) @binding(0) var<uniform> numbers: Numbers;
@group(0) @binding(1) var<storage> positions: array<f32>;
@group(0) @binding(2) var<storage> colours: array<f32>;
struct Point { @builtin(position) position: vec4<f32>, @location(0) colour: vec3<f32> }
@vertex fn main(@builtin(vertex_index) corner: u32, @builtin(instance_index) number: u32) -> Point {
    let at = number * numbers.stride + numbers.position;
    var clip = vec4<f32>(positions[at], positions[at + 1u], positions[at + 2u], 1.0);
    if numbers.components > 3u { clip.w = positions[at + 3u]; }
    let which = array(0u, 1u, 2u, 2u, 1u, 3u)[corner];
    let moved = (vec2<f32>(f32(which & 1u), f32(which >> 1u)) - 0.5) * (7.0 / ${SIZE}.0);
    clip = vec4<f32>(clip.xy + moved * clip.w, clip.zw);
    var colour = vec3<f32>(0.35, 0.75, 1.0);
    if numbers.colour != 0xffffffffu {
        let first = number * numbers.colour_stride + numbers.colour;
        colour = vec3<f32>(colours[first], colours[first + 1u], colours[first + 2u]);
    }
    return Point(clip, colour);
}`;

const POINTS_FRAGMENT = `
@fragment fn main(@location(0) colour: vec3<f32>) -> @location(0) vec4<f32> {
    return vec4<f32>(colour, 1.0);
}`;

// A fragment stage that shows the depth that a position-only stage draws.
const NEARNESS = {
    source: `
@fragment fn main(@builtin(position) at: vec4<f32>) -> @location(0) vec4<f32> {
    let near = clamp(1.2 - at.z, 0.0, 1.0);
    return vec4<f32>(vec3<f32>(near), 1.0);
}`,
};

function nearness(context) {
    const texts = { ...context.texts, after: [context.texts.after[0], NEARNESS] };
    return lowered({ ...context, texts });
}

// The functions that draw the two pictures for each kind of lowering.
const KINDS = {
    plain: { before: original, after: lowered },
    pulled: { before: original, after: (context) => lowered(context, { pulled: true }) },
    blended: { before: blendedByFactors, after: blendedInShader },
    captured: { before: original, after: captured },
    nearness: { before: original, after: nearness },
};
