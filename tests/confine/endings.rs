//! How children end, and that nothing of them is left.

use super::*;
use bakeoff::confine::{Ending, SpawnError};
use std::process::{Command, Stdio};

const REST: Attempt = Attempt::Sleep(FOREVER.as_millis() as u64);

#[tokio::test]
async fn crashes_and_panics_are_told_apart() {
    let confinement = confinement().await;
    let (_, exit) = run(&confinement, Fence::closed(), &[Attempt::Abort]).await;
    assert_eq!(exit.ending, Ending::Signalled(libc::SIGABRT));
    let (_, exit) = run(&confinement, Fence::closed(), &[Attempt::Panic]).await;
    assert_eq!(exit.ending, Ending::Exited(101));
    let said = String::from_utf8(exit.stderr).unwrap();
    assert!(said.contains("told to"), "{said}");
}

#[tokio::test]
async fn a_dropped_child_is_gone_with_all_that_it_started() {
    let folder = tempfile::tempdir().unwrap();
    let confinement = confinement().await;
    let ways = [Attempt::Fork(3), REST];
    let mut child = start(&confinement, builder(folder.path()), &ways, |_| {}).await;
    child.next_frame().await.unwrap().unwrap();
    let leader = child.pid().unwrap();
    assert_eq!(alive_in_session(leader), 4);
    drop(child);
    assert_eq!(alive_in_session(leader), 0);
    let left = std::fs::metadata(format!("/proc/{leader}"));
    assert!(left.is_err(), "the child itself is reaped");
}

#[tokio::test]
async fn what_a_child_leaves_behind_dies_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let ways = [Attempt::Fork(3)];
    let confinement = confinement().await;
    let child = start(&confinement, builder(folder.path()), &ways, |_| {}).await;
    let leader = child.pid().unwrap();
    let (_, exit) = ended(child).await;
    assert_eq!(exit.ending, Ending::Exited(0));
    assert_eq!(alive_in_session(leader), 0);
}

#[tokio::test]
async fn a_killed_child_says_so_and_keeps_what_it_said() {
    let ways = [Attempt::Flood(3), REST];
    let mut child = start(&confinement().await, Fence::closed(), &ways, |_| {}).await;
    child.next_frame().await.unwrap().unwrap();
    child.kill();
    let exit = child.finish().await;
    assert_eq!(exit.ending, Ending::Killed);
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
        .spawn(Job::new(PROBE.name, &[], fence))
        .await
        .unwrap_err();
    assert!(matches!(error, SpawnError::Fence { .. }));
    assert_eq!(
        error.to_string(),
        "a probe process could not be fenced: /no/such/folder: No such file or directory (os error 2)"
    );
    let error = confinement
        .spawn(Job::new("nobody", &[], Fence::closed()))
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

/// The parent is this test's binary, run again for the one test below, and killed by SIGKILL, so
/// that nothing in it can clean up. Its children are a runner, and a builder that has started a
/// program.
#[test]
fn children_and_theirs_die_with_a_killed_parent() {
    let mut parent = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "confine::endings::a_parent_to_be_killed"])
        .args(["--ignored", "--nocapture"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = std::io::BufReader::new(parent.stdout.take().unwrap());
    let children: Vec<u32> = std::io::BufRead::lines(lines)
        .filter_map(|line| line.unwrap().split_once("child=")?.1.trim().parse().ok())
        .take(2)
        .collect();
    let alive = || -> usize { children.iter().map(|&child| alive_in_session(child)).sum() };
    // The program may still be on its way up.
    assert!(eventually(|| alive() == 3));
    parent.kill().unwrap();
    parent.wait().unwrap();
    assert!(eventually(|| alive() == 0));
}

/// Whether it comes to be; the time is only for a stuck machine to get there.
fn eventually(mut is_so: impl FnMut() -> bool) -> bool {
    (0..3000).any(|_| {
        std::thread::sleep(Duration::from_millis(10));
        is_so()
    })
}

#[tokio::test]
#[ignore = "the parent of another test: it waits until it is killed"]
async fn a_parent_to_be_killed() {
    let confinement = confinement().await;
    let runner = start(&confinement, Fence::closed(), &[REST], |_| {}).await;
    let program = Attempt::Execute {
        program: "/bin/sleep".into(),
        arguments: vec![FOREVER.as_secs().to_string()],
    };
    let builder = start(&confinement, system_programs(), &[program], |_| {}).await;
    for child in [&runner, &builder] {
        println!("\nchild={}", child.pid().unwrap());
    }
    ended(runner).await;
}

/// Some launchers start programs with this, and the system then forgets how children end. It
/// concerns the whole process, so it is tried in one of its own.
#[test]
fn endings_are_known_even_if_the_parent_was_told_to_ignore_them() {
    let parent = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "confine::endings::a_parent_that_ignores_endings"])
        .args(["--ignored", "--nocapture"])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&parent.stdout);
    assert!(parent.status.success(), "{said}");
    assert!(said.contains("1 passed"), "{said}");
}

#[tokio::test]
#[ignore = "another test runs it in a process of its own"]
async fn a_parent_that_ignores_endings() {
    // SAFETY: no handler is installed.
    unsafe { libc::signal(libc::SIGCHLD, libc::SIG_IGN) };
    let (_, exit) = run(&confinement().await, Fence::closed(), &[]).await;
    assert_eq!(exit.ending, Ending::Exited(0));
}

#[tokio::test]
async fn a_caller_who_gives_up_while_a_child_starts_leaves_nothing_behind() {
    // A copy, so that its processes can be told from those of other tests.
    let copy = tempfile::tempdir().unwrap();
    let program = copy.path().join("bakeoff");
    std::fs::copy(host().program, &program).unwrap();
    let host = Host {
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
            let ways = [Attempt::Frame(number)];
            let (outcomes, exit) = run(&confinement, Fence::closed(), &ways).await;
            assert_eq!(outcomes, [Ok("x".repeat(number))]);
            assert_eq!(exit.ending, Ending::Exited(0));
        });
    }
    while let Some(task) = tasks.join_next().await {
        task.unwrap();
    }
}
