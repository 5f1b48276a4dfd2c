//! The house rules that a machine can hold.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The rooms of `host`, from the ground up: each uses only those before it.
const ROOMS: [&str; 17] = [
    "config",
    "engine",
    "confine",
    "interface",
    "build",
    "artifact",
    "invoke",
    "sandbox",
    "measure",
    "evaluate",
    "events",
    "store",
    "coordinate",
    "doctor",
    "render",
    "cli",
    "main",
];

/// Names that may be written in one room only: each is a door to something outside.
const DOORS: [(&str, &[&str]); 8] = [
    ("wasmtime::Config", &["engine"]),
    ("rusqlite::", &["store"]),
    ("tar::", &["store"]),
    ("Command::new(", &["confine", "build"]),
    ("landlock::", &["confine"]),
    ("seccompiler::", &["confine"]),
    ("cap_std::", &["artifact"]),
    ("wasmtime_wasi", &["sandbox"]),
];

/// No file of code is longer than this.
const LINES_MAX: usize = 500;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn rust_files(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            rust_files(&path, found);
        } else if path.extension().is_some_and(|end| end == "rs") {
            found.push(path);
        }
    }
}

fn files_below(folder: &str) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    rust_files(&root().join(folder), &mut found);
    let read = |path: PathBuf| {
        let text = fs::read_to_string(&path).unwrap();
        (path, text)
    };
    found.into_iter().map(read).collect()
}

/// The room a file of `host/src` belongs to.
fn room(path: &Path) -> String {
    let source = root().join("host/src");
    let inside = path.strip_prefix(&source).unwrap();
    let first = inside
        .components()
        .next()
        .unwrap()
        .as_os_str()
        .to_string_lossy();
    first.trim_end_matches(".rs").to_owned()
}

/// The rooms that a text names by `crate::room` or `crate::{room, …}`.
fn named_rooms(text: &str) -> Vec<String> {
    let code = text
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"));
    let code: String = code.collect::<Vec<_>>().join("\n");
    let mut named = Vec::new();
    for (at, _) in code.match_indices("crate::") {
        // `$crate::` and `bakeoff_crate::` are other things.
        if code[..at].ends_with(|before: char| before.is_alphanumeric() || "_$".contains(before)) {
            continue;
        }
        let rest = &code[at + "crate::".len()..];
        let group = rest.strip_prefix('{').and_then(|rest| rest.split_once('}'));
        let names: Vec<&str> = match group {
            Some((names, _)) => names.split(',').collect(),
            None => vec![rest],
        };
        for name in names {
            let end = |c: char| !(c.is_alphanumeric() || c == '_');
            named.extend(name.trim().split(end).next().map(str::to_owned));
        }
    }
    named
}

#[test]
fn rooms_use_only_rooms_before_them() {
    let order: BTreeMap<&str, usize> = ROOMS
        .iter()
        .enumerate()
        .map(|(place, room)| (*room, place))
        .collect();
    let mut wrong = Vec::new();
    for (path, text) in files_below("host/src") {
        let own = room(&path);
        if own == "lib" {
            continue;
        }
        let Some(place) = order.get(own.as_str()) else {
            wrong.push(format!(
                "{}: the room `{own}` is not in the plan of the house",
                path.display()
            ));
            continue;
        };
        for other in named_rooms(&text) {
            if order.get(other.as_str()).is_some_and(|there| there > place) {
                wrong.push(format!(
                    "{}: `{own}` uses `{other}`, which stands above it",
                    path.display()
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn each_outside_thing_has_one_door() {
    let mut wrong = Vec::new();
    for (path, text) in files_below("host/src") {
        let own = room(&path);
        for (name, rooms) in DOORS {
            if text.contains(name) && !rooms.contains(&own.as_str()) {
                wrong.push(format!(
                    "{}: names `{name}`, which belongs to {}",
                    path.display(),
                    rooms.join(", ")
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_core_is_pure() {
    let forbidden = [
        "std::fs",
        "std::net",
        "std::process",
        "std::env",
        "Instant",
        "SystemTime",
        "tokio",
        "wasmtime",
    ];
    let mut wrong = Vec::new();
    for (path, text) in files_below("host/domain/src") {
        let code = text
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"));
        for (number, line) in code.enumerate() {
            for name in forbidden {
                if line.contains(name) {
                    wrong.push(format!(
                        "{} (line of code {}): names `{name}`",
                        path.display(),
                        number + 1
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn files_are_short() {
    let folders = ["host/src", "host/domain/src", "guest-sdk/src", "tests"];
    let files = folders.iter().flat_map(|folder| files_below(folder));
    let long: Vec<String> = files
        .filter(|(_, text)| text.lines().count() > LINES_MAX)
        .map(|(path, text)| format!("{}: {} lines", path.display(), text.lines().count()))
        .collect();
    assert!(long.is_empty(), "{}", long.join("\n"));
}

#[test]
fn the_project_speaks_of_itself_alone() {
    let unfinished = ["TO", "FIX", "XX"].map(|start| match start {
        "TO" => "TODO".to_owned(),
        "FIX" => "FIXME".to_owned(),
        other => format!("{other}X"),
    });
    let folders = [
        "host/src",
        "host/domain/src",
        "guest-sdk/src",
        "components",
        "examples",
    ];
    let mut wrong = Vec::new();
    for (path, text) in folders.iter().flat_map(|folder| files_below(folder)) {
        for mark in &unfinished {
            if text.contains(mark.as_str()) {
                wrong.push(format!("{}: {mark}", path.display()));
            }
        }
        if text.contains("#[allow(") || text.contains("#![allow(") {
            wrong.push(format!("{}: a silenced lint", path.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_wrong_edge_is_seen() {
    assert_eq!(
        named_rooms("use crate::{store, cli::Status};"),
        ["store", "cli"]
    );
    assert_eq!(
        named_rooms("let x = crate::engine::new();\n// crate::cli"),
        ["engine"]
    );
    assert_eq!(named_rooms("$crate::cli::x"), Vec::<String>::new());
}
