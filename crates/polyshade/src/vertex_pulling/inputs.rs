//! The inputs of a vertex stage, divided into the scalars and vectors at each location.

use super::Options;
use super::format::Numbers;
use crate::code::{self, refuse};
use crate::rewrite;
use polyshade_spv::view::EntryPoint;
use polyshade_spv::{Code, Decoration, Error, Id, Module, StorageClass, Type};

/// An input variable that receives attributes.
#[derive(Debug)]
pub(super) struct Input {
    pub(super) variable: Id,
    /// The scalars, vectors and columns of the variable, in order; empty if the shader does not read it.
    pub(super) leaves: Vec<Leaf>,
}

/// A scalar or vector at a location.
#[derive(Clone, Debug)]
pub(super) struct Leaf {
    /// The indices of the array elements and of the matrix column.
    pub(super) path: Vec<u32>,
    pub(super) location: u32,
    /// The first component of the attribute that this leaf reads.
    pub(super) first: u32,
    /// The number of components; 1 for a scalar.
    pub(super) count: u32,
    pub(super) component: Id,
    pub(super) number: Number,
}

/// The type of a component, with its number of bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Number {
    Float(u32),
    Int(u32),
    Uint(u32),
}

impl Number {
    pub(super) fn bits(self) -> u32 {
        match self {
            Self::Float(bits) | Self::Int(bits) | Self::Uint(bits) => bits,
        }
    }

    pub(super) fn is_wide(self) -> bool {
        self.bits() == 64
    }
}

/// The maximum number of locations that an input may take. In an invalid module, an input may need any number.
const MOST_LOCATIONS: usize = 1024;

/// Finds the inputs that receive attributes.
pub(super) fn find(
    m: &Module<'_>,
    entry: EntryPoint<'_>,
    options: &Options,
) -> Result<Vec<Input>, Error> {
    let mut inputs = Vec::new();
    for variable in rewrite::interface(m, entry, StorageClass::INPUT) {
        // Built-ins are not attributes.
        let Some(ty) = m.pointee(variable) else { continue };
        let inner = m.innermost_element(ty);
        if m.builtin(variable).is_some()
            || (0..)
                .zip(m.members(inner))
                .any(|(member, _)| m.member_builtin(inner, member).is_some())
        {
            continue;
        }
        let Some(&[location]) = m.decoration(variable, Decoration::LOCATION) else {
            let message = "the input is a structure or has no location";
            return refuse(&code::VERTEX_PULLING_INPUT_LOCATION, message, variable);
        };
        let component = match m.decoration(variable, Decoration::COMPONENT) {
            Some(&[component]) => component,
            _ => 0,
        };
        // Divide the variable into vectors, and compare each with its attribute.
        let mut leaves = Vec::new();
        if is_read(m, variable) {
            let mut found = Leaves {
                m,
                variable,
                component,
                next: location,
                path: Vec::new(),
                leaves: Vec::new(),
            };
            found.add(ty)?;
            leaves = found.leaves;
        }
        leaves.iter().try_for_each(|leaf| check(leaf, options, variable))?;
        inputs.push(Input { variable, leaves });
    }
    Ok(inputs)
}

/// Whether an instruction in a function uses the variable.
fn is_read(m: &Module<'_>, variable: Id) -> bool {
    m.code_uses_of(variable).next().is_some()
}

struct Leaves<'l, 'w> {
    m: &'l Module<'w>,
    variable: Id,
    /// The `Component` decoration.
    component: u32,
    next: u32,
    path: Vec<u32>,
    leaves: Vec<Leaf>,
}

impl Leaves<'_, '_> {
    fn refuse<T>(&self, code: &'static Code, message: &str) -> Result<T, Error> {
        refuse(code, message, self.variable)
    }

    fn add(&mut self, ty: Id) -> Result<(), Error> {
        match self.m.ty(ty) {
            Some(Type::Array { element, length }) => {
                let Some(length) = self.m.constant(length) else {
                    return self.refuse(
                        &code::VERTEX_PULLING_SPECIALIZED_SIZE,
                        "the size of the input depends on a specialization constant",
                    );
                };
                self.repeat(element, length)
            }
            Some(Type::Matrix { column, count }) => self.repeat(column, count),
            Some(Type::Vector { component, count }) => self.add_leaf(component, count),
            Some(Type::Float { .. } | Type::Int { .. }) => self.add_leaf(ty, 1),
            _ => self.refuse(
                &code::VERTEX_PULLING_INPUT_TYPE,
                "the input is not a number, vector, matrix or array of these",
            ),
        }
    }

    fn repeat(&mut self, ty: Id, count: u32) -> Result<(), Error> {
        for index in 0..count {
            self.path.push(index);
            self.add(ty)?;
            self.path.pop();
            if self.leaves.len() > MOST_LOCATIONS {
                return self.refuse(
                    &code::VERTEX_PULLING_INPUT_RANGE,
                    "the input takes more locations than any device has",
                );
            }
        }
        Ok(())
    }

    fn add_leaf(&mut self, component: Id, count: u32) -> Result<(), Error> {
        let number = match self.m.ty(component) {
            Some(Type::Float { width }) => Number::Float(width),
            Some(Type::Int { width, signed: true }) => Number::Int(width),
            Some(Type::Int { width, signed: false }) => Number::Uint(width),
            _ => {
                return self.refuse(
                    &code::VERTEX_PULLING_INPUT_TYPE,
                    "the input is not a vector of numbers",
                );
            }
        };
        // `Component` counts in units of 32 bits.
        let first = if number.is_wide() { self.component / 2 } else { self.component };
        if first.saturating_add(count) > 4 {
            return self.refuse(
                &code::VERTEX_PULLING_INPUT_RANGE,
                "the input extends beyond the fourth component",
            );
        }
        let (path, location) = (self.path.clone(), self.next);
        self.leaves.push(Leaf { path, location, first, count, component, number });
        let locations = if number.is_wide() && count > 2 { 2 } else { 1 };
        self.next = self.next.saturating_add(locations);
        Ok(())
    }
}

/// Fails if the format at the location has another numeric format or size than the input.
fn check(leaf: &Leaf, options: &Options, variable: Id) -> Result<(), Error> {
    let location = leaf.location;
    let Some(format) = options.attribute_at(location).and_then(|one| one.format) else {
        return Ok(());
    };
    let fits = match leaf.number {
        Number::Uint(_) => format.numbers() == Numbers::Uint,
        Number::Int(_) => format.numbers() == Numbers::Sint,
        Number::Float(_) => !matches!(format.numbers(), Numbers::Uint | Numbers::Sint),
    };
    if fits && format.is_wide() == leaf.number.is_wide() {
        return Ok(());
    }
    let kind = match leaf.number {
        Number::Uint(_) => "unsigned integers",
        Number::Int(_) => "signed integers",
        Number::Float(_) => "floats",
    };
    let bits = leaf.number.bits();
    let message =
        format!("the shader reads location {location} as {kind} of {bits} bits, not as {format}");
    refuse(&code::VERTEX_PULLING_FORMAT_MISMATCH, message, variable)
}
