//! No input causes a panic, and words that are not edited do not change.

use crate::build::{MAGIC, Words, shader};
use polyshade_spv::{Id, Module, Op, Progress, Section};
use proptest::prelude::*;

/// Calls every query of a module.
fn ask(m: &Module<'_>) -> usize {
    let mut answers = 0;
    for id in (1..m.bound().min(64)).filter_map(Id::new) {
        answers += m.uses_of(id).count() + m.decorations_of(id).count() + m.members(id).len();
        answers += m.reach(&[id]).uses.len() + m.reachable(id).len();
        answers += usize::from(m.name(id).is_some()) + usize::from(m.constant(id).is_some());
        let _ = (m.ty(id), m.root(id), m.innermost_element(id), m.builtin(id), m.function(id));
    }
    for entry in m.entry_points() {
        answers += entry.interface().len() + entry.name().len();
    }
    for body in m.functions() {
        answers += body.parameters().count();
    }
    answers + m.variables().count() + m.section(Section::Globals).count()
}

/// An instruction with the right length, mostly a known opcode, and mostly low ids.
fn instruction() -> impl Strategy<Value = Vec<u32>> {
    let opcode = prop_oneof![8 => 0_u16..400, 1 => 4000_u16..6200, 1 => any::<u16>()];
    let word = prop_oneof![8 => 1_u32..40, 1 => Just(0), 1 => any::<u32>()];
    (opcode, prop::collection::vec(word, 0..9)).prop_map(|(opcode, operands)| {
        let mut words = Words(Vec::new());
        words.inst(Op(opcode), &operands);
        words.0
    })
}

proptest! {
    #[test]
    fn any_words_are_read_or_refused(words in prop::collection::vec(any::<u32>(), 0..40), bound: u32) {
        let mut module = vec![MAGIC, 0x0001_0000, 0, bound, 0];
        module.extend(&words);
        for words in [&words, &module] {
            if let Ok(m) = Module::parse(words) {
                prop_assert_eq!(m.words(), &words[..]);
                ask(&m);
            }
        }
    }

    #[test]
    fn instructions_in_any_order_are_read_or_refused_and_come_back(
        instructions in prop::collection::vec(instruction(), 0..12),
        bound in prop_oneof![Just(40_u32), Just(u32::MAX)],
    ) {
        let mut words = Words::new(bound);
        words.0.extend(instructions.concat());
        match Module::parse(&words.0) {
            Err(error) => {
                let at = error.word_offset().expect("what is malformed is somewhere");
                prop_assert!((at as usize) < words.0.len());
            }
            Ok(m) => {
                prop_assert_eq!(m.instructions().count(), instructions.len());
                ask(&m);
                let same = m.rewrite(|_, _| Ok(())).expect("an empty patch has no edits");
                prop_assert_eq!(same.progress, Progress::Unchanged);
                prop_assert_eq!(same.module.words(), &words.0[..]);
            }
        }
    }

    #[test]
    fn what_is_removed_is_gone_and_the_rest_stays(keep in prop::collection::vec(any::<bool>(), 24)) {
        let mut words = Words::new(40);
        (1..25).for_each(|number| {
            words.inst(Op::TYPE_INT, &[number, 32, number]);
        });
        let m = words.parse();
        let next = m.rewrite(|m, p| {
            let going = m.instructions().zip(&keep).filter(|(_, keep)| !**keep);
            going.for_each(|(inst, _)| p.remove(inst));
            Ok(())
        }).expect("removals do not contradict each other");
        let left: Vec<bool> = (1..25).map(|id| next.module.definition(Id::new(id).unwrap()).is_some()).collect();
        prop_assert_eq!(&left, &keep);
        prop_assert_eq!(next.is_changed(), keep.contains(&false));
    }

    #[test]
    fn the_same_edits_give_the_same_words(values in prop::collection::vec((0_u32..8, any::<u32>()), 0..30)) {
        let words = shader(5);
        let m = words.parse();
        let make = || {
            let next = m.rewrite(|_, p| {
                for (kind, value) in &values {
                    match kind {
                        0 => { p.uint_constant(*value); }
                        1 => { p.float_constant(f32::from_bits(*value)); }
                        2 => { p.string(&value.to_string()); }
                        3 => p.extension(&(value % 4).to_string()),
                        4 => { p.import(&(value % 4).to_string()); }
                        5 => { let float = p.float(); p.vector(float, value % 4 + 1); }
                        6 => { let bool = p.bool(); p.structure(&[bool]); }
                        _ => { let uint = p.uint(); p.array(uint, *value); }
                    }
                }
                Ok(())
            });
            next.expect("declarations do not contradict each other").module.into_words()
        };
        let once = make();
        prop_assert_eq!(&once, &make());
        prop_assert!(Module::parse(&once).is_ok());
    }
}
