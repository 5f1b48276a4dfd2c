//! Every parser of bytes from outside, on a fixed corpus and on mutations of it. A parser that
//! overflows its stack takes this process with it, which no test survives.

use super::{harness, seeds};
use crate::support::root;
use proptest::prelude::*;
use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Mutations of the corpus that each parser is given in a run of the tests, unless the variable
/// `MUTATIONS` says how many. `fuzz/` tries more.
const MUTATIONS: u32 = 256;

/// For the store and bundles, each of whose inputs is a file that is written and opened.
const FILE_MUTATIONS: u32 = 48;

/// What one input may take on a machine that has much else to do. It is for parsers that hang.
const PATIENCE: Duration = Duration::from_secs(60);

/// The inputs of the corpus for a parser: what is checked in, and what is large and made here.
/// `BLESS=1` writes the binary ones anew.
fn corpus(name: &str) -> Vec<Vec<u8>> {
    let folder = root().join("tests/hostile/corpus").join(name);
    if std::env::var_os("BLESS").is_some() {
        for (number, seed) in seeds::of(name).iter().enumerate() {
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join(format!("made-{number}")), seed).unwrap();
        }
    }
    let entries =
        fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let mut inputs: Vec<Vec<u8>> = paths.iter().map(|path| fs::read(path).unwrap()).collect();
    assert!(!inputs.is_empty(), "{name} has no corpus");
    inputs.extend(seeds::of(name));
    inputs.extend(deep(name));
    inputs
}

/// Things within things, far deeper than anybody writes: what a parser that calls itself for each
/// level dies of.
fn deep(name: &str) -> Vec<Vec<u8>> {
    let nested = |before: &str, open: &str, within: &str, close: &str, after: &str| {
        let (open, close) = (open.repeat(DEPTH), close.repeat(DEPTH));
        format!("{before}{open}{within}{close}{after}").into_bytes()
    };
    match name {
        "experiment" => vec![
            nested("name = ", "[", "1", "]", ""),
            nested("name = ", "{a=", "1", "}", ""),
            nested("", "a.", "b = 1", "", ""),
            nested("", "[", "a", "]", ""),
        ],
        "cases" => vec![nested("case = ", "[", "", "]", "")],
        "agent-tasks" => vec![nested("task = ", "[", "", "]", "")],
        "cassette" => vec![nested(
            "{\"purpose\": \"plan\", \"reply\": ",
            "[",
            "",
            "]",
            "}",
        )],
        "model-stream" => vec![nested("data: ", "[", "", "]", "\n\n")],
        "model-command" => vec![
            nested("", "{\"a\":", "1", "}", ""),
            nested("", "[", "", "]", ""),
        ],
        "wave" => vec![
            nested("f(", "[", "1", "]", ")"),
            nested("f(", "some(", "1", ")", ")"),
            nested("f(", "{a: ", "1", "}", ")"),
            nested("", "(", "1", ")", ""),
            nested("", "ok([", "1", "])", ""),
        ],
        "wit" => vec![
            nested(
                "package a:b; world prototype { export f: func(a: ",
                "list<",
                "u8",
                ">",
                "); }",
            ),
            nested(
                "package a:b; world prototype { export f: func(a: ",
                "option<",
                "u8",
                ">",
                "); }",
            ),
            nested(
                "package a:b; world prototype { export f: func(a: ",
                "tuple<",
                "u8",
                ">",
                "); }",
            ),
            nested("package a:b; ", "/* ", "", " */", ""),
            chain(),
        ],
        "report" => vec![nested("{\"schema_version\": ", "[", "1", "]", "}")],
        "bundle" => vec![
            nested("\u{0}{\"run\": 1, \"experiment\": ", "[", "1", "]", "}"),
            nested("\u{1}{\"index\": ", "[", "1", "]", "}\n"),
        ],
        _ => Vec::new(),
    }
}

/// Levels of nesting. The main thread of a process has 8 MiB of stack, a thread of it 2 MiB.
const DEPTH: usize = 50_000;

/// Types that are each a list of the one before: deep without anything that looks so.
fn chain() -> Vec<u8> {
    let mut text = "package a:b; interface i { type t0 = u8;".to_owned();
    for level in 1..20_000 {
        text.push_str(&format!(" type t{level} = list<t{}>;", level - 1));
    }
    text.push_str(" } world prototype { use i.{t19999}; export f: func(a: t19999); }");
    text.into_bytes()
}

/// What is done to an input.
#[derive(Clone, Debug)]
enum Change {
    Flip(usize, u8),
    Cut(usize),
    Insert(usize, Vec<u8>),
    Repeat(usize, usize),
    Splice(usize, usize),
}

fn changes() -> impl Strategy<Value = Vec<Change>> {
    let interesting = prop_oneof![
        prop::collection::vec(any::<u8>(), 1..9),
        Just(vec![0xff; 9]),
        Just(b"\xff\xff\xff\xff\x0f".to_vec()),
        Just(b"18446744073709551616".to_vec()),
        Just("\u{202e}\u{0}".as_bytes().to_vec()),
    ];
    let at = any::<usize>;
    let change = prop_oneof![
        (at(), 1..=u8::MAX).prop_map(|(at, bits)| Change::Flip(at, bits)),
        at().prop_map(Change::Cut),
        (at(), interesting).prop_map(|(at, bytes)| Change::Insert(at, bytes)),
        (at(), 1..64_usize).prop_map(|(at, length)| Change::Repeat(at, length)),
        (at(), at()).prop_map(|(from, to)| Change::Splice(from, to)),
    ];
    prop::collection::vec(change, 1..6)
}

fn changed(mut bytes: Vec<u8>, other: &[u8], changes: &[Change]) -> Vec<u8> {
    for change in changes {
        let length = bytes.len().max(1);
        match change {
            Change::Flip(at, bits) => {
                if let Some(byte) = bytes.get_mut(at % length) {
                    *byte ^= bits;
                }
            }
            Change::Cut(at) => bytes.truncate(at % length),
            Change::Insert(at, more) => {
                let at = at % length.min(bytes.len() + 1);
                bytes.splice(at..at, more.iter().copied());
            }
            Change::Repeat(at, count) => {
                let start = at % length;
                let part: Vec<u8> = bytes[start.min(bytes.len())..]
                    .iter()
                    .take(*count)
                    .copied()
                    .collect();
                for _ in 0..16 {
                    bytes.extend(&part);
                }
            }
            Change::Splice(from, to) => {
                bytes.truncate(from % length);
                bytes.extend(&other[to % other.len().max(1)..]);
            }
        }
    }
    bytes
}

fn within_patience(name: &str, parse: fn(&[u8]), bytes: &[u8]) {
    let began = Instant::now();
    parse(bytes);
    assert!(
        began.elapsed() < PATIENCE,
        "{name} takes {:?}",
        began.elapsed()
    );
}

fn wanted(mutations: u32) -> u32 {
    let said = std::env::var("MUTATIONS").ok();
    said.map_or(mutations, |count| {
        count.parse().expect("MUTATIONS is a number")
    })
}

/// Gives a parser its corpus, every beginning of the small inputs, and mutations.
fn smoke((name, parse): harness::Harness, mutations: u32) {
    let inputs = corpus(name);
    for input in &inputs {
        within_patience(name, parse, input);
        if input.len() < 512 {
            (0..input.len()).for_each(|end| within_patience(name, parse, &input[..end]));
        }
    }
    let small: Vec<&Vec<u8>> = inputs
        .iter()
        .filter(|input| input.len() < 1 << 17)
        .collect();
    let mut runner = proptest::test_runner::TestRunner::new_with_rng(
        ProptestConfig {
            cases: wanted(mutations),
            failure_persistence: None,
            ..ProptestConfig::default()
        },
        proptest::test_runner::TestRng::deterministic_rng(
            proptest::test_runner::RngAlgorithm::ChaCha,
        ),
    );
    let strategy = (0..small.len(), 0..small.len(), changes());
    let outcome = runner.run(&strategy, |(one, other, changes)| {
        let bytes = changed(small[one].clone(), small[other], &changes);
        within_patience(name, parse, &bytes);
        Ok(())
    });
    outcome.unwrap_or_else(|error| panic!("{name}: {error}"));
}

/// Returns true unless the variable `PARSERS` names others, with commas.
fn is_wanted((name, _): &harness::Harness) -> bool {
    let said = std::env::var("PARSERS").ok();
    said.is_none_or(|names| names.split(',').any(|one| one == *name))
}

#[test]
fn the_corpus_and_its_mutations_harm_no_parser() {
    for parser in harness::ALL.into_iter().filter(is_wanted) {
        smoke(parser, MUTATIONS);
    }
}

#[test]
fn the_corpus_and_its_mutations_harm_no_store_and_no_bundle() {
    for parser in harness::IN_FOLDERS.into_iter().filter(is_wanted) {
        smoke(parser, FILE_MUTATIONS);
    }
}

/// The corpus has the binary inputs as files too, from which a fuzzer starts. Formats change, and a file in an old one
/// is refused at its first byte.
#[test]
fn the_binary_inputs_of_the_corpus_are_what_the_parsers_take_today() {
    let parsers = harness::ALL.iter().chain(&harness::IN_FOLDERS);
    for (name, _) in parsers {
        let folder = root().join("tests/hostile/corpus").join(name);
        let made = |number: usize| fs::read(folder.join(format!("made-{number}"))).ok();
        let seeds = seeds::of(name);
        assert_eq!(made(seeds.len()), None, "{name}: it has more than are made");
        for (number, seed) in seeds.into_iter().enumerate() {
            let file = made(number).unwrap_or_default();
            assert!(
                seeds::is_current(name, &file, &seed),
                "{name}/made-{number} is old: BLESS=1 makes it anew"
            );
        }
    }
}

fn manifest(path: &str) -> toml::Table {
    let text = fs::read_to_string(root().join(path)).unwrap();
    text.parse().unwrap()
}

/// Every target of `fuzz/` gives its bytes to the parser of its name, and each parser has a target.
#[test]
fn every_parser_has_a_fuzz_target() {
    let manifest = manifest("fuzz/Cargo.toml");
    let targets = manifest["bin"].as_array().unwrap();
    let mut names: Vec<&str> = targets
        .iter()
        .map(|it| it["name"].as_str().unwrap())
        .collect();
    for name in &names {
        let target = fs::read_to_string(root().join(format!("fuzz/fuzz_targets/{name}.rs")));
        let call = format!("bakeoff_fuzz::parse(\"{name}\", bytes)");
        assert!(target.unwrap().contains(&call), "{name}");
    }
    let parsers = harness::ALL.iter().chain(&harness::IN_FOLDERS);
    let mut parsers: Vec<&str> = parsers.map(|(name, _)| *name).collect();
    names.sort_unstable();
    parsers.sort_unstable();
    assert_eq!(names, parsers);
}

/// `fuzz/` has a workspace of its own, which no usual build compiles: what its targets need stands in its manifest,
/// in the versions of ours.
#[test]
fn the_fuzz_targets_have_the_dependencies_of_the_parsers() {
    let ours = manifest("Cargo.toml");
    let ours = ours["workspace"]["dependencies"].as_table().unwrap();
    let fuzz = manifest("fuzz/Cargo.toml");
    let named = fuzz["dependencies"].as_table().unwrap();
    let texts = ["bundle_parser.rs", "harness.rs", "kept_parsers.rs"]
        .map(|file| fs::read_to_string(root().join("tests/hostile").join(file)).unwrap());
    let text = texts.join("\n");
    let is_part_of_name = |c: char| c.is_alphanumeric() || "_:".contains(c);
    let is_used = |name: &str| {
        let path = name.replace('-', "_") + "::";
        let mut found = text.match_indices(&path);
        found.any(|(at, _)| !text[..at].ends_with(is_part_of_name))
    };
    for name in ours.keys().filter(|name| is_used(name)) {
        assert!(named.contains_key(name), "fuzz/Cargo.toml lacks {name}");
    }
    let version = |dependency: &toml::Value| {
        let version = dependency.get("version").unwrap_or(dependency);
        version.as_str().unwrap().to_owned()
    };
    for (name, dependency) in named {
        if let Some(path) = dependency.get("path") {
            let package = manifest(&format!("fuzz/{}/Cargo.toml", path.as_str().unwrap()));
            assert_eq!(package["package"]["name"].as_str(), Some(name.as_str()));
        } else if name != "libfuzzer-sys" {
            assert_eq!(version(dependency), version(&ours[name]), "{name}");
        }
    }
}
