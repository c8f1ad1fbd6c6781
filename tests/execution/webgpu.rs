//! Draws and dispatches in WebGPU: by headless Chromium, over its own SwiftShader, and by wgpu, over lavapipe.

mod browser;
mod usage_scopes;
mod wgpu;

use polyshade::Module;
use polyshade::spv::Decoration;
use polyshade_formats::wgsl::{self, Bound, Place, Text, Wgsl, WgslResource};
use polyshade_vulkan::{Descriptor, Draw, Range, Resource, Stage, VertexBuffer, Work, vk};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// What does the work. Both are handed the same texts and buffers.
#[derive(Clone, Copy, Debug)]
pub(crate) enum WebGpu {
    Chromium,
    Wgpu,
}

/// Makes two tests of each of these functions of a [`WebGpu`], or one of each by wgpu alone: of what WebGPU has not.
/// They are slow tests; `cargo xtask test --slow` leaves out the modules `wgpu` where wgpu cannot be installed.
macro_rules! tests_in_webgpu {
    ($($test:ident),+ $(,)?) => {
        mod chromium {
            $(#[test]
            #[ignore = "slow: it starts a browser"]
            fn $test() {
                super::$test($crate::webgpu::WebGpu::Chromium);
            })+
        }

        $crate::webgpu::tests_in_webgpu!(wgpu: $($test),+);
    };
    (wgpu: $($test:ident),+) => {
        mod wgpu {
            $(#[test]
            #[ignore = "slow: it needs Python's wgpu"]
            fn $test() {
                super::$test($crate::webgpu::WebGpu::Wgpu);
            })+
        }
    };
}
pub(crate) use tests_in_webgpu;

/// What is said of the work when it is done.
#[derive(Deserialize)]
struct Answer {
    /// The words of every buffer and target, or why there are none.
    #[serde(default)]
    buffers: Vec<Vec<u32>>,
    #[serde(default)]
    targets: Vec<Vec<u32>>,
    error: Option<String>,
    /// The validation error of each usage scope, if it has one.
    #[serde(default)]
    refusals: Vec<Option<String>>,
}

/// What the work left.
pub(crate) struct Outcome {
    /// The contents of every buffer.
    pub(crate) buffers: Vec<Vec<u8>>,
    /// The pixels of every target, row by row.
    pub(crate) targets: Vec<Vec<u8>>,
}

impl WebGpu {
    /// Runs all draws and dispatches, one behind the other, and returns what they leave. The shaders are handed over in
    /// WGSL.
    #[track_caller]
    pub(crate) fn run(self, work: &Work<'_>) -> Outcome {
        let count = work.buffers.len();
        let work = told(work).to_string();
        let answer = match self {
            Self::Chromium => browser::answer(&work),
            Self::Wgpu => wgpu::answer(&work),
        };
        assert_eq!(answer.error, None, "what {self:?} says");
        let [mut buffers, targets] = [answer.buffers, answer.targets]
            .map(|all| all.iter().map(|words| bytes(words)).collect::<Vec<_>>());
        // Behind them are those that push constants became.
        buffers.truncate(count);
        Outcome { buffers, targets }
    }
}

/// The work, for the page and for the script.
fn told(work: &Work<'_>) -> Value {
    let mut told = Told { modules: Vec::new(), buffers: work.buffers.clone() };
    let draws: Vec<Value> = work.draws.iter().map(|draw| told.draw(draw)).collect();
    let textures = work
        .textures
        .iter()
        .map(|one| image(one.format, [one.width, one.height], Some(&one.contents)));
    let targets = work.targets.iter().enumerate().map(|(at, one)| {
        let pixels = work.pixels.iter().find(|(target, _)| *target == at);
        image(one.format, [one.width, one.height], pixels.map(|(_, pixels)| pixels))
    });
    json!({
        "modules": told.modules.iter().map(|module| &module.text.source).collect::<Vec<_>>(),
        "buffers": told.buffers.iter().map(|bytes| words(bytes)).collect::<Vec<_>>(),
        "textures": textures.collect::<Vec<_>>(),
        "targets": targets.collect::<Vec<_>>(),
        "draws": draws,
    })
}

/// An image: its format, and how many bytes a texel has.
fn image(format: vk::Format, [width, height]: [u32; 2], contents: Option<&Vec<u8>>) -> Value {
    let (format, texel) = match format {
        vk::Format::R32G32B32A32_SFLOAT => ("rgba32float", 16),
        vk::Format::R32G32B32A32_UINT => ("rgba32uint", 16),
        vk::Format::R32G32_UINT => ("rg32uint", 8),
        vk::Format::R8G8B8A8_UNORM => ("rgba8unorm", 4),
        other => panic!("{other:?}"),
    };
    let words = contents.map(|contents| words(contents));
    json!({ "format": format, "texel": texel, "width": width, "height": height, "words": words })
}

/// A shader in both languages.
struct Translated<'w> {
    words: &'w [u32],
    text: Text,
}

/// What the draws have named so far.
struct Told<'w> {
    modules: Vec<Translated<'w>>,
    buffers: Vec<Vec<u8>>,
}

impl<'w> Told<'w> {
    /// The number of a module.
    fn module(&mut self, words: &'w [u32]) -> usize {
        let known = self.modules.iter().position(|one| one.words == words);
        known.unwrap_or_else(|| {
            let text = wgsl::write(words, &Wgsl::default()).expect("naga takes it");
            self.modules.push(Translated { words, text });
            self.modules.len() - 1
        })
    }

    fn draw(&mut self, draw: &Draw<'w>) -> Value {
        let stages: Vec<usize> = draw.stages.iter().map(|stage| self.module(stage.words)).collect();
        let bound = |module: &usize| self.modules[*module].text.bound.clone();
        let bound: Vec<Bound> = stages.iter().flat_map(bound).collect();
        // Layouts that are made of shaders have no more than what these use.
        let is_used = |Place { set, binding }: &Place| {
            let place = format!("@group({set}) @binding({binding}) ");
            stages.iter().any(|stage| self.modules[*stage].text.source.contains(&place))
        };
        let used = draw.descriptors.iter().filter_map(|one| {
            let reads = |stage: &Stage<'_>| reads(stage.words, one.set, one.binding);
            let place = place(one, &bound).filter(is_used)?;
            draw.stages.iter().any(reads).then_some(())?;
            Some(binding(place, one.resource, &bound))
        });
        let mut bindings: Vec<Value> = used.flatten().collect();
        let constants = bound.iter().filter(|one| one.resource == WgslResource::PushConstants);
        let places: BTreeSet<_> = constants.map(|one| one.place).collect();
        for place in places {
            // Uniform buffers are whole vectors.
            let mut contents = draw.push_constants.clone();
            contents.resize(contents.len().next_multiple_of(16), 0);
            let range =
                Range { buffer: self.buffers.len(), offset: 0, size: contents.len() as u64 };
            bindings.push(buffer_at(place.set, place.binding, range));
            self.buffers.push(contents);
        }
        let targets: Vec<usize> =
            draw.target.into_iter().chain(draw.other_targets.clone()).collect();
        json!({
            "stages": stages,
            "groups": draw.dispatch,
            "bindings": bindings,
            "targets": targets,
            "topology": topology(draw.topology),
            "vertexBuffers": draw.vertex_buffers.iter().map(vertex_buffer).collect::<Vec<_>>(),
            "vertices": [draw.vertices.start, draw.vertices.len() as u32],
            "instances": [draw.instances.start, draw.instances.len() as u32],
        })
    }
}

/// Whether a module uses what is bound here, all of an array.
fn reads(words: &[u32], set: u32, binding: u32) -> bool {
    let module = Module::parse(words).expect("it was translated");
    let is = |id, decoration, number| module.decoration(id, decoration) == Some(&[number][..]);
    let mut here = module.variables().map(|variable| variable.result()).filter(|id| {
        is(*id, Decoration::DESCRIPTOR_SET, set) && is(*id, Decoration::BINDING, binding)
    });
    here.any(|id| module.code_uses_of(id).next().is_some())
}

/// Where WGSL has a descriptor: elements of an array are bound each by itself.
fn place(descriptor: &Descriptor, bound: &[Bound]) -> Option<Place> {
    let &Descriptor { set, binding, element, .. } = descriptor;
    let array = Place { set, binding };
    if element == 0 {
        return Some(array);
    }
    let own = WgslResource::Element { array, index: element };
    bound.iter().find(|one| one.resource == own).map(|one| one.place)
}

fn topology(topology: vk::PrimitiveTopology) -> &'static str {
    match topology {
        vk::PrimitiveTopology::POINT_LIST => "point-list",
        vk::PrimitiveTopology::LINE_LIST => "line-list",
        vk::PrimitiveTopology::LINE_STRIP => "line-strip",
        vk::PrimitiveTopology::TRIANGLE_LIST => "triangle-list",
        vk::PrimitiveTopology::TRIANGLE_STRIP => "triangle-strip",
        other => panic!("{other:?}"),
    }
}

fn vertex_buffer(buffer: &VertexBuffer) -> Value {
    let attributes = buffer.layout.attributes.iter().map(|one| {
        assert_eq!(one.format, vk::Format::R32G32B32A32_SFLOAT);
        json!({ "shaderLocation": one.location, "format": "float32x4", "offset": one.offset })
    });
    let attributes = attributes.collect::<Vec<_>>();
    let layout = json!({ "arrayStride": buffer.layout.stride, "attributes": attributes });
    json!({ "buffer": buffer.place.buffer, "offset": buffer.place.offset, "layout": layout })
}

/// What WebGPU binds at a place, of stages that have these resources otherwise.
fn binding(place: Place, resource: Resource, bound: &[Bound]) -> Vec<Value> {
    let Place { set, binding } = place;
    let texture = |texture| json!({ "group": set, "binding": binding, "texture": texture });
    match resource {
        Resource::StorageBuffer(range) | Resource::UniformBuffer(range) => {
            vec![buffer_at(set, binding, range)]
        }
        Resource::Image(number) => vec![texture(number)],
        Resource::ImageWithSampler(number) => {
            let combined = WgslResource::Sampler(place);
            let samplers = bound
                .iter()
                .filter(|one| one.resource == combined)
                .map(|Bound { place, .. }| json!({ "group": place.set, "binding": place.binding }));
            std::iter::once(texture(number)).chain(samplers).collect()
        }
        other => panic!("{other:?}"),
    }
}

fn buffer_at(group: u32, binding: u32, range: Range) -> Value {
    let Range { buffer, offset, size } = range;
    json!({ "group": group, "binding": binding, "buffer": buffer, "offset": offset, "size": size })
}

fn words(bytes: &[u8]) -> Vec<u32> {
    let chunks = bytes.chunks_exact(4);
    assert!(chunks.remainder().is_empty(), "buffers are made of words");
    chunks.map(|word| u32::from_ne_bytes([word[0], word[1], word[2], word[3]])).collect()
}

fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_ne_bytes()).collect()
}
