//! Follows the guide to adding a lowering exactly, with its file, its line, its test and its GLSL. `build.rs`
//! extracts these from docs/adding-a-lowering.md.

use polyshade::rewrite;
use polyshade::spv::{self, ExecutionModel, Id, Position};
use polyshade_tests::shader::{ShaderStage, compile, validate};

include!(concat!(env!("OUT_DIR"), "/line.rs"));

mod test {
    include!(concat!(env!("OUT_DIR"), "/test.rs"));
}

mod library {
    use polyshade::rewrite::Library;
    use std::sync::LazyLock;

    include!(concat!(env!("OUT_DIR"), "/library.rs"));

    /// Compiles GLSL to a library, in place of the guide's function that parses SPIR-V.
    fn parse(glsl: &[u8]) -> Library {
        let glsl = std::str::from_utf8(glsl).expect("the guide is text");
        let words = super::compile(glsl, super::ShaderStage::Vertex).expect("it is GLSL");
        Library::new(&words).expect("compilers write modules")
    }
}

/// Contains the guide's lines that call the linked function.
#[allow(clippy::let_and_return, reason = "the guide's lines end with the `let`")]
fn whole<'m>(p: &mut spv::Patch<'m, '_>, at: Position<'m>, float: Id, new: Id) -> Id {
    include!(concat!(env!("OUT_DIR"), "/link.rs"))
}

#[test]
fn longer_code_is_linked_in() {
    let words = compile("#version 450\nvoid main() {}", ShaderStage::Vertex).unwrap();
    let module = spv::Module::parse(&words).unwrap();
    let linked = module.rewrite(|m, p| {
        let wrapper = rewrite::wrap(m, p, m.entry_point("main", ExecutionModel::VERTEX)?);
        let (float, size) = (p.float(), p.float_constant(2.5));
        whole(p, wrapper.epilogue, float, size);
        Ok(())
    });
    let linked = linked.unwrap().module;
    validate(linked.words()).unwrap();
    assert!(linked.instructions().any(|inst| inst.op() == spv::Op::FUNCTION_CALL));
}
