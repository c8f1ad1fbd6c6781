//! Removes capabilities and extensions that are no longer needed. A capability is removed only if all features that
//! need it are known.

use super::kinds::{Kind, kind};
use polyshade_spv::{
    BuiltIn, Capability, Decoration, ExecutionMode, ExecutionModel, Inst, Module, Op, Section,
};
use std::collections::BTreeSet;

/// The features of the remaining module that its capabilities depend on.
#[derive(Default)]
pub(super) struct Seen {
    ops: BTreeSet<Op>,
    builtins: BTreeSet<BuiltIn>,
    decorations: BTreeSet<Decoration>,
    modes: BTreeSet<ExecutionMode>,
    models: BTreeSet<ExecutionModel>,
    ints: BTreeSet<u32>,
    floats: BTreeSet<u32>,
    images: Vec<Image>,
    /// Whether an unknown instruction stays. Such an instruction may need any capability.
    unknown: bool,
}

/// The operands of `OpTypeImage` that capabilities depend on.
struct Image {
    dim: u32,
    arrayed: bool,
    multisampled: bool,
}

const DIM_1D: u32 = 0;
const DIM_CUBE: u32 = 3;
const DIM_RECT: u32 = 4;
const DIM_BUFFER: u32 = 5;
const DIM_SUBPASS: u32 = 6;

impl Seen {
    /// Records an instruction that stays. Callers pass decorations only if the targets stay.
    pub(super) fn note(&mut self, inst: Inst<'_>) {
        let (op, words) = (inst.op(), inst.words());
        let word = |number: usize| words.get(number).copied().unwrap_or(0);
        self.unknown |= kind(op) == Kind::Unknown;
        self.ops.insert(op);
        match op {
            Op::DECORATE | Op::DECORATE_ID => self.decorated(word(2), word(3)),
            Op::MEMBER_DECORATE => self.decorated(word(3), word(4)),
            Op::ENTRY_POINT => _ = self.models.insert(ExecutionModel(word(1))),
            Op::EXECUTION_MODE | Op::EXECUTION_MODE_ID => {
                self.modes.insert(ExecutionMode(word(2)));
            }
            Op::TYPE_INT => _ = self.ints.insert(word(2)),
            Op::TYPE_FLOAT => _ = self.floats.insert(word(2)),
            Op::TYPE_IMAGE => self.images.push(Image {
                dim: word(3),
                arrayed: word(5) != 0,
                multisampled: word(6) != 0,
            }),
            _ => {}
        }
    }

    fn decorated(&mut self, decoration: u32, operand: u32) {
        self.decorations.insert(Decoration(decoration));
        if Decoration(decoration) == Decoration::BUILT_IN {
            self.builtins.insert(BuiltIn(operand));
        }
    }

    fn has_op(&self, first: Op, last: Op) -> bool {
        self.unknown || self.ops.range(first..=last).next().is_some()
    }

    fn has_builtin(&self, first: BuiltIn, last: BuiltIn) -> bool {
        self.builtins.range(first..=last).next().is_some()
    }

    fn has_image(&self, is_it: impl Fn(&Image) -> bool) -> bool {
        self.images.iter().any(is_it)
    }

    fn asks_subgroup(&self) -> bool {
        self.has_op(Op::GROUP_NON_UNIFORM_ELECT, Op::GROUP_NON_UNIFORM_QUAD_SWAP)
            || self.has_op(Op::SUBGROUP_BALLOT_KHR, Op::SUBGROUP_READ_INVOCATION_KHR)
            || self.has_op(Op::GROUP_NON_UNIFORM_QUAD_ALL_KHR, Op::GROUP_NON_UNIFORM_QUAD_ANY_KHR)
            || self.has_op(Op::GROUP_NON_UNIFORM_PARTITION_EXT, Op::GROUP_NON_UNIFORM_PARTITION_EXT)
            || self.has_builtin(BuiltIn::SUBGROUP_SIZE, BuiltIn::SUBGROUP_LOCAL_INVOCATION_ID)
            || self.has_builtin(BuiltIn::SUBGROUP_EQ_MASK, BuiltIn::SUBGROUP_LT_MASK)
    }

    fn has_width(&self, width: u32) -> bool {
        self.ints.contains(&width) || self.floats.contains(&width)
    }

    fn has_one_of_several(&self) -> bool {
        self.ops.contains(&Op::TYPE_ARRAY) || self.ops.contains(&Op::TYPE_RUNTIME_ARRAY)
    }

    /// Whether the module needs `capability`, or may need it because not all of its uses are known.
    fn needs(&self, capability: Capability) -> bool {
        use Capability as C;
        let builtin = |one: BuiltIn| self.builtins.contains(&one);
        match capability {
            C::CLIP_DISTANCE => builtin(BuiltIn::CLIP_DISTANCE),
            C::CULL_DISTANCE => builtin(BuiltIn::CULL_DISTANCE),
            C::FLOAT16 => self.floats.contains(&16),
            C::FLOAT64 => self.floats.contains(&64),
            C::INT8 => self.ints.contains(&8),
            C::INT16 => self.ints.contains(&16),
            C::INT64 | C::INT64_ATOMICS => self.ints.contains(&64),
            C::STORAGE_BUFFER16_BIT_ACCESS
            | C::UNIFORM_AND_STORAGE_BUFFER16_BIT_ACCESS
            | C::STORAGE_PUSH_CONSTANT16
            | C::STORAGE_INPUT_OUTPUT16 => self.has_width(16),
            C::STORAGE_BUFFER8_BIT_ACCESS
            | C::UNIFORM_AND_STORAGE_BUFFER8_BIT_ACCESS
            | C::STORAGE_PUSH_CONSTANT8 => self.has_width(8),
            C::IMAGE_QUERY => self.has_op(Op::IMAGE_QUERY_FORMAT, Op::IMAGE_QUERY_SAMPLES),
            C::UNIFORM_BUFFER_ARRAY_DYNAMIC_INDEXING
            | C::SAMPLED_IMAGE_ARRAY_DYNAMIC_INDEXING
            | C::STORAGE_BUFFER_ARRAY_DYNAMIC_INDEXING
            | C::STORAGE_IMAGE_ARRAY_DYNAMIC_INDEXING => self.has_one_of_several(),
            C::RUNTIME_DESCRIPTOR_ARRAY => self.ops.contains(&Op::TYPE_RUNTIME_ARRAY),
            C::DRAW_PARAMETERS => self.has_builtin(BuiltIn::BASE_VERTEX, BuiltIn::DRAW_INDEX),
            C::MULTI_VIEW => builtin(BuiltIn::VIEW_INDEX),
            C::DEVICE_GROUP => builtin(BuiltIn::DEVICE_INDEX),
            C::FRAGMENT_SHADING_RATE_KHR => {
                builtin(BuiltIn::PRIMITIVE_SHADING_RATE_KHR) || builtin(BuiltIn::SHADING_RATE_KHR)
            }
            C::SHADER_LAYER => builtin(BuiltIn::LAYER),
            C::SHADER_VIEWPORT_INDEX => builtin(BuiltIn::VIEWPORT_INDEX),
            // These capabilities imply `Geometry`, too.
            C::MULTI_VIEWPORT | C::SHADER_VIEWPORT_INDEX_LAYER_EXT => {
                builtin(BuiltIn::LAYER)
                    || builtin(BuiltIn::VIEWPORT_INDEX)
                    || self.decorations.contains(&Decoration::VIEWPORT_RELATIVE_NV)
                    || self.models.contains(&ExecutionModel::GEOMETRY)
            }
            C::TRANSFORM_FEEDBACK => {
                self.decorations.contains(&Decoration::XFB_BUFFER)
                    || self.decorations.contains(&Decoration::XFB_STRIDE)
                    || self.modes.contains(&ExecutionMode::XFB)
            }
            C::GROUP_NON_UNIFORM
            | C::GROUP_NON_UNIFORM_VOTE
            | C::GROUP_NON_UNIFORM_ARITHMETIC
            | C::GROUP_NON_UNIFORM_BALLOT
            | C::GROUP_NON_UNIFORM_SHUFFLE
            | C::GROUP_NON_UNIFORM_SHUFFLE_RELATIVE
            | C::GROUP_NON_UNIFORM_CLUSTERED
            | C::GROUP_NON_UNIFORM_QUAD
            | C::SUBGROUP_BALLOT_KHR
            | C::SUBGROUP_VOTE_KHR => self.asks_subgroup(),
            C::SHADER_CLOCK_KHR => self.has_op(Op::READ_CLOCK_KHR, Op::READ_CLOCK_KHR),
            _ => self.needs_of_images(capability),
        }
    }

    fn needs_of_images(&self, capability: Capability) -> bool {
        use Capability as C;
        let dim = |dim: u32| self.has_image(|image| image.dim == dim);
        match capability {
            C::SAMPLED1D | C::IMAGE1D => dim(DIM_1D),
            C::SAMPLED_RECT | C::IMAGE_RECT => dim(DIM_RECT),
            C::SAMPLED_BUFFER | C::IMAGE_BUFFER => dim(DIM_BUFFER),
            C::SAMPLED_CUBE_ARRAY | C::IMAGE_CUBE_ARRAY => {
                self.has_image(|image| image.dim == DIM_CUBE && image.arrayed)
            }
            C::IMAGE_MS_ARRAY | C::STORAGE_IMAGE_MULTISAMPLE => {
                self.has_image(|image| image.multisampled)
            }
            C::INPUT_ATTACHMENT => {
                dim(DIM_SUBPASS) || self.decorations.contains(&Decoration::INPUT_ATTACHMENT_INDEX)
            }
            // Any image may have a format or an operand that needs these capabilities.
            C::STORAGE_IMAGE_EXTENDED_FORMATS
            | C::STORAGE_IMAGE_READ_WITHOUT_FORMAT
            | C::STORAGE_IMAGE_WRITE_WITHOUT_FORMAT
            | C::IMAGE_GATHER_EXTENDED
            | C::MIN_LOD
            | C::SPARSE_RESIDENCY => !self.images.is_empty(),
            _ => true,
        }
    }
}

/// Extensions, each with all the capabilities that it can be declared for.
const EXTENSIONS: [(&str, &[Capability]); 10] = [
    ("SPV_KHR_shader_draw_parameters", &[Capability::DRAW_PARAMETERS]),
    ("SPV_KHR_multiview", &[Capability::MULTI_VIEW]),
    ("SPV_KHR_device_group", &[Capability::DEVICE_GROUP]),
    ("SPV_KHR_fragment_shading_rate", &[Capability::FRAGMENT_SHADING_RATE_KHR]),
    ("SPV_EXT_shader_viewport_index_layer", &[Capability::SHADER_VIEWPORT_INDEX_LAYER_EXT]),
    ("SPV_KHR_shader_ballot", &[Capability::SUBGROUP_BALLOT_KHR]),
    ("SPV_KHR_subgroup_vote", &[Capability::SUBGROUP_VOTE_KHR]),
    ("SPV_KHR_shader_clock", &[Capability::SHADER_CLOCK_KHR]),
    (
        "SPV_KHR_16bit_storage",
        &[
            Capability::STORAGE_BUFFER16_BIT_ACCESS,
            Capability::UNIFORM_AND_STORAGE_BUFFER16_BIT_ACCESS,
            Capability::STORAGE_PUSH_CONSTANT16,
            Capability::STORAGE_INPUT_OUTPUT16,
        ],
    ),
    (
        "SPV_KHR_8bit_storage",
        &[
            Capability::STORAGE_BUFFER8_BIT_ACCESS,
            Capability::UNIFORM_AND_STORAGE_BUFFER8_BIT_ACCESS,
            Capability::STORAGE_PUSH_CONSTANT8,
        ],
    ),
];

fn capability(inst: Inst<'_>) -> Option<Capability> {
    let number = inst.words().get(1).filter(|_| inst.op() == Op::CAPABILITY);
    number.map(|number| Capability(*number))
}

/// Whether `m` declares a capability that could be removed. If not, the remaining module need not be examined.
pub(super) fn may_go(m: &Module<'_>) -> bool {
    let nothing = Seen::default();
    let declares_stage = [
        Capability::SHADER,
        Capability::GEOMETRY,
        Capability::TESSELLATION,
        Capability::MESH_SHADING_EXT,
        Capability::MESH_SHADING_NV,
    ];
    // Any other capability may be the only one that implies `Shader`.
    let mut declared = m.section(Section::Capabilities).filter_map(capability);
    let is_shader = declared.any(|one| declares_stage.contains(&one));
    let mut declared = m.section(Section::Capabilities).filter_map(capability);
    is_shader && declared.any(|one| !nothing.needs(one))
}

/// Returns the declarations of capabilities and extensions that nothing in `seen` needs.
pub(super) fn unneeded<'m>(
    m: &'m Module<'_>,
    seen: &Seen,
) -> impl Iterator<Item = Inst<'m>> + use<'m> {
    let declared = m.section(Section::Capabilities).filter_map(capability);
    let (kept, gone): (Vec<Capability>, Vec<Capability>) =
        declared.partition(|one| seen.needs(*one));
    let is_gone = move |inst: &Inst<'m>| match polyshade_spv::view::Extension::of(*inst) {
        Some(extension) => {
            let name = extension.name();
            let known = EXTENSIONS.iter().find(|(known, _)| *known == name);
            known.is_some_and(|(_, capabilities)| {
                capabilities.iter().any(|one| gone.contains(one))
                    && !capabilities.iter().any(|one| kept.contains(one))
            })
        }
        None => capability(*inst).is_some_and(|one| gone.contains(&one)),
    };
    m.section(Section::Capabilities).chain(m.section(Section::Extensions)).filter(is_gone)
}

#[cfg(test)]
mod tests {
    use super::{EXTENSIONS, Seen};
    use polyshade_spv::Capability;

    #[test]
    fn what_is_not_known_is_needed() {
        let nothing = Seen::default();
        let others = [Capability::SHADER, Capability::VULKAN_MEMORY_MODEL, Capability(0x7fff)];
        assert!(others.iter().all(|one| nothing.needs(*one)));
    }

    #[test]
    fn extensions_are_of_capabilities_that_can_go() {
        let nothing = Seen::default();
        let all = EXTENSIONS.iter().flat_map(|(_, capabilities)| *capabilities);
        assert!(all.clone().count() > 0 && all.into_iter().all(|one| !nothing.needs(*one)));
    }
}
