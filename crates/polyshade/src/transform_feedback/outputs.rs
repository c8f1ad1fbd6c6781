//! The outputs of an entry point and their names, and the inputs of a geometry stage.

use crate::rewrite::{self, Sizes};
use polyshade_spv::view::EntryPoint;
use polyshade_spv::{BuiltIn, Decoration, Id, Module, Op, StorageClass, Type};
use std::borrow::Cow;

/// A part of an output variable.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Part {
    pub(super) variable: Id,
    /// The indices of members and elements that lead from the variable to the part.
    pub(super) path: Vec<u32>,
    /// The type of the part.
    pub(super) ty: Id,
}

impl Part {
    pub(super) fn inside(&self, index: u32, ty: Id) -> Self {
        let mut path = Vec::with_capacity(self.path.len() + 1);
        path.extend_from_slice(&self.path);
        path.push(index);
        Self { variable: self.variable, path, ty }
    }

    /// Returns the operands of `decoration` on the part's block member, or otherwise on its variable.
    pub(super) fn decoration<'m>(
        &self,
        m: &'m Module<'_>,
        decoration: Decoration,
    ) -> Option<&'m [u32]> {
        let of_member = || {
            let mut ty = m.pointee(self.variable)?;
            let mut path = self.path.iter();
            while let Some(Type::Array { element, .. }) = m.ty(ty) {
                ty = element;
                path.next()?;
            }
            m.member_decoration(ty, *path.next()?, decoration)
        };
        of_member().or_else(|| m.decoration(self.variable, decoration))
    }
}

/// An output variable, or a member of an output block.
pub(super) struct Output<'m> {
    pub(super) part: Part,
    /// The name by which options select the output.
    pub(super) name: Option<Cow<'m, str>>,
    pub(super) builtin: Option<BuiltIn>,
    /// The first location of the output; `None` for a built-in, or if only members have locations.
    pub(super) location: Option<u32>,
    /// The component at which the output begins in its first location.
    pub(super) component: u32,
    /// The semantic that an HLSL compiler recorded, such as `TEXCOORD3`.
    pub(super) semantic: Option<Cow<'m, str>>,
}

impl Output<'_> {
    /// Returns the text for the output in messages.
    pub(super) fn shown(&self) -> Cow<'_, str> {
        match (&self.name, self.location) {
            (Some(name), _) => Cow::Borrowed(name),
            (None, Some(location)) => format!("location={location}").into(),
            (None, None) => format!("%{}", self.part.variable.word()).into(),
        }
    }
}

/// The outputs of an entry point.
pub(super) struct Outputs<'m> {
    /// In the order of the interface, then of block members.
    pub(super) all: Vec<Output<'m>>,
    /// The variables, in the order of the interface.
    pub(super) variables: Vec<Id>,
    /// The indices in `all` of the named outputs, sorted by name, then by index.
    by_name: Vec<usize>,
}

impl<'m> Outputs<'m> {
    pub(super) fn of(m: &'m Module<'_>, entry: EntryPoint<'_>) -> Self {
        Self::find(m, entry, StorageClass::OUTPUT, |variable| m.pointee(variable))
    }

    /// Returns the inputs of a geometry stage: the outputs of the stage before it. Each variable is an array with one
    /// element for each vertex, and parts are parts of an element.
    pub(super) fn before(m: &'m Module<'_>, entry: EntryPoint<'_>) -> Self {
        Self::find(m, entry, StorageClass::INPUT, |variable| Some(vertices(m, variable)?.0))
    }

    /// Returns the inputs or outputs of a tessellation stage, as `class` selects, that have one value for each patch
    /// or, without `per_patch`, one for each vertex. The latter are arrays, and parts are parts of an element.
    pub(super) fn of_patch(
        m: &'m Module<'_>,
        entry: EntryPoint<'_>,
        class: StorageClass,
        per_patch: bool,
    ) -> Self {
        Self::find(m, entry, class, |variable| match (is_per_patch(m, variable), per_patch) {
            (true, true) => m.pointee(variable),
            (false, false) => Some(vertices(m, variable)?.0),
            _ => None,
        })
    }

    /// Returns the number of vertices in a variable with a value for each vertex.
    pub(super) fn vertices(m: &Module<'_>, variable: Id) -> Option<u32> {
        let (_, length) = vertices(m, variable).filter(|_| !is_per_patch(m, variable))?;
        m.constant(length)
    }

    /// Finds the outputs among the variables that have a type in `ty`.
    fn find(
        m: &'m Module<'_>,
        entry: EntryPoint<'_>,
        class: StorageClass,
        ty: impl Fn(Id) -> Option<Id>,
    ) -> Self {
        let variables = rewrite::interface(m, entry, class);
        let all = Vec::with_capacity(variables.len());
        let mut outputs = Self { all, variables, by_name: Vec::new() };
        for number in 0..outputs.variables.len() {
            let variable = outputs.variables[number];
            let Some(ty) = ty(variable) else { continue };
            outputs.add_variable(m, Part { variable, path: Vec::new(), ty });
        }
        let Self { all, by_name, .. } = &mut outputs;
        by_name.reserve(all.len());
        by_name.extend((0..all.len()).filter(|number| all[*number].name.is_some()));
        by_name.sort_by_key(|number| all[*number].name.as_deref());
        outputs
    }

    fn add_variable(&mut self, m: &'m Module<'_>, whole: Part) {
        let (variable, ty) = (whole.variable, whole.ty);
        let structure = m.innermost_element(ty);
        if structure == ty && is_block(m, structure) {
            return self.add_block(m, &whole);
        }
        let OutputDecorations { builtin, location, component, semantic } =
            OutputDecorations::of(m, variable, None);
        let own_name = m.name(variable);
        let semantic = semantic.or_else(|| without_prefix(own_name.clone()?));
        let name = match builtin {
            Some(builtin) => builtin.glsl_name().map(Cow::Borrowed),
            // OpenGL also uses the block's name for arrays of blocks: `Block[i].member`.
            None if is_block(m, structure) => m.name(structure),
            None => own_name,
        };
        self.all.push(Output { name, builtin, location, component, semantic, part: whole });
    }

    /// Adds the members of a block. Their names are `Block.member`, or `member` if the block has no instance name.
    fn add_block(&mut self, m: &'m Module<'_>, whole: &Part) {
        let block = whole.ty;
        let block_name = m.name(block).unwrap_or_default();
        let has_instance = m.name(whole.variable).is_some();
        let mut next = first(m.decoration(whole.variable, Decoration::LOCATION));
        let mut sizes = Sizes::new(m);
        self.all.reserve(m.members(block).len());
        for (member, ty) in (0..).zip(m.members(block)) {
            let OutputDecorations { builtin, location, component, semantic } =
                OutputDecorations::of(m, block, Some(member));
            let name = match (builtin, m.member_name(block, member)) {
                (Some(builtin), _) => builtin.glsl_name().map(Cow::Borrowed),
                (None, Some(name)) if has_instance => Some(format!("{block_name}.{name}").into()),
                (None, name) => name,
            };
            let location = location.or(next);
            next = location.map(|location| location.saturating_add(sizes.locations(ty)));
            self.all.push(Output {
                part: whole.inside(member, ty),
                name,
                builtin,
                location: location.filter(|_| builtin.is_none()),
                component,
                semantic,
            });
        }
    }

    /// Returns the distinct names of all outputs, in the order of the interface.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        let named = self.all.iter().filter_map(|output| Some((output, output.name.as_deref()?)));
        let is_first = |(output, name): &(&Output<'_>, &str)| {
            self.named(name).next().is_some_and(|first| std::ptr::eq(first, *output))
        };
        named.filter(is_first).map(|(_, name)| name)
    }

    /// Returns the outputs with this name. If several outputs share it, the name cannot select a capture.
    pub(super) fn named(&self, name: &str) -> impl Iterator<Item = &Output<'m>> {
        let name_of = |number: &usize| self.all[*number].name.as_deref();
        let start = self.by_name.partition_point(|number| name_of(number) < Some(name));
        let named = self.by_name[start..].iter();
        named
            .take_while(move |number| name_of(number) == Some(name))
            .map(|number| &self.all[*number])
    }
}

/// Returns the type of an element of an array of vertices, and the length of the array.
fn vertices(m: &Module<'_>, variable: Id) -> Option<(Id, Id)> {
    match m.ty(m.pointee(variable)?) {
        Some(Type::Array { element, length }) => Some((element, length)),
        _ => None,
    }
}

/// Whether a variable of a tessellation stage has one value for each patch.
fn is_per_patch(m: &Module<'_>, variable: Id) -> bool {
    let of_member = || {
        let structure = m.innermost_element(m.pointee(variable)?);
        m.member_decoration(structure, 0, Decoration::PATCH)
    };
    m.decoration(variable, Decoration::PATCH).is_some()
        || of_member().is_some()
        || matches!(
            m.builtin(variable),
            Some(BuiltIn::TESS_LEVEL_OUTER | BuiltIn::TESS_LEVEL_INNER)
        )
}

fn first(operands: Option<&[u32]>) -> Option<u32> {
    operands?.first().copied()
}

/// The decorations of an output. If a decoration is repeated, the first one counts.
#[derive(Default)]
struct OutputDecorations<'m> {
    builtin: Option<BuiltIn>,
    location: Option<u32>,
    component: u32,
    semantic: Option<Cow<'m, str>>,
}

impl<'m> OutputDecorations<'m> {
    fn of(m: &'m Module<'_>, id: Id, member: Option<u32>) -> Self {
        let (mut found, mut component) = (Self::default(), None);
        for applied in m.decorations_of_member(id, member) {
            let number = applied.operands.first().copied();
            match applied.decoration {
                Decoration::BUILT_IN => found.builtin = found.builtin.or(number.map(BuiltIn)),
                Decoration::LOCATION => found.location = found.location.or(number),
                Decoration::COMPONENT => component = component.or(number),
                Decoration::USER_SEMANTIC if found.semantic.is_none() => {
                    found.semantic = Some(polyshade_spv::decode_text(applied.operands));
                }
                _ => {}
            }
        }
        found.component = component.unwrap_or(0);
        found
    }
}

/// Returns the semantic in a name from DXC, without the prefix `out.var.`.
fn without_prefix(name: Cow<'_, str>) -> Option<Cow<'_, str>> {
    const PREFIX: &str = "out.var.";
    match name {
        Cow::Borrowed(name) => name.strip_prefix(PREFIX).map(Cow::Borrowed),
        Cow::Owned(name) => name.strip_prefix(PREFIX).map(|name| name.to_owned().into()),
    }
}

fn is_block(m: &Module<'_>, structure: Id) -> bool {
    let is_structure = m.definition(structure).is_some_and(|inst| inst.op() == Op::TYPE_STRUCT);
    is_structure
        && m.decorations_of(structure)
            .any(|applied| matches!(applied.decoration, Decoration::BLOCK | Decoration::BUILT_IN))
}

/// Returns the built-in output for a system value of Direct3D.
pub(super) fn system_value(name: &str) -> Option<BuiltIn> {
    Some(match name.to_ascii_uppercase().as_str() {
        "SV_POSITION" => BuiltIn::POSITION,
        "PSIZE" => BuiltIn::POINT_SIZE,
        "SV_CLIPDISTANCE" => BuiltIn::CLIP_DISTANCE,
        "SV_CULLDISTANCE" => BuiltIn::CULL_DISTANCE,
        "SV_RENDERTARGETARRAYINDEX" => BuiltIn::LAYER,
        "SV_VIEWPORTARRAYINDEX" => BuiltIn::VIEWPORT_INDEX,
        _ => return None,
    })
}
