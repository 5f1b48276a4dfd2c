//! Sources of a search that are built elsewhere, and workers that answer with something else than their components.

use super::liar::answered;
use super::memory;
use super::session::{Experiment, hear_warnings, host_with, tools, with_runtime};
use bakeoff_config::Policy;
use bakeoff_confine::tasks::{WorkFuture, WorkerFrames};
use bakeoff_domain::plan::RunSeed;
use bakeoff_domain::spec::Workers;
use bakeoff_run::{
    KnownMachine, LookOptions, Looked, PortableServer, RemoteWorkers, RunError, RunOptions, look,
    worker_facts,
};
use bakeoff_source::content_address;
use bakeoff_store::{ResultsPlace, Start, Store};
use bakeoff_workers::{MachineName, Service, ServiceEvent, TaskContents, TaskServer, WorkerFacts};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::mpsc::unbounded_channel;

/// Variants of the experiment, of which the last one is wrong.
const VARIANTS: u32 = 3;

/// The last byte of a task that is a build.
const BUILD: u8 = 2;

/// Bytes of a part of an answer.
const PART_BYTES: usize = 4 << 20;

/// Parts of an answer that is larger than a component may be.
const BOMB_PARTS: usize = 9;

/// An answer to a build.
#[derive(Clone, Debug, PartialEq)]
enum Answer {
    /// The component of the source.
    Honest,
    /// The component, with another digest than it has.
    OtherDigest,
    /// Bytes that are no component.
    Garbage,
    /// More bytes than a component may have.
    Bomb,
    /// A component without the function.
    OtherInterface,
    /// The component of the source that was sent first.
    First,
}

/// A worker that does checks as it should, and builds as it wants.
struct Building {
    honest: PortableServer,
    answer: Answer,
    builds: Arc<AtomicUsize>,
    first: Mutex<Option<Vec<u8>>>,
}

impl TaskServer for Building {
    fn serve<'a>(
        &'a self,
        task: Vec<u8>,
        core: usize,
        contents: TaskContents<'a>,
        frames: WorkerFrames,
    ) -> WorkFuture<'a> {
        if task.last() != Some(&BUILD) {
            return self.honest.serve(task, core, contents, frames);
        }
        self.builds.fetch_add(1, Ordering::SeqCst);
        match self.answer {
            Answer::Honest => self.honest.serve(task, core, contents, frames),
            Answer::First => {
                let first = self.first.lock().unwrap().get_or_insert(task).clone();
                self.honest.serve(first, core, contents, frames)
            }
            Answer::OtherDigest => Box::pin(answered(
                &self.honest,
                task,
                (core, contents),
                frames,
                other_digest,
            )),
            Answer::Garbage => answer_with(&frames, b"no component".to_vec()),
            Answer::OtherInterface => answer_with(&frames, wat::parse_str("(component)").unwrap()),
            Answer::Bomb => {
                (0..BOMB_PARTS).for_each(|_| frames.part(vec![0; PART_BYTES]));
                answer_with(&frames, Vec::new())
            }
        }
    }
}

/// Answers with these bytes, whose digest is right.
fn answer_with<'a>(frames: &WorkerFrames, bytes: Vec<u8>) -> WorkFuture<'a> {
    let end = (content_address(&bytes), true);
    frames.part(bytes);
    frames.end(postcard::to_stdvec(&end).unwrap());
    Box::pin(std::future::ready(()))
}

/// Changes a digit of a digest in a frame, if it has one.
fn other_digest(mut frame: Vec<u8>) -> Vec<u8> {
    // The content of an end is a digest, its length before it, and a truth value behind it.
    if frame.first() == Some(&64) && frame.len() < 1_024 {
        frame[1] = if frame[1] == b'0' { b'1' } else { b'0' };
    }
    frame
}

/// What was seen of the candidates, what was said, and how many builds the worker had.
struct Seen {
    candidates: Vec<Looked>,
    said: String,
    builds: usize,
}

impl Seen {
    /// Returns what a search goes on with of each candidate.
    fn facts(&self) -> Vec<String> {
        let candidates = self.candidates.iter();
        let facts = candidates.map(|one| {
            let fuel = one.readings.get("fuel");
            format!(
                "{} {:?} {:?} {fuel:?} {:?}",
                one.approach, one.identity, one.failure, one.fuel_place
            )
        });
        facts.collect()
    }
}

/// A worker by its answers, the share of them that is worked out once more, and the toolchain that it says to have.
type Joining<'a> = (Answer, &'a str, Option<&'a str>);

/// Starts a worker with a cache of its own, and returns it as its run has it, with the number of its builds.
async fn join(
    machine: &KnownMachine,
    cache: &Path,
    (answer, share, toolchain): Joining<'_>,
) -> Result<(RemoteWorkers, Arc<AtomicUsize>), RunError> {
    let policy = Policy::default();
    let tools = tools(cache, machine).await?;
    let fingerprint = tools.builder.toolchain_fingerprint();
    assert!(!fingerprint.is_empty());
    let builds = Arc::new(AtomicUsize::new(0));
    let server = Building {
        honest: PortableServer::new(&tools, policy),
        answer,
        builds: Arc::clone(&builds),
        first: Mutex::default(),
    };
    let name = MachineName::like("other").unwrap();
    let (run_ends, worker_ends) = memory::wire(&name);
    let (events, mut happened) = unbounded_channel();
    let mut cores = bakeoff_confine::usable_cores();
    cores.truncate(1);
    let own = worker_facts(&tools.confinement, 1, fingerprint)?;
    let service = Service {
        facts: WorkerFacts {
            toolchain: toolchain.map_or_else(|| own.toolchain.clone(), str::to_owned),
            ..own.clone()
        },
        cores,
        task_max: Duration::from_secs(600),
        server: Arc::new(server),
        events,
    };
    tokio::spawn(service.run(worker_ends, std::future::pending()));
    assert_eq!(happened.recv().await, Some(ServiceEvent::Begun));
    let workers = RemoteWorkers::begin(run_ends, own, share.parse().unwrap()).await;
    Ok((workers, builds))
}

/// Looks at the candidates of an experiment, or runs it, from nothing that was built before.
async fn seen(
    experiment: &Experiment,
    joining: Option<Joining<'_>>,
    races: bool,
) -> Result<Seen, RunError> {
    let folder = tempfile::tempdir().unwrap();
    let mut loaded = bakeoff_config::load(experiment.folder()).unwrap();
    loaded.experiment.measure.workers = Workers::Exactly(1);
    let machine = KnownMachine::default();
    let mut builds = Arc::default();
    if let Some(joining) = joining {
        let (workers, counted) = join(&machine, &folder.path().join("far"), joining).await?;
        machine.set_workers(Arc::new(workers));
        builds = counted;
    }
    let results = ResultsPlace::Named(folder.path().join("results"));
    let host = host_with(&folder.path().join("own"), &machine);
    let options = RunOptions {
        seed: Some(RunSeed::Named(7)),
        ..RunOptions::new(results, Start::Fresh, host)
    };
    let warnings = Arc::new(Mutex::new(Vec::new()));
    let subscribe = |store: &mut Store| hear_warnings(store, &warnings);
    let mut candidates = Vec::new();
    if races {
        bakeoff_run::run(&loaded, &options, &mut |_| {}, subscribe).await?;
    } else {
        let wanted = LookOptions {
            timed: &BTreeSet::new(),
            shared: None,
        };
        let looked = look(&loaded, &options, wanted, &mut |_| {}, subscribe).await?;
        candidates = looked.candidates;
    }
    let said = warnings.lock().unwrap().join("\n");
    Ok(Seen {
        candidates,
        said,
        builds: builds.load(Ordering::SeqCst),
    })
}

fn looked(experiment: &Experiment, joining: Option<Joining<'_>>) -> Seen {
    with_runtime(seen(experiment, joining, false)).unwrap()
}

pub(super) fn a_search_has_its_builds_elsewhere_and_they_are_those_of_this_machine() {
    let experiment = Experiment::of(VARIANTS);
    let alone = looked(&experiment, None);
    let with = looked(&experiment, Some((Answer::Honest, "1", None)));
    assert!(with.builds > 0);
    assert_eq!(with.facts(), alone.facts());
    assert!(alone.candidates[0].identity.is_some());
    assert!(!with.said.contains("gets no more tasks"), "{}", with.said);
    let unchecked = looked(&experiment, Some((Answer::Honest, "0", None)));
    assert_eq!(unchecked.facts(), alone.facts());
    assert!(
        unchecked.said.contains("0 of them lost"),
        "{}",
        unchecked.said
    );
}

pub(super) fn a_run_builds_what_races_here() {
    let experiment = Experiment::of(VARIANTS);
    let with = seen(&experiment, Some((Answer::Honest, "0", None)), true);
    let with = with_runtime(with).unwrap();
    assert_eq!(with.builds, 0);
    assert!(with.said.contains("other did"), "{}", with.said);
}

pub(super) fn a_worker_without_the_compiler_of_the_run_checks_and_builds_nothing() {
    let experiment = Experiment::of(VARIANTS);
    for toolchain in ["", "rustc-of-another-day"] {
        let with = looked(&experiment, Some((Answer::Honest, "0", Some(toolchain))));
        assert_eq!(with.builds, 0);
        assert!(with.said.contains("other did"), "{}", with.said);
        assert!(with.said.contains("0 of them lost"), "{}", with.said);
    }
}

pub(super) fn case_309_a_build_that_is_no_component_of_the_interface_is_refused_and_its_worker_named()
 {
    let experiment = Experiment::of(VARIANTS);
    let alone = looked(&experiment, None);
    for (answer, why) in [
        (Answer::OtherDigest, "another digest than it says"),
        (Answer::Garbage, "none of that source"),
        (Answer::Bomb, "larger than a component may be"),
        (Answer::OtherInterface, "does not export"),
    ] {
        let with = looked(&experiment, Some((answer.clone(), "0", None)));
        assert_eq!(with.facts(), alone.facts(), "{answer:?}");
        assert_eq!(with.builds, 1, "{answer:?} gets no second one");
        let named = with.said.contains("worker other gets no more tasks");
        assert!(
            named && with.said.contains(why),
            "{answer:?}: {}",
            with.said
        );
    }
}

pub(super) fn case_309_a_build_of_another_source_is_found_out_where_builds_are_made_once_more() {
    let experiment = Experiment::of(VARIANTS);
    let alone = looked(&experiment, None);
    let with = looked(&experiment, Some((Answer::First, "1", None)));
    assert_eq!(with.facts(), alone.facts());
    // Only one that is no first is a lie.
    if with.builds > 1 {
        let told = "worker other gets no more tasks of this run: its answer to `build";
        assert!(with.said.contains(told), "{}", with.said);
    }
}
