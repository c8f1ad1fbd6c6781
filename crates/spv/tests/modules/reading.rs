//! Tests of queries of a module.

use crate::build::{Words, id, listed, shader, swapped};
use polyshade_spv::view::EntryPoint;
use polyshade_spv::{Decoration, ErrorKind, ExecutionModel, Id, Module, Op, Section, is_known};

/// An opcode that no table contains.
const UNKNOWN: Op = Op(0x7123);

#[track_caller]
fn operands(module: &Module<'_>, at: usize) -> Vec<(u32, bool)> {
    let inst = module.instructions().find(|inst| inst.at() as usize == at).expect("it is there");
    let mut ids = Vec::new();
    module.for_each_operand(inst, |operand, id, certain| {
        assert_eq!(module.words()[operand.at() as usize], id.word());
        ids.push((id.word(), certain));
    });
    ids
}

fn users(module: &Module<'_>, used: u32) -> Vec<Op> {
    module.uses_of(id(used)).map(|inst| inst.op()).collect()
}

#[test]
fn every_version_is_read_also_those_that_are_not_there_yet() {
    for (word, version) in (0..=9)
        .map(|minor| (0x0001_0000 | minor << 8, (1, minor as u8)))
        .chain([(0x0002_0000, (2, 0))])
    {
        let mut words = shader(5);
        words.0[1] = word;
        let module = words.parse();
        assert_eq!(module.version(), version);
        assert_eq!(module.words(), words.0);
        assert_eq!(module.entry_points().len(), 1);
    }
}

#[test]
fn both_byte_orders_give_the_same_module_in_the_order_of_the_machine() {
    let words = shader(5);
    let other = swapped(&words.0);
    let [file, other_file] =
        [&words.0, &other].map(|words| words.iter().flat_map(|word| word.to_le_bytes()));
    for module in [
        Module::parse(&words.0).unwrap(),
        Module::parse(&other).unwrap(),
        Module::parse_owned(other.clone()).unwrap(),
        Module::from_bytes(&file.collect::<Vec<u8>>()).unwrap(),
        Module::from_bytes(&other_file.collect::<Vec<u8>>()).unwrap(),
    ] {
        assert_eq!(module.words(), words.0);
        let entry = module.entry_point("main", ExecutionModel::VERTEX).unwrap();
        assert_eq!(entry.function(), id(1));
    }
}

#[test]
fn unknown_instructions_are_carried_and_all_their_words_may_be_ids() {
    assert!(!is_known(UNKNOWN));
    let mut words = Words::new(9);
    words.inst(Op::CAPABILITY, &[1]);
    let early = words.inst(UNKNOWN, &[2, 0, u32::MAX, 9]);
    words.inst(Op::TYPE_VOID, &[2]);
    words.inst(Op::TYPE_FUNCTION, &[3, 2]);
    words.inst(UNKNOWN, &[]);
    words.inst(Op::FUNCTION, &[2, 1, 0, 3]);
    words.inst(Op::LABEL, &[4]);
    words.inst(UNKNOWN, &[4, 1, 3]);
    words.inst(Op::RETURN, &[]);
    words.inst(Op::FUNCTION_END, &[]);
    words.inst(UNKNOWN, &[1]);
    let module = words.parse();

    assert_eq!(module.instructions().filter(|inst| inst.op() == UNKNOWN).count(), 4);
    assert_eq!(operands(&module, early), [(2, false), (u32::MAX, false), (9, false)]);
    assert_eq!(users(&module, 3), [Op::FUNCTION, UNKNOWN]);
    assert_eq!(users(&module, 1), [UNKNOWN, UNKNOWN]);
    assert_eq!(users(&module, 9), [] as [Op; 0], "what is past the bound is no id");
    assert_eq!(module.functions().len(), 1);
}

#[test]
fn the_interface_is_found_behind_names_of_every_length() {
    for length in 0..10 {
        let name = &"abcdefghij"[..length];
        let mut words = Words::new(9);
        words.text(Op::ENTRY_POINT, &[4, 1], name, &[4, 3, 2]);
        words.empty_main();
        let module = words.parse();
        let entry = module.entry_point(name, ExecutionModel::FRAGMENT).unwrap();
        assert_eq!(entry.name(), name);
        assert_eq!(entry.interface().collect::<Vec<_>>(), [4, 3, 2].map(id));
        assert_eq!(users(&module, 4), [Op::ENTRY_POINT]);
    }
}

#[test]
fn a_name_without_an_end_leaves_no_interface() {
    let mut words = Words::new(9);
    words
        .inst(Op::ENTRY_POINT, &[4, 1, u32::from_le_bytes(*b"abcd"), u32::from_le_bytes(*b"efgh")]);
    words.empty_main();
    let module = words.parse();
    let entry: EntryPoint<'_> = module.entry_points().next().unwrap();
    assert_eq!(entry.name(), "abcdefgh");
    assert_eq!(entry.interface().len(), 0);
}

#[test]
fn an_entry_point_that_is_not_there_is_not_found_and_the_others_are_named() {
    let words = shader(5);
    let module = words.parse();
    for (name, model) in [("other", ExecutionModel::VERTEX), ("main", ExecutionModel::FRAGMENT)] {
        let error = module.entry_point(name, model).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotFound);
        assert!(error.message().contains(name), "{error}");
        assert!(error.suggestion().unwrap().contains("`main` (vertex)"), "{error}");
    }
}

#[test]
fn names_are_read_and_an_empty_one_is_none() {
    let mut words = Words::new(9);
    words.text(Op::NAME, &[1], "first", &[]);
    words.text(Op::NAME, &[2], "", &[]);
    words.text(Op::MEMBER_NAME, &[3, 1], "second member", &[]);
    words.text(Op::NAME, &[1], "later", &[]);
    let module = words.parse();
    assert_eq!(module.name(id(1)).as_deref(), Some("first"), "the first of several counts");
    assert_eq!(module.name(id(2)), None);
    assert_eq!(module.name(id(3)), None);
    assert_eq!(module.member_name(id(3), 1).as_deref(), Some("second member"));
    assert_eq!(module.member_name(id(3), 0), None);
    assert_eq!(module.name(id(8)), None);
}

#[test]
fn octets_of_a_name_that_are_not_utf_8_are_replaced() {
    let mut words = Words::new(9);
    words.inst(Op::NAME, &[1, u32::from_le_bytes([b'a', 0xff, b'b', 0])]);
    assert_eq!(words.parse().name(id(1)).as_deref(), Some("a\u{fffd}b"));
}

#[test]
fn decoration_groups_are_resolved_for_ids_and_members() {
    let mut words = Words::new(9);
    words.inst(Op::DECORATE, &[5, Decoration::FLAT.0]);
    words.inst(Op::DECORATE, &[5, Decoration::LOCATION.0, 7]);
    words.inst(Op::DECORATION_GROUP, &[5]);
    words.inst(Op::GROUP_DECORATE, &[5, 1, 2]);
    words.inst(Op::GROUP_MEMBER_DECORATE, &[5, 3, 0, 3, 2]);
    words.inst(Op::DECORATE, &[2, Decoration::COMPONENT.0, 1]);
    let module = words.parse();
    for decorated in [1, 2] {
        assert_eq!(module.decoration(id(decorated), Decoration::LOCATION), Some(&[7][..]));
        assert_eq!(module.decoration(id(decorated), Decoration::FLAT), Some(&[][..]));
    }
    assert_eq!(module.decoration(id(1), Decoration::COMPONENT), None);
    assert_eq!(module.decoration(id(2), Decoration::COMPONENT), Some(&[1][..]));
    let location = |member| module.member_decoration(id(3), member, Decoration::LOCATION);
    assert_eq!([location(0), location(1), location(2)], [Some(&[7][..]), None, Some(&[7])]);
    assert_eq!(module.decoration(id(3), Decoration::LOCATION), None);
    let by_group =
        |target| module.decorations_of(id(target)).map(|one| one.by_group).collect::<Vec<_>>();
    assert_eq!([by_group(2), by_group(5)], [vec![true, true, false], vec![false, false]]);
}

#[test]
fn a_group_that_contains_itself_is_not_followed_for_ever() {
    let mut words = Words::new(9);
    words.inst(Op::DECORATION_GROUP, &[5]);
    words.inst(Op::DECORATE, &[5, Decoration::FLAT.0]);
    words.inst(Op::GROUP_DECORATE, &[5, 5, 1]);
    let module = words.parse();
    assert_eq!(module.decorations_of(id(1)).count(), 1);
    assert!(module.decorations_of(id(5)).count() <= 2);
}

#[test]
fn uses_are_listed_once_an_instruction_and_in_order() {
    let mut words = Words::new(9);
    words.text(Op::NAME, &[2], "twice", &[]);
    words.inst(Op::TYPE_FLOAT, &[1, 32]);
    words.inst(Op::UNDEF, &[1, 2]);
    words.inst(Op::TYPE_VECTOR, &[3, 1, 2]);
    words.inst(Op::CONSTANT_COMPOSITE, &[3, 4, 2, 2]);
    words.inst(Op::CONSTANT, &[1, 5, 2]);
    let module = words.parse();
    assert_eq!(users(&module, 2), [Op::NAME, Op::CONSTANT_COMPOSITE], "a literal is no use");
    assert_eq!(users(&module, 1), [Op::UNDEF, Op::TYPE_VECTOR, Op::CONSTANT], "nor a result");
    assert_eq!(users(&module, 5), [] as [Op; 0]);
}

#[test]
fn labels_of_a_switch_differ_from_literals_of_both_widths() {
    for (width, cases) in
        [(32, &[9_u32, 10, 8, 11][..]), (64, &[9, 8, 10, 8, 9, 11]), (16, &[9, 10, 8, 11])]
    {
        let mut words = Words::new(20);
        words.inst(Op::TYPE_VOID, &[2]);
        words.inst(Op::TYPE_FUNCTION, &[3, 2]);
        words.inst(Op::TYPE_INT, &[5, width, 0]);
        words.inst(Op::UNDEF, &[5, 6]);
        words.inst(Op::FUNCTION, &[2, 1, 0, 3]);
        words.inst(Op::LABEL, &[4]);
        let at = words.inst(Op::SWITCH, &[&[6, 7][..], cases].concat());
        words.inst(Op::FUNCTION_END, &[]);
        let module = words.parse();
        assert_eq!(operands(&module, at), [6, 7, 10, 11].map(|id| (id, true)), "{width} bits");
        assert_eq!(users(&module, 9), [] as [Op; 0]);
    }
}

#[test]
fn memory_operands_that_are_ids_differ_from_masks_and_alignments() {
    let mut words = Words::new(20);
    // Volatile | Aligned 16 | MakePointerVisible, scope %8.
    let load = words.inst(Op::LOAD, &[1, 2, 3, 0x1 | 0x2 | 0x10, 16, 8]);
    // Aligned 4; MakePointerAvailable, scope %9, for the source.
    let copy = words.inst(Op::COPY_MEMORY, &[3, 4, 0x2, 4, 0x8, 9]);
    let store = words.inst(Op::STORE, &[3, 2, 0x2, 7]);
    let module = words.parse();
    let certain = |ids: &[u32]| ids.iter().map(|id| (*id, true)).collect::<Vec<_>>();
    assert_eq!(operands(&module, load), certain(&[1, 3, 8]));
    assert_eq!(operands(&module, copy), certain(&[3, 4, 9]));
    assert_eq!(operands(&module, store), certain(&[3, 2]));
}

#[test]
fn operands_of_a_specialization_constant_operation_are_those_of_its_opcode() {
    let mut words = Words::new(20);
    let add = words.inst(Op::SPEC_CONSTANT_OP, &[1, 2, u32::from(Op::I_ADD.0), 3, 4]);
    let extract =
        words.inst(Op::SPEC_CONSTANT_OP, &[1, 5, u32::from(Op::COMPOSITE_EXTRACT.0), 3, 4]);
    let shuffle =
        words.inst(Op::SPEC_CONSTANT_OP, &[1, 6, u32::from(Op::VECTOR_SHUFFLE.0), 3, 4, 7, 8]);
    let module = words.parse();
    let certain = |ids: &[u32]| ids.iter().map(|id| (*id, true)).collect::<Vec<_>>();
    assert_eq!(operands(&module, add), certain(&[1, 3, 4]));
    assert_eq!(operands(&module, extract), certain(&[1, 3]));
    assert_eq!(operands(&module, shuffle), certain(&[1, 3, 4]));
}

#[test]
fn sections_end_where_the_next_one_begins() {
    let words = shader(5);
    let module = words.parse();
    let ops = |section| module.section(section).map(|inst| inst.op()).collect::<Vec<_>>();
    assert_eq!(ops(Section::Capabilities), [Op::CAPABILITY]);
    assert_eq!(ops(Section::Imports), []);
    assert_eq!(ops(Section::MemoryModel), [Op::MEMORY_MODEL]);
    assert_eq!(ops(Section::EntryPoints), [Op::ENTRY_POINT]);
    assert_eq!(ops(Section::Annotations), []);
    assert_eq!(ops(Section::Globals), [Op::TYPE_VOID, Op::TYPE_FUNCTION]);
    assert_eq!(module.preamble().count(), 5);
}

#[test]
fn what_is_in_the_wrong_section_is_carried_and_defined_all_the_same() {
    let mut words = Words::new(9);
    words.inst(Op::TYPE_FLOAT, &[5, 32]);
    words.inst(Op::DECORATE, &[5, Decoration::FLAT.0]);
    words.inst(Op::CAPABILITY, &[1]);
    words.text(Op::ENTRY_POINT, &[0, 1], "main", &[]);
    words.empty_main();
    let module = words.parse();
    assert_eq!(module.instructions().count(), 4 + 6);
    assert_eq!(module.definition(id(5)).map(|inst| inst.op()), Some(Op::TYPE_FLOAT));
    assert_eq!(users(&module, 5), [Op::DECORATE]);
    assert_eq!(module.entry_points().len(), 1);
    assert_eq!(module.functions().len(), 1);
}

#[test]
fn every_opcode_with_few_operands_is_read_or_refused_without_a_panic() {
    let mut read = 0;
    for opcode in (0..=0x1fff).map(Op) {
        for count in 0..10 {
            for value in [1, 2, 3, 0x40_0000] {
                let mut words = Words::new(4);
                words.inst(Op::TYPE_VOID, &[2]);
                words.inst(opcode, &vec![value; count]);
                let Ok(module) = Module::parse(&words.0) else { continue };
                read += 1;
                assert_eq!(listed(&module).len(), 2);
                for id in (1..4).filter_map(Id::new) {
                    assert!(module.uses_of(id).count() <= 2);
                    assert!(module.decorations_of(id).count() <= 1);
                    assert!(module.ty(id).is_none() || module.type_of(id).is_none());
                    module.reach(&[id]);
                    module.root(id);
                    module.innermost_element(id);
                }
            }
        }
    }
    assert!(read > 10_000, "only {read} were read");
}
