//! The page's SPIR-V words and WGSL, compared with the library of this build.

use crate::check;
use crate::page::{Case, Report};
use libtest_mimic::Failed;
use polyshade::host::Target;
use polyshade::recipe::{self, Recipe};
use polyshade::transform_feedback::{self, Options, Variant};
use polyshade::{Error, Module};
use polyshade_formats::SpirvVersion;
use polyshade_formats::wgsl::{self, Wgsl};
use serde::Deserialize;

/// The options as the page writes them.
#[derive(Deserialize)]
struct Wanted {
    recipe: Recipe,
    dispatch: Option<Options>,
}

/// The minimum number of cases: the WGSL example with every lowering.
const FEWEST: usize = 11;

pub(crate) fn are_the_librarys(report: &Report) -> Result<(), Failed> {
    check(report.cases.len() >= FEWEST, || format!("there are {} cases", report.cases.len()))?;
    let faults: Vec<String> = report.cases.iter().filter_map(|case| differs(case).err()).collect();
    check(faults.is_empty(), || faults.join("\n"))?;
    // Each lowering supports some example, and some lowerings refuse some.
    let made = report.cases.iter().filter(|case| case.after.is_some()).count();
    check(made * 2 > report.cases.len(), || format!("{made} of {} are made", report.cases.len()))
}

/// The control: the page gets a module with a different generator word, which all lowerings keep.
pub(crate) fn a_flipped_bit_is_noticed(report: &Report) -> Result<(), Failed> {
    let found = differs(&report.flipped);
    check(found.as_ref().is_err_and(|fault| fault.contains("word 2 of stage 0")), || {
        format!("{found:?}")
    })
}

/// Returns an error if the page's result differs from the library's.
fn differs(case: &Case) -> Result<(), String> {
    let Case { example, lowering, .. } = case;
    let fault = |what: String| Err(format!("{example}, {lowering}: {what}"));
    // The WGSL compiles to the same words.
    if let Some(source) = &case.source {
        for (stage, source) in source.iter().enumerate() {
            let read = wgsl::read(source, "stage", SpirvVersion::SPIRV1_3);
            let read = read.map_err(|error| error.to_string())?;
            if let Some(at) = first_difference(&read, &case.words[stage]) {
                return fault(format!("word {at} of stage {stage}, before"));
            }
        }
    }
    // The lowering gives the same words, or the same fault.
    let after = match (lower(case), &case.after) {
        (Err(error), None) => {
            let is_same = case.fault.as_deref() == Some(error.message());
            let found = &case.fault;
            return if is_same { Ok(()) } else { fault(format!("{found:?}, and not {error}")) };
        }
        (Ok(native), Some(after)) => {
            for (stage, (native, page)) in native.iter().zip(after).enumerate() {
                if let Some(at) = first_difference(native, page) {
                    return fault(format!("word {at} of stage {stage}"));
                }
            }
            after
        }
        (native, page) => {
            let page = page.as_ref().map(Vec::len);
            return fault(format!("{native:?} here and {page:?}, {:?} there", case.fault));
        }
    };
    // The library prints the words as the same WGSL.
    for (number, (words, text)) in
        case.words.iter().chain(after).zip(case.texts.iter().flatten()).enumerate()
    {
        let native = wgsl::write(words, &Wgsl::default()).ok().map(|text| text.source);
        if native != *text {
            return fault(format!("text {number}"));
        }
    }
    Ok(())
}

fn first_difference(one: &[u32], other: &[u32]) -> Option<usize> {
    let same = one.iter().zip(other).take_while(|(one, other)| one == other).count();
    (same < one.len().max(other.len())).then_some(same)
}

/// Returns the library's result for the stages.
fn lower(case: &Case) -> Result<Vec<Vec<u32>>, Error> {
    let wanted: Wanted = serde_json::from_str(&case.wanted).expect("the page read it");
    let modules: Vec<Module<'_>> =
        case.words.iter().map(|words| Module::parse(words)).collect::<Result<_, _>>()?;
    let target = |module: &Module<'_>| {
        let entry = module.entry_points().next().expect("the page found one");
        Target::new(entry.name()).stage(entry.model())
    };
    let stages: Vec<_> = modules.iter().map(|module| (module, target(module))).collect();
    let lowered = recipe::lower(&stages, &wanted.recipe)?;
    let mut words: Vec<Vec<u32>> =
        lowered.iter().map(|stage| stage.module.words().to_vec()).collect();
    if let Some(options) = wanted.dispatch {
        let vertex = &lowered[0].module;
        let prepared = transform_feedback::prepare(vertex, target(vertex), &options.compute())?;
        words[0] = prepared.variant(Variant::CaptureOnly)?.module.into_words();
    }
    Ok(words)
}
