//! Agents that work at the same time: what they can reach of each other, and how all of them end.

use super::{OBEYS, agents, repository, row};
use crate::revisions::Repository;
use crate::support::{CommandOutput, bakeoff};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::Duration;

/// The time in which agents that wait for each other would be ended: none of them is, unless they work one after the other.
const WAIT: [&str; 2] = ["--time", "60s"];
/// Number of looks, a hundredth of a second apart, for what has to come.
const LOOKS_MAX: u32 = 6_000;

/// A shell's loop that ends when there is a file of this name.
fn until(file: &str) -> String {
    format!("until [ -e {file} ]; do sleep 0.02; done")
}

#[test]
fn case_244_an_agent_reaches_nothing_of_a_neighbour_that_works_at_the_same_time() {
    let Some(repository) = repository() else {
        return;
    };
    let works = format!(
        "works=echo key-of-works >secret; cp secret \"$HOME\"; {}; cat add.sh",
        until("../spies/tried")
    );
    let spies = format!(
        "spies={}; cat ../works/secret; ls ../works; cat /proc/[0-9]*/cwd/secret /proc/[0-9]*/root/$PWD/../works/secret; \
         cat \"$HOME\"/../../*/*/secret; ln ../works/secret mine; mv ../works/secret mine; echo bad >../works/add.sh; \
         echo bad >../works/new; rm ../works/add.sh; ln -s ../works/secret ../works/link; echo bad >../../lock; \
         echo x >own; touch tried",
        until("../works/secret")
    );
    let report = agents(&repository, &[&works, &spies], OBEYS, &WAIT).json();
    let (works, spies) = (row(&report, "works"), row(&report, "spies"));
    assert_eq!(works["outcome"], "unverified", "{works}");
    assert_eq!(spies["outcome"], "unverified", "{spies}");
    assert_eq!(spies["reply"], "", "{spies}");
    let files = |variant: &str| {
        let branch = format!("bakeoff/agents/{variant}");
        let changed = repository.git(&["diff", "--name-only", "HEAD", &branch]);
        changed.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(files("works"), ["secret"]);
    assert_eq!(files("spies"), ["own", "tried"]);
}

/// Whoever is moved to a busy core, or has another priority, is slower in what is measured of it.
#[test]
fn case_266_an_agent_moves_nobody_else_to_a_core_or_priority_and_makes_nothing_that_stays() {
    let Some(repository) = repository() else {
        return;
    };
    // Each is an argument list where %s is a process: of the parent, and of the one that calls.
    let on_processes = [
        (libc::SYS_sched_setaffinity, "%s, 8, pack(q(Q), 1)"),
        (libc::SYS_sched_setscheduler, "%s, 3, pack(q(L), 0)"),
        (libc::SYS_sched_setparam, "%s, pack(q(L), 0)"),
        (libc::SYS_setpriority, "0, %s, 5"),
        (libc::SYS_ioprio_set, "1, %s, 24576"),
    ];
    let mut perl = String::new();
    for (call, arguments) in on_processes {
        for process in ["getppid()", "0"] {
            let arguments = arguments.replace("%s", process);
            perl += &format!("print syscall({call}, {arguments}) < 0 ? q(r) : q(s); ");
        }
    }
    // All processes of the user, and of a group.
    for kind in [1, 2] {
        perl += &format!(
            "print syscall({}, {kind}, 0, 5) < 0 ? q(r) : q(s); ",
            libc::SYS_setpriority
        );
    }
    for call in [libc::SYS_shmget, libc::SYS_semget, libc::SYS_msgget] {
        perl += &format!("print syscall({call}, 0, 1, 950) < 0 ? q(r) : q(s); ");
    }
    let variant = format!("moves=echo x >mine; perl -e '{perl}'");
    let report = agents(&repository, &[variant.as_str()], OBEYS, &[]).json();
    let row = row(&report, "moves");
    // There may be no perl.
    assert!(
        ["", "rsrsrsrsrsrrrrr"].contains(&row["reply"].as_str().unwrap()),
        "{row}"
    );
}

#[test]
fn as_many_agents_work_at_once_as_are_asked_for_and_no_more() {
    let Some(repository) = repository() else {
        return;
    };
    // Each of the first three waits for the two others.
    let all: Vec<String> = ["a", "b", "c"]
        .map(|own| {
            let others = ["a", "b", "c"].iter().filter(|other| **other != own);
            let waits: Vec<String> = others
                .map(|other| until(&format!("../{other}/here")))
                .collect();
            format!("{own}=touch here; {}", waits.join("; "))
        })
        .into();
    let all: Vec<&str> = all.iter().map(String::as_str).collect();
    let together = agents(&repository, &all, OBEYS, &WAIT);
    assert_eq!(together.status, 0, "{}", together.stderr);
    // The order is that of the command line.
    let names = |report: &serde_json::Value| -> Vec<String> {
        let rows = report["completions"].as_array().unwrap().iter();
        rows.map(|row| row["variant"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(names(&together.json()), ["a", "b", "c"]);
    // One at a time: the second begins when the first has ended, whose repository is gone by then.
    let alone = [
        "first=touch here; [ ! -e ../second ] && echo alone",
        "second=touch here; [ ! -e ../first/.git ] && echo alone",
    ];
    let more = ["--name", "alone", "--agents-at-once", "1"];
    let report = agents(&repository, &alone, OBEYS, &more).json();
    for variant in ["first", "second"] {
        assert_eq!(row(&report, variant)["reply"], "alone");
    }
}

/// Starts two agents that never end, each with a detached process, and returns the command with the numbers of all four.
fn start(repository: &Repository) -> (Child, Vec<String>) {
    let endless = "setsid sleep 4323 & echo $! $$ >pids.new; mv pids.new pids; sleep 4323";
    let variants = [format!("a={endless}"), format!("b={endless}")];
    let mut command = bakeoff(&["agents", "Do it", "--agent", OBEYS]);
    for variant in &variants {
        command.args(["--variant", variant]);
    }
    command.current_dir(repository.path());
    command.stdout(Stdio::null()).stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    let mut pids = Vec::new();
    for variant in ["a", "b"] {
        let file = repository
            .path()
            .join(format!(".bakeoff/agents/worktrees/{variant}/pids"));
        wait_until(|| file.exists());
        let text = fs::read_to_string(file).unwrap();
        pids.extend(text.split_whitespace().map(str::to_owned));
    }
    assert_eq!(pids.len(), 4);
    (child, pids)
}

fn wait_until(is_so: impl Fn() -> bool) {
    for _ in 0..LOOKS_MAX {
        if is_so() {
            return;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("it never came");
}

fn process(pid: &String) -> PathBuf {
    Path::new("/proc").join(pid)
}

#[test]
fn an_interrupt_ends_all_agents_with_all_that_they_started() {
    let Some(repository) = repository() else {
        return;
    };
    let (child, pids) = start(&repository);
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    let output: CommandOutput = child.wait_with_output().unwrap().into();
    assert_eq!(output.status, 130, "{}", output.stderr);
    assert!(output.explains("interrupted"), "{}", output.stderr);
    for pid in &pids {
        assert!(!process(pid).exists(), "{pid}");
    }
    // Git of whoever looks at what they left follows no settings of theirs.
    for variant in ["a", "b"] {
        let worktrees = repository.path().join(".bakeoff/agents/worktrees");
        assert!(worktrees.join(variant).exists() && !worktrees.join(variant).join(".git").exists());
    }
    // The same variants begin anew, and what was there is set aside.
    let report = agents(&repository, &["a=echo x >new", "b=echo y >new"], OBEYS, &[]).json();
    assert_eq!(row(&report, "a")["changes"]["files_added"], 1);
    assert!(
        repository
            .path()
            .join(".bakeoff/agents/worktrees/a.aside-1/pids")
            .exists()
    );
}

#[test]
fn a_killed_command_leaves_no_agent_and_the_same_one_goes_on() {
    let Some(repository) = repository() else {
        return;
    };
    let (mut child, pids) = start(&repository);
    child.kill().unwrap();
    child.wait().unwrap();
    for pid in &pids {
        wait_until(|| !process(pid).exists());
    }
    let output = agents(&repository, &["a=echo x >new", "b=echo y >new"], OBEYS, &[]);
    assert_eq!(output.status, 0, "{}", output.stderr);
}
