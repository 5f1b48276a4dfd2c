//! Bundles that somebody made up: refused by name, with nothing written and nothing run.

use crate::finished::{CASES, TOP_K};
use crate::support::run_bakeoff;
use sha2::{Digest, Sha256};
use std::fs;
use std::path::{Path, PathBuf};
use tar::{Builder, EntryType, Header};

/// A bundle in the making, from an honest one.
struct Forgery {
    folder: tempfile::TempDir,
    /// Path and content, the manifest left out.
    files: Vec<(String, Vec<u8>)>,
}

fn header(path: &str, bytes: u64, kind: EntryType) -> Header {
    let mut header = Header::new_ustar();
    // Not `set_path`, which is honest.
    header.as_mut_bytes()[..path.len()].copy_from_slice(path.as_bytes());
    header.set_size(bytes);
    header.set_mode(0o644);
    header.set_entry_type(kind);
    header.set_cksum();
    header
}

impl Forgery {
    fn of(bundle: &Path) -> Self {
        let mut archive = tar::Archive::new(fs::File::open(bundle).unwrap());
        let mut files = Vec::new();
        for entry in archive.entries().unwrap() {
            let mut entry = entry.unwrap();
            let path = entry.path().unwrap().to_str().unwrap().to_owned();
            let mut bytes = Vec::new();
            std::io::Read::read_to_end(&mut entry, &mut bytes).unwrap();
            files.push((path, bytes));
        }
        files.retain(|(path, _)| path != "manifest.json");
        Self {
            folder: tempfile::tempdir().unwrap(),
            files,
        }
    }

    fn manifest(&self) -> serde_json::Value {
        let file = |(path, bytes): &(String, Vec<u8>)| {
            let digest = bakeoff_domain::hex(&Sha256::digest(bytes));
            serde_json::json!({"path": path, "bytes": bytes.len(), "sha256": digest})
        };
        let files: Vec<_> = self.files.iter().map(file).collect();
        serde_json::json!({
            "version": 2, "experiment": "x", "run": 1, "bakeoff": "0.1.0", "files": files
        })
    }

    /// The file in a bundle, as JSON.
    fn json(&mut self, path: &str, change: impl FnOnce(&mut serde_json::Value)) {
        let (_, bytes) = self
            .files
            .iter_mut()
            .find(|(name, _)| name == path)
            .unwrap();
        let mut value = serde_json::from_slice(bytes).unwrap();
        change(&mut value);
        *bytes = serde_json::to_vec(&value).unwrap();
    }

    /// Writes it with this manifest and this for the kind of the entry of a path.
    fn write(&self, manifest: &[u8], kind: (&str, EntryType)) -> PathBuf {
        let to = self.folder.path().join("forged.bundle");
        let mut archive = Builder::new(fs::File::create(&to).unwrap());
        let size = manifest.len() as u64;
        archive
            .append(&header("manifest.json", size, EntryType::Regular), manifest)
            .unwrap();
        for (path, bytes) in &self.files {
            let kind = match path == kind.0 {
                true => kind.1,
                false => EntryType::Regular,
            };
            let header = header(path, bytes.len() as u64, kind);
            archive.append(&header, bytes.as_slice()).unwrap();
        }
        archive.into_inner().unwrap();
        to
    }

    fn honest(&self) -> PathBuf {
        self.write(
            self.manifest().to_string().as_bytes(),
            ("", EntryType::Regular),
        )
    }
}

fn assert_refused(bundle: &Path, why: &str) {
    let said = run_bakeoff(&["verify", bundle.to_str().unwrap(), "--quiet"]);
    assert_eq!(said.status, 2, "{why}: {}\n{}", said.stdout, said.stderr);
    assert!(said.explains(why), "no `{why}` in {}", said.stderr);
    let folder = fs::read_dir(bundle.parent().unwrap()).unwrap().count();
    assert_eq!(folder, 1, "{why}: something was left beside the bundle");
}

/// Inputs that follow from a seed by another rule would not be those of the run.
#[test]
fn a_run_by_another_rule_for_seeds_is_refused_with_a_way_out() {
    let mut older = Forgery::of(&TOP_K.copy().pack());
    older.json("evidence.json", |evidence| {
        for gate in evidence["gates"].as_array_mut().unwrap() {
            let inputs = gate["inputs"].as_array_mut().unwrap();
            inputs.retain(|input| input[0] != "seeds");
        }
    });
    let older = older.honest();
    assert_refused(&older, "another rule than today's (inputs from seeds");
    assert_refused(&older, "bakeoff run --fresh");
}

#[test]
fn forged_bundles_are_refused_by_name() {
    let finished = TOP_K.copy();
    let packed = finished.pack();
    let fresh = || Forgery::of(&packed);
    archives(&fresh);
    manifests(&fresh);
    evidence(&fresh);

    // A file that is no archive at all, a folder's worth of nothing, half of a bundle.
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("x.bundle");
    for (content, why) in [
        (&b""[..], "it is empty"),
        (&[0; 2048][..], "it is empty"),
        (
            &b"not an archive, but quite long all the same"[..],
            "is not a bundle",
        ),
    ] {
        fs::write(&file, content).unwrap();
        assert_refused(&file, why);
    }
    let whole = fs::read(&packed).unwrap();
    fs::write(&file, &whole[..whole.len() / 2]).unwrap();
    assert_refused(&file, "bundle");
}

/// Entries that are not plain files, or not where they should be.
fn archives(fresh: &dyn Fn() -> Forgery) {
    for kind in [
        EntryType::Symlink,
        EntryType::Link,
        EntryType::Directory,
        EntryType::Char,
        EntryType::Fifo,
        EntryType::GNUSparse,
        EntryType::GNULongName,
        EntryType::XHeader,
        EntryType::XGlobalHeader,
    ] {
        let forgery = fresh();
        let manifest = forgery.manifest().to_string();
        let file = forgery.write(manifest.as_bytes(), ("report.json", kind));
        assert_refused(&file, "is no plain file");
    }
    let mut moved = fresh();
    let manifest = moved.manifest().to_string();
    moved.files[0].0 = "../../escaped".into();
    let file = moved.write(manifest.as_bytes(), ("", EntryType::Regular));
    assert_refused(&file, "`../../escaped` is where");

    let mut more = fresh();
    let manifest = more.manifest().to_string();
    more.files.push(("extra".into(), b"x".to_vec()));
    let file = more.write(manifest.as_bytes(), ("", EntryType::Regular));
    assert_refused(&file, "that its manifest does not name");

    let mut fewer = fresh();
    let manifest = fewer.manifest().to_string();
    fewer.files.pop();
    let file = fewer.write(manifest.as_bytes(), ("", EntryType::Regular));
    assert_refused(&file, "is missing");

    let mut other = fresh();
    let manifest = other.manifest().to_string();
    let (_, bytes) = other.files.last_mut().unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    let file = other.write(manifest.as_bytes(), ("", EntryType::Regular));
    assert_refused(&file, "was changed or damaged");
}

/// Manifests that promise too much, or lead elsewhere.
fn manifests(fresh: &dyn Fn() -> Forgery) {
    let forgery = fresh();
    let write = |change: &dyn Fn(&mut serde_json::Value)| {
        let mut manifest = forgery.manifest();
        change(&mut manifest);
        forgery.write(manifest.to_string().as_bytes(), ("", EntryType::Regular))
    };
    for path in [
        "/etc/passwd",
        "../x",
        "a/../../x",
        ".ssh/x",
        "a\\b",
        "x\u{1b}[2J",
        "",
    ] {
        let file = write(&|manifest| manifest["files"][0]["path"] = path.into());
        assert_refused(&file, "cannot be the path of a file in it");
    }
    let file = write(&|manifest| {
        let second = manifest["files"][1]["path"].as_str().unwrap().to_owned();
        manifest["files"][0]["path"] = format!("{second}/x").into();
    });
    assert_refused(&file, "is a file in it and a folder");
    let file = write(&|manifest| manifest["files"][0]["bytes"] = (1_u64 << 40).into());
    assert_refused(&file, "more than the limit");
    let file = write(&|manifest| {
        let first = manifest["files"][0].clone();
        manifest["files"] = vec![first; 600].into();
    });
    assert_refused(&file, "600 files");
    let file = write(&|manifest| {
        manifest["files"][1] = manifest["files"][0].clone();
    });
    assert_refused(&file, "is in it twice");
    let file = write(&|manifest| manifest["version"] = 3.into());
    assert_refused(&file, "knows version 2 only: use the newer bakeoff");
    let file = write(&|manifest| manifest["version"] = 1.into());
    assert_refused(
        &file,
        "version 1, and this bakeoff knows version 2 only: an older",
    );
    let huge = vec![b' '; 2 << 20];
    assert_refused(
        &forgery.write(&huge, ("", EntryType::Regular)),
        "its manifest has",
    );
}

/// Evidence that could be of no run.
fn evidence(fresh: &dyn Fn() -> Forgery) {
    type Change = fn(&mut serde_json::Value);
    let changes: [(&str, Change, &str); 12] = [
        (
            "evidence.json",
            |record| record["gates"] = vec![serde_json::json!({}); (4 << 20) + 2].into(),
            "more than the limit of 4194304",
        ),
        (
            "evidence.json",
            |record| record["variants"][0]["id"] = "../../x".into(),
            "other variants than its experiment",
        ),
        (
            "evidence.json",
            |record| record["manifest"]["wit"][0]["sha256"] = "../../etc/passwd".into(),
            "cannot be put together again",
        ),
        (
            "evidence.json",
            |record| record["manifest"]["wit"][0]["sha256"] = "0".repeat(64).into(),
            "is not among the contents that were kept",
        ),
        (
            "evidence.json",
            |record| record["experiment"]["measure"]["confidence"] = 7.into(),
            "a setting of the measurement is out of bounds",
        ),
        (
            "evidence.json",
            |record| record["experiment"]["limits"]["memory_bytes"] = u64::MAX.into(),
            "a limit is out of bounds",
        ),
        (
            "evidence.json",
            |record| record["experiment"]["criteria"][0]["weight"] = (-1).into(),
            "a criterion is out of bounds",
        ),
        (
            "evidence.json",
            |record| record["gates"][0]["value"]["cases"][0]["case"] = 99.into(),
            "a gate has cases",
        ),
        (
            "evidence.json",
            |record| record["race"]["pilot"]["sampling"]["aside"] = serde_json::json!([70]),
            "its pilot speaks of variants",
        ),
        (
            "evidence.json",
            |record| record["race"]["lists"]["cases"] = Vec::<String>::new().into(),
            "other variants or cases",
        ),
        (
            "evidence.json",
            |record| *record = 1.into(),
            "cannot be understood",
        ),
        (
            "report.json",
            |report| *report = 1.into(),
            "cannot be understood",
        ),
    ];
    for (path, change, why) in changes {
        let mut forgery = fresh();
        forgery.json(path, change);
        assert_refused(&forgery.honest(), why);
    }
    let mut forgery = fresh();
    let (_, bytes) = forgery
        .files
        .iter_mut()
        .find(|(path, _)| path == "replicas.jsonl")
        .unwrap();
    let text = String::from_utf8(bytes.clone()).unwrap();
    *bytes = text
        .replacen("\"case\":0", "\"case\":70000", 1)
        .into_bytes();
    assert_refused(
        &forgery.honest(),
        "a replica has samples of variants or cases",
    );
}

#[test]
fn a_content_that_is_not_what_its_name_says_is_refused() {
    let finished = CASES.copy();
    let mut forgery = Forgery::of(&finished.pack());
    let contents: Vec<usize> = (0..forgery.files.len())
        .filter(|index| forgery.files[*index].0.starts_with("contents/"))
        .collect();
    let bytes = forgery.files[contents[1]].1.clone();
    forgery.files[contents[0]].1 = bytes;
    assert_refused(&forgery.honest(), "has other content than its name says");
}
