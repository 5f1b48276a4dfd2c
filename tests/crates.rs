//! Crates that the user allows: fetched from a registry that is a folder, built once behind the fence, and
//! used by sources.

mod hostile;

use crate::build::{Running, interface};
use crate::support::{CommandOutput, bakeoff, measuring_slot};
use bakeoff_compile::{
    BuildKind, BuildLimits, BuildRequest, Builder, BuiltCrates, Cache, CratesError, LibraryTarget,
    Toolchain,
};
use bakeoff_confine::{Confinement, ProbeConfig};
use bakeoff_domain::crates::{AllowedCrate, Crates};
use bakeoff_domain::failure::Failure;
use bakeoff_domain::spec::Limits;
use bakeoff_source::BuildInput;
use bakeoff_source::interface::World;
use std::net::TcpListener;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use wasmtime::component::Val;

/// A machine of its own: a registry, a cache and an experiment.
pub(crate) struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    pub(crate) fn new() -> Self {
        let place = Self {
            folder: tempfile::tempdir().unwrap(),
        };
        let settings = format!(
            "[source.crates-io]\nreplace-with = \"folder\"\n[source.folder]\ndirectory = \"{}\"\n",
            place.path("registry").display()
        );
        place.write("home/config.toml", &settings);
        std::fs::create_dir(place.path("registry")).unwrap();
        place
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// Adds a crate of version 1.0.0 to the registry. `manifest` follows its `[package]`.
    pub(crate) fn publish(&self, name: &str, manifest: &str, files: &[(&str, &str)]) {
        let package =
            format!("[package]\nname = \"{name}\"\nversion = \"1.0.0\"\nedition = \"2021\"\n");
        self.write(
            &format!("registry/{name}/Cargo.toml"),
            &format!("{package}{manifest}"),
        );
        for (file, text) in files {
            self.write(&format!("registry/{name}/{file}"), text);
        }
        let sums = format!("{{\"files\":{{}},\"package\":\"{}\"}}", "0f".repeat(32));
        self.write(&format!("registry/{name}/.cargo-checksum.json"), &sums);
    }

    /// An experiment that allows these crates, with one approach of this text.
    fn experiment(&self, crates: &[&str], approach: &str) {
        let text = format!(
            "name = \"crates\"\nproblem = \"Which number?\"\n[interface]\nwit = \"number.wit\"\n\
             call = \"number\"\n[workload]\ncases = \"cases.toml\"\n[[approach]]\nname = \"one\"\n\
             source = \"one.rs\"\n[measure]\nprecision = 0.5\nbudget = \"1 s\"\n[build]\ncrates = {crates:?}\n"
        );
        self.write("experiment/bakeoff.toml", &text);
        self.write("experiment/number.wit", WIT);
        self.write("experiment/one.rs", approach);
        self.write(
            "experiment/cases.toml",
            "[[case]]\ncall = \"number(3)\"\nexpect = \"42\"\n",
        );
    }

    fn run(&self, arguments: &[&str]) -> CommandOutput {
        let mut command = bakeoff(arguments);
        command
            .current_dir(self.path("experiment"))
            .env("CARGO_HOME", self.path("home"))
            .env("BAKEOFF_CACHE_DIR", self.path("cache"));
        let _slot = (arguments[0] == "run").then(measuring_slot);
        command.output().unwrap().into()
    }

    /// Fetches these crates, as the command does, and returns them with their lock.
    fn fetched(&self, names: &[&str]) -> Crates {
        let listed: Vec<String> = names.iter().map(|name| format!("{name}@1")).collect();
        let listed: Vec<&str> = listed.iter().map(String::as_str).collect();
        self.experiment(&listed, "");
        let said = self.run(&["vendor"]);
        assert_eq!(said.status, 0, "{}", said.stderr);
        let allowed = names.iter().map(|name| AllowedCrate::new(name, "1"));
        Crates {
            allowed: allowed.collect(),
            lock: std::fs::read_to_string(self.path("experiment/bakeoff.lock")).unwrap(),
        }
    }

    async fn open(
        &self,
        crates: &Crates,
        confinement: &Confinement,
        limits: BuildLimits,
    ) -> Result<BuiltCrates, CratesError> {
        let toolchain = toolchain().await;
        let cache = Cache::open(&self.path("cache")).unwrap();
        let target = LibraryTarget::Component;
        BuiltCrates::open(&toolchain, confinement, &cache, crates, target, limits).await
    }
}

const WIT: &str = "package a:b;\nworld prototype { export number: func(n: u32) -> u32; }\n";

async fn toolchain() -> Toolchain {
    Toolchain::find(&mut |_| ()).await.unwrap()
}

async fn confinement() -> Confinement {
    let host = ProbeConfig {
        bubblewrap: false,
        ..ProbeConfig::with_program(env!("CARGO_BIN_EXE_bakeoff"))
    };
    Confinement::probe_on(host).await.unwrap()
}

/// What a source answers to 3 that is built with these crates.
async fn answer(crates: Option<BuiltCrates>, text: &str) -> Result<u32, Failure> {
    let builder = Builder::new(toolchain().await, confinement().await, None, 1);
    let builder = match crates {
        Some(crates) => builder.with_crates(Arc::new(crates)),
        None => builder,
    };
    let request = BuildRequest {
        interface: interface(WIT, "number"),
        world: World::Prototype,
        code: BuildInput::Source {
            path_shown: "one.rs".into(),
            text: text.into(),
        },
        kind: BuildKind::Release,
        memory_bytes: Limits::default().memory_bytes,
        parameters: false,
    };
    let built = builder.build(&request).await?;
    assert!(built.imports.is_empty(), "{:?}", built.imports);
    match Running::new(&built).call("number", &[Val::U32(3)]) {
        Ok(Val::U32(number)) => Ok(number),
        other => panic!("{other:?}"),
    }
}

/// A library with a build script and a crate that it needs, and a macro.
fn publish_some(place: &Place) {
    place.publish("inner", "", &[("src/lib.rs", "pub const TEN: u32 = 10;\n")]);
    let script = "fn main() { let out = std::env::var(\"OUT_DIR\").unwrap();\n\
                  std::fs::write(out + \"/made.rs\", \"pub const MADE: u32 = 4;\").unwrap(); }\n";
    let library = "include!(concat!(env!(\"OUT_DIR\"), \"/made.rs\"));\n\
                   pub fn forty() -> u32 { MADE * inner::TEN }\n";
    let needs = "[dependencies]\ninner = \"1\"\n";
    place.publish(
        "made-up",
        needs,
        &[("build.rs", script), ("src/lib.rs", library)],
    );
    let library = "extern crate proc_macro;\n#[proc_macro]\npub fn two(_: proc_macro::TokenStream) -> \
                   proc_macro::TokenStream { \"2u32\".parse().unwrap() }\n";
    place.publish(
        "says",
        "[lib]\nproc-macro = true\n",
        &[("src/lib.rs", library)],
    );
}

const USES: &str = "pub fn number(_: u32) -> u32 { made_up::forty() + says::two!() }\n";

#[test]
fn crates_are_built_for_this_machine_too() {
    if !crate::natively::has_linker() {
        return;
    }
    let place = Place::new();
    publish_some(&place);
    place.fetched(&["made-up", "says"]);
    let file = std::fs::read_to_string(place.path("experiment/bakeoff.toml")).unwrap();
    let more = "[[approach]]\nname = \"two\"\nsource = \"two.rs\"\n[measure]";
    let file = file.replace("[measure]", more);
    place.write("experiment/bakeoff.toml", &file);
    place.write("experiment/one.rs", USES);
    let other =
        "(made_up::forty()..made_up::forty() + 3).map(std::hint::black_box).count() as u32 + 39";
    place.write(
        "experiment/two.rs",
        &USES.replace("made_up::forty() + says::two!()", other),
    );
    let said = place.run(&["run", "--natively", "--seed", "3", "--format", "json"]);
    let natively = &said.json()["natively"];
    // Both were built and answered every check.
    let row = &natively["verdicts"][0];
    assert_eq!(
        [&row["a"], &row["b"]],
        ["one", "two"],
        "{}{natively:#}",
        said.stderr
    );
    assert!(natively["failures"].is_null(), "{natively:#}");
}

#[tokio::test]
async fn a_source_uses_the_crates_that_the_user_allows() {
    let place = Place::new();
    publish_some(&place);
    let crates = place.fetched(&["made-up", "says"]);
    assert!(
        crates.lock.contains(&"0f".repeat(32)),
        "the lock has checksums"
    );
    let limits = BuildLimits::default();
    let fenced = confinement().await;
    let built = place.open(&crates, &fenced, limits).await.unwrap();
    assert_eq!(answer(Some(built), USES).await.unwrap(), 42);

    // Once built, neither registry nor sources are needed.
    std::fs::remove_dir_all(place.path("registry")).unwrap();
    std::fs::remove_dir_all(place.path("cache/crates")).unwrap();
    let kept = place.open(&crates, &fenced, limits).await.unwrap();
    // What another crate needs is not the source's to use.
    let other = "pub fn number(_: u32) -> u32 { inner::TEN }\n";
    let refused = answer(Some(kept), other).await.unwrap_err();
    assert!(
        refused.message.contains("unlinked crate `inner`"),
        "{}",
        refused.message
    );
    let refused = answer(None, USES).await.unwrap_err();
    assert!(
        refused.message.contains("`bakeoff vendor`"),
        "{}",
        refused.message
    );
}

#[test]
fn a_run_builds_them_and_says_which_they_are() {
    let place = Place::new();
    publish_some(&place);
    place.experiment(&["made-up@1", "says@1.0"], USES);
    let unlocked = place.run(&["run", "."]);
    assert_eq!(unlocked.status, 2, "{}", unlocked.stderr);
    assert!(
        unlocked.explains("run `bakeoff vendor`"),
        "{}",
        unlocked.stderr
    );
    let fetched = place.run(&["vendor", ".", "--format", "json"]);
    assert_eq!(fetched.json()["crates"][0]["name"], "inner");
    let run = place.run(&["run", ".", "--format", "json"]);
    assert!(run.ended_a_run(), "{}", run.stderr);
    let report = run.json();
    let crates = report["environment"]["crates"].as_array().unwrap();
    let shown: Vec<&str> = crates
        .iter()
        .map(|one| one["name"].as_str().unwrap())
        .collect();
    assert_eq!(shown, ["inner", "made-up", "says"]);
    assert_eq!(crates[1]["checksum"], "0f".repeat(32));
    assert_eq!(
        report["variants"][0]["failure"],
        serde_json::Value::Null,
        "{}",
        run.stdout
    );

    // Other crates than those of the lock.
    place.experiment(&["made-up@1"], USES);
    let other = place.run(&["run", "."]);
    assert_eq!(other.status, 2);
    assert!(other.explains("for other crates"), "{}", other.stderr);
}

/// A library whose number follows from its features, one of which needs another crate.
#[test]
fn features_are_those_that_the_experiment_names() {
    let place = Place::new();
    place.publish("inner", "", &[("src/lib.rs", "pub const TEN: u32 = 10;\n")]);
    let features = "[features]\ndefault = [\"small\"]\nsmall = []\nlarge = [\"dep:inner\"]\n\
                    [dependencies]\ninner = { version = \"1\", optional = true }\n";
    let library = "pub fn number() -> u32 {\n    let number = 32 + 5 * cfg!(feature = \"small\") as u32;\n    \
                   #[cfg(feature = \"large\")]\n    let number = number + inner::TEN;\n    number\n}\n";
    place.publish("sized", features, &[("src/lib.rs", library)]);
    let source = "pub fn number(_: u32) -> u32 { sized::number() }\n";
    let with = |listed: &str| {
        place.experiment(&["CRATE"], source);
        let file = place.path("experiment/bakeoff.toml");
        let text = std::fs::read_to_string(&file).unwrap();
        std::fs::write(&file, text.replace("\"CRATE\"", listed)).unwrap();
    };
    let passed = || {
        let run = place.run(&["run", ".", "--format", "json"]);
        assert!(run.ended_a_run(), "{}", run.stderr);
        let report = run.json();
        let crates = report["environment"]["crates"].as_array().unwrap().len();
        (report["variants"][0]["failure"].is_null(), crates)
    };
    // 37 with its default feature, 47 with both, and 42 with the other one alone.
    for (listed, found) in [
        ("\"sized@1\"", (false, 1)),
        (
            "{ name = \"sized\", version = \"1\", features = [\"large\"] }",
            (false, 2),
        ),
        (
            "{ name = \"sized\", version = \"1\", features = [\"large\"], default-features = false }",
            (true, 2),
        ),
    ] {
        with(listed);
        let said = place.run(&["vendor"]);
        assert_eq!(said.status, 0, "{listed}: {}", said.stderr);
        assert_eq!(passed(), found, "{listed}");
    }
    // The lock of other features has too few crates, and a feature may not be there.
    with("\"sized@1\"");
    assert_eq!(place.run(&["vendor"]).status, 0);
    with("{ name = \"sized\", version = \"1\", features = [\"large\"] }");
    let said = place.run(&["run", "."]);
    assert_eq!(said.status, 2, "{}", said.stderr);
    assert!(said.explains("bakeoff vendor"), "{}", said.stderr);
    with("{ name = \"sized\", version = \"1\", features = [\"huge\"] }");
    let said = place.run(&["vendor"]);
    assert_eq!(said.status, 2, "{}", said.stderr);
    assert!(said.explains("huge"), "{}", said.stderr);
}

#[tokio::test]
async fn crates_that_are_not_there_or_do_not_build_are_named() {
    let place = Place::new();
    let library = "#[cfg(target_arch = \"wasm32\")]\ncompile_error!(\"needs a system\");\n";
    place.publish("native", "", &[("src/lib.rs", library)]);
    place.experiment(&["nowhere@1"], "");
    let said = place.run(&["vendor"]);
    assert_eq!(said.status, 2, "{}", said.stderr);
    assert!(
        said.explains("there is no such crate, or no such version of it"),
        "{}",
        said.stderr
    );
    assert!(said.explains("nowhere"), "{}", said.stderr);
    assert!(!place.path("experiment/bakeoff.lock").exists());
    place.experiment(&["native@2"], "");
    let said = place.run(&["vendor"]);
    assert!(said.explains("no such version of it"), "{}", said.stderr);

    let crates = place.fetched(&["native"]);
    let fenced = confinement().await;
    let limits = BuildLimits::default();
    let refused = place.open(&crates, &fenced, limits).await.unwrap_err();
    let said = refused.to_string();
    assert!(
        said.contains("native 1.0.0 does not compile for wasm32"),
        "{said}"
    );
    assert!(said.contains("needs a system"), "{said}");
    std::fs::remove_dir_all(place.path("cache/crates")).unwrap();
    let refused = place.open(&crates, &fenced, limits).await.unwrap_err();
    assert!(matches!(refused, CratesError::NotFetched), "{refused}");
}

/// Rust that tries what no crate may: a bit for each thing that works.
fn attempts(place: &Place, listener: &TcpListener) -> String {
    place.write("secret", "canary");
    let address = listener.local_addr().unwrap();
    let path = |name: &str| place.path(name).display().to_string();
    format!(
        "fn attempts() -> u32 {{
            let read = std::fs::read({:?}).is_ok() as u32;
            let connected = std::net::TcpStream::connect({:?}).is_ok() as u32;
            let written = std::fs::write({:?}, \"x\").is_ok() as u32;
            let changed = std::fs::write({:?}, \"x\").is_ok() as u32;
            read | connected << 1 | written << 2 | changed << 3
        }}",
        path("secret"),
        address.to_string(),
        path("mark"),
        path("cache/crates/mark"),
    )
}

/// The same script without a fence does all of it: it is the fence that keeps it from that.
#[tokio::test]
async fn case_130_build_script_of_a_crate() {
    let place = Place::new();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let attempts = attempts(&place, &listener);
    let script = format!(
        "{attempts}\nfn main() {{ let out = std::env::var(\"OUT_DIR\").unwrap();\n\
         std::fs::write(out + \"/made.rs\", format!(\"pub const GOT: u32 = {{}};\", attempts())).unwrap(); }}\n"
    );
    let library = "include!(concat!(env!(\"OUT_DIR\"), \"/made.rs\"));\n";
    place.publish(
        "hostile",
        "",
        &[("build.rs", &script), ("src/lib.rs", library)],
    );
    let crates = place.fetched(&["hostile"]);
    let limits = BuildLimits::default();
    let built = place
        .open(&crates, &confinement().await, limits)
        .await
        .unwrap();
    let says = "pub fn number(_: u32) -> u32 { hostile::GOT }\n";
    assert_eq!(answer(Some(built), says).await.unwrap(), 0);
    assert!(!place.path("mark").exists());
    let open = crate::confine::probe::unconfined().await;
    let built = place.open(&crates, &open, limits).await.unwrap();
    assert_eq!(answer(Some(built), says).await.unwrap(), 15);
}

#[tokio::test]
async fn case_131_build_script_that_never_ends() {
    let place = Place::new();
    let script = "fn main() { std::thread::sleep(std::time::Duration::from_secs(86_400)); }\n";
    place.publish("slow", "", &[("build.rs", script), ("src/lib.rs", "")]);
    let crates = place.fetched(&["slow"]);
    let limits = BuildLimits {
        wall: Duration::from_secs(5),
        ..BuildLimits::default()
    };
    let refused = place.open(&crates, &confinement().await, limits).await;
    let said = refused.unwrap_err().to_string();
    assert!(said.contains("it takes more than 5 s"), "{said}");
}

/// What is written into cargo's manifest is letters, digits and signs that end nothing there.
#[test]
fn case_150_a_crate_that_goes_on_as_toml() {
    let place = Place::new();
    place.publish("sized", "", &[("src/lib.rs", "")]);
    place.experiment(&["CRATE"], "");
    let file = place.path("experiment/bakeoff.toml");
    let text = std::fs::read_to_string(&file).unwrap();
    for listed in [
        r#"'sized@1", path = "/etc'"#,
        r#"{ name = 'sized = "1"', version = '1' }"#,
        r#"{ name = 'sized', version = '1", path = "/etc' }"#,
        r#"{ name = 'sized', version = '1', features = ['x"], path = "/etc', ''] }"#,
        r#"{ name = 'sized', version = "1\n[patch.crates-io]" }"#,
        r#"{ name = 'sized', version = '1', path = '/etc' }"#,
        r#"{ name = 'sized', version = '1', git = 'https://localhost/' }"#,
    ] {
        std::fs::write(&file, text.replace("\"CRATE\"", listed)).unwrap();
        let said = place.run(&["vendor"]);
        assert_eq!(said.status, 2, "{listed}: {}", said.stderr);
        assert!(
            said.stderr.contains("bakeoff.toml:"),
            "{listed}: {}",
            said.stderr
        );
        assert!(!place.path("cache/crates").exists(), "{listed}");
    }
}

/// A macro is run by the compiler of a prototype, behind that one's fence.
#[tokio::test]
async fn case_132_macro_of_a_crate() {
    let place = Place::new();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let library = format!(
        "extern crate proc_macro;\n{}\n#[proc_macro]\npub fn got(_: proc_macro::TokenStream) -> \
         proc_macro::TokenStream {{ format!(\"{{}}u32\", attempts()).parse().unwrap() }}\n",
        attempts(&place, &listener)
    );
    place.publish(
        "hostile",
        "[lib]\nproc-macro = true\n",
        &[("src/lib.rs", &library)],
    );
    let crates = place.fetched(&["hostile"]);
    let limits = BuildLimits::default();
    let built = place.open(&crates, &confinement().await, limits).await;
    let says = "pub fn number(_: u32) -> u32 { hostile::got!() }\n";
    assert_eq!(answer(Some(built.unwrap()), says).await.unwrap(), 0);
    assert!(!place.path("mark").exists());
}
