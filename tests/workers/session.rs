//! Sessions of runs of one experiment.

use super::liar::Liar;
use super::memory;
use bakeoff_config::Policy;
use bakeoff_domain::plan::RunSeed;
use bakeoff_domain::spec::Workers;
use bakeoff_measure::GateRecord;
use bakeoff_run::{
    CompilerNeed, HostOptions, KnownMachine, PortableServer, RemoteWorkers, RunError, RunOptions,
    Tools, Unconfined, wasi_imports, worker_facts,
};
use bakeoff_store::events::{Envelope, Event};
use bakeoff_store::{ResultKind, ResultsPlace, Start, Store};
use bakeoff_workers::{MachineName, MachineState, Service, ServiceEvent, TaskServer};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::mpsc::unbounded_channel;

/// Variants of the experiment, of which one is wrong.
const VARIANTS: u32 = 8;

/// Tasks that the worker takes at once, all on one core: the first ones are begun there before this machine has done any.
const SEATS: usize = 3;

/// Behaviour of a worker.
#[derive(Clone, Copy, Debug)]
pub(super) enum Behaviour {
    Honest,
    Lies,
}

/// An experiment in a folder of its own.
pub(super) struct Experiment(tempfile::TempDir);

/// What a session of a run left.
#[derive(Debug)]
pub(super) struct Session {
    /// The gates by variant, without times.
    pub(super) gates: BTreeMap<String, GateRecord>,
    pub(super) warnings: Vec<String>,
}

impl Session {
    /// Returns the fuel of each checked case, by variant.
    pub(super) fn fuel(&self) -> BTreeMap<&str, Vec<u64>> {
        let fuel = |gate: &GateRecord| gate.cases.iter().map(|case| case.fuel).collect();
        let gates = self.gates.iter();
        gates.map(|(id, gate)| (id.as_str(), fuel(gate))).collect()
    }
}

impl Experiment {
    pub(super) fn new() -> Self {
        Self::of(VARIANTS)
    }

    /// Returns an experiment of so many variants, of which the last one is wrong.
    pub(super) fn of(variants: u32) -> Self {
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
        let mut text = "name = \"sums\"\nproblem = \"Add up.\"\n\
             interface = { wit = \"sums.wit\", call = \"total\" }\n\
             workload = { cases = \"cases.toml\" }\n\
             measure = { precision = 0.5, budget = \"1 s\" }\n"
            .to_owned();
        for number in 0..variants {
            // The last one is wrong.
            let more = u32::from(number + 1 == variants);
            write(
                &format!("v{number}.rs"),
                &format!(
                    "pub fn total(values: Vec<u32>) -> u64 {{\n    \
                     // Each is another component, or what is known of one would do for all.\n    \
                     let sum: u64 = values.iter().map(|value| u64::from(*value)).sum();\n    \
                     sum + std::hint::black_box({number}) - {number} + {more}\n}}\n"
                ),
            );
            let _ = write!(
                text,
                "[[approach]]\nname = \"v{number}\"\nsource = \"v{number}.rs\"\n"
            );
        }
        write("bakeoff.toml", &text);
        Self(folder)
    }

    /// Runs it anew, with a worker of this behaviour of whose answers a share is worked out once more.
    pub(super) fn run(
        &self,
        name: &str,
        worker: Option<(Behaviour, &str)>,
    ) -> Result<Session, String> {
        self.session(name, Start::Fresh, worker)
    }

    /// Goes on with a run, without workers.
    pub(super) fn go_on(&self, name: &str) -> Result<Session, String> {
        self.session(name, Start::Resume, None)
    }

    fn session(
        &self,
        name: &str,
        start: Start,
        worker: Option<(Behaviour, &str)>,
    ) -> Result<Session, String> {
        let results = results(self, name);
        let ran = with_runtime(run(self.0.path(), results, start, worker));
        ran.map_err(|error| error.to_string())
    }

    pub(super) fn folder(&self) -> &Path {
        self.0.path()
    }
}

/// Returns the folder of the results of a run by its name.
pub(super) fn results(experiment: &Experiment, name: &str) -> PathBuf {
    experiment.folder().join("results").join(name)
}

/// Waits for what has a worker, in a runtime of its own.
pub(super) fn with_runtime<T>(work: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .thread_stack_size(bakeoff_confine::STACK_BYTES)
        .enable_all()
        .build()
        .unwrap();
    let done = runtime.block_on(work);
    // What the worker does ends with it.
    runtime.shutdown_timeout(Duration::from_secs(10));
    done
}

pub(super) fn cache() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache")
}

/// Returns the options of a host with these facts about its machine.
pub(super) fn host(machine: &KnownMachine) -> HostOptions {
    host_with(&cache(), machine)
}

/// Returns the options of a host that has a cache of its own.
pub(super) fn host_with(cache: &Path, machine: &KnownMachine) -> HostOptions {
    HostOptions {
        unconfined: Unconfined::Allowed,
        policy: Policy::default(),
        cache: Some(cache.to_owned()),
        machine: machine.clone(),
    }
}

/// Returns the tools of a worker.
pub(super) async fn tools(cache: &Path, machine: &KnownMachine) -> Result<Tools, RunError> {
    Tools::open(
        Unconfined::Allowed,
        CompilerNeed::Sources,
        wasi_imports(&Policy::default()),
        Some(cache),
        1,
        machine,
        &mut |_| {},
    )
    .await
}

/// Adds the warnings of a run.
pub(super) fn hear_warnings(store: &mut Store, warnings: &Arc<Mutex<Vec<String>>>) {
    let heard = Arc::clone(warnings);
    store.subscribe(move |envelope: &Envelope| {
        if let Event::Warning { message } = &envelope.event {
            heard.lock().unwrap().push(message.clone());
        }
    });
}

async fn run(
    folder: &Path,
    results: PathBuf,
    start: Start,
    worker: Option<(Behaviour, &str)>,
) -> Result<Session, RunError> {
    let mut loaded = bakeoff_config::load(folder).unwrap();
    loaded.experiment.measure.workers = Workers::Exactly(1);
    let machine = KnownMachine::default();
    if let Some((behaviour, share)) = worker {
        machine.set_workers(Arc::new(join(&machine, behaviour, share).await?));
    }
    let host = host(&machine);
    let options = RunOptions {
        seed: Some(RunSeed::Named(7)),
        ..RunOptions::new(ResultsPlace::Named(results), start, host)
    };
    let warnings = Arc::new(Mutex::new(Vec::new()));
    let subscribe = |store: &mut Store| hear_warnings(store, &warnings);
    let finished = bakeoff_run::run(&loaded, &options, &mut |_| {}, subscribe).await?;
    let run = finished.store.last_reported()?.unwrap();
    let gates = finished.store.results(run, ResultKind::Gate)?;
    let gates = gates.into_iter().map(|stored| {
        let mut gate: GateRecord = stored.value;
        gate.cases.iter_mut().for_each(|case| case.cpu_ns = 0);
        (stored.variant, gate)
    });
    let warnings = std::mem::take(&mut *warnings.lock().unwrap());
    Ok(Session {
        gates: gates.collect(),
        warnings,
    })
}

/// Starts a worker of the name `other`, and returns it as its run has it.
pub(super) async fn join(
    machine: &KnownMachine,
    behaviour: Behaviour,
    share: &str,
) -> Result<RemoteWorkers, RunError> {
    let policy = Policy::default();
    let tools = tools(&cache(), machine).await?;
    let honest = PortableServer::new(&tools, policy);
    let server: Arc<dyn TaskServer> = match behaviour {
        Behaviour::Honest => Arc::new(honest),
        Behaviour::Lies => Arc::new(Liar(honest)),
    };
    let name = MachineName::like("other").unwrap();
    let (run_ends, worker_ends) = memory::wire(&name);
    let (events, mut happened) = unbounded_channel();
    let mut core = bakeoff_confine::usable_cores();
    core.truncate(1);
    let service = Service {
        facts: worker_facts(
            &tools.confinement,
            SEATS,
            tools.builder.toolchain_fingerprint(),
        )?,
        cores: core.repeat(SEATS),
        task_max: Duration::from_secs(600),
        server,
        events,
    };
    tokio::spawn(service.run(worker_ends, std::future::pending()));
    let begun = happened.recv().await;
    assert_eq!(begun, Some(ServiceEvent::Begun));
    let facts = worker_facts(&tools.confinement, 0, tools.builder.toolchain_fingerprint())?;
    let workers = RemoteWorkers::begin(run_ends, facts, share.parse().unwrap()).await;
    let there = workers.machines();
    assert!(
        there.iter().any(|one| one.state == MachineState::Here),
        "{there:?}"
    );
    Ok(workers)
}
