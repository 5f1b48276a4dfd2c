//! Sources in C, C++ and Zig: built behind the fence, checked and measured as those in Rust.

mod hostile;
mod types_of_wit;
mod zig;

use crate::finished::copy_experiment;
use crate::support::{CommandOutput, root, run_bakeoff};
use bakeoff_compile::Clang;
use bakeoff_domain::language::Language;
use std::fs;
use tempfile::TempDir;

/// Returns true if sources in this language can be built here.
pub(crate) fn has(language: Language) -> bool {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let has = runtime.block_on(async {
        let Ok(clang) = Clang::find().await else {
            return false;
        };
        clang.with_zig_if_there().await.has(language)
    });
    if !has {
        println!("skipped: there is no compiler for {}", language.name());
    }
    has
}

/// Returns a message in one line, whatever the width at which it was wrapped.
fn unwrapped(text: &str) -> String {
    let words = text.split_whitespace().filter(|word| *word != "│");
    words.collect::<Vec<&str>>().join(" ")
}

/// Files of a prototype, its interface and its workload.
struct Files(TempDir);

impl Files {
    fn new(wit: &str, workload: &str) -> Self {
        let files = Self(TempDir::new().unwrap());
        files.write("p.wit", wit);
        files.write("workload.rs", workload);
        files
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.0.path().join(name), text).unwrap();
    }

    /// Checks a source, which has this name.
    fn check(&self, name: &str, text: &str, call: &str) -> CommandOutput {
        self.write(name, text);
        let at = |name: &str| self.0.path().join(name).display().to_string();
        let (file, wit, workload) = (at(name), at("p.wit"), at("workload.rs"));
        run_bakeoff(&[
            "check",
            &file,
            "--wit",
            &wit,
            "--call",
            call,
            "--workload",
            &workload,
            "--case",
            "9",
            "--seed",
            "3",
        ])
    }

    /// Checks that a source is refused, and returns the reason.
    fn refused(&self, name: &str, text: &str) -> String {
        let output = self.check(name, text, "sum");
        assert_eq!(output.status, 1, "{}{}", output.stdout, output.stderr);
        let all = format!("{}{}", output.stdout, output.stderr);
        assert!(
            !all.contains("/tmp/") || all.contains(self.0.path().to_str().unwrap()),
            "{all}"
        );
        unwrapped(&all)
    }
}

const SUM_WIT: &str = "package a:b;
world prototype { export sum: func(values: list<s64>) -> s64; }
world workload {
  export generate: func(size: u32, seed: u64) -> list<s64>;
  export check: func(values: list<s64>, answer: s64) -> result<_, string>;
}";

const SUM_WORKLOAD: &str = "pub fn generate(size: u32, seed: u64) -> Vec<i64> {
    (0..i64::from(size)).map(|n| n * (seed as i64) - 7).collect()
}
pub fn check(values: Vec<i64>, answer: i64) -> Result<(), String> {
    let sum: i64 = values.iter().sum();
    if answer == sum { Ok(()) } else { Err(format!(\"the sum is {sum}\")) }
}";

const SUM: &str = "#include \"prototype.h\"
int64_t exports_prototype_sum(prototype_list_s64_t *values) {
  int64_t sum = 0;
  for (size_t i = 0; i < values->len; i++) sum += values->ptr[i];
  return sum;
}";

fn sums() -> Files {
    Files::new(SUM_WIT, SUM_WORKLOAD)
}

#[test]
fn an_experiment_begins_in_another_language() {
    for (language, name) in [
        (Language::C, "c"),
        (Language::Cpp, "cpp"),
        (Language::Zig, "zig"),
    ] {
        if !has(language) {
            continue;
        }
        let folder = TempDir::new().unwrap();
        let dir = folder.path().to_str().unwrap();
        let output = run_bakeoff(&["init", dir, "--language", name]);
        assert_eq!(output.status, 0, "{}", output.stderr);
        let text = fs::read_to_string(folder.path().join("bakeoff.toml")).unwrap();
        assert!(
            !text.contains("approaches/sort.rs") && !text.contains("Rust form"),
            "{text}"
        );
        let output = run_bakeoff(&["run", dir, "--budget", "2s", "--format", "json"]);
        assert!(output.ended_a_run(), "{}", output.stderr);
        let report: serde_json::Value = serde_json::from_str(&output.stdout).unwrap();
        let variants = report["variants"].as_array().unwrap();
        assert_eq!(variants.len(), 2);
        for variant in variants {
            assert!(variant["failure"].is_null(), "{variant:#}");
        }
    }
}

#[test]
fn one_algorithm_in_four_languages_stands_in_one_matrix() {
    if !has(Language::C) {
        return;
    }
    let folder = TempDir::new().unwrap();
    copy_experiment(&root().join("examples/top-k"), folder.path());
    let file = folder.path().join("languages.toml");
    if !has(Language::Cpp) {
        let text = fs::read_to_string(&file).unwrap();
        let (before, cpp) = text.split_once("[[approach]]\nname = \"C++\"").unwrap();
        let (_, after) = cpp.split_once("[[approach]]").unwrap();
        fs::write(&file, format!("{before}[[approach]]{after}")).unwrap();
    }
    if !has(Language::Zig) {
        let text = fs::read_to_string(&file).unwrap();
        let (before, zig) = text.split_once("[[approach]]\nname = \"Zig\"").unwrap();
        let (_, after) = zig.split_once("[measure]").unwrap();
        fs::write(&file, format!("{before}[measure]{after}")).unwrap();
    }
    let file = file.to_str().unwrap();
    let output = run_bakeoff(&["run", file, "--budget", "2s", "--format", "json"]);
    assert!(output.ended_a_run(), "{}", output.stderr);
    let report: serde_json::Value = serde_json::from_str(&output.stdout).unwrap();
    for variant in report["variants"].as_array().unwrap() {
        assert!(variant["failure"].is_null(), "{variant:#}");
        assert!(
            variant["readings"]["source-lines"]["value"]
                .as_f64()
                .unwrap()
                > 5.0,
            "{variant:#}"
        );
    }
    let compiler = report["environment"]["compiler"].as_str().unwrap();
    assert!(
        compiler.contains("rustc") && compiler.contains("clang"),
        "{compiler}"
    );
    // The source that is kept is the one that was built.
    let kept = folder
        .path()
        .join(".bakeoff/top-k-languages/variants/c/iteration-1/source.c");
    assert_eq!(
        fs::read(kept).unwrap(),
        fs::read(folder.path().join("approaches/heap.c")).unwrap()
    );
    assert!(
        fs::read_to_string(folder.path().join(".bakeoff/top-k-languages/report.html"))
            .unwrap()
            .contains("sift_down"),
    );
    // Whichever came first, its code is taken out as it was measured.
    let picked = run_bakeoff(&["pick", file]);
    assert!(
        !picked.stderr.contains("changed these results"),
        "{}",
        picked.stderr
    );
    let verified = run_bakeoff(&["verify", file]);
    assert_eq!(verified.status, 0, "{}{}", verified.stdout, verified.stderr);
}

/// Values of most types, there and back: each function is called with what it has to return.
const TYPES_WIT: &str = "package a:b;
world prototype {
  record pt { x: s16, name: string }
  enum side { left, right }
  variant shape { dot, circle(f64), named(string) }
  flags perms { read, write }
  export turn: func(pt: pt, side: side, shape: shape, perms: perms, maybe: option<char>, grid: list<list<u8>>)
    -> result<tuple<pt, side, shape, perms, option<char>, list<list<u8>>>, string>;
}
world workload {
  record pt { x: s16, name: string }
  enum side { left, right }
  variant shape { dot, circle(f64), named(string) }
  flags perms { read, write }
  export generate: func(size: u32, seed: u64) -> tuple<pt, side, shape, perms, option<char>, list<list<u8>>>;
  export check: func(pt: pt, side: side, shape: shape, perms: perms, maybe: option<char>, grid: list<list<u8>>,
    answer: result<tuple<pt, side, shape, perms, option<char>, list<list<u8>>>, string>) -> result<_, string>;
}";

const TYPES_WORKLOAD: &str = "use crate::types::*;
pub fn generate(size: u32, _: u64) -> (Pt, Side, Shape, Perms, Option<char>, Vec<Vec<u8>>) {
    let pt = Pt { x: -7, name: \"naïve\".into() };
    (pt, Side::Right, Shape::Named(\"q\".into()), Perms::WRITE, Some('é'), vec![vec![1; size as usize], vec![]])
}
#[allow(clippy::too_many_arguments)]
pub fn check(pt: Pt, side: Side, shape: Shape, perms: Perms, maybe: Option<char>, grid: Vec<Vec<u8>>,
    answer: Result<(Pt, Side, Shape, Perms, Option<char>, Vec<Vec<u8>>), String>) -> Result<(), String> {
    let wanted = format!(\"{pt:?} {side:?} {shape:?} {perms:?} {maybe:?} {grid:?}\");
    let (pt, side, shape, perms, maybe, grid) = answer?;
    let got = format!(\"{pt:?} {side:?} {shape:?} {perms:?} {maybe:?} {grid:?}\");
    if got == wanted { Ok(()) } else { Err(format!(\"{got} and not {wanted}\")) }
}";

#[test]
fn values_of_all_kinds_go_there_and_back() {
    if !has(Language::C) {
        return;
    }
    let files = Files::new(TYPES_WIT, TYPES_WORKLOAD);
    let source = "#include \"prototype.h\"
bool exports_prototype_turn(prototype_pt_t *pt, prototype_side_t side, prototype_shape_t *shape, prototype_perms_t perms,
    uint32_t *maybe, prototype_list_list_u8_t *grid,
    prototype_tuple6_pt_side_shape_perms_option_char32_list_list_u8_t *ret, prototype_string_t *err) {
  (void)err;
  ret->f0 = *pt;
  ret->f1 = side;
  ret->f2 = *shape;
  ret->f3 = perms;
  ret->f4.is_some = maybe != NULL;
  if (maybe) ret->f4.val = *maybe;
  ret->f5 = *grid;
  return true;
}";
    let output = files.check("turn.c", source, "turn");
    assert_eq!(output.status, 0, "{}{}", output.stdout, output.stderr);
}

#[test]
fn what_is_wrong_in_c_is_said_as_for_rust() {
    if !has(Language::C) {
        return;
    }
    let files = sums();
    let good = files.check("sum.c", SUM, "sum");
    assert_eq!(good.status, 0, "{}{}", good.stdout, good.stderr);
    // An own heap, an assertion, sorting and mathematics of the library.
    let library = SUM.replace(
        "int64_t sum = 0;",
        "assert(values->len == 9); int64_t *copy = malloc(values->len * 8); memcpy(copy, values->ptr, values->len * 8);
         qsort(copy, values->len, 8, by_value); copy = realloc(copy, 4000); free(copy);
         errno = 0; counted += strtol(\"8\", NULL, 10) - 8 + errno; char text[20];
         snprintf(text, 20, \"%d %.1f\", 3, 1.5); printf(\"%s %s\", text, __TIME__); assert(strcmp(text, \"3 1.5\") == 0);
         char *zeros = calloc(100, 10); int64_t sum = (int64_t)(counted + zeros[999] + cbrt(0.0) + pow(0.0, 3.0)); free(zeros);",
    );
    let head = "#include <assert.h>\n#include <errno.h>\n#include <math.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <stdint.h>\n\
        static _Thread_local int counted;\n\
        static int by_value(const void *a, const void *b) {\n\
        int64_t x = *(const int64_t *)a, y = *(const int64_t *)b; return (x > y) - (x < y); }\n";
    let output = files.check("library.c", &format!("{head}{library}"), "sum");
    assert_eq!(output.status, 0, "{}{}", output.stdout, output.stderr);

    let cases = [
        // A place with line and column, under the user's own name of the file.
        (SUM.replace("sum +=", "sun +="), "sum.c:4:"),
        (
            SUM.replace("prototype_sum", "prototype_total"),
            "int64_t exports_prototype_sum(prototype_list_s64_t *values)",
        ),
        (
            SUM.replace("int64_t exports", "int32_t exports"),
            "conflicting types",
        ),
        (
            "long long exports_prototype_sum(double a, double b) { return a + b; }".to_owned(),
            "#include \"prototype.h\"",
        ),
        (
            SUM.replace("#include", "#include \"mine.h\"\n#include"),
            "a source is one file",
        ),
        (
            format!(
                "#include <time.h>\n{}",
                SUM.replace("return sum", "return sum + time(0)")
            ),
            "clock_time_get",
        ),
        (
            format!(
                "#include <stdio.h>\n{}",
                SUM.replace("return sum", "return sum + (fopen(\"x\", \"r\") != 0)")
            ),
            "path_open",
        ),
        (
            format!(
                "static volatile int begun; __attribute__((constructor)) static void f(void) {{ for (int i = 0; i < 9; i++) begun += i; }}\n{}",
                SUM.replace("sum = 0", "sum = begun")
            ),
            "before the first call",
        ),
        (
            format!(
                "void *cabi_realloc(void *a, unsigned b, unsigned c, unsigned d) {{ return a; }}\n{SUM}"
            ),
            "which the bindings define",
        ),
        (
            format!(
                "int other(void);\n{}",
                SUM.replace("sum = 0", "sum = other()")
            ),
            "undefined symbol: other",
        ),
    ];
    for (source, why) in cases {
        let said = files.refused("sum.c", &source);
        assert!(said.contains(why), "{why}: {said}");
        assert!(said.contains("build-failed"), "{said}");
    }
    let workload = Files::new(SUM_WIT, SUM_WORKLOAD);
    workload.write("w.c", SUM);
    let experiment = "name = \"x\"\nproblem = \"?\"\n[interface]\nwit = \"p.wit\"\ncall = \"sum\"\n\
        [workload]\nsource = \"w.c\"\nsizes = [9]\n[[approach]]\nname = \"a\"\nsource = \"w.c\"\n";
    workload.write("bakeoff.toml", experiment);
    let output = run_bakeoff(&["run", workload.0.path().to_str().unwrap()]);
    assert_eq!(output.status, 2, "{}", output.stderr);
    assert!(
        output.explains("does not end in `.rs`"),
        "{}",
        output.stderr
    );
}

#[test]
fn a_sweep_gives_values_to_a_source_in_c() {
    if !has(Language::C) {
        return;
    }
    let files = sums();
    let source = "#include <string.h>
#include \"prototype.h\"
int64_t exports_prototype_sum(prototype_list_s64_t *values) {
  prototype_string_t key;
  prototype_string_set(&key, \"more\");
  prototype_option_string_t value;
  wasi_config_store_error_t error;
  if (!wasi_config_store_get(&key, &value, &error) || !value.is_some || value.val.len != 1) __builtin_trap();
  int64_t sum = value.val.ptr[0] - '0';
  for (size_t i = 0; i < values->len; i++) sum += values->ptr[i];
  return sum;
}";
    files.write("sum.c", source);
    let experiment = "name = \"x\"\nproblem = \"?\"\n[interface]\nwit = \"p.wit\"\ncall = \"sum\"\n\
        [workload]\nsource = \"workload.rs\"\nsizes = [9]\n\
        [[approach]]\nname = \"a\"\nsource = \"sum.c\"\nsweep = { more = [0, 1] }\n[measure]\nbudget = \"1 s\"\n";
    files.write("bakeoff.toml", experiment);
    let output = run_bakeoff(&["run", files.0.path().to_str().unwrap(), "--format", "json"]);
    let report: serde_json::Value = serde_json::from_str(&output.stdout).expect(&output.stderr);
    let failures: Vec<bool> = (report["variants"].as_array().unwrap().iter())
        .map(|variant| variant["failure"].is_null())
        .collect();
    assert_eq!(failures, [true, false], "{report:#}");
}

#[test]
fn one_in_cpp_has_its_library() {
    if !has(Language::Cpp) {
        return;
    }
    let files = sums();
    let source = "#include \"prototype.h\"
#include <map>
#include <memory>
#include <numeric>
#include <sstream>
#include <string>
#include <unordered_map>
#include <vector>
static thread_local int kept = 0;
struct Base { virtual ~Base() = default; virtual int64_t of(int64_t) const = 0; };
struct Same : Base { int64_t of(int64_t value) const override { return value; } };
int64_t exports_prototype_sum(prototype_list_s64_t *values) {
  std::map<std::string, int64_t> sums;
  std::unordered_map<int64_t, int> seen;
  std::unique_ptr<Base> same = std::make_unique<Same>();
  for (size_t i = 0; i < values->len; i++) { sums[std::to_string(i)] = same->of(values->ptr[i]); seen[i] += 1; }
  static std::vector<int64_t> begun = {1, 2, 3};
  std::ostringstream text;
  text << 1.5 << std::to_string(2.5);
  if (text.str().size() != 11) std::abort();
  int64_t sum = kept + begun.size() - 3 + seen.size() - values->len;
  for (auto &[name, value] : sums) sum += value;
  return sum;
}";
    for name in ["sum.cc", "sum.cpp", "sum.cxx"] {
        let output = files.check(name, source, "sum");
        assert_eq!(output.status, 0, "{}{}", output.stdout, output.stderr);
    }
    let said = files.refused("sum.cc", &source.replace("int64_t sum =", "int64_t sun ="));
    assert!(said.contains("sum.cc:21:"), "{said}");
}

#[test]
fn a_source_in_c_is_held_against_one_in_rust_whose_interface_it_has() {
    if !has(Language::C) {
        return;
    }
    let folder = TempDir::new().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    let rust = write(
        "sum.rs",
        "pub fn sum(values: &[i64]) -> i64 { values.iter().fold(0, |sum, value| sum.wrapping_add(*value)) }",
    );
    let same = write("sum.c", SUM);
    let options = ["--budget", "1s", "--format", "json"];
    let compared = |other: &str| run_bakeoff(&[&["compare", &rust, other], &options[..]].concat());
    let output = compared(&same);
    assert!(output.ended_a_run(), "{}{}", output.stdout, output.stderr);
    assert!(!output.stdout.contains("differ-at"), "{}", output.stdout);
    // The largest is left out.
    let other = write(
        "other.c",
        &SUM.replace(
            "sum += values->ptr[i]",
            "sum += values->ptr[i] == 9223372036854775807 ? 0 : values->ptr[i]",
        ),
    );
    let output = compared(&other);
    assert_eq!(output.status, 1, "{}{}", output.stdout, output.stderr);
    let alone = run_bakeoff(&["compare", &same, &other]);
    assert_eq!(alone.status, 2, "{}", alone.stderr);
    assert!(alone.explains("--wit DIR --call NAME"), "{}", alone.stderr);
}

#[test]
fn lines_that_no_input_reaches_are_those_of_the_file() {
    if !has(Language::C) {
        return;
    }
    let files = sums();
    let rare = SUM.replace(
        "  return sum;",
        "  if (values->len > 100000)\n    sum = sum * 31 + 7;\n  return sum;",
    );
    files.write("rare.c", &rare);
    let text = "name = \"sums\"\nproblem = \"Add up.\"\n\
                interface = { wit = \"p.wit\", call = \"sum\" }\n\
                workload = { source = \"workload.rs\", sizes = [10] }\n\
                [[approach]]\nname = \"rare\"\nsource = \"rare.c\"\n";
    files.write("bakeoff.toml", text);
    let folder = files.0.path().to_str().unwrap();
    let said = run_bakeoff(&["check", folder, "--format", "json"]).json();
    let covered = &said["coverage"][0];
    assert_eq!(covered["unit"], "lines", "{covered}");
    assert_eq!(covered["unreached"], serde_json::json!([6]), "{covered}");
}
