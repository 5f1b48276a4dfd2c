//! The rooms of all crates as one tree of modules, in which `crate::ROOM` is a room whatever crate it lies in.

use super::architecture::Room;
use super::source::{self, Segments, Source, Tests};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The crate of the library and the command line: its rooms are its modules.
const TOP: &str = "host/src";

/// The rooms of a crate.
struct Crate<'a> {
    /// The room that its root is, if it is one.
    root: Option<&'a str>,
    /// The rooms that are folders of it.
    inner: Vec<&'a str>,
}

/// The folder of a room's sources.
pub(crate) fn folder(root: &Path, room: &Room) -> PathBuf {
    let of_crate = root.join(&room.crate_folder);
    match room.crate_folder.as_str() {
        TOP => of_crate.join(&room.name),
        _ if is_root(room) => of_crate.join("src"),
        _ => of_crate.join("src").join(&room.name),
    }
}

/// Every module of every room, by its path in the tree of rooms.
pub(crate) fn modules(root: &Path, rooms: &[Room], tests: Tests) -> BTreeMap<Segments, Source> {
    let crates = crates(rooms);
    let mut all = BTreeMap::new();
    for (folder, of_crate) in &crates {
        let sources = match *folder {
            TOP => root.join(folder),
            _ => root.join(folder).join("src"),
        };
        for (mut module, mut source) in source::modules(&sources, tests) {
            place(&mut module, of_crate);
            let lists = [&mut source.imports, &mut source.exports];
            let named = lists.into_iter().flatten().map(|(_, path)| path);
            for path in named.chain(&mut source.paths) {
                rewrite(path, of_crate, &crates);
            }
            all.insert(module, source);
        }
    }
    all
}

fn is_root(room: &Room) -> bool {
    room.crate_folder.strip_prefix("host/") == Some(&room.name)
}

fn crates(rooms: &[Room]) -> BTreeMap<&str, Crate<'_>> {
    let mut crates: BTreeMap<&str, Crate> = BTreeMap::new();
    for room in rooms {
        let of_crate = crates.entry(&room.crate_folder).or_insert(Crate {
            root: None,
            inner: Vec::new(),
        });
        if is_root(room) {
            of_crate.root = Some(&room.name);
        } else {
            of_crate.inner.push(&room.name);
        }
    }
    crates
}

/// Puts the root's own room into a path that begins with the crate.
fn place(path: &mut Segments, of_crate: &Crate) {
    let is_inner = path
        .get(1)
        .is_some_and(|name| of_crate.inner.contains(&name.as_str()));
    if let (Some(root), false) = (of_crate.root, is_inner) {
        path.insert(1, root.to_owned());
    }
}

/// Writes a path of a crate of ours as one of the tree of rooms; all others stay.
fn rewrite(path: &mut Segments, here: &Crate, crates: &BTreeMap<&str, Crate>) {
    if path[0] == "crate" {
        place(path, here);
        return;
    }
    let other = path[0].strip_prefix("bakeoff_");
    let other = other.and_then(|name| crates.get(format!("host/{name}").as_str()));
    if let Some(other) = other {
        path[0] = "crate".to_owned();
        place(path, other);
    }
}

#[test]
fn a_path_is_that_of_its_room_whatever_the_crate() {
    let room = |name: &str, folder: &str| Room {
        name: name.to_owned(),
        crate_folder: folder.to_owned(),
        doors: Vec::new(),
    };
    let rooms = [
        room("tasks", "host/confine"),
        room("confine", "host/confine"),
        room("cli", TOP),
    ];
    let crates = crates(&rooms);
    let written = |path: &str, here: &str| {
        let mut path: Segments = path.split("::").map(str::to_owned).collect();
        rewrite(&mut path, &crates[here], &crates);
        path.join("::")
    };
    assert_eq!(
        written("crate::tasks::A", "host/confine"),
        "crate::tasks::A"
    );
    assert_eq!(written("crate::A", "host/confine"), "crate::confine::A");
    assert_eq!(written("bakeoff_confine::tasks::A", TOP), "crate::tasks::A");
    assert_eq!(written("bakeoff_confine::A", TOP), "crate::confine::A");
    assert_eq!(written("crate::cli::A", TOP), "crate::cli::A");
    assert_eq!(written("bakeoff_domain::A", TOP), "bakeoff_domain::A");
}
