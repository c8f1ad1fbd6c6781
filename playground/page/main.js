// The page. User input changes the state, and the state determines the pictures and panes.

import { ask, Fault } from "./engine.js";
import { EXAMPLES } from "./examples.js";
import { NoDevice } from "./gpu.js";
import { LOWERINGS } from "./lowerings.js";
import { ATTRIBUTES, MESHES } from "./mesh.js";
import { draw, lower } from "./run.js";
import { formOf, fromFragment, ofExample, toFragment } from "./state.js";
import { OF_STAGES, element, pane } from "./view.js";

const $ = (id) => document.getElementById(id);

let state;
let found = {};
let shown = { editor: 0, pane: "host", stage: 0 };
// The promise of the last run, which links and tests await.
let running = Promise.resolve();
let latest = 0;
let timer;

// Changes a part of the state, and recomputes the results.
function change(part, { soon = false } = {}) {
    state = { ...state, ...part };
    clearTimeout(timer);
    if (soon) timer = setTimeout(run, 350);
    else run();
}

function run() {
    const number = ++latest;
    running = perform(state, number);
    return running;
}

async function perform(state, number) {
    const next = {};
    showChoices();
    showEditor();
    let slow;
    try {
        if (!equations.length) equations = await ask({ do: "equations" });
        $("status").value = "lowering…";
        await lower(state, next);
        // Show that drawing goes on, because drivers need seconds to stop a shader that never ends.
        slow = setTimeout(() => number === latest && show({ ...next, isDrawing: true }), 300);
        if (number === latest) await draw(state, next);
    } catch (error) {
        if (error instanceof NoDevice) next.undrawn = error.message;
        else next.fault = error instanceof Fault ? error : new Fault({ in: "page", message: String(error) });
    }
    clearTimeout(slow);
    if (number === latest) show(next);
}

function show(next) {
    found = next;
    keepFocus(() => {
        showFault();
        showChoices();
        showEditor();
        showForm();
        showPictures();
        showPane();
    });
}

// Restores the keyboard focus, by the name of the element, after elements have been created again.
function keepFocus(render) {
    const focused = document.activeElement?.name;
    render();
    if (focused) document.getElementsByName(focused)[0]?.focus();
}

// Marks the selected tab. The Tab key stops only at this tab.
function showTabs(list, chosen) {
    for (const button of $(list).children) {
        const isChosen = button.dataset.tab === String(chosen);
        button.setAttribute("aria-selected", isChosen);
        button.tabIndex = isChosen ? 0 : -1;
    }
}

// Makes buttons act as tabs that the arrow keys select.
function listenTabs(list, choose) {
    const buttons = [...$(list).children];
    for (const button of buttons) {
        button.setAttribute("role", "tab");
        button.onclick = () => choose(button.dataset.tab);
    }
    $(list).onkeydown = ({ key }) => {
        const at = buttons.indexOf(document.activeElement);
        const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: -1 }[key];
        if (to === undefined) return;
        const next = buttons.at(to % buttons.length);
        next.focus();
        next.click();
    };
}

function fill(select, entries, value) {
    select.replaceChildren(...entries.map(([key, name]) => element("option", { value: key }, name)));
    select.value = value;
}

function showChoices() {
    const own = state.example === null ? [["", "your own"]] : [];
    fill($("example"), [...own, ...EXAMPLES.map(({ name }, at) => [at, name])], state.example ?? "");
    fill($("lowering"), Object.entries(LOWERINGS).map(([key, { name }]) => [key, name]), state.lowering);
    fill($("mesh"), Object.entries(MESHES), state.mesh);
    $("language").value = state.language;
    const { lacks, does } = LOWERINGS[state.lowering];
    $("about").replaceChildren(element("b", {}, lacks), ` ${does}`);
}

const EDITORS = ["vertex", "fragment"];

function textOf(editor) {
    return editor === "options" ? (state.options ?? found.options ?? "") : state.stages[editor];
}

function showEditor() {
    showTabs("editors", shown.editor);
    for (const button of $("editors").children) {
        const { tab } = button.dataset;
        button.classList.toggle("wrong", tab === String(found.fault?.editor));
        if (tab === "options") button.textContent = state.options === null ? "Options" : "Options, manual";
    }
    $("text").ariaLabel = shown.editor === "options" ? "Options, as JSON" : `Source of the ${EDITORS[shown.editor]} shader`;
    const text = textOf(shown.editor);
    if ($("text").value !== text) $("text").value = text;
    showNumbers();
}

function showNumbers() {
    const { fault } = found;
    const wrong = fault?.editor === shown.editor ? lineOf(fault.content) : undefined;
    const lines = $("text").value.split("\n").map((_, at) =>
        element("span", { class: at + 1 === wrong ? "wrong" : undefined }, `${at + 1}\n`));
    $("numbers").replaceChildren(...lines);
    $("numbers").scrollTop = $("text").scrollTop;
}

// Returns the line of a message. Messages from naga begin with their position, as in `vertex:3:5: message`.
function lineOf({ line, message }) {
    return line ?? (Number(message.match(/^\w+:(\d+):\d+: /)?.[1]) || undefined);
}

function showFault() {
    const { fault, milliseconds, undrawn, isDrawing } = found;
    $("fault").hidden = !fault;
    const took = milliseconds === undefined ? "" : `lowered in ${milliseconds.toFixed(0)} ms`;
    const drawn = isDrawing ? ", drawing…" : undrawn ? `, not drawn: ${undrawn}` : "";
    $("status").value = fault ? "refused" : took + drawn;
    if (!fault) return;
    const { editor, content } = fault;
    const line = lineOf(content);
    const where = EDITORS[editor] ?? editor ?? "page";
    const place = line && content.line ? `${where}:${line}${content.column ? `:${content.column}` : ""}: ` : "";
    const word = content.word !== null && content.word !== undefined ? `\nat word ${content.word} of the SPIR-V` : "";
    const help = content.help ? `\n${content.help}` : "";
    const go = editor !== undefined && element("button", { type: "button", onclick: goToFault }, "Show it");
    $("fault").replaceChildren(`${place}${content.message}${word}${help}\n`, go || "");
}

// Moves the cursor to the line of the current fault.
function goToFault() {
    const { fault } = found;
    shown.editor = fault.editor;
    showEditor();
    const line = lineOf(fault.content);
    const text = $("text");
    text.focus();
    if (!line) return;
    const lines = text.value.split("\n");
    const from = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
    text.setSelectionRange(from, from + (lines[line - 1]?.length ?? 0));
}

let equations = [];

function showForm() {
    const form = formOf(state);
    const set = (name, value) => change({ form: { ...state.form, [name]: value }, options: null });
    const field = ([name, { label, kind, choices, hint }]) => {
        if (kind === "text") {
            const onchange = ({ target }) => set(name, target.value);
            const input = element("input", { type: "text", name, placeholder: hint, value: form[name], onchange });
            return element("label", {}, label, input);
        }
        const select = element("select", { name, onchange: ({ target }) => set(name, target.value) });
        const entries = kind === "equation" ? equations.map((one) => [one, one]) : Object.entries(choices);
        fill(select, entries, form[name]);
        return element("label", {}, label, select);
    };
    const fields = Object.entries(LOWERINGS[state.lowering].form).map(field);
    const reset = state.options !== null &&
        element("button", { type: "button", onclick: () => change({ options: null }) }, "Discard the manual options");
    $("form").replaceChildren(...fields, ...(reset ? [reset] : []));
    for (const id of ["turn", "amount"]) $(id).value = state.sliders[id];
}

function paint(canvas, picture) {
    const context = canvas.getContext("2d");
    context.clearRect(0, 0, canvas.width, canvas.height);
    if (!picture?.pixels) return;
    const image = new ImageData(new Uint8ClampedArray(picture.pixels), canvas.width);
    context.putImageData(image, 0, 0);
}

function caption(id, picture, text) {
    const fault = picture?.fault && element("span", { class: "wrong" }, picture.fault);
    $(id).replaceChildren(fault || text);
}

function showPictures() {
    const { captions, kind } = LOWERINGS[state.lowering];
    const { before, after } = found.pictures ?? {};
    paint($("before"), before);
    paint($("after"), after);
    const undrawn = found.undrawn && { fault: found.undrawn };
    caption("before-caption", before ?? undrawn, captions[0]);
    caption("after-caption", after ?? undrawn, captions[1]);
    const words = (found.lowered?.stages ?? []).map(({ stage, before, after }, at) =>
        `${EDITORS[at]}: ${before.count.toLocaleString("en")} → ${after.count.toLocaleString("en")} words` +
        (stage === "compute" ? ", compute" : ""));
    // Do not compare pictures of points or depths, because they differ by design.
    const isAlike = ["plain", "pulled", "blended"].includes(kind) && before?.pixels && after?.pixels;
    const differing = isAlike ? differences(before.pixels, after.pixels) : undefined;
    const pixels = differing === undefined ? [] : [`${differing.toLocaleString("en")} of 65,536 pixels differ`];
    $("counts").replaceChildren(...[...words, ...pixels].map((text) => element("span", {}, text)));
    showTiles(after?.tiles);
}

// Returns the number of differing pixels.
function differences(one, other) {
    const [a, b] = [one, other].map(({ buffer }) => new Uint32Array(buffer));
    return a.reduce((sum, pixel, at) => sum + (pixel !== b[at]), 0);
}

function showTiles(tiles) {
    $("tiles").hidden = !tiles;
    const tile = (one) => {
        const canvas = element("canvas", { width: 256, height: 256, "aria-hidden": "true" });
        paint(canvas, one);
        const attributes = { name: `tile ${one.name}`, "aria-pressed": String(one.word === found.equation) };
        const onclick = () => change({ form: { ...state.form, equation: one.name } });
        return element("button", { ...attributes, onclick }, canvas, one.name);
    };
    $("tiles").replaceChildren(...(tiles ?? []).map(tile));
}

function showPane() {
    showTabs("panes", shown.pane);
    const stages = OF_STAGES.includes(shown.pane) ? EDITORS : [];
    $("stages").replaceChildren(...stages.map((name, stage) => element("button", {
        name: `stage ${name}`,
        "aria-pressed": String(stage === shown.stage),
        onclick: () => { shown.stage = stage; keepFocus(showPane); },
    }, name)));
    $("pane").replaceChildren(...pane(shown.pane, { state, found, change, stage: shown.stage }));
}

// Copies the link, and also shows it in the address bar in case it cannot be copied.
async function share() {
    const link = `#${await toFragment(state)}`;
    history.replaceState(null, "", link);
    await navigator.clipboard?.writeText(location.href).catch(() => {});
    $("share").textContent = "The link is in the address bar";
    setTimeout(() => ($("share").textContent = "Copy link"), 2000);
}

function listen() {
    $("example").onchange = ({ target }) => {
        const chosen = ofExample(Number(target.value));
        shown.editor = editorOf(chosen);
        change(chosen);
    };
    $("lowering").onchange = ({ target }) =>
        change({ lowering: target.value, form: {}, options: null, words: {}, example: null });
    $("language").onchange = ({ target }) => change({ language: target.value, example: null });
    $("mesh").onchange = ({ target }) => change({ mesh: target.value });
    for (const id of ["turn", "amount"]) {
        $(id).oninput = ({ target }) =>
            change({ sliders: { ...state.sliders, [id]: target.valueAsNumber } }, { soon: true });
    }
    $("text").oninput = ({ target }) => {
        showNumbers();
        if (shown.editor === "options") return change({ options: target.value }, { soon: true });
        const stages = state.stages.with(shown.editor, target.value);
        change({ stages, example: null }, { soon: true });
    };
    $("text").onscroll = () => ($("numbers").scrollTop = $("text").scrollTop);
    listenTabs("editors", (tab) => {
        shown.editor = tab === "options" ? tab : Number(tab);
        showEditor();
    });
    listenTabs("panes", (tab) => {
        shown.pane = tab;
        showPane();
    });
    $("share").onclick = share;
    onhashchange = load;
}

// Returns the number of the first stage that a lowering changes.
const editorOf = ({ lowering }) => (lowering === "blend" ? 1 : 0);

async function load() {
    try {
        const linked = await fromFragment(location.hash);
        shown.editor = editorOf(linked);
        change(linked);
    } catch (error) {
        change(ofExample(0));
        await running;
        $("fault").hidden = false;
        $("fault").textContent = `the link cannot be read: ${error.message}`;
    }
}

async function sizes() {
    const one = async (path) => (await (await fetch(path)).arrayBuffer()).byteLength;
    const bytes = await one("polyshade.wasm");
    $("sizes").textContent = `polyshade and naga: ${(bytes / 1e6).toFixed(1)} MB of WebAssembly.`;
    $("attributes").append(...ATTRIBUTES.flatMap(({ location, name }) => [
        location ? ", " : "", element("code", {}, `${location} ${name}`),
    ]));
}

listen();
const begun = load().then(sizes);

// An interface for tests and for the browser console.
window.playground = {
    // Returns the state and its results after all runs have finished.
    async settled() {
        await begun;
        for (let last; last !== running; ) await (last = running);
        return { state, found };
    },
    async change(part) {
        await begun;
        change(part);
        return this.settled();
    },
    example: (number) => window.playground.change(ofExample(number)),
    link: async () => `#${await toFragment(state)}`,
    ask,
};
