// Computes everything that the page shows from the state: compiles, lowers, writes WGSL, and draws.

import { ask, Fault } from "./engine.js";
import { LOWERINGS } from "./lowerings.js";
import { mesh, STRIDE } from "./mesh.js";
import { pictures } from "./scenes.js";
import { formOf } from "./state.js";

const STAGES = ["vertex", "fragment"];
// The size of each feedback buffer, in bytes.
const ROOM = 1 << 20;

// The last compiled modules, keyed by source. They are kept because pictures change more often than shaders.
const compiled = new Map();

async function compile(state, number) {
    const source = state.stages[number];
    const stage = STAGES[number];
    if (!source.trim()) throw new Fault({ in: "page", message: `the ${stage} shader is empty` });
    const key = `${state.language} ${stage} ${source}`;
    if (!compiled.has(key)) {
        const request = state.language === "glsl"
            ? { do: "compile", source, stage }
            : { do: "read", source, name: stage };
        if (compiled.size > 32) compiled.clear();
        compiled.set(key, await ask(request));
    }
    return compiled.get(key).words;
}

// Runs `work`, and adds the name of the editor to any fault that it throws.
async function at(editor, work) {
    try {
        return await work();
    } catch (error) {
        const content = error instanceof Fault ? error.content : { in: "page", message: String(error) };
        throw Object.assign(new Fault(content), { editor });
    }
}

const described = (words) => ask({ do: "describe", words });

// Returns the options as text, either from the text field or from the form.
async function optionsOf(state, info) {
    if (state.options?.trim() === "") throw new Fault({ in: "page", message: "the options are empty, not `{}`" });
    if (state.options !== null) return state.options;
    const equations = await ask({ do: "equations" });
    const wanted = LOWERINGS[state.lowering].wanted(formOf(state), { ...info, equations });
    return JSON.stringify(wanted, null, 2);
}

// Returns the WGSL of a stage, or the reason why it cannot be written.
async function written(stage, words) {
    return ask({ do: "write", words }).then(
        ({ source, bound }) => ({ stage, source, bound }),
        ({ message }) => ({ stage, fault: message }),
    );
}

// Lowers the state: `{ words, shapes, options, lowered, texts }`. Each result is stored in `found` at once, so that
// it is available if a later step fails.
export async function lower(state, found) {
    found.words = [];
    for (const number of [0, 1]) found.words.push(await at(number, () => compile(state, number)));
    found.shapes = await Promise.all(found.words.map((words, number) => at(number, () => described(words))));
    const entry = (number) => found.shapes[number].entries[0];
    for (const number of [0, 1]) {
        const is = entry(number)?.stage;
        const fault = is !== STAGES[number] && `this is a ${is ?? "module without a"} stage`;
        if (fault) throw Object.assign(new Fault({ in: "page", message: fault }), { editor: number });
    }
    found.options = await at("options", () => optionsOf(state, { capturable: entry(0).capturable }));
    const begin = performance.now();
    found.lowered = await at("options", () => ask({
        do: "lower",
        stages: found.words,
        wanted: found.options,
        vertices: mesh(state.mesh).count,
        room: ROOM,
    }));
    found.milliseconds = performance.now() - begin;
    const texts = (of) => Promise.all(found.lowered.stages.map((_, number) => written(STAGES[number], of(number))));
    const before = await texts((number) => found.words[number]);
    found.texts = {
        before,
        after: await texts((number) => found.lowered.stages[number].after.words),
    };
    return found;
}

export const keyOf = (place, name) => `${JSON.stringify(place)} ${name}`;

const BITS = new DataView(new ArrayBuffer(4));

export function bitsOf(float) {
    BITS.setFloat32(0, float);
    return BITS.getUint32(0);
}

export function floatOf(bits) {
    BITS.setUint32(0, bits);
    return BITS.getFloat32(0);
}

// Whether a host parameter is a float.
export const isFloat = ({ meaning }) => / a float$/.test(meaning);

// Returns the value of a host parameter, which either the user has set or the draw determines.
export function wordOf(state, found, place, name) {
    const set = state.words[keyOf(place, name)];
    if (set !== undefined) return set;
    const { stored } = found.lowered;
    const same = stored && JSON.stringify(stored.source) === JSON.stringify(place);
    if (same) {
        const words = found.lowered.stages.flatMap((stage) => stage.host);
        const group = words.find((one) => JSON.stringify(one.source) === JSON.stringify(place));
        return stored.values[group.params.findIndex((word) => word.name === name)];
    }
    if (/^vertex_size_/.test(name)) return mesh(state.mesh).count * STRIDE;
    if (/^equation_/.test(name)) return found.equation ?? 0;
    if (/^plane_/.test(name)) return bitsOf(plane(state, name));
    return 0;
}

// Returns a component of a clip plane that the slider moves: one is oblique, two are perpendicular to an axis.
function plane({ sliders: { amount } }, name) {
    const [, number, axis] = name.match(/^plane_(\d+)_(.)$/);
    const planes = [[0.7, 0.7, 0], [-1, 0, 0], [0, -1, 0]];
    return [...planes[number % 3], 1.2 * amount - 0.35]["xyzw".indexOf(axis)];
}

// Draws both pictures.
export async function draw(state, found) {
    const { kind } = LOWERINGS[state.lowering];
    const form = formOf(state);
    const blended = found.lowered.stages.map(({ made }) => made.blended?.[0]).find(Boolean);
    const names = blended?.blending?.equations ?? [];
    const all = names.length ? await ask({ do: "equations" }) : [];
    const equations = names.map((name) => [name, all.indexOf(name) + 1]);
    found.equation = equations.find(([name]) => name === form.equation)?.[1] ?? equations[0]?.[1];
    found.pictures = await pictures({
        kind,
        mesh: state.mesh,
        sliders: state.sliders,
        texts: found.texts,
        lowered: found.lowered,
        room: ROOM,
        equations,
        equation: found.equation,
        isStraight: (blended?.source ?? "straight") === "straight",
        word: (place, name) => wordOf(state, found, place, name),
    });
    return found;
}
