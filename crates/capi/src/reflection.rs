//! What a module's entry points read and write, and what can be captured of them.

use crate::border::{self, versioned};
use crate::error::{guard, polyshade_error};
use crate::failure::{missing, polyshade_status};
use crate::interface::{Entry, Shape};
use crate::module::polyshade_module;
use crate::place::stage_bit;
use std::ffi::{CStr, c_char};

/// What a module is like.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct polyshade_module_info {
    /// `sizeof(polyshade_module_info)`
    pub size: u32,
    /// The version of SPIR-V: 256 times the major one, and the minor one.
    pub spirv_version: u32,
    /// All ids are below.
    pub bound: u32,
    /// How many entry points there are.
    pub entry_count: u32,
}

versioned!(polyshade_module_info, 16);

/// An entry point.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct polyshade_entry_point {
    /// `sizeof(polyshade_entry_point)`
    pub size: u32,
    /// `POLYSHADE_STAGE_…`; 0 of a stage that Vulkan's graphics and compute pipelines lack.
    pub stage: u32,
    /// How many interface variables, and members of blocks, there are.
    pub variable_count: u32,
    /// How many varyings can be captured, or are refused by name.
    pub capturable_count: u32,
    /// It lives as long as the module.
    pub name: *const c_char,
}

versioned!(polyshade_entry_point, 16 + size_of::<usize>());

/// An interface variable, or a member of one that is a block.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct polyshade_variable {
    /// `sizeof(polyshade_variable)`
    pub size: u32,
    /// The id of the variable.
    pub id: u32,
    /// The number of the member, or `POLYSHADE_NONE` of a variable as a whole.
    pub member: u32,
    /// `POLYSHADE_CLASS_…`
    pub storage_class: u32,
    /// `POLYSHADE_NONE` where there is none, as of built-ins.
    pub location: u32,
    /// 0 unless it is decorated.
    pub component: u32,
    /// SPIR-V's number, or `POLYSHADE_NONE`.
    pub builtin: u32,
    /// `POLYSHADE_SCALAR_…`
    pub scalar: u32,
    /// Bits of a component.
    pub width: u32,
    /// Components of a vector or of a column.
    pub components: u32,
    /// Columns of a matrix, or 1.
    pub columns: u32,
    /// Elements of all dimensions of an array, or 0 where it is none or of a length that is not known.
    pub elements: u32,
    /// The name, which may be empty. It lives as long as the module.
    pub name: *const c_char,
}

versioned!(polyshade_variable, 48 + size_of::<usize>());

/// A varying that can be captured, or why not.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct polyshade_capturable {
    /// `sizeof(polyshade_capturable)`
    pub size: u32,
    /// How many 32-bit components it has; 0 where it is refused.
    pub components: u32,
    /// By which it is asked for. It lives as long as the module.
    pub name: *const c_char,
    /// Why it cannot be captured, or NULL. It lives as long as the module.
    pub refused: *const c_char,
}

versioned!(polyshade_capturable, 8 + 2 * size_of::<usize>());

fn entry(module: &polyshade_module, number: u32) -> Result<&Entry, crate::failure::Failure> {
    let found = module.reflection().entries.get(number as usize);
    found.ok_or_else(|| missing("entry point", number))
}

/// Says what a module is like.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyshade_module_describe(
    module: *const polyshade_module,
    info: *mut polyshade_module_info,
    error: *mut polyshade_error,
) -> polyshade_status {
    guard(error, || {
        let module = border::handle(module, "module")?;
        let (major, minor) = module.module.version();
        border::answer(
            info,
            polyshade_module_info {
                size: 0,
                spirv_version: u32::from(major) << 8 | u32::from(minor),
                bound: module.module.bound(),
                entry_count: module.module.entry_points().len() as u32,
            },
        )
    })
}

/// Says what an entry point is like.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyshade_module_entry(
    module: *const polyshade_module,
    index: u32,
    info: *mut polyshade_entry_point,
    error: *mut polyshade_error,
) -> polyshade_status {
    guard(error, || {
        let entry = entry(border::handle(module, "module")?, index)?;
        border::answer(
            info,
            polyshade_entry_point {
                size: 0,
                stage: stage_bit(entry.stage),
                variable_count: entry.variables.len() as u32,
                capturable_count: entry.capturable.len() as u32,
                name: entry.name.as_ptr(),
            },
        )
    })
}

/// Says what a variable of an entry point's interface is like. Members of a block follow it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyshade_module_variable(
    module: *const polyshade_module,
    entry_index: u32,
    index: u32,
    info: *mut polyshade_variable,
    error: *mut polyshade_error,
) -> polyshade_status {
    guard(error, || {
        let entry = entry(border::handle(module, "module")?, entry_index)?;
        let found = entry.variables.get(index as usize);
        let found = found.ok_or_else(|| missing("variable", index))?;
        let Shape { scalar, width, components, columns, elements } = found.shape;
        border::answer(
            info,
            polyshade_variable {
                size: 0,
                id: found.id,
                member: found.member,
                storage_class: found.class,
                location: found.location,
                component: found.component,
                builtin: found.builtin,
                scalar,
                width,
                components,
                columns,
                elements,
                name: found.name.as_ptr(),
            },
        )
    })
}

/// Says what can be captured of an entry point, by name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyshade_module_capturable(
    module: *const polyshade_module,
    entry_index: u32,
    index: u32,
    info: *mut polyshade_capturable,
    error: *mut polyshade_error,
) -> polyshade_status {
    guard(error, || {
        let entry = entry(border::handle(module, "module")?, entry_index)?;
        let found = entry.capturable.get(index as usize);
        let (name, components, refused) = found.ok_or_else(|| missing("varying", index))?;
        border::answer(
            info,
            polyshade_capturable {
                size: 0,
                components: *components,
                name: name.as_ptr(),
                refused: refused.as_deref().map_or(std::ptr::null(), CStr::as_ptr),
            },
        )
    })
}
