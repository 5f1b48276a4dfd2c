//! Sources in C of somebody who means harm.

use super::{Files, SUM, has, sums, unwrapped};
use bakeoff_domain::language::Language;
use std::fs;

#[test]
fn case_215_a_source_in_c_reads_no_file_of_the_host() {
    if !has(Language::C) {
        return;
    }
    let files = sums();
    let secret = files.0.path().join("secret.h");
    fs::write(&secret, "#error s3cr3t\n").unwrap();
    let secret = secret.display().to_string();
    let mut cases: Vec<String> = [
        "/etc/passwd",
        "/proc/self/environ",
        "/proc/self/maps",
        &secret,
        "../../etc/hostname",
    ]
    .iter()
    .map(|path| format!("#include \"{path}\"\n{SUM}"))
    .collect();
    cases.push(format!("__asm__(\".incbin \\\"/etc/passwd\\\"\");\n{SUM}"));
    cases.push(format!("__asm__(\".include \\\"{secret}\\\"\");\n{SUM}"));
    cases.push(format!("#embed \"/etc/passwd\"\n{SUM}"));
    cases.push(format!(
        "#if __has_include(\"{secret}\")\n#error it is there\n#endif\n#error gone\n{SUM}"
    ));
    for source in cases {
        let said = files.refused("sum.c", &source);
        assert!(
            !said.contains("root:") && !said.contains("s3cr3t") && !said.contains("it is there"),
            "{said}"
        );
    }
}

#[test]
fn case_216_names_in_c_are_names_and_nothing_more() {
    if !has(Language::C) {
        return;
    }
    let files = sums();
    let odd =
        "__attribute__((import_module(\"wasi_snapshot_preview1\"), import_name(\"path_open\")))
        int w(int, int, int, int);\n";
    let cases = [
        (
            format!("{odd}{}", SUM.replace("sum = 0", "sum = w(1, 2, 3, 4)")),
            "path_open",
        ),
        (
            format!(
                "long long kept __asm__(\"@/etc/passwd\") = 5;\n{}",
                SUM.replace("sum = 0", "sum = kept - 5")
            ),
            "it has",
        ),
        (
            format!(
                "__attribute__((section(\"../../x\"))) long long kept = 5;\n{}",
                SUM.replace("sum = 0", "sum = kept - 5")
            ),
            "it has",
        ),
        (
            format!(
                "__attribute__((export_name(\"cm32p2_realloc\"))) void *m(int a) {{ return 0; }}\n{SUM}"
            ),
            "build-failed",
        ),
        (
            format!("#pragma comment(lib, \"/etc/passwd\")\n#error end\n{SUM}"),
            "end",
        ),
    ];
    for (source, why) in cases {
        let said = files.refused("sum.c", &source);
        assert!(said.contains(why), "{why}: {said}");
        assert!(!said.contains("root:"), "{said}");
    }
}

#[test]
fn case_282_a_source_in_c_defines_no_function_of_the_bindings() {
    if !has(Language::C) {
        return;
    }
    // The function that gives an answer's memory back is a weak one: work that it leaves out would be an unfair advantage.
    let lists = Files::new(
        "package a:b;
world prototype { export sum: func(values: list<s64>) -> list<s64>; }
world workload { export generate: func(size: u32, seed: u64) -> list<s64>; }",
        "pub fn generate(size: u32, _seed: u64) -> Vec<i64> { vec![1; size as usize] }",
    );
    let same = "#include \"prototype.h\"
void exports_prototype_sum(prototype_list_s64_t *values, prototype_list_s64_t *ret) { *ret = *values; }";
    let output = lists.check("sum.c", same, "sum");
    assert_eq!(output.status, 0, "{}{}", output.stdout, output.stderr);
    for own in [
        "void __wasm_export_exports_prototype_sum_post_return(uint8_t *a) {}",
        "void other(uint8_t *a) __asm__(\"__wasm_export_exports_prototype_sum_post_return\"); void other(uint8_t *a) {}",
        "static void none(uint8_t *a) {}
         void __wasm_export_exports_prototype_sum_post_return(uint8_t *) __attribute__((alias(\"none\")));",
        "__attribute__((weak)) void *cabi_realloc(void *a, size_t b, size_t c, size_t d) { return 0; }",
        "uint8_t *__wasm_export_exports_prototype_sum(uint8_t *a, size_t b) { return a; }",
        "void prototype_list_s64_free(prototype_list_s64_t *a) {}",
    ] {
        let said = lists.refused("sum.c", &format!("{same}\n{own}\n"));
        assert!(said.contains("which the bindings define"), "{own}: {said}");
    }
    if has(Language::Zig) {
        let said = lists.refused(
            "sum.zig",
            "const prototype = @import(\"prototype\");
export fn exports_prototype_sum(values: *prototype.prototype_list_s64_t, ret: *prototype.prototype_list_s64_t) void {
    ret.* = values.*;
}
export fn __wasm_export_exports_prototype_sum_post_return(_: [*]u8) void {}
",
        );
        assert!(said.contains("which the bindings define"), "{said}");
    }
}

#[test]
fn case_217_a_source_in_c_that_never_ends_hurts_itself_alone() {
    if !has(Language::C) {
        return;
    }
    let files = sums();
    // While it is compiled: files and macros that grow without end.
    let doubling: String = (1..40)
        .map(|n| format!("#define m{n} m{0} m{0}\n", n - 1))
        .collect();
    let cases = [
        format!("#include __FILE__\n{SUM}"),
        format!("#include \"/dev/zero\"\n{SUM}"),
        format!("#define m0 1+\n{doubling}\nint64_t x = m39 1;\n{SUM}"),
        format!("char big[3000000000u] = {{1}};\n{SUM}"),
    ];
    for source in cases {
        let output = files.check("sum.c", &source, "sum");
        assert_eq!(output.status, 1, "{}{}", output.stdout, output.stderr);
    }
    // While it runs: constructors, recursion, a trap.
    let endless =
        "__attribute__((constructor)) static void f(void) { for (volatile int i = 0;; i++) {} }\n";
    let cases = [
        (format!("{endless}{SUM}"), "before the first call"),
        (
            format!(
                "volatile int d; int deep(int n) {{ volatile int kept[64]; kept[n & 63] = n; return d ? kept[1] : deep(n + 1) + kept[n & 63]; }}\n{}",
                SUM.replace("sum = 0", "sum = deep(0)")
            ),
            "out of bounds",
        ),
        (
            SUM.replace("sum = 0;", "sum = 0; __builtin_trap();"),
            "unreachable",
        ),
        (
            format!(
                "#include <stdlib.h>\n{}",
                SUM.replace(
                    "sum = 0;",
                    "sum = 0; for (;;) { char *volatile kept = malloc(1 << 20); if (!kept) abort(); }"
                )
            ),
            "memory",
        ),
    ];
    for (source, why) in cases {
        let output = files.check("sum.c", &source, "sum");
        let all = unwrapped(&format!("{}{}", output.stdout, output.stderr));
        assert_eq!(output.status, 1, "{all}");
        assert!(all.contains(why), "{why}: {all}");
    }
}
