//! Changes the clip distances of the last stage before rasterization: masks disabled planes, or adds planes from the
//! host.

use super::arrays::{Array, RegisterPlace, add_register, arrays, behind, count, find};
use super::limits::{self, requirements};
use super::options::{StageDistances, UserPlanes};
use super::prepare::prepare_builtins;
use super::relocate::{Sites, clear, distance_array, pointer};
use super::semantics::DistanceKind;
use crate::code::{self, refuse};
use crate::host::{HostParam, HostParams, Lowered, ParamSource, Target, Value};
use crate::position;
use crate::rewrite::{self, Copies, FoundBuiltin, Frame, ParamReader, Stages};
use polyshade_spv::view::EntryPoint;
use polyshade_spv::{BuiltIn, Decoration, Error, Id, Module, Op, Patch, StorageClass};

/// The name of the specialization constant or block with the enabled planes.
const NAME: &str = "polyshade_enabled_planes";

/// Returns the name of the host parameter. A specialization constant gets the full name, because it has no block with
/// a name.
fn mask_word(place: ParamSource) -> &'static str {
    match place {
        ParamSource::Specialization { .. } => NAME,
        _ => "enabled",
    }
}

/// The names and meanings of the host parameters for planes: x, y, z and w of each plane.
macro_rules! plane_words {
    ($($plane:literal)*) => {
        [$(plane_words!(@ $plane "x" "y" "z" "w")),*]
    };
    (@ $plane:literal $($axis:literal)*) => {
        [$((
            concat!("plane_", $plane, "_", $axis),
            concat!($axis, " of clip plane ", $plane, ", a float"),
        )),*]
    };
}

/// The host parameters for eight planes, the most that devices support. The parameters of further planes are
/// generated.
const PLANE_WORDS: [[(&str, &str); 4]; 8] = plane_words!(0 1 2 3 4 5 6 7);

fn plane_words(plane: u32) -> [HostParam; 4] {
    match PLANE_WORDS.get(plane as usize) {
        Some(words) => words.map(|(name, meaning)| HostParam::new(name, meaning)),
        None => ["x", "y", "z", "w"].map(|axis| {
            let meaning = format!("{axis} of clip plane {plane}, a float");
            HostParam::new(format!("plane_{plane}_{axis}"), meaning)
        }),
    }
}

/// Applies [`Step::Mask`](super::Step::Mask).
pub(super) fn mask<'m>(
    module: &'m Module<'_>,
    target: &Target,
    enabled: Value<u32>,
    keep_original_at: Option<u32>,
) -> Result<Lowered<'m, StageDistances>, Error> {
    let mut words = Vec::new();
    if let Value::Param(place) = enabled {
        HostParams::add(
            &mut words,
            place,
            [HostParam::new(mask_word(place), "bit i: clip plane i is enabled")],
        );
    }
    let is_needed = |arrays: &[Array]| find(arrays, DistanceKind::Clip).is_some();
    lower(module, target, words, is_needed, |m, p, stage| {
        let clip = find(&stage.arrays, DistanceKind::Clip)
            .expect("the lowering is needed only if the stage has clip distances");
        let mask = stage.mask(m, p, enabled)?;
        let variable = clip.register.variable;
        if keep_original_at.is_none() && m.decoration(variable, Decoration::OFFSET).is_some() {
            let message = "cannot mask distances that are captured natively: give a location that keeps the original \
                values";
            return refuse(&code::CLIP_MASK_CAPTURED, message, variable);
        }
        // Copies keep the original distances, and the built-in array gets the masked distances.
        let copy = match keep_original_at {
            Some(location) => Some(stage.export_original(m, p, clip, location)?),
            None => None,
        };
        for taken in rewrite::demote_to_private(m, p, stage.entry, &[variable], Copies::None)? {
            clear(m, p, taken, stage.sites.prologue);
        }
        let array = distance_array(
            p,
            stage.entry,
            StorageClass::OUTPUT,
            (DistanceKind::Clip, clip.count),
            None,
        );
        for number in 0..clip.count {
            stage.export_masked(p, number, (variable, array), &mask, copy.as_deref());
        }
        Ok(clip.count)
    })
}

/// Applies [`Step::UserPlanes`](super::Step::UserPlanes).
pub(super) fn user_planes<'m>(
    module: &'m Module<'_>,
    target: &Target,
    planes: UserPlanes,
) -> Result<Lowered<'m, StageDistances>, Error> {
    if planes.count == 0 {
        return Err(Error::new(&code::CLIP_NO_PLANES, "the number of clip planes is 0"));
    }
    // Check the number of planes first, because each plane adds host parameters.
    limits::check(target, [planes.count, 0])?;
    let mut words = Vec::new();
    HostParams::add(&mut words, planes.params, (0..planes.count).flat_map(plane_words));
    lower(
        module,
        target,
        words,
        |_| true,
        |m, p, stage| {
            if let Some(own) = find(&stage.arrays, DistanceKind::Clip) {
                let message = "the shader already writes clip distances";
                return refuse(&code::CLIP_OWN_DISTANCES, message, own.register.variable);
            }
            let vertex = stage.vertex(m, planes.vertex)?;
            let block = stage.words(m, p, "polyshade_planes")?;
            let counted = (DistanceKind::Clip, planes.count);
            let array = distance_array(p, stage.entry, StorageClass::OUTPUT, counted, None);
            for number in 0..planes.count {
                stage.export_dot(p, number, array, vertex, &block);
            }
            Ok(planes.count)
        },
    )
}

/// The last stage before rasterization, while it is patched.
struct LastStage<'s, 'm> {
    entry: EntryPoint<'m>,
    target: &'s Target,
    /// The host parameters, if any.
    words: &'s [HostParams],
    arrays: Vec<Array>,
    sites: Sites<'m>,
}

fn lower<'g>(
    module: &'g Module<'_>,
    target: &Target,
    words: Vec<HostParams>,
    is_needed: impl Fn(&[Array]) -> bool,
    edit: impl for<'m, 'w> Fn(
        &'m Module<'w>,
        &mut Patch<'m, 'w>,
        &LastStage<'_, 'm>,
    ) -> Result<u32, Error>,
) -> Result<Lowered<'g, StageDistances>, Error> {
    let frame = Frame::new(module, target, &STAGES)?;
    let version = prepare_builtins(&frame, frame.isolated(), &[StorageClass::OUTPUT])?;
    let next = frame.rewrite(&version, |m, p, entry| {
        let arrays = arrays(m, p, entry, StorageClass::OUTPUT)?;
        let cull = count(&arrays, DistanceKind::Cull);
        if !is_needed(&arrays) {
            limits::check(target, [0, cull])?;
            return Ok((0, cull));
        }
        let sites = Sites::new(m, p, entry);
        let stage = LastStage { entry, target, words: &words, arrays, sites };
        let clip = edit(m, p, &stage)?;
        limits::check(target, [clip, cull])?;
        Ok((clip, cull))
    })?;
    let (clip, cull) = next.value;
    // Without clip distances to mask, no code reads the host parameters.
    let words = if clip > 0 { words } else { Vec::new() };
    let mut requirements = requirements([clip, cull]);
    requirements.read(&words, frame.model());
    requirements.need_push_constants();
    let result = StageDistances { outputs: [clip, cull].into(), ..Default::default() };
    let (module, progress) = (next.module, next.progress);
    Ok(frame.lowered(Lowered { module, progress, params: words, requirements, result }))
}

const STAGES: Stages = Stages {
    models: position::STAGES.models,
    otherwise: "does not export one vertex at a time to rasterization",
};

/// The output that is multiplied by the planes to get the distances.
#[derive(Clone, Copy)]
enum Vertex {
    Builtin(FoundBuiltin),
    Variable(Id),
}

/// The mask of enabled planes.
#[derive(Clone)]
enum Mask<'w> {
    Value(Id),
    HostParam(ParamReader<'w>, &'static str),
}

impl<'s, 'm> LastStage<'s, 'm> {
    /// Adds the host parameters, in a block with this name.
    fn words<'w>(
        &self,
        m: &'m Module<'w>,
        p: &mut Patch<'m, 'w>,
        name: &str,
    ) -> Result<ParamReader<'s>, Error> {
        rewrite::host_params(m, p, self.entry, self.target.reservations(), self.words, name)
    }

    fn mask<'w>(
        &self,
        m: &'m Module<'w>,
        p: &mut Patch<'m, 'w>,
        enabled: Value<u32>,
    ) -> Result<Mask<'s>, Error> {
        Ok(match enabled {
            Value::Fixed(mask) => Mask::Value(p.uint_constant(mask)),
            Value::Param(place) => Mask::HostParam(self.words(m, p, NAME)?, mask_word(place)),
        })
    }

    /// Emits the store of one clip distance, or of 0 if its plane is disabled.
    ///
    /// ```text
    /// %bit     = OpBitwiseAnd %uint %mask %uint_4
    /// %is_on   = OpINotEqual %bool %bit %uint_0
    /// %written = OpLoad %float %private
    /// %masked  = OpSelect %float %is_on %written %float_0
    ///            OpStore %to %masked
    /// ```
    fn export_masked(
        &self,
        p: &mut Patch<'m, '_>,
        number: u32,
        (from, to): (Id, Id),
        mask: &Mask<'_>,
        copy: Option<&[(Id, u32)]>,
    ) {
        let at = self.sites.at_exports;
        let (uint, bool, float) = (p.uint(), p.bool(), p.float());
        let (zero, none) = (p.float_constant(0.0), p.uint_constant(0));
        let bit = p.uint_constant(1_u32.checked_shl(number).unwrap_or(0));
        let mut code = p.at(at);
        let from = pointer(&mut code, StorageClass::PRIVATE, from, &[number]);
        let to = pointer(&mut code, StorageClass::OUTPUT, to, &[number]);
        let mask = match mask {
            Mask::Value(mask) => *mask,
            Mask::HostParam(host, name) => host.load(&mut code, name),
        };
        let bit = code.binary(Op::BITWISE_AND, uint, mask, bit);
        let is_on = code.binary(Op::I_NOT_EQUAL, bool, bit, none);
        let written = code.load(float, from);
        let masked = code.select(float, is_on, written, zero);
        code.store(to, masked);
        if let Some(registers) = copy {
            let (register, width) = registers[number as usize / 4];
            let path = [number % 4];
            let path: &[u32] = if width == 1 { &[] } else { &path };
            let place = pointer(&mut code, StorageClass::OUTPUT, register, path);
            code.store(place, written);
        }
    }

    /// Adds output vectors from `location` on for the original clip distances. They get the transform feedback
    /// decorations of the array.
    fn export_original(
        &self,
        m: &'m Module<'_>,
        p: &mut Patch<'m, '_>,
        clip: &Array,
        location: u32,
    ) -> Result<Vec<(Id, u32)>, Error> {
        let captured = |decoration| m.decoration(clip.register.variable, decoration);
        let mut registers = Vec::new();
        for register in 0..clip.count.div_ceil(4) {
            let place = RegisterPlace {
                entry: self.entry,
                class: StorageClass::OUTPUT,
                target: self.target,
                location: behind(location, register)?,
                interpolation: &[],
            };
            let named = ("as_written", clip.count, register);
            let (variable, width) = add_register(m, p, place, named, None)?;
            for decoration in [Decoration::XFB_BUFFER, Decoration::XFB_STRIDE] {
                if let Some(operands) = captured(decoration) {
                    p.decorate(variable, decoration, operands);
                }
            }
            if let Some([offset, ..]) = captured(Decoration::OFFSET) {
                let offset = offset.saturating_add(16 * register);
                p.decorate(variable, Decoration::OFFSET, &[offset]);
            }
            registers.push((variable, width));
        }
        Ok(registers)
    }

    /// Finds the output for the dot products: the position, or the `vec4` at `location`.
    fn vertex(&self, m: &'m Module<'_>, location: Option<u32>) -> Result<Vertex, Error> {
        let (found, what) = match location {
            None => {
                let class = StorageClass::OUTPUT;
                let found = rewrite::find_builtin(m, self.entry, class, BuiltIn::POSITION);
                (found.map(|found| (Vertex::Builtin(found), found.ty)), "no position".to_owned())
            }
            Some(location) => {
                let is_vertex = |id: &Id| {
                    m.decoration(*id, Decoration::LOCATION) == Some(&[location])
                        && m.decoration(*id, Decoration::COMPONENT).is_none_or(|first| first == [0])
                };
                let outputs = rewrite::interface(m, self.entry, StorageClass::OUTPUT);
                let found = outputs.into_iter().find(is_vertex);
                let typed = found.and_then(|id| Some((id, m.pointer(m.type_of(id)?)?.1)));
                let found = typed.map(|(id, ty)| (Vertex::Variable(id), ty));
                (found, format!("no vec4 output at location {location}"))
            }
        };
        match found {
            Some((vertex, ty)) if position::is_vec4(m, ty) => Ok(vertex),
            _ => {
                let message =
                    format!("cannot compute distances to clip planes: the shader has {what}");
                Err(Error::new(&code::CLIP_VERTEX_NOT_FOUND, message))
            }
        }
    }

    /// Emits the store of the distance to one plane.
    ///
    /// ```text
    /// %vertex   = OpLoad %v4float %gl_Position
    /// %x        = OpBitcast %float %word
    /// %plane    = OpCompositeConstruct %v4float %x %y %z %w
    /// %distance = OpDot %float %vertex %plane
    ///             OpStore %to %distance
    /// ```
    fn export_dot(
        &self,
        p: &mut Patch<'m, '_>,
        number: u32,
        array: Id,
        vertex: Vertex,
        host: &ParamReader<'_>,
    ) {
        let at = self.sites.at_exports;
        let float = p.float();
        let vector = p.vector(float, 4);
        let mut code = p.at(at);
        let to = pointer(&mut code, StorageClass::OUTPUT, array, &[number]);
        let vertex = match vertex {
            Vertex::Builtin(found) => found.pointer(&mut code),
            Vertex::Variable(variable) => variable,
        };
        let vertex = code.load(vector, vertex);
        let axes = [0, 1, 2, 3].map(|axis| {
            let word = host.load_number(&mut code, number * 4 + axis);
            code.bitcast(float, word)
        });
        let plane = code.construct(vector, &axes);
        let distance = code.binary(Op::DOT, float, vertex, plane);
        code.store(to, distance);
    }
}
