//! The house rules that a machine can hold.
//!
//! The order of the rooms and their doors are read from the table in `ARCHITECTURE.md`.

mod architecture;
mod circles;
mod decisions;
mod doors;
mod house;
mod names;
mod packages;
pub(crate) mod source;

use source::{Segments, Source, Tests};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// No file of code is longer than this.
const LINES_MAX: usize = 500;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn files_below(folder: &str) -> Vec<(PathBuf, String)> {
    source::rust_files(&root().join(folder))
}

/// Bindings that a generator made: nobody's to read, and a test compares them with what it makes.
fn is_generated(path: &Path) -> bool {
    path.ends_with("bindings.rs") && path.components().any(|part| part.as_os_str() == "worlds")
}

fn rooms() -> Vec<architecture::Room> {
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    architecture::rooms(&text)
}

/// The modules of all rooms, as one tree.
fn modules_of_rooms(tests: Tests) -> BTreeMap<Segments, Source> {
    let mut modules = house::modules(&root(), &rooms(), tests);
    modules.remove(&["crate".to_owned()][..]);
    modules
}

/// The folders of all crates' sources below `host`.
fn folders_of_sources() -> Vec<String> {
    let mut folders: Vec<String> = rooms()
        .iter()
        .map(|room| match room.crate_folder.as_str() {
            "host/src" => room.crate_folder.clone(),
            folder => format!("{folder}/src"),
        })
        .chain(["host/domain/src", "host/page/src", "host/confine/testing"].map(str::to_owned))
        .collect();
    folders.sort();
    folders.dedup();
    folders
}

#[test]
fn every_room_is_in_the_architecture() {
    let rooms = rooms();
    let listed = |name: &String| rooms.iter().any(|room| room.name == *name);
    for module in modules_of_rooms(Tests::Included).keys() {
        assert!(
            listed(&module[1]),
            "ARCHITECTURE.md has no room `{}`",
            module[1]
        );
    }
    for room in &rooms {
        let folder = house::folder(&root(), room);
        assert!(folder.is_dir(), "there is no room `{}`", room.name);
    }
}

/// A crate that the table does not have would be in none of these tests.
#[test]
fn every_crate_of_the_host_has_a_room() {
    let text = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let members = text.split_once("members = [").unwrap().1;
    let members = members.split_once(']').unwrap().0.split('"');
    let mut members: Vec<&str> = members.filter(|name| name.starts_with("host/")).collect();
    members.sort_unstable();
    let folders = folders_of_sources();
    let listed = folders
        .iter()
        .filter_map(|folder| folder.strip_suffix("/src"));
    let listed: Vec<&str> = listed.filter(|folder| *folder != "host").collect();
    assert_eq!(members, listed);
    let entries = fs::read_dir(root().join("host")).unwrap();
    let crates = entries.filter(|entry| {
        let path = entry.as_ref().unwrap().path();
        path.join("Cargo.toml").is_file()
    });
    assert_eq!(crates.count(), members.len());
}

#[test]
fn rooms_use_only_rooms_before_them() {
    let rooms = rooms();
    let place = |name: &str| rooms.iter().position(|room| room.name == name);
    let mut wrong = Vec::new();
    for (module, source) in modules_of_rooms(Tests::Included) {
        for path in source.absolute_paths(&module) {
            let [first, room, ..] = &path[..] else {
                continue;
            };
            if first == "crate" && place(room) > place(&module[1]) {
                let (module, path) = (module.join("::"), path.join("::"));
                wrong.push(format!("{module} uses {path}, of a room above it"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn outside_things_are_named_behind_their_doors_only() {
    let rooms = rooms();
    let doors: BTreeMap<&String, Vec<&String>> = rooms
        .iter()
        .flat_map(|room| room.doors.iter().map(move |door| (door, &room.name)))
        .fold(BTreeMap::new(), |mut doors, (door, room)| {
            doors.entry(door).or_default().push(room);
            doors
        });
    let (mut wrong, mut unused) = (Vec::new(), doors.clone());
    for (module, source) in modules_of_rooms(Tests::LeftOut) {
        for path in source.absolute_paths(&module) {
            let path = path.join("::");
            for (door, owners) in &doors {
                let is_behind = path.strip_prefix(door.as_str());
                if !is_behind.is_some_and(|rest| rest.is_empty() || rest.starts_with("::")) {
                    continue;
                }
                let room = &module[module.len().min(2) - 1];
                unused
                    .entry(door)
                    .or_default()
                    .retain(|owner| *owner != room);
                if !owners.contains(&room) {
                    let module = module.join("::");
                    wrong.push(format!("{module} names {path}, which only {owners:?} may"));
                }
            }
        }
    }
    for (door, owners) in unused.iter().filter(|(_, owners)| !owners.is_empty()) {
        wrong.push(format!(
            "ARCHITECTURE.md: {owners:?} do not use their door `{door}`"
        ));
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

/// The page of a report works scores and sentences out on another machine, to the last digit.
#[test]
fn scores_and_sentences_take_no_logarithm_of_the_machine() {
    let mut wrong = Vec::new();
    for (path, text) in files_below("host/domain/src") {
        let shown = path.display().to_string();
        let places = ["/src/score/", "/src/report", "/src/numbers.rs"];
        if !places.iter().any(|place| shown.contains(place)) || shown.contains("/tests/") {
            continue;
        }
        for name in [
            ".ln()", ".ln_1p()", ".log10()", ".log2()", ".exp()", ".powf(",
        ] {
            if text.contains(name) {
                wrong.push(format!("{shown}: `{name}`; `logarithm` has it"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn files_are_short() {
    let others = ["guest-sdk/src".to_owned(), "tests".to_owned()];
    let folders = folders_of_sources().into_iter().chain(others);
    let files = folders.flat_map(|folder| files_below(&folder));
    let long: Vec<String> = files
        .filter(|(path, _)| !is_generated(path))
        .filter(|(_, text)| text.lines().count() > LINES_MAX)
        .map(|(path, text)| format!("{}: {} lines", path.display(), text.lines().count()))
        .collect();
    assert!(long.is_empty(), "{}", long.join("\n"));
}

#[test]
fn crates_compile_in_files_of_their_own_folders_alone() {
    let others = ["guest-sdk/src".to_owned()];
    let mut wrong = Vec::new();
    for source in folders_of_sources().into_iter().chain(others) {
        let Some(folder) = source.strip_suffix("/src") else {
            continue;
        };
        let folder = root().join(folder);
        for (path, text) in files_below(&source) {
            for file in packages::included_from_outside(&folder, &path, &text) {
                wrong.push(format!("{} includes {}", path.display(), file.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_choice_between_true_and_false_is_an_if() {
    let mut wrong = Vec::new();
    let folders = folders_of_sources().into_iter();
    let folders = folders.chain(["guest-sdk/src".to_owned()]);
    for (path, text) in folders.flat_map(|folder| files_below(&folder)) {
        if is_generated(&path) {
            continue;
        }
        for line in decisions::matches_on_bools(&text) {
            wrong.push(format!("{}:{line}", path.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Whoever reads a name of a crate's interface looks for one thing. The library's types are those of the core as programs have
/// them, under the same names.
#[test]
fn no_two_crates_have_a_public_type_of_one_name() {
    let mut crates: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let folders = folders_of_sources().into_iter();
    for folder in folders.filter(|folder| folder != "host/src") {
        for (_, text) in files_below(&folder) {
            let public = names::defined_types(&text).into_iter();
            for defined in public.filter(|defined| defined.is_public) {
                let of_name = crates.entry(defined.name.to_owned()).or_default();
                if !of_name.contains(&folder) {
                    of_name.push(folder.clone());
                }
            }
        }
    }
    crates.retain(|_, folders| folders.len() > 1);
    assert!(crates.is_empty(), "{crates:#?}");
}

/// A participle or an adverb alone says nothing of what a value is.
#[test]
fn types_are_called_by_nouns() {
    let refused = [
        "Again", "Applied", "Asked", "Asking", "AtWork", "Both", "Built", "Called", "Chosen",
        "Compared", "Done", "Ended", "Explored", "Finished", "Found", "Given", "Held", "Kept",
        "Known", "Leave", "Looking", "Made", "Making", "Named", "Opened", "Picked", "Planned",
        "Read", "Said", "Searched", "Sent", "Shown", "Started", "Taken", "Told", "Tried", "Wanted",
        "When", "Working", "Written",
    ];
    let mut wrong = Vec::new();
    for (path, text) in folders_of_sources()
        .into_iter()
        .flat_map(|folder| files_below(&folder))
    {
        for defined in names::defined_types(&text) {
            if refused.contains(&defined.name) {
                wrong.push(format!("{}: {}", path.display(), defined.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A fragment ("By difference of these.") tells nothing to a reader who comes from elsewhere.
#[test]
fn docs_begin_with_the_thing() {
    let fragments = [
        "What", "Of", "By", "As", "Those", "Who", "Whom", "Whose", "Which", "That", "So", "If",
        "Not", "For", "In", "On", "At", "To",
    ];
    let mut wrong = Vec::new();
    let guests = ["guest-sdk/src", "guest-sdk/tests"].map(str::to_owned);
    let files = folders_of_sources().into_iter().chain(guests);
    let files = files.flat_map(|folder| files_below(&folder));
    let files = files.filter(|(path, _)| !is_generated(path));
    // The sources of templates and guests are texts for users.
    let is_text = |path: &Path| {
        let mut parts = path.components();
        parts.any(|part| part.as_os_str() == "template" || part.as_os_str() == "guest")
    };
    for (path, text) in files.filter(|(path, _)| !is_text(path)) {
        let doc = |line: &&str| ["///", "//!"].iter().any(|mark| line.starts_with(mark));
        let mut before = None;
        for line in text.lines().map(str::trim_start) {
            if doc(&line) && before.is_none() {
                let first = line[3..].trim_start().split([' ', ',', '.', ':']).next();
                if first.is_some_and(|word| fragments.contains(&word)) {
                    wrong.push(format!("{}: {line}", path.display()));
                }
            }
            before = Some(line).filter(doc);
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_project_speaks_of_itself_alone() {
    let unfinished = ["TO", "FIX", "XX"].map(|start| match start {
        "TO" => "TODO".to_owned(),
        "FIX" => "FIXME".to_owned(),
        other => format!("{other}X"),
    });
    let others = ["guest-sdk/src", "components", "examples"].map(str::to_owned);
    let folders = folders_of_sources().into_iter().chain(others);
    let mut wrong = Vec::new();
    let files = folders.flat_map(|folder| files_below(&folder));
    for (path, text) in files.filter(|(path, _)| !is_generated(path)) {
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
fn files_of_a_crate_use_each_other_in_one_direction() {
    let core = source::modules(&root().join("host/domain/src"), Tests::LeftOut);
    let mut wrong = circles::circles(&circles::edges(&core));
    let rooms = modules_of_rooms(Tests::LeftOut);
    wrong.extend(circles::circles(&circles::edges(&rooms)));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The anchor of a heading, as GitHub makes it.
fn anchor(heading: &str) -> String {
    let letters = heading.trim_start_matches('#').trim().chars();
    letters
        .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'))
        .map(|c| {
            if c == ' ' {
                '-'
            } else {
                c.to_ascii_lowercase()
            }
        })
        .collect()
}

#[test]
fn links_between_pages_lead_somewhere() {
    let entries = fs::read_dir(root().join("docs")).unwrap();
    let mut pages: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    pages.retain(|path| path.extension().is_some_and(|end| end == "md"));
    pages.extend(["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"].map(|name| root().join(name)));
    let mut wrong = Vec::new();
    for page in pages {
        let text = fs::read_to_string(&page).unwrap();
        let links = text.split("](").skip(1);
        let links = links.filter_map(|rest| Some(rest.split_once(')')?.0));
        for link in links.filter(|link| !link.contains(':')) {
            let (file, wanted) = link.split_once('#').unwrap_or((link, ""));
            let target = if file.is_empty() {
                page.clone()
            } else {
                page.parent().unwrap().join(file)
            };
            let has_anchor = |text: String| {
                let mut headings = text.lines().filter(|line| line.starts_with('#'));
                headings.any(|heading| anchor(heading) == wanted)
            };
            let is_there = if wanted.is_empty() {
                target.exists()
            } else {
                fs::read_to_string(&target).is_ok_and(has_anchor)
            };
            if !is_there {
                wrong.push(format!("{}: {link}", page.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
