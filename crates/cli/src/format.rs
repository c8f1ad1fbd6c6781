//! The output formats of modules, and their options.

use crate::failure::Failure;
use crate::named::{named, pair};
use clap::{Args, ValueEnum};
use polyshade::host::{Purpose, Requirements};
use polyshade_formats::cross::{
    Domain, Glsl, Hlsl, InputAttachments, Msl, MslBuffer, Platform, PointSize, Profile, Rules,
    Target,
};
use polyshade_formats::stage_of_extension;
use polyshade_formats::wgsl::{Place, Wgsl, WgslResource};
use std::path::Path;

/// The help heading of the options in this file.
const FORMATS: &str = "Output formats";

/// The arguments of every verb that writes a module.
#[derive(Args, Clone, Default)]
pub(crate) struct Formats {
    /// Format of standard output, and of files without a known extension [default without an extension: spv]
    #[arg(help_heading = FORMATS, long, value_enum, value_name = "FORMAT")]
    format: Option<Format>,

    /// MSL version [default: 2.1; 2.3 for macOS if attachments are fetched]
    #[arg(help_heading = FORMATS, long, value_name = "MAJOR.MINOR", value_parser = msl_version)]
    msl_version: Option<(u32, u32)>,

    /// Platform of the MSL [default: macos]
    #[arg(help_heading = FORMATS, long, value_parser = named(PLATFORMS), value_name = "PLATFORM")]
    msl_platform: Option<Platform>,

    /// Index of a buffer in MSL, 0 to 30: SET:BINDING, `push` for the push constants, `sizes` for the sizes of the
    /// buffers; in tessellation control stages also `vertices`, `factors`, `patches`, `control-points` and `counts`
    /// [default: the lowest free index, in this order; sizes 25, vertices 22, factors 26, patches 27, control-points
    /// 28, counts 29]
    #[arg(help_heading = FORMATS)]
    #[arg(long = "msl-buffer", value_name = "BUFFER=INDEX", value_parser = msl_buffer)]
    msl_buffers: Vec<(MslBuffer, u32)>,

    /// Tessellation domain in MSL, for a tessellation control stage that leaves the domain to the evaluation stage,
    /// as GLSL does
    #[arg(help_heading = FORMATS, long, value_parser = named(DOMAINS), value_name = "DOMAIN")]
    msl_domain: Option<Domain>,

    /// GLSL version, followed by `es` for OpenGL ES: 310es [default: 450]
    #[arg(help_heading = FORMATS, long, value_name = "NUMBER", value_parser = glsl_version)]
    glsl_version: Option<(u32, Profile)>,

    /// Write Vulkan's GLSL, with descriptor sets and push constants, instead of OpenGL's
    #[arg(help_heading = FORMATS, long)]
    glsl_vulkan: bool,

    /// How MSL and OpenGL's GLSL read input attachments [default: fetch; in GLSL only if there is an output to fetch]
    #[arg(help_heading = FORMATS, long, value_parser = named(ATTACHMENTS), value_name = "HOW")]
    input_attachments: Option<InputAttachments>,

    /// Color attachment in MSL, or output location in OpenGL's GLSL, from which input attachment INDEX is read
    /// [default: the attachment with the same number]
    #[arg(help_heading = FORMATS)]
    #[arg(long = "attachment-color", value_name = "INDEX=COLOR", value_parser = attachment_color)]
    attachment_colors: Vec<(u32, u32)>,

    /// HLSL shader model as a number; 51 means 5.1 [default: 51]
    #[arg(help_heading = FORMATS, long, value_name = "NUMBER", value_parser = shader_model)]
    hlsl_shader_model: Option<u32>,

    /// Remove PointSize from HLSL, which has no point size, instead of rejecting the shader
    #[arg(help_heading = FORMATS, long)]
    hlsl_drop_point_size: bool,

    /// WGSL binding of a resource that has no separate binding in Vulkan: SET:BINDING for the sampler of a combined
    /// image sampler, SET:BINDING[N] for element N of an array of descriptors, `push` for the push constants
    /// [default: the first binding after all other bindings of the set; push constants are in set 0]
    #[arg(help_heading = FORMATS)]
    #[arg(long = "wgsl-binding", value_name = "NAME=SET:BINDING", value_parser = wgsl_binding)]
    wgsl_bindings: Vec<(WgslResource, Place)>,

    /// Remove PointSize from WGSL, whose points have size 1, instead of rejecting the shader
    #[arg(help_heading = FORMATS, long)]
    wgsl_drop_point_size: bool,

    /// Allow an output to overwrite the shader or a file that it includes
    #[arg(help_heading = FORMATS, long)]
    pub(crate) in_place: bool,
}

/// A format that `--format` can name.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Format {
    /// Binary SPIR-V
    Spv,
    /// SPIR-V assembly
    Spvasm,
    /// Metal Shading Language
    Msl,
    /// GLSL
    Glsl,
    /// HLSL
    Hlsl,
    /// WGSL
    Wgsl,
}

const ATTACHMENTS: [(&str, &str, InputAttachments); 3] = [
    (
        "fetch",
        "From the framebuffer: [[color(n)]], or an inout output (GL_EXT_shader_framebuffer_fetch)",
        InputAttachments::Fetch,
    ),
    (
        "fetch-non-coherent",
        "The same, with barriers by the host (GL_EXT_shader_framebuffer_fetch_non_coherent); not in MSL",
        InputAttachments::FetchNonCoherent,
    ),
    ("texture", "From textures, by the fragment's coordinates", InputAttachments::Texture),
];

const PLATFORMS: [(&str, &str, Platform); 2] =
    [("macos", "", Platform::Macos), ("ios", "", Platform::Ios)];

const DOMAINS: [(&str, &str, Domain); 2] =
    [("triangles", "", Domain::Triangles), ("quads", "", Domain::Quads)];

impl Format {
    fn of_extension(extension: &str) -> Option<Self> {
        Some(match extension {
            "spv" => Self::Spv,
            "spvasm" => Self::Spvasm,
            "metal" | "msl" => Self::Msl,
            "glsl" => Self::Glsl,
            "hlsl" => Self::Hlsl,
            "wgsl" => Self::Wgsl,
            extension => stage_of_extension(extension).map(|_| Self::Glsl)?,
        })
    }

    /// Returns a phrase for messages, such as "writing MSL".
    pub(crate) fn writing(self) -> &'static str {
        match self {
            Self::Spv => "writing SPIR-V",
            Self::Spvasm => "writing assembly",
            Self::Msl => "writing MSL",
            Self::Glsl => "writing GLSL",
            Self::Hlsl => "writing HLSL",
            Self::Wgsl => "writing WGSL",
        }
    }
}

impl Formats {
    /// Rejects files with no known format, and options that have no effect on any written format.
    pub(crate) fn check<'p>(&self, files: impl Iterator<Item = &'p Path>) -> Result<(), Failure> {
        // Collect the formats of the files.
        let mut formats = Vec::new();
        let mut asked = false;
        for file in files {
            asked |= extension(file).is_none_or(|ending| Format::of_extension(&ending).is_none());
            formats.push(self.of(file)?);
        }
        let has = |format| formats.contains(&format);
        let has_fetching = has(Format::Msl) || has(Format::Glsl) && !self.glsl_vulkan;
        // Each option needs an output file in the format to which the option applies.
        let unused = [
            ("--format", self.format.is_some() && !asked),
            ("--msl-version", self.msl_version.is_some() && !has(Format::Msl)),
            ("--msl-platform", self.msl_platform.is_some() && !has(Format::Msl)),
            ("--msl-buffer", !self.msl_buffers.is_empty() && !has(Format::Msl)),
            ("--msl-domain", self.msl_domain.is_some() && !has(Format::Msl)),
            ("--glsl-version", self.glsl_version.is_some() && !has(Format::Glsl)),
            ("--glsl-vulkan", self.glsl_vulkan && !has(Format::Glsl)),
            ("--input-attachments", self.input_attachments.is_some() && !has_fetching),
            (
                "--attachment-color",
                !(self.attachment_colors.is_empty() || has_fetching && self.fetches()),
            ),
            ("--hlsl-shader-model", self.hlsl_shader_model.is_some() && !has(Format::Hlsl)),
            ("--hlsl-drop-point-size", self.hlsl_drop_point_size && !has(Format::Hlsl)),
            ("--wgsl-drop-point-size", self.wgsl_drop_point_size && !has(Format::Wgsl)),
            ("--wgsl-binding", !self.wgsl_bindings.is_empty() && !has(Format::Wgsl)),
        ];
        Failure::of_unused(&unused, "for the written formats")
    }

    /// Returns the format that the file's extension selects; `-` is standard output.
    pub(crate) fn of(&self, file: &Path) -> Result<Format, Failure> {
        let Some(extension) = extension(file) else {
            return Ok(self.format.unwrap_or(Format::Spv));
        };
        Format::of_extension(&extension).or(self.format).ok_or_else(|| {
            let message = format!("{}: unknown extension .{extension}", file.display());
            let help = "known are .spv .spvasm .metal .glsl .hlsl .wgsl, and .vert and the other stages; \
                        otherwise pass --format";
            Failure::usage(message).help(help)
        })
    }

    /// Returns the SPIRV-Cross target for a format, or `None` if SPIRV-Cross does not write the format.
    pub(crate) fn target(&self, format: Format) -> Option<Target> {
        match format {
            Format::Spv | Format::Spvasm | Format::Wgsl => None,
            Format::Msl => Some(Target::Msl(self.msl())),
            Format::Glsl => {
                let default = Glsl::default();
                Some(Target::Glsl(Glsl {
                    version: self.glsl_version.unwrap_or(default.version),
                    rules: if self.glsl_vulkan { Rules::Vulkan } else { default.rules },
                    input_attachments: self.input_attachments,
                    colors: self.attachment_colors.clone(),
                }))
            }
            Format::Hlsl => {
                let default = Hlsl::default();
                let drop = self.hlsl_drop_point_size;
                Some(Target::Hlsl(Hlsl {
                    shader_model: self.hlsl_shader_model.unwrap_or(default.shader_model),
                    point_size: if drop { PointSize::Drop } else { default.point_size },
                }))
            }
        }
    }

    /// Whether input attachments are read from the framebuffer.
    fn fetches(&self) -> bool {
        self.input_attachments != Some(InputAttachments::Texture)
    }

    /// Rejects a text format in which a blended output would read another color attachment as its destination.
    pub(crate) fn check_destinations(
        &self,
        file: &Path,
        needs: &Requirements,
    ) -> Result<(), Failure> {
        let format = self.of(file)?;
        let has_colors = format == Format::Msl || format == Format::Glsl && !self.glsl_vulkan;
        if !has_colors || !self.fetches() {
            return Ok(());
        }
        for one in &needs.descriptors {
            let Purpose::Destination { location, index: Some(index) } = one.purpose else {
                continue;
            };
            let given = self.attachment_colors.iter().find(|(other, _)| *other == index);
            let color = given.map_or(index, |(_, color)| *color);
            if color != location {
                let message = format!(
                    "cannot blend location {location}: its destination, input attachment {index}, is read \
                     from color {color}"
                );
                let help = format!(
                    "pass --attachment-color {index}={location}, or --input-attachments texture"
                );
                return Err(Failure::usage(message).help(help));
            }
        }
        Ok(())
    }

    fn msl(&self) -> Msl {
        let default = Msl::default();
        Msl {
            version: self.msl_version,
            platform: self.msl_platform.unwrap_or(default.platform),
            buffers: self.msl_buffers.clone(),
            input_attachments: self.input_attachments,
            colors: self.attachment_colors.clone(),
            domain: self.msl_domain,
        }
    }

    pub(crate) fn wgsl(&self) -> Wgsl {
        let drop = self.wgsl_drop_point_size;
        let point_size = if drop { PointSize::Drop } else { PointSize::Refuse };
        Wgsl { places: self.wgsl_bindings.clone(), point_size }
    }

    pub(crate) fn wgsl_resources(&self) -> impl Iterator<Item = WgslResource> {
        self.wgsl_bindings.iter().map(|(resource, _)| *resource)
    }

    pub(crate) fn msl_buffers(&self) -> impl Iterator<Item = MslBuffer> {
        self.msl_buffers.iter().map(|(buffer, _)| *buffer)
    }
}

/// Returns the extension of a file name; `None` for standard output.
fn extension(file: &Path) -> Option<String> {
    let extension = file.extension().filter(|_| file != Path::new("-"))?;
    Some(extension.to_string_lossy().into_owned())
}

/// Returns the name of a buffer in `--msl-buffer`.
pub(crate) fn buffer_name(buffer: MslBuffer) -> String {
    if let MslBuffer::Descriptor { set, binding } = buffer {
        return format!("{set}:{binding}");
    }
    let named = NAMED_BUFFERS.iter().find(|(_, other)| *other == buffer);
    named.map_or("", |(name, _)| name).to_owned()
}

/// Returns the name of a resource in `--wgsl-binding`.
pub(crate) fn resource_name(resource: WgslResource) -> String {
    match resource {
        WgslResource::Element { array: Place { set, binding }, index } => {
            format!("{set}:{binding}[{index}]")
        }
        WgslResource::Sampler(Place { set, binding }) => format!("{set}:{binding}"),
        WgslResource::PushConstants => "push".to_owned(),
    }
}

fn wgsl_binding(text: &str) -> Result<(WgslResource, Place), String> {
    let form =
        "a binding is given as SET:BINDING=SET:BINDING, SET:BINDING[N]=… or push=SET:BINDING";
    let place = |text| pair(text, ':').map(|(set, binding)| Place { set, binding });
    let read = || {
        let (of, to) = text.split_once('=')?;
        let element = of.strip_suffix(']').and_then(|of| of.split_once('['));
        let resource = match (of, element) {
            ("push", _) => WgslResource::PushConstants,
            (_, Some((array, index))) => {
                WgslResource::Element { array: place(array)?, index: index.parse().ok()? }
            }
            _ => WgslResource::Sampler(place(of)?),
        };
        Some((resource, place(to)?))
    };
    read().ok_or_else(|| form.to_owned())
}

fn attachment_color(text: &str) -> Result<(u32, u32), String> {
    let form = || "the color of an input attachment is given as INDEX=COLOR".to_owned();
    pair(text, '=').ok_or_else(form)
}

fn msl_version(text: &str) -> Result<(u32, u32), String> {
    let version = pair(text, '.');
    // SPIRV-Cross packs the major and the minor version into one number.
    let known = version.filter(|&(major, minor)| (1..10).contains(&major) && minor < 10);
    known.ok_or_else(|| "a version is given as MAJOR.MINOR, such as 2.1".to_owned())
}

const NAMED_BUFFERS: [(&str, MslBuffer); 7] = [
    ("push", MslBuffer::PushConstants),
    ("sizes", MslBuffer::Sizes),
    ("vertices", MslBuffer::Vertices),
    ("factors", MslBuffer::Factors),
    ("patches", MslBuffer::Patches),
    ("control-points", MslBuffer::ControlPoints),
    ("counts", MslBuffer::Counts),
];

/// The largest buffer index in an MSL function.
const LAST_MSL_BUFFER: u32 = 30;

fn msl_buffer(text: &str) -> Result<(MslBuffer, u32), String> {
    let form = || {
        let names = NAMED_BUFFERS.map(|(name, _)| format!("{name}=INDEX"));
        format!("a buffer is given as SET:BINDING=INDEX, {}", names.join(", "))
    };
    let (buffer, index) = text.split_once('=').ok_or_else(form)?;
    let index = index.parse().ok().filter(|index| *index <= LAST_MSL_BUFFER);
    let index = index.ok_or_else(|| format!("an index is a number from 0 to {LAST_MSL_BUFFER}"))?;
    let named = NAMED_BUFFERS.iter().find(|(name, _)| *name == buffer);
    let buffer = match (named, buffer.split_once(':')) {
        (Some((_, buffer)), _) => *buffer,
        (None, Some((set, binding))) => {
            let number = |text: &str| text.parse().map_err(|_| form());
            MslBuffer::Descriptor { set: number(set)?, binding: number(binding)? }
        }
        (None, None) => return Err(form()),
    };
    Ok((buffer, index))
}

fn glsl_version(text: &str) -> Result<(u32, Profile), String> {
    const CORE: [u32; 13] = [110, 120, 130, 140, 150, 330, 400, 410, 420, 430, 440, 450, 460];
    const ES: [u32; 4] = [100, 300, 310, 320];
    let (number, profile, known) = match text.strip_suffix("es") {
        Some(number) => (number.trim(), Profile::Es, &ES[..]),
        None => (text, Profile::Core, &CORE[..]),
    };
    let version = number.parse().ok().filter(|number| known.contains(number));
    let list = |numbers: &[u32]| numbers.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
    version
        .map(|version| (version, profile))
        .ok_or_else(|| format!("the versions are {}, and with `es` {}", list(&CORE), list(&ES)))
}

fn shader_model(text: &str) -> Result<u32, String> {
    const MODELS: [u32; 14] = [30, 40, 41, 50, 51, 60, 61, 62, 63, 64, 65, 66, 67, 68];
    let model = text.parse().ok().filter(|model| MODELS.contains(model));
    model.ok_or_else(|| "the shader models are 30, 40, 41, 50, 51 and 60 to 68".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_their_format() {
        let formats = Formats::default();
        for (name, format) in [
            ("-", Format::Spv),
            ("a", Format::Spv),
            ("a.spv", Format::Spv),
            ("a.b.spvasm", Format::Spvasm),
            ("a.metal", Format::Msl),
            ("a.vert", Format::Glsl),
            ("a.vert.hlsl", Format::Hlsl),
            ("a.wgsl", Format::Wgsl),
        ] {
            assert_eq!(formats.of(Path::new(name)).ok(), Some(format), "{name}");
        }
        assert!(formats.of(Path::new("a.mtl")).is_err());
        let msl = Formats { format: Some(Format::Msl), ..Formats::default() };
        assert_eq!(msl.of(Path::new("-")).ok(), Some(Format::Msl));
        assert_eq!(msl.of(Path::new("a.mtl")).ok(), Some(Format::Msl));
        assert_eq!(msl.of(Path::new("a.spv")).ok(), Some(Format::Spv));
    }

    #[test]
    fn values_are_read_or_refused() {
        assert_eq!(msl_version("2.1"), Ok((2, 1)));
        assert!(["2", "x.1", "0.1", "2.10", "2.1.0"].iter().all(|text| msl_version(text).is_err()));
        assert_eq!(msl_buffer("3:0=7"), Ok((MslBuffer::Descriptor { set: 3, binding: 0 }, 7)));
        assert_eq!(msl_buffer("push=0"), Ok((MslBuffer::PushConstants, 0)));
        assert!(["3=7", "3:0=31", "3:0", "a:0=1", ""].iter().all(|text| msl_buffer(text).is_err()));
        let combined = WgslResource::Sampler(Place { set: 0, binding: 1 });
        let place = Place { set: 2, binding: 3 };
        assert_eq!(wgsl_binding("0:1=2:3"), Ok((combined, place)));
        assert_eq!(wgsl_binding("push=2:3"), Ok((WgslResource::PushConstants, place)));
        let element = WgslResource::Element { array: Place { set: 0, binding: 1 }, index: 4 };
        assert_eq!(wgsl_binding("0:1[4]=2:3"), Ok((element, place)));
        assert_eq!(resource_name(element), "0:1[4]");
        for text in ["push", "push=2", "2=2:3", "0:1=2:", "0:1=-1:2", "0:1[=2:3", "0:1[x]=2:3", ""]
        {
            assert!(wgsl_binding(text).is_err(), "{text}");
        }
        assert_eq!(glsl_version("310es"), Ok((310, Profile::Es)));
        assert_eq!(glsl_version("450"), Ok((450, Profile::Core)));
        assert!(["310", "450es", "9", ""].iter().all(|text| glsl_version(text).is_err()));
        assert_eq!(shader_model("50"), Ok(50));
        assert!(shader_model("5.0").is_err());
    }
}
