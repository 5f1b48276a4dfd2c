//! Results: readings, ids and names that were made to win, to escape, or to steer.

use super::batch::{WIT, World};
use crate::support::variant;
use bakeoff_render::escape::is_active;
use std::fs;

/// An interface whose answers are judged by a number.
const NUMBER: &str = "package example:number;

world prototype {
  export choose: func(n: u32) -> f64;
}

world workload {
  export generate: func(size: u32, seed: u64) -> u32;
  export check: func(n: u32, answer: f64) -> result<_, string>;
  export assess: func(n: u32, answer: f64) -> list<tuple<string, f64>>;
}
";

const NUMBER_WORKLOAD: &str = "pub fn generate(size: u32, seed: u64) -> u32 { size ^ seed as u32 }
pub fn check(_: u32, _: f64) -> Result<(), String> { Ok(()) }
pub fn assess(_: u32, answer: f64) -> Vec<(String, f64)> { vec![(\"value\".into(), answer)] }
";

/// An experiment of this interface; `criterion` says how the number is scored.
fn number(world: &World, criterion: &str, choices: &[(&str, &str)]) {
    world.write("experiment/wit/main.wit", NUMBER);
    world.write("experiment/workload.rs", NUMBER_WORKLOAD);
    let mut file = format!(
        "name = \"number\"\nproblem = \"?\"\n[interface]\nwit = \"wit\"\ncall = \"choose\"\n\
         [workload]\nsource = \"workload.rs\"\nsizes = [1]\n[measure]\nbudget = \"200 ms\"\n\
         [[criterion]]\nname = \"value\"\nfrom = \"assess:value\"\n\
         direction = \"higher-is-better\"\n{criterion}\n"
    );
    for (name, value) in choices {
        let text = format!("pub fn choose(n: u32) -> f64 {{ std::hint::black_box(n); {value} }}\n");
        world.write(&format!("experiment/{name}.rs"), text);
        file.push_str(&format!(
            "[[approach]]\nname = \"{name}\"\nsource = \"{name}.rs\"\n"
        ));
    }
    world.write("experiment/bakeoff.toml", file);
}

#[test]
fn case_48_readings_that_are_no_numbers() {
    let choices = [
        ("honest", "50.0"),
        ("less", "40.0"),
        ("nan", "f64::NAN"),
        ("infinite", "f64::INFINITY"),
        ("infinitely-low", "f64::NEG_INFINITY"),
        ("enormous", "1e308"),
        ("minus-zero", "-0.0"),
    ];
    let world = World::new();
    number(&world, "scale = \"linear\"\nrange = [0, 100]", &choices);
    let results = world.text("results");
    let said = world.run(&["run", ".", "--format", "json", "--out", &results]);
    let report = said.json();
    for id in ["nan", "infinite", "infinitely-low", "enormous"] {
        let invalid = variant(&report, id);
        assert_ne!(invalid["status"], "ranked", "{invalid:#}");
        assert!(invalid["rank"].is_null(), "{invalid:#}");
        assert!(invalid["total"].is_null(), "{invalid:#}");
    }
    assert_eq!(variant(&report, "honest")["rank"], 1, "{report:#}");
    assert_eq!(variant(&report, "less")["rank"], 2, "{report:#}");
    let zero = variant(&report, "minus-zero");
    assert_eq!(
        (&zero["rank"], &zero["status"]),
        (&3.into(), &"ranked".into()),
        "{zero:#}"
    );
    assert_eq!(zero["total"]["value"].as_f64(), Some(0.0), "{zero:#}");
}

/// The workload is untrusted too: whatever it says is bounded, and the run ends with one clear
/// error.
#[test]
fn a_workload_that_says_too_much_is_cut_off() {
    let many = "(0..100_000).map(|i| (format!(\"{i}\"), answer)).collect()";
    let long = "vec![(\"long\".repeat(2_000_000), answer)]";
    for (assess, says) in [(many, "it may give 64"), (long, "more than 256 bytes")] {
        let world = World::new();
        // Two that agree: it is not the answer that makes it say so much.
        number(
            &world,
            "scale = \"linear\"\nrange = [0, 100]",
            &[("honest", "50.0"), ("agrees", "std::hint::black_box(50.0)")],
        );
        let workload = NUMBER_WORKLOAD.replace("vec![(\"value\".into(), answer)]", assess);
        world.write("experiment/workload.rs", workload);
        let said = world.run(&["run", ".", "--color", "never"]);
        assert_eq!(said.status, 2, "{}", said.stderr);
        let flat = said.stderr.replace(['\n', '│'], " ");
        let flat = flat.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(flat.contains(says), "{flat}");
    }
    let world = World::new();
    number(
        &world,
        "scale = \"linear\"\nrange = [0, 100]",
        &[("honest", "50.0")],
    );
    let workload = NUMBER_WORKLOAD.replace("{ Ok(()) }", "{ Err(\"no \".repeat(10_000_000)) }");
    world.write("experiment/workload.rs", workload);
    let said = world.run(&["run", ".", "--format", "json"]);
    let refused = said.json();
    let failure = &variant(&refused, "honest")["failure"];
    assert_eq!(failure["class"], "wrong-answer", "{}", said.stderr);
    let length = failure["message"].as_str().unwrap().len();
    assert!((1_000..20_000).contains(&length), "{length}");
}

/// Names of approaches, and of the experiment itself, that would be paths, devices, or each other.
#[test]
fn case_50_ids_that_are_paths() {
    let names = [
        "../../escaped",
        "/etc/escaped",
        "CON",
        "nul.txt",
        "a\\\\b",
        ".",
        "\\u0000nul",
        "\\u202egnp.exe",
    ];
    let world = World::new();
    let mut file = "name = \"../../../escaped\"\nproblem = \"?\"\n[interface]\nwit = \"wit\"\n\
                    call = \"top-k\"\n[workload]\ncases = \"cases.toml\"\n\
                    [measure]\nbudget = \"200 ms\"\n"
        .to_owned();
    for name in names {
        file.push_str(&format!(
            "[[approach]]\nname = \"{name}\"\nsource = \"approaches/good.rs\"\n"
        ));
    }
    world.write("experiment/wit/top-k.wit", WIT);
    world.write(
        "experiment/cases.toml",
        "[[case]]\ncall = \"top-k([3, 1], 1)\"\nexpect = \"[3]\"\n",
    );
    world.write_approach("good");
    world.write("experiment/bakeoff.toml", &file);
    let outside = |world: &World| {
        let entries = fs::read_dir(world.path(""))
            .unwrap()
            .map(|entry| entry.unwrap().file_name());
        let mut names: Vec<_> = entries.filter(|name| name != "cache").collect();
        names.sort();
        names
    };
    let before = outside(&world);
    let said = world.run(&["run", ".", "--format", "json"]);
    assert!([0, 1].contains(&said.status), "{}", said.stderr);
    assert_eq!(before, outside(&world));
    let folder = world.path("experiment/.bakeoff/escaped");
    assert!(folder.join("report.json").is_file());
    let variants = said.json()["variants"].as_array().unwrap().clone();
    assert_eq!(variants.len(), names.len());
    for variant in variants {
        let id = variant["id"].as_str().unwrap();
        assert!(bakeoff_store::SafeId::new(id).is_ok(), "{id:?}");
        assert!(
            folder
                .join(format!("variants/{id}/iteration-1/source.rs"))
                .is_file(),
            "{id:?}"
        );
    }

    // Two names that a file system, or a reader, takes for one.
    let twice = file
        .replace("/etc/escaped", "..\\\\u002f..\\\\u002fEscaped")
        .replace("\\\\u002f", "/");
    world.write("experiment/bakeoff.toml", twice);
    let said = world.run(&["run", ".", "--color", "never"]);
    assert_eq!(said.status, 2, "{}", said.stderr);
    assert!(
        said.stderr.contains("would both be kept as"),
        "{}",
        said.stderr
    );
}

/// What a name would do to a terminal, a browser, a renderer of Markdown or a spreadsheet. Every
/// string of the hostile list in every place is `render::naughty`; this is the way there.
#[test]
fn case_51_injection_in_names() {
    let names = [
        "\\u001b]52;c;ZXZpbA==\\u0007\\u001b[2J",
        "<script>alert(1)</script>",
        "![x](https://evil.example/x.png)",
        "=HYPERLINK(\\\"https://evil.example\\\")",
    ];
    let world = World::new();
    let mut file = format!(
        "name = \"{0}\"\nproblem = \"{0} {1} {2} {3}\"\n[interface]\nwit = \"wit\"\n\
         call = \"top-k\"\n[workload]\ncases = \"cases.toml\"\n[measure]\nbudget = \"200 ms\"\n",
        names[0], names[1], names[2], names[3],
    );
    for name in names {
        file.push_str(&format!(
            "[[approach]]\nname = \"{name}\"\ndescription = \"{name}\"\nsource = \"approaches/good.rs\"\n"
        ));
    }
    world.write("experiment/wit/top-k.wit", WIT);
    world.write(
        "experiment/cases.toml",
        "[[case]]\ncall = \"top-k([3, 1], 1)\"\nexpect = \"[3]\"\n",
    );
    world.write_approach("good");
    world.write("experiment/bakeoff.toml", &file);
    let results = world.text("results");
    let said = world.run(&["run", ".", "--out", &results, "--color", "never"]);
    assert!([0, 1].contains(&said.status), "{}", said.stderr);
    let active = |text: &str| {
        text.chars()
            .find(|c| is_active(*c) && !"\n\r\t".contains(*c))
    };
    assert_eq!(active(&said.stdout), None);
    assert_eq!(active(&said.stderr), None);
    let shown = |format: &str| {
        let said = world.run(&["report", &results, "--format", format, "--color", "never"]);
        assert!([0, 1].contains(&said.status), "{}", said.stderr);
        assert_eq!(active(&said.stdout), None, "{format}");
        said.stdout
    };
    assert!(shown("human").contains("alert(1)"));
    assert!(shown("json").contains("evil.example"));
    let html = shown("html");
    assert!(html.contains("&lt;script&gt;alert(1)") && !html.contains("<script>alert"));
    let markdown = shown("md");
    assert!(
        !markdown.contains("![x](http") && !markdown.contains("<script>"),
        "{markdown}"
    );
    let csv = shown("csv");
    assert!(csv.contains("HYPERLINK"));
    assert!(
        !csv.lines()
            .flat_map(|line| line.split(','))
            .any(|cell| cell.trim_matches('"').starts_with('=')),
        "{csv}"
    );
}

/// What stops a run is said with the words of files and of guests. Colours are on: without them
/// every escape sequence is taken out on the way.
#[test]
fn errors_cannot_steer_whoever_reads_them() {
    let steers = "\u{1b}]52;c;ZXZpbA==\u{7}";
    let world = World::new();
    number(
        &world,
        "scale = \"linear\"\nrange = [0, 100]",
        &[("honest", "50.0")],
    );
    let said = |why: &str| {
        let said = world.run(&["run", ".", "--color", "always"]);
        assert_eq!(said.status, 2, "{}", said.stderr);
        assert!(said.stderr.contains(why), "{}", said.stderr);
        assert!(said.stderr.contains("\\u{1b}]52"), "{:?}", said.stderr);
        let steered = said.stderr.contains("\u{1b}]") || said.stderr.contains('\u{7}');
        assert!(!steered, "{:?}", said.stderr);
    };
    let workload = NUMBER_WORKLOAD.replace("{ size", &format!("{{ panic!({steers:?}); size"));
    world.write("experiment/workload.rs", workload);
    said("panicked");
    world.write("experiment/wit/main.wit", format!("// {steers}\n{NUMBER}"));
    said("is not valid WIT");
}
