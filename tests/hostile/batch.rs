//! Several hostile prototypes in one experiment beside two good ones, run by the real binary; and
//! what must hold of every such run.

use crate::support::{CommandOutput, measuring_slot, root, variant, verdict};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The interface of all batches.
pub(super) const WIT: &str = "package example:top-k;

world prototype {
  export top-k: func(values: list<s64>, k: u32) -> list<s64>;
}

world workload {
  export generate: func(size: u32, seed: u64) -> tuple<list<s64>, u32>;
  export check: func(values: list<s64>, k: u32, answer: list<s64>) -> result<_, string>;
}
";

/// The variable of the environment that holds the canary.
const CANARY_VARIABLE: &str = "BAKEOFF_CANARY";

/// A folder of its own for everything that a command of bakeoff may touch, and a secret that it
/// must not.
pub(super) struct World {
    folder: tempfile::TempDir,
    canary: String,
}

impl World {
    pub(super) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let name = folder.path().file_name().unwrap().to_string_lossy();
        let canary = format!("CANARY{}{name}", std::process::id());
        let world = Self { folder, canary };
        for folder in ["experiment", "temporary", "home"] {
            fs::create_dir(world.path(folder)).unwrap();
        }
        // Beside the folders that builds are made in: what `../canary.txt` means there.
        world.write(
            "temporary/canary.txt",
            format!("{} is no Rust\n", world.canary),
        );
        let binary = Path::new(env!("CARGO_BIN_EXE_bakeoff"));
        crate::support::second_name(binary, &world.path("bakeoff"));
        world
    }

    /// A place in it.
    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(super) fn text(&self, name: &str) -> String {
        self.path(name).to_str().unwrap().to_owned()
    }

    pub(super) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    /// Writes an approach of this repository, with the secret's path and the place for a mark put
    /// in; a mark shows that code ran which must not.
    pub(super) fn write_approach(&self, name: &str) {
        let text = approach(name)
            .replace("@SECRET@", &self.text("temporary/canary.txt"))
            .replace("@MARK@", &self.text("temporary/mark"));
        self.write(&format!("experiment/approaches/{name}.rs"), text);
    }

    /// The binary with the secret in its environment, and with folders of its own.
    pub(super) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(self.path("bakeoff"));
        command
            .args(arguments)
            .current_dir(self.path("experiment"))
            .env("BAKEOFF_CACHE_DIR", self.path("cache"))
            .env("TMPDIR", self.path("temporary"))
            .env(CANARY_VARIABLE, &self.canary)
            .env_remove("NO_COLOR")
            .stdin(Stdio::null());
        command
    }

    /// Runs the binary to its end, and holds it to what no command may do.
    pub(super) fn run(&self, arguments: &[&str]) -> CommandOutput {
        let measures = matches!(arguments.first(), Some(&("run" | "compare")));
        let _slot = measures.then(measuring_slot);
        let said: CommandOutput = self.command(arguments).output().unwrap().into();
        self.assert_untouched(&said);
        said
    }

    /// No byte of the secret in anything that was written or said, no process and no file left.
    pub(super) fn assert_untouched(&self, said: &CommandOutput) {
        for text in [&said.stdout, &said.stderr] {
            assert!(!text.contains(&self.canary), "the secret was said: {text}");
            assert!(
                !text.contains("panicked at host"),
                "the parent panicked: {text}"
            );
        }
        for folder in ["experiment", "results", "cache"] {
            let told = files_with(&self.path(folder), self.canary.as_bytes());
            assert!(told.is_empty(), "the secret is in {told:?}");
        }
        let left: Vec<PathBuf> = entries(&self.path("temporary"));
        assert_eq!(left, [self.path("temporary/canary.txt")], "left behind");
        // Those that were killed with their parent may take a moment.
        let patience = Instant::now() + Duration::from_secs(5);
        let mut left = processes_with(&self.text(""));
        while !left.is_empty() && Instant::now() < patience {
            std::thread::sleep(Duration::from_millis(10));
            left = processes_with(&self.text(""));
        }
        assert_eq!(left, Vec::<String>::new());
    }
}

/// The text of an approach of this repository.
pub(super) fn approach(name: &str) -> String {
    let path = root().join(format!("tests/hostile/approaches/{name}.rs"));
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    entries.map(|entry| entry.unwrap().path()).collect()
}

/// The files below a folder that hold these bytes.
fn files_with(folder: &Path, bytes: &[u8]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for path in entries(folder) {
        if path.is_dir() && !path.is_symlink() {
            found.extend(files_with(&path, bytes));
        } else if !path.is_file() {
            // A pipe would be waited for.
        } else if let Ok(content) = fs::read(&path) {
            let has = content.windows(bytes.len()).any(|window| window == bytes);
            found.extend(has.then_some(path));
        }
    }
    found
}

/// The command lines of processes that name a path or run a program below it, zombies left out: those
/// have neither any more. A builder or runner is started as `/proc/self/exe`, so only its program tells
/// whose it is.
fn processes_with(path: &str) -> Vec<String> {
    let folder = Path::new(path).canonicalize().unwrap();
    let named = |process: PathBuf| {
        let line = fs::read(process.join("cmdline")).unwrap_or_default();
        let line = String::from_utf8_lossy(&line).into_owned();
        let program = fs::read_link(process.join("exe")).unwrap_or_default();
        (program.starts_with(&folder) || line.contains(path)).then_some(line)
    };
    let processes = entries(Path::new("/proc")).into_iter();
    processes.filter_map(named).collect()
}

/// An experiment of hostile prototypes and two good ones, and what was said of it.
pub(super) struct Batch {
    pub(super) said: CommandOutput,
    pub(super) report: Value,
    /// The report in every format.
    pub(super) shown: Vec<(String, String)>,
}

/// What is tried in a batch.
#[derive(Default)]
pub(super) struct Attackers<'a> {
    /// Approaches of this repository, by name.
    pub(super) sources: &'a [&'a str],
    /// Approaches that a test wrote: name, and text.
    pub(super) texts: Vec<(&'a str, String)>,
    /// Components: name, and bytes.
    pub(super) components: Vec<(&'a str, Vec<u8>)>,
}

impl Batch {
    /// Runs `good`, `slow` and the attackers, and holds the run to what every run must keep.
    pub(super) fn run(attackers: &Attackers<'_>, prepare: impl FnOnce(&World)) -> Self {
        let world = World::new();
        prepare(&world);
        world.write("experiment/wit/top-k.wit", WIT);
        let workload = root().join("tests/hostile/workload.rs");
        world.write("experiment/workload.rs", fs::read(workload).unwrap());
        let mut file = HEADER.to_owned();
        let mut add = |name: &str, key: &str, path: &str| {
            file.push_str(&format!(
                "\n[[approach]]\nname = \"{name}\"\n{key} = \"{path}\"\n"
            ));
        };
        for name in ["good", "slow"].iter().chain(attackers.sources) {
            world.write_approach(name);
            add(name, "source", &format!("approaches/{name}.rs"));
        }
        for (name, text) in &attackers.texts {
            world.write(&format!("experiment/approaches/{name}.rs"), text);
            add(name, "source", &format!("approaches/{name}.rs"));
        }
        for (name, bytes) in &attackers.components {
            world.write(&format!("experiment/{name}.wasm"), bytes);
            add(name, "component", &format!("{name}.wasm"));
        }
        world.write("experiment/bakeoff.toml", &file);
        let before = tree(&world.path("experiment"));
        let results = world.text("results");
        let said = world.run(&[
            "run", ".", "--seed", "7", "--format", "json", "--out", &results,
        ]);
        let report = said.json();
        assert_eq!(
            before,
            tree(&world.path("experiment")),
            "the experiment was changed"
        );
        let show = |format: String| {
            let arguments = ["report", &results, "--format", &format, "--color", "never"];
            let text = world.run(&arguments).stdout;
            (format, text)
        };
        let formats = bakeoff::cli::report_format_names().into_iter();
        let shown = formats.map(show).collect();
        // A batch lives as long as the tests do, and nobody would remove its folder then.
        drop(world);
        let batch = Self {
            said,
            report,
            shown,
        };
        batch.assert_neighbours_are_well();
        batch
    }

    /// The two good ones have their ranks and their verdict.
    fn assert_neighbours_are_well(&self) {
        for id in ["good", "slow"] {
            let neighbour = variant(&self.report, id);
            assert_eq!(neighbour["status"], "ranked", "{neighbour:#}");
            assert_eq!(neighbour["pure"], true, "{neighbour:#}");
        }
        assert_eq!(verdict(&self.report, "good", "slow"), "beats");
    }

    /// What is exact about the two good ones, whoever runs beside them.
    pub(super) fn exact_readings(&self) -> BTreeMap<String, Value> {
        let sources = ["fuel", "peak-memory", "component-size", "source-lines"];
        let mut readings = BTreeMap::new();
        for id in ["good", "slow"] {
            let of = &variant(&self.report, id)["readings"];
            readings.extend(sources.map(|source| (format!("{id} {source}"), of[source].clone())));
        }
        assert!(
            readings
                .values()
                .all(|reading| reading["value"].is_number())
        );
        readings
    }

    /// A variant failed in this way, at this limit, and said so.
    #[track_caller]
    pub(super) fn assert_failed(&self, id: &str, class: &str, limits: &[&str], says: &str) {
        let failed = variant(&self.report, id);
        assert_eq!(failed["status"], "failed", "{failed:#}");
        let failure = &failed["failure"];
        assert_eq!(failure["class"], class, "{failure:#}");
        let limit = failure["limit"].as_str();
        let as_expected = match limits {
            [] => limit.is_none(),
            limits => limit.is_some_and(|limit| limits.contains(&limit)),
        };
        assert!(as_expected, "{failure:#}");
        let message = failure["message"].as_str().unwrap();
        assert!(message.contains(says), "{message}");
    }

    /// A variant did not fail.
    #[track_caller]
    pub(super) fn assert_ranked(&self, id: &str) -> &Value {
        let ranked = variant(&self.report, id);
        assert_eq!(ranked["status"], "ranked", "{ranked:#}");
        ranked
    }
}

/// All files below a folder.
fn tree(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for path in entries(folder) {
        match path.is_dir() {
            true => files.extend(tree(&path)),
            false => files.push(path),
        }
    }
    files.sort();
    files
}

/// The experiment, without its approaches. It ends with the first verdict on all of them; the
/// budget is for a machine that has much else to do.
const HEADER: &str = "name = \"hostile\"
problem = \"Return the k largest values of a list.\"

[interface]
wit = \"wit\"
call = \"top-k\"

[workload]
source = \"workload.rs\"
sizes = [4_000, 16_000]

[limits]
memory = \"64 MiB\"
fuel = 400_000_000
wall = \"2 s\"
output = \"64 KiB\"

[measure]
budget = \"60 s\"
";

#[test]
fn a_process_that_does_not_name_its_program_is_found_all_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("sleep");
    crate::support::second_name(Path::new("/bin/sleep"), &program);
    let mut command = Command::new(&program);
    command.arg0("sleep").arg("60");
    let mut child = command.spawn().unwrap();
    let path = folder.path().to_str().unwrap();
    let found = processes_with(path);
    child.kill().unwrap();
    child.wait().unwrap();
    // By its program alone: a process that has only just been started may have no arguments yet.
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(processes_with(path), Vec::<String>::new());
}
