// The lowerings on the page. Each has a form, and a function that converts its values to library options.

import { ATTRIBUTES, STRIDE } from "./mesh.js";

const onOff = { on: "on", off: "off" };

// Returns the options of vertex pulling that describe the attributes of the page's mesh.
function pull() {
    const one = ({ location, offset, vulkan }) => [location, { buffer: 0, offset, format: vulkan }];
    return {
        attributes: Object.fromEntries(ATTRIBUTES.map(one)),
        buffers: { 0: { stride: STRIDE, rate: "vertex" } },
    };
}

// Returns the captured varyings: by default, the position and the shader's own outputs.
function varyings({ varyings, buffers }, info) {
    const names = (varyings ?? "").split(",").map((one) => one.trim()).filter(Boolean);
    const named = names.map((name) => ({ name }));
    // Compilers declare built-in outputs that are usually not written.
    const isWanted = ({ name, refused }) => !refused && (!name.startsWith("gl_") || name === "gl_Position");
    const all = info.capturable.filter(isWanted).map(({ varying }) => varying);
    return { [buffers]: named.length ? named : all };
}

const CAPTURE = {
    varyings: { label: "Captured varyings", kind: "text", hint: "all, and gl_Position", value: "" },
    buffers: {
        label: "Buffers",
        kind: "choice",
        choices: { interleaved: "one for all", separate: "one for each" },
        value: "interleaved",
    },
};

const TEXTURE = { texture: { set: 3, binding: 0, layer: "one" } };
const SELECT = { uniform: { set: 2, binding: 0 } };
const HOST = { uniform: { set: 2, binding: 1 } };

export const LOWERINGS = {
    blend: {
        name: "Advanced blending",
        lacks: "WebGPU blends only with factors: it has no overlay, hard light or hue.",
        does: "The fragment stage reads a copy of the destination and blends in the shader, with any of 46 equations.",
        kind: "blended",
        captions: ["source over, with WebGPU's factors", "blended in the shader"],
        form: {
            equation: { label: "Equation", kind: "equation", value: "hardlight" },
            compiled: {
                label: "Compiled in",
                kind: "choice",
                choices: { all: "all 46, chosen by a parameter", one: "only this one" },
                value: "all",
            },
            source: {
                label: "The shader's colour is",
                kind: "choice",
                choices: { straight: "straight", premultiplied: "premultiplied" },
                value: "straight",
            },
            overlap: {
                label: "Overlap",
                kind: "choice",
                choices: { uncorrelated: "uncorrelated", disjoint: "disjoint", conjoint: "conjoint" },
                value: "uncorrelated",
            },
        },
        wanted: ({ equation, compiled, source, overlap }, { equations }) => ({
            recipe: {
                blend: {
                    every_target: {
                        blending: { equations: compiled === "all" ? equations : [equation] },
                        source,
                        overlap,
                    },
                    ...(compiled === "all" && { select: SELECT }),
                    destination: TEXTURE,
                },
            },
        }),
    },
    compute: {
        name: "Transform feedback in a compute stage",
        lacks: "WebGPU has no transform feedback, and its vertex stages cannot store.",
        does: "The vertex stage becomes a compute stage that fetches attributes and stores the captured outputs.",
        kind: "captured",
        captions: ["the draw", "the captured positions, a point for each vertex"],
        form: CAPTURE,
        wanted: (form, info) => ({
            recipe: { vertex_pulling: pull() },
            dispatch: { varyings: varyings(form, info) },
        }),
    },
    storage: {
        name: "Transform feedback with stores in the vertex stage",
        lacks: "Metal, and most phones with Vulkan, have no transform feedback.",
        does: "A variant of the vertex stage stores the captured outputs, in Vulkan and Metal, but not in WebGPU.",
        kind: "captured",
        captions: ["the draw", "the captured vertices"],
        form: {
            ...CAPTURE,
            variant: {
                label: "Variant",
                kind: "choice",
                choices: { capture_only: "capture only", raster_only: "raster only", both: "both" },
                value: "capture_only",
            },
        },
        wanted: (form, info) => ({
            recipe: {
                capture: { storage: { variant: form.variant, options: { varyings: varyings(form, info) } } },
            },
        }),
    },
    extension: {
        name: "Transform feedback with VK_EXT_transform_feedback",
        lacks: "Vulkan captures outputs that are decorated in the shader, not outputs that the host names.",
        does: "Outputs get the decorations XfbBuffer, XfbStride and Offset, which the extension needs.",
        kind: "captured",
        captions: ["the draw", "the captured vertices"],
        form: CAPTURE,
        wanted: (form, info) => ({ recipe: { capture: { extension: { varyings: varyings(form, info) } } } }),
    },
    position: {
        name: "Position only",
        lacks: "A depth or binning pass runs a whole vertex stage only for its position.",
        does: "Only the outputs that decide coverage are kept, with the code that computes them.",
        kind: "nearness",
        captions: ["the full shader", "its position-only variant, coloured by depth"],
        form: {
            part: {
                label: "Variant",
                kind: "choice",
                choices: { position_only: "position only", full: "the full shader, with an invariant position" },
                value: "position_only",
            },
        },
        wanted: ({ part }) => ({ recipe: { position_only: { variant: part } } }),
    },
    clip: {
        name: "Clip distances, emulated",
        lacks: "Arm's Mali has no clip distances; WebGPU has them as an optional feature.",
        does: "Distances are passed as ordinary values, and the fragment stage discards fragments.",
        kind: "plain",
        captions: ["with the feature", "emulated"],
        form: {},
        wanted: () => ({ recipe: { emulate: "all" } }),
    },
    planes: {
        name: "User clip planes",
        lacks: "OpenGL and Direct3D 9 clip against planes that the host sets outside of shaders.",
        does: "The vertex stage computes distances from the planes, and the fragment stage discards fragments.",
        kind: "plain",
        captions: ["without planes", "clipped by the planes"],
        form: {
            count: { label: "Planes", kind: "choice", choices: { 1: "1", 2: "2", 3: "3" }, value: "1" },
        },
        wanted: ({ count }) => ({
            recipe: { planes: { count: Number(count), params: HOST }, emulate: "all" },
        }),
    },
    depth: {
        name: "Clip space",
        lacks: "OpenGL's clip volume is -w to w, WebGPU's 0 to w; phones rotate their screens.",
        does: "The position is converted at the end of the last stage.",
        kind: "plain",
        captions: ["unchanged", "converted"],
        form: {
            depth: { label: "Depth from -w to w", kind: "choice", choices: onOff, value: "on" },
            flip: { label: "Flip y", kind: "choice", choices: onOff, value: "off" },
            rotation: {
                label: "Rotation",
                kind: "choice",
                choices: { none: "none", quarter: "90°", half: "180°", three_quarters: "270°" },
                value: "none",
            },
        },
        wanted: ({ depth, flip, rotation }) => ({
            recipe: {
                clip_space: {
                    depth: { fixed: depth === "on" },
                    flip_y: { fixed: flip === "on" },
                    rotation: { fixed: rotation },
                },
            },
        }),
    },
    pull: {
        name: "Vertex pulling",
        lacks: "WebGPU requires strides that are multiples of 4, and compute stages have no attributes.",
        does: "The shader fetches its attributes from storage buffers, in any of 118 formats.",
        kind: "pulled",
        captions: ["attributes from vertex buffers", "fetched by the shader"],
        form: {},
        wanted: () => ({ recipe: { vertex_pulling: pull() } }),
    },
    discard: {
        name: "Rasterizer discard",
        lacks: "Metal and WebGPU cannot turn rasterization off.",
        does: "Every primitive gets a position outside of the clip volume.",
        kind: "plain",
        captions: ["the draw", "discarded"],
        form: {},
        wanted: () => ({ recipe: { rasterizer_discard: {} } }),
    },
    none: {
        name: "None: SPIR-V to WGSL",
        lacks: "The shader as it is.",
        does: "Nothing is changed; options can be written by hand.",
        kind: "plain",
        captions: ["unchanged", "with the options below"],
        form: {},
        wanted: () => ({ recipe: {} }),
    },
};
