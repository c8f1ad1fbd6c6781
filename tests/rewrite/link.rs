//! Links functions of a library.

use crate::shader::{Shader, entry};
use polyshade::rewrite;
use polyshade_formats::SpirvVersion;
use polyshade_tests::lowerings::{library, library_of};
use polyshade_tests::shader::ShaderStage;

const HOST: &str = "
    layout(location = 0) in float x; layout(location = 0) out float v;
    void main() { v = sin(x) * 2.0; }";

#[test]
fn a_function_is_linked_into_every_version() {
    for version in [
        SpirvVersion::SPIRV1_0,
        SpirvVersion::SPIRV1_3,
        SpirvVersion::SPIRV1_4,
        SpirvVersion::SPIRV1_6,
    ] {
        let shader = Shader::glsl_for(version, ShaderStage::Vertex, HOST);
        let library = library("diamond").unwrap();
        let (linked, _) = shader.rewritten(|m, p| {
            let top = rewrite::link(p, &library, &["top"], &[])[0];
            let wrapper = rewrite::wrap(m, p, entry(m));
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
    let library = library("diamond").unwrap();
    shader.rewritten(|_, p| Ok(rewrite::link(p, &library, &["nothing"], &[])));
}

#[test]
#[should_panic(expected = "a library cannot have a global variable")]
fn a_library_with_global_variables_is_a_mistake_of_ours() {
    let shader = Shader::glsl(ShaderStage::Vertex, HOST);
    let library = library_of(
        "#version 450
         layout(location = 0) in float x;
         float f(const float y) { return x + y; }
         void main() { f(1.0); }",
    );
    let library = library.unwrap();
    shader.rewritten(|_, p| Ok(rewrite::link(p, &library, &["f"], &[])));
}
