//! The metamorphic oracle detects lowerings that depend on the form of a shader. Each lowering here replaces some
//! additions by subtractions, and exactly one transformation changes its result.

use polyshade::spv::view::EntryPoint;
use polyshade::spv::{ExecutionModel, FunctionBody, Id, Inst, Op, is_known};
use polyshade::{Error, Module};
use polyshade_testing::{Attempt, Choices, Transformations, Trial, Variants, check_transformed};
use polyshade_tests::shader::{ShaderStage, module};

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

fn lacks(function: FunctionBody<'_>, op: Op) -> bool {
    function.instructions().all(|inst| inst.op() != op)
}

/// Returns the oracle's verdict on the trial under transformations, for each seed.
fn verdicts(trial: Trial, transformations: Transformations) -> Vec<Result<(), String>> {
    let module = module(SHADER, ShaderStage::Vertex);
    let entry = module.entry_points().next().expect("there is main");
    let verdict = |seed| {
        let mut choices = Choices::seeded(seed);
        check_transformed(&trial, &module, entry, transformations, &mut choices)
    };
    (0..SEEDS).map(verdict).collect()
}

#[test]
fn each_transformation_exposes_a_lowering_that_depends_on_it() {
    let none = Transformations::NONE;
    // Faulty lowerings, each with the transformation that exposes it.
    let broken: [(&str, Attempt, Transformations); 5] = [
        (
            "even ids",
            |m, entry, _| {
                let is_even = |id: Id| id.word().is_multiple_of(2);
                subtract(m, entry, |_, _, sum| sum.result().is_some_and(is_even))
            },
            Transformations { permuted: true, ..none },
        ),
        (
            "nothing copied",
            |m, entry, _| subtract(m, entry, |_, function, _| lacks(function, Op::COPY_OBJECT)),
            Transformations { dead_code: true, ..none },
        ),
        (
            "all known",
            |m, entry, _| {
                subtract(m, entry, |_, function, _| {
                    function.instructions().all(|inst| is_known(inst.op()))
                })
            },
            Transformations { unknown: true, ..none },
        ),
        (
            "no notes",
            |m, entry, _| subtract(m, entry, |_, function, _| lacks(function, Op::EXT_INST)),
            Transformations { annotated: true, ..none },
        ),
        (
            "only main",
            |m, entry, _| {
                subtract(m, entry, |entry, function, _| function.id() == entry.function())
            },
            Transformations { outlined: true, ..none },
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
    let trial = Trial::new("all", STAGES, |m, entry, _| subtract(m, entry, |_, _, _| true));
    for verdict in verdicts(trial, all) {
        verdict.expect("all sums are changed, wherever they are");
    }
}
