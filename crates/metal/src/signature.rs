//! The vertex function or kernel of a text: what it takes, and the C++ that calls it.

use std::fmt::Write;

/// A vertex function or a kernel.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Signature {
    /// Its name.
    name: String,
    parameters: Vec<Parameter>,
}

/// What a parameter is (5.2 of Metal's specification).
#[derive(Debug, PartialEq, Eq)]
enum Parameter {
    /// A buffer: how the function has it, and its index.
    Buffer {
        /// The type with its address space, without the `*` or `&`.
        ty: String,
        /// Whether the function takes a reference.
        is_reference: bool,
        index: u32,
    },
    /// A number of the draw or the dispatch, of this type: what an `Invocation` says of it.
    Number { ty: String, said: &'static str },
    /// Attributes: the type, and its members with their types and locations.
    Inputs { ty: String, members: Vec<(String, String, u32)> },
}

/// What a vertex function and a kernel begin with.
pub(crate) const QUALIFIERS: [&str; 2] = ["vertex ", "kernel "];

/// Finds the vertex function or kernel.
///
/// # Errors
///
/// There is none, or it takes what is not read.
pub(crate) fn read(text: &str) -> Result<Signature, String> {
    let line =
        text.lines().find_map(|line| QUALIFIERS.iter().find_map(|one| line.strip_prefix(one)));
    let line = line.ok_or("there is no vertex function and no kernel")?;
    let (head, parameters) = line.split_once('(').ok_or("the function has no parameters")?;
    let parameters = parameters.trim_end().strip_suffix(')').unwrap_or(parameters);
    let name = head.rsplit(' ').next().unwrap_or(head).to_owned();
    let parameters = split(parameters).into_iter().map(|one| parameter(one, text));
    Ok(Signature { name, parameters: parameters.collect::<Result<_, _>>()? })
}

/// The parts between commas that stand in no brackets.
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
    let unread = || format!("the function takes `{declared}`, which is not read");
    let (declaration, attribute) = declared.split_once(" [[").ok_or_else(unread)?;
    let attribute = attribute.split_once("]]").ok_or_else(unread)?.0;
    let (ty, _) = declaration.rsplit_once(' ').ok_or_else(unread)?;
    let number = |of: &str| -> Option<u32> {
        attribute.strip_prefix(of)?.strip_prefix('(')?.strip_suffix(')')?.parse().ok()
    };
    if let Some(index) = number("buffer") {
        let is_reference = ty.ends_with('&');
        let ty = ty.strip_suffix(['&', '*']).ok_or_else(unread)?.to_owned();
        return Ok(Parameter::Buffer { ty, is_reference, index });
    }
    let said = match attribute {
        "stage_in" => {
            return Ok(Parameter::Inputs { ty: ty.to_owned(), members: members(ty, text) });
        }
        "vertex_id" | "thread_index_in_threadgroup" => "of.vertex",
        "instance_id" => "of.instance",
        "base_vertex" => "of.base_vertex",
        "base_instance" => "of.base_instance",
        // Threadgroups are counted along rows, which are as long as the base vertex says.
        "threadgroup_position_in_grid" => {
            "of.instance % of.base_vertex, of.instance / of.base_vertex, 0u"
        }
        _ => return Err(unread()),
    };
    Ok(Parameter::Number { ty: ty.to_owned(), said })
}

/// The members of a structure that are attributes.
fn members(ty: &str, text: &str) -> Vec<(String, String, u32)> {
    let body = text.split_once(&format!("struct {ty}\n{{\n")).map_or("", |(_, rest)| rest);
    let body = body.split_once("};").map_or("", |(body, _)| body);
    let member = |line: &str| {
        let (declaration, rest) = line.trim().split_once(" [[attribute(")?;
        let (ty, name) = declaration.rsplit_once(' ')?;
        let location = rest.split_once(')')?.0.parse().ok()?;
        Some((ty.to_owned(), name.to_owned(), location))
    };
    body.lines().filter_map(member).collect()
}

impl Signature {
    /// The C++ behind the text: what `invocation.h` declares.
    pub(crate) fn caller(&self) -> String {
        let (mut body, mut arguments, mut takes) = (String::new(), Vec::new(), Vec::new());
        for parameter in &self.parameters {
            arguments.push(match parameter {
                Parameter::Buffer { ty, is_reference, index } => {
                    takes.push(index.to_string());
                    let dereferenced = if *is_reference { "*" } else { "" };
                    format!("{dereferenced}({ty}*)of.buffers[{index}]")
                }
                Parameter::Number { ty, said } => format!("{ty}({said})"),
                Parameter::Inputs { ty, members } => {
                    let _ = writeln!(body, "    {ty} inputs;");
                    for (ty, name, location) in members {
                        let value = format!("attribute<{ty}>(of, {location})");
                        let _ = writeln!(body, "    inputs.{name} = {value};");
                    }
                    "inputs".to_owned()
                }
            });
        }
        let (name, arguments, count) = (&self.name, arguments.join(", "), takes.len());
        // An array has one element at least.
        takes.push("0".to_owned());
        format!(
            "extern \"C\" const unsigned polyshade_takes[] = {{{}}};\n\
             extern \"C\" const unsigned polyshade_take_count = {count};\n\
             extern \"C\" void polyshade_call(const Invocation &of) {{\n\
             {body}    {name}({arguments});\n}}\n",
            takes.join(", "),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "struct main0_in\n{\n    float4 p [[attribute(0)]];\n    int c [[attribute(3)]];\n};\n\
        vertex main0_out main0(main0_in in [[stage_in]], constant uint* sizes [[buffer(25)]], \
        device B& b [[buffer(1)]], uint gl_VertexIndex [[vertex_id]])\n{\n}\n";

    #[test]
    fn the_function_is_called_with_what_its_parameters_are() {
        let caller = read(TEXT).expect("it is a vertex function").caller();
        for part in [
            "polyshade_takes[] = {25, 1, 0};",
            "polyshade_take_count = 2;",
            "main0_in inputs;",
            "inputs.c = attribute<int>(of, 3);",
            "main0(inputs, (constant uint*)of.buffers[25], *(device B*)of.buffers[1], uint(of.vertex));",
        ] {
            assert!(caller.contains(part), "{part}\n{caller}");
        }
    }

    #[test]
    fn kernels_are_told_where_they_are() {
        let text = "kernel void main0(device B& b [[buffer(1)]], uint3 g [[threadgroup_position_in_grid]], \
            uint l [[thread_index_in_threadgroup]])\n{\n}\n";
        let caller = read(text).expect("it is a kernel").caller();
        let place = "uint3(of.instance % of.base_vertex, of.instance / of.base_vertex, 0u), uint(of.vertex)";
        assert!(caller.contains(place), "{caller}");
    }

    #[test]
    fn what_is_not_read_is_refused_by_its_declaration() {
        let text = TEXT
            .replace("constant uint* sizes [[buffer(25)]]", "texture2d<float> t [[texture(0)]]");
        let refused = read(&text).expect_err("textures are not read");
        assert_eq!(
            refused,
            "the function takes `texture2d<float> t [[texture(0)]]`, which is not read"
        );
        assert!(read("fragment float4 main0()").is_err());
    }
}
