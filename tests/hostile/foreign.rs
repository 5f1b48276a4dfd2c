//! Results that came with somebody's folder: what is in the database runs nowhere, changes no run and
//! takes no more than its size; and no run writes into it.

use crate::resume::small::Small;
use crate::store::fixture::{begin, begun, filled, heap, open_race, replica};
use crate::support::{CommandOutput, bakeoff, measuring_slot, run_bakeoff};
use bakeoff_store::{Key, Mode, Origin, ResultKind, RunId, Start, Store};
use rusqlite::Connection;
use std::fs;
use std::path::{Path, PathBuf};

/// A folder of results into which somebody wrote these statements.
fn sent(statements: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    filled(folder.path());
    let file = folder.path().join("bakeoff.db");
    let db = Connection::open(&file).unwrap();
    db.execute_batch(statements).unwrap();
    db.close().unwrap();
    (folder, file)
}

/// Holds that no run goes on with a file, and returns the store of one that is made afresh.
fn refused_and_set_aside(folder: &Path, file: &Path) -> Store {
    let before = fs::read(file).unwrap();
    let refused = Store::open(folder, Mode::Write).unwrap_err();
    assert!(refused.is_elsewhere(), "{refused:?}");
    let fresh = Store::open(folder, Mode::SetAside).unwrap();
    let aside = folder.join("aside-1");
    assert_eq!(fresh.set_aside(), Some(aside.as_path()));
    assert_eq!(fs::read(aside.join("bakeoff.db")).unwrap(), before);
    assert_eq!(fresh.runs().unwrap(), []);
    let read = Store::open(&aside, Mode::Read).unwrap();
    assert_eq!(read.origin(), Origin::Elsewhere);
    assert_eq!(read.runs().unwrap()[0].name, "top-k");
    fresh
}

#[test]
fn case_80_database_trigger() {
    let (folder, file) = sent(
        "CREATE TRIGGER t AFTER INSERT ON sample WHEN NEW.entrant = 0 BEGIN
           UPDATE sample SET cpu_ns = 1 WHERE replica = NEW.replica AND number = NEW.number;
         END",
    );
    let mut store = refused_and_set_aside(folder.path(), &file);
    begin(&mut store, "e1", Start::Fresh).unwrap();
    let race = open_race(&mut store).unwrap();
    store.put_replica(race, &replica(0)).unwrap();
    assert_eq!(store.replicas(race).unwrap(), [replica(0)]);
}

/// A fresh run takes the next number: results that stand under it already would be taken for its own.
#[test]
fn case_80_rows_for_the_next_run() {
    let key = Key::new([("component", "c1")]);
    let (folder, file) = sent(&format!(
        "PRAGMA foreign_keys = off;
         INSERT INTO result (root, kind, key, inputs, run, at, value)
         VALUES (2, 'gate', '{}', '[]', 2, 'a', '\"forged\"')",
        key.digest()
    ));
    let before = fs::read(&file).unwrap();
    assert!(
        Store::open(folder.path(), Mode::Write)
            .unwrap_err()
            .is_elsewhere()
    );
    // It refers to a run that is not there, so it is not even read.
    assert!(
        Store::open(folder.path(), Mode::Read)
            .unwrap_err()
            .is_corrupt()
    );
    let mut store = Store::open(folder.path(), Mode::SetAside).unwrap();
    assert_eq!(
        fs::read(folder.path().join("aside-1/bakeoff.db")).unwrap(),
        before
    );
    for id in ["e1", "e2"] {
        begin(&mut store, id, Start::Fresh).unwrap();
        let found = store.get::<String>(ResultKind::Gate, &key, heap()).unwrap();
        assert_eq!(found, None);
    }
}

/// A rollback journal with all pages of a database: whichever lies beside it is to become that.
fn hot_journal(database: &[u8]) -> Vec<u8> {
    let page_bytes = usize::from(u16::from_be_bytes([database[16], database[17]]));
    let pages = database.chunks_exact(page_bytes);
    let (sector, nonce) = (512, 1_u32);
    let mut journal = vec![0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7];
    let count = pages.len() as u32;
    for number in [count, nonce, count, sector, page_bytes as u32] {
        journal.extend(number.to_be_bytes());
    }
    journal.resize(sector as usize, 0);
    for (number, page) in (1_u32..).zip(pages) {
        let some = (1..).map(|step| page_bytes as i64 - 200 * step);
        let some = some.take_while(|at| *at > 0);
        let sum = some.fold(nonce, |sum, at| sum.wrapping_add(page[at as usize].into()));
        journal.extend(number.to_be_bytes());
        journal.extend(page);
        journal.extend(sum.to_be_bytes());
    }
    journal
}

#[test]
fn case_80_journal_of_another_database() {
    let (other, file) = sent("PRAGMA journal_mode = delete; UPDATE run SET name = 'forged'");
    let journal = hot_journal(&fs::read(&file).unwrap());
    // The journal works: it makes the other database out of an empty one.
    let shown = other.path().join("shown.db");
    Connection::open(&shown)
        .unwrap()
        .execute_batch("CREATE TABLE t (n)")
        .unwrap();
    fs::write(other.path().join("shown.db-journal"), &journal).unwrap();
    let name: String = Connection::open(&shown)
        .unwrap()
        .query_row("SELECT name FROM run", [], |row| row.get(0))
        .unwrap();
    assert_eq!(name, "forged");

    let folder = tempfile::tempdir().unwrap();
    let beside = folder.path().join("bakeoff.db-journal");
    fs::write(&beside, &journal).unwrap();
    let store = begun(folder.path());
    assert_eq!(store.runs().unwrap().len(), 1);
    assert_eq!(store.runs().unwrap()[0].name, "top-k");
    drop(store);
    assert_eq!(
        fs::read(folder.path().join("aside-1/bakeoff.db-journal")).unwrap(),
        journal
    );

    fs::write(&beside, &journal).unwrap();
    for mode in [Mode::Read, Mode::Write] {
        let refused = Store::open(folder.path(), mode).unwrap_err();
        assert!(refused.is_corrupt() && refused.to_string().contains("rollback journal"));
        assert_eq!(fs::read(&beside).unwrap(), journal);
    }
    let store = Store::open(folder.path(), Mode::SetAside).unwrap();
    assert_eq!(store.runs().unwrap(), []);
    assert!(folder.path().join("aside-2/bakeoff.db").exists());
}

/// Every row is as it was sealed, but an index leads to others.
#[test]
fn case_80_index_of_other_rows() {
    let folder = tempfile::tempdir().unwrap();
    filled(folder.path());
    let file = folder.path().join("bakeoff.db");
    let change = |statements: &str| {
        let db = Connection::open(&file).unwrap();
        let batch = format!("PRAGMA foreign_keys = off; PRAGMA writable_schema = on; {statements}");
        db.execute_batch(&batch).unwrap();
    };
    let index = "FROM sqlite_schema WHERE name = 'event_of_run'";
    change(&format!(
        "UPDATE event SET run = 7; CREATE TABLE kept AS SELECT * {index}; DELETE {index}"
    ));
    change(
        "UPDATE event SET run = 1; INSERT INTO sqlite_schema SELECT * FROM kept; DROP TABLE kept",
    );
    let db = Connection::open(&file).unwrap();
    let by_index = "SELECT count(*) FROM event INDEXED BY event_of_run WHERE run = 1";
    let found: i64 = db.query_row(by_index, [], |row| row.get(0)).unwrap();
    assert_eq!(found, 0, "the index is not another one");
    db.close().unwrap();
    for mode in [Mode::Read, Mode::Write] {
        assert!(Store::open(folder.path(), mode).unwrap_err().is_corrupt());
    }
}

/// Files of the folder that are others under a second name.
#[test]
fn case_80_second_names() {
    let folder = tempfile::tempdir().unwrap();
    let precious = folder.path().join("precious");
    let results = folder.path().join("results");
    for name in ["lock", "bakeoff.db", "events.jsonl"] {
        filled(&results);
        let content = "precious\n".repeat(100);
        fs::write(&precious, &content).unwrap();
        fs::remove_file(results.join(name)).unwrap();
        fs::hard_link(&precious, results.join(name)).unwrap();
        let opened = Store::open(&results, Mode::SetAside);
        match name {
            // It is moved away, and written anew.
            "events.jsonl" => drop(opened.unwrap()),
            _ => assert!(opened.unwrap_err().to_string().contains("second name")),
        }
        assert_eq!(fs::read_to_string(&precious).unwrap(), content, "{name}");
        fs::remove_dir_all(&results).unwrap();
    }
    filled(&results);
    let elsewhere = folder.path().join("elsewhere.db");
    fs::rename(results.join("bakeoff.db"), &elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, results.join("bakeoff.db")).unwrap();
    let refused = Store::open(&results, Mode::Read).unwrap_err();
    assert!(refused.to_string().contains("is a link"), "{refused}");
}

#[test]
fn case_81_database_view() {
    let (folder, file) = sent(
        "DROP VIEW v_runs;
         CREATE VIEW v_runs AS SELECT 1 AS run, hex(zeroblob(100000000)) AS name,
           'x' AS experiment_id, 'finished' AS status, 'a' AS started, 'b' AS updated,
           1.0 AS seconds, 'w' AS winner, 'v' AS bakeoff_version",
    );
    let store = Store::open(folder.path(), Mode::Read).unwrap();
    assert_eq!(store.runs().unwrap()[0].name, "top-k");
    drop(store);
    refused_and_set_aside(folder.path(), &file);
}

#[test]
fn case_82_database_recursion() {
    let endless = "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c)";
    let (folder, file) = sent(&format!(
        "DROP VIEW v_runs; DROP VIEW v_events;
         CREATE VIEW v_runs AS {endless} SELECT n AS run FROM c WHERE n < 0;
         CREATE VIEW v_events AS {endless} SELECT max(n) AS sequence FROM c"
    ));
    let store = Store::open(folder.path(), Mode::Read).unwrap();
    assert_eq!(store.runs().unwrap().len(), 1);
    drop(store);
    refused_and_set_aside(folder.path(), &file);
}

/// What computes without a view: columns and checks of a table's own, which reading or checking it
/// would run.
#[test]
fn case_82_table_that_computes() {
    let heavy = "length(hex(zeroblob(100000000)))";
    for (column, of) in [
        (format!("more INTEGER AS ({heavy})"), "trial"),
        (format!("more INTEGER CHECK (more > {heavy})"), "sample"),
        (format!("more INTEGER DEFAULT ({heavy})"), "event"),
    ] {
        let (folder, file) = sent("");
        let db = Connection::open(&file).unwrap();
        let sql: String = db
            .query_row(
                "SELECT sql FROM sqlite_schema WHERE name = ?1",
                [of],
                |row| row.get(0),
            )
            .unwrap();
        let (start, end) = sql.split_once("(").unwrap();
        db.execute_batch("PRAGMA writable_schema = on").unwrap();
        let changed = format!("{start}({}", end.replacen(",", &format!(", {column},"), 1));
        db.execute(
            "UPDATE sqlite_schema SET sql = ?1 WHERE name = ?2",
            [&changed, of],
        )
        .unwrap();
        db.close().unwrap();
        for mode in [Mode::Read, Mode::Write] {
            let refused = Store::open(folder.path(), mode).unwrap_err();
            assert!(refused.is_corrupt(), "{refused:?}");
            assert!(refused.to_string().contains("--fresh"), "{refused}");
        }
    }
}

/// A tree whose branches all lead to the same leaves has more rows than its file has bytes.
#[test]
fn case_82_tree_that_meets_itself() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = begun(folder.path());
    let race = open_race(&mut store).unwrap();
    for index in 0..300 {
        store.put_replica(race, &replica(index)).unwrap();
    }
    drop(store);
    let file = folder.path().join("bakeoff.db");
    let mut bytes = fs::read(&file).unwrap();
    let page_bytes = usize::from(u16::from_be_bytes([bytes[16], bytes[17]]));
    let mut branches = 0;
    // The inner page of the tree of samples: one of an index, with many cells.
    for page in bytes.chunks_exact_mut(page_bytes).skip(1) {
        let cells = usize::from(u16::from_be_bytes([page[3], page[4]]));
        if page[0] != 2 || cells < 10 {
            continue;
        }
        let cell = |page: &[u8], n: usize| {
            usize::from(u16::from_be_bytes([page[12 + 2 * n], page[13 + 2 * n]]))
        };
        let leaf: [u8; 4] = page[cell(page, 0)..][..4].try_into().unwrap();
        for n in 1..cells {
            let at = cell(page, n);
            page[at..at + 4].copy_from_slice(&leaf);
        }
        branches += cells;
    }
    assert!(branches > 10, "the samples fit into one page");
    fs::write(&file, &bytes).unwrap();
    for mode in [Mode::Read, Mode::Write] {
        assert!(Store::open(folder.path(), mode).unwrap_err().is_corrupt());
    }
}

/// Runs a command as another user, or on another machine, would: with a folder for data of their own.
fn run_elsewhere(data: &str, arguments: &[&str]) -> CommandOutput {
    let measures = arguments.first() == Some(&"run");
    let _slot = measures.then(measuring_slot);
    let mut command = bakeoff(arguments);
    command.env("XDG_DATA_HOME", data).output().unwrap().into()
}

#[test]
fn results_of_another_machine_are_read_and_said_to_be_and_no_run_goes_on_with_them() {
    let small = Small::new();
    // There, no key can be kept: nobody ever knows these for their own again.
    let made = run_elsewhere("/dev/null", &["run", small.dir()]);
    assert!(made.ended_a_run(), "{}", made.stderr);
    assert!(
        made.explains("no later run will go on with these results"),
        "{}",
        made.stderr
    );
    let elsewhere = "come from elsewhere";
    for command in [
        &["runs"][..],
        &["report"],
        &["export", "--format", "csv", "--table", "runs"],
    ] {
        let said = run_bakeoff(&[&command[..1], &[small.dir()], &command[1..]].concat());
        assert!(said.explains(elsewhere), "{command:?}: {}", said.stderr);
        assert!(!said.stdout.is_empty(), "{command:?}");
    }
    let refused = run_bakeoff(&["run", small.dir(), "--quiet"]);
    assert_eq!(refused.status, 5, "{}", refused.stderr);
    assert!(refused.explains("comes from elsewhere") && refused.explains("--fresh"));
    assert_eq!(
        Store::open(&small.results(), Mode::Read)
            .unwrap()
            .runs()
            .unwrap()
            .len(),
        1
    );

    let fresh = run_bakeoff(&["run", small.dir(), "--fresh"]);
    assert!(fresh.ended_a_run(), "{}", fresh.stderr);
    assert!(
        fresh.explains("the results that were here are in"),
        "{}",
        fresh.stderr
    );
    let own = run_bakeoff(&["runs", small.dir()]);
    assert!(!own.explains(elsewhere), "{}", own.stderr);
    // A key in the folder that one stands in may have come with it: none is looked for there.
    let mut relative = bakeoff(&["runs", "."]);
    relative.env("HOME", ".").env_remove("XDG_DATA_HOME");
    let relative: CommandOutput = relative.current_dir(small.dir()).output().unwrap().into();
    assert!(relative.explains(elsewhere), "{}", relative.stderr);
    assert!(!small.path(".local").exists());
    let aside = small.results().join("aside-1");
    let shown = run_bakeoff(&["report", aside.to_str().unwrap()]);
    assert!(
        shown.explains(elsewhere) && !shown.stdout.is_empty(),
        "{}",
        shown.stderr
    );
    let store = Store::open(&small.results(), Mode::Read).unwrap();
    assert_eq!(store.runs().unwrap()[0].id, RunId(1));
}
