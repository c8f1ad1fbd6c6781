// Creates the panes below the pictures as HTML elements.

import { isFloat, floatOf, bitsOf, keyOf, wordOf } from "./run.js";

// Creates an element with attributes and children. Strings become text, never markup.
export function element(name, attributes = {}, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
        if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
        else if (value !== undefined && value !== false) made.setAttribute(key, value);
    }
    made.append(...children.filter((child) => child !== undefined && child !== null));
    return made;
}

const number = (count) => count.toLocaleString("en");
const column = (title, ...children) => element("div", {}, element("h2", {}, title), ...children);
const placeText = (place) => Object.entries(place).map(([kind, at]) => {
    const name = kind.replaceAll("_", " ");
    if (at.set !== undefined) return `${name} ${at.set}:${at.binding}`;
    return typeof at === "object" ? `${name} ${Object.values(at).join(" ")}` : `${name} ${at}`;
}).join(", ");

// Creates a text with marked lines. `marks` maps each class to a set of line numbers.
function listing(text, marks = {}) {
    const lines = text.replace(/\n$/, "").split("\n").map((line, index) => {
        const found = Object.keys(marks).find((name) => marks[name].has(index + 1));
        return element("span", { class: found }, line);
    });
    return element("pre", {}, ...lines);
}

// Returns the numbers of the lines that a difference removes and adds.
function changed(difference) {
    const found = { less: new Set(), more: new Set() };
    let [before, after] = [0, 0];
    for (const line of difference.split("\n")) {
        const hunk = line.match(/^@@ -(\d+)(?:,\d+)? \+(\d+)/);
        if (hunk) [before, after] = [Number(hunk[1]), Number(hunk[2])];
        else if (line.startsWith("---") || line.startsWith("+++")) continue;
        else if (line.startsWith("-")) found.less.add(before++);
        else if (line.startsWith("+")) found.more.add(after++);
        else [before, after] = [before + 1, after + 1];
    }
    return found;
}

function assembly(found, stage) {
    const shape = found.lowered?.stages[stage];
    if (!shape) {
        const known = found.shapes?.[stage]?.shape;
        if (!known) return [column("Nothing was compiled")];
        const line = found.fault?.content.assembly_line;
        return [column(`${number(known.count)} words`, listing(known.listing, { wrong: new Set([line]) }))];
    }
    const { less, more } = changed(shape.difference);
    return [
        column(`Before: ${number(shape.before.count)} words`, listing(shape.before.listing, { less })),
        column(`After: ${number(shape.after.count)} words`, listing(shape.after.listing, { more })),
    ];
}

function wgsl(found, stage) {
    if (!found.texts) return [column("Nothing was lowered")];
    const one = (title, { source, fault }) =>
        column(title, source ? listing(source) : element("p", { class: "wrong" }, fault));
    return [one("Before", found.texts.before[stage]), one("After", found.texts.after[stage])];
}

function difference(found, stage) {
    const text = found.lowered?.stages[stage].difference;
    if (!text) return [column(found.lowered ? "The module is unchanged" : "Nothing was lowered")];
    const lines = text.split("\n");
    const marked = (sign) => new Set(lines.flatMap((line, at) => (line.startsWith(sign) ? [at + 1] : [])));
    return [element("div", {}, listing(text, { less: marked("-"), more: marked("+"), at: marked("@@") }))];
}

function table(head, rows) {
    if (!rows.length) return element("p", {}, "Nothing.");
    const cells = (row, name) => element("tr", {}, ...row.map((cell) => element(name, {}, cell)));
    return element("table", {}, cells(head, "th"), ...rows.map((row) => cells(row, "td")));
}

const code = (text) => element("code", {}, String(text));

// Creates the rows for the host parameters that the user can set.
function wordRows({ state, found, change }) {
    return found.lowered.stages.flatMap(({ stage, host }) => host.flatMap(({ source: place, params }) =>
        params.map((word) => {
            const bits = wordOf(state, found, place, word.name);
            const value = isFloat(word) ? Number(floatOf(bits).toPrecision(6)) : bits;
            const input = element("input", {
                type: "number",
                name: keyOf(place, word.name),
                "aria-label": word.name,
                value,
                step: isFloat(word) ? "any" : 1,
                onchange: ({ target }) => {
                    const set = isFloat(word) ? bitsOf(target.valueAsNumber) : target.valueAsNumber >>> 0;
                    change({ words: { ...state.words, [keyOf(place, word.name)]: set } });
                },
            });
            return [stage, code(placeText(place)), code(word.name), input, word.meaning];
        })));
}

function host(context) {
    const { found } = context;
    if (!found.lowered) return [column("Nothing was lowered")];
    const bound = found.lowered.stages.flatMap(({ stage, requirements }) =>
        requirements.flatMap(({ descriptors }) => descriptors.map((one) => [
            stage, code(`${one.set}:${one.binding}`), one.kind.replaceAll("_", " "), purpose(one.purpose),
        ])));
    const needs = found.lowered.stages.flatMap(({ stage, requirements }) => requirements.flatMap((one) => [
        ...one.extensions.map((name) => [stage, "extension", code(name)]),
        ...one.features.map((name) => [stage, "feature", code(name)]),
        ...Object.entries(one.limits).map(([name, least]) => [stage, "limit", code(`${name} ≥ ${least}`)]),
        ...(one.ordering ? [[stage, "ordering", one.ordering.replaceAll("_", " ")]] : []),
    ]));
    return [
        element("div", { class: "wide" },
            element("h2", {}, "Host parameters"),
            table(["stage", "source", "parameter", "value here", "meaning"], wordRows(context)),
            ...captured(found)),
        column("Bindings", table(["stage", "set:binding", "kind", "purpose"], bound)),
        column("Device requirements", table(["stage", "kind", "name"], needs)),
    ];
}

function purpose(given) {
    if (typeof given === "string") return given.replaceAll("_", " ");
    if (given.feedback !== undefined) return `feedback buffer ${given.feedback}`;
    if (given.vertex_buffer !== undefined) return `vertex buffer ${given.vertex_buffer}`;
    return `destination of location ${given.destination.location}`;
}

// Creates the tables of the first captured vertices.
function captured(found) {
    const buffers = found.pictures?.after.buffers ?? [];
    return buffers.map(({ captured, stride, contents }, index) => {
        const floats = new Float32Array(contents);
        const cell = (vertex, { offset, components }) => {
            const first = (vertex * stride + offset) / 4;
            return code(Array.from(floats.slice(first, first + components), (one) => one.toFixed(3)).join(" "));
        };
        const rows = Array.from({ length: 6 }, (_, vertex) => [String(vertex), ...captured.map((one) => cell(vertex, one))]);
        const title = `Captured into buffer ${index}: ${stride} bytes per vertex, the first six vertices`;
        return element("div", {}, element("h2", {}, title),
            table(["vertex", ...captured.map(({ name }) => name)], rows));
    });
}

function plan({ state, found, change }) {
    const plans = found.lowered?.plans ?? [];
    if (!plans.length) return [column(found.lowered ? "The draw is unchanged: it needs no plan" : "Nothing was lowered")];
    const chosen = plans.find(({ device }) => device === state.device) ?? plans.find(({ device }) => device === "webgpu");
    const buttons = plans.map(({ device }) => element("button", {
        name: `plan ${device}`,
        "aria-pressed": String(device === chosen.device),
        onclick: () => change({ device }),
    }, device));
    const { plan, error } = chosen;
    const picture = plan?.picture && element("img", {
        alt: plan.text,
        src: `data:image/svg+xml,${encodeURIComponent(plan.picture)}`,
    });
    const text = error ? element("p", { class: "wrong" }, `No plan: ${error}`) : picture ?? listing(plan.text);
    return [element("div", {}, element("div", { class: "tabs", role: "group", "aria-label": "Device" }, ...buttons), text)];
}

function report({ found }) {
    const stages = found.lowered?.stages.map(({ stage, entry, host, requirements, made }) =>
        ({ stage, entry, params: host, requirements, made }));
    return [
        column("The options that the library reads", listing(found.options ?? "")),
        column("The results", listing(JSON.stringify(stages ?? found.fault?.content ?? null, null, 2))),
    ];
}

const PANES = {
    host,
    assembly: ({ found, stage }) => assembly(found, stage),
    wgsl: ({ found, stage }) => wgsl(found, stage),
    difference: ({ found, stage }) => difference(found, stage),
    plan,
    report,
};

// The panes of a single stage.
export const OF_STAGES = ["assembly", "wgsl", "difference"];

// Creates the columns of a pane.
export const pane = (name, context) => PANES[name](context);
