//! Finished runs, verified where they are and as bundles elsewhere; bundles that somebody made up.

mod bundles;
mod failures;
mod forged;
mod recorded;
mod reported;

use crate::support::{Said, root, say};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

/// A finished run of a small experiment, in a copy of its folder.
struct Finished {
    folder: tempfile::TempDir,
}

/// Copies a folder with all that is in it, results left out.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap();
        match path.is_dir() {
            _ if name == ".bakeoff" => {}
            true => copy(&path, &to.join(name)),
            false => {
                fs::copy(&path, to.join(name)).unwrap();
            }
        }
    }
}

impl Finished {
    /// Runs an experiment of this repository.
    fn of(experiment: &str) -> Self {
        Self::changed(experiment, |_| ())
    }

    /// Runs an experiment of this repository after a change.
    fn changed(experiment: &str, change: impl FnOnce(&Path)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        copy(&root().join(experiment), folder.path());
        change(folder.path());
        let finished = Self { folder };
        let said = say(&["run", finished.dir(), "--quiet", "--budget", "60s"]);
        assert!([0, 1, 3].contains(&said.status), "{}", said.stderr);
        finished
    }

    fn dir(&self) -> &str {
        self.folder.path().to_str().unwrap()
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn pack(&self) -> PathBuf {
        let bundle = self.path("it.bundle");
        let said = say(&["pack", self.dir(), "--out", bundle.to_str().unwrap()]);
        assert_eq!(said.status, 0, "{}", said.stderr);
        bundle
    }
}

fn verify(of: &str) -> (Said, Value) {
    let said = say(&["verify", of, "--quiet", "--format", "json"]);
    assert!([0, 1].contains(&said.status), "{}", said.stderr);
    let value = said.json();
    (said, value)
}

/// Figures of a status, as `about: figure`.
fn figures(verification: &Value, status: &str) -> Vec<String> {
    let figures = verification["figures"].as_array().unwrap();
    let of = figures.iter().filter(|figure| figure["status"] == status);
    let name = |figure: &Value| {
        let text = |key: &str| figure[key].as_str().unwrap().to_owned();
        format!("{}: {}", text("about"), text("figure"))
    };
    of.map(name).collect()
}

#[test]
fn a_run_of_every_kind_of_prototype_is_reproduced_to_the_last_figure() {
    let finished = Finished::of("tests/planted");
    let (said, verification) = verify(finished.dir());
    assert_eq!(figures(&verification, "differs"), Vec::<String>::new());
    assert_eq!(said.status, 0);
    let reproduced = figures(&verification, "reproduced");
    for figure in [
        "inputs: workload",
        "good: component",
        "good: fuel, case 16000",
        "good: reading time",
        "panics: check",
        "does-not-compile: component",
        "endless-loop: check",
        "report: winner",
    ] {
        assert!(
            reproduced.iter().any(|found| found == figure),
            "no {figure} in {reproduced:#?}"
        );
    }
    assert!(
        reproduced
            .iter()
            .any(|found| found.starts_with("verdicts: "))
    );
    let skipped = figures(&verification, "not-repeated");
    assert_eq!(skipped, ["race: samples"], "times are another moment's");
}

#[test]
fn what_was_tampered_with_differs_by_name() {
    let finished = Finished::of("examples/top-k");
    let database = finished.path(".bakeoff/top-k/bakeoff.db");
    let whole = fs::read(&database).unwrap();
    let (said, _) = verify(finished.dir());
    assert_eq!(said.status, 0);
    for (sql, expected) in [
        (
            "UPDATE result SET value = json_set(value, '$.cases[0].fuel', 12345) \
             WHERE kind = 'gate' AND id = (SELECT result FROM reliance WHERE kind = 'gate' \
             AND variant = 'heap')",
            "heap: fuel, case 16000",
        ),
        (
            "UPDATE run SET report = json_set(report, '$.verdicts[0].ratio', 0.001)",
            "verdicts: ",
        ),
        (
            "UPDATE sample SET cpu_ns = cpu_ns * 3 WHERE entrant = 0",
            "reading time",
        ),
        (
            "UPDATE run SET report = json_set(report, '$.recommendation.winner', 'sort')",
            "report: winner",
        ),
    ] {
        let db = rusqlite::Connection::open(&database).unwrap();
        assert!(db.execute(sql, []).unwrap() > 0, "{sql}");
        drop(db);
        let (said, verification) = verify(finished.dir());
        let differ = figures(&verification, "differs");
        assert_eq!(said.status, 1, "{sql}");
        assert!(
            differ.iter().any(|figure| figure.contains(expected)),
            "no {expected} in {differ:#?}"
        );
        let text = say(&["verify", finished.dir(), "--quiet"]);
        assert_eq!(text.status, 1);
        assert!(text.stdout.contains("DIFFERS"), "{}", text.stdout);
        fs::write(&database, &whole).unwrap();
    }
}

#[test]
fn changed_sources_differ_and_what_ran_is_still_checked() {
    let finished = Finished::of("examples/top-k");
    let source = finished.path("approaches/heap.rs");
    let text = fs::read_to_string(&source).unwrap();
    let line = "    let k = k as usize;\n";
    assert!(text.contains(line));
    let more = format!("{line}    let _unused = std::hint::black_box(k + 7);\n");
    fs::write(&source, text.replacen(line, &more, 1)).unwrap();
    let (said, verification) = verify(finished.dir());
    assert_eq!(said.status, 1);
    assert_eq!(figures(&verification, "differs"), ["heap: component"]);
    let reproduced = figures(&verification, "reproduced");
    assert!(reproduced.contains(&"heap: fuel, case 16000".to_owned()));

    let packed = say(&["pack", finished.dir(), "--out", "/nonexistent/x"]);
    assert_eq!(packed.status, 2);
    assert!(packed.explains("the code of heap"), "{}", packed.stderr);
}

#[test]
fn what_is_not_finished_or_not_there_is_refused_with_a_way_out() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().to_str().unwrap();
    for command in ["verify", "pack"] {
        let nothing = say(&[command, dir]);
        assert_eq!(nothing.status, 2, "{}", nothing.stderr);
        assert!(nothing.explains("--results"), "{}", nothing.stderr);
        let format = say(&[command, dir, "--format", "html"]);
        assert_eq!(format.status, 2);
        assert!(format.explains("human or json"), "{}", format.stderr);
    }
    copy(&root().join("examples/top-k"), folder.path());
    let unrun = say(&["verify", dir]);
    assert_eq!(unrun.status, 2, "{}", unrun.stderr);
    assert!(unrun.explains("run the experiment first"));
}

/// The code is like that of no other run, so that nothing of it is in the build cache.
#[test]
fn prototypes_of_the_same_code_are_one_build() {
    let finished = Finished::changed("tests/planted/cases", |folder| {
        let file = folder.join("approaches/sort.rs");
        let code = fs::read_to_string(&file).unwrap();
        let code = format!("{code}\n// {}\n", folder.display());
        fs::write(file, &code).unwrap();
        fs::write(folder.join("approaches/again.rs"), code).unwrap();
        let file = folder.join("bakeoff.toml");
        let experiment = fs::read_to_string(&file).unwrap();
        let twin = "[[approach]]\nname = \"again\"\nsource = \"approaches/again.rs\"\n";
        fs::write(file, format!("{experiment}\n{twin}")).unwrap();
    });
    let (said, verification) = verify(finished.dir());
    assert_eq!(figures(&verification, "differs"), Vec::<String>::new());
    assert_eq!(said.status, 0);
    let reproduced = figures(&verification, "reproduced");
    for figure in ["sort: reading build-time", "again: reading build-time"] {
        assert!(
            reproduced.iter().any(|found| found == figure),
            "no {figure} in {reproduced:#?}"
        );
    }
}
