//! `polyshade info`: lists the entry points of a shader with their interfaces, resources and costs.

mod analysis;
mod resources;
mod together;

use crate::Done;
use crate::cost::{costs, table};
use crate::examples;
use crate::failure::Failure;
use crate::input::Input;
use crate::output::print_text;
use analysis::Analysis;
use clap::Args;
use polyshade::Module;
use polyshade::host::{SideEffects, Target};
use polyshade::position_only::{Options, STAGES};
use polyshade::spv::view::EntryPoint;
use polyshade::spv::{Decoration, ExecutionModel, Id, StorageClass, Type};
use polyshade::transform_feedback;
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::PathBuf;

/// Lists a shader's entry points with their interfaces, their capturable outputs, and the resources that the host
/// provides: descriptors, push constants and specialization constants. Also lists workgroup sizes and capabilities.
#[derive(Args)]
#[command(after_help = examples::of("info"))]
pub(crate) struct Arguments {
    #[command(flatten)]
    input: Input,

    /// Shaders of the other stages of a pipeline; with these, also list the resources of all stages together
    #[arg(value_name = "SHADER")]
    others: Vec<PathBuf>,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Done {
    let inputs = arguments.input.with(&arguments.others);
    let reports = inputs.iter().map(report).collect::<Result<Vec<_>, _>>()?;
    if let [report] = reports.as_slice() {
        return print(arguments, report, || as_text(report));
    }
    let together = together::of(&reports);
    let text = || {
        let each = inputs.iter().zip(&reports);
        let each = each.map(|(input, report)| format!("{}: {}", input.name(), as_text(report)));
        each.chain([together::as_text(&together)]).collect::<Vec<_>>().join("\n")
    };
    print(arguments, &json!({ "version": 1, "shaders": reports, "together": together }), text)
}

fn print(arguments: &Arguments, report: &Value, text: impl FnOnce() -> String) -> Done {
    match arguments.json {
        true => print_text(&format!("{report:#}")),
        false => print_text(&text()),
    }
}

fn report(input: &Input) -> Result<Value, Failure> {
    let module = input.module()?;
    if let Some(name) = &input.entry {
        let found =
            module.entry_points().find(|entry| entry.name() == *name).map(|entry| entry.model());
        let model = found.unwrap_or(ExecutionModel::VERTEX);
        module.entry_point(name, model).map_err(|error| input.refused(&error, &module))?;
    }
    let wanted = |entry: &EntryPoint<'_>| input.wants(entry);
    let analysis = Analysis::new(&module);
    let entries = module.entry_points().filter(wanted).enumerate();
    let entries: Vec<Value> = entries
        .map(|(number, entry)| {
            let mut described = describe(&module, &analysis, entry);
            described["cost"] = position_cost(&module, entry, number);
            described
        })
        .collect();
    let (major, minor) = module.version();
    Ok(json!({
        "version": 1,
        "spirv": format!("{major}.{minor}"),
        "words": module.words().len(),
        "instructions": module.instructions().count(),
        "functions": module.functions().len(),
        "capabilities": resources::capabilities(&module),
        "specialization_constants": resources::specialization(&module),
        "entry_points": entries,
    }))
}

fn describe(m: &Module<'_>, analysis: &Analysis<'_>, entry: EntryPoint<'_>) -> Value {
    let mut interface: Vec<Value> = entry.interface().filter_map(|id| variable(m, id)).collect();
    // Sort by location, with variables without a location at the end.
    let location = |one: &Value| one["location"].as_u64().unwrap_or(u64::MAX);
    interface
        .sort_by_key(|one| (one["class"] == "output", location(one), one["component"].as_u64()));
    // Only these stages can be captured.
    let stages =
        [ExecutionModel::VERTEX, ExecutionModel::TESSELLATION_EVALUATION, ExecutionModel::GEOMETRY];
    let varyings: Vec<Value> = if stages.contains(&entry.model()) {
        transform_feedback::capturable(m, entry)
            .into_iter()
            .map(|(varying, components)| match (varying.to_string(), components) {
                (name, Ok(components)) => json!({ "name": name, "components": components }),
                (name, Err(reason)) => json!({ "name": name, "refused": reason.message() }),
            })
            .collect()
    } else {
        Vec::new()
    };
    let reached = analysis.reached(entry.function());
    let (descriptors, push_constants) = resources::of_entry(m, &reached.resources);
    json!({
        "name": entry.name(),
        "stage": entry.model().to_string(),
        "instructions": reached.instructions,
        "interface": interface,
        "descriptors": descriptors,
        "push_constants": push_constants,
        "workgroup_size": resources::workgroup_size(m, analysis, entry.function()),
        "capturable": varyings,
    })
}

/// The largest number of entry points for which costs are computed, because each requires a walk through
/// the whole module.
const MOST_COSTS: usize = 16;

/// Returns the costs of the shader and its position-only variants, or null for a stage without such variants.
/// `number` is the number of entry points before this one.
fn position_cost(m: &Module<'_>, entry: EntryPoint<'_>, number: usize) -> Value {
    if !STAGES.contains(&entry.model()) {
        return Value::Null;
    }
    if number >= MOST_COSTS {
        let reason = format!("more than {MOST_COSTS} entry points; name one with --entry");
        return json!({ "refused": reason });
    }
    let options = Options::new().side_effects(SideEffects::InSecondPass);
    let target = Target::new(entry.name()).stage(entry.model());
    match costs(m, (&target, entry.model()), &options) {
        Ok(costs) => costs,
        Err(error) => json!({ "refused": error.message() }),
    }
}

fn variable(m: &Module<'_>, id: Id) -> Option<Value> {
    let class = match m.storage_class(id)? {
        StorageClass::INPUT => "input",
        StorageClass::OUTPUT => "output",
        _ => return None,
    };
    let ty = m.pointee(id)?;
    let number = |decoration| m.decoration(id, decoration).and_then(|words| words.first().copied());
    Some(json!({
        "name": m.name(id).unwrap_or_default(),
        "id": id.word(),
        "class": class,
        "type": type_name(m, ty),
        "location": number(Decoration::LOCATION),
        "component": number(Decoration::COMPONENT),
        "builtin": m.builtin(id).map(|builtin| builtin_name(builtin.0)),
        "members": members(m, ty),
    }))
}

/// Describes the members of a block, with their built-ins.
fn members(m: &Module<'_>, ty: Id) -> Vec<Value> {
    let structure = m.innermost_element(ty);
    m.members(structure)
        .enumerate()
        .map(|(member, ty)| {
            let member = member as u32;
            json!({
                "name": m.member_name(structure, member).unwrap_or_default(),
                "type": type_name(m, ty),
                "builtin": m.member_builtin(structure, member).map(|builtin| builtin_name(builtin.0)),
            })
        })
        .collect()
}

fn builtin_name(number: u32) -> String {
    spirv::BuiltIn::from_u32(number)
        .map_or_else(|| format!("built-in {number}"), |builtin| format!("{builtin:?}"))
}

/// The largest number of array dimensions that is printed.
const MOST_DIMENSIONS: usize = 32;

/// Formats a type in GLSL's syntax. Follows nested arrays, but only one level of vectors and matrices.
fn type_name(m: &Module<'_>, ty: Id) -> String {
    let mut dimensions = String::new();
    let mut inner = ty;
    for _ in 0..MOST_DIMENSIONS {
        let Some(Type::Array { element, length }) = m.ty(inner) else { break };
        let length = m.constant(length).map_or_else(|| "?".to_owned(), |length| length.to_string());
        let _ = write!(dimensions, "[{length}]");
        inner = element;
    }
    // The GLSL name of a scalar type, and the prefix of its vector types; `?` if GLSL has no such vector type.
    let scalar = |ty| match m.ty(ty) {
        Some(Type::Int { width: 32, signed: true }) => ("int".to_owned(), "i"),
        Some(Type::Int { width: 32, signed: false }) => ("uint".to_owned(), "u"),
        Some(Type::Float { width: 32 }) => ("float".to_owned(), ""),
        Some(Type::Float { width: 64 }) => ("double".to_owned(), "d"),
        Some(Type::Int { width, signed }) => {
            (format!("{}int{width}_t", if signed { "" } else { "u" }), "?")
        }
        Some(Type::Float { width }) => (format!("float{width}_t"), "?"),
        _ => ("?".to_owned(), "?"),
    };
    let name = match m.ty(inner) {
        Some(Type::Vector { component, count }) => match scalar(component) {
            (name, "?") => format!("{name}[{count}]"),
            (_, prefix) => format!("{prefix}vec{count}"),
        },
        Some(Type::Matrix { column, count }) => match m.ty(column) {
            Some(Type::Vector { component, count: rows }) => {
                format!("{}mat{count}x{rows}", scalar(component).1)
            }
            _ => "matrix".to_owned(),
        },
        Some(Type::Struct { id }) => {
            m.name(id).map_or_else(|| format!("struct {id}"), |name| name.into_owned())
        }
        _ => scalar(inner).0,
    };
    name + &dimensions
}

/// Formats a number with a noun, which gets a plural `s` if needed.
fn counted(number: &Value, thing: &str) -> String {
    let plural = if *number == 1 { "" } else { "s" };
    format!("{number} {thing}{plural}")
}

fn as_text(report: &Value) -> String {
    let mut text = format!(
        "SPIR-V {}, {}, {}, {}\n",
        report["spirv"].as_str().unwrap_or_default(),
        counted(&report["words"], "word"),
        counted(&report["instructions"], "instruction"),
        counted(&report["functions"], "function")
    );
    resources::module_as_text(&mut text, report);
    for entry in report["entry_points"].as_array().into_iter().flatten() {
        let _ = writeln!(
            text,
            "\n{} ({}), {}",
            entry["name"].as_str().unwrap_or_default(),
            entry["stage"].as_str().unwrap_or_default(),
            counted(&entry["instructions"], "instruction")
        );
        for variable in entry["interface"].as_array().into_iter().flatten() {
            let place = match (&variable["location"], &variable["builtin"]) {
                (Value::Number(location), _) => format!("location {location}"),
                (_, Value::String(builtin)) => builtin.clone(),
                _ => variable["members"]
                    .as_array()
                    .into_iter()
                    .flatten()
                    .filter_map(|member| member["builtin"].as_str())
                    .collect::<Vec<_>>()
                    .join(", "),
            };
            let [class, ty, name] =
                ["class", "type", "name"].map(|key| variable[key].as_str().unwrap_or_default());
            let _ = writeln!(text, "  {class:<7} {ty:<14} {name:<20} {place}");
        }
        resources::entry_as_text(&mut text, entry);
        capturable(&mut text, entry);
        position(&mut text, entry);
    }
    text
}

fn capturable(text: &mut String, entry: &Value) {
    for varying in entry["capturable"].as_array().into_iter().flatten() {
        let name = varying["name"].as_str().unwrap_or_default();
        let _ = match varying["refused"].as_str() {
            Some(reason) => writeln!(text, "  not capturable: {reason}"),
            None => {
                let components = counted(&varying["components"], "component");
                writeln!(text, "  capturable: {name} ({components})")
            }
        };
    }
}

fn position(text: &mut String, entry: &Value) {
    let cost = &entry["cost"];
    if let Some(reason) = cost["refused"].as_str() {
        let _ = writeln!(text, "  position only: refused, {reason}");
    } else if cost.is_object() {
        table(cost).lines().for_each(|line| text.push_str(&format!("  {line}\n")));
    }
}
