//! Machines that are always the same.

use bakeoff_confine::{CgroupLimits, Level, Mechanisms};
use bakeoff_domain::verdict::Verdict;
use bakeoff_run::doctor::{
    ClangFacts, ClockFacts, ClocksFacts, ConfinementFacts, CoreFacts, FolderFacts, FolderPurpose,
    MachineFacts, MissingConfinement, NoiseFacts, ToolchainFacts,
};

/// Everything as it should be.
pub(super) fn good() -> MachineFacts {
    MachineFacts {
        confinement: ConfinementFacts {
            level: Some(Level::Full),
            means: Some(Mechanisms {
                landlock_abi: Some(7),
                seccomp: true,
                outer_layer: Some("bubblewrap".to_owned()),
                groups: Some(CgroupLimits::MemoryAndProcesses),
            }),
            missing: None,
            bubblewrap_installed: true,
            root: false,
        },
        toolchain: ToolchainFacts {
            rustc: Some("/home/ann/.rustup/toolchains/stable/bin/rustc".to_owned()),
            chosen: Some("the one that bakeoff was built with".to_owned()),
            version: Some("rustc 1.95.0 (59807616e 2026-04-14)".to_owned()),
            target: Some("wasm32-unknown-unknown".to_owned()),
            build_cpu_s: Some(0.31),
            problem: None,
        },
        clang: ClangFacts {
            clang: Some("/usr/bin/clang".to_owned()),
            version: Some("clang version 19.1.7".to_owned()),
            has_cpp: true,
            zig: Some("0.17.1".to_owned()),
            problem: None,
        },
        clocks: ClocksFacts {
            thread_cpu: ClockFacts {
                step_ns: 450.0,
                cost_ns: 500.0,
            },
            monotonic: ClockFacts {
                step_ns: 20.0,
                cost_ns: 25.0,
            },
            call_ns_min: 10_000.0,
        },
        noise: NoiseFacts {
            seconds: 1.9,
            replicas: 24,
            ratio: Some(1.001),
            low: Some(0.994),
            high: Some(1.008),
            verdict: Some(Verdict::Tie),
            visible: Some(0.007),
            practical: 0.01,
            pooled: Some(true),
            problem: None,
        },
        cores: CoreFacts {
            cpu: "Example 9000".to_owned(),
            usable: vec![0, 1, 2, 3],
            pinnable: vec![0, 1, 2, 3],
            siblings: Some(Vec::new()),
            disturbing: Some(Vec::new()),
            pairs_tried: 28,
            governor: Some("performance".to_owned()),
            drift: 0.012,
            contention: 0.03,
            stolen: Some(0.0),
            load: Some(0.4),
        },
        folders: vec![
            folder(FolderPurpose::Results, "./.bakeoff"),
            FolderFacts {
                mode: Some("0700".to_owned()),
                ..folder(FolderPurpose::Cache, "/home/ann/.cache/bakeoff")
            },
            folder(FolderPurpose::Temporary, "/tmp"),
        ],
    }
}

/// Works, and could be better in all ways.
pub(super) fn limited() -> MachineFacts {
    let good = good();
    MachineFacts {
        confinement: ConfinementFacts {
            level: Some(Level::Standard),
            means: Some(Mechanisms {
                landlock_abi: Some(4),
                seccomp: true,
                outer_layer: None,
                groups: None,
            }),
            missing: None,
            bubblewrap_installed: true,
            root: true,
        },
        clang: ClangFacts {
            has_cpp: false,
            zig: None,
            ..good.clang
        },
        toolchain: ToolchainFacts {
            problem: Some("build-crashed: the compiler died on this file".to_owned()),
            ..good.toolchain
        },
        clocks: ClocksFacts {
            call_ns_min: 2e6,
            ..good.clocks
        },
        noise: NoiseFacts {
            low: Some(0.95),
            high: Some(1.05),
            verdict: Some(Verdict::NoCall),
            visible: Some(0.05),
            ..good.noise
        },
        cores: CoreFacts {
            siblings: Some(vec![vec![0, 2], vec![1, 3]]),
            disturbing: Some(vec![[0, 2], [1, 3]]),
            pairs_tried: 6,
            governor: Some("powersave".to_owned()),
            drift: 0.31,
            contention: 0.62,
            stolen: Some(0.12),
            load: Some(6.5),
            ..good.cores
        },
        folders: vec![
            FolderFacts {
                problem: Some("Read-only file system (os error 30)".to_owned()),
                free_bytes: None,
                write_ms: None,
                ..folder(FolderPurpose::Results, "./.bakeoff")
            },
            FolderFacts {
                free_bytes: Some(100 << 20),
                ..folder(FolderPurpose::Cache, "/home/ann/\u{1b}[31mcache")
            },
            FolderFacts {
                write_ms: Some(900.0),
                ..folder(FolderPurpose::Temporary, "/tmp")
            },
        ],
    }
}

/// No confinement: nothing was started.
pub(super) fn nothing() -> MachineFacts {
    let good = good();
    MachineFacts {
        confinement: ConfinementFacts {
            level: None,
            means: None,
            missing: Some(MissingConfinement {
                reason: "this kernel has no Landlock".to_owned(),
                next: "use Linux 5.19 or later".to_owned(),
            }),
            bubblewrap_installed: false,
            root: false,
        },
        clang: ClangFacts {
            problem: Some(
                "sources in C and C++ cannot be built here: there is no `clang`".to_owned(),
            ),
            ..ClangFacts::default()
        },
        toolchain: ToolchainFacts {
            build_cpu_s: None,
            ..good.toolchain
        },
        noise: NoiseFacts {
            practical: 0.01,
            problem: Some("nothing is started where nothing confines it".to_owned()),
            ..NoiseFacts::default()
        },
        cores: CoreFacts {
            siblings: None,
            disturbing: None,
            pairs_tried: 0,
            governor: None,
            stolen: None,
            load: None,
            ..good.cores
        },
        ..good
    }
}

fn folder(purpose: FolderPurpose, path: &str) -> FolderFacts {
    FolderFacts {
        purpose,
        path: path.to_owned(),
        free_bytes: Some(40 << 30),
        write_ms: Some(3.2),
        mode: None,
        problem: None,
    }
}
