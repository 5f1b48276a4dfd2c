//! The table of rooms in `ARCHITECTURE.md`: their order and their doors.

/// One row of the table.
pub(crate) struct Room {
    /// The room's name, which is that of its module: `config`.
    pub(crate) name: String,
    /// The folder of its crate below the project's root: `host/config`.
    pub(crate) crate_folder: String,
    /// The outside things that this room may name, as paths of Rust: `wasmtime::Config`.
    pub(crate) doors: Vec<String>,
}

/// The rooms between the pure core and the command line, from the ground up.
pub(crate) fn rooms(text: &str) -> Vec<Room> {
    let rows = text.lines().filter_map(|line| {
        let cells: Vec<&str> = line.strip_prefix("| `")?.split('|').collect();
        let [name, crate_folder, _, doors, ""] = &cells[..] else {
            return None;
        };
        let name = name.trim().trim_end_matches('`').to_owned();
        let doors: Vec<String> = match doors.trim() {
            "–" => Vec::new(),
            doors => doors
                .split(", ")
                .map(|door| door_name(&name, door))
                .collect(),
        };
        Some(Room {
            name,
            crate_folder: crate_folder.trim().trim_matches('`').to_owned(),
            doors,
        })
    });
    let rooms: Vec<Room> = rows
        .filter(|room| !["domain", "page"].contains(&&*room.name))
        .collect();
    assert!(rooms.len() > 10, "the table of rooms in ARCHITECTURE.md");
    rooms
}

fn door_name(room: &str, door: &str) -> String {
    let name = door
        .strip_prefix('`')
        .and_then(|door| door.strip_suffix('`'));
    let name = name.unwrap_or_else(|| panic!("the door of `{room}` is not a path: {door}"));
    name.to_owned()
}

#[test]
fn the_table_is_read() {
    let rows = (0..11).map(|n| format!("| `r{n}` | `host/r` | owns | – |\n"));
    let table = format!(
        "| room | crate | what | its door |\n|---|---|---|---|\n| `domain` | `host/domain` | core | – |\n{}\
         | `last` | `host/l` | is last | `a::B`, `c` |\n",
        rows.collect::<String>()
    );
    let rooms = rooms(&table);
    assert_eq!((rooms.len(), &*rooms[0].name), (12, "r0"));
    assert_eq!(rooms[11].doors, ["a::B", "c"]);
    assert_eq!(rooms[11].crate_folder, "host/l");
}
