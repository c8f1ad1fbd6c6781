"""Runs the draws and dispatches that it reads, by wgpu on lavapipe, and prints what they leave in buffers and targets.

It reads and prints the same JSON as the page `browser.html` fetches and posts. Instead of draws it may read usage
scopes; it then prints the validation error of each, if it has one.
"""

import array
import json
import sys

import wgpu
from wgpu import BufferUsage, TextureUsage
from wgpu.backends.wgpu_native.extras import set_instance_extras

DRIVER = "llvmpipe"
# Optional features; the second is an extension of WebGPU.
FEATURES = {"clip-distances", "vertex-writable-storage"}
# The limits for usage scopes, which every implementation of WebGPU supports.
LIMITS = {
    "max-bind-groups": 4,
    "max-storage-buffers-per-shader-stage": 8,
    "min-storage-buffer-offset-alignment": 256,
    "min-uniform-buffer-offset-alignment": 256,
}
# Stages without resources: the layouts list the bindings.
STAGES = """
@vertex fn vertex() -> @builtin(position) vec4f { return vec4f(); }
@fragment fn fragment() -> @location(0) vec4f { return vec4f(); }
@compute @workgroup_size(1) fn compute() {}
"""


def main():
    work = json.load(sys.stdin)
    try:
        answer = check(work) if "scopes" in work else run(work)
    except wgpu.GPUError as error:
        answer = {"error": str(error)}
    json.dump(answer, sys.stdout)


def open_device(limits=None):
    set_instance_extras(backends=["Vulkan"])
    adapters = wgpu.gpu.enumerate_adapters_sync()
    adapter = next(one for one in adapters if DRIVER in one.info["device"])
    features = sorted(FEATURES & adapter.features)
    return adapter.request_device_sync(required_features=features, required_limits=limits)


def make_buffer(device, words):
    usage = BufferUsage.STORAGE | BufferUsage.UNIFORM | BufferUsage.VERTEX | BufferUsage.COPY_SRC
    return device.create_buffer_with_data(data=array.array("I", words), usage=usage)


def make_image(device, image):
    size = (image["width"], image["height"])
    usage = TextureUsage.TEXTURE_BINDING | TextureUsage.RENDER_ATTACHMENT
    usage |= TextureUsage.COPY_SRC | TextureUsage.COPY_DST
    made = device.create_texture(size=size, format=image["format"], usage=usage)
    if image["words"]:
        rows = {"bytes_per_row": image["texel"] * image["width"]}
        device.queue.write_texture({"texture": made}, array.array("I", image["words"]), rows, size)
    return made


def make_pipeline(device, modules, draw, formats):
    first, *rest = ({"module": modules[number]} for number in draw["stages"])
    if draw["groups"]:
        return device.create_compute_pipeline(layout="auto", compute=first)
    layouts = [layout_of(buffer["layout"]) for buffer in draw["vertexBuffers"]]
    return device.create_render_pipeline(
        layout="auto",
        vertex={**first, "buffers": layouts},
        primitive={"topology": draw["topology"]},
        fragment={**rest[0], "targets": [{"format": format} for format in formats]},
    )


def layout_of(buffer):
    """The layout of a vertex buffer, with the names that Python has for it."""
    attributes = [
        {"shader_location": one["shaderLocation"], "format": one["format"], "offset": one["offset"]}
        for one in buffer["attributes"]
    ]
    return {"array_stride": buffer["arrayStride"], "attributes": attributes}


def run(work):
    device = open_device()
    buffers = [make_buffer(device, words) for words in work["buffers"]]
    textures = [make_image(device, image) for image in work["textures"]]
    targets = [make_image(device, image) for image in work["targets"]]
    modules = [device.create_shader_module(code=code) for code in work["modules"]]

    def resource(binding):
        if "buffer" in binding:
            names = ("offset", "size")
            return {"buffer": buffers[binding["buffer"]], **{name: binding[name] for name in names}}
        if "texture" in binding:
            return textures[binding["texture"]].create_view()
        return device.create_sampler()

    def bind(commands, pipeline, bindings):
        for group in {one["group"] for one in bindings}:
            members = [one for one in bindings if one["group"] == group]
            entries = [{"binding": one["binding"], "resource": resource(one)} for one in members]
            layout = pipeline.get_bind_group_layout(group)
            commands.set_bind_group(group, device.create_bind_group(layout=layout, entries=entries))

    pipelines = {}
    encoder = device.create_command_encoder()
    for draw in work["draws"]:
        formats = [work["targets"][number]["format"] for number in draw["targets"]]
        key = json.dumps([draw["stages"], draw["topology"], draw["vertexBuffers"], formats])
        if key not in pipelines:
            pipelines[key] = make_pipeline(device, modules, draw, formats)
        if draw["groups"]:
            compute = encoder.begin_compute_pass()
            compute.set_pipeline(pipelines[key])
            bind(compute, pipelines[key], draw["bindings"])
            compute.dispatch_workgroups(*draw["groups"])
            compute.end()
            continue
        attachments = [
            {"view": targets[number].create_view(), "load_op": "load", "store_op": "store"}
            for number in draw["targets"]
        ]
        render = encoder.begin_render_pass(color_attachments=attachments)
        render.set_pipeline(pipelines[key])
        bind(render, pipelines[key], draw["bindings"])
        for slot, one in enumerate(draw["vertexBuffers"]):
            render.set_vertex_buffer(slot, buffers[one["buffer"]], one["offset"])
        (vertex, vertices), (instance, instances) = draw["vertices"], draw["instances"]
        render.draw(vertices, instances, vertex, instance)
        render.end()
    device.queue.submit([encoder.finish()])

    def texels(target, image):
        rows = {"bytes_per_row": image["texel"] * image["width"]}
        return device.queue.read_texture({"texture": target}, rows, target.size)

    return {
        "buffers": [words(device.queue.read_buffer(buffer)) for buffer in buffers],
        "targets": [words(texels(*both)) for both in zip(targets, work["targets"])],
    }


def check(work):
    device = open_device(LIMITS)
    usage = BufferUsage.STORAGE | BufferUsage.UNIFORM | BufferUsage.VERTEX
    usage |= BufferUsage.INDEX | BufferUsage.INDIRECT
    buffers = [device.create_buffer(size=size, usage=usage) for size in work["sizes"]]
    module = device.create_shader_module(code=STAGES)
    target = device.create_texture(
        size=(1, 1), format="rgba8unorm", usage=TextureUsage.RENDER_ATTACHMENT
    )
    attachment = {"view": target.create_view(), "load_op": "load", "store_op": "store"}

    def make(layouts, vertex_buffers, is_dispatch):
        layout = device.create_pipeline_layout(bind_group_layouts=layouts)
        if is_dispatch:
            return device.create_compute_pipeline(layout=layout, compute={"module": module})
        slots = [{"array_stride": 16, "attributes": []} for _ in vertex_buffers]
        return device.create_render_pipeline(
            layout=layout,
            vertex={"module": module, "buffers": slots},
            primitive={"topology": "triangle-list"},
            fragment={"module": module, "targets": [{"format": "rgba8unorm"}]},
        )

    def group(members):
        """A layout, and a bind group of it."""
        layout = device.create_bind_group_layout(entries=[one["layout"] for one in members])
        entries = [
            {
                "binding": one["layout"]["binding"],
                "resource": {"buffer": buffers[one["buffer"]], **one["range"]},
            }
            for one in members
        ]
        return layout, device.create_bind_group(layout=layout, entries=entries)

    def encode(commands, one, is_dispatch):
        numbers = range(LIMITS["max-bind-groups"])
        groups = [group([b for b in one["bindings"] if b["group"] == n]) for n in numbers]
        layouts = [layout for layout, _ in groups]
        commands.set_pipeline(make(layouts, one["vertexBuffers"], is_dispatch))
        for number, (_, bound) in enumerate(groups):
            commands.set_bind_group(number, bound)
        if is_dispatch:
            commands.dispatch_workgroups(1)
            return
        for slot, number in enumerate(one["vertexBuffers"]):
            commands.set_vertex_buffer(slot, buffers[number])
        for number in one["indices"]:
            commands.set_index_buffer(buffers[number], "uint32")
        is_indexed = len(one["indices"]) > 0
        for number in one["indirect"]:
            draw = commands.draw_indexed_indirect if is_indexed else commands.draw_indirect
            draw(buffers[number], 0)
        if not one["indirect"]:
            (commands.draw_indexed if is_indexed else commands.draw)(3)

    def refusal(scope):
        """Why the commands cannot be submitted, which is all that is validated."""
        encoder = device.create_command_encoder()
        try:
            if scope["dispatch"]:
                commands = encoder.begin_compute_pass()
            else:
                commands = encoder.begin_render_pass(color_attachments=[attachment])
            for one in scope["commands"]:
                encode(commands, one, scope["dispatch"])
            commands.end()
            encoder.finish()
        except wgpu.GPUError as error:
            return str(error)
        return None

    return {"refusals": [refusal(scope) for scope in work["scopes"]]}


def words(memory):
    return memory.cast("B").cast("I").tolist()


main()
