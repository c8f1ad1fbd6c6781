//! Three lowerings of about thirty lines each. They use only the rewrite tools, to show that the tools suffice.

use polyshade::host::{Binding, Set};
use polyshade::rewrite::{self, Copies, Library};
use polyshade::{Error, code};
use polyshade_spv::view::EntryPoint;
use polyshade_spv::{
    BuiltIn, Decoration, ExecutionModel, Id, Module, Patch, StorageClass, code as spv_code,
};

use crate::shader::{self, ShaderStage};
use crate::tree;

/// Loads the library `tests/libraries/NAME.glsl`.
///
/// # Errors
///
/// `NotFound` if there is no such file, `Malformed` if it does not compile.
pub fn library(name: &str) -> Result<Library, Error> {
    let path = tree::tests().join(format!("libraries/{name}.glsl"));
    let source = std::fs::read_to_string(path);
    let source =
        source.map_err(|error| Error::new(&spv_code::ENTRY_POINT_NOT_FOUND, error.to_string()))?;
    library_of(&source)
}

/// Compiles GLSL to a library.
///
/// # Errors
///
/// `Malformed` if it does not compile.
pub fn library_of(glsl: &str) -> Result<Library, Error> {
    let words = shader::compile(glsl, ShaderStage::Vertex);
    Library::new(&words.map_err(|error| Error::new(&spv_code::SPIRV_NOT_A_MODULE, error))?)
}

/// Emulates rasterizer discard: if a boolean specialization constant is set, the position is outside clip space, so
/// nothing is drawn.
///
/// ```text
/// %old   = OpLoad %vec4 %position
/// %new   = OpSelect %vec4 %discards %outside %old      ; (-3, -3, -3, 1)
///          OpStore %position %new
/// ```
pub fn discard_rasterization<'m>(
    m: &'m Module<'static>,
    p: &mut Patch<'m, 'static>,
    spec_id: u32,
) -> Result<(), Error> {
    let entry = m.entry_point("main", ExecutionModel::VERTEX)?;
    let wrapper = rewrite::wrap(m, p, entry);

    let (bool, float) = (p.bool(), p.float());
    let (vec4, bvec4) = (p.vector(float, 4), p.vector(bool, 4));
    let [minus_three, one] = [-3.0, 1.0].map(|value| p.float_constant(value));
    let outside = p.composite_constant(vec4, &[minus_three, minus_three, minus_three, one]);
    let discards = p.spec_constant_bool(spec_id, false);

    let position = rewrite::find_builtin(m, entry, StorageClass::OUTPUT, BuiltIn::POSITION)
        .ok_or_else(|| Error::new(&code::CLIP_VERTEX_NOT_FOUND, "the shader writes no position"))?;
    let mut code = p.at(wrapper.epilogue);
    let position = position.pointer(&mut code);
    // Before SPIR-V 1.4, a scalar condition cannot select vectors.
    let discards = code.construct(bvec4, &[discards; 4]);
    let old = code.load(vec4, position);
    let new = code.select(vec4, discards, outside, old);
    code.store(position, new);
    Ok(())
}

/// Emulates a blend equation: the shader reads the destination, here from a uniform block of four 32-bit floats, and
/// blends after the body has returned. If the shader discards, nothing is written.
pub fn blend<'m>(
    m: &'m Module<'static>,
    p: &mut Patch<'m, 'static>,
    equation: &Library,
) -> Result<(), Error> {
    // Declare: the private copy of the output, the destination and the linked equation.
    let entry = m.entry_point("main", ExecutionModel::FRAGMENT)?;
    let wrapper = rewrite::wrap(m, p, entry);
    let colour = output_at(m, entry, 0)
        .ok_or_else(|| Error::new(&code::CAPTURE_OUTPUT_NOT_FOUND, "the shader has no output 0"))?;
    let taken = rewrite::demote_to_private(m, p, entry, &[colour], Copies::Uncopied)?[0];
    let at = (Set(1), Binding(0));
    let destination =
        rewrite::uniform_block(m, p, entry, at, "destination", &["red", "green", "blue", "alpha"])?;
    let blend = rewrite::link(p, equation, &["blend"], &[])[0];

    // Emit: load the destination and the source, blend, and store to the output.
    let float = p.float();
    let vec4 = p.vector(float, 4);
    let mut code = p.at(wrapper.epilogue);
    let components = [0, 1, 2, 3].map(|number| {
        let bits = destination.load(&mut code, number);
        code.bitcast(float, bits)
    });
    let dst = code.construct(vec4, &components);
    let src = code.load(vec4, taken.private);
    let blended = code.call(vec4, blend, &[src, dst]);
    code.store(taken.interface.expect("an interface variable was requested"), blended);
    Ok(())
}

/// Moves an output of a tessellation control shader to another location, by replacing the variable. The new variable
/// is no copy, because other invocations read the output.
pub fn move_output<'m>(
    m: &'m Module<'static>,
    p: &mut Patch<'m, 'static>,
    from: u32,
    to: u32,
) -> Result<(), Error> {
    let entry = m.entry_point("main", ExecutionModel::TESSELLATION_CONTROL)?;
    if let Some(taken) = output_at(m, entry, to) {
        return Err(
            Error::new(&code::CLIP_LOCATION_TAKEN, "the location is already in use").about(taken)
        );
    }
    let not_there = || Error::new(&code::CAPTURE_OUTPUT_NOT_FOUND, format!("no output {from}"));
    let old = output_at(m, entry, from).ok_or_else(not_there)?;

    // Declare a variable like the old one at the other location, then replace all uses of the old variable.
    let new = p.variable(StorageClass::OUTPUT, m.pointee(old).expect("it is a variable"), None);
    for applied in m.decorations_of(old) {
        let moves = applied.decoration == Decoration::LOCATION;
        let operands = if moves { &[to][..] } else { applied.operands };
        p.decorate(new, applied.decoration, operands);
    }
    if let Some(name) = m.name(old) {
        p.name(new, &format!("{name}_moved"));
    }
    p.join_interface(entry, new);
    rewrite::replace_uses(m, p, old, new)?;
    p.remove_definition(old);
    Ok(())
}

/// Returns the output of `entry` at a location.
fn output_at(m: &Module<'_>, entry: EntryPoint<'_>, location: u32) -> Option<Id> {
    let mut outputs = rewrite::interface(m, entry, StorageClass::OUTPUT).into_iter();
    outputs.find(|id| m.decoration(*id, Decoration::LOCATION) == Some(&[location]))
}
