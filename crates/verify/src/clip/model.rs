//! A model that computes the distances of a vertex, and the lowered stage's outputs from a vertex of the original.
//!
//! No Vulkan driver supports registers with distance semantics, user clip planes or disabled planes, so the model
//! implements the rules of Direct3D and OpenGL for them. Distances that Vulkan supports are also drawn (`scene`).

use crate::leaves::{self, Leaf};
use crate::run::Task;
use crate::verdict::{Stop, not_comparable};
use crate::{ClipForm, ClipSteps, DistanceSemantics, UserPlanes};
use polyshade::Module;
use polyshade::clip_cull::{DISTANCE_KINDS, DistanceKind, DistanceSemantic};
use polyshade::spv::view::{AccessChain, Variable};
use polyshade::spv::{BuiltIn, Decoration, Id, Inst, Type};
use polyshade::transform_feedback::Locations;
use std::collections::{BTreeMap, BTreeSet};

/// The place of a 32-bit component of an output or input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Key {
    /// A component of an element of a built-in.
    BuiltIn { builtin: u32, element: u32, component: u32 },
    /// A component of a location.
    Register { location: u32, component: u32 },
}

impl Key {
    /// The components of all registers from `location` on.
    pub(super) fn from(location: u32) -> impl Iterator<Item = Key> {
        (0..).map(move |number| Key::Register {
            location: location.saturating_add(number / 4),
            component: number % 4,
        })
    }

    /// The elements of a built-in distance array.
    pub(super) fn elements(kind: DistanceKind) -> impl Iterator<Item = Key> {
        let BuiltIn(builtin) = kind.builtin();
        (0..).map(move |element| Key::BuiltIn { builtin, element, component: 0 })
    }

    /// The register components that an output or input occupies.
    pub(super) fn registers(leaf: &Leaf) -> impl Iterator<Item = Key> {
        leaves::registers(leaf).map(|(location, component)| Key::Register { location, component })
    }

    pub(super) fn position(component: u32) -> Key {
        Key::BuiltIn { builtin: BuiltIn::POSITION.0, element: 0, component }
    }

    /// Whether the component is an element of a built-in distance array.
    fn is_built_in(&self) -> bool {
        let Key::BuiltIn { builtin, .. } = self else { return false };
        DISTANCE_KINDS.into_iter().any(|kind| *builtin == kind.builtin().0)
    }

    /// Whether a stage passes the component to the next stage. Locations and distances are passed.
    pub(super) fn is_passed_on(&self) -> bool {
        matches!(self, Key::Register { .. }) || self.is_built_in()
    }

    pub(super) fn title(self) -> String {
        let name = match self {
            Key::Register { location, .. } => format!("location {location}"),
            Key::BuiltIn { builtin, element, .. } => match BuiltIn(builtin) {
                BuiltIn::CLIP_DISTANCE => format!("gl_ClipDistance[{element}]"),
                BuiltIn::CULL_DISTANCE => format!("gl_CullDistance[{element}]"),
                BuiltIn::POSITION => "gl_Position".to_owned(),
                BuiltIn::TESS_LEVEL_OUTER => format!("gl_TessLevelOuter[{element}]"),
                BuiltIn::TESS_LEVEL_INNER => format!("gl_TessLevelInner[{element}]"),
                _ => format!("built-in {builtin}"),
            },
        };
        let (Key::BuiltIn { component, .. } | Key::Register { component, .. }) = self;
        format!("{name}, component {component}")
    }
}

/// Maps each component of outputs or inputs to the index of its word in a recorded vertex.
pub(super) fn components(leaves: &[Leaf]) -> BTreeMap<Key, usize> {
    let mut components = BTreeMap::new();
    let mut word = 0;
    for leaf in leaves {
        let words = word..word + leaf.words() as usize;
        word = words.end;
        match leaf.builtin {
            Some(BuiltIn(builtin)) => {
                let element =
                    leaf.path.last().copied().filter(|_| leaf.whole.is_some()).unwrap_or(0);
                let keys = (0..).map(|component| Key::BuiltIn { builtin, element, component });
                components.extend(keys.zip(words));
            }
            None => components.extend(Key::registers(leaf).zip(words)),
        }
    }
    components
}

/// The value, or the required value, of a component.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Number {
    Bits(u32),
    /// A number and its maximum error, because a driver may add products in any order.
    Near(f64, f64),
    /// A number and its maximum error. A partial sum may overflow, so the result may also be infinite or a NaN.
    Overflowing(f64, f64),
    /// A value that the original leaves undefined.
    Undefined,
}

pub(super) type Vertex = BTreeMap<Key, Number>;

/// Makes a vertex from the recorded words that `components` lists, with undefined words marked.
pub(super) fn recorded(
    components: &BTreeMap<Key, usize>,
    words: &[u32],
    is_undefined: impl Fn(usize) -> bool,
) -> Vertex {
    let number = |word: usize| match is_undefined(word) {
        true => Number::Undefined,
        false => Number::Bits(words[word]),
    };
    components.iter().map(|(key, word)| (*key, number(*word))).collect()
}

/// The host parameters: the mask of enabled planes and the planes.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Setting {
    pub(super) mask: u32,
    pub(super) planes: Vec<[f32; 4]>,
}

/// The maximum error of a sum of four products, relative to the sum of their magnitudes: a few roundings.
const ROUNDING: f64 = 1.0 / (1 << 20) as f64;

/// The value that a driver's rounding may give within the error of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rounding {
    Least,
    Nearest,
    Most,
}

impl Number {
    pub(super) const ZERO: Number = Number::Bits(0);

    /// Returns the dot product of a vertex and a plane.
    fn dot(vertex: [Number; 4], plane: [f32; 4]) -> Number {
        if vertex.contains(&Number::Undefined) {
            return Number::Undefined;
        }
        let product = |(one, plane): (Number, f32)| f64::from(one.float()) * f64::from(plane);
        let products = vertex.into_iter().zip(plane).map(product);
        let magnitude: f64 = products.clone().map(f64::abs).sum();
        // Drivers may flush each product, each sum and the result if it is a denormal.
        let flushed = 8.0 * f64::from(f32::MIN_POSITIVE);
        let error = magnitude * ROUNDING + flushed;
        // In any order of additions, no partial sum exceeds the sum of all products with the same sign.
        let of_sign = |sign: f64| products.clone().map(|one| (sign * one).max(0.0)).sum::<f64>();
        match of_sign(1.0).max(of_sign(-1.0)) + error > f64::from(f32::MAX) {
            true => Number::Overflowing(products.sum(), error),
            false => Number::Near(products.sum(), error),
        }
    }

    /// Returns the number with a rounding applied.
    pub(super) fn rounded(self, rounding: Rounding) -> Number {
        match (self, rounding) {
            (Number::Near(number, error), Rounding::Least) => Number::Near(number - error, 0.0),
            (Number::Near(number, error), Rounding::Most) => Number::Near(number + error, 0.0),
            _ => self,
        }
    }

    /// Returns 1.0 for a distance of at least 0, else 0.0.
    fn flag(self) -> Number {
        match self {
            Number::Undefined => self,
            _ if self.may_be_negative() => Number::Undefined,
            _ => Number::Bits(f32::from(u8::from(self.float() >= 0.0)).to_bits()),
        }
    }

    /// Whether the number is a negative denormal, which is negative only if the driver does not flush denormals.
    pub(super) fn may_be_negative(self) -> bool {
        self.float() < 0.0 && self.float().is_subnormal()
    }

    pub(super) fn float(self) -> f32 {
        match self {
            Number::Bits(bits) => f32::from_bits(bits),
            Number::Near(number, _) | Number::Overflowing(number, _) => number as f32,
            Number::Undefined => f32::NAN,
        }
    }

    /// Returns bits of this value; 0 for an undefined value.
    pub(super) fn bits(&self) -> u32 {
        match self {
            Number::Bits(bits) => *bits,
            Number::Near(number, _) | Number::Overflowing(number, _) => (*number as f32).to_bits(),
            Number::Undefined => 0,
        }
    }

    /// Whether `bits`, of a float or an integer, are correct. If the sum may overflow, infinities and NaNs are
    /// correct, too.
    pub(super) fn is(self, bits: u32, is_float: bool) -> bool {
        match self {
            Number::Undefined => true,
            Number::Bits(right) => {
                let are_none = [right, bits].iter().all(|bits| f32::from_bits(*bits).is_nan());
                right == bits || is_float && are_none
            }
            Number::Overflowing(right, error) => {
                !f32::from_bits(bits).is_finite() || Number::Near(right, error).is(bits, is_float)
            }
            Number::Near(right, error) => {
                let found = f64::from(f32::from_bits(bits));
                right.is_nan()
                    || right.abs().max(error) > f64::from(f32::MAX) / 8.0
                    || (found - right).abs() <= error
            }
        }
    }
}

/// The distances in an interface of the original, and the steps that rewrite them.
#[derive(Debug, Clone)]
pub(super) struct Model {
    pub(super) steps: ClipSteps,
    /// The host parameters. In a new model, all bits of the mask are set, and there are no planes.
    pub(super) setting: Setting,
    /// The components that are clip distances and cull distances, in order. Components that do not exist read as 0.
    pub(super) distances: [Vec<Key>; 2],
    /// Components that the lowered stage may either keep or remove: registers that became distances, and arrays that
    /// need no capability.
    pub(super) left: BTreeSet<Key>,
}

impl Model {
    /// Makes the model of the original's interface `leaves`. `counts` is the number of distances in the built-in
    /// arrays. Pass it where the stage need not declare the arrays and they need no capability.
    pub(super) fn new(
        task: &Task<'_>,
        leaves: &[Leaf],
        listed: &DistanceSemantics,
        counts: Option<[u32; 2]>,
        steps: &ClipSteps,
    ) -> Result<Model, Stop> {
        let (m, keys) = (task.job.module, components(leaves));
        let mut left = BTreeSet::new();
        let distances = DISTANCE_KINDS.map(|kind| {
            let mut distances: Vec<Key> = match counts {
                Some(counts) => Key::elements(kind).take(counts[kind as usize] as usize).collect(),
                None => Key::elements(kind).take_while(|key| keys.contains_key(key)).collect(),
            };
            if counts.is_none() && !is_accessed(m, leaves, kind) {
                left.extend(distances.drain(..));
            }
            let own = own_distances(m, leaves, (&listed.semantics, steps.user_semantics), kind);
            left.extend(&own);
            // The linked semantics, if any, number the distances.
            let linked = listed.linked.as_ref().map(|linked| components_of(linked, kind));
            distances.extend(linked.map_or(own, |linked| linked.into_iter().collect()));
            distances
        });
        left.extend(distances.iter().flatten().filter(|key| !key.is_built_in()));
        let setting = Setting { mask: u32::MAX, planes: Vec::new() };
        let is_there = |planes| dotted(planes).iter().all(|key| keys.contains_key(key));
        match steps.planes.is_none_or(is_there) {
            true => Ok(Model { steps: steps.clone(), setting, distances, left }),
            false => Err(not_comparable("the vertex for the clip planes is not an output")),
        }
    }

    /// Whether Vulkan supports the original directly: distances are built-in arrays, and the lowering only changes
    /// their form.
    pub(super) fn is_native(&self) -> bool {
        let ClipSteps { planes: None, mask: None, form, .. } = &self.steps else { return false };
        self.distances.iter().flatten().all(Key::is_built_in)
            && !matches!(form, ClipForm::Combined | ClipForm::Separate)
    }

    /// Returns the clip distances and the cull distances that the stage writes, in order.
    fn written(&self, vertex: &Vertex) -> [Vec<Number>; 2] {
        let number = |key: &Key| vertex.get(key).copied().unwrap_or(Number::ZERO);
        let mut arrays =
            self.distances.each_ref().map(|keys| keys.iter().map(number).collect::<Vec<_>>());
        if let Some(planes) = self.steps.planes {
            let dotted = dotted(planes).each_ref().map(number);
            arrays[0] =
                self.setting.planes.iter().map(|plane| Number::dot(dotted, *plane)).collect();
        }
        arrays
    }

    /// Returns the distances that clip and cull, as many as the stages agree on. The distance to a disabled plane is
    /// 0.
    pub(super) fn distances(&self, vertex: &Vertex) -> [Vec<Number>; 2] {
        let [mut clip, mut cull] = self.written(vertex);
        for (number, distance) in (0..).zip(&mut clip) {
            if self.setting.mask.checked_shr(number).is_some_and(|bits| bits & 1 == 0) {
                // The zero may have either sign, because drivers turn selections among constants into arithmetic.
                *distance = Number::Near(0.0, 0.0);
            }
        }
        let [clips, culls] = self.steps.counts.unwrap_or_default().map(|count| count as usize);
        match self.steps.form {
            ClipForm::Kept
            | ClipForm::Arrays
            | ClipForm::ClippedInGeometry { location: None, .. } => {}
            ClipForm::Separate => cull = clip.split_off(clips.min(clip.len())),
            ClipForm::Combined => {
                clip.resize(clip.len().max(clips), Number::ZERO);
                clip.append(&mut cull);
            }
            // Distances that only other stages have are undefined in this stage.
            ClipForm::Registers { .. }
            | ClipForm::ClippedInGeometry { .. }
            | ClipForm::Emulated { .. } => {
                clip.resize(clip.len().max(clips), Number::Undefined);
                cull.resize(cull.len().max(culls), Number::Undefined);
            }
        }
        [clip, cull]
    }

    /// Returns the lowered stage's outputs for a vertex of the original. The distances are in the places that the
    /// form requires. All other components are unchanged.
    pub(super) fn lowered(&self, vertex: &Vertex) -> Vertex {
        let mut lowered = vertex.clone();
        lowered.retain(|key, _| !key.is_built_in() && !self.left.contains(key));
        if let Some((_, Some(location))) = self.steps.mask {
            let [written, _] = self.written(vertex);
            lowered.extend(Key::from(location).zip(written));
        }
        let mut arrays = self.distances(vertex);
        let location = match self.steps.form {
            ClipForm::Registers { location } => Some(location),
            ClipForm::ClippedInGeometry { location, .. } => location,
            // Without cull distances, nothing is emulated.
            ClipForm::Emulated { location, native_clip }
                if !native_clip || !arrays[1].is_empty() =>
            {
                let flags = arrays[1].iter().map(|distance| distance.flag());
                lowered.extend(Key::from(location.saturating_add(2)).zip(flags));
                Some(location)
            }
            _ => None,
        };
        if let Some(location) = location {
            lowered.extend(Key::from(location).zip(arrays.iter().flatten().copied()));
            arrays[1].clear();
            if !matches!(self.steps.form, ClipForm::Emulated { native_clip: true, .. }) {
                arrays[0].clear();
            }
        }
        for (kind, distances) in DISTANCE_KINDS.into_iter().zip(arrays) {
            lowered.extend(Key::elements(kind).zip(distances));
        }
        lowered
    }
}

/// Whether one cull distance is negative at all vertices of a primitive, given the distances of each vertex.
pub(super) fn is_culled(primitive: &[[Vec<Number>; 2]]) -> bool {
    let count = primitive.first().map_or(0, |[_, cull]| cull.len());
    (0..count).any(|number| primitive.iter().all(|[_, cull]| cull[number].float() < 0.0))
}

/// The vector whose dot products with the planes are the distances.
fn dotted(planes: UserPlanes) -> [Key; 4] {
    [0, 1, 2, 3].map(|component| match planes.vertex {
        None => Key::position(component),
        Some(location) => Key::Register { location, component },
    })
}

/// Whether the stage accesses its distances of a kind. Distances that are only declared are undefined and need no
/// capability.
fn is_accessed(m: &Module<'_>, leaves: &[Leaf], kind: DistanceKind) -> bool {
    let mut of_kind = leaves.iter().filter(|leaf| leaf.builtin == Some(kind.builtin()));
    of_kind.any(|leaf| {
        let variable = m.definition(leaf.variable).and_then(Variable::of);
        variable.is_some_and(|variable| variable.initializer().is_some())
            || m.uses_of(leaf.variable)
                .filter(|user| m.function_around(user.at()).is_some())
                .any(|user| leads_to(m, user, leaf))
    })
}

/// Whether an instruction that uses the variable of `leaf` may access the array that `leaf` is an element of.
fn leads_to(m: &Module<'_>, user: Inst<'_>, leaf: &Leaf) -> bool {
    let Some(chain) = AccessChain::of(user).filter(|_| m.builtin(leaf.variable).is_none()) else {
        return true;
    };
    let is_array = |ty: &Id| matches!(m.ty(*ty), Some(Type::Array { .. }));
    // In arrays of vertices, the index of the vertex comes first.
    let depth = usize::from(m.pointee(leaf.variable).as_ref().is_some_and(is_array));
    let member = chain.indices().nth(depth).and_then(|index| m.constant(index));
    member.is_none_or(|member| leaf.path.get(depth).is_none_or(|own| *own == member))
}

/// The maximum number of locations considered per semantic. A stage has at most two registers that hold distances.
const MOST_REGISTERS: usize = 4;

/// The components that `semantics` lists for a kind of distance.
fn components_of(semantics: &[DistanceSemantic], kind: DistanceKind) -> BTreeSet<Key> {
    let of_kind = semantics.iter().filter(|semantic| semantic.kind == kind);
    let registers = of_kind.flat_map(|semantic| {
        let Locations { first, last, components } = semantic.locations;
        (first..=last).take(MOST_REGISTERS).map(move |location| (location, components))
    });
    let keys = registers.flat_map(|(location, components)| {
        let end = components.first() + components.count();
        (components.first()..end).map(move |component| Key::Register { location, component })
    });
    keys.collect()
}

/// The components that a semantic makes distances of a kind, in register order.
fn own_distances(
    m: &Module<'_>,
    leaves: &[Leaf],
    (semantics, user_semantics): (&[DistanceSemantic], bool),
    kind: DistanceKind,
) -> Vec<Key> {
    let covered = components_of(semantics, kind);
    let mut found = Vec::new();
    for leaf in leaves {
        let is_semantic = user_semantics && semantic(m, leaf) == Some(kind);
        found.extend(Key::registers(leaf).filter(|key| is_semantic || covered.contains(key)));
    }
    found.sort_unstable();
    found
}

/// The kind of distance that a `UserSemantic` decoration names.
fn semantic(m: &Module<'_>, leaf: &Leaf) -> Option<DistanceKind> {
    let of_variable = m.decoration(leaf.variable, Decoration::USER_SEMANTIC);
    let of_member = || {
        let ty = m.pointee(leaf.variable)?;
        let Some(Type::Struct { id }) = m.ty(ty) else { return None };
        m.member_decoration(id, *leaf.path.first()?, Decoration::USER_SEMANTIC)
    };
    let text = leaves::text(of_variable.or_else(of_member)?);
    let (name, _) = leaves::split_semantic(&text)?;
    match name.as_str() {
        "SV_CLIPDISTANCE" => Some(DistanceKind::Clip),
        "SV_CULLDISTANCE" => Some(DistanceKind::Cull),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sum_overflows_on_its_way_where_one_sign_is_beyond_all_floats() {
        let dot = |vertex: [f32; 4]| {
            Number::dot(vertex.map(|part| Number::Bits(part.to_bits())), [1.0, 1.0, 1.0, 1.0])
        };
        let is = |number: Number, found: f32| number.is(found.to_bits(), true);
        let overflowing = dot([3e38, 3e38, -3e38, -3e38]);
        assert!(matches!(overflowing, Number::Overflowing(..)), "{overflowing:?}");
        assert!(
            [0.0, 1e32, f32::INFINITY, f32::NAN].into_iter().all(|found| is(overflowing, found))
        );
        assert!(!is(overflowing, 1e36));
        for near in [dot([3e38, -3e38, 1e37, 0.0]), dot([1e38, 1e38, -1e38, -1e38])] {
            assert!(matches!(near, Number::Near(..)), "{near:?}");
            assert!(!is(near, f32::INFINITY) && !is(near, f32::NAN) && is(near, near.float()));
        }
    }

    #[test]
    fn a_number_is_rounded_as_far_as_its_error() {
        let number = Number::Near(2.0, 0.5);
        let rounded = [Rounding::Least, Rounding::Nearest, Rounding::Most]
            .map(|rounding| number.rounded(rounding).float());
        assert_eq!(rounded, [1.5, 2.0, 2.5]);
        assert_eq!(Number::Bits(7).rounded(Rounding::Most), Number::Bits(7));
    }
}
