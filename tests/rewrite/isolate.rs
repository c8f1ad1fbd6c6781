//! Isolation clones shared code. [The cases](../cases/rewrite/isolate) show how, and this test shows that no shared
//! code is missed.

use crate::shader::case;
use polyshade::rewrite;
use polyshade_spv::{ExecutionModel, Id, Module, Op, StorageClass};
use std::collections::HashSet;

/// Returns the functions, private and interface variables, and output structures that an entry point uses.
fn belongings(m: &Module<'_>, name: &str) -> HashSet<Id> {
    let entry = m.entry_points().find(|entry| entry.name() == name).unwrap();
    let mut all: HashSet<Id> = m.reachable(entry.function()).into_iter().collect();
    for function in all.clone() {
        for inst in m.function(function).unwrap().instructions() {
            m.for_each_operand(inst, |_, id, _| {
                let classes = [StorageClass::PRIVATE, StorageClass::INPUT, StorageClass::OUTPUT];
                let is_global = m.variables().any(|variable| variable.result() == id);
                if is_global && classes.contains(&m.storage_class(id).unwrap()) {
                    all.insert(id);
                }
            });
        }
    }
    all.extend(entry.interface());
    let structures: Vec<Id> = all
        .iter()
        .filter(|id| m.storage_class(**id) == Some(StorageClass::OUTPUT))
        .map(|id| m.pointer(m.type_of(*id).unwrap()).unwrap().1)
        .filter(|ty| m.definition(*ty).unwrap().op() == Op::TYPE_STRUCT)
        .collect();
    all.extend(structures);
    all
}

#[test]
fn an_isolated_entry_point_has_nothing_that_another_has() {
    let shared = case("isolate/first.spvasm");
    let before = ["a", "b"].map(|name| belongings(&shared, name));
    assert!(before[0].intersection(&before[1]).count() >= 4, "they share what they can");
    for (name, other) in [("a", "b"), ("b", "a")] {
        let isolated = rewrite::isolate(&shared, name, ExecutionModel::VERTEX).unwrap();
        assert!(isolated.is_changed());
        let [mine, others] = [name, other].map(|name| belongings(&isolated.module, name));
        assert!(mine.is_disjoint(&others), "{:?}", mine.intersection(&others));
        assert_eq!(others, belongings(&shared, other), "the other keeps its ids");
    }
}
