//! Reports the result of a comparison as JSON and as text.

use crate::code;
use polyshade::spv::Code;
use polyshade_verify::{Difference, NO_DEFINED_COLOUR, Phase, Value as Bits, Verdict};
use polyshade_vulkan::Capabilities;
use serde_json::{Value, json};

/// Version of the report's structure, which increases when a field is removed or changes its meaning.
const VERSION: u32 = 1;

pub(super) fn of(verdict: &Verdict, device: Option<&Capabilities>) -> Value {
    let device = device.map(|has| json!({ "name": has.device, "driver": has.driver }));
    let (result, detail) = match verdict {
        Verdict::Equal(equal) => {
            let compared = json!({
                "runs": equal.runs, "draws": equal.draws, "vertices": equal.vertices,
                "words": equal.words, "rounded": equal.rounded, "open": equal.open,
                "others": equal.others, "pixels": equal.pixels, "native": equal.native,
            });
            ("equal", json!({ "compared": compared }))
        }
        Verdict::Different(difference) => {
            ("different", json!({ "difference": of_difference(difference) }))
        }
        Verdict::NotComparable(why) => ("not comparable", json!({ "reason": why })),
    };
    let mut report = json!({ "version": VERSION, "result": result, "device": device });
    let fields = report.as_object_mut().expect("the value is an object");
    fields.extend(detail.as_object().expect("the value is an object").clone());
    report
}

/// Returns the report of a process whose timeout proves nothing, because the original shader is also slow
/// on this machine.
pub(super) fn of_slow(how: &str) -> Value {
    let why = format!(
        "the process {how} while the rewritten shader ran, but the original is too slow here for this \
         limit to show a difference: try a longer --timeout"
    );
    json!({ "version": VERSION, "result": "not comparable", "reason": why })
}

/// Returns the report of a process that crashed or was stopped in this phase. `how` describes how it ended.
pub(super) fn of_end(how: &str, phase: Phase) -> Value {
    let (result, what) = match phase {
        Phase::Preparing => ("not comparable", "while it prepared"),
        Phase::Original => ("not comparable", "while the original ran"),
        Phase::Rewritten => ("different", "while the rewritten shader ran"),
    };
    let why = format!("the process {how} {what}");
    let mut report = json!({ "version": VERSION, "result": result });
    match phase {
        Phase::Rewritten => report["difference"] = json!({ "message": why, "text": why }),
        Phase::Preparing | Phase::Original => report["reason"] = json!(why),
    }
    report
}

fn of_difference(difference: &Difference) -> Value {
    let value = |value: &Option<Bits>| {
        value.as_ref().map(|value| {
            let bits: Vec<String> = value.bits.iter().map(|word| format!("0x{word:08x}")).collect();
            json!({ "bits": bits, "number": value.number })
        })
    };
    json!({
        "variant": difference.part.to_string(),
        "message": difference.message,
        "seed": difference.seed,
        "draw": difference.draw,
        "vertex": difference.vertex.map(|(vertex, _)| vertex),
        "instance": difference.vertex.map(|(_, instance)| instance),
        "pixel": difference.pixel.map(|(x, y)| [x, y]),
        "varying": difference.varying,
        "component": difference.component,
        "expected": value(&difference.expected),
        "found": value(&difference.found),
        "text": difference.to_string(),
    })
}

/// Returns the error code of the result, or `None` if everything is equal.
pub(super) fn code(report: &Value) -> Option<&'static Code> {
    match report["result"].as_str() {
        Some("equal") => None,
        Some("not comparable") => Some(&code::VERIFY_NOT_COMPARABLE),
        _ => Some(&code::VERIFY_DIFFERENT),
    }
}

pub(super) fn text(report: &Value) -> String {
    let string = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let device = match report["device"]["name"].as_str() {
        Some(name) => format!(" on {name}"),
        None => String::new(),
    };
    let compared = &report["compared"];
    // If everything is equal, list the numbers of compared values, without zeros.
    match report["result"].as_str() {
        Some("equal") => {
            let of = |field: &str| compared[field].as_u64().unwrap_or(0);
            let mut counts = Vec::new();
            if of("vertices") > 0 {
                let (vertices, draws) = (of("vertices"), of("draws"));
                counts.push(format!("{vertices} captured vertices of {draws} draws"));
            }
            if of("words") > 0 {
                counts.push(format!("{} words of outputs", of("words")));
            }
            if of("rounded") + of("open") > 0 {
                let (rounded, open) = (of("rounded"), of("open"));
                counts.push(format!(
                    "of which {rounded} may differ by rounding and {open} may have any value; {} captured words differ",
                    of("others")
                ));
            }
            if of("pixels") > 0 {
                counts.push(format!("{} pixels", of("pixels")));
            }
            let native = if compared["native"] == true {
                "; the driver's own transform feedback recorded the original, too"
            } else {
                ""
            };
            format!("equal{device}: {}{native}", counts.join(", "))
        }
        Some("not comparable") => {
            let reason = string(&report["reason"]);
            // The library does not know the program's options, so the advice is added here.
            let help = match reason.ends_with(NO_DEFINED_COLOUR) {
                true => "; they are taken as premultiplied: try --source-alpha straight",
                false => "",
            };
            format!("not comparable{device}: {reason}{help}")
        }
        _ => format!("different{device}: {}", string(&report["difference"]["text"])),
    }
}
