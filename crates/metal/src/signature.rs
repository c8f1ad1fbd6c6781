//! The function in an MSL text: its inputs and outputs, and the C++ code that calls it.

use polyshade_formats::cross::MslBuffer;
use std::fmt::Write;

/// A vertex function, a kernel or a fragment function.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Signature {
    name: String,
    parameters: Vec<Parameter>,
    /// The members of the structure that the function returns.
    results: Vec<Member>,
    /// The types and names of the members of the structure that the function reads for each vertex of a patch.
    vertex: Vec<(String, String)>,
}

/// The kind of a parameter (Metal Shading Language Specification, 5.2).
#[derive(Debug, PartialEq, Eq)]
enum Parameter {
    /// A buffer.
    Buffer {
        /// The type with its address space, without the `*` or `&`.
        ty: String,
        /// Whether the function takes a reference.
        is_reference: bool,
        index: u32,
    },
    /// A texture, a sampler, or an array of textures or samplers, with the type and the first index.
    Texture { ty: String, index: u32 },
    /// A colour of the framebuffer.
    Colour { ty: String, number: u32 },
    /// A built-in value, with its type and the C++ expression for it in an `Invocation`.
    Number { ty: String, value: &'static str },
    /// A structure with the outputs of the previous stage, or with attributes.
    Inputs { ty: String, members: Vec<Member> },
}

/// A member of a structure that a function takes or returns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Member {
    ty: String,
    name: String,
    /// The contents of the attribute, such as `user(locn0)`.
    attribute: String,
    /// The number of array elements; 1 for a member that is not an array.
    elements: u32,
}

/// How an input of a fragment function is interpolated (5.4).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Interpolation {
    Flat,
    Perspective,
    NoPerspective,
}

/// The beginnings of lines that declare a supported function.
pub(crate) const QUALIFIERS: [&str; 4] =
    ["vertex ", "kernel ", "fragment ", "[[ early_fragment_tests ]] fragment "];

/// The indices of a vertex function's outputs: the position, then clip distances in vectors of four, then the inputs
/// of fragment functions.
pub(crate) const POSITION: usize = 0;
pub(crate) const CLIP_DISTANCES: usize = 1;
pub(crate) const FIRST_USER: usize = 3;

/// Finds the function in a text.
///
/// # Errors
///
/// There is no supported function, or the function has an unsupported parameter.
pub(crate) fn read(text: &str) -> Result<Signature, String> {
    let line =
        text.lines().find_map(|line| QUALIFIERS.iter().find_map(|one| line.strip_prefix(one)));
    let line = line.ok_or("no vertex function, fragment function or kernel was found")?;
    let (head, parameters) = line.split_once('(').ok_or("the function has no parameters")?;
    let parameters = parameters.trim_end().strip_suffix(')').unwrap_or(parameters);
    let (result, name) = head.rsplit_once(' ').unwrap_or(("void", head));
    let parameters = split(parameters).into_iter().map(|one| parameter(one, text));
    Ok(Signature {
        name: name.to_owned(),
        parameters: parameters.collect::<Result<_, _>>()?,
        results: members(result, text),
        vertex: members_of_vertices(text),
    })
}

/// Whether a buffer has one element per patch, or per vertex of a patch.
fn is_of_patches(buffer: MslBuffer) -> bool {
    match buffer {
        MslBuffer::Vertices
        | MslBuffer::Factors
        | MslBuffer::Patches
        | MslBuffer::ControlPoints => true,
        MslBuffer::Descriptor { .. }
        | MslBuffer::PushConstants
        | MslBuffer::Sizes
        | MslBuffer::Counts => false,
    }
}

/// Returns the members of the structure that a kernel reads for each vertex of a patch. These members have no
/// attributes.
///
/// ```text
/// kernel void main0(…, device main0_in* spvIn [[buffer(22)]])
/// ```
fn members_of_vertices(text: &str) -> Vec<(String, String)> {
    let ty = text.split_once("* spvIn [[").and_then(|(before, _)| before.rsplit(' ').next());
    let body = ty.and_then(|ty| text.split_once(&format!("struct {ty}\n{{\n")));
    let body = body.and_then(|(_, rest)| rest.split_once("};")).map_or("", |(body, _)| body);
    let member = |line: &str| {
        let (ty, name) = line.trim().strip_suffix(';')?.rsplit_once(' ')?;
        Some((ty.to_owned(), name.to_owned()))
    };
    body.lines().filter_map(member).collect()
}

/// Splits parameters at commas that are outside of brackets.
fn split(parameters: &str) -> Vec<&str> {
    let (mut depth, mut begin, mut parts) = (0_i32, 0, Vec::new());
    for (at, letter) in parameters.char_indices() {
        match letter {
            '(' | '[' | '<' => depth += 1,
            ')' | ']' | '>' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&parameters[begin..at]);
                begin = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&parameters[begin..]);
    parts.into_iter().map(str::trim).filter(|part| !part.is_empty()).collect()
}

fn parameter(declared: &str, text: &str) -> Result<Parameter, String> {
    let unread = || format!("the function has the unsupported parameter `{declared}`");
    let (declaration, attribute) = declared.split_once(" [[").ok_or_else(unread)?;
    let attribute = attribute.split_once("]]").ok_or_else(unread)?.0;
    let (ty, _) = declaration.rsplit_once(' ').ok_or_else(unread)?;
    if let Some(index) = argument(attribute, "buffer") {
        let is_reference = ty.ends_with('&');
        let ty = ty.strip_suffix(['&', '*']).ok_or_else(unread)?.to_owned();
        return Ok(Parameter::Buffer { ty, is_reference, index });
    }
    let owned = ty.to_owned();
    if let Some(index) = argument(attribute, "texture").or(argument(attribute, "sampler")) {
        let is_written = ty.contains("access::write") || ty.contains("access::read_write");
        let read = Parameter::Texture { ty: owned, index };
        return (!is_written).then_some(read).ok_or_else(unread);
    }
    // Raster order groups need no code, because fragments run in order.
    let colour = attribute.split(", ").next().unwrap_or(attribute);
    if let Some(number) = argument(colour, "color") {
        return Ok(Parameter::Colour { ty: owned, number });
    }
    let value = match attribute {
        "stage_in" => return Ok(Parameter::Inputs { members: members(ty, text), ty: owned }),
        "vertex_id" | "thread_index_in_threadgroup" => "of.vertex",
        "instance_id" => "of.instance",
        "base_vertex" => "of.base_vertex",
        "base_instance" => "of.base_instance",
        // Threadgroups are numbered row by row. The base vertex contains the length of a row.
        "threadgroup_position_in_grid" => {
            "of.instance % of.base_vertex, of.instance / of.base_vertex, 0u"
        }
        "thread_position_in_threadgroup" => "of.vertex, 0u, 0u",
        "thread_position_in_grid" => "of.grid[0], of.grid[1], 0u",
        "position" => "of.position[0], of.position[1], of.position[2], of.position[3]",
        "front_facing" => "of.is_front",
        "primitive_id" => "of.primitive",
        // Pixels have one sample.
        "sample_id" => "0u",
        "sample_mask" => "1u",
        _ => return Err(unread()),
    };
    Ok(Parameter::Number { ty: owned, value })
}

/// Returns the argument of an attribute, such as 3 for `buffer(3)`.
fn argument(attribute: &str, of: &str) -> Option<u32> {
    attribute.strip_prefix(of)?.strip_prefix('(')?.strip_suffix(')')?.parse().ok()
}

/// Returns the members of a structure that have attributes.
///
/// ```text
/// float4 v_colour [[user(locn0)]];
/// float gl_ClipDistance [[clip_distance]] [2];
/// ```
fn members(ty: &str, text: &str) -> Vec<Member> {
    let body = text.split_once(&format!("struct {ty}\n{{\n")).map_or("", |(_, rest)| rest);
    let body = body.split_once("};").map_or("", |(body, _)| body);
    let member = |line: &str| {
        let (declaration, rest) = line.trim().split_once(" [[")?;
        let (ty, name) = declaration.rsplit_once(' ')?;
        let (attribute, array) = rest.split_once("]]")?;
        let elements = array.trim().strip_prefix('[').and_then(|array| array.split_once(']'));
        Some(Member {
            ty: ty.to_owned(),
            name: name.to_owned(),
            attribute: attribute.to_owned(),
            elements: elements.map_or(Some(1), |(number, _)| number.parse().ok())?,
        })
    };
    body.lines().filter_map(member).collect()
}

impl Member {
    /// Returns the name by which two stages match the member, such as `locn0` for `user(locn0)`.
    fn user(&self) -> Option<&str> {
        self.attribute.split(", ").next()?.strip_prefix("user(")?.strip_suffix(')')
    }

    fn interpolation(&self) -> Interpolation {
        let is_whole = ["int", "uint", "short", "ushort"].iter().any(|ty| self.ty.starts_with(ty));
        match self.attribute.rsplit(", ").next() {
            _ if is_whole => Interpolation::Flat,
            Some("flat") => Interpolation::Flat,
            Some(how) if how.ends_with("_no_perspective") => Interpolation::NoPerspective,
            _ => Interpolation::Perspective,
        }
    }
}

impl Signature {
    /// Returns the names of the inputs from the previous stage, in the order of an `Invocation`'s inputs.
    pub(crate) fn varyings(&self) -> Vec<(String, Interpolation)> {
        let members = self.parameters.iter().flat_map(|parameter| match parameter {
            Parameter::Inputs { members, .. } => members.as_slice(),
            _ => &[],
        });
        members.filter_map(|one| Some((one.user()?.to_owned(), one.interpolation()))).collect()
    }

    /// Returns the types and names of the members that the function reads for each vertex of a patch.
    pub(crate) fn read_of_vertices(&self) -> &[(String, String)] {
        &self.vertex
    }

    /// Whether the function has a writable buffer.
    pub(crate) fn stores(&self) -> bool {
        self.parameters.iter().any(|parameter| match parameter {
            Parameter::Buffer { ty, .. } => ty.starts_with("device ") && !ty.contains("const "),
            _ => false,
        })
    }

    /// Returns the names of the function's outputs, from [`FIRST_USER`] on.
    pub(crate) fn user_outputs(&self) -> Vec<String> {
        self.results.iter().filter_map(Member::user).map(str::to_owned).collect()
    }

    /// Returns the C++ code that follows the text, with the definitions for `invocation.h`. `buffers` lists the
    /// buffers in the text.
    pub(crate) fn caller(&self, buffers: &[(MslBuffer, u32)]) -> String {
        let (mut body, mut arguments, mut takes) = (String::new(), Vec::new(), Vec::new());
        for parameter in &self.parameters {
            arguments.push(match parameter {
                Parameter::Buffer { ty, is_reference, index } => {
                    if !buffers
                        .iter()
                        .any(|(buffer, other)| other == index && is_of_patches(*buffer))
                    {
                        takes.push(index.to_string());
                    }
                    let dereferenced = if *is_reference { "*" } else { "" };
                    format!("{dereferenced}({ty}*)of.buffers[{index}]")
                }
                Parameter::Texture { ty, index } => format!("{ty}(of.textures + {index})"),
                Parameter::Colour { ty, number } => format!("of_words<{ty}>(of.outputs[{number}])"),
                Parameter::Number { ty, value } => format!("{ty}({value})"),
                Parameter::Inputs { ty, members } => {
                    let _ = writeln!(body, "    {ty} inputs;");
                    // Attributes have numbers in the text. Other inputs are numbered in the order of the members.
                    let mut next = 0..;
                    for Member { ty, name, attribute, .. } in members {
                        let number = argument(attribute, "attribute").or_else(|| next.next());
                        let number = number.unwrap_or_default();
                        let value = format!("of_words<{ty}>(of.inputs[{number}])");
                        let _ = writeln!(body, "    inputs.{name} = {value};");
                    }
                    "inputs".to_owned()
                }
            });
        }
        let call = format!("{}({})", self.name, arguments.join(", "));
        body += &match self.results.is_empty() {
            true => format!("    {call};\n"),
            false => format!("    auto result = {call};\n{}", self.keep_results()),
        };
        let count = takes.len();
        // Add an element, because an array cannot be empty.
        takes.push("0".to_owned());
        format!(
            "extern \"C\" const unsigned polyshade_takes[] = {{{}}};\n\
             extern \"C\" const unsigned polyshade_take_count = {count};\n\
             extern \"C\" void polyshade_call(const Invocation &of) {{\n{body}}}\n{}",
            takes.join(", "),
            self.patch_buffers(buffers),
        )
    }

    /// Returns the C++ code that lists the buffers of patches, and stores the outputs of a vertex in the first of
    /// these buffers.
    fn patch_buffers(&self, buffers: &[(MslBuffer, u32)]) -> String {
        let (mut all, mut places) = (String::new(), String::new());
        for (buffer, wanted) in buffers.iter().filter(|(buffer, _)| is_of_patches(*buffer)) {
            let of = match buffer {
                MslBuffer::Vertices => "OF_VERTICES",
                MslBuffer::ControlPoints => "OF_CONTROL_POINTS",
                _ => "OF_PATCHES",
            };
            let Some(ty) = self.structure(*wanted) else { continue };
            let _ = write!(all, "{{{wanted}, sizeof({ty}), {of}}}, ");
            if *buffer == MslBuffer::Vertices {
                let _ = writeln!(places, "    {ty} &vertex = (({ty} *)to)[number];");
                for (_, name) in &self.vertex {
                    let _ = writeln!(places, "    place(vertex.{name}, from);");
                }
            }
        }
        format!(
            "extern \"C\" const PatchBuffer polyshade_patch_buffers[] = {{{all}{{}}}};\n\
             extern \"C\" void polyshade_place(char *to, unsigned long number, const unsigned (*from)[4]) \
             {{\n{places}}}\n"
        )
    }

    /// Returns the structure type of a buffer's elements.
    fn structure(&self, wanted: u32) -> Option<&str> {
        self.parameters.iter().find_map(|parameter| match parameter {
            Parameter::Buffer { ty, index, .. } if *index == wanted => ty.rsplit(' ').next(),
            _ => None,
        })
    }

    /// Returns the C++ code that writes the results to the outputs, if outputs are kept. A vertex function writes to
    /// the slots of the constants above, and a fragment function to the slots with the numbers of its colours.
    fn keep_results(&self) -> String {
        let mut body = "    if (of.outputs == nullptr) return;\n".to_owned();
        let mut next = FIRST_USER..;
        for Member { name, attribute, elements, .. } in &self.results {
            let attribute = attribute.split(", ").next().unwrap_or(attribute);
            let slot = match attribute {
                "position" => Some(POSITION),
                user if user.starts_with("user(") => next.next(),
                other => argument(other, "color").map(|number| number as usize),
            };
            let _ = match (attribute, slot) {
                (_, Some(slot)) => {
                    writeln!(body, "    write_output(of.outputs[{slot}], 0, result.{name});")
                }
                ("clip_distance", None) => writeln!(
                    body,
                    "    for (int i = 0; i < {elements}; i++)\n        \
                     write_output(of.outputs[{CLIP_DISTANCES} + i / 4], i % 4, result.{name}[i]);"
                ),
                ("sample_mask", None) => {
                    writeln!(body, "    if ((result.{name} & 1u) == 0) discard_fragment();")
                }
                // Depths, point sizes and layers are not used.
                _ => Ok(()),
            };
        }
        body
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "struct main0_in\n{\n    float4 p [[attribute(0)]];\n    int c [[attribute(3)]];\n};\n\
        vertex main0_out main0(main0_in in [[stage_in]], constant uint* sizes [[buffer(25)]], \
        device B& b [[buffer(1)]], uint gl_VertexIndex [[vertex_id]])\n{\n}\n";

    #[track_caller]
    fn has(caller: &str, parts: &[&str]) {
        for part in parts {
            assert!(caller.contains(part), "{part}\n{caller}");
        }
    }

    #[test]
    fn the_function_is_called_with_what_its_parameters_are() {
        let caller = read(TEXT).expect("it is a vertex function").caller(&[]);
        has(
            &caller,
            &[
                "polyshade_takes[] = {25, 1, 0};",
                "polyshade_take_count = 2;",
                "main0_in inputs;",
                "inputs.c = of_words<int>(of.inputs[3]);",
                "main0(inputs, (constant uint*)of.buffers[25], *(device B*)of.buffers[1], uint(of.vertex));",
            ],
        );
    }

    #[test]
    fn kernels_get_their_positions() {
        let text = "kernel void main0(device B& b [[buffer(1)]], uint3 g [[threadgroup_position_in_grid]], \
            uint l [[thread_index_in_threadgroup]])\n{\n}\n";
        let caller = read(text).expect("it is a kernel").caller(&[]);
        let place = "uint3(of.instance % of.base_vertex, of.instance / of.base_vertex, 0u), uint(of.vertex)";
        has(&caller, &[place]);
    }

    #[test]
    fn kernels_of_patches_have_buffers_that_nobody_binds() {
        let text = "struct main0_in\n{\n    float2x2 m;\n    float4 gl_Position;\n};\n\
            kernel void main0(uint3 gl_GlobalInvocationID [[thread_position_in_grid]], \
            device main0_out* spvOut [[buffer(28)]], constant uint* spvIndirectParams [[buffer(29)]], \
            device main0_in* spvIn [[buffer(22)]])\n{\n}\n";
        let kernel = read(text).expect("it is a kernel");
        let buffers =
            [(MslBuffer::Vertices, 22), (MslBuffer::ControlPoints, 28), (MslBuffer::Counts, 29)];
        has(
            &kernel.caller(&buffers),
            &[
                "polyshade_takes[] = {29, 0};",
                "{22, sizeof(main0_in), OF_VERTICES}, {28, sizeof(main0_out), OF_CONTROL_POINTS}, {}",
                "place(vertex.m, from);\n    place(vertex.gl_Position, from);",
            ],
        );
    }

    #[test]
    fn outputs_of_vertex_functions_are_read_by_name() {
        let vertex = "struct main0_out\n{\n    float4 gl_Position [[position]];\n    \
            float gl_PointSize [[point_size]];\n    \
            float gl_ClipDistance [[clip_distance]] [2];\n    float2 uv [[user(locn1)]];\n};\n\
            vertex main0_out main0()\n{\n}\n";
        let vertex = read(vertex).expect("it is a vertex function");
        assert_eq!(vertex.user_outputs(), ["locn1"]);
        has(
            &vertex.caller(&[]),
            &[
                "auto result = main0();",
                "write_output(of.outputs[0], 0, result.gl_Position);",
                "for (int i = 0; i < 2; i++)",
                "write_output(of.outputs[3], 0, result.uv);",
            ],
        );
    }

    #[test]
    fn fragment_functions_read_and_write_colours() {
        let text = "struct main0_out\n{\n    float3 c [[color(1)]];\n    uint gl_SampleMask [[sample_mask]];\n};\n\
            struct main0_in\n{\n    float2 uv [[user(locn1), center_no_perspective]];\n    \
            uint id [[user(locn2)]];\n    \
            float3 n [[user(locn3), flat]];\n    float d [[user(clip0)]];\n};\n\
            [[ early_fragment_tests ]] fragment main0_out main0(main0_in in [[stage_in]], float4 d [[color(1), \
            raster_order_group(0)]], array<texture2d<float>, 2> t [[texture(3)]], float4 gl_FragCoord [[position]])\n";
        let fragment = read(text).expect("it is a fragment function");
        use Interpolation::{Flat, NoPerspective, Perspective};
        let varyings =
            [("locn1", NoPerspective), ("locn2", Flat), ("locn3", Flat), ("clip0", Perspective)];
        let varyings = varyings.map(|(name, how)| (name.to_owned(), how));
        assert_eq!(fragment.varyings(), varyings);
        has(
            &fragment.caller(&[]),
            &[
                "inputs.d = of_words<float>(of.inputs[3]);",
                "main0(inputs, of_words<float4>(of.outputs[1]), array<texture2d<float>, 2>(of.textures + 3), float4(o",
                "write_output(of.outputs[1], 0, result.c);",
                "if ((result.gl_SampleMask & 1u) == 0) discard_fragment();",
            ],
        );
    }

    #[test]
    fn what_is_not_read_is_refused_by_its_declaration() {
        for declared in
            ["texture2d<float, access::write> t [[texture(0)]]", "ushort2 p [[threads_per_grid]]"]
        {
            let text = TEXT.replace("constant uint* sizes [[buffer(25)]]", declared);
            let refused = read(&text).expect_err("this is not read");
            assert_eq!(refused, format!("the function has the unsupported parameter `{declared}`"));
        }
        assert!(read("object void main0()").is_err());
    }
}
