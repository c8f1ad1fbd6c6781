//! Draws and dispatches in WebGPU, with headless Chromium on its own SwiftShader and with wgpu on lavapipe.

mod browser;
mod usage_scopes;
mod wgpu;

use crate::memory::{bytes, words};
use polyshade::Module;
use polyshade::spv::Decoration;
use polyshade_formats::wgsl::{self, Bound, Place, Text, Wgsl, WgslResource};
use polyshade_vulkan::{Descriptor, Draw, Range, Resource, Stage, VertexBuffer, Work, vk};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// A WebGPU implementation. Both implementations get the same WGSL and buffers.
#[derive(Clone, Copy, Debug)]
pub(crate) enum WebGpu {
    Chromium,
    Wgpu,
}

/// Makes a test of each function for each [`WebGpu`], or only for wgpu if the function needs its native features. The
/// tests are slow. `cargo xtask test --slow` skips the modules `wgpu` if wgpu cannot be installed.
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

/// The result of the work, as JSON.
#[derive(Deserialize)]
struct Answer {
    /// The words of every buffer and of every target, or the error.
    #[serde(default)]
    buffers: Vec<Vec<u32>>,
    #[serde(default)]
    targets: Vec<Vec<u32>>,
    error: Option<String>,
    /// For each usage scope, its validation error, if any.
    #[serde(default)]
    refusals: Vec<Option<String>>,
}

/// The result of the work.
pub(crate) struct Outcome {
    pub(crate) buffers: Vec<Vec<u8>>,
    /// The pixels of every target, row by row.
    pub(crate) targets: Vec<Vec<u8>>,
}

impl WebGpu {
    /// Executes all draws and dispatches in order, with the shaders in WGSL, and returns the result.
    #[track_caller]
    pub(crate) fn run(self, work: &Work<'_>) -> Outcome {
        let count = work.buffers.len();
        let work = as_json(work).to_string();
        let answer = match self {
            Self::Chromium => browser::answer(&work),
            Self::Wgpu => wgpu::answer(&work),
        };
        assert_eq!(answer.error, None, "{self:?} reports an error");
        let [mut buffers, targets] = [answer.buffers, answer.targets]
            .map(|all| all.iter().map(|words| bytes(words)).collect::<Vec<_>>());
        // The buffers that replace push constants come after the work's buffers.
        buffers.truncate(count);
        Outcome { buffers, targets }
    }
}

/// Describes the work in JSON for the page and the script.
fn as_json(work: &Work<'_>) -> Value {
    let mut registered = Registered { modules: Vec::new(), buffers: work.buffers.clone() };
    let draws: Vec<Value> = work.draws.iter().map(|draw| registered.draw(draw)).collect();
    let textures = work
        .textures
        .iter()
        .map(|one| image(one.format, [one.width, one.height], Some(&one.contents)));
    let targets = work.targets.iter().enumerate().map(|(at, one)| {
        let pixels = work.pixels.iter().find(|(target, _)| *target == at);
        image(one.format, [one.width, one.height], pixels.map(|(_, pixels)| pixels))
    });
    json!({
        "modules": registered.modules.iter().map(|module| &module.text.source).collect::<Vec<_>>(),
        "buffers": registered.buffers.iter().map(|bytes| words(bytes)).collect::<Vec<_>>(),
        "textures": textures.collect::<Vec<_>>(),
        "targets": targets.collect::<Vec<_>>(),
        "draws": draws,
    })
}

/// Describes an image: its format, its contents and the size of a texel.
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

/// A shader in SPIR-V and WGSL.
struct Translated<'w> {
    words: &'w [u32],
    text: Text,
}

/// The modules and buffers that the draws have used so far.
struct Registered<'w> {
    modules: Vec<Translated<'w>>,
    buffers: Vec<Vec<u8>>,
}

impl<'w> Registered<'w> {
    /// Returns the index of a module, after translating the module if it is new.
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
        // Automatic layouts contain only the bindings that the shaders use.
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
            // The size of uniform buffers is a multiple of 16 bytes.
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

/// Returns whether a module uses the binding. An array counts as one binding.
fn reads(words: &[u32], set: u32, binding: u32) -> bool {
    let module = Module::parse(words).expect("it was translated");
    let is = |id, decoration, number| module.decoration(id, decoration) == Some(&[number][..]);
    let mut here = module.variables().map(|variable| variable.result()).filter(|id| {
        is(*id, Decoration::DESCRIPTOR_SET, set) && is(*id, Decoration::BINDING, binding)
    });
    here.any(|id| module.code_uses_of(id).next().is_some())
}

/// Returns the binding of a descriptor in WGSL, where array elements have separate bindings.
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

/// Returns WebGPU's bindings for a resource; combined image samplers become two.
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
