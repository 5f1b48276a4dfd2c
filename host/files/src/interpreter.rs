//! Files of an interpreter that lies outside of the system's folders.

use std::path::{Path, PathBuf};

/// Returns the paths of those entries of a folder whose names are wanted; none where there is no folder.
pub fn entries_named(folder: &Path, is_wanted: impl Fn(&str) -> bool) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let wanted = entries.filter(|entry| entry.file_name().to_str().is_some_and(&is_wanted));
    wanted.map(|entry| entry.path()).collect()
}

/// Returns what an interpreter needs of its own: its file, and where that lies in a folder `bin`, what the folder `lib`
/// beside it has by the same name: `lib/python3.12` and `lib/libpython3.12.so` for `bin/python3.12`. Other programs of
/// the same user may keep anything there.
pub fn files_of_interpreter(interpreter: &Path) -> Vec<PathBuf> {
    let mut home = vec![interpreter.to_owned()];
    let name = interpreter.file_name().and_then(|name| name.to_str());
    let stem = name.map(|name| name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.'));
    let bin = interpreter
        .parent()
        .filter(|folder| folder.ends_with("bin"));
    let (Some(stem), Some(prefix)) = (
        stem.filter(|stem| !stem.is_empty()),
        bin.and_then(Path::parent),
    ) else {
        return home;
    };
    let shared = format!("lib{stem}");
    home.extend(entries_named(&prefix.join("lib"), |name| {
        name.starts_with(stem) || name.starts_with(&shared)
    }));
    home
}

/// Returns [what an interpreter needs of its own](files_of_interpreter), for a program by this path and for the file that
/// this leads to.
pub fn files_of_program(program: &Path) -> Vec<PathBuf> {
    let mut files = files_of_interpreter(program);
    if let Some(target) = program
        .canonicalize()
        .ok()
        .filter(|target| target != program)
    {
        files.extend(files_of_interpreter(&target));
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn an_interpreter_outside_of_the_system_has_its_own_libraries_and_nothing_else() {
        let home = tempfile::tempdir().unwrap();
        let at = |name: &str| home.path().join(name);
        for folder in ["bin", "lib/python3.12", "lib/private", "share/keys"] {
            fs::create_dir_all(at(folder)).unwrap();
        }
        fs::write(at("lib/libpython3.12.so"), "").unwrap();
        let mut found = files_of_interpreter(&at("bin/python3.12"));
        found[1..].sort();
        let own = ["bin/python3.12", "lib/libpython3.12.so", "lib/python3.12"];
        assert_eq!(found, own.map(at));
        assert_eq!(files_of_interpreter(&at("bin/tool")).len(), 1);
        assert_eq!(files_of_interpreter(Path::new("/home/ann/tool")).len(), 1);
    }
}
