//! Events as lines for people. Ids in them are safe everywhere; a warning is what somebody else wrote, and
//! is escaped by whoever shows it.

use super::event::{Event, Stage};
use bakeoff_domain::failure::Phase;
use bakeoff_domain::verdict::Verdict;

/// What a stage is doing, as a word: `building`.
pub fn title(stage: Stage) -> &'static str {
    match stage {
        Stage::Build => "building",
        Stage::Check => "checking",
        Stage::Measure => "measuring",
        Stage::Score => "scoring",
    }
}

/// How far a check is: `sort: 3 of 7 cases checked`.
pub fn checked_cases(event: &Event) -> Option<String> {
    let Event::CheckProgress {
        variant_id,
        done,
        cases,
    } = event
    else {
        return None;
    };
    Some(match done == cases {
        true => format!("{variant_id}: all cases checked, now many calls in a row"),
        false => format!("{variant_id}: {done} of {cases} cases checked"),
    })
}

/// The line about an important event. Ids are safe on a terminal; messages of failures are not, and
/// are left to the report.
pub fn line(event: &Event) -> Option<String> {
    match event {
        Event::VariantFailed {
            variant_id,
            failure,
        } => Some(format!(
            "{variant_id}: {} ({})",
            failure.class,
            phase(failure.phase)
        )),
        Event::VerdictChanged {
            a,
            b,
            case: None,
            verdict,
            ..
        } => match verdict {
            Verdict::Beats => Some(format!("{a} beats {b}")),
            Verdict::Beaten => Some(format!("{b} beats {a}")),
            Verdict::Tie => Some(format!("{a} and {b} tie")),
            Verdict::NoCall => None,
        },
        Event::RunResumed { kept, .. } => Some(format!("resuming with {kept} stored results")),
        Event::InputChanged {
            variant_id,
            stage,
            inputs,
        } => Some(input_changed(variant_id.as_deref(), *stage, inputs)),
        Event::Warning { message } => Some(message.clone()),
        _ => None,
    }
}

/// The line about inputs that changed, and the stage that is done again for it.
fn input_changed(variant: Option<&str>, stage: Stage, inputs: &[String]) -> String {
    let inputs: Vec<&str> = inputs
        .iter()
        .map(|input| match input.as_str() {
            "measure" => "measurement settings",
            other => other,
        })
        .collect();
    let again = match (stage, variant) {
        (Stage::Build, None) => "building all again",
        (Stage::Build, Some(_)) => "building it again",
        (Stage::Check, None) => "checking all again",
        (Stage::Check, Some(_)) => "checking it again",
        (Stage::Measure | Stage::Score, _) => "measuring all again",
    };
    let of = variant.map_or_else(String::new, |id| format!(" of {id}"));
    format!(
        "changed since the last run: {}{of}; {again}",
        inputs.join(", ")
    )
}

fn phase(phase: Phase) -> &'static str {
    match phase {
        Phase::Build => "while building",
        Phase::Load => "while loading",
        Phase::Check => "while checking",
        Phase::Measure => "while measuring",
    }
}
