//! Calls of all approaches on random inputs before anything is timed: first on those on which they may differ, then on
//! those that can be timed.

use crate::bounds::SEARCH_MIN;
use crate::difference_search::{
    DIFFERENT_LATER, DifferenceSearch, LookResult, OTHER_INPUTS, UNTIMED, seed_of,
};
use crate::error::CompareError;
use crate::first_look::{
    FIRST_PART_DIVISOR, INPUTS_OF_EACH, SEARCHED, TIMED_MAX, TIMED_TOGETHER, TimedSizes,
    timed_sizes,
};
use crate::shared_calls::SharedCalls;
use crate::steered_inputs::STEERED_DIVISOR;
use bakeoff_domain::failure::FailureClass;
use bakeoff_domain::measurement::CaseIndex;
use bakeoff_domain::texts::TextKind;
use bakeoff_render::UntimedComparison;
use bakeoff_sandbox::GuestError;
use bakeoff_source::interface::large_input_seed;
use std::ops::Range;
use std::time::Instant;

/// Factor on the time of the search for differences, for a second try: an approach that is stopped on a size, and took
/// next to nothing for a smaller one, gets this time, and as much fuel as in a run.
const TIME_AGAIN_FACTOR: u32 = 3;

/// Treatment of inputs on which all approaches fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FailingInputs {
    /// Such an input ends the search for sizes.
    End,
    /// Such inputs are left out.
    LeftOut,
}

impl DifferenceSearch<'_> {
    /// Calls all approaches on inputs on which they may differ, unless they are one component.
    pub(crate) async fn search(
        &self,
        survey: &bakeoff_run::Survey,
    ) -> Result<LookResult, CompareError> {
        if survey.are_one_component().await? {
            return Ok(LookResult::OneComponent);
        }
        let started = Instant::now();
        let left = self.bounds.time.max(SEARCH_MIN);
        let examples = self.try_examples(survey, left).await;
        self.add_spent(started);
        let examples = examples?;
        if let Some(difference) = examples.difference {
            let untimed = self.simplest(survey, difference, &examples.sentence);
            return Ok(LookResult::NotTimed(untimed.await));
        }
        let mut called = SharedCalls::none(self, survey);
        let factor = u64::from(self.bounds.inputs_factor);
        let parts: [fn(u64) -> Range<u64>; 3] = [
            |_| 0..1,
            |count| 1..count / FIRST_PART_DIVISOR,
            |count| count / FIRST_PART_DIVISOR..count - count / STEERED_DIVISOR,
        ];
        // The first two together: each of them alone would cost a process.
        for parts in [&parts[..2], &parts[2..]] {
            let of_case = |part: fn(u64) -> Range<u64>| {
                let sizes = SEARCHED.into_iter().enumerate();
                sizes.flat_map(move |(case, (_, count))| {
                    part(count * factor).map(move |input| (case, input))
                })
            };
            let calls = parts.iter().flat_map(|part| of_case(*part));
            let calls: Vec<(CaseIndex, u64)> = calls
                .map(|(case, input)| (case, seed_of(self.seed, "first-look", case, input)))
                .collect();
            called.make(&calls).await?;
            if self.is_over() {
                break;
            }
        }
        let findings = called.look().compare();
        self.stopped.get_or_init(|| called.stopped_alone(&findings));
        if findings.differ.is_none()
            && let Some(untimed) = self.differ_on_edges(survey).await?
        {
            return Ok(LookResult::NotTimed(untimed));
        }
        let mut steered = 0;
        if findings.differ.is_none() && !self.is_over() {
            let calls = called.look().calls;
            let wanted = SEARCHED.map(|(_, count)| count * factor / STEERED_DIVISOR);
            let found = self.steered(survey, &calls, wanted.iter().sum()).await?;
            steered = found.inputs;
            if let Some((difference, count)) = found.difference {
                let counts = format!(
                    "They differ on {count} of {steered} small changes of inputs that took unusual paths through the files"
                );
                let untimed = self.simplest(survey, difference, &counts);
                return Ok(LookResult::NotTimed(untimed.await));
            }
        }
        let mut looked = called.verdict(self, &findings).await?;
        if let LookResult::Same { inputs, .. } | LookResult::AllFail { inputs, .. } = &mut looked {
            if steered > 0 {
                inputs.push_str(&format!(
                    " They are the same on {steered} small changes of inputs that took unusual paths through the files, too."
                ));
            }
            inputs.push_str(&examples.sentence);
        }
        Ok(looked)
    }

    /// Calls all approaches on inputs of several sizes, and chooses among the sizes. If nothing is timed, since the
    /// approaches are one component, tries the smallest size alone.
    pub(crate) async fn time(
        &self,
        survey: &bakeoff_run::Survey,
        is_timed: bool,
        failing: FailingInputs,
    ) -> Result<LookResult, CompareError> {
        let lengths = self.lengths();
        let mut called = SharedCalls::none(self, survey);
        let mut sizes = Vec::new();
        let mut timed = TimedSizes::default();
        let together = if is_timed { &TIMED_TOGETHER[..] } else { &[1] };
        let all_sizes = timed_sizes(self.found);
        let mut rest = all_sizes.iter().copied().enumerate();
        for count in together {
            let before = called.calls.len();
            let mut calls = Vec::new();
            for (case, size) in rest.by_ref().take(*count) {
                let first = before + calls.len();
                let seeds = (0..INPUTS_OF_EACH).map(|input| {
                    let any = seed_of(self.seed, "sizes", case, input);
                    // One of each size is as large as any, so that what takes long there is not met on one size alone.
                    match input {
                        0 => large_input_seed(any),
                        _ => TextKind::Words.seed(any),
                    }
                });
                calls.extend(seeds.map(|seed| (case, seed)));
                sizes.push((size, (first..before + calls.len()).collect::<Vec<usize>>()));
            }
            if calls.is_empty() {
                break;
            }
            called.make(&calls).await?;
            let look = called.look();
            let findings = look.compare();
            let ends = findings.fail.is_some() && failing == FailingInputs::End;
            if findings.differ.is_some() || ends {
                return called.verdict(self, &findings).await;
            }
            let answered = sizes.iter().filter_map(|(size, places)| {
                let places = places.iter().filter(|place| !look.all_fail(**place));
                let places: Vec<usize> = places.copied().collect();
                (!places.is_empty()).then_some((*size, places))
            });
            let answered: Vec<(u32, Vec<usize>)> = answered.collect();
            timed = look.timed_sizes(&answered, lengths);
            let is_enough = timed.good == TIMED_MAX || (timed.good > 0 && self.is_over());
            // An approach that was stopped, or ran out of time, lacks calls on some inputs.
            let is_cut = called.calls.len() < before + calls.len();
            if is_enough || timed.stopped.is_some() || is_cut {
                break;
            }
        }
        let mut never_ends = false;
        if let Some(stopped) = timed.stopped.as_ref().filter(|stopped| stopped.leaps) {
            never_ends = self.never_ends(survey, called.calls[stopped.input]).await?;
        }
        Ok(match timed.stopped {
            Some(stopped) if never_ends => LookResult::NotTimed(
                called
                    .shown_difference(self, stopped.input, String::new())
                    .await,
            ),
            stopped if timed.chosen.is_empty() => {
                let why = stopped.map(|stopped| format!(": {}", called.stopped(&stopped)));
                LookResult::NotTimed(UntimedComparison {
                    reason: format!(
                        "Not timed: no size of input can be timed{}.",
                        why.unwrap_or_default()
                    ),
                    advice: OTHER_INPUTS.to_owned(),
                    ..UNTIMED
                })
            }
            stopped => LookResult::Same {
                sizes: timed.chosen,
                inputs: stopped.map_or(String::new(), |stopped| {
                    format!(" Smaller sizes are timed: {}.", called.stopped(&stopped))
                }),
            },
        })
    }

    /// Returns true if an approach uses up as much fuel on this input as a run allows. An approach that returns early
    /// on other inputs may need much more fuel for one of the same size.
    async fn never_ends(
        &self,
        survey: &bakeoff_run::Survey,
        call: (CaseIndex, u64),
    ) -> Result<bool, CompareError> {
        let fuel = self.experiment.limits.fuel;
        let left = (TIME_AGAIN_FACTOR * self.bounds.time).max(SEARCH_MIN);
        let started = Instant::now();
        let surveyed = survey.call_all_with_fuel(&[call], left, fuel).await;
        self.add_spent(started);
        let surveyed = surveyed?;
        let mut calls = surveyed.iter().flatten().flatten();
        // An approach whose time was over may still end: only fuel that is used up counts.
        let used_up = |error: &GuestError| error.class == FailureClass::FuelLimit;
        Ok(calls.any(|call| call.error.as_ref().is_some_and(used_up)))
    }

    /// Returns the disagreement on one of the timed inputs; `None` if the approaches agree there.
    pub(crate) async fn difference_at(
        &self,
        size: u32,
        seed: u64,
        say: &mut (dyn FnMut(&str) + Send),
    ) -> Result<Option<UntimedComparison>, CompareError> {
        // As much fuel as in the run that found the input.
        let fuel = self.experiment.limits.fuel;
        let survey = self.open(self.timed.clone(), vec![size], fuel, say).await?;
        let mut called = SharedCalls::none(self, &survey);
        called.make_within(&[(0, seed)], None).await?;
        let Some((input, _)) = called.look().compare().differ else {
            return Ok(None);
        };
        let counts = format!("They differ on an input of size {size}");
        let untimed = called.difference(self, input, &counts).await?;
        Ok(Some(UntimedComparison {
            reason: DIFFERENT_LATER.to_owned(),
            ..untimed
        }))
    }
}
