//! The standings of a run: each variant with its state, its time against that of the leader, and how that closes in.

use super::live::RunState;
use super::picture::{Axis, picture};
use super::race::AgainstLeader;
use bakeoff_domain::report::words;
use bakeoff_domain::verdict::{RatioInterval, Verdict};
use bakeoff_domain::wording;
use bakeoff_render::clipped;
use bakeoff_render::escape::Html;
use bakeoff_store::events::{Stage, VariantStage};
use std::fmt::Write as _;

/// The most variants that have a row.
const ROWS_MAX: usize = 64;
/// The most variants that a sentence names.
const NAMED_MAX: usize = 3;
/// The most characters of a name, or of a reason.
const TEXT_CHARS_MAX: usize = 200;

/// Returns the standings as markup; nothing before a variant is known.
pub(crate) fn standings(state: &RunState) -> String {
    let (progress, race) = (&state.progress, &state.race);
    if progress.variants.is_empty() {
        return String::new();
    }
    let mut ids: Vec<&String> = progress.variants.keys().collect();
    let place = |id: &str| {
        (
            progress.variants[id].state == VariantStage::Failed,
            race.ratio(id).unwrap_or(f64::MAX),
        )
    };
    ids.sort_by(|a, b| {
        let (a, b) = (place(a), place(b));
        a.0.cmp(&b.0).then(a.1.total_cmp(&b.1))
    });
    let axis = Axis::of(race.against_leader.values().map(AgainstLeader::latest));
    let mut out = String::from("<h2>Standings by time</h2>\n");
    if let Some(text) = leading(state) {
        // Writing to a string cannot fail.
        let _ = writeln!(out, "<p class=\"leading\">{}</p>", Html(&text));
    }
    let _ = write!(
        out,
        "<table class=\"standings\">\n<caption>Variants, and their times against the leader’s so far: 1 is the line, an \
         interval is a bar, and those of earlier replicas lie above it{}",
        axis.in_words()
    );
    out.push_str(
        "</caption>\n<thead><tr><th scope=\"col\">Variant</th>\
         <th scope=\"col\">State</th><th scope=\"col\">Against the leader</th><th scope=\"col\">Interval</th></tr></thead>\n\
         <tbody>\n",
    );
    for id in ids.iter().take(ROWS_MAX) {
        out.push_str(&row(state, axis, id));
    }
    out.push_str("</tbody>\n</table>\n");
    let more = ids.len().saturating_sub(ROWS_MAX);
    if more > 0 {
        let _ = writeln!(out, "<p>{more} more variants have no row here.</p>");
    }
    out
}

/// Returns who leads and how sure that is, in a sentence or two; `None` while nothing is timed.
fn leading(state: &RunState) -> Option<String> {
    let (race, is_running) = (&state.race, state.is_running());
    let id = race.leader.as_deref()?;
    let leader = state.name(id);
    let replicas = race.replicas;
    let s = wording::ending(replicas);
    let others = race.unbeaten.iter().filter(|other| *other != id);
    let (tied, open): (Vec<&String>, Vec<&String>) = others.partition(|other| {
        let against = race.against_leader.get(*other);
        against.is_some_and(|against| against.verdict == Verdict::Tie)
    });
    let names = |list: &[&String]| {
        let names = list.iter().map(|other| state.name(other).to_owned());
        words::listed(names.collect(), NAMED_MAX)
    };
    if open.is_empty() && !tied.is_empty() {
        let tied = names(&tied);
        return Some(format!(
            "Nobody leads by time after {replicas} replica{s}: {tied} and {leader} are as fast, for practical purposes, surely."
        ));
    }
    if !open.is_empty() || !race.is_unbeaten(id) {
        let open = names(&open);
        return Some(if is_running {
            format!(
                "{leader} leads after {replicas} replica{s}. That is not sure yet: {open} may be as fast."
            )
        } else {
            format!("{leader} leads after {replicas} replica{s}; {open} may be as fast.")
        });
    }
    Some(if race.leader_beats_all() {
        format!(
            "{leader} leads, and is surely faster than each of the others, after {replicas} replica{s}."
        )
    } else {
        format!(
            "{leader} leads after {replicas} replica{s}. Each of the others is surely slower than some variant, but not \
             each surely slower than {leader}."
        )
    })
}

fn row(state: &RunState, axis: Axis, id: &str) -> String {
    let (progress, race, is_running) = (&state.progress, &state.race, state.is_running());
    let name = clipped(state.name(id), TEXT_CHARS_MAX);
    let variant = &progress.variants[id];
    let state = match variant.state {
        VariantStage::Failed => {
            let reason = clipped(
                variant.reason.as_deref().unwrap_or_default(),
                TEXT_CHARS_MAX,
            );
            format!("failed: {reason}")
        }
        stage if is_running => {
            waiting(state, id).unwrap_or_else(|| words_of(stage, progress.stage).to_owned())
        }
        state => words_where_it_stopped(state).to_owned(),
    };
    let class = if variant.state == VariantStage::Failed {
        " class=\"what\""
    } else {
        ""
    };
    let is_leader = race.leader.as_deref() == Some(id);
    let against = race
        .against_leader
        .get(id)
        .filter(|_| variant.state != VariantStage::Failed);
    let (text, drawn) = match against {
        _ if is_leader => (
            "leads".to_owned(),
            picture(axis, &[EQUAL], "the leader itself"),
        ),
        Some(against) => {
            let text = compared(against);
            let count = against.intervals.len();
            let label = format!("{}; the latest of {count} intervals", Html(&text));
            (text.clone(), picture(axis, &against.intervals, &label))
        }
        None => (String::new(), String::new()),
    };
    format!(
        "<tr><th scope=\"row\">{}</th><td{class}>{}</td><td>{}</td><td>{drawn}</td></tr>\n",
        Html(&name),
        Html(&state),
        Html(&text)
    )
}

/// The interval of the leader against itself.
const EQUAL: RatioInterval = RatioInterval {
    ratio: Some(1.0),
    low: Some(1.0),
    high: Some(1.0),
};

/// Returns the time of a variant against that of the leader, in words.
fn compared(against: &AgainstLeader) -> String {
    let found = against.latest();
    match against.verdict {
        Verdict::Tie => "as fast, for practical purposes, surely".to_owned(),
        Verdict::Beats | Verdict::Beaten => {
            let (difference, ends) = words::difference(found, against.verdict == Verdict::Beats);
            let ends = ends.map_or_else(String::new, |ends| format!(", {ends}"));
            format!("{difference}{ends}, surely")
        }
        Verdict::NoCall => {
            let estimate = found.ratio.map_or_else(String::new, words::estimate);
            match (found.low, found.high) {
                (Some(low), Some(high)) => {
                    format!("{estimate}, not sure: {}", words::span(low, high))
                }
                _ => format!("{estimate}, not sure"),
            }
        }
    }
}

/// Returns what the task of a variant waits for, if it is known to wait, though its stage has begun.
fn waiting(state: &RunState, id: &str) -> Option<String> {
    let task = match state.progress.variants[id].state {
        VariantStage::Building => format!("build of {id}"),
        VariantStage::Checking => format!("check of {id}"),
        _ => return None,
    };
    let mut waits = state.progress.tasks.waits.iter();
    // Tasks are told once in a second: what they wait for may have ended since, but a core or memory may not.
    let wait = waits.find(|wait| wait.task == task && !wait.waits_for.contains(" of "))?;
    let text = format!("its {task} waits for {}", wait.waits_for);
    Some(clipped(
        &text.replace(&format!(" of {id}"), ""),
        TEXT_CHARS_MAX,
    ))
}

fn words_of(state: VariantStage, stage: Option<Stage>) -> &'static str {
    match state {
        VariantStage::Waiting => "waits to be built",
        VariantStage::Building => "is being built",
        VariantStage::Built => "built, waits for its check",
        VariantStage::Checking => "is being checked",
        VariantStage::Racing if stage == Some(Stage::Measure) => "is being timed",
        VariantStage::Racing => "passed the check",
        VariantStage::Failed => "failed",
        VariantStage::Complete => "done",
    }
}

/// Returns the state of a variant in a run on which nobody works.
fn words_where_it_stopped(state: VariantStage) -> &'static str {
    match state {
        VariantStage::Waiting => "not built",
        VariantStage::Building => "its build did not end",
        VariantStage::Built => "built, not checked",
        VariantStage::Checking => "its check did not end",
        VariantStage::Racing => "passed the check",
        VariantStage::Failed => "failed",
        VariantStage::Complete => "done",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::race::Race;
    use bakeoff_store::events::{Event, LeaderRatio, VariantProgress};
    use bakeoff_store::{LockHolder, RunStatus};

    fn racing(verdict: Verdict, unbeaten: &[&str]) -> RunState {
        let mut state = RunState::default();
        for id in ["heap", "<b>sort"] {
            let progress = VariantProgress {
                state: VariantStage::Racing,
                reason: None,
            };
            state.progress.variants.insert(id.to_owned(), progress);
        }
        state.progress.stage = Some(Stage::Measure);
        state.progress.status = RunStatus::Running;
        state.holder = Some(LockHolder::default());
        state.race.apply(&Event::Standings {
            replicas: 4,
            decided: 0,
            pairs: 1,
            unbeaten: unbeaten.iter().map(|id| (*id).to_owned()).collect(),
            open: Vec::new(),
        });
        state.race.apply(&Event::Ratios {
            replicas: 4,
            leader: "heap".to_owned(),
            ratios: vec![LeaderRatio {
                variant_id: "<b>sort".to_owned(),
                verdict,
                ratio: RatioInterval {
                    ratio: Some(2.0),
                    low: Some(1.8),
                    high: Some(2.2),
                },
            }],
        });
        state
    }

    #[test]
    fn nobody_leads_where_all_that_are_left_surely_tie() {
        let tied = standings(&racing(Verdict::Tie, &["heap", "<b>sort"]));
        let said = "Nobody leads by time after 4 replicas: &lt;b&gt;sort and heap are as fast";
        assert!(tied.contains(said), "{tied}");
        assert!(!tied.contains("not sure"), "{tied}");
    }

    #[test]
    fn the_first_sentence_says_who_leads_and_how_sure_that_is() {
        let sure = standings(&racing(Verdict::Beaten, &["heap"]));
        assert!(sure.contains(
            "heap leads, and is surely faster than each of the others, after 4 replicas."
        ));
        assert!(sure.contains("2.00 × slower, 1.80–2.20, surely"), "{sure}");
        let mut ended = racing(Verdict::NoCall, &["heap", "<b>sort"]);
        ended.holder = None;
        let ended = standings(&ended);
        assert!(ended.contains("after 4 replicas; &lt;b&gt;sort may be as fast."));
        let open = standings(&racing(Verdict::NoCall, &["heap", "<b>sort"]));
        assert!(
            open.contains("That is not sure yet: &lt;b&gt;sort may be as fast."),
            "{open}"
        );
        assert!(
            open.contains("2.0 × slower, not sure: from 1.8 × slower to 2.2 × slower"),
            "{open}"
        );
        for text in [sure, open] {
            assert!(
                !text.contains("<b>sort") && text.contains("is being timed"),
                "{text}"
            );
            let (leader, other) = (text.find("\">heap<"), text.find("\">&lt;b&gt;sort<"));
            assert!(leader.unwrap() < other.unwrap(), "{text}");
        }
    }

    #[test]
    fn variants_have_their_names_in_rows_and_sentences() {
        let mut state = racing(Verdict::NoCall, &["heap", "<b>sort"]);
        let names = [("heap", "Heap & co"), ("<b>sort", "<i>Sort")];
        let names = names.map(|(id, name)| (id.to_owned(), name.to_owned()));
        state.names = std::sync::Arc::new(names.into());
        let text = standings(&state);
        assert!(
            text.contains("Heap &amp; co leads") && text.contains("&lt;i&gt;Sort may be as fast"),
            "{text}"
        );
        assert!(
            text.contains("<th scope=\"row\">Heap &amp; co</th>")
                && text.contains("<th scope=\"row\">&lt;i&gt;Sort</th>"),
            "{text}"
        );
        assert!(!text.contains("<i>") && !text.contains("sort"), "{text}");
    }

    #[test]
    fn who_is_alone_unbeaten_is_not_said_to_beat_those_it_was_not_told_apart_from() {
        let text = standings(&racing(Verdict::NoCall, &["heap"]));
        assert!(!text.contains("surely faster than each"), "{text}");
        assert!(text.contains("not each surely slower than heap"), "{text}");
    }

    #[test]
    fn nothing_of_a_killed_run_is_said_to_go_on() {
        let mut state = racing(Verdict::NoCall, &["heap", "<b>sort"]);
        state.holder = None;
        let building = state.progress.variants.get_mut("heap").unwrap();
        building.state = VariantStage::Building;
        let text = standings(&state);
        assert!(!text.contains("is being"), "{text}");
        assert!(
            text.contains("its build did not end") && text.contains("passed the check"),
            "{text}"
        );
    }

    #[test]
    fn nothing_is_said_before_a_variant_is_known_and_no_leader_before_one_is_timed() {
        assert_eq!(standings(&RunState::default()), "");
        let mut state = racing(Verdict::NoCall, &["heap"]);
        state.race = Race::default();
        assert!(!standings(&state).contains("leads"));
    }
}
