// Sends requests to the worker, and replaces the worker if a request takes too long.

const LIMIT = 30_000;

let worker;
let next = 0;
const waiting = new Map();

function start() {
    worker = new Worker("worker.js", { type: "module" });
    worker.onmessage = ({ data: { number, answer } }) => settle(number, answer);
    worker.onerror = (event) => restart(event.message || "the worker could not be started");
}

function settle(number, answer) {
    const asked = waiting.get(number);
    if (!asked) return;
    clearTimeout(asked.timer);
    waiting.delete(number);
    if (answer.error) asked.reject(new Fault(answer.error));
    else asked.resolve(answer.ok);
}

function restart(message) {
    worker.terminate();
    worker = undefined;
    for (const number of [...waiting.keys()]) settle(number, { error: { in: "page", message } });
}

// The reason why a request failed, with further details.
export class Fault extends Error {
    constructor(content) {
        super(content.message);
        this.content = content;
    }
}

// Returns the answer to a request. The promise rejects with a Fault if the request fails.
export function ask(request) {
    if (!worker) start();
    const number = next++;
    return new Promise((resolve, reject) => {
        const seconds = LIMIT / 1000;
        const timer = setTimeout(() => restart(`the request took longer than ${seconds} s`), LIMIT);
        waiting.set(number, { resolve, reject, timer });
        worker.postMessage({ number, request });
    });
}
