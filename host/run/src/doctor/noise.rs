//! The noise of measurements: one program timed against itself, as a run times two.

use super::facts::NoiseFacts;
use bakeoff_compile::{BuildKind, BuildRequest, Builder, BuiltComponent, Toolchain};
use bakeoff_confine::Confinement;
use bakeoff_confine::tasks::Driver;
use bakeoff_domain::failure::Failure;
use bakeoff_domain::measurement::{Overrun, Replica};
use bakeoff_domain::plan::RunSeed;
use bakeoff_domain::queue::Capacity;
use bakeoff_domain::race::Analysis;
use bakeoff_domain::spec::{Limits, Measure, State};
use bakeoff_measure::{
    Dropout, Pilot, RaceError, RaceListener, RaceOptions, Raced, ReplicaClient, RunnerConfig,
    RunnerWorker, StoredRace, TimedVariant,
};
use bakeoff_runner::{RunnerInputs, WaveCase};
use bakeoff_source::BuildInput;
use bakeoff_source::interface::{Interface, WitFile, World};
use std::convert::Infallible;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Time for the measurement.
const BUDGET: Duration = Duration::from_secs(2);

/// The source of the program: a chain of dependent steps, whose time is proportional to their number.
const SOURCE: &str = include_str!("guest/spin.rs");

/// The interface of the program.
const WIT: &str =
    "package bakeoff:doctor;\nworld prototype { export spin: func(rounds: u32) -> u64; }\n";

/// The function that is called.
const CALL: &str = "spin";

/// A call of about a millisecond: far above the resolution of the clock, also on a busy machine, and
/// below a time slice of the scheduler.
const CASE: &str = "spin(400000)";

/// A small prototype, and the calibrator of its interface.
pub(super) struct BenchmarkPrograms {
    /// The prototype.
    pub(super) spin: Arc<BuiltComponent>,
    calibrator: Arc<BuiltComponent>,
}

/// Builds the programs without a cache, in the same way as any prototype.
///
/// # Errors
/// The reason why this machine does not build.
pub(super) async fn build(
    toolchain: &Toolchain,
    confinement: &Confinement,
) -> Result<BenchmarkPrograms, String> {
    let file = WitFile {
        name: "doctor.wit".to_owned(),
        text: WIT.to_owned(),
    };
    let interface = Interface::parse(vec![file], CALL).map_err(|error| error.to_string())?;
    let interface = Arc::new(interface);
    let builder = Builder::new(toolchain.clone(), confinement.clone(), None, 1);
    let order = |code| BuildRequest {
        interface: Arc::clone(&interface),
        world: World::Prototype,
        code,
        kind: BuildKind::Release,
        memory_bytes: Limits::default().memory_bytes,
        parameters: false,
    };
    let source = BuildInput::Source {
        path_shown: "spin.rs".to_owned(),
        text: SOURCE.into(),
    };
    let message = |failure: Failure| format!("{}: {}", failure.class, failure.message);
    Ok(BenchmarkPrograms {
        spin: builder.build(&order(source)).await.map_err(message)?,
        calibrator: builder
            .build(&order(BuildInput::Calibrator))
            .await
            .map_err(message)?,
    })
}

/// Times the prototype against itself.
pub(super) async fn measure(
    programs: &BenchmarkPrograms,
    confinement: &Confinement,
    cores: &[usize],
) -> NoiseFacts {
    let declared = Measure {
        budget: BUDGET,
        ..Measure::default()
    };
    let blank = NoiseFacts {
        practical: declared.practical,
        ..NoiseFacts::default()
    };
    let started = Instant::now();
    match race(programs, confinement, cores, &declared).await {
        Ok(raced) => NoiseFacts {
            seconds: started.elapsed().as_secs_f64(),
            ..summary(&raced, blank)
        },
        Err(problem) => NoiseFacts {
            problem: Some(problem),
            ..blank
        },
    }
}

async fn race(
    programs: &BenchmarkPrograms,
    confinement: &Confinement,
    cores: &[usize],
    declared: &Measure,
) -> Result<Raced, String> {
    let config = RunnerConfig {
        worker: RunnerWorker::link(confinement.clone()),
        elsewhere: false,
        call: vec![CALL.to_owned()],
        limits: Limits::default(),
        state: State::Pure,
        inputs: RunnerInputs::Cases(vec![WaveCase {
            call: CASE.to_owned(),
            expect: None,
        }]),
        seed: RunSeed::Named(1),
        check_seed: RunSeed::Named(1),
        repeats_fuel: None,
    };
    let same = TimedVariant {
        timed: programs.spin.timed.as_slice().into(),
        our_allocator: false,
        files: None,
        recodes: false,
        gains_by_state: false,
        peak_bytes: 0,
        fuel: Vec::new(),
        gate_cpu_ns: Vec::new(),
    };
    let options = RaceOptions {
        key: "noise",
        measure: declared,
        used: Duration::ZERO,
        cores,
        metric_share: 1.0,
        cold_start: false,
        instances: false,
    };
    let calibrator = programs
        .calibrator
        .timed
        .first()
        .map_or(&[][..], Vec::as_slice);
    let capacity = Capacity::of_cores(cores.iter().rev().copied());
    let mut tasks = Driver::new(capacity, Arc::new(ReplicaClient));
    let mut listener = NullListener;
    let raced = bakeoff_measure::race(
        &config,
        &[same.clone(), same],
        calibrator,
        &options,
        StoredRace::default(),
        &mut tasks,
        &mut listener,
    )
    .await;
    raced.map_err(|error| match error {
        RaceError::Runner(error) => error.to_string(),
        RaceError::Listener(never) => match never {},
        RaceError::Interrupted => "it was interrupted".to_owned(),
    })
}

fn summary(raced: &Raced, blank: NoiseFacts) -> NoiseFacts {
    if let Some(Dropout { failure, .. }) = raced.failed.first() {
        return NoiseFacts {
            problem: Some(format!("{}: {}", failure.class, failure.message)),
            ..blank
        };
    }
    let pair = raced.analysis.as_ref().and_then(|it| it.overall.first());
    let Some(pair) = pair.filter(|pair| pair.replicas > 0) else {
        return NoiseFacts {
            problem: Some("no replica was finished in time".to_owned()),
            ..blank
        };
    };
    let interval = pair.interval;
    let ends = interval.low.zip(interval.high);
    NoiseFacts {
        pooled: raced.pilot.as_ref().and_then(|pilot| pilot.pooled),
        replicas: pair.replicas,
        ratio: interval.ratio,
        low: interval.low,
        high: interval.high,
        verdict: Some(pair.verdict),
        visible: ends.map(|(low, high)| (high / low).sqrt() - 1.0),
        ..blank
    }
}

/// A listener that ignores everything: the measurement here is not a result of a run.
struct NullListener;

impl RaceListener for NullListener {
    type Error = Infallible;

    fn on_pilot(&mut self, _: &Pilot) -> Result<(), Infallible> {
        Ok(())
    }

    fn on_replica(&mut self, _: &Replica) -> Result<(), Infallible> {
        Ok(())
    }

    fn on_analysis(&mut self, _: &Analysis, _: usize) -> Result<(), Infallible> {
        Ok(())
    }

    fn on_dropout(&mut self, _: &Dropout, _: u32) -> Result<(), Infallible> {
        Ok(())
    }

    fn on_overrun(&mut self, _: &Overrun, _: u32) -> Result<(), Self::Error> {
        Ok(())
    }

    fn on_discarded(&mut self, _: u32, _: &str) -> Result<(), Self::Error> {
        Ok(())
    }

    fn is_interrupted(&self) -> bool {
        false
    }
}
