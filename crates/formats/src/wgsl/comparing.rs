//! Comparison samplers and depth textures as function parameters. naga infers these types for variables from their
//! uses, but not for parameters.

use naga::{
    Block, Expression, Function, Handle, ImageClass, Module, Span, Statement, Type, TypeInner,
};
use std::collections::{BTreeMap, BTreeSet};

/// Changes the types of parameters that are used for comparisons.
pub(super) fn retype(module: &mut Module) {
    let mut compared: BTreeMap<Handle<Function>, BTreeSet<u32>> = BTreeMap::new();
    // Callees precede their callers.
    for (handle, function) in module.functions.iter() {
        let mut arguments = BTreeSet::new();
        let argument = |expression: Handle<Expression>| match function.expressions[expression] {
            Expression::FunctionArgument(index) => Some(index),
            _ => None,
        };
        for (_, expression) in function.expressions.iter() {
            if let Expression::ImageSample { image, sampler, depth_ref: Some(_), .. } = expression {
                arguments.extend([*image, *sampler].into_iter().filter_map(argument));
            }
        }
        calls(&function.body, &mut |callee, given| {
            let of_callee = compared.get(&callee).into_iter().flatten();
            let given = of_callee.filter_map(|index| given.get(*index as usize));
            arguments.extend(given.filter_map(|expression| argument(*expression)));
        });
        compared.insert(handle, arguments);
    }
    for (function, arguments) in compared {
        for index in arguments {
            let ty = module.functions[function].arguments[index as usize].ty;
            if let Some(inner) = comparing(&module.types[ty].inner) {
                let ty = module.types.insert(Type { name: None, inner }, Span::UNDEFINED);
                module.functions[function].arguments[index as usize].ty = ty;
            }
        }
    }
}

/// Returns the comparison type that corresponds to a type, unless the type is already a comparison type.
fn comparing(inner: &TypeInner) -> Option<TypeInner> {
    match *inner {
        TypeInner::Sampler { comparison: false } => Some(TypeInner::Sampler { comparison: true }),
        TypeInner::Image { dim, arrayed, class: ImageClass::Sampled { multi, .. } } => {
            Some(TypeInner::Image { dim, arrayed, class: ImageClass::Depth { multi } })
        }
        _ => None,
    }
}

/// Passes each call, with its arguments, to `found`.
fn calls(block: &Block, found: &mut impl FnMut(Handle<Function>, &[Handle<Expression>])) {
    for statement in block {
        match statement {
            Statement::Call { function, arguments, .. } => found(*function, arguments),
            Statement::Block(block) => calls(block, found),
            Statement::If { accept, reject, .. } => {
                calls(accept, found);
                calls(reject, found);
            }
            Statement::Switch { cases, .. } => {
                cases.iter().for_each(|case| calls(&case.body, found));
            }
            Statement::Loop { body, continuing, .. } => {
                calls(body, found);
                calls(continuing, found);
            }
            _ => {}
        }
    }
}
