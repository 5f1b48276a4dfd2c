//! Components in registries: published, fetched by `bakeoff vendor` alone, and run as files are.

#[path = "../host/registry/testing/fake_registry.rs"]
#[allow(dead_code)]
mod fake_registry;

use crate::support::{CommandOutput, bakeoff, measuring_slot, verdict};
use bakeoff_domain::reference::ComponentReference;
use fake_registry::{Access, Answer, FakeRegistry};
use std::fs;
use std::path::PathBuf;

const WIT: &str = "package a:b;\nworld prototype { export total: func(values: list<u32>) -> u64; }
world workload { export generate: func(size: u32, seed: u64) -> list<u32>; \
export check: func(values: list<u32>, answer: u64) -> result<_, string>; }\n";

const QUICK: &str =
    "pub fn total(values: Vec<u32>) -> u64 { values.iter().map(|one| u64::from(*one)).sum() }\n";

const SLOW: &str = "pub fn total(values: Vec<u32>) -> u64 {
    let mut total = 0;
    for _ in 0..40 { total = std::hint::black_box(&values).iter().map(|one| u64::from(*one)).sum(); }
    total
}\n";

const WORKLOAD: &str = "pub fn generate(size: u32, seed: u64) -> Vec<u32> { (0..size).map(|one| one ^ seed as u32).collect() }
pub fn check(values: Vec<u32>, answer: u64) -> Result<(), String> {
    let wanted: u64 = values.iter().map(|one| u64::from(*one)).sum();
    if wanted == answer { Ok(()) } else { Err(format!(\"not {answer}\")) }
}\n";

/// `me:hunter2` in base64, as a header has it.
const BASIC: &str = "Basic bWU6aHVudGVyMg==";

/// The user's folders, and one with sources.
struct User {
    folder: tempfile::TempDir,
}

impl User {
    fn new() -> Self {
        let user = Self {
            folder: tempfile::tempdir().unwrap(),
        };
        fs::create_dir(user.path("home")).unwrap();
        for (name, text) in [
            ("total.wit", WIT),
            ("quick.rs", QUICK),
            ("slow.rs", SLOW),
            ("workload.rs", WORKLOAD),
        ] {
            user.write(name, text);
        }
        user
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    /// An experiment with this component beside the quick source.
    fn experiment(&self, component: &str, more: &str) {
        self.write(
            "bakeoff.toml",
            &format!(
                "name = \"total\"\nproblem = \"Which sum?\"\n[interface]\nwit = \"total.wit\"\ncall = \"total\"\n\
                 [workload]\nsource = \"workload.rs\"\nsizes = [2_000]\n[[approach]]\nname = \"quick\"\n\
                 source = \"quick.rs\"\ndescription = \"Once.\"\n[[approach]]\nname = \"far\"\n\
                 component = \"{component}\" # from far away\n[measure]\nprecision = 0.5\nbudget = \"4 s\"\n{more}"
            ),
        );
    }

    fn run(&self, arguments: &[&str]) -> CommandOutput {
        self.run_with(arguments, &[])
    }

    fn run_with(&self, arguments: &[&str], environment: &[(&str, &str)]) -> CommandOutput {
        let mut command = bakeoff(arguments);
        command
            .current_dir(self.folder.path())
            .env("HOME", self.path("home"))
            .env("DOCKER_CONFIG", self.path("home/docker"))
            .env("BAKEOFF_CACHE_DIR", self.path("home/cache"))
            .envs(environment.iter().copied());
        let _slot = (arguments[0] == "run").then(measuring_slot);
        command.output().unwrap().into()
    }

    /// Publishes a source, and returns its reference with the digest.
    fn publish(&self, file: &str, to: &str, more: &[&str]) -> String {
        let words = ["publish", file, to, "--format", "json"];
        let said = self.run(&[&words, more].concat());
        assert_eq!(said.status, 0, "{}", said.stderr);
        said.json()["reference"].as_str().unwrap().to_owned()
    }

    fn kept(&self) -> usize {
        let components = self.path("home/cache/components");
        fs::read_dir(components).map_or(0, Iterator::count)
    }
}

const INTERFACE: [&str; 4] = ["--wit", "total.wit", "--call", "total"];

fn text(value: &serde_json::Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// What is asked for in CI of a real registry too: `.ci/registry`.
#[test]
fn a_component_is_published_vendored_run_published_and_vendored_by_another_user() {
    let registry = FakeRegistry::start();
    let here = User::new();
    let slow = here.publish(
        "slow.rs",
        &format!("oci://{}/team/slow:1", registry.host()),
        &[&INTERFACE[..], &["--description", "Forty times."]].concat(),
    );
    let tag = slow.split('@').next().unwrap();
    here.experiment(tag, "");
    let unpinned = here.run(&["run", "."]);
    assert_eq!(unpinned.status, 2);
    assert!(
        unpinned.explains("has no digest") && unpinned.explains("run `bakeoff vendor`"),
        "{}",
        unpinned.stderr
    );
    let vendored = here.run(&["vendor"]);
    assert_eq!(vendored.status, 0, "{}", vendored.stderr);
    assert!(
        vendored.stdout.contains("its publisher says: Forty times."),
        "{}",
        vendored.stdout
    );
    let file = fs::read_to_string(here.path("bakeoff.toml")).unwrap();
    assert!(
        file.contains(&format!("component = \"{slow}\" # from far away\n")),
        "{file}"
    );
    // A run asks nobody.
    let asked = registry.asked().len();
    let run = here.run(&["run", ".", "--format", "json"]);
    let report = run.json();
    assert_eq!(verdict(&report, "quick", "far"), "beats", "{}", run.stderr);
    assert_eq!(registry.asked().len(), asked);
    assert_eq!(text(&report["variants"][1]["file"]), slow);

    // The winner, as it was measured.
    let quick = format!("oci://{}/team/quick:1", registry.host());
    let published = here.run(&["publish", ".", &quick, "--format", "json"]);
    assert_eq!(published.status, 0, "{}", published.stderr);
    assert_eq!(published.json()["title"], "quick");
    let quick = text(&published.json()["reference"]).to_owned();
    let far = here.publish(
        ".",
        &format!("oci://{}/other/far:2", registry.host()),
        &["--variant", "far"],
    );
    let layer = |reference: &str| {
        let reference = ComponentReference::parse(reference).unwrap();
        let (name, digest) = (reference.repository(), reference.digest().unwrap());
        let manifest = registry.content(&format!("/v2/{name}/manifests/{digest}"));
        let manifest: serde_json::Value = serde_json::from_slice(&manifest.unwrap()).unwrap();
        text(&manifest["layers"][0]["digest"]).to_owned()
    };
    assert_eq!(layer(&far), layer(&slow));

    // Another user gets the same, and sees the same.
    let there = User::new();
    there.experiment(
        &slow,
        &format!("[[approach]]\nname = \"near\"\ncomponent = \"{quick}\"\n"),
    );
    let absent = there.run(&["run", "."]);
    assert_eq!(absent.status, 2);
    assert!(
        absent.explains("is not vendored on this machine")
            && absent.explains("`bakeoff vendor` fetches it"),
        "{}",
        absent.stderr
    );
    let vendored = there.run(&["vendor", "--format", "json"]);
    assert_eq!(vendored.status, 0, "{}", vendored.stderr);
    let vendored = vendored.json();
    let names = vendored["components"].as_array().unwrap().iter();
    let names: Vec<&str> = names.map(|one| text(&one["reference"])).collect();
    assert_eq!(names, [&slow, &quick]);
    let run = there.run(&["run", ".", "--format", "json"]);
    let report = run.json();
    assert_eq!(verdict(&report, "near", "far"), "beats", "{}", run.stderr);
    assert_eq!(verdict(&report, "quick", "far"), "beats", "{}", run.stderr);
    let picked = there.run(&["pick", "."]);
    assert!(picked.status <= 1, "{}", picked.stderr);
}

/// A registry with a component, and its reference without and with a digest.
fn with_component(user: &User) -> (FakeRegistry, String, String) {
    let registry = FakeRegistry::start();
    let tag = format!("oci://{}/slow:1", registry.host());
    let pinned = user.publish("slow.rs", &tag, &INTERFACE);
    (registry, tag, pinned)
}

#[test]
fn a_tag_that_moved_is_said_and_the_digest_counts() {
    let user = User::new();
    let (registry, tag, pinned) = with_component(&user);
    user.experiment(&pinned, "");
    assert_eq!(user.run(&["vendor"]).status, 0);
    let taken = user.run(&[&["publish", "quick.rs", &tag][..], &INTERFACE].concat());
    assert_eq!(taken.status, 2);
    assert!(taken.explains("--move-tag"), "{}", taken.stderr);
    let moved = user.publish(
        "quick.rs",
        &tag,
        &[&INTERFACE[..], &["--move-tag"]].concat(),
    );
    assert_ne!(moved, pinned);
    let file = fs::read_to_string(user.path("bakeoff.toml")).unwrap();
    let said = user.run(&["vendor"]);
    assert_eq!(said.status, 0, "{}", said.stderr);
    assert!(
        said.stdout.contains("was here already") && said.stdout.contains("the tag 1 was moved"),
        "{}",
        said.stdout
    );
    assert!(
        said.stdout.contains(moved.split('@').nth(1).unwrap()),
        "{}",
        said.stdout
    );
    assert_eq!(fs::read_to_string(user.path("bakeoff.toml")).unwrap(), file);
    // Without the registry, what is here is enough, and what is not known is said.
    registry.answers("", Answer::Closed);
    let said = user.run(&["vendor"]);
    assert_eq!(said.status, 0, "{}", said.stderr);
    assert!(said.stdout.contains("is not known"), "{}", said.stdout);
}

#[test]
fn nothing_is_kept_or_written_when_something_is_wrong() {
    let user = User::new();
    let (registry, tag, pinned) = with_component(&user);
    user.experiment(&tag, "");
    let before = fs::read_to_string(user.path("bakeoff.toml")).unwrap();
    for (part, answer, why, status) in [
        ("", Answer::Closed, "cannot be asked now", 5),
        ("blobs/", Answer::Endless, "nothing of it is kept", 2),
        (
            "manifests/",
            Answer::Status(200, String::new(), b"{}".to_vec()),
            "is no manifest",
            2,
        ),
        (
            "blobs/",
            Answer::Status(307, "Location: http://192.0.2.1/x\r\n".into(), Vec::new()),
            "not followed",
            2,
        ),
    ] {
        registry.answers(part, answer);
        let said = user.run(&["vendor"]);
        assert_eq!(said.status, status, "{}", said.stderr);
        assert!(said.explains(why), "{why}: {}", said.stderr);
        assert_eq!(user.kept(), 0);
        assert_eq!(
            fs::read_to_string(user.path("bakeoff.toml")).unwrap(),
            before
        );
        registry.answers_well();
    }
    // Another digest than is named.
    user.experiment(&pinned, "");
    registry.answers(
        "sha256:",
        Answer::Status(200, String::new(), b"{}".to_vec()),
    );
    let said = user.run(&["vendor"]);
    assert_eq!((said.status, user.kept()), (2, 0), "{}", said.stderr);
    assert!(said.explains("was asked for"), "{}", said.stderr);
}

#[test]
fn credentials_are_the_user_s_and_are_never_shown() {
    let user = User::new();
    let (registry, tag, pinned) = with_component(&user);
    registry.wants(Access::Basic(BASIC.to_owned()));
    user.experiment(&pinned, "");
    let refused = user.run(&["vendor"]);
    assert_eq!(refused.status, 2);
    assert!(
        refused.explains("there are no credentials for it"),
        "{}",
        refused.stderr
    );
    fs::create_dir(user.path("home/docker")).unwrap();
    let auth = BASIC.split(' ').nth(1).unwrap();
    let config = format!(
        r#"{{"auths": {{"{}": {{"auth": "{auth}"}}}}}}"#,
        registry.host()
    );
    user.write("home/docker/config.json", &config);
    let vendored = user.run(&["vendor"]);
    assert_eq!(vendored.status, 0, "{}", vendored.stderr);
    fs::remove_file(user.path("home/docker/config.json")).unwrap();
    let variables = [
        ("BAKEOFF_REGISTRY", registry.host()),
        ("BAKEOFF_REGISTRY_USER", "me"),
        ("BAKEOFF_REGISTRY_PASSWORD", "hunter2"),
    ];
    let words = [&["publish", "slow.rs", &tag][..], &INTERFACE].concat();
    let published = user.run_with(&words, &variables);
    assert_eq!(published.status, 0, "{}", published.stderr);
    let wrong = [
        variables[0],
        variables[1],
        ("BAKEOFF_REGISTRY_PASSWORD", "hunter3"),
    ];
    let refused = user.run_with(&words, &wrong);
    assert_eq!(refused.status, 2);
    let all = refused.stdout + &refused.stderr + &published.stdout + &vendored.stdout;
    assert!(!all.contains("hunter") && !all.contains(auth), "{all}");
    // Credentials in a reference are refused, and not repeated to anybody.
    let named = tag.replace("oci://", "oci://me:hunter2@");
    user.experiment(&named, "");
    let asked = registry.asked().len();
    let refused = user.run(&["vendor"]);
    assert_eq!(refused.status, 2);
    assert!(refused.explains("never stand there"), "{}", refused.stderr);
    for words in [
        vec!["vendor", &named],
        vec!["build", &named, "--world", "evaluator"],
        [&["publish", "slow.rs", &named][..], &INTERFACE].concat(),
    ] {
        let refused = user.run(&words);
        assert!(refused.explains("never stand there"), "{}", refused.stderr);
        assert!(!refused.stderr.contains("hunter2"), "{}", refused.stderr);
    }
    assert_eq!(registry.asked().len(), asked);
}

#[test]
fn an_evaluator_a_proposer_and_a_workload_are_named_by_references_too() {
    let user = User::new();
    let registry = FakeRegistry::start();
    let named = |name: &str| format!("oci://{}/{name}:1", registry.host());
    let written = user.run(&[
        "init",
        "q",
        "--evaluator",
        "panics",
        "--proposer",
        "variations",
    ]);
    assert_eq!(written.status, 0, "{}", written.stderr);
    let evaluator = user.publish(
        "q/evaluators/panics.rs",
        &named("panics"),
        &["--world", "evaluator"],
    );
    let proposer = user.publish(
        "q/proposers/variations.rs",
        &named("variations"),
        &["--world", "proposer"],
    );
    let config = registry.content("/v2/panics/manifests/1").unwrap();
    let config = String::from_utf8(config).unwrap();
    assert!(
        config.contains("dev.bakeoff.wit") && config.contains("bakeoff:evaluator"),
        "{config}"
    );
    let workload = user.publish(
        "workload.rs",
        &named("workload"),
        &[&INTERFACE[..], &["--world", "workload"]].concat(),
    );
    user.experiment("quick.wasm", &format!("[[evaluator]]\nname = \"panics\"\ncomponent = \"{evaluator}\"\n[[criterion]]\nname = \"time\"\nfrom = \"time\"\n[[criterion]]\nname = \"safety\"\nfrom = \"evaluator:unwraps\"\n"));
    let file = fs::read_to_string(user.path("bakeoff.toml")).unwrap();
    let file = file.replace(
        "source = \"workload.rs\"",
        &format!("component = \"{workload}\""),
    );
    user.write("bakeoff.toml", &file);
    let built = user.run(&[&["build", "quick.rs", "-o", "quick.wasm"][..], &INTERFACE].concat());
    assert_eq!(built.status, 0, "{}", built.stderr);
    let absent = user.run(&["run", "."]);
    assert!(
        absent.status == 2 && absent.explains("is not vendored"),
        "{}",
        absent.stderr
    );
    let vendored = user.run(&["vendor"]);
    assert_eq!(vendored.status, 0, "{}", vendored.stderr);
    let run = user.run(&["run", ".", "--format", "json"]);
    assert!(run.ended_a_run(), "{}", run.stderr);
    let safety = run.json()["criteria"]
        .as_array()
        .unwrap()
        .iter()
        .any(|one| one["name"] == "safety");
    assert!(safety, "{}", run.stdout);
    let one = user.run(&["vendor", &proposer]);
    assert_eq!(one.status, 0, "{}", one.stderr);
    let checked = user.run(&["build", &proposer, "--world", "proposer"]);
    assert_eq!(checked.status, 0, "{}", checked.stderr);
}
