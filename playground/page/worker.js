// The worker that runs two WebAssembly modules: glslang, and polyshade with naga. Either may crash or never end.

let polyshade;
let glslang;

async function instance() {
    polyshade ??= await WebAssembly.instantiateStreaming(fetch("polyshade.wasm"));
    return polyshade.instance.exports;
}

const text = (memory, at, length) =>
    new TextDecoder().decode(new Uint8Array(memory.buffer, at, length).slice());

// Sends a request to polyshade, and returns its answer: `{ ok }` or `{ error }`.
async function ask(request) {
    const exports = await instance();
    const bytes = new TextEncoder().encode(JSON.stringify(request));
    try {
        const at = exports.reserve(bytes.length);
        new Uint8Array(exports.memory.buffer, at, bytes.length).set(bytes);
        const length = exports.run();
        return JSON.parse(text(exports.memory, exports.answer_at(), length));
    } catch (trap) {
        // After a trap, only the message of a panic can be read from the instance.
        const said = text(exports.memory, exports.fault(), exports.fault_length());
        polyshade = undefined;
        return { error: { in: "panic", message: said || String(trap) } };
    }
}

// The messages of glslang, which it prints to the console. Nothing else in the worker prints.
const said = [];
console.log = console.warn = (...line) => said.push(...line.join(" ").split("\n"));

// Compiles GLSL, and returns the words, or else the messages of glslang and the line of the error.
async function compile({ source, stage }) {
    if (!glslang) {
        const module = await import("./glslang/glslang.js").catch(() => {
            throw new Error("this page was built without GLSL: npm's @webgpu/glslang was not available");
        });
        glslang = await module.default();
    }
    said.length = 0;
    try {
        return { ok: { words: Array.from(glslang.compileGLSL(source, stage, false, "1.3")) } };
    } catch (error) {
        const places = said.map((line) => line.match(/^ERROR: \d+:(\d+): (.*)$/)).filter(Boolean);
        const message = places.map(([, , what]) => what).join("\n") || said.join("\n") || String(error);
        return { error: { in: "glsl", message, line: places.length ? Number(places[0][1]) : undefined } };
    }
}

onmessage = async ({ data: { number, request } }) => {
    const answer = await (request.do === "compile" ? compile(request) : ask(request)).catch(
        ({ message }) => ({ error: { in: "page", message } }),
    );
    postMessage({ number, answer });
};
