//! The parser of bundles, which begins with a bundle that is honest.

use super::{EVERY_TYPE, laid_out};
use bakeoff_domain::race::{RaceSettings, analyse};
use bakeoff_domain::report::{Environment, Machine, noise};
use bakeoff_run::audit::{self, KeptRun};
use bakeoff_run::conclude;
use bakeoff_source::content_address;
use bakeoff_store::bundle::{self as packing, BundleManifest};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// The experiment of the bundle that is honest.
const EXPERIMENT: &str = "name = \"b\"
problem = \"?\"
interface = { wit = \"wit\", call = \"f\" }
workload = { cases = \"cases.toml\" }
approach = [{ name = \"a\", source = \"a.rs\" }, { name = \"b\", source = \"a.rs\" }]
";

/// The files of the experiment: WIT, cases, and the code of the approach.
const CASES: &str = "[[case]]\ncall = \"f()\"\n";
const CODE: &str = "pub fn f() {}\n";

/// The variant of an approach.
fn variant(name: &str) -> Value {
    json!({
        "id": name,
        "name": name,
        "approach": name,
        "description": null,
        "parameters": {},
        "file": "a.rs",
        "iteration": { "number": 1, "parent": null, "source": content_address(CODE.as_bytes()) },
    })
}

/// What a run of it would leave in a bundle: path, and content. It timed two variants in two replicas, of which the
/// samples say that the second takes twice as long.
pub(crate) static HONEST: LazyLock<[(String, Vec<u8>); 6]> = LazyLock::new(|| {
    let experiment =
        bakeoff_config::parse(EXPERIMENT, "bakeoff.toml").expect("the experiment is valid");
    let named = |name: &str, text: &str| json!({ "name": name, "sha256": content_address(text.as_bytes()) });
    let variants = ["a", "b"].map(variant);
    let record = json!({
        "run": 1,
        "experiment_id": "e",
        "experiment": experiment,
        "environment": Environment::default(),
        "seed": 1,
        "seconds": 1.0,
        "variants": variants,
        "cases": ["f()"],
        "manifest": {
            "wit": [named("main.wit", EVERY_TYPE)],
            "workload": null,
            "cases": named("cases.toml", CASES),
            "experiment": null,
        },
        "oracle": false,
        "builds": [],
        "gates": [],
        "race": {
            "lists": { "variants": ["a", "b"], "cases": ["f()"] },
            "pilot": {
                "sampling": {
                    "calls": [3],
                    "blocks": 4,
                    "warm_up": "normal",
                    "steadiness": "steady",
                    "too_short": [],
                    "costs": { "startup": 0.01, "call": [[0.001], [0.002]] },
                },
                "clock_ns": 20.0,
                "layouts": [1, 1],
                "failed": [],
                "calls": 24,
                "seconds": 0.1,
            },
            "unpiloted": null,
            "dropouts": [],
            "seed": null,
        },
        "work": [],
    });
    let report = include_bytes!("../golden/report/report.json");
    let content = |text: &str| {
        let path = format!("contents/{}", content_address(text.as_bytes()));
        (path, text.as_bytes().to_vec())
    };
    [
        ("evidence.json".into(), record.to_string().into_bytes()),
        ("replicas.jsonl".into(), replicas().into_bytes()),
        ("report.json".into(), report.to_vec()),
        content(CASES),
        content(EVERY_TYPE),
        content(CODE),
    ]
});

/// Two replicas of four blocks, as lines.
fn replicas() -> String {
    let sample = |block: u32, variant: u32| {
        let ns = (variant + 1) * 3_000_000 + block * 1_000;
        json!({
            "variant": variant, "case": 0, "block": block, "position": (block + variant) % 2, "calls": 3,
            "cpu_ns": ns, "wall_ns": ns + 100,
        })
    };
    let samples: Vec<Value> = (0..4)
        .flat_map(|block| [0, 1].map(|variant| sample(block, variant)))
        .collect();
    let surroundings = json!({
        "core": 1, "started_s": 0.0, "seconds": 0.1, "preemptions": 0, "steal_ticks": null, "load": 0.5,
    });
    let replica = |index: u32| {
        json!({
            "index": index, "solo": false, "samples": samples, "baselines": [{ "cpu_ns": 10.0, "wall_ns": 11.0 }],
            "cold_ns": [7, null], "parts": [], "surroundings": surroundings,
        })
    };
    [0, 1].map(|index| format!("{}\n", replica(index))).concat()
}

/// Packs the honest bundle into a folder, with other content for one of its files.
pub(crate) fn packed(folder: &Path, other: Option<(usize, &[u8])>) -> PathBuf {
    let staging = folder.join("staging");
    for (index, (path, honest)) in HONEST.iter().enumerate() {
        let content = match other {
            Some((replaced, content)) if replaced == index => content,
            _ => honest,
        };
        let to = staging.join(path);
        let parent = to.parent().expect("it is in the folder");
        std::fs::create_dir_all(parent).expect("the folder can be written");
        std::fs::write(to, content).expect("the folder can be written");
    }
    let about = BundleManifest {
        version: packing::VERSION,
        experiment: "b".into(),
        run: 1,
        bakeoff: "0.1.0".into(),
        files: Vec::new(),
    };
    let paths = HONEST.iter().map(|(path, _)| path.clone()).collect();
    let out = folder.join("packed.bundle");
    packing::pack(about, &staging, paths, &out).expect("a small bundle can be packed");
    out
}

/// A bundle, as it is unpacked: the bytes as they are, and as one file of a bundle that is honest but
/// for it, since no change of a bundle has the right digest. The first byte says which file.
pub(crate) fn bundle(bytes: &[u8]) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("raw.bundle");
    std::fs::write(&file, bytes).expect("the folder can be written");
    unpack(&file, &folder.path().join("raw"));
    if let Some((&which, content)) = bytes.split_first() {
        let which = usize::from(which) % HONEST.len();
        let file = packed(folder.path(), Some((which, content)));
        unpack(&file, &folder.path().join("packed"));
    }
}

fn unpack(file: &Path, into: &Path) {
    std::fs::create_dir(into).expect("the folder can be written");
    match audit::unpack(file, into) {
        Ok(kept) => concluded(&kept),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

/// What is worked out from the evidence of somebody else: verdicts from its samples, and its report.
fn concluded(kept: &KeptRun) {
    laid_out(&kept.report);
    let evidence = &kept.evidence;
    let _ = conclude(evidence);
    let Some(first) = evidence.replicas.first() else {
        return;
    };
    let settings = RaceSettings::new(first.cold_ns.len(), first.baselines.len());
    let race = evidence.record.race.as_ref();
    let pilot = race.and_then(|race| race.pilot.as_ref()?.replica.as_ref());
    analyse(&settings, pilot, &evidence.replicas);
    let machine = |workers| Machine { cores: 2, workers };
    drop([1, 2].map(|workers| noise(&evidence.replicas, machine(workers))));
}
