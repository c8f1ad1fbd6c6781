// The state of the page, and the link that contains it.

import { EXAMPLES } from "./examples.js";
import { LOWERINGS } from "./lowerings.js";

// Returns the initial state of an example: its shaders and its lowering.
export function ofExample(number) {
    const { lowering, form, mesh, language, stages } = EXAMPLES[number];
    const [vertex, fragment] = stages;
    return {
        example: number, lowering, form: { ...form }, mesh, language, stages: [vertex, fragment],
        // The options as text, which replace the options of the form; null if the form is used.
        options: null,
        // Host parameters that the user has set, by source and name.
        words: {},
        sliders: { turn: 0.12, amount: 0.5 },
    };
}

// Returns the values of a form, with defaults for missing values.
export function formOf(state) {
    const fields = Object.entries(LOWERINGS[state.lowering].form);
    return Object.fromEntries(fields.map(([name, { value }]) => [name, state.form[name] ?? value]));
}

async function through(stream, bytes) {
    const piped = new Blob([bytes]).stream().pipeThrough(stream);
    return new Uint8Array(await new Response(piped).arrayBuffer());
}

// Encodes the state as the fragment of a link.
export async function toFragment(state) {
    const text = new TextEncoder().encode(JSON.stringify(state));
    const bytes = await through(new CompressionStream("deflate-raw"), text);
    const letters = btoa(String.fromCharCode(...bytes));
    return letters.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

// Decodes the state from the fragment of a link. Missing parts are taken from the first example.
export async function fromFragment(fragment) {
    const letters = fragment.replace(/^#/, "").replaceAll("-", "+").replaceAll("_", "/");
    if (!letters) return ofExample(0);
    const bytes = Uint8Array.from(atob(letters), (letter) => letter.charCodeAt(0));
    const text = new TextDecoder().decode(await through(new DecompressionStream("deflate-raw"), bytes));
    const { example, ...state } = JSON.parse(text);
    if (!LOWERINGS[state.lowering]) throw new Error(`the lowering ${state.lowering} does not exist`);
    return { ...ofExample(0), ...state, example: EXAMPLES[example] ? example : null };
}
