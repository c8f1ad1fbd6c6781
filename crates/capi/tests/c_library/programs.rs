//! Programs in C and C++ that use the library, with the compilers' sanitizers and under valgrind.

use crate::compiler::{Language, Library, Program, Sanitizers, here, libraries, run};
use crate::ring;
use std::path::PathBuf;
use std::process::Command;

const SHADER: &str = "examples/shaders/mesh.vert.spv";

fn c(source: &str, library: Library, sanitizers: Sanitizers) -> Program {
    Program::new(Language::C99, &here(source), library, sanitizers)
}

#[test]
fn bad_calls_answer_what_is_wrong_with_them() {
    let program = c("tests/c/bad_calls.c", Library::Shared, Sanitizers::AddressAndUndefined);
    let printed = run(program.command().arg(here(SHADER)));
    assert!(printed.ends_with("136 bad calls, 0 wrong answers\n"), "{printed}");
}

#[test]
fn bad_calls_misuse_no_memory_and_leave_none_behind() {
    let program = c("tests/c/bad_calls.c", Library::Shared, Sanitizers::None);
    run(program.under_valgrind().arg(here(SHADER)));
}

/// Returns the output of an example that prints.
fn printed(program: &Program) -> String {
    let module = program.beside("out.spv");
    let mut command = program.command();
    let printed = run(command.arg(here(SHADER)).args(["v_position", "v_color", "-o"]).arg(&module));
    run(Command::new("spirv-val").args(["--target-env", "vulkan1.1"]).arg(&module));
    printed
}

#[test]
fn the_example_in_c_lowers_and_prints() {
    let program = c("examples/lower.c", Library::Static, Sanitizers::AddressAndUndefined);
    let printed = printed(&program);
    assert!(printed.contains("\n  byte 12: v_color, 3 components\n"), "{printed}");
    assert!(printed.contains("\n98 of 98 primitives are stored, 7056 bytes\n"), "{printed}");
    let listed = run(program.command().arg(here(SHADER)));
    assert!(listed.contains("\n  v_normal: can be captured\n"), "{listed}");
    let refused = program.command().arg(here(SHADER)).arg("v_colour").output().expect("it runs");
    let refused = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(
        refused.starts_with("error 3: there is no output `v_colour`\nthe nearest"),
        "{refused}"
    );
}

#[test]
fn the_example_in_c_leaves_no_memory_behind() {
    let program = c("examples/lower.c", Library::Shared, Sanitizers::None);
    run(program.under_valgrind().arg(here(SHADER)).arg("v_position"));
}

#[test]
fn the_example_in_cpp_prints_the_same() {
    let sanitizers = Sanitizers::AddressAndUndefined;
    let source = here("examples/lower.cpp");
    let cpp = Program::new(Language::Cpp17, &source, Library::Shared, sanitizers);
    assert_eq!(printed(&cpp), printed(&c("examples/lower.c", Library::Shared, sanitizers)));
    let plain = Program::new(Language::Cpp17, &source, Library::Static, Sanitizers::None);
    run(plain.under_valgrind().arg(here(SHADER)).arg("v_position"));
}

/// The example reads every step of a plan, and all data to which a step points, as a host does.
#[test]
fn the_example_in_c_walks_a_plan() {
    let state = |name: &str| here(&format!("../../examples/plans/{name}.json"));
    let program = c("examples/plan.c", Library::Shared, Sanitizers::AddressAndUndefined);
    let strip = run(program.command().arg(state("resumed-strip")));
    for line in [
        "path 2, 12 steps\n",
        "\nvkCmdBindDescriptorSets: feedback buffer 1 at set 3 binding 1, 8192 bytes from 0 on\n",
        " topology=4 flags=0 first_vertex vertex_count first_instance offset_0=4 size_0=4096 counter_0 ",
        "\npolyshade_layout_advance, save to 7:0 7:4\n",
    ] {
        assert!(strip.contains(line), "{strip}");
    }
    let kept = run(program.command().arg(state("device-counters-indirect")));
    let dispatch = "\ndispatch the counter pass for a job with flags 0x87, a template of 34 words, 1 queries; \
                    begin with 7:0; end with 7:0\n";
    assert!(kept.contains(dispatch), "{kept}");
    let plain = c("examples/plan.c", Library::Static, Sanitizers::None);
    run(plain.under_valgrind().arg(state("device-counters-indirect")));
}

#[test]
fn all_memory_comes_from_the_hooks() {
    for library in [Library::Shared, Library::Static] {
        let program = c("tests/c/hooks.c", library, Sanitizers::AddressAndUndefined);
        run(program.command().arg(here(SHADER)));
    }
}

/// The example captures a mesh and draws it under the validation layer: a ring of many colors, with a hole.
#[test]
fn the_host_draws_what_it_captured() {
    let sanitizers = Sanitizers::AddressAndUndefined;
    let source = here("examples/draw.c");
    let host = Program::linked(Language::C99, &source, Library::Shared, sanitizers, &["-lvulkan"]);
    let picture = host.beside("picture.png");
    let mut command = host.command();
    command.arg(here("examples/shaders")).arg(&picture);
    // Leaks of drivers are not the library's.
    command.env("ASAN_OPTIONS", "detect_leaks=0");
    let printed = run(command.env("VK_INSTANCE_LAYERS", "VK_LAYER_KHRONOS_validation"));
    let (device, rest) = printed.split_once('\n').expect("it says which device it is");
    assert!(device.starts_with("on "), "{printed}");
    assert_eq!(rest, "9216 of 9216 triangles are captured\n");

    ring::assert_drawn(&picture);
}

/// Installs the library under a prefix, with the files by which build systems find it.
fn installed() -> tempfile::TempDir {
    let prefix = tempfile::tempdir().expect("there is room");
    let lib = prefix.path().join("lib");
    let link = |from: PathBuf, to: PathBuf| {
        std::fs::create_dir_all(to.parent().expect("it is in a folder")).expect("there is room");
        std::os::unix::fs::symlink(from, to).expect("the folder is empty");
    };
    link(here("include"), prefix.path().join("include"));
    link(here("install/polyshade.pc"), lib.join("pkgconfig/polyshade.pc"));
    for name in ["polyshade-config.cmake", "polyshade-config-version.cmake"] {
        // Copied, not linked: CMake resolves a link before it takes the folder of the file.
        let to = lib.join("cmake/polyshade");
        std::fs::create_dir_all(&to).expect("there is room");
        std::fs::copy(here("install").join(name), to.join(name)).expect("there is room");
    }
    for name in ["libpolyshade.so", "libpolyshade.so.0"] {
        link(libraries().join("libpolyshade_capi.so"), lib.join(name));
    }
    link(libraries().join("libpolyshade_capi.a"), lib.join("libpolyshade.a"));
    prefix
}

/// pkg-config finds an installed library, wherever the prefix is.
#[test]
fn an_installed_library_is_found_by_pkg_config() {
    let prefix = installed();
    let lib = prefix.path().join("lib");
    let mut asked = Command::new("pkg-config");
    asked.args(["--cflags", "--libs", "polyshade"]).env("PKG_CONFIG_PATH", lib.join("pkgconfig"));
    let flags = run(&mut asked);
    let program = prefix.path().join("lower");
    let mut cc = Command::new("cc");
    cc.arg("-std=c99").arg(here("examples/lower.c")).args(flags.split_whitespace());
    run(cc.arg("-o").arg(&program));
    let mut lower = Command::new(program);
    let listed = run(lower.arg(here(SHADER)).env("LD_LIBRARY_PATH", &lib));
    assert!(listed.starts_with("main, stage 0x1\n"), "{listed}");
}

/// CMake finds the shared and the static library, if the requested version is compatible.
#[test]
fn an_installed_library_is_found_by_cmake() {
    let prefix = installed();
    let project = |version: &str| {
        let folder = prefix.path().join(format!("project-{version}"));
        std::fs::create_dir(&folder).expect("there is room");
        let text = format!(
            "cmake_minimum_required(VERSION 3.16)\nproject(host C)\nfind_package(polyshade {version} REQUIRED)\n\
             foreach(kind polyshade static)\n  add_executable(lower-${{kind}} \"{}\")\n  \
             target_link_libraries(lower-${{kind}} PRIVATE polyshade::${{kind}})\nendforeach()\n",
            here("examples/lower.c").display()
        );
        std::fs::write(folder.join("CMakeLists.txt"), text).expect("there is room");
        let mut cmake = Command::new("cmake");
        cmake.arg("-S").arg(&folder).arg("-B").arg(folder.join("built"));
        cmake.arg(format!("-DCMAKE_PREFIX_PATH={}", prefix.path().display()));
        (cmake, folder.join("built"))
    };
    let (mut configured, built) = project("0.1");
    run(&mut configured);
    run(Command::new("cmake").arg("--build").arg(&built));
    for kind in ["polyshade", "static"] {
        let listed = run(Command::new(built.join(format!("lower-{kind}"))).arg(here(SHADER)));
        assert!(listed.starts_with("main, stage 0x1\n"), "{listed}");
    }
    let (mut refused, _) = project("0.2");
    let refused = refused.output().expect("it is installed");
    let printed = String::from_utf8_lossy(&refused.stderr);
    assert!(!refused.status.success() && printed.contains("version: 0.1.0"), "{printed}");
}

#[test]
fn the_version_is_everywhere_the_same() {
    let version = env!("CARGO_PKG_VERSION");
    let read = |path: &str| std::fs::read_to_string(here(path)).expect("it is committed");
    assert!(read("install/polyshade.pc").contains(&format!("\nVersion: {version}\n")));
    let cmake = read("install/polyshade-config-version.cmake");
    assert!(cmake.contains(&format!("PACKAGE_VERSION \"{version}\"")));
}

#[test]
fn threads_share_modules_results_and_layouts() {
    let program = c("tests/c/threads.c", Library::Shared, Sanitizers::None);
    assert_eq!(run(program.command().arg(here(SHADER))), "8 threads agree\n");
}
