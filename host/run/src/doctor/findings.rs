//! The findings that follow from the facts: the meaning of each, with advice.

use super::facts::{
    ClangFacts, ClocksFacts, ConfinementFacts, CoreFacts, FolderFacts, FolderPurpose, MachineFacts,
    NoiseFacts, ToolchainFacts,
};
use super::finding::MachineFinding;
use super::is_safe;
use super::neighbours::joined;
use bakeoff_confine::{CgroupLimits, Level, Mechanisms};
use bakeoff_domain::report::words::numbers;
use bakeoff_domain::verdict::Verdict;

/// Free space on a disk, in bytes, below which a build or a run may fail.
const FREE_BYTES_LOW: u64 = 1 << 30;

/// Time of a write to the disk, in milliseconds, above which a run, which makes dozens of them, is noticeably slower.
const WRITE_MS_SLOW: f64 = 250.0;

/// Drift above which runs take noticeably longer.
const DRIFT_NOTICEABLE: f64 = 0.05;

/// Share of stolen time above which other virtual machines use the host.
const STOLEN_NOTICEABLE: f64 = 0.02;

/// Contention above which something else uses the same physical cores.
const CONTENTION_NOTICEABLE: f64 = 0.15;

/// Returns all findings, in the order in which a run depends on them.
pub fn findings(facts: &MachineFacts) -> Vec<MachineFinding> {
    let confined = &facts.confinement;
    let means = confined.means.as_ref();
    let mut all = vec![confinement(confined)];
    all.extend(means.map(|means| bubblewrap(confined, means)));
    all.extend(means.map(cgroup));
    all.extend([
        toolchain(&facts.toolchain),
        clang(&facts.clang),
        clocks(&facts.clocks),
        noise(&facts.noise),
        cores(&facts.cores),
        frequency(&facts.cores),
        load(&facts.cores),
    ]);
    all.extend(facts.folders.iter().map(folder));
    all
}

fn confinement(facts: &ConfinementFacts) -> MachineFinding {
    let topic = "confinement";
    let reason = facts.missing.as_ref().map(|missing| missing.reason.clone());
    let reason = reason.unwrap_or_default();
    let with_next = |finding: MachineFinding| match &facts.missing {
        Some(missing) => finding.next(missing.next.clone()),
        None => finding,
    };
    let Some(level) = facts.level else {
        let finding = MachineFinding::bad(topic, format!("none: {reason}")).means(
            "Nothing on this machine keeps a prototype from its files, network and other processes, \
             so bakeoff builds and runs nothing.",
        );
        return with_next(finding);
    };
    if !is_safe(level) {
        let finding = MachineFinding::limited(topic, format!("{}: {reason}", level.name())).means(
            "--allow-unconfined is set: prototypes are built and run all the same, and can do harm. \
             Every result is stamped `unconfined`.",
        );
        return with_next(finding);
    }
    let user = if facts.root {
        "as root (child processes drop its privileges)"
    } else {
        "as an ordinary user"
    };
    let abi = facts.means.as_ref().and_then(|means| means.landlock_abi);
    let abi = abi.map_or_else(String::new, |abi| format!("Landlock ABI {abi}, "));
    let advice = match level {
        Level::Full => "",
        _ => {
            " Linux 6.12 or later would make the level `full`: its kernel also confines signals \
             and local sockets."
        }
    };
    MachineFinding::good(topic, format!("{level}: {abi}seccomp filter, {user}")).means(format!(
        "Tested: confined child processes could not read a file, open a socket or signal this \
         process.{advice}"
    ))
}

fn bubblewrap(facts: &ConfinementFacts, means: &Mechanisms) -> MachineFinding {
    let topic = "bubblewrap";
    match (&means.outer_layer, facts.bubblewrap_installed) {
        (Some(_), _) => MachineFinding::good(topic, "used for builds").means(
            "A second layer of confinement: files that a build is not given do not exist for it.",
        ),
        (None, true) => MachineFinding::limited(topic, "installed, not used")
            .means(
                "Builds do not work inside bubblewrap here, as in many containers. They are confined \
                 without it, at the level above.",
            )
            .next("optional: allow user namespaces, to add this second layer"),
        (None, false) => MachineFinding::good(topic, "not installed").means(
            "It is not needed. If installed, it adds a second layer of confinement to builds.",
        ),
    }
}

fn cgroup(means: &Mechanisms) -> MachineFinding {
    let topic = "cgroup";
    match means.groups {
        Some(CgroupLimits::MemoryAndProcesses) => {
            MachineFinding::good(topic, "limits memory and processes of builds and programs")
                .means("The kernel limits the memory and the number of processes of a build, and of a program that is an approach.")
        }
        Some(CgroupLimits::Processes) => MachineFinding::good(topic, "limits processes of builds and programs").means(
            "The kernel limits the number of processes of a build, and of a program that is an approach. Memory is \
             checked every 20 ms.",
        ),
        None => MachineFinding::good(topic, "not available")
            .means(
                "Memory and processes of a build, and of a program that is an approach, are checked every 20 ms; between \
                 two checks it can exceed its limits.",
            )
            .next(
                "optional: for limits by the kernel, start bakeoff with \
                 `systemd-run --user --scope -p Delegate=yes`",
            ),
    }
}

fn toolchain(facts: &ToolchainFacts) -> MachineFinding {
    let topic = "toolchain";
    let version = facts.version.as_deref().unwrap_or("no compiler");
    let target = facts.target.as_deref().unwrap_or("no target");
    let found = format!("{version}, {target}");
    let chosen = format!(
        "{}: {}.",
        facts.rustc.as_deref().unwrap_or_default(),
        facts.chosen.as_deref().unwrap_or_default()
    );
    match (&facts.problem, facts.build_cpu_s) {
        (Some(problem), _) => MachineFinding::bad(topic, problem.clone())
            .means("Rust prototypes cannot be built here. Components can still be run."),
        (None, Some(seconds)) => MachineFinding::good(topic, found).means(format!(
            "{chosen} Tested: a small prototype was built in {} of CPU time.",
            numbers::reading(seconds * 1e9, "ns")
        )),
        (None, None) => MachineFinding::limited(topic, found).means(format!(
            "{chosen} Not tested: nothing is built without confinement."
        )),
    }
}

fn clang(facts: &ClangFacts) -> MachineFinding {
    let topic = "C and C++";
    match (&facts.problem, facts.has_cpp) {
        (Some(problem), _) => MachineFinding::good(topic, "not there")
            .means("Prototypes in C and C++ cannot be built here from their sources.")
            .next(format!("optional: {problem}")),
        (None, has_cpp) => {
            let version = facts.version.as_deref().unwrap_or_default();
            let languages = match (has_cpp, facts.zig.is_some()) {
                (true, true) => "C, C++ and Zig",
                (true, false) => "C and C++",
                (false, true) => "C and Zig",
                (false, false) => "C",
            };
            let zig = facts.zig.iter().map(|version| format!(", Zig {version}"));
            let finding =
                MachineFinding::good(topic, format!("{version}{}", zig.collect::<String>())).means(
                    format!(
                        "{}: prototypes in {languages} are built.",
                        facts.clang.as_deref().unwrap_or_default(),
                    ),
                );
            if has_cpp {
                finding
            } else {
                finding.next("optional, for C++: `apt-get install libc++-dev-wasm32`")
            }
        }
    }
}

fn clocks(facts: &ClocksFacts) -> MachineFinding {
    let ns = |value| numbers::reading(value, "ns");
    let (cpu, wall) = (facts.thread_cpu, facts.monotonic);
    let found = format!(
        "CPU time: resolution {}, {} per reading; wall time: resolution {}, {} per reading",
        ns(cpu.step_ns),
        ns(cpu.cost_ns),
        ns(wall.step_ns),
        ns(wall.cost_ns)
    );
    let shortest = ns(facts.call_ns_min);
    let means = format!("The shortest call that can get a verdict takes {shortest}.");
    // A millisecond is a hundred times the slowest call that prototypes are usually given.
    if facts.call_ns_min > 1e6 {
        return MachineFinding::limited("clocks", found)
            .means(means)
            .next(format!(
                "give each case enough work for more than {shortest}"
            ));
    }
    MachineFinding::good("clocks", found).means(means)
}

fn noise(facts: &NoiseFacts) -> MachineFinding {
    let topic = "noise";
    if let Some(problem) = &facts.problem {
        return MachineFinding::limited(topic, "not measured").means(format!(
            "The smallest visible difference is not known: {problem}."
        ));
    }
    let ratio = facts.ratio.map_or_else(
        || "no ratio".to_owned(),
        |value| {
            numbers::times(bakeoff_domain::report::Interval {
                value,
                low: facts.low,
                high: facts.high,
            })
        },
    );
    let found = format!(
        "the same program against itself, for {}: {ratio}",
        numbers::reading(facts.seconds * 1e9, "ns")
    );
    if facts.pooled == Some(false) {
        return MachineFinding::limited(topic, found)
            .means(
                "There are no addresses for a pool of instances: each timed call pays for new \
                 memory, and programs that write more of it look slower than they are.",
            )
            .next("raise the limit on addresses (`ulimit -v`)");
    }
    let practical = numbers::percent(facts.practical);
    match (facts.verdict, facts.visible) {
        (Some(Verdict::Beats | Verdict::Beaten), _) => MachineFinding::limited(topic, found)
            .means(
                "One of two identical programs was called faster. That happens in at most 5 % of \
                 runs.",
            )
            .next("run `bakeoff doctor` again; if the result is the same, please report it"),
        (_, None) => MachineFinding::limited(topic, found)
            .means(format!(
                "The smallest visible difference is not known: {} replicas are too few.",
                facts.replicas
            ))
            .next("stop other programs, or give experiments a budget of some minutes"),
        (_, Some(visible)) if visible <= facts.practical => {
            MachineFinding::good(topic, found).means(format!(
                "Differences of {} or more are visible within this time: finer than the default \
                 practical threshold of {practical}.",
                numbers::percent(visible)
            ))
        }
        (_, Some(visible)) => MachineFinding::good(topic, found).means(format!(
            "Differences of {} or more are visible within this time. Down to the default practical \
             threshold of {practical}, a run measures longer: until it has a verdict, or its budget \
             ends.",
            numbers::percent(visible)
        )),
    }
}

fn cores(facts: &CoreFacts) -> MachineFinding {
    let topic = "cores";
    let count = match facts.usable.len() {
        1 => "1 core".to_owned(),
        count => format!("{count} cores"),
    };
    let found = format!("{}, {count}", facts.cpu);
    if facts.pinnable.len() < facts.usable.len() || facts.usable.is_empty() {
        return MachineFinding::limited(topic, found)
            .means(format!(
                "Trials can be pinned to {} of them; others may move between cores.",
                facts.pinnable.len()
            ))
            .next("start bakeoff where sched_setaffinity is allowed");
    }
    let shown = |groups: &[Vec<usize>]| {
        let shown = groups.iter().map(|group| {
            let cores: Vec<String> = group.iter().map(usize::to_string).collect();
            cores.join("+")
        });
        shown.collect::<Vec<String>>().join(", ")
    };
    let said = match facts.siblings.as_deref() {
        None => "The system does not report which share a physical core.".to_owned(),
        Some([]) => "None share a physical core, as the system says.".to_owned(),
        Some(groups) => format!(
            "{} share a physical core, as the system says.",
            shown(groups)
        ),
    };
    let pinned = "Trials can be pinned to all of them.";
    let measured = facts.disturbing.as_deref().map(joined);
    let pairs = match facts.pairs_tried {
        1 => "1 pair".to_owned(),
        pairs => format!("{pairs} pairs"),
    };
    let (groups, how) = match &measured {
        Some(groups) if groups.is_empty() => {
            return MachineFinding::good(topic, found).means(format!(
                "{pinned} {said} Measured: of {pairs}, none was seen to slow the other down."
            ));
        }
        Some(groups) => (
            groups.as_slice(),
            format!(
                "Measured, of {pairs}: {} slow each other down where both are busy.",
                shown(groups)
            ),
        ),
        None => match facts.siblings.as_deref() {
            None | Some([]) => {
                return MachineFinding::good(topic, found).means(format!("{pinned} {said}"));
            }
            Some(groups) => (groups, "Trials on both slow each other down.".to_owned()),
        },
    };
    let workers = facts.usable.len().saturating_sub(second_threads(groups));
    MachineFinding::limited(topic, found)
        .means(format!(
            "{pinned} {said} {how} Comparisons stay right: variants are timed in turn on the same core."
        ))
        .next(format!(
            "for steadier times, use fewer workers: `--workers {}`",
            workers.max(1)
        ))
}

/// Returns the number of cores that are second threads of a physical core.
fn second_threads(groups: &[Vec<usize>]) -> usize {
    groups.iter().map(|group| group.len() - 1).sum()
}

fn frequency(facts: &CoreFacts) -> MachineFinding {
    let topic = "frequency";
    let governor = facts.governor.as_deref();
    let found = format!(
        "governor {}; times of the same work vary by {}",
        governor.unwrap_or("unknown"),
        numbers::percent(facts.drift)
    );
    let means =
        "Variants are timed in random order, so this widens intervals and favours no variant.";
    if facts.drift <= DRIFT_NOTICEABLE {
        return MachineFinding::good(topic, found).means(means);
    }
    let finding = MachineFinding::limited(topic, found).means(means);
    match governor {
        Some("performance") | None => {
            finding.next("optional: for shorter runs, stop other programs")
        }
        Some(_) => finding.next(
            "optional: for shorter runs, set the governor with \
             `cpupower frequency-set -g performance`",
        ),
    }
}

fn load(facts: &CoreFacts) -> MachineFinding {
    let topic = "load";
    let load = facts.load.map_or_else(
        || "load average unknown".to_owned(),
        |load| {
            format!(
                "load average {} on {} cores",
                numbers::significant(load, 2),
                facts.usable.len()
            )
        },
    );
    let stolen = facts.stolen.map_or_else(
        || "stolen time unknown".to_owned(),
        |stolen| format!("{} stolen by the hypervisor", numbers::percent(stolen)),
    );
    let found = format!(
        "{load}; {stolen}; times of work that fills a core vary by {}",
        numbers::percent(facts.contention)
    );
    let cores = facts.usable.len() as f64;
    let is_busy = facts.load.is_some_and(|load| load > cores)
        || facts
            .stolen
            .is_some_and(|stolen| stolen > STOLEN_NOTICEABLE);
    let is_shared = facts.contention > CONTENTION_NOTICEABLE;
    let busy = "The machine is busy. Verdicts rest on CPU time and stay right, but take longer.";
    let shared = "Something else uses the same physical cores: another hardware thread, or another \
                  virtual machine. Two close variants whose order depends on it get no call.";
    let (busy_next, shared_next) = (
        "stop other programs, or give experiments a larger --budget",
        "for close verdicts, measure on a machine with dedicated cores",
    );
    match (is_busy, is_shared) {
        (false, false) => MachineFinding::good(topic, found).means("No other load is noticeable."),
        (true, false) => MachineFinding::limited(topic, found)
            .means(busy)
            .next(busy_next),
        (false, true) => MachineFinding::limited(topic, found)
            .means(shared)
            .next(shared_next),
        (true, true) => MachineFinding::limited(topic, found)
            .means(format!("{busy} {shared}"))
            .next(format!("{busy_next}; {shared_next}")),
    }
}

fn folder(facts: &FolderFacts) -> MachineFinding {
    let topic = match facts.purpose {
        FolderPurpose::Results => "results",
        FolderPurpose::Cache => "cache",
        FolderPurpose::Temporary => "temporary",
    };
    let path = facts.path.as_str();
    if let Some(problem) = &facts.problem {
        let found = format!("{path}: {problem}");
        return match facts.purpose {
            FolderPurpose::Results => MachineFinding::bad(topic, found)
                .means("Results cannot be stored here.")
                .next("choose another folder with `--out`, or make this one writable"),
            FolderPurpose::Cache => MachineFinding::limited(topic, found)
                .means("Builds are not cached, so each run builds again.")
                .next("choose another folder with `--cache-dir`"),
            FolderPurpose::Temporary => MachineFinding::bad(topic, found)
                .means("Nothing can be built or tested.")
                .next("choose another folder with the environment variable TMPDIR"),
        };
    }
    let free = facts.free_bytes.map_or_else(
        || "free space unknown".to_owned(),
        |bytes| format!("{} free", numbers::reading(bytes as f64, "bytes")),
    );
    let written = facts.write_ms.map_or_else(String::new, |ms| {
        format!(
            ", {} to write to the disk",
            numbers::reading(ms * 1e6, "ns")
        )
    });
    let mode = facts
        .mode
        .as_ref()
        .map_or_else(String::new, |mode| format!(", mode {mode}"));
    let found = format!("{path}: {free}{written}{mode}");
    if facts.free_bytes.is_some_and(|bytes| bytes < FREE_BYTES_LOW) {
        return MachineFinding::limited(topic, found)
            .means("A run needs up to some hundred MiB.")
            .next("free space on this disk");
    }
    let is_slow = facts.write_ms.is_some_and(|ms| ms > WRITE_MS_SLOW);
    if is_slow && facts.purpose == FolderPurpose::Results {
        return MachineFinding::limited(topic, found)
            .means("Each result is on the disk before the next step starts, which is slow here.")
            .next("store results on a faster disk, with `--out`");
    }
    MachineFinding::good(topic, found).means(match facts.purpose {
        FolderPurpose::Results => "Results are stored here.",
        FolderPurpose::Cache => "Builds are cached here; no other user can write to it.",
        FolderPurpose::Temporary => "Builds use a temporary folder of their own here.",
    })
}
