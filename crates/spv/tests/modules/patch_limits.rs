//! A patch that would exceed the limits of SPIR-V returns an error and does not panic.

use crate::build::{Words, id, shader};
use polyshade_spv::{Capability, ErrorKind, Module, Op, Section};

const LAST_ID: u32 = 4_194_303;
const LONGEST: usize = 65_535;

#[test]
fn an_instruction_may_have_65535_words_and_no_more() {
    let words = shader(5);
    let m = words.parse();
    let with = |operands: usize| {
        m.rewrite(|_, p| {
            p.insert(p.end_of(Section::Globals), Op(0x7123), &vec![1; operands]);
            Ok(())
        })
    };
    let longest = with(LONGEST - 1).unwrap();
    assert_eq!(longest.module.instructions().map(|inst| inst.words().len()).max(), Some(LONGEST));
    assert_eq!(with(LONGEST).unwrap_err().kind(), ErrorKind::Limit);
}

#[test]
fn a_name_that_is_too_long_is_a_limit() {
    let words = shader(5);
    let m = words.parse();
    let named = |octets: usize| {
        m.rewrite(|_, p| {
            p.name(id(1), &"n".repeat(octets));
            Ok(())
        })
    };
    let most = (LONGEST - 2) * 4 - 1;
    assert_eq!(named(most).unwrap().module.name(id(1)).unwrap().len(), most);
    for octets in [most + 1, most + 4, 4 * LONGEST * 2] {
        assert_eq!(named(octets).unwrap_err().kind(), ErrorKind::Limit, "{octets} octets");
    }
}

#[test]
fn a_type_with_too_many_operands_is_a_limit() {
    let words = shader(5);
    let m = words.parse();
    let structure = |members: usize| {
        m.rewrite(|_, p| {
            let float = p.float();
            p.structure(&vec![float; members]);
            Ok(())
        })
    };
    assert!(structure(LONGEST - 2).is_ok());
    for members in [LONGEST - 1, LONGEST, 2 * LONGEST] {
        assert_eq!(structure(members).unwrap_err().kind(), ErrorKind::Limit, "{members} members");
    }
}

#[test]
fn an_interface_that_grows_too_long_is_a_limit() {
    let mut words = Words::new(200_000);
    let full: Vec<u32> = (10..10 + LONGEST as u32 - 5).collect();
    words.text(Op::ENTRY_POINT, &[0, 1], "main", &full);
    words.empty_main();
    let m = words.parse();
    let joined = |variable| {
        m.rewrite(|m, p| {
            let entry = m.entry_points().next().unwrap();
            p.join_interface(entry, id(variable));
            p.leave_interface(entry, id(10));
            p.join_interface(entry, id(variable + 1));
            Ok(())
        })
    };
    assert_eq!(joined(100_000).unwrap_err().kind(), ErrorKind::Limit);
    assert!(joined(11).is_ok(), "those that are there do not join again");
}

#[test]
fn an_id_above_4194303_is_a_limit() {
    let words = shader(LAST_ID);
    let m = words.parse();
    let last = m.rewrite(|_, p| {
        let last = p.id();
        p.name(last, "n");
        Ok(last)
    });
    let last = last.unwrap();
    assert_eq!((last.value, last.module.bound()), (id(LAST_ID), LAST_ID + 1));

    let past = m.rewrite(|_, p| Ok((p.id(), p.id())));
    assert_eq!(past.unwrap_err().kind(), ErrorKind::Limit);
    let past = last.module.rewrite(|_, p| Ok(p.float()));
    assert_eq!(past.unwrap_err().kind(), ErrorKind::Limit);
}

#[test]
fn a_module_whose_bound_is_too_high_can_be_changed_without_new_ids() {
    let words = shader(u32::MAX);
    let m = words.parse();
    let next = m.rewrite(|_, p| {
        p.capability(Capability::CLIP_DISTANCE);
        Ok(())
    });
    let next = next.unwrap().module;
    assert_eq!(next.bound(), u32::MAX);
    assert!(Module::parse(next.words()).is_ok());
    assert_eq!(m.rewrite(|_, p| Ok(p.id())).unwrap_err().kind(), ErrorKind::Limit);
}
