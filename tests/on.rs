//! Commands on another machine, whose `ssh` is a script: what it is asked to run is run here, with another home.

use crate::support::{CommandOutput, bakeoff, measuring_slot};
use rustix::process::{Pid, Signal, kill_process};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const SSH: &str = r#"#!/bin/sh
# ssh -T -o OPTION -- HOST COMMAND
shift 4
echo "$1" >>"$FAR/hosts"
export HOME="$FAR/home" TMPDIR="$FAR/tmp" XDG_CACHE_HOME=
unset BAKEOFF_CACHE_DIR
cd "$HOME" || exit 1
exec 3<&0
# Not in this process: what is started on another machine does not end with `ssh`.
/bin/sh -c "$2" <&3 &
exec 3<&-
wait $!
"#;

const WIT: &str = "package a:b;\nworld prototype { export total: func(values: list<u32>) -> u64; }
world workload { export generate: func(size: u32, seed: u64) -> list<u32>; }\n";

/// A user with a folder here, and another machine.
pub(crate) struct Machines {
    folder: tempfile::TempDir,
}

impl Machines {
    pub(crate) fn new() -> Self {
        let machines = Self {
            folder: tempfile::tempdir().unwrap(),
        };
        for folder in ["far/home", "far/tmp", "near/home", "bin", "work/x"] {
            fs::create_dir_all(machines.path(folder)).unwrap();
        }
        machines.program("ssh", SSH);
        machines.write("work/x/total.wit", WIT);
        machines.write(
            "work/x/quick.rs",
            "pub fn total(values: Vec<u32>) -> u64 { values.iter().map(|one| u64::from(*one)).sum() }\n",
        );
        machines.write(
            "work/x/slow.rs",
            "pub fn total(values: Vec<u32>) -> u64 {\n    let mut total = 0;\n    for _ in 0..40 { total = \
             std::hint::black_box(&values).iter().map(|one| u64::from(*one)).sum(); }\n    total\n}\n",
        );
        machines.write(
            "work/x/workload.rs",
            "pub fn generate(size: u32, seed: u64) -> Vec<u32> { (0..size).map(|one| one ^ seed as u32).collect() }\n",
        );
        machines.experiment("0.5", "20 s");
        machines
    }

    pub(crate) fn experiment(&self, precision: &str, budget: &str) {
        let approach = |name: &str| {
            format!(
                "[[approach]]\nname = \"{name}\"\nsource = \"{name}.rs\"\ndescription = \"It.\"\n"
            )
        };
        self.write(
            "work/x/bakeoff.toml",
            &format!(
                "name = \"total\"\nproblem = \"Which sum?\"\n[interface]\nwit = \"total.wit\"\ncall = \"total\"\n\
                 [workload]\nsource = \"workload.rs\"\nsizes = [2_000]\n{}{}[measure]\nprecision = {precision}\nbudget = \"{budget}\"\n",
                approach("quick"),
                approach("slow")
            ),
        );
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    /// Writes a program of the user's search path.
    pub(crate) fn program(&self, name: &str, script: &str) {
        let path = format!("bin/{name}");
        self.write(&path, script);
        fs::set_permissions(self.path(&path), fs::Permissions::from_mode(0o700)).unwrap();
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = bakeoff(arguments);
        let path = std::env::var("PATH").unwrap();
        command
            .current_dir(self.path("work"))
            .env("PATH", format!("{}:{path}", self.path("bin").display()))
            .env("FAR", self.path("far"))
            .env("HOME", self.path("near/home"))
            // The toolchain is that of this machine.
            .env("CARGO_HOME", home("CARGO_HOME", ".cargo"))
            .env("RUSTUP_HOME", home("RUSTUP_HOME", ".rustup"));
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> CommandOutput {
        self.command(arguments).output().unwrap().into()
    }

    /// Names of what lies in a folder of the other machine.
    pub(crate) fn far(&self, folder: &str) -> Vec<String> {
        let entries = fs::read_dir(self.path("far").join(folder));
        let entries = entries.into_iter().flatten().flatten();
        let names = entries.map(|entry| entry.file_name().into_string().unwrap());
        names.collect()
    }

    /// Waits until nothing of a command is left on the other machine: no folder and no process in one.
    pub(crate) fn nothing_is_left(&self) {
        let patience = Instant::now() + Duration::from_secs(60);
        let place = self.path("far/tmp").canonicalize().unwrap();
        loop {
            let folders = self.far("tmp");
            let processes = processes_in(&place);
            if folders.is_empty() && processes.is_empty() {
                return;
            }
            assert!(Instant::now() < patience, "{folders:?} {processes:?}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Runs the experiment elsewhere, and sends this end a signal once something of it is kept there. An interrupted
    /// command ends by itself; a killed one brings nothing back.
    pub(crate) fn end_early(&self, target: &str, signal: Signal) {
        let mut command = self.command(&["--on", target, "run", "x"]);
        command.stdout(Stdio::null()).stderr(Stdio::piped());
        let run = command.spawn().unwrap();
        let patience = Instant::now() + Duration::from_secs(120);
        let far = self.path("far/tmp").canonicalize().unwrap();
        // Until the command is at work there.
        while processes_in(&far).is_empty() {
            assert!(Instant::now() < patience, "nothing happens");
            std::thread::sleep(Duration::from_millis(5));
        }
        let results = || {
            let folders = fs::read_dir(&far).into_iter().flatten().flatten();
            let mut places =
                folders.map(|entry| entry.path().join("work/x/.bakeoff/total/events.jsonl"));
            places.any(|place| place.exists())
        };
        while !results() {
            assert!(Instant::now() < patience, "nothing is kept");
            std::thread::sleep(Duration::from_millis(5));
        }
        kill_process(Pid::from_child(&run), signal).unwrap();
        let ended = run.wait_with_output().unwrap();
        self.nothing_is_left();
        if signal == Signal::INT {
            assert_eq!(ended.status.code(), Some(130), "{ended:?}");
            let said = String::from_utf8_lossy(&ended.stderr);
            let again = format!("To go on:\n  bakeoff --on {target} run x\n");
            assert!(said.contains(&again), "{said}");
        } else {
            let came = self.path("work/x/.bakeoff/total").exists();
            assert!(!came, "nothing half comes back");
        }
    }
}

fn home(variable: &str, folder: &str) -> PathBuf {
    let named = std::env::var_os(variable).map(PathBuf::from);
    named.unwrap_or_else(|| Path::new(&std::env::var_os("HOME").unwrap()).join(folder))
}

/// Numbers of processes whose working folder lies below a folder.
fn processes_in(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir("/proc").unwrap().flatten();
    let is_there = |entry: &fs::DirEntry| {
        fs::read_link(entry.path().join("cwd")).is_ok_and(|cwd| cwd.starts_with(folder))
    };
    let there = entries.filter(is_there);
    there
        .map(|entry| entry.file_name().into_string().unwrap())
        .collect()
}

#[test]
fn an_experiment_is_run_on_another_machine_and_its_results_come_back() {
    let _slot = measuring_slot();
    let machines = Machines::new();
    let arguments = ["--on", "ssh:me@fast", "run", "x", "--format", "json"];
    let first = machines.run(&arguments);
    assert_eq!(first.status, 0, "{}", first.stderr);
    let report = first.json();
    assert_eq!(report["recommendation"]["winner"], "quick", "{report:#}");
    assert!(
        first.explains("me@fast gets this program, once"),
        "{}",
        first.stderr
    );
    assert!(
        first.explains("files came back from me@fast"),
        "{}",
        first.stderr
    );
    let kept = fs::read_to_string(machines.path("work/x/.bakeoff/total/report.json")).unwrap();
    assert_eq!(kept.trim(), first.stdout.trim());
    let shown = machines.run(&["report", "x", "--format", "json"]);
    assert_eq!(shown.json()["recommendation"]["winner"], "quick");
    machines.nothing_is_left();
    // The second time, the program is there, and what was measured is not measured again, whatever the file is called.
    let file = |name: &str| machines.path(&format!("work/x/{name}.toml"));
    fs::rename(file("bakeoff"), file("languages")).unwrap();
    let second = machines.run(&[
        "--on",
        "ssh:me@fast",
        "run",
        "x/languages.toml",
        "--format",
        "json",
    ]);
    assert_eq!(second.status, 0, "{}", second.stderr);
    assert!(!second.explains("gets this program"), "{}", second.stderr);
    assert_eq!(second.json()["verdicts"], report["verdicts"]);
    assert!(
        second.explains("is kept in bakeoff-before-elsewhere"),
        "{}",
        second.stderr
    );
    let hosts = fs::read_to_string(machines.path("far/hosts")).unwrap();
    assert_eq!(hosts, "me@fast\n".repeat(4));
    assert_eq!(machines.far("home/.cache/bakeoff-programs").len(), 1);
}

#[test]
fn errors_and_statuses_are_those_of_the_command_and_outputs_come_back() {
    let machines = Machines::new();
    let built = machines.run(&[
        "--on",
        "ssh:fast",
        "build",
        "x/quick.rs",
        "--wit",
        "x/total.wit",
        "--call",
        "total",
        "-o",
        "out/quick.wasm",
    ]);
    assert_eq!(built.status, 0, "{}", built.stderr);
    let component = fs::read(machines.path("work/out/quick.wasm")).unwrap();
    assert!(component.starts_with(b"\0asm"));
    // What is there already is sent, so that it is known not to have changed meanwhile.
    machines.write("work/out/quick.wasm", "another one");
    let source = machines.path("work/x/quick.rs").canonicalize().unwrap();
    let again = machines.run(&[
        "--on",
        "ssh:fast",
        "build",
        source.to_str().unwrap(),
        "--wit",
        "x/total.wit",
        "--call",
        "total",
        "-o",
        "out/quick.wasm",
    ]);
    assert_eq!(again.status, 0, "{}", again.stderr);
    assert!(again.explains("1 file came back"), "{}", again.stderr);
    assert_eq!(
        fs::read(machines.path("work/out/quick.wasm")).unwrap(),
        component
    );
    let before = machines.path("work/bakeoff-before-elsewhere/out/quick.wasm");
    assert_eq!(fs::read(before).unwrap(), b"another one");
    let none = machines.run(&["--on", "ssh:fast", "archive", "x"]);
    assert_eq!(none.status, 2, "{}", none.stderr);
    assert!(none.explains("no search of yours"), "{}", none.stderr);
    machines.write("work/x/slow.rs", "pub fn total(values: Vec<u32>) -> u64 {");
    let build = [
        "build",
        "x/slow.rs",
        "--wit",
        "x/total.wit",
        "--call",
        "total",
        "-o",
        "y.wasm",
    ];
    let broken = machines.run(&[&["--on", "ssh:fast"], &build[..]].concat());
    let here = machines.run(&build);
    assert_eq!(broken.status, here.status, "{}", broken.stderr);
    assert!(broken.explains("x/slow.rs"), "{}", broken.stderr);
    assert!(!machines.path("work/y.wasm").exists());
    machines.nothing_is_left();
}

#[test]
fn what_cannot_be_done_elsewhere_is_refused_before_anything_is_sent() {
    let machines = Machines::new();
    for (arguments, why) in [
        (
            vec!["--on", "ssh:fast", "serve", "x"],
            "--on is for archive, build",
        ),
        (vec!["--on", "ssh:-oProxyCommand=x", "run", "x"], "ssh:HOST"),
        (vec!["--on", "docker:x", "run", "x"], "container:IMAGE"),
        (
            vec!["--on", "ssh:fast", "run", "../work/x"],
            "leads out of the folder",
        ),
        (
            vec!["--on", "ssh:fast", "--on-send", "nothing", "run", "x"],
            "there is no such file",
        ),
        (
            vec!["--on", "ssh:fast", "--on-binary", "x/total.wit", "run", "x"],
            "this is no program",
        ),
        (vec!["--on-send", "x", "run", "x"], "--on"),
    ] {
        let refused = machines.run(&arguments);
        assert_eq!(refused.status, 2, "{arguments:?}: {}", refused.stderr);
        assert!(refused.explains(why), "{arguments:?}: {}", refused.stderr);
    }
    assert!(!machines.path("far/hosts").exists());
    for (script, why) in [
        ("echo Welcome; exit 0", "answers with something else"),
        ("echo no route >&2; exit 255", "cannot be reached"),
        ("echo 'bakeoff-lacks Plan9 mips'", "--on-binary"),
        (
            "case \"$6\" in *sha256sum*) echo full;; *) echo 'bakeoff-lacks Linux '$(uname -m);; esac",
            "did not take",
        ),
    ] {
        machines.write("bin/ssh", &format!("#!/bin/sh\n{script}\n"));
        let refused = machines.run(&["--on", "ssh:fast", "run", "x"]);
        assert_eq!(refused.status, 5, "{script}: {}", refused.stderr);
        assert!(refused.explains(why), "{script}: {}", refused.stderr);
    }
    assert!(!machines.path("work/x/.bakeoff").exists());
}

#[test]
fn case_311_what_ssh_says_commands_no_terminal() {
    let machines = Machines::new();
    let said = r"printf '\033]0;own\007\033[2J\302\2332Jbakeoff: all is well\n' >&2; exit 255";
    machines.write("bin/ssh", &format!("#!/bin/sh\n{said}\n"));
    let refused = machines.run(&["--color", "always", "--on", "ssh:fast", "run", "x"]);
    assert_eq!(refused.status, 5, "{}", refused.stderr);
    let line = refused.stderr.lines().next().unwrap();
    assert!(line.starts_with(r"ssh: \u{1b}]0;own"), "{line}");
    assert!(line.ends_with("bakeoff: all is well"), "{line}");
    assert!(!line.chars().any(char::is_control), "{line}");
}

#[test]
fn case_315_a_pipe_gets_no_commands_of_a_terminal() {
    let machines = Machines::new();
    let text = "a\u{1b}]0;t\u{7}\u{9b}2J\u{202e}\r\u{1b}[8mb\u{1b}[31mc\u{1b}[0m\td\n";
    let length = u8::try_from(text.len()).unwrap();
    assert!(length < 128);
    let mut output = Vec::new();
    let mut message = |tag: u8, content: &[u8]| {
        let bytes = u32::try_from(content.len() + 1).unwrap();
        output.extend(bytes.to_le_bytes());
        output.push(tag);
        output.extend(content);
    };
    // The far end is there, prints, ends with 0, and has sent everything.
    message(0, &[]);
    message(1, &[&[length], text.as_bytes()].concat());
    message(3, &[1, 0]);
    message(7, &[]);
    fs::write(machines.path("far/output"), output).unwrap();
    machines.write(
        "bin/ssh",
        "#!/bin/sh\ncat \"$FAR/output\"\nexec cat >/dev/null\n",
    );
    let escaped = r"a\u{1b}]0;t\u{7}\u{9b}2J\u{202e}\u{1b}[8mb";
    for (color, rest) in [("never", "c\td\n"), ("always", "\u{1b}[31mc\u{1b}[0m\td\n")] {
        let shown = machines.run(&["--color", color, "--on", "ssh:fast", "run", "x"]);
        assert_eq!(shown.status, 0, "{}", shown.stderr);
        assert_eq!(shown.stdout, format!("{escaped}{rest}"));
    }
}

#[test]
fn a_command_that_is_interrupted_or_left_leaves_nothing_on_the_other_machine() {
    let _slot = measuring_slot();
    let machines = Machines::new();
    machines.experiment("0.0001", "200 s");
    machines.end_early("ssh:fast", Signal::INT);
    assert!(
        machines.path("work/x/.bakeoff/total").exists(),
        "what is finished comes back"
    );
    // They are results of another machine, whose own word is not taken for a command.
    let said = |command: &str| {
        let said = machines.run(&[command, "x"]);
        let words: Vec<&str> = said.stdout.split_whitespace().collect();
        words.join(" ")
    };
    let status = said("status");
    // A run that was ended before it could say so is one that nobody runs.
    let again = [
        "it goes on with: bakeoff --on ssh:HOST run x",
        "the same command goes on",
    ];
    assert!(again.iter().any(|one| status.contains(one)), "{status}");
    // There may be nothing to report yet.
    let report = said("report");
    assert!(!report.contains("To go on: bakeoff run"), "{report}");
    fs::remove_dir_all(machines.path("work/x/.bakeoff")).unwrap();
    machines.end_early("ssh:fast", Signal::KILL);
}
