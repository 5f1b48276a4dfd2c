//! The script of the action for pull requests, with the runner's tools played by scripts.

use crate::revisions::{Repository, has_git};
use crate::support::{bakeoff, root};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

/// A runner's folders, with tools of its own in front of the system's.
struct Runner {
    folder: TempDir,
    repository: Repository,
}

impl Runner {
    fn new() -> Self {
        let repository = Repository::new();
        repository.write("a", "1");
        repository.commit();
        repository.write("a", "2");
        repository.commit();
        let runner = Self {
            folder: TempDir::new().unwrap(),
            repository,
        };
        fs::create_dir_all(runner.folder.path().join("bin")).unwrap();
        fs::create_dir_all(runner.folder.path().join("temp")).unwrap();
        // It notes how it was called, and answers as it is told.
        runner.tool(
            "gh",
            "printf '%s\\n' \"$@\" >>\"$RUNNER_TEMP/commented\"; exit \"${GH_STATUS:-0}\"",
        );
        runner
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.folder.path().join("temp").join(name)
    }

    fn tool(&self, name: &str, script: &str) {
        tool(&self.folder.path().join("bin").join(name), script);
    }

    fn run(&self, more: &[(&str, &str)]) -> std::process::Output {
        let system = std::env::var("PATH").unwrap();
        let mut path = self.folder.path().join("bin").display().to_string();
        path = format!("{path}:{system}");
        Command::new("bash")
            .arg(root().join(".ci/action"))
            .current_dir(self.repository.path())
            .env("PATH", path)
            .env("RUNNER_TEMP", self.folder.path().join("temp"))
            .env("GITHUB_STEP_SUMMARY", self.path("summary"))
            .env("GITHUB_OUTPUT", self.path("output"))
            .envs([
                ("BAKEOFF_BASE", "HEAD~1"),
                ("BAKEOFF_HEAD", "HEAD"),
                ("BAKEOFF_PACKAGE", "codec"),
                ("BAKEOFF_CALL", ""),
                ("BAKEOFF_FAIL_IF_SLOWER", ""),
                ("BAKEOFF_OPTIONS", ""),
                ("BAKEOFF_RELEASE", ""),
                ("BAKEOFF_RELEASES", "https://example.test/releases"),
                ("BAKEOFF_PULL_REQUEST", "7"),
            ])
            .envs(more.iter().copied())
            .output()
            .unwrap()
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_default()
    }
}

fn tool(file: &Path, script: &str) {
    fs::write(file, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(file, fs::Permissions::from_mode(0o755)).unwrap();
}

/// A bakeoff that notes its arguments, writes a table and a report, and fails.
const PLAYED: &str = "printf '%s\\n' \"$@\" >>\"$RUNNER_TEMP/called\"
echo '| f | slower |' >>\"$GITHUB_STEP_SUMMARY\"
printf '{\\n  \"answer\": \"f is slower\",\\n  \"schema_version\": 1\\n}\\n'
exit 1";

#[test]
fn the_action_comments_keeps_history_and_fails_as_the_comparison_does() {
    if !has_git() {
        return;
    }
    let runner = Runner::new();
    runner.tool("bakeoff", PLAYED);
    let more = [
        ("BAKEOFF_CALL", "f,g; touch escaped"),
        ("BAKEOFF_FAIL_IF_SLOWER", "5%"),
        ("BAKEOFF_OPTIONS", "--quick\n--allow-crates"),
    ];
    for _ in 0..2 {
        let output = runner.run(&more);
        assert_eq!(output.status.code(), Some(1), "{output:?}");
    }
    let called = runner.read("called");
    let called: Vec<&str> = called.lines().collect();
    assert_eq!(
        called[..13],
        [
            "compare",
            "HEAD~1",
            "HEAD",
            "--package",
            "codec",
            "--format",
            "json",
            "--call",
            "f,g; touch escaped",
            "--fail-if-slower",
            "5%",
            "--quick",
            "--allow-crates"
        ]
    );
    assert!(!runner.repository.path().join("escaped").exists());
    assert_eq!(
        runner.read("summary"),
        "| f | slower |\n| f | slower |\n",
        "one for each run"
    );
    assert!(runner.read("output").contains("answer=f is slower\n"));
    assert!(runner.read("commented").starts_with("pr\ncomment\n7\n"));
    let history = runner.read("bakeoff/history.jsonl");
    let commit = runner.repository.git(&["rev-parse", "HEAD"]);
    assert_eq!(history.lines().count(), 2);
    for line in history.lines() {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        assert_eq!(line["head"], commit.as_str());
        assert_eq!(line["report"]["answer"], "f is slower");
    }
    // Who may not comment has the table on the page of the job.
    let output = runner.run(&[("GH_STATUS", "1")]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stdout).contains("::notice::"));
    // Outside of a pull request, and on the first push of a branch.
    fs::remove_file(runner.path("commented")).unwrap();
    let first = [("BAKEOFF_PULL_REQUEST", ""), ("BAKEOFF_BASE", "0000000000")];
    let output = runner.run(&first);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert_eq!(runner.read("commented"), "");
    assert!(runner.read("called").contains("\nHEAD~1\n"));
}

#[test]
fn the_action_takes_a_release_only_with_its_checksum() {
    if !has_git() || Command::new("sha256sum").arg("--version").output().is_err() {
        println!("skipped: there is no `sha256sum`");
        return;
    }
    let runner = Runner::new();
    let machine = Command::new("uname").arg("-m").output().unwrap();
    let machine = String::from_utf8(machine.stdout).unwrap();
    let name = format!("bakeoff-{}-unknown-linux-musl-v0.9.1", machine.trim());
    let served = runner.folder.path().join("served");
    fs::create_dir_all(served.join(&name)).unwrap();
    tool(&served.join(&name).join("bakeoff"), PLAYED);
    let packed = format!(
        "cd '{}' && tar -czf '{name}.tgz' '{name}' && sha256sum '{name}.tgz' >'{name}.tgz.sha256'",
        served.display()
    );
    let packed = Command::new("sh").args(["-c", &packed]).status().unwrap();
    assert!(packed.success());
    // The last argument is the address, and the one behind `--output` the file.
    runner.tool(
        "curl",
        &format!(
            "for last; do :; done
while [ $# -gt 0 ]; do [ \"$1\" = --output ] && out=$2; shift; done
case $last in
  */latest) printf '%s' https://example.test/releases/tag/v0.9.1 ;;
  *) cp '{}'/\"${{last##*/}}\" \"$out\" ;;
esac",
            served.display()
        ),
    );
    let output = runner.run(&[]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(runner.read("called").starts_with("compare\n"));

    fs::remove_dir_all(runner.path("bakeoff")).unwrap();
    fs::remove_file(runner.path("called")).unwrap();
    fs::write(served.join(format!("{name}.tgz")), "another").unwrap();
    let output = runner.run(&[("BAKEOFF_RELEASE", "v0.9.1")]);
    assert!(!output.status.success());
    assert_eq!(runner.read("called"), "", "{output:?}");
}

#[test]
fn the_action_and_the_program_have_the_same_options() {
    let text = fs::read_to_string(root().join(".ci/action")).unwrap();
    let help = bakeoff(&["compare", "--help"]).output().unwrap();
    let help = String::from_utf8(help.stdout).unwrap();
    for option in ["--package", "--call", "--fail-if-slower", "--format"] {
        assert!(text.contains(option) && help.contains(option), "{option}");
    }
    let action = fs::read_to_string(root().join("action.yml")).unwrap();
    for line in text.split(|c: char| !(c.is_ascii_uppercase() || c == '_')) {
        let is_given = line.starts_with("BAKEOFF_") && line != "BAKEOFF_CACHE_DIR";
        assert!(!is_given || action.contains(&format!("{line}: ")), "{line}");
    }
}
