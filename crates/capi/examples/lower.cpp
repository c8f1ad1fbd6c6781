/*
 * The same program as lower.c, with reference-counted handles and exceptions: captures outputs of a vertex shader into
 * storage buffers, and prints the descriptors, the host parameters and the sizes of a draw.
 *
 *     lower SHADER.spv VARYING... [-o OUT.spv]
 */
#include <polyshade.hpp>

#include <fstream>
#include <iostream>
#include <iterator>

namespace {

polyshade::Module read_module(const char *path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) {
        throw std::runtime_error(std::string(path) + " cannot be read");
    }
    std::vector<std::uint8_t> bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    return polyshade::Module::parse_bytes(bytes);
}

void write_module(const char *path, const polyshade::Result &result) {
    const std::vector<std::uint32_t> words = result.words();
    std::ofstream file(path, std::ios::binary);
    file.write(reinterpret_cast<const char *>(words.data()), static_cast<std::streamsize>(words.size() * 4));
    std::cout << "wrote " << words.size() << " words\n";
}

/* Lists the outputs that can be captured, if the caller names none. */
void list(const polyshade::Module &module) {
    for (std::uint32_t entry = 0; entry < module.describe().entry_count; entry++) {
        const polyshade_entry_point point = module.entry(entry);
        std::cout << point.name << ", stage 0x" << std::hex << point.stage << std::dec << '\n';
        for (std::uint32_t index = 0; index < point.capturable_count; index++) {
            const polyshade_capturable one = module.capturable(entry, index);
            std::cout << "  " << one.name << ": " << (one.refused ? one.refused : "can be captured") << '\n';
        }
    }
}

void print_output(const polyshade::Result &result) {
    const polyshade_output output = result.output();
    std::cout << (output.is_changed ? "bind\n" : "nothing to do\n");
    for (std::uint32_t index = 0; index < output.descriptor_count; index++) {
        const polyshade_descriptor one = result.descriptor(0, index);
        const bool is_feedback = one.purpose == POLYSHADE_PURPOSE_FEEDBACK;
        std::cout << "  set " << one.set << " binding " << one.binding << ": descriptor type " << one.descriptor_type
                  << " for " << (is_feedback ? "feedback buffer" : "words") << ' ' << one.number << '\n';
    }
    std::cout << "need\n";
    for (std::uint32_t index = 0; index < output.need_count; index++) {
        const polyshade_need one = result.need(0, index);
        std::cout << "  " << one.name;
        if (one.kind == POLYSHADE_NEED_LIMIT) {
            std::cout << " of at least " << one.at_least;
        }
        std::cout << '\n';
    }
}

/* Prints the host parameters for a draw of 100 vertices as a strip into one range of 64 KiB for each buffer. */
void print_words(const polyshade::Result &result, const polyshade::Layout &layout) {
    std::vector<polyshade_range> ranges(layout.describe().buffer_count, polyshade_range{0, 0, 65536, 0, 0});
    for (std::uint32_t buffer = 0; buffer < ranges.size(); buffer++) {
        const polyshade_buffer_layout held = layout.buffer(buffer);
        std::cout << "buffer " << buffer << ", " << held.stride << " bytes a vertex\n";
        for (std::uint32_t index = 0; index < held.captured_count; index++) {
            const polyshade_captured one = layout.captured(buffer, index);
            std::cout << "  byte " << one.offset << ": " << one.name << ", " << one.components << " components\n";
        }
    }

    polyshade_draw draw = polyshade_draw_init();
    draw.topology = POLYSHADE_TOPOLOGY_TRIANGLE_STRIP;
    draw.vertex_count = 100;
    draw.instance_count = 1;
    const std::vector<std::uint32_t> words = layout.host_params(draw, ranges);
    std::cout << "fill in\n";
    for (std::uint32_t index = 0; index < words.size(); index++) {
        const polyshade_host_param param = result.host_param(0, index);
        std::cout << "  " << param.number << ' ' << param.name << " = " << words[index] << '\n';
    }

    const auto [written, generated] = layout.primitives(draw, ranges);
    layout.advance(draw, ranges);
    std::cout << written << " of " << generated << " primitives are stored, " << ranges.at(0).counter << " bytes\n";
}

void run(std::vector<const char *> arguments) {
    const char *output = nullptr;
    if (arguments.size() > 3 && std::string(arguments[arguments.size() - 2]) == "-o") {
        output = arguments.back();
        arguments.resize(arguments.size() - 2);
    }
    const polyshade::Module module = read_module(arguments.at(1));
    if (arguments.size() == 2) {
        list(module);
        return;
    }
    auto options = polyshade_capture_options_init(POLYSHADE_OPTIONS_CAPTURE_STORAGE);
    options.varyings = arguments.data() + 2;
    options.varying_count = arguments.size() - 2;
    const polyshade::Result result = polyshade::lower(module, options);
    print_output(result);
    /* A layout needs neither the module nor the result: it can be stored next to the SPIR-V. */
    print_words(result, polyshade::Layout::load(result.layout().save()));
    if (output != nullptr) {
        write_module(output, result);
    }
}

} // namespace

int main(int argc, char **argv) {
    if (argc < 2) {
        std::cerr << "usage: lower SHADER.spv VARYING... [-o OUT.spv]\n";
        return 2;
    }
    try {
        run({argv, argv + argc});
        return 0;
    } catch (const polyshade::Error &error) {
        std::cerr << "error " << error.status() << ": " << error.what() << '\n' << error.help() << '\n';
    } catch (const std::exception &error) {
        std::cerr << error.what() << '\n';
    }
    return 1;
}
