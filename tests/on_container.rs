//! Commands in a container, whose engine is a script: what is to run in it is run here, with another home.

use crate::on::Machines;
use crate::support::measuring_slot;
use rustix::process::{Pid, Signal, kill_process};
use std::fs;
use std::process::Stdio;
use std::time::{Duration, Instant};

const DOCKER: &str = r#"#!/bin/sh
# docker image inspect --format=TEMPLATE IMAGE, or docker run OPTIONS IMAGE ARGUMENTS
echo "$*" >>"$FAR/commands"
if [ "$1" = image ]; then
  exec cat "$FAR/image"
fi
shift
while [ "${1#--}" != "$1" ]; do
  case $1 in --entrypoint=*) program=${1#*=};; esac
  shift
done
shift
if [ "$program" = /usr/bin/bakeoff ]; then program=$FAR/own; fi
export HOME="$FAR/home" TMPDIR="$FAR/tmp" XDG_CACHE_HOME=
unset BAKEOFF_CACHE_DIR
cd "$HOME" || exit 1
exec 3<&0
# Not in this process: a container does not end with what started it.
"$program" "$@" <&3 &
exec 3<&-
wait $!
status=$?
# The program that came through the pipe goes with the container.
rm -rf "$FAR"/tmp/tmp.*
exit $status
"#;

/// A user with a script as `docker`, which has one image.
fn with_image(facts: &str) -> Machines {
    let machines = Machines::new();
    machines.program("docker", DOCKER);
    machines.write("far/image", facts);
    let own = env!("CARGO_BIN_EXE_bakeoff");
    std::os::unix::fs::symlink(own, machines.path("far/own")).unwrap();
    machines
}

/// The facts of an image for this processor, whose label names a version.
fn facts(version: &str) -> String {
    let processor = match std::env::consts::ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        other => other,
    };
    format!("linux/{processor}/{version}\n")
}

#[test]
fn an_experiment_is_run_in_a_container_that_reaches_nothing() {
    let _slot = measuring_slot();
    let machines = with_image(&facts(""));
    let arguments = ["--on", "container:rust:1", "run", "x", "--format", "json"];
    let first = machines.run(&arguments);
    assert_eq!(first.status, 0, "{}", first.stderr);
    let report = first.json();
    assert_eq!(report["recommendation"]["winner"], "quick", "{report:#}");
    assert!(
        first.explains("files came back from rust:1"),
        "{}",
        first.stderr
    );
    machines.nothing_is_left();
    let started = || {
        let commands = fs::read_to_string(machines.path("far/commands")).unwrap();
        commands.lines().last().unwrap().to_owned()
    };
    let command = started();
    for option in [
        "--network=none",
        "--pull=never",
        "--cap-drop=all",
        "--rm",
        "--env=HTTPS_PROXY=",
        "--entrypoint=/bin/sh rust:1 -c",
    ] {
        assert!(command.contains(option), "{option}: {command}");
    }
    let here = machines.path("").display().to_string();
    assert!(!command.contains(&here), "{command}");
    // An image of this version has the program; what was measured is not measured again.
    machines.write("far/image", &facts(env!("CARGO_PKG_VERSION")));
    let second = machines.run(&["--on", "container", "run", "x", "--format", "json"]);
    assert_eq!(second.status, 0, "{}", second.stderr);
    assert_eq!(second.json()["verdicts"], report["verdicts"]);
    let own = concat!(
        "--entrypoint=/usr/bin/bakeoff bakeoff:",
        env!("CARGO_PKG_VERSION"),
        " far-end"
    );
    assert!(started().ends_with(own), "{}", started());
    machines.nothing_is_left();
}

#[test]
fn a_container_that_cannot_be_had_is_an_error_and_nothing_is_fetched() {
    let machines = with_image("");
    let refused = |target: &str, why: &str| {
        let refused = machines.run(&["--on", target, "run", "x"]);
        assert_eq!(refused.status, 5, "{target}: {}", refused.stderr);
        assert!(refused.explains(why), "{target}: {}", refused.stderr);
    };
    refused("container:a", "fetch it with `docker pull a`");
    refused("container", "load that of this release");
    machines.write("far/image", "linux/riscv64/\n");
    refused("container:a", "\"Linux riscv64\"");
    let commands = fs::read_to_string(machines.path("far/commands")).unwrap();
    let inspects = |line: &str| line.starts_with("image inspect ");
    assert!(commands.lines().all(inspects), "{commands}");
    let run = |script: &str| {
        let facts = facts("");
        let inspect = format!(
            "if [ \"$1\" = image ]; then echo '{}'; exit; fi",
            facts.trim()
        );
        machines.program("docker", &format!("#!/bin/sh\n{inspect}\n{script}\n"));
    };
    for (script, why) in [
        ("echo Welcome", "answers with something else"),
        ("echo no shell >&2; exit 127", "does not start the program"),
        // Half of a program is not started.
        (
            "for last; do :; done; head -c 1000 | /bin/sh -c \"$last\"",
            "changed or in part",
        ),
    ] {
        run(script);
        refused("container:a", why);
    }
    fs::remove_file(machines.path("bin/docker")).unwrap();
    let mut command = machines.command(&["--on", "container", "run", "x"]);
    let none = command.env("PATH", machines.path("bin")).output().unwrap();
    let none = crate::support::CommandOutput::from(none);
    assert!(
        none.explains("neither `docker` nor `podman`"),
        "{}",
        none.stderr
    );
    assert!(!machines.path("work/x/.bakeoff").exists());
}

#[test]
fn a_command_in_a_container_that_is_left_ends_there() {
    let _slot = measuring_slot();
    let machines = with_image(&facts(env!("CARGO_PKG_VERSION")));
    machines.experiment("0.0001", "200 s");
    machines.end_early("container", Signal::KILL);
}

#[test]
fn who_waits_for_a_container_can_interrupt_that() {
    let machines = Machines::new();
    machines.program("docker", "#!/bin/sh\n: >\"$FAR/begun\"\nexec sleep 1000\n");
    let mut command = machines.command(&["--on", "container", "run", "x"]);
    command.stdout(Stdio::null()).stderr(Stdio::piped());
    let run = command.spawn().unwrap();
    let patience = Instant::now() + Duration::from_secs(120);
    while !machines.path("far/begun").exists() {
        assert!(Instant::now() < patience, "nothing happens");
        std::thread::sleep(Duration::from_millis(5));
    }
    kill_process(Pid::from_child(&run), Signal::INT).unwrap();
    let ended = run.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(130), "{ended:?}");
}
