//! The folder that bakeoff is started in: what lies in it and above it chooses nothing, and nothing in
//! it is waited for.

use super::batch::{WIT, World};
use crate::support::CommandOutput;
use rustix::fs::{CWD, FileType, Mode, mknodat};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

/// The arguments that name the interface of a [`World`].
const INTERFACE: [&str; 4] = ["--wit", "wit", "--call", "top-k"];

fn world() -> World {
    let world = World::new();
    world.write("experiment/wit/top-k.wit", WIT);
    world.write_approach("good");
    world
}

/// A program that leaves a mark, and fails.
fn write_marker(world: &World, name: &str) {
    let text = format!(
        "#!/bin/sh\ntouch {}\nexit 1\n",
        world.text("temporary/mark")
    );
    world.write(name, text);
    let executable = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(world.path(name), executable).unwrap();
}

/// A toolchain as rustup takes one by its path.
fn write_toolchain(world: &World, folder: &str) {
    for program in ["rustc", "rust-lld", "cargo"] {
        write_marker(world, &format!("{folder}/bin/{program}"));
    }
    world.write(&format!("{folder}/lib/rustlib/x/lib/libcore-1.rlib"), "");
}

/// What looks whether something ran is `World::run`, by the mark that must not be there.
#[test]
fn case_59_toolchain_file_beside() {
    let world = world();
    write_toolchain(&world, "experiment/evil");
    let by_path = format!(
        "[toolchain]\npath = \"{}\"\n",
        world.text("experiment/evil")
    );
    for (file, text) in [
        ("experiment/rust-toolchain.toml", by_path.as_str()),
        ("rust-toolchain.toml", by_path.as_str()),
        ("experiment/rust-toolchain", "nonexistent-channel\n"),
        (
            "experiment/.cargo/config.toml",
            "[build]\nrustc = \"evil/bin/rustc\"\n[env]\nRUSTC = \"evil/bin/rustc\"\n",
        ),
    ] {
        world.write(file, text);
        let mut arguments = vec!["build", "approaches/good.rs"];
        arguments.extend(INTERFACE);
        let said = world.run(&arguments);
        assert_eq!(said.status, 0, "{file}: {}", said.stderr);
        let mut arguments = vec!["check", "approaches/good.rs"];
        arguments.extend(INTERFACE);
        let said = world.run(&arguments);
        assert_eq!(said.status, 0, "{file}: {}", said.stderr);
        std::fs::remove_file(world.path(file)).unwrap();
    }
}

#[test]
fn variables_that_would_let_the_folder_choose_are_refused_or_not_heard() {
    let world = world();
    write_toolchain(&world, "experiment/evil");
    for program in ["rustup", "rustc", "bwrap"] {
        write_marker(&world, &format!("experiment/{program}"));
        write_marker(&world, &format!("experiment/evil/bin/{program}"));
    }
    let mut arguments = vec!["build", "approaches/good.rs"];
    arguments.extend(INTERFACE);
    let built = |variable: &str, value: &str| {
        let mut command = world.command(&arguments);
        let output = command.env(variable, value).output().unwrap();
        let said = output.into();
        world.assert_untouched(&said);
        said
    };
    let usual = std::env::var("PATH").unwrap();
    let inside = world.text("experiment/evil/bin");
    for (variable, value) in [
        ("PATH", format!(":.:evil/bin:{inside}:{usual}")),
        ("RUSTUP_TOOLCHAIN", world.text("experiment/evil")),
        ("RUSTUP_TOOLCHAIN", "nonexistent-channel".to_owned()),
        ("RUSTC_WRAPPER", format!("{inside}/rustc")),
        ("CARGO", format!("{inside}/cargo")),
        ("LD_LIBRARY_PATH", inside.clone()),
        ("RUSTFLAGS", format!("-Clinker={inside}/rust-lld")),
    ] {
        let said = built(variable, &value);
        assert_eq!(said.status, 0, "{variable}={value}: {}", said.stderr);
    }
    for (variable, value, status) in [
        ("RUSTC", "rustc", 5),
        ("RUSTC", "evil/bin/rustc", 5),
        ("BAKEOFF_CACHE_DIR", "cache", 2),
        ("BAKEOFF_POLICY", "policy.toml", 2),
        ("TMPDIR", "tmp", 2),
    ] {
        let said = built(variable, value);
        assert_eq!(said.status, status, "{variable}={value}: {}", said.stderr);
        assert!(said.explains("no absolute path"), "{}", said.stderr);
    }
    // A policy of the folder's own, and variables by which it would be that of the user.
    let everything = "[confinement]\nallow_unconfined = true\n";
    world.write("experiment/.config/bakeoff/policy.toml", everything);
    for variable in ["XDG_CONFIG_HOME", "XDG_CACHE_HOME"] {
        let said = built(variable, ".config");
        assert_eq!(said.status, 0, "{variable}: {}", said.stderr);
    }
    let said = built("XDG_CONFIG_HOME", &world.text("experiment/.config"));
    assert_eq!(said.status, 2, "{}", said.stderr);
    assert!(
        said.explains("policy.toml lies in the folder"),
        "{}",
        said.stderr
    );
}

/// Makes something of a kind at a path.
type Make = fn(&Path);

/// What is no plain file, and how it is called.
const KINDS: [(&str, Make); 4] = [
    ("a pipe", |at| {
        mknodat(CWD, at, FileType::Fifo, Mode::RUSR, 0).unwrap();
    }),
    ("a socket", |at| {
        drop(std::os::unix::net::UnixListener::bind(at).unwrap());
    }),
    ("a device", |at| symlink("/dev/zero", at).unwrap()),
    ("a folder", |at| std::fs::create_dir(at).unwrap()),
];

/// Runs a command with something of a kind in the place of a file, which must be named as that.
/// Returns what was said.
fn assert_refused(
    world: &World,
    (kind, make): (&str, Make),
    file: &str,
    arguments: &[&str],
) -> CommandOutput {
    let path = world.path(&format!("experiment/{file}"));
    let before = std::fs::read(&path).ok();
    let _ = std::fs::remove_file(&path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    make(&path);
    let said = world.run(arguments);
    assert!(
        [1, 2, 5].contains(&said.status)
            && [kind, "not a plain file", "is no folder"]
                .into_iter()
                .any(|words| said.explains(words)),
        "{kind} as {file}: {} {}",
        said.status,
        said.stderr
    );
    match path.is_dir() {
        true => std::fs::remove_dir(&path).unwrap(),
        false => std::fs::remove_file(&path).unwrap(),
    }
    if let Some(before) = before {
        std::fs::write(&path, before).unwrap();
    }
    said
}

/// None of these would ever end if it were waited for.
#[test]
fn case_83_fifo_and_device_inputs() {
    let world = world();
    for kind in KINDS {
        let mut build = vec!["build", "x.rs"];
        build.extend(INTERFACE);
        assert_refused(&world, kind, "x.rs", &build);
    }
    for kind in KINDS.into_iter().filter(|(kind, _)| *kind != "a folder") {
        assert_refused(&world, kind, "x.json", &["report", "x.json"]);
    }
    let pipe = KINDS[0];
    let run = ["run", ".", "--budget", "100ms"];
    assert_refused(&world, pipe, "bakeoff.toml", &run);
    assert_refused(&world, pipe, "x.toml", &["run", "x.toml"]);
    for reading in ["status", "runs", "report", "pick"] {
        let said = assert_refused(&world, pipe, "bakeoff.toml", &[reading, "."]);
        let next =
            "bakeoff.toml`: it is a pipe, not a file; remove it, and put the experiment there";
        assert!(said.explains(next), "{}", said.stderr);
    }
    assert_refused(&world, pipe, "x.bundle", &["verify", "x.bundle"]);
    let with = |inputs: &str, approach: &str| {
        let text = format!(
            "name = \"x\"\nproblem = \"x\"\n[interface]\nwit = \"wit\"\ncall = \"top-k\"\n\
             [workload]\n{inputs}\n[[approach]]\nname = \"x\"\n{approach}\n"
        );
        world.write("experiment/bakeoff.toml", text);
    };
    let good = "source = \"approaches/good.rs\"";
    with("source = \"workload.rs\"\nsizes = [10]", good);
    assert_refused(&world, pipe, "workload.rs", &run);
    with("cases = \"cases.toml\"", "component = \"x.wasm\"");
    let cases = "[[case]]\ncall = \"top-k([3, 1], 1)\"\nexpect = \"[3]\"\n";
    world.write("experiment/cases.toml", cases);
    assert_refused(&world, pipe, "x.wasm", &run);
    with("cases = \"cases.toml\"", good);
    for file in [
        "cases.toml",
        "wit/top-k.wit",
        "approaches/good.rs",
        ".bakeoff/x/events.jsonl",
        ".bakeoff/x/lock",
    ] {
        assert_refused(&world, pipe, file, &run);
    }
    assert_refused(&world, pipe, ".bakeoff/x/bakeoff.db", &["runs", "."]);
    assert_refused(&world, pipe, ".bakeoff/x/report.json", &["report", "."]);
}
