//! Rewrite tools on modules with an unknown instruction, whose words may be ids.

use crate::shader::{case, count, entry, named};
use polyshade::rewrite::{self, Copies, DceOptions};
use polyshade_spv::{ErrorKind, ExecutionModel, Inst, Module, Op};
use polyshade_tests::shader::{ShaderStage, module};

const UNKNOWN: Op = Op(0x7123);

/// Returns the module with an unknown instruction after `behind`, and the word offset of the unknown instruction.
fn with_unknown(
    m: &Module<'static>,
    behind: impl for<'v> Fn(&'v Module<'static>) -> Inst<'v>,
    operands: &[u32],
) -> (Module<'static>, u32) {
    let next = m.rewrite(|m, p| {
        p.insert(behind(m).after(), UNKNOWN, operands);
        Ok(behind(m).end())
    });
    let next = next.expect("one instruction more");
    (next.module.into_owned(), next.value)
}

fn stores<'v>(m: &'v Module<'_>) -> impl Iterator<Item = Inst<'v>> {
    m.instructions().filter(|inst| inst.op() == Op::STORE)
}

fn unknown<'v>(m: &'v Module<'_>) -> Inst<'v> {
    let mut all = m.instructions().filter(|inst| inst.op() == UNKNOWN);
    let only = all.next().expect("it is kept");
    assert!(all.next().is_none());
    only
}

#[test]
fn it_stays_in_the_body_that_is_wrapped() {
    let source = "#version 450\nvoid main() { gl_Position = vec4(1.0); }";
    let m = module(source, ShaderStage::Vertex);
    let operands = [named(&m, "main").word(), 1, u32::MAX];
    let (m, _) = with_unknown(&m, |m| stores(m).next().unwrap(), &operands);
    let wrapped = m.rewrite(|m, p| {
        rewrite::wrap(m, p, entry(m));
        Ok(())
    });
    let wrapped = wrapped.unwrap().module;
    assert_eq!(unknown(&wrapped).words()[1..], operands);
    let around = wrapped.function_around(unknown(&wrapped).at()).unwrap();
    assert_eq!(around.id(), named(&wrapped, "main_body"));
}

#[test]
fn it_keeps_the_variables_that_it_may_use() {
    let m = case("demote-to-private/pointers.spvasm");
    let operands = ["w", "x"].map(|name| named(&m, name).word());
    let (m, _) = with_unknown(&m, |m| stores(m).last().unwrap(), &operands);
    let taken = m.rewrite(|m, p| {
        let wrapper = rewrite::wrap(m, p, entry(m));
        let variables = ["v", "w"].map(|name| named(m, name));
        rewrite::demote_to_private(m, p, entry(m), &variables, Copies::At(wrapper.epilogue))
            .map(drop)
    });
    assert_eq!(unknown(&taken.unwrap().module).words()[1..], operands);
}

#[test]
fn a_function_that_is_shared_is_not_cloned_with_it() {
    let m = case("isolate/first.spvasm");
    let shared = named(&m, "shared");
    let inside = |function: &str| {
        let function = named(&m, function);
        let label = |inst: &Inst<'_>| inst.op() == Op::LABEL;
        with_unknown(
            &m,
            |m| m.function(function).unwrap().instructions().find(label).unwrap(),
            &[shared.word()],
        )
    };
    let (sprinkled, at) = inside("shared");
    let error = rewrite::isolate(&sprinkled, "a", ExecutionModel::VERTEX).map(drop).unwrap_err();
    assert_eq!((error.kind(), error.word_offset()), (ErrorKind::Unsupported, Some(at)));
    assert_eq!(error.id(), Some(shared));
    assert!(rewrite::isolate(&sprinkled, "c", ExecutionModel::FRAGMENT).is_ok());

    let (sprinkled, _) = inside("b");
    assert!(rewrite::isolate(&sprinkled, "a", ExecutionModel::VERTEX).is_ok());
}

#[test]
fn a_variable_that_it_may_use_is_not_redirected() {
    let m = case("replace-uses/copies.spvasm");
    let [old, new] = ["old", "new"].map(|name| named(&m, name));
    let (m, at) = with_unknown(&m, |m| stores(m).last().unwrap(), &[old.word()]);
    let error = m.rewrite(|m, p| rewrite::replace_uses(m, p, old, new)).map(drop).unwrap_err();
    assert_eq!((error.kind(), error.id()), (ErrorKind::Unsupported, Some(old)));
    assert_eq!(error.word_offset(), Some(at));
    assert!(
        m.rewrite(|m, p| rewrite::replace_uses(m, p, new, old)).is_ok(),
        "it does not use that one"
    );
}

#[test]
fn it_stays_with_all_that_it_may_use() {
    let source = "#version 450
        layout(location = 0) in vec4 x; void main() { vec4 a = x; a *= 3.0; gl_Position = x; }";
    let m = module(source, ShaderStage::Vertex);
    let product = m.instructions().find(|inst| inst.op() == Op::VECTOR_TIMES_SCALAR).unwrap();
    let operands = [product.result().unwrap().word(), u32::MAX];
    let (m, _) = with_unknown(&m, |m| stores(m).nth(1).unwrap(), &operands);
    let left = rewrite::dce(&m, &DceOptions::new()).unwrap().module;
    assert_eq!(unknown(&left).words()[1..], operands);
    assert_eq!(count(&left, Op::VECTOR_TIMES_SCALAR), 1);
}

#[test]
fn a_function_of_which_it_names_something_stays_whole() {
    let source = "#version 450
        layout(location = 0) in vec4 x;
        vec4 f(vec4 y) { if (y.x > 1.0) y *= 2.0; return y; }
        void main() { vec4 dead = f(x); gl_Position = x; }";
    let m = module(source, ShaderStage::Vertex);
    let product = m.instructions().find(|inst| inst.op() == Op::VECTOR_TIMES_SCALAR).unwrap();
    let label = m.instructions().filter(|inst| inst.op() == Op::LABEL).last().unwrap();
    let functions = |m: &Module<'_>| m.functions().count();
    assert_eq!(functions(&rewrite::dce(&m, &DceOptions::new()).unwrap().module), 1);
    for named in [product, label] {
        let at = m.preamble().find(|inst| inst.op() == Op::NAME).unwrap().at();
        let (m, _) = with_unknown(&m, |m| m.inst_at(at), &[named.result().unwrap().word()]);
        let left = rewrite::dce(&m, &DceOptions::new()).unwrap().module;
        let whole = m.instructions().filter(|inst| inst.op() == Op::LABEL).count();
        assert_eq!((functions(&left), count(&left, Op::LABEL)), (2, whole));
    }
}
