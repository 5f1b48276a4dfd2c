//! Programs that are compiled by the machine's own compiler and answer lines. Where nothing can be linked, each test says
//! that it was skipped.

use super::super::rust_function::public_functions;
use super::*;
use bakeoff_source::interface::{ComparedFile, DerivedInterface, WitFile};
use std::io::Write as _;
use std::process::{Command, Output, Stdio};

fn interface(wit: &str, call: &str) -> Interface {
    let file = WitFile {
        name: "test.wit".into(),
        text: wit.into(),
    };
    Interface::parse(vec![file], call).unwrap_or_else(|error| panic!("{error}\n{wit}"))
}

/// The interface of a world with one function of this signature.
fn of_signature(signature: &str) -> Interface {
    let wit = format!("package a:b; world prototype {{ export f: func{signature}; }}");
    interface(&wit, "f")
}

/// The interface that follows from a source.
fn derived(source: &str) -> Interface {
    let file = ComparedFile {
        shown: "a.rs".into(),
        is_component: false,
        functions: public_functions(source).unwrap(),
        uncallable: Vec::new(),
    };
    let found = DerivedInterface::find(&[file], None).unwrap();
    interface(&found.wit(false), &found.call)
}

/// A source that was compiled to a program.
struct Program {
    folder: tempfile::TempDir,
}

impl Program {
    /// Compiles a source; `None` if this machine has no linker.
    fn of(interface: &Interface, source: &str) -> Option<Self> {
        if Command::new("cc").arg("--version").output().is_err() {
            eprintln!("skipped: there is no linker");
            return None;
        }
        let folder = tempfile::tempdir().unwrap();
        let user = (glue::user_file(World::Prototype), source.to_owned());
        for (name, text) in generate(interface, source)
            .unwrap()
            .into_iter()
            .chain([user])
        {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
        let compiled = Command::new(rustc)
            .args([
                "--edition=2024",
                "-O",
                "--crate-type=bin",
                "--cap-lints=allow",
            ])
            .args(["-o", "prog", ROOT_FILE])
            .current_dir(folder.path())
            .output()
            .unwrap();
        let stderr = String::from_utf8_lossy(&compiled.stderr);
        assert!(compiled.status.success(), "{stderr}");
        Some(Self { folder })
    }

    fn run(&self, lines: &str) -> Output {
        let mut child = Command::new(self.folder.path().join("prog"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let lines = lines.to_owned();
        // A program that ends early closes the stream.
        let writing = std::thread::spawn(move || stdin.write_all(lines.as_bytes()).is_ok());
        let output = child.wait_with_output().unwrap();
        writing.join().unwrap();
        output
    }

    /// Asserts that each line of arguments has this answer, all in one process.
    fn answers(&self, cases: &[(&str, &str)]) {
        // Behind each request there are the three turns of its host, and before each answer those of the program.
        let lines: String = cases
            .iter()
            .map(|(line, _)| format!("{line}\n\n\n\n"))
            .collect();
        let output = self.run(&lines);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{stderr}");
        let answers = String::from_utf8(output.stdout).unwrap();
        let expected = cases.iter().flat_map(|(_, answer)| ["", "", "", answer]);
        let expected: Vec<&str> = expected.collect();
        assert_eq!(answers.lines().collect::<Vec<_>>(), expected);
        assert!(answers.ends_with('\n'));
    }
}

#[test]
fn plain_types_lists_and_tuples_pass_unchanged() {
    let tuple = "tuple<bool, u8, u16, u32, u64, s8, s16, s32, s64, f32, f64, char, string>";
    let interface = of_signature(&format!(
        "(all: {tuple}, texts: list<list<string>>, floats: list<tuple<f32, f64>>) \
         -> tuple<{tuple}, list<list<string>>, list<tuple<f32, f64>>>"
    ));
    let row = "(bool, u8, u16, u32, u64, i8, i16, i32, i64, f32, f64, char, String)";
    let source = format!(
        "type Row = {row}; type Floats = Vec<(f32, f64)>;
         pub fn f(all: Row, texts: Vec<Vec<String>>, floats: Floats) -> (Row, Vec<Vec<String>>, Floats) {{
            (all, texts, floats)
         }}"
    );
    let Some(program) = Program::of(&interface, &source) else {
        return;
    };
    let least =
        r#"[false,0,0,0,0,-128,-32768,-2147483648,-9223372036854775808,-0.0,5e-324,"\u0000",""]"#;
    let greatest = r#"[true,255,65535,4294967295,18446744073709551615,127,32767,2147483647,9223372036854775807,3.4028235e38,1.7976931348623157e308,"😀","\"\\/\b\f\n\r\t\u001f"]"#;
    let escaped = r#"[true,1,1,1,9007199254740993,-1,-1,-1,-9007199254740993,1e0,3,"\ud83d\ude00","\u00e9\u0041\/\ud83d\ude00."]"#;
    let unescaped =
        r#"[true,1,1,1,9007199254740993,-1,-1,-1,-9007199254740993,1.0,3.0,"😀","éA/😀."]"#;
    let floats = r#"[["nan","nan"],["inf","-inf"],[0.1,0.1],[-0.0,1e16]]"#;
    let long = "x".repeat(100_000);
    let long = format!(r#"[{least},[["{long}",","],[]],{floats}]"#);
    let same = [
        format!("[{least},[],[]]"),
        format!("[{greatest},[[],[\"a\",\"]\"]],[]]"),
        long,
    ];
    let mut cases: Vec<(&str, &str)> = same.iter().map(|line| (&**line, &**line)).collect();
    let escaped = format!("[ {escaped} , [ ] , [ ] ] \r");
    let unescaped = format!("[{unescaped},[],[]]");
    cases.push((&escaped, &unescaped));
    program.answers(&cases);
}

#[test]
fn named_types_of_other_interfaces_pass_unchanged() {
    let flags: Vec<String> = (0..32).map(|number| format!("flag{number}")).collect();
    let wit = format!(
        "package ns:pkg@1.0.0;
         interface types {{
            record point {{ x: f64, %type: option<u8>, self: u32 }}
            variant figure {{ dot, circle(f64), line(tuple<point, point>), of(option<color>) }}
            enum color {{ red, light-blue }}
            type points = list<point>;
            flags wide {{ {} }}
         }}
         interface figures {{
            use types.{{figure, points, wide}};
            flags rights {{ read, write, a, b, c, d, e, f, execute }}
            record whole {{
                figures: list<figure>, the-points: points, rights: rights, wide: wide,
                twice: option<option<string>>, named: option<own-name>
            }}
            record own-name {{ HTTP-url: string, count: u64 }}
            f: func(wholes: list<whole>) -> list<whole>;
            g: func() -> u8;
         }}
         world prototype {{ export figures; }}",
        flags.join(", ")
    );
    let interface = interface(&wit, "ns:pkg/figures.f");
    let source = "use crate::types::Whole;
        pub fn f(wholes: Vec<Whole>) -> Vec<Whole> { wholes }
        pub fn g() -> u8 { 7 }";
    let Some(program) = Program::of(&interface, source) else {
        return;
    };
    let point = r#"{"x":0.5,"type":3,"self":7}"#;
    let other = r#"{"x":1.0,"type":null,"self":8}"#;
    let full = format!(
        r#"{{"figures":["dot",{{"circle":0.5}},{{"line":[{point},{other}]}},{{"of":null}},{{"of":"light-blue"}}],"the-points":[{point}],"rights":["read","execute"],"wide":["flag0","flag31"],"twice":{{"some":null}},"named":{{"HTTP-url":"x","count":1}}}}"#
    );
    let short = r#"{"wide":[],"rights":["f","e"],"the-points":[{"self":8,"x":1}],"figures":[]}"#;
    let completed = format!(
        r#"{{"figures":[],"the-points":[{other}],"rights":["e","f"],"wide":[],"twice":null,"named":null}}"#
    );
    let twice = completed.replace(r#""twice":null"#, r#""twice":{"some":"\""}"#);
    let same = format!("[[{full},{twice}]]");
    program.answers(&[
        (&same, &same[1..same.len() - 1]),
        (&format!("[[{short}]]"), &format!("[{completed}]")),
        ("[[]]", "[]"),
    ]);
    let output = program.run("[[{\"figures\":[]}]]\n");
    assert_eq!(output.status.code(), Some(1));
    let stderr = String::from_utf8(output.stderr).unwrap();
    let reason = "the line is malformed at byte 16: expected the field `the-points` before this\n";
    assert_eq!(stderr, reason);
}

#[test]
fn results_have_their_form_in_all_ways() {
    let wit = "package a:b; world prototype {
        enum code { not-found, other }
        record all {
            none: result, good: result<list<u8>>, bad: result<_, string>, both: result<u8, code>,
            maybe: option<result<option<u8>, list<code>>>
        }
        export f: func(all: all, fails: bool) -> result<all, string>;
    }";
    let source =
        "pub fn f(all: crate::types::All, fails: bool) -> Result<crate::types::All, String> {
        if fails { Err(\"no\".to_owned()) } else { Ok(all) }
    }";
    let Some(program) = Program::of(&interface(wit, "f"), source) else {
        return;
    };
    let good = r#"{"none":{"ok":null},"good":{"ok":[1,2]},"bad":{"ok":null},"both":{"ok":3},"maybe":{"ok":null}}"#;
    let bad = r#"{"none":{"error":null},"good":{"error":null},"bad":{"error":"x"},"both":{"error":"not-found"},"maybe":{"error":["other"]}}"#;
    program.answers(&[
        (&format!("[{good},false]"), &format!(r#"{{"ok":{good}}}"#)),
        (&format!("[{bad},false]"), &format!(r#"{{"ok":{bad}}}"#)),
        (&format!("[{bad},true]"), r#"{"error":"no"}"#),
    ]);
}

#[test]
fn a_function_may_take_and_return_nothing() {
    let taking = of_signature("(number: u32)");
    let source = "pub fn f(number: u32) {
        println!(\"printed {number}\");
        assert!(number != 3, \"three is refused\");
    }";
    if let Some(program) = Program::of(&taking, source) {
        let output = program.run("[1]\n\n\n\n[2]\n\n\n\n");
        assert_eq!(output.stdout, b"\n\n\nnull\n\n\n\nnull\n");
        assert_eq!(output.stderr, b"printed 1\nprinted 2\n");
        assert!(output.status.success());
        let output = program.run("[1]\n\n\n\n[3]\n\n\n\n[4]\n");
        assert_eq!(output.stdout, b"\n\n\nnull\n\n\n");
        assert!(!output.status.success());
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(stderr.contains("three is refused"), "{stderr}");
        let output = program.run("[1,2]\n");
        assert_eq!(output.status.code(), Some(1));
        let reason = b"the line is malformed at byte 2: expected the end of the arguments\n";
        assert_eq!(output.stderr, reason);
    }
    let giving = of_signature("() -> option<option<string>>");
    let source = "
        use std::alloc::{GlobalAlloc, Layout, System};
        use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
        static CALLS: AtomicU32 = AtomicU32::new(0);
        struct Counting;
        unsafe impl GlobalAlloc for Counting {
            unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
                CALLS.fetch_add(1, Relaxed);
                unsafe { System.alloc(layout) }
            }
            unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
                unsafe { System.dealloc(pointer, layout) }
            }
        }
        #[global_allocator]
        static ALLOCATOR: Counting = Counting;
        pub fn f() -> Option<Option<String>> {
            let before = CALLS.load(Relaxed);
            let text = std::hint::black_box(String::from(\"counted\"));
            (CALLS.load(Relaxed) > before).then_some(Some(text))
        }";
    if let Some(program) = Program::of(&giving, source) {
        program.answers(&[
            ("[]", r#"{"some":"counted"}"#),
            ("[ ]", r#"{"some":"counted"}"#),
        ]);
    }
}

#[test]
fn arguments_are_adapted_to_the_function() {
    let source = "
        use std::collections::HashMap;
        pub struct Step { pub by: usize, pub name: String }
        pub enum Shape { Round(u8), Flat { width: usize, deep: bool }, Empty }
        pub fn f(
            items: &[u32], text: &str, many: &mut Vec<i64>, counts: HashMap<String, usize>, steps: Vec<Step>,
            shape: Shape, wide: u128,
        ) -> (usize, String, HashMap<String, usize>, Shape, u128) {
            many.sort();
            let sum = items.iter().sum::<u32>() as usize + steps.iter().map(|step| step.by).sum::<usize>();
            let names: String = steps.iter().map(|step| &*step.name).collect();
            let shape = match shape {
                Shape::Round(by) => Shape::Flat { width: by.into(), deep: true },
                Shape::Flat { .. } => Shape::Empty,
                Shape::Empty => Shape::Round(1),
            };
            (sum, format!(\"{text}{names}\"), counts, shape, wide + 1)
        }";
    let interface = derived(source);
    let Some(program) = Program::of(&interface, source) else {
        return;
    };
    let arguments = |shape: &str, wide: &str| {
        format!(r#"[[1,2],"é",[3,-1],[["b",2],["a",1]],[[10,"x"],[20,"y"]],{shape},{wide}]"#)
    };
    let answer = |shape: &str, wide: &str| {
        format!(r#"[[33,"éxy",[["a",1],["b",2]],{shape},{wide}],[-1,3]]"#)
    };
    program.answers(&[
        (
            &arguments(r#"{"round":7}"#, "[0,18446744073709551615]"),
            &answer(r#"{"flat":[7,true]}"#, "[1,0]"),
        ),
        (
            &arguments(r#"{"flat":[7,true]}"#, "[0,1]"),
            &answer(r#""empty""#, "[0,2]"),
        ),
    ]);
}

#[test]
fn many_lines_are_answered_by_one_process() {
    let interface = of_signature("(values: list<u64>) -> list<u64>");
    let source = "pub fn f(mut values: Vec<u64>) -> Vec<u64> { values.reverse(); values }";
    let Some(program) = Program::of(&interface, source) else {
        return;
    };
    let written = |numbers: &mut dyn Iterator<Item = u64>| {
        let numbers: Vec<String> = numbers.map(|number| number.to_string()).collect();
        format!("[{}]", numbers.join(","))
    };
    let number = |seed: u64| seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let cases: Vec<(String, String)> = (0..3_000_u64)
        .chain([300_000])
        .map(|length| {
            let line = format!("[{}]", written(&mut (0..length).map(number)));
            (line, written(&mut (0..length).rev().map(number)))
        })
        .filter(|(line, _)| line.len() < 5_000 || line.len() > 1 << 20)
        .collect();
    let cases: Vec<(&str, &str)> = cases.iter().map(|(a, b)| (&**a, &**b)).collect();
    assert!(cases.len() > 200, "{}", cases.len());
    program.answers(&cases);
}

#[test]
fn what_is_no_plain_function_is_refused_with_a_remedy() {
    let session = interface(
        "package a:b; interface jobs {
            resource job { prepare: static func(a: u8) -> job; run: func(); output: func() -> u8; }
         }
         world prototype { export jobs; }",
        "jobs.job",
    );
    let beside = interface(
        "package a:b; interface jobs { resource job { constructor(); } f: func(a: u8) -> u8; }
         world prototype { export jobs; }",
        "jobs.f",
    );
    let plain = of_signature("(a: u8) -> u8");
    for (interface, text) in [
        (&session, "pub struct Job;"),
        (&beside, "pub fn f(a: u8) -> u8 { a }"),
        (&plain, "pub struct Component; impl Guest for Component {}"),
    ] {
        let failure = generate(interface, text).unwrap_err();
        assert_eq!(failure.class, FailureClass::BuildFailed);
        let message = failure.message;
        assert!(message.contains("leave out --natively"), "{message}");
    }
}

#[test]
fn all_that_decides_the_program_is_in_the_fingerprint() {
    let whole = fingerprint().concat();
    for part in [
        "fn answer_lines",
        "fn plain_length",
        "macro_rules! record",
        "fn push_integer",
        "fn cabi_realloc",
        "macro_rules! bitflags",
        "fn exporting_module",
        "fn add_record",
        "fn bindings_text",
        "fn flags_name",
        "fn give_bound",
        "fn adapted",
        "fn rust_signature",
        "name = \"wit-bindgen-rust\"",
    ] {
        assert!(whole.contains(part), "{part}");
    }
    let ordinary = glue::fingerprint().concat();
    assert!(!ordinary.contains("fn answer_lines"));
}

#[test]
fn modules_of_packages_with_several_versions_are_found() {
    let files = [
        (
            "main.wit",
            "package a:b; interface i { use x:y/t@1.0.0.{r}; use x:y/t@2.0.0.{r as s}; f: func(a: r, b: s) -> u8; }
             world prototype { export i; }",
        ),
        ("deps/one.wit", "package x:y@1.0.0; interface t { record r { a: u8 } }"),
        ("deps/two.wit", "package x:y@2.0.0; interface t { record r { b: u16 } }"),
    ];
    let files = files.map(|(name, text)| WitFile {
        name: name.into(),
        text: text.into(),
    });
    let interface = Interface::parse(files.into(), "i.f").unwrap();
    let files = generate(&interface, "pub fn f(a: u8, b: u8) -> u8 { 0 }").unwrap();
    let types = files.iter().find(|(name, _)| *name == TYPES_FILE).unwrap();
    for expected in [
        "record!(crate::bindings::x::y1_0_0::t::R { a = \"a\" });",
        "record!(crate::bindings::x::y2_0_0::t::R { b = \"b\" });",
    ] {
        assert!(types.1.contains(expected), "{}", types.1);
    }
}
