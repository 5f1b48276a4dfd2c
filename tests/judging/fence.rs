//! `bakeoff time --fence`: what commands behind it can do, and what they cannot.

use super::{Files, processes};
use crate::support::{CommandOutput, bakeoff, measuring_slot};
use std::fs;
use std::path::Path;

/// Runs a comparison of commands in a folder, with a home elsewhere.
fn time_in(folder: &Path, home: &Path, arguments: &[&str]) -> CommandOutput {
    let _slot = measuring_slot();
    let arguments = [&["time"], arguments].concat();
    let mut command = bakeoff(&arguments);
    command
        .current_dir(folder)
        .env("HOME", home)
        .env("SECRET", "key");
    command.output().unwrap().into()
}

/// Returns false, and says so, where this machine has no fence.
fn has_fence() -> bool {
    let said = time_in(
        Path::new("/usr"),
        Path::new("/nothing"),
        &["true", "true", "--fence", "-r", "1", "-q"],
    );
    let has = said.status != 5;
    if !has {
        eprintln!("skipped: {}", said.stderr);
    }
    has
}

/// The same two commands once with and once without `--fence`.
fn both(folder: &Path, home: &Path, script: &str) -> [CommandOutput; 2] {
    let command = format!("sh {script}");
    let plain = ["true", &command, "-n", "true", "-n", "tries", "-r", "3"];
    let json = ["--format", "json"];
    [
        time_in(folder, home, &[&plain[..], &json, &["--fence"]].concat()),
        time_in(folder, home, &[&plain[..], &json].concat()),
    ]
}

/// Why the command that tries something failed; empty if it did not.
fn failure(said: &CommandOutput) -> String {
    let report = said.json();
    let failure = report["variants"][1]["failure"].as_str();
    failure.unwrap_or_default().to_owned()
}

#[test]
fn case_250_a_fenced_command_reads_and_writes_nothing_outside() {
    if !has_fence() {
        return;
    }
    let (project, home, other) = (Files::new(), Files::new(), Files::new());
    fs::create_dir(home.path(".ssh")).unwrap();
    home.write(".ssh/id", "secret-key");
    other.write("key", "secret-key");
    project.write("data", "readable");
    let (home_folder, other_folder) = (home.path(""), other.path(""));
    let (of_home, of_other) = (home_folder.display(), other_folder.display());
    // Each line is a way out; whichever works ends the command with its number.
    let tries = format!(
        "cat data >/dev/null || exit 20\n\
         cat {of_home}/.ssh/id && exit 21\n\
         cat {of_other}/key && exit 22\n\
         ls {of_home}/.ssh && exit 23\n\
         ln {of_other}/key $TMPDIR/key && cat $TMPDIR/key && exit 24\n\
         ln -s {of_other}/key $TMPDIR/link && cat $TMPDIR/link && exit 25\n\
         cat /proc/$PPID/environ && exit 26\n\
         echo x >{of_home}/written && exit 27\n\
         echo x >{of_other}/written && exit 28\n\
         echo x >written && exit 29\n\
         mv {of_other}/key {of_other}/moved && exit 30\n\
         rm -f {of_other}/key && exit 31\n\
         [ -e $HOME/last ] && exit 32\n\
         echo x >$HOME/last && echo x >$TMPDIR/last || exit 33\n\
         [ -n \"$SECRET\" ] && exit 34\n\
         exit 0\n"
    );
    project.write("tries.sh", &format!("exec 2>/dev/null\n{tries}"));
    let folder = project.path("");
    let [fenced, plain] = both(&folder, &home_folder, "tries.sh");
    assert_eq!(failure(&fenced), "", "{}", fenced.stdout);
    assert!(failure(&plain).contains("status 21"), "{}", failure(&plain));
    assert!(!fenced.stdout.contains("secret-key") && !fenced.stderr.contains("secret-key"));
    for written in [
        home.path("written"),
        other.path("written"),
        other.path("moved"),
        project.path("written"),
        home.path("last"),
    ] {
        assert!(!written.exists(), "{}", written.display());
    }
    assert!(other.path("key").exists());
    let notes = fenced.json()["notes"].to_string();
    assert!(
        notes.contains("behind a fence") && !notes.contains("your rights"),
        "{notes}"
    );
    assert!(plain.json()["notes"].to_string().contains("your rights"));
}

#[test]
fn case_251_a_fenced_command_has_no_network_and_leaves_nothing_running() {
    if !has_fence() {
        return;
    }
    let (project, home) = (Files::new(), Files::new());
    let mark = "31.0817";
    let opens = |family: &str| {
        format!("perl -e 'use Socket; exit !socket(S, {family}, SOCK_STREAM, 0)' && exit 41\n")
    };
    let script = format!(
        "{}{}setsid sh -c 'setsid sleep {mark} &' &\nsleep 0.05\n",
        opens("PF_INET"),
        opens("PF_UNIX")
    );
    project.write("tries.sh", &script);
    let [fenced, plain] = both(&project.path(""), &home.path(""), "tries.sh");
    assert_eq!(failure(&fenced), "", "{}", fenced.stdout);
    assert!(failure(&plain).contains("status 41"), "{}", failure(&plain));
    assert_eq!(processes(mark), 0);
}

#[test]
fn what_is_run_around_a_fenced_command_is_behind_the_fence_with_the_folder_of_its_runs() {
    if !has_fence() {
        return;
    }
    let (project, home, other) = (Files::new(), Files::new(), Files::new());
    let run = "[ \"$(cat \"$TMPDIR/prepared\")\" = once ] || exit 51\n\
               [ \"$(cat \"$BAKEOFF_SETUP/made\")\" = once ] || exit 52\n\
               echo x 2>/dev/null >>\"$BAKEOFF_SETUP/made\" && exit 53\n\
               echo METRIC x=1\n";
    project.write("run.sh", run);
    // A home of each run alone has no second line.
    project.write("prepare.sh", "echo once >>\"$TMPDIR/prepared\"\n");
    project.write("cleanup.sh", "[ -e \"$TMPDIR/made\" ]\n");
    let around = [
        "sh run.sh",
        "sh run.sh",
        "--fence",
        "--metric",
        "x",
        "--setup",
        "echo once >>\"$TMPDIR/made\"",
        "--prepare",
        "sh prepare.sh",
        "--cleanup",
        "sh cleanup.sh",
        "-r",
        "3",
        "--format",
        "json",
    ];
    let folder = project.path("");
    let said = time_in(&folder, &home.path(""), &around);
    let report = said.json();
    assert_eq!(report["blocks"], 3, "{report:#}");
    // Commands around are no way out.
    let out = format!("sh -c 'echo x >{}'", other.text("written"));
    for option in ["--setup", "--cleanup", "--prepare"] {
        let arguments = ["true", "true", "--fence", option, &out, "-r", "3", "-q"];
        let said = time_in(&folder, &home.path(""), &arguments);
        let all = said.stdout.clone() + &said.stderr;
        assert!(all.replace('\n', " ").contains("behind"), "{option}: {all}");
        assert!(!other.path("written").exists(), "{option}");
    }
}

#[test]
fn a_fence_that_cannot_hold_is_refused_with_the_next_step() {
    let (project, home) = (Files::new(), Files::new());
    let slot = measuring_slot();
    let mut command = bakeoff(&["time", "true", "true", "--fence"]);
    command
        .current_dir(project.path(""))
        .env("BAKEOFF_LANDLOCK_AT_MOST", "0");
    let said: CommandOutput = command.output().unwrap().into();
    assert_eq!(said.status, 5, "{}", said.stdout);
    assert!(
        said.explains("this kernel has no Landlock"),
        "{}",
        said.stderr
    );
    assert!(said.explains("`bakeoff doctor`"), "{}", said.stderr);
    drop(slot);
    if !has_fence() {
        return;
    }
    for folder in [home.path(""), Path::new("/").to_owned()] {
        let said = time_in(&folder, &home.path(""), &["true", "true", "--fence"]);
        assert_eq!(said.status, 2, "{}", said.stdout);
        assert!(said.explains("holds your home"), "{}", said.stderr);
        assert!(said.explains("--read"), "{}", said.stderr);
    }
    let read = ["true", "true", "--fence", "--read", "/no/such/file"];
    let said = time_in(&project.path(""), &home.path(""), &read);
    assert_eq!(said.status, 2, "{}", said.stdout);
    assert!(said.explains("there is nothing called"), "{}", said.stderr);
    // What is named is in reach.
    home.write("named", "METRIC x=1\n");
    let cat = format!("cat {}", home.text("named"));
    let file = home.text("named");
    let read = [
        &cat, &cat, "--fence", "--metric", "x", "-r", "3", "--read", &file,
    ];
    let said = time_in(&project.path(""), &home.path(""), &read);
    assert!(
        said.stdout.contains("behind a fence"),
        "{}{}",
        said.stdout,
        said.stderr
    );
    assert!(!said.stdout.contains("Not compared"), "{}", said.stdout);
    let sees = [
        "sh -c '[ \"$SECRET\" = key ]'",
        "true",
        "--fence",
        "-r",
        "3",
    ];
    for (named, fails) in [(&[][..], true), (&["--env", "SECRET"], false)] {
        let said = time_in(
            &project.path(""),
            &home.path(""),
            &[&sees[..], named].concat(),
        );
        let failed = said.stdout.contains("Not compared");
        assert_eq!(failed, fails, "{}{}", said.stdout, said.stderr);
    }
    let unread = time_in(&project.path(""), &home.path(""), &read[..7]);
    assert!(
        unread.stdout.contains("--read names"),
        "{}{}",
        unread.stdout,
        unread.stderr
    );
}
