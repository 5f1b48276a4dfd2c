//! Calling all approaches on random inputs before anything is timed: first on those on which they may
//! differ, then on those that can be timed.

use super::effort::{SEARCH_MIN, SearchBounds};
use super::examples;
use super::failure::Failure;
use super::first_look::{
    CallLengths, FIRST_PART, Findings, FirstLook, INPUTS_OF_EACH, SEARCH_FUEL_MAX, SEARCHED,
    StoppedAt, TIMED, TIMED_MAX, TIMED_TOGETHER, Timed, shown as shown_call,
};
use super::shrinking::{self, Difference};
use crate::config::{LoadedExperiment, Policy};
use crate::interface::DerivedInterface;
use crate::measure::RepeatedCall;
use crate::render::escape::Plain;
use crate::render::{ComparisonOutcome, FileAnswer, Untimed};
use crate::run;
use bakeoff_domain::failure::FailureClass;
use bakeoff_domain::measurement::CaseIndex;
use bakeoff_domain::plan::{InputPurpose, RunSeed, sample_seeds};
use bakeoff_domain::spec::{Code, Experiment, Inputs};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Approaches that are called on random inputs before anything is timed.
pub(super) struct Looking<'a> {
    /// The function, and what it takes.
    pub(super) found: &'a DerivedInterface,
    /// The workload of inputs on which functions may differ.
    pub(super) searching: PathBuf,
    /// The workload of inputs that are timed.
    pub(super) timed: PathBuf,
    /// The experiment; its own inputs do not matter.
    pub(super) experiment: Experiment,
    /// What all inputs follow from.
    pub(super) seed: RunSeed,
    pub(super) host: run::HostOptions,
    pub(super) policy: &'a Policy,
    /// What all of it may take.
    pub(super) bounds: SearchBounds,
    /// The time that calls have taken so far, in nanoseconds.
    pub(super) spent_ns: AtomicU64,
}

impl Looking<'_> {
    /// Calls all on inputs on which they may differ, unless they are one component.
    pub(super) async fn search(&self, survey: &run::Survey) -> Result<Looked, Failure> {
        if survey.are_one_component().await? {
            return Ok(Looked::OneComponent);
        }
        let started = Instant::now();
        let left = self.bounds.time.max(SEARCH_MIN);
        let examples = examples::try_all(survey, self.found, left).await;
        self.add_spent(started);
        let examples = examples?;
        if let Some(difference) = examples.difference {
            let untimed = self.simplest(survey, difference, &examples.sentence);
            return Ok(Looked::Differ(untimed.await));
        }
        let mut called = Called::none(self, survey);
        let factor = u64::from(self.bounds.inputs_factor);
        let parts: [fn(u64) -> Range<u64>; 3] = [
            |_| 0..1,
            |count| 1..count / FIRST_PART,
            |count| count / FIRST_PART..count,
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
        let mut looked = called.verdict(self, &findings).await?;
        if let Looked::Same { inputs, .. } | Looked::AllFail { inputs, .. } = &mut looked {
            inputs.push_str(&examples.sentence);
        }
        Ok(looked)
    }

    /// Calls all on inputs of several sizes, and chooses among these. Of one component, the smallest will do: nothing
    /// is timed.
    pub(super) async fn time(
        &self,
        survey: &run::Survey,
        is_one_component: bool,
    ) -> Result<Looked, Failure> {
        let lengths = CallLengths::of(self.bounds.length);
        let mut called = Called::none(self, survey);
        let mut sizes = Vec::new();
        let mut timed = Timed::default();
        let together = match is_one_component {
            true => &[1][..],
            false => &TIMED_TOGETHER,
        };
        let mut rest = TIMED.into_iter().enumerate();
        for count in together {
            let before = called.calls.len();
            let mut calls = Vec::new();
            for (case, size) in rest.by_ref().take(*count) {
                let first = before + calls.len();
                let seeds =
                    (0..INPUTS_OF_EACH).map(|input| seed_of(self.seed, "sizes", case, input));
                calls.extend(seeds.map(|seed| (case, seed)));
                sizes.push((size, (first..before + calls.len()).collect()));
            }
            called.make(&calls).await?;
            let findings = called.look().compare();
            if findings.differ.is_some() || findings.fail.is_some() {
                return called.verdict(self, &findings).await;
            }
            timed = called.look().timed_sizes(&sizes, lengths);
            let is_enough = timed.good == TIMED_MAX || (timed.good > 0 && self.is_over());
            // Who was stopped, or ran out of time, has no call on every input.
            let is_cut = called.calls.len() < before + calls.len();
            if is_enough || timed.stopped.is_some() || is_cut {
                break;
            }
        }
        Ok(match timed.stopped {
            Some(stopped) if stopped.leaps => Looked::Differ(
                called
                    .shown_difference(self, stopped.input, String::new())
                    .await,
            ),
            stopped if timed.chosen.is_empty() => {
                let why = stopped.map(|stopped| format!(": {}", called.stopped(&stopped)));
                Looked::Differ(Untimed {
                    reason: format!(
                        "Not timed: no size of input can be timed{}.",
                        why.unwrap_or_default()
                    ),
                    advice: OTHER_INPUTS.to_owned(),
                    ..UNTIMED
                })
            }
            stopped => Looked::Same {
                sizes: timed.chosen,
                inputs: stopped.map_or(String::new(), |stopped| {
                    format!(" Smaller sizes are timed: {}.", called.stopped(&stopped))
                }),
            },
        })
    }

    /// How approaches differ on the simplest input that was found. `counts` says how often they do.
    async fn simplest(
        &self,
        survey: &run::Survey,
        difference: Difference,
        counts: &str,
    ) -> Untimed {
        let names = self.experiment.approaches.iter();
        let names: Vec<&str> = names.map(|approach| &*approach.name).collect();
        let (answers, parting) = difference.answers(survey, self.found, &names).await;
        let reproduction = difference.reproduction(self.found);
        Untimed {
            outcome: ComparisonOutcome::Disagreement,
            reason: DIFFERENT.to_owned(),
            answers,
            parting,
            advice: format!(
                "{counts}; this is the simplest that {} tries found. {OTHER_INPUTS} {}",
                difference.tried,
                again(self)
            ),
            reproduction: Some(reproduction),
            call: Some(difference.written),
            ..UNTIMED
        }
    }

    /// The time that calls have taken so far.
    pub(super) fn spent(&self) -> Duration {
        Duration::from_nanos(self.spent_ns.load(Ordering::Relaxed))
    }

    /// Takes note of the time since then.
    fn add_spent(&self, started: Instant) {
        let spent = u64::try_from(started.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.spent_ns.fetch_add(spent, Ordering::Relaxed);
    }

    fn is_over(&self) -> bool {
        self.spent() >= self.bounds.time
    }

    /// Builds what makes the inputs on which they may differ.
    pub(super) async fn open_search(
        &self,
        say: &mut (dyn FnMut(&str) + Send),
    ) -> Result<run::Survey, Failure> {
        let sizes = SEARCHED.map(|(size, _)| size).to_vec();
        self.open(self.searching.clone(), sizes, SEARCH_FUEL_MAX, say)
            .await
    }

    /// Builds what makes the inputs that are timed.
    pub(super) async fn open_timed(&self) -> Result<run::Survey, Failure> {
        let fuel = CallLengths::of(self.bounds.length).fuel_max();
        self.open(self.timed.clone(), TIMED.to_vec(), fuel, &mut |_| ())
            .await
    }

    /// How the approaches differ on one of the inputs that are timed; `None` if they do not.
    pub(super) async fn difference_at(
        &self,
        size: u32,
        seed: u64,
        say: &mut (dyn FnMut(&str) + Send),
    ) -> Result<Option<Untimed>, Failure> {
        let fuel = CallLengths::of(self.bounds.length).fuel_max();
        let survey = self.open(self.timed.clone(), vec![size], fuel, say).await?;
        let mut called = Called::none(self, &survey);
        called.make(&[(0, seed)]).await?;
        match called.look().compare().differ {
            Some((input, _)) => {
                let counts = format!("They differ on an input of size {size}");
                called.difference(self, input, &counts).await.map(Some)
            }
            None => Ok(None),
        }
    }

    pub(super) async fn open(
        &self,
        workload: PathBuf,
        sizes: Vec<u32>,
        fuel: u64,
        say: &mut (dyn FnMut(&str) + Send),
    ) -> Result<run::Survey, Failure> {
        let mut experiment = self.experiment.clone();
        experiment.limits.fuel = experiment.limits.fuel.min(fuel);
        experiment.workload.inputs = Inputs::Generated {
            code: Code::Source(workload),
            sizes,
        };
        let mut loaded = LoadedExperiment::assembled(experiment, PathBuf::new())?;
        self.policy.apply_to(&mut loaded)?;
        Ok(run::Survey::open(&loaded, &self.host, say).await?)
    }
}

/// The calls of all approaches on the same inputs.
struct Called<'a> {
    looking: &'a Looking<'a>,
    survey: &'a run::Survey,
    calls: Vec<(CaseIndex, u64)>,
    /// Each approach's name with its calls: every approach was built and called, so its place here is that in the
    /// experiment.
    made: Vec<(&'a str, Vec<RepeatedCall>)>,
}

impl<'a> Called<'a> {
    /// No calls yet.
    fn none(looking: &'a Looking<'a>, survey: &'a run::Survey) -> Self {
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

    /// Makes more calls, as many of the first as everybody made in the time that is left.
    async fn make(&mut self, calls: &[(CaseIndex, u64)]) -> Result<(), Failure> {
        let left = self.looking.bounds.time;
        let left = left.saturating_sub(self.looking.spent()).max(SEARCH_MIN);
        let started = Instant::now();
        let surveyed = self.survey.call_all_within(calls, left).await?;
        self.looking.add_spent(started);
        // Nobody is recommended because another file does not build.
        if let Some(failure) = surveyed.iter().find_map(|calls| calls.as_ref().err()) {
            return Err(Failure::not_built(failure));
        }
        let surveyed: Vec<Vec<RepeatedCall>> = surveyed.into_iter().flatten().collect();
        let made = surveyed.iter().map(Vec::len).min().unwrap_or(0);
        for ((_, known), more) in self.made.iter_mut().zip(surveyed) {
            known.extend(more.into_iter().take(made));
        }
        self.calls.extend(calls.iter().take(made));
        Ok(())
    }

    fn look(&self) -> FirstLook<'_> {
        FirstLook {
            calls: self.made.iter().map(|(_, calls)| &calls[..]).collect(),
        }
    }

    /// What findings mean, for the reader.
    async fn verdict(&self, looking: &Looking<'_>, findings: &Findings) -> Result<Looked, Failure> {
        let tried = findings.inputs;
        if let Some((input, count)) = findings.differ {
            let counts = format!("They differ on {count} of {tried} random inputs");
            return self
                .difference(looking, input, &counts)
                .await
                .map(Looked::Differ);
        }
        let inputs = self.agreed_inputs(findings);
        let Some((input, count)) = findings.fail else {
            return Ok(Looked::Same {
                sizes: Vec::new(),
                inputs,
            });
        };
        let shortest = self.input_text(looking, input);
        Ok(Looked::AllFail {
            untimed: Untimed {
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
                "{count} others, on which all files fail, are left out, and so are inputs like them \
                 (the shortest: {shortest})."
            ),
            inputs,
        })
    }

    /// How the approaches differ on an input, or on a simpler one. `counts` says how often they do.
    async fn difference(
        &self,
        looking: &Looking<'_>,
        input: usize,
        counts: &str,
    ) -> Result<Untimed, Failure> {
        let found = looking.found;
        let call = self.calls[input];
        let arguments = shrinking::arguments_of(self.survey, found.signature(), call).await?;
        let shrunk = match arguments {
            Some(arguments) => shrinking::shrink(self.survey, &found.call, arguments).await?,
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

    /// How the approaches differ on an input, as it is.
    async fn shown_difference(
        &self,
        looking: &Looking<'_>,
        input: usize,
        counts: String,
    ) -> Untimed {
        let mut answers = Vec::new();
        for place in 0..self.made.len() {
            answers.push(self.answer(place, input).await);
        }
        Untimed {
            outcome: ComparisonOutcome::Disagreement,
            reason: DIFFERENT.to_owned(),
            call: Some(self.input_text(looking, input)),
            answers,
            advice: format!("{counts}{OTHER_INPUTS} {}", again(looking)),
            ..UNTIMED
        }
    }

    async fn answer(&self, place: usize, input: usize) -> FileAnswer {
        FileAnswer {
            file: self.made[place].0.to_owned(),
            answer: self.what_it_did(place, input).await,
        }
    }

    async fn what_it_did(&self, place: usize, input: usize) -> String {
        let made = &self.made[place].1[input];
        let trapped = made.error.as_ref();
        if trapped.is_some_and(|error| error.class == FailureClass::Trap)
            && let Some(panic) = self.survey.panic_of(place, self.calls[input]).await
        {
            return format!("fails: {panic}");
        }
        shown_call(made)
    }

    /// A call as text.
    fn input_text(&self, looking: &Looking<'_>, input: usize) -> String {
        let arguments = self.made.first().and_then(|(_, calls)| calls.get(input));
        let arguments = arguments.map_or("", |call| &call.arguments);
        let call = &looking.found.call;
        format!("{}({})", Plain(call), Plain(arguments))
    }

    /// Who was stopped on which size, and by what.
    fn stopped(&self, stopped: &StoppedAt) -> String {
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

    /// The inputs on which all answers were the same, how many of these answers say little, and who was stopped.
    fn agreed_inputs(&self, findings: &Findings) -> String {
        let tried = findings.inputs;
        let errors = match findings.errors {
            0 => String::new(),
            errors => format!(" ({errors} of them answered by an error)"),
        };
        let stopped = findings.stopped.map_or(String::new(), |(who, input, count)| {
            let (name, calls) = &self.made[who];
            let arguments = &calls[input].arguments;
            format!(
                " On {count} of them somebody was stopped by a limit of fuel or memory, {} on ({}), the shortest.",
                Plain(name),
                Plain(arguments)
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

/// What the calls on some inputs say.
pub(super) enum Looked {
    /// The answers are the same.
    Same { sizes: Vec<u32>, inputs: String },
    /// All are the same component: nothing was called.
    OneComponent,
    /// Two differ: how, for the reader.
    Differ(Untimed),
    /// All fail on some inputs, and agree on the others.
    AllFail {
        /// For the reader, if nothing can be timed.
        untimed: Untimed,
        /// For the reader, if others can be.
        left_out: String,
        /// What is the same, and on how many.
        inputs: String,
    },
}

/// Nothing was timed: what is known of it is filled in.
pub(super) const UNTIMED: Untimed = Untimed {
    schema_version: 2,
    outcome: ComparisonOutcome::NotTimed,
    reason: String::new(),
    call: None,
    answers: Vec::new(),
    parting: String::new(),
    advice: String::new(),
    reproduction: None,
};

/// What is said of files that do not do the same.
const DIFFERENT: &str = "Disagreement: the files do not do the same, so nothing was timed.";

/// How the same inputs are drawn once more.
fn again(looking: &Looking<'_>) -> String {
    format!("The same inputs come again with --seed {}.", looking.seed)
}

/// What to do about inputs that are not meant.
const OTHER_INPUTS: &str = "If such inputs are not meant, say which are: --workload FILE --size N, or \
                            --cases FILE; `bakeoff init DIR --from` these files writes an example of both.";

/// The seed of an input: another one for each. A race draws its own.
fn seed_of(seed: RunSeed, purpose: &str, case: CaseIndex, input: u64) -> u64 {
    let secret = seed.secret().derive(purpose, &[]);
    sample_seeds(&secret, InputPurpose::Gate, 0, 0, case).of_call(input as u32)
}
