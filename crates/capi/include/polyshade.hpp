/*
 * polyshade for C++17: reference-counted handles, and exceptions instead of statuses. All of it is inline and calls
 * polyshade.h.
 */
#ifndef POLYSHADE_HPP
#define POLYSHADE_HPP

#include "polyshade.h"

#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace polyshade {

/* An error of a call, with the members of polyshade_error. */
class Error : public std::runtime_error {
  public:
    explicit Error(const polyshade_error &error)
        : std::runtime_error(error.message), status_(error.status), word_offset_(error.word_offset),
          id_(error.id), help_(error.help), code_(error.code) {}

    /* POLYSHADE_ERROR_... */
    polyshade_status status() const noexcept { return status_; }
    /* The offset in the module, in words, or POLYSHADE_NONE. */
    std::uint32_t word_offset() const noexcept { return word_offset_; }
    /* The SPIR-V id that the error is about, or 0. */
    std::uint32_t id() const noexcept { return id_; }
    /* A suggestion; empty if there is none. */
    const std::string &help() const noexcept { return help_; }
    /* The code of the error, such as "capture.duplicate-varying". It is the same in every version. */
    const std::string &code() const noexcept { return code_; }

  private:
    polyshade_status status_;
    std::uint32_t word_offset_;
    std::uint32_t id_;
    std::string help_;
    std::string code_;
};

namespace detail {

/* Makes a call, and throws its error if it fails. */
template <typename Call> void check(Call call) {
    polyshade_error error = polyshade_error_init();
    if (call(&error) != POLYSHADE_OK) {
        throw Error(error);
    }
}

/* Makes the two calls that copy a result into a buffer: the first returns the size. */
template <typename Element, typename Call> std::vector<Element> filled(Call call) {
    std::size_t count = 0;
    check([&](polyshade_error *error) { return call(static_cast<Element *>(nullptr), &count, error); });
    std::vector<Element> buffer(count);
    if (count > 0) {
        check([&](polyshade_error *error) { return call(buffer.data(), &count, error); });
    }
    return buffer;
}

/* Makes the two calls for a text, and returns it without its terminating zero. */
template <typename Call> std::string text(Call call) {
    std::vector<char> buffer = filled<char>(call);
    return std::string(buffer.data(), buffer.empty() ? 0 : buffer.size() - 1);
}

/* A handle that copies retain and the destructor releases. */
template <typename T, T *(*retain)(T *), void (*release)(T *)> class Handle {
  public:
    Handle() noexcept = default;
    /* Takes ownership of a handle. */
    explicit Handle(T *handle) noexcept : handle_(handle) {}
    Handle(const Handle &other) noexcept : handle_(retain(other.handle_)) {}
    Handle(Handle &&other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
    Handle &operator=(Handle other) noexcept {
        std::swap(handle_, other.handle_);
        return *this;
    }
    ~Handle() { release(handle_); }

    T *get() const noexcept { return handle_; }
    explicit operator bool() const noexcept { return handle_ != nullptr; }

  private:
    T *handle_ = nullptr;
};

} // namespace detail

/* A SHA-256 digest. */
using Hash = std::array<std::uint8_t, 32>;

/* The numbers of primitives that a geometry stage emits to the four vertex streams. */
using Emitted = std::array<std::uint32_t, 4>;

/* A capture layout, which does not need its module. */
class Layout : public detail::Handle<polyshade_layout, polyshade_layout_retain, polyshade_layout_release> {
  public:
    using Handle::Handle;

    /* Loads a layout from the bytes of `save`. */
    static Layout load(const std::vector<std::uint8_t> &bytes) {
        polyshade_layout *layout = nullptr;
        detail::check([&](polyshade_error *error) {
            return polyshade_layout_load(bytes.data(), bytes.size(), &layout, error);
        });
        return Layout(layout);
    }

    std::vector<std::uint8_t> save() const {
        return detail::filled<std::uint8_t>([&](std::uint8_t *buffer, std::size_t *count, polyshade_error *error) {
            return polyshade_layout_save(get(), buffer, count, error);
        });
    }

    polyshade_layout_info describe() const {
        polyshade_layout_info info = polyshade_layout_info_init();
        detail::check([&](polyshade_error *error) { return polyshade_layout_describe(get(), &info, error); });
        return info;
    }

    polyshade_buffer_layout buffer(std::uint32_t number) const {
        polyshade_buffer_layout info = polyshade_buffer_layout_init();
        detail::check([&](polyshade_error *error) { return polyshade_layout_buffer(get(), number, &info, error); });
        return info;
    }

    /* The name is valid as long as the layout. */
    polyshade_captured captured(std::uint32_t buffer, std::uint32_t index) const {
        polyshade_captured info = polyshade_captured_init();
        detail::check([&](polyshade_error *error) {
            return polyshade_layout_captured(get(), buffer, index, &info, error);
        });
        return info;
    }

    /* The host parameters of a draw that captures into these ranges. */
    std::vector<std::uint32_t> host_params(const polyshade_draw &draw, const std::vector<polyshade_range> &ranges) const {
        return detail::filled<std::uint32_t>([&](std::uint32_t *buffer, std::size_t *count, polyshade_error *error) {
            return polyshade_layout_host_params(get(), &draw, ranges.data(), ranges.size(), buffer, count, error);
        });
    }

    /* The work groups of the dispatch that captures a draw. */
    std::array<std::uint32_t, 3> work_groups(const polyshade_draw &draw) const {
        std::uint32_t groups[3] = {};
        detail::check([&](polyshade_error *error) { return polyshade_layout_work_groups(get(), &draw, &groups, error); });
        return {groups[0], groups[1], groups[2]};
    }

    /* The number of primitives that are stored, and of all primitives. */
    std::pair<std::uint64_t, std::uint64_t> primitives(const polyshade_draw &draw,
                                                       const std::vector<polyshade_range> &ranges) const {
        std::uint64_t written = 0, generated = 0;
        detail::check([&](polyshade_error *error) {
            return polyshade_layout_primitives(get(), &draw, ranges.data(), ranges.size(), &written, &generated, error);
        });
        return {written, generated};
    }

    /* Advances the counters of the ranges by a draw. */
    void advance(const polyshade_draw &draw, std::vector<polyshade_range> &ranges) const {
        detail::check([&](polyshade_error *error) {
            return polyshade_layout_advance(get(), &draw, ranges.data(), ranges.size(), error);
        });
    }

    /* The size in bytes of the buffer for the spilled outputs of a draw. */
    std::uint64_t outputs_size(const polyshade_draw &draw) const {
        std::uint64_t size = 0;
        detail::check([&](polyshade_error *error) {
            return polyshade_layout_outputs_size(get(), &draw, &size, error);
        });
        return size;
    }

    /* The size in bytes of the table of counts of a geometry stage. */
    std::uint64_t counts_size(const polyshade_draw &draw) const {
        std::uint64_t size = 0;
        detail::check([&](polyshade_error *error) {
            return polyshade_layout_counts_size(get(), &draw, &size, error);
        });
        return size;
    }

    /* The numbers of primitives that a draw with a geometry stage emits to the vertex streams. */
    Emitted emitted(const polyshade_draw &draw) const {
        Emitted emitted{};
        detail::check([&](polyshade_error *error) {
            return polyshade_layout_emitted(get(), &draw, emitted.data(), error);
        });
        return emitted;
    }

    /* The number of the `emitted` primitives of a vertex stream that are stored. */
    std::uint64_t primitives_of(std::uint32_t stream, std::uint32_t emitted,
                                const std::vector<polyshade_range> &ranges) const {
        std::uint64_t written = 0;
        detail::check([&](polyshade_error *error) {
            return polyshade_layout_primitives_of(get(), stream, emitted, ranges.data(), ranges.size(), &written,
                                                  error);
        });
        return written;
    }

    /* Advances the counters of the ranges by a draw that has emitted these numbers of primitives. */
    void advance_by(const Emitted &emitted, std::vector<polyshade_range> &ranges) const {
        detail::check([&](polyshade_error *error) {
            return polyshade_layout_advance_by(get(), emitted.data(), ranges.data(), ranges.size(), error);
        });
    }

    /* The sizes of the buffers of tessellation, if no level exceeds `level`. */
    polyshade_tessellation_sizes tessellation_sizes(const polyshade_draw &draw, float level) const {
        polyshade_tessellation_sizes sizes = polyshade_tessellation_sizes_init();
        detail::check([&](polyshade_error *error) {
            return polyshade_layout_tessellation_sizes(get(), &draw, level, &sizes, error);
        });
        return sizes;
    }
};

/* A SPIR-V module. */
class Module : public detail::Handle<polyshade_module, polyshade_module_retain, polyshade_module_release> {
  public:
    using Handle::Handle;

    static Module parse(const std::uint32_t *words, std::size_t count) {
        polyshade_module *module = nullptr;
        detail::check([&](polyshade_error *error) { return polyshade_module_parse(words, count, &module, error); });
        return Module(module);
    }
    static Module parse(const std::vector<std::uint32_t> &words) { return parse(words.data(), words.size()); }

    static Module parse_bytes(const std::vector<std::uint8_t> &bytes) {
        polyshade_module *module = nullptr;
        detail::check([&](polyshade_error *error) {
            return polyshade_module_parse_bytes(bytes.data(), bytes.size(), &module, error);
        });
        return Module(module);
    }

    /* The words are valid as long as the module. */
    std::pair<const std::uint32_t *, std::size_t> words() const noexcept {
        std::size_t count = 0;
        const std::uint32_t *words = polyshade_module_words(get(), &count);
        return {words, count};
    }

    Hash hash() const {
        Hash hash;
        detail::check([&](polyshade_error *error) { return polyshade_module_hash(get(), hash.data(), error); });
        return hash;
    }

    polyshade_module_info describe() const {
        polyshade_module_info info = polyshade_module_info_init();
        detail::check([&](polyshade_error *error) { return polyshade_module_describe(get(), &info, error); });
        return info;
    }

    /* The names that this and the following functions return are valid as long as the module. */
    polyshade_entry_point entry(std::uint32_t index) const {
        polyshade_entry_point info = polyshade_entry_point_init();
        detail::check([&](polyshade_error *error) { return polyshade_module_entry(get(), index, &info, error); });
        return info;
    }

    polyshade_variable variable(std::uint32_t entry, std::uint32_t index) const {
        polyshade_variable info = polyshade_variable_init();
        detail::check([&](polyshade_error *error) {
            return polyshade_module_variable(get(), entry, index, &info, error);
        });
        return info;
    }

    polyshade_capturable capturable(std::uint32_t entry, std::uint32_t index) const {
        polyshade_capturable info = polyshade_capturable_init();
        detail::check([&](polyshade_error *error) {
            return polyshade_module_capturable(get(), entry, index, &info, error);
        });
        return info;
    }
};

/* The result of a lowering. */
class Result : public detail::Handle<polyshade_result, polyshade_result_retain, polyshade_result_release> {
  public:
    using Handle::Handle;

    std::uint32_t count() const noexcept { return polyshade_result_count(get()); }

    polyshade_output output(std::uint32_t index = 0) const {
        polyshade_output info = polyshade_output_init();
        detail::check([&](polyshade_error *error) { return polyshade_result_output(get(), index, &info, error); });
        return info;
    }

    Module module(std::uint32_t index = 0) const {
        polyshade_module *module = nullptr;
        detail::check([&](polyshade_error *error) { return polyshade_result_module(get(), index, &module, error); });
        return Module(module);
    }

    Layout layout(std::uint32_t index = 0) const {
        polyshade_layout *layout = nullptr;
        detail::check([&](polyshade_error *error) { return polyshade_result_layout(get(), index, &layout, error); });
        return Layout(layout);
    }

    std::vector<std::uint32_t> words(std::uint32_t index = 0) const {
        return detail::filled<std::uint32_t>([&](std::uint32_t *buffer, std::size_t *count, polyshade_error *error) {
            return polyshade_result_copy_words(get(), index, buffer, count, error);
        });
    }

    /* The texts that this and the following functions return are valid as long as the result. */
    polyshade_host_param host_param(std::uint32_t output, std::uint32_t index) const {
        polyshade_host_param info = polyshade_host_param_init();
        detail::check([&](polyshade_error *error) {
            return polyshade_result_host_param(get(), output, index, &info, error);
        });
        return info;
    }

    polyshade_descriptor descriptor(std::uint32_t output, std::uint32_t index) const {
        polyshade_descriptor info = polyshade_descriptor_init();
        detail::check([&](polyshade_error *error) {
            return polyshade_result_descriptor(get(), output, index, &info, error);
        });
        return info;
    }

    polyshade_need need(std::uint32_t output, std::uint32_t index) const {
        polyshade_need info = polyshade_need_init();
        detail::check([&](polyshade_error *error) { return polyshade_result_need(get(), output, index, &info, error); });
        return info;
    }

    std::string json(std::uint32_t index = 0) const {
        return detail::text([&](char *buffer, std::size_t *length, polyshade_error *error) {
            return polyshade_result_json(get(), index, buffer, length, error);
        });
    }
};

/* The plan of a draw or of blending. */
class Plan : public detail::Handle<polyshade_plan, polyshade_plan_retain, polyshade_plan_release> {
  public:
    using Handle::Handle;

    static Plan make(const std::string &state) {
        polyshade_plan *plan = nullptr;
        detail::check([&](polyshade_error *error) { return polyshade_plan_make(state.c_str(), &plan, error); });
        return Plan(plan);
    }

    std::string json() const { return *this ? polyshade_plan_json(get()) : ""; }
    std::string text() const { return *this ? polyshade_plan_text(get()) : ""; }

    polyshade_plan_info describe() const {
        polyshade_plan_info info = polyshade_plan_info_init();
        detail::check([&](polyshade_error *error) { return polyshade_plan_describe(get(), &info, error); });
        return info;
    }

    /* The pointers of the step are valid as long as the plan. */
    polyshade_step step(std::uint32_t index) const {
        polyshade_step step = polyshade_step_init();
        detail::check([&](polyshade_error *error) { return polyshade_plan_step(get(), index, &step, error); });
        return step;
    }
};

/* The words of a job, as the counter pass reads them. */
inline std::array<std::uint32_t, POLYSHADE_JOB_WORDS> job_words(const polyshade_job &job) {
    std::array<std::uint32_t, POLYSHADE_JOB_WORDS> words{};
    detail::check([&](polyshade_error *error) { return polyshade_job_words(&job, words.data(), error); });
    return words;
}

/* The template of the host parameters of a plan, for a job; `values` holds the value of each that the host knows. */
inline std::vector<std::uint32_t> counter_pass_template(const polyshade_param_values &params,
                                                  const std::vector<std::uint32_t> &values) {
    if (values.size() != params.value_count) {
        throw std::invalid_argument("a template has one value for each host parameter");
    }
    return detail::filled<std::uint32_t>([&](std::uint32_t *buffer, std::size_t *count, polyshade_error *error) {
        return polyshade_counter_pass_template(params.values, values.data(), values.size(), buffer, count, error);
    });
}

/* Lowers one stage. `options` is any struct of options. */
template <typename Options>
Result lower(const Module &module, const Options &options, const polyshade_target *target = nullptr) {
    polyshade_result *result = nullptr;
    detail::check([&](polyshade_error *error) {
        return polyshade_lower(module.get(), target, &options.base, &result, error);
    });
    return Result(result);
}

/* Lowers steps of a captured geometry stage. `before` is the layout of its vertex stage; an empty one for the step
 * `POLYSHADE_GEOMETRY_VERTEX`. */
template <typename Options>
Result lower_geometry(const Module &module, std::uint32_t steps, const Layout &before, const Options &options,
                      const polyshade_target *target = nullptr) {
    polyshade_result *result = nullptr;
    detail::check([&](polyshade_error *error) {
        return polyshade_lower_geometry(module.get(), target, steps, before.get(), &options.base, &result, error);
    });
    return Result(result);
}

/* Lowers steps of tessellation. `before` is the layout of the vertex stage or of the control stage. */
template <typename Options>
Result lower_tessellation(const Module &module, std::uint32_t steps, const Layout &before, const Options &options,
                          const polyshade_target *target = nullptr) {
    polyshade_result *result = nullptr;
    detail::check([&](polyshade_error *error) {
        return polyshade_lower_tessellation(module.get(), target, steps, before.get(), &options.base, &result, error);
    });
    return Result(result);
}

/* Lowers the stages of a pipeline by a recipe, as JSON. */
inline Result lower_pipeline(const std::vector<polyshade_stage> &stages, const std::string &recipe) {
    polyshade_json_options options = polyshade_json_options_init(POLYSHADE_OPTIONS_RECIPE);
    options.json = recipe.c_str();
    polyshade_result *result = nullptr;
    detail::check([&](polyshade_error *error) {
        return polyshade_lower_pipeline(stages.data(), stages.size(), &options.base, &result, error);
    });
    return Result(result);
}

/* The hash of options and a target, for the key of a cache. */
template <typename Options> Hash hash(const Options &options, const polyshade_target *target = nullptr) {
    Hash hash;
    detail::check([&](polyshade_error *error) {
        return polyshade_options_hash(&options.base, target, hash.data(), error);
    });
    return hash;
}

} // namespace polyshade

#endif
