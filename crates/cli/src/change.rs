//! The code that `clip-space` and `rasterizer-discard` share. Both verbs change the position.

use crate::Done;
use crate::input::Input;
use crate::lowering::Lowering;
use crate::report::Report;
use crate::stage::before_rasterization;
use crate::target::Free;
use crate::writing::Writing;
use clap::Args;
use polyshade::host::{Changed, Device, Lowered, ParamSource, Target};
use polyshade::{Error, Module};

/// The arguments of both verbs: the shader, the reservations and the outputs.
#[derive(Args)]
pub(crate) struct Change {
    #[command(flatten)]
    input: Input,

    #[command(flatten)]
    free: Free,

    /// Maximum number of output components of this stage on the device (such as maxVertexOutputComponents). It limits
    /// the output that may be added for VK_EXT_transform_feedback to capture instead of the position
    #[arg(long, value_name = "N", default_value_t = 64)]
    max_output_components: u32,

    #[command(flatten)]
    writing: Writing,
}

impl Change {
    /// Lowers the last stage before rasterization and writes the result. `drawn` describes how the host draws with
    /// it.
    pub(crate) fn run(
        &self,
        lowering: Lowering,
        drawn: Option<&'static str>,
        lower: impl for<'m> FnOnce(&'m Module<'_>, Target) -> Result<Lowered<'m, Changed>, Error>,
    ) -> Done {
        self.writing.check(std::iter::empty())?;
        let original = self.input.module()?;
        let (entry, stage) = before_rasterization(&self.input, &original)?;
        let mut device = Device::default();
        device.output_components = self.max_output_components;
        let target = self.free.target(&entry, stage).device(device);
        let lowered =
            lower(&original, target).map_err(|error| self.input.refused(&error, &original))?;
        let text = match lowered.result.location {
            Some(location) => {
                format!("\nadded a captured output at location {location}\n")
            }
            None => String::new(),
        };
        let report = Report::new(lowering, (&entry, stage), &lowered.result, text)
            .needs(&lowered.params, &lowered.requirements);
        let report = match drawn.filter(|_| lowered.module.words() != original.words()) {
            Some(how) => report.drawn(how),
            None => report,
        };
        let modules = (original.words(), lowered.module.words());
        self.writing.finish(&self.input, &report, modules, &[])
    }
}

/// Parses one of the named values or a source of host parameters.
pub(crate) fn or_place<T: Copy>(
    text: &str,
    said: &[(&str, T)],
    word: fn(ParamSource) -> T,
) -> Result<T, String> {
    if let Some((_, value)) = said.iter().find(|(name, _)| *name == text) {
        return Ok(*value);
    }
    text.parse().map(word).map_err(|_| {
        let names: Vec<&str> = said.iter().map(|(name, _)| *name).collect();
        format!(
            "{}, or the source of a host parameter: storage=SET:BINDING, uniform=SET:BINDING, push-constant=OFFSET, \
             specialization=ID, or address: followed by one of the last three or by attribute=LOCATION",
            names.join(", ")
        )
    })
}
