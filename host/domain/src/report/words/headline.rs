//! The headline: the recommendation in the first sentences.

use super::natively::natively_otherwise;
use super::view::{
    NAMES_MAX, Relation, beaten_pairs, exact_relation, is_worth, joined, listed, name, ordered_row,
    ranked, relation, row_for, shortened, time_criterion,
};
use super::{
    advice, digits, in_words, numbers, open, opinions, sizes, speed, texts, too_short, untimed,
};
use crate::failure::FailureClass;
use crate::report::{
    CaseLabel, CriterionSummary, RankingOutcome, Report, VariantReport, VariantStatus, VerdictRow,
};
use crate::spec::RecommendationStyle;
use crate::verdict::Verdict;
use std::collections::BTreeSet;

/// The largest number of reasons for missing scores that are given; the report has all of them.
const REASONS_MAX: usize = 3;

/// The recommendation with its reason, in the style that was asked for: `decisive` names one variant if the verdicts
/// do, `options` lists the close ones, `conditional` names one for each criterion, `none` is empty. The cases that are
/// left out of the times come next, and last what is otherwise where the sources are built for this machine.
pub fn headline(report: &Report) -> String {
    let text = match report.options.recommendation {
        RecommendationStyle::None => return String::new(),
        style => withheld(report).unwrap_or_else(|| recommended(report, style)),
    };
    let left_out = too_short::somewhere(report).filter(|_| too_short::is_in_headline(report));
    let untimed = untimed::never_timed(report);
    let by_texts = texts::sentences(report);
    let others = [untimed::few_inputs(report), left_out, untimed];
    let sentences = std::iter::once(text).chain(by_texts);
    let sentences = sentences.chain(others.into_iter().flatten());
    let sentences = sentences.chain(natively_otherwise(report));
    sentences.collect::<Vec<String>>().join(" ")
}

fn recommended(report: &Report, style: RecommendationStyle) -> String {
    let in_words = report.in_words.as_ref();
    if let Some(text) = in_words.and_then(|words| in_words::recommended(report, words, style)) {
        return text;
    }
    match style {
        _ if report.recommendation.outcome == RankingOutcome::Nothing => nothing(report),
        RecommendationStyle::Options => options(report),
        RecommendationStyle::Conditional => advice::conditional(report),
        RecommendationStyle::Decisive | RecommendationStyle::None => decisive(report),
    }
}

fn decisive(report: &Report) -> String {
    match &report.recommendation.winner {
        Some(winner) => {
            let all = ranked(report).into_iter().map(|one| one.id.clone());
            let all: Vec<String> = all.collect();
            opinions::with_opinions(report, taken(report, winner), &all)
        }
        None => shared(report),
    }
}

/// The reason why no variant can be recommended, with what is missing.
fn nothing(report: &Report) -> String {
    let counted = |status: VariantStatus, what: &str| {
        let count = report
            .variants
            .iter()
            .filter(|v| v.status == status)
            .count();
        (count > 0).then(|| format!("{count} {what}"))
    };
    let is_unranked = |variant: &VariantReport| variant.status == VariantStatus::Unranked;
    if report.variants.iter().any(is_unranked) {
        let too_short = too_short::everywhere(report).filter(|_| time_criterion(report).is_some());
        if let Some(why) = too_short.or_else(|| open::without_a_replica(report)) {
            return format!("Nothing can be recommended: {why}.");
        }
    }
    if let Some(sentence) = disagreement(report) {
        return sentence;
    }
    let why: Vec<String> = [
        counted(VariantStatus::Failed, "failed"),
        counted(VariantStatus::Eliminated, "did not pass a gate"),
        counted(VariantStatus::Unranked, "could not be scored"),
    ]
    .into_iter()
    .flatten()
    .collect();
    if why.is_empty() {
        return "Nothing can be recommended: there were no variants.".to_owned();
    }
    let mut sentences = vec![format!("Nothing can be recommended: {}.", joined(&why))];
    sentences.extend(missing(report));
    sentences.join(" ")
}

/// The sentence for variants that disagree, where there is no oracle.
fn disagreement(report: &Report) -> Option<String> {
    let of_class = |variant: &&VariantReport| {
        let failure = variant.failure.as_ref();
        failure.is_some_and(|failure| failure.class == FailureClass::Disagreement)
    };
    let variant = report.variants.iter().find(of_class)?;
    let input = variant.failed_call.as_ref().map(|call| match &call.case {
        CaseLabel::Call(call) => format!(" to {}", shortened(call)),
        CaseLabel::Instance { instance } => format!(" for instance {}", shortened(instance)),
        CaseLabel::Size(_) | CaseLabel::Texts(_) => {
            let (size, seed) = call.case.generated_from(call.seed).unwrap_or_default();
            format!(" for the input of size {size}, seed {seed}")
        }
    });
    Some(format!(
        "Nothing can be recommended: the prototypes disagree about the answer{}, and there is no oracle \
         to say who is right.",
        input.unwrap_or_default()
    ))
}

/// The reasons of the variants that could not be scored, each with all variants that it is true of.
fn missing(report: &Report) -> Vec<String> {
    let mut by_reason: Vec<(&str, Vec<String>)> = Vec::new();
    for variant in &report.variants {
        let reason = variant.reason.as_deref().unwrap_or_default();
        if variant.status != VariantStatus::Unranked || reason.is_empty() {
            continue;
        }
        let called = name(report, &variant.id);
        match by_reason.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, names)) => names.push(called),
            None => by_reason.push((reason, vec![called])),
        }
    }
    let sentence = |(reason, names): (&str, Vec<String>)| {
        format!(
            "For {}: {}.",
            listed(names, NAMES_MAX),
            reason.trim_end_matches('.')
        )
    };
    by_reason
        .into_iter()
        .take(REASONS_MAX)
        .map(sentence)
        .collect()
}

/// `Take heap: it is 1.8 × faster than quickselect (1.76–1.85).` and its disadvantages.
fn taken(report: &Report, winner: &str) -> String {
    let called = name(report, winner);
    if report.variants.len() == 1 {
        return format!("{called} is the only variant: there is nothing to compare.");
    }
    let exception = exception(report, winner).unwrap_or_default();
    format!("Take {called}{exception}: {}", why(report, winner))
}

/// Exception to taking the recommended variant: the size or the kind of texts at which it surely loses.
fn exception(report: &Report, winner: &str) -> Option<String> {
    sizes::beaten_at(report, winner).or_else(|| texts::beaten_on(report, winner))
}

/// The reason why a variant is ahead, and the sizes at which it is not.
fn why(report: &Report, ahead: &str) -> String {
    let variants = ranked(report);
    let (Some(best), Some(next)) = (
        variants.iter().find(|variant| variant.id == ahead),
        variants.iter().find(|variant| variant.id != ahead),
    ) else {
        return "it is the only one that could be ranked.".to_owned();
    };
    let mut sentences = vec![format!("{}.", reason(report, best, next))];
    let crossover = sizes::crossovers(report)
        .into_iter()
        .find(|crossover| crossover.small == ahead || crossover.large == ahead);
    let by_size = crossover.map(|crossover| sizes::sentence(report, &crossover));
    let by_size = by_size.or_else(|| sizes::exception(report));
    let by_size = by_size.or_else(|| sizes::lead_by_size(report, ahead, &next.id));
    sentences.extend(by_size);
    sentences.join(" ")
}

/// The sentence about the variant that is ahead and not recommended, if there is one, with the reason why it is ahead.
fn withheld(report: &Report) -> Option<String> {
    let id = report.recommendation.withheld.as_deref()?;
    let stopped = report.stopped_in_search_of(id)?;
    Some(format!(
        "No call: {}. On these, {}",
        stopped.sentence(&name(report, id)),
        why(report, id)
    ))
}

/// The advantages and disadvantages of the winner against the next best.
fn reason(report: &Report, best: &VariantReport, next: &VariantReport) -> String {
    let other = name(report, &next.id);
    let mut gains = Vec::new();
    let mut costs = Vec::new();
    let counting = || report.criteria.iter().filter(|c| c.weight > 0.0);
    let is_gain = |c: &&CriterionSummary| relation(report, c, best, next) == Relation::Better;
    // A difference that is not worth a mention is one if there is no other reason.
    let is_small = !counting().any(|c| is_gain(&c) && is_worth(report, c, best, next));
    for criterion in counting() {
        let relation = if is_small {
            exact_relation(report, criterion, best, next)
        } else {
            relation(report, criterion, best, next)
        };
        let is_worth = is_worth(report, criterion, best, next);
        match relation {
            Relation::Better if is_small || is_worth => {
                gains.push(advice::edge(report, criterion, best, next, &other));
            }
            Relation::Worse if is_worth => {
                costs.push(advice::edge(report, criterion, next, best, "it"));
            }
            _ => {}
        }
    }
    let single = counting().count() == 1;
    let totals = match (best.total, next.total) {
        (Some(best), Some(next)) if !single => digits::totals(best.value, next.value),
        _ => None,
    };
    let has_opinion = |c: &CriterionSummary| c.is_opinion() && best.scores.contains_key(&c.name);
    let included = if counting().any(has_opinion) {
        ", opinions included,"
    } else {
        ""
    };
    let totals = totals.map_or_else(String::new, |(best, next)| {
        format!("its total{included} is {best} against {next} for {other}")
    });
    let gains = match gains.as_slice() {
        [] => String::new(),
        gains => format!("it {}", joined(gains)),
    };
    let mut parts: Vec<String> = [totals, gains]
        .into_iter()
        .filter(|part| !part.is_empty())
        .collect();
    if parts.is_empty() {
        parts.push(format!("it is ahead of {other}"));
    }
    let parts = parts.join("; ");
    if costs.is_empty() {
        return parts;
    }
    format!("{parts}. In return, {other} {}", joined(&costs))
}

/// The sentence about a shared first place: a tie, or no call.
fn shared(report: &Report) -> String {
    let tied = &report.recommendation.tied;
    if let Some(sentence) = opinions::outweighed(report) {
        return sentence;
    }
    let names = tied.iter().map(|id| name(report, id)).collect();
    let names = listed(names, NAMES_MAX);
    if report.recommendation.outcome == RankingOutcome::NoCall {
        let why = open::first_of(report, tied)
            .or_else(|| unranked(report))
            .unwrap_or_else(|| open::of_totals(report));
        let behind = behind(report, tied).map_or(String::new(), |behind| format!(" {behind}"));
        let text = format!("No call between {names}: {why}.{behind}");
        return opinions::with_opinions(report, text, tied);
    }
    if are_one_component(report, tied) {
        // Programs of the same sources may differ, and what they take is said behind this.
        let advice = match report.natively {
            None => " Take any of them.",
            Some(_) => "",
        };
        let text =
            format!("Tie without timing: {names} are the same component, byte for byte.{advice}");
        return opinions::with_opinions(report, text, tied);
    }
    let by_time_alone = tied.iter().enumerate().all(|(place, a)| {
        tied[place + 1..].iter().all(|b| {
            let row = time_criterion(report).and_then(|c| row_for(report, c, a, b));
            row.is_some_and(|row| row.verdict == Verdict::Tie)
        })
    });
    let how = if by_time_alone {
        format!("{} by time", speed::tie(&report.protocol))
    } else {
        "no difference between their totals is sure".to_owned()
    };
    match opinions::phrase(report, tied) {
        Some(phrase) => format!("Measured: tie between {names}: {how}; {phrase}."),
        None => {
            format!("Tie between {names}: {how}. Take the one that is easier to maintain.")
        }
    }
}

/// Phrase about the variants that lack a reading, and may be ahead of those that share the first place.
fn unranked(report: &Report) -> Option<String> {
    let all = report.variants.iter();
    let names = all.filter(|variant| variant.status == VariantStatus::Unranked);
    let names: Vec<String> = names.map(|variant| name(report, &variant.id)).collect();
    (!names.is_empty()).then(|| format!("nothing is known of {}", listed(names, NAMES_MAX)))
}

/// Sentence about the variants that do not share the first place; `None` if all do.
fn behind(report: &Report, first: &[String]) -> Option<String> {
    let others: Vec<&VariantReport> = ranked(report)
        .into_iter()
        .filter(|variant| !first.contains(&variant.id))
        .collect();
    let named = match others.as_slice() {
        [] => return None,
        [one] => name(report, &one.id),
        several => format!("the other {}", numbers::count(several.len() as u64)),
    };
    let mut counting = report.criteria.iter().filter(|one| one.weight > 0.0);
    let by_time = match (counting.next(), counting.next()) {
        (Some(only), None) if only.is_timed() => Some(only),
        _ => None,
    };
    let sure: BTreeSet<(&str, &str)> = by_time
        .into_iter()
        .flat_map(|criterion| beaten_pairs(report, criterion))
        .collect();
    let mut pairs = first
        .iter()
        .flat_map(|a| others.iter().map(move |b| (a, *b)));
    Some(match pairs.all(|(a, b)| sure.contains(&(a, &b.id))) {
        true => format!("Each of these is surely faster than {named}."),
        false if others.len() == 1 => format!("{named} is surely behind."),
        false => format!(
            "The other {} are surely behind.",
            numbers::count(others.len() as u64)
        ),
    })
}

/// Returns true if these variants are one component: they tie without having been timed against each other.
fn are_one_component(report: &Report, ids: &[String]) -> bool {
    let is_identity = |row: VerdictRow| {
        let ends = [row.ratio, row.low, row.high];
        row.verdict == Verdict::Tie && row.replicas == 0 && ends == [Some(1.0); 3]
    };
    let are_the_same = |a: &String, b: &String| {
        let row = ordered_row(report, a, b, None);
        row.is_some_and(is_identity)
    };
    let pairs = ids.iter().enumerate();
    let mut pairs = pairs.flat_map(|(place, a)| ids[place + 1..].iter().map(move |b| (a, b)));
    pairs.all(|(a, b)| are_the_same(a, b))
}

/// The first variant and those close to it.
fn options(report: &Report) -> String {
    let recommendation = &report.recommendation;
    let close: Vec<&VariantReport> = ranked(report)
        .into_iter()
        .filter(|variant| {
            variant.rank == Some(1) || recommendation.alternatives.contains(&variant.id)
        })
        .take(NAMES_MAX)
        .collect();
    let decimals = digits::total_decimals(report);
    let option = |variant: &&VariantReport| {
        let total = variant.total.map(|t| numbers::decimals(decimals, t.value));
        let strengths = advice::strengths(report, variant, &close);
        let strengths = if strengths.is_empty() {
            String::new()
        } else {
            format!(", best of these on {}", joined(&strengths))
        };
        format!(
            "{} ({}{strengths})",
            name(report, &variant.id),
            total.unwrap_or_default()
        )
    };
    let options: Vec<String> = close.iter().map(option).collect();
    let sense = match recommendation.outcome {
        RankingOutcome::Winner => first_exception(report),
        RankingOutcome::Tie => " The first place is shared.".to_owned(),
        RankingOutcome::NoCall => " The first place is not settled.".to_owned(),
        RankingOutcome::Nothing => String::new(),
    };
    let ids = ranked(report).into_iter().map(|one| one.id.clone());
    let ids: Vec<String> = ids.collect();
    let text = format!("The options, by total: {}.{sense}", options.join("; "));
    opinions::with_opinions(report, text, &ids)
}

/// Sentence with a size at which the first of several options surely loses; empty if there is none.
fn first_exception(report: &Report) -> String {
    let winner = report.recommendation.winner.as_deref();
    let exception = winner.and_then(|winner| exception(report, winner));
    let named = winner.zip(exception);
    named.map_or(String::new(), |(winner, exception)| {
        format!(" {} is first{exception}.", name(report, winner))
    })
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{report, row};
    use super::*;
    use crate::report::Screening;
    use crate::score;
    use serde_json::json;

    /// A report in which it is open whether `best` or `new` is ahead, and these rows say more.
    fn no_call(rows: &[VerdictRow]) -> Report {
        let mut report = report(json!({
            "recommendation": { "tied": ["best", "new"], "outcome": "no-call" },
        }));
        report.verdicts = rows.to_vec();
        report.variants[2].rank = Some(2);
        report
    }

    #[test]
    fn where_there_is_no_call_it_is_said_who_is_behind() {
        let beats = |a: &str| row(a, "old", &json!({ "verdict": "beats" }));
        let open = row("best", "new", &json!({}));
        let said = |rows: &[VerdictRow]| behind(&no_call(rows), &["best".into(), "new".into()]);
        assert_eq!(
            said(&[open.clone(), beats("best"), beats("new")]).as_deref(),
            Some("Each of these is surely faster than old.")
        );
        // That one is ahead of it is known, and of the other it is not.
        assert_eq!(
            said(&[open, beats("best")]).as_deref(),
            Some("old is surely behind.")
        );
        assert_eq!(
            behind(&no_call(&[]), &["best", "new", "old"].map(str::to_owned)),
            None
        );
    }

    #[test]
    fn a_size_at_which_the_first_one_loses_is_said_in_every_style() {
        let mut report =
            report(json!({ "recommendation": { "winner": "best", "outcome": "winner" } }));
        let lost = json!({ "case": 100, "verdict": "beaten", "ratio": 2.5 });
        let first = |other: &str| row("best", other, &json!({ "verdict": "beats", "ratio": 0.5 }));
        report.verdicts = vec![first("new"), first("old"), row("best", "new", &lost)];
        for style in [
            RecommendationStyle::Decisive,
            RecommendationStyle::Options,
            RecommendationStyle::Conditional,
        ] {
            report.options.recommendation = style;
            let said = headline(&report);
            assert!(
                said.contains(", but not at size 100, where new is 2.5 × faster than best"),
                "{said}"
            );
        }
    }

    #[test]
    fn who_was_never_timed_is_counted_by_approach() {
        let mut report = report(json!({}));
        assert_eq!(untimed::never_timed(&report), None);
        let figures = |time_ns: Option<f64>| score::ScreeningFigures {
            place: 9,
            total: None,
            time_ns,
        };
        for (variant, time_ns) in report.variants.iter_mut().zip([None, Some(5.0), None]) {
            variant.status = VariantStatus::Screened;
            variant.screening = Some(Screening {
                figures: figures(time_ns),
                chosen: false,
            });
        }
        report.variants[1].approach = "old".to_owned();
        assert_eq!(
            untimed::never_timed(&report).as_deref(),
            Some(
                "Never timed, since by their checks others came first: best and 1 of the 2 of old."
            )
        );
        report.criteria[0].source = "fuel".to_owned();
        assert_eq!(untimed::never_timed(&report), None);
    }
}
