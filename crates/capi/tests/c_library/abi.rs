//! The binary interface: the symbols, the sizes of structs and the offsets of their members. A program that was
//! compiled with an older header still finds them there; `POLYSHADE_BLESS=1` writes additions.

use crate::compiler::{Language, Library, Program, Sanitizers, compiler, here, run};
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

fn header() -> String {
    std::fs::read_to_string(here("include/polyshade.h")).expect("it is committed")
}

/// Returns the structs that the header defines, each with its members.
fn structs(header: &str) -> Vec<(&str, Vec<&str>)> {
    let definitions = header.split("typedef struct ").skip(1).filter_map(|text| {
        let (name, rest) = text.split_once(" {\n")?;
        let (members, _) = rest.split_once("\n}")?;
        (!name.contains(';')).then(|| (name, members.lines().filter_map(member).collect()))
    });
    definitions.collect()
}

/// Returns the name that a line declares.
fn member(line: &str) -> Option<&str> {
    let declared = line.trim().strip_suffix(';').filter(|line| !line.starts_with("//"))?;
    if let Some((_, function)) = declared.split_once("(*") {
        return function.split(')').next();
    }
    declared.split('[').next()?.rsplit([' ', '*']).next()
}

/// Returns the sizes and offsets of the structs, as the compiler prints them.
fn layout() -> String {
    let header = header();
    let mut source =
        String::from("#include \"polyshade.h\"\n#include <stdio.h>\nint main(void) {\n");
    for (name, members) in structs(&header) {
        let _ = writeln!(source, "printf(\"{name} %zu\\n\", sizeof({name}));");
        for member in members {
            let _ = writeln!(source, "printf(\"  %zu {member}\\n\", offsetof({name}, {member}));");
        }
    }
    source.push_str("return 0;\n}\n");
    let folder = tempfile::tempdir().expect("there is room");
    let path = folder.path().join("sizes.c");
    std::fs::write(&path, source).expect("there is room");
    let program = Program::new(Language::C99, &path, Library::Shared, Sanitizers::None);
    run(&mut program.command())
}

/// Returns the symbols that a program may link to.
fn symbols() -> String {
    let test = std::env::current_exe().expect("the system knows which program runs");
    let mut nm = Command::new("nm");
    nm.args(["--dynamic", "--defined-only", "--format=posix"]);
    let listed = run(nm.arg(test.with_file_name("libpolyshade_capi.so")));
    let names = listed.lines().filter_map(|line| line.split(' ').next());
    names.map(|name| format!("{name}\n")).collect()
}

#[test]
fn symbols_and_structs_are_those_that_are_listed() {
    let path = here("tests/abi.txt");
    let is = format!("{}\n{}", symbols(), layout());
    if std::env::var_os("POLYSHADE_BLESS").is_some() {
        std::fs::write(&path, &is).expect("it can be written");
    }
    let was = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(is == was, "run `cargo xtask bless symbols`, and read the diff\n{is}");
}

#[test]
fn every_function_of_the_header_is_a_symbol_and_no_other() {
    let header = header();
    let declared =
        header.lines().filter(|line| !line.starts_with("static") && !line.starts_with("//"));
    let declared = declared.filter_map(|line| {
        let (before, _) = line.split_once('(')?;
        before.rsplit([' ', '*']).next().filter(|name| name.starts_with("polyshade_"))
    });
    let mut declared: Vec<&str> = declared.collect();
    declared.sort_unstable();
    let symbols = symbols();
    let mut exported: Vec<&str> = symbols.lines().collect();
    exported.sort_unstable();
    assert_eq!(declared, exported);
}

#[test]
fn headers_compile_by_themselves() {
    for (language, name) in [
        (Language::C99, "polyshade.h"),
        (Language::Cpp17, "polyshade.h"),
        (Language::Cpp17, "polyshade.hpp"),
    ] {
        let kind = if language == Language::C99 { "c" } else { "c++" };
        let mut command = compiler(language);
        command.args(["-fsyntax-only", "-x", kind]);
        // Without this, the compiler warns about a header that is the main file.
        run(command.arg("-include").arg(here("include").join(name)).arg(Path::new("/dev/null")));
    }
}

#[test]
fn members_are_read_from_declarations() {
    assert_eq!(member("    uint32_t size;"), Some("size"));
    assert_eq!(member("    const char *const *varyings;"), Some("varyings"));
    assert_eq!(member("    char message[512];"), Some("message"));
    assert_eq!(member("    void *(*allocate)(void *user_data, size_t size);"), Some("allocate"));
    assert_eq!(member("    // 0;"), None);
}
