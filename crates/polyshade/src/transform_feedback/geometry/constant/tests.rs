//! Each test assembles the functions of a shader and interprets them.

use super::primitives;
use crate::transform_feedback::Topology;
use polyshade_spv::{Module, Op};

type Code = Vec<(Op, Vec<u32>)>;

// The ids of the declarations that all shaders have. Ids from 100 on are free.
const VOID: u32 = 1;
const FUNCTION: u32 = 2;
const BOOL: u32 = 3;
const INT: u32 = 4;
const POINTER: u32 = 5;
const TAKES_POINTER: u32 = 6;
const TAKES_INT: u32 = 7;
/// The local variable of `main`.
const LOCAL: u32 = 8;
const MAIN: u32 = 9;
const INPUT_POINTER: u32 = 10;
const INPUT: u32 = 11;
const PRIVATE_POINTER: u32 = 12;
/// A private variable with the value 3.
const PRIVATE: u32 = 13;
const SPECIALIZABLE: u32 = 14;

/// Returns the id of a constant from 0 to 9.
const fn number(value: u32) -> u32 {
    20 + value
}

fn code(op: Op, operands: &[u32]) -> Code {
    vec![(op, operands.to_vec())]
}

fn label(id: u32) -> Code {
    code(Op::LABEL, &[id])
}

fn branch(target: u32) -> Code {
    code(Op::BRANCH, &[target])
}

fn store(pointer: u32, object: u32) -> Code {
    code(Op::STORE, &[pointer, object])
}

fn load(result: u32, pointer: u32) -> Code {
    code(Op::LOAD, &[INT, result, pointer])
}

fn add(result: u32, left: u32, right: u32) -> Code {
    code(Op::I_ADD, &[INT, result, left, right])
}

fn call(result: u32, function: u32, arguments: &[u32]) -> Code {
    code(Op::FUNCTION_CALL, &[&[VOID, result, function], arguments].concat())
}

fn emit(vertices: usize) -> Code {
    vec![(Op::EMIT_VERTEX, Vec::new()); vertices]
}

fn cut() -> Code {
    code(Op::END_PRIMITIVE, &[])
}

fn function(id: u32, ty: u32, parameters: &[(u32, u32)], body: Code) -> Code {
    let parameters = parameters.iter().map(|(ty, id)| (Op::FUNCTION_PARAMETER, vec![*ty, *id]));
    let end = [(Op::RETURN, Vec::new()), (Op::FUNCTION_END, Vec::new())];
    let start = [(Op::FUNCTION, vec![VOID, id, 0, ty])].into_iter().chain(parameters);
    start.chain(body).chain(end).collect()
}

fn main(body: Code) -> Code {
    let variable = code(Op::VARIABLE, &[POINTER, LOCAL, 7]);
    function(MAIN, FUNCTION, &[], [label(99), variable, body].concat())
}

/// Runs `body` if the input equals 1. `first` and the seven ids after it are used.
fn if_input(first: u32, body: Code) -> Code {
    let [loaded, condition, then, merge] = [0, 1, 2, 3].map(|i| first + i);
    [
        load(loaded, INPUT),
        code(Op::I_EQUAL, &[BOOL, condition, loaded, number(1)]),
        code(Op::SELECTION_MERGE, &[merge, 0]),
        code(Op::BRANCH_CONDITIONAL, &[condition, then, merge]),
        label(then),
        body,
        branch(merge),
        label(merge),
    ]
    .concat()
}

/// Runs `body` while the local variable, which starts at 0, is less than `end`. `first` and the nine ids after it are
/// used: the second is the merge block, the third is the continue target.
fn count_to(first: u32, end: u32, body: Code) -> Code {
    let [header, merge, next, test, counter, condition, start, old, new] =
        [0, 1, 2, 3, 4, 5, 6, 7, 8].map(|i| first + i);
    [
        store(LOCAL, number(0)),
        branch(header),
        label(header),
        code(Op::LOOP_MERGE, &[merge, next, 0]),
        branch(test),
        label(test),
        load(counter, LOCAL),
        code(Op::S_LESS_THAN, &[BOOL, condition, counter, end]),
        code(Op::BRANCH_CONDITIONAL, &[condition, start, merge]),
        label(start),
        body,
        branch(next),
        label(next),
        load(old, LOCAL),
        add(new, old, number(1)),
        store(LOCAL, new),
        branch(header),
        label(merge),
    ]
    .concat()
}

fn count_from_input(first: u32, body: Code) -> Code {
    [load(first + 9, INPUT), count_to(first, first + 9, body)].concat()
}

/// Returns a geometry shader with these functions.
fn shader(functions: Code) -> Module<'static> {
    let name = u32::from_le_bytes(*b"main");
    let declarations = [
        (Op::CAPABILITY, vec![2]),
        (Op::MEMORY_MODEL, vec![0, 1]),
        (Op::ENTRY_POINT, vec![3, MAIN, name, 0, INPUT]),
        (Op::TYPE_VOID, vec![VOID]),
        (Op::TYPE_FUNCTION, vec![FUNCTION, VOID]),
        (Op::TYPE_BOOL, vec![BOOL]),
        (Op::TYPE_INT, vec![INT, 32, 1]),
        (Op::TYPE_POINTER, vec![POINTER, 7, INT]),
        (Op::TYPE_FUNCTION, vec![TAKES_POINTER, VOID, POINTER]),
        (Op::TYPE_FUNCTION, vec![TAKES_INT, VOID, INT]),
        (Op::TYPE_POINTER, vec![INPUT_POINTER, 1, INT]),
        (Op::VARIABLE, vec![INPUT_POINTER, INPUT, 1]),
        (Op::TYPE_POINTER, vec![PRIVATE_POINTER, 6, INT]),
        (Op::SPEC_CONSTANT, vec![INT, SPECIALIZABLE, 3]),
    ];
    let numbers = (0..10).map(|value| (Op::CONSTANT, vec![INT, number(value), value]));
    let private = [(Op::VARIABLE, vec![PRIVATE_POINTER, PRIVATE, 6, number(3)])];
    let mut words = vec![0x0723_0203, 0x1_0300, 0, 1000, 0];
    for (op, operands) in declarations.into_iter().chain(numbers).chain(private).chain(functions) {
        words.push((operands.len() as u32 + 1) << 16 | u32::from(op.0));
        words.extend(operands);
    }
    Module::parse_owned(words).expect("the shader is well-formed")
}

fn count(strips: Topology, streams: &[u32], functions: Code) -> Option<Vec<u32>> {
    let m = shader(functions);
    let entry = m.entry_points().next().expect("there is one");
    primitives(&m, entry, strips, streams)
}

/// Returns the number of triangles that a shader emits to stream 0.
fn triangles(functions: Code) -> Option<u32> {
    count(Topology::TriangleStrip, &[0], functions).map(|counts| counts[0])
}

#[test]
fn the_first_vertices_of_strips_complete_no_primitive() {
    let body = || [emit(4), cut(), emit(2), cut(), cut(), emit(3)].concat();
    let expected =
        [(Topology::PointList, 9), (Topology::LineStrip, 6), (Topology::TriangleStrip, 3)];
    for (strips, primitives) in expected {
        assert_eq!(count(strips, &[0], main(body())), Some(vec![primitives]), "{strips:?}");
    }
    assert_eq!(triangles(main(Vec::new())), Some(0));
}

#[test]
fn vertex_streams_are_counted_separately() {
    let emit_to = |stream| code(Op::EMIT_STREAM_VERTEX, &[number(stream)]);
    let cut_of = |stream| code(Op::END_STREAM_PRIMITIVE, &[number(stream)]);
    let body = || [emit_to(0), emit_to(2), emit_to(2), cut_of(0), emit_to(0), emit_to(2)].concat();
    assert_eq!(count(Topology::LineStrip, &[0, 2], main(body())), Some(vec![0, 2]));
    assert_eq!(count(Topology::LineStrip, &[0], main(body())), None);
}

#[test]
fn loops_with_constant_bounds_are_counted() {
    assert_eq!(triangles(main(count_to(100, number(3), emit(1)))), Some(1));
    let strips = count_to(100, number(3), [emit(4), cut()].concat());
    assert_eq!(triangles(main(strips)), Some(6));
    assert_eq!(triangles(main(count_to(100, SPECIALIZABLE, emit(1)))), None);
}

#[test]
fn phis_are_evaluated_for_the_edge_that_is_taken() {
    // The two phis swap their values in each iteration.
    let phi = |id, first, next| code(Op::PHI, &[INT, id, first, 99, next, 103]);
    let body = [
        branch(100),
        label(100),
        phi(110, number(0), 113),
        phi(111, number(3), 112),
        phi(112, number(5), 111),
        code(Op::LOOP_MERGE, &[101, 103, 0]),
        branch(102),
        label(102),
        code(Op::S_LESS_THAN, &[BOOL, 114, 110, number(4)]),
        code(Op::BRANCH_CONDITIONAL, &[114, 103, 101]),
        label(103),
        add(113, 110, number(1)),
        emit(1),
        branch(100),
        label(101),
        code(Op::I_EQUAL, &[BOOL, 115, 111, number(3)]),
        code(Op::SELECTION_MERGE, &[105, 0]),
        code(Op::BRANCH_CONDITIONAL, &[115, 104, 105]),
        label(104),
        emit(5),
        branch(105),
        label(105),
    ];
    assert_eq!(triangles(main(body.concat())), Some(7));
}

#[test]
fn switches_with_known_selectors_are_followed() {
    let body = [
        load(110, LOCAL),
        code(Op::SELECTION_MERGE, &[121, 0]),
        code(Op::SWITCH, &[110, 121, 2, 122, 4, 123]),
        label(122),
        emit(1),
        branch(123),
        label(123),
        emit(1),
        branch(121),
        label(121),
    ];
    assert_eq!(triangles(main(count_to(100, number(6), body.concat()))), Some(1));
}

#[test]
fn branches_with_unknown_conditions_are_skipped_if_they_do_not_emit() {
    let silent = if_input(100, load(110, INPUT));
    assert_eq!(triangles(main([silent, emit(3)].concat())), Some(1));
    assert_eq!(triangles(main([if_input(100, emit(1)), emit(3)].concat())), None);
    assert_eq!(triangles(main([if_input(100, cut()), emit(3)].concat())), None);
}

#[test]
fn returns_with_unknown_conditions_must_follow_all_emits() {
    let early = || {
        let leave = [code(Op::RETURN, &[]), label(120)].concat();
        if_input(100, leave)
    };
    assert_eq!(triangles(main([early(), emit(3)].concat())), None);
    assert_eq!(triangles(main([emit(3), early()].concat())), Some(1));

    // A function that does not emit may return early.
    let function = function(200, FUNCTION, &[], [label(201), early()].concat());
    let body = [call(202, 200, &[]), emit(3)].concat();
    assert_eq!(triangles([main(body), function].concat()), Some(1));
}

#[test]
fn loops_with_unknown_bounds_are_skipped_if_they_do_not_emit() {
    let silent = count_from_input(100, Vec::new());
    assert_eq!(triangles(main([silent, emit(3)].concat())), Some(1));
    assert_eq!(triangles(main(count_from_input(100, emit(1)))), None);
    let then = [count_from_input(100, Vec::new()), load(110, LOCAL), count_to(120, 110, emit(1))];
    assert_eq!(triangles(main(then.concat())), None);
}

#[test]
fn unknown_breaks_and_continues_prevent_emits() {
    for target in [101, 102] {
        let jump = |body| {
            let leave = [branch(target), label(130)].concat();
            main(count_to(100, number(3), [if_input(120, leave), body].concat()))
        };
        assert_eq!(triangles(jump(emit(1))), None);
        assert_eq!(triangles(jump(Vec::new())), Some(0));
    }
}

#[test]
fn variables_that_skipped_instructions_store_to_are_unknown() {
    for (pointer, other) in [(LOCAL, PRIVATE), (PRIVATE, LOCAL)] {
        let changed = |from: u32| {
            let start = [store(pointer, number(3)), store(other, number(3))].concat();
            let skipped =
                if_input(100, [add(110, number(1), number(3)), store(pointer, 110)].concat());
            // The loop stores to the local variable, too.
            let looped = count_to(120, 112, emit(1));
            main([start, skipped, load(112, from), looped].concat())
        };
        assert_eq!(triangles(changed(pointer)), None);
        assert_eq!(triangles(changed(other)), Some(1));
    }
}

#[test]
fn variables_are_unknown_after_instructions_with_unknown_effects() {
    let unknown = [code(Op::COPY_MEMORY, &[PRIVATE, INPUT]), load(110, PRIVATE)].concat();
    assert_eq!(triangles(main([unknown, count_to(100, 110, emit(1))].concat())), None);
    let uninitialized = [load(110, LOCAL), count_to(100, 110, emit(1))].concat();
    assert_eq!(triangles(main(uninitialized)), None);
}

#[test]
fn skipped_results_of_earlier_iterations_are_unknown() {
    // Each iteration but the first is skipped, because the private variable then becomes the input. Its copy is
    // known in the first iteration only.
    let condition = [load(110, PRIVATE), code(Op::I_EQUAL, &[BOOL, 111, 110, number(3)])].concat();
    let body = [
        condition,
        code(Op::SELECTION_MERGE, &[121, 0]),
        code(Op::BRANCH_CONDITIONAL, &[111, 120, 121]),
        label(120),
        load(112, PRIVATE),
        load(113, INPUT),
        store(PRIVATE, 113),
        branch(121),
        label(121),
        code(Op::PHI, &[INT, 114, 112, 120, number(3), 109]),
        code(Op::I_EQUAL, &[BOOL, 115, 114, number(3)]),
        code(Op::SELECTION_MERGE, &[123, 0]),
        code(Op::BRANCH_CONDITIONAL, &[115, 122, 123]),
        label(122),
        emit(1),
        branch(123),
        label(123),
    ]
    .concat();
    let of = |iterations| triangles(main(count_to(100, number(iterations), body.clone())));
    assert_eq!((of(1), of(2)), (Some(0), None));
}

#[test]
fn functions_are_interpreted_with_their_arguments() {
    let emits = function(200, TAKES_INT, &[(INT, 201)], {
        let variable = code(Op::VARIABLE, &[POINTER, 203, 7]);
        let body = count_to(210, 201, emit(1));
        [label(202), variable, body, cut()].concat()
    });
    let sets = function(300, TAKES_POINTER, &[(POINTER, 301)], {
        [label(302), store(301, number(5))].concat()
    });
    let body = [
        call(100, 200, &[number(3)]),
        call(101, 200, &[number(4)]),
        call(102, 300, &[LOCAL]),
        load(103, LOCAL),
        call(104, 200, &[103]),
    ];
    assert_eq!(triangles([main(body.concat()), emits, sets].concat()), Some(6));
}

#[test]
fn skipped_calls_may_change_private_variables_and_arguments() {
    let sets = |pointer| {
        function(200, TAKES_POINTER, &[(POINTER, 201)], {
            [label(202), call(203, 300, &[201])].concat()
        })
        .into_iter()
        .chain(function(300, TAKES_POINTER, &[(POINTER, 301)], {
            [label(302), store(pointer, number(4))].concat()
        }))
        .collect::<Code>()
    };
    const OTHER: u32 = 98;
    let changed = |loaded, pointer, argument| {
        let variable = code(Op::VARIABLE, &[POINTER, OTHER, 7]);
        let skipped = if_input(100, call(110, 200, &[argument]));
        let used = [load(111, loaded), count_to(120, 111, emit(1))].concat();
        let main = main([variable, store(LOCAL, number(3)), skipped, used].concat());
        triangles([main, sets(pointer)].concat())
    };
    assert_eq!(changed(PRIVATE, PRIVATE, LOCAL), None);
    assert_eq!(changed(LOCAL, 301, LOCAL), None);
    // They change no other variables of the caller.
    assert_eq!(changed(LOCAL, 301, OTHER), Some(1));
}

#[test]
fn skipped_calls_must_not_emit() {
    let outer = function(200, FUNCTION, &[], [label(201), call(202, 300, &[])].concat());
    let inner = function(300, FUNCTION, &[], [label(301), emit(1)].concat());
    let main = main(if_input(100, call(110, 200, &[])));
    assert_eq!(triangles([main, outer, inner].concat()), None);
}

#[test]
fn endless_loops_and_recursion_are_given_up() {
    let endless = [branch(100), label(100), branch(100), label(101)].concat();
    assert_eq!(triangles(main([emit(3), endless].concat())), None);
    let recursive = function(200, FUNCTION, &[], [label(201), call(202, 200, &[])].concat());
    let called = |body| [main(body), recursive.clone()].concat();
    assert_eq!(triangles(called(call(110, 200, &[]))), None);
    assert_eq!(triangles(called(if_input(100, call(110, 200, &[])))), Some(0));
}

#[test]
fn invalid_control_flow_is_given_up() {
    let bodies = [
        branch(998),
        branch(INPUT),
        branch(MAIN),
        code(Op::UNREACHABLE, &[]),
        code(Op::KILL, &[]),
        code(Op::BRANCH_CONDITIONAL, &[998, 99, 997]),
        code(Op::SWITCH, &[number(1), 998, 1]),
        code(Op::SWITCH, &[SPECIALIZABLE, 998, 1]),
        code(Op::FUNCTION_CALL, &[VOID, 110, 998]),
        code(Op::FUNCTION_CALL, &[VOID, 110, INPUT]),
        [code(Op(0xfffe), &[1, 2, 3]), label(100)].concat(),
        label(100),
    ];
    for body in bodies {
        let shown = format!("{body:?}");
        assert_eq!(triangles(main([emit(3), body].concat())), None, "{shown}");
    }
    assert_eq!(triangles(function(MAIN, FUNCTION, &[], Vec::new())), None, "there is no block");
}

/// An unknown instruction may store through its operands only.
#[test]
fn unknown_instructions_change_their_operands() {
    for (pointer, expected) in [(LOCAL, None), (INPUT, Some(1))] {
        let unknown = code(Op(0xfffe), &[pointer]);
        let stored = store(LOCAL, number(3));
        let body = [stored, unknown, load(111, LOCAL), count_to(100, 111, emit(1))];
        assert_eq!(triangles(main(body.concat())), expected, "{pointer}");
    }
}

#[test]
fn access_chains_and_copies_that_refer_to_themselves_are_given_up() {
    for op in [Op::ACCESS_CHAIN, Op::COPY_OBJECT, Op::PHI] {
        let pointer = code(op, &[POINTER, 110, 110]);
        let body = [pointer, store(110, number(3)), load(111, 110), count_to(100, 111, emit(1))];
        assert_eq!(triangles(main(body.concat())), None, "{op:?}");
    }
}
