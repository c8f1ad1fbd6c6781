//! The kinds of options, each with its number, its name and the version of its lowering.

use crate::failure::Failure;
use polyshade::{
    advanced_blend, clip_cull, depth_convention, position_only, rasterizer_discard, recipe,
    transform_feedback, vertex_pulling,
};

/// JSON of any of the other kinds: `polyshade_json_options`.
pub const POLYSHADE_OPTIONS_JSON: u32 = 0x8000_0000;
/// Capture into storage buffers: `polyshade_capture_options`.
pub const POLYSHADE_OPTIONS_CAPTURE_STORAGE: u32 = 1;
/// Capture by `VK_EXT_transform_feedback`: `polyshade_capture_options`.
pub const POLYSHADE_OPTIONS_CAPTURE_EXTENSION: u32 = 2;
/// Vertex pulling: `polyshade_pulling_options`.
pub const POLYSHADE_OPTIONS_VERTEX_PULLING: u32 = 3;
/// What decides coverage: `polyshade_position_options`.
pub const POLYSHADE_OPTIONS_POSITION_ONLY: u32 = 4;
/// All but that: `polyshade_position_options`.
pub const POLYSHADE_OPTIONS_POSITION_COMPLEMENT: u32 = 5;
/// Both, for draws together with those: `polyshade_position_options`.
pub const POLYSHADE_OPTIONS_POSITION_FULL: u32 = 6;
/// Depth range, Y and rotation: `polyshade_depth_options`.
pub const POLYSHADE_OPTIONS_DEPTH_CONVENTION: u32 = 7;
/// Nothing is rasterized, or not always: `polyshade_discard_options`.
pub const POLYSHADE_OPTIONS_RASTERIZER_DISCARD: u32 = 8;
/// Blending in the shader: `polyshade_blend_options`.
pub const POLYSHADE_OPTIONS_ADVANCED_BLEND: u32 = 9;
/// Distances in registers become arrays: `polyshade_normalize_options`.
pub const POLYSHADE_OPTIONS_CLIP_NORMALIZE: u32 = 10;
/// Planes that are off do not clip: `polyshade_enable_options`.
pub const POLYSHADE_OPTIONS_CLIP_ENABLE: u32 = 11;
/// Clip planes of the host's: `polyshade_planes_options`.
pub const POLYSHADE_OPTIONS_CLIP_PLANES: u32 = 12;
/// One array of clip and cull distances; JSON: `clip`, a number or null.
pub const POLYSHADE_OPTIONS_CLIP_COMBINE: u32 = 13;
/// Two arrays of one; JSON: `clip`, a number.
pub const POLYSHADE_OPTIONS_CLIP_SEPARATE: u32 = 14;
/// Arrays become registers; JSON: `inputs`, `outputs`, `linked`.
pub const POLYSHADE_OPTIONS_CLIP_REGISTERS: u32 = 15;
/// Distances that the device lacks, in the last stage before rasterization; JSON: `lacking`, `location`, and where that
/// stage reads some, `inputs` (their location) and `linked`.
pub const POLYSHADE_OPTIONS_CLIP_EMULATE_LAST: u32 = 16;
/// The same in the fragment stage; JSON: `lacking`, `location`, `counts`.
pub const POLYSHADE_OPTIONS_CLIP_EMULATE_FRAGMENT: u32 = 17;
/// The same exactly, in a geometry stage; JSON only, of which `read` says where distances of the stage before are
/// (`location`, `linked`).
pub const POLYSHADE_OPTIONS_CLIP_CUT: u32 = 18;
/// The same by a geometry stage that is made, the second output; JSON: `primitive`, `location`, `exact`.
pub const POLYSHADE_OPTIONS_CLIP_GENERATE: u32 = 19;
/// Repairs of what compilers write; JSON: an array.
pub const POLYSHADE_OPTIONS_CLIP_REPAIR: u32 = 20;
/// Several lowerings of a pipeline; JSON as `polyshade lower` takes it.
pub const POLYSHADE_OPTIONS_RECIPE: u32 = 21;

/// Which lowering options are of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    CaptureStorage,
    CaptureExtension,
    VertexPulling,
    PositionOnly,
    PositionComplement,
    PositionFull,
    DepthConvention,
    RasterizerDiscard,
    AdvancedBlend,
    ClipNormalize,
    ClipEnable,
    ClipPlanes,
    ClipCombine,
    ClipSeparate,
    ClipRegisters,
    ClipEmulateLast,
    ClipEmulateFragment,
    ClipCut,
    ClipGenerate,
    ClipRepair,
    Recipe,
}

/// All kinds, by their numbers, with the names that hashes are made of. Neither ever changes.
const KINDS: [(u32, Kind, &str); 21] = [
    (POLYSHADE_OPTIONS_CAPTURE_STORAGE, Kind::CaptureStorage, "capture_storage"),
    (POLYSHADE_OPTIONS_CAPTURE_EXTENSION, Kind::CaptureExtension, "capture_extension"),
    (POLYSHADE_OPTIONS_VERTEX_PULLING, Kind::VertexPulling, "vertex_pulling"),
    (POLYSHADE_OPTIONS_POSITION_ONLY, Kind::PositionOnly, "position_only"),
    (POLYSHADE_OPTIONS_POSITION_COMPLEMENT, Kind::PositionComplement, "position_complement"),
    (POLYSHADE_OPTIONS_POSITION_FULL, Kind::PositionFull, "position_full"),
    (POLYSHADE_OPTIONS_DEPTH_CONVENTION, Kind::DepthConvention, "depth_convention"),
    (POLYSHADE_OPTIONS_RASTERIZER_DISCARD, Kind::RasterizerDiscard, "rasterizer_discard"),
    (POLYSHADE_OPTIONS_ADVANCED_BLEND, Kind::AdvancedBlend, "advanced_blend"),
    (POLYSHADE_OPTIONS_CLIP_NORMALIZE, Kind::ClipNormalize, "clip_normalize"),
    (POLYSHADE_OPTIONS_CLIP_ENABLE, Kind::ClipEnable, "clip_enable"),
    (POLYSHADE_OPTIONS_CLIP_PLANES, Kind::ClipPlanes, "clip_planes"),
    (POLYSHADE_OPTIONS_CLIP_COMBINE, Kind::ClipCombine, "clip_combine"),
    (POLYSHADE_OPTIONS_CLIP_SEPARATE, Kind::ClipSeparate, "clip_separate"),
    (POLYSHADE_OPTIONS_CLIP_REGISTERS, Kind::ClipRegisters, "clip_registers"),
    (POLYSHADE_OPTIONS_CLIP_EMULATE_LAST, Kind::ClipEmulateLast, "clip_emulate_last"),
    (POLYSHADE_OPTIONS_CLIP_EMULATE_FRAGMENT, Kind::ClipEmulateFragment, "clip_emulate_fragment"),
    (POLYSHADE_OPTIONS_CLIP_CUT, Kind::ClipCut, "clip_cut"),
    (POLYSHADE_OPTIONS_CLIP_GENERATE, Kind::ClipGenerate, "clip_generate"),
    (POLYSHADE_OPTIONS_CLIP_REPAIR, Kind::ClipRepair, "clip_repair"),
    (POLYSHADE_OPTIONS_RECIPE, Kind::Recipe, "recipe"),
];

impl Kind {
    /// The kind with this number.
    pub(crate) fn of(number: u32) -> Result<Self, Failure> {
        let found = KINDS.iter().find(|(one, _, _)| *one == number).map(|(_, kind, _)| *kind);
        found.ok_or_else(|| Failure::argument(format!("there are no options of kind {number}")))
    }

    /// Its name.
    pub(crate) fn name(self) -> &'static str {
        let found = KINDS.iter().find(|(_, kind, _)| *kind == self);
        found.map(|(_, _, name)| *name).expect("the table has all kinds")
    }

    /// The version of its lowering.
    pub(crate) fn version(self) -> u32 {
        match self {
            Self::CaptureStorage => transform_feedback::VERSION,
            Self::CaptureExtension => transform_feedback::EXTENSION_VERSION,
            Self::VertexPulling => vertex_pulling::VERSION,
            Self::PositionOnly | Self::PositionComplement | Self::PositionFull => {
                position_only::VERSION
            }
            Self::DepthConvention => depth_convention::VERSION,
            Self::RasterizerDiscard => rasterizer_discard::VERSION,
            Self::AdvancedBlend => advanced_blend::VERSION,
            Self::ClipNormalize
            | Self::ClipEnable
            | Self::ClipPlanes
            | Self::ClipCombine
            | Self::ClipSeparate
            | Self::ClipRegisters
            | Self::ClipEmulateLast
            | Self::ClipEmulateFragment
            | Self::ClipCut
            | Self::ClipGenerate
            | Self::ClipRepair => clip_cull::VERSION,
            Self::Recipe => recipe::VERSION,
        }
    }

    /// The lowering's name in the program's reports.
    pub(crate) fn lowering(self) -> &'static str {
        match self {
            Self::CaptureStorage | Self::CaptureExtension => "transform_feedback",
            Self::PositionOnly | Self::PositionComplement | Self::PositionFull => "position_only",
            Self::VertexPulling
            | Self::DepthConvention
            | Self::RasterizerDiscard
            | Self::AdvancedBlend
            | Self::Recipe => self.name(),
            Self::ClipNormalize
            | Self::ClipEnable
            | Self::ClipPlanes
            | Self::ClipCombine
            | Self::ClipSeparate
            | Self::ClipRegisters
            | Self::ClipEmulateLast
            | Self::ClipEmulateFragment
            | Self::ClipCut
            | Self::ClipGenerate
            | Self::ClipRepair => "clip_cull",
        }
    }
}
