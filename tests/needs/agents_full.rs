//! Agents in a repository on a disk that is full, in a mount namespace of its own.

use crate::support::{CommandOutput, bakeoff};
use std::process::Command;

/// Makes a repository on the disk, and works twice in it: without the room for a worktree, and with it.
const SCRIPT: &str = "mount -t tmpfs -o size=3m tmpfs \"$0\"; cd \"$0\"; git init --quiet .
    head -c 1500000 /dev/urandom >large; git add large
    git -c user.name=a -c user.email=a@b commit --quiet -m all
    \"$@\"; echo \"first $?\" >&2; ls .bakeoff/agents/worktrees >&2
    mount -o remount,size=64m \"$0\"
    \"$@\"; echo \"second $?\" >&2; git show bakeoff/agents/a:new >&2";

pub(crate) fn a_full_disk_says_where_to_make_room_and_the_same_command_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let agents = bakeoff(&["agents", "Do it", "--quiet", "--variant", "a"]);
    let mut shell = Command::new("unshare");
    shell
        .args(["--mount", "sh", "-c", SCRIPT])
        .arg(folder.path())
        .arg(agents.get_program())
        .args(agents.get_args())
        .args(["--agent", "sh -c 'echo made >new'"])
        .current_dir(folder.path());
    for (name, value) in agents.get_envs() {
        match value {
            Some(value) => shell.env(name, value),
            None => shell.env_remove(name),
        };
    }
    let output: CommandOutput = shell.output().unwrap().into();
    let text = &output.stderr;
    assert!(text.contains("first 5"), "{text}");
    assert!(output.explains("a disk seems to be full"), "{text}");
    let path = folder.path().join(".bakeoff/agents");
    assert!(output.explains(&path.display().to_string()), "{text}");
    assert!(output.explains("Make room there"), "{text}");
    // No half of a worktree is left, and nothing is set aside.
    let between = text.split_once("first 5\n").unwrap().1;
    assert!(between.starts_with("second 0\nmade"), "{text}");
}
