//! A toolchain of shell scripts, for tests.

use super::choice::Programs;
use bakeoff_files::{SearchPath, WorkingFolder};
use std::path::{Path, PathBuf};

/// Makes a toolchain in a folder, laid out like rustup's, and returns the programs by which it is found.
/// Its rustup runs `on_add`.
pub(super) fn scripted(folder: &Path, on_add: &str) -> Programs {
    use std::os::unix::fs::PermissionsExt;
    let sysroot = folder.join("toolchains/fake");
    for inside in [&sysroot.join("bin"), &folder.join("bin")] {
        std::fs::create_dir_all(inside).unwrap();
    }
    let script = |path: PathBuf, text: &str| {
        std::fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    };
    let text = format!(
        "case $1 in --print) echo {};; *) echo 'rustc 1.0'; echo 'host: h';; esac",
        sysroot.display()
    );
    script(sysroot.join("bin/rustc"), &text);
    script(folder.join("bin/rustc"), &text);
    let on_add = on_add.replace("SYSROOT", &sysroot.display().to_string());
    script(folder.join("bin/rustup"), &on_add);
    let path = std::env::join_paths([&folder.join("bin")]).unwrap();
    Programs {
        path: SearchPath::of(&path, &WorkingFolder::default()),
        environment: vec![("PATH".into(), "/usr/bin:/bin".into())],
        rustup_home: Some(folder.to_owned()),
        adds_target: true,
        ..Programs::default()
    }
}
