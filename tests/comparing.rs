//! What `bakeoff compare` says of files that it cannot compare, by which names, and with which outcome.

use crate::finished::copy_experiment;
use crate::support::{CommandOutput, bakeoff, measuring_slot, root, run_bakeoff};
use std::fs;
use std::path::Path;
use tempfile::TempDir;

const TOTAL: &str = "pub fn total(values: &[i64]) -> i64 { values.iter().sum() }\n";

/// A folder with these files.
fn folder(files: &[(&str, &[u8])]) -> TempDir {
    let folder = TempDir::new().unwrap();
    for (name, content) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    folder
}

/// Compares in a folder, so that files have short names.
fn compare(folder: &Path, arguments: &[&str]) -> CommandOutput {
    let _slot = measuring_slot();
    let mut command = bakeoff(&[&["compare"], arguments].concat());
    command.current_dir(folder).output().unwrap().into()
}

/// Compares a right file with another one, which ends with this status; returns what stderr says.
fn refused(other: (&str, &[u8]), status: i32) -> CommandOutput {
    let folder = folder(&[("total.rs", TOTAL.as_bytes()), other]);
    let first = other.0.split('/').next().unwrap();
    let output = compare(folder.path(), &["total.rs", first]);
    assert_eq!(output.status, status, "{}{}", output.stdout, output.stderr);
    output
}

#[test]
fn a_file_that_is_not_rust_is_shown_at_the_line_and_column() {
    let source = "// A total.\npub fn total(values: &[i64]) -> i64 {\n    let t = ;\n    t\n}\n";
    let said = refused(("b.rs", source.as_bytes()), 1).stderr;
    assert!(
        said.contains("b.rs cannot be read as Rust: expected an expression\n"),
        "{said}"
    );
    assert!(said.contains("--> b.rs:3:13\n"), "{said}");
    assert!(
        said.contains("3 |     let t = ;\n  │   |             ^\n"),
        "{said}"
    );
    let said = refused(("b.rs", b"pub fn total(values: &[i64]) -> i64 {\n"), 1).stderr;
    assert!(
        said.contains("`{` is never closed") && said.contains("--> b.rs:1:37"),
        "{said}"
    );
}

#[test]
fn a_format_that_no_report_has_is_refused_before_anything_is_built() {
    let broken = "pub fn total(values: &[i64]) -> i64 { values }\n";
    let folder = folder(&[("total.rs", TOTAL.as_bytes()), ("b.rs", broken.as_bytes())]);
    for (format, advice) in [
        ("jsonl", "say --format json"),
        ("criterion", "bakeoff export"),
    ] {
        for more in [&[][..], &["--fail-if-slower", "5%"]] {
            let words = [&["total.rs", "b.rs", "--format", format], more].concat();
            let output = compare(folder.path(), &words);
            assert_eq!((output.status, output.stdout.as_str()), (2, ""));
            assert!(output.explains(advice), "{}", output.stderr);
        }
    }
    let source = root().join("examples/top-k");
    copy_experiment(&source, folder.path());
    let run = run_bakeoff(&["run", folder.path().to_str().unwrap(), "--format", "jsonl"]);
    assert_eq!(run.status, 2, "{}", run.stderr);
    assert!(!folder.path().join(".bakeoff").exists());
}

#[test]
fn what_is_no_source_and_no_component_is_refused_with_the_next_step() {
    let module = refused(("b.wasm", b"\0asm\x01\0\0\0"), 2);
    for step in [
        "is a core WebAssembly module",
        "--wit and --call",
        "`wasm-tools component new`",
        "the Rust source",
    ] {
        assert!(module.explains(step), "{step}: {}", module.stderr);
    }
    let text = refused(("b.wasm", b"hello"), 2);
    assert!(text.explains("it is not WebAssembly"), "{}", text.stderr);
    let folder = refused(("crate/Cargo.toml", b"[package]"), 2);
    for step in [
        "crate is the folder of a crate",
        "`crates = [\"NAME@VERSION\"]` under [build]",
        "`component` of an [[approach]]",
    ] {
        assert!(folder.explains(step), "{step}: {}", folder.stderr);
    }
    assert!(refused(("folder/a.txt", b""), 2).explains("folder is a folder: name files"));
    assert!(
        refused(("b.go", b""), 2)
            .explains("is no source in Rust (.rs), C (.c), C++ (.cc, .cpp, .cxx) or Zig")
    );
}

#[test]
fn no_command_reads_a_file_in_another_language_as_rust() {
    let folder = folder(&[("x.go", b"package main\n"), ("sum.C", b"int sum();\n")]);
    for file in ["x.go", "sum.C"] {
        let interface = ["--wit", "wit", "--call", "total"];
        for words in [
            vec!["check", file],
            [&["check", file][..], &interface].concat(),
            [
                &["check", file, "--case", "8", "--cases", "x.toml"][..],
                &interface,
            ]
            .concat(),
            [&["build", file][..], &interface].concat(),
            [&["publish", file, "oci://localhost:1/x:1"][..], &interface].concat(),
        ] {
            let mut command = bakeoff(&words);
            let said: CommandOutput = command.current_dir(folder.path()).output().unwrap().into();
            assert_eq!(said.status, 2, "{words:?}: {}", said.stderr);
            let expected = format!(
                "{file} is no source in Rust (.rs), C (.c), C++ (.cc, .cpp, .cxx) or Zig (.zig)"
            );
            assert!(said.explains(&expected), "{words:?}: {}", said.stderr);
            assert!(said.explains("docs/languages.md"), "{}", said.stderr);
        }
    }
}

#[test]
fn a_folder_of_a_crate_is_no_kept_run() {
    let folder = folder(&[("a/Cargo.toml", b""), ("b/Cargo.toml", b"")]);
    let output = compare(folder.path(), &["a", "b"]);
    assert_eq!(output.status, 2);
    assert!(
        output.explains("a is the folder of a crate"),
        "{}",
        output.stderr
    );
}

#[test]
fn the_edition_is_named_only_where_it_is_what_is_in_the_way() {
    let note = "this file has errors in edition 2024 of Rust, in which files are compiled, and none in edition 2021";
    let generator = TOTAL.replace("{ ", "{ let gen = 0; let _ = gen; ");
    let said = refused(("b.rs", generator.as_bytes()), 1);
    assert!(said.explains("reserved keyword `gen`"), "{}", said.stderr);
    assert!(said.explains(note), "{}", said.stderr);
    let attribute = format!("#[no_mangle]\npub extern \"C\" fn other() {{}}\n{TOTAL}");
    assert!(refused(("b.rs", attribute.as_bytes()), 1).explains(note));
    let wrong = TOTAL.replace("values.iter().sum()", "\"\"");
    let said = refused(("b.rs", wrong.as_bytes()), 1);
    assert!(said.explains("mismatched types"), "{}", said.stderr);
    assert!(!said.explains("edition"), "{}", said.stderr);
}

#[test]
fn an_edition_can_be_chosen() {
    let other = "pub fn total(values: &[i64]) -> i64 { let gen = 0; values.iter().fold(gen, |a, b| a.wrapping_add(*b)) }";
    let folder = folder(&[("a.rs", TOTAL.as_bytes()), ("b.rs", other.as_bytes())]);
    let newest = compare(folder.path(), &["a.rs", "b.rs"]);
    assert!(newest.explains("`--edition 2021`"), "{}", newest.stderr);
    let options = ["--size", "3000", "--budget", "100ms", "--format", "json"];
    let output = compare(
        folder.path(),
        &[&["a.rs", "b.rs", "--edition", "2021"], &options[..]].concat(),
    );
    assert!(output.ended_a_run(), "{}{}", output.stdout, output.stderr);
    let compiler = output.json()["environment"]["compiler"].to_string();
    assert!(compiler.ends_with(", edition 2021\""), "{compiler}");
    // `build` and `check` do as `compare` does.
    let wit = "package a:b; world prototype { export total: func(values: list<s64>) -> s64; }";
    fs::write(folder.path().join("a.wit"), wit).unwrap();
    for command in ["build", "check"] {
        let said = |more: &[&str]| -> CommandOutput {
            let arguments = [
                &[command, "b.rs", "--wit", "a.wit", "--call", "total"],
                more,
            ]
            .concat();
            let mut command = bakeoff(&arguments);
            command.current_dir(folder.path()).output().unwrap().into()
        };
        assert_eq!(said(&[]).status, 1, "{command}");
        let chosen = said(&["--edition", "2021", "--no-simd"]);
        assert_eq!(chosen.status, 0, "{command}: {}", chosen.stderr);
    }
    let beside = bakeoff(&["check", "examples/top-k", "--no-simd"]);
    let beside: CommandOutput = { beside }.output().unwrap().into();
    assert_eq!(beside.status, 2);
    assert!(beside.explains("leave out --no-simd"), "{}", beside.stderr);
}

#[test]
fn a_function_that_cannot_be_called_is_named_with_the_reason() {
    let async_one = "pub async fn total(values: &[i64]) -> i64 { values.len() as i64 }\npub fn other(a: u8) -> u8 { a }";
    let said = refused(("b.rs", async_one.as_bytes()), 2);
    assert!(
        said.explains("b.rs: total is async and cannot be called; add a plain `pub fn`"),
        "{}",
        said.stderr
    );
    let nothing = folder(&[
        ("a.rs", b"pub fn f() -> u8 { 1 }"),
        ("b.rs", b"pub fn f() -> u8 { 2 }"),
    ]);
    let said = compare(nothing.path(), &["a.rs", "b.rs"]);
    assert_eq!(said.status, 2);
    assert!(
        said.explains(
            "f takes nothing, so that there are no inputs on which answers could be compared"
        ),
        "{}",
        said.stderr
    );
}

#[test]
fn a_name_that_is_none_in_wit_is_compared() {
    let sort = |pivot: &str| {
        format!(
            "pub fn quick_sort_3_ways(items: &mut [i32]) {{
                if items.len() < 2 {{ return; }}
                let pivot = items[{pivot}];
                let (mut low, mut at, mut high) = (0, 0, items.len());
                while at < high {{
                    if items[at] < pivot {{ items.swap(low, at); low += 1; at += 1; }}
                    else if items[at] > pivot {{ high -= 1; items.swap(at, high); }}
                    else {{ at += 1; }}
                }}
                quick_sort_3_ways(&mut items[..low]);
                quick_sort_3_ways(&mut items[high..]);
            }}"
        )
    };
    let (a, b) = (sort("0"), sort("items.len() / 2"));
    let folder = folder(&[("a.rs", a.as_bytes()), ("b.rs", b.as_bytes())]);
    let options = ["--size", "64", "--budget", "100ms", "--format", "json"];
    let output = compare(folder.path(), &[&["a.rs", "b.rs"], &options[..]].concat());
    assert!(output.ended_a_run(), "{}{}", output.stdout, output.stderr);
    let report = output.json();
    let problem = report["experiment"]["problem"].to_string();
    assert!(problem.contains("quick-sort3-ways: func("), "{problem}");
    for variant in report["variants"].as_array().unwrap() {
        assert!(variant["failure"].is_null(), "{variant:#}");
    }
}

#[test]
fn a_variant_has_one_name_wherever_it_is_named() {
    let files = ["first_one.rs", "second_one.rs"].map(|name| (name, TOTAL.as_bytes()));
    let folder = folder(&files);
    let compared = |more: &[&str]| {
        let output = compare(folder.path(), &[&[files[0].0, files[1].0], more].concat());
        assert_eq!(output.status, 0, "{}{}", output.stdout, output.stderr);
        output.stdout + &output.stderr
    };
    for format in ["human", "md", "junit"] {
        let said = compared(&["--format", format, "--fail-if-slower", "2%"]);
        assert!(said.contains("second_one"), "{said}");
        assert!(
            !said.contains("second-one") && !said.contains("first-one"),
            "{format}: {said}"
        );
    }
}

#[test]
fn the_outcome_is_in_every_format_for_programs_and_begins_the_answer() {
    let folder = folder(&[
        ("total.rs", TOTAL.as_bytes()),
        ("same.rs", TOTAL.as_bytes()),
        (
            "other.rs",
            b"pub fn total(values: &[i64]) -> i64 { values.len() as i64 }",
        ),
    ]);
    let said = |other: &str, more: &[&str]| {
        compare(folder.path(), &[&["total.rs", other], more].concat()).stdout
    };
    for (other, more, outcome, words) in [
        ("same.rs", &[][..], "tie", "Tie"),
        ("same.rs", &["--fail-if-slower", "2%"], "not-slower", "Tie"),
        ("other.rs", &[], "disagreement", "Disagreement"),
    ] {
        let said = |format: &str| said(other, &[more, &["--format", format]].concat());
        let json: serde_json::Value = serde_json::from_str(&said("json")).unwrap();
        assert_eq!(json["outcome"], outcome);
        let csv = said("csv").replace('"', "");
        let starts: Vec<&str> = csv
            .lines()
            .filter_map(|row| row.split(',').next())
            .collect();
        assert_eq!(starts, ["outcome", outcome, outcome], "{csv}");
        let property = format!("<property name=\"outcome\" value=\"{outcome}\"/>");
        assert!(said("junit").contains(&property));
        let line = self::compare(
            folder.path(),
            &[&["total.rs", other, "--quiet"], more].concat(),
        );
        assert!(line.stdout.starts_with(words), "{}", line.stdout);
    }
}

#[test]
fn functions_of_other_names_and_types_are_both_named() {
    let said = refused(
        (
            "b.rs",
            b"pub fn words(text: &str) -> u32 { text.len() as u32 }",
        ),
        2,
    );
    for part in [
        "total.rs has total: func(values: list<s64>) -> s64",
        "b.rs has words: func(text: string) -> u32",
        "one name and the same types",
    ] {
        assert!(said.explains(part), "{}", said.stderr);
    }
}

/// Takes a list, and does this many steps that do not depend on its length.
fn steps(count: u32, more: &str) -> String {
    format!(
        "pub fn f(v: Vec<u64>) -> u64 {{
    let mut x = 1;
    for i in 0..std::hint::black_box({count}_u64) {{
        x ^= v.get((i & 15) as usize).copied().unwrap_or(3) ^ i;
        x = std::hint::black_box(x ^ (x >> 13));
    }}
    v.len() as u64
}}
{more}"
    )
}

const ALLOCATOR: &str = "use std::alloc::{GlobalAlloc, Layout, System};
struct Own;
unsafe impl GlobalAlloc for Own {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 { unsafe { System.alloc(layout) } }
    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) { unsafe { System.dealloc(at, layout) } }
}
#[global_allocator]
static OWN: Own = Own;
";

/// What the host copies for a call takes far longer than the steps: if it counted, the ratio would be next to nothing.
#[test]
fn an_allocator_of_somebody_elses_hides_no_difference() {
    let slower = steps(4_800, ALLOCATOR);
    let folder = folder(&[
        ("base.rs", steps(2_000, "").as_bytes()),
        ("slower.rs", slower.as_bytes()),
    ]);
    let options = [
        "--size",
        "40000",
        "--seed",
        "3",
        "--budget",
        "60s",
        "--fail-if-slower",
        "25%",
    ];
    let files = ["base.rs", "slower.rs"];
    let output = compare(folder.path(), &[&files[..], &options].concat());
    assert_eq!(output.status, 1, "{}{}", output.stdout, output.stderr);
    assert!(
        output.explains("Slower: slower is slower than base"),
        "{}",
        output.stderr
    );
}
