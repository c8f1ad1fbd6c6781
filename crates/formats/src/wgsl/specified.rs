//! WGSL as it is specified, where naga writes, and reads, more or other than that.

use naga::{Expression, Function, ImageClass, ImageDimension, Module, SampleLevel, TypeInner};

/// The largest number of 32 bits as naga writes it, rounded up beyond what WGSL allows, and exactly.
const LARGEST: [&str; 2] =
    ["340282350000000000000000000000000000000f", "340282346638528859811704183484516925440f"];

/// SPIR-V leaves to the application what WGSL wants to see: that neighbours come where derivatives are taken.
const UNSEEN: &str = "diagnostic(off, derivative_uniformity);\n\n";

/// What of textures of one dimension WGSL has not, if it is in the module.
pub(super) fn refused(module: &Module) -> Option<&'static str> {
    let is_one =
        |inner: &TypeInner| matches!(inner, TypeInner::Image { dim: ImageDimension::D1, .. });
    let images = module.types.iter().map(|(_, ty)| &ty.inner).filter(|inner| is_one(inner));
    for image in images {
        match image {
            TypeInner::Image { class: ImageClass::Depth { .. }, .. } => {
                return Some("WGSL compares no textures of one dimension");
            }
            TypeInner::Image { arrayed: true, .. } => {
                return Some("WGSL has no arrays of textures of one dimension");
            }
            _ => {}
        }
    }
    let offset = functions(module).any(|function| {
        let ty = |image| match function.expressions[image] {
            Expression::GlobalVariable(variable) => Some(module.global_variables[variable].ty),
            Expression::FunctionArgument(index) => Some(function.arguments[index as usize].ty),
            _ => None,
        };
        function.expressions.iter().any(|(_, expression)| match *expression {
            Expression::ImageSample { image, offset: Some(_), .. } => {
                ty(image).is_some_and(|ty| is_one(&module.types[ty].inner))
            }
            _ => false,
        })
    });
    offset.then_some("WGSL has no offsets in textures of one dimension")
}

/// The text as others than naga take it.
pub(super) fn reworded(text: &str, module: &Module) -> String {
    let text = text.replace(LARGEST[0], LARGEST[1]);
    if functions(module).any(derives) { format!("{UNSEEN}{text}") } else { text }
}

/// Whether a function takes derivatives itself, or has texture levels found by them.
fn derives(function: &Function) -> bool {
    function.expressions.iter().any(|(_, expression)| {
        matches!(
            expression,
            Expression::Derivative { .. }
                | Expression::ImageSample { level: SampleLevel::Auto | SampleLevel::Bias(_), .. }
        )
    })
}

fn functions(module: &Module) -> impl Iterator<Item = &Function> {
    let entries = module.entry_points.iter().map(|entry| &entry.function);
    module.functions.iter().map(|(_, function)| function).chain(entries)
}
