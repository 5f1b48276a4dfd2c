//! The headline: the recommendation in the first sentences.

use super::view::{
    Relation, exact_relation, is_worth, joined, listed, name, ranked, relation, row_for, shortened,
    time_criterion,
};
use super::{advice, basis, digits, numbers, open, sizes, speed, too_short};
use crate::failure::FailureClass;
use crate::report::{
    CaseLabel, CriterionSummary, RankingOutcome, Report, VariantReport, VariantStatus,
};
use crate::spec::RecommendationStyle;
use crate::verdict::Verdict;

/// The largest number of names in a sentence about a shared first place.
const NAMES_MAX: usize = 6;

/// The largest number of reasons for missing scores that are given; the report has all of them.
const REASONS_MAX: usize = 3;

/// The recommendation with its reason, in the style that was asked for: `decisive` names one variant
/// if the verdicts do, `options` lists the close ones, `conditional` names one for each criterion,
/// `none` is empty. It ends with the cases that are left out of the times, if some are.
pub fn headline(report: &Report) -> String {
    let text = match report.options.recommendation {
        RecommendationStyle::None => return String::new(),
        _ if report.recommendation.outcome == RankingOutcome::Nothing => nothing(report),
        RecommendationStyle::Decisive => decisive(report),
        RecommendationStyle::Options => options(report),
        RecommendationStyle::Conditional => advice::conditional(report),
    };
    let left_out = too_short::somewhere(report).filter(|_| too_short::is_in_headline(report));
    let sentences = [Some(text), left_out, basis::remark(&report.protocol)];
    let sentences: Vec<String> = sentences.into_iter().flatten().collect();
    sentences.join(" ")
}

fn decisive(report: &Report) -> String {
    match &report.recommendation.winner {
        Some(winner) => taken(report, winner),
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
        CaseLabel::Size(size) => format!(" for the input of size {size}, seed {}", call.seed),
        CaseLabel::Call(call) => format!(" to {}", shortened(call)),
        CaseLabel::Instance { instance } => format!(" for instance {}", shortened(instance)),
    });
    Some(format!(
        "Nothing can be recommended: the prototypes disagree about the answer{}, and there is no oracle \
         to say who is right.",
        input.unwrap_or_default()
    ))
}

/// The reasons of the variants that could not be scored, each with all that it is true of.
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
    let variants = ranked(report);
    let called = name(report, winner);
    let (Some(best), Some(next)) = (
        variants.iter().find(|variant| variant.id == winner),
        variants.iter().find(|variant| variant.id != winner),
    ) else {
        let others = report.variants.len().saturating_sub(1);
        return if others == 0 {
            format!("{called} is the only variant: there is nothing to compare.")
        } else {
            format!("Take {called}: it is the only one that could be ranked.")
        };
    };
    let mut sentences = vec![format!("Take {called}: {}.", reason(report, best, next))];
    let crossover = sizes::crossovers(report)
        .into_iter()
        .find(|crossover| crossover.small == winner || crossover.large == winner);
    let by_size = crossover.map(|crossover| sizes::sentence(report, &crossover));
    sentences.extend(by_size.or_else(|| sizes::exception(report)));
    sentences.join(" ")
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
        let relation = match is_small {
            true => exact_relation(report, criterion, best, next),
            false => relation(report, criterion, best, next),
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
    let totals = totals.map_or_else(String::new, |(best, next)| {
        format!("its total is {best} against {next} for {other}")
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
    let names = tied.iter().map(|id| name(report, id)).collect();
    let names = listed(names, NAMES_MAX);
    if report.recommendation.outcome == RankingOutcome::NoCall {
        let why = open::first_of(report, tied)
            .unwrap_or_else(|| "no difference between their totals is sure".to_owned());
        return format!("No call between {names}: {why}.");
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
    format!("{names} share the first place: {how}. Take the one that is easier to maintain.")
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
        RankingOutcome::Winner => "",
        RankingOutcome::Tie => " The first place is shared.",
        RankingOutcome::NoCall => " The first place is not settled.",
        RankingOutcome::Nothing => "",
    };
    format!("The options, by total: {}.{sense}", options.join("; "))
}
