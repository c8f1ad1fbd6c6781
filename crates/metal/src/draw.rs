//! Draws as a program takes them: words on its standard input, as `shim/run.cpp` says.

use crate::Metal;
use crate::text;
use polyshade::Module;
use polyshade::moves::{self, Copies};
use polyshade::spv::view::Mode;
use polyshade::spv::{BuiltIn, ExecutionMode, ExecutionModel, Section};
use polyshade_formats::cross::{self, EntryPoint, Msl, MslBuffer, Target, Text};
use polyshade_vulkan::{
    Attribute, Constant, Draw, Error, Outcome, Resource, Stage, VertexBuffer, Work, vk,
};

/// Runs draws one after the other; those that have a shader in common in one process.
pub(crate) fn run(metal: &Metal, work: &Work<'_>) -> Result<Outcome, Error> {
    let is_empty = work.addresses.is_empty() && work.textures.is_empty() && work.targets.is_empty();
    if !is_empty {
        return Err(unsupported("addresses, textures and targets"));
    }
    let mut buffers = work.buffers.clone();
    for draws in work.draws.chunk_by(|one, other| one.stages == other.stages) {
        run_together(metal, &mut buffers, draws)?;
    }
    let captured = vec![None; work.draws.len()];
    Ok(Outcome { buffers, textures: Vec::new(), targets: Vec::new(), captured })
}

/// Runs draws with the same shader, and leaves in the buffers what it writes there.
fn run_together(metal: &Metal, buffers: &mut [Vec<u8>], draws: &[Draw<'_>]) -> Result<(), Error> {
    let [stage] = draws[0].stages.as_slice() else {
        return Err(unsupported("several stages"));
    };
    let printed = print(metal, stage)?;
    let constants: Vec<(u32, u64)> =
        stage.specialization.iter().map(|(number, value)| (*number, bits(*value))).collect();
    let source = text::read(&printed.source, &constants)
        .map_err(|why| Error::Unsupported(format!("this text: {why}")))?;
    let source = format!("#include \"stage_in.h\"\n{}\n{}", source.text, source.function.caller(),);
    let program = metal.program(&source)?;

    let mut memory = buffers.to_vec();
    let draws = draws.iter().map(|draw| draw_words(draw, &printed, &mut memory));
    let draws = draws.collect::<Result<Vec<_>, _>>()?;
    let seconds = u32::try_from(metal.time_limit.as_secs()).unwrap_or(u32::MAX).max(1);
    let mut input = bytes(&[seconds, count(&memory)]);
    for one in &memory {
        input.extend(bytes(&[count(one)]));
        input.extend(one);
    }
    input.extend(bytes(&[count(&draws)]));
    draws.iter().for_each(|draw| input.extend(bytes(draw)));

    let output = program.run(&input)?;
    let mut rest = output.as_slice();
    for buffer in buffers {
        let found = rest.split_off(..buffer.len());
        let found =
            found.ok_or_else(|| Error::Work("the shader's process ends early".to_owned()))?;
        buffer.copy_from_slice(found);
    }
    Ok(())
}

/// The shader as MSL.
fn print(metal: &Metal, stage: &Stage<'_>) -> Result<Text, Error> {
    let model = model(stage)?;
    let entry = EntryPoint { name: stage.entry_point, model: model.0 };
    let without = without_cull_distances(stage)
        .map_err(|error| Error::Unsupported(format!("cull distances: {error}")))?;
    let words = without.as_deref().unwrap_or(stage.words);
    let printed = cross::write(words, entry, &Target::Msl(Msl::default()));
    let mut printed = printed.map_err(|error| Error::Unsupported(format!("MSL: {error}")))?;
    if let Some(edit) = &metal.edit {
        printed.source = edit(printed.source);
    }
    Ok(printed)
}

/// The execution model of a stage that is run.
fn model(stage: &Stage<'_>) -> Result<ExecutionModel, Error> {
    match stage.stage {
        vk::ShaderStageFlags::VERTEX => Ok(ExecutionModel::VERTEX),
        vk::ShaderStageFlags::COMPUTE => Ok(ExecutionModel::GL_COMPUTE),
        _ => Err(unsupported("any stage but a vertex or a compute stage")),
    }
}

/// The words of a shader whose outputs have cull distances, written or not, which MSL has not: they, and what shares a
/// block with them, stay within the shader. Nothing is culled here.
fn without_cull_distances(stage: &Stage<'_>) -> Result<Option<Vec<u32>>, polyshade::Error> {
    let module = Module::parse(stage.words)?;
    if stage.stage != vk::ShaderStageFlags::VERTEX {
        return Ok(None);
    }
    let entry = module.entry_point(stage.entry_point, ExecutionModel::VERTEX)?;
    let Some(found) = moves::find_output(&module, entry, BuiltIn::CULL_DISTANCE) else {
        return Ok(None);
    };
    let rewritten = module.rewrite(|m, p| {
        let entry = m.entry_point(stage.entry_point, ExecutionModel::VERTEX)?;
        moves::take_over(m, p, entry, &[found.variable], Copies::None).map(|_| ())
    })?;
    Ok(Some(rewritten.module.into_words()))
}

/// A draw. What the program takes beside the buffers of the work becomes memory of its own.
fn draw_words(
    draw: &Draw<'_>,
    printed: &Text,
    memory: &mut Vec<Vec<u8>>,
) -> Result<Vec<u32>, Error> {
    let is_alone = draw.transform_feedback.is_none()
        && draw.target.is_none()
        && draw.depth.is_none()
        && draw.addresses.is_empty();
    if !is_alone {
        return Err(unsupported("rasterization, native transform feedback and addresses"));
    }
    let bindings = bind(draw, printed, memory)?;
    let mut words = vec![count(&bindings)];
    words.extend(bindings.into_iter().flatten());
    words.extend(attributes(draw, memory)?);
    if let Some([in_row, rows, layers]) = draw.dispatch {
        if layers != 1 {
            return Err(unsupported("several layers of threadgroups"));
        }
        // Each threadgroup is an instance, and each of its threads a vertex.
        let threads = local_size(&draw.stages[0])?;
        words.push(threads);
        words.extend(0..threads);
        words.extend([in_row, 0, in_row * rows]);
        return Ok(words);
    }
    let (vertices, base) = vertices(draw, memory)?;
    words.push(count(&vertices));
    words.extend(vertices);
    words.extend([base, draw.instances.start, draw.instances.end - draw.instances.start]);
    Ok(words)
}

/// How many threads a threadgroup has, which lie in one row.
fn local_size(stage: &Stage<'_>) -> Result<u32, Error> {
    let module = Module::parse(stage.words).map_err(|error| Error::Work(error.to_string()))?;
    let modes = module.section(Section::ExecutionModes).filter_map(Mode::of);
    let sizes = modes.filter(|one| one.mode() == ExecutionMode::LOCAL_SIZE);
    match sizes.map(|one| one.operands().to_vec()).next().as_deref() {
        Some(&[threads, 1, 1]) => Ok(threads),
        _ => Err(unsupported("threadgroups of several rows")),
    }
}

/// The bindings: Metal's index, the number of the memory, the first byte.
fn bind(
    draw: &Draw<'_>,
    printed: &Text,
    memory: &mut Vec<Vec<u8>>,
) -> Result<Vec<[u32; 3]>, Error> {
    let index_of = |wanted| {
        let found = printed.buffers.iter().find(|(buffer, _)| *buffer == wanted);
        found.map(|(_, index)| *index)
    };
    let mut sizes: Vec<u32> = Vec::new();
    let mut bindings = Vec::new();
    for one in &draw.descriptors {
        let (Resource::StorageBuffer(range) | Resource::UniformBuffer(range)) = one.resource else {
            return Err(unsupported("resources that are no buffers"));
        };
        let first = index_of(MslBuffer::Descriptor { set: one.set, binding: one.binding });
        let Some(index) = first.map(|first| first + one.element) else { continue };
        bindings.push([index, narrow(range.buffer as u64)?, narrow(range.offset)?]);
        sizes.resize(sizes.len().max(index as usize + 1), 0);
        sizes[index as usize] = narrow(range.size)?;
    }
    let own = [
        (MslBuffer::Sizes, bytes(&sizes)),
        (MslBuffer::PushConstants, draw.push_constants.clone()),
    ];
    for (buffer, contents) in own {
        if let Some(index) = index_of(buffer) {
            bindings.push([index, count(memory), 0]);
            memory.push(contents);
        }
    }
    Ok(bindings)
}

/// The attributes of all locations up to the last: whether each steps with instances, how many elements it has, and
/// those.
fn attributes(draw: &Draw<'_>, memory: &[Vec<u8>]) -> Result<Vec<u32>, Error> {
    let all = || {
        draw.vertex_buffers.iter().flat_map(|buffer| {
            buffer.layout.attributes.iter().map(move |attribute| (buffer, attribute))
        })
    };
    let locations = all().map(|(_, attribute)| attribute.location + 1).max().unwrap_or(0);
    let mut words = vec![locations];
    for location in 0..locations {
        let Some((buffer, attribute)) = all().find(|(_, one)| one.location == location) else {
            words.extend([0, 0]);
            continue;
        };
        let of_instances = buffer.layout.rate == vk::VertexInputRate::INSTANCE;
        let elements = elements(buffer, *attribute, memory)?;
        words.extend([u32::from(of_instances), count(&elements)]);
        words.extend(elements.into_iter().flatten());
    }
    Ok(words)
}

/// An attribute of every element that its buffer has, as four words: what is not there is (0, 0, 0, 1).
fn elements(
    buffer: &VertexBuffer,
    attribute: Attribute,
    memory: &[Vec<u8>],
) -> Result<Vec<[u32; 4]>, Error> {
    let (components, is_float) = format(attribute.format).ok_or_else(|| {
        Error::Unsupported(format!("an attribute of format {:?}", attribute.format))
    })?;
    let bytes =
        memory.get(buffer.place.buffer).and_then(|one| one.get(buffer.place.offset as usize..));
    let bytes = bytes.ok_or_else(|| Error::Work("a vertex buffer is not there".to_owned()))?;
    let one = if is_float { 1.0_f32.to_bits() } else { 1 };
    let element = |number: usize| {
        let first = number * buffer.layout.stride as usize + attribute.offset as usize;
        let found = bytes.get(first..first + 4 * components)?;
        let mut words = [0, 0, 0, one];
        for (word, bytes) in words.iter_mut().zip(found.chunks_exact(4)) {
            *word = u32::from_ne_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        }
        Some(words)
    };
    // A stride of 0 has but one element.
    let most = if buffer.layout.stride == 0 { 1 } else { usize::MAX };
    Ok((0..most).map_while(element).collect())
}

/// How many components of 32 bits a format has, and whether they are floats.
fn format(format: vk::Format) -> Option<(usize, bool)> {
    Some(match format {
        vk::Format::R32_SFLOAT => (1, true),
        vk::Format::R32G32_SFLOAT => (2, true),
        vk::Format::R32G32B32_SFLOAT => (3, true),
        vk::Format::R32G32B32A32_SFLOAT => (4, true),
        vk::Format::R32_SINT | vk::Format::R32_UINT => (1, false),
        vk::Format::R32G32_SINT | vk::Format::R32G32_UINT => (2, false),
        vk::Format::R32G32B32_SINT | vk::Format::R32G32B32_UINT => (3, false),
        vk::Format::R32G32B32A32_SINT | vk::Format::R32G32B32A32_UINT => (4, false),
        _ => return None,
    })
}

/// The numbers of the vertices in the order of the draw, and the base vertex.
fn vertices(draw: &Draw<'_>, memory: &[Vec<u8>]) -> Result<(Vec<u32>, u32), Error> {
    let Some(indices) = draw.indices else {
        return Ok((draw.vertices.clone().collect(), draw.vertices.start));
    };
    let size = match indices.index_type {
        vk::IndexType::UINT8_EXT => 1,
        vk::IndexType::UINT16 => 2,
        _ => 4,
    };
    let first = indices.place.offset as usize + size * indices.first as usize;
    let bytes = memory.get(indices.place.buffer);
    let bytes = bytes.and_then(|one| one.get(first..first + size * indices.count as usize));
    let bytes = bytes.ok_or_else(|| Error::Work("an index buffer is too small".to_owned()))?;
    let restart = u32::MAX >> (32 - 8 * size as u32);
    let number = |bytes: &[u8]| {
        let mut word = [0; 4];
        word[..size].copy_from_slice(bytes);
        u32::from_le_bytes(word)
    };
    let vertices = bytes
        .chunks_exact(size)
        .map(number)
        .filter(|index| !(indices.restart && *index == restart))
        .map(|index| index.wrapping_add_signed(indices.vertex_offset));
    Ok((vertices.collect(), indices.vertex_offset.cast_unsigned()))
}

fn bits(constant: Constant) -> u64 {
    match constant {
        Constant::Bits8(bits) => bits.into(),
        Constant::Bits16(bits) => bits.into(),
        Constant::Bits32(bits) => bits.into(),
        Constant::Bits64(bits) => bits,
    }
}

fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_ne_bytes()).collect()
}

fn count<T>(all: &[T]) -> u32 {
    u32::try_from(all.len()).expect("what is compared is far smaller")
}

fn narrow(number: u64) -> Result<u32, Error> {
    u32::try_from(number).map_err(|_| Error::Unsupported(format!("a buffer of {number} bytes")))
}

fn unsupported(what: &str) -> Error {
    Error::Unsupported(format!("{what}: vertex functions and kernels alone are run"))
}
