//! The names of SPIR-V's enumerants, and tables of the words that are ids for each opcode.
//!
//! The enumerations are open. A newer module may have values without a name here, which are kept unchanged.

#[rustfmt::skip]
mod generated;

use std::fmt;

macro_rules! open_set {
    ($($(#[$doc:meta])* $name:ident($word:ty);)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        pub struct $name(pub $word);
    )*};
}

open_set! {
    /// An opcode.
    Op(u16);
    /// A storage class.
    StorageClass(u32);
    /// A decoration.
    Decoration(u32);
    /// A built-in variable, the operand of [`Decoration::BUILT_IN`].
    BuiltIn(u32);
    /// An execution mode.
    ExecutionMode(u32);
    /// A capability.
    Capability(u32);
    /// An instruction of the extended set `GLSL.std.450`.
    GlslOp(u32);
}

impl GlslOp {
    /// The name of the set.
    pub const SET: &'static str = "GLSL.std.450";
}

/// An execution model: the stage of an entry point.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(into = "String", try_from = "String"))]
pub struct ExecutionModel(pub u32);

/// The operands after the fixed words. The opcode alone determines the kinds of the fixed words.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Tail {
    /// Literals only.
    Literals,
    /// Ids only.
    Ids,
    /// Pairs of a literal, as wide as the selector, and a label.
    Switch,
    /// Pairs of an id and a literal.
    IdLiteralPairs,
    /// One or two masks of memory operands with their parameters.
    Memory,
    /// A string, then ids.
    StringIds,
    /// An opcode and the operands of that opcode.
    SpecConstantOp,
    /// Words that may be ids.
    Maybe,
}

/// The entry of an opcode in the tables.
#[derive(Clone, Copy)]
pub(crate) struct Grammar(u64);

impl Grammar {
    /// Returns the entry of `op`. An unknown opcode has no result, and all its words may be ids.
    #[inline]
    pub(crate) const fn of(op: Op) -> Self {
        let page = op.0 as usize >> 9;
        let page = if page < generated::DIRECTORY.len() { generated::DIRECTORY[page] } else { 0 };
        Self(generated::PAGES[page as usize][op.0 as usize & 511])
    }

    #[inline]
    pub(crate) const fn is_known(self) -> bool {
        self.0 >> 44 & 1 != 0
    }

    /// The mask of ids: bit `i` is set if word `i + 1` is an id; only the first [`Self::fixed`] bits are valid.
    #[inline]
    pub(crate) const fn id_mask(self) -> u32 {
        (self.0 & 0xffff) as u32
    }

    /// The [`Self::id_mask`] without the result, which is always a fixed word.
    #[inline]
    pub(crate) fn operand_mask(self) -> u32 {
        self.id_mask() & !(1 << (self.0 >> 41 & 3) >> 1)
    }

    /// The number of fixed words after the first. The opcode alone determines whether each of them is an id.
    #[inline]
    pub(crate) const fn fixed(self) -> usize {
        (self.0 >> 16 & 0xff) as usize
    }

    /// The minimum word count of an instruction with this opcode.
    #[inline]
    pub(crate) const fn least(self) -> usize {
        (self.0 >> 24 & 0xff) as usize
    }

    #[inline]
    pub(crate) const fn tail(self) -> Tail {
        match self.0 >> 32 & 0xff {
            _ if !self.is_known() => Tail::Maybe,
            0 => Tail::Literals,
            1 => Tail::Ids,
            2 => Tail::Switch,
            3 => Tail::IdLiteralPairs,
            4 => Tail::Memory,
            5 => Tail::StringIds,
            6 => Tail::SpecConstantOp,
            _ => Tail::Maybe,
        }
    }

    #[inline]
    pub(crate) fn has_type(self) -> bool {
        self.0 >> 40 & 1 != 0
    }

    #[inline]
    pub(crate) fn has_result(self) -> bool {
        self.0 >> 41 & 3 != 0
    }

    /// The index of the word that holds the result id, if there is one.
    #[inline]
    pub(crate) const fn result_word(self) -> Option<usize> {
        let word = (self.0 >> 41 & 3) as usize;
        if word != 0 { Some(word) } else { None }
    }

    /// The number of the section that instructions with this opcode belong to, plus 1; 0 if they may be in several
    /// sections.
    #[inline]
    pub(crate) const fn section(self) -> usize {
        (self.0 >> 45 & 0xf) as usize
    }

    /// Whether the scan must handle instructions with this opcode specially.
    #[inline]
    pub(crate) const fn is_structural(self) -> bool {
        self.0 >> 43 & 1 != 0
    }
}

/// Whether `op` is in the tables, which contain the official grammar of SPIR-V and its registered extensions.
pub fn is_known(op: Op) -> bool {
    Grammar::of(op).is_known()
}

impl Op {
    /// Whether drivers may contract the instruction unless it is decorated with `NoContraction`. These are the
    /// floating-point instructions of the specification's section "Arithmetic Instructions".
    pub fn can_be_contracted(self) -> bool {
        matches!(
            self,
            Self::F_NEGATE
                | Self::F_ADD
                | Self::F_SUB
                | Self::F_MUL
                | Self::F_DIV
                | Self::F_REM
                | Self::F_MOD
                | Self::VECTOR_TIMES_SCALAR
                | Self::MATRIX_TIMES_SCALAR
                | Self::VECTOR_TIMES_MATRIX
                | Self::MATRIX_TIMES_VECTOR
                | Self::MATRIX_TIMES_MATRIX
                | Self::OUTER_PRODUCT
                | Self::DOT
        )
    }

    /// Whether the result is a pointer into the object that the first operand points to.
    pub fn is_access_chain(self) -> bool {
        matches!(
            self,
            Op::ACCESS_CHAIN
                | Op::IN_BOUNDS_ACCESS_CHAIN
                | Op::PTR_ACCESS_CHAIN
                | Op::IN_BOUNDS_PTR_ACCESS_CHAIN
        )
    }
}

impl BuiltIn {
    /// The GLSL name of a built-in output.
    pub fn glsl_name(self) -> Option<&'static str> {
        Some(match self {
            Self::POSITION => "gl_Position",
            Self::POINT_SIZE => "gl_PointSize",
            Self::CLIP_DISTANCE => "gl_ClipDistance",
            Self::CULL_DISTANCE => "gl_CullDistance",
            Self::TESS_LEVEL_OUTER => "gl_TessLevelOuter",
            Self::TESS_LEVEL_INNER => "gl_TessLevelInner",
            Self::LAYER => "gl_Layer",
            Self::VIEWPORT_INDEX => "gl_ViewportIndex",
            Self::PRIMITIVE_ID => "gl_PrimitiveID",
            Self::PRIMITIVE_SHADING_RATE_KHR => "gl_PrimitiveShadingRateEXT",
            Self::VIEWPORT_MASK_NV => "gl_ViewportMask",
            Self::SECONDARY_POSITION_NV => "gl_SecondaryPositionNV",
            Self::SECONDARY_VIEWPORT_MASK_NV => "gl_SecondaryViewportMaskNV",
            Self::POSITION_PER_VIEW_NV => "gl_PositionPerViewNV",
            Self::VIEWPORT_MASK_PER_VIEW_NV => "gl_ViewportMaskPerViewNV",
            _ => return None,
        })
    }
}

impl fmt::Display for BuiltIn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.glsl_name() {
            Some(name) => f.write_str(name),
            None => write!(f, "built-in {}", self.0),
        }
    }
}

impl fmt::Display for ExecutionModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match *self {
            Self::VERTEX => "vertex",
            Self::TESSELLATION_CONTROL => "tessellation control",
            Self::TESSELLATION_EVALUATION => "tessellation evaluation",
            Self::GEOMETRY => "geometry",
            Self::FRAGMENT => "fragment",
            Self::GL_COMPUTE => "compute",
            Self::TASK_EXT | Self::TASK_NV => "task",
            Self::MESH_EXT | Self::MESH_NV => "mesh",
            Self(other) => return write!(f, "execution model {other}"),
        })
    }
}

#[cfg(feature = "serde")]
impl From<ExecutionModel> for String {
    fn from(model: ExecutionModel) -> Self {
        model.to_string()
    }
}

#[cfg(feature = "serde")]
impl TryFrom<String> for ExecutionModel {
    type Error = String;

    /// Parses the output of `Display`: `vertex`, `tessellation control`, …, or `execution model N`.
    fn try_from(text: String) -> Result<Self, String> {
        const NAMED: [ExecutionModel; 8] = [
            ExecutionModel::VERTEX,
            ExecutionModel::TESSELLATION_CONTROL,
            ExecutionModel::TESSELLATION_EVALUATION,
            ExecutionModel::GEOMETRY,
            ExecutionModel::FRAGMENT,
            ExecutionModel::GL_COMPUTE,
            ExecutionModel::TASK_EXT,
            ExecutionModel::MESH_EXT,
        ];
        let number = || text.strip_prefix("execution model ")?.parse().ok().map(Self);
        let found = NAMED.into_iter().find(|model| model.to_string() == text).or_else(number);
        found.ok_or_else(|| format!("there is no stage `{text}`"))
    }
}
