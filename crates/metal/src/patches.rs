//! Runs tessellation control stages, which SPIRV-Cross prints as kernels. Buffers hold the vertex outputs and the
//! results. Later stages do not run.

use crate::Metal;
use crate::bind::{Memory, bind};
use crate::shader::{PATCHES, Shader, unsupported};
use crate::signature::{CLIP_DISTANCES, FIRST_USER, POSITION};
use crate::words::count;
use polyshade::Module;
use polyshade::spv::{Decoration, ExecutionMode, ExecutionModel, Id, StorageClass};
use polyshade_vulkan::{Draw, Error, Stage, vk};

/// The maximum number of vertices of a patch.
const MOST: u32 = 32;

/// Fails if a later stage can write memory, because later stages do not run.
pub(crate) fn check_behind(stage: &Stage<'_>) -> Result<(), Error> {
    let module = Module::parse(stage.words).map_err(|error| Error::Work(error.to_string()))?;
    let own = [
        StorageClass::INPUT,
        StorageClass::OUTPUT,
        StorageClass::PRIVATE,
        StorageClass::UNIFORM_CONSTANT,
        StorageClass::PUSH_CONSTANT,
    ];
    let is_own = module.variables().all(|one| own.contains(&one.storage_class()));
    match stage.stage == vk::ShaderStageFlags::TESSELLATION_EVALUATION && is_own {
        true => Ok(()),
        false => Err(unsupported("stages after a tessellation control stage")),
    }
}

/// Runs the patches of a draw: first the vertices, then the invocations of each patch, which take turns.
pub(crate) fn run(
    metal: &Metal,
    [vertex, control]: [&Shader<'_, '_>; 2],
    draw: &Draw<'_>,
    memory: &mut Memory,
) -> Result<(), Error> {
    // First check that the draw is supported.
    let corners = draw.patch_control_points;
    let module = Module::parse(control.stage.words);
    let module = module.map_err(|error| Error::Work(error.to_string()))?;
    let threads = invocations(&module, control.stage.entry_point)?;
    let is_list = draw.topology == vk::PrimitiveTopology::PATCH_LIST && draw.indices.is_none();
    if !is_list || draw.instances.len() != 1 {
        return Err(unsupported("indexed or instanced patches"));
    }
    if ![corners, threads].iter().all(|number| (1..=MOST).contains(number)) {
        return Err(unsupported("patches with this number of vertices"));
    }
    let slots = slots(&module, vertex, control)?;

    // Run the vertices, then the kernel, which reads their outputs.
    let outputs = vertex.run_vertices(metal, std::slice::from_ref(draw), memory)?;
    let all: Vec<&[[u32; 4]]> = outputs
        .iter()
        .flat_map(|outputs| outputs.as_chunks().0.chunks_exact(vertex.slots()))
        .collect();
    let patches = all.len() / corners as usize;
    let mut words = bind(draw, &control.printed, memory)?;
    words.extend([PATCHES, corners, threads, count(&slots), patches as u32]);
    for outputs in &all[..patches * corners as usize] {
        words.extend(slots.iter().flat_map(|slot| slot.of(outputs)));
    }
    control.execute(metal, &[words], memory)?;
    memory.keep();
    Ok(())
}

/// The number of output vertices of a patch.
fn invocations(module: &Module<'_>, entry: &str) -> Result<u32, Error> {
    let entry = module.entry_point(entry, ExecutionModel::TESSELLATION_CONTROL);
    let entry = entry.map_err(|error| Error::Work(error.to_string()))?;
    let mode = module.mode(entry.function(), ExecutionMode::OUTPUT_VERTICES);
    let number = mode.and_then(|mode| mode.operands().first().copied());
    number.ok_or_else(|| {
        Error::Work(
            "the tessellation control stage has no execution mode OutputVertices".to_owned(),
        )
    })
}

/// The source of four words of a vertex that the kernel reads.
#[derive(Debug, PartialEq, Eq)]
enum Slot {
    /// An output of the vertex function, starting at a component.
    Varying { slot: usize, component: usize },
    /// A clip distance.
    Distance(usize),
    /// A location that the vertex function does not write.
    Nothing,
}

impl Slot {
    fn of(&self, outputs: &[[u32; 4]]) -> [u32; 4] {
        let mut words = [0; 4];
        let found = match self {
            Slot::Varying { slot, component } => &outputs[*slot][*component..],
            Slot::Distance(number) => &outputs[CLIP_DISTANCES + number / 4][number % 4..][..1],
            Slot::Nothing => &[],
        };
        words[..found.len()].copy_from_slice(found);
        words
    }
}

/// Returns the sources of the vectors in the structure that the kernel reads, in order.
fn slots(
    module: &Module<'_>,
    vertex: &Shader<'_, '_>,
    control: &Shader<'_, '_>,
) -> Result<Vec<Slot>, Error> {
    // Clip distances have additional `user` names, which are not locations.
    let outputs = vertex.function.user_outputs();
    let location = |name: &String| name.strip_prefix("locn").map(|number| number.parse::<u32>());
    let locations = outputs.iter().map(|name| location(name).transpose());
    let locations = locations.collect::<Result<Vec<Option<u32>>, _>>();
    let locations =
        locations.map_err(|_| unsupported("vertex outputs that use only part of a location"))?;
    let mut inputs = inputs(module, control.stage.entry_point).into_iter();
    let mut slots = Vec::new();
    for (ty, name) in control.function.read_of_vertices() {
        let unread = || unsupported(&format!("the input `{name}` of each vertex"));
        let count = vectors(ty).ok_or_else(unread)?;
        match name.as_str() {
            "gl_Position" => slots.push(Slot::Varying { slot: POSITION, component: 0 }),
            "gl_ClipDistance" => slots.extend((0..count as usize).map(Slot::Distance)),
            name => {
                let input = inputs.next().filter(|input| input.is_called(name));
                let Input { location, component, .. } = input.ok_or_else(unread)?;
                slots.extend((location..location + count).map(|location| {
                    let found = locations.iter().position(|other| *other == Some(location));
                    found.map_or(Slot::Nothing, |place| Slot::Varying {
                        slot: FIRST_USER + place,
                        component: component as usize,
                    })
                }));
            }
        }
    }
    match inputs.next() {
        None => Ok(slots),
        Some(input) => Err(unsupported(&format!("the input `{}` of each vertex", input.name))),
    }
}

/// A vertex input of the stage that has a location.
struct Input {
    location: u32,
    component: u32,
    /// The name that SPIRV-Cross prints if the name is unique.
    name: String,
}

impl Input {
    /// Whether SPIRV-Cross may have printed this name. It appends numbers to equal names.
    fn is_called(&self, printed: &str) -> bool {
        let number =
            |rest: &str| rest.strip_prefix('_').is_some_and(|rest| rest.parse::<u32>().is_ok());
        printed.strip_prefix(&self.name).is_some_and(|rest| rest.is_empty() || number(rest))
    }
}

/// Returns the used inputs, in the order in which SPIRV-Cross prints them.
fn inputs(module: &Module<'_>, entry: &str) -> Vec<Input> {
    let Ok(entry) = module.entry_point(entry, ExecutionModel::TESSELLATION_CONTROL) else {
        return Vec::new();
    };
    let interface: Vec<Id> = entry.interface().collect();
    let is_read = |id: &Id| {
        module.storage_class(*id) == Some(StorageClass::INPUT)
            && interface.contains(id)
            && module.code_uses_of(*id).next().is_some()
    };
    let input = |id: Id| {
        let number = |decoration| module.decoration(id, decoration)?.first().copied();
        let is_of_word = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        let name = module.name(id).map(|name| name.replace(|letter| !is_of_word(letter), "_"));
        Some(Input {
            location: number(Decoration::LOCATION)?,
            component: number(Decoration::COMPONENT).unwrap_or(0),
            name: name.unwrap_or_else(|| format!("m_{}", id.word())),
        })
    };
    let read = module.variables().map(|variable| variable.result()).filter(is_read);
    let mut inputs: Vec<Input> = read.filter_map(input).collect();
    inputs.sort_by_key(|input| (input.location, input.component));
    inputs
}

/// The number of locations of a member, one for each vector; `None` for structures.
fn vectors(ty: &str) -> Option<u32> {
    if let Some(array) = ty.strip_prefix("spvUnsafeArray<") {
        let (element, length) = array.strip_suffix('>')?.rsplit_once(", ")?;
        return Some(vectors(element)? * length.parse::<u32>().ok()?);
    }
    let scalars = ["float", "half", "int", "uint", "short", "ushort"];
    let shape = scalars
        .iter()
        .filter_map(|scalar| ty.strip_prefix(scalar))
        .min_by_key(|rest| rest.len())?;
    match shape.as_bytes() {
        [] | [b'2'..=b'4'] => Some(1),
        [columns @ b'2'..=b'4', b'x', b'2'..=b'4'] => Some(u32::from(columns - b'0')),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_have_a_location_for_each_vector() {
        for (ty, count) in [
            ("float", Some(1)),
            ("uint3", Some(1)),
            ("float3x4", Some(3)),
            ("spvUnsafeArray<float, 2>", Some(2)),
            ("spvUnsafeArray<spvUnsafeArray<half2x2, 2>, 3>", Some(12)),
            ("Structure", None),
            ("spvUnsafeArray<Structure, 2>", None),
        ] {
            assert_eq!(vectors(ty), count, "{ty}");
        }
    }

    #[test]
    fn each_slot_has_words_of_the_vertex() {
        let outputs = [[1; 4], [2, 3, 4, 5], [6, 7, 8, 9], [10, 11, 12, 13]];
        let whole = Slot::Varying { slot: 3, component: 0 };
        let part = Slot::Varying { slot: 3, component: 2 };
        assert_eq!([whole, part].map(|slot| slot.of(&outputs)), [outputs[3], [12, 13, 0, 0]]);
        let distances = [1, 4].map(|number| Slot::Distance(number).of(&outputs));
        assert_eq!(distances, [[3, 0, 0, 0], [6, 0, 0, 0]]);
        assert_eq!(Slot::Nothing.of(&outputs), [0; 4]);
    }

    #[test]
    fn names_may_have_a_number_behind_them() {
        let input = Input { location: 3, component: 0, name: "a_1".to_owned() };
        assert!(["a_1", "a_1_0"].iter().all(|printed| input.is_called(printed)));
        assert!(!["a", "a_10", "a_1_b", "b"].iter().any(|printed| input.is_called(printed)));
    }
}
