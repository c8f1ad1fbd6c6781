//! Captures every shader of the corpus by the extension, converts its position and discards its primitives. The
//! result must be valid or refused. Without a corpus next to the project, the test does nothing.

use crate::dce_corpus::corpus;
use polyshade::clip_space;
use polyshade::host::{Device, ParamSource, Reserved, Target, Value};
use polyshade::rasterizer_discard;
use polyshade::spv::view::EntryPoint;
use polyshade::transform_feedback::{self, Options, Varying};
use polyshade::{Error, ErrorKind, Module};
use polyshade_spv::ExecutionModel;
use polyshade_tests::shader::validate;

const STAGES: [ExecutionModel; 3] =
    [ExecutionModel::VERTEX, ExecutionModel::TESSELLATION_EVALUATION, ExecutionModel::GEOMETRY];

/// Specialization constant ids that no shader of a corpus uses.
const IDS: [u32; 3] = [70_001, 70_002, 70_003];

/// Returns the entry point as a target, on a device with many output components.
fn target(entry: EntryPoint<'_>) -> Target {
    let mut device = Device::default();
    device.output_components = 512;
    Target::new(entry.name()).stage(entry.model()).device(device)
}

/// Captures all outputs that can be captured in reverse order, so that few of them are in the order of a block.
fn decorated(m: &Module<'_>, entry: EntryPoint<'_>) -> Result<Vec<u32>, Error> {
    let all = transform_feedback::capturable(m, entry).into_iter().rev();
    let varyings: Vec<Varying> =
        all.filter(|(_, components)| components.is_ok()).map(|(varying, _)| varying).collect();
    let options = Options::new().interleaved(varyings);
    Ok(transform_feedback::decorate(m, target(entry), &options)?.module.into_words())
}

/// Returns the module with its position converted, and then discarded.
fn changed(m: &Module<'_>, entry: EntryPoint<'_>) -> Result<Vec<u32>, Error> {
    let target = target(entry).reserved(Reserved::new().location(1));
    let options = clip_space::Options::new()
        .depth(true)
        .flip_y(Value::Param(ParamSource::Specialization { first_id: IDS[0] }))
        .rotation(Value::Param(ParamSource::Specialization { first_id: IDS[1] }));
    let converted = clip_space::lower(m, &target, &options)?.module.into_words();
    let converted = Module::parse(&converted)?;
    let options = rasterizer_discard::Options::new()
        .when(Value::Param(ParamSource::Specialization { first_id: IDS[2] }));
    Ok(rasterizer_discard::lower(&converted, &target, &options)?.module.into_words())
}

#[test]
fn corpus_is_captured_converted_and_discarded() {
    let mut faults = Vec::new();
    let mut done = 0;
    for (path, words) in corpus() {
        let m = Module::parse(&words).expect("it is valid");
        for entry in m.entry_points().filter(|entry| STAGES.contains(&entry.model())) {
            let captured = match decorated(&m, entry) {
                Ok(captured) => captured,
                // Either no output can be captured, or the outputs belong to several vertex streams.
                Err(error)
                    if matches!(error.kind(), ErrorKind::Options | ErrorKind::Unsupported) =>
                {
                    words.clone()
                }
                Err(error) => {
                    faults.push(format!("{}: {error}", path.display()));
                    continue;
                }
            };
            let next = Module::parse(&captured).expect("it can be read");
            let again = next.entry_point(&entry.name(), entry.model()).expect("it is there");
            let fault = match changed(&next, again) {
                Ok(changed) => validate(&captured).and_then(|()| validate(&changed)).err(),
                Err(error) if error.kind() == ErrorKind::Unsupported => None,
                Err(error) => Some(error.to_string()),
            };
            done += usize::from(fault.is_none());
            faults.extend(fault.map(|fault| format!("{}: {fault}", path.display())));
        }
    }
    assert!(faults.is_empty(), "{} faults, {done} done\n{}", faults.len(), faults.join("\n"));
}
