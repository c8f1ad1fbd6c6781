//! Runs stages as Metal functions that are compiled as C++. The program reads draws as words from its standard input,
//! in the format of `shim/run.cpp`.

use crate::Metal;
use crate::attributes::{attributes, vertices};
use crate::bind::{Memory, bind};
use crate::program::Program;
use crate::raster::Lanes;
use crate::signature::{FIRST_USER, Signature};
use crate::text;
use crate::words::{bytes, count, words};
use polyshade::Module;
use polyshade::rewrite::{self, Copies};
use polyshade::spv::view::Mode;
use polyshade::spv::{BuiltIn, ExecutionMode, ExecutionModel, Section};
use polyshade_formats::cross::{self, Domain, EntryPoint, Msl, Target, Text};
use polyshade_vulkan::{Constant, Draw, Error, Stage, vk};
use std::sync::Arc;

/// Stands for no piece of memory.
const NONE: u32 = u32::MAX;
/// The kinds of invocations of a program.
const VERTICES: u32 = 0;
pub(crate) const FRAGMENTS: u32 = 1;
pub(crate) const PATCHES: u32 = 2;

/// A Metal function, compiled as C++.
pub(crate) struct Shader<'s, 'w> {
    pub(crate) stage: &'s Stage<'w>,
    pub(crate) printed: Text,
    pub(crate) function: Signature,
    program: Arc<Program>,
    outputs: Outputs,
}

/// Whether the outputs of vertices are kept. Cull distances are never applied.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outputs {
    Dropped,
    Kept,
    /// The outputs are kept, except for cull distances, which MSL does not have.
    WithoutCullDistances,
}

impl<'s, 'w> Shader<'s, 'w> {
    pub(crate) fn new(
        metal: &Metal,
        stage: &'s Stage<'w>,
        outputs: Outputs,
    ) -> Result<Self, Error> {
        let printed = print(metal, stage, outputs)?;
        let constants: Vec<(u32, u64)> =
            stage.specialization.iter().map(|(number, value)| (*number, bits(*value))).collect();
        let source = text::read(&printed.source, &constants)
            .map_err(|why| Error::Unsupported(format!("this Metal shader: {why}")))?;
        let (text, function) = (source.text, source.function);
        let source =
            format!("#include \"stages.h\"\n{text}\n{}", function.caller(&printed.buffers));
        Ok(Self { stage, printed, program: metal.program(&source)?, function, outputs })
    }

    /// Runs draws of vertices or threads. Returns the outputs of the vertices of each draw, if they are kept.
    pub(crate) fn run_vertices(
        &self,
        metal: &Metal,
        draws: &[Draw<'_>],
        memory: &mut Memory,
    ) -> Result<Vec<Vec<u32>>, Error> {
        let (mut all, mut kept) = (Vec::new(), Vec::new());
        for draw in draws {
            // The function `vertices` in `shim/run.cpp` reads this format.
            let mut words = bind(draw, &self.printed, memory)?;
            words.push(VERTICES);
            words.extend(attributes(draw, &memory.pieces)?);
            let invocations = self.invocations(draw, memory)?;
            words.push(count(&invocations.vertices));
            words.extend(&invocations.vertices);
            words.extend([
                invocations.base_vertex,
                invocations.first_instance,
                invocations.instances,
            ]);
            words.extend(match self.outputs {
                Outputs::Dropped => [NONE, 0],
                Outputs::Kept | Outputs::WithoutCullDistances => {
                    let slots = self.slots();
                    let vertices = invocations.vertices.len() * invocations.instances as usize;
                    memory.pieces.push(vec![0; 16 * slots * vertices]);
                    kept.push(memory.pieces.len() - 1);
                    [count(&memory.pieces) - 1, slots as u32]
                }
            });
            words.push(u32::from(self.printed.source.contains("threadgroup_barrier(")));
            all.push(words);
        }
        self.execute(metal, &all, memory)?;
        let kept = kept.into_iter().map(|piece| words(&memory.pieces[piece]).collect()).collect();
        memory.keep();
        Ok(kept)
    }

    /// Returns how many fragments run together. Shaders that run as quads must not store, because helper fragments
    /// would also store, unlike on Metal.
    pub(crate) fn lanes(&self) -> Result<Lanes, Error> {
        let derives = ["dfdx(", "dfdy(", "fwidth("];
        if !derives.into_iter().any(|name| self.printed.source.contains(name)) {
            return Ok(Lanes::One);
        }
        match self.function.stores() {
            true => Err(unsupported("derivatives together with stores")),
            false => Ok(Lanes::Quad),
        }
    }

    /// Returns the number of four-word outputs of a vertex.
    pub(crate) fn slots(&self) -> usize {
        FIRST_USER + self.function.user_outputs().len()
    }

    fn invocations(&self, draw: &Draw<'_>, memory: &Memory) -> Result<Invocations, Error> {
        let Some([in_row, rows, layers]) = draw.dispatch else {
            let (vertices, base_vertex) = vertices(draw, &memory.pieces)?;
            let std::ops::Range { start, end } = draw.instances;
            let (first_instance, instances) = (start, end.saturating_sub(start));
            return Ok(Invocations { vertices, base_vertex, first_instance, instances });
        };
        if layers != 1 {
            return Err(unsupported("threadgroups in several layers"));
        }
        // Each threadgroup is encoded as an instance, and each of its threads as a vertex.
        let vertices = (0..local_size(self.stage)?).collect();
        let (base_vertex, instances) = (in_row, in_row * rows);
        Ok(Invocations { vertices, base_vertex, first_instance: 0, instances })
    }

    /// Runs draws in a process, and copies their writes back to the memory.
    pub(crate) fn execute(
        &self,
        metal: &Metal,
        draws: &[Vec<u32>],
        memory: &mut Memory,
    ) -> Result<(), Error> {
        let seconds = u32::try_from(metal.time_limit.as_secs()).unwrap_or(u32::MAX).max(1);
        let mut input = bytes(&[seconds, count(&memory.pieces)]);
        for one in &memory.pieces {
            input.extend(bytes(&[count(one)]));
            input.extend(one);
        }
        input.extend(bytes(&[count(draws)]));
        draws.iter().for_each(|draw| input.extend(bytes(draw)));

        let output = self.program.run(&input)?;
        let mut rest = output.as_slice();
        for piece in &mut memory.pieces {
            let found = rest.split_off(..piece.len());
            let found =
                found.ok_or_else(|| Error::Work("the shader's process ended early".to_owned()))?;
            piece.copy_from_slice(found);
        }
        Ok(())
    }
}

/// The vertices and instances of a draw, or the threads and threadgroups of a dispatch.
struct Invocations {
    vertices: Vec<u32>,
    base_vertex: u32,
    first_instance: u32,
    instances: u32,
}

/// Translates the shader to MSL.
fn print(metal: &Metal, stage: &Stage<'_>, outputs: Outputs) -> Result<Text, Error> {
    let model = model(stage)?;
    let entry = EntryPoint { name: stage.entry_point, model: model.0 };
    let without = match outputs {
        Outputs::Kept => None,
        Outputs::Dropped | Outputs::WithoutCullDistances => without_cull_distances(stage)
            .map_err(|error| Error::Unsupported(format!("cull distances: {error}")))?,
    };
    let words = without.as_deref().unwrap_or(stage.words);
    // There is no tessellator. The quad domain is used because it has all levels.
    let options = Msl { domain: Some(Domain::Quads), ..Msl::default() };
    let printed = cross::write(words, entry, &Target::Msl(options));
    let mut printed = printed.map_err(|error| Error::Unsupported(format!("MSL: {error}")))?;
    if let Some(edit) = &metal.edit {
        printed.source = edit(printed.source);
    }
    Ok(printed)
}

/// Returns the execution model of a supported stage.
fn model(stage: &Stage<'_>) -> Result<ExecutionModel, Error> {
    match stage.stage {
        vk::ShaderStageFlags::VERTEX => Ok(ExecutionModel::VERTEX),
        vk::ShaderStageFlags::FRAGMENT => Ok(ExecutionModel::FRAGMENT),
        vk::ShaderStageFlags::COMPUTE => Ok(ExecutionModel::GL_COMPUTE),
        vk::ShaderStageFlags::TESSELLATION_CONTROL => Ok(ExecutionModel::TESSELLATION_CONTROL),
        _ => Err(unsupported("tessellation evaluation and geometry stages")),
    }
}

/// Returns the words of a vertex shader with its cull distances, which MSL lacks, in the `Private` storage class;
/// `None` if the shader has no cull distances. Outputs in the same block also become private. Nothing is culled.
fn without_cull_distances(stage: &Stage<'_>) -> Result<Option<Vec<u32>>, polyshade::Error> {
    let module = Module::parse(stage.words)?;
    if stage.stage != vk::ShaderStageFlags::VERTEX {
        return Ok(None);
    }
    let entry = module.entry_point(stage.entry_point, ExecutionModel::VERTEX)?;
    let Some(found) = rewrite::find_output(&module, entry, BuiltIn::CULL_DISTANCE) else {
        return Ok(None);
    };
    let rewritten = module.rewrite(|m, p| {
        let entry = m.entry_point(stage.entry_point, ExecutionModel::VERTEX)?;
        rewrite::demote_to_private(m, p, entry, &[found.variable], Copies::None).map(|_| ())
    })?;
    Ok(Some(rewritten.module.into_words()))
}

/// Returns the number of threads of a threadgroup, which must have only one row.
fn local_size(stage: &Stage<'_>) -> Result<u32, Error> {
    let module = Module::parse(stage.words).map_err(|error| Error::Work(error.to_string()))?;
    let modes = module.section(Section::ExecutionModes).filter_map(Mode::of);
    let sizes = modes.filter(|one| one.mode() == ExecutionMode::LOCAL_SIZE);
    match sizes.map(|one| one.operands().to_vec()).next().as_deref() {
        Some(&[threads, 1, 1]) => Ok(threads),
        _ => Err(unsupported("threadgroups with several rows")),
    }
}

fn bits(constant: Constant) -> u64 {
    match constant {
        Constant::Bits8(bits) => bits.into(),
        Constant::Bits16(bits) => bits.into(),
        Constant::Bits32(bits) => bits.into(),
        Constant::Bits64(bits) => bits,
    }
}

pub(crate) fn unsupported(what: &str) -> Error {
    Error::Unsupported(format!(
        "{what}: only vertex functions, fragment functions and kernels can be run on Metal"
    ))
}
