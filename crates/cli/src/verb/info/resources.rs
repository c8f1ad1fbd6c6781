//! Reads the resources of an entry point: descriptors, push constants, specialization constants and workgroup size.
//!
//! This code is in the program and not in the library, to keep the number of public types small.

use super::analysis::Analysis;
use super::type_name;
use polyshade::Module;
use polyshade::spv::view::{AnyVariable, Inst};
use polyshade::spv::{Decoration, ExecutionMode, Id, Op, Section, StorageClass, Type};
use serde_json::{Value, json};
use std::fmt::Write;

/// The maximum nesting depth to which structures and arrays are followed.
const DEEPEST: u32 = 16;

/// Returns the descriptors and the push constants among the resources that an entry point uses.
pub(super) fn of_entry(m: &Module<'_>, used: &[AnyVariable<'_>]) -> (Vec<Value>, Vec<Value>) {
    let mut descriptors: Vec<Value> =
        used.iter().filter_map(|one| descriptor(m, one.result(), one.storage_class())).collect();
    descriptors.sort_by_key(|one| (one["set"].as_u64(), one["binding"].as_u64()));
    let pushed = used.iter().filter(|one| one.storage_class() == StorageClass::PUSH_CONSTANT);
    (descriptors, pushed.filter_map(|one| push_constants(m, one.result())).collect())
}

fn descriptor(m: &Module<'_>, id: Id, class: StorageClass) -> Option<Value> {
    let number = |decoration| m.decoration(id, decoration)?.first().copied();
    let (set, binding) = (number(Decoration::DESCRIPTOR_SET)?, number(Decoration::BINDING)?);
    let pointee = m.pointee(id)?;
    let (inner, count) = counted(m, pointee);
    let kind = kind(m, inner, class)?;
    let has = |decoration| {
        let members = m.members(inner).len() as u32;
        let member = |at| m.member_decoration(inner, at, decoration).is_some();
        m.decoration(id, decoration).is_some() || members > 0 && (0..members).all(member)
    };
    let access = kind.starts_with("storage").then(|| {
        match (has(Decoration::NON_READABLE), has(Decoration::NON_WRITABLE)) {
            (true, true) => "none",
            (true, false) => "write",
            (false, true) => "read",
            (false, false) => "read and write",
        }
    });
    let name = m.name(id).filter(|name| !name.is_empty()).or_else(|| m.name(inner));
    Some(json!({
        "set": set,
        "binding": binding,
        "kind": kind,
        "count": count,
        "name": name.unwrap_or_default(),
        "id": id.word(),
        "access": access,
    }))
}

/// Returns the element type of an array of descriptors, and the number of elements if it is known before run time.
fn counted(m: &Module<'_>, ty: Id) -> (Id, Option<u32>) {
    let (mut inner, mut count) = (ty, Some(1_u32));
    for _ in 0..DEEPEST {
        match m.ty(inner) {
            Some(Type::Array { element, length }) => {
                count = count.zip(m.constant(length)).and_then(|(a, b)| a.checked_mul(b));
                inner = element;
            }
            Some(Type::Other(Op::TYPE_RUNTIME_ARRAY)) => {
                count = None;
                let Some(element) = operand(m, inner, 2) else { break };
                inner = element;
            }
            _ => break,
        }
    }
    (inner, count)
}

fn operand(m: &Module<'_>, id: Id, word: usize) -> Option<Id> {
    Id::new(*m.definition(id)?.words().get(word)?)
}

/// Returns the descriptor type of a variable by its Vulkan name.
fn kind(m: &Module<'_>, ty: Id, class: StorageClass) -> Option<&'static str> {
    Some(match (class, m.ty(ty)?) {
        (StorageClass::STORAGE_BUFFER, _) => "storage buffer",
        (StorageClass::UNIFORM, _) if m.decoration(ty, Decoration::BUFFER_BLOCK).is_some() => {
            "storage buffer"
        }
        (StorageClass::UNIFORM, _) => "uniform buffer",
        (StorageClass::UNIFORM_CONSTANT, Type::Other(op)) => match op {
            Op::TYPE_SAMPLER => "sampler",
            Op::TYPE_ACCELERATION_STRUCTURE_KHR => "acceleration structure",
            Op::TYPE_SAMPLED_IMAGE => match image(m, operand(m, ty, 2)?)? {
                (Dim::Buffer, _) => "uniform texel buffer",
                (Dim::Subpass | Dim::Other, _) => "combined image sampler",
            },
            Op::TYPE_IMAGE => match image(m, ty)? {
                (Dim::Subpass, _) => "input attachment",
                (Dim::Buffer, STORAGE) => "storage texel buffer",
                (Dim::Buffer, _) => "uniform texel buffer",
                (Dim::Other, STORAGE) => "storage image",
                (Dim::Other, _) => "sampled image",
            },
            _ => return None,
        },
        _ => return None,
    })
}

enum Dim {
    Buffer,
    Subpass,
    Other,
}

/// The `Sampled` operand of images that are used without a sampler.
const STORAGE: u32 = 2;

/// Returns the dimension of an image type, and its `Sampled` operand.
fn image(m: &Module<'_>, ty: Id) -> Option<(Dim, u32)> {
    let words = m.definition(ty)?.words();
    let dim = match spirv::Dim::from_u32(*words.get(3)?)? {
        spirv::Dim::DimBuffer => Dim::Buffer,
        spirv::Dim::DimSubpassData => Dim::Subpass,
        _ => Dim::Other,
    };
    Some((dim, *words.get(7)?))
}

/// Describes a block of push constants with its byte range and its members.
fn push_constants(m: &Module<'_>, id: Id) -> Option<Value> {
    let block = m.pointee(id)?;
    let members: Vec<Value> = m
        .members(block)
        .enumerate()
        .map(|(at, ty)| {
            let at = at as u32;
            json!({
                "name": m.member_name(block, at).unwrap_or_default(),
                "type": type_name(m, ty),
                "offset": member_word(m, block, at, Decoration::OFFSET),
                "size": size(m, ty, Some((block, at)), DEEPEST),
            })
        })
        .collect();
    let offsets = members.iter().filter_map(|member| member["offset"].as_u64());
    Some(json!({
        "name": m.name(id).filter(|name| !name.is_empty()).or_else(|| m.name(block)).unwrap_or_default(),
        "id": id.word(),
        "offset": offsets.min(),
        "end": size(m, block, None, DEEPEST),
        "members": members,
    }))
}

fn member_word(m: &Module<'_>, block: Id, member: u32, decoration: Decoration) -> Option<u32> {
    m.member_decoration(block, member, decoration)?.first().copied()
}

/// Returns the size of a value in memory, in bytes, or `None` if it is unknown until run time.
fn size(m: &Module<'_>, ty: Id, member: Option<(Id, u32)>, depth: u32) -> Option<u32> {
    let depth = depth.checked_sub(1)?;
    match m.ty(ty)? {
        Type::Int { width, .. } | Type::Float { width } => Some(width / 8),
        Type::Vector { component, count } => size(m, component, None, depth)?.checked_mul(count),
        Type::Matrix { column, count } => {
            let (block, at) = member?;
            let stride = member_word(m, block, at, Decoration::MATRIX_STRIDE)?;
            let is_row_major = m.member_decoration(block, at, Decoration::ROW_MAJOR).is_some();
            let lines = match m.ty(column)? {
                Type::Vector { count: rows, .. } if is_row_major => rows,
                _ => count,
            };
            stride.checked_mul(lines)
        }
        Type::Array { length, .. } => {
            let stride = *m.decoration(ty, Decoration::ARRAY_STRIDE)?.first()?;
            stride.checked_mul(m.constant(length)?)
        }
        Type::Struct { id } => (0..).zip(m.members(id)).try_fold(0, |end: u32, (at, inner)| {
            let offset = member_word(m, id, at, Decoration::OFFSET)?;
            Some(end.max(offset.checked_add(size(m, inner, Some((id, at)), depth)?)?))
        }),
        Type::Pointer { class: StorageClass::PHYSICAL_STORAGE_BUFFER, .. } => Some(8),
        _ => None,
    }
}

/// Returns the specialization constants of a module, sorted by `SpecId`.
pub(super) fn specialization(m: &Module<'_>) -> Vec<Value> {
    let mut all: Vec<Value> =
        m.section(Section::Globals).filter_map(|inst| specialization_constant(m, inst)).collect();
    all.sort_by_key(|one| one["id"].as_u64());
    all
}

fn specialization_constant(m: &Module<'_>, inst: Inst<'_>) -> Option<Value> {
    let (result, ty) = (inst.result()?, inst.result_type()?);
    let number = *m.decoration(result, Decoration::SPEC_ID)?.first()?;
    let default = match (inst.op(), m.ty(ty)?, inst.words().get(3..)?) {
        (Op::SPEC_CONSTANT_TRUE, ..) => json!(true),
        (Op::SPEC_CONSTANT_FALSE, ..) => json!(false),
        (Op::SPEC_CONSTANT, Type::Float { width: 32 }, [word]) => json!(f32::from_bits(*word)),
        (Op::SPEC_CONSTANT, Type::Float { width: 64 }, [low, high]) => {
            json!(f64::from_bits(u64::from(*high) << 32 | u64::from(*low)))
        }
        (Op::SPEC_CONSTANT, Type::Int { signed: true, .. }, [word]) => json!(word.cast_signed()),
        (Op::SPEC_CONSTANT, Type::Int { signed, .. }, [low, high]) => {
            let bits = u64::from(*high) << 32 | u64::from(*low);
            if signed { json!(bits.cast_signed()) } else { json!(bits) }
        }
        (Op::SPEC_CONSTANT, _, [word]) => json!(word),
        _ => return None,
    };
    let is_bool = matches!(m.ty(ty), Some(Type::Bool));
    Some(json!({
        "id": number,
        "name": m.name(result).unwrap_or_default(),
        "type": if is_bool { "bool".to_owned() } else { type_name(m, ty) },
        "default": default,
    }))
}

/// Returns the workgroup size, if the stage has one. Specialization constants have their default values.
pub(super) fn workgroup_size(
    m: &Module<'_>,
    analysis: &Analysis<'_>,
    function: Id,
) -> Option<Value> {
    let value = |word: &u32| {
        let inst = m.definition(Id::new(*word)?)?;
        match inst.op() {
            Op::CONSTANT | Op::SPEC_CONSTANT => inst.words().get(3).copied(),
            _ => None,
        }
    };
    let mode = |mode| analysis.mode(function, mode).map(|mode| mode.operands());
    let size: Vec<Option<u32>> = match (mode(ExecutionMode::LOCAL_SIZE), analysis.workgroup_size) {
        // The built-in takes precedence over the execution mode.
        (Some(_), Some(inst)) => inst.words().get(3..)?.iter().map(value).collect(),
        (Some(size), None) => size.iter().copied().map(Some).collect(),
        (None, _) => mode(ExecutionMode::LOCAL_SIZE_ID)?.iter().map(value).collect(),
    };
    Some(json!(size))
}

/// Returns the names of the capabilities that a module declares.
pub(super) fn capabilities(m: &Module<'_>) -> Vec<String> {
    let words = m.section(Section::Capabilities).filter_map(|inst| inst.words().get(1).copied());
    let name = |word| match spirv::Capability::from_u32(word) {
        Some(capability) => format!("{capability:?}"),
        None => word.to_string(),
    };
    words.map(name).collect()
}

pub(super) fn text_of(value: &Value) -> String {
    match value {
        Value::Null => "?".to_owned(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Formats the number of descriptors in a binding as a GLSL array dimension.
pub(super) fn dimension(count: &Value) -> String {
    match count {
        Value::Null => "[]".to_owned(),
        count if *count == 1 => String::new(),
        count => format!("[{count}]"),
    }
}

pub(super) fn listed<'v>(value: &'v Value, key: &str) -> impl Iterator<Item = &'v Value> + Clone {
    value[key].as_array().into_iter().flatten()
}

/// Appends lines for the descriptors, push constants and workgroup size of an entry point.
pub(super) fn entry_as_text(text: &mut String, entry: &Value) {
    for one in listed(entry, "descriptors") {
        let field = |key: &str| text_of(&one[key]);
        let place = format!("set {} binding {}", field("set"), field("binding"));
        let count = dimension(&one["count"]);
        let access = one["access"].as_str().map(|how| format!(", {how}")).unwrap_or_default();
        let (kind, name) = (field("kind"), field("name"));
        let _ = writeln!(text, "  {place}: {kind}{count} {name}{access}");
    }
    for block in listed(entry, "push_constants") {
        let [name, start, end] = ["name", "offset", "end"].map(|key| text_of(&block[key]));
        let _ = writeln!(text, "  push constants {name}: bytes {start} to {end}");
        for member in listed(block, "members") {
            let [ty, name, offset] = ["type", "name", "offset"].map(|key| text_of(&member[key]));
            let _ = writeln!(text, "    {offset:>4} {ty:<14} {name}");
        }
    }
    let size: Vec<String> = listed(entry, "workgroup_size").map(text_of).collect();
    if !size.is_empty() {
        let _ = writeln!(text, "  workgroup of {}", size.join(" x "));
    }
}

/// Appends lines for the declarations that all entry points of a module share.
pub(super) fn module_as_text(text: &mut String, report: &Value) {
    let names: Vec<String> = listed(report, "capabilities").map(text_of).collect();
    let _ = writeln!(text, "capabilities: {}", names.join(", "));
    for one in listed(report, "specialization_constants") {
        let [id, ty, name, default] =
            ["id", "type", "name", "default"].map(|key| text_of(&one[key]));
        let _ = writeln!(text, "specialization constant {id}: {ty} {name} = {default}");
    }
}
