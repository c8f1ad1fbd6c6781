//! The results of patches: edits of three kinds are merged once.

use crate::build::{Words, id, listed, shader};
use polyshade_spv::{
    Capability, Decoration, Error, ErrorKind, ExecutionMode, ExecutionModel, Inst, Module, Op,
    Patch, Progress, Section, code,
};

/// Returns the words after `edit`, which must change them.
#[track_caller]
fn changed<'m>(
    m: &'m Module<'_>,
    edit: impl for<'v> FnOnce(&'v Module<'_>, &mut Patch<'v, '_>),
) -> Module<'m> {
    let rewritten = m.rewrite(|m, p| {
        edit(m, p);
        Ok(())
    });
    let rewritten = rewritten.expect("no edit contradicts another");
    assert_eq!(rewritten.progress, Progress::Changed);
    assert!(rewritten.is_changed());
    Module::parse(rewritten.module.words()).expect("a patch makes a well-formed module");
    rewritten.module
}

#[track_caller]
fn refused(m: &Module<'_>, edit: impl for<'v> FnOnce(&'v Module<'_>, &mut Patch<'v, '_>)) -> Error {
    let before = m.words().to_vec();
    let rewritten = m.rewrite(|m, p| {
        edit(m, p);
        Ok(())
    });
    let error = rewritten.expect_err("the edits contradict each other");
    assert_eq!(m.words(), before);
    error
}

fn first<'m>(m: &'m Module<'_>) -> Inst<'m> {
    m.instructions().next().expect("the module has instructions")
}

fn ops(module: &Module<'_>) -> Vec<Op> {
    module.instructions().map(|inst| inst.op()).collect()
}

/// Three names, of `%1`, `%2` and `%3`.
fn names() -> Words {
    let mut words = Words::new(9);
    for target in 1..4 {
        words.text(Op::NAME, &[target], "n", &[]);
    }
    words
}

#[test]
fn an_empty_patch_gives_the_same_words_and_says_so() {
    let words = shader(5);
    let m = words.parse();
    let next = m.rewrite(|_, p| Ok(p.id())).unwrap();
    assert_eq!(next.progress, Progress::Unchanged);
    assert_eq!(next.value, id(5), "an id alone is no edit");
    assert_eq!(next.module.words().as_ptr(), m.words().as_ptr(), "the words are borrowed");
}

#[test]
fn edits_that_change_no_word_are_no_progress() {
    let words = shader(5);
    let m = words.parse();
    let next = m
        .rewrite(|m, p| {
            let entry = m.entry_points().next().unwrap();
            p.set_entry_function(entry, entry.function());
            p.capability(Capability(1));
            p.void();
            p.leave_interface(entry, id(4));
            p.undecorate(id(1), |_, _| true);
            Ok(())
        })
        .unwrap();
    assert_eq!(next.module.words(), m.words());
    assert_eq!(next.progress, Progress::Unchanged);
}

#[test]
fn what_a_patch_adds_has_a_limit() {
    let words = names();
    let m = words.parse();
    let error = refused(&m, |_, p| {
        let at = p.end_of(Section::Names);
        (0..600_000).for_each(|_| p.insert(at, Op::NOP, &[0]));
    });
    assert_eq!(error.kind(), ErrorKind::Limit);
}

#[test]
fn a_failure_leaves_the_module_as_it_was() {
    let words = shader(5);
    let m = words.parse();
    let failed: Result<_, Error> = m.rewrite(|m, p| {
        p.remove(m.instructions().next().unwrap());
        Err::<(), _>(Error::new(&code::SPIRV_KERNEL_SIGNEDNESS, "no"))
    });
    assert_eq!(failed.map(|_| ()).unwrap_err().message(), "no");
    assert_eq!(m.words(), words.0);
}

#[test]
fn one_word_may_be_overwritten_twice_with_one_value_only() {
    let words = names();
    let m = words.parse();
    let next = changed(&m, |m, p| (0..2).for_each(|_| p.overwrite(first(m).operand(1), 8)));
    assert_eq!(next.words()[6], 8);
    assert_eq!(next.words().len(), m.words().len());

    let error =
        refused(&m, |m, p| [8, 7].iter().for_each(|word| p.overwrite(first(m).operand(1), *word)));
    assert_eq!((error.kind(), error.word_offset()), (ErrorKind::Options, Some(6)));
    let error = refused(&m, |m, p| {
        [8, 8, 7].iter().for_each(|word| p.overwrite(first(m).operand(1), *word))
    });
    assert_eq!(error.word_offset(), Some(6));
}

#[test]
fn overwrites_of_an_entry_point_contradict_each_other_also_when_its_interface_changes() {
    let words = shader(9);
    let m = words.parse();
    let entry = m.entry_points().next().unwrap();
    let error = refused(&m, |m, p| {
        let entry = m.entry_points().next().unwrap();
        p.join_interface(entry, id(6));
        p.set_entry_function(entry, id(7));
        p.set_entry_function(entry, id(8));
    });
    assert_eq!(error.word_offset(), Some(entry.inst().at() + 2));
}

#[test]
fn removal_wins_over_overwrites_whatever_comes_first() {
    let words = names();
    let m = words.parse();
    let next = changed(&m, |m, p| {
        let [first, second, _] = m.instructions().collect::<Vec<_>>()[..] else { unreachable!() };
        p.overwrite(first.operand(1), 7);
        p.overwrite(second.operand(2), 7);
        p.remove(second);
        p.overwrite(second.operand(1), 7);
        p.overwrite(second.operand(1), 8);
        p.remove(second);
    });
    let left = listed(&next);
    assert_eq!(left.len(), 2);
    assert_eq!((left[0].1[0], left[1].1[0]), (7, 3));
}

#[test]
fn removal_wins_over_a_change_of_the_interface() {
    let mut words = shader(9);
    words.inst(Op::NOP, &[]);
    let m = words.parse();
    let next = changed(&m, |m, p| {
        let entry = m.entry_points().next().unwrap();
        p.join_interface(entry, id(6));
        p.remove(entry.inst());
    });
    assert_eq!(next.entry_points().len(), 0);
}

#[test]
fn removal_wins_over_a_change_of_a_group() {
    let mut words = Words::new(9);
    words.inst(Op::DECORATE, &[5, Decoration::FLAT.0]);
    words.inst(Op::DECORATION_GROUP, &[5]);
    words.inst(Op::GROUP_DECORATE, &[5, 1, 2]);
    let m = words.parse();
    let next = changed(&m, |m, p| {
        let applies = m.instructions().last().unwrap();
        p.undecorate(id(1), |_, _| true);
        p.remove(applies);
    });
    assert_eq!(ops(&next), [Op::DECORATE, Op::DECORATION_GROUP]);
}

#[test]
fn what_is_inserted_at_one_place_stands_in_the_order_of_insertion() {
    let words = names();
    let m = words.parse();
    let next = changed(&m, |m, p| {
        let at = m.instructions().next().unwrap().after();
        let end = m.instructions().last().unwrap().after();
        p.insert(at, Op::LINE, &[1, 1, 1]);
        p.insert(end, Op::NOP, &[]);
        p.insert(at, Op::LINE, &[1, 2, 2]);
        p.overwrite(m.instructions().nth(1).unwrap().operand(1), 8);
    });
    assert_eq!(ops(&next), [Op::NAME, Op::LINE, Op::LINE, Op::NAME, Op::NAME, Op::NOP]);
    assert_eq!([listed(&next)[1].1[1], listed(&next)[2].1[1]], [1, 2]);
    assert_eq!(listed(&next)[3].1[0], 8, "what is overwritten stands behind what is inserted");
}

#[test]
fn slots_stand_in_the_order_they_were_asked_for() {
    let words = shader(5);
    let m = words.parse();
    let next = changed(&m, |_, p| {
        let (first, second, third) = (p.slot(), p.slot(), p.slot());
        p.insert(third, Op::LINE, &[1, 3, 0]);
        p.insert(first, Op::LINE, &[1, 1, 0]);
        p.insert(second, Op::LINE, &[1, 2, 0]);
        p.insert(first, Op::LINE, &[1, 1, 1]);
    });
    let lines: Vec<u32> = listed(&next)[9..].iter().map(|(_, operands)| operands[1]).collect();
    assert_eq!(lines, [1, 1, 2, 3]);
    assert_eq!(listed(&next)[..9], listed(&m)[..]);
}

#[test]
fn what_goes_to_empty_sections_stays_in_their_order() {
    let mut words = Words::new(5);
    words.inst(Op::MEMORY_MODEL, &[0, 1]);
    let m = words.parse();
    let next = changed(&m, |_, p| {
        let float = p.float();
        p.name(float, "f");
        p.decorate(float, Decoration::FLAT, &[]);
        p.mode(id(1), ExecutionMode::ORIGIN_UPPER_LEFT, &[]);
        p.string("s");
        p.import("GLSL.std.450");
        p.extension("SPV_KHR_multiview");
        p.capability(Capability::MULTI_VIEW);
    });
    let order = [
        Op::CAPABILITY,
        Op::EXTENSION,
        Op::EXT_INST_IMPORT,
        Op::MEMORY_MODEL,
        Op::EXECUTION_MODE,
        Op::STRING,
        Op::NAME,
        Op::DECORATE,
        Op::TYPE_FLOAT,
    ];
    assert_eq!(ops(&next), order);
    assert_eq!(next.section(Section::Annotations).count(), 1);
}

#[test]
fn an_entry_point_is_written_anew_once_however_much_joins_and_leaves() {
    let mut words = Words::new(9);
    words.text(Op::ENTRY_POINT, &[0, 1], "main", &[5, 6]);
    words.empty_main();
    let m = words.parse();
    let next = changed(&m, |m, p| {
        let entry = m.entry_point("main", ExecutionModel::VERTEX).unwrap();
        for joins in [7, 6, 8, 7] {
            p.join_interface(entry, id(joins));
        }
        p.leave_interface(entry, id(5));
    });
    let entry = next.entry_point("main", ExecutionModel::VERTEX).unwrap();
    assert_eq!(entry.interface().collect::<Vec<_>>(), [6, 7, 8].map(id));
    assert_eq!(next.entry_points().len(), 1);
}

#[test]
fn the_operands_of_an_instruction_are_replaced_and_its_literals_are_not() {
    let mut words = Words::new(9);
    words.inst(Op::TYPE_FLOAT, &[1, 32]);
    words.inst(Op::UNDEF, &[1, 2]);
    let at = words.inst(Op::COMPOSITE_INSERT, &[1, 3, 2, 2, 2]);
    let m = words.parse();
    let next = changed(&m, |m, p| {
        let inst = m.instructions().find(|inst| inst.at() as usize == at).unwrap();
        p.replace(inst, id(2), id(8));
    });
    assert_eq!(listed(&next)[2].1, [1, 3, 8, 8, 2]);
}

#[test]
fn a_definition_goes_with_its_names_decorations_and_places_in_interfaces() {
    let mut words = Words::new(20);
    words.text(Op::ENTRY_POINT, &[0, 1], "main", &[5, 6]);
    words.text(Op::ENTRY_POINT, &[4, 1], "other", &[6]);
    words.text(Op::NAME, &[6], "gone", &[]);
    words.inst(Op::DECORATE, &[6, Decoration::LOCATION.0, 6]);
    words.inst(Op::DECORATE, &[5, Decoration::LOCATION.0, 6]);
    words.inst(Op::DECORATE, &[9, Decoration::FLAT.0]);
    words.inst(Op::DECORATION_GROUP, &[9]);
    words.inst(Op::GROUP_DECORATE, &[9, 5, 6]);
    words.empty_main();
    words.inst(Op::FUNCTION, &[2, 10, 0, 3]);
    words.inst(Op::VARIABLE, &[7, 6, 7]);
    words.inst(Op::FUNCTION_END, &[]);
    let m = words.parse();
    let next = changed(&m, |_, p| p.remove_definition(id(6)));
    assert!(next.definition(id(6)).is_none());
    assert_eq!(next.uses_of(id(6)).count(), 0);
    assert_eq!(next.decorations_of(id(5)).count(), 2, "the other one of the group keeps it all");
}

#[test]
fn an_id_that_loses_one_decoration_of_a_group_keeps_the_others_of_it() {
    let mut words = Words::new(9);
    words.inst(Op::DECORATE, &[5, Decoration::FLAT.0]);
    words.inst(Op::DECORATE, &[5, Decoration::LOCATION.0, 7]);
    words.inst(Op::DECORATION_GROUP, &[5]);
    words.inst(Op::GROUP_DECORATE, &[5, 1, 2]);
    words.inst(Op::GROUP_MEMBER_DECORATE, &[5, 1, 3, 4, 0]);
    let m = words.parse();
    let next = changed(&m, |_, p| p.undecorate(id(1), |_, one| one == Decoration::LOCATION));
    assert_eq!(next.decoration(id(1), Decoration::LOCATION), None);
    assert_eq!(next.member_decoration(id(1), 3, Decoration::LOCATION), None);
    assert_eq!(next.decoration(id(1), Decoration::FLAT), Some(&[][..]));
    assert_eq!(next.member_decoration(id(1), 3, Decoration::FLAT), Some(&[][..]));
    assert_eq!(next.decoration(id(2), Decoration::LOCATION), Some(&[7][..]));
    assert_eq!(next.member_decoration(id(4), 0, Decoration::LOCATION), Some(&[7][..]));
}

/// `UniformId` requires `OpDecorateId`. If a module uses another instruction for it, the operand is not an id.
#[test]
fn what_a_group_says_in_the_wrong_form_keeps_it() {
    let mut words = Words::new(9);
    words.inst(Op::DECORATE, &[5, Decoration::UNIFORM_ID.0, 0]);
    words.inst(Op::DECORATE, &[5, Decoration::FLAT.0]);
    words.inst(Op::DECORATION_GROUP, &[5]);
    words.inst(Op::GROUP_DECORATE, &[5, 1, 2]);
    let m = words.parse();
    let next = changed(&m, |_, p| p.undecorate(id(1), |_, one| one == Decoration::FLAT));
    let next = Module::parse(next.words()).expect("it is still well-formed");
    assert_eq!(next.decoration(id(1), Decoration::UNIFORM_ID), Some(&[0][..]));
}

#[test]
fn names_can_be_left_out() {
    let words = shader(5);
    let m = words.parse();
    let next = changed(&m, |_, p| {
        p.set_names(false);
        p.name(id(1), "left out");
        p.member_name(id(1), 0, "left out");
        p.spec_constant(0, 1);
    });
    assert_eq!(next.section(Section::Names).count(), 0);
}

#[test]
fn the_bound_is_that_of_the_ids_that_were_asked_for() {
    let words = shader(100);
    let m = words.parse();
    let next = changed(&m, |_, p| {
        assert_eq!([p.id(), p.id()], [100, 101].map(id));
        p.name(id(1), "n");
    });
    assert_eq!(next.bound(), 102);
}
