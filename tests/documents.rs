//! The documents: links lead somewhere, the site's table of contents has every page, and commands are what the program
//! understands and does.

use crate::support::{measuring_slot, root};
use bakeoff_domain::language::Language;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A block of commands that is not run here, by its page and a part of it, and why.
const NOT_RUN: [(&str, &str, &str); 21] = [
    ("README.md", "cargo test", "it is this test"),
    ("CONTRIBUTING.md", "cargo test", "it is this test"),
    (
        "CONTRIBUTING.md",
        "export DIR",
        "DIR stands for a folder; `needs reference` runs it",
    ),
    (
        "README.md",
        "--programs",
        "Python and JavaScript; `.ci/recipes` runs it",
    ),
    (
        "programs.md",
        "--programs",
        "Python and JavaScript; `.ci/recipes` runs it",
    ),
    (
        "README.md",
        "HEAD~1",
        "a repository of the user's; `revisions` has its own",
    ),
    (
        "comparing.md",
        "v1.2",
        "a repository of the user's; `revisions` has its own",
    ),
    (
        "experiment.md",
        "vendor DIR",
        "DIR stands for a folder; `crates` runs it",
    ),
    (
        "plugging-in.md",
        "vendor my-question",
        "a registry; `registry` and `.ci/registry` have their own",
    ),
    (
        "plugging-in.md",
        "bakeoff publish",
        "a registry; `registry` and `.ci/registry` have their own",
    ),
    (
        "plugging-in.md",
        "loops.wasm",
        "a project of cargo; `evaluators` has its own",
    ),
    ("agents.md", "bakeoff mcp", "it ends with its client"),
    ("serve.md", "[DIR]", "a synopsis"),
    ("models.md", "--answers", "answers that somebody writes"),
    ("models.md", "--dry-run", "a model over the network"),
    (
        "models.md",
        "run my-question --judge",
        "a model over the network",
    ),
    (
        "rounds.md",
        "run my-question --generate",
        "a model over the network",
    ),
    (
        "work.md",
        "bakeoff plan",
        "a model over the network, and an agent",
    ),
    (
        "workers.md",
        "bakeoff worker",
        "a server and another machine; `.ci/workers` has its own",
    ),
    (
        "workers.md",
        "--recheck 0.02",
        "a server; `.ci/workers` looks at answers twice",
    ),
    ("worktrees.md", "bakeoff pick", "an agent's branches"),
];

/// The folder below the page's in which a block of commands is run, by its page and a part of it.
const RUN_IN: [(&str, &str, &str); 2] = [
    ("plugging-in.md", "evaluators/panics.rs", "my-question"),
    ("plugging-in.md", "aggregators/summary.rs", "my-question"),
];

/// What asks a model over the network, or starts an agent of the user's.
const OTHERS: [&str; 2] = ["--provider anthropic", "--agent "];

fn pages() -> Vec<PathBuf> {
    let mut pages: Vec<PathBuf> = [
        "README",
        "ARCHITECTURE",
        "CONTRIBUTING",
        "CHANGELOG",
        "SECURITY",
    ]
    .map(|name| root().join(name).with_extension("md"))
    .to_vec();
    add_pages(&root().join("docs"), &mut pages);
    pages.sort();
    assert!(pages.len() > 20);
    pages
}

fn add_pages(folder: &Path, pages: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            add_pages(&path, pages);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            pages.push(path);
        }
    }
}

fn name(page: &Path) -> &str {
    page.file_name().unwrap().to_str().unwrap()
}

/// A page's text outside of its blocks of code, and these blocks with their languages.
fn parts(page: &Path) -> (String, Vec<(String, String)>) {
    let (mut prose, mut blocks) = (String::new(), Vec::new());
    let mut block: Option<(String, String)> = None;
    for line in fs::read_to_string(page).unwrap().lines() {
        if let Some(language) = line.trim_start().strip_prefix("```") {
            match block.take() {
                Some(ended) => blocks.push(ended),
                None => block = Some((language.to_owned(), String::new())),
            }
        } else {
            let text = block.as_mut().map_or(&mut prose, |(_, text)| text);
            writeln!(text, "{line}").unwrap();
        }
    }
    assert!(block.is_none(), "{}: a block has no end", page.display());
    (prose, blocks)
}

/// The names by which the headings of a page are linked to: in lower case, with `-` for blanks, and otherwise with letters,
/// digits, `-` and `_` alone.
fn anchors(page: &Path) -> BTreeSet<String> {
    let (prose, _) = parts(page);
    let headings = prose.lines().filter(|line| line.starts_with('#'));
    let anchor = |heading: &str| {
        let text = heading.trim_start_matches('#').trim().to_lowercase();
        let kept = text
            .chars()
            .filter(|c| c.is_alphanumeric() || "-_ ".contains(*c));
        kept.map(|c| if c == ' ' { '-' } else { c }).collect()
    };
    headings.map(anchor).collect()
}

/// The targets of the links of a page, `[text](target)`.
fn links(prose: &str) -> Vec<&str> {
    prose
        .split("](")
        .skip(1)
        .filter_map(|rest| rest.split_once(')'))
        .map(|(target, _)| target)
        .collect()
}

#[test]
fn every_link_of_the_documents_leads_somewhere() {
    let mut broken = Vec::new();
    for page in pages() {
        let (prose, _) = parts(&page);
        for link in links(&prose) {
            if link.starts_with("https://") {
                continue;
            }
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = match file {
                "" => page.clone(),
                file => page.parent().unwrap().join(file),
            };
            let has_heading = || anchor.is_empty() || anchors(&target).contains(anchor);
            if !target.exists() || !has_heading() {
                broken.push(format!("{}: {link}", page.display()));
            }
        }
    }
    assert!(broken.is_empty(), "{broken:#?}");
}

#[test]
fn the_contents_of_the_site_name_every_page_once() {
    let docs = root().join("docs");
    let contents = docs.join("SUMMARY.md");
    let (prose, _) = parts(&contents);
    let mut named: Vec<PathBuf> = links(&prose).into_iter().map(PathBuf::from).collect();
    named.sort();
    let mut there: Vec<PathBuf> = pages()
        .iter()
        .filter(|page| **page != contents)
        .filter_map(|page| page.strip_prefix(&docs).ok().map(Path::to_owned))
        .collect();
    // The site begins with the README.
    there.push("../README.md".into());
    there.sort();
    assert_eq!(named, there);
}

/// A block of commands of a page.
struct Commands {
    page: PathBuf,
    /// Its lines, each a command for a shell: continued ones are joined, and what a line says behind two blanks is gone.
    lines: Vec<String>,
}

impl Commands {
    fn is(&self, (page, part, _): &(&str, &str, &str)) -> bool {
        name(&self.page) == *page && self.lines.iter().any(|line| line.contains(part))
    }

    fn asks_others(&self) -> bool {
        let mut lines = self.lines.iter();
        lines.any(|line| OTHERS.iter().any(|other| line.contains(other)))
    }
}

fn blocks_of_commands() -> Vec<Commands> {
    let mut found = Vec::new();
    for page in pages() {
        for (language, text) in parts(&page).1 {
            let joined = text.replace("\\\n", " \u{1}");
            let lines = joined.lines().map(|line| {
                let line: Vec<&str> = line.split('\u{1}').map(str::trim).collect();
                let line = line.join(" ");
                let command = line.split_once("  ").map_or(&*line, |(command, _)| command);
                command.replace("cargo run --release --", "bakeoff")
            });
            let lines: Vec<String> = lines.filter(|line| is_command(line)).collect();
            if language.is_empty() && lines.iter().any(|line| line.starts_with("bakeoff ")) {
                found.push(Commands {
                    page: page.clone(),
                    lines,
                });
            }
        }
    }
    assert!(found.len() > 30, "{}", found.len());
    found
}

/// Returns true for a line that is a command and not what one prints.
fn is_command(line: &str) -> bool {
    let word = line.split(' ').next().unwrap_or_default();
    let commands = ["bakeoff", "cp", "printf", "cargo"];
    commands.contains(&word) && !line.starts_with("bakeoff (")
}

/// A folder for the commands of a page, with a shell's script in place of `bakeoff`.
struct Place {
    folder: tempfile::TempDir,
    /// The commands that ended otherwise than they should, each with its exit status.
    faults: PathBuf,
}

impl Place {
    /// Makes it; `call` is the script, in which `$bakeoff` is the program.
    fn new(call: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path();
        fs::create_dir(at.join("bin")).unwrap();
        let script = at.join("bin/bakeoff");
        fs::write(
            &script,
            format!(
                "#!/bin/sh\nbakeoff='{}'\n{call}\n",
                env!("CARGO_BIN_EXE_bakeoff")
            ),
        )
        .unwrap();
        let made = Command::new("chmod").arg("+x").arg(&script).status();
        assert!(made.unwrap().success());
        let copied = Command::new("cp")
            .arg("-r")
            .arg(root().join("examples"))
            .arg(at)
            .status();
        assert!(copied.unwrap().success());
        let sum = |body: &str| format!("pub fn sum(numbers: &[u64]) -> u64 {{ {body} }}\n");
        fs::write(
            at.join("quick.rs"),
            sum("numbers.iter().fold(0, |sum, n| sum.wrapping_add(*n))"),
        )
        .unwrap();
        fs::write(
            at.join("merge.rs"),
            sum("numbers.iter().map(|n| (0..64).fold(0, |sum: u64, bit| sum.wrapping_add(std::hint::black_box(n & 1 << bit)))) .fold(0, u64::wrapping_add)"),
        )
        .unwrap();
        fs::write(at.join("app.sh"), "sleep 0.02\n").unwrap();
        let top_k = at.join("examples/top-k");
        fs::copy(top_k.join("approaches/heap.c"), at.join("heap.c")).unwrap();
        let copied = Command::new("cp")
            .arg("-r")
            .arg(top_k.join("wit"))
            .arg(at)
            .status();
        assert!(copied.unwrap().success());
        let faults = at.join("faults");
        fs::write(&faults, "").unwrap();
        Self { folder, faults }
    }

    fn run(&self, lines: &[String], below: &str) {
        let path = std::env::var("PATH").unwrap();
        let _slot = measuring_slot();
        let output = Command::new("sh")
            .args(["-c", &lines.join("\n")])
            .current_dir(self.folder.path().join(below))
            .env(
                "PATH",
                format!("{}:{path}", self.folder.path().join("bin").display()),
            )
            .env("FAULTS", &self.faults)
            .env(
                "BAKEOFF_CACHE_DIR",
                Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache"),
            )
            .env("BAKEOFF_POLICY", "")
            .output()
            .unwrap();
        let faults = fs::read_to_string(&self.faults).unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(faults.is_empty(), "{faults}\n{said}");
    }
}

#[test]
fn the_commands_of_the_documents_are_understood() {
    // A command that is not understood fails before its help is shown.
    let place = Place::new(
        "\"$bakeoff\" \"$@\" --help >/dev/null || echo \"$?: bakeoff $*\" >>\"$FAULTS\"",
    );
    for block in blocks_of_commands() {
        let is_ours = |line: &&String| line.starts_with("bakeoff ") && !line.contains(" [");
        let lines: Vec<String> = block.lines.iter().filter(is_ours).cloned().collect();
        place.run(&lines, "");
    }
}

#[test]
fn what_examples_start_workers_with_is_understood() {
    let place = Place::new(
        "\"$bakeoff\" \"$@\" --help >/dev/null || echo \"$?: bakeoff $*\" >>\"$FAULTS\"",
    );
    let read = |name: &str| fs::read_to_string(root().join("examples/workers").join(name)).unwrap();
    let unit = read("bakeoff-worker.service");
    let mut lines = unit.lines();
    let of_unit = lines.find_map(|line| line.strip_prefix("ExecStart=/usr/local/bin/"));
    let manifest = read("kubernetes.yaml");
    let argument = |line| str::trim(line).strip_prefix("- \"")?.strip_suffix('"');
    let arguments: Vec<&str> = manifest.lines().filter_map(argument).collect();
    assert!(arguments.len() >= 4, "{arguments:?}");
    let image = read("Containerfile");
    assert!(image.contains("ENTRYPOINT [\"/usr/local/bin/bakeoff\", \"worker\"]"));
    let of_manifest = format!("bakeoff worker {}", arguments.join(" "));
    place.run(&[of_unit.unwrap().to_owned(), of_manifest], "");
}

#[test]
fn the_commands_of_the_documents_do_what_is_said() {
    let blocks = blocks_of_commands();
    for row in &NOT_RUN {
        assert!(
            blocks.iter().any(|block| block.is(row)),
            "{row:?} is not there any more"
        );
    }
    let has_clang = crate::c_sources::has(Language::C);
    let mut place: Option<(PathBuf, Place)> = None;
    for block in &blocks {
        let needs_clang = name(&block.page) == "languages.md" && !has_clang;
        if block.asks_others() || needs_clang || NOT_RUN.iter().any(|row| block.is(row)) {
            continue;
        }
        if place.as_ref().is_none_or(|(page, _)| *page != block.page) {
            // Nobody says here that all variants pass (1), or how sure a verdict must be (3); 2 is bad input.
            let new = Place::new(
                "\"$bakeoff\" \"$@\"; status=$?; case $1:$status in *:0|run:[13]|compare:[13]|evolve:[13]|explore:[13]|time:[13]|report:[13]|pick:1) ;; *) echo \"$status: bakeoff $*\" >>\"$FAULTS\" ;; esac; exit $status",
            );
            if name(&block.page) == "models.md" {
                new.run(&["bakeoff init my-question".to_owned()], "");
            }
            place = Some((block.page.clone(), new));
        }
        let below = RUN_IN
            .iter()
            .find(|row| block.is(row))
            .map_or("", |row| row.2);
        let (_, place) = place.as_ref().unwrap();
        place.run(&block.lines, below);
    }
}
