//! Modules that are large in one way. No compiler emits such modules, but an application may pass them. The time and
//! memory of a lowering must grow at most linearly with the number of items, and a lowering must not recurse on the
//! items.

mod builder;

use builder::{Builder, INPUT, LOCATION, OUTPUT, PRIVATE};
use polyshade::spv::{Decoration, Op};

const RELAXED_PRECISION: u32 = Decoration::RELAXED_PRECISION.0;

/// A kind of large modules.
#[derive(Clone, Copy)]
pub struct Shape {
    /// The name of the repeated item.
    pub name: &'static str,
    /// The number of items for the test that time and memory grow linearly.
    pub many: u32,
    /// A number of items that must not cause a failure.
    pub most: u32,
    make: fn(u32) -> Vec<u32>,
}

impl Shape {
    /// Returns a vertex shader `main` with `count` items.
    pub fn words(&self, count: u32) -> Vec<u32> {
        (self.make)(count)
    }
}

macro_rules! shapes {
    ($($name:ident: $many:literal, $most:literal;)*) => {
        /// All kinds.
        pub const SHAPES: &[Shape] =
            &[$(Shape { name: stringify!($name), many: $many, most: $most, make: $name },)*];
    };
}

shapes! {
    instructions: 2_000, 1_000_000;
    stores: 1_200, 300_000;
    functions: 500, 100_000;
    calls_in_calls: 500, 100_000;
    calls_of_two: 30, 30;
    passed_pointers: 500, 100_000;
    copies_of_pointers: 2_000, 200_000;
    selections_in_selections: 500, 10_000;
    loops_in_loops: 400, 10_000;
    cases: 1_000, 30_000;
    loops_one_after_another: 200, 100_000;
    types: 1_000, 100_000;
    types_in_types: 2_000, 100_000;
    constants_in_constants: 1_000, 100_000;
    outputs_in_outputs: 250, 10_000;
    names: 1_000, 100_000;
    decorations: 1_000, 100_000;
    decorations_of_one: 2_000, 100_000;
    outputs: 400, 10_000;
    members: 500, 10_000;
    inputs: 400, 50_000;
    entry_points: 500, 5_000;
    long_instructions: 1, 24;
    unknown_instructions: 2_000, 100_000;
    ids: 20_000, 4_000_000;
}

/// One function with this many instructions. Each instruction uses the result of the previous one.
fn instructions(count: u32) -> Vec<u32> {
    Builder::new().main(|b, ids| {
        let mut value = b.load(ids.float, ids.input);
        for _ in 0..count {
            value = b.value(Op::F_ADD, ids.float, &[value, value]);
        }
        b.inst(Op::STORE, &[ids.output, value]);
    })
}

/// Stores to the output through access chains.
fn stores(count: u32) -> Vec<u32> {
    Builder::new().main(|b, ids| {
        for _ in 0..count {
            let chain = b.value(Op::ACCESS_CHAIN, ids.output_float, &[ids.position, ids.zero]);
            b.inst(Op::STORE, &[chain, ids.one]);
        }
    })
}

/// Functions that `main` calls one after another.
fn functions(count: u32) -> Vec<u32> {
    let mut b = Builder::new();
    let functions = b.reserve(count);
    b.main_and(
        |b, ids| {
            for function in functions.clone() {
                b.value(Op::FUNCTION_CALL, ids.void, &[function]);
            }
        },
        |b, ids| {
            for function in functions.clone() {
                b.function(ids, function, |b| b.inst(Op::STORE, &[ids.output, ids.one]));
            }
        },
    )
}

/// A chain of functions. Each function calls the next.
fn calls_in_calls(count: u32) -> Vec<u32> {
    chain_of_calls(count, 1)
}

/// A chain of functions. Each function calls the next twice, which makes two to the power of `count` calls.
fn calls_of_two(count: u32) -> Vec<u32> {
    chain_of_calls(count, 2)
}

/// A chain of functions. Each function calls the next `times` times.
fn chain_of_calls(count: u32, times: u32) -> Vec<u32> {
    let mut b = Builder::new();
    let functions = b.reserve(count + 1);
    let first = functions.start;
    b.main_and(
        |b, ids| {
            b.value(Op::FUNCTION_CALL, ids.void, &[first]);
        },
        |b, ids| {
            for function in functions.clone() {
                b.function(ids, function, |b| {
                    let calls = if function + 1 < functions.end { times } else { 0 };
                    for _ in 0..calls {
                        b.value(Op::FUNCTION_CALL, ids.void, &[function + 1]);
                    }
                    b.inst(Op::STORE, &[ids.output, ids.one]);
                });
            }
        },
    )
}

/// A chain of functions. Each function passes a pointer to an output to the next. Callees precede their callers.
fn passed_pointers(count: u32) -> Vec<u32> {
    let mut b = Builder::new();
    let functions = b.reserve(count + 1);
    let last = functions.end - 1;
    b.main_and(
        |b, ids| {
            b.value(Op::FUNCTION_CALL, ids.void, &[last, ids.output]);
        },
        |b, ids| {
            for function in functions.clone() {
                b.function_of_pointer(ids, function, |b, pointer| {
                    if function > functions.start {
                        b.value(Op::FUNCTION_CALL, ids.void, &[function - 1, pointer]);
                    }
                    b.inst(Op::STORE, &[pointer, ids.one]);
                });
            }
        },
    )
}

/// A chain of copies of a pointer to an output.
fn copies_of_pointers(count: u32) -> Vec<u32> {
    Builder::new().main(|b, ids| {
        let mut pointer = ids.output;
        for _ in 0..count {
            pointer = b.value(Op::COPY_OBJECT, ids.output_float, &[pointer]);
        }
        b.inst(Op::STORE, &[pointer, ids.one]);
    })
}

fn selections_in_selections(count: u32) -> Vec<u32> {
    Builder::new().main(|b, ids| {
        let merges: Vec<u32> = (0..count)
            .map(|_| {
                let (inner, merge) = (b.id(), b.id());
                b.inst(Op::SELECTION_MERGE, &[merge, 0]);
                b.inst(Op::BRANCH_CONDITIONAL, &[ids.truth, inner, merge]);
                b.inst(Op::LABEL, &[inner]);
                b.inst(Op::STORE, &[ids.output, ids.one]);
                merge
            })
            .collect();
        for merge in merges.into_iter().rev() {
            b.inst(Op::BRANCH, &[merge]);
            b.inst(Op::LABEL, &[merge]);
        }
    })
}

fn loops_in_loops(count: u32) -> Vec<u32> {
    Builder::new().main(|b, ids| {
        let loops: Vec<[u32; 3]> = (0..count)
            .map(|_| {
                let [header, body, merge, next] = [b.id(), b.id(), b.id(), b.id()];
                b.inst(Op::BRANCH, &[header]);
                b.inst(Op::LABEL, &[header]);
                b.inst(Op::LOOP_MERGE, &[merge, next, 0]);
                b.inst(Op::BRANCH_CONDITIONAL, &[ids.truth, body, merge]);
                b.inst(Op::LABEL, &[body]);
                [header, next, merge]
            })
            .collect();
        b.inst(Op::STORE, &[ids.output, ids.one]);
        for [header, next, merge] in loops.into_iter().rev() {
            b.inst(Op::BRANCH, &[next]);
            b.inst(Op::LABEL, &[next]);
            b.inst(Op::BRANCH, &[header]);
            b.inst(Op::LABEL, &[merge]);
        }
    })
}

/// Consecutive loops. Each loop updates a value.
fn loops_one_after_another(count: u32) -> Vec<u32> {
    Builder::new().main(|b, ids| {
        let mut value = b.load(ids.float, ids.input);
        let mut before = ids.entry_block;
        for _ in 0..count {
            let [header, body, merge, next] = [b.id(), b.id(), b.id(), b.id()];
            let [round, sum] = [b.id(), b.id()];
            b.inst(Op::BRANCH, &[header]);
            b.inst(Op::LABEL, &[header]);
            b.inst(Op::PHI, &[ids.float, round, value, before, sum, next]);
            b.inst(Op::LOOP_MERGE, &[merge, next, 0]);
            b.inst(Op::BRANCH_CONDITIONAL, &[ids.truth, body, merge]);
            b.inst(Op::LABEL, &[body]);
            b.inst(Op::BRANCH, &[next]);
            b.inst(Op::LABEL, &[next]);
            b.inst(Op::F_ADD, &[ids.float, sum, round, ids.one]);
            b.inst(Op::BRANCH, &[header]);
            b.inst(Op::LABEL, &[merge]);
            (value, before) = (round, merge);
        }
        b.inst(Op::STORE, &[ids.output, value]);
    })
}

/// A switch with this many cases, and a phi with a value from each case.
fn cases(count: u32) -> Vec<u32> {
    Builder::new().main(|b, ids| {
        let (default, merge, selector) = (b.id(), b.id(), b.id());
        let labels: Vec<u32> = (0..count).map(|_| b.id()).collect();
        let value = b.load(ids.float, ids.input);
        b.inst(Op::CONVERT_F_TO_U, &[ids.uint, selector, value]);
        b.inst(Op::SELECTION_MERGE, &[merge, 0]);
        let targets = (0..).zip(&labels).flat_map(|(case, label)| [case, *label]);
        let operands: Vec<u32> = [selector, default].into_iter().chain(targets).collect();
        b.inst(Op::SWITCH, &operands);
        for label in labels.iter().chain([&default]) {
            b.inst(Op::LABEL, &[*label]);
            b.inst(Op::BRANCH, &[merge]);
        }
        b.inst(Op::LABEL, &[merge]);
        let incoming: Vec<u32> =
            labels.iter().chain([&default]).flat_map(|label| [ids.one, *label]).collect();
        let phi = b.value(Op::PHI, ids.float, &incoming);
        b.inst(Op::STORE, &[ids.output, phi]);
    })
}

/// Unused types.
fn types(count: u32) -> Vec<u32> {
    Builder::new().with_globals(|b, ids| {
        for length in 0..count {
            let constant = b.value(Op::CONSTANT, ids.uint, &[length + 16]);
            b.result(Op::TYPE_ARRAY, &[ids.float, constant]);
        }
    })
}

fn types_in_types(count: u32) -> Vec<u32> {
    Builder::new().with_globals(|b, ids| {
        let mut ty = ids.float;
        for _ in 0..count {
            ty = b.result(Op::TYPE_STRUCT, &[ty]);
        }
        let pointer = b.result(Op::TYPE_POINTER, &[PRIVATE, ty]);
        b.value(Op::VARIABLE, pointer, &[PRIVATE]);
    })
}

/// Nested constant composites.
fn constants_in_constants(count: u32) -> Vec<u32> {
    Builder::new().with_globals(|b, ids| {
        let (mut ty, mut constant) = (ids.float, ids.one);
        for _ in 0..count {
            ty = b.result(Op::TYPE_STRUCT, &[ty]);
            constant = b.value(Op::CONSTANT_COMPOSITE, ty, &[constant]);
        }
        let pointer = b.result(Op::TYPE_POINTER, &[PRIVATE, ty]);
        b.value(Op::VARIABLE, pointer, &[PRIVATE, constant]);
    })
}

/// An output of a nested type.
fn outputs_in_outputs(count: u32) -> Vec<u32> {
    let mut b = Builder::new();
    let [output] = b.reserve_interface();
    b.name(output, "nested");
    b.decorate(output, &[LOCATION, 1]);
    b.with_globals(|b, ids| {
        let mut ty = ids.float;
        for _ in 0..count {
            ty = b.result(Op::TYPE_STRUCT, &[ty]);
        }
        let pointer = b.result(Op::TYPE_POINTER, &[OUTPUT, ty]);
        b.inst(Op::VARIABLE, &[pointer, output, OUTPUT]);
    })
}

/// `OpName` instructions for constants.
fn names(count: u32) -> Vec<u32> {
    let mut b = Builder::new();
    let constants = b.reserve(count);
    constants.clone().for_each(|constant| b.name(constant, &format!("v{constant}")));
    b.with_globals(|b, ids| {
        constants
            .clone()
            .for_each(|constant| b.inst(Op::CONSTANT, &[ids.uint, constant, constant]));
    })
}

/// Decorations of private variables.
fn decorations(count: u32) -> Vec<u32> {
    let mut b = Builder::new();
    let variables = b.reserve(count);
    variables.clone().for_each(|variable| b.decorate(variable, &[RELAXED_PRECISION]));
    b.with_globals(|b, ids| {
        variables
            .clone()
            .for_each(|variable| b.inst(Op::VARIABLE, &[ids.private_float, variable, PRIVATE]));
    })
}

/// One decoration of one variable, repeated.
fn decorations_of_one(count: u32) -> Vec<u32> {
    let mut b = Builder::new();
    let [variable] = b.reserve_interface();
    b.decorate(variable, &[LOCATION, 1]);
    (1..count).for_each(|_| b.decorate(variable, &[RELAXED_PRECISION]));
    b.with_globals(|b, ids| b.inst(Op::VARIABLE, &[ids.output_float, variable, OUTPUT]))
}

fn outputs(count: u32) -> Vec<u32> {
    let mut b = Builder::new();
    let variables = b.reserve(count);
    for (location, variable) in (1..).zip(variables.clone()) {
        b.join_interface(variable);
        b.decorate(variable, &[LOCATION, location]);
        b.name(variable, &format!("v{location}"));
    }
    b.with(
        |b, ids| {
            variables
                .clone()
                .for_each(|variable| b.inst(Op::VARIABLE, &[ids.output_float, variable, OUTPUT]));
        },
        |b, ids| variables.clone().for_each(|variable| b.inst(Op::STORE, &[variable, ids.one])),
    )
}

/// Members of one output block.
fn members(count: u32) -> Vec<u32> {
    let mut b = Builder::new();
    let [block] = b.reserve_interface();
    let [ty] = b.reserve_ids();
    b.name(ty, "Block");
    b.decorate(ty, &[Decoration::BLOCK.0]);
    for member in 0..count {
        b.member_name(ty, member, &format!("v{member}"));
        b.decorate_member(ty, member, &[LOCATION, member + 1]);
    }
    b.with(
        |b, ids| {
            let operands: Vec<u32> =
                [ty].into_iter().chain((0..count).map(|_| ids.float)).collect();
            b.inst(Op::TYPE_STRUCT, &operands);
            let pointer = b.result(Op::TYPE_POINTER, &[OUTPUT, ty]);
            b.inst(Op::VARIABLE, &[pointer, block, OUTPUT]);
        },
        |b, ids| {
            for member in 0..count.min(64) {
                let index = ids.numbers[member as usize];
                let chain = b.value(Op::ACCESS_CHAIN, ids.output_float, &[block, index]);
                b.inst(Op::STORE, &[chain, ids.one]);
            }
        },
    )
}

fn inputs(count: u32) -> Vec<u32> {
    let mut b = Builder::new();
    let variables = b.reserve(count);
    for (location, variable) in (1..).zip(variables.clone()) {
        b.join_interface(variable);
        b.decorate(variable, &[LOCATION, location]);
    }
    b.with(
        |b, ids| {
            variables
                .clone()
                .for_each(|variable| b.inst(Op::VARIABLE, &[ids.input_float, variable, INPUT]));
        },
        |b, ids| {
            let mut sum = ids.one;
            for variable in variables.clone() {
                let value = b.load(ids.float, variable);
                sum = b.value(Op::F_ADD, ids.float, &[sum, value]);
            }
            b.inst(Op::STORE, &[ids.output, sum]);
        },
    )
}

/// Entry points that share a function.
fn entry_points(count: u32) -> Vec<u32> {
    let mut b = Builder::new();
    (1..count).for_each(|number| b.entry_point(&format!("main{number}")));
    b.main(|b, ids| b.inst(Op::STORE, &[ids.output, ids.one]))
}

/// Instructions of 65,535 words: structure types, and constants of these types.
fn long_instructions(count: u32) -> Vec<u32> {
    const MEMBERS: usize = 65_532;
    Builder::new().with_globals(|b, ids| {
        for _ in 0..count {
            let ty = b.result(Op::TYPE_STRUCT, &vec![ids.float; MEMBERS]);
            b.value(Op::CONSTANT_COMPOSITE, ty, &vec![ids.one; MEMBERS]);
        }
    })
}

/// Instructions that no grammar defines, between stores.
fn unknown_instructions(count: u32) -> Vec<u32> {
    Builder::new().main(|b, ids| {
        for _ in 0..count {
            b.inst(Op(0x7fff), &[0, 0]);
            b.inst(Op::STORE, &[ids.output, ids.one]);
        }
    })
}

/// An id bound far above the used ids.
fn ids(count: u32) -> Vec<u32> {
    let mut b = Builder::new();
    b.reserve(count);
    b.main(|b, ids| b.inst(Op::STORE, &[ids.output, ids.one]))
}
