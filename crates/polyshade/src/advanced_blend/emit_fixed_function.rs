//! Emits the functions for fixed-function blending and logic operations of a target.

use super::fixed_function::{BlendComponent, Factor, FixedFunctionBlend};
use super::format::{Format, FormatClass};
use super::functions::{Functions, with_alpha};
use super::logic::LogicOperation;
use super::needs::{COLOR_AND_ALPHA, FROM_STEPS, TO_SIGNED, TO_STEPS, TO_UNSIGNED};
use super::options::ColorBlend;
use polyshade_spv::{Cursor, Id, Patch};

impl Functions {
    /// Emits the function for fixed-function blending of a target:
    /// `vec4 blend(vec4 source, vec4 destination, vec4 second, vec4 constants)`.
    ///
    /// ```text
    /// %of_source      = OpFunctionCall %v4float %factor_src_alpha %source %destination %second %constants
    /// %of_destination = OpFunctionCall %v4float %factor_one %source %destination %second %constants
    /// %color          = OpFunctionCall %v4float %combine_add %source %of_source %destination %of_destination
    ///                   …
    /// %result         = OpFunctionCall %v4float %color_and_alpha %color %alpha
    /// ```
    pub(super) fn fixed_function(
        &self,
        p: &mut Patch<'_, '_>,
        target: &ColorBlend,
        fixed_function: FixedFunctionBlend,
    ) -> Id {
        let (id, at, float) = (p.id(), p.slot(), p.float());
        let vec4 = p.vector(float, 4);
        p.name(id, "polyshade_blend_target");
        let mut code = p.at(at);
        let parameters = code.begin_function(id, vec4, &[vec4; 4]);
        let (source, destination) = self.prepare(&mut code, target, parameters[0], parameters[1]);
        let [second, constants] =
            [parameters[2], parameters[3]].map(|color| self.clamp(&mut code, target, color));
        let colours = [source, destination, second, constants];
        let mut result = self.term(&mut code, target, fixed_function.color, colours);
        if fixed_function.alpha != fixed_function.color {
            let alpha = self.term(&mut code, target, fixed_function.alpha, colours);
            result = code.call(vec4, self.get(COLOR_AND_ALPHA), &[result, alpha]);
        }
        code.end_function(Some(result));
        id
    }

    /// Emits the result of a [`BlendComponent`] for all components.
    fn term(
        &self,
        code: &mut Cursor<'_, '_, '_>,
        target: &ColorBlend,
        term: BlendComponent,
        colours: [Id; 4],
    ) -> Id {
        let float = code.p.float();
        let vec4 = code.p.vector(float, 4);
        let [source, destination, ..] = colours;
        let combine = self.get(term.operation.function());
        if !term.operation.has_factors() {
            return code.call(vec4, combine, &[source, destination]);
        }
        // 1 - x exceeds the range of signed normalized formats, which clamp factors, too.
        let mut factor = |factor: Factor| {
            let value = code.call(vec4, self.get(factor.function()), &colours);
            match target.format.class() {
                FormatClass::Snorm => self.clamp(code, target, value),
                _ => value,
            }
        };
        let (of_source, of_destination) = (factor(term.source), factor(term.destination));
        code.call(vec4, combine, &[source, of_source, destination, of_destination])
    }

    /// Emits the function for the logic operation of a target: `vec4 combine(vec4 source, vec4 destination)`, or the
    /// same function with `uvec4` for an integer format.
    ///
    /// ```text
    /// %s      = OpFunctionCall %v4uint %to_steps %source %greatest
    /// %d      = OpFunctionCall %v4uint %to_steps %destination %greatest
    /// %steps  = OpFunctionCall %v4uint %logic_and %s %d
    /// %result = OpFunctionCall %v4float %from_steps %steps %greatest
    /// ```
    pub(super) fn logic(
        &self,
        p: &mut Patch<'_, '_>,
        target: &ColorBlend,
        operation: LogicOperation,
    ) -> Id {
        let (id, at, float, uint) = (p.id(), p.slot(), p.float(), p.uint());
        let (vec4, uvec4) = (p.vector(float, 4), p.vector(uint, 4));
        let greatest = greatest(p, target.format);
        p.name(id, "polyshade_combine_target");
        let class = target.format.class();
        let whole = if class.is_integer() { uvec4 } else { vec4 };
        let mut code = p.at(at);
        let parameters = code.begin_function(id, whole, &[whole; 2]);
        let combine = self.get(operation.function());
        // Integers are combined directly, normalized numbers as integer steps of their format.
        let result = if class.is_integer() {
            let held = self.get(if class == FormatClass::Sint { TO_SIGNED } else { TO_UNSIGNED });
            let combined = code.call(uvec4, combine, &parameters);
            code.call(uvec4, held, &[combined, greatest])
        } else {
            let destination = with_alpha(&mut code, target, parameters[1]);
            let steps = [parameters[0], destination]
                .map(|color| code.call(uvec4, self.get(TO_STEPS), &[color, greatest]));
            let combined = code.call(uvec4, combine, &steps);
            code.call(vec4, self.get(FROM_STEPS), &[combined, greatest])
        };
        code.end_function(Some(result));
        id
    }
}

/// Declares the maximum values of a format's components. The value of an absent component is 0.
fn greatest(p: &mut Patch<'_, '_>, format: Format) -> Id {
    let uint = p.uint();
    let uvec4 = p.vector(uint, 4);
    let all = format.bits().map(|bits| {
        let greatest = u32::MAX.checked_shr(32 - u32::from(bits)).unwrap_or(0);
        p.uint_constant(greatest)
    });
    p.composite_constant(uvec4, &all)
}
