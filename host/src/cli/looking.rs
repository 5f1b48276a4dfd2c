//! Calling all approaches on random inputs before anything is timed: first on those on which they may
//! differ, then on those that can be timed.

use super::failure::Failure;
use super::first_look::{
    FUEL_MAX, Findings, FirstLook, INPUTS_OF_EACH, SEARCH_FUEL_MAX, SEARCHED, StoppedAt, TIMED,
    shown,
};
use crate::config::{LoadedExperiment, Policy};
use crate::measure::RepeatedCall;
use crate::render::escape::Plain;
use crate::render::{FileAnswer, Untimed};
use crate::run;
use bakeoff_domain::failure::FailureClass;
use bakeoff_domain::measurement::CaseIndex;
use bakeoff_domain::plan::{InputPurpose, RunSeed, sample_seeds};
use bakeoff_domain::spec::{Code, Experiment, Inputs};
use std::path::PathBuf;

/// Approaches that are called on random inputs before anything is timed.
pub(super) struct Looking<'a> {
    /// The function, as WIT names it.
    pub(super) call: &'a str,
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
}

impl Looking<'_> {
    /// Calls all on inputs on which they may differ.
    pub(super) async fn search(
        &self,
        say: &mut (dyn FnMut(&str) + Send),
    ) -> Result<Looked, Failure> {
        let sizes = SEARCHED.map(|(size, _)| size).to_vec();
        let code = self.searching.clone();
        let survey = self.open(code, sizes, SEARCH_FUEL_MAX, say).await?;
        let of_case =
            |(case, (_, count)): (usize, (u32, u64))| (0..count).map(move |input| (case, input));
        let calls: Vec<(CaseIndex, u64)> = SEARCHED
            .into_iter()
            .enumerate()
            .flat_map(of_case)
            .map(|(case, input)| (case, seed_of(self.seed, "first-look", case, input)))
            .collect();
        let called = self.call(&survey, &calls).await?;
        let findings = called.look().compare();
        called.verdict(self, &findings).await
    }

    /// Calls all on inputs of several sizes, and chooses among these.
    pub(super) async fn time(&self, say: &mut (dyn FnMut(&str) + Send)) -> Result<Looked, Failure> {
        let code = self.timed.clone();
        let survey = self.open(code, TIMED.to_vec(), FUEL_MAX, say).await?;
        let mut sizes = Vec::new();
        let mut calls = Vec::new();
        for (case, size) in TIMED.into_iter().enumerate() {
            let first = calls.len();
            let seeds = (0..INPUTS_OF_EACH).map(|input| seed_of(self.seed, "sizes", case, input));
            calls.extend(seeds.map(|seed| (case, seed)));
            sizes.push((size, (first..calls.len()).collect()));
        }
        let called = self.call(&survey, &calls).await?;
        let findings = called.look().compare();
        if findings.differ.is_some() || findings.fail.is_some() {
            return called.verdict(self, &findings).await;
        }
        let timed = called.look().timed_sizes(&sizes);
        Ok(match timed.stopped {
            Some(stopped) if stopped.leaps => {
                Looked::Differ(called.difference(self, stopped.input, None).await)
            }
            stopped if timed.chosen.is_empty() => {
                let why = stopped.map(|stopped| format!(": {}", called.stopped(&stopped)));
                Looked::Differ(Untimed {
                    reason: format!("No size of input can be timed{}.", why.unwrap_or_default()),
                    advice: OTHER_INPUTS.to_owned(),
                    ..FAILED
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

    async fn open(
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

    async fn call<'c>(
        &'c self,
        survey: &'c run::Survey,
        calls: &'c [(CaseIndex, u64)],
    ) -> Result<Called<'c>, Failure> {
        let surveyed = survey.call_all(calls).await?;
        // Nobody is recommended because another file does not build.
        if let Some(failure) = surveyed.iter().find_map(|calls| calls.as_ref().err()) {
            return Err(Failure::variant(failure));
        }
        let names = self.experiment.approaches.iter();
        let names = names.map(|approach| &*approach.name);
        let made = surveyed.into_iter().flatten();
        Ok(Called {
            survey,
            calls,
            made: names.zip(made).collect(),
        })
    }
}

/// The calls of all approaches on the same inputs.
struct Called<'a> {
    survey: &'a run::Survey,
    calls: &'a [(CaseIndex, u64)],
    /// Each approach's name with its calls: every approach was built and called, so its place here is that in the
    /// experiment.
    made: Vec<(&'a str, Vec<RepeatedCall>)>,
}

impl Called<'_> {
    fn look(&self) -> FirstLook<'_> {
        FirstLook {
            calls: self.made.iter().map(|(_, calls)| &calls[..]).collect(),
        }
    }

    /// What findings mean, for the reader.
    async fn verdict(&self, looking: &Looking<'_>, findings: &Findings) -> Result<Looked, Failure> {
        let tried = findings.inputs;
        if let Some((input, count)) = findings.differ {
            let text = self.difference(looking, input, Some((count, tried))).await;
            return Ok(Looked::Differ(text));
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
                reason: format!(
                    "All files fail on {count} of {tried} random inputs, so nothing was timed."
                ),
                call: Some(shortest.clone()),
                answers: vec![self.answer(0, input).await],
                advice: OTHER_INPUTS.to_owned(),
                ..FAILED
            },
            left_out: format!(
                "{count} others, on which all files fail, are left out, and so are inputs like them \
                 (the shortest: {shortest})."
            ),
            inputs,
        })
    }

    /// How the approaches differ on an input, which is the shortest of so many of so many.
    async fn difference(
        &self,
        looking: &Looking<'_>,
        input: usize,
        counts: Option<(usize, usize)>,
    ) -> Untimed {
        let mut answers = Vec::new();
        for place in 0..self.made.len() {
            answers.push(self.answer(place, input).await);
        }
        let counts = counts.map_or(String::new(), |(count, tried)| {
            format!("They differ on {count} of {tried} random inputs; this is the shortest. ")
        });
        let seed = looking.seed;
        Untimed {
            outcome: "disagreement",
            reason: "The files do not do the same, so nothing was timed.".to_owned(),
            call: Some(self.input_text(looking, input)),
            answers,
            advice: format!(
                "{counts}{OTHER_INPUTS} The same inputs come again with --seed {seed}."
            ),
            ..FAILED
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
        shown(made)
    }

    /// A call as text.
    fn input_text(&self, looking: &Looking<'_>, input: usize) -> String {
        let arguments = self.made.first().and_then(|(_, calls)| calls.get(input));
        let arguments = arguments.map_or("", |call| &call.arguments);
        let call = looking.call;
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
        format!(
            "On the {tried} inputs that were tried first{errors}, their answers are the same.{stopped}"
        )
    }
}

/// What the calls on some inputs say.
pub(super) enum Looked {
    /// The answers are the same.
    Same { sizes: Vec<u32>, inputs: String },
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

/// No answer at all: what is known of it is filled in.
pub(super) const FAILED: Untimed = Untimed {
    schema_version: 1,
    outcome: "failed",
    reason: String::new(),
    call: None,
    answers: Vec::new(),
    advice: String::new(),
};

/// What to do about inputs that are not meant.
const OTHER_INPUTS: &str = "If such inputs are not meant, say which are: --workload FILE --size N, or \
                            --cases FILE; `bakeoff init DIR --from` these files writes an example of both.";

/// The seed of an input: another one for each. A race draws its own.
fn seed_of(seed: RunSeed, purpose: &str, case: CaseIndex, input: u64) -> u64 {
    let secret = seed.secret().derive(purpose, &[]);
    sample_seeds(&secret, InputPurpose::Gate, 0, 0, case).of_call(input as u32)
}
