//! Repositories that others made: with links out of the tree, and branches of strange names.

use super::{OBEYS, agents, repository, row};
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
