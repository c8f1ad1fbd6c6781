//! The files that the setting `dump` writes for a capture: its shader before and after lowering, and its plan.

use polyshade::host::HostParams;
use polyshade::transform_feedback::{MAX_BUFFERS, Topology};
use std::fmt::Write as _;
use std::fs;
use std::io::Result;
use std::path::Path;

/// A capturing variant of a pipeline, as the setting writes it.
pub(super) struct Dumped<'c> {
    /// The pipeline's number among the capturing pipelines.
    pub(super) number: u32,
    pub(super) topology: Topology,
    /// For indexed draws, whether primitive restart is enabled.
    pub(super) restarts: Option<bool>,
    /// Whether the shader pulls attributes from buffers.
    pub(super) pulls: bool,
    /// Whether a geometry stage captures.
    pub(super) has_geometry: bool,
    pub(super) entry: &'c str,
    /// The shaders before and after lowering, with the ends of their file names.
    pub(super) shaders: Vec<(&'static str, &'c [u32])>,
    /// The host parameters of the lowered shader.
    pub(super) host: &'c [HostParams],
    /// The number of bytes per vertex in each transform feedback buffer.
    pub(super) strides: [u32; MAX_BUFFERS],
    /// Whether the original draw is needed for the stores of the shader.
    pub(super) stores: bool,
}

impl Dumped<'_> {
    pub(super) fn dump(&self, folder: &Path) -> Result<()> {
        let mut name = format!("{:04}-{:?}", self.number, self.topology);
        if let Some(restarts) = self.restarts {
            name += if restarts { "-restarted" } else { "-indexed" };
        }
        fs::create_dir_all(folder)?;
        for (which, words) in &self.shaders {
            let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
            fs::write(folder.join(format!("{name}.{which}.spv")), bytes)?;
        }
        fs::write(folder.join(format!("{name}.plan.txt")), self.plan())
    }

    /// Returns a text with the layer's draws, bindings and parameters, one per line.
    fn plan(&self) -> String {
        // The input of the shader.
        let mut text = format!("entry point {}, {:?}", self.entry, self.topology);
        text += match self.restarts {
            _ if self.has_geometry => ": the geometry stage captures",
            None if self.pulls => ": the shader fetches attributes",
            None => ": the pipeline fetches attributes",
            Some(false) => " with indices: the shader fetches indices and attributes",
            Some(true) => {
                " with indices and restart: the shader fetches indices and attributes, and finds primitives in a table"
            }
        };
        // The commands in order.
        text += "\ndispatch the counter pass before the render pass, with the job of this draw\n";
        text += match self.has_geometry {
            true => "draw as the application does, without rasterization\n",
            false => {
                "draw points without rasterization, one for each vertex, or for each index of an indexed draw\n"
            }
        };
        text += match self.stores {
            true => "always draw as the application does: its shader stores\n",
            false => "draw as the application does, unless it discards rasterization\n",
        };
        // The captured buffers and the host parameters.
        let captured = self.strides.iter().enumerate().filter(|(_, stride)| **stride > 0);
        for (buffer, stride) in captured {
            let _ = writeln!(text, "feedback buffer {buffer}: {stride} bytes a vertex");
        }
        for words in self.host {
            let _ = writeln!(text, "parameters, {}:", words.source);
            for (number, word) in words.params.iter().enumerate() {
                let _ = writeln!(text, "  byte {:>3}: {}, {}", 4 * number, word.name, word.meaning);
            }
        }
        text
    }
}
