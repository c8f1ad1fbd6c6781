//! The metamorphic oracle detects lowerings that depend on the form of a shader. Each lowering here replaces some
//! additions by subtractions, and exactly one transformation changes its result.

use polyshade::spv::view::EntryPoint;
use polyshade::spv::{ExecutionModel, FunctionBody, Inst, Op, is_known};
use polyshade::{Error, Module};
use polyshade_testing::{Choices, Transformations, Trial, Variants, check_transformed};
use polyshade_tests::shader::{ShaderStage, compile};

const STAGES: &[ExecutionModel] = &[ExecutionModel::VERTEX];
/// The number of seeds for each transformation.
const SEEDS: u64 = 64;
const SHADER: &str = "#version 450
    layout(location = 0) in vec4 a;
    layout(location = 1) in vec4 b;
    layout(location = 0) out vec4 sum;
    void main() {
        vec4 both = a + b;
        sum = both + a;
        gl_Position = sum + both;
    }";

/// Replaces additions by subtractions if `is_wanted` accepts the entry point, the function and the instruction.
fn subtract(
    m: &Module<'_>,
    entry: EntryPoint<'_>,
    is_wanted: impl Fn(EntryPoint<'_>, FunctionBody<'_>, Inst<'_>) -> bool,
) -> Result<Variants, Error> {
    let changed = m.rewrite(|m, p| {
        for function in m.functions() {
            let sums = function.instructions().filter(|inst| inst.op() == Op::F_ADD);
            for sum in sums.filter(|sum| is_wanted(entry, function, *sum)) {
                p.remove(sum);
                p.insert(sum.before(), Op::F_SUB, &sum.words()[1..]);
            }
        }
        Ok(())
    })?;
    Ok(vec![("changed", changed.module.into_owned())])
}

fn subtract_all(m: &Module<'_>, entry: EntryPoint<'_>, _: &mut Choices) -> Result<Variants, Error> {
    subtract(m, entry, |_, _, _| true)
}

fn subtract_even_ids(
    m: &Module<'_>,
    entry: EntryPoint<'_>,
    _: &mut Choices,
) -> Result<Variants, Error> {
    subtract(m, entry, |_, _, sum| sum.result().is_some_and(|id| id.word().is_multiple_of(2)))
}

fn subtract_without_copies(
    m: &Module<'_>,
    entry: EntryPoint<'_>,
    _: &mut Choices,
) -> Result<Variants, Error> {
    subtract(m, entry, |_, function, _| {
        function.instructions().all(|inst| inst.op() != Op::COPY_OBJECT)
    })
}

fn subtract_what_is_known(
    m: &Module<'_>,
    entry: EntryPoint<'_>,
    _: &mut Choices,
) -> Result<Variants, Error> {
    subtract(m, entry, |_, function, _| function.instructions().all(|inst| is_known(inst.op())))
}

fn subtract_in_main(
    m: &Module<'_>,
    entry: EntryPoint<'_>,
    _: &mut Choices,
) -> Result<Variants, Error> {
    subtract(m, entry, |entry, function, _| function.id() == entry.function())
}

fn subtract_without_notes(
    m: &Module<'_>,
    entry: EntryPoint<'_>,
    _: &mut Choices,
) -> Result<Variants, Error> {
    subtract(m, entry, |_, function, _| {
        function.instructions().all(|inst| inst.op() != Op::EXT_INST)
    })
}

/// Returns the oracle's verdict on the trial under transformations, for each seed.
fn verdicts(trial: Trial, transformations: Transformations) -> Vec<Result<(), String>> {
    let words = compile(SHADER, ShaderStage::Vertex).expect("it compiles");
    let module = Module::parse(&words).expect("glslang writes modules");
    let entry = module.entry_points().next().expect("there is main");
    let verdict = |seed| {
        let mut choices = Choices::seeded(seed);
        check_transformed(&trial, &module, entry, transformations, &mut choices)
    };
    (0..SEEDS).map(verdict).collect()
}

#[test]
fn each_transformation_exposes_a_lowering_that_depends_on_it() {
    // Faulty lowerings, each with the transformation that exposes it.
    let broken = [
        (
            "even ids",
            subtract_even_ids as polyshade_testing::Attempt,
            Transformations { permuted: true, ..Transformations::NONE },
        ),
        (
            "nothing copied",
            subtract_without_copies,
            Transformations { dead_code: true, ..Transformations::NONE },
        ),
        (
            "all known",
            subtract_what_is_known,
            Transformations { unknown: true, ..Transformations::NONE },
        ),
        (
            "no notes",
            subtract_without_notes,
            Transformations { annotated: true, ..Transformations::NONE },
        ),
        (
            "only main",
            subtract_in_main,
            Transformations { outlined: true, ..Transformations::NONE },
        ),
    ];
    for (name, attempt, transformations) in broken {
        let trial = Trial::new(name, STAGES, attempt);
        assert!(
            verdicts(trial, Transformations::NONE).iter().all(Result::is_ok),
            "{name} without a transformation"
        );
        let noticed = verdicts(trial, transformations).into_iter().filter(Result::is_err).count();
        assert!(
            noticed > SEEDS as usize / 2,
            "{name}: {noticed} of {SEEDS} under {transformations:?}"
        );
    }
}

#[test]
fn a_lowering_that_looks_at_none_of_it_is_undone_by_none() {
    let all = Transformations {
        permuted: true,
        dead_code: true,
        unknown: true,
        outlined: true,
        annotated: true,
    };
    for verdict in verdicts(Trial::new("all", STAGES, subtract_all), all) {
        verdict.expect("all sums are changed, wherever they are");
    }
}
