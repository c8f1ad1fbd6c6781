//! Random ways to pass distances, with GLSL that uses registers and GLSL that uses built-in arrays.

use crate::noise::Noise;
use polyshade::clip_cull::{DistanceKind, DistanceSemantic};
use polyshade::transform_feedback::Components;

/// How a register is declared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Form {
    /// A variable for each kind, as wide as its mask.
    Split,
    /// One `vec4`; components without a semantic are ordinary values.
    Whole,
    /// Both registers are one array of `vec4`.
    Array,
}

/// Components of one register that are distances of one kind.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Part {
    pub(crate) kind: DistanceKind,
    pub(crate) location: u32,
    pub(crate) first: u32,
    pub(crate) count: u32,
}

/// A distance: the part that contains it, its component, and its index among the distances of its kind.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scalar {
    part: Part,
    component: u32,
    number: u32,
}

/// The optional stages of a pipeline.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Chain {
    pub(crate) tessellation: bool,
    pub(crate) geometry: bool,
}

/// One way to pass distances.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Shape {
    pub(crate) chain: Chain,
    pub(crate) parts: Vec<Part>,
    pub(crate) form: Form,
    /// Whether indices are dynamic.
    pub(crate) dynamic: bool,
    /// Whether the fragment stage reads the distances.
    pub(crate) read: bool,
    /// The index of a scalar that only some vertices write.
    pub(crate) sometimes: usize,
    /// The mask of clip planes that the last stage disables in the style with arrays.
    pub(crate) off: u32,
    /// Whether a function of the vertex shader writes the distances.
    pub(crate) callee: bool,
}

/// Whether a shader uses registers or built-in arrays.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Style {
    Registers,
    Arrays,
}

impl Shape {
    pub(crate) fn random(noise: &mut Noise, chain: Chain) -> Shape {
        let first = noise.below(4);
        let form = [Form::Split, Form::Whole, Form::Array][noise.below(3) as usize];
        let second = if form == Form::Array { first + 1 } else { first + 1 + noise.below(3) };
        let registers = if form == Form::Array || noise.below(2) == 0 { 2 } else { 1 };
        let mut parts = Vec::new();
        for location in [first, second].into_iter().take(registers) {
            let split = noise.below(5);
            let (lower, upper) = match noise.below(2) {
                0 => (DistanceKind::Clip, DistanceKind::Cull),
                _ => (DistanceKind::Cull, DistanceKind::Clip),
            };
            // Up to two trailing components may be unused.
            let end = 4 - noise.below(3).min(3);
            let ends = [(lower, 0, split.min(end)), (upper, split.min(end), end)];
            for (kind, from, to) in ends {
                if to > from {
                    parts.push(Part { kind, location, first: from, count: to - from });
                }
            }
        }
        Shape {
            chain,
            sometimes: noise.below(8) as usize,
            dynamic: noise.below(2) == 0,
            read: noise.below(3) > 0,
            callee: noise.below(2) == 0,
            off: 0,
            form,
            parts,
        }
    }

    pub(crate) fn semantics(&self) -> impl Iterator<Item = DistanceSemantic> + '_ {
        self.parts.iter().map(|part| {
            let components =
                Components::new(part.first, part.count).expect("they are in a register");
            DistanceSemantic::new(part.kind, part.location, components)
        })
    }

    /// Returns all distances, ordered by kind and register.
    pub(crate) fn scalars(&self) -> Vec<Scalar> {
        let mut scalars = Vec::new();
        for kind in [DistanceKind::Clip, DistanceKind::Cull] {
            let mut of_kind = Vec::new();
            for part in self.parts.iter().filter(|part| part.kind == kind) {
                of_kind.extend((part.first..part.first + part.count).map(|i| (*part, i)));
            }
            of_kind.sort_unstable_by_key(|(part, component)| (part.location, *component));
            let of_kind = (0..).zip(of_kind);
            scalars.extend(of_kind.map(|(number, (part, component))| Scalar {
                part,
                component,
                number,
            }));
        }
        scalars
    }

    pub(crate) fn count(&self, kind: DistanceKind) -> u32 {
        self.parts.iter().filter(|part| part.kind == kind).map(|part| part.count).sum()
    }

    /// Returns the numbers of clip and cull distances.
    pub(crate) fn counts(&self) -> [u32; 2] {
        [DistanceKind::Clip, DistanceKind::Cull].map(|kind| self.count(kind))
    }

    fn registers(&self) -> Vec<u32> {
        let mut locations: Vec<u32> = self.parts.iter().map(|part| part.location).collect();
        locations.dedup();
        locations
    }

    /// Returns the declarations of the output (`o`) or input (`i`) distances, with `array` after each name.
    pub(crate) fn declarations(&self, side: char, array: &str, style: Style) -> String {
        let qualifier = if side == 'o' { "out" } else { "in" };
        let whole = |location: u32| {
            format!("layout(location = {location}) {qualifier} vec4 {side}_{location}{array};\n")
        };
        let part = |&Part { kind, location, first, count }: &Part| {
            let ty = if count == 1 { "float".to_owned() } else { format!("vec{count}") };
            format!(
                "layout(location = {location}, component = {first})
                {qualifier} {ty} {side}_{kind}{location}{array};\n"
            )
        };
        match (style, self.form) {
            (Style::Arrays, Form::Split) => String::new(),
            (Style::Registers, Form::Split) => self.parts.iter().map(part).collect(),
            // Components without a semantic are ordinary values in both styles.
            (Style::Arrays, _) | (Style::Registers, Form::Whole) => {
                self.registers().into_iter().map(whole).collect()
            }
            (Style::Registers, Form::Array) => {
                let first = self.registers()[0];
                format!("layout(location = {first}) {qualifier} vec4 {side}_all{array}[2];\n")
            }
        }
    }

    /// Returns the statements of the last stage before rasterization that overwrite distances of disabled planes.
    pub(crate) fn turn_off(&self, style: Style, is_last: bool) -> String {
        let planes = 0..self.count(DistanceKind::Clip);
        let off =
            planes.filter(|plane| is_last && style == Style::Arrays && self.off >> plane & 1 == 1);
        off.map(|plane| format!("    gl_ClipDistance[{plane}] = 0.0;\n")).collect()
    }

    /// Whether registers have components that are ordinary values.
    fn has_rest(&self) -> bool {
        self.form != Form::Split
    }

    /// Returns the register components that are ordinary values, as pairs of location and component.
    pub(crate) fn rest(&self) -> Vec<(u32, u32)> {
        let taken = |location, component| {
            self.parts.iter().any(|part| {
                part.location == location
                    && (part.first..part.first + part.count).contains(&component)
            })
        };
        let all =
            self.registers().into_iter().flat_map(|location| (0..4).map(move |i| (location, i)));
        all.filter(|(location, i)| self.has_rest() && !taken(*location, *i)).collect()
    }

    fn index(&self, number: u32) -> String {
        if self.dynamic { format!("[pc.zero + {number}]") } else { format!("[{number}]") }
    }

    /// Returns the expression for a register component that is an ordinary value.
    pub(crate) fn fixed_function(
        &self,
        side: char,
        vertex: &str,
        at: (u32, u32),
        style: Style,
    ) -> String {
        let (location, component) = at;
        match self.form {
            Form::Array if style == Style::Registers => {
                let element = location - self.registers()[0];
                format!("{side}_all{vertex}{}[{component}]", self.index(element))
            }
            _ => format!("{side}_{location}{vertex}[{component}]"),
        }
    }

    /// Returns the expression for an output or input distance.
    pub(crate) fn distance(&self, side: char, vertex: &str, of: Scalar, style: Style) -> String {
        let Scalar { part, component, number } = of;
        let Part { kind, location, .. } = part;
        // Built-in arrays, in their blocks.
        if style == Style::Arrays {
            let name =
                if kind == DistanceKind::Clip { "gl_ClipDistance" } else { "gl_CullDistance" };
            let block = match (side, vertex) {
                (_, "") => String::new(),
                ('i', _) => format!("gl_in{vertex}."),
                _ => format!("gl_out{vertex}."),
            };
            return format!("{block}{name}[{number}]");
        }
        // Registers.
        match self.form {
            Form::Split => {
                let name = format!("{side}_{kind}{location}{vertex}");
                match part.count {
                    1 => name,
                    _ => format!("{name}{}", self.index(component - part.first)),
                }
            }
            Form::Whole => format!("{side}_{location}{vertex}{}", self.index(component)),
            Form::Array => {
                let element = location - self.registers()[0];
                format!("{side}_all{vertex}{}{}", self.index(element), self.index(component))
            }
        }
    }
}
