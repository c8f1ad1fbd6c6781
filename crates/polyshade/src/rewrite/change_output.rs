//! Changes a built-in output where it is exported, after transform feedback has captured the original value.

use super::builtin::called;
use super::{FoundBuiltin, Frame, Lowering, find_output, map_stores};
use crate::code;
use crate::host::{Changed, HostParams, Lowered, Requirements, Target};
use polyshade_spv::view::EntryPoint;
use polyshade_spv::{
    BuiltIn, Decoration, Error, ExecutionMode, Id, Module, Patch, Position, StorageClass,
};

/// Returns a version of `module` that passes the built-in output `lowering.changes` through a function. `emit` emits
/// the function, `T f(T)` for an output of type `T`, or fails. A stage without the output does not change.
///
/// The function is called at the [export points](super::export_points()) of the output's vertex stream. For a
/// per-vertex output of a tessellation control or mesh stage, it is called [at every store](super::map_stores()).
///
/// Records the lowering in a note in the module. Fails if the module already has that note.
///
/// # Errors
///
/// The errors of [`lower`](super::lower()) and of `emit`; `Unsupported`: the extension captures the output, and no
/// location is free.
///
/// # Panics
///
/// If `lowering` changes no output.
pub fn change_output<'m>(
    module: &'m Module<'_>,
    target: &Target,
    lowering: &Lowering,
    words: Vec<HostParams>,
    emit: impl for<'e, 'x> FnOnce(
        &'e Module<'x>,
        &mut Patch<'e, 'x>,
        EntryPoint<'e>,
        FoundBuiltin,
        &[HostParams],
    ) -> Result<Id, Error>,
) -> Result<Lowered<'m, Changed>, Error> {
    let builtin = lowering.changes.expect("the lowering changes an output");
    let frame = Frame::new(module, target, &lowering.stages)?;
    let next = frame.rewrite(frame.isolated(), |m, p, entry| {
        lowering.check_not_done(m, entry)?;
        let Some(output) = find_output(m, entry, builtin) else { return Ok(None) };
        let change = Change { m, entry, target, output };
        let location = change.queue(p, |p| emit(m, p, entry, output, &words))?;
        lowering.stamp(p, entry);
        Ok(Some((Changed { location }, requirements(m, entry, location, &words))))
    })?;
    let (module, progress, changed) = frame.finish(next);
    let (words, (result, requirements)) = match changed {
        Some(changed) => (words, changed),
        None => (Vec::new(), (Changed::default(), Requirements::default())),
    };
    Ok(Lowered { module, progress, params: words, requirements, result })
}

/// The change of one output.
struct Change<'s, 'm, 'w> {
    m: &'m Module<'w>,
    entry: EntryPoint<'m>,
    target: &'s Target,
    output: FoundBuiltin,
}

impl<'m, 'w> Change<'_, 'm, 'w> {
    /// Queues the change, and returns the location of the added output that is captured instead, if there is one.
    fn queue(
        &self,
        p: &mut Patch<'m, 'w>,
        emit: impl FnOnce(&mut Patch<'m, 'w>) -> Result<Id, Error>,
    ) -> Result<Option<u32>, Error> {
        if self.output.per_vertex {
            let function = emit(p)?;
            map_stores(self.m, p, self.output, function)?;
            return Ok(None);
        }
        let points = super::export_points(self.m, p, self.entry)?;
        let stream = self.output.decoration_value(self.m, Decoration::STREAM).unwrap_or(0);
        let (at, back) = points.around_exports(p, Some(stream));
        let location = self.keep_captured(p, stream, at)?;
        let function = emit(p)?;
        self.export(p, function, at, back);
        Ok(location)
    }

    /// Emits the change. After an emitted vertex, the output gets its original value back, because the shader may
    /// rely on it.
    ///
    /// ```text
    /// %old = OpLoad %v4float %gl_Position
    ///        OpStore %kept %old                ; in a geometry stage
    /// %new = OpFunctionCall %v4float %function %old
    ///        OpStore %gl_Position %new
    ///
    /// %old = OpLoad %v4float %kept             ; after the emit
    ///        OpStore %gl_Position %old
    /// ```
    fn export(
        &self,
        p: &mut Patch<'m, '_>,
        function: Id,
        at: Position<'m>,
        back: Option<Position<'m>>,
    ) {
        let ty = self.output.ty;
        let kept = back.map(|_| {
            let kept = p.variable(StorageClass::PRIVATE, ty, None);
            super::add_to_interface(self.m, p, self.entry, kept);
            kept
        });
        let mut code = p.at(at);
        let pointer = self.output.pointer(&mut code);
        let old = code.load(ty, pointer);
        if let Some(kept) = kept {
            code.store(kept, old);
        }
        let new = code.call(ty, function, &[old]);
        code.store(pointer, new);
        if let (Some(kept), Some(back)) = (kept, back) {
            let mut code = p.at(back);
            let pointer = self.output.pointer(&mut code);
            let old = code.load(ty, kept);
            code.store(pointer, old);
        }
    }

    /// Adds a copy of the original output, if `VK_EXT_transform_feedback` captures it. The copy is captured instead.
    /// Returns its location.
    ///
    /// ```text
    /// %old = OpLoad %v4float %gl_Position
    ///        OpStore %polyshade_position %old
    /// ```
    fn keep_captured(
        &self,
        p: &mut Patch<'m, '_>,
        stream: u32,
        at: Position<'m>,
    ) -> Result<Option<u32>, Error> {
        const XFB: [Decoration; 3] =
            [Decoration::XFB_BUFFER, Decoration::XFB_STRIDE, Decoration::OFFSET];
        let Self { m, entry, target, output } = *self;
        // An offset of a different member does not apply to this output.
        let offset = output.own_decoration_value(m, Decoration::OFFSET);
        let [Some(buffer), Some(stride), Some(offset)] =
            [output.decoration_value(m, XFB[0]), output.decoration_value(m, XFB[1]), offset]
        else {
            return Ok(None);
        };
        if m.mode(entry.function(), ExecutionMode::XFB).is_none() {
            return Ok(None);
        }

        let end = target.device_limits().output_components / 4;
        let location = super::free_output_locations(m, entry, target.reservations(), end).next();
        let location = location.ok_or_else(|| {
            let what = called(output.builtin);
            let message = format!(
                "{what} is captured, but no location below {end} is free for the original value"
            );
            Error::new(&code::INTERFACE_NO_FREE_LOCATION, message)
                .about(output.variable)
                .help("specify the device's limit of output components")
        })?;
        // Move the decorations of the capture to the shadow output.
        match (output.member, m.pointee(output.variable)) {
            (Some(member), Some(block)) => p.undecorate(block, |other, decoration| {
                other == Some(member) && XFB.contains(&decoration)
            }),
            _ => p.undecorate(output.variable, |_, decoration| XFB.contains(&decoration)),
        }
        let shadow = super::add_output(p, entry, location, output.ty, &shadow_name(output.builtin));
        for (decoration, value) in XFB.into_iter().zip([buffer, stride, offset]) {
            p.decorate(shadow, decoration, &[value]);
        }
        if stream != 0 {
            p.decorate(shadow, Decoration::STREAM, &[stream]);
        }
        let mut code = p.at(at);
        let pointer = output.pointer(&mut code);
        let old = code.load(output.ty, pointer);
        code.store(shadow, old);
        Ok(Some(location))
    }
}

/// Returns the name of the output that is captured instead of a built-in output.
fn shadow_name(builtin: BuiltIn) -> String {
    match builtin {
        BuiltIn::POSITION => "polyshade_position".to_owned(),
        _ => format!("polyshade_{builtin}"),
    }
}

fn requirements<'m>(
    m: &'m Module<'_>,
    entry: EntryPoint<'m>,
    location: Option<u32>,
    words: &[HostParams],
) -> Requirements {
    let mut requirements = Requirements::default();
    requirements.read(words, entry.model());
    if let Some(location) = location {
        let end = super::end_of_output_locations(m, entry).max(location.saturating_add(1));
        requirements.need_outputs(entry.model(), end);
    }
    requirements.need_push_constants();
    requirements
}
