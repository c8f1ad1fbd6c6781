//! The functions that blend, one for each kind of target. They are composed of library functions.

use super::equation::{FORMS, Form};
use super::format::FormatClass;
use super::needs::{fixed_function_needs, logic_needs};
use super::options::{Alpha, Blending, ColorBlend, Overlap};
use super::{Equation, Plan};
use crate::{library, rewrite};
use polyshade_spv::{Cursor, Id, Op, Patch};

/// The linked library functions, by name.
pub(super) struct Functions(Vec<(&'static str, Id)>);

impl Functions {
    /// Links the functions that the targets need, each once.
    pub(super) fn link(p: &mut Patch<'_, '_>, plan: &Plan<'_>) -> Self {
        // Equations and fixed-function blending are in separate libraries.
        let (mut advanced, mut fixed) = (Vec::new(), Vec::new());
        for target in plan.blended.iter().map(|blended| blended.target) {
            match &target.blending {
                Blending::Equations(equations) => {
                    advanced.extend(clamping(target.format.class()));
                    equations_need(target, equations, &mut advanced);
                }
                Blending::FixedFunction(fixed_function) => {
                    advanced.extend(clamping(target.format.class()));
                    fixed_function_needs(*fixed_function, &mut fixed);
                }
                Blending::Logic(operation) => {
                    logic_needs(*operation, target.format.class(), &mut fixed);
                }
            }
        }
        fixed.extend(plan.coverage.then_some("coverage"));
        let mut functions = Self(Vec::new());
        for (library, mut names) in [(&library::BLEND, advanced), (&library::FIXED, fixed)] {
            names.sort_unstable();
            names.dedup();
            let linked = rewrite::link(p, library, &names, &[]);
            functions.0.extend(names.into_iter().zip(linked));
        }
        functions
    }

    pub(super) fn get(&self, name: &str) -> Id {
        let found = self.0.iter().find(|(other, _)| *other == name);
        found.expect("the functions of a target were linked").1
    }

    /// Emits the function that blends a target with equations: `vec4 blend(vec4 source, vec4 destination)`, with a
    /// third parameter, the selector, if a host parameter selects the equation.
    ///
    /// ```text
    ///          …
    ///          OpSelectionMerge %merge None
    ///          OpSwitch %word %pass 13 %multiply …
    /// %multiply = OpLabel
    ///          …
    ///          OpReturnValue %result
    /// %pass  = OpLabel
    ///          OpReturnValue %prepared
    /// %merge = OpLabel
    ///          OpUnreachable
    /// ```
    pub(super) fn blend(
        &self,
        p: &mut Patch<'_, '_>,
        target: &ColorBlend,
        equations: &[Equation],
        selected: bool,
    ) -> Id {
        let (id, at, float, uint) = (p.id(), p.slot(), p.float(), p.uint());
        let vec4 = p.vector(float, 4);
        p.name(id, "polyshade_blend_target");
        let mut parameters = vec![vec4, vec4];
        parameters.extend(selected.then_some(uint));
        let mut code = p.at(at);
        let parameters = code.begin_function(id, vec4, &parameters);
        let colours = self.prepare(&mut code, target, parameters[0], parameters[1]);
        let Some(word) = parameters.get(2) else {
            let arguments = self.arguments(&mut code, target, equations[0].form(), colours);
            let result = self.equation(&mut code, target, equations[0], &arguments);
            code.end_function(Some(result));
            return id;
        };
        // Emit the code that equations share before the branch, because llvmpipe runs all branches for every pixel.
        let arguments = FORMS.map(|form| {
            let is_used = equations.iter().any(|equation| equation.form() == form);
            is_used.then(|| self.arguments(&mut code, target, form, colours))
        });

        let (merge, pass) = (code.p.id(), code.p.id());
        let labels: Vec<Id> = equations.iter().map(|_| code.p.id()).collect();
        let mut operands = Vec::with_capacity(2 + 2 * equations.len());
        operands.extend([word.word(), pass.word()]);
        for (equation, label) in equations.iter().zip(&labels) {
            operands.extend([equation.word(), label.word()]);
        }
        code.emit(Op::SELECTION_MERGE, &[merge.word(), 0]);
        code.emit(Op::SWITCH, &operands);
        for (equation, label) in equations.iter().zip(&labels) {
            code.emit(Op::LABEL, &[label.word()]);
            let arguments = arguments[equation.form() as usize].as_ref();
            let arguments = arguments.expect("the form of every equation has arguments");
            let result = self.equation(&mut code, target, *equation, arguments);
            code.emit(Op::RETURN_VALUE, &[result.word()]);
        }
        code.emit(Op::LABEL, &[pass.word()]);
        code.emit(Op::RETURN_VALUE, &[colours.0.word()]);
        code.emit(Op::LABEL, &[merge.word()]);
        code.emit(Op::UNREACHABLE, &[]);
        code.emit(Op::FUNCTION_END, &[]);
        id
    }

    /// Emits the conversions of both colours that must precede fixed-function blending.
    pub(super) fn prepare(
        &self,
        code: &mut Cursor<'_, '_, '_>,
        target: &ColorBlend,
        source: Id,
        destination: Id,
    ) -> (Id, Id) {
        (self.clamp(code, target, source), with_alpha(code, target, destination))
    }

    /// Emits the clamping of a colour to the range of the target's format.
    pub(super) fn clamp(
        &self,
        code: &mut Cursor<'_, '_, '_>,
        target: &ColorBlend,
        color: Id,
    ) -> Id {
        let float = code.p.float();
        let vec4 = code.p.vector(float, 4);
        match clamping(target.format.class()) {
            Some(clamp) => code.call(vec4, self.get(clamp), &[color]),
            None => color,
        }
    }

    /// Emits the arguments for equations of a given form: both colours, and the weights if the form needs them.
    fn arguments(
        &self,
        code: &mut Cursor<'_, '_, '_>,
        target: &ColorBlend,
        form: Form,
        (source, destination): (Id, Id),
    ) -> Vec<Id> {
        let float = code.p.float();
        let (vec3, vec4) = (code.p.vector(float, 3), code.p.vector(float, 4));
        let mut convert = |alpha, color| match conversion(form, alpha) {
            Some(function) => code.call(vec4, self.get(function), &[color]),
            None => color,
        };
        let colours = [convert(target.source, source), convert(target.destination, destination)];
        let mut arguments = colours.to_vec();
        if form == Form::Weighted {
            let alphas = colours.map(|color| code.extract(float, color, &[3]));
            arguments.push(code.call(vec3, self.get(weights(target.overlap)), &alphas));
        }
        arguments
    }

    /// Emits one equation, without a branch.
    fn equation(
        &self,
        code: &mut Cursor<'_, '_, '_>,
        target: &ColorBlend,
        equation: Equation,
        arguments: &[Id],
    ) -> Id {
        let float = code.p.float();
        let vec4 = code.p.vector(float, 4);
        let mut result = code.call(vec4, self.get(equation.function()), arguments);
        if target.destination == Alpha::Straight {
            result = code.call(vec4, self.get(UNPREMULTIPLY), &[result]);
        }
        if target.clamp_results {
            result = code.call(vec4, self.get(TO_UNORM), &[result]);
        }
        result
    }
}

/// Emits the destination colour, with an alpha of 1 if the attachment has no alpha.
pub(super) fn with_alpha(
    code: &mut Cursor<'_, '_, '_>,
    target: &ColorBlend,
    destination: Id,
) -> Id {
    if target.has_alpha() { destination } else { opaque(code, destination) }
}

/// Emits a colour with an alpha of 1.
pub(super) fn opaque(code: &mut Cursor<'_, '_, '_>, color: Id) -> Id {
    let float = code.p.float();
    let vec4 = code.p.vector(float, 4);
    let one = code.p.float_constant(1.0);
    code.value(Op::COMPOSITE_INSERT, vec4, &[one.word(), color.word(), 3])
}

/// Adds the names of the functions that equations need.
fn equations_need(target: &ColorBlend, equations: &[Equation], names: &mut Vec<&'static str>) {
    names.extend(target.clamp_results.then_some(TO_UNORM));
    names.extend((target.destination == Alpha::Straight).then_some(UNPREMULTIPLY));
    for equation in equations {
        names.push(equation.function());
        match equation.form() {
            Form::Weighted => names.push(weights(target.overlap)),
            Form::Premultiplied => {}
        }
        let alphas = [target.source, target.destination];
        names.extend(alphas.into_iter().filter_map(|alpha| conversion(equation.form(), alpha)));
    }
}

const TO_UNORM: &str = "to_unorm";
const UNPREMULTIPLY: &str = "unpremultiply";

fn clamping(class: FormatClass) -> Option<&'static str> {
    match class {
        FormatClass::Unorm | FormatClass::Srgb => Some(TO_UNORM),
        FormatClass::Snorm => Some("to_snorm"),
        FormatClass::Float | FormatClass::Uint | FormatClass::Sint => None,
    }
}

fn weights(overlap: Overlap) -> &'static str {
    match overlap {
        Overlap::Uncorrelated => "uncorrelated",
        Overlap::Disjoint => "disjoint",
        Overlap::Conjoint => "conjoint",
    }
}

/// Returns the function that converts a colour to the form that an equation needs, or `None` if it already has that
/// form.
fn conversion(form: Form, alpha: Alpha) -> Option<&'static str> {
    match (form, alpha) {
        (Form::Weighted, Alpha::Premultiplied) => Some(UNPREMULTIPLY),
        (Form::Premultiplied, Alpha::Straight) => Some("premultiply"),
        (Form::Weighted, Alpha::Straight) | (Form::Premultiplied, Alpha::Premultiplied) => None,
    }
}
