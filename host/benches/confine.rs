//! The cost of fences: each operation with and without, in alternation.
//!
//! ```text
//! cargo bench -p bakeoff --bench confine [-- --quick]
//! ```
//!
//! Prints medians of wall time and their ratios, of one run on one machine, and the demand on each:
//! - a child that does nothing, from spawn to exit, confined beside unconfined
//! - the build of a prototype, confined beside unconfined: at most a tenth more
//! - a runner from spawn to its first trial, beside the bare start and end of the same binary: at
//!   most 25 ms. This is a time and no ratio: on a machine where starting and ending a process
//!   already takes long, as the other column shows, it proves nothing.

mod support;

use bakeoff_compile::{BuildKind, BuildRequest, Builder, Toolchain};
use bakeoff_confine::{ChildJob, Confinement, Fence, PROBE, ProbeConfig, Processes};
use bakeoff_domain::plan::{self, ReplicaSpec, ReplicaStage, WarmUp};
use bakeoff_domain::spec::Limits;
use bakeoff_runner::announcement::{Announcement, Doing};
use bakeoff_runner::protocol::{Bundle, Guest, RunnerInputs, RunnerRequest};
use bakeoff_runner::{AnyCall, Instances, LoweringClock, ReplicaCall, VariantPayload, WaveCase};
use bakeoff_source::BuildInput;
use bakeoff_source::interface::{Interface, WitFile, World};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};
use support::{is_quick, median};

/// The number of children of each kind, and of builds.
const CHILDREN: usize = 300;
const CHILDREN_QUICK: usize = 40;
const BUILDS: usize = 30;
const BUILDS_QUICK: usize = 5;

/// The time between two looks at what a runner is doing.
const LOOK_PERIOD: Duration = Duration::from_micros(200);

/// The binary that the children run.
const PROGRAM: &str = env!("CARGO_BIN_EXE_bakeoff");

/// The interface of the prototype that is built and run.
const WIT: &str =
    "package bakeoff:bench;\nworld prototype { export square: func(n: u32) -> u32; }\n";
const SOURCE: &str = "pub fn square(n: u32) -> u32 { n.wrapping_mul(n) }\n";
const CALL: &str = "square";

/// The demand on a row.
#[derive(Clone, Copy)]
enum Demand {
    /// No demand: the row is for comparison.
    None,
    /// The ratio is at most this.
    Ratio(f64),
    /// The time with fences is at most this, in seconds.
    Seconds(f64),
}

impl Demand {
    /// The demand on a confined build, relative to an unconfined one.
    const BUILD: Self = Self::Ratio(1.10);
    /// The demand on a runner, from its start to the first trial.
    const FIRST_TRIAL: Self = Self::Seconds(25e-3);

    /// Returns the demand as text, and whether it is met.
    fn held(self, without: f64, with: f64) -> (String, &'static str) {
        let (words, met) = match self {
            Self::None => return (String::new(), ""),
            Self::Ratio(most) => (format!("<= {most:.2}"), with / without <= most),
            Self::Seconds(most) => (format!("<= {:.0} ms", most * 1e3), with <= most),
        };
        (words, if met { "yes" } else { "NO" })
    }
}

type Failure = Box<dyn std::error::Error>;

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let (children, builds) = match is_quick() {
        true => (CHILDREN_QUICK, BUILDS_QUICK),
        false => (CHILDREN, BUILDS),
    };
    let toolchain = Toolchain::find(&mut |line: &str| eprintln!("{line}")).await?;
    let ways = ways(&toolchain).await?;
    let (bare, fenced) = (&ways[0], &ways[1]);

    println!(
        "{:<40} {:>12} {:>12} {:>7}   {:<9} met",
        "", "without", "with", "ratio", "demand"
    );
    let closed = Fence::closed();
    row(
        "a runner that does nothing",
        Demand::None,
        children,
        async |side| life([&bare.1, &fenced.1][side], &closed).await,
    )
    .await?;
    for (name, way) in &ways[1..] {
        let title = format!("a builder that does nothing: {name}");
        row(&title, Demand::None, children, async |side| {
            life([&bare.1, way][side], &builder()).await
        })
        .await?;
    }
    for (name, way) in &ways[1..] {
        let title = format!("a build: {name}");
        row(&title, Demand::BUILD, builds, async |side| {
            build([&bare.1, way][side], &toolchain).await
        })
        .await?;
    }
    let message = replica(&fenced.1, &toolchain).await?;
    row(
        "fork and exec, to the first trial",
        Demand::FIRST_TRIAL,
        children,
        async |side| match side {
            0 => fork_and_exec(),
            _ => to_first_trial(&fenced.1, &message).await,
        },
    )
    .await
}

/// Returns the ways to run children, each with a name: unconfined, with their own fence, and any
/// other that this machine has.
async fn ways(toolchain: &Toolchain) -> Result<Vec<(String, Confinement)>, Failure> {
    let everything = ProbeConfig::with_program(PROGRAM);
    let grouped = ProbeConfig {
        bubblewrap: false,
        ..everything.clone()
    };
    let fenced = ProbeConfig {
        groups: false,
        ..grouped.clone()
    };
    let bare = ProbeConfig {
        landlock_at_most: Some(0),
        seccomp: false,
        ..fenced.clone()
    };
    let mut ways = vec![
        (
            "bare".to_owned(),
            Confinement::allow_unconfined_on(bare).await,
        ),
        ("fence".to_owned(), Confinement::probe_on(fenced).await?),
    ];
    let grouped = Confinement::probe_on(grouped).await?;
    if grouped.mechanisms().groups.is_some() {
        ways.push(("and cgroup".to_owned(), grouped));
    }
    let everything = Confinement::probe_on(everything).await?;
    let everything = bakeoff_compile::usable_confinement(toolchain, everything).await;
    if let Some(layer) = everything.outer_layer() {
        ways.push((format!("and {layer}"), everything));
    }
    Ok(ways)
}

/// Measures two operations in alternation, each `rounds` times: side 0 without fences, side 1 with
/// them. Each returns its seconds.
async fn row(
    title: &str,
    demand: Demand,
    rounds: usize,
    mut act: impl AsyncFnMut(usize) -> Result<f64, Failure>,
) -> Result<(), Failure> {
    let mut times = [Vec::new(), Vec::new()];
    for round in 0..rounds {
        for turn in 0..2 {
            let side = (round + turn) % 2;
            times[side].push(act(side).await?);
        }
    }
    let [without, with] = times.map(median);
    let ms = |seconds: f64| format!("{:.2} ms", seconds * 1e3);
    let ratio = with / without;
    let (wanted, met) = demand.held(without, with);
    println!(
        "{title:<40} {:>12} {:>12} {ratio:>7.2}   {wanted:<9} {met}",
        ms(without),
        ms(with)
    );
    Ok(())
}

fn builder() -> Fence {
    Fence {
        execute: vec!["/usr".into()],
        read: vec!["/etc".into()],
        write: vec![std::env::temp_dir()],
        processes: Processes::Spawn { at_most: 64 },
        ..Fence::closed()
    }
}

/// Returns the seconds of one child that does nothing, from spawn to exit.
async fn life(confinement: &Confinement, fence: &Fence) -> Result<f64, Failure> {
    let nothing = postcard::to_stdvec(&Vec::<u8>::new())?;
    let parts = [&nothing[..]];
    let start = Instant::now();
    let job = ChildJob::new(PROBE.name, &parts, fence.clone());
    confinement.spawn(job).await?.finish().await;
    Ok(start.elapsed().as_secs_f64())
}

fn order(code: BuildInput) -> Result<BuildRequest, Failure> {
    let file = WitFile {
        name: "bench.wit".into(),
        text: WIT.into(),
    };
    Ok(BuildRequest {
        interface: Arc::new(Interface::parse(vec![file], CALL)?),
        world: World::Prototype,
        code,
        kind: BuildKind::Release,
        memory_bytes: Limits::default().memory_bytes,
        parameters: false,
    })
}

fn source() -> BuildInput {
    BuildInput::Source {
        path_shown: "square.rs".into(),
        text: SOURCE.into(),
    }
}

/// Returns the seconds of one build, without a cache.
async fn build(confinement: &Confinement, toolchain: &Toolchain) -> Result<f64, Failure> {
    let builder = Builder::new(toolchain.clone(), confinement.clone(), None, 1);
    let order = order(source())?;
    let start = Instant::now();
    builder
        .build(&order)
        .await
        .map_err(|failure| failure.message)?;
    Ok(start.elapsed().as_secs_f64())
}

/// Returns the request to a runner for a replica of one variant.
async fn replica(confinement: &Confinement, toolchain: &Toolchain) -> Result<Vec<u8>, Failure> {
    let builder = Builder::new(toolchain.clone(), confinement.clone(), None, 1);
    let mut bundle = Bundle::default();
    let mut add = async |code| -> Result<_, Failure> {
        let built = builder.build(&order(code)?).await;
        let built = built.map_err(|failure| failure.message)?;
        let code = built.timed.first().ok_or("nothing was built to be timed")?;
        Ok(bundle.add_code(code))
    };
    let (component, calibrator) = (add(source()).await?, add(BuildInput::Calibrator).await?);
    let plan = plan::draw(&ReplicaSpec {
        secret: bakeoff_domain::plan::RunSeed::Named(1).race_secret(),
        index: 0,
        stage: ReplicaStage::Race,
        calls: &[100],
        instances_per_block: None,
        blocks: plan::BLOCKS_MIN,
        warm_up: WarmUp::Normal,
        short_cases: &[],
        live_variants: &[0],
        layouts: &[],
    });
    let payload = VariantPayload {
        guest: Guest {
            code: component,
            files: None,
        },
        recodes: false,
        gains_by_state: false,
    };
    let request = RunnerRequest {
        path: vec![CALL.into()],
        limits: Limits::default(),
        inputs: RunnerInputs::Cases(vec![WaveCase {
            call: "square(3)".into(),
            expect: None,
        }]),
        call: AnyCall::Replica(ReplicaCall {
            payloads: vec![Some(payload)],
            calibrator,
            plan,
            instances: Instances::Fresh,
            lowering: LoweringClock::Cheap,
            resident_bytes: 0,
        }),
    };
    Ok(bundle.seal(&request)?)
}

/// Returns the seconds until a runner announces its first call of the variant.
async fn to_first_trial(confinement: &Confinement, message: &[u8]) -> Result<f64, Failure> {
    let parts = [message];
    let start = Instant::now();
    let mut job = ChildJob::new(bakeoff_runner::ROLE, &parts, Fence::closed());
    job.announces = true;
    let runner = confinement.spawn(job).await?;
    let announced = runner.announced();
    while runner.pid().is_some() {
        let announcement = Announcement::from_word(announced.word())?;
        if let Some(Doing::Calling { .. }) = announcement.map(|it| it.doing) {
            return Ok(start.elapsed().as_secs_f64());
        }
        std::thread::sleep(LOOK_PERIOD);
    }
    let exit = runner.finish().await;
    Err(String::from_utf8_lossy(&exit.stderr).into())
}

/// Returns the seconds of the same binary with an unknown role, which ends at once.
fn fork_and_exec() -> Result<f64, Failure> {
    let start = Instant::now();
    Command::new(PROGRAM)
        .args(["--bakeoff-child", "nobody"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()?;
    Ok(start.elapsed().as_secs_f64())
}
