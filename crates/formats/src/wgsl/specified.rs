//! Adapts naga's WGSL text to the specification, because naga writes and reads some constructs differently.

use naga::{Expression, Function, ImageClass, ImageDimension, Module, SampleLevel, TypeInner};

/// The largest 32-bit float: as naga writes it, rounded up beyond the range of WGSL, and as an exact number.
const LARGEST: [&str; 2] =
    ["340282350000000000000000000000000000000f", "340282346638528859811704183484516925440f"];

/// Turns off WGSL's analysis of uniform control flow for derivatives, which SPIR-V leaves to the application.
const UNSEEN: &str = "diagnostic(off, derivative_uniformity);\n\n";

/// Returns a feature of one-dimensional textures that the module uses and WGSL lacks, if any.
pub(super) fn refused(module: &Module) -> Option<&'static str> {
    let is_one =
        |inner: &TypeInner| matches!(inner, TypeInner::Image { dim: ImageDimension::D1, .. });
    let images = module.types.iter().map(|(_, ty)| &ty.inner).filter(|inner| is_one(inner));
    for image in images {
        match image {
            TypeInner::Image { class: ImageClass::Depth { .. }, .. } => {
                return Some("WGSL has no one-dimensional depth textures");
            }
            TypeInner::Image { arrayed: true, .. } => {
                return Some("WGSL has no arrayed one-dimensional textures");
            }
            _ => {}
        }
    }
    // Look for sample instructions with offsets.
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
    offset.then_some("WGSL has no offsets for one-dimensional textures")
}

/// Returns the text in a form that other implementations accept.
pub(super) fn reworded(text: &str, module: &Module) -> String {
    let text = text.replace(LARGEST[0], LARGEST[1]);
    if functions(module).any(derives) { format!("{UNSEEN}{text}") } else { text }
}

/// Whether a function takes derivatives, or samples with implicit texture levels.
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
