//! Templates of an experiment's own, and where they may lie.

use super::render;
use bakeoff_config::{PromptKind, load};
use std::fs;

fn experiment(table: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for name in ["wit", "w.rs", "a.rs"] {
        fs::write(folder.path().join(name), "").unwrap();
    }
    let text = format!(
        "name = \"x\"\nproblem = \"y\"\n[interface]\nwit = \"wit\"\ncall = \"f\"\n[workload]\nsource = \"w.rs\"\n\
         sizes = [9]\n[[approach]]\nname = \"a\"\nsource = \"a.rs\"\n[prompts]\n{table}"
    );
    fs::write(folder.path().join("bakeoff.toml"), text).unwrap();
    folder
}

#[test]
fn a_template_is_read_from_its_file() {
    let folder = experiment("research = \"own.md\"\n");
    fs::write(folder.path().join("own.md"), "Say of {{problem}} all.\n").unwrap();
    let loaded = load(folder.path()).unwrap();
    let own = loaded.prompts.get(PromptKind::Research).unwrap();
    assert_eq!(own.template.text(), "Say of {{problem}} all.");
    assert!(loaded.prompts.get(PromptKind::Plan).is_none());
    assert_eq!(loaded.prompts.all().count(), 1);
}

#[test]
fn case_280_a_template_lies_in_the_folder_and_is_short_and_whole() {
    let outside = tempfile::tempdir().unwrap();
    let secret = outside.path().join("secret.md");
    fs::write(&secret, "CANARY {{problem}}").unwrap();
    for (table, said) in [
        (
            "research = \"../secret.md\"",
            "leaves the experiment's folder",
        ),
        ("research = \"/etc/passwd\"", "is absolute"),
        ("research = \"none.md\"", "does not exist"),
        ("research = \"link.md\"", "is a link that leaves"),
        ("research = \"long.md\"", "larger than 64 KiB"),
        ("research = \"bytes.md\"", "not UTF-8"),
        ("research = \"wrong.md\"", "has no place `nonsense`"),
        ("research = \"empty.md\"", "has no `{{problem}}`"),
        ("judge = \"own.md\"", "`judge`"),
    ] {
        let folder = experiment(table);
        let file = |name: &str, bytes: &[u8]| fs::write(folder.path().join(name), bytes);
        file("long.md", "{{problem}}".repeat(10_000).as_bytes()).unwrap();
        file("bytes.md", b"{{problem}}\xff").unwrap();
        file("wrong.md", b"{{problem}}\n{{nonsense}}").unwrap();
        file("empty.md", b"").unwrap();
        std::os::unix::fs::symlink(&secret, folder.path().join("link.md")).unwrap();
        let error = load(folder.path()).unwrap_err();
        let shown = render(&error);
        let shown = shown.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(shown.contains(said), "{table}: {shown}");
        assert!(!shown.contains("CANARY"), "{shown}");
    }
}
