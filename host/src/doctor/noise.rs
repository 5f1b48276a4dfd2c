//! The noise floor: one program, measured against itself as a run measures two.

use super::facts::Noise;
use crate::build::{Builder, Built, CodeBytes, Kind, Request, Toolchain};
use crate::confine::Confinement;
use crate::interface::{Interface, WitFile, World};
use crate::measure::{
    self, Contender, Dropout, InputSource, Instances, Kept, Listener, Pilot, RaceError,
    RaceOptions, Raced, Setting, WaveCase,
};
use bakeoff_domain::failure::Failure;
use bakeoff_domain::measurement::Replica;
use bakeoff_domain::race::Analysis;
use bakeoff_domain::spec::{Limits, Measure};
use std::convert::Infallible;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long is measured.
const BUDGET: Duration = Duration::from_secs(2);

/// The program: a chain of dependent steps, whose time is proportional to their number.
const SOURCE: &str = include_str!("guest/spin.rs");

/// Its interface.
const WIT: &str =
    "package bakeoff:doctor;\nworld prototype { export spin: func(rounds: u32) -> u64; }\n";

/// The function.
const CALL: &str = "spin";

/// A call of about a millisecond: well above the clock, also on a machine that is busy, and below a
/// slice of time.
const CASE: &str = "spin(400000)";

/// A small prototype and the no-op of its interface.
pub(super) struct Programs {
    /// The prototype.
    pub(super) spin: Arc<Built>,
    calibrator: Arc<Built>,
}

/// Builds what is measured, without a cache, as any prototype is built.
///
/// # Errors
/// Why this machine does not build.
pub(super) async fn build(
    toolchain: &Toolchain,
    confinement: &Confinement,
) -> Result<Programs, String> {
    let file = WitFile {
        name: "doctor.wit".to_owned(),
        text: WIT.to_owned(),
    };
    let interface = Interface::parse(vec![file], CALL).map_err(|error| error.to_string())?;
    let interface = Arc::new(interface);
    let builder = Builder::new(toolchain.clone(), confinement.clone(), None, 1);
    let order = |code| Request {
        interface: Arc::clone(&interface),
        world: World::Prototype,
        code,
        kind: Kind::Release,
    };
    let source = CodeBytes::Source {
        path_shown: "spin.rs".to_owned(),
        text: SOURCE.to_owned(),
    };
    let said = |failure: Failure| format!("{}: {}", failure.class, failure.message);
    Ok(Programs {
        spin: builder.build(&order(source)).await.map_err(said)?,
        calibrator: builder
            .build(&order(CodeBytes::Calibrator))
            .await
            .map_err(said)?,
    })
}

/// Measures it against itself.
pub(super) async fn measure(
    programs: &Programs,
    confinement: &Confinement,
    cores: &[usize],
) -> Noise {
    let declared = Measure {
        budget: BUDGET,
        ..Measure::default()
    };
    let blank = Noise {
        practical: declared.practical,
        ..Noise::default()
    };
    let started = Instant::now();
    match race(programs, confinement, cores, &declared).await {
        Ok(raced) => Noise {
            seconds: started.elapsed().as_secs_f64(),
            ..summary(&raced, blank)
        },
        Err(problem) => Noise {
            problem: Some(problem),
            ..blank
        },
    }
}

async fn race(
    programs: &Programs,
    confinement: &Confinement,
    cores: &[usize],
    declared: &Measure,
) -> Result<Raced, String> {
    let setting = Setting {
        confinement: confinement.clone(),
        call: vec![CALL.to_owned()],
        limits: Limits::default(),
        source: InputSource::Cases(vec![WaveCase {
            call: CASE.to_owned(),
            expect: None,
        }]),
        seed: 1,
        check_seed: 1,
    };
    let same = Contender {
        timed: programs.spin.timed.as_slice().into(),
        files: None,
        instances: Instances::Kept,
    };
    let options = RaceOptions {
        measure: declared,
        cores,
        sizes: &[],
        clocks: 1,
    };
    let calibrator = programs
        .calibrator
        .timed
        .first()
        .map_or(&[][..], Vec::as_slice);
    let mut listener = Deaf;
    let raced = measure::race(
        &setting,
        &[same.clone(), same],
        calibrator,
        &options,
        Kept::default(),
        &mut listener,
    )
    .await;
    raced.map_err(|error| match error {
        RaceError::Runner(error) => error.to_string(),
        RaceError::Listener(never) => match never {},
        RaceError::Interrupted => "it was interrupted".to_owned(),
    })
}

fn summary(raced: &Raced, blank: Noise) -> Noise {
    if let Some(Dropout { failure, .. }) = raced.failed.first() {
        return Noise {
            problem: Some(format!("{}: {}", failure.class, failure.message)),
            ..blank
        };
    }
    let pair = raced.analysis.as_ref().and_then(|it| it.overall.first());
    let Some(pair) = pair.filter(|pair| pair.replicas > 0) else {
        return Noise {
            problem: Some("nothing was measured in the time there is".to_owned()),
            ..blank
        };
    };
    let interval = pair.interval;
    let ends = interval.low.zip(interval.high);
    Noise {
        replicas: pair.replicas,
        ratio: interval.ratio,
        low: interval.low,
        high: interval.high,
        verdict: Some(pair.verdict),
        visible: ends.map(|(low, high)| (high / low).sqrt() - 1.0),
        ..blank
    }
}

/// Keeps nothing: what is measured here is not a result.
struct Deaf;

impl Listener for Deaf {
    type Error = Infallible;

    fn piloted(&mut self, _: &Pilot) -> Result<(), Infallible> {
        Ok(())
    }

    fn finished(&mut self, _: &Replica) -> Result<(), Infallible> {
        Ok(())
    }

    fn analysed(&mut self, _: &Analysis, _: usize) -> Result<(), Infallible> {
        Ok(())
    }

    fn dropped(&mut self, _: &Dropout, _: u32) -> Result<(), Infallible> {
        Ok(())
    }

    fn is_interrupted(&self) -> bool {
        false
    }
}
