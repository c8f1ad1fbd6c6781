//! Fragment stages that show the outputs of the previous stage.

use crate::leaves::{Leaf, ScalarKind};
use crate::library;
use crate::synthetic_vertex::{variable, vector};
use crate::verdict::Stop;
use polyshade::Module;
use polyshade::clip_cull;
use polyshade::spv::{Decoration, ExecutionModel, Id, Op, Patch, StorageClass};
use std::collections::BTreeMap;

/// A term of the sum that a probe shows.
#[derive(Clone, Copy)]
pub(super) enum Component<'s> {
    /// A component of an output of a module, with the output's interpolation.
    Output(&'s Module<'s>, &'s Leaf, u32),
    /// An element of a built-in array. A probe must show all elements, because a driver may place cull distances
    /// after as many clip distances as the fragment stage declares.
    Distance(clip_cull::DistanceKind, u32),
}

impl Component<'_> {
    /// Returns the decoration of the variable that contains the component. Only one output per location is shown.
    fn input(&self) -> (Decoration, u32) {
        match self {
            Component::Output(_, leaf, _) => {
                (Decoration::LOCATION, leaf.register.map_or(0, |(location, _)| location))
            }
            Component::Distance(kind, _) => (Decoration::BUILT_IN, kind.builtin().0),
        }
    }
}

/// The outputs that a probe can show: float scalars and vectors with a location.
pub(super) fn shown(leaves: &[Leaf]) -> impl Iterator<Item = &Leaf> {
    leaves.iter().filter(|leaf| {
        (leaf.kind, leaf.bits) == (ScalarKind::Float, 32)
            && leaf.builtin.is_none()
            && leaf.path.is_empty()
            && leaf.register.is_some()
    })
}

/// Returns `library/depth.frag` with a weighted sum instead of the depth. The first component has weight 1, the
/// second 2, etc.
///
/// ```text
/// %value = OpLoad %v2float %input
/// %x     = OpCompositeExtract %float %value 0
/// %once  = OpFMul %float %x %float_1
/// %y     = OpCompositeExtract %float %value 1
/// %twice = OpFMul %float %y %float_2
/// %sum   = OpFAdd %float %once %twice
/// %pixel = OpCompositeConstruct %v2float %sum %float_1
///          OpStore %output %pixel
/// ```
pub(super) fn probe<'s>(components: impl Iterator<Item = Component<'s>>) -> Result<Vec<u32>, Stop> {
    let components: Vec<Component<'_>> = components.collect();
    library::extend(&library::DEPTH, ExecutionModel::FRAGMENT, |m, p, _, at| {
        let float = p.float();
        let mut inputs = BTreeMap::new();
        let mut sum = None;
        for (weight, component) in (1..).zip(&components) {
            let declared = || declare(component, &components, p);
            let (from, ty) = *inputs.entry(component.input()).or_insert_with(declared);
            let (Component::Output(.., index) | Component::Distance(_, index)) = *component;
            let weight = p.float_constant(weight as f32);
            let mut code = p.at(at);
            let mut value = code.load(ty, from);
            if ty != float {
                value = code.extract(float, value, &[index]);
            }
            let value = code.binary(Op::F_MUL, float, value, weight);
            sum = Some(sum.map_or(value, |sum| code.binary(Op::F_ADD, float, sum, value)));
        }
        let (one, pair) = (p.float_constant(1.0), p.vector(float, 2));
        let output = m.variables().find(|one| one.storage_class() == StorageClass::OUTPUT);
        let output = output.expect("the stage has one output").result();
        let mut code = p.at(at);
        let pixel = code.construct(pair, &[sum.unwrap_or(one), one]);
        code.store(output, pixel);
        inputs.into_values().map(|(variable, _)| variable).collect()
    })
}

/// Adds the variable that contains a component, and possibly other components in `all`. Returns the variable and its
/// type.
fn declare(component: &Component<'_>, all: &[Component<'_>], p: &mut Patch<'_, '_>) -> (Id, Id) {
    let input = component.input();
    let ty = match *component {
        Component::Output(_, leaf, _) => vector(p, leaf.kind, leaf.count),
        Component::Distance(kind, _) => {
            p.capability(kind.capability());
            let elements = all.iter().filter(|one| one.input() == input).count();
            let float = p.float();
            p.array(float, elements as u32)
        }
    };
    let variable = variable(p, StorageClass::INPUT, ty, input);
    if let Component::Output(of, leaf, _) = *component {
        let (_, first) = leaf.register.unwrap_or((0, 0));
        if first > 0 {
            p.decorate(variable, Decoration::COMPONENT, &[first]);
        }
        for decoration in [Decoration::FLAT, Decoration::NO_PERSPECTIVE] {
            if of.decoration(leaf.variable, decoration).is_some() {
                p.decorate(variable, decoration, &[]);
            }
        }
    }
    (variable, ty)
}
