//! Repositories that want to run something, to lead elsewhere, or never to end.

use crate::revisions::{MANIFEST, Repository, has_git};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use tempfile::TempDir;

const ARGUMENTS: [&str; 8] = [
    "HEAD~1",
    "HEAD",
    "--package",
    "codec-core",
    "--budget",
    "2s",
    "--format",
    "json",
];

const LIBRARY: &str =
    "pub fn sum(values: &[u64]) -> u64 { values.iter().fold(0, |a: u64, b| a.wrapping_add(*b)) }
pub fn last(text: &str) -> &str { text.lines().last().unwrap_or(\"\") }
";

/// A repository with two commits of a library.
fn library() -> Repository {
    let repository = Repository::new();
    repository.write("Cargo.toml", MANIFEST);
    repository.write("src/lib.rs", LIBRARY);
    repository.commit();
    repository.write("src/lib.rs", &format!("// Moved.\n{LIBRARY}"));
    repository.commit();
    repository
}

/// A script that leaves a mark.
fn marking(folder: &Path) -> String {
    let script = folder.join("mark.sh");
    let mark = folder.join("mark");
    fs::write(&script, format!("#!/bin/sh\ntouch '{}'\n", mark.display())).unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    script.display().to_string()
}

#[test]
fn case_204_a_repository_runs_nothing_and_is_not_changed() {
    if !has_git() {
        return;
    }
    let outside = TempDir::new().unwrap();
    let script = marking(outside.path());
    let repository = library();
    repository.write(
        ".gitattributes",
        "*.rs filter=mark diff=mark export-subst\n",
    );
    repository.write(
        ".cargo/config.toml",
        &format!("[build]\nrustc-wrapper = \"{script}\"\n[alias]\nrustc = \"run\"\n"),
    );
    repository.write(
        "rust-toolchain.toml",
        &format!("[toolchain]\npath = \"{}\"\n", outside.path().display()),
    );
    std::os::unix::fs::symlink("/etc/passwd", repository.path().join("passwd")).unwrap();
    std::os::unix::fs::symlink("src/lib.rs", repository.path().join("inside.rs")).unwrap();
    repository.commit();
    repository.commit();
    for (name, value) in [
        ("core.fsmonitor", &*script),
        ("core.hooksPath", &outside.path().display().to_string()),
        ("core.pager", &script),
        ("core.sshCommand", &script),
        ("core.alternateRefsCommand", &script),
        ("credential.helper", &script),
        ("filter.mark.smudge", &script),
        ("filter.mark.process", &script),
        ("filter.mark.required", "true"),
        ("diff.mark.command", &script),
        ("alias.cat-file", &format!("!{script}")),
        ("alias.ls-tree", &format!("!{script}")),
        ("uploadpack.packObjectsHook", &script),
        ("extensions.partialClone", "origin"),
        ("remote.origin.promisor", "true"),
        ("remote.origin.url", &format!("ext::{script}")),
        ("protocol.allow", "always"),
        ("safe.directory", "/nowhere"),
    ] {
        repository.git(&["config", "--local", name, value]);
    }
    for hook in [
        "post-checkout",
        "reference-transaction",
        "post-index-change",
    ] {
        let path = repository.path().join(".git/hooks").join(hook);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::copy(&script, &path).unwrap();
        fs::copy(&script, outside.path().join(hook)).unwrap();
    }
    let id = repository.git(&["rev-parse", "HEAD:src/lib.rs"]);
    // Git itself cannot use it any more: settings that lie elsewhere, and a working tree that is not there.
    let included = outside.path().join("included");
    fs::write(&included, format!("[core]\n\tsshCommand = {script}\n")).unwrap();
    let settings = repository.path().join(".git/config");
    let more = format!(
        "{}[include]\n\tpath = {}\n[core]\n\tworktree = /nowhere\n",
        fs::read_to_string(&settings).unwrap(),
        included.display()
    );
    fs::write(&settings, more).unwrap();
    repository.write("src/lib.rs", "uncommitted");
    let index = fs::read(repository.path().join(".git/index")).unwrap();
    let said = repository.compare(&ARGUMENTS);
    assert_eq!(said.status, 0, "{}{}", said.stdout, said.stderr);
    assert!(!outside.path().join("mark").exists());
    assert_eq!(
        fs::read(repository.path().join(".git/index")).unwrap(),
        index
    );
    assert_eq!(
        fs::read(repository.path().join("src/lib.rs")).unwrap(),
        b"uncommitted"
    );
    assert!(!said.stdout.contains("root:"), "{}", said.stdout);

    // An object that only a remote has is not fetched.
    let object = repository
        .path()
        .join(".git/objects")
        .join(&id[..2])
        .join(&id[2..]);
    fs::remove_file(object).unwrap();
    let said = repository.compare(&ARGUMENTS);
    assert_eq!(said.status, 2, "{}{}", said.stdout, said.stderr);
    assert!(!outside.path().join("mark").exists());
}

#[test]
fn case_205_a_tree_leads_to_no_other_place() {
    if !has_git() {
        return;
    }
    let repository = library();
    let blob = repository.git(&["rev-parse", "HEAD:src/lib.rs"]);
    let inner = mktree(&repository, &format!("100644 blob {blob}\tescaped\n"));
    for (entry, part) in [
        (format!("100644 blob {blob}\t.."), ".."),
        (format!("040000 tree {inner}\t.."), "../escaped"),
        (format!("040000 tree {inner}\t.git"), ".git/escaped"),
        (format!("100644 blob {blob}\ta\u{1b}[31mb"), "no path"),
    ] {
        let tree = mktree(&repository, &format!("{entry}\n"));
        let commit = repository.git(&["commit-tree", &tree, "-m", "x"]);
        let said = repository.compare(&["HEAD", &commit, "--package", "codec-core"]);
        assert_eq!(said.status, 2, "{}{}", said.stdout, said.stderr);
        assert!(said.stderr.contains(part), "{part}: {}", said.stderr);
        assert!(!said.stderr.contains('\u{1b}'), "{}", said.stderr);
    }
    // A tree of trees has many more files than objects.
    let mut tree = mktree(&repository, &format!("100644 blob {blob}\tx\n"));
    for _ in 0..7 {
        let rows: String = (0..10)
            .map(|number| format!("040000 tree {tree}\t{number}\n"))
            .collect();
        tree = mktree(&repository, &rows);
    }
    let commit = repository.git(&["commit-tree", &tree, "-m", "x"]);
    let said = repository.compare(&["HEAD", &commit, "--package", "codec-core"]);
    assert_eq!(said.status, 2, "{}{}", said.stdout, said.stderr);
    assert!(said.stderr.contains("more than 32 MiB"), "{}", said.stderr);
}

/// Puts other contents under the id of a revision's file.
fn forge(repository: &Repository, contents: &str) {
    let other = repository.path().join(".git/other");
    fs::write(&other, contents).unwrap();
    let other = repository.git(&["hash-object", "-w", &other.display().to_string()]);
    let id = repository.git(&["rev-parse", "HEAD:src/lib.rs"]);
    let place = |id: &str| {
        let objects = repository.path().join(".git/objects");
        objects.join(&id[..2]).join(&id[2..])
    };
    fs::remove_file(place(&id)).unwrap();
    fs::copy(place(&other), place(&id)).unwrap();
}

#[test]
fn case_207_contents_under_the_id_of_others_are_refused_and_nothing_waits() {
    if !has_git() {
        return;
    }
    let repository = library();
    forge(&repository, "pub fn sum(values: &[u64]) -> u64 { 1 }\n");
    let said = repository.compare(&ARGUMENTS);
    assert_eq!(said.status, 2, "{}{}", said.stdout, said.stderr);
    let text = said.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("other contents under its id"), "{text}");

    for place in [
        "refs/heads/other",
        "objects/info/alternates",
        "objects/pack/multi-pack-index",
    ] {
        let repository = library();
        let path = repository.path().join(".git").join(place);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let made = std::process::Command::new("mkfifo").arg(&path).status();
        assert!(made.unwrap().success());
        let said = repository.compare(&ARGUMENTS);
        assert_eq!(said.status, 2, "{}{}", said.stdout, said.stderr);
        let text = said.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(
            text.replace("│ ", "").contains("is no plain file"),
            "{text}"
        );
    }
}

fn mktree(repository: &Repository, rows: &str) -> String {
    let list = repository.path().join(".git/rows");
    fs::write(&list, rows).unwrap();
    let output = std::process::Command::new("git")
        .current_dir(repository.path())
        .arg("mktree")
        .stdin(fs::File::open(&list).unwrap())
        .output()
        .unwrap();
    let tree = String::from_utf8(output.stdout).unwrap().trim().to_owned();
    assert!(!tree.is_empty(), "{rows}");
    tree
}

#[test]
fn case_206_the_build_of_a_package_stays_inside() {
    if !has_git() {
        return;
    }
    let outside = TempDir::new().unwrap();
    let secret = outside.path().join("secret");
    fs::write(&secret, "secret").unwrap();
    let mark = outside.path().join("mark");
    let repository = library();
    // Whatever it manages to do ends the build.
    let script = format!(
        "fn main() {{
    assert!(std::fs::read({secret:?}).is_err());
    assert!(std::fs::write({mark:?}, \"x\").is_err());
    assert!(std::net::TcpStream::connect(\"127.0.0.1:9\").is_err());
    assert!(std::net::TcpListener::bind(\"127.0.0.1:0\").is_err());
    assert!(std::fs::read_dir(\"/home\").is_err());
}}
"
    );
    if crate::natively::has_linker() {
        repository.write("build.rs", &script);
    }
    repository.commit();
    repository.commit();
    let said = repository.compare(&ARGUMENTS);
    assert_eq!(said.status, 0, "{}{}", said.stdout, said.stderr);
    assert!(!mark.exists());

    // Crates are fetched and built only with leave, and never from elsewhere.
    let lock = |source: &str| {
        format!(
            "version = 4\n\n[[package]]\nname = \"codec-core\"\nversion = \"0.1.0\"\n\n[[package]]\nname = \"other\"\n\
             version = \"1.0.0\"\nsource = \"{source}\"\nchecksum = \"{}\"\n",
            "0".repeat(64)
        )
    };
    for (source, part) in [
        (
            "registry+https://github.com/rust-lang/crates.io-index",
            "--allow-crates",
        ),
        (
            "registry+https://elsewhere.example/index",
            "does not come from crates.io",
        ),
        (
            "git+https://elsewhere.example/x?rev=1#1",
            "does not come from crates.io",
        ),
    ] {
        repository.write("Cargo.lock", &lock(source));
        repository.commit();
        let said = repository.compare(&["HEAD", "HEAD", "--package", "codec-core"]);
        assert_eq!(said.status, 2, "{}{}", said.stdout, said.stderr);
        let text = said.stderr.split_whitespace().filter(|word| *word != "│");
        // A long word is broken at its signs.
        let text = text.collect::<Vec<_>>().join(" ").replace("- ", "-");
        assert!(text.contains(part) && text.contains("other"), "{text}");
    }
}
