//! Any module and any options: variants that are valid if the module was, or an error.
//!
//! The options are drawn from two words of the header that nothing else reads, the generator and the
//! schema; so every module is an input as it is, and mutating it mutates the options too.

#![no_main]

use libfuzzer_sys::fuzz_target;
use polyshade::moves::{Binding, Set};
use polyshade::transform_feedback::{HostWords, Options, SideEffects, capture};
use polyshade_fuzz::{assert_identity, validate, words};
use polyshade_spv::{ExecutionModel, Module, StorageClass};

fuzz_target!(|bytes: &[u8]| {
    let words = words(bytes);
    let Ok(module) = Module::parse(&words) else { return };
    let Some(options) = options(&module) else { return };
    let Ok(captured) = capture(&module, &options) else { return };

    let variants = [
        ("capture-only", &captured.capture_only),
        ("raster-only", &captured.raster_only),
        ("both", &captured.both),
    ];
    for (_, variant) in variants {
        let again = Module::parse(variant.words()).expect("what is written can be read");
        assert_identity(&again);
    }
    // Last, as it takes longer than all the rest.
    if validate(module.words()).is_err() {
        return;
    }
    for (name, variant) in variants {
        if let Err(error) = validate(variant.words()) {
            panic!("{name} of a valid module is invalid: {error}\n{options:#?}");
        }
    }
});

/// Options for the first vertex entry point, if there is one.
fn options(module: &Module<'_>) -> Option<Options> {
    let vertex =
        |entry: &polyshade_spv::view::EntryPoint<'_>| entry.model() == ExecutionModel::VERTEX;
    let entry = module.entry_points().find(vertex)?;
    let mut choices = Choices(u64::from(module.words()[2]) << 32 | u64::from(module.words()[4]));

    let options = Options::new(entry.name().into_owned());
    let varyings = varyings(module, &mut choices);
    let options = match choices.below(4) {
        0 => options.separate(varyings),
        _ => options.interleaved(varyings),
    };
    let options = match choices.below(5) {
        0 => options.host(HostWords::Uniform { set: Set(2), binding: Binding(7) }),
        1 => options.host(HostWords::PushConstant { offset: choices.below(32) * 4 }),
        2 => options.host(HostWords::Specialization { first_id: choices.below(64) }),
        3 => options.host(HostWords::StorageBuffer { set: Set(0), binding: Binding(9) }),
        _ => options,
    };
    let side_effects = [SideEffects::Refuse, SideEffects::InCapture, SideEffects::InRaster]
        [choices.below(3) as usize];
    let binding = Binding(choices.below(8));
    Some(
        options
            .into_storage(Set(choices.below(4)), binding)
            .side_effects(side_effects)
            .point_size(choices.below(2) == 0)
            .names(choices.below(2) == 0),
    )
}

/// Some of the module's outputs by name, with what OpenGL allows between them.
fn varyings(module: &Module<'_>, choices: &mut Choices) -> Vec<String> {
    let outputs =
        module.variables().filter(|output| output.storage_class() == StorageClass::OUTPUT);
    let mut names: Vec<String> = Vec::new();
    for output in outputs {
        let name = module.name(output.result()).filter(|name| !name.is_empty());
        match choices.below(6) {
            0 => {}
            1 => names.push("gl_Position".to_owned()),
            2 => names.push(format!("gl_SkipComponents{}", choices.below(4) + 1)),
            3 => names.push("gl_NextBuffer".to_owned()),
            4 => names.extend(name.map(|name| format!("{name}[{}]", choices.below(3)))),
            _ => names.extend(name.map(|name| name.into_owned())),
        }
    }
    names
}

/// Small numbers out of one large one.
struct Choices(u64);

impl Choices {
    fn below(&mut self, end: u32) -> u32 {
        // Knuth's multiplier spreads the bits that the fuzzer flips over the whole word.
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 33) as u32 % end
    }
}
