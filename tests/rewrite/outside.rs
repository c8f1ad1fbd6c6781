//! A lowering outside the crate. With the public rewrite tools, it returns a module, host parameters and requirements
//! like the crate's lowerings.

use polyshade::host::{HostParam, HostParams, LimitName, Lowered, ParamSource, Target};
use polyshade::rewrite::{self, Lowering, Stages};
use polyshade::spv::{BuiltIn, ExecutionModel, Op, StorageClass};
use polyshade::{Error, Module};
use polyshade_tests::shader::{ShaderStage, compile, disassemble, validate};

const LOWERING: Lowering = Lowering {
    name: "layer_limit",
    stages: Stages { models: &[ExecutionModel::GEOMETRY], otherwise: "chooses no layer here" },
    changes: None,
};

const LAST: &str = "last_layer";

/// Clamps `gl_Layer` at each vertex to a host parameter with the source `last`, for framebuffers with fewer layers.
fn lower<'m>(
    module: &'m Module<'_>,
    target: impl Into<Target>,
    last: ParamSource,
) -> Result<Lowered<'m, bool>, Error> {
    let target = target.into();
    let mut words = Vec::new();
    HostParams::add(&mut words, last, [HostParam::new(LAST, "the number of the last layer")]);
    let lowered = rewrite::lower(module, &target, &LOWERING, |m, p, entry| {
        // Look up the built-in.
        let layer = rewrite::find_builtin(m, entry, StorageClass::OUTPUT, BuiltIn::LAYER);
        let Some(layer) = layer else { return Ok(false) };
        // Declare the parameter and a function, then call the function before each emit.
        let host = rewrite::host_params(m, p, entry, target.reservations(), &words, "layer_limit")?;
        let bool = p.bool();
        let at = rewrite::export_points(m, p, entry)?.at_exports(p, None);
        let mut code = p.at(at);
        let pointer = layer.pointer(&mut code);
        let old = code.load(layer.ty, pointer);
        let last = host.load(&mut code, LAST);
        let last = code.bitcast(layer.ty, last);
        let is_less = code.binary(Op::S_LESS_THAN, bool, old, last);
        let new = code.select(layer.ty, is_less, old, last);
        code.store(pointer, new);
        Ok(true)
    })?;
    Ok(match lowered.result {
        false => lowered,
        true => lowered.with_params(words, ExecutionModel::GEOMETRY),
    })
}

#[test]
fn a_lowering_outside_of_the_crate_says_what_the_host_does() {
    let geometry = |layer: &str| {
        let source = format!(
            "#version 450
            layout(points) in; layout(points, max_vertices = 2) out;
            void main() {{
                for (int i = 0; i < 2; ++i) {{ {layer} gl_Position = vec4(i); EmitVertex(); }}
            }}"
        );
        compile(&source, ShaderStage::Geometry).unwrap()
    };
    // Host parameters in push constants, and in specialization constants.
    let words = geometry("gl_Layer = 3 * i;");
    let module = Module::parse(&words).unwrap();
    let lowered = lower(&module, "main", ParamSource::PushConstant { offset: 16 }).unwrap();
    validate(lowered.module.words()).unwrap();
    assert!(disassemble(lowered.module.words()).unwrap().contains("OpSLessThan"));
    assert_eq!(lowered.params[0].params[0].name, LAST);
    assert_eq!(lowered.requirements.push_constants, Some(16..20));
    assert_eq!(lowered.requirements.limits[&LimitName::MaxPushConstantsSize], 20);

    let constant = ParamSource::Specialization { first_id: 4 };
    let lowered = lower(&module, "main", constant).unwrap();
    assert_eq!(lowered.requirements.specialization.first(), Some(&(4..5)));

    // Without the built-in, the module is unchanged.
    let words = geometry("");
    let module = Module::parse(&words).unwrap();
    let unchanged = lower(&module, "main", constant).unwrap();
    assert!(!unchanged.is_changed() && unchanged.params.is_empty());
}
