//! Libraries and functions that cannot be linked. The cases in `cases/rewrite/link` show the linked functions.

use crate::shader::Shader;
use polyshade::rewrite;
use polyshade_tests::lowerings::{library, library_of};
use polyshade_tests::shader::ShaderStage;

const HOST: &str = "
    layout(location = 0) in float x; layout(location = 0) out float v;
    void main() { v = sin(x) * 2.0; }";

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
