//! Rounds: agents that begin with the best of the round before, and are told what became of it.

use super::completion::Completion;
use super::error::AgentError;
use super::experiment::AgentExperiment;
use super::measurement::{MeasureOrders, VariantMeasurement, measure};
use super::orders::Orders;
use super::record::{CompletionRequest, VariantRequest};
use super::round_evidence::evidence;
use super::round_record::{self, RoundRecord, name_in_round};
use super::round_result::EndedRound;
use super::work::{AgentNews, NewsListener, name_branch, work};
use bakeoff_config::is_branch_part;
use bakeoff_domain::series::SeriesEnd;
use std::collections::BTreeSet;

/// Rounds of the work on all variants.
#[derive(Debug)]
pub struct RoundOrders<'a> {
    /// The most rounds.
    pub count: u32,
    /// Measurement of what passed, for each round; empty if nothing is measured.
    pub measure: &'a [MeasureOrders<'a>],
}

/// Round whose agents have ended.
#[derive(Debug)]
pub struct Round {
    /// Number of the round, from 1.
    pub round: u32,
    /// Commit that its agents began with.
    pub base: String,
    /// Completions of its variants, in their order.
    pub completions: Vec<Completion>,
    /// Measurement of what passed; `None` if there is none, or a command before this one made it.
    pub measurement: Option<VariantMeasurement>,
    /// Record of its result; `None` if there is one round alone, or the user interrupted it.
    pub record: Option<RoundRecord>,
}

/// News of a measurement, and then nothing more where it has ended.
pub type TimingListener<'a> = &'a mut dyn FnMut(Option<bakeoff_programs::News<'_>>);

/// Has agents work on all variants, and measures what passed, in one round or more. The same orders go on where they were
/// interrupted: rounds after which another one has begun stay as they are, and the last one is measured anew.
///
/// # Errors
/// There is a variant of another request, or a branch is in the way; the rounds that are there have other variants, or there
/// are more of them; a verification cannot be started; this machine or git fails; the user interrupts it. Agents that work
/// when one of the others fails are waited for, and what they left is kept.
pub fn work_in_rounds(
    experiment: &AgentExperiment,
    orders: &Orders<'_>,
    variants: &[VariantRequest],
    how: &RoundOrders<'_>,
    news: NewsListener<'_>,
    timing: TimingListener<'_>,
) -> Result<Vec<Round>, AgentError> {
    let rounds = all_rounds(experiment, orders, variants, how, news, timing);
    rounds.map_err(|error| error.with_room_for(experiment.folder()))
}

fn all_rounds(
    experiment: &AgentExperiment,
    orders: &Orders<'_>,
    variants: &[VariantRequest],
    how: &RoundOrders<'_>,
    news: NewsListener<'_>,
    timing: TimingListener<'_>,
) -> Result<Vec<Round>, AgentError> {
    let mut records = experiment.rounds();
    let keeps = how.count > 1 || !records.is_empty();
    check(experiment, variants, how, &records)?;
    let mut rounds: Vec<Round> = Vec::new();
    let mut request = orders.request.clone();
    let mut remarks = String::new();
    for number in 1..=how.count {
        let variants = in_round(variants, number);
        let own = Orders {
            request: &request,
            remarks: &remarks,
            ..*orders
        };
        let fixed = records.get(number as usize - 1);
        let round = match fixed.filter(|record| record.result.goes_on) {
            Some(record) => kept(experiment, &request, &variants, record)?,
            None => {
                let completions = work(experiment, &own, &variants, news)?;
                let mut measurement = None;
                if let Some(how) = how.measure.get(number as usize - 1) {
                    let mut tell = |news: bakeoff_programs::News<'_>| timing(Some(news));
                    let found = measure(experiment, &own, &completions, how, &mut tell);
                    timing(None);
                    measurement = Some(found?);
                }
                let mut round = Round {
                    round: number,
                    base: request.base.clone(),
                    completions,
                    measurement,
                    record: None,
                };
                if keeps && !round.is_interrupted() {
                    let record = round.ended(how);
                    records.truncate(number as usize - 1);
                    records.push(record.clone());
                    round_record::write(&experiment.folder, &experiment.place(), &records)?;
                    round.record = Some(record);
                }
                round
            }
        };
        let next = round.record.clone();
        rounds.push(round);
        if let Some(record) = &next {
            news(AgentNews::RoundEnded(record));
        }
        let Some(record) = next.filter(|record| record.result.goes_on) else {
            break;
        };
        request = CompletionRequest {
            base: record.result.best.map_or(request.base, |best| best.commit),
            first_base: Some(orders.request.base.clone()),
            ..orders.request.clone()
        };
        remarks = record.evidence;
    }
    Ok(rounds)
}

impl AgentExperiment {
    /// Returns the rounds that have ended, in their order; none if there was one round alone.
    pub fn rounds(&self) -> Vec<RoundRecord> {
        round_record::read(&self.folder, &self.place())
    }
}

impl Round {
    /// Returns true if the user ended its measurement.
    fn is_interrupted(&self) -> bool {
        let outcome = self
            .measurement
            .as_ref()
            .and_then(|one| one.outcome.as_ref());
        outcome.is_some_and(|outcome| outcome.report.ended == SeriesEnd::Interrupted)
    }

    /// Returns what it brought.
    fn ended(&self, how: &RoundOrders<'_>) -> RoundRecord {
        let outcome = self
            .measurement
            .as_ref()
            .and_then(|one| one.outcome.as_ref());
        let ended = EndedRound {
            round: self.round,
            count: how.count,
            completions: &self.completions,
            measures: !how.measure.is_empty(),
            report: outcome.map(|outcome| &outcome.report),
        };
        let result = ended.result();
        let names = self.completions.iter().map(|one| one.variant.clone());
        RoundRecord {
            round: self.round,
            base: self.base.clone(),
            variants: names.collect(),
            // Of the last round no agent is told.
            evidence: if result.goes_on {
                evidence(&ended, &result)
            } else {
                String::new()
            },
            result,
        }
    }
}

/// Returns the variants of a round.
fn in_round(variants: &[VariantRequest], round: u32) -> Vec<VariantRequest> {
    let named = |variant: &VariantRequest| VariantRequest {
        name: name_in_round(&variant.name, round),
        idea: variant.idea.clone(),
    };
    variants.iter().map(named).collect()
}

/// Refuses, before an agent is started, names that a round could not have, and rounds that are there and do not fit.
fn check(
    experiment: &AgentExperiment,
    variants: &[VariantRequest],
    how: &RoundOrders<'_>,
    records: &[RoundRecord],
) -> Result<(), AgentError> {
    let mut names = BTreeSet::new();
    for round in 1..=how.count {
        for variant in in_round(variants, round) {
            if !is_branch_part(&variant.name) {
                return Err(AgentError::Usage(format!(
                    "{:?} would be the name of a variant in round {round}, and is too long: give that variant a shorter one",
                    variant.name
                )));
            }
            if !names.insert(variant.name.to_ascii_lowercase()) {
                return Err(AgentError::Usage(format!(
                    "{:?} is the name of a variant, and of another one in round {round}: give one of them another",
                    variant.name
                )));
            }
        }
    }
    let begun = records.iter().filter(|record| record.result.goes_on);
    let begun = begun.count() as u32 + u32::from(!records.is_empty());
    let has_begun = records.iter().any(|record| record.result.goes_on);
    if has_begun && how.count < begun {
        return Err(AgentError::Usage(format!(
            "{} has {begun} rounds already: --rounds {begun} goes on with them, and a larger number may begin another; --name \
             names another experiment",
            experiment.folder().display()
        )));
    }
    for record in records.iter().filter(|record| record.round <= how.count) {
        let names: Vec<String> = in_round(variants, record.round)
            .into_iter()
            .map(|variant| variant.name)
            .collect();
        if names != record.variants {
            return Err(AgentError::Usage(format!(
                "round {} of {} had other variants ({}): the same ones go on, and others need another --name",
                record.round,
                experiment.folder().display(),
                record.variants.join(", ")
            )));
        }
    }
    Ok(())
}

/// Returns a round as it ended, after which another one began.
fn kept(
    experiment: &AgentExperiment,
    request: &CompletionRequest,
    variants: &[VariantRequest],
    record: &RoundRecord,
) -> Result<Round, AgentError> {
    experiment.check(request, variants)?;
    let mut completions = Vec::with_capacity(variants.len());
    for variant in variants {
        let Some((_, completion)) = experiment.completion(&variant.name) else {
            return Err(AgentError::Usage(format!(
                "what {} left in round {} is not there any more, and later rounds rest on it: give this another name by \
                 --name",
                variant.name, record.round
            )));
        };
        name_branch(experiment, &completion)?;
        completions.push(completion);
    }
    Ok(Round {
        round: record.round,
        base: record.base.clone(),
        completions,
        measurement: None,
        record: Some(record.clone()),
    })
}
