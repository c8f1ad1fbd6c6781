//! What the outputs or inputs of a lowered stage must be, component by component, made of those of the original.

use crate::leaves::{self, Leaf};
use crate::{Form, Marked, Planes, Steps};
use polyshade::Module;
use polyshade::clip_cull::{Component, KINDS, Kind, Linkage, Mark};
use polyshade::spv::{BuiltIn, Decoration, Type};
use std::collections::BTreeMap;

/// Where a 32-bit component of an output or input lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Key {
    /// Component of an element of a built-in.
    BuiltIn { builtin: u32, element: u32, component: u32 },
    /// Component of a location.
    Register { location: u32, component: u32 },
}

impl Key {
    pub(super) fn distance(kind: Kind, element: u32) -> Key {
        Key::BuiltIn { builtin: kind.builtin().0, element, component: 0 }
    }

    /// Number `number` of the registers from `location` on.
    fn numbered(location: u32, number: u32) -> Key {
        Key::Register { location: location.saturating_add(number / 4), component: number % 4 }
    }

    pub(super) fn position(component: u32) -> Key {
        Key::BuiltIn { builtin: BuiltIn::POSITION.0, element: 0, component }
    }

    /// Whether a stage passes it to the next one: it is a location, or a distance.
    pub(super) fn is_handed_on(&self) -> bool {
        let distances = KINDS.map(|kind| kind.builtin().0);
        match self {
            Key::BuiltIn { builtin, .. } => distances.contains(builtin),
            Key::Register { .. } => true,
        }
    }

    pub(super) fn title(self) -> String {
        match self {
            Key::BuiltIn { builtin, element, component } => {
                let name = match BuiltIn(builtin) {
                    BuiltIn::CLIP_DISTANCE => format!("gl_ClipDistance[{element}]"),
                    BuiltIn::CULL_DISTANCE => format!("gl_CullDistance[{element}]"),
                    BuiltIn::POSITION => "gl_Position".to_owned(),
                    BuiltIn::TESS_LEVEL_OUTER => format!("gl_TessLevelOuter[{element}]"),
                    BuiltIn::TESS_LEVEL_INNER => format!("gl_TessLevelInner[{element}]"),
                    _ => format!("built-in {builtin}"),
                };
                format!("{name}, component {component}")
            }
            Key::Register { location, component } => {
                format!("location {location}, component {component}")
            }
        }
    }
}

/// The components of outputs or inputs, and the word of each of a vertex.
pub(super) fn components(leaves: &[Leaf]) -> BTreeMap<Key, usize> {
    let mut components = BTreeMap::new();
    let mut word = 0;
    for leaf in leaves {
        let count = leaf.words() as usize;
        match leaf.builtin {
            Some(BuiltIn(builtin)) => {
                let element = leaf.path.last().copied().filter(|_| leaf.whole.is_some());
                let element = element.unwrap_or(0);
                components.extend((0..count).map(|at| {
                    let component = at as u32;
                    (Key::BuiltIn { builtin, element, component }, word + at)
                }));
            }
            None => {
                let places = leaves::registers(leaf).take(count).enumerate();
                components.extend(places.map(|(at, (location, component))| {
                    (Key::Register { location, component }, word + at)
                }));
            }
        }
        word += count;
    }
    components
}

/// What a component must be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Source {
    /// A word of the original's vertex: of what is recorded, or handed to it.
    Word(usize),
    Zero,
    /// The vertex whose words these are, dotted with a plane.
    Dot([usize; 4], usize),
    /// 0 where the plane of this number is off.
    Masked(u32, Box<Source>),
    /// Whether a distance is at least 0.
    Flag(Box<Source>),
}

/// What the host fills in.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Setting {
    pub(super) mask: u32,
    pub(super) planes: Vec<[f32; 4]>,
}

/// A value that a component must have.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Right {
    Bits(u32),
    /// A number, up to an error: a driver adds products in any order.
    Near(f64, f64),
}

/// The largest error of a sum of four products, relative to the sum of their magnitudes: a few roundings.
const ROUNDING: f64 = 1.0 / (1 << 20) as f64;

impl Source {
    pub(super) fn value(&self, vertex: &[u32], setting: &Setting) -> Right {
        match self {
            Source::Word(word) => Right::Bits(vertex[*word]),
            Source::Zero => Right::Bits(0),
            Source::Dot(words, plane) => {
                let products = words.iter().zip(&setting.planes[*plane]).map(|(word, plane)| {
                    f64::from(f32::from_bits(vertex[*word])) * f64::from(*plane)
                });
                let products: Vec<f64> = products.collect();
                let magnitude: f64 = products.iter().map(|product| product.abs()).sum();
                let error = magnitude * ROUNDING + f64::from(f32::MIN_POSITIVE);
                Right::Near(products.iter().sum(), error)
            }
            Source::Masked(number, source) => match setting.mask >> number & 1 {
                0 => Right::Bits(0),
                _ => source.value(vertex, setting),
            },
            Source::Flag(source) => match source.value(vertex, setting) {
                Right::Bits(bits) => {
                    let flag = if f32::from_bits(bits) >= 0.0 { 1.0_f32 } else { 0.0 };
                    Right::Bits(flag.to_bits())
                }
                // Near 0 it may be either.
                Right::Near(distance, error) if distance.abs() <= error => Right::Near(0.5, 0.5),
                Right::Near(distance, _) => {
                    Right::Near(if distance >= 0.0 { 1.0 } else { 0.0 }, 0.0)
                }
            },
        }
    }
}

impl Right {
    /// Whether `bits`, of a float or an integer, are right. Where the sum may overflow, any bits are.
    pub(super) fn is(self, bits: u32, is_float: bool) -> bool {
        match self {
            Right::Bits(right) => {
                let are_none = [right, bits].iter().all(|bits| f32::from_bits(*bits).is_nan());
                right == bits || is_float && are_none
            }
            Right::Near(right, error) => {
                let found = f64::from(f32::from_bits(bits));
                !right.is_finite()
                    || right.abs() > f64::from(f32::MAX) / 8.0
                    || error > f64::from(f32::MAX) / 8.0
                    || (found - right).abs() <= error
            }
        }
    }
}

/// What a lowered stage must have.
#[derive(Debug)]
pub(super) struct Expected {
    pub(super) components: BTreeMap<Key, Source>,
    /// What the original has and may stay, though nothing is to read it: registers that are distances now, beside
    /// components that are none.
    pub(super) left: Vec<Key>,
    /// Where its clip and its cull distances are, by their numbers.
    pub(super) distances: [Vec<Key>; 2],
}

/// The inputs or outputs of the original.
#[derive(Debug)]
pub(super) struct Interface<'i> {
    pub(super) leaves: &'i [Leaf],
    /// Where the words of their components are, and of distances that are there though the stage does not read them.
    pub(super) words: BTreeMap<Key, usize>,
    /// How many distances there are, where the stage need not have them all and they need no capability.
    pub(super) counts: Option<[u32; 2]>,
    pub(super) marked: &'i Marked,
}

impl<'i> Interface<'i> {
    /// One of which all is there.
    pub(super) fn of(leaves: &'i [Leaf], marked: &'i Marked) -> Self {
        Interface { leaves, words: components(leaves), counts: None, marked }
    }
}

/// Takes the steps with an interface of the original.
pub(super) fn expected(
    m: &Module<'_>,
    interface: &Interface<'_>,
    steps: &Steps,
) -> Result<Expected, String> {
    let Interface { leaves, words: own, marked: listed, .. } = interface;
    let mut rest: BTreeMap<Key, Source> =
        own.iter().map(|(key, word)| (*key, Source::Word(*word))).collect();
    let mut left = Vec::new();
    let mut distances = built_in(m, interface, steps.repairs, (&mut rest, &mut left));
    for (kind, sources) in KINDS.into_iter().zip(&mut distances) {
        let marked = marked(m, leaves, (&listed.marks, steps.semantics), kind);
        let linked = listed.linked.iter().flat_map(|linked| linked.of(kind));
        left.extend(marked.iter().copied().chain(linked).map(register));
        sources.extend(number(&mut rest, &marked, listed.linked.as_ref(), kind));
    }
    if let Some(planes) = steps.planes {
        distances[0] = dots(own, planes)?;
    }
    if let Some((_, as_written)) = steps.enable {
        for (number, source) in (0..).zip(&mut distances[0]) {
            if let Some(location) = as_written {
                rest.insert(Key::numbered(location, number), source.clone());
            }
            *source = Source::Masked(number, Box::new(source.clone()));
        }
    }
    let mut counts = distances.each_ref().map(|sources| sources.len() as u32);
    if let Some(linked) = steps.counts {
        counts = [0, 1].map(|kind: usize| counts[kind].max(linked[kind]));
    }
    let [clip, cull] = &mut distances;
    match steps.form {
        Form::Kept | Form::Arrays | Form::Exact { location: None } => {}
        Form::Combined => {
            clip.resize(counts[0] as usize, Source::Zero);
            clip.append(cull);
        }
        Form::Separate => *cull = clip.split_off(clip.len().min(separated(steps))),
        Form::Registers { location }
        | Form::Exact { location: Some(location) }
        | Form::Emulated { location, .. } => {
            clip.resize(counts[0] as usize, Source::Zero);
            cull.resize(counts[1] as usize, Source::Zero);
            let is_emulated = matches!(steps.form, Form::Emulated { .. });
            if let Form::Emulated { native_clip: true, .. } = steps.form {
                let stay = (0..).zip(clip.iter());
                rest.extend(stay.map(|(i, source)| (Key::distance(Kind::Clip, i), source.clone())));
                // Without cull distances there is nothing to do.
                if cull.is_empty() {
                    let keys = (0..counts[0]).map(|i| Key::distance(Kind::Clip, i)).collect();
                    return Ok(Expected { components: rest, left, distances: [keys, Vec::new()] });
                }
            }
            return Ok(in_registers(rest, distances, location, is_emulated, left));
        }
    }
    let distances = KINDS.map(|kind| {
        let sources = std::mem::take(&mut distances[kind as usize]);
        let keys: Vec<Key> =
            (0..sources.len() as u32).map(|element| Key::distance(kind, element)).collect();
        rest.extend(keys.iter().copied().zip(sources));
        keys
    });
    Ok(Expected { components: rest, left, distances })
}

/// Takes the elements of the built-in arrays out of the components, and says what distances they are.
fn built_in(
    m: &Module<'_>,
    interface: &Interface<'_>,
    repairs: bool,
    (rest, left): (&mut BTreeMap<Key, Source>, &mut Vec<Key>),
) -> [Vec<Source>; 2] {
    KINDS.map(|kind| {
        let elements = (0..).map(|element| Key::distance(kind, element));
        let found = elements.map_while(|key| Some((key, rest.remove(&key)?)));
        let (keys, mut sources): (Vec<Key>, Vec<Source>) = found.unzip();
        if let Some(counts) = interface.counts {
            sources.truncate(counts[kind as usize] as usize);
            return sources;
        }
        // What a stage declares and never writes needs no capability, and is no distance.
        if repairs || m.has_capability(kind.capability()) {
            return sources;
        }
        left.extend(keys);
        Vec::new()
    })
}

/// The products of the planes with what they are dotted with.
fn dots(own: &BTreeMap<Key, usize>, planes: Planes) -> Result<Vec<Source>, String> {
    let key = |component| match planes.vertex {
        None => Key::position(component),
        Some(location) => Key::Register { location, component },
    };
    let words = [0, 1, 2, 3].map(|component| own.get(&key(component)).copied());
    let [Some(x), Some(y), Some(z), Some(w)] = words else {
        return Err("the vertex that planes are dotted with is not an output".to_owned());
    };
    let dot = |plane| Source::Dot([x, y, z, w], plane as usize);
    Ok((0..planes.count).map(dot).collect())
}

fn register(component: Component) -> Key {
    Key::Register { location: component.location, component: component.component }
}

fn separated(steps: &Steps) -> usize {
    steps.counts.map_or(usize::MAX, |[clip, _]| clip as usize)
}

/// Clip distances, and cull distances behind them, from a location on; and flags two locations on, if they are
/// emulated.
fn in_registers(
    mut rest: BTreeMap<Key, Source>,
    [clip, cull]: [Vec<Source>; 2],
    location: u32,
    is_emulated: bool,
    left: Vec<Key>,
) -> Expected {
    let first = clip.len() as u32;
    let keys = |range: std::ops::Range<u32>| -> Vec<Key> {
        range.map(|number| Key::numbered(location, number)).collect()
    };
    let distances = [keys(0..first), keys(first..first + cull.len() as u32)];
    if is_emulated {
        rest.extend((0..).zip(&cull).map(|(number, source)| {
            (
                Key::numbered(location.saturating_add(2), number),
                Source::Flag(Box::new(source.clone())),
            )
        }));
    }
    let sources = clip.into_iter().chain(cull);
    rest.extend(distances.iter().flatten().copied().zip(sources));
    Expected { components: rest, left, distances }
}

/// The components that are marked as distances of a kind, in their order.
fn marked(
    m: &Module<'_>,
    leaves: &[Leaf],
    (marks, semantics): (&[Mark], bool),
    kind: Kind,
) -> Vec<Component> {
    let mut found = Vec::new();
    for leaf in leaves {
        let is_semantic = semantics && semantic(m, leaf) == Some(kind);
        for (location, component) in leaves::registers(leaf) {
            if is_semantic || covers(marks, kind, location, component) {
                found.push(Component { location, component });
            }
        }
    }
    found.sort_unstable();
    found
}

fn covers(marks: &[Mark], kind: Kind, location: u32, component: u32) -> bool {
    let linkage = |mark: &Mark| Linkage::new([*mark]).ok();
    marks.iter().filter(|mark| mark.kind == kind).filter_map(linkage).any(|linkage| {
        linkage.of(kind).any(|one| (one.location, one.component) == (location, component))
    })
}

/// The kind that a `UserSemantic` decoration says.
fn semantic(m: &Module<'_>, leaf: &Leaf) -> Option<Kind> {
    let of_variable = m.decoration(leaf.variable, Decoration::USER_SEMANTIC);
    let of_member = || {
        let ty = m.pointee(leaf.variable)?;
        let Some(Type::Struct { id }) = m.ty(ty) else { return None };
        m.member_decoration(id, *leaf.path.first()?, Decoration::USER_SEMANTIC)
    };
    let text = leaves::text(of_variable.or_else(of_member)?);
    let (name, _) = leaves::split_semantic(&text)?;
    match name.as_str() {
        "SV_CLIPDISTANCE" => Some(Kind::Clip),
        "SV_CULLDISTANCE" => Some(Kind::Cull),
        _ => None,
    }
}

/// The distances, by their numbers: what is linked, if anything is, else what is marked.
fn number(
    rest: &mut BTreeMap<Key, Source>,
    marked: &[Component],
    linked: Option<&Linkage>,
    kind: Kind,
) -> Vec<Source> {
    let mut take = |component| rest.remove(&register(component));
    let Some(linked) = linked else {
        return marked.iter().filter_map(|component| take(*component)).collect();
    };
    // What the stage does not have is 0, and what is not linked is its own affair.
    let sources =
        linked.of(kind).map(|component| take(component).unwrap_or(Source::Zero)).collect();
    marked.iter().for_each(|component| drop(take(*component)));
    sources
}
