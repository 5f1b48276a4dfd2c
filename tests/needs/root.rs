//! What root is by comparison with other users.

use crate::commands::{THIS_MACHINE, measured};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

/// Root gives its privileges up for the children; an ordinary user has none to begin with.
pub(crate) fn an_ordinary_user_has_the_same_level_as_root() {
    const NOBODY: u32 = 65_534;
    let home = tempfile::tempdir().unwrap();
    let (program, cache) = (home.path().join("bakeoff"), home.path().join("cache"));
    // Another process writes the copy: one that is started here meanwhile would hold it open for writing.
    let copied = Command::new("cp")
        .args([Path::new(env!("CARGO_BIN_EXE_bakeoff")), &program])
        .status();
    assert!(copied.unwrap().success());
    std::fs::create_dir(&cache).unwrap();
    for path in [home.path(), &program, &cache] {
        std::fs::set_permissions(path, PermissionsExt::from_mode(0o755)).unwrap();
        std::os::unix::fs::chown(path, Some(NOBODY), Some(NOBODY)).unwrap();
    }
    let mut command = Command::new(&program);
    command
        .args(["doctor", "--format", "json"])
        .current_dir(home.path())
        .env("BAKEOFF_CACHE_DIR", &cache)
        .env("HOME", home.path())
        .uid(NOBODY)
        .gid(NOBODY);
    let said = measured(&mut command);
    assert_eq!(said.status, 0, "{}", said.stderr);
    let ordinary = said.json()["facts"]["confinement"].clone();
    assert_eq!(ordinary["root"], false);
    let root = THIS_MACHINE.json()["facts"]["confinement"].clone();
    assert_eq!(root["root"], true);
    assert_eq!(ordinary["level"], root["level"]);
    assert_eq!(
        ordinary["means"]["landlock_abi"],
        root["means"]["landlock_abi"]
    );
}
