//! Malformed modules are rejected with the offset of the faulty word, in either byte order.

use crate::build::{Words, id, shader, string, swapped};
use polyshade_spv::{ErrorKind, Id, Module, Op};

/// Checks that parsing fails at word `at` with this message.
#[track_caller]
fn refused(words: &[u32], at: usize, message: &str) {
    let error = Module::parse(words).expect_err("it is malformed");
    assert_eq!(error.kind(), ErrorKind::Malformed, "{error}");
    assert_eq!(error.word_offset(), Some(at as u32), "{error}");
    assert!(error.message().contains(message), "{error}");
    if words.len() >= 5 && words[0] == crate::build::MAGIC {
        assert_eq!(Module::parse(&swapped(words)).expect_err("it is as malformed"), error);
        assert_eq!(Module::parse_owned(words.to_vec()).expect_err("it is as malformed"), error);
    }
}

#[track_caller]
fn about(words: &[u32]) -> Option<Id> {
    Module::parse(words).expect_err("it is malformed").id()
}

#[test]
fn a_file_that_is_cut_off_inside_of_a_word_is_refused_there() {
    let file: Vec<u8> = shader(5).0.iter().flat_map(|word| word.to_le_bytes()).collect();
    let error = Module::from_bytes(&file[..22]).expect_err("it is cut off");
    assert_eq!((error.kind(), error.word_offset()), (ErrorKind::Malformed, Some(5)));
    assert_eq!(error.message(), "22 bytes are not a multiple of 4 bytes");
    assert!(Module::from_bytes(&[]).is_err());
}

#[test]
fn a_header_that_is_cut_off_anywhere_is_refused_where_it_ends() {
    let words = Words::new(1).0;
    for length in 0..words.len() {
        refused(&words[..length], length, "header");
    }
    assert!(Module::parse(&words).is_ok(), "a header alone is a module without instructions");
}

#[test]
fn another_magic_number_is_refused() {
    let mut words = Words::new(1).0;
    words[0] ^= 1;
    refused(&words, 0, "magic");
}

#[test]
fn a_bound_of_0_is_refused() {
    refused(&Words::new(0).0, 3, "bound");
}

#[test]
fn an_instruction_that_is_cut_off_anywhere_is_refused_where_it_begins() {
    let mut words = Words::new(4);
    words.inst(Op::TYPE_VOID, &[1]);
    let at = words.inst(Op::TYPE_FUNCTION, &[2, 1, 1, 1]);
    for length in at + 1..words.0.len() {
        refused(&words.0[..length], at, "cut off");
    }
    assert!(Module::parse(&words.0[..at]).is_ok());
}

#[test]
fn a_word_count_of_0_is_refused_for_every_opcode() {
    for opcode in 0..=u32::from(u16::MAX) {
        let mut words = Words::new(4).0;
        words.push(opcode);
        words.extend([0, 0]);
        refused(&words, 5, "word count of 0");
    }
}

#[test]
fn too_few_operands_are_refused_where_the_instruction_begins() {
    for (op, least) in [
        (Op::CAPABILITY, 1),
        (Op::MEMORY_MODEL, 2),
        (Op::ENTRY_POINT, 3),
        (Op::TYPE_POINTER, 3),
        (Op::TYPE_INT, 3),
        (Op::CONSTANT, 3),
        (Op::VARIABLE, 3),
        (Op::LOAD, 3),
        (Op::STORE, 2),
        (Op::FUNCTION, 4),
        (Op::FUNCTION_CALL, 3),
        (Op::BRANCH_CONDITIONAL, 3),
    ] {
        for count in 0..least {
            let mut words = Words::new(9);
            words.inst(Op::CAPABILITY, &[1]);
            let at = words.inst(op, &vec![1; count]);
            refused(&words.0, at, "lacks operands");
        }
    }
}

#[test]
fn an_id_of_0_is_refused_at_its_own_word() {
    for operands in [[0, 7, 1], [2, 7, 0]] {
        let mut words = Words::new(9);
        words.inst(Op::TYPE_VOID, &[1]);
        let at = words.inst(Op::TYPE_POINTER, &operands);
        let word = 1 + operands.iter().position(|word| *word == 0).unwrap();
        refused(&words.0, at + word, "an id is 0");
    }
}

#[test]
fn an_id_at_or_past_the_bound_is_refused_at_its_own_word() {
    for wrong in [9, 10, 1 << 22, u32::MAX] {
        for member in 0..4 {
            let mut members = [1; 4];
            members[member] = wrong;
            let mut words = Words::new(9);
            words.inst(Op::TYPE_VOID, &[1]);
            let at = words.inst(Op::TYPE_STRUCT, &[&[2][..], &members].concat());
            refused(&words.0, at + 2 + member, "not below the bound, 9");
        }
        let mut words = Words::new(9);
        let at = words.inst(Op::TYPE_VOID, &[wrong]);
        refused(&words.0, at + 1, &format!("id {wrong} is not below"));
    }
    let mut words = Words::new(9);
    words.inst(Op::TYPE_VOID, &[8]);
    assert!(Module::parse(&words.0).is_ok(), "the highest id is one below the bound");
}

#[test]
fn a_literal_that_would_be_no_id_is_none() {
    let mut words = Words::new(9);
    words.inst(Op::TYPE_INT, &[1, 32, 0]);
    words.inst(Op::CONSTANT, &[1, 2, u32::MAX]);
    words.inst(Op::CONSTANT, &[1, 3, 0]);
    words.inst(Op::DECORATE, &[2, 30, 0xffff]);
    assert!(Module::parse(&words.0).is_ok());
}

#[test]
fn an_id_that_is_defined_twice_is_refused_where_it_is_defined_again() {
    let mut words = Words::new(9);
    words.inst(Op::TYPE_VOID, &[1]);
    words.inst(Op::TYPE_BOOL, &[2]);
    let at = words.inst(Op::TYPE_FLOAT, &[1, 32]);
    refused(&words.0, at, "defined twice");
    assert_eq!(about(&words.0), Some(id(1)));
}

#[test]
fn a_call_of_an_entry_point_is_refused_at_the_call() {
    let mut words = shader(9);
    words.inst(Op::FUNCTION, &[2, 5, 0, 3]);
    words.inst(Op::LABEL, &[6]);
    let at = words.inst(Op::FUNCTION_CALL, &[2, 7, 1]);
    words.inst(Op::RETURN, &[]);
    words.inst(Op::FUNCTION_END, &[]);
    refused(&words.0, at, "a function calls an entry point");
    assert_eq!(about(&words.0), Some(id(1)));
}

#[test]
fn an_entry_point_whose_function_is_missing_or_no_function_is_refused() {
    for function in [5, 2, 4] {
        let mut words = Words::new(9);
        let at = words.text(Op::ENTRY_POINT, &[0, function], "main", &[]);
        words.empty_main();
        refused(&words.0, at, "no function");
        assert_eq!(about(&words.0), Some(id(function)));
    }
}

#[test]
fn functions_that_do_not_begin_or_end_are_refused() {
    let whole = shader(9);
    let start = whole.0.len() - 9;
    refused(&whole.0[..whole.0.len() - 1], start, "has no OpFunctionEnd");

    let mut nested = Words(whole.0[..whole.0.len() - 1].to_vec());
    let at = nested.inst(Op::FUNCTION, &[2, 5, 0, 3]);
    refused(&nested.0, at, "inside another");

    let mut longer = Words(whole.0[..whole.0.len() - 1].to_vec());
    let at = longer.inst(Op::FUNCTION_END, &[7]);
    refused(&longer.0, at, "OpFunctionEnd has operands");

    let mut ended = whole.clone();
    let at = ended.inst(Op::FUNCTION_END, &[]);
    refused(&ended.0, at, "has no OpFunction");

    let mut late = whole;
    let at = late.text(Op::ENTRY_POINT, &[0, 1], "late", &[]);
    refused(&late.0, at, "follows a function");
}

#[test]
fn a_block_outside_of_functions_is_refused() {
    for (op, operands) in
        [(Op::LABEL, vec![8]), (Op::SWITCH, vec![7, 8]), (Op::FUNCTION_PARAMETER, vec![2, 8])]
    {
        let mut ahead = Words::new(9);
        let at = ahead.inst(op, &operands);
        ahead.empty_main();
        refused(&ahead.0, at, "outside of all functions");

        let mut behind = shader(9);
        behind.inst(Op::NO_LINE, &[]);
        let at = behind.inst(op, &operands);
        refused(&behind.0, at, "outside of all functions");

        behind.inst(Op::FUNCTION, &[2, 5, 0, 3]);
        behind.inst(Op::LABEL, &[6]);
        behind.inst(Op::RETURN, &[]);
        behind.inst(Op::FUNCTION_END, &[]);
        refused(&behind.0, at, "outside of all functions");
    }
}

#[test]
fn a_label_of_a_switch_is_checked_behind_literals_of_both_widths() {
    for (width, literal) in [(32, &[0_u32][..]), (64, &[0, 0])] {
        let mut words = Words::new(20);
        words.inst(Op::TYPE_VOID, &[2]);
        words.inst(Op::TYPE_FUNCTION, &[3, 2]);
        words.inst(Op::TYPE_INT, &[5, width, 0]);
        words.inst(Op::UNDEF, &[5, 6]);
        words.inst(Op::FUNCTION, &[2, 1, 0, 3]);
        words.inst(Op::LABEL, &[4]);
        let at = words.inst(Op::SWITCH, &[&[6, 7][..], literal, &[7], literal, &[20]].concat());
        words.inst(Op::LABEL, &[7]);
        words.inst(Op::RETURN, &[]);
        words.inst(Op::FUNCTION_END, &[]);
        refused(&words.0, at + 4 + 2 * literal.len(), "id 20");
    }
}

#[test]
fn an_id_behind_a_name_is_checked() {
    for name in ["", "a", "abc", "abcd", "abcdefgh"] {
        let mut words = Words::new(9);
        let at = words.text(Op::ENTRY_POINT, &[0, 1], name, &[4, 9]);
        words.empty_main();
        refused(&words.0, at + 3 + string(name).len() + 1, "id 9");
    }
}

#[test]
fn an_error_says_the_fact_and_where() {
    let mut words = Words::new(9);
    words.inst(Op::TYPE_VOID, &[0]);
    let error = Module::parse(&words.0).unwrap_err();
    assert_eq!(error.to_string(), "an id is 0 (at word 0x6)");

    let mut words = Words::new(9);
    words.inst(Op::TYPE_VOID, &[3]);
    words.inst(Op::TYPE_VOID, &[3]);
    let error = Module::parse(&words.0).unwrap_err();
    assert_eq!(error.to_string(), "an id is defined twice (id %3, at word 0x7)");
}
