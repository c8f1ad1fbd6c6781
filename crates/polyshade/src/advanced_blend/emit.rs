//! The code: behind every exit of the shader its colours are blended and written.

use super::equation::Form;
use super::fetch::Fetch;
use super::options::{Alpha, Destination, FormatClass, Overlap, Select, Target};
use super::outputs::{Piece, moving_together};
use super::{Equation, Options, Plan};
use crate::moves::{self, Copies, HostBlock};
use crate::transform_feedback::HostWords;
use crate::{library, unsupported};
use polyshade_spv::view::EntryPoint;
use polyshade_spv::{
    Cursor, Decoration, Error, ExecutionModel, Id, Module, Op, Patch, StorageClass, Type,
};

/// Emits everything.
pub(super) fn emit<'m>(
    m: &'m Module<'_>,
    p: &mut Patch<'m, '_>,
    options: &Options,
    plan: &Plan<'_>,
) -> Result<(), Error> {
    p.set_names(options.names);
    p.set_first_id(options.reserved.first_id());
    let entry = m.entry_point(&options.entry, ExecutionModel::FRAGMENT)?;
    let locations: Vec<u32> = plan.blended.iter().map(|blended| blended.location).collect();
    let in_storage = matches!(options.destination, Destination::StorageImage { .. });

    let wrapper = moves::wrap(m, p, entry);
    let interface = take_over(m, p, entry, plan, in_storage)?;
    let words = Words::add(m, p, entry, options, &plan.words)?;
    let fetch = Fetch::add(m, p, entry, options, &locations, wrapper.epilogue)?;
    let functions = Functions::link(p, plan);

    let mut made: Vec<(&Target, Id)> = Vec::new();
    for blended in &plan.blended {
        if !made.iter().any(|(target, _)| *target == blended.target) {
            let function = functions.blend(p, blended.target, words.is_some());
            made.push((blended.target, function));
        }
    }
    let float = p.float();
    let vec4 = p.vector(float, 4);
    let mut code = p.at(wrapper.epilogue);
    copy_rest(m, &mut code, plan, &interface)?;
    if in_storage {
        code.emit(Op::BEGIN_INVOCATION_INTERLOCK_EXT, &[]);
    }
    for (number, blended) in (0..).zip(&plan.blended) {
        let (_, function) =
            made.iter().find(|(target, _)| *target == blended.target).expect("one was made");
        let source = gather(&mut code, &blended.pieces);
        let destination = fetch.read(&mut code, blended.location);
        let mut arguments = vec![source, destination];
        arguments.extend(words.as_ref().map(|words| words.load(&mut code, number)));
        let result = code.call(vec4, *function, &arguments);
        if in_storage {
            fetch.write(&mut code, blended.location, result);
        } else {
            scatter(&mut code, &blended.pieces, &interface, result);
        }
    }
    if in_storage {
        code.emit(Op::END_INVOCATION_INTERLOCK_EXT, &[]);
    }
    Ok(())
}

/// The variables that the interface has in place of those that bodies write.
type Interface = Vec<(Id, Id)>;

/// Takes over the outputs that are blended, and those that move with them, which are copied.
fn take_over<'m>(
    m: &'m Module<'_>,
    p: &mut Patch<'m, '_>,
    entry: EntryPoint<'m>,
    plan: &Plan<'_>,
    in_storage: bool,
) -> Result<Interface, Error> {
    let mut variables: Vec<Id> = plan
        .blended
        .iter()
        .flat_map(|blended| &blended.pieces)
        .map(|piece| piece.variable)
        .collect();
    variables.sort_unstable();
    variables.dedup();
    let moving = moving_together(m, &variables);
    if in_storage {
        return take_out(m, p, entry, plan, &moving);
    }

    let taken = moves::take_over(m, p, entry, &moving, Copies::Uncopied)?;
    let new = |taken: &moves::TakenOver| taken.interface.expect("a new variable was asked for");
    Ok(taken.iter().map(|taken| (taken.private, new(taken))).collect())
}

/// Takes the outputs out of the interface: what they hold goes elsewhere.
fn take_out<'m>(
    m: &'m Module<'_>,
    p: &mut Patch<'m, '_>,
    entry: EntryPoint<'m>,
    plan: &Plan<'_>,
    moving: &[Id],
) -> Result<Interface, Error> {
    let stays = |id: &&Id| plan.copied.iter().any(|copied| copied.variable == **id);
    let is_blended = |id: &Id| {
        plan.blended.iter().flat_map(|blended| &blended.pieces).any(|piece| piece.variable == *id)
    };
    if let Some(id) = moving.iter().find(stays).or(moving.iter().find(|id| !is_blended(id))) {
        let message = "an output stays that shares its variable or a parameter with one that goes";
        return Err(unsupported(message, *id));
    }
    moves::take_over(m, p, entry, moving, Copies::None)?;
    Ok(Vec::new())
}

/// Copies what moved without being blended.
fn copy_rest(
    m: &Module<'_>,
    code: &mut Cursor<'_, '_, '_>,
    plan: &Plan<'_>,
    interface: &Interface,
) -> Result<(), Error> {
    let is_colour = |id: Id| {
        let blended = plan.blended.iter().flat_map(|blended| &blended.pieces);
        blended.chain(&plan.copied).any(|piece| piece.variable == id)
    };
    for (private, new) in interface.iter().filter(|(private, _)| !is_colour(*private)) {
        let (_, ty) = m.type_of(*private).and_then(|ty| m.pointer(ty)).expect("it was taken over");
        if matches!(m.ty(m.innermost_element(ty)), Some(Type::Struct { .. })) {
            return Err(unsupported("an output that moves is a structure", *private));
        }
        let value = code.load(ty, *private);
        code.store(*new, value);
    }
    for piece in &plan.copied {
        let Some((_, new)) = interface.iter().find(|(private, _)| *private == piece.variable)
        else {
            continue;
        };
        let from = pointer(code, piece, StorageClass::PRIVATE, piece.variable);
        let value = code.load(piece.ty, from);
        let to = pointer(code, piece, StorageClass::OUTPUT, *new);
        code.store(to, value);
    }
    Ok(())
}

fn pointer(code: &mut Cursor<'_, '_, '_>, piece: &Piece, class: StorageClass, variable: Id) -> Id {
    let ty = code.p.pointer(class, piece.ty);
    let element = piece.element.map(|element| code.p.uint_constant(element));
    code.access_chain(ty, variable, element.as_slice())
}

/// Emits the colour that the pieces make: four floats. What no piece has is 0, or 1 for alpha.
///
/// ```text
/// %rg     = OpLoad %v2half %colour_rg
/// %half_r = OpCompositeExtract %half %rg 0
/// %r      = OpFConvert %float %half_r
///           …
/// %source = OpCompositeConstruct %v4float %r %g %b %float_1
/// ```
fn gather(code: &mut Cursor<'_, '_, '_>, pieces: &[Piece]) -> Id {
    let float = code.p.float();
    let vec4 = code.p.vector(float, 4);
    let [zero, one] = [0.0, 1.0].map(|value| code.p.float_constant(value));
    let mut components = [zero, zero, zero, one];
    for piece in pieces {
        let from = pointer(code, piece, StorageClass::PRIVATE, piece.variable);
        let value = code.load(piece.ty, from);
        if piece.ty == vec4 {
            return value;
        }
        for i in 0..piece.count {
            let indices = if piece.count == 1 { &[][..] } else { &[i] };
            let component = code.extract(piece.component, value, indices);
            components[(piece.first + i) as usize] = match piece.width {
                32 => component,
                _ => code.value(Op::F_CONVERT, float, &[component.word()]),
            };
        }
    }
    code.construct(vec4, &components)
}

/// Emits stores of the components of `color`, four floats, to where they came from.
fn scatter(code: &mut Cursor<'_, '_, '_>, pieces: &[Piece], interface: &Interface, color: Id) {
    let float = code.p.float();
    let vec4 = code.p.vector(float, 4);
    for piece in pieces {
        let (_, new) = interface
            .iter()
            .find(|(private, _)| *private == piece.variable)
            .expect("what is blended was taken over");
        let mut components = Vec::new();
        for i in piece.first..piece.first + piece.count {
            if piece.ty == vec4 {
                break;
            }
            let component = code.extract(float, color, &[i]);
            components.push(match piece.width {
                32 => component,
                _ => code.value(Op::F_CONVERT, piece.component, &[component.word()]),
            });
        }
        let value = match components.as_slice() {
            [] => color,
            [only] => *only,
            several => code.construct(piece.ty, several),
        };
        let to = pointer(code, piece, StorageClass::OUTPUT, *new);
        code.store(to, value);
    }
}

/// Where the words are read that select.
enum Words {
    Block(HostBlock),
    Constants(Vec<Id>),
}

impl Words {
    /// Adds them, if there are any.
    fn add<'m>(
        m: &'m Module<'_>,
        p: &mut Patch<'m, '_>,
        entry: EntryPoint<'m>,
        options: &Options,
        names: &[String],
    ) -> Result<Option<Self>, Error> {
        const NAME: &str = "polyshade_blend";
        let Select::Words(place) = options.select else { return Ok(None) };
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        Ok(Some(match place {
            HostWords::StorageBuffer { set, binding } => {
                options.reserved.check(set, binding)?;
                let words = moves::word_array(m, p);
                let block = moves::storage_buffer(m, p, entry, words, (set, binding), NAME)?;
                p.decorate(block.variable, Decoration::NON_WRITABLE, &[]);
                Self::Block(block)
            }
            HostWords::Uniform { set, binding } => {
                options.reserved.check(set, binding)?;
                Self::Block(moves::uniform_block(m, p, entry, (set, binding), NAME, &names)?)
            }
            HostWords::PushConstant { offset } => {
                Self::Block(moves::push_constants(m, p, entry, offset, NAME, &names)?)
            }
            HostWords::Specialization { first_id } => {
                let numbers = first_id..first_id.saturating_add(names.len() as u32);
                options.reserved.check_constants(numbers)?;
                Self::Constants(moves::spec_constants(m, p, first_id, &names)?)
            }
        }))
    }

    fn load(&self, code: &mut Cursor<'_, '_, '_>, number: u32) -> Id {
        match self {
            Self::Block(block) => block.load(code, number),
            Self::Constants(constants) => constants[number as usize],
        }
    }
}

/// The functions of the library that are linked, by name.
struct Functions(Vec<(&'static str, Id)>);

impl Functions {
    /// Links what the targets need, each function once.
    fn link(p: &mut Patch<'_, '_>, plan: &Plan<'_>) -> Self {
        let mut names: Vec<&'static str> = Vec::new();
        for target in plan.blended.iter().map(|blended| blended.target) {
            names.extend(clamping(target.format));
            names.extend(target.clamp_results.then_some(TO_UNORM));
            names.extend((target.destination == Alpha::Straight).then_some(UNPREMULTIPLY));
            for equation in &target.equations {
                names.push(equation.function());
                match equation.form() {
                    Form::Weighted => names.push(weights(target.overlap)),
                    Form::Premultiplied => {}
                }
                let alphas = [target.source, target.destination];
                names.extend(
                    alphas.into_iter().filter_map(|alpha| conversion(equation.form(), alpha)),
                );
            }
        }
        names.sort_unstable();
        names.dedup();
        let linked = moves::link(p, &library::BLEND, &names, &[]);
        Self(names.into_iter().zip(linked).collect())
    }

    fn get(&self, name: &str) -> Id {
        let found = self.0.iter().find(|(other, _)| *other == name);
        found.expect("what a target needs was linked").1
    }

    /// Emits the function that blends a target: `vec4 blend(vec4 source, vec4 destination)`, with a third parameter
    /// where a word selects the equation.
    ///
    /// ```text
    ///          OpSelectionMerge %merge None
    ///          OpSwitch %word %pass 13 %multiply …
    /// %multiply = OpLabel
    ///          …
    ///          OpReturnValue %result
    /// %pass  = OpLabel
    ///          OpReturnValue %source
    /// %merge = OpLabel
    ///          OpUnreachable
    /// ```
    fn blend(&self, p: &mut Patch<'_, '_>, target: &Target, selected: bool) -> Id {
        let (id, at, float, uint) = (p.id(), p.lane(), p.float(), p.uint());
        let vec4 = p.vector(float, 4);
        p.name(id, "polyshade_blend_target");
        let mut parameters = vec![vec4, vec4];
        parameters.extend(selected.then_some(uint));
        let mut code = p.at(at);
        let parameters = code.begin_function(id, vec4, &parameters);
        let colours = self.prepare(&mut code, target, parameters[0], parameters[1]);
        let Some(word) = parameters.get(2) else {
            let result = self.equation(&mut code, target, target.equations[0], colours);
            code.end_function(Some(result));
            return id;
        };

        let (merge, pass) = (code.p.id(), code.p.id());
        let labels: Vec<Id> = target.equations.iter().map(|_| code.p.id()).collect();
        let mut operands = vec![word.word(), pass.word()];
        for (equation, label) in target.equations.iter().zip(&labels) {
            operands.extend([equation.word(), label.word()]);
        }
        code.emit(Op::SELECTION_MERGE, &[merge.word(), 0]);
        code.emit(Op::SWITCH, &operands);
        for (equation, label) in target.equations.iter().zip(&labels) {
            code.emit(Op::LABEL, &[label.word()]);
            let result = self.equation(&mut code, target, *equation, colours);
            code.emit(Op::RETURN_VALUE, &[result.word()]);
        }
        code.emit(Op::LABEL, &[pass.word()]);
        code.emit(Op::RETURN_VALUE, &[parameters[0].word()]);
        code.emit(Op::LABEL, &[merge.word()]);
        code.emit(Op::UNREACHABLE, &[]);
        code.emit(Op::FUNCTION_END, &[]);
        id
    }

    /// What fixed-function blending does to both colours before an equation sees them.
    fn prepare(
        &self,
        code: &mut Cursor<'_, '_, '_>,
        target: &Target,
        source: Id,
        destination: Id,
    ) -> (Id, Id) {
        let float = code.p.float();
        let vec4 = code.p.vector(float, 4);
        let one = code.p.float_constant(1.0);
        let (mut source, mut destination) = (source, destination);
        let opaque = |code: &mut Cursor<'_, '_, '_>, color: Id| {
            code.value(Op::COMPOSITE_INSERT, vec4, &[one.word(), color.word(), 3])
        };
        if target.alpha_to_one {
            source = opaque(code, source);
        }
        if target.without_alpha {
            destination = opaque(code, destination);
        }
        if let Some(clamp) = clamping(target.format) {
            source = code.call(vec4, self.get(clamp), &[source]);
        }
        (source, destination)
    }

    /// Emits one equation, without a branch.
    fn equation(
        &self,
        code: &mut Cursor<'_, '_, '_>,
        target: &Target,
        equation: Equation,
        (source, destination): (Id, Id),
    ) -> Id {
        let float = code.p.float();
        let (vec3, vec4) = (code.p.vector(float, 3), code.p.vector(float, 4));
        let form = equation.form();
        let convert = |code: &mut Cursor<'_, '_, '_>, alpha, color| match conversion(form, alpha) {
            Some(function) => code.call(vec4, self.get(function), &[color]),
            None => color,
        };
        let source = convert(code, target.source, source);
        let destination = convert(code, target.destination, destination);
        let mut arguments = vec![source, destination];
        if form == Form::Weighted {
            let alphas = [source, destination].map(|color| code.extract(float, color, &[3]));
            arguments.push(code.call(vec3, self.get(weights(target.overlap)), &alphas));
        }
        let mut result = code.call(vec4, self.get(equation.function()), &arguments);
        if target.destination == Alpha::Straight {
            result = code.call(vec4, self.get(UNPREMULTIPLY), &[result]);
        }
        if target.clamp_results {
            result = code.call(vec4, self.get(TO_UNORM), &[result]);
        }
        result
    }
}

const TO_UNORM: &str = "to_unorm";
const UNPREMULTIPLY: &str = "unpremultiply";

fn clamping(format: FormatClass) -> Option<&'static str> {
    match format {
        FormatClass::Unorm => Some(TO_UNORM),
        FormatClass::Snorm => Some("to_snorm"),
        FormatClass::Float => None,
    }
}

fn weights(overlap: Overlap) -> &'static str {
    match overlap {
        Overlap::Uncorrelated => "uncorrelated",
        Overlap::Disjoint => "disjoint",
        Overlap::Conjoint => "conjoint",
    }
}

/// The function that makes a colour what an equation takes, if it is not.
fn conversion(form: Form, alpha: Alpha) -> Option<&'static str> {
    match (form, alpha) {
        (Form::Weighted, Alpha::Premultiplied) => Some(UNPREMULTIPLY),
        (Form::Premultiplied, Alpha::Straight) => Some("premultiply"),
        (Form::Weighted, Alpha::Straight) | (Form::Premultiplied, Alpha::Premultiplied) => None,
    }
}
