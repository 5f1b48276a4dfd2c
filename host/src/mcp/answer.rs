//! The answers about a run: text for reading, and the same as values. All texts in them are escaped.

use super::error::shortened;
use super::limits::{ANSWER_BYTES_MAX, VERDICTS_MAX};
use super::outcome::RunOutcome;
use super::runs::{Phase, Run, State};
use bakeoff_domain::report::words;
use bakeoff_domain::report::{RankingOutcome, Report, VariantReport, VerdictRow};
use bakeoff_domain::series::{SeriesReport, SeriesVerdict};
use bakeoff_render;
use bakeoff_render::escape::{Lines, Plain};
use rmcp::schemars::{self, JsonSchema};
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// State of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum RunState {
    /// Another run is measuring: ask again with `result`.
    Waiting,
    /// The run is not done: ask again with `result`.
    Running,
    /// The run is done; the other fields have its result.
    #[default]
    Done,
    /// The run was called off.
    Cancelled,
}

/// Outcome of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum AnswerKind {
    /// One variant is surely ahead: take it.
    Winner,
    /// The first place is shared, and that is sure: take the simpler variant.
    Tie,
    /// The budget ended before it was known: measure longer, or take either.
    NoCall,
    /// No variant was ranked: see the failures.
    Nothing,
    /// The sources do not give the same answers: nothing was timed.
    Disagreement,
}

/// A variant of a comparison.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct VariantAnswer {
    id: String,
    name: String,
    /// `ranked`, `eliminated`, `failed` or `unranked`.
    status: &'static str,
    /// 1 is best; tied variants share a rank.
    #[serde(skip_serializing_if = "Option::is_none")]
    rank: Option<u32>,
    /// The weighted mean of the variant's scores, from 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    total: Option<f64>,
    /// Scores by criterion, from 0 to 10; higher is better.
    scores: BTreeMap<String, f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    failure: Option<FailureAnswer>,
    /// Reason why the variant is not ranked.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

/// Failure of a variant.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct FailureAnswer {
    /// `build-failed`, `wrong-answer`, `trap`, `fuel-limit`, …
    class: String,
    /// The compiler's diagnostics, or a description of the failure.
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    limit: Option<String>,
    /// The call that failed: its case, and the seed of its input.
    #[serde(skip_serializing_if = "Option::is_none")]
    call: Option<String>,
}

/// Claim about the time of two variants.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct VerdictAnswer {
    a: String,
    b: String,
    /// The case; all cases together, if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    case: Option<String>,
    /// `beats` (a takes surely less time), `beaten`, `tie` (surely no difference that matters) or
    /// `no-call` (not known yet).
    verdict: &'static str,
    /// Time of a divided by time of b; of `judge`, value of a divided by that of b, or their difference in a range.
    #[serde(skip_serializing_if = "Option::is_none")]
    ratio: Option<f64>,
    /// The lower end of the ratio's interval.
    #[serde(skip_serializing_if = "Option::is_none")]
    low: Option<f64>,
    /// The upper end of the ratio's interval.
    #[serde(skip_serializing_if = "Option::is_none")]
    high: Option<f64>,
}

/// Answer about a run.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(super) struct Answer {
    /// The id of the run, for `result`, `report`, `pick` and `cancel`.
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    state: RunState,
    /// Warning on where the report comes from and whether it can be relied on, where there is
    /// cause.
    #[serde(skip_serializing_if = "Option::is_none")]
    warning: Option<String>,
    /// The answer in words, or the state of a run that is not done.
    message: String,
    /// Next step, if the run is not done.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<String>,
    /// The last steps of a run that is not done.
    progress: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    outcome: Option<AnswerKind>,
    /// The id of the variant to take.
    #[serde(skip_serializing_if = "Option::is_none")]
    winner: Option<String>,
    /// The ids of the variants that share the first place.
    tied: Vec<String>,
    variants: Vec<VariantAnswer>,
    /// Verdicts over all cases first, then by case.
    verdicts: Vec<VerdictAnswer>,
    /// The confidence of all verdicts together.
    #[serde(skip_serializing_if = "Option::is_none")]
    confidence: Option<f64>,
    /// Conditions under which another variant is the one to take.
    alternatives: Vec<String>,
    /// Change of the weights that makes another variant the winner, and the winner's bootstrap share.
    robustness: Vec<String>,
    /// Notes on how the numbers came about.
    notes: Vec<String>,
    /// The resource with the whole report.
    #[serde(skip_serializing_if = "Option::is_none")]
    report: Option<String>,
    /// The answer of `check`.
    #[serde(skip_serializing_if = "Option::is_none")]
    check: Option<Value>,
}

/// An answer as text and as values.
#[derive(Debug)]
pub(super) struct AnswerForms {
    pub(super) text: String,
    pub(super) values: Value,
}

impl AnswerForms {
    /// Puts a warning on the origin of the answer before everything else.
    pub(super) fn warn(&mut self, said: Option<String>) {
        let Some(said) = said else { return };
        let said = Lines(&said).to_string();
        self.text = format!("MIND: {said}\n\n{}", self.text);
        if let Value::Object(values) = &mut self.values {
            values.insert("warning".to_owned(), said.into());
        }
    }
}

/// Returns the address of the report of a run.
pub(super) fn report_address(id: &str) -> String {
    format!("bakeoff://report/{id}")
}

/// Returns the answer about a run as it is now; the error is the text of its failure.
pub(super) fn about(run: &Run, state: &State, ahead: usize) -> Result<AnswerForms, String> {
    let Some(outcome) = &state.outcome else {
        return Ok(unfinished(run, state, ahead));
    };
    let answer = Answer {
        id: Some(run.id.clone()),
        ..Answer::default()
    };
    Ok(match &**outcome {
        RunOutcome::Failed(error) => return Err(format!("{} failed. {}", run.id, error.text())),
        RunOutcome::Report(report) => about_report(report, Some(&run.id)),
        RunOutcome::Disagreement(text) => {
            let text = shortened(text, ANSWER_BYTES_MAX, "shortened");
            forms(
                text.clone(),
                &Answer {
                    message: text,
                    outcome: Some(AnswerKind::Disagreement),
                    ..answer
                },
            )
        }
        RunOutcome::Checked(value) => {
            let value = escaped(value);
            let text = serde_json::to_string_pretty(&value).unwrap_or_default();
            forms(
                shortened(&text, ANSWER_BYTES_MAX, "shortened"),
                &Answer {
                    message: "checked".to_owned(),
                    check: Some(value),
                    ..answer
                },
            )
        }
        RunOutcome::Cancelled => {
            let message = format!("{} was called off; nothing of it is left", run.id);
            forms(
                message.clone(),
                &Answer {
                    state: RunState::Cancelled,
                    message,
                    ..answer
                },
            )
        }
    })
}

fn unfinished(run: &Run, state: &State, ahead: usize) -> AnswerForms {
    let seconds = run.since.elapsed().as_secs();
    let (run_state, message) = match state.phase {
        Phase::Waiting => (
            RunState::Waiting,
            format!(
                "{} waits for {ahead} other runs: only one measures at a time, since others would disturb it",
                run.id
            ),
        ),
        Phase::Running | Phase::Ended => (
            RunState::Running,
            format!("{} is not done after {seconds} s", run.id),
        ),
    };
    let next = format!(
        "call `result` with id {} to wait for it, or `cancel` to end it",
        run.id
    );
    let progress: Vec<String> = state.lines.iter().cloned().collect();
    let lines = progress.iter().map(|line| format!("\n  {line}"));
    let text = format!("{message}; {next}.{}", lines.collect::<String>());
    forms(
        text,
        &Answer {
            id: Some(run.id.clone()),
            state: run_state,
            message,
            next: Some(next),
            progress,
            ..Answer::default()
        },
    )
}

/// Returns the answer of a report; `id` is that of its run, if it is one of this session.
pub(super) fn about_report(report: &Report, id: Option<&str>) -> AnswerForms {
    let text = bakeoff_render::human(report, &bakeoff_render::Options::default());
    let rest = match id {
        Some(id) => format!("shortened; the whole report is {}", report_address(id)),
        None => "shortened".to_owned(),
    };
    let text = match id {
        Some(id) => format!("{id}\n{text}"),
        None => text,
    };
    let answer = answer(report, id);
    let text = if text.len() <= ANSWER_BYTES_MAX {
        text
    } else {
        // Shortening cuts off the end, which has the answer.
        format!(
            "{}\n\n{}",
            shortened(&text, ANSWER_BYTES_MAX, &rest),
            answer.message
        )
    };
    forms(text, &answer)
}

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

fn answer(report: &Report, id: Option<&str>) -> Answer {
    let recommendation = &report.recommendation;
    let plain = |texts: &[String]| texts.iter().map(|text| Plain(text).to_string()).collect();
    Answer {
        id: id.map(str::to_owned),
        state: RunState::Done,
        message: Lines(&recommendation.text).to_string(),
        outcome: Some(kind(recommendation.outcome)),
        winner: recommendation.winner.clone(),
        tied: recommendation.tied.clone(),
        variants: report.variants.iter().map(variant).collect(),
        verdicts: report
            .verdicts
            .iter()
            .take(VERDICTS_MAX)
            .map(verdict)
            .collect(),
        confidence: Some(report.protocol.confidence),
        alternatives: plain(&words::alternatives(report)),
        robustness: plain(&words::robustness(report)),
        notes: plain(&report.notes),
        report: id.map(report_address),
        ..Answer::default()
    }
}

fn kind(outcome: RankingOutcome) -> AnswerKind {
    match outcome {
        RankingOutcome::Winner => AnswerKind::Winner,
        RankingOutcome::Tie => AnswerKind::Tie,
        RankingOutcome::NoCall => AnswerKind::NoCall,
        RankingOutcome::Nothing => AnswerKind::Nothing,
    }
}

fn variant(variant: &VariantReport) -> VariantAnswer {
    let scores = variant.scores.iter();
    VariantAnswer {
        id: Plain(&variant.id).to_string(),
        name: Plain(&variant.name).to_string(),
        status: variant.status.name(),
        rank: variant.rank,
        total: variant.total.map(|total| total.value),
        scores: scores
            .map(|(name, score)| (Plain(name).to_string(), score.value))
            .collect(),
        failure: variant.failure.as_ref().map(|failure| FailureAnswer {
            class: failure.class.name().to_owned(),
            message: shortened(
                &Lines(&failure.message).to_string(),
                ANSWER_BYTES_MAX,
                "shortened",
            ),
            limit: failure.limit.as_ref().map(|limit| Plain(limit).to_string()),
            call: variant.failed_call.as_ref().map(|call| {
                let case = call.case.to_string();
                format!("case {}, seed {}", Plain(&case), call.seed)
            }),
        }),
        reason: variant
            .reason
            .as_ref()
            .map(|reason| Plain(reason).to_string()),
    }
}

fn verdict(row: &VerdictRow) -> VerdictAnswer {
    VerdictAnswer {
        a: Plain(&row.a).to_string(),
        b: Plain(&row.b).to_string(),
        case: row
            .case
            .as_ref()
            .map(|case| Plain(&case.to_string()).to_string()),
        verdict: row.verdict.id(),
        ratio: row.ratio,
        low: row.low,
        high: row.high,
    }
}

fn forms(text: String, answer: &Answer) -> AnswerForms {
    AnswerForms {
        text,
        values: serde_json::to_value(answer).unwrap_or_default(),
    }
}

/// Returns the same value with every text escaped.
fn escaped(value: &Value) -> Value {
    match value {
        Value::String(text) => Lines(text).to_string().into(),
        Value::Array(values) => values.iter().map(escaped).collect(),
        Value::Object(object) => {
            let fields = object.iter();
            let fields = fields.map(|(key, value)| (Plain(key).to_string(), escaped(value)));
            Value::Object(fields.collect())
        }
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_of_a_check_are_escaped_at_every_depth() {
        let value = json!({"a\u{1b}": ["x\u{7}\ny", {"b": "\u{202e}"}], "n": 1});
        let text = escaped(&value).to_string();
        assert!(
            !text.contains("\\u001b") && !text.contains('\u{202e}'),
            "{text}"
        );
        assert!(
            text.contains("u{1b}") && text.contains("x\\\\u{7}\\ny"),
            "{text}"
        );
    }

    #[test]
    fn an_answer_has_what_its_schema_requires_and_leaves_out_what_is_absent() {
        let bare = serde_json::to_value(Answer::default()).unwrap();
        let expected = json!({
            "state": "done", "message": "", "progress": [], "tied": [], "variants": [], "verdicts": [],
            "alternatives": [], "robustness": [], "notes": []
        });
        assert_eq!(bare, expected);
        // Clients hold an answer against the schema.
        let schema = crate::mcp::arguments::schema::<Answer>();
        for field in schema["required"].as_array().unwrap() {
            assert!(bare.get(field.as_str().unwrap()).is_some(), "{field}");
        }
        for field in expected.as_object().unwrap().keys() {
            assert!(schema["properties"].get(field).is_some(), "{field}");
        }
    }
}
