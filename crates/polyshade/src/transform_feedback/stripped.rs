//! Removes transform feedback from a module, for drivers without `VK_EXT_transform_feedback`.

use super::native_xfb;
use crate::code;
use crate::rewrite;
use polyshade_spv::view::{Decorate, MemberDecorate, Mode};
use polyshade_spv::{Capability, Decoration, Error, ExecutionMode, Module, Op, Patch, Section};

/// Removes transform feedback from the module: the `Xfb` modes of entry points, the decorations that select outputs,
/// and the capability. Also removes all vertex streams except the stream `rasterized`, which becomes stream 0, so the
/// rasterized primitives stay the same. A module without transform feedback whose stream 0 is rasterized stays
/// unchanged.
///
/// # Errors
///
/// * `Limit`: an intermediate version of the module exceeds the maximum size of a module.
/// * `Unsupported`: a specialization constant selects a vertex stream.
pub fn strip<'m>(module: &'m Module<'_>, rasterized: u32) -> Result<Module<'m>, Error> {
    let mut current = module.borrowed();
    if module.has_capability(Capability::GEOMETRY_STREAMS) || rasterized != 0 {
        let rewritten = current.rewrite(|m, p| strip_streams(m, p, rasterized))?;
        current = rewritten.module.into_owned();
    }
    // Each new version strips one entry point. The last version also lacks the capability.
    while let Some(index) = next_with_capture(&current) {
        let rewritten = current.rewrite(|m, p| {
            if let Some(entry) = m.entry_points().nth(index) {
                native_xfb::strip(m, p, entry);
            }
            Ok(())
        })?;
        current = rewritten.module.into_owned();
    }
    Ok(current)
}

/// Makes geometry stages emit the stream `rasterized` to stream 0, and removes the other streams.
fn strip_streams<'m>(
    m: &'m Module<'_>,
    p: &mut Patch<'m, '_>,
    rasterized: u32,
) -> Result<(), Error> {
    for inst in m.instructions() {
        let plain = match rewrite::is_emit(inst) {
            true => Op::EMIT_VERTEX,
            false if rewrite::is_cut(inst) => Op::END_PRIMITIVE,
            false => continue,
        };
        let stream = rewrite::vertex_stream(m, inst).ok_or_else(|| {
            let message = "the vertex stream of an instruction is a specialization constant";
            Error::new(&code::CAPTURE_SPECIALIZED_STREAM, message).at(inst.at())
        })?;
        if stream == rasterized && inst.op() == plain {
            continue;
        }
        if stream == rasterized {
            p.insert(inst.before(), plain, &[]);
        }
        p.remove(inst);
    }
    for inst in m.section(Section::Annotations) {
        let of_whole = Decorate::of(inst).map(|one| one.decoration());
        let decoration = of_whole.or_else(|| MemberDecorate::of(inst).map(|one| one.decoration()));
        if decoration == Some(Decoration::STREAM) {
            p.remove(inst);
        }
    }
    rewrite::remove_capabilities(m, p, |capability| capability == Capability::GEOMETRY_STREAMS);
    // The removed capability `GeometryStreams` implied `Geometry`.
    p.capability(Capability::GEOMETRY);
    Ok(())
}

/// Returns the index of an entry point that captures. If no entry point captures but the capability is declared,
/// returns 0.
fn next_with_capture(m: &Module<'_>) -> Option<usize> {
    let modes = || m.section(Section::ExecutionModes).filter_map(Mode::of);
    let captures = |function| {
        modes().any(|mode| mode.mode() == ExecutionMode::XFB && mode.entry_point() == function)
    };
    let found = m.entry_points().position(|entry| captures(entry.function()));
    let any = || {
        (m.has_capability(Capability::TRANSFORM_FEEDBACK) && m.entry_points().len() > 0)
            .then_some(0)
    };
    found.or_else(any)
}

#[cfg(test)]
mod tests {
    use super::*;
    use polyshade_spv::Op;

    /// Returns the words of one instruction.
    fn inst(op: u32, operands: &[u32]) -> Vec<u32> {
        let mut words = vec![(operands.len() as u32 + 1) << 16 | op];
        words.extend(operands);
        words
    }

    /// Returns a module with `entries` empty vertex shaders that share an output. The first `capturing` of them
    /// capture it.
    fn module(entries: u32, capturing: u32) -> Vec<u32> {
        let (void, function, float, pointer, output) = (1, 2, 3, 4, 5);
        let main = |i: u32| 10 + 2 * i;
        let mut words = vec![0x0723_0203, 0x1_0000, 0, 100, 0];
        for capability in [1, 53] {
            words.extend(inst(17, &[capability]));
        }
        words.extend(inst(14, &[0, 1]));
        for i in 0..entries {
            words.extend(inst(15, &[0, main(i), u32::from(b'a') + i, output]));
        }
        for i in 0..capturing {
            words.extend(inst(16, &[main(i), 11]));
        }
        for (decoration, value) in [(36, 0), (37, 4), (35, 0), (30, 0)] {
            words.extend(inst(71, &[output, decoration, value]));
        }
        words.extend(inst(19, &[void]));
        words.extend(inst(33, &[function, void]));
        words.extend(inst(22, &[float, 32]));
        words.extend(inst(32, &[pointer, 3, float]));
        words.extend(inst(59, &[pointer, output, 3]));
        for i in 0..entries {
            words.extend(inst(54, &[void, main(i), 0, function]));
            words.extend(inst(248, &[main(i) + 1]));
            words.extend(inst(253, &[]));
            words.extend(inst(56, &[]));
        }
        words
    }

    /// Returns the number of instructions for transform feedback.
    fn feedback_instructions(m: &Module<'_>) -> usize {
        m.instructions()
            .filter(|inst| match inst.op() {
                Op(17) => inst.words()[1] == 53,
                Op(16) => inst.words()[2] == 11,
                Op(71) => [35, 36, 37].contains(&inst.words()[2]),
                _ => false,
            })
            .count()
    }

    #[test]
    fn nothing_of_transform_feedback_is_left_whoever_captures() {
        for (entries, capturing) in [(1, 1), (3, 3), (3, 1), (2, 0)] {
            let words = module(entries, capturing);
            let parsed = Module::parse(&words).expect("the module is one");
            assert_eq!(feedback_instructions(&parsed), 4 + capturing as usize);
            let stripped = strip(&parsed, 0).expect("it can be stripped");
            assert_eq!(
                feedback_instructions(&stripped),
                0,
                "{entries} entry points, {capturing} of which capture"
            );
            let located = stripped.instructions().filter(|inst| inst.op() == Op(71)).count();
            assert_eq!(located, 1, "the location stays");
            assert_eq!(stripped.entry_points().len(), entries as usize);
        }
    }

    #[test]
    fn a_module_without_it_stays_as_it_is() {
        let words = module(0, 0);
        let parsed = Module::parse(&words).expect("the module is one");
        assert_eq!(strip(&parsed, 0).expect("nothing is done").words(), words);
    }
}
