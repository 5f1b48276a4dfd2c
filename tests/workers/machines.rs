//! Runs whose race takes place on each kind of machine, with workers that say that they are of another kind.

use super::liar::{answered, with_reply};
use super::memory;
use super::session::{cache, host, tools, with_runtime};
use bakeoff_config::Policy;
use bakeoff_confine::tasks::{WorkFuture, WorkerFrames};
use bakeoff_domain::measurement::Sample;
use bakeoff_domain::plan::RunSeed;
use bakeoff_domain::report::{MachineRaces, Report, words};
use bakeoff_domain::spec::Workers;
use bakeoff_domain::verdict::Verdict;
use bakeoff_run::{
    Interrupt, KnownMachine, PortableServer, RemoteWorkers, RunError, RunOptions, worker_facts,
};
use bakeoff_runner::ReplicaReply;
use bakeoff_store::events::{Envelope, Event};
use bakeoff_store::{ResultsPlace, Start, Store};
use bakeoff_workers::{MachineName, Service, ServiceEvent, TaskContents, TaskServer, WorkerFacts};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::sync::mpsc::unbounded_channel;

/// The replica in whose midst a worker ends.
const LAST_REPLICA: usize = 3;

/// Behaviour of a worker.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Behaviour {
    Honest,
    /// It ends while it measures a replica.
    Ends,
    /// It says that the slow variant takes less time than the fast one.
    Lies,
    /// It answers each replica with the samples of the first one.
    Repeats,
}

/// A worker, by its name, the processor that it says to have, and its behaviour.
type Joining = (&'static str, Option<&'static str>, Behaviour);

/// A worker whose tasks are replicas.
struct Racer {
    server: PortableServer,
    behaviour: Behaviour,
    served: Mutex<usize>,
    first: Mutex<Option<Vec<Sample>>>,
    end: Arc<Notify>,
}

impl TaskServer for Racer {
    fn serve<'a>(
        &'a self,
        task: Vec<u8>,
        core: usize,
        contents: TaskContents<'a>,
        frames: WorkerFrames,
    ) -> WorkFuture<'a> {
        let served = {
            let mut served = self.served.lock().unwrap();
            *served += 1;
            *served
        };
        if self.behaviour == Behaviour::Ends && served == LAST_REPLICA {
            self.end.notify_one();
            return Box::pin(std::future::pending());
        }
        Box::pin(answered(
            &self.server,
            task,
            (core, contents),
            frames,
            |frame| self.changed(&frame).unwrap_or(frame),
        ))
    }
}

impl Racer {
    fn changed(&self, frame: &[u8]) -> Option<Vec<u8>> {
        with_reply(frame, |reply| match (reply, self.behaviour) {
            (ReplicaReply::Samples(mut samples), Behaviour::Lies) => {
                for sample in samples.iter_mut().filter(|sample| sample.variant == 1) {
                    sample.cpu_ns /= 25;
                    sample.wall_ns /= 25;
                }
                Some(ReplicaReply::Samples(samples))
            }
            (ReplicaReply::Samples(samples), Behaviour::Repeats) => {
                let mut first = self.first.lock().unwrap();
                let first = first.get_or_insert(samples);
                Some(ReplicaReply::Samples(first.clone()))
            }
            _ => None,
        })
    }
}

/// An experiment in a folder of its own: `fast` and `slow` are apart by a factor of ten.
struct Compared(tempfile::TempDir);

impl Compared {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
        write(
            "sums.wit",
            "package test:sums;\nworld prototype { export total: func(values: list<u32>) -> u64; }\n",
        );
        let values: Vec<u32> = (0..200).collect();
        write(
            "cases.toml",
            &format!("[[case]]\ncall = \"total({values:?})\"\nexpect = \"19900\"\n"),
        );
        for (name, rounds) in [("fast", 200), ("slow", 2_000)] {
            write(
                &format!("{name}.rs"),
                &format!(
                    "pub fn total(values: Vec<u32>) -> u64 {{\n    \
                     let mut sum = 0;\n    \
                     for _ in 0..{rounds} {{\n        \
                     sum = std::hint::black_box(&values).iter().map(|value| u64::from(*value)).sum();\n    \
                     }}\n    sum\n}}\n"
                ),
            );
        }
        write(
            "bakeoff.toml",
            "name = \"sums\"\nproblem = \"Add up.\"\n\
             interface = { wit = \"sums.wit\", call = \"total\" }\n\
             workload = { cases = \"cases.toml\" }\n\
             measure = { budget = \"60 s\", machines = \"each\" }\n\
             [[approach]]\nname = \"fast\"\nsource = \"fast.rs\"\n\
             [[approach]]\nname = \"slow\"\nsource = \"slow.rs\"\n",
        );
        Self(folder)
    }

    /// Runs it anew with these workers.
    fn run(&self, name: &str, workers: &[Joining]) -> Report {
        self.session(name, Start::Fresh, workers, None).unwrap()
    }

    /// Runs or goes on with it. Where a text is given, the user asks to stop at the message that has it.
    fn session(
        &self,
        name: &str,
        start: Start,
        workers: &[Joining],
        stop_at: Option<&'static str>,
    ) -> Result<Report, RunError> {
        let results = self.0.path().join("results").join(name);
        with_runtime(run(self.0.path(), results, start, workers, stop_at))
    }
}

async fn run(
    folder: &Path,
    results: PathBuf,
    start: Start,
    workers: &[Joining],
    stop_at: Option<&'static str>,
) -> Result<Report, RunError> {
    let mut loaded = bakeoff_config::load(folder).unwrap();
    loaded.experiment.measure.workers = Workers::Exactly(1);
    let machine = KnownMachine::default();
    if !workers.is_empty() {
        machine.set_workers(Arc::new(join(&machine, workers).await?));
    }
    let interrupt = Interrupt::default();
    let options = RunOptions {
        seed: (start == Start::Fresh).then_some(RunSeed::Named(7)),
        interrupt: interrupt.clone(),
        ..RunOptions::new(ResultsPlace::Named(results), start, host(&machine))
    };
    let subscribe = |store: &mut Store| {
        store.subscribe(move |envelope: &Envelope| {
            if let (Event::Warning { message }, Some(stop_at)) = (&envelope.event, stop_at)
                && message.contains(stop_at)
            {
                interrupt.raise();
            }
        });
    };
    let finished = bakeoff_run::run(&loaded, &options, &mut |_| {}, subscribe).await?;
    Ok(finished.report)
}

/// Starts workers, and returns them as their run has them.
async fn join(machine: &KnownMachine, joining: &[Joining]) -> Result<RemoteWorkers, RunError> {
    let policy = Policy::default();
    let tools = tools(&cache(), machine).await?;
    let names = joining
        .iter()
        .map(|(name, ..)| MachineName::like(name).unwrap());
    let (run_ends, worker_ends) = memory::wires(&names.collect::<Vec<_>>());
    for (ends, (_, cpu, behaviour)) in worker_ends.into_iter().zip(joining) {
        let own = worker_facts(&tools.confinement, 1, tools.builder.toolchain_fingerprint())?;
        let facts = match cpu {
            Some(cpu) => WorkerFacts {
                cpu: (*cpu).to_owned(),
                engine: format!("the engine of {cpu}"),
                ..own
            },
            None => own,
        };
        let end = Arc::new(Notify::new());
        let (events, mut happened) = unbounded_channel();
        let mut cores = bakeoff_confine::usable_cores();
        cores.truncate(1);
        let service = Service {
            facts,
            cores,
            task_max: Duration::from_secs(600),
            server: Arc::new(Racer {
                server: PortableServer::new(&tools, policy.clone()),
                behaviour: *behaviour,
                served: Mutex::default(),
                first: Mutex::default(),
                end: Arc::clone(&end),
            }),
            events,
        };
        tokio::spawn(service.run(ends, async move { end.notified().await }));
        let begun = happened.recv().await;
        assert_eq!(begun, Some(ServiceEvent::Begun));
    }
    let facts = worker_facts(&tools.confinement, 0, tools.builder.toolchain_fingerprint())?;
    Ok(RemoteWorkers::begin(run_ends, facts, "0".parse().unwrap()).await)
}

fn machines(report: &Report) -> &MachineRaces {
    report.machines.as_ref().expect("it races on each kind")
}

/// Returns the verdict about `fast` against `slow` of the race there.
fn verdict_there(report: &Report) -> Verdict {
    let [race] = &machines(report).races[..] else {
        panic!("{:?}", report.machines);
    };
    race.verdict("fast", "slow").unwrap().verdict
}

pub(super) fn each_other_kind_has_a_race_of_its_own_which_is_kept() {
    let experiment = Compared::new();
    let workers = [
        ("like-this-one", None, Behaviour::Honest),
        ("arm-1", Some("an Arm"), Behaviour::Honest),
        ("arm-2", Some("an Arm"), Behaviour::Honest),
    ];
    // Killed after the race there: what is kept of it needs no worker any more.
    let stopped = experiment.session("each", Start::Fresh, &workers, Some("raced on an Arm"));
    assert!(matches!(stopped, Err(RunError::Interrupted)), "{stopped:?}");
    let report = experiment
        .session("each", Start::Resume, &[], None)
        .unwrap();
    assert_eq!(verdict_there(&report), Verdict::Beats);
    let race = &machines(&report).races[0];
    assert_eq!(
        (race.machine.as_str(), race.cpu.as_str()),
        ("arm-1", "an Arm")
    );
    assert_eq!(race.engine, "the engine of an Arm");
    assert!(race.protocol.replicas > 0 && race.times.len() == 2);
    assert_eq!((race.ranks["fast"], race.ranks["slow"]), (1, 2));
    let on_all = &machines(&report).on_all;
    assert_eq!((on_all.kinds, on_all.first.as_deref()), (2, Some("fast")));
    assert_eq!(report.recommendation.winner.as_deref(), Some("fast"));
    let said = words::machines(&report).join("\n");
    assert!(
        said.contains("fast is first on both kinds of machines"),
        "{said}"
    );
}

pub(super) fn without_other_kinds_this_machine_is_said_to_be_the_only_one() {
    let report = Compared::new().run("alone", &[]);
    let said = words::machines(&report);
    assert!(said[0].contains("the only kind of machine"), "{said:?}");
    assert_eq!(
        machines(&report),
        &MachineRaces {
            on_all: machines(&report).on_all.clone(),
            ..MachineRaces::default()
        }
    );
}

pub(super) fn case_297_a_race_whose_worker_ends_is_begun_anew_or_left_out() {
    let experiment = Compared::new();
    let ends = ("arm-1", Some("an Arm"), Behaviour::Ends);
    let report = experiment.run("two", &[ends, ("arm-2", Some("an Arm"), Behaviour::Honest)]);
    assert_eq!(machines(&report).races[0].machine, "arm-2");
    assert_eq!(verdict_there(&report), Verdict::Beats);
    assert!(machines(&report).without.is_empty());
    let report = experiment.run("one", &[ends]);
    let [without] = &machines(&report).without[..] else {
        panic!("{:?}", report.machines);
    };
    assert!(machines(&report).races.is_empty(), "never half of it");
    assert_eq!(without.machine, "arm-1");
    assert!(
        without.reason.contains("worker arm-1 is gone"),
        "{without:?}"
    );
    assert_eq!(report.recommendation.winner.as_deref(), Some("fast"));
}

pub(super) fn case_298_samples_of_another_replica_end_a_race_elsewhere() {
    let repeats = ("arm-1", Some("an Arm"), Behaviour::Repeats);
    let report = Compared::new().run("repeats", &[repeats]);
    let [without] = &machines(&report).without[..] else {
        panic!("{:?}", report.machines);
    };
    let reason = &without.reason;
    assert!(
        reason.contains("other samples than it was told to"),
        "{reason}"
    );
    assert!(machines(&report).races.is_empty());
}

pub(super) fn case_296_made_up_times_change_nothing_but_their_own_section() {
    let lies = ("arm-1", Some("an Arm"), Behaviour::Lies);
    let report = Compared::new().run("lies", &[lies]);
    assert_eq!(verdict_there(&report), Verdict::Beaten);
    let here = words::ordered_row(&report, "fast", "slow", None).unwrap();
    assert_eq!(here.verdict, Verdict::Beats);
    assert_eq!(report.recommendation.winner.as_deref(), Some("fast"));
    assert!(!report.recommendation.text.contains("Arm"));
    let on_all = &machines(&report).on_all;
    assert_eq!(on_all.first, None);
    assert!(on_all.pair("fast", "slow").unwrap().is_opposite);
    let said = words::machines(&report).join("\n");
    assert!(said.contains("cannot be checked here"), "{said}");
}
