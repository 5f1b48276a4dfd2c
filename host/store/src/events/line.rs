//! Events as lines for people. Ids in them are safe everywhere. Names in the place of ids, and warnings, are text from
//! outside: the code that shows a line escapes it.

use super::event::{Event, Stage};
use bakeoff_domain::failure::Phase;
use bakeoff_domain::report::words;
use bakeoff_domain::verdict::Verdict;

/// Returns the activity of a stage as a word: `building`.
pub fn title(stage: Stage) -> &'static str {
    match stage {
        Stage::Build => "building",
        Stage::Check => "checking",
        Stage::Measure => "measuring",
        Stage::Score => "scoring",
    }
}

/// Returns the progress of a check as a line: `sort: 3 of 7 cases checked`; `None` for any other event.
pub fn checked_cases(event: &Event) -> Option<String> {
    let Event::CheckProgress {
        variant_id,
        done,
        cases,
    } = event
    else {
        return None;
    };
    Some(if done == cases {
        format!("{variant_id}: all cases checked, now many calls in a row")
    } else {
        format!("{variant_id}: {done} of {cases} cases checked")
    })
}

/// Returns the line about an important event; `None` for any other. Ids are safe on a terminal; messages of failures
/// are not, and are left to the report.
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
            ratio,
            ..
        } => match verdict {
            Verdict::Beats => Some(format!("{a} beats {b}{}", by(*ratio))),
            Verdict::Beaten => Some(format!("{b} beats {a}{}", by(ratio.map(f64::recip)))),
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

/// Returns how much faster one variant is than the other, as a clause: `, 1.8 × faster so far`; empty without a ratio.
fn by(ratio: Option<f64>) -> String {
    ratio.map_or_else(String::new, |ratio| {
        format!(", {} so far", words::estimate(ratio))
    })
}

/// Returns the standings of a race as a line: `2 of 3 pairs decided; open: heap against sort, from 1.3 × faster to 4 %
/// more time`; `None` for any other event. Of one that is alone unbeaten it says that nobody beats it: whether it beats
/// each of the others itself does not follow from the event.
pub fn standings(event: &Event) -> Option<String> {
    let Event::Standings {
        decided,
        pairs,
        unbeaten,
        open,
        ..
    } = event
    else {
        return None;
    };
    let mut text = format!("{decided} of {pairs} pairs decided");
    if let [one] = unbeaten.as_slice() {
        // Each of the others is beaten by somebody, which may be another one.
        text.push_str(&format!(", nobody beats {one}"));
    }
    for (place, pair) in open.iter().enumerate() {
        text.push_str(if place == 0 { "; open: " } else { "; " });
        text.push_str(&format!("{} against {}", pair.a, pair.b));
        if let (Some(low), Some(high)) = (pair.ratio.low, pair.ratio.high) {
            text.push_str(&format!(", {}", words::span(low, high)));
        }
    }
    Some(text)
}

/// Returns the line about inputs that changed, and the stage that is done again for it.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::events::OpenPair;
    use bakeoff_domain::verdict::RatioInterval;

    #[test]
    fn standings_name_what_is_decided_and_what_is_open() {
        let pair = |low, high| OpenPair {
            a: "heap".into(),
            b: "sort".into(),
            ratio: RatioInterval {
                ratio: Some(0.9),
                low,
                high,
            },
        };
        let event = |unbeaten: &[&str], open| Event::Standings {
            replicas: 4,
            decided: 2,
            pairs: 3,
            unbeaten: unbeaten.iter().map(|id| (*id).to_owned()).collect(),
            open,
        };
        let open = vec![pair(Some(0.5), Some(1.5)), pair(None, Some(1.5))];
        assert_eq!(
            standings(&event(&["heap", "sort"], open)).unwrap(),
            "2 of 3 pairs decided; open: heap against sort, from 2.0 × faster to 1.5 × slower; heap \
             against sort"
        );
        assert_eq!(
            standings(&event(&["heap"], Vec::new())).unwrap(),
            "2 of 3 pairs decided, nobody beats heap"
        );
    }

    #[test]
    fn a_verdict_says_by_how_much_from_the_side_of_the_winner() {
        let event = |verdict| Event::VerdictChanged {
            a: "heap".into(),
            b: "sort".into(),
            case: None,
            verdict,
            ratio: Some(0.5),
            low: None,
            high: None,
            replicas: 4,
        };
        let beats = "heap beats sort, 2.0 × faster so far";
        assert_eq!(line(&event(Verdict::Beats)).unwrap(), beats);
        let Event::VerdictChanged { ratio, .. } = &mut event(Verdict::Beaten) else {
            return;
        };
        assert_eq!(by(ratio.map(f64::recip)), ", 2.0 × slower so far");
    }
}
