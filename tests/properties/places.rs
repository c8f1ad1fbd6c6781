//! Errors have positions in the given module: an id that the module defines, and a word at which an instruction
//! begins.

use polyshade::spv::Id;
use polyshade::{Error, Module, code};
use polyshade_testing::{Choices, check_place, trials};
use polyshade_tests::shader::{ShaderStage, module};

use crate::transformations::cases;

/// The number of option sets for each trial.
const SEEDS: u64 = 16;

#[test]
fn errors_have_places_in_the_module_that_was_given() {
    let (mut errors, mut ids, mut words) = (0, 0, 0);
    for case in cases() {
        let module = Module::parse(&case.words).expect("a valid module can be read");
        for entry in module.entry_points() {
            for trial in trials(entry.model()) {
                let attempts = (0..SEEDS).map(|seed| {
                    let mut choices = Choices::seeded(seed);
                    trial.attempt(&module, entry, &mut choices)
                });
                for error in attempts.filter_map(Result::err) {
                    let fault = check_place(&module, &error).err();
                    assert_eq!(fault, None, "{}: {}", case.name, trial.name);
                    errors += 1;
                    ids += usize::from(error.id().is_some());
                    words += usize::from(error.word_offset().is_some());
                }
            }
        }
    }
    println!("{errors} errors, {ids} with an id, {words} with a word");
    assert!(errors > 1000 && ids > 100 && words > 0, "{errors} errors, {ids} ids, {words} words");
}

fn error() -> Error {
    Error::new(&code::INTERFACE_UNSUPPORTED_ACCESS, "it is refused")
}

#[test]
fn places_that_the_module_does_not_have_are_noticed() {
    let m = module("#version 450\nvoid main() {}", ShaderStage::Vertex);
    let main = m.entry_points().next().expect("there is one").function();
    let at = m.definition(main).expect("it is a function").at();
    for good in [error(), error().about(main), error().at(at), error().about(main).at(at)] {
        assert_eq!(check_place(&m, &good), Ok(()));
    }
    let beyond = Id::new(m.bound()).expect("it is not 0");
    let end = m.words().len() as u32;
    for bad in [beyond, Id::new(u32::MAX).expect("it is not 0")].map(|id| error().about(id)) {
        assert!(check_place(&m, &bad).is_err(), "{bad}");
        assert!(check_place(&m, &bad.at(at)).is_err());
    }
    // Positions in the header, within an instruction, and after the last instruction are wrong.
    for bad in [0, 4, at + 1, end, u32::MAX].map(|at| error().at(at)) {
        assert!(check_place(&m, &bad).is_err(), "{bad}");
    }
}
