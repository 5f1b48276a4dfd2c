//! The answer about values that were measured elsewhere.

use super::answer::{Answer, AnswerForms, VerdictAnswer, forms, kind};
use super::error::shortened;
use super::limits::{ANSWER_BYTES_MAX, VERDICTS_MAX};
use bakeoff_domain::report::RankingOutcome;
use bakeoff_domain::series::{SeriesReport, SeriesVerdict};
use bakeoff_render::escape::{Lines, Plain};

/// Returns the answer of a report about values that were measured elsewhere.
pub(super) fn about_series(report: &SeriesReport) -> AnswerForms {
    let text = bakeoff_render::human_of_series(report, &bakeoff_render::Options::default());
    let name = |name: &String| Plain(name).to_string();
    let tied = if report.outcome == RankingOutcome::Tie {
        report.unbeaten.iter().map(name).collect()
    } else {
        Vec::new()
    };
    let verdict = |row: &SeriesVerdict| VerdictAnswer {
        a: Plain(&row.a).to_string(),
        b: Plain(&row.b).to_string(),
        case: row.case.as_ref().map(name),
        verdict: row.verdict.id(),
        ratio: row.value,
        low: row.low,
        high: row.high,
    };
    let answer = Answer {
        message: Lines(&report.text).to_string(),
        outcome: Some(kind(report.outcome)),
        winner: report.winner.as_ref().map(name),
        tied,
        verdicts: report
            .verdicts
            .iter()
            .take(VERDICTS_MAX)
            .map(verdict)
            .collect(),
        confidence: Some(report.confidence),
        notes: report
            .notes
            .iter()
            .map(|note| Plain(note).to_string())
            .collect(),
        ..Answer::default()
    };
    let mut forms = forms(shortened(&text, ANSWER_BYTES_MAX, "shortened"), &answer);
    forms.warn((!report.warnings.is_empty()).then(|| report.warnings.join(" ")));
    forms
}
