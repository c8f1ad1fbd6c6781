//! Reflection: the interface of entry points, and the varyings that can be captured.

use crate::error::{guard, polyshade_error};
use crate::failure::{Failure, element, polyshade_status};
use crate::ffi::{self, versioned};
use crate::interface::{Entry, Shape};
use crate::module::polyshade_module;
use crate::place::stage_bit;
use std::ffi::{CStr, c_char};

/// A description of a module.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct polyshade_module_info {
    /// `sizeof(polyshade_module_info)`
    pub size: u32,
    /// The SPIR-V version: 256 times the major version, plus the minor version.
    pub spirv_version: u32,
    /// The id bound: all ids are less than it.
    pub bound: u32,
    /// The number of entry points.
    pub entry_count: u32,
}

versioned!(polyshade_module_info, 16);

/// A description of an entry point.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct polyshade_entry_point {
    /// `sizeof(polyshade_entry_point)`
    pub size: u32,
    /// `POLYSHADE_STAGE_…`; 0 for a stage outside Vulkan's graphics and compute pipelines.
    pub stage: u32,
    /// The number of input and output variables, and of the members of blocks among them.
    pub variable_count: u32,
    /// The number of varyings that `polyshade_module_capturable` lists, with those that cannot be captured.
    pub capturable_count: u32,
    /// The name. It is valid as long as the module.
    pub name: *const c_char,
}

versioned!(polyshade_entry_point, 16 + size_of::<usize>());

/// An input or output variable, or a member of a block.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct polyshade_variable {
    /// `sizeof(polyshade_variable)`
    pub size: u32,
    /// The id of the variable.
    pub id: u32,
    /// The number of the member, or `POLYSHADE_NONE` for the whole variable.
    pub member: u32,
    /// `POLYSHADE_CLASS_…`
    pub storage_class: u32,
    /// The location, or `POLYSHADE_NONE` if the variable has none, like a built-in.
    pub location: u32,
    /// The `Component` decoration, or 0.
    pub component: u32,
    /// The number of the `BuiltIn` in SPIR-V, or `POLYSHADE_NONE`.
    pub builtin: u32,
    /// `POLYSHADE_SCALAR_…`
    pub scalar: u32,
    /// The bits of a component.
    pub width: u32,
    /// The components of a vector or of a matrix column, or 1.
    pub components: u32,
    /// The columns of a matrix, or 1.
    pub columns: u32,
    /// The elements of an array, over all dimensions; 0 if the type is no array or a length is not known.
    pub elements: u32,
    /// The name, which may be empty. It is valid as long as the module.
    pub name: *const c_char,
}

versioned!(polyshade_variable, 48 + size_of::<usize>());

/// A varying, and whether it can be captured.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct polyshade_capturable {
    /// `sizeof(polyshade_capturable)`
    pub size: u32,
    /// The number of 32-bit components; 0 if the varying cannot be captured.
    pub components: u32,
    /// The name by which options request the varying. It is valid as long as the module.
    pub name: *const c_char,
    /// The reason why the varying cannot be captured, or NULL. It is valid as long as the module.
    pub refused: *const c_char,
}

versioned!(polyshade_capturable, 8 + 2 * size_of::<usize>());

fn entry<'m>(module: *const polyshade_module, number: u32) -> Result<&'m Entry, Failure> {
    element(&ffi::handle(module, "module")?.reflection().entries, number, "entry point")
}

/// Describes a module in `*info`, whose `size` must be set.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyshade_module_describe(
    module: *const polyshade_module,
    info: *mut polyshade_module_info,
    error: *mut polyshade_error,
) -> polyshade_status {
    guard(error, || {
        let module = ffi::handle(module, "module")?;
        let (major, minor) = module.module.version();
        let described = polyshade_module_info {
            size: 0,
            spirv_version: u32::from(major) << 8 | u32::from(minor),
            bound: module.module.bound(),
            entry_count: module.module.entry_points().len() as u32,
        };
        ffi::answer(info, described)
    })
}

/// Describes an entry point in `*info`, whose `size` must be set.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyshade_module_entry(
    module: *const polyshade_module,
    index: u32,
    info: *mut polyshade_entry_point,
    error: *mut polyshade_error,
) -> polyshade_status {
    guard(error, || {
        let entry = entry(module, index)?;
        let described = polyshade_entry_point {
            size: 0,
            stage: stage_bit(entry.stage),
            variable_count: entry.variables.len() as u32,
            capturable_count: entry.capturable.len() as u32,
            name: entry.name.as_ptr(),
        };
        ffi::answer(info, described)
    })
}

/// Describes a variable of an entry point in `*info`, whose `size` must be set. Members of a block follow the block.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyshade_module_variable(
    module: *const polyshade_module,
    entry_index: u32,
    index: u32,
    info: *mut polyshade_variable,
    error: *mut polyshade_error,
) -> polyshade_status {
    guard(error, || {
        let found = element(&entry(module, entry_index)?.variables, index, "variable")?;
        let Shape { scalar, width, components, columns, elements } = found.shape;
        let described = polyshade_variable {
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
        };
        ffi::answer(info, described)
    })
}

/// Describes a varying of an entry point, and whether it can be captured, in `*info`, whose `size` must be set.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyshade_module_capturable(
    module: *const polyshade_module,
    entry_index: u32,
    index: u32,
    info: *mut polyshade_capturable,
    error: *mut polyshade_error,
) -> polyshade_status {
    guard(error, || {
        let all = &entry(module, entry_index)?.capturable;
        let (name, components, refused) = element(all, index, "varying")?;
        let described = polyshade_capturable {
            size: 0,
            components: *components,
            name: name.as_ptr(),
            refused: refused.as_deref().map_or(std::ptr::null(), CStr::as_ptr),
        };
        ffi::answer(info, described)
    })
}
