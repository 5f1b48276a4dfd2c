//! From facts to findings: what each means, and what to do about it. Nothing is looked at here.

use super::facts::{Clocks, Compiler, Cores, Facts, Fences, Folder, Noise, Purpose};
use super::is_safe;
use crate::confine::{Groups, Level, Means};
use bakeoff_domain::report::words::numbers;
use bakeoff_domain::verdict::Verdict;
use serde::Serialize;

/// Below this much room on a disk, a build or a run may fail for want of it.
const FREE_BYTES_LOW: u64 = 1 << 30;

/// Above this, a write to the disk is slow enough to be noticed in a run, which makes dozens.
const WRITE_MS_SLOW: f64 = 250.0;

/// Above this, the same work takes noticeably different times.
const DRIFT_NOTICEABLE: f64 = 0.05;

/// Above this share of stolen time, other machines on the same host are felt.
const STOLEN_NOTICEABLE: f64 = 0.02;

/// From here on something else uses the same physical cores.
const CONTENTION_NOTICEABLE: f64 = 0.15;

/// How good a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// As it should be.
    Good,
    /// Works, and could be better.
    Limited,
    /// Something that bakeoff is for does not work.
    Bad,
}

/// One thing that was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// What it is about: `confinement`, `noise`, …
    pub topic: &'static str,
    /// How good it is.
    pub state: State,
    /// What was found.
    pub found: String,
    /// What that means.
    pub means: String,
    /// What to do, if anything.
    pub next: Option<String>,
}

impl Finding {
    fn new(topic: &'static str, state: State, found: impl Into<String>) -> Self {
        Self {
            topic,
            state,
            found: found.into(),
            means: String::new(),
            next: None,
        }
    }

    fn means(self, means: impl Into<String>) -> Self {
        Self {
            means: means.into(),
            ..self
        }
    }

    fn next(self, next: impl Into<String>) -> Self {
        Self {
            next: Some(next.into()),
            ..self
        }
    }
}

/// All findings, in the order in which a run depends on them.
pub fn findings(facts: &Facts) -> Vec<Finding> {
    let mut all = vec![confinement(&facts.confinement)];
    all.extend(
        facts
            .confinement
            .means
            .as_ref()
            .map(|means| bubblewrap(&facts.confinement, means)),
    );
    all.extend(facts.confinement.means.as_ref().map(groups));
    all.extend([
        compiler(&facts.toolchain),
        clocks(&facts.clocks),
        noise(&facts.noise),
        cores(&facts.cores),
        frequency(&facts.cores),
        others(&facts.cores),
    ]);
    all.extend(facts.folders.iter().map(folder));
    all
}

fn confinement(fences: &Fences) -> Finding {
    let user = match fences.root {
        true => "as root; children give up its privileges",
        false => "as an ordinary user",
    };
    let missing = |level: &str, state| {
        let missing = fences.missing.as_ref();
        let reason = missing.map_or("", |missing| missing.reason.as_str());
        let finding = Finding::new("confinement", state, format!("{level}: {reason}"));
        match missing {
            Some(missing) => finding.next(missing.next.clone()),
            None => finding,
        }
    };
    let Some(level) = fences.level else {
        return missing("none", State::Bad).means(
            "Nothing here keeps a prototype from the files, the network and the other processes of \
             this machine, so nothing is built and nothing runs.",
        );
    };
    if !is_safe(level) {
        return missing(level.name(), State::Limited).means(
            "You allowed it: prototypes are built and run all the same, and every result is stamped \
             `unconfined`. A prototype that wants to do harm can.",
        );
    }
    let means = fences.means.as_ref();
    let abi = means.and_then(|means| means.landlock_abi);
    let abi = abi.map_or_else(String::new, |abi| format!("Landlock ABI {abi}, "));
    let finding = Finding::new(
        "confinement",
        State::Good,
        format!("{level}: {abi}system calls filtered, {user}"),
    );
    finding.means(match level {
        Level::Full => {
            "Children that were sent to try could not read a file, open a socket or signal this \
             process."
        }
        _ => {
            "Children that were sent to try could not read a file, open a socket or signal this \
             process. Linux 6.12 would make it `full`: there the kernel itself keeps signals and \
             local sockets inside."
        }
    })
}

fn bubblewrap(fences: &Fences, means: &Means) -> Finding {
    let topic = "bubblewrap";
    match (&means.outer_layer, fences.bubblewrap_installed) {
        (Some(_), _) => Finding::new(topic, State::Good, "around builders").means(
            "A second fence: what a build is not given does not even exist for it, and the compiler \
             works in there.",
        ),
        (None, true) => Finding::new(topic, State::Limited, "installed, and not used")
            .means(
                "A builder or the compiler does not work inside it here, as in many containers. \
                 Builds have their own fence, which the level above speaks of.",
            )
            .next("allow user namespaces if you want the second fence; it is not needed"),
        (None, false) => Finding::new(topic, State::Good, "not installed")
            .means("It is not needed; where it is, it is a second fence around builds."),
    }
}

fn groups(means: &Means) -> Finding {
    let topic = "cgroup";
    match means.groups {
        Some(Groups::MemoryAndProcesses) => {
            Finding::new(topic, State::Good, "memory and processes of builds")
                .means("The kernel itself holds a build to its memory and number of processes.")
        }
        Some(Groups::Processes) => Finding::new(topic, State::Good, "processes of builds").means(
            "The kernel itself holds a build to its number of processes; memory is looked at every \
             20 ms.",
        ),
        None => Finding::new(topic, State::Good, "none")
            .means(
                "No control group can be made here, so memory and processes of a build are looked at \
                 every 20 ms; between two looks it may have more.",
            )
            .next(
                "for bounds by the kernel, start bakeoff by \
                 `systemd-run --user --scope -p Delegate=yes`; it is not needed",
            ),
    }
}

fn compiler(compiler: &Compiler) -> Finding {
    let topic = "toolchain";
    let version = compiler.version.as_deref().unwrap_or("no compiler");
    let target = compiler.target.as_deref().unwrap_or("no target");
    match (&compiler.problem, compiler.build_cpu_s) {
        (Some(problem), _) => Finding::new(topic, State::Bad, problem.clone()).means(
            "Prototypes in Rust cannot be built here; components that you bring can still be run.",
        ),
        (None, Some(seconds)) => Finding::new(topic, State::Good, format!("{version}, {target}"))
            .means(format!(
                "A small prototype was built behind the fence, with {} of CPU time.",
                numbers::reading(seconds * 1e9, "ns")
            )),
        (None, None) => Finding::new(topic, State::Limited, format!("{version}, {target}"))
            .means("It is there; nothing was built, because nothing would confine the build."),
    }
}

fn clocks(clocks: &Clocks) -> Finding {
    let ns = |value| numbers::reading(value, "ns");
    let (cpu, wall) = (clocks.thread_cpu, clocks.monotonic);
    let found = format!(
        "CPU time in steps of {}, {} a reading; wall time in steps of {}, {} a reading",
        ns(cpu.step_ns),
        ns(cpu.cost_ns),
        ns(wall.step_ns),
        ns(wall.cost_ns)
    );
    let means = format!(
        "A call has to take {} to get a verdict; shorter ones are too short to time.",
        ns(clocks.call_ns_min)
    );
    // A millisecond is a hundred times the slowest call that prototypes are usually given.
    if clocks.call_ns_min > 1e6 {
        return Finding::new("clocks", State::Limited, found)
            .means(means)
            .next("give each case enough work to take longer than that");
    }
    Finding::new("clocks", State::Good, found).means(means)
}

fn noise(noise: &Noise) -> Finding {
    let topic = "noise";
    if let Some(problem) = &noise.problem {
        return Finding::new(topic, State::Limited, "not measured").means(format!(
            "Not known what could be told apart here: {problem}."
        ));
    }
    let shown = noise.ratio.map_or_else(
        || "no ratio".to_owned(),
        |value| {
            numbers::times(bakeoff_domain::report::Interval {
                value,
                low: noise.low,
                high: noise.high,
            })
        },
    );
    let found = format!(
        "the same program against itself, in {}: {shown}",
        numbers::reading(noise.seconds * 1e9, "ns")
    );
    let practical = numbers::percent(noise.practical);
    match (noise.verdict, noise.visible) {
        (Some(Verdict::Beats | Verdict::Beaten), _) => Finding::new(topic, State::Limited, found)
            .means(
                "One of two identical programs was called faster. That may happen in 5 % of runs, \
                 and should not in more.",
            )
            .next("run it again; if it comes out like this again, please report it"),
        (_, None) => Finding::new(topic, State::Limited, found)
            .means(format!(
                "Too few replicas in that time to say what could be told apart ({}).",
                noise.replicas
            ))
            .next("stop what else runs here, or give experiments a budget of some minutes"),
        (_, Some(visible)) if visible <= noise.practical => {
            Finding::new(topic, State::Good, found).means(format!(
                "A difference of {} would have been seen. That is finer than the practical \
                 threshold, {practical}, which a run has unless it declares another.",
                numbers::percent(visible)
            ))
        }
        (_, Some(visible)) => Finding::new(topic, State::Good, found).means(format!(
            "A difference of {} would have been seen in that time. Down to the practical threshold, \
             {practical}, a run has to measure longer: it goes on until it knows, or its budget \
             ends.",
            numbers::percent(visible)
        )),
    }
}

fn cores(cores: &Cores) -> Finding {
    let topic = "cores";
    let count = |cores: &[usize]| match cores.len() {
        1 => "1 core".to_owned(),
        count => format!("{count} cores"),
    };
    let found = format!("{}, {}", cores.cpu, count(&cores.usable));
    if cores.pinnable.len() < cores.usable.len() || cores.usable.is_empty() {
        return Finding::new(topic, State::Limited, found)
            .means(format!(
                "Only {} of them can be pinned, so trials may wander from core to core.",
                cores.pinnable.len()
            ))
            .next("start bakeoff where sched_setaffinity is allowed");
    }
    match &cores.siblings {
        Some(groups) if !groups.is_empty() => {
            let shown: Vec<String> = groups
                .iter()
                .map(|group| {
                    let cores: Vec<String> = group.iter().map(usize::to_string).collect();
                    cores.join("+")
                })
                .collect();
            Finding::new(topic, State::Limited, found)
                .means(format!(
                    "All can be pinned, but {} share a physical core, and trials on both slow each \
                     other. Comparisons stay right, because variants take turns within a core.",
                    shown.join(", ")
                ))
                .next(format!(
                    "for steadier times, use fewer at once: `--workers {}`",
                    cores.usable.len().saturating_sub(shared(groups)).max(1)
                ))
        }
        Some(_) => Finding::new(topic, State::Good, found)
            .means("All can be pinned, and none is known to share a physical core with another."),
        None => Finding::new(topic, State::Good, found)
            .means("All can be pinned; whether two are one physical core is not told here."),
    }
}

/// How many cores are second threads of others.
fn shared(groups: &[Vec<usize>]) -> usize {
    groups.iter().map(|group| group.len() - 1).sum()
}

fn frequency(cores: &Cores) -> Finding {
    let topic = "frequency";
    let governor = cores.governor.as_deref();
    let found = format!(
        "{}; the same work took up to {} longer in a slow moment than in a fast one",
        governor.map_or_else(
            || "governor unknown".to_owned(),
            |name| format!("governor {name}")
        ),
        numbers::percent(cores.drift)
    );
    let means = "Variants take turns in random order, so this widens intervals and favours nobody.";
    if cores.drift <= DRIFT_NOTICEABLE {
        return Finding::new(topic, State::Good, found).means(means);
    }
    let finding = Finding::new(topic, State::Limited, found).means(means);
    match governor {
        Some("performance") | None => {
            finding.next("for shorter runs, stop what else runs here; it is not needed")
        }
        Some(_) => finding.next(
            "for shorter runs, set the governor to performance: \
             `cpupower frequency-set -g performance`; it is not needed",
        ),
    }
}

fn others(cores: &Cores) -> Finding {
    let topic = "load";
    let load = cores.load.map_or_else(
        || "load unknown".to_owned(),
        |load| {
            format!(
                "load {} on {} cores",
                numbers::significant(load, 2),
                cores.usable.len()
            )
        },
    );
    let stolen = cores.stolen.map_or_else(
        || "stolen time unknown".to_owned(),
        |stolen| {
            format!(
                "{} of the time stolen by the hypervisor",
                numbers::percent(stolen)
            )
        },
    );
    let contention = format!(
        "work that fills a core took up to {} longer at times",
        numbers::percent(cores.contention)
    );
    let found = format!("{load}, {stolen}; {contention}");
    let busy = cores
        .load
        .is_some_and(|load| load > cores.usable.len() as f64)
        || cores
            .stolen
            .is_some_and(|stolen| stolen > STOLEN_NOTICEABLE);
    let late =
        "Others use this machine. Verdicts rest on CPU time and stay right; they take longer.";
    let shared = "Something uses the same physical cores, another thread of them or another machine: \
                  where two close variants change places with it, there is no call.";
    let (sooner, closer) = (
        "stop what need not run, or give experiments a larger --budget",
        "for close verdicts, measure on cores of your own",
    );
    match (busy, cores.contention > CONTENTION_NOTICEABLE) {
        (false, false) => Finding::new(topic, State::Good, found).means("Nobody else is felt."),
        (true, false) => Finding::new(topic, State::Limited, found)
            .means(late)
            .next(sooner),
        (false, true) => Finding::new(topic, State::Limited, found)
            .means(shared)
            .next(closer),
        (true, true) => Finding::new(topic, State::Limited, found)
            .means(format!("{late} {shared}"))
            .next(format!("{sooner}; {closer}")),
    }
}

fn folder(folder: &Folder) -> Finding {
    let (topic, what) = match folder.purpose {
        Purpose::Results => ("results", "Results cannot be kept there."),
        Purpose::Cache => (
            "cache",
            "Builds are not remembered, so each run builds again.",
        ),
        Purpose::Temporary => ("temporary", "Nothing can be built or probed."),
    };
    let path = folder.path.as_str();
    if let Some(problem) = &folder.problem {
        let state = match folder.purpose {
            Purpose::Cache => State::Limited,
            _ => State::Bad,
        };
        let next = match folder.purpose {
            Purpose::Results => "name another folder by `--out`, or make this one writable",
            Purpose::Cache => "name another folder by `--cache-dir`",
            Purpose::Temporary => "name another folder by the environment variable TMPDIR",
        };
        return Finding::new(topic, state, format!("{path}: {problem}"))
            .means(what)
            .next(next);
    }
    let free = folder.free_bytes.map_or_else(
        || "room unknown".to_owned(),
        |bytes| format!("{} free", numbers::reading(bytes as f64, "bytes")),
    );
    let written = folder.write_ms.map_or_else(String::new, |ms| {
        format!(
            ", a write is on the disk after {}",
            numbers::reading(ms * 1e6, "ns")
        )
    });
    let mode = folder
        .mode
        .as_ref()
        .map_or_else(String::new, |mode| format!(", mode {mode}"));
    let found = format!("{path}: {free}{written}{mode}");
    if folder
        .free_bytes
        .is_some_and(|bytes| bytes < FREE_BYTES_LOW)
    {
        return Finding::new(topic, State::Limited, found)
            .means("A run needs some hundred megabytes at most; there is not much more than that.")
            .next("make room on this disk");
    }
    let slow = folder.write_ms.is_some_and(|ms| ms > WRITE_MS_SLOW);
    if slow && folder.purpose == Purpose::Results {
        return Finding::new(topic, State::Limited, found)
            .means("Every result is written before the next begins, which takes long here.")
            .next("keep results on a faster disk, by `--out`");
    }
    Finding::new(topic, State::Good, found).means(match folder.purpose {
        Purpose::Results => "What a run finds out is kept here, at once.",
        Purpose::Cache => "Builds are remembered here; nobody else can write to it.",
        Purpose::Temporary => "Builds work in a folder of their own in here.",
    })
}
