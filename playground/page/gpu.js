// Draws and dispatches with WebGPU, and reads pixels and buffers back.

import { ATTRIBUTES, STRIDE } from "./mesh.js";

// The width and height of every picture.
export const SIZE = 256;
const FORMAT = "rgba8unorm";
const DEPTH = "depth32float";
// The size of the zero buffer, which is larger than any uniform or storage block of a shader on the page.
const ZEROS = 16_384;

// The reason why no device can draw. Shaders can still be lowered.
export class NoDevice extends Error {}

let opened;

// Returns the device, or throws `NoDevice`.
export function open() {
    opened ??= request().catch((error) => {
        opened = undefined;
        throw error;
    });
    return opened;
}

async function request() {
    if (!navigator.gpu) throw new NoDevice("this browser has no WebGPU");
    const adapter = await navigator.gpu.requestAdapter();
    if (!adapter) throw new NoDevice("WebGPU finds no adapter");
    const wanted = ["clip-distances"].filter((feature) => adapter.features.has(feature));
    const device = await adapter.requestDevice({ requiredFeatures: wanted });
    device.lost.then(() => (opened = undefined));
    return device;
}

// Returns the reason why a draw failed. If the device was lost, the browser reports that a little later.
async function reason(device, { name, message }) {
    if (!["AbortError", "OperationError"].includes(name)) return message;
    const later = new Promise((resolve) => setTimeout(resolve, 5000));
    const isLost = await Promise.race([device.lost, later]);
    return isLost ? "the GPU stopped, perhaps because a shader never ends; the next change draws again" : message;
}

// Returns the bindings that are declared in WGSL that naga wrote.
function bindings(source) {
    const pattern =
        /@group\((\d+)\) @binding\((\d+)\)\s*var(?:<([^>]*)>)?\s+(\w+)\s*:\s*([^;]+);/g;
    return [...source.matchAll(pattern)].map(([, group, binding, space, name, type]) => ({
        group: Number(group),
        binding: Number(binding),
        name,
        layout: layout((space ?? "").replaceAll(" ", ""), type),
    }));
}

function layout(space, type) {
    if (space === "uniform") return { buffer: { type: "uniform" } };
    if (space.startsWith("storage")) {
        const type = space.endsWith("write") ? "storage" : "read-only-storage";
        return { buffer: { type } };
    }
    if (type === "sampler") return { sampler: {} };
    if (type === "texture_2d<f32>") return { texture: {} };
    throw new Error(`the page cannot bind a ${type}`);
}

// The buffers and textures that the draws of one picture share.
export class Scene {
    constructor(device) {
        this.device = device;
        this.zeros = this.buffer(new Uint8Array(ZEROS));
        this.sampler = device.createSampler({ magFilter: "linear", minFilter: "linear" });
    }

    // Returns a buffer with these contents, which can be bound, read and copied.
    buffer(contents) {
        const { STORAGE, UNIFORM, VERTEX, COPY_SRC, COPY_DST } = GPUBufferUsage;
        const size = Math.max(16, Math.ceil(contents.byteLength / 16) * 16);
        const usage = STORAGE | UNIFORM | VERTEX | COPY_SRC | COPY_DST;
        const buffer = this.device.createBuffer({ size, usage });
        this.device.queue.writeBuffer(buffer, 0, contents);
        return buffer;
    }

    // Returns a texture of the size of the pictures.
    texture(pixels, format = FORMAT) {
        const { TEXTURE_BINDING, RENDER_ATTACHMENT, COPY_SRC, COPY_DST } = GPUTextureUsage;
        const usage = TEXTURE_BINDING | RENDER_ATTACHMENT | COPY_SRC | COPY_DST;
        const texture = this.device.createTexture({ size: [SIZE, SIZE], format, usage });
        if (pixels) {
            const rows = { bytesPerRow: SIZE * 4 };
            this.device.queue.writeTexture({ texture }, pixels, rows, [SIZE, SIZE]);
        }
        return texture;
    }

    module(code) {
        return this.device.createShaderModule({ code });
    }

    // Returns the pipeline layout of the stages `[{ source, visibility }]`, and the bind groups. `bound(group,
    // binding, layout)` returns the resource of a binding. If it returns none, zeros are bound.
    groups(stages, bound) {
        const found = new Map();
        for (const { source, visibility } of stages) {
            for (const one of bindings(source)) {
                const key = `${one.group}:${one.binding}`;
                const entry = found.get(key) ?? { ...one, visibility: 0 };
                entry.visibility |= visibility;
                found.set(key, entry);
            }
        }
        const all = [...found.values()];
        const count = all.reduce((most, one) => Math.max(most, one.group + 1), 0);
        const made = Array.from({ length: count }, (_, group) => {
            const own = all.filter((one) => one.group === group);
            const layout = this.device.createBindGroupLayout({
                entries: own.map(({ binding, visibility, layout }) => ({ binding, visibility, ...layout })),
            });
            const entries = own.map(({ binding, layout }) => ({
                binding,
                resource: this.resource(layout, bound(group, binding, layout)),
            }));
            return { layout, group: this.device.createBindGroup({ layout, entries }) };
        });
        const bindGroupLayouts = made.map(({ layout }) => layout);
        return {
            layout: this.device.createPipelineLayout({ bindGroupLayouts }),
            groups: made.map(({ group }) => group),
        };
    }

    resource(layout, bound) {
        if (layout.sampler) return this.sampler;
        if (layout.texture) return (bound ?? this.pattern()).createView();
        return { buffer: bound ?? this.zeros };
    }

    // Returns the texture that is bound in place of the shaders' own textures.
    pattern() {
        this.patterned ??= this.texture(pattern());
        return this.patterned;
    }

    // Draws triangles into a texture: `{ vertex, fragment, bound, mesh, count, target, load, blend, depth }`.
    async draw(encoder, what) {
        const { vertex, fragment, bound, mesh, count, instances = 1, target, depth } = what;
        const stages = [
            { source: vertex, visibility: GPUShaderStage.VERTEX },
            { source: fragment, visibility: GPUShaderStage.FRAGMENT },
        ];
        const { layout, groups } = this.groups(stages, bound);
        const attributes = ATTRIBUTES.map(({ location, offset, format }) => ({
            shaderLocation: location, offset, format,
        }));
        const pipeline = await this.device.createRenderPipelineAsync({
            layout,
            vertex: {
                module: this.module(vertex),
                buffers: mesh ? [{ arrayStride: STRIDE, attributes }] : [],
            },
            fragment: {
                module: this.module(fragment),
                targets: [{ format: FORMAT, blend: what.blend }],
            },
            primitive: { topology: "triangle-list" },
            depthStencil: depth && { format: DEPTH, depthCompare: "less", depthWriteEnabled: true },
        });
        const clear = what.clear ?? [0, 0, 0, 0];
        const pass = encoder.beginRenderPass({
            colorAttachments: [{
                view: target.createView(),
                loadOp: what.load ? "load" : "clear",
                clearValue: clear,
                storeOp: "store",
            }],
            depthStencilAttachment: depth && {
                view: depth.createView(), depthLoadOp: "clear", depthClearValue: 1, depthStoreOp: "store",
            },
        });
        pass.setPipeline(pipeline);
        groups.forEach((group, number) => pass.setBindGroup(number, group));
        if (mesh) pass.setVertexBuffer(0, mesh);
        pass.draw(count, instances);
        pass.end();
    }

    // Dispatches a compute stage.
    async dispatch(encoder, { source, bound, workGroups }) {
        const stages = [{ source, visibility: GPUShaderStage.COMPUTE }];
        const { layout, groups } = this.groups(stages, bound);
        const compute = { module: this.module(source) };
        const pipeline = await this.device.createComputePipelineAsync({ layout, compute });
        const pass = encoder.beginComputePass();
        pass.setPipeline(pipeline);
        groups.forEach((group, number) => pass.setBindGroup(number, group));
        pass.dispatchWorkgroups(...workGroups);
        pass.end();
    }

    depth() {
        return this.device.createTexture({
            size: [SIZE, SIZE], format: DEPTH, usage: GPUTextureUsage.RENDER_ATTACHMENT,
        });
    }

    // Submits the encoder's commands, and returns the resulting contents of a buffer or a texture.
    async read(encoder, from) {
        const isTexture = from instanceof GPUTexture;
        const size = isTexture ? SIZE * SIZE * 4 : from.size;
        const usage = GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ;
        const buffer = this.device.createBuffer({ size, usage });
        if (isTexture) {
            const rows = { buffer, bytesPerRow: SIZE * 4 };
            encoder.copyTextureToBuffer({ texture: from }, rows, [SIZE, SIZE]);
        } else {
            encoder.copyBufferToBuffer(from, 0, buffer, 0, size);
        }
        this.device.queue.submit([encoder.finish()]);
        await buffer.mapAsync(GPUMapMode.READ);
        const contents = buffer.getMappedRange().slice(0);
        buffer.destroy();
        return contents;
    }
}

// Runs a function that uses the device; WebGPU errors become JavaScript exceptions.
export async function checked(device, run) {
    device.pushErrorScope("validation");
    let fault;
    const made = await run().catch((error) => (fault = error));
    const error = (await device.popErrorScope().catch(() => null)) ?? fault;
    if (error) throw new Error(await reason(device, error));
    return made;
}

// Returns a pattern with a checkerboard in the blue channel; red and green increase with the position.
function pattern() {
    return pixels((x, y) => {
        const isLight = (Math.floor(x * 8) + Math.floor(y * 8)) % 2;
        return [x, y, isLight ? 0.9 : 0.3, 1];
    });
}

// Returns the pixels of a picture, from a function that maps the unit square to colours.
export function pixels(colour) {
    const contents = new Uint8Array(SIZE * SIZE * 4);
    for (let row = 0; row < SIZE; row++) {
        for (let column = 0; column < SIZE; column++) {
            const channels = colour((column + 0.5) / SIZE, (row + 0.5) / SIZE);
            contents.set(channels.map((one) => Math.round(255 * one)), 4 * (row * SIZE + column));
        }
    }
    return contents;
}
