//! Whole runs over a store that cannot be used: refused or stopped with a way out, and whatever was
//! kept stays as it was.

use super::small::Small;
use crate::support::{CommandOutput, run_bakeoff};
use std::fs;
use std::path::PathBuf;

fn database(small: &Small) -> PathBuf {
    small.path(".bakeoff/small/bakeoff.db")
}

fn assert_stopped(said: &CommandOutput, why: &str) {
    assert_eq!(said.status, 5, "{} {}", said.stdout, said.stderr);
    assert!(said.explains(why), "no `{why}` in {}", said.stderr);
}

#[test]
fn a_store_that_is_not_understood_is_refused_and_left_alone() {
    let small = Small::new();
    assert!(run_bakeoff(&["run", small.dir(), "--quiet"]).ended_a_run());
    let file = database(&small);
    let whole = fs::read(&file).unwrap();
    let [older, newer] = [11, 99].map(|version| {
        let db = rusqlite::Connection::open(&file).unwrap();
        db.pragma_update(None, "user_version", version).unwrap();
        drop(db);
        fs::read(&file).unwrap()
    });
    let mut corrupt = whole.clone();
    corrupt[4096..].fill(0x5a);
    for (bytes, why) in [
        (&corrupt[..], "cannot read the database"),
        (&whole[..whole.len() / 2], "cannot read the database"),
        (&[][..], "it is empty"),
        (&b"nothing of ours"[..], "it is text, and no database"),
        (
            &older[..],
            "an older bakeoff wrote it: move the folder away",
        ),
        (&newer[..], "use the newer bakeoff"),
    ] {
        fs::write(&file, bytes).unwrap();
        for command in ["run", "verify", "pack", "runs"] {
            let said = run_bakeoff(&[command, small.dir(), "--quiet"]);
            assert_stopped(&said, why);
            assert!(said.explains("--fresh"), "{}", said.stderr);
        }
        assert!(
            fs::read(&file).unwrap() == bytes,
            "{why}: it was written to"
        );
    }
    let fresh = run_bakeoff(&["run", small.dir(), "--quiet", "--fresh"]);
    assert!(fresh.ended_a_run(), "{}", fresh.stderr);
    let aside = small.path(".bakeoff/small/aside-1/bakeoff.db");
    assert!(
        fs::read(aside).unwrap() == newer,
        "what was set aside is not what was there"
    );
}
