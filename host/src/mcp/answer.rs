//! The answers about a run: text for reading, and the same as values. All texts in them are escaped.

use super::error::shortened;
use super::limits::{ANSWER_BYTES_MAX, VERDICTS_MAX};
use bakeoff_domain::report::words;
use bakeoff_domain::report::{RankingOutcome, Report, VariantReport, VerdictRow};
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
    pub(super) a: String,
    pub(super) b: String,
    /// The case; all cases together, if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) case: Option<String>,
    /// `beats` (a takes surely less time), `beaten`, `tie` (surely no difference that matters) or
    /// `no-call` (not known yet).
    pub(super) verdict: &'static str,
    /// Time of a divided by time of b; of `judge`, value of a divided by that of b, or their difference in a range.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) ratio: Option<f64>,
    /// The lower end of the ratio's interval.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) low: Option<f64>,
    /// The upper end of the ratio's interval.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) high: Option<f64>,
}

/// Answer about a run.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(super) struct Answer {
    /// The id of the run, for `result`, `report`, `pick` and `cancel`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) id: Option<String>,
    pub(super) state: RunState,
    /// Warning on where the report comes from and whether it can be relied on, where there is
    /// cause.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) warning: Option<String>,
    /// The answer in words, or the state of a run that is not done.
    pub(super) message: String,
    /// Next step, if the run is not done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) next: Option<String>,
    /// The last steps of a run that is not done.
    pub(super) progress: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) outcome: Option<AnswerKind>,
    /// The id of the variant to take.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) winner: Option<String>,
    /// The ids of the variants that share the first place.
    pub(super) tied: Vec<String>,
    pub(super) variants: Vec<VariantAnswer>,
    /// Verdicts over all cases first, then by case.
    pub(super) verdicts: Vec<VerdictAnswer>,
    /// The confidence of all verdicts together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) confidence: Option<f64>,
    /// Conditions under which another variant is the one to take.
    pub(super) alternatives: Vec<String>,
    /// Change of the weights that makes another variant the winner, and the winner's bootstrap share.
    pub(super) robustness: Vec<String>,
    /// Notes on how the numbers came about.
    pub(super) notes: Vec<String>,
    /// The resource with the whole report.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) report: Option<String>,
    /// The answer of `check`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) check: Option<Value>,
    /// The approaches that were written, or tried to be.
    pub(super) approaches: Vec<ApproachAnswer>,
    /// The tasks of `develop` that wait for your answers.
    pub(super) tasks: Vec<OpenTaskAnswer>,
}

/// Approach that was written.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ApproachAnswer {
    pub(super) name: String,
    /// `passed`, `duplicate`, or the class of its failure.
    pub(super) outcome: String,
    /// Its file in the experiment's folder, if it passed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) file: Option<String>,
    /// Fault of the last attempt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) message: Option<String>,
}

/// Task that waits for an answer.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct OpenTaskAnswer {
    /// The id, for the answer.
    pub(super) task: String,
    /// `plan`, `research`, `interface`, `workload`, `approaches` (ideas), `prototype`, `repair` or `combination`.
    pub(super) purpose: String,
    pub(super) subject: String,
    /// The question.
    pub(super) prompt: String,
    /// The JSON schema of the reply.
    pub(super) schema: Value,
    /// Reason why the last answer was not taken.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) refused: Option<String>,
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

pub(super) fn kind(outcome: RankingOutcome) -> AnswerKind {
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

pub(super) fn forms(text: String, answer: &Answer) -> AnswerForms {
    AnswerForms {
        text,
        values: serde_json::to_value(answer).unwrap_or_default(),
    }
}

/// Returns the same value with every text escaped.
pub(super) fn escaped(value: &Value) -> Value {
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
            "alternatives": [], "robustness": [], "notes": [], "approaches": [], "tasks": []
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
