//! Folders of results that somebody sent: no file outside of them is read, and nothing is run that the
//! host's policy does not allow.

use crate::finished::{CASES, FinishedRun};
use crate::support::{CommandOutput, bakeoff, run_bakeoff};
use std::fs;

/// A word of a file that no command may show.
const SECRET: &str = "hunter2";

/// Puts another value into what the run was asked.
fn record(finished: &FinishedRun, at: &str, value: &serde_json::Value) {
    let database = finished.path(".bakeoff/planted-cases/bakeoff.db");
    let db = rusqlite::Connection::open(database).unwrap();
    let sql = "UPDATE run SET settings = json_set(settings, ?1, json(?2))";
    assert_eq!(db.execute(sql, [at, &value.to_string()]).unwrap(), 1);
}

fn assert_refused(said: &CommandOutput, why: &str) {
    assert_eq!(said.status, 2, "{why}: {}{}", said.stdout, said.stderr);
    assert!(said.explains(why), "no `{why}` in {}", said.stderr);
    assert!(!said.explains(SECRET), "{why}: {}", said.stderr);
    assert!(!said.stdout.contains(SECRET), "{why}: {}", said.stdout);
}

#[test]
fn no_file_is_read_because_a_record_names_it() {
    let finished = CASES.copy();
    let database = finished.path(".bakeoff/planted-cases/bakeoff.db");
    let whole = fs::read(&database).unwrap();
    let outside = tempfile::tempdir().unwrap();
    let text = format!("{SECRET} = [\n{SECRET}\n");
    for name in ["secret.toml", "secret.rs", "secret.wit"] {
        fs::write(outside.path().join(name), &text).unwrap();
    }
    let absolute = |name: &str| outside.path().join(name).display().to_string();
    let (inputs, wit, code) = (
        "$.workload.inputs",
        "$.interface.wit",
        "$.approaches[0].code",
    );
    let cases = |path: &str| serde_json::json!({ "Cases": path });
    let source = |path: &str| serde_json::json!({ "Source": path });
    for (at, value) in [
        (inputs, cases("/etc/passwd")),
        (inputs, cases("/dev/zero")),
        (inputs, cases(&absolute("secret.toml"))),
        (wit, absolute("secret.wit").into()),
        (code, source(&absolute("secret.rs"))),
        (code, source("../../../../../etc/passwd")),
    ] {
        record(&finished, at, &value);
        let verified = run_bakeoff(&["verify", finished.dir(), "--quiet"]);
        // Of the file itself nothing differs; the report says where the code of an approach came from.
        let status = i32::from(at == code);
        assert_eq!(
            verified.status, status,
            "{at}: {}{}",
            verified.stdout, verified.stderr
        );
        assert!(!verified.stdout.contains(SECRET), "{}", verified.stdout);
        assert!(!verified.explains(SECRET), "{}", verified.stderr);
        let bundle = finished.pack();
        let bytes = fs::read(&bundle).unwrap();
        let found = bytes
            .windows(SECRET.len())
            .any(|window| window == SECRET.as_bytes());
        assert!(!found, "{at}: packed");
        fs::remove_file(bundle).unwrap();
        fs::write(&database, &whole).unwrap();
    }
    let grants = serde_json::json!([{"at": "/data", "folder": "../secret"}]);
    record(&finished, "$.approaches[0].grants", &grants);
    let verify = run_bakeoff(&["verify", finished.dir()]);
    assert_refused(&verify, "leaves the experiment's");
    let pack = run_bakeoff(&["pack", finished.dir(), "--out", "/nonexistent/x"]);
    assert_refused(&pack, "was granted files");
}

#[test]
fn a_run_beyond_the_hosts_policy_is_not_verified() {
    let finished = CASES.copy();
    let bundle = finished.pack();
    let policy = finished.path("policy.toml");
    fs::write(&policy, "[limits]\nmemory = \"64 MiB\"\n").unwrap();
    let under = |arguments: &[&str]| -> CommandOutput {
        let mut command = bakeoff(arguments);
        command.env("BAKEOFF_POLICY", &policy);
        command.output().unwrap().into()
    };
    for arguments in [
        &["verify", finished.dir()][..],
        &["verify", bundle.to_str().unwrap()],
    ] {
        let said = under(arguments);
        assert_refused(
            &said,
            "`memory` is 256 MiB, and the host's policy allows 64 MiB",
        );
        assert!(said.explains("policy.toml:2"), "{}", said.stderr);
    }
    fs::write(&policy, "[limits]\nmemory = \"256 MiB\"\n").unwrap();
    let allowed = under(&["verify", finished.dir(), "--quiet"]);
    assert_eq!(allowed.status, 0, "{}{}", allowed.stdout, allowed.stderr);
}

/// `bakeoff compare` takes files from anywhere, and keeps what it measured.
#[test]
fn a_run_on_files_from_elsewhere_is_verified_when_they_are_gone() {
    let home = tempfile::tempdir().unwrap();
    let planted = crate::support::root().join("tests/planted/cases");
    let elsewhere = home.path().join("elsewhere");
    crate::finished::copy_experiment(&planted, &elsewhere);
    let here = home.path().join("here");
    fs::create_dir(&here).unwrap();
    let in_here = |arguments: &[&str]| -> CommandOutput {
        let mut command = bakeoff(arguments);
        command.current_dir(&here).output().unwrap().into()
    };
    let compared = {
        let _slot = crate::support::measuring_slot();
        in_here(&[
            "compare",
            "../elsewhere/approaches/select.rs",
            "../elsewhere/approaches/sort.rs",
            "--wit",
            "../elsewhere/wit",
            "--call",
            "top-k",
            "--cases",
            "../elsewhere/cases.toml",
            "--budget",
            "2s",
            "--out",
            "kept",
            "--quiet",
        ])
    };
    assert!([0, 1, 3].contains(&compared.status), "{}", compared.stderr);
    fs::remove_dir_all(elsewhere).unwrap();
    let verified = in_here(&["verify", "kept", "--quiet"]);
    assert_eq!(verified.status, 0, "{}{}", verified.stdout, verified.stderr);
    assert!(verified.stdout.contains(" 0 differ"), "{}", verified.stdout);
    let packed = in_here(&["pack", "kept"]);
    assert_eq!(packed.status, 0, "{}", packed.stderr);
    let bundle = in_here(&["verify", "compare.bundle", "--quiet"]);
    assert_eq!(bundle.status, 0, "{}", bundle.stderr);
    let both = in_here(&["verify", "compare.bundle", "--results", ".."]);
    assert_eq!(both.status, 2, "{}", both.stderr);
}
