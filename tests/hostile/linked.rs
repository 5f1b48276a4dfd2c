//! Results that are links out of a folder, and a `report.json` that is one.

use super::place_tables::READING;
use super::planting::{CANARY, Host, Plant, Planted, Rule};
use crate::finished::{CASES, TOP_K};
use crate::support::run_bakeoff;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

#[test]
fn case_171_results_folder_is_a_link() {
    let other = TOP_K.copy();
    let secret = fs::read_to_string(other.path("approaches/heap.rs")).unwrap();
    let line = secret
        .lines()
        .find(|line| line.contains("BinaryHeap"))
        .unwrap();
    for (name, to) in [
        (".bakeoff", other.path(".bakeoff")),
        (".bakeoff/top-k", other.results("top-k")),
    ] {
        let run = TOP_K.copy();
        fs::remove_dir_all(run.path(".bakeoff")).unwrap();
        if name != ".bakeoff" {
            fs::create_dir(run.path(".bakeoff")).unwrap();
        }
        symlink(&to, run.path(name)).unwrap();
        let dir = run.dir();
        let copy = run.path("copied");
        let copy = copy.to_str().unwrap();
        let commands: [&[&str]; 9] = [
            &["report", dir],
            &["pick", dir, "--copy", copy],
            &["status", dir],
            &["runs", dir],
            &["export", dir, "--format", "jsonl", "--table", "samples"],
            &["pack", dir, "--out", copy],
            &["verify", dir],
            &["baseline", dir, "--name", "kept"],
            &["run", dir, "--budget", "100ms"],
        ];
        for arguments in commands {
            let said = run_bakeoff(arguments);
            assert!(
                [2, 5].contains(&said.status),
                "{arguments:?}: {}",
                said.stdout
            );
            assert!(said.explains("is a link"), "{arguments:?}: {}", said.stderr);
            let all = said.stdout + &said.stderr;
            assert!(
                !all.contains(line) && !all.contains("faster"),
                "{arguments:?}: {all}"
            );
        }
        assert!(!run.path("copied").exists());
    }
    // What the user names himself may be a link.
    let named = other.path("named");
    symlink(other.results("top-k"), &named).unwrap();
    let said = run_bakeoff(&["report", named.to_str().unwrap()]);
    assert_eq!(said.status, 0, "{}", said.stderr);
}

#[test]
fn case_172_report_json_link() {
    let host = Host::new();
    for content in [
        format!("{{\"schema_version\": \"{CANARY}\"}}"),
        format!("{{\"schema_version\": 1, \"{CANARY}\": 1}}"),
        format!("{{\"schema_version\": 1, \"experiment\": \"{CANARY}\"}}"),
        format!("\"{CANARY}\""),
        CANARY.to_owned(),
    ] {
        let run = CASES.copy();
        fs::write(host.at("file"), &content).unwrap();
        let report = run.path(".bakeoff/planted-cases/report.json");
        let place = ".bakeoff/planted-cases/report.json";
        Planted::new(Path::new(run.dir()), place, Plant::Link, Rule::Nothing).hold(&READING);
        fs::remove_file(run.path(".bakeoff/planted-cases/bakeoff.db")).unwrap();
        for second in [false, true] {
            fs::remove_file(&report).unwrap();
            let why = match second {
                true => {
                    fs::hard_link(host.at("file"), &report).unwrap();
                    "concluded from results"
                }
                false => {
                    symlink(host.at("file"), &report).unwrap();
                    "is a link"
                }
            };
            for named in [run.dir(), report.parent().unwrap().to_str().unwrap()] {
                for command in ["report", "pick"] {
                    let said = run_bakeoff(&[command, named]);
                    assert!([2, 5].contains(&said.status), "{}", said.stderr);
                    assert!(said.explains(why), "{}", said.stderr);
                    let all = said.stdout + &said.stderr;
                    assert!(!all.contains(CANARY), "{command}: {all}");
                }
            }
        }
    }
}
