//! Sources in C of somebody who means harm.

use super::{SUM, has, sums, unwrapped};
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
