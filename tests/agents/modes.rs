//! Modes of files: an agent can change those of all files of its user, and what that does is undone or said.

use super::{OBEYS, agents, command, repository, row};
use crate::support::{CommandOutput, bakeoff};
use std::fs::{Permissions, metadata, set_permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

fn mode(path: &Path) -> u32 {
    metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn case_267_an_agent_that_takes_permissions_away_is_undone_and_the_neighbours_row_says_so() {
    let Some(repository) = repository() else {
        return;
    };
    let victim = "victim=was=$(stat -c %a .); echo mine >own; n=0; while [ $n -lt 3000 ]; do \
                  [ \"$(stat -c %a . 2>/dev/null)\" = \"$was\" ] || exit 9; n=$((n + 1)); sleep 0.02; done";
    let attacker = "attacker=until [ -e ../victim/own ]; do sleep 0.02; done; n=0; while [ $n -lt 100 ]; do \
                    chmod 000 ../* ../victim .. ../.. 2>/dev/null; n=$((n + 1)); sleep 0.02; done; echo done >own";
    let output = agents(&repository, &[victim, attacker], OBEYS, &[]);
    let report = output.json();
    let victim = row(&report, "victim");
    assert_eq!(victim["outcome"], "agent-failed", "{victim}");
    let reason = victim["reason"].as_str().unwrap();
    assert!(reason.contains("status 9"), "{reason}");
    assert!(
        reason.contains("were taken away while it worked"),
        "{reason}"
    );
    let attacker = row(&report, "attacker");
    assert_eq!(attacker["outcome"], "unverified", "{attacker}");
    // Whoever works there next has all permissions, and can list and remove it.
    let listed = command(&repository, &["worktrees"]);
    assert!(
        listed.stdout.contains("agents/victim"),
        "{}{}",
        listed.stdout,
        listed.stderr
    );
    let folder = repository.path().join(".bakeoff/agents");
    for below in ["", "worktrees"] {
        assert_eq!(mode(&folder.join(below)) & 0o700, 0o700, "{below:?}");
    }
    let again = agents(&repository, &["victim=echo mine >own"], OBEYS, &[]);
    assert_eq!(again.status, 2, "{}", again.stdout);
    assert_eq!(mode(&folder.join("worktrees/attacker")) & 0o700, 0o700);
    let removed = command(&repository, &["worktrees", "--remove", "agents", "--force"]);
    assert_eq!(removed.status, 0, "{}", removed.stderr);
}

#[test]
fn case_268_a_key_of_results_that_is_made_anew_is_said_and_one_that_was_closed_is_opened() {
    let Some(repository) = repository() else {
        return;
    };
    let data = tempfile::tempdir().unwrap();
    let key = data.path().join("bakeoff/results.key");
    let run = |arguments: &[&str]| -> CommandOutput {
        let mut command = bakeoff(arguments);
        command
            .current_dir(repository.path())
            .env("XDG_DATA_HOME", data.path());
        command.output().unwrap().into()
    };
    let work = [
        "agents",
        "Do it",
        "--agent",
        "sh -c 'echo x >new'",
        "--variant",
        "a",
    ];
    let status = ["status", ".bakeoff/agents"];
    let first = run(&work);
    assert_eq!(first.status, 0, "{}", first.stderr);
    assert!(!first.stderr.contains("made anew"), "{}", first.stderr);
    let set = |path: &Path, mode| set_permissions(path, Permissions::from_mode(mode)).unwrap();
    set(&key, 0o000);
    set(&data.path().join("bakeoff"), 0o000);
    let closed = run(&status);
    assert!(
        closed.stdout.contains("not verified"),
        "{}{}",
        closed.stdout,
        closed.stderr
    );
    assert!(!closed.stderr.contains("made anew"), "{}", closed.stderr);
    assert_eq!(mode(&key), 0o600);
    // One that others could read authenticates nothing any more, which is said once.
    set(&key, 0o604);
    let replaced = run(&status);
    assert!(
        replaced.explains("its mode let others read or write it), and was made anew"),
        "{}",
        replaced.stderr
    );
    assert!(
        !replaced.stdout.contains("not verified"),
        "{}",
        replaced.stdout
    );
    assert!(!run(&status).stderr.contains("made anew"));
    std::fs::remove_file(&key).unwrap();
    let missing = run(&status);
    assert!(
        missing
            .explains("was missing, and was made anew: what is here was sealed with another key"),
        "{}",
        missing.stderr
    );
}
