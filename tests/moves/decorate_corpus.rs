//! Every shader of a corpus, where there is one beside the project, is captured by the extension, converted and
//! discarded: valid again, or refused by name.

use crate::eliminate_corpus::corpus;
use polyshade::depth_convention::{self, Rotation, Switch};
use polyshade::rasterizer_discard::{self, When};
use polyshade::spv::view::EntryPoint;
use polyshade::transform_feedback::{self, Options, Varying};
use polyshade::{Error, ErrorKind, Module, Reserved};
use polyshade_spv::ExecutionModel;
use polyshade_tests::shader::validate;

const STAGES: [ExecutionModel; 3] =
    [ExecutionModel::VERTEX, ExecutionModel::TESSELLATION_EVALUATION, ExecutionModel::GEOMETRY];

/// Numbers that no shader of a corpus has.
const IDS: [u32; 3] = [70_001, 70_002, 70_003];

/// All outputs of an entry point that can be captured, the last one first, so that little is in the order of a block.
fn decorated(m: &Module<'_>, entry: EntryPoint<'_>) -> Result<Vec<u32>, Error> {
    let all = transform_feedback::capturable(m, entry).into_iter().rev();
    let varyings: Vec<Varying> =
        all.filter(|one| one.components.is_ok()).map(|one| one.varying).collect();
    let options = Options::new(entry.name())
        .stage(entry.model())
        .interleaved(varyings)
        .max_output_components(512);
    Ok(transform_feedback::decorate(m, &options)?.module.into_words())
}

/// The same with its position converted, and then discarded.
fn changed(m: &Module<'_>, entry: EntryPoint<'_>) -> Result<Vec<u32>, Error> {
    let reserved = Reserved::new().location(1);
    let options = depth_convention::Options::new(entry.name())
        .stage(entry.model())
        .depth(Switch::On)
        .flip_y(Switch::Specialization(IDS[0]))
        .rotation(Rotation::Specialization(IDS[1]))
        .reserved(reserved.clone())
        .max_output_components(512);
    let converted = depth_convention::convert(m, &options)?.module.into_words();
    let converted = Module::parse(&converted)?;
    let options = rasterizer_discard::Options::new(entry.name())
        .stage(entry.model())
        .when(When::Specialization(IDS[2]))
        .reserved(reserved)
        .max_output_components(512);
    Ok(rasterizer_discard::lower(&converted, &options)?.module.into_words())
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
                // There is nothing to capture, or of several vertex streams.
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
