//! Repositories that others made: with links out of the tree, branches of strange names, or a part of what belongs to them.

use super::{OBEYS, agents, repository, row};
use crate::revisions::Repository;
use std::fs;
use tempfile::TempDir;

#[test]
fn case_262_a_link_out_of_the_tree_leads_an_agent_and_us_nowhere() {
    let Some(repository) = repository() else {
        return;
    };
    let outside = TempDir::new().unwrap();
    let secret = outside.path().join("key");
    fs::write(&secret, "secret-key").unwrap();
    for (name, target) in [("key", secret.as_path()), ("folder", outside.path())] {
        std::os::unix::fs::symlink(target, repository.path().join(name)).unwrap();
    }
    repository.commit();
    let tries = "tries=cat key folder/key >stolen; echo bad >key; echo bad >folder/new; true";
    // In the place of a link to a folder, one with files.
    let replaces = "replaces=rm folder; mkdir folder; echo mine >folder/key";
    let report = agents(&repository, &[tries, replaces], OBEYS, &[]).json();
    for variant in ["tries", "replaces"] {
        assert_eq!(row(&report, variant)["outcome"], "unverified", "{report}");
    }
    let changed = repository.git(&["diff", "--name-only", "HEAD", "bakeoff/agents/tries"]);
    assert_eq!(changed, "stolen");
    let stolen = repository.git(&["show", "bakeoff/agents/tries:stolen"]);
    assert_eq!(stolen, "");
    assert_eq!(fs::read_to_string(&secret).unwrap(), "secret-key");
    assert!(!outside.path().join("new").exists());
    let mine = repository.git(&["show", "bakeoff/agents/replaces:folder/key"]);
    assert_eq!(mine, "mine");
}

#[test]
fn case_263_names_of_branches_are_revisions_and_neither_options_nor_commands() {
    let Some(repository) = repository() else {
        return;
    };
    let names = [
        "$(touch${IFS}ran)",
        "a;touch${IFS}ran",
        "über/ärger",
        "-x",
        "--output=ran",
    ];
    for (number, name) in names.iter().enumerate() {
        let reference = format!("refs/heads/{name}");
        repository.git(&["update-ref", &reference, "HEAD"]);
        repository.git(&["symbolic-ref", "HEAD", &reference]);
        let experiment = format!("e{number}");
        // The branch that is checked out is the base unless another one is named.
        let more = ["--name", &experiment];
        let output = agents(&repository, &["a=echo x >new"], OBEYS, &more);
        assert_eq!(output.status, 0, "{name}: {}", output.stderr);
        let base = format!("--base={name}");
        let other = format!("{experiment}.named");
        let named = agents(
            &repository,
            &["a=echo x >new"],
            OBEYS,
            &["--name", &other, &base],
        );
        if name.starts_with('-') {
            assert_eq!(named.status, 2, "{name}: {}", named.stdout);
            assert!(named.explains("is no revision"), "{}", named.stderr);
        } else {
            assert_eq!(named.status, 0, "{name}: {}", named.stderr);
        }
    }
    assert!(!repository.path().join("ran").exists());
    let status = repository.git(&["status", "--porcelain"]);
    assert_eq!(status, "");
}

#[test]
fn a_clone_that_lacks_something_is_worked_in_or_says_what_brings_it() {
    let Some(origin) = repository() else {
        return;
    };
    let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 5\n";
    origin.write("large.bin", pointer);
    origin.write(
        ".gitattributes",
        "*.bin filter=lfs diff=lfs merge=lfs -text\n",
    );
    let head = origin.commit();
    let top = origin.path().canonicalize().unwrap();
    let shallow = Repository::new();
    let address = format!("file://{}", top.display());
    shallow.git(&["fetch", "--quiet", "--depth=1", &address, "main"]);
    shallow.git(&["reset", "--quiet", "--hard", "FETCH_HEAD"]);
    let looks = "looks=git log --oneline | wc -l; head -n 1 large.bin; echo x >new";
    let report = agents(&shallow, &[looks], OBEYS, &[]).json();
    let looks = row(&report, "looks");
    let reply: Vec<&str> = looks["reply"].as_str().unwrap().lines().collect();
    assert_eq!(
        (reply[0].trim(), reply[1]),
        ("1", pointer.lines().next().unwrap())
    );
    let changed = shallow.git(&["diff", "--name-only", "HEAD", "bakeoff/agents/looks"]);
    assert_eq!(changed, "new");
    let before = ["--base", "HEAD~1", "--name", "before"];
    let refused = agents(&shallow, &["a=true"], OBEYS, &before);
    assert_eq!(refused.status, 2, "{}", refused.stdout);
    assert!(refused.explains("--unshallow"), "{}", refused.stderr);
    let borrows = Repository::new();
    let objects = format!("{}\n", top.join(".git/objects").display());
    borrows.write(".git/objects/info/alternates", &objects);
    borrows.git(&["update-ref", "refs/heads/main", &head]);
    let refused = agents(&borrows, &["a=true"], OBEYS, &[]);
    assert_eq!(refused.status, 2, "{}", refused.stdout);
    assert!(refused.explains("git repack -a -d"), "{}", refused.stderr);
}
