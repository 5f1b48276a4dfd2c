//! Runs whose earlier results are those of another compiler, engine or machine: it is noticed and said, and
//! only what it touches is done again.

use super::changes::{Again, again, set};
use super::small::Small;
use bakeoff_store::{Key, seal_again};
use rusqlite::{Connection, params};

/// An earlier run of a small experiment, and a copy of its database from before it was altered.
fn database(small: &Small) -> Connection {
    Connection::open(small.path(".bakeoff/small/bakeoff.db")).unwrap()
}

/// Makes what is kept of these kinds, of one variant or of all, the result of another input; its name
/// is what it is kept under from then on.
fn made_with(db: &Connection, kinds: &[&str], variant: Option<&str>, name: &str, other: &str) {
    let mut statement = db
        .prepare("SELECT id, result.kind, variant, inputs FROM result JOIN reliance ON result = id")
        .unwrap();
    let rows = statement
        .query_map([], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
        })
        .unwrap();
    let rows: Vec<(i64, String, String, String)> = rows.map(Result::unwrap).collect();
    let mut altered = 0;
    for (id, kind, owner, inputs) in rows {
        if !kinds.contains(&kind.as_str()) || variant.is_some_and(|variant| variant != owner) {
            continue;
        }
        let mut inputs: Vec<(String, String)> = serde_json::from_str(&inputs).unwrap();
        let input = inputs.iter_mut().find(|(input, _)| input == name).unwrap();
        other.clone_into(&mut input.1);
        let key = Key::new(inputs);
        let text = serde_json::to_string(key.inputs()).unwrap();
        let sql = "UPDATE result SET inputs = ?2, key = ?3 WHERE id = ?1";
        altered += db.execute(sql, params![id, text, key.digest()]).unwrap();
    }
    assert!(altered > 0, "nothing of {kinds:?} is kept");
    // All of it decides which run it was.
    db.execute("UPDATE run SET experiment_id = 'of another ' || ?1", [name])
        .unwrap();
}

fn nothing_redone(again: &Again) {
    assert_eq!(again.checked, set([]));
    assert!(!again.measured);
}

#[test]
fn another_compiler_is_said_and_the_same_components_keep_their_results() {
    let small = Small::new();
    again(&small, &[]);
    made_with(
        &database(&small),
        &["build"],
        None,
        "compiler",
        "rustc 1.0.0",
    );
    let altered = database(&small).execute(
        "UPDATE result SET value = json_set(value, '$.failure.message', 'of rustc 1.0.0')
         WHERE kind = 'build' AND json_extract(value, '$.failure.class') = 'build-failed'",
        [],
    );
    assert_eq!(altered.unwrap(), 1);
    seal_again(&small.results()).unwrap();
    let compiler = again(&small, &[]);
    assert_eq!(compiler.changed, set(["build: all: compiler"]));
    assert!(compiler.stderr.contains("compiler"), "{}", compiler.stderr);
    nothing_redone(&compiler);
    assert_eq!(compiler.run, 2, "another compiler is another run");
    let sql = "SELECT count(*) FROM v_results WHERE kind = 'build' AND run = 2 \
               AND instr(value, 'of rustc 1.0.0')";
    let old: i64 = database(&small)
        .query_row(sql, [], |row| row.get(0))
        .unwrap();
    assert_eq!(
        old, 0,
        "what the other compiler said was taken for this one's"
    );

    let same = again(&small, &[]);
    assert_eq!((same.changed.clone(), same.run), (set([]), 2));
    nothing_redone(&same);
}

#[test]
fn a_component_that_another_compiler_made_otherwise_is_checked_and_measured_again() {
    let small = Small::new();
    again(&small, &[]);
    let db = database(&small);
    made_with(&db, &["build"], None, "compiler", "rustc 1.0.0");
    made_with(&db, &["gate"], Some("good"), "component", "another");
    made_with(
        &db,
        &["pilot", "race"],
        None,
        "components",
        "another same-work",
    );
    seal_again(&small.results()).unwrap();
    let compiler = again(&small, &[]);
    assert_eq!(
        compiler.changed,
        set([
            "build: all: compiler",
            "check: good: component",
            "measure: all: components"
        ])
    );
    assert_eq!(compiler.checked, set(["good"]), "and nobody else");
    assert!(compiler.measured);
    assert!(
        compiler.stderr.contains("component of good"),
        "{}",
        compiler.stderr
    );
}

#[test]
fn another_engine_is_said_and_all_that_ran_in_it_is_done_again() {
    let small = Small::new();
    again(&small, &[]);
    let ran = ["build", "gate", "pilot", "race"];
    made_with(&database(&small), &ran, None, "engine", "wasmtime-1.0.0-0");
    seal_again(&small.results()).unwrap();
    let engine = again(&small, &[]);
    assert_eq!(
        engine.changed,
        set([
            "build: all: engine",
            "check: all: engine",
            "measure: all: engine"
        ])
    );
    assert_eq!(engine.checked, set(["good", "same-work"]));
    assert!(engine.measured && engine.run == 2);
    assert!(engine.stderr.contains("engine"), "{}", engine.stderr);
}

#[test]
fn another_machine_is_said_and_no_replica_of_it_is_compared_with_those_here() {
    let small = Small::new();
    again(&small, &[]);
    let timed = ["pilot", "race"];
    made_with(&database(&small), &timed, None, "machine", "another");
    seal_again(&small.results()).unwrap();
    let machine = again(&small, &[]);
    assert_eq!(machine.changed, set(["measure: all: machine"]));
    assert_eq!(machine.checked, set([]));
    assert!(machine.measured && machine.run == 2, "{machine:?}");
}
