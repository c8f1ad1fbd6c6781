//! Types and constants are declared unless they already exist. Existing declarations are reused.

use crate::build::{Words, id, shader};
use polyshade_spv::{Decoration, Id, Module, Op, Progress, Section, StorageClass, Type};
use std::collections::HashSet;

/// Two pointer types to `float`, `%12` and `%14`, an array `%15` and a structure `%16`. All but `%12` are decorated.
fn types() -> Words {
    let mut words = Words::new(30);
    words.inst(Op::MEMORY_MODEL, &[0, 1]);
    words.inst(Op::DECORATE, &[14, Decoration::ARRAY_STRIDE.0, 4]);
    words.inst(Op::DECORATE, &[15, Decoration::ARRAY_STRIDE.0, 16]);
    words.inst(Op::MEMBER_DECORATE, &[16, 0, Decoration::OFFSET.0, 0]);
    words.inst(Op::TYPE_FLOAT, &[10, 32]);
    words.inst(Op::TYPE_INT, &[11, 32, 0]);
    words.inst(Op::TYPE_POINTER, &[14, 12, 10]);
    words.inst(Op::TYPE_POINTER, &[12, 12, 10]);
    words.inst(Op::CONSTANT, &[11, 13, 2]);
    words.inst(Op::TYPE_ARRAY, &[15, 10, 13]);
    words.inst(Op::TYPE_STRUCT, &[16, 10]);
    words
}

/// Checks that every type, constant and variable is defined before it is used.
#[track_caller]
fn in_order(module: &Module<'_>) {
    let mut defined: HashSet<Id> = HashSet::new();
    for inst in module.section(Section::Globals) {
        module.for_each_operand(inst, |_, id, _| {
            assert!(defined.contains(&id), "{inst:?} uses {id} before it is defined");
        });
        defined.extend(inst.result());
    }
}

#[test]
fn what_is_there_is_found() {
    let words = types();
    let m = words.parse();
    let next = m
        .rewrite(|_, p| {
            assert_eq!(p.float(), id(10));
            assert_eq!(p.uint(), id(11));
            assert_eq!(p.pointer(StorageClass(12), id(10)), id(12));
            assert_eq!(p.uint_constant(2), id(13));
            Ok(())
        })
        .unwrap();
    assert_eq!(next.progress, Progress::Unchanged);
}

#[test]
fn what_is_decorated_is_not_the_same() {
    let words = types();
    let m = words.parse();
    let next = m
        .rewrite(|_, p| {
            let array = p.array(id(10), 2);
            assert!(array.word() >= 30);
            assert_eq!(p.array(id(10), 2), array);
            assert!(p.declare(Op::TYPE_STRUCT, &[10]).word() >= 30);
            Ok(array)
        })
        .unwrap();
    let array = next.module.ty(next.value);
    assert_eq!(array, Some(Type::Array { element: id(10), length: id(13) }));
    assert_eq!(next.module.decorations_of(next.value).count(), 0);
    in_order(&next.module);
}

#[test]
fn what_is_declared_twice_in_one_patch_is_there_once() {
    let words = shader(5);
    let m = words.parse();
    let next = m
        .rewrite(|_, p| {
            let first = (p.float_constant(1.5), p.uint_constant(3), p.import("GLSL.std.450"));
            let again = (p.float_constant(1.5), p.uint_constant(3), p.import("GLSL.std.450"));
            assert_eq!(first, again);
            assert_ne!(p.float_constant(0.0), p.float_constant(-0.0), "the bits count");
            p.extension("SPV_KHR_multiview");
            p.extension("SPV_KHR_multiview");
            let float = p.float();
            assert_ne!(p.structure(&[float]), p.structure(&[float]), "structures are ever new");
            Ok(())
        })
        .unwrap();
    let count = |op| next.module.preamble().filter(|inst| inst.op() == op).count();
    assert_eq!(
        [Op::CONSTANT, Op::EXT_INST_IMPORT, Op::EXTENSION, Op::TYPE_STRUCT].map(count),
        [4, 1, 1, 2]
    );
    in_order(&next.module);
}

#[test]
fn a_new_declaration_stands_directly_behind_its_operands() {
    let words = types();
    let m = words.parse();
    let next = m
        .rewrite(|_, p| {
            let vector = p.vector(id(10), 4);
            Ok((vector, p.array(vector, 2), p.bool(), p.composite_constant(vector, &[id(13); 4])))
        })
        .unwrap();
    let order: Vec<u32> = next
        .module
        .section(Section::Globals)
        .filter_map(|inst| Some(inst.result()?.word()))
        .collect();
    let (vector, array, bool, constant) = next.value;
    let [vector, array, bool, constant] = [vector, array, bool, constant].map(Id::word);
    assert_eq!(order, [bool, 10, vector, 11, 14, 12, 13, array, constant, 15, 16]);
    in_order(&next.module);
}

#[test]
fn what_is_needed_earlier_moves_behind_its_operands() {
    let words = types();
    let m = words.parse();
    let needed = m.definition(id(11)).unwrap().at();
    let next = m
        .rewrite(|_, p| {
            let pointer = p.pointer_before(StorageClass(12), id(10), needed);
            assert_eq!(p.pointer_before(StorageClass(12), id(10), needed), pointer);
            Ok(pointer)
        })
        .unwrap();
    assert_eq!(next.value, id(12), "the one that is there");
    let order: Vec<u32> = next
        .module
        .section(Section::Globals)
        .filter_map(|inst| Some(inst.result()?.word()))
        .collect();
    assert_eq!(order, [10, 12, 11, 14, 13, 15, 16]);
    assert_eq!(next.module.words().len(), m.words().len());
}

#[test]
fn specialization_constants_are_new_and_have_their_numbers() {
    let words = types();
    let m = words.parse();
    let next = m
        .rewrite(|_, p| {
            Ok([
                p.spec_constant(7, 2),
                p.spec_constant_bool(8, true),
                p.spec_constant_bool(9, false),
            ])
        })
        .unwrap();
    let module = &next.module;
    let ops = next.value.map(|id| module.definition(id).unwrap().op());
    assert_eq!(ops, [Op::SPEC_CONSTANT, Op::SPEC_CONSTANT_TRUE, Op::SPEC_CONSTANT_FALSE]);
    let numbers = next.value.map(|id| module.decoration(id, Decoration::SPEC_ID).unwrap()[0]);
    assert_eq!(numbers, [7, 8, 9]);
    assert_eq!(module.constant(next.value[0]), None, "its value is the host's");
    in_order(module);
}

#[test]
fn a_variable_stands_behind_all_types_and_its_initializer() {
    let words = types();
    let m = words.parse();
    let next = m
        .rewrite(|_, p| {
            let one = p.float_constant(1.0);
            let variable = p.variable(StorageClass::PRIVATE, id(10), Some(one));
            let late = p.structure(&[id(15)]);
            Ok((variable, p.variable(StorageClass::PRIVATE, late, None)))
        })
        .unwrap();
    in_order(&next.module);
    let variables: Vec<Id> = next.module.variables().map(|variable| variable.result()).collect();
    assert_eq!(variables, [next.value.0, next.value.1]);
    assert!(next.module.variables().next().unwrap().initializer().is_some());
}
