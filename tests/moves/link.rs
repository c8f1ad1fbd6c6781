//! Functions of a library are linked in.

use crate::shader::{Shader, entry};
use polyshade::moves::{self, Hook, Library};
use polyshade_formats::{SpirvVersion, compile};
use polyshade_spv::{Decoration, Id, Op};
use polyshade_tests::shader::ShaderStage;

/// A library of this GLSL.
#[track_caller]
pub(crate) fn library(source: &str) -> Library {
    let source = format!("#version 450\n{source}");
    let words = compile(&source, ShaderStage::Vertex, SpirvVersion::SPIRV1_0)
        .unwrap_or_else(|error| panic!("{error}"));
    Library::new(words).expect("the compiler's words are a module")
}

/// A diamond of calls, with control flow, an extended instruction, an array, and what is not to be linked.
const DIAMOND: &str = "
    float base(const float x) { return sin(x) * 2.0; }
    float left(const float x) { return base(x) + 1.0; }
    float right(const float x) { precise float y = base(x) - 1.0; return y; }
    float top(const float x, const int n) {
        float table[3] = float[](1.0, 2.0, 3.0);
        float sum = 0.0;
        for (int i = 0; i < n; ++i) {
            switch (i) {
                case 0: sum += left(x); break;
                case 1: sum += right(x) * table[i % 3]; break;
                default: sum += x;
            }
        }
        return sum;
    }
    float unused(const float x) { return cos(x); }
    void main() { top(1.0, 3); unused(1.0); }";

const HOST: &str = "
    layout(location = 0) in float x; layout(location = 0) out float v;
    void main() { v = sin(x) * 2.0; }";

#[test]
fn a_function_is_linked_with_what_it_calls_and_nothing_else() {
    let shader = Shader::glsl(ShaderStage::Vertex, HOST);
    let library = library(DIAMOND);
    let (linked, functions) = shader.rewritten(|_, p| Ok(moves::link(p, &library, &["top"], &[])));
    assert_eq!(functions, [linked.id("top")]);
    assert_eq!(linked.count(Op::FUNCTION), shader.count(Op::FUNCTION) + 4);
    let base = linked.id("base");
    assert_eq!(linked.calls(linked.id("left")), [base]);
    assert_eq!(linked.calls(linked.id("right")), [base]);
    assert_eq!(linked.calls(linked.id("top")), [linked.id("left"), linked.id("right")]);
    assert!(!linked.text().contains("Cos"));
}

#[test]
fn types_constants_and_imports_are_shared_with_the_module() {
    let shader = Shader::glsl(ShaderStage::Vertex, HOST);
    let library = library(DIAMOND);
    let (linked, _) = shader.rewritten(|_, p| Ok(moves::link(p, &library, &["top"], &[])));
    for op in [Op::TYPE_FLOAT, Op::TYPE_VOID, Op::TYPE_BOOL, Op::EXT_INST_IMPORT] {
        assert_eq!(linked.count(op), 1, "{op:?}");
    }
    let constants = |shader: &Shader| {
        let two = 2.0_f32.to_bits();
        let all = shader.module().preamble().filter(|inst| inst.op() == Op::CONSTANT);
        all.filter(|inst| inst.words()[3] == two).count()
    };
    assert_eq!((constants(&shader), constants(&linked)), (1, 1));
}

#[test]
fn what_is_precise_stays_precise() {
    let shader = Shader::glsl(ShaderStage::Vertex, HOST);
    let library = library(DIAMOND);
    let (linked, _) = shader.rewritten(|_, p| Ok(moves::link(p, &library, &["right"], &[])));
    let exact = linked.body(linked.id("right")).into_iter().filter_map(|inst| {
        linked.module().decoration(inst.result()?, Decoration::NO_CONTRACTION).map(|_| inst.op())
    });
    assert_eq!(exact.collect::<Vec<_>>(), [Op::F_SUB]);
}

#[test]
fn each_link_makes_copies_of_its_own() {
    let shader = Shader::glsl(ShaderStage::Vertex, HOST);
    let library = library(DIAMOND);
    let (linked, [first, second]) = shader
        .rewritten(|_, p| Ok([(); 2].map(|()| moves::link(p, &library, &["left", "right"], &[]))));
    let all: Vec<Id> = first.iter().chain(&second).copied().collect();
    for (i, id) in all.iter().enumerate() {
        assert!(!all[..i].contains(id));
    }
    assert_eq!(linked.count(Op::FUNCTION), shader.count(Op::FUNCTION) + 6);
    assert_eq!(linked.calls(first[0]), linked.calls(first[1]), "within one link it is one base");
    assert_ne!(linked.calls(first[0]), linked.calls(second[0]));
}

#[test]
fn a_hook_is_called_in_place_of_the_librarys_own_function() {
    let shader = Shader::glsl(ShaderStage::Vertex, HOST);
    let library = library(DIAMOND);
    let (linked, (hook, top)) = shader.rewritten(|_, p| {
        let (hook, at, float) = (p.id(), p.lane(), p.float());
        let mut code = p.at(at);
        let x = code.begin_function(hook, float, &[float])[0];
        code.end_function(Some(x));
        let hooks = [Hook { name: "base", function: hook }];
        Ok((hook, moves::link(p, &library, &["top"], &hooks)[0]))
    });
    assert_eq!(linked.calls(linked.id("left")), [hook]);
    assert_eq!(linked.calls(linked.id("right")), [hook]);
    assert_eq!(linked.count(Op::FUNCTION), shader.count(Op::FUNCTION) + 4);
    assert!(!linked.body(top).is_empty());
    assert!(linked.body(hook).iter().all(|inst| inst.op() != Op::EXT_INST));
}

#[test]
fn a_function_is_linked_into_every_version() {
    for version in [
        SpirvVersion::SPIRV1_0,
        SpirvVersion::SPIRV1_3,
        SpirvVersion::SPIRV1_4,
        SpirvVersion::SPIRV1_6,
    ] {
        let shader = Shader::glsl_for(version, ShaderStage::Vertex, HOST);
        let library = library(DIAMOND);
        let (linked, _) = shader.rewritten(|m, p| {
            let top = moves::link(p, &library, &["top"], &[])[0];
            let wrapper = moves::wrap(m, p, entry(m));
            let (float, int) = (p.float(), p.int());
            let x = p.float_constant(0.5);
            let mut code = p.at(wrapper.epilogue);
            let n = code.p.uint_constant(3);
            let n = code.bitcast(int, n);
            code.call(float, top, &[x, n]);
            Ok(())
        });
        assert_eq!(linked.calls(linked.id("main")).len(), 2);
    }
}

#[test]
#[should_panic(expected = "the library has no function nothing")]
fn a_function_that_the_library_lacks_is_a_mistake_of_ours() {
    let shader = Shader::glsl(ShaderStage::Vertex, HOST);
    let library = library(DIAMOND);
    shader.rewritten(|_, p| Ok(moves::link(p, &library, &["nothing"], &[])));
}

#[test]
#[should_panic(expected = "a library has no global variables")]
fn a_library_with_global_variables_is_a_mistake_of_ours() {
    let shader = Shader::glsl(ShaderStage::Vertex, HOST);
    let library = library(
        "layout(location = 0) in float x;
         float f(const float y) { return x + y; }
         void main() { f(1.0); }",
    );
    shader.rewritten(|_, p| Ok(moves::link(p, &library, &["f"], &[])));
}
