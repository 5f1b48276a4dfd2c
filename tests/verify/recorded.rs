//! Folders of results that somebody sent: a record is read within the folder that the user names, and
//! within what the host's policy allows.

use super::Finished;
use crate::support::{Said, bakeoff, say};
use std::fs;
use std::path::Path;

/// A word of a file that no command may show.
const SECRET: &str = "hunter2";

/// Puts another value into what the run was asked.
fn record(finished: &Finished, at: &str, value: &serde_json::Value) {
    let database = finished.path(".bakeoff/planted-cases/bakeoff.db");
    let db = rusqlite::Connection::open(database).unwrap();
    let sql = "UPDATE run SET settings = json_set(settings, ?1, json(?2))";
    assert_eq!(db.execute(sql, [at, &value.to_string()]).unwrap(), 1);
}

fn assert_refused(said: &Said, why: &str) {
    assert_eq!(said.status, 2, "{why}: {}{}", said.stdout, said.stderr);
    assert!(said.explains(why), "no `{why}` in {}", said.stderr);
    assert!(!said.explains(SECRET), "{why}: {}", said.stderr);
    assert!(!said.stdout.contains(SECRET), "{why}: {}", said.stdout);
}

fn commands(finished: &Finished, why: &str) {
    for command in [&["verify"][..], &["pack", "--out", "/nonexistent/x"][..]] {
        assert_refused(&say(&[command, &[finished.dir()][..]].concat()), why);
    }
}

#[test]
fn a_record_that_leads_out_of_its_folder_is_refused_and_nothing_is_shown() {
    let finished = Finished::of("tests/planted/cases");
    let database = finished.path(".bakeoff/planted-cases/bakeoff.db");
    let whole = fs::read(&database).unwrap();
    let outside = tempfile::tempdir().unwrap();
    let text = format!("{SECRET} = [\n{SECRET}\n");
    for name in ["secret.toml", "secret.rs", "secret.wit"] {
        fs::write(outside.path().join(name), &text).unwrap();
    }
    fs::write(finished.path("notes.txt"), &text).unwrap();
    let linked = finished.path("linked.toml");
    std::os::unix::fs::symlink(outside.path().join("secret.toml"), linked).unwrap();

    let absolute = |name: &str| outside.path().join(name).display().to_string();
    let beside = |name: &str| {
        let folder = Path::new("..").join(outside.path().file_name().unwrap());
        folder.join(name).display().to_string()
    };
    let (inputs, wit, code) = (
        "$.workload.inputs",
        "$.interface.wit",
        "$.approaches[0].code",
    );
    let cases = |path: &str| serde_json::json!({ "Cases": path });
    let source = |path: &str| serde_json::json!({ "Source": path });
    let grants = serde_json::json!([{"at": "/data", "folder": beside("")}]);
    let (elsewhere, leaves) = ("is absolute and leads elsewhere", "leaves the experiment's");
    for (at, value, why) in [
        (inputs, cases("/etc/passwd"), elsewhere),
        (inputs, cases(&absolute("secret.toml")), elsewhere),
        (inputs, cases(&beside("secret.toml")), leaves),
        (inputs, cases("linked.toml"), "is a link that leaves"),
        (inputs, cases("notes.txt"), "cannot be understood"),
        (wit, absolute("secret.wit").into(), elsewhere),
        (wit, beside("secret.wit").into(), leaves),
        (code, source(&absolute("secret.rs")), elsewhere),
        (code, source(&beside("secret.rs")), leaves),
        ("$.approaches[0].grants", grants, leaves),
    ] {
        record(&finished, at, &value);
        commands(&finished, why);
        fs::write(&database, &whole).unwrap();
    }
    let honest = say(&["verify", finished.dir(), "--quiet"]);
    assert_eq!(honest.status, 0, "{}{}", honest.stdout, honest.stderr);
}

#[test]
fn a_run_beyond_the_hosts_policy_is_neither_verified_nor_packed() {
    let finished = Finished::of("tests/planted/cases");
    let bundle = finished.pack();
    let policy = finished.path("policy.toml");
    fs::write(&policy, "[limits]\nmemory = \"64 MiB\"\n").unwrap();
    let under = |arguments: &[&str]| -> Said {
        let mut command = bakeoff(arguments);
        command.env("BAKEOFF_POLICY", &policy);
        command.output().unwrap().into()
    };
    let out = finished.path("other.bundle");
    for arguments in [
        &["verify", finished.dir()][..],
        &["verify", bundle.to_str().unwrap()],
        &["pack", finished.dir(), "--out", out.to_str().unwrap()],
    ] {
        let said = under(arguments);
        assert_refused(
            &said,
            "`memory` is 256 MiB, and the host's policy allows 64 MiB",
        );
        assert!(said.explains("policy.toml:2"), "{}", said.stderr);
    }
    assert!(!out.exists());
    fs::write(&policy, "[limits]\nmemory = \"256 MiB\"\n").unwrap();
    let allowed = under(&["verify", finished.dir(), "--quiet"]);
    assert_eq!(allowed.status, 0, "{}{}", allowed.stdout, allowed.stderr);
}

/// `bakeoff compare` takes files from anywhere. Who made the run says again where they are.
#[test]
fn a_run_on_files_from_elsewhere_is_verified_once_their_folder_is_named() {
    let home = tempfile::tempdir().unwrap();
    let planted = crate::support::root().join("tests/planted/cases");
    super::copy(&planted, &home.path().join("elsewhere"));
    let here = home.path().join("here");
    fs::create_dir(&here).unwrap();
    let in_here = |arguments: &[&str]| -> Said {
        let mut command = bakeoff(arguments);
        command.current_dir(&here).output().unwrap().into()
    };
    let compared = {
        let _turn = crate::support::ONE_AT_A_TIME
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
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
    let verify = ["verify", ".", "--results", "kept", "--quiet"];
    let refused = in_here(&verify);
    assert_eq!(refused.status, 2, "{}", refused.stdout);
    assert!(refused.explains("by --also"), "{}", refused.stderr);
    let too_narrow = in_here(&[&verify[..], &["--also", "../elsewhere/wit"]].concat());
    assert_eq!(too_narrow.status, 2, "{}", too_narrow.stdout);
    let verified = in_here(&[&verify[..], &["--also", "../elsewhere"]].concat());
    assert_eq!(verified.status, 0, "{}{}", verified.stdout, verified.stderr);
    assert!(verified.stdout.contains(" 0 differ"), "{}", verified.stdout);
    let packed = in_here(&["pack", ".", "--results", "kept", "--also", ".."]);
    assert_eq!(packed.status, 0, "{}", packed.stderr);
    let elsewhere = in_here(&["verify", "compare.bundle", "--quiet"]);
    assert_eq!(elsewhere.status, 0, "{}", elsewhere.stderr);
    let both = in_here(&["verify", "compare.bundle", "--also", ".."]);
    assert_eq!(both.status, 2, "{}", both.stderr);
}
