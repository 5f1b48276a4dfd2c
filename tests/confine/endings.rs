//! How children end, and that nothing of them is left.

use super::*;
use crate::support::{bakeoff, measuring_slot};
use bakeoff_confine::{ExitCause, SpawnError};
use std::process::{Command, Stdio};

const REST: EscapeAttempt = EscapeAttempt::Sleep(FOREVER.as_millis() as u64);

#[tokio::test]
async fn crashes_and_panics_are_told_apart() {
    let confinement = confinement().await;
    let (_, exit) = run(&confinement, Fence::closed(), &[EscapeAttempt::Abort]).await;
    assert_eq!(exit.cause, ExitCause::Signalled(libc::SIGABRT));
    let (_, exit) = run(&confinement, Fence::closed(), &[EscapeAttempt::Panic]).await;
    assert_eq!(exit.cause, ExitCause::Exited(101));
    let said = String::from_utf8(exit.stderr).unwrap();
    assert!(said.contains("on request"), "{said}");
}

#[tokio::test]
async fn a_dropped_child_is_gone_with_all_that_it_started() {
    let folder = tempfile::tempdir().unwrap();
    let confinement = confinement().await;
    let ways = [EscapeAttempt::Fork(3), EscapeAttempt::LeaderGone(1), REST];
    let mut child = start(&confinement, builder(folder.path()), &ways, |_| {}).await;
    for _ in 0..2 {
        child.next_frame().await.unwrap().unwrap();
    }
    let leader = child.pid().unwrap();
    assert_eq!(alive_in_session(leader), 5);
    drop(child);
    assert_eq!(alive_in_session(leader), 0);
    let left = std::fs::metadata(format!("/proc/{leader}"));
    assert!(left.is_err(), "the child itself is reaped");
}

#[tokio::test]
async fn what_a_child_leaves_behind_dies_with_it() {
    let folder = tempfile::tempdir().unwrap();
    // It lives on for a moment: a child that has ended has no process id any more.
    let ways = [EscapeAttempt::Fork(3), EscapeAttempt::Sleep(1_000)];
    let confinement = confinement().await;
    let child = start(&confinement, builder(folder.path()), &ways, |_| {}).await;
    let leader = child.pid().unwrap();
    let (_, exit) = ended(child).await;
    assert_eq!(exit.cause, ExitCause::Exited(0));
    assert_eq!(alive_in_session(leader), 0);
}

#[tokio::test]
async fn a_killed_child_says_so_and_keeps_what_it_said() {
    let ways = [EscapeAttempt::Flood(3), REST];
    let mut child = start(&confinement().await, Fence::closed(), &ways, |_| {}).await;
    child.next_frame().await.unwrap().unwrap();
    child.kill();
    let exit = child.finish().await;
    assert_eq!(exit.cause, ExitCause::Killed);
    assert_eq!(exit.stderr, b"...");
}

#[tokio::test]
async fn a_fence_that_cannot_stand_is_an_error_that_names_the_path() {
    let confinement = confinement().await;
    let fence = Fence {
        read: vec!["/no/such/folder".into()],
        ..Fence::closed()
    };
    let error = confinement
        .spawn(ChildJob::new(PROBE.name, &[], fence))
        .await
        .unwrap_err();
    assert!(matches!(error, SpawnError::Fence { .. }));
    assert_eq!(
        error.to_string(),
        "a probe process could not be fenced: /no/such/folder: No such file or directory (os error 2)"
    );
    let error = confinement
        .spawn(ChildJob::new("nobody", &[], Fence::closed()))
        .await
        .unwrap_err();
    assert!(error.to_string().contains("there is no role nobody"));
}

/// Started by hand, a child has no sealed job and does nothing.
#[test]
fn a_child_without_a_sealed_job_refuses() {
    let output = Command::new(env!("CARGO_BIN_EXE_bakeoff"))
        .args(["--bakeoff-child", "probe"])
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(71));
    assert!(output.stdout.is_empty());
    assert!(String::from_utf8_lossy(&output.stderr).contains("not a sealed memory file"));
}

/// A prototype that keeps the compiler busy until its CPU limit.
const ENDLESS_CONSTANT: &str = "
const fn spin() -> u64 { let mut i = 0; while i < u64::MAX { i += 1; } i }
static NEVER: u64 = spin();
pub fn top_k(_: Vec<i64>, _: u32) -> Vec<i64> { vec![NEVER as i64] }
";

/// A build that takes until its CPU limit, with a folder of its own for temporary files.
fn endless_build(folder: &Path) -> Command {
    let file = folder.join("endless.rs");
    std::fs::write(&file, ENDLESS_CONSTANT).unwrap();
    let mut build = bakeoff(&["build", "--wit", "examples/top-k/wit", "--call", "top-k"]);
    let temporary = folder.join("tmp");
    std::fs::create_dir_all(&temporary).unwrap();
    build.arg(file).env("TMPDIR", temporary);
    build
}

/// The compiler is the one that compiles for the prototypes' target, not one that is asked for its
/// version.
fn is_compiler(line: &str) -> bool {
    line.contains("--target=wasm32")
}

/// The parent is killed by SIGKILL, so that nothing in it can clean up, while its builder runs a
/// compiler.
#[test]
fn a_builder_and_its_compiler_die_with_a_killed_parent() {
    let folder = tempfile::tempdir().unwrap();
    dies_with_its_parent(endless_build(folder.path()), is_compiler);
}

/// What killed builds leave among the temporary files goes with the next build. That of a build
/// under way stays, and so does what a planted link leads to.
#[test]
fn the_next_build_removes_what_killed_ones_left() {
    let folder = tempfile::tempdir().unwrap();
    let temporary = folder.path().join("tmp");
    let scratches = || {
        let entries = std::fs::read_dir(&temporary).unwrap().flatten();
        let names = entries.map(|entry| entry.file_name().into_string().unwrap());
        let mut names: Vec<String> = names.filter(|name| !name.ends_with("plantd")).collect();
        names.sort();
        names
    };
    dies_with_its_parent(endless_build(folder.path()), is_compiler);
    let left = scratches();
    assert_eq!(left.len(), 1, "{left:?}");
    let elsewhere = folder.path().join("elsewhere");
    std::fs::create_dir(&elsewhere).unwrap();
    std::fs::rename(temporary.join(&left[0]), elsewhere.join("copy")).unwrap();
    let copy = Command::new("cp")
        .arg("-a")
        .args([elsewhere.join("copy"), temporary.join(&left[0])])
        .status();
    assert!(copy.unwrap().success());
    let planted = temporary.join("bakeoff-work-plantd");
    std::os::unix::fs::symlink(elsewhere.join("copy"), planted).unwrap();

    let mut live = endless_build(folder.path())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    // A smaller build comes before: the one that finds out whether bubblewrap can be used.
    let is_of_live = |name: &String| {
        let files = std::fs::read_dir(temporary.join(name).join("work"));
        let mut files = files.into_iter().flatten().flatten();
        files.any(|file| {
            let text = std::fs::read_to_string(file.path());
            text.is_ok_and(|text| text.contains("static NEVER"))
        })
    };
    let begun = eventually(|| {
        scratches()
            .iter()
            .any(|name| *name != left[0] && is_of_live(name))
    });
    let of_live = scratches();
    let other = bakeoff(&["build", "examples/top-k/approaches/heap.rs"])
        .args(["--wit", "examples/top-k/wit", "--call", "top-k"])
        .env("TMPDIR", &temporary)
        .env("BAKEOFF_CACHE_DIR", folder.path().join("cache"))
        .output();
    let after = scratches();
    live.kill().unwrap();
    live.wait().unwrap();
    assert!(begun && other.unwrap().status.success());
    assert_eq!(
        of_live.len(),
        1,
        "the second build removed that of the first"
    );
    assert_ne!(of_live, left);
    assert_eq!(after, of_live, "the third leaves that of the second");
    assert!(elsewhere.join("copy/work").is_dir());
    assert!(elsewhere.join("copy/lock").is_file());
}

#[test]
fn a_runner_dies_with_a_killed_parent() {
    let _slot = measuring_slot();
    let out = tempfile::tempdir().unwrap();
    let mut run = bakeoff(&["run", "examples/top-k", "--budget", "60s", "--out"]);
    run.arg(out.path());
    dies_with_its_parent(run, |line| line.contains("--bakeoff-child runner"));
}

/// Kills what `command` starts as soon as it has a descendant of which `is_it` is told the command
/// line; then that one and all others must end.
fn dies_with_its_parent(mut command: Command, is_it: impl Fn(&str) -> bool) {
    let mut parent = command
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut below = Vec::new();
    let found = eventually(|| {
        below = descendants(parent.id());
        below.iter().any(|pid| is_it(&command_line(*pid)))
    });
    parent.kill().unwrap();
    parent.wait().unwrap();
    assert!(found, "it never got that far");
    assert!(eventually(|| below.iter().all(|pid| !is_alive(*pid))));
}

/// All processes below one.
fn descendants(pid: u32) -> Vec<u32> {
    let mut found = vec![pid];
    let mut next = 0;
    while let Some(&pid) = found.get(next) {
        next += 1;
        let tasks = std::fs::read_dir(format!("/proc/{pid}/task"));
        for task in tasks.into_iter().flatten().flatten() {
            let children = std::fs::read_to_string(task.path().join("children"));
            let children = children.unwrap_or_default();
            found.extend(
                children
                    .split_whitespace()
                    .map(|pid| pid.parse::<u32>().unwrap()),
            );
        }
    }
    found.split_off(1)
}

/// The arguments of a process, with spaces between them.
fn command_line(pid: u32) -> String {
    let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    String::from_utf8_lossy(&line).replace('\0', " ")
}

/// Whether it comes to be; the time is only for a stuck machine to get there.
fn eventually(mut is_so: impl FnMut() -> bool) -> bool {
    (0..6000).any(|_| {
        std::thread::sleep(Duration::from_millis(10));
        is_so()
    })
}

/// Some launchers start programs with this, and the system then forgets how children end.
#[test]
fn endings_are_known_even_if_the_parent_was_told_to_ignore_them() {
    let cache = tempfile::tempdir().unwrap();
    let build = "build examples/top-k/approaches/heap.rs --wit examples/top-k/wit --call top-k";
    let script = format!("trap '' CHLD; exec \"$0\" {build}");
    let output = Command::new("/bin/sh")
        .args(["-c", &script, env!("CARGO_BIN_EXE_bakeoff")])
        .current_dir(crate::support::root())
        .env("BAKEOFF_CACHE_DIR", cache.path())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
}

#[tokio::test]
async fn a_caller_who_gives_up_while_a_child_starts_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("bakeoff");
    crate::support::second_name(&host().program, &program);
    let host = ProbeConfig {
        program: program.clone(),
        ..host()
    };
    let confinement = Confinement::probe_on(host).await.unwrap();
    for delay_us in (0..4000).step_by(200) {
        let starting = start(&confinement, Fence::closed(), &[REST], |_| {});
        let _ = tokio::time::timeout(Duration::from_micros(delay_us), starting).await;
    }
    assert!(eventually(|| processes_of(&program) == 0));
}

#[tokio::test]
async fn many_children_at_once_do_not_get_in_each_others_way() {
    let confinement = confinement().await;
    let mut tasks = tokio::task::JoinSet::new();
    for number in 0..50_usize {
        let confinement = confinement.clone();
        tasks.spawn(async move {
            let ways = [EscapeAttempt::Frame(number)];
            let (outcomes, exit) = run(&confinement, Fence::closed(), &ways).await;
            assert_eq!(outcomes, [Ok("x".repeat(number))]);
            assert_eq!(exit.cause, ExitCause::Exited(0));
        });
    }
    while let Some(task) = tasks.join_next().await {
        task.unwrap();
    }
}
