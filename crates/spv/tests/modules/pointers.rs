//! Tests of the origin and the uses of pointers.

use crate::build::{Words, id};
use polyshade_spv::{Id, Op, StorageClass};

/// Builds a module in which `%20` is a variable, and the function `%30` passes its parameter, the pointer `%31`, to
/// `%40`, which has the parameter `%41`. `order` is the order of the functions: 0 is the entry point, 1 is `%30` and
/// 2 is `%40`.
fn calls(order: [usize; 3]) -> Words {
    let mut words = Words::new(90);
    words.text(Op::ENTRY_POINT, &[0, 1], "main", &[20]);
    words.inst(Op::TYPE_VOID, &[2]);
    words.inst(Op::TYPE_FUNCTION, &[3, 2]);
    words.inst(Op::TYPE_FLOAT, &[4, 32]);
    words.inst(Op::TYPE_INT, &[5, 32, 0]);
    words.inst(Op::TYPE_POINTER, &[6, 3, 4]);
    words.inst(Op::TYPE_FUNCTION, &[7, 2, 6]);
    words.inst(Op::CONSTANT, &[5, 8, 0]);
    words.inst(Op::VARIABLE, &[6, 20, 3]);
    words.inst(Op::VARIABLE, &[6, 21, 3]);
    for function in order {
        match function {
            0 => {
                words.inst(Op::FUNCTION, &[2, 1, 0, 3]);
                words.inst(Op::LABEL, &[50]);
                words.inst(Op::ACCESS_CHAIN, &[6, 51, 20, 8]);
                words.inst(Op::IN_BOUNDS_ACCESS_CHAIN, &[6, 52, 51]);
                words.inst(Op::COPY_OBJECT, &[6, 53, 52]);
                words.inst(Op::FUNCTION_CALL, &[2, 54, 30, 53]);
                words.inst(Op::LOAD, &[4, 55, 21]);
            }
            1 => {
                words.inst(Op::FUNCTION, &[2, 30, 0, 7]);
                words.inst(Op::FUNCTION_PARAMETER, &[6, 31]);
                words.inst(Op::LABEL, &[60]);
                words.inst(Op::FUNCTION_CALL, &[2, 61, 40, 31]);
            }
            _ => {
                words.inst(Op::FUNCTION, &[2, 40, 0, 7]);
                words.inst(Op::FUNCTION_PARAMETER, &[6, 41]);
                words.inst(Op::LABEL, &[70]);
                words.inst(Op::ACCESS_CHAIN, &[6, 71, 41]);
                words.inst(Op::STORE, &[71, 8]);
            }
        }
        words.inst(Op::RETURN, &[]);
        words.inst(Op::FUNCTION_END, &[]);
    }
    words
}

const ORDERS: [[usize; 3]; 6] = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];

fn sorted(ids: impl Iterator<Item = Id>) -> Vec<u32> {
    let mut ids: Vec<u32> = ids.map(Id::word).collect();
    ids.sort_unstable();
    ids
}

#[test]
fn a_variable_is_followed_through_chains_copies_and_calls_in_any_order_of_functions() {
    for order in ORDERS {
        let words = calls(order);
        let m = words.parse();
        let reach = m.reach(&[id(20)]);
        let pointers = sorted(reach.pointers.iter().filter_map(|inst| inst.result()));
        assert_eq!(pointers, [31, 41, 51, 52, 53, 71], "{order:?}");
        let mut uses: Vec<Op> = reach.uses.iter().map(|inst| inst.op()).collect();
        uses.sort_unstable();
        assert_eq!(uses, [Op::FUNCTION_CALL, Op::FUNCTION_CALL, Op::STORE], "{order:?}");
        assert_eq!(sorted(reach.calls.iter().map(|call| call.function())), [30, 40]);
    }
}

#[test]
fn a_variable_that_nothing_is_made_from_reaches_its_uses_only() {
    let words = calls([0, 1, 2]);
    let m = words.parse();
    let reach = m.reach(&[id(21)]);
    assert!(reach.pointers.is_empty());
    assert_eq!(reach.uses.iter().map(|inst| inst.op()).collect::<Vec<_>>(), [Op::LOAD]);
}

#[test]
fn the_root_of_a_pointer_is_its_variable_or_parameter() {
    let words = calls([0, 1, 2]);
    let m = words.parse();
    for (pointer, root) in [(20, 20), (51, 20), (52, 20), (53, 20), (71, 41), (31, 31), (55, 55)] {
        assert_eq!(m.root(id(pointer)), id(root));
    }
}

#[test]
fn a_chain_that_starts_from_itself_has_some_root() {
    let mut words = Words::new(9);
    words.inst(Op::FUNCTION, &[5, 6, 0, 7]);
    words.inst(Op::ACCESS_CHAIN, &[1, 2, 3]);
    words.inst(Op::ACCESS_CHAIN, &[1, 3, 2]);
    words.inst(Op::FUNCTION_END, &[]);
    let m = words.parse();
    assert!([2, 3].map(id).contains(&m.root(id(2))));
    assert_eq!(sorted(m.reach(&[id(2)]).pointers.iter().filter_map(|inst| inst.result())), [3]);
}

#[test]
fn what_a_function_calls_is_listed_once_also_where_it_calls_itself() {
    for order in ORDERS {
        let words = calls(order);
        let m = words.parse();
        assert_eq!(m.reachable(id(1)), [1, 30, 40].map(id));
        assert_eq!(m.reachable(id(40)), [id(40)]);
    }
    let mut words = Words::new(9);
    words.empty_main();
    words.inst(Op::FUNCTION, &[2, 5, 0, 3]);
    words.inst(Op::LABEL, &[6]);
    words.inst(Op::FUNCTION_CALL, &[2, 7, 5]);
    words.inst(Op::FUNCTION_CALL, &[2, 8, 1]);
    words.inst(Op::RETURN, &[]);
    words.inst(Op::FUNCTION_END, &[]);
    assert_eq!(words.parse().reachable(id(5)), [5, 1].map(id));
}

#[test]
fn untyped_variables_are_resources_and_the_roots_of_untyped_chains() {
    let mut words = Words::new(40);
    words.text(Op::ENTRY_POINT, &[0, 1], "main", &[]);
    words.inst(Op::TYPE_VOID, &[2]);
    words.inst(Op::TYPE_FUNCTION, &[3, 2]);
    words.inst(Op::TYPE_FLOAT, &[4, 32]);
    words.inst(Op::TYPE_STRUCT, &[5, 4]);
    words.inst(Op::TYPE_POINTER, &[6, 3, 4]);
    words.inst(Op::TYPE_UNTYPED_POINTER_KHR, &[7, 12]);
    words.inst(Op::VARIABLE, &[6, 20, 3]);
    words.inst(Op::UNTYPED_VARIABLE_KHR, &[7, 21, 12, 5]);
    words.inst(Op::UNTYPED_VARIABLE_KHR, &[7, 22, 12]);
    words.inst(Op::FUNCTION, &[2, 1, 0, 3]);
    words.inst(Op::LABEL, &[30]);
    words.inst(Op::UNTYPED_ACCESS_CHAIN_KHR, &[7, 31, 5, 21]);
    words.inst(Op::RETURN, &[]);
    words.inst(Op::FUNCTION_END, &[]);
    let m = words.parse();
    assert_eq!(sorted(m.resources().map(|variable| variable.result())), [21, 22]);
    assert_eq!(
        [id(21), id(22), id(31)].map(|pointer| m.pointee(pointer)),
        [Some(id(5)), None, None]
    );
    assert_eq!(m.storage_class(id(31)), Some(StorageClass::STORAGE_BUFFER));
    assert_eq!(m.root(id(31)), id(21));
}
