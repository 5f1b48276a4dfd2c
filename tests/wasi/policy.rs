//! Grants that cannot be, and the host's policy: each refusal points at the line.

use super::components::{looks_around, plain, reads};
use super::experiments::experiment;
use crate::support::{CommandOutput, bakeoff, variant};
use bakeoff_config::Policy;
use std::fs;
use std::path::Path;

/// Runs the experiment of a folder under the policy of this text; `None`: without a file.
fn run(folder: &Path, policy: Option<&str>, more: &[&str]) -> CommandOutput {
    let out = tempfile::tempdir().unwrap();
    let mut arguments = vec!["run", folder.to_str().unwrap(), "--format", "json", "--out"];
    arguments.push(out.path().to_str().unwrap());
    arguments.extend(more);
    let mut command = bakeoff(&arguments);
    let file = folder.join("policy.toml");
    if let Some(text) = policy {
        fs::write(&file, text).unwrap();
        command.env("BAKEOFF_POLICY", &file);
    }
    command.output().unwrap().into()
}

/// What a refused command said, with its line breaks taken out.
fn refused(said: &CommandOutput) -> String {
    assert_eq!(said.status, 2, "{}{}", said.stdout, said.stderr);
    let words = said.stderr.split_whitespace();
    words
        .filter(|word| *word != "│")
        .collect::<Vec<_>>()
        .join(" ")
}

/// An experiment whose only component reads `b` in a folder that it is granted.
fn reader(grant: &str) -> tempfile::TempDir {
    let folder = experiment(
        7,
        &[("reads", reads("b", 0, 1))],
        "[measure]\nbudget = \"1 s\"\n",
    );
    let file = folder.path().join("bakeoff.toml");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, format!("{text}grant = {grant}\n")).unwrap();
    fs::create_dir(folder.path().join("fixtures")).unwrap();
    fs::write(folder.path().join("fixtures/b"), [1, 2, 4]).unwrap();
    folder
}

fn files(folder: &str) -> String {
    format!("{{ files = {{ \"/data\" = \"{folder}\" }} }}")
}

#[test]
fn a_grant_that_cannot_be_is_refused_at_its_line() {
    for (grant, says) in [
        (files("none"), "does not exist"),
        (files("../outside"), "leaves the experiment's folder"),
        (files("fixtures/b"), "is a file, and folders are granted"),
        (files("/etc"), "is not the experiment's own"),
        (
            "{ files = { data = \"fixtures\" } }".into(),
            "not where a component can see",
        ),
        (
            "{ files = { \"/a/../b\" = \"fixtures\" } }".into(),
            "not where a component can see",
        ),
        ("{ files = {} }".into(), "grants 0 folders"),
        ("{ files = { \"/data\" = 3 } }".into(), "is a whole number"),
        ("{ network = true }".into(), "does not know the key"),
    ] {
        let folder = reader(&grant);
        let said = refused(&run(folder.path(), None, &[]));
        assert!(said.contains(says), "{grant}: {said}");
        assert!(said.contains("bakeoff.toml:"), "{grant}: {said}");
    }
    let folder = reader(&files("fixtures"));
    let file = folder.path().join("bakeoff.toml");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(folder.path().join("a.rs"), "").unwrap();
    fs::write(
        &file,
        text.replace("component = \"reads.wasm\"", "source = \"a.rs\""),
    )
    .unwrap();
    assert!(
        refused(&run(folder.path(), None, &[])).contains("does not fit an approach from source")
    );
}

#[test]
fn what_is_in_a_granted_folder_is_refused_by_its_name() {
    let folder = reader(&files("fixtures"));
    std::os::unix::fs::symlink("/etc/passwd", folder.path().join("fixtures/link")).unwrap();
    let said = refused(&run(folder.path(), None, &[]));
    assert!(said.contains("fixtures/link is a symbolic link"), "{said}");
    assert!(said.contains("bakeoff.toml:"), "{said}");
}

#[test]
fn the_policy_decides_which_folders_can_be_granted() {
    let elsewhere = tempfile::tempdir().unwrap();
    fs::write(elsewhere.path().join("b"), [1, 2, 4]).unwrap();
    let elsewhere = elsewhere.path().canonicalize().unwrap();
    let policy = format!("[grant]\nfolders = [\"{}\"]\n", elsewhere.display());
    // An absolute path, where the policy lets it be.
    let folder = reader(&files(elsewhere.to_str().unwrap()));
    let report = run(folder.path(), Some(&policy), &[]).json();
    assert!(variant(&report, "reads")["failure"].is_null(), "{report:#}");
    assert_eq!(
        report["environment"]["policy"],
        "files from 1 folder can be granted"
    );
    // And then no other.
    let folder = reader(&files("fixtures"));
    let said = refused(&run(folder.path(), Some(&policy), &[]));
    assert!(
        said.contains("does not let `fixtures` be granted"),
        "{said}"
    );
    assert!(said.contains("policy.toml:2"), "{said}");
    assert!(said.contains("bakeoff.toml:"), "{said}");
}

#[test]
fn limits_are_narrowed_and_what_is_beyond_them_is_refused() {
    let policy = "[limits]\nmemory = \"64 MiB\"\nwall = \"2 s\"\n";
    let plain = [("plain", plain())];
    let small = "[limits]\nwall = \"1 s\"\n[measure]\nbudget = \"1 s\"\n";
    let folder = experiment(7, &plain, small);
    let report = run(folder.path(), Some(policy), &[]).json();
    assert!(variant(&report, "plain")["failure"].is_null());
    assert_eq!(
        report["environment"]["policy"],
        "memory at most 64 MiB; wall at most 2 s"
    );
    let folder = experiment(7, &plain, "[limits]\nmemory = \"65 MiB\"\n");
    let said = refused(&run(folder.path(), Some(policy), &[]));
    assert!(
        said.contains("`memory` is 65 MiB, and the host's policy allows 64 MiB at most"),
        "{said}"
    );
    assert!(said.contains("policy.toml:2"), "{said}");
    assert!(said.contains("bakeoff.toml:"), "{said}");
}

#[test]
fn what_a_file_leaves_to_the_defaults_becomes_no_more_than_the_policy_allows() {
    let policy = "[limits]\nfuel = 5_000\nmemory = \"1 GiB\"\noutput = \"1 KiB\"\n";
    let policy = Policy::parse(policy, "policy.toml").unwrap();
    let folder = experiment(7, &[("plain", plain())], "");
    let mut loaded = bakeoff_config::load(folder.path()).unwrap();
    policy.apply_to(&mut loaded).unwrap();
    let limits = loaded.experiment.limits;
    assert_eq!((limits.fuel, limits.output_bytes), (5_000, 1 << 10));
    assert_eq!(limits.memory_bytes, 256 << 20);
}

#[test]
fn a_policy_can_forbid_crates() {
    let lock = "[[package]]\nname = \"bakeoff-crates\"\nversion = \"0.0.0\"\ndependencies = [\"a\"]\n\
                [[package]]\nname = \"a\"\nversion = \"1.0.0\"\nchecksum = \"SUM\"\n";
    let folder = experiment(7, &[("plain", plain())], "[build]\ncrates = [\"a@1\"]\n");
    let lock = lock.replace("SUM", &"0f".repeat(32));
    fs::write(folder.path().join("bakeoff.lock"), lock).unwrap();
    let said = refused(&run(folder.path(), Some("[build]\ncrates = false\n"), &[]));
    assert!(
        said.contains("allows crates, and the host's policy does not"),
        "{said}"
    );
    assert!(said.contains("policy.toml:2"), "{said}");
    // Without that line it is the crates that are looked for.
    let said = refused(&run(folder.path(), Some("[build]\ncrates = true\n"), &[]));
    assert!(said.contains("bakeoff vendor"), "{said}");
}

#[test]
fn a_policy_can_forbid_wasi_and_running_unconfined() {
    let both = [("plain", plain()), ("looks", looks_around())];
    let folder = experiment(7, &both, "[measure]\nbudget = \"1 s\"\n");
    let report = run(folder.path(), Some("[components]\nwasi = false\n"), &[]).json();
    assert!(variant(&report, "plain")["failure"].is_null());
    let failure = &variant(&report, "looks")["failure"];
    assert_eq!(failure["class"], "forbidden-import");
    assert!(
        failure["message"]
            .as_str()
            .unwrap()
            .contains("the host's policy"),
        "{failure}"
    );

    let policy = "[confinement]\nallow_unconfined = false\n";
    let said = refused(&run(folder.path(), Some(policy), &["--allow-unconfined"]));
    assert!(said.contains("policy.toml:2"), "{said}");
}

#[test]
fn a_policy_that_cannot_be_read_is_an_error_and_not_the_defaults() {
    let folder = experiment(7, &[("plain", plain())], "");
    for (policy, says) in [
        (
            "[limits]\nmemori = \"1 GiB\"\n",
            "does not know the key `memori`",
        ),
        ("[grant]\nfolders = [\"relative\"]\n", "no absolute path"),
        ("[components]\nwasi = \"no\"\n", "not `true` or `false`"),
        ("[", "this is not TOML"),
    ] {
        let said = refused(&run(folder.path(), Some(policy), &[]));
        assert!(said.contains(says), "{policy}: {said}");
    }
    let mut command = bakeoff(&["run", folder.path().to_str().unwrap()]);
    let said: CommandOutput = command
        .env("BAKEOFF_POLICY", "/nonexistent")
        .output()
        .unwrap()
        .into();
    assert!(refused(&said).contains("/nonexistent"), "{}", said.stderr);
}

#[test]
fn the_policy_in_the_users_folder_holds_without_being_named() {
    let folder = experiment(7, &[("plain", plain())], "[limits]\nwall = \"9 s\"\n");
    let home = tempfile::tempdir().unwrap();
    let run = || -> CommandOutput {
        let mut command = bakeoff(&["run", folder.path().to_str().unwrap()]);
        command.env_remove("BAKEOFF_POLICY");
        command.env("XDG_CONFIG_HOME", home.path());
        command.output().unwrap().into()
    };
    fs::create_dir(home.path().join("bakeoff")).unwrap();
    let file = home.path().join("bakeoff/policy.toml");
    fs::write(&file, "[limits]\nwall = \"8 s\"\n").unwrap();
    assert!(refused(&run()).contains("allows 8 s at most"));
    // A link that leads nowhere is not the same as no file.
    fs::remove_file(&file).unwrap();
    std::os::unix::fs::symlink("/nonexistent", &file).unwrap();
    assert!(refused(&run()).contains("there is no policy"));
}

#[test]
fn check_says_what_stands_behind_each_import() {
    let all = [
        ("looks", looks_around()),
        ("net", super::components::imports("wasi:sockets/tcp@0.2.0")),
    ];
    let folder = experiment(7, &all, "");
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (looks, net, wit) = (at("looks.wasm"), at("net.wasm"), at("api.wit"));
    let check = |file: &str| {
        crate::support::run_bakeoff(&["check", file, "--wit", &wit, "--call", "solve"])
    };
    let said = check(&looks);
    assert_eq!(said.status, 0, "{}", said.stderr);
    assert!(
        said.stdout
            .contains("wasi:cli/environment@0.2.3: no variable, no argument"),
        "{}",
        said.stdout
    );
    let said = check(&net);
    assert_eq!(said.status, 1);
    assert!(
        said.stdout.contains("would be refused: forbidden-import"),
        "{}",
        said.stdout
    );
}
