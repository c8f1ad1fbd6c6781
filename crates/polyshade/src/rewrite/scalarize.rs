//! Redirects the loads and stores of a variable, scalar by scalar, to other variables. This is for vector variables
//! that other invocations can see, and for arrays that are too large to copy.

use super::accesses::{Accesses, accesses};
use crate::code::{self, refuse};
use foldhash::HashMap;
use polyshade_spv::view::{Load, Store};
use polyshade_spv::{Cursor, Error, Id, Inst, Module, Op, Patch, StorageClass, Type};

/// Where a scalar is stored: a variable and indices into it. In a per-vertex variable, the vertex index comes before
/// these indices.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// The variable.
    pub variable: Id,
    /// The indices, outermost first.
    pub path: Vec<u32>,
}

/// A variable with scalars that move to other variables.
#[derive(Clone, Copy, Debug)]
pub struct Scalarized<'s> {
    /// The variable to split.
    pub variable: Id,
    /// Whether the variable and the variables of `places` are arrays with one element per vertex.
    pub per_vertex: bool,
    /// Whether the stage cannot load from these variables, as with the outputs of a mesh shader.
    pub write_only: bool,
    /// The new place of each scalar of the variable (of one element if it is per-vertex), in the order of
    /// [`float_scalars`]. A scalar without a place reads as 0, and stores to it are dropped.
    pub places: &'s [Option<Place>],
}

/// The maximum number of scalars in a variable.
const MOST_SCALARS: usize = 64;
/// The maximum number of vertices for which an array is accessed as a whole.
const MOST_VERTICES: u32 = 256;

/// Returns the dimensions of `ty`, outermost first: none for a 32-bit float, one for a vector or an array of floats,
/// and so on. Returns `None` for other types, or if `ty` has more scalars than any interface.
pub fn float_dimensions(m: &Module<'_>, mut ty: Id) -> Option<Vec<u32>> {
    let mut dimensions = Vec::new();
    loop {
        let (inner, count) = match m.ty(ty)? {
            Type::Float { width: 32 } => return Some(dimensions),
            Type::Vector { component, count } => (component, count),
            Type::Array { element, length } => (element, m.constant(length)?),
            _ => return None,
        };
        dimensions.push(count);
        let scalars = dimensions.iter().try_fold(1_u32, |all, count| all.checked_mul(*count))?;
        if scalars == 0 || scalars as usize > MOST_SCALARS || dimensions.len() > MOST_SCALARS {
            return None;
        }
        ty = inner;
    }
}

/// Returns the indices of each scalar of a type with these dimensions, in order.
pub fn float_scalars(dimensions: &[u32]) -> Vec<Vec<u32>> {
    dimensions.iter().fold(vec![Vec::new()], |paths, count| {
        let longer = |path: &Vec<u32>| {
            (0..*count).map(|index| [path.as_slice(), &[index]].concat()).collect::<Vec<_>>()
        };
        paths.iter().flat_map(longer).collect()
    })
}

/// Redirects every load and store of `what` to the places of its scalars, which are variables of `class`. Removes the
/// definition of `what.variable`, unless a place is in that variable.
///
/// Indices are constant where possible, because drivers crash on built-in arrays with dynamic indices. A dynamic
/// index selects among all candidates.
///
/// # Errors
///
/// `Unsupported`: `what` is not a variable; its type is not made of 32-bit floats; a pointer into it is passed to a
/// function or selected, or is used by anything but loads and stores; a store has a dynamic index where the places
/// are not evenly spaced and cannot be loaded.
pub fn scalarize<'m>(
    m: &'m Module<'_>,
    p: &mut Patch<'m, '_>,
    what: Scalarized<'_>,
    class: StorageClass,
) -> Result<(), Error> {
    let scalarize = Scatter::new(m, what, class)?;
    let deepest = scalarize.dimensions.len() + usize::from(what.per_vertex);
    let Accesses { uses, pointers, paths } = accesses(m, what.variable, deepest)?;
    for inst in &uses {
        scalarize.access(p, *inst, &paths)?;
        p.remove(*inst);
    }
    for pointer in &pointers {
        p.remove_definition(pointer.result().expect("a pointer is a result"));
    }
    if what.places.iter().flatten().all(|place| place.variable != what.variable) {
        p.remove_definition(what.variable);
    }
    Ok(())
}

/// An index: either a constant, or computed by the shader.
#[derive(Clone, Copy)]
enum Index {
    Known(u32),
    Computed(Id),
}

struct Scatter<'s, 'm, 'w> {
    m: &'m Module<'w>,
    what: Scalarized<'s>,
    class: StorageClass,
    /// The dimensions of the variable (of one element if it is per-vertex).
    dimensions: Vec<u32>,
    /// The pointee type of the variable.
    ty: Id,
}

impl<'s, 'm, 'w> Scatter<'s, 'm, 'w> {
    fn new(m: &'m Module<'w>, what: Scalarized<'s>, class: StorageClass) -> Result<Self, Error> {
        // In an invalid module, an interface may also list pointers into variables.
        if m.definition(what.variable).is_none_or(|inst| inst.op() != Op::VARIABLE) {
            return refuse(
                &code::INTERFACE_NOT_A_VARIABLE,
                "the id to scalarize is not a variable",
                what.variable,
            );
        }
        let ty = m.pointee(what.variable);
        let inner = ty.and_then(|ty| match m.ty(ty) {
            Some(Type::Array { element, .. }) if what.per_vertex => Some(element),
            _ => Some(ty).filter(|_| !what.per_vertex),
        });
        let dimensions = inner.and_then(|ty| float_dimensions(m, ty));
        match (ty, dimensions) {
            (Some(ty), Some(dimensions)) => Ok(Self { m, what, class, dimensions, ty }),
            _ => refuse(
                &code::INTERFACE_NOT_FLOATS,
                "the variable is not made of 32-bit floats",
                what.variable,
            ),
        }
    }

    fn access(
        &self,
        p: &mut Patch<'m, '_>,
        inst: Inst<'m>,
        paths: &HashMap<Id, Vec<Id>>,
    ) -> Result<(), Error> {
        let pointer = Load::of(inst).map(Load::pointer).or(Store::of(inst).map(Store::pointer));
        let path = pointer
            .and_then(|pointer| paths.get(&pointer))
            .expect("an access uses a known pointer");
        let indices: Vec<Index> = path
            .iter()
            .map(|id| self.m.constant(*id).map_or(Index::Computed(*id), Index::Known))
            .collect();
        let ty = indices.iter().try_fold(self.ty, |ty, _| element(self.m, ty));
        let ty = ty.expect("the path is not longer than the type is deep");
        let mut code = p.at(inst.after());
        if let Some(store) = Store::of(inst) {
            return self.write(&mut code, ty, indices, store.object());
        }
        self.read(&mut code, ty, indices, inst.result())?;
        Ok(())
    }

    /// Returns the number of parts of `ty`, or `None` for a scalar.
    fn parts(&self, ty: Id) -> Result<Option<u32>, Error> {
        let count = match self.m.ty(ty) {
            Some(Type::Vector { count, .. }) => Some(count),
            Some(Type::Array { length, .. }) => match self.m.constant(length) {
                Some(length) if length <= MOST_VERTICES => Some(length),
                _ => {
                    let message = "an array with an unknown length is accessed as a whole";
                    return refuse(&code::INTERFACE_UNKNOWN_LENGTH, message, self.what.variable);
                }
            },
            _ => None,
        };
        Ok(count)
    }

    /// Emits loads of all scalars below `indices`, and combines the scalars into `result`.
    fn read(
        &self,
        code: &mut Cursor<'_, '_, '_>,
        ty: Id,
        indices: Vec<Index>,
        result: Option<Id>,
    ) -> Result<Id, Error> {
        let Some(count) = self.parts(ty)? else { return self.read_scalar(code, &indices, result) };
        let part = element(self.m, ty).expect("composites have elements");
        let mut parts = Vec::new();
        for index in 0..count {
            let inner = [indices.as_slice(), &[Index::Known(index)]].concat();
            parts.push(self.read(code, part, inner, None)?.word());
        }
        Ok(emit(code, Op::COMPOSITE_CONSTRUCT, ty, result, &parts))
    }

    fn write(
        &self,
        code: &mut Cursor<'_, '_, '_>,
        ty: Id,
        indices: Vec<Index>,
        value: Id,
    ) -> Result<(), Error> {
        let Some(count) = self.parts(ty)? else { return self.write_scalar(code, &indices, value) };
        let part = element(self.m, ty).expect("composites have elements");
        for index in 0..count {
            let inner = [indices.as_slice(), &[Index::Known(index)]].concat();
            let value = code.extract(part, value, &[index]);
            self.write(code, part, inner, value)?;
        }
        Ok(())
    }

    /// Splits the vertex index of a per-vertex variable from the other indices.
    fn split<'i>(&self, indices: &'i [Index]) -> (Option<Index>, &'i [Index]) {
        match indices {
            [vertex, rest @ ..] if self.what.per_vertex => (Some(*vertex), rest),
            _ => (None, indices),
        }
    }

    fn read_scalar(
        &self,
        code: &mut Cursor<'_, '_, '_>,
        indices: &[Index],
        result: Option<Id>,
    ) -> Result<Id, Error> {
        let (vertex, rest) = self.split(indices);
        let float = code.p.float();
        let found = match self.pointer(code, vertex, rest) {
            Found::Pointer(pointer) => {
                return Ok(emit(code, Op::LOAD, float, result, &[pointer.word()]));
            }
            Found::Nowhere => code.p.float_constant(0.0),
            // %value = OpSelect %float %chosen %candidate %value
            Found::Chosen(candidates) => {
                let mut value = code.p.float_constant(0.0);
                for (path, place) in candidates {
                    let chosen = self.is_chosen(code, rest, &path);
                    let pointer = self.pointer_to(code, vertex, place);
                    let candidate = code.load(float, pointer);
                    value = code.select(float, chosen, candidate, value);
                }
                value
            }
        };
        Ok(emit(code, Op::COPY_OBJECT, float, result, &[found.word()]))
    }

    fn write_scalar(
        &self,
        code: &mut Cursor<'_, '_, '_>,
        indices: &[Index],
        value: Id,
    ) -> Result<(), Error> {
        let (vertex, rest) = self.split(indices);
        match self.pointer(code, vertex, rest) {
            Found::Nowhere => {}
            Found::Pointer(pointer) => code.store(pointer, value),
            // %old = OpLoad %float %candidate
            // %new = OpSelect %float %chosen %value %old
            //        OpStore %candidate %new
            Found::Chosen(_) if self.what.write_only => {
                let message = "cannot store to a component with a computed index: the output cannot be loaded";
                return refuse(&code::INTERFACE_DYNAMIC_STORE, message, self.what.variable);
            }
            Found::Chosen(candidates) => {
                let float = code.p.float();
                for (path, place) in candidates {
                    let chosen = self.is_chosen(code, rest, &path);
                    let pointer = self.pointer_to(code, vertex, place);
                    let old = code.load(float, pointer);
                    let new = code.select(float, chosen, value, old);
                    code.store(pointer, new);
                }
            }
        }
        Ok(())
    }

    /// Emits a pointer to the scalar at `rest`, if a single access chain can reach it.
    fn pointer(
        &self,
        code: &mut Cursor<'_, '_, '_>,
        vertex: Option<Index>,
        rest: &[Index],
    ) -> Found<'s> {
        // Constant indices lead to a single place.
        let matching = self.candidates(rest);
        let all_known = rest.iter().all(|index| matches!(index, Index::Known(_)));
        match matching.as_slice() {
            [(_, place)] if all_known => {
                return Found::Pointer(self.pointer_to(code, vertex, place));
            }
            [] => return Found::Nowhere,
            _ => {}
        }
        // If places are evenly spaced, each index needs only one multiplication and one addition.
        let even = self.even().filter(|_| self.what.write_only);
        let Some((first, steps)) = even else { return Found::Chosen(matching) };
        let uint = code.p.uint();
        let mut number = code.p.uint_constant(first.path[0]);
        for (index, step) in rest.iter().zip(steps) {
            let index = self.uint(code, *index);
            let step = code.p.uint_constant(step);
            let product = code.binary(Op::I_MUL, uint, index, step);
            number = code.binary(Op::I_ADD, uint, number, product);
        }
        let mut path: Vec<Id> = vertex.map(|vertex| self.id(code, vertex)).into_iter().collect();
        path.push(number);
        let float = code.p.float();
        let pointer = code.p.pointer(self.class, float);
        Found::Pointer(code.access_chain(pointer, first.variable, &path))
    }

    /// Returns the scalars that `rest` may refer to and that have a place, each with its indices.
    fn candidates(&self, rest: &[Index]) -> Vec<(Vec<u32>, &'s Place)> {
        let fits = |path: &[u32]| {
            rest.iter().zip(path).all(|(index, own)| match index {
                Index::Known(known) => known == own,
                Index::Computed(_) => true,
            })
        };
        float_scalars(&self.dimensions)
            .into_iter()
            .zip(self.what.places)
            .filter(|(path, _)| fits(path))
            .filter_map(|(path, place)| Some((path, place.as_ref()?)))
            .collect()
    }

    /// If all places are evenly spaced in one array, returns the first place and the step of each index.
    fn even(&self) -> Option<(&'s Place, Vec<u32>)> {
        let paths = float_scalars(&self.dimensions);
        let number = |path: &[u32]| -> Option<u32> {
            let place = self.what.places[paths.iter().position(|other| other == path)?].as_ref()?;
            <[u32; 1]>::try_from(place.path.as_slice()).ok().map(|[number]| number)
        };
        let first = self.what.places.first()?.as_ref()?;
        let same = |place: &Option<Place>| {
            place.as_ref().is_some_and(|place| place.variable == first.variable)
        };
        // The steps follow from the neighbours of the first scalar. All other scalars must fit.
        let start = number(&vec![0; self.dimensions.len()])?;
        let step = |level: usize| -> Option<u32> {
            if self.dimensions[level] == 1 {
                return Some(0);
            }
            let mut path = vec![0; self.dimensions.len()];
            path[level] = 1;
            Some(number(&path)?.wrapping_sub(start))
        };
        let steps: Vec<u32> = (0..self.dimensions.len()).map(step).collect::<Option<_>>()?;
        let lies_evenly = |path: &Vec<u32>| {
            let far = path.iter().zip(&steps).map(|(index, step)| index.wrapping_mul(*step));
            number(path) == Some(far.fold(start, u32::wrapping_add))
        };
        (self.what.places.iter().all(same) && paths.iter().all(lies_evenly))
            .then_some((first, steps))
    }

    fn pointer_to(
        &self,
        code: &mut Cursor<'_, '_, '_>,
        vertex: Option<Index>,
        place: &Place,
    ) -> Id {
        let mut indices: Vec<Id> = vertex.map(|vertex| self.id(code, vertex)).into_iter().collect();
        indices.extend(place.path.iter().map(|index| code.p.uint_constant(*index)));
        let float = code.p.float();
        let pointer = code.p.pointer(self.class, float);
        code.access_chain(pointer, place.variable, &indices)
    }

    /// Emits the comparison of the dynamic indices in `indices` with the corresponding indices in `path`.
    fn is_chosen(&self, code: &mut Cursor<'_, '_, '_>, indices: &[Index], path: &[u32]) -> Id {
        let bool = code.p.bool();
        let mut chosen: Option<Id> = None;
        for (index, own) in indices.iter().zip(path) {
            if let Index::Computed(_) = index {
                let index = self.uint(code, *index);
                let own = code.p.uint_constant(*own);
                let equal = code.binary(Op::I_EQUAL, bool, index, own);
                chosen = Some(match chosen {
                    Some(chosen) => code.binary(Op::LOGICAL_AND, bool, chosen, equal),
                    None => equal,
                });
            }
        }
        chosen.unwrap_or_else(|| code.p.declare(Op::CONSTANT_TRUE, &[bool.word()]))
    }

    fn id(&self, code: &mut Cursor<'_, '_, '_>, index: Index) -> Id {
        match index {
            Index::Known(index) => code.p.uint_constant(index),
            Index::Computed(id) => id,
        }
    }

    /// Converts the index to a `uint`.
    fn uint(&self, code: &mut Cursor<'_, '_, '_>, index: Index) -> Id {
        let id = self.id(code, index);
        let ty = self.m.type_of(id).and_then(|ty| self.m.ty(ty));
        match ty {
            Some(Type::Int { width, .. }) if width != 32 => {
                let uint = code.p.uint();
                code.value(Op::U_CONVERT, uint, &[id.word()])
            }
            Some(Type::Int { signed: true, .. }) => {
                let uint = code.p.uint();
                code.bitcast(uint, id)
            }
            _ => id,
        }
    }
}

/// The place that an access refers to.
enum Found<'s> {
    Pointer(Id),
    Nowhere,
    /// One of these candidates, as the dynamic indices choose.
    Chosen(Vec<(Vec<u32>, &'s Place)>),
}

/// Returns the element type of an array or vector.
fn element(m: &Module<'_>, ty: Id) -> Option<Id> {
    match m.ty(ty)? {
        Type::Array { element, .. } => Some(element),
        Type::Vector { component, .. } => Some(component),
        _ => None,
    }
}

/// Emits an instruction with the result id `result`, or with a new id if `None`.
fn emit(code: &mut Cursor<'_, '_, '_>, op: Op, ty: Id, result: Option<Id>, operands: &[u32]) -> Id {
    let result = result.unwrap_or_else(|| code.p.id());
    code.emit(op, &[&[ty.word(), result.word()], operands].concat());
    result
}
