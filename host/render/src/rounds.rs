//! The rounds of a search before the race: what was tried, what was found, and what the race says of it. What candidates
//! are called, and how they differ, is text from outside.

use super::table::{Align, Table};
use bakeoff_domain::numbers;
use bakeoff_domain::report::words;
use bakeoff_domain::report::{
    BestThen, CaseLabel, CriterionSummary, Finalist, Report, RoundCandidate, RoundTook, Rounds,
    VariantReport,
};
use bakeoff_domain::wording::{counted_as, form};

/// The heading of the section.
pub(super) const HEADING: &str = "The search before the race";

/// The longest name or change in a sentence or a cell, in characters.
pub(super) const CHARS_MAX: usize = 60;

/// The most rounds in the table: the last ones.
const ROUNDS_MAX: usize = 50;

/// Returns what the search came to, in sentences.
pub(super) fn sentences(report: &Report, rounds: &Rounds) -> Vec<String> {
    let mut parts = vec![format!(
        "{} made {}",
        counted_as(u64::from(rounds.count), "round", "rounds"),
        counted_as(rounds.candidates, "candidate", "candidates"),
    )];
    if rounds.failed > 0 {
        parts.push(format!("{} failed", numbers::count(rounds.failed)));
    }
    if rounds.same > 0 {
        let was = form(rounds.same, "was", "were");
        let same = numbers::count(rounds.same);
        parts.push(format!(
            "{same} {was} the same program as an earlier one, and {was} not measured"
        ));
    }
    let first = format!(
        "{}. There was no further round: {}. It took {} s, and follows from the seed {}.",
        parts.join("; "),
        super::clipped(&rounds.ended, 200),
        numbers::significant(rounds.seconds, 3),
        rounds.seed
    );
    let found = rounds.finalists.iter();
    let found = found.map(|one| finalist(report, rounds, one));
    let mut all: Vec<String> = [first].into_iter().chain(found).collect();
    let mut of_search = rounds.finalists.iter().filter(|one| !one.control);
    if of_search.any(|one| one.found_ratio.is_some()) {
        all.push(
            format!(
                "Figures of the search come from short races, and the luckiest of many candidates stands out in them: what \
                 counts is the race that followed{}.",
                if is_drawn(report) {
                    ", on inputs that no round has used"
                } else {
                    "; its inputs are fixed, and the rounds had the same"
                }
            ),
        );
    }
    all.extend(none_raced(rounds));
    all.extend(control(report, rounds));
    all.extend(asked(rounds).into_iter().chain(rounds.asked_by()));
    all.extend(phases(rounds));
    all
}

/// Says why no candidate raced, if none did.
fn none_raced(rounds: &Rounds) -> Option<String> {
    if rounds.candidates == 0 || rounds.finalists.iter().any(|one| !one.control) {
        return None;
    }
    let has = |outcome: &str| made(rounds).any(|one| one.outcome == outcome);
    let why = match (has("passed"), has("gated")) {
        (false, false) if has("same") => "none that was new passed its checks",
        (false, false) => "none of them passed its checks",
        (false, true) => "none of them passes every gate",
        (true, _) => "none of them was among the best of the last round",
    };
    Some(format!("No candidate raced: {why}."))
}

/// Returns true if the inputs of the race were drawn for it.
fn is_drawn(report: &Report) -> bool {
    let mut cases = report.experiment.cases.iter();
    report.experiment.instances.is_none()
        && cases.all(|case| matches!(case, CaseLabel::Size(_) | CaseLabel::Texts(_)))
}

/// Returns the variant of an approach.
fn variant<'a>(report: &'a Report, approach: &str) -> Option<&'a VariantReport> {
    let mut variants = report.variants.iter();
    variants.find(|variant| variant.approach == approach)
}

/// Says at which figures a candidate was found, and what the race says of it.
fn finalist(report: &Report, rounds: &Rounds, one: &Finalist) -> String {
    let name = super::clipped(&one.name, CHARS_MAX);
    let reference = super::clipped(&rounds.reference, CHARS_MAX);
    let by = criterion(report, rounds);
    let found = match (one.found_ratio, by, one.found_reading) {
        (_, Some(by), Some(reading)) => {
            format!("{name} was found at {}", read(by, reading))
        }
        (Some(ratio), ..) => format!(
            "{name} was found at {} × the speed of {reference}",
            numbers::significant(ratio, 3)
        ),
        _ => format!("{name} was found without a figure"),
    };
    let own = variant(report, &one.name);
    let said = own.and_then(|own| {
        let other = variant(report, &rounds.reference)?;
        if let Some(failure) = &own.failure {
            return Some(format!("it failed in the race ({})", failure.class));
        }
        let by_time = one
            .found_ratio
            .and_then(|_| words::ordered_row(report, &own.id, &other.id, None))
            .map(|row| format!("the race says: {}", words::pair(report, &row)));
        let rank = words::rank(report, own);
        let in_race = by.and_then(|by| Some(read(by, own.readings.get(&by.source)?.value)));
        Some(match (in_race, by_time) {
            (Some(reading), _) if own.rank.is_none() => {
                format!("in the race it has {reading}, and is {rank}")
            }
            (Some(reading), _) => format!("in the race it has {reading}, and its rank is {rank}"),
            (None, Some(verdict)) => verdict,
            (None, None) => format!("its rank in the race is {rank}"),
        })
    });
    let said = said.unwrap_or_else(|| "the race says nothing of it".to_owned());
    format!("{found}; {said}.")
}

/// Returns the criterion whose readings tell most of a candidate, if it is none of time.
pub(super) fn criterion<'a>(report: &'a Report, rounds: &Rounds) -> Option<&'a CriterionSummary> {
    let by = rounds.by.as_ref()?;
    report.criteria.iter().find(|one| one.source == *by)
}

/// Returns a reading by a criterion in words: `loss 2`, `Sharpe ratio 0.9`.
fn read(by: &CriterionSummary, reading: f64) -> String {
    let name = super::clipped(&by.name, CHARS_MAX);
    format!("{name} {}", numbers::reading(reading, &by.unit))
}

/// Says whether the best of the search is ahead of the best that was drawn without regard to any result.
fn control(report: &Report, rounds: &Rounds) -> Option<String> {
    if rounds.control == 0 {
        return None;
    }
    let is_written = rounds
        .lineage
        .iter()
        .any(|one| one.control && one.by == "model");
    let (begin, other_best) = if is_written {
        let tries = counted_as(rounds.control, "first try was", "first tries were");
        let begin = format!("Beside the search, {tries} made, told nothing of it");
        (begin, "the best first try")
    } else {
        let drawn = counted_as(rounds.control, "candidate was", "candidates were");
        let begin = format!("Beside the search, {drawn} drawn without regard to any result");
        (begin, "the best that was drawn")
    };
    let of = |control: bool| rounds.finalists.iter().find(|one| one.control == control);
    let (Some(best), Some(other)) = (of(false), of(true)) else {
        return Some(format!(
            "{begin}; the two cannot be compared, since one of them found nothing to race."
        ));
    };
    let [name, other_name] = [best, other].map(|one| super::clipped(&one.name, CHARS_MAX));
    let (own, drawn) = (variant(report, &best.name)?, variant(report, &other.name)?);
    let by_time = (best.found_ratio.or(other.found_ratio))
        .and_then(|_| words::ordered_row(report, &own.id, &drawn.id, None))
        .map(|row| words::pair(report, &row));
    let by_rank = || {
        let said = match (own.rank, drawn.rank) {
            (Some(own), Some(drawn)) if own < drawn => "it ranks before that one",
            (Some(own), Some(drawn)) if own > drawn => "it ranks behind that one",
            (Some(_), Some(_)) => "neither ranks before the other",
            _ => "they are not both ranked",
        };
        let rank = |variant| words::rank(report, variant);
        format!("{said} ({} and {})", rank(own), rank(drawn))
    };
    Some(format!(
        "{begin}. {name}, the best that rounds made, against {other_name}, {other_best}: {}.",
        by_time.unwrap_or_else(by_rank)
    ))
}

/// Says what the questions to a model took.
fn asked(rounds: &Rounds) -> Option<String> {
    if rounds.model.is_empty() {
        return None;
    }
    let cost = &rounds.cost;
    let usd = cost
        .usd
        .map_or("at a price that is not known".to_owned(), |usd| {
            format!("{usd:.4} US dollars")
        });
    Some(format!(
        "{} was asked {}: {} tokens, {usd}.",
        super::clipped(&rounds.model, CHARS_MAX),
        counted_as(cost.calls, "time", "times"),
        numbers::count(cost.tokens)
    ))
}

/// Returns what each round tried, and which candidate was the best when it was over.
pub(super) fn by_round(report: &Report, rounds: &Rounds) -> Option<Table> {
    let by = criterion(report, rounds);
    let mut table = Table::of("round", "What each round tried");
    let has = |outcome: &str| made(rounds).any(|one| one.outcome == outcome);
    let outcomes = [
        ("passed", true),
        ("gated", has("gated")),
        ("same", has("same")),
    ];
    let outcomes = outcomes.iter().filter(|(_, is_shown)| *is_shown);
    let outcomes: Vec<&str> = outcomes.map(|(outcome, _)| *outcome).collect();
    table.column("tried", Align::Right);
    for outcome in &outcomes {
        let title = if *outcome == "gated" {
            "failed a gate"
        } else {
            outcome
        };
        table.column(title, Align::Right);
    }
    table.column("failed", Align::Right);
    table.column("became the best", Align::Left);
    table.column("difference from its parent", Align::Left);
    table.column("found at", Align::Right);
    let first = (rounds.count as usize).saturating_sub(ROUNDS_MAX) as u32 + 1;
    for round in first..=rounds.count {
        let own = || made(rounds).filter(|one| one.round == round);
        let count = |outcome: &str| own().filter(|one| one.outcome == outcome).count();
        let passed: Vec<usize> = outcomes.iter().map(|outcome| count(outcome)).collect();
        let failed = own().count() - passed.iter().sum::<usize>();
        let best = best_then(rounds, round).filter(|best| best.is_new);
        let known = best.and_then(|best| rounds.lineage.iter().find(|one| one.name == best.name));
        let none = || "–".to_owned();
        let mut cells = vec![round.to_string(), own().count().to_string()];
        cells.extend(passed.iter().map(usize::to_string));
        cells.extend([
            failed.to_string(),
            best.map_or_else(none, |one| super::clipped(&one.name, CHARS_MAX)),
            known.map_or_else(none, |one| super::clipped(&one.change, CHARS_MAX)),
            best.map_or_else(none, |one| figure(by, one.ratio, one.reading)),
        ]);
        table.row(cells);
    }
    table.if_any()
}

/// Returns the best candidate when a round was over.
fn best_then(rounds: &Rounds, round: u32) -> Option<&BestThen> {
    let took = rounds.took.iter().find(|one| one.round == round)?;
    took.best.as_ref()
}

/// Returns the figure at which a candidate was found, of the ratio to the reference and the reading.
pub(super) fn figure(
    by: Option<&CriterionSummary>,
    ratio: Option<f64>,
    reading: Option<f64>,
) -> String {
    match (ratio, by, reading) {
        (_, Some(by), Some(reading)) => numbers::reading(reading, &by.unit),
        (Some(ratio), ..) => format!("{} ×", numbers::significant(ratio, 3)),
        _ => "–".to_owned(),
    }
}

/// Returns the candidates that a search made, but those that were drawn beside it.
pub(super) fn made(rounds: &Rounds) -> impl Iterator<Item = &RoundCandidate> {
    let all = rounds.lineage.iter();
    all.filter(|one| one.round > 0 && !one.control)
}

/// Returns the name of the figure that the search goes by, and its unit.
pub(super) fn by_figure(report: &Report, rounds: &Rounds) -> (String, String) {
    match criterion(report, rounds) {
        Some(by) => (by.name.clone(), by.unit.clone()),
        None => (
            format!("speed against {}", rounds.reference),
            "×".to_owned(),
        ),
    }
}

/// Returns the one of a ratio to the reference and a reading that the search goes by.
pub(super) fn figure_of(
    report: &Report,
    rounds: &Rounds,
    ratio: Option<f64>,
    reading: Option<f64>,
) -> Option<f64> {
    if criterion(report, rounds).is_some() {
        reading
    } else {
        ratio
    }
}

/// Returns the numbers below the charts of the best so far: what was found and spent until the end of each round.
pub(super) fn spent_table(report: &Report, rounds: &Rounds) -> Table {
    let by = criterion(report, rounds);
    let mut table = Table::of("round", "The search until the end of each round");
    table.column("candidates", Align::Right);
    table.column("best then", Align::Left);
    table.column("its figure then", Align::Right);
    table.column("seconds", Align::Right);
    table.column("US dollars", Align::Right);
    let first = (rounds.count as usize).saturating_sub(ROUNDS_MAX) as u32 + 1;
    for round in first..=rounds.count {
        let until = || made(rounds).filter(|one| one.round <= round);
        let best = best_then(rounds, round);
        let took = || rounds.took.iter().take_while(|one| one.round <= round);
        let usd: f64 = took().filter_map(|one| one.cost.usd).sum();
        table.row(vec![
            round.to_string(),
            until().count().to_string(),
            best.map_or("–".to_owned(), |one| super::clipped(&one.name, CHARS_MAX)),
            best.map_or("–".to_owned(), |one| figure(by, one.ratio, one.reading)),
            numbers::significant(took().map(RoundTook::seconds).sum(), 3),
            if usd > 0.0 {
                format!("{usd:.4}")
            } else {
                "–".to_owned()
            },
        ]);
    }
    table
}

/// Says where the time of the search went.
fn phases(rounds: &Rounds) -> Option<String> {
    let sum = |of: &dyn Fn(&RoundTook) -> f64| rounds.took.iter().map(of).sum::<f64>();
    let phases = [
        ("making candidates", sum(&|one| one.making_seconds)),
        (
            "building and checking them",
            sum(&|one| one.checking_seconds),
        ),
        ("timing the best of them", sum(&|one| one.timing_seconds)),
    ];
    let all: f64 = phases.iter().map(|(_, seconds)| seconds).sum();
    let share = |(name, seconds): &(&str, f64)| {
        let percent = 100.0 * seconds / all;
        (percent >= 0.5).then(|| format!("{percent:.0} % {name}"))
    };
    let shares: Vec<String> = phases.iter().filter_map(share).collect();
    (all > 0.0).then(|| format!("Its time: {}.", shares.join(", ")))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    fn candidate(name: &str, round: u32, parent: &str) -> RoundCandidate {
        RoundCandidate {
            name: name.to_owned(),
            round,
            parent: parent.to_owned(),
            by: "climb".to_owned(),
            change: format!("n {round} → {}", round + 1),
            outcome: if name.ends_with('2') {
                "trap"
            } else {
                "passed"
            }
            .to_owned(),
            ratio: Some(1.25),
            best: name.ends_with('1'),
            ..RoundCandidate::default()
        }
    }

    fn took(round: u32, name: &str, ratio: f64) -> RoundTook {
        RoundTook {
            round,
            making_seconds: f64::from(round.min(1)),
            timing_seconds: 1.0,
            best: Some(BestThen {
                name: name.to_owned(),
                is_new: true,
                ratio: Some(ratio),
                reading: None,
            }),
            ..RoundTook::default()
        }
    }

    pub(crate) fn rounds() -> Rounds {
        Rounds {
            took: vec![
                took(0, "a", 1.0),
                took(1, "a 1.1", 1.3),
                took(2, "a 2.1", 1.25),
            ],
            count: 2,
            ended: "2 were asked for".to_owned(),
            candidates: 3,
            failed: 1,
            seconds: 12.0,
            reference: "a".to_owned(),
            finalists: vec![Finalist {
                name: "a 2.1".to_owned(),
                origin: "a".to_owned(),
                found_ratio: Some(1.25),
                ..Finalist::default()
            }],
            lineage: vec![
                candidate("a", 0, ""),
                candidate("a 1.1", 1, "a"),
                candidate("a 1.2", 1, "a"),
                candidate("a 2.1", 2, "a 1.1"),
            ],
            ..Rounds::default()
        }
    }

    #[test]
    fn what_a_search_took_is_told_by_round_and_by_phase() {
        let report = crate::tables::tests::named("a");
        let rounds = rounds();
        let rows = spent_table(&report, &rounds).rows;
        assert_eq!(
            rows[0][1..5],
            ["2", "a 1.1", "1.30 ×", "3.00"].map(str::to_owned)
        );
        assert_eq!(
            rows[1][1..5],
            ["3", "a 2.1", "1.25 ×", "5.00"].map(str::to_owned)
        );
        let told = phases(&rounds).unwrap();
        assert!(told.starts_with("Its time: 40 % making"), "{told}");
    }

    #[test]
    fn a_round_is_told_by_the_best_that_it_had() {
        let report = crate::tables::tests::named("a");
        let mut rounds = rounds();
        // One that was made in the first round may become the best in the second.
        rounds.took[1].best = rounds.took[0].best.clone().map(|best| BestThen {
            is_new: false,
            ..best
        });
        rounds.took[2].best.as_mut().unwrap().name = "a 1.1".to_owned();
        let table = by_round(&report, &rounds).unwrap();
        assert_eq!(table.rows[0][4..], ["–", "–", "–"].map(str::to_owned));
        assert_eq!(
            table.rows[1][4..],
            ["a 1.1", "n 1 → 2", "1.25 ×"].map(str::to_owned)
        );
    }

    #[test]
    fn the_reason_is_given_why_none_raced() {
        let mut rounds = rounds();
        assert_eq!(none_raced(&rounds), None);
        rounds.finalists.clear();
        let said = |rounds: &Rounds| none_raced(rounds).unwrap();
        assert!(said(&rounds).contains("among the best of the last round"));
        let last = rounds.lineage.len();
        for one in &mut rounds.lineage[1..last] {
            one.outcome = "gated".to_owned();
        }
        assert!(said(&rounds).contains("passes every gate"));
        for one in &mut rounds.lineage[1..last] {
            one.outcome = "wrong-answer".to_owned();
        }
        assert!(said(&rounds).contains("passed its checks"));
    }

    #[test]
    fn each_round_has_a_row() {
        let report = crate::tables::tests::named("a");
        let table = by_round(&report, &rounds()).unwrap();
        assert_eq!(table.rows[0][..4], ["1", "2", "1", "1"].map(str::to_owned));
        assert_eq!(
            table.rows[1][4..],
            ["a 2.1", "n 2 → 3", "1.25 ×"].map(str::to_owned)
        );
    }
}
