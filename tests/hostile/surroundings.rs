//! What lies beside the work: a report that somebody wrote, the folder for temporary files, more bytes
//! than a bundle has, and files that may not grow.

use crate::finished::{CASES, TOP_K};
use crate::support::{CommandOutput, bakeoff, measuring_slot, run_bakeoff, variant};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::Command;

#[test]
fn case_99_a_report_that_somebody_wrote() {
    let finished = TOP_K.copy();
    let text = fs::read_to_string(finished.results("top-k").join("report.json")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let forged = text.replace("heap", "\\u001b[31mheap");
    assert!(text != forged);
    fs::write(folder.path().join("report.json"), forged).unwrap();
    let dir = folder.path().to_str().unwrap();
    let to = folder.path().join("out");
    let to = to.to_str().unwrap();
    for command in [
        &["report", dir][..],
        &["report", dir, "--format", "json"],
        &["pick", dir],
        &["pick", dir, "--copy", to],
        &["verify", dir],
        &["runs", dir],
        &["status", dir],
        &["pack", dir, "--out", to],
        &["export", dir, "--out", to, "--format", "jsonl"],
    ] {
        let said = run_bakeoff(command);
        assert_eq!(said.status, 2, "{command:?}: {}", said.stdout);
        assert_eq!(said.stdout, "", "{command:?}");
        for words in ["concluded from results", "name the folder of results"] {
            assert!(said.explains(words), "{command:?}: {}", said.stderr);
        }
    }
    let names = fs::read_dir(dir).unwrap().count();
    assert_eq!(names, 1, "something was written beside it");
}

#[test]
fn case_100_tmpdir_that_is_no_text() {
    let folder = tempfile::tempdir().unwrap();
    let odd = folder.path().join(OsStr::from_bytes(b"t\xff"));
    fs::create_dir(&odd).unwrap();
    let experiment = CASES.copy();
    for (value, why) in [
        (odd.as_os_str(), "whose name is not UTF-8"),
        (OsStr::new("here"), "which is no absolute path"),
    ] {
        for command in [["run", experiment.dir()], ["doctor", "--quiet"]] {
            let output = bakeoff(&command).env("TMPDIR", value).output().unwrap();
            let said = CommandOutput::from(output);
            assert_eq!(said.status, 2, "{command:?}: {}", said.stderr);
            assert!(said.explains(why), "{}", said.stderr);
        }
    }
    assert_eq!(fs::read_dir(&odd).unwrap().count(), 0);
}

#[test]
fn case_101_bytes_behind_a_bundle() {
    let finished = CASES.copy();
    let packed = fs::read(finished.pack()).unwrap();
    let noise: Vec<u8> = (0..5_000_u32).map(|n| ((n * n) >> 3) as u8).collect();
    let longer = finished.path("longer.bundle");
    for behind in [&[0; 512][..], &[0; 5_000], &noise, &packed] {
        fs::write(&longer, [&packed, behind].concat()).unwrap();
        let said = run_bakeoff(&["verify", longer.to_str().unwrap()]);
        assert_eq!(said.status, 2, "{}", said.stdout);
        let why = "its end is not that of its last file";
        assert!(said.explains(why), "{}", said.stderr);
    }
}

fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        // The database's own journals come and go.
        if path.is_file() && !name.starts_with("bakeoff.db-") {
            found.push((name, fs::read(&path).unwrap()));
        }
    }
    found.sort();
    found
}

#[test]
fn case_102_a_limit_on_the_size_of_files() {
    let _slot = measuring_slot();
    let finished = CASES.copy();
    let dir = finished.dir();
    let name = fs::read_dir(finished.path(".bakeoff")).unwrap();
    let results = name.map(|entry| entry.unwrap().path()).next().unwrap();
    let before = files(&results);
    let to = finished.path("small");
    let to = to.to_str().unwrap();
    for command in [
        &["run", dir, "--fresh", "--quiet", "--budget", "1s"][..],
        &["pack", dir, "--out", to],
    ] {
        let said = under("-f 8", command);
        assert_eq!(said.status, 5, "{command:?}: {}", said.stderr);
        assert!(said.explains("make room"), "{command:?}: {}", said.stderr);
        assert!(!Path::new(to).exists());
    }
    let report = |(name, _): &&(String, Vec<u8>)| name == "report.json";
    assert_eq!(
        files(&results).iter().find(report),
        before.iter().find(report)
    );
    assert!(run_bakeoff(&["report", dir]).ended_a_run());
    assert_eq!(run_bakeoff(&["verify", dir]).status, 0);
}

/// A command under `ulimit`.
fn under(limit: &str, arguments: &[&str]) -> CommandOutput {
    let command = bakeoff(arguments);
    let mut shell = Command::new("sh");
    shell.args(["-ec", &format!("ulimit {limit}; exec \"$@\""), "sh"]);
    shell.arg(command.get_program()).args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => shell.env(name, value),
            None => shell.env_remove(name),
        };
    }
    shell.output().unwrap().into()
}

#[test]
fn case_103_a_limit_on_addresses() {
    let _slot = measuring_slot();
    let finished = TOP_K.copy();
    fs::remove_dir_all(finished.path(".bakeoff")).unwrap();
    let dir = finished.dir();
    let arguments = ["run", dir, "--quiet", "--budget", "2s", "--format", "json"];
    // An instance reserves 4 GiB and some more: there is room for the first, for few, for none.
    for kibibytes in [5_200_000, 9_500_000, 14_000_000] {
        let said = under(&format!("-v {kibibytes}"), &arguments);
        if said.ended_a_run() {
            let report = said.json();
            let variants = report["variants"].as_array().unwrap();
            let failed = variants.iter().filter(|one| !one["failure"].is_null());
            assert_eq!(failed.count(), 0, "{kibibytes}: {:#}", report["variants"]);
        } else {
            assert_eq!(said.status, 5, "{kibibytes}: {}", said.stderr);
            assert!(said.explains("ulimit -v"), "{kibibytes}: {}", said.stderr);
        }
    }
    let said = CommandOutput::from(bakeoff(&arguments).output().unwrap());
    assert!(said.ended_a_run(), "{}", said.stderr);
    let report = said.json();
    for id in ["sort", "heap"] {
        assert!(variant(&report, id)["failure"].is_null(), "{report:#}");
    }
}
