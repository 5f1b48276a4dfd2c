//! The cost of building behind the fence: the CPU time of one prototype's build, relative to that
//! of a bare `rustc` on the same function, written by hand as an export of a `cdylib`, with the
//! same flags; for each of the four prototypes of `examples/top-k`. Rounds alternate in a rotating
//! order; each ratio is the median of the rounds' own ratios.
//!
//! ```text
//! cargo bench -p bakeoff --bench build [-- --quick]
//! ```
//!
//! In the output, `source to component` is everything before Cranelift (the child, bindings,
//! `rustc`, componentising), and the demand on it is at most 0.25 s of CPU time. `whole` adds
//! compiling to machine code, once for each profile. The last rows are the fence alone: confined
//! beside unconfined. Every build has an empty cache. The contention probe is the same work between
//! all builds: where it took longer at times, something else used the physical cores, and the times
//! in brackets are too long by about that factor. Takes three minutes.

mod support;

use bakeoff_compile::{BuildKind, BuildRequest, Builder, BuiltComponent, Cache, Toolchain};
use bakeoff_confine::{Confinement, ProbeConfig};
use bakeoff_domain::spec::Limits;
use bakeoff_source::BuildInput;
use bakeoff_source::interface::{Interface, World};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;
use support::{is_quick, median};

/// The number of rounds.
const ROUNDS: usize = 15;
const ROUNDS_QUICK: usize = 3;

/// The demand on a build before Cranelift, in seconds of CPU time.
const DEMAND_S: f64 = 0.25;

/// The prototypes that are built.
const APPROACHES: [&str; 4] = [
    "approaches/sort.rs",
    "approaches/heap.rs",
    "approaches/quickselect.rs",
    "approaches/insertion.rs",
];

/// The flags that a release build passes to `rustc`, without those for its messages.
const FLAGS: [&str; 10] = [
    "--edition=2024",
    "--crate-name=guest",
    "--crate-type=cdylib",
    "--target=wasm32-unknown-unknown",
    "-Copt-level=3",
    "-Cpanic=abort",
    "-Ccodegen-units=1",
    "-Ctarget-feature=+simd128",
    "-Cstrip=symbols",
    "-Awarnings",
];

/// The crate that a programmer would write by hand around the same function.
const PLAIN: &str = "mod prototype;

#[unsafe(no_mangle)]
pub unsafe extern \"C\" fn top_k(values: *const i64, count: usize, k: u32) -> *mut i64 {
    let values = unsafe { std::slice::from_raw_parts(values, count) };
    prototype::top_k(values.to_vec(), k).leak().as_mut_ptr()
}
";

type Failure = Box<dyn std::error::Error>;

/// A way to build, with the CPU times of its builds in seconds.
struct Way {
    name: String,
    confinement: Confinement,
    source: Vec<f64>,
    whole: Vec<f64>,
}

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let rounds = if is_quick() { ROUNDS_QUICK } else { ROUNDS };
    let toolchain = Toolchain::find(&mut |line: &str| eprintln!("{line}")).await?;
    for approach in APPROACHES {
        measure(approach, rounds, &toolchain).await?;
    }
    Ok(())
}

async fn measure(approach: &str, rounds: usize, toolchain: &Toolchain) -> Result<(), Failure> {
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/top-k");
    let text = std::fs::read_to_string(example.join(approach))?;
    let request = BuildRequest {
        interface: Arc::new(Interface::load(&example.join("wit"), "top-k")?),
        world: World::Prototype,
        code: BuildInput::Source {
            path_shown: approach.into(),
            text: text.as_str().into(),
        },
        kind: BuildKind::Release,
        memory_bytes: Limits::default().memory_bytes,
        parameters: false,
    };
    let plain = Plain::new(&text, toolchain.rustc())?;
    let mut ways = ways().await?;
    let (mut bare, mut probe_readings) = (Vec::new(), Vec::new());
    for round in 0..rounds {
        for step in 0..=ways.len() {
            probe_readings.extend((0..20).map(|_| bakeoff_runner::contention_probe_ns() as f64));
            match (step + round) % (ways.len() + 1) {
                0 => bare.push(plain.compile()?),
                way => ways[way - 1].build(toolchain, &request).await?,
            }
        }
    }
    let least = least(&probe_readings);
    println!("\nCPU time of one build of {approach}, medians of {rounds} rounds in turns");
    println!(
        "contention probe: {:.2} × its least",
        median(probe_readings) / least
    );
    print(&bare, &ways);
    Ok(())
}

/// Returns the ways to build: unconfined, fenced, and fenced within bubblewrap where that works.
async fn ways() -> Result<Vec<Way>, Failure> {
    let wrapped = ProbeConfig::with_program(env!("CARGO_BIN_EXE_bakeoff"));
    let fenced = ProbeConfig {
        bubblewrap: false,
        ..wrapped.clone()
    };
    let open = ProbeConfig {
        landlock_at_most: Some(0),
        seccomp: false,
        ..fenced.clone()
    };
    let way = |name: String, confinement| Way {
        name,
        confinement,
        source: Vec::new(),
        whole: Vec::new(),
    };
    let mut ways = vec![
        way(
            "unconfined".into(),
            Confinement::allow_unconfined_on(open).await,
        ),
        way("fenced".into(), Confinement::probe_on(fenced).await?),
    ];
    let wrapped = Confinement::probe_on(wrapped).await?;
    if let Some(layer) = wrapped.outer_layer() {
        ways.push(way(format!("fenced, {layer}"), wrapped));
    }
    Ok(ways)
}

impl Way {
    async fn build(
        &mut self,
        toolchain: &Toolchain,
        request: &BuildRequest,
    ) -> Result<(), Failure> {
        let folder = tempfile::tempdir()?;
        let cache = Cache::open(folder.path())?;
        let builder = Builder::new(toolchain.clone(), self.confinement.clone(), Some(cache), 1);
        let built: Arc<BuiltComponent> = builder
            .build(request)
            .await
            .map_err(|failure| failure.message)?;
        assert!(!built.cached, "the cache was empty");
        self.source.push(built.source_cpu.as_secs_f64());
        self.whole.push(built.cpu.as_secs_f64());
        Ok(())
    }
}

/// The same function in a crate written by hand, and the compiler for it.
struct Plain {
    folder: tempfile::TempDir,
    rustc: PathBuf,
}

impl Plain {
    fn new(prototype: &str, rustc: &Path) -> Result<Self, Failure> {
        let folder = tempfile::tempdir()?;
        std::fs::write(folder.path().join("plain.rs"), PLAIN)?;
        std::fs::write(folder.path().join("prototype.rs"), prototype)?;
        Ok(Self {
            folder,
            rustc: rustc.to_owned(),
        })
    }

    /// Returns the CPU time of one compilation, the linker's included, in seconds.
    fn compile(&self) -> Result<f64, Failure> {
        let before = children_cpu();
        let output = Command::new(&self.rustc)
            .args(FLAGS)
            .args(["-o", "out.wasm", "plain.rs"])
            .current_dir(self.folder.path())
            .stdin(Stdio::null())
            .output()?;
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into());
        }
        Ok((children_cpu() - before).as_secs_f64())
    }
}

/// Returns the CPU time of all children that were waited for so far. One build runs at a time, so
/// the increase during a call belongs to that call.
fn children_cpu() -> Duration {
    // SAFETY: a rusage is plain numbers, for which zero is a value; the call fills it.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_CHILDREN, &raw mut usage);
        usage
    };
    let time = |part: libc::timeval| {
        Duration::from_secs(part.tv_sec.unsigned_abs())
            + Duration::from_micros(part.tv_usec.unsigned_abs())
    };
    time(usage.ru_utime) + time(usage.ru_stime)
}

fn print(bare: &[f64], ways: &[Way]) {
    println!("{:<40} {:>8}", "", "× rustc");
    row("rustc alone, the same function by hand", bare, bare, "");
    for way in ways {
        let holds = |found: f64| if found <= DEMAND_S { "yes" } else { "no" };
        let demand = match way.name.as_str() {
            "unconfined" => String::new(),
            _ => format!(
                "at most {DEMAND_S} s: {}, in its quietest round {}",
                holds(median(way.source.clone())),
                holds(least(&way.source))
            ),
        };
        let name = format!("{}, source to component", way.name);
        row(&name, &way.source, bare, &demand);
    }
    for way in ways {
        row(&format!("{}, whole", way.name), &way.whole, bare, "");
    }
    let (open, fenced) = ways.split_at(1);
    println!("{:<40} {:>8}", "", "× unconfined");
    for way in fenced {
        let name = format!("{}, source to component", way.name);
        row(&name, &way.source, &open[0].source, "");
        row(
            &format!("{}, whole", way.name),
            &way.whole,
            &open[0].whole,
            "",
        );
    }
}

fn least(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::INFINITY, f64::min)
}

/// Prints one line: the median of the rounds' ratios, and in brackets the times, median and least.
fn row(name: &str, these: &[f64], those: &[f64], demand: &str) {
    let ratios = these.iter().zip(those).map(|(this, that)| this / that);
    let ratio = median(ratios.collect());
    let seconds = median(these.to_vec());
    let least = least(these);
    println!("{name:<40} {ratio:>8.2}   [{seconds:.3}, {least:.3} s]  {demand}");
}
