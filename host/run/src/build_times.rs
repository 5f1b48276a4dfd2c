//! The times of builds, where a criterion asks for them: every prototype is built anew once in each
//! round, in an order drawn for it.

use super::child_work::TimedBuild;
use super::error::RunError;
use super::session::Run;
use bakeoff_compile::BuildKind;
use bakeoff_domain::measurement::Metric;
use bakeoff_domain::metric_share::reading_threshold;
use bakeoff_domain::paired_times::{BUILD_ROUNDS_MAX, PairedTimes};
use bakeoff_domain::plan::round_order;
use bakeoff_domain::queue::{Cpu, Needs, Task, TaskKey};
use bakeoff_domain::report::{Claim, ReadingVerdict};
use bakeoff_domain::spec::{Experiment, Source};
use bakeoff_domain::stats::replicas_needed;
use bakeoff_domain::verdict::{PairVerdict, practical_log};
use bakeoff_source::BuildInput;
use bakeoff_store::{Owner, ResultKind};
use serde::{Deserialize, Serialize};
use std::time::Instant;

/// The share of the budget that the rounds may take, beside the race.
const BUDGET_SHARE: f64 = 0.5;
/// The rounds whose differences enter no claim: they are the first scale.
const UNCLAIMED_ROUNDS: u32 = 2;
/// The resolution of a process's CPU time, in nanoseconds.
const CLOCK_NS: f64 = 1e3;

/// A round: each prototype was built once.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BuildRound {
    /// The builds, in the order of declaration.
    pub builds: Vec<BuildTime>,
    /// Wall time of the round, in seconds.
    pub seconds: f64,
}

/// One build of a prototype.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BuildTime {
    /// The ids of the variants with this code.
    pub variants: Vec<String>,
    /// CPU time of the build, in nanoseconds; `None` if it failed this time.
    pub cpu_ns: Option<u64>,
}

/// The code of one prototype, whether it is granted the values of parameters, and the variants that have
/// it.
type SameCode = (BuildInput, bool, Vec<String>);

impl Run<'_> {
    /// Builds every prototype anew, round by round, until the times of all are told apart or the rounds' share of the
    /// budget is spent. Does nothing unless a criterion asks for it.
    pub(super) async fn time_builds(&mut self) -> Result<(), RunError> {
        let experiment = &self.loaded.experiment;
        let builds: Vec<SameCode> = self
            .builds()
            .into_iter()
            .filter(|build| matches!(build.code, BuildInput::Source { .. }))
            .map(|build| {
                let ids = build.ids.into_iter().map(String::from);
                (build.code, build.swept, ids.collect())
            })
            .collect();
        if !experiment.uses(&Source::BuildTime) || builds.len() < 2 {
            return Ok(());
        }
        let seconds_max = experiment.measure.budget.as_secs_f64() * BUDGET_SHARE;
        let least = replicas_needed(threshold(experiment, builds.len())) + UNCLAIMED_ROUNDS;
        let mut rounds: Vec<BuildRound> = Vec::new();
        for number in 0..BUILD_ROUNDS_MAX {
            let key = self.keys.of_builds(encoded(&builds), number);
            let owner = Owner {
                iteration: number + 1,
                ..Owner::RUN
            };
            let round = match self.store.get(ResultKind::BuildRound, &key, owner)? {
                Some(round) => round,
                None => {
                    let spent: f64 = rounds.iter().map(|round| round.seconds).sum();
                    let next = rounds.last().map_or(0.0, |round| round.seconds);
                    let has_room = |rounds: u32| f64::from(rounds) * next <= seconds_max - spent;
                    // Rounds too few for any claim would cost time, and tell nothing.
                    let is_pointless = number == 1 && !has_room(least - 1);
                    if is_pointless || !has_room(1) {
                        return Ok(());
                    }
                    self.refuse_if_interrupted()?;
                    let round = self.build_round(&builds, number).await?;
                    self.store
                        .put(ResultKind::BuildRound, &key, owner, &round)?;
                    round
                }
            };
            rounds.push(round);
            let verdicts = compare(&self.loaded.experiment, rounds.iter());
            if !verdicts.iter().any(PairVerdict::is_open) {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Builds every prototype once, one after the other, in the order of the round.
    async fn build_round(
        &mut self,
        builds: &[SameCode],
        number: u32,
    ) -> Result<BuildRound, RunError> {
        let started = Instant::now();
        let mut times: Vec<BuildTime> = builds
            .iter()
            .map(|(_, _, variants)| BuildTime {
                variants: variants.clone(),
                cpu_ns: None,
            })
            .collect();
        for index in round_order(
            &self.context.config.seed.secret(),
            "builds",
            number,
            builds.len(),
        ) {
            let (code, swept, _) = &builds[index];
            let request = (self.context).prototype(code.clone(), BuildKind::Release, *swept);
            let key = TaskKey::new(format!("timed build {index} of round {number}"));
            // Nothing runs beside it.
            let task = Task::new(key, "timed build", Needs::cpu(Cpu::WholeMachine));
            match self.tasks.call(task, TimedBuild(request)).await? {
                Some(Ok(cpu)) => {
                    times[index].cpu_ns = u64::try_from(cpu.as_nanos()).ok();
                }
                Some(Err(failure)) if failure.class.is_machine_fault() => {
                    return Err(RunError::Machine(failure.message));
                }
                _ => {}
            }
        }
        Ok(BuildRound {
            builds: times,
            seconds: started.elapsed().as_secs_f64(),
        })
    }
}

/// Encodes the prototypes of a round, for its key.
fn encoded(builds: &[SameCode]) -> String {
    let line = |(code, _, ids): &SameCode| {
        let address = code.content_address();
        format!("source={address} variants={}\n", ids.join(" "))
    };
    builds.iter().map(line).collect()
}

/// Returns the evidence that a claim about a pair of this many prototypes needs, in nats.
fn threshold(experiment: &Experiment, builds: usize) -> f64 {
    let share = experiment.metric_share();
    reading_threshold(builds, experiment.measure.confidence, share)
}

/// Returns the verdicts about the pairs of prototypes, by their places in each round.
fn compare<'r>(
    experiment: &Experiment,
    rounds: impl Iterator<Item = &'r BuildRound> + Clone,
) -> Vec<PairVerdict> {
    let builds = rounds.clone().map(|round| round.builds.len());
    let builds = builds.max().unwrap_or(0);
    let practical = practical_log(experiment.measure.practical, Metric::Cpu);
    let threshold = threshold(experiment, builds);
    let mut times = PairedTimes::new(builds, threshold, practical, CLOCK_NS);
    for round in rounds {
        let of_round: Vec<Option<u64>> = round.builds.iter().map(|build| build.cpu_ns).collect();
        times.push(&of_round);
    }
    times.verdicts()
}

/// Returns the verdicts about all pairs of variants for which `counts` is true. Pairs of the same code tie.
pub(super) fn build_verdicts<'r>(
    experiment: &Experiment,
    rounds: impl Iterator<Item = &'r BuildRound> + Clone,
    counts: impl Fn(&str) -> bool,
) -> Vec<ReadingVerdict<String>> {
    let Some(first) = rounds.clone().next() else {
        return Vec::new();
    };
    let ids = |build: usize| {
        let ids = first
            .builds
            .get(build)
            .map(|build| build.variants.as_slice());
        let ids = ids.unwrap_or_default().iter();
        ids.filter(|id| counts(id)).collect::<Vec<&String>>()
    };
    let mut rows = Vec::new();
    let mut put = |verdict: ReadingVerdict, a: &String, b: &String| {
        let ids = [a, b];
        let places = ReadingVerdict {
            a: 0,
            b: 1,
            ..verdict
        };
        rows.extend(places.renamed(|place: usize| Some((*ids.get(place)?).clone())));
    };
    for pair in compare(experiment, rounds.clone()) {
        for a in ids(pair.a) {
            for b in ids(pair.b) {
                put(ReadingVerdict::from(&pair), a, b);
            }
        }
    }
    for build in 0..first.builds.len() {
        let same = ids(build);
        for (place, a) in same.iter().enumerate() {
            for b in &same[place + 1..] {
                put(ReadingVerdict::same(0, 1, Claim::Ratio), a, b);
            }
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use bakeoff_domain::verdict::Verdict;

    fn round(number: u64) -> BuildRound {
        let build = |variants: &[&str], cpu_ns: u64| BuildTime {
            variants: variants.iter().map(|id| (*id).to_owned()).collect(),
            cpu_ns: Some(cpu_ns + number % 5 * 1_000_000),
        };
        BuildRound {
            builds: vec![
                build(&["a", "twin", "gone"], 200_000_000),
                build(&["b"], 300_000_000),
            ],
            seconds: 1.0,
        }
    }

    #[test]
    fn those_of_the_same_code_tie_and_others_are_told_apart_by_rounds() {
        let text = "name = \"x\"\nproblem = \"?\"\n[interface]\nwit = \"wit\"\ncall = \"f\"\n\
            [workload]\nsource = \"w.rs\"\nsizes = [1, 2]\n[[approach]]\nname = \"a\"\n\
            source = \"a.rs\"\n";
        let experiment = bakeoff_config::parse(text, "bakeoff.toml").unwrap();
        let rounds: Vec<BuildRound> = (0..16).map(round).collect();
        let rows = build_verdicts(&experiment, rounds.iter(), |id| id != "gone");
        let of = |a: &str, b: &str| rows.iter().find(|row| row.a == a && row.b == b).unwrap();
        assert_eq!(rows.len(), 3);
        assert_eq!(of("a", "b").verdict, Verdict::Beats);
        assert_eq!(of("twin", "b").verdict, Verdict::Beats);
        assert_eq!(of("a", "twin").verdict, Verdict::Tie);
        let few = build_verdicts(&experiment, rounds[..3].iter(), |_| true);
        assert_eq!(
            few.iter().find(|row| row.b == "b").unwrap().verdict,
            Verdict::NoCall
        );
    }
}
