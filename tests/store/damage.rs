//! A database that cannot be understood is refused with a way out, and never written to.

use super::{begin, begun, child, heap, job, open_race, race_key, replica};
use bakeoff_store::{Key, Mode, ResultKind, RunId, Start, Store};
use rusqlite::Connection;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::Stdio;

/// A closed store with one result and some replicas.
fn filled(folder: &Path) -> PathBuf {
    let mut store = begun(folder);
    store
        .put(
            ResultKind::Build,
            &Key::new([("source", "1")]),
            heap(),
            &"c1",
        )
        .unwrap();
    let race = open_race(&mut store).unwrap();
    for index in 0..200 {
        store.put_replica(race, &replica(index)).unwrap();
    }
    drop(store);
    let file = folder.join("bakeoff.db");
    assert!(!folder.join("bakeoff.db-wal").exists());
    file
}

/// A way of damaging the bytes of a file.
type Damage = fn(&mut Vec<u8>);

/// Every way that is to be seen at opening.
fn damages() -> Vec<(&'static str, Damage)> {
    vec![
        ("emptied", |bytes| bytes.clear()),
        ("cut within the header", |bytes| bytes.truncate(50)),
        ("cut to one page", |bytes| bytes.truncate(4096)),
        ("cut in half", |bytes| bytes.truncate(bytes.len() / 2)),
        ("another kind of file", |bytes| {
            *bytes = b"%PDF-1.7\n".repeat(100);
        }),
        ("a page of noise", |bytes| {
            let start = bytes.len() / 2 / 4096 * 4096;
            for (at, byte) in bytes[start..start + 4096].iter_mut().enumerate() {
                *byte = (at * 31 % 251) as u8;
            }
        }),
        ("a header of noise", |bytes| {
            bytes[20..100].fill(0xa5);
        }),
    ]
}

#[test]
fn a_damaged_database_is_refused_untouched_and_can_be_set_aside() {
    for (damage, apply) in damages() {
        let folder = tempfile::tempdir().unwrap();
        let file = filled(folder.path());
        let mut bytes = std::fs::read(&file).unwrap();
        apply(&mut bytes);
        std::fs::write(&file, &bytes).unwrap();
        for mode in [Mode::Read, Mode::Write] {
            let error = Store::open(folder.path(), mode).unwrap_err();
            assert!(error.is_corrupt(), "{damage}: {error:?}");
            let text = error.to_string();
            assert!(
                text.contains("bakeoff.db") && text.contains("--fresh"),
                "{text}"
            );
            assert_eq!(std::fs::read(&file).unwrap(), bytes, "{damage}");
        }
        let mut store = Store::open(folder.path(), Mode::SetAside).unwrap();
        begin(&mut store, "e1", Start::Fresh).unwrap();
        let aside = folder.path().join("aside-1/bakeoff.db");
        assert_eq!(std::fs::read(aside).unwrap(), bytes, "{damage}");
        assert_eq!(store.runs().unwrap().len(), 1);
    }
}

#[test]
fn setting_aside_leaves_a_sound_database_where_it_is() {
    let folder = tempfile::tempdir().unwrap();
    filled(folder.path());
    let store = Store::open(folder.path(), Mode::SetAside).unwrap();
    assert_eq!(store.runs().unwrap().len(), 1);
    assert!(!folder.path().join("aside-1").exists());
    assert_eq!(store.set_aside(), None);
}

#[test]
fn a_database_of_another_version_is_refused_and_kept() {
    for (version, step) in [
        (99, "use the newer bakeoff"),
        (11, "move the folder away"),
        (1, "move the folder away"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let file = filled(folder.path());
        Connection::open(&file)
            .unwrap()
            .pragma_update(None, "user_version", version)
            .unwrap();
        let bytes = std::fs::read(&file).unwrap();
        for mode in [Mode::Read, Mode::Write] {
            let error = Store::open(folder.path(), mode).unwrap_err();
            assert!(error.is_other_version(), "{error:?}");
            let text = error.to_string();
            for words in [
                "bakeoff.db",
                &format!("format version {version},"),
                "knows version 12 only",
                step,
                "--fresh",
            ] {
                assert!(text.contains(words), "no `{words}` in {text}");
            }
            assert_eq!(std::fs::read(&file).unwrap(), bytes);
        }
        Store::open(folder.path(), Mode::SetAside).unwrap();
        let aside = folder.path().join("aside-1/bakeoff.db");
        assert_eq!(std::fs::read(aside).unwrap(), bytes);
    }
}

#[test]
fn a_file_that_is_no_database_is_told_what_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("bakeoff.db");
    for (bytes, what) in [
        (
            &b"name,seconds\nheap,2\n"[..],
            "it is text, and no database",
        ),
        ("Zeit: 2 µs, ä".as_bytes(), "it is text, and no database"),
        (b"\x1f\x8b\x08\0\0", "it is a compressed archive, and no"),
        (b"\x7fELF\x02\x01", "it is a program, and no database"),
        (b"\0asm\x0d\0\x01\0", "it is WebAssembly, and no database"),
        (b"%PDF-1.7\n\xe2\xe3", "it is a PDF, and no database"),
        (&[0; 4096], "it is nothing but zeros, and no"),
        (b"\xa5\xa5\xa5", "it is something else, and no database"),
        (b"SQLite for", "it ends within its header"),
        (b"", "it is empty"),
    ] {
        std::fs::write(&file, bytes).unwrap();
        let text = Store::open(folder.path(), Mode::Read)
            .unwrap_err()
            .to_string();
        assert!(text.contains(what), "{text}");
    }
    // A database by its first bytes alone.
    let noise = [b"SQLite format 3\0", [0xa5_u8; 4096].as_slice()].concat();
    std::fs::write(&file, noise).unwrap();
    let text = Store::open(folder.path(), Mode::Read)
        .unwrap_err()
        .to_string();
    assert!(
        text.contains("it begins as a database does, and is none") && !text.contains("file is not"),
        "{text}"
    );
}

#[test]
fn another_programs_database_is_not_ours() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("bakeoff.db");
    let db = Connection::open(&file).unwrap();
    db.execute_batch("CREATE TABLE bookmark (url TEXT)")
        .unwrap();
    drop(db);
    let error = Store::open(folder.path(), Mode::Write).unwrap_err();
    assert!(error.is_corrupt());
    assert!(error.to_string().contains("another program"), "{error}");
}

#[test]
fn a_database_without_tables_is_nobodys_results() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("bakeoff.db");
    // A SQLite file in which nothing was ever made.
    Connection::open(&file)
        .unwrap()
        .execute_batch("VACUUM")
        .unwrap();
    if std::fs::metadata(&file).unwrap().len() == 0 {
        let db = Connection::open(&file).unwrap();
        db.execute_batch("CREATE TABLE x (y); DROP TABLE x;")
            .unwrap();
    }
    for mode in [Mode::Read, Mode::Write] {
        let error = Store::open(folder.path(), mode).unwrap_err();
        assert!(error.to_string().contains("another program"), "{error}");
    }
    let mut store = Store::open(folder.path(), Mode::SetAside).unwrap();
    begin(&mut store, "e1", Start::Resume).unwrap();
    assert_eq!(store.runs().unwrap().len(), 1);
}

#[test]
fn a_journal_without_its_database_is_not_replayed_into_the_next() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("bakeoff.db");
    let wal = folder.path().join("bakeoff.db-wal");
    let mut store = begun(folder.path());
    open_race(&mut store).unwrap();
    let journal = std::fs::read(&wal).unwrap();
    assert!(!journal.is_empty());
    drop(store);
    std::fs::remove_file(&file).unwrap();
    std::fs::write(&wal, &journal).unwrap();
    let store = Store::open(folder.path(), Mode::Write).unwrap();
    assert_eq!(store.runs().unwrap(), []);
    let aside = folder.path().join("aside-1/bakeoff.db-wal");
    assert_eq!(std::fs::read(aside).unwrap(), journal);
}

#[test]
fn what_a_killed_creation_left_is_no_database() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("bakeoff.db.new"), "half").unwrap();
    std::fs::write(folder.path().join("bakeoff.db.new-wal"), "half").unwrap();
    let store = begun(folder.path());
    assert_eq!(store.runs().unwrap().len(), 1);
    assert!(!folder.path().join("bakeoff.db.new").exists());
}

/// Holds a store open until its stdin ends.
#[test]
fn holder() {
    let Some(folder) = job() else { return };
    let _store = begun(Path::new(&folder));
    println!("\nholding");
    std::io::stdin().read_line(&mut String::new()).unwrap();
}

#[test]
fn a_second_run_is_refused_by_name_and_a_dead_one_holds_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let mut first = child("store::damage::holder", folder.path().to_str().unwrap())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(first.stdout.take().unwrap()).lines();
    while lines.next().unwrap().unwrap() != "holding" {}
    let error = Store::open(folder.path(), Mode::Write).unwrap_err();
    assert!(error.is_locked());
    let text = error.to_string();
    assert!(
        text.contains(&format!("process {} (since 2", first.id())),
        "{text}"
    );
    // Looking is free meanwhile, and sees that the run is alive.
    let reader = Store::open(folder.path(), Mode::Read).unwrap();
    assert_eq!(reader.runs().unwrap()[0].status.name(), "running");
    first.kill().unwrap();
    first.wait().unwrap();
    assert_eq!(reader.runs().unwrap()[0].status.name(), "interrupted");
    drop(reader);
    let mut store = Store::open(folder.path(), Mode::Write).unwrap();
    let begun = begin(&mut store, "e1", Start::Resume).unwrap();
    assert_eq!(begun.id, RunId(1));
}

#[test]
fn another_programs_transaction_is_waited_for_and_then_named() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = begun(folder.path());
    let other = Connection::open(folder.path().join("bakeoff.db")).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let error = open_race(&mut store).unwrap_err();
    assert!(error.is_locked(), "{error:?}");
    other.execute_batch("ROLLBACK").unwrap();
    open_race(&mut store).unwrap();
    let changes = store
        .changes(ResultKind::Pilot, &race_key(), heap())
        .unwrap();
    assert_eq!(changes, None);
}
