/* Lowers geometry stages and tessellation with the wrappers of C++. Run it with the modules of steps.c. */
#include "polyshade.hpp"
#include <cstdio>
#include <fstream>
#include <iterator>

static polyshade::Module read(const char *path) {
    std::ifstream file(path, std::ios::binary);
    std::vector<std::uint8_t> bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    return polyshade::Module::parse_bytes(bytes);
}

static polyshade_target target(const char *entry) {
    polyshade_target target = polyshade_target_init();
    target.entry = entry;
    return target;
}

/* The layout of a vertex shader as a compute stage that spills its outputs. */
static polyshade::Layout vertex_layout(const polyshade::Module &module, const char *entry) {
    polyshade_capture_options options = polyshade_capture_options_init(POLYSHADE_OPTIONS_CAPTURE_STORAGE);
    options.flags = POLYSHADE_CAPTURE_COMPUTE | POLYSHADE_CAPTURE_SPILL_OUTPUTS;
    options.variants = POLYSHADE_VARIANT_SPILL_OUTPUTS;
    polyshade_target vertex = target(entry);
    return polyshade::lower(module, options, &vertex).layout();
}

int main(int argc, char **argv) {
    if (argc != 4) {
        return 2;
    }
    const polyshade::Module geometry = read(argv[1]), constant = read(argv[2]), patches = read(argv[3]);
    polyshade_draw draw = polyshade_draw_init();
    draw.topology = POLYSHADE_TOPOLOGY_LINE_LIST;
    draw.vertex_count = 200;
    draw.instance_count = 3;

    const char *varyings[] = {"g"};
    polyshade_capture_options options = polyshade_capture_options_init(POLYSHADE_OPTIONS_CAPTURE_STORAGE);
    options.flags = POLYSHADE_CAPTURE_COMPUTE | POLYSHADE_CAPTURE_SPILL_OUTPUTS;
    options.varyings = varyings;
    options.varying_count = 1;
    const polyshade::Layout before = vertex_layout(geometry, "before");
    const std::uint32_t steps = POLYSHADE_GEOMETRY_COUNT | POLYSHADE_GEOMETRY_SUM | POLYSHADE_GEOMETRY_CAPTURE |
                                POLYSHADE_GEOMETRY_RASTER;
    const polyshade::Result counted = polyshade::lower_geometry(geometry, steps, before, options);
    std::vector<polyshade_range> ranges(1);
    ranges[0].length = 4096;
    const std::uint64_t written = counted.layout().primitives_of(0, 450, ranges);
    counted.layout().advance_by({450, 0, 0, 0}, ranges);
    if (ranges[0].counter != 4096 || counted.layout().outputs_size(draw) != 9600) {
        return 1;
    }
    std::printf("%u steps, %u bytes of counts, %u lines written\n", counted.count(),
                static_cast<unsigned>(counted.layout().counts_size(draw)), static_cast<unsigned>(written));

    const polyshade::Result captured =
        polyshade::lower_geometry(constant, POLYSHADE_GEOMETRY_CAPTURE, before, options);
    std::printf("%u lines emitted\n", captured.layout().emitted(draw)[0]);

    options = polyshade_capture_options_init(POLYSHADE_OPTIONS_TESSELLATION);
    options.patch_control_points = 3;
    polyshade_target control = target("control"), evaluation = target("evaluation");
    const polyshade::Layout vertex = vertex_layout(patches, "vertex");
    const polyshade::Layout controlled =
        polyshade::lower_tessellation(patches, POLYSHADE_TESSELLATION_CONTROL, vertex, options, &control).layout();
    const std::uint32_t rest =
        POLYSHADE_TESSELLATION_ALLOCATE | POLYSHADE_TESSELLATION_TESSELLATE | POLYSHADE_TESSELLATION_EVALUATION;
    const polyshade::Result drawn = polyshade::lower_tessellation(patches, rest, controlled, options, &evaluation);
    std::printf("%u steps, %u bytes of patches\n", drawn.count(),
                static_cast<unsigned>(drawn.layout(2).tessellation_sizes(draw, 2).patches));
    try {
        polyshade::lower_tessellation(patches, rest, polyshade::Layout(), options, &evaluation);
        return 1;
    } catch (const polyshade::Error &error) {
        std::printf("%s\n", error.code().c_str());
    }
    return 0;
}
