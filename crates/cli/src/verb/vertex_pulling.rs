//! `polyshade vertex-pulling`: makes the shader fetch its vertex attributes.

use crate::Done;
use crate::examples;
use crate::failure::Failure;
use crate::given::with;
use crate::input::Input;
use crate::lowering::Lowering;
use crate::named::named;
use crate::report::Report;
use crate::stage::only_entry;
use crate::target::Free;
use crate::writing::Writing;
use clap::Args;
use polyshade::host::{Binding, ParamSource, Set};
use polyshade::spv::ExecutionModel;
use polyshade::vertex_pulling::{self, Attribute, Buffer, Options, Pulled, Rate, Robustness};

/// Options for the locations and formats of attributes, and for the way they are fetched.
#[derive(Args)]
pub(crate) struct Attributes {
    /// Source of the attribute at LOCATION: the number of its vertex buffer, its offset in bytes and its Vulkan
    /// format, as in 1=0:12:r8g8b8a8_unorm. Writing `word` for the offset or format makes it a host parameter
    #[arg(long, value_delimiter = ',', value_name = "LOCATION=BUFFER:OFFSET:FORMAT",
        value_parser = attribute)]
    attribute: Vec<(u32, Attribute)>,

    /// Stride in bytes and input rate (vertex, instance or instance/DIVISOR) of a vertex buffer, as in 0=16:vertex.
    /// Writing `word` for the stride or rate makes it a host parameter [default rate: vertex]
    #[arg(long, value_delimiter = ',', value_name = "BUFFER=STRIDE[:RATE]", value_parser = buffer)]
    buffer: Vec<(u32, Buffer)>,

    /// Result of an out-of-bounds read; memory outside of the buffer is never read
    #[arg(long, value_parser = named(ROBUSTNESS), default_value = "access2")]
    robustness: Robustness,

    /// Allow elements to overlap, so that an attribute may extend beyond the stride of its buffer
    #[arg(long)]
    access_beyond_stride: bool,

    /// Read the first instance of a draw, which divisors other than 1 need, from the built-in BaseInstance
    /// (shaderDrawParameters) instead of a host parameter; use this for indirect draws
    #[arg(long)]
    base_instance: bool,
}

/// Options that affect the rewritten shader.
#[derive(Args)]
pub(crate) struct Rewrite {
    #[command(flatten)]
    attributes: Attributes,

    /// Descriptor set of the vertex buffers [default: the last of sets 0 to 3 that is neither used nor reserved]
    #[arg(long, value_name = "N")]
    set: Option<u32>,

    /// Binding of the first vertex buffer; the other vertex buffers follow [default: 0, or the first free bindings]
    #[arg(long, value_name = "N")]
    binding: Option<u32>,

    /// Where the shader reads the host parameters: storage=SET:BINDING, uniform=SET:BINDING, push-constant=OFFSET
    /// (bytes), specialization=ID. The prefix address: before one of the last three means that it holds the 64-bit
    /// address of the parameters; address:attribute=LOCATION reads the address from a vertex attribute whose buffer
    /// has stride 0. With an address, the parameters also contain the addresses of the vertex buffers, and no
    /// descriptor is bound [default: a storage buffer after the vertex buffers]
    #[arg(long, value_name = "SOURCE", alias = "words")]
    params: Option<ParamSource>,

    #[command(flatten)]
    pub(super) free: Free,
}

/// Fetches vertex attributes in the shader, from storage buffers or through buffer device addresses.
///
/// For vertex shaders. Every vertex buffer format of Vulkan is supported. Formats keep their numeric type: an input
/// of floats cannot read an integer format. Strides, offsets and the starts of buffers are multiples of the component
/// size, or of the element size for packed formats. Any divisor works. A location without an attribute reads (0, 0,
/// 0, 1). The host gives the start and the size of each buffer, and the shader reads nothing outside of it.
#[derive(Args)]
#[command(after_help = examples::behind(FORMATS, "vertex-pulling"))]
pub(crate) struct Arguments {
    #[command(flatten)]
    input: Input,

    #[command(flatten)]
    rewrite: Rewrite,

    #[command(flatten)]
    writing: Writing,
}

const FORMATS: &str = "Formats, by Vulkan's names: r8 to r8g8b8a8, b8g8r8 and b8g8r8a8, r16 to r16g16b16a16, r32 to \
r32g32b32a32, r64 to r64g64b64a64, with _unorm, _snorm, _uscaled, _sscaled, _uint, _sint or _sfloat where Vulkan has \
it; a8b8g8r8_*_pack32, a2r10g10b10_*_pack32, a2b10g10r10_*_pack32, b10g11r11_ufloat_pack32, and the _unorm_pack16 and \
_pack8 of 4, 5 and 6 bits.";

const ROBUSTNESS: [(&str, &str, Robustness); 2] = [
    ("access", "Any value in the buffer, or 0, as with robustBufferAccess", Robustness::Access),
    (
        "access2",
        "0, with components that the format lacks from (0, 0, 0, 1), as with robustBufferAccess2",
        Robustness::Access2,
    ),
];

/// Parses a value. The text `word`, which makes the value a host parameter, gives `Some(None)`.
fn known<T>(text: &str, known: impl FnOnce(&str) -> Option<T>) -> Option<Option<T>> {
    if text == "word" { Some(None) } else { known(text).map(Some) }
}

fn number(text: &str) -> Option<u32> {
    text.parse().ok()
}

fn attribute(text: &str) -> Result<(u32, Attribute), String> {
    let parts = text.split_once('=').and_then(|(location, rest)| {
        let (buffer, rest) = rest.split_once(':')?;
        let (offset, format) = rest.split_once(':')?;
        Some((number(location)?, number(buffer)?, known(offset, number)?, format))
    });
    let Some((location, buffer, offset, format)) = parts else {
        return Err("an attribute is given as LOCATION=BUFFER:OFFSET:FORMAT".to_owned());
    };
    let format = match format {
        "word" => None,
        name => Some(name.parse().map_err(|error: polyshade::Error| error.to_string())?),
    };
    Ok((location, Attribute { buffer, offset, format }))
}

fn buffer(text: &str) -> Result<(u32, Buffer), String> {
    let parts = text.split_once('=').and_then(|(buffer, rest)| {
        let (stride, rate) = rest.split_once(':').unwrap_or((rest, "vertex"));
        Some((number(buffer)?, known(stride, number)?, known(rate, rate_of)?))
    });
    let parts = parts.map(|(number, stride, rate)| (number, Buffer { stride, rate }));
    parts.ok_or_else(|| {
        "a vertex buffer is given as BUFFER=STRIDE or BUFFER=STRIDE:RATE, and a rate is vertex, instance or \
         instance/DIVISOR"
            .to_owned()
    })
}

fn rate_of(text: &str) -> Option<Rate> {
    match text {
        "vertex" => Some(Rate::Vertex),
        "instance" => Some(Rate::Instance { divisor: 1 }),
        _ => Some(Rate::Instance { divisor: number(text.strip_prefix("instance/")?)? }),
    }
}

impl Attributes {
    /// Rejects an attribute or a buffer that is given twice, because the first definition would be ignored.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        fn twice<T>(all: &[(u32, T)]) -> Option<u32> {
            let numbers = all.iter().map(|one| one.0);
            numbers
                .enumerate()
                .find(|(at, one)| all[..*at].iter().any(|other| other.0 == *one))
                .map(|one| one.1)
        }
        let attribute = twice(&self.attribute).map(|at| format!("attribute {at}"));
        let buffer = twice(&self.buffer).map(|number| format!("vertex buffer {number}"));
        match attribute.or(buffer) {
            Some(what) => Err(Failure::usage(format!("{what} is given twice"))),
            None => Ok(()),
        }
    }

    /// Returns the name of each option, and whether the user gave the option.
    pub(crate) fn given(&self) -> [(&'static str, bool); 5] {
        [
            ("--attribute", !self.attribute.is_empty()),
            ("--buffer", !self.buffer.is_empty()),
            ("--robustness", self.robustness != Robustness::Access2),
            ("--access-beyond-stride", self.access_beyond_stride),
            ("--base-instance", self.base_instance),
        ]
    }

    /// Returns the library's options for these bindings of the vertex buffers and this source of the host parameters.
    pub(crate) fn options(
        &self,
        set: Option<u32>,
        binding: Option<u32>,
        words: Option<ParamSource>,
    ) -> Options {
        let options = Options::new()
            .storage(set.map(Set), binding.map(Binding))
            .robustness(self.robustness)
            .access_beyond_stride(self.access_beyond_stride)
            .base_instance(self.base_instance);
        let mut options = with(options, words, Options::params);
        for (location, attribute) in &self.attribute {
            options = options.attribute(*location, *attribute);
        }
        for (number, buffer) in &self.buffer {
            options = options.buffer(*number, *buffer);
        }
        options
    }
}

impl Rewrite {
    /// Rejects the options for attributes, because `verify` generates attributes from the shader's inputs.
    pub(crate) fn check_unfed(&self) -> Result<(), Failure> {
        if self.attributes.attribute.is_empty() && self.attributes.buffer.is_empty() {
            return Ok(());
        }
        let message =
            "--attribute and --buffer have no meaning here: `verify` makes the attributes";
        Err(Failure::usage(message))
    }

    pub(crate) fn options(&self) -> Options {
        self.attributes.options(self.set, self.binding, self.params)
    }
}

pub(crate) fn run(arguments: &Arguments) -> Done {
    let Arguments { input, rewrite, writing } = arguments;
    writing.check(std::iter::empty())?;
    rewrite.attributes.check()?;
    let module = input.module()?;
    let (entry, stage) = only_entry(input, &module, &[ExecutionModel::VERTEX])?;
    let options = rewrite.options();
    let pulled = vertex_pulling::lower(&module, rewrite.free.target(&entry, stage), &options)
        .map_err(|error| input.refused(&error, &module))?;
    let text = text(&pulled.result);
    let report = Report::new(Lowering::VertexPulling, (&entry, stage), &pulled.result, text)
        .needs(&pulled.params, &pulled.requirements);
    writing.finish(input, &report, (module.words(), pulled.module.words()), &[])
}

/// Returns the lines that follow the bindings in a text report.
pub(crate) fn text(pulled: &Pulled) -> String {
    match &pulled.absent[..] {
        [] => String::new(),
        absent => {
            let absent: Vec<String> = absent.iter().map(u32::to_string).collect();
            format!(
                "\nlocations without an attribute, which read (0, 0, 0, 1): {}\n",
                absent.join(", ")
            )
        }
    }
}
