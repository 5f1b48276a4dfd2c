//! Approaches that coding agents write. The agents are scripts.

use super::{cassette, idea};
use crate::revisions::{Repository, has_git};
use crate::support::{CommandOutput, bakeoff};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

/// An agent that does what the name of its variant says. It copies the approach that is there, which is right.
const AGENT: &str = r#"
task=$(cat)
file=$(printf '%s\n' "$task" | sed -n 's/^Write the file \(.*\)\.$/\1/p' | head -n 1)
mkdir -p "$(dirname "$file")"
right=sorting/approaches/all_pairs.rs
case $BAKEOFF_VARIANT in
  right) cp $right "$file"; echo more >notes.txt; echo said >DONE.md;;
  mended) echo 'pub fn count_inversions(_: Vec<i32>) -> u64 { 1 }' >"$file";;
  mended.2) [ -f "$file" ] && printf '%s' "$task" | grep -q 'wrong-answer' && cp $right "$file";;
  broken*) echo 'pub fn' >>"$file";;
  idle) ;;
  elsewhere) echo 'pub fn' >sorting/other.rs;;
  fails) exit 7;;
  waits) [ -e "$GATE/open" ] || sleep 600; cp $right "$file";;
  *) eval "$(cat sorting/attack.sh)";;
esac
"#;

/// A repository with an experiment in a folder of it.
fn repository() -> Option<Repository> {
    if !has_git() {
        return None;
    }
    let repository = Repository::new();
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/inversions");
    for name in [
        "bakeoff.toml",
        "workload.rs",
        "wit/inversions.wit",
        "approaches/all_pairs.rs",
    ] {
        let text = fs::read_to_string(from.join(name)).unwrap();
        repository.write(&format!("sorting/{name}"), &text);
    }
    repository.write("agent.sh", AGENT);
    repository.commit();
    Some(repository)
}

const COMMAND: [&str; 6] = [
    "generate",
    "sorting",
    "--agent",
    "sh agent.sh",
    "--format",
    "json",
];

fn generate(repository: &Repository, more: &[&str]) -> CommandOutput {
    let mut command = bakeoff(&[&COMMAND, more].concat());
    command
        .current_dir(repository.path())
        .output()
        .unwrap()
        .into()
}

/// Runs agents for ideas of these names.
fn written(repository: &Repository, names: &[&str], more: &[&str]) -> CommandOutput {
    let ideas: Vec<String> = names.iter().map(|name| format!("{name}=do it")).collect();
    let ideas = ideas.iter().flat_map(|idea| ["--idea", idea]);
    generate(repository, &[&ideas.collect::<Vec<_>>(), more].concat())
}

fn approach<'a>(made: &'a Value, name: &str) -> &'a Value {
    let approaches = made["approaches"].as_array().unwrap();
    approaches.iter().find(|one| one["name"] == name).unwrap()
}

fn rows<'a>(made: &'a Value, name: &str) -> Vec<&'a Value> {
    let rows = made["agents"].as_array().unwrap().iter();
    rows.filter(|row| row["approach"] == name).collect()
}

fn experiment_file(repository: &Repository) -> String {
    fs::read_to_string(repository.path().join("sorting/bakeoff.toml")).unwrap()
}

/// The files that differ from the last commit, except what is kept beside the experiment.
fn changed_files(repository: &Repository) -> Vec<String> {
    let status = repository.git(&["status", "--porcelain", "--untracked-files=all"]);
    let lines = status.lines().map(|line| line.trim().to_owned());
    lines.filter(|line| !line.contains(".bakeoff/")).collect()
}

#[test]
fn agents_write_approaches_that_are_tried_and_repaired_and_the_rest_stays_on_their_branches() {
    let Some(repository) = repository() else {
        return;
    };
    let names = ["right", "mended", "broken", "idle", "elsewhere", "fails"];
    let output = written(&repository, &names, &["--repairs", "1"]);
    assert_eq!(output.status, 3, "{}{}", output.stdout, output.stderr);
    let made = output.json();
    let right = approach(&made, "right");
    assert_eq!(right["outcome"], "passed", "{right}");
    assert_eq!(right["file"], "approaches/generated-1.rs");
    let [row] = rows(&made, "right")[..] else {
        panic!("{made}");
    };
    assert_eq!(row["branch"], "bakeoff/generate/right");
    assert_eq!(row["file"], "sorting/approaches/right.rs");
    assert_eq!(row["other_files"], json!(["notes.txt"]));
    let changed = repository.git(&["diff", "--name-only", "HEAD", "bakeoff/generate/right"]);
    assert_eq!(changed, "notes.txt\nsorting/approaches/right.rs");
    // A repair begins with what the attempt before it left, and is told what was wrong.
    let mended = approach(&made, "mended");
    assert_eq!(mended["outcome"], "passed", "{mended}");
    assert_eq!(mended["attempts"], 2);
    assert_eq!(mended["iterations"][0]["outcome"], "wrong-answer");
    assert_eq!(
        repository.git(&["rev-parse", "bakeoff/generate/mended.2^"]),
        repository.git(&["rev-parse", "bakeoff/generate/mended"])
    );
    assert_eq!(approach(&made, "broken")["outcome"], "build-failed");
    assert_eq!(rows(&made, "broken").len(), 2);
    for (name, reason) in [
        ("idle", "changed nothing"),
        ("elsewhere", "left no file sorting/approaches/elsewhere.rs"),
        ("fails", "status 7"),
    ] {
        let one = approach(&made, name);
        assert_eq!(one["outcome"], "agent", "{one}");
        assert!(one["message"].as_str().unwrap().contains(reason), "{one}");
        assert!(one["file"].is_null());
    }
    // What passed is in the experiment, whose other files are as they were.
    let now = experiment_file(&repository);
    assert!(
        now.contains("name = \"right\"") && now.contains("name = \"mended\""),
        "{now}"
    );
    assert!(!now.contains("broken"), "{now}");
    assert_eq!(
        changed_files(&repository),
        [
            "M sorting/bakeoff.toml",
            "?? sorting/approaches/generated-1.rs",
            "?? sorting/approaches/generated-2.rs"
        ]
    );
}

#[test]
fn a_killed_command_goes_on_and_starts_no_agent_that_had_ended() {
    let Some(repository) = repository() else {
        return;
    };
    let gate = tempfile::tempdir().unwrap();
    let gate_path = gate.path().to_str().unwrap();
    let more = ["--read", gate_path, "--env", "GATE"];
    let ideas = ["--idea", "right=do it", "--idea", "waits=do it"];
    let command = || {
        let mut command = bakeoff(&[&COMMAND, &ideas[..], &more].concat());
        command
            .current_dir(repository.path())
            .env("GATE", gate_path);
        command
    };
    let mut first = command().spawn().unwrap();
    let right = repository
        .path()
        .join(".bakeoff/generate/completions/right/completion.json");
    let waits = repository.path().join(".bakeoff/generate/worktrees/waits");
    let started = Instant::now();
    while !(right.exists() && waits.exists()) {
        assert!(
            started.elapsed() < Duration::from_secs(120),
            "nothing was written"
        );
        assert!(first.try_wait().unwrap().is_none(), "it ended");
        std::thread::sleep(Duration::from_millis(50));
    }
    kill_process(Pid::from_child(&first), Signal::KILL).unwrap();
    first.wait().unwrap();
    let before = fs::read(&right).unwrap();
    fs::write(gate.path().join("open"), "").unwrap();
    let output: CommandOutput = command().output().unwrap().into();
    assert_eq!(output.status, 0, "{}{}", output.stdout, output.stderr);
    let made = output.json();
    assert_eq!(rows(&made, "right")[0]["is_kept"], true);
    assert_eq!(rows(&made, "waits")[0]["is_kept"], false);
    assert_eq!(fs::read(&right).unwrap(), before);
    let now = experiment_file(&repository);
    assert!(
        now.contains("name = \"right\"") && now.contains("name = \"waits\""),
        "{now}"
    );
    // The same once more is refused, and asks nobody.
    let again: CommandOutput = command().output().unwrap().into();
    assert_eq!(again.status, 2);
    assert!(again.explains("approach right already"), "{}", again.stderr);
}

#[test]
fn a_wish_keeps_its_place_and_a_model_is_asked_for_ideas_alone() {
    let Some(repository) = repository() else {
        return;
    };
    let wish = "\n[[approach]]\nname = \"right\"\ndescription = \"do it\"\nwrite = true\n";
    repository.write(
        "sorting/bakeoff.toml",
        &(experiment_file(&repository) + wish),
    );
    // Nothing names an idea but the wish, so no model is needed.
    let output = generate(&repository, &[]);
    assert_eq!(output.status, 0, "{}{}", output.stdout, output.stderr);
    assert_eq!(output.json()["calls"], 0);
    assert!(experiment_file(&repository).contains("source = \"approaches/right.rs\""));

    let folder = tempfile::tempdir().unwrap();
    let ideas = json!({"approaches": [idea("mended")]});
    let replies = cassette(folder.path(), &[("approaches", "round 1", ideas)]);
    let model = [
        "--provider",
        "replay",
        "--cassette",
        replies.to_str().unwrap(),
    ];
    let output = generate(&repository, &[&model[..], &["--approaches", "1"]].concat());
    let made = output.json();
    // It does the work of the one that is there, which it copied.
    assert_eq!(approach(&made, "mended")["outcome"], "duplicate", "{made}");
    assert_eq!(rows(&made, "mended").len(), 2, "{made}");
}

#[test]
fn an_experiment_that_wants_agents_starts_none_and_says_which_option_is_missing() {
    let Some(repository) = repository() else {
        return;
    };
    let table = "\n[generate]\nprovider = \"ollama\"\nmodel = \"x\"\nworkspace = \"worktree\"\n";
    repository.write(
        "sorting/bakeoff.toml",
        &(experiment_file(&repository) + table),
    );
    let run = |arguments: &[&str]| -> CommandOutput {
        let mut command = bakeoff(arguments);
        command
            .current_dir(repository.path())
            .output()
            .unwrap()
            .into()
    };
    for arguments in [
        &[
            "generate",
            "sorting",
            "--provider",
            "ollama",
            "--model",
            "x",
        ][..],
        &["run", "sorting", "--generate", "--yes"],
    ] {
        let output = run(arguments);
        assert_eq!(output.status, 2, "{}", output.stderr);
        assert!(output.explains("--agent COMMAND"), "{}", output.stderr);
    }
    // Options of the fence are those of an agent.
    let alone = run(&["generate", "sorting", "--provider", "ollama", "--network"]);
    assert_eq!(alone.status, 2);
    assert!(alone.explains("--agent"), "{}", alone.stderr);
    let none = generate(&repository, &[]);
    assert_eq!(none.status, 2);
    assert!(none.explains("--idea NAME=TEXT"), "{}", none.stderr);
    let asks = generate(&repository, &["--approaches", "2"]);
    assert!(asks.explains("--provider"), "{}", asks.stderr);
    let dry = written(&repository, &["right", "idle"], &["--dry-run"]);
    assert_eq!(dry.status, 0, "{}", dry.stderr);
    let branches = json!(["bakeoff/generate/right", "bakeoff/generate/idle"]);
    assert_eq!(dry.json()["branches"], branches);
    // Nothing was begun by any of them.
    assert!(!repository.path().join(".bakeoff/generate").exists());
    assert!(!repository.path().join("sorting/.bakeoff").exists());
    assert_eq!(repository.git(&["branch", "--list", "bakeoff/*"]), "");
}

#[test]
fn case_259_an_agent_that_writes_an_approach_changes_nothing_else_of_the_experiment() {
    let Some(repository) = repository() else {
        return;
    };
    let secret = tempfile::tempdir().unwrap();
    let secret = secret.path().join("secret");
    fs::write(&secret, "CANARY-7259").unwrap();
    let attack = r#"
        echo 'pub fn check() -> bool { true }' >sorting/workload.rs
        echo 'problem = "CANARY-7259"' >>sorting/bakeoff.toml
        echo 'pub fn f() {}' >sorting/approaches/all_pairs.rs
        case $BAKEOFF_VARIANT in
          link) ln -s SECRET "$file";;
          folder) mkdir "$file"; echo x >"$file/x";;
          large) head -c 3000000 /dev/zero | tr '\0' ' ' >"$file";;
          bytes) printf '\377' >"$file";;
          reads*) echo 'pub fn count_inversions(_: Vec<i32>) -> u64 { include_str!("SECRET").len() as u64 }' >"$file";;
        esac
    "#;
    let attack = attack.replace("SECRET", secret.to_str().unwrap());
    repository.write("sorting/attack.sh", &attack);
    repository.commit();
    let head = repository.git(&["rev-parse", "HEAD"]);
    let names = ["link", "folder", "large", "bytes", "reads"];
    let output = written(&repository, &names, &["--repairs", "0"]);
    assert_eq!(output.status, 1, "{}{}", output.stdout, output.stderr);
    let made = output.json();
    for (name, reason) in [
        ("link", "only plain files are taken over"),
        ("folder", "is no file"),
        ("large", "are the most"),
        ("bytes", "is not UTF-8"),
    ] {
        let one = approach(&made, name);
        assert_eq!(one["outcome"], "agent", "{one}");
        assert!(one["message"].as_str().unwrap().contains(reason), "{one}");
    }
    assert_ne!(approach(&made, "reads")["outcome"], "passed");
    assert!(!output.stdout.contains("CANARY"), "{}", output.stdout);
    assert_eq!(changed_files(&repository), Vec::<String>::new());
    assert_eq!(repository.git(&["rev-parse", "HEAD"]), head);
}
