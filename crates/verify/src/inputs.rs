//! Inputs for a shader, made from its interface: attributes, descriptors and push constants.

pub(crate) mod attributes;
mod block;
pub(crate) mod control_inputs;
mod images;

use crate::constants::{self, Specialization};
use crate::leaves::Leaf;
use crate::random::{Random, Values};
use attributes::Stream;
use block::Integers;
use images::Signs;
use polyshade::Module;
use polyshade::spv::view::{EntryPoint, Store};
use polyshade::spv::{
    BuiltIn, Capability, Decoration, ExecutionModel, Id, Inst, Op, StorageClass, Type,
};
use polyshade_vulkan::{
    Constant, Descriptor, Draw, Place, Range, Resource, Texture, VertexBuffer, Work, vk,
};

/// Everything that a draw of the shader needs.
#[derive(Debug, Clone)]
pub(crate) struct Inputs {
    streams: Vec<Stream>,
    /// The resources, by set, binding and array element.
    descriptors: Vec<([u32; 3], Given)>,
    push_constants: Vec<u8>,
    specialization: Vec<(u32, Constant)>,
    /// Whether the shader writes some of its resources, so that each draw needs its own copies.
    is_written: bool,
    /// The maximum number of vertices and instances of a draw, if the shader indexes arrays with vertex or instance
    /// indices.
    pub(crate) most_vertices: Option<u32>,
    pub(crate) most_instances: Option<u32>,
}

/// A resource and its contents.
#[derive(Debug, Clone)]
pub(crate) enum Given {
    UniformBuffer(Vec<u8>),
    StorageBuffer(Vec<u8>),
    Texels { contents: Vec<u8>, format: vk::Format, storage: bool },
    Sampler,
    Image(Texture),
    StorageImage(Texture),
    ImageWithSampler(Texture),
}

/// The maximum number of elements of an array of descriptors.
const MOST_DESCRIPTORS: u32 = 256;
/// The number of elements of a runtime array of descriptors.
const RUNTIME_DESCRIPTORS: u32 = 4;
/// The number of elements of a runtime array in a block.
const RUNTIME_ELEMENTS: u32 = 64;

/// Makes the inputs of `entry` for vertices and instances below `count`, or returns why they cannot be made.
pub(crate) fn make(
    m: &Module<'_>,
    entry: EntryPoint<'_>,
    specialization: &Specialization,
    seed: (Values, u64),
    count: u32,
) -> Result<Inputs, String> {
    check_capabilities(m)?;
    check_atomics(m, entry)?;
    let mut inputs = Inputs {
        streams: match entry.model() {
            // A synthetic stage writes the inputs of these stages.
            ExecutionModel::GEOMETRY
            | ExecutionModel::TESSELLATION_CONTROL
            | ExecutionModel::TESSELLATION_EVALUATION => Vec::new(),
            _ => attributes::streams(m, entry, specialization, seed, count)?,
        },
        descriptors: Vec::new(),
        push_constants: Vec::new(),
        specialization: specialization.iter().map(|one| constant(m, *one)).collect(),
        is_written: writes_resources(m, entry),
        most_vertices: None,
        most_instances: None,
    };
    // Specialization constants that the job does not set get values other than their defaults, if only code reads
    // them.
    let functions = m.reachable(entry.function());
    let is_reached = |inst: Inst<'_>| {
        m.function_around(inst.at()).is_some_and(|one| functions.contains(&one.id()))
    };
    for variable in m.variables() {
        let (id, class) = (variable.result(), variable.storage_class());
        if !m.uses_of(id).any(is_reached) {
            continue;
        }
        let Some((_, ty)) = m.pointer(variable.pointer_type()) else { continue };
        let mut resources = Resources { m, specialization, seed, inputs: &mut inputs };
        let title = || m.name(id).map_or(id.to_string(), |name| format!("`{name}`"));
        resources.variable(id, class, ty).map_err(|why| format!("{} {why}", title()))?;
        let most = || control_inputs::control_use(m, id, specialization).shortest;
        match m.builtin(id) {
            Some(BuiltIn::VERTEX_INDEX) => inputs.most_vertices = most(),
            Some(BuiltIn::INSTANCE_INDEX) => inputs.most_instances = most(),
            _ => {}
        }
    }
    Ok(inputs)
}

impl Inputs {
    /// Gives specialization constants without a value a value other than their default, if only code reads them.
    pub(crate) fn specialize_others(&mut self, m: &Module<'_>) {
        for inst in m.preamble() {
            let Some(id) = inst.result() else { continue };
            let Some(&[number]) = m.decoration(id, Decoration::SPEC_ID) else { continue };
            let is_given = self.specialization.iter().any(|(other, _)| *other == number);
            let is_of_code = m.uses_of(id).all(|user| match user.op() {
                Op::NAME | Op::DECORATE => true,
                // A constant that is an index must stay within its array.
                Op::ACCESS_CHAIN | Op::IN_BOUNDS_ACCESS_CHAIN => false,
                _ => m.function_around(user.at()).is_some(),
            });
            let other = other_value(m, inst).filter(|_| is_of_code && !is_given);
            self.specialization.extend(other.map(|bits| (number, Constant::Bits32(bits))));
        }
    }
}

/// Returns a value other than the default for a specialization constant. Integers do not become larger, because
/// arrays may be too short, and not 0, which may be a divisor.
fn other_value(m: &Module<'_>, inst: Inst<'_>) -> Option<u32> {
    let value = inst.words().get(3).copied();
    match inst.op() {
        Op::SPEC_CONSTANT_TRUE => Some(0),
        Op::SPEC_CONSTANT_FALSE => Some(1),
        Op::SPEC_CONSTANT => match (m.ty(inst.result_type()?)?, value?) {
            (Type::Float { width: 32 }, value) => {
                Some((f32::from_bits(value) * 0.5 + 0.25).to_bits())
            }
            (Type::Int { width: 32, .. }, value @ 2..=0x7fff_ffff) => Some(value - 1),
            _ => None,
        },
        _ => None,
    }
}

/// Rejects subgroup operations, because their results depend on which invocations run together.
fn check_capabilities(m: &Module<'_>) -> Result<(), String> {
    let subgroups = [
        Capability::GROUP_NON_UNIFORM,
        Capability::SUBGROUP_BALLOT_KHR,
        Capability::SUBGROUP_VOTE_KHR,
    ];
    match subgroups.iter().any(|capability| m.has_capability(*capability)) {
        true => Err("the shader depends on other invocations of its subgroup".into()),
        false => Ok(()),
    }
}

/// Returns a specialization constant in the width that the module declares.
fn constant(m: &Module<'_>, (number, bits): (u32, u64)) -> (u32, Constant) {
    let is_it = |inst: &Inst<'_>| {
        let id = inst.result().filter(|_| inst.op() == Op::SPEC_CONSTANT);
        id.is_some_and(|id| m.decoration(id, Decoration::SPEC_ID) == Some(&[number]))
    };
    let found = m.preamble().find(is_it).and_then(Inst::result_type).and_then(|ty| m.ty(ty));
    let constant = match found {
        Some(Type::Int { width: 8, .. }) => Constant::Bits8(bits as u8),
        Some(Type::Int { width: 16, .. } | Type::Float { width: 16 }) => {
            Constant::Bits16(bits as u16)
        }
        Some(Type::Int { width: 64, .. } | Type::Float { width: 64 }) => Constant::Bits64(bits),
        _ => Constant::Bits32(bits as u32),
    };
    (number, constant)
}

/// The instructions of all functions that the entry point reaches.
pub(crate) fn instructions<'m>(
    m: &'m Module<'_>,
    entry: EntryPoint<'_>,
) -> impl Iterator<Item = Inst<'m>> {
    let bodies = m.reachable(entry.function()).into_iter().filter_map(|id| m.function(id));
    bodies.flat_map(|body| body.instructions())
}

fn writes_resources(m: &Module<'_>, entry: EntryPoint<'_>) -> bool {
    let shared = |pointer| {
        let class = m.storage_class(pointer);
        matches!(class, Some(StorageClass::STORAGE_BUFFER | StorageClass::UNIFORM))
    };
    instructions(m, entry).any(|inst| match inst.op() {
        Op::STORE => Store::of(inst).is_some_and(|store| shared(store.pointer())),
        Op::COPY_MEMORY | Op::COPY_MEMORY_SIZED | Op::IMAGE_WRITE => true,
        op => is_atomic(op),
    })
}

/// Rejects shaders that use the result of an atomic, because it depends on the order of the invocations.
fn check_atomics(m: &Module<'_>, entry: EntryPoint<'_>) -> Result<(), String> {
    let ordered = instructions(m, entry).filter(|inst| is_atomic(inst.op()));
    match ordered.filter_map(Inst::result).any(|id| is_used(m, id)) {
        true => {
            Err("the shader uses the result of an atomic operation, which depends on the invocation order"
                .into())
        }
        false => Ok(()),
    }
}

pub(crate) fn is_used(m: &Module<'_>, id: Id) -> bool {
    m.uses_of(id).any(|inst| m.function_around(inst.at()).is_some())
}

/// The set and the binding of a variable, if it has a binding.
pub(crate) fn place(m: &Module<'_>, id: Id) -> Option<(u32, u32)> {
    let literal = |kind| m.decoration(id, kind)?.first().copied();
    Some((literal(Decoration::DESCRIPTOR_SET).unwrap_or(0), literal(Decoration::BINDING)?))
}

fn is_atomic(op: Op) -> bool {
    let Op(number) = op;
    (Op::ATOMIC_LOAD.0..=Op::ATOMIC_XOR.0).contains(&number)
        || (5614..=5615).contains(&number)
        || number == 6035
}

/// Makes the resources of one variable.
struct Resources<'r, 'm> {
    m: &'r Module<'m>,
    specialization: &'r Specialization,
    seed: (Values, u64),
    inputs: &'r mut Inputs,
}

impl Resources<'_, '_> {
    fn variable(&mut self, id: Id, class: StorageClass, ty: Id) -> Result<(), String> {
        match class {
            StorageClass::UNIFORM
            | StorageClass::STORAGE_BUFFER
            | StorageClass::UNIFORM_CONSTANT => self.descriptors(id, class, ty),
            StorageClass::PUSH_CONSTANT => {
                let mut random = Random::of(self.seed.0, self.seed.1, 1 << 40);
                self.inputs.push_constants = self.block(id, ty, &mut random)?;
                Ok(())
            }
            StorageClass::ATOMIC_COUNTER => Err("is an atomic counter".into()),
            _ => Ok(()),
        }
    }

    fn descriptors(&mut self, id: Id, class: StorageClass, ty: Id) -> Result<(), String> {
        let (set, binding) = place(self.m, id).ok_or("has no binding")?;
        let (element, count) = self.elements(ty)?;
        for number in 0..count {
            let purpose =
                u64::from(set) << 48 | u64::from(binding) << 16 | u64::from(number) | 1 << 63;
            let mut random = Random::of(self.seed.0, self.seed.1, purpose);
            let given = self.give(id, class, element, &mut random)?;
            let at = [set, binding, number];
            match self.inputs.descriptors.iter_mut().find(|(other, _)| *other == at) {
                None => self.inputs.descriptors.push((at, given)),
                Some((_, other)) => other.merge(given)?,
            }
        }
        Ok(())
    }

    fn elements(&self, ty: Id) -> Result<(Id, u32), String> {
        match self.m.ty(ty) {
            Some(Type::Array { element, length }) => {
                let length = constants::value(self.m, length, self.specialization);
                let length = length.filter(|length| *length <= MOST_DESCRIPTORS);
                let length = length.ok_or("is an array of too many descriptors")?;
                match self.m.ty(element) {
                    // Vulkan has no arrays of arrays of descriptors.
                    Some(Type::Array { .. } | Type::Other(Op::TYPE_RUNTIME_ARRAY)) => {
                        Err("is an array of arrays of descriptors".into())
                    }
                    _ => Ok((element, length)),
                }
            }
            Some(Type::Other(Op::TYPE_RUNTIME_ARRAY)) => {
                Ok((held(self.m, ty), RUNTIME_DESCRIPTORS))
            }
            _ => Ok((ty, 1)),
        }
    }

    /// Returns the contents of a block of type `ty` in the variable `id`.
    fn block(&self, id: Id, ty: Id, random: &mut Random) -> Result<Vec<u8>, String> {
        let integers = match self.seed.0 {
            Values::Normal | Values::Moderate => {
                Integers::normal(control_inputs::control_use(self.m, id, self.specialization))
            }
            Values::Any | Values::Distances | Values::Colours => Integers::Small,
        };
        block::fill(self.m, ty, self.specialization, integers, random)
    }

    /// Returns which signs the texels of an image may have. Blending is undefined for negative colours.
    fn signs(&self, id: Id) -> Signs {
        let is_of_colours = self.seed.0 == Values::Colours;
        match is_of_colours || control_inputs::control_use(self.m, id, self.specialization).controls
        {
            true => Signs::Positive,
            false => Signs::Both,
        }
    }

    fn give(
        &self,
        id: Id,
        class: StorageClass,
        ty: Id,
        random: &mut Random,
    ) -> Result<Given, String> {
        let m = self.m;
        let is_written = || m.decoration(ty, Decoration::BUFFER_BLOCK).is_some();
        match m.ty(ty) {
            _ if class == StorageClass::STORAGE_BUFFER
                || class == StorageClass::UNIFORM && is_written() =>
            {
                self.block(id, ty, random).map(Given::StorageBuffer)
            }
            _ if class == StorageClass::UNIFORM => {
                self.block(id, ty, random).map(Given::UniformBuffer)
            }
            Some(Type::Other(Op::TYPE_SAMPLER)) => Ok(Given::Sampler),
            Some(Type::Other(Op::TYPE_SAMPLED_IMAGE)) => {
                images::give(m, held(m, ty), true, (self.signs(id), random))
            }
            Some(Type::Other(Op::TYPE_IMAGE)) => {
                images::give(m, ty, false, (self.signs(id), random))
            }
            Some(Type::Other(Op::TYPE_ACCELERATION_STRUCTURE_KHR)) => {
                Err("is an acceleration structure".into())
            }
            Some(Type::Other(op)) => Err(format!("has an unknown resource type ({op:?})")),
            _ => Err("is a uniform outside of a block, which Vulkan does not allow".into()),
        }
    }
}

/// The element type of a runtime array, or the image type of a sampled image.
fn held(m: &Module<'_>, ty: Id) -> Id {
    let held = m.definition(ty).and_then(|inst| Id::new(inst.words()[2]));
    held.expect("ids of types are checked when a module is scanned")
}

impl Given {
    /// Merges the resources of two variables with the same binding. Of two buffers, the longer buffer remains.
    fn merge(&mut self, other: Given) -> Result<(), String> {
        match (self, other) {
            (Given::UniformBuffer(bytes), Given::UniformBuffer(more))
            | (Given::StorageBuffer(bytes), Given::StorageBuffer(more)) => {
                if more.len() > bytes.len() {
                    *bytes = more;
                }
                Ok(())
            }
            (one, other) if std::mem::discriminant(one) == std::mem::discriminant(&other) => Ok(()),
            _ => Err("shares its binding with a resource of another kind".into()),
        }
    }
}

/// The bindings of a draw whose buffers and textures are in a `Work`.
#[derive(Debug, Clone)]
pub(crate) struct Installed<'i> {
    inputs: &'i Inputs,
    vertex_buffers: Vec<VertexBuffer>,
    descriptors: Vec<Descriptor>,
}

impl Inputs {
    /// Whether the attributes contain this NaN, so that copies must keep its bits. False for the NaN that arithmetic
    /// produces.
    pub(crate) fn gives(&self, bits: u32) -> bool {
        let words = |bytes: &[u8]| bytes.chunks_exact(4).any(|word| word == bits.to_ne_bytes());
        bits != f32::NAN.to_bits() && self.streams.iter().any(|stream| words(&stream.bytes))
    }

    /// Returns the inputs that a variant with the inputs `leaves` reads, or an error that names a location that the
    /// original does not read.
    pub(crate) fn of_variant(&self, m: &Module<'_>, leaves: &[Leaf]) -> Result<Inputs, String> {
        let locations: Vec<u32> =
            leaves.iter().filter_map(|leaf| leaf.register.map(|(location, _)| location)).collect();
        let mut inputs = self.clone();
        for stream in &mut inputs.streams {
            stream.layout.attributes.retain(|one| locations.contains(&one.location));
        }
        inputs.streams.retain(|stream| !stream.layout.attributes.is_empty());
        let places: Vec<(u32, u32)> =
            m.variables().filter_map(|one| place(m, one.result())).collect();
        inputs.descriptors.retain(|([set, binding, _], _)| places.contains(&(*set, *binding)));
        let attributes = inputs.streams.iter().flat_map(|stream| &stream.layout.attributes);
        let given: Vec<u32> = attributes.map(|one| one.location).collect();
        match locations.iter().find(|location| !given.contains(location)) {
            Some(other) => Err(format!("it reads location {other}, which the original does not")),
            None => Ok(inputs),
        }
    }

    /// Splits the inputs into the attributes and the rest.
    pub(crate) fn without_streams(mut self) -> (Vec<Stream>, Inputs) {
        (std::mem::take(&mut self.streams), self)
    }

    /// Adds the buffers and textures to `work`.
    pub(crate) fn install(&self, work: &mut Work<'_>) -> Installed<'_> {
        let mut installed =
            Installed { inputs: self, vertex_buffers: Vec::new(), descriptors: Vec::new() };
        for stream in &self.streams {
            let place = Place { buffer: work.buffers.len(), offset: 0 };
            work.buffers.push(stream.bytes.clone());
            installed.vertex_buffers.push(VertexBuffer { place, layout: stream.layout.clone() });
        }
        for &([set, binding, element], ref given) in &self.descriptors {
            let resource = given.install(work);
            installed.descriptors.push(Descriptor { set, binding, element, resource });
        }
        installed
    }

    /// Builds a draw for each element of `all`. The draws share the installed inputs, unless the shader writes its
    /// inputs.
    pub(crate) fn work<'w, T>(
        &self,
        all: impl IntoIterator<Item = T>,
        mut draw: impl FnMut(T, &Installed<'_>, &mut Work<'w>) -> Draw<'w>,
    ) -> Work<'w> {
        let mut work = Work::default();
        let mut last: Option<Installed<'_>> = None;
        for one in all {
            let given = last.filter(|_| !self.is_written);
            let given = given.unwrap_or_else(|| self.install(&mut work));
            let draw = draw(one, &given, &mut work);
            work.draws.push(draw);
            last = Some(given);
        }
        work
    }

    /// Whether the shader has a resource at a binding.
    pub(crate) fn binds(&self, set: u32, binding: u32) -> bool {
        self.descriptors.iter().any(|(at, _)| at[..2] == [set, binding])
    }
}

impl Given {
    fn install(&self, work: &mut Work<'_>) -> Resource {
        let mut buffer = |bytes: &Vec<u8>| {
            work.buffers.push(bytes.clone());
            Range { buffer: work.buffers.len() - 1, offset: 0, size: bytes.len() as u64 }
        };
        let mut image = |texture: &Texture| {
            work.textures.push(texture.clone());
            work.textures.len() - 1
        };
        match self {
            Given::UniformBuffer(bytes) => Resource::UniformBuffer(buffer(bytes)),
            Given::StorageBuffer(bytes) => Resource::StorageBuffer(buffer(bytes)),
            Given::Texels { contents, format, storage: false } => {
                Resource::UniformTexels { range: buffer(contents), format: *format }
            }
            Given::Texels { contents, format, storage: true } => {
                Resource::StorageTexels { range: buffer(contents), format: *format }
            }
            Given::Sampler => Resource::Sampler { compare: false },
            Given::Image(texture) => Resource::Image(image(texture)),
            Given::StorageImage(texture) => Resource::StorageImage(image(texture)),
            Given::ImageWithSampler(texture) => Resource::ImageWithSampler(image(texture)),
        }
    }
}

impl Installed<'_> {
    /// Adds the bindings to a draw, and the specialization constants to every stage. Existing bindings remain.
    pub(crate) fn give(&self, draw: &mut Draw<'_>) {
        draw.vertex_buffers.extend(self.vertex_buffers.iter().cloned());
        draw.descriptors.extend(self.descriptors.iter().cloned());
        let own = &self.inputs.push_constants;
        draw.push_constants.resize(draw.push_constants.len().max(own.len()), 0);
        draw.push_constants[..own.len()].copy_from_slice(own);
        for stage in &mut draw.stages {
            stage.specialization.extend(self.inputs.specialization.iter().cloned());
        }
    }
}
