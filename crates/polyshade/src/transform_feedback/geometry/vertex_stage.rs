//! Makes the vertex stage of draws that capture a geometry stage.

use crate::code;
use crate::host::{Lowered, Requirements, SideEffects, Target};
use crate::rewrite::{self, Frame, Stages};
use crate::transform_feedback::effects::{Effects, Pass};
use crate::transform_feedback::spilled_output::{OutputPlace, SpilledOutput};
use crate::transform_feedback::{Layout, Options, native_xfb, with_others};
use polyshade_spv::view::EntryPoint;
use polyshade_spv::{BuiltIn, Error, ExecutionModel, Module, Patch};

const STAGES: Stages =
    Stages { models: &[ExecutionModel::VERTEX], otherwise: "does not precede a geometry stage" };

/// Makes the vertex stage for the draws of [`count`](super::count) and [`capture`](super::capture), if they remain
/// geometry stages. It has one output more: a 32-bit integer with `InstanceIndex`, at the first location that is
/// neither used nor [reserved](Target::reserved). With [`Options::one_instance`] there is no such output.
///
/// Options for outputs, buffers and topologies do not matter here. The geometry stage gets no resources that this
/// stage uses.
///
/// # Errors
///
/// `Unsupported`: options for a [compute stage](Options::compute); stores of the shader to memory, unless the options
/// keep them [in the original draw](SideEffects::InSecondPass); no free location within the device's limit of output
/// components.
pub fn vertex<'m>(
    module: &'m Module<'_>,
    target: impl Into<Target>,
    options: &Options,
) -> Result<Lowered<'m, Layout>, Error> {
    let frame = Frame::specialized(module, &target.into(), &STAGES, &options.constants)?;
    if options.draws.compute {
        let message = "cannot make a vertex stage for draws: the options are for a compute stage";
        let error = Error::new(&code::GEOMETRY_OPTION, message);
        return Err(error.help("prepare a compute stage with transform_feedback::prepare"));
    }
    // Both draws that count and capture would have the side effects.
    let side_effects = match options.side_effects {
        SideEffects::InSecondPass => SideEffects::InSecondPass,
        SideEffects::InFirstPass | SideEffects::Refuse => SideEffects::Refuse,
    };
    let version = frame.isolated();
    let edited = frame.rewrite(version, |m, p, entry| {
        native_xfb::strip(m, p, entry);
        let effects = Effects::find(m, entry);
        let settled = effects.settle(m, p, side_effects, Pass::Capture);
        settled.map_err(|error| match *error.code() == code::SIDE_EFFECTS_UNASSIGNED {
            true => {
                error.help("only the original draw, the second pass, can keep the side effects")
            }
            false => error,
        })?;
        // Count and capture must take the same branches, so their inputs must be the same.
        effects.forbid_contraction(m, p);
        Ok(match options.draws.one_instance {
            true => None,
            false => Some(pass_instance(m, p, entry, frame.target())?),
        })
    })?;
    let (module, progress, location) = frame.finish(edited);
    let mut requirements = with_others(&frame, version, Requirements::default())?;
    if let Some(location) = location {
        requirements.need_outputs(ExecutionModel::VERTEX, location + 1);
    }
    let mut layout = Layout::new(Vec::new());
    // The draws have one pipeline layout for both stages.
    layout.in_use = Some(Box::new(rewrite::resources_of(version, frame.entry(version)?)));
    layout.spilled.extend(location.map(|location| SpilledOutput {
        place: OutputPlace::Instance { location },
        offset: 0,
        components: 1,
    }));
    Ok(Lowered { module, progress, params: Vec::new(), requirements, result: layout })
}

/// Adds the output for the number of the instance, and returns its location.
fn pass_instance<'m>(
    m: &'m Module<'_>,
    p: &mut Patch<'m, '_>,
    entry: EntryPoint<'m>,
    target: &Target,
) -> Result<u32, Error> {
    let end = target.device_limits().output_components / 4;
    let mut free = rewrite::free_output_locations(m, entry, target.reservations(), end);
    let location = free.next().ok_or_else(|| {
        let message =
            format!("cannot pass the number of the instance: no location below {end} is free");
        let error = Error::new(&code::INTERFACE_NO_FREE_LOCATION, message).about(entry.function());
        error.help(
            "specify the device's limit of output components, or restrict draws to one instance",
        )
    })?;
    let uint = p.uint();
    let output = rewrite::add_output(p, entry, location, uint, "polyshade_instance");
    let at = rewrite::wrap(m, p, entry).prologue;
    let index = rewrite::load_integer_builtin(m, p, entry, (BuiltIn::INSTANCE_INDEX, uint), at);
    p.at(at).store(output, index);
    Ok(location)
}
