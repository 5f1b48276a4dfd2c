//! Calls of all approaches on the same inputs, and the sentences that a reader gets about them.

use crate::bounds::SEARCH_MIN;
use crate::difference_search::{
    DIFFERENT, DifferenceSearch, LookResult, OTHER_INPUTS, UNTIMED, again,
};
use crate::error::CompareError;
use crate::first_look::{Findings, FirstLook, StoppedCall};
use crate::shrinking::{self, shown_call};
use bakeoff_domain::failure::FailureClass;
use bakeoff_domain::measurement::CaseIndex;
use bakeoff_domain::report::StoppedInSearch;
use bakeoff_render::escape::Plain;
use bakeoff_render::{ComparisonOutcome, FileAnswer, UntimedComparison};
use bakeoff_runner::RepeatedCall;
use std::time::{Duration, Instant};

/// Calls of all approaches on the same inputs.
pub(crate) struct SharedCalls<'a> {
    looking: &'a DifferenceSearch<'a>,
    survey: &'a bakeoff_run::Survey,
    pub(crate) calls: Vec<(CaseIndex, u64)>,
    /// Name of each approach with its calls. Every approach was built and called, so an index here is also that of the
    /// approach in the experiment.
    made: Vec<(&'a str, Vec<RepeatedCall>)>,
}

impl<'a> SharedCalls<'a> {
    /// Returns the approaches of an experiment without calls yet.
    pub(crate) fn none(looking: &'a DifferenceSearch<'a>, survey: &'a bakeoff_run::Survey) -> Self {
        let approaches = looking.experiment.approaches.iter();
        Self {
            looking,
            survey,
            calls: Vec::new(),
            made: approaches
                .map(|approach| (&*approach.name, Vec::new()))
                .collect(),
        }
    }

    /// Makes more calls within the time that is left for the search. Keeps as many of the first `calls` as every
    /// approach finished.
    pub(crate) async fn make(&mut self, calls: &[(CaseIndex, u64)]) -> Result<(), CompareError> {
        let left = self.looking.bounds.time;
        let left = left.saturating_sub(self.looking.spent()).max(SEARCH_MIN);
        self.make_within(calls, Some(left)).await
    }

    /// Makes more calls within `left`, or without a limit. Keeps as many of the first `calls` as every approach
    /// finished.
    ///
    /// # Errors
    /// An approach does not build, or something failed that does not depend on the approaches.
    pub(crate) async fn make_within(
        &mut self,
        calls: &[(CaseIndex, u64)],
        left: Option<Duration>,
    ) -> Result<(), CompareError> {
        let started = Instant::now();
        let surveyed = match left {
            Some(left) => self.survey.call_all_within(calls, left).await?,
            None => self.survey.call_all(calls).await?,
        };
        self.looking.add_spent(started);
        // No file is recommended because another one does not build.
        if let Some(failure) = surveyed.iter().find_map(|calls| calls.as_ref().err()) {
            return Err(CompareError::NotBuilt(failure.clone()));
        }
        let surveyed: Vec<Vec<RepeatedCall>> = surveyed.into_iter().flatten().collect();
        let made = surveyed.iter().map(Vec::len).min().unwrap_or(0);
        for ((_, known), more) in self.made.iter_mut().zip(surveyed) {
            known.extend(more.into_iter().take(made));
        }
        self.calls.extend(calls.iter().take(made));
        Ok(())
    }

    pub(crate) fn look(&self) -> FirstLook<'_> {
        FirstLook {
            calls: self.made.iter().map(|(_, calls)| &calls[..]).collect(),
        }
    }

    /// Returns the files that were stopped by a limit on inputs on which another one answers.
    pub(crate) fn stopped_alone(&self, findings: &Findings) -> Vec<StoppedInSearch> {
        let counts = self.made.iter().zip(&findings.stopped_alone);
        let stopped = counts.filter(|(_, count)| **count > 0);
        let file = |((name, _), count): (&(&str, Vec<RepeatedCall>), &usize)| StoppedInSearch {
            approach: (*name).to_owned(),
            stopped: *count as u64,
            tried: findings.inputs as u64,
        };
        stopped.map(file).collect()
    }

    /// Returns the conclusion from findings, with the sentences for a reader: a difference, inputs on which all fail,
    /// or agreement.
    pub(crate) async fn verdict(
        &self,
        looking: &DifferenceSearch<'_>,
        findings: &Findings,
    ) -> Result<LookResult, CompareError> {
        let tried = findings.inputs;
        if let Some((input, count)) = findings.differ {
            let counts = format!("They differ on {count} of {tried} random inputs");
            return self
                .difference(looking, input, &counts)
                .await
                .map(LookResult::NotTimed);
        }
        let inputs = self.agreed_inputs(findings);
        let Some((input, count)) = findings.fail else {
            return Ok(LookResult::Same {
                sizes: Vec::new(),
                inputs,
            });
        };
        let shortest = self.input_text(looking, input);
        Ok(LookResult::AllFail {
            untimed: UntimedComparison {
                outcome: ComparisonOutcome::AllFail,
                reason: format!(
                    "All fail: no file answers on {count} of {tried} random inputs, so nothing was timed."
                ),
                call: Some(shortest.clone()),
                answers: vec![self.answer(0, input).await],
                advice: OTHER_INPUTS.to_owned(),
                ..UNTIMED
            },
            left_out: format!(
                "{}, and so are inputs like them (the shortest: {shortest}).",
                match count {
                    1 => "One more, on which all files fail, is left out".to_owned(),
                    _ => format!("{count} others, on which all files fail, are left out"),
                }
            ),
            failing: (count, tried),
            inputs,
        })
    }

    /// Returns the disagreement on an input, or on a simpler one that still shows it. `counts` says how often the
    /// approaches differ.
    pub(crate) async fn difference(
        &self,
        looking: &DifferenceSearch<'_>,
        input: usize,
        counts: &str,
    ) -> Result<UntimedComparison, CompareError> {
        let found = looking.found;
        let call = self.calls[input];
        let arguments = shrinking::arguments_of(self.survey, found.signature(), call).await?;
        let shrunk = match arguments {
            Some(arguments) => {
                let most = looking.bounds.shrinking;
                shrinking::shrink(self.survey, &found.call, arguments, most).await?
            }
            None => None,
        };
        match shrunk {
            Some(difference) => Ok(looking.simplest(self.survey, difference, counts).await),
            None => {
                let counts = format!("{counts}; this is the shortest. ");
                Ok(self.shown_difference(looking, input, counts).await)
            }
        }
    }

    /// Returns the disagreement on an input as it is, without making that simpler.
    pub(crate) async fn shown_difference(
        &self,
        looking: &DifferenceSearch<'_>,
        input: usize,
        counts: String,
    ) -> UntimedComparison {
        let mut answers = Vec::new();
        for place in 0..self.made.len() {
            answers.push(self.answer(place, input).await);
        }
        UntimedComparison {
            outcome: ComparisonOutcome::Disagreement,
            reason: DIFFERENT.to_owned(),
            call: Some(self.input_text(looking, input)),
            answers,
            advice: format!("{counts}{OTHER_INPUTS} {}", again(looking)),
            ..UNTIMED
        }
    }

    pub(crate) async fn answer(&self, place: usize, input: usize) -> FileAnswer {
        FileAnswer {
            file: self.made[place].0.to_owned(),
            answer: self.what_it_did(place, input).await,
        }
    }

    pub(crate) async fn what_it_did(&self, place: usize, input: usize) -> String {
        let made = &self.made[place].1[input];
        let trapped = made.error.as_ref();
        if trapped.is_some_and(|error| error.class == FailureClass::Trap)
            && let Some(panic) = self.survey.panic_of(place, self.calls[input]).await
        {
            return format!("fails: {panic}");
        }
        shown_call(made)
    }

    /// Returns a call as text.
    pub(crate) fn input_text(&self, looking: &DifferenceSearch<'_>, input: usize) -> String {
        let arguments = self.made.first().and_then(|(_, calls)| calls.get(input));
        let arguments = arguments.map_or("", |call| &call.arguments);
        let call = &looking.found.call;
        format!("{}({})", Plain(call), Plain(arguments))
    }

    /// Returns the clause that says which file was stopped on which size, and by which limit.
    pub(crate) fn stopped(&self, stopped: &StoppedCall) -> String {
        let (name, calls) = &self.made[stopped.who];
        let call = calls.get(stopped.input);
        let limit = call.and_then(|call| call.error.as_ref()?.limit.as_deref());
        format!(
            "on one of size {}, {} was stopped by a limit ({})",
            stopped.size,
            Plain(name),
            Plain(limit.unwrap_or("unknown"))
        )
    }

    /// Returns sentences on the inputs with equal answers: their number, the number of answers that are errors and say
    /// little, and the file that was stopped by a limit.
    pub(crate) fn agreed_inputs(&self, findings: &Findings) -> String {
        let tried = findings.inputs;
        let errors = match findings.errors {
            0 => String::new(),
            errors => format!(" ({errors} of them answered by an error)"),
        };
        let stopped = findings.stopped.map_or(String::new(), |(who, input, count)| {
            let (name, calls) = &self.made[who];
            let arguments = &calls[input].arguments;
            format!(
                " On {count} of them, a file was stopped by a limit of fuel or memory; the shortest is ({}), on which \
                 {} was stopped.",
                Plain(arguments),
                Plain(name)
            )
        });
        if tried == 0 {
            return "No input was tried first: no call ended in the time that the budget leaves for it."
                .to_owned();
        }
        format!(
            "On the {tried} inputs that were tried first{errors}, their answers are the same.{stopped}"
        )
    }
}
