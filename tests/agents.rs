//! Agents in worktrees: what they can reach, what is taken over, and what is said of it. The agents are scripts.

mod at_once;
mod base;
mod measured;
mod modes;
mod named;
mod opinions;
mod picking;
mod recorded;
mod refused;
mod repositories;
mod rounds;
mod test_setup;
mod told;

use crate::revisions::{Repository, has_git};
use crate::support::{CommandOutput, bakeoff};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Stdio;
use tempfile::TempDir;

/// A repository with a program and its test.
pub(crate) fn repository() -> Option<Repository> {
    if !has_git() {
        return None;
    }
    let repository = Repository::new();
    repository.write("add.sh", "echo $(($1 + $2))\n");
    repository.write("tests/run.sh", "[ \"$(sh add.sh 1 2)\" = 3 ]\n");
    repository.commit();
    Some(repository)
}

pub(crate) fn command(repository: &Repository, arguments: &[&str]) -> CommandOutput {
    let mut command = bakeoff(arguments);
    command.current_dir(repository.path());
    command.output().unwrap().into()
}

/// Runs agents with this script as each of them, which is told its variant's idea on stdin.
fn agents(
    repository: &Repository,
    variants: &[&str],
    script: &str,
    more: &[&str],
) -> CommandOutput {
    let mut arguments = vec!["agents", "Do it", "--agent", script, "--format", "json"];
    for variant in variants {
        arguments.extend(["--variant", variant]);
    }
    arguments.extend(more);
    command(repository, &arguments)
}

fn row<'a>(report: &'a Value, variant: &str) -> &'a Value {
    let rows = report["completions"].as_array().unwrap();
    rows.iter().find(|row| row["variant"] == variant).unwrap()
}

/// Does what stands in the variant's idea, as the last line of stdin.
const OBEYS: &str = "sh -c 'eval \"$(tail -n 1)\"'";

#[test]
fn what_agents_leave_is_committed_verified_and_kept() {
    let Some(repository) = repository() else {
        return;
    };
    repository.write("mine", "not committed");
    let status = repository.git(&["status", "--porcelain"]);
    let variants = [
        "good=echo 'expr $1 + $2' >add.sh; echo done >DONE.md; git status >/dev/null && echo said",
        "wrong=echo 'echo 4' >add.sh",
        "idle=true",
        "fails=echo precious >new; exit 7",
    ];
    let verify = ["--verify", "sh tests/run.sh"];
    let output = agents(&repository, &variants, OBEYS, &verify);
    assert_eq!(output.status, 3, "{}", output.stderr);
    let report = output.json();
    let good = row(&report, "good");
    assert_eq!(good["outcome"], "passed", "{good}");
    assert_eq!(good["reply"], "said");
    assert_eq!(good["done"], "done\n");
    assert_eq!(good["changes"]["files_changed"], 1);
    assert_eq!(row(&report, "wrong")["outcome"], "verification-failed");
    assert_eq!(row(&report, "idle")["outcome"], "nothing-changed");
    let fails = row(&report, "fails");
    assert_eq!(fails["outcome"], "agent-failed");
    assert!(fails["reason"].as_str().unwrap().contains("status 7"));
    assert_eq!(fails["worktree"], ".bakeoff/agents/worktrees/fails");
    assert!(good["worktree"].is_null());
    // The branch has the change alone, and all else is as it was.
    let changed = repository.git(&["diff", "--name-only", "HEAD", "bakeoff/agents/good"]);
    assert_eq!(changed, "add.sh");
    assert_eq!(repository.git(&["status", "--porcelain"]), status);
    // Nobody is asked again who did not fail.
    let again = agents(&repository, &variants[..3], OBEYS, &verify).json();
    for variant in ["good", "wrong", "idle"] {
        assert_eq!(row(&again, variant), row(&report, variant));
    }
    let other = agents(&repository, &["good=another"], OBEYS, &verify);
    assert_eq!(other.status, 2);
    assert!(other.explains("--name"), "{}", other.stderr);
    // What failed is not committed.
    let listed = command(&repository, &["worktrees"]);
    assert!(
        listed.stdout.contains("agents/good  passed"),
        "{}",
        listed.stdout
    );
    let refused = command(&repository, &["worktrees", "--remove", "agents"]);
    assert_eq!(refused.status, 2, "{}", refused.stdout);
    let removed = command(&repository, &["worktrees", "--remove", "agents", "--force"]);
    assert_eq!(removed.status, 0, "{}", removed.stderr);
    assert!(!repository.path().join(".bakeoff/agents").exists());
    repository.git(&["rev-parse", "--verify", "bakeoff/agents/good"]);
}

#[test]
fn case_230_an_agent_that_weakens_a_test_is_verified_with_that_of_the_base() {
    let Some(repository) = repository() else {
        return;
    };
    let variants = ["weak=echo 'echo 4' >add.sh; echo true >tests/run.sh"];
    let output = agents(
        &repository,
        &variants,
        OBEYS,
        &["--verify", "sh tests/run.sh"],
    );
    assert_eq!(output.status, 1, "{}", output.stderr);
    let report = output.json();
    let weak = row(&report, "weak");
    assert_eq!(weak["outcome"], "verification-failed");
    assert_eq!(weak["changes"]["tests"][0], "tests/run.sh");
}

#[test]
fn case_230_an_agent_converts_no_test_of_the_base_by_attributes() {
    let Some(repository) = repository() else {
        return;
    };
    // In UTF-7 the test would be no condition any more.
    let attributes = "echo 'tests/run.sh text working-tree-encoding=UTF-7' >.gitattributes";
    let variants = [format!("attributes=echo 'echo 4' >add.sh; {attributes}")];
    let variants = [variants[0].as_str()];
    let verify = [
        "--verify",
        "sh tests/run.sh",
        "--verify",
        "test ! -e .gitattributes",
    ];
    let report = agents(&repository, &variants, OBEYS, &verify).json();
    let row = row(&report, "attributes");
    assert_eq!(row["outcome"], "verification-failed", "{row}");
    assert_eq!(row["verifications"].as_array().unwrap().len(), 1, "{row}");
    assert_eq!(
        row["changes"]["tests"],
        serde_json::json!([".gitattributes"])
    );
}

#[test]
fn case_244_an_agent_sets_no_limits_of_other_processes() {
    let Some(repository) = repository() else {
        return;
    };
    let call = if cfg!(target_arch = "x86_64") {
        302
    } else {
        261
    };
    let perl = format!(
        "my $l = pack(q(QQ), 64, 64); print syscall({call}, getppid(), 7, $l, 0) == 0 ? q(set) : q(refused); \
         print syscall({call}, 0, 7, $l, 0) == 0 ? q( own) : q( none)"
    );
    let variants = [format!("limits=echo x >mine; perl -e '{perl}'")];
    let report = agents(&repository, &[variants[0].as_str()], OBEYS, &[]).json();
    let row = row(&report, "limits");
    let reply = row["reply"].as_str().unwrap();
    // There may be no perl.
    assert!(["", "refused own"].contains(&reply), "{row}");
}

#[test]
fn an_agent_can_commit_and_is_not_asked_again_if_its_verification_was_cut_short() {
    let Some(repository) = repository() else {
        return;
    };
    let variants = ["one=echo 'expr $1 + $2' >add.sh; git commit -qam mine && echo committed"];
    let outside = TempDir::new().unwrap();
    let slow = outside.path().join("slow");
    fs::write(&slow, "").unwrap();
    let verify = format!(
        "grep -q expr add.sh && test -e {} && sleep 4323; sh tests/run.sh",
        slow.display()
    );
    let read = outside.path().to_str().unwrap();
    let more = ["--verify", verify.as_str(), "--read", read];
    let begin = ["agents", "Do it", "--agent", OBEYS, "--format", "json"];
    let arguments = [&begin[..], &["--variant", variants[0]], &more].concat();
    let mut begun = bakeoff(&arguments);
    begun.stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = begun.current_dir(repository.path()).spawn().unwrap();
    let completion = ".bakeoff/agents/completions/one/completion.json";
    let completion = repository.path().join(completion);
    let is_committed =
        || fs::read_to_string(&completion).is_ok_and(|text| text.contains("\"committed\""));
    while !is_committed() && child.try_wait().unwrap().is_none() {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let listed = command(&repository, &["worktrees"]);
    assert!(
        listed.stdout.contains("not verified yet"),
        "{}",
        listed.stdout
    );
    fs::remove_file(&slow).unwrap();
    let again = agents(&repository, &variants, OBEYS, &more);
    assert_eq!(again.status, 0, "{}{}", again.stdout, again.stderr);
    assert!(!again.explains("its agent works"), "{}", again.stderr);
    let row = row(&again.json(), "one").clone();
    assert_eq!(
        (&row["outcome"], &row["reply"]),
        (&"passed".into(), &"committed".into())
    );
}

#[test]
fn case_231_an_agent_reaches_no_neighbour_no_repository_no_home_and_no_socket() {
    let Some(repository) = repository() else {
        return;
    };
    let secret = TempDir::new().unwrap();
    fs::write(secret.path().join("key"), "secret-key").unwrap();
    let top = repository.path().canonicalize().unwrap();
    let head = repository.git(&["rev-parse", "HEAD"]);
    let tries = format!(
        "for at in {top}/.git/hooks/pre-commit {top}/.git/refs/heads/main {top}/add.sh \
         {top}/.bakeoff/agents/worktrees/first/add.sh {top}/.bakeoff/x; do echo bad 2>/dev/null >$at; done; \
         cat {top}/.git/config {top}/.bakeoff/agents/worktrees/first/add.sh {secret}/key; echo x >mine; \
         perl -e 'use Socket; print socket(S, PF_INET, SOCK_STREAM, 0) ? \"open\" : \"closed\"'",
        top = top.display(),
        secret = secret.path().display()
    );
    let variants = ["first=echo x >mine".to_owned(), format!("second={tries}")];
    let variants = [variants[0].as_str(), variants[1].as_str()];
    let report = agents(&repository, &variants, OBEYS, &[]).json();
    let second = row(&report, "second");
    assert_eq!(second["outcome"], "unverified", "{second}");
    let reply = second["reply"].as_str().unwrap();
    assert!(["", "closed"].contains(&reply), "{reply}");
    assert_eq!(repository.git(&["rev-parse", "main"]), head);
    assert_eq!(
        fs::read_to_string(top.join("add.sh")).unwrap(),
        "echo $(($1 + $2))\n"
    );
    assert!(!top.join(".git/hooks/pre-commit").exists());
    assert!(!top.join(".bakeoff/x").exists());
}

#[test]
fn case_232_an_agent_that_hangs_ends_with_all_that_it_started() {
    let Some(repository) = repository() else {
        return;
    };
    let variants = [
        "hangs=setsid sleep 4321 & echo $!; sleep 4321",
        "daemon=setsid sh -c 'sleep 4322' >/dev/null 2>&1 & echo $! ; echo x >new",
    ];
    let report = agents(&repository, &variants, OBEYS, &["--time", "2s"]).json();
    let hangs = row(&report, "hangs");
    assert_eq!(hangs["outcome"], "agent-failed");
    assert!(hangs["reason"].as_str().unwrap().contains("did not end"));
    assert_eq!(row(&report, "daemon")["outcome"], "unverified");
    for variant in ["hangs", "daemon"] {
        let pid = row(&report, variant)["reply"].as_str().unwrap();
        assert!(
            !pid.is_empty() && !Path::new("/proc").join(pid).exists(),
            "{pid}"
        );
    }
}

#[test]
fn case_233_what_is_no_plain_file_is_not_taken_over() {
    let Some(repository) = repository() else {
        return;
    };
    let variants = [
        "link=ln -s /etc/passwd link",
        "nested=git init -q sub; echo x >sub/a; git -C sub add a; git -C sub -c user.name=a -c user.email=b commit -qm x",
        "gone=rm -rf \"$PWD\"",
        "bytes=echo x >\"$(printf 'caf\\351')\"",
    ];
    let report = agents(&repository, &variants, OBEYS, &[]).json();
    for (variant, why) in [
        ("link", "link"),
        ("nested", "repository of its own"),
        ("bytes", "\"caf\\xe9\" is a name of a file that is no UTF-8"),
    ] {
        let row = row(&report, variant);
        assert_eq!(row["outcome"], "refused", "{row}");
        assert!(row["reason"].as_str().unwrap().contains(why), "{row}");
    }
    let gone = row(&report, "gone");
    assert!(
        gone["commit"].is_null() || gone["changes"]["files_deleted"] == 2,
        "{gone}"
    );
}

#[test]
fn case_234_nothing_that_a_repository_or_an_agent_sets_is_run_by_git() {
    let Some(repository) = repository() else {
        return;
    };
    let ran = TempDir::new().unwrap();
    let mark = ran.path().join("ran");
    let script = format!("#!/bin/sh\ntouch {}\ncat\n", mark.display());
    let top = repository.path().canonicalize().unwrap();
    let program = top.join("evil.sh");
    repository.write("evil.sh", &script);
    repository.write(".gitattributes", "* filter=evil diff=evil\n");
    repository.commit();
    for hook in [
        "post-checkout",
        "reference-transaction",
        "pre-commit",
        "post-commit",
    ] {
        repository.write(&format!(".git/hooks/{hook}"), &script);
        set_executable(&top.join(".git/hooks").join(hook));
    }
    set_executable(&program);
    let program = program.display().to_string();
    for (key, value) in [
        ("filter.evil.smudge", program.as_str()),
        ("filter.evil.clean", &program),
        ("filter.evil.process", &program),
        ("diff.evil.command", &program),
        ("diff.evil.textconv", &program),
        ("core.fsmonitor", &program),
        ("core.sshCommand", &program),
        ("credential.helper", &program),
    ] {
        repository.git(&["config", key, value]);
    }
    let _ = fs::remove_file(&mark);
    let inside = format!(
        "sets=git config core.fsmonitor {program}; git config filter.evil.clean {program}; \
         mkdir -p .git/hooks; printf '#!/bin/sh\\ntouch {}\\n' >.git/hooks/pre-commit; echo x >new",
        mark.display()
    );
    let report = agents(&repository, &[&inside], OBEYS, &["--verify", "true"]).json();
    assert_eq!(row(&report, "sets")["outcome"], "passed", "{report}");
    assert!(!mark.exists());
    // Whoever steps into the folder runs nothing of the agent's.
    assert!(!top.join(".bakeoff/agents/worktrees/sets/.git").exists());
}

fn set_executable(path: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn case_235_a_completion_that_came_with_a_folder_counts_for_nothing() {
    let Some(repository) = repository() else {
        return;
    };
    agents(&repository, &["a=echo x >new"], OBEYS, &[]).json();
    let file = ".bakeoff/agents/completions/a/completion.json";
    let text = fs::read_to_string(repository.path().join(file)).unwrap();
    let forged = text.replace("\"unverified\"", "\"passed\"");
    assert_ne!(text, forged);
    repository.write(file, &forged);
    let listed = command(&repository, &["worktrees"]);
    assert!(
        listed.stdout.contains("agents/a  not ended"),
        "{}",
        listed.stdout
    );
    let again = agents(&repository, &["a=echo x >new"], OBEYS, &[]);
    assert_eq!(again.status, 2, "{}", again.stdout);
    assert!(again.explains("there is a branch"), "{}", again.stderr);
}

#[test]
fn nothing_that_is_on_no_branch_is_removed_unasked() {
    let Some(repository) = repository() else {
        return;
    };
    let output = agents(&repository, &["a=echo x >new"], OBEYS, &[]);
    assert_eq!(output.status, 0, "{}", output.stderr);
    repository.git(&["branch", "-D", "bakeoff/agents/a"]);
    let refused = command(&repository, &["worktrees", "--remove", "agents"]);
    assert_eq!(refused.status, 2, "{}", refused.stdout);
    // The same command gives the commit its branch again.
    let again = agents(&repository, &["a=echo x >new"], OBEYS, &[]);
    assert_eq!(again.status, 0, "{}", again.stderr);
    let removed = command(&repository, &["worktrees", "--remove", "agents"]);
    assert_eq!(removed.status, 0, "{}", removed.stderr);
    assert_eq!(
        repository.git(&["show", "bakeoff/agents/a:new"]).trim(),
        "x"
    );
    let folder = ["b=mkdir d; echo precious >d/y; chmod 0 d"];
    let output = agents(&repository, &folder, OBEYS, &["--name", "closed"]);
    let report = output.json();
    assert_eq!(row(&report, "b")["outcome"], "refused", "{report}");
}

#[test]
fn a_long_word_of_an_agent_is_cut_and_says_so_quiet_is_one_line_and_no_time_is_refused() {
    let Some(repository) = repository() else {
        return;
    };
    let variants = ["long=head -c 100000 /dev/zero | tr '\\0' x >DONE.md; echo x >new"];
    let report = agents(&repository, &variants, OBEYS, &[]).json();
    let done = row(&report, "long")["done"].as_str().unwrap();
    assert!(
        done.starts_with("xxx") && done.ends_with("(these are 65536 of 100000 bytes)\n"),
        "{}",
        done.len()
    );
    let quiet = [
        "agents",
        "Do it",
        "--agent",
        OBEYS,
        "--variant",
        variants[0],
        "--quiet",
    ];
    let quiet = command(&repository, &quiet);
    assert_eq!(
        (quiet.stdout.lines().count(), quiet.stderr.as_str()),
        (1, "")
    );
    let never = agents(&repository, &variants, OBEYS, &["--time", "0s"]);
    assert!(
        never.status == 2 && never.explains("no time at all"),
        "{}",
        never.stderr
    );
}
