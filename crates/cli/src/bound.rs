//! The bindings of resources in MSL and WGSL, whose bindings differ from Vulkan's.

use crate::failure::Failure;
use crate::format::{Formats, buffer_name, resource_name};
use polyshade_formats::cross::{MslBuffer, MslTexture, MslTextureKind, Text};
use polyshade_formats::wgsl::{self, BoundKind, Place, WgslResource};
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};

/// The bindings in each written file, in the order of the files.
#[derive(Default)]
pub(crate) struct Bound {
    msl: Vec<(PathBuf, Text)>,
    wgsl: Vec<(PathBuf, Vec<wgsl::Bound>)>,
}

impl Bound {
    /// Adds the resource indices of an MSL file.
    pub(crate) fn add_msl(&mut self, file: &Path, text: &Text) {
        self.msl.push((file.to_owned(), Text { source: String::new(), ..text.clone() }));
    }

    /// Adds the bindings of a WGSL file that differ from Vulkan's.
    pub(crate) fn add_wgsl(&mut self, file: &Path, bound: Vec<wgsl::Bound>) {
        self.wgsl.push((file.to_owned(), bound));
    }

    /// Returns the bindings for reports, grouped by format. Formats without files are omitted.
    pub(crate) fn report(&self) -> Map<String, Value> {
        let msl = self.msl.iter().map(|(path, text)| {
            let buffers = text.buffers.iter().map(buffer).collect::<Vec<_>>();
            let textures = text.textures.iter().map(texture).collect::<Vec<_>>();
            json!({ "file": name(path), "buffers": buffers, "textures": textures })
        });
        let wgsl = self.wgsl.iter().map(|(path, bound)| {
            let resources = bound.iter().map(resource).collect::<Vec<_>>();
            json!({ "file": name(path), "resources": resources })
        });
        let formats = [("msl", msl.collect::<Vec<_>>()), ("wgsl", wgsl.collect::<Vec<_>>())];
        let there = formats.into_iter().filter(|(_, files)| !files.is_empty());
        there.map(|(format, files)| (format.to_owned(), files.into())).collect()
    }

    /// Fails if the options name a resource that no written file uses.
    pub(crate) fn check(&self, formats: &Formats) -> Result<(), Failure> {
        let there = |wanted: &MslBuffer| {
            self.msl.iter().flat_map(|(_, text)| &text.buffers).any(|(one, _)| one == wanted)
        };
        if let Some(lost) = formats.msl_buffers().find(|wanted| !there(wanted)) {
            let name = buffer_name(lost);
            let message = format!("--msl-buffer {name}: no MSL output has this buffer");
            return Err(Failure::usage(message));
        }
        let there = |wanted: &WgslResource| {
            self.wgsl.iter().flat_map(|(_, all)| all).any(|one| one.resource == *wanted)
        };
        if let Some(lost) = formats.wgsl_resources().find(|wanted| !there(wanted)) {
            let name = resource_name(lost);
            let what = match lost {
                WgslResource::Element { .. } => "this element of an array of descriptors",
                WgslResource::Sampler(_) => "this combined image sampler",
                WgslResource::PushConstants => "push constants",
            };
            let message = format!("--wgsl-binding {name}: no WGSL output has {what}");
            return Err(Failure::usage(message));
        }
        Ok(())
    }
}

/// Returns the file name without its folder, which is temporary in a batch.
fn name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

fn buffer((buffer, index): &(MslBuffer, u32)) -> Value {
    let kind = match buffer {
        MslBuffer::Descriptor { set, binding } => {
            return json!({ "kind": "descriptor", "set": set, "binding": binding, "index": index });
        }
        MslBuffer::PushConstants => "push constants",
        MslBuffer::Sizes => "sizes of the buffers",
        MslBuffer::Vertices => "vertices of patches",
        MslBuffer::Factors => "tessellation factors",
        MslBuffer::Patches => "outputs of patches",
        MslBuffer::ControlPoints => "control points",
        MslBuffer::Counts => "numbers of patches",
    };
    json!({ "kind": kind, "index": index })
}

fn texture(MslTexture { set, binding, kind, index }: &MslTexture) -> Value {
    let kind = match kind {
        MslTextureKind::Texture => "texture",
        MslTextureKind::Sampler => "sampler",
    };
    json!({ "kind": kind, "set": set, "binding": binding, "index": index })
}

fn resource(bound: &wgsl::Bound) -> Value {
    let Place { set, binding } = bound.place;
    let kind = match bound.kind {
        BoundKind::Element => "element of the array",
        BoundKind::Sampler => "sampler",
        BoundKind::Uniform => "uniform buffer",
        BoundKind::ReadOnlyStorage => "read-only storage buffer",
    };
    let of = match bound.resource {
        WgslResource::Element { array: Place { set, binding }, index } => {
            json!({ "set": set, "binding": binding, "element": index })
        }
        WgslResource::Sampler(Place { set, binding }) => json!({ "set": set, "binding": binding }),
        WgslResource::PushConstants => json!("push constants"),
    };
    json!({ "of": of, "kind": kind, "set": set, "binding": binding })
}
