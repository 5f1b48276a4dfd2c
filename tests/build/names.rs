//! Functions that are called as those of the C library, of the compiler's run-time and of ours are: each
//! does what its author wrote, and what it calls does what that does anywhere.

use super::*;

/// Functions of numbers, with what Rust calls for the same.
const FLOATS: [(&str, &str); 36] = [
    ("cbrt", "x.cbrt()"),
    ("exp", "x.exp()"),
    ("exp2", "x.exp2()"),
    ("expm1", "x.exp_m1()"),
    ("log", "x.ln()"),
    ("log10", "x.log10()"),
    ("log1p", "x.ln_1p()"),
    ("sin", "x.sin()"),
    ("cos", "x.cos()"),
    ("tan", "x.tan()"),
    ("asin", "(x / 8.0).asin()"),
    ("acos", "(x / 8.0).acos()"),
    ("atan", "x.atan()"),
    ("sinh", "x.sinh()"),
    ("cosh", "x.cosh()"),
    ("tanh", "x.tanh()"),
    ("sqrt", "x.sqrt()"),
    ("fabs", "x.abs()"),
    ("round", "x.round()"),
    ("trunc", "x.trunc()"),
    ("floor", "x.floor()"),
    ("ceil", "x.ceil()"),
    ("rint", "x.round_ties_even()"),
    ("sqrtf", "f64::from((x as f32).sqrt())"),
    ("cbrtf", "f64::from((x as f32).cbrt())"),
    ("expf", "f64::from((x as f32).exp())"),
    ("logf", "f64::from((x as f32).ln())"),
    ("pow", "x.powf(1.5)"),
    ("powf", "f64::from((x as f32).powf(1.5))"),
    ("fmod", "x % 1.25"),
    ("fmodf", "f64::from(x as f32 % 1.25)"),
    ("hypot", "x.hypot(3.5)"),
    ("fma", "x.mul_add(3.0, 0.5)"),
    ("atan2", "x.atan2(2.0)"),
    ("fmax", "x.max(0.5)"),
    ("fmin", "x.min(0.5)"),
];

/// Functions of bytes, which all sort them by what the standard library needs memory, moves and comparisons for.
const BYTES: [&str; 34] = [
    "memcmp",
    "memcpy",
    "memmove",
    "memset",
    "bcmp",
    "strlen",
    "malloc",
    "free",
    "calloc",
    "realloc",
    "abort",
    "exit",
    "start",
    "main",
    "cabi-realloc",
    "canonical-abi-realloc",
    "run-ctors-once",
    "wasm-call-ctors",
    "initialize",
    "memory",
    "heap-base",
    "data-end",
    "stack-pointer",
    "indirect-function-table",
    "qsort",
    "rust-alloc",
    "rust-dealloc",
    "rust-begin-unwind",
    "panic-impl",
    "write",
    "read",
    "printf",
    "log2",
    "dso-handle",
];

fn value(number: f64) -> Val {
    Val::Float64(number)
}

fn numbers(bytes: &[u8]) -> Val {
    Val::List(bytes.iter().map(|byte| Val::U8(*byte)).collect())
}

/// Case 185 of the corpus: symbol-of-libm.
#[tokio::test]
async fn case_185_functions_that_are_called_as_those_of_the_runtime_do_what_they_say() {
    let mut wit = String::from("package example:names;\nworld prototype {\n");
    let mut text = String::new();
    for (name, body) in FLOATS {
        wit.push_str(&format!("  export {name}: func(x: f64) -> f64;\n"));
        text.push_str(&format!("pub fn {name}(x: f64) -> f64 {{ {body} }}\n"));
    }
    for name in BYTES {
        let bytes = "list<u8>";
        wit.push_str(&format!("  export {name}: func(x: {bytes}) -> {bytes};\n"));
        let name = name.replace('-', "_");
        text.push_str(&format!(
            "pub fn {name}(mut x: Vec<u8>) -> Vec<u8> {{
                let least = [0; 4];
                if x[..] < least[..] || String::from_utf8(x.clone()) == Ok(\"{name}\".to_owned()) {{ return Vec::new(); }}
                x.sort();
                x.extend_from_within(..2);
                x
            }}\n"
        ));
    }
    wit.push_str("}\n");
    let built = build(&source(&interface(&wit, "cbrt"), &text))
        .await
        .unwrap();
    let mut running = Running::new(&built);
    let x = 6.25_f64;
    let expected = [
        x.cbrt(),
        x.exp(),
        x.exp2(),
        x.exp_m1(),
        x.ln(),
        x.log10(),
        x.ln_1p(),
        x.sin(),
        x.cos(),
        x.tan(),
        (x / 8.0).asin(),
        (x / 8.0).acos(),
        x.atan(),
        x.sinh(),
        x.cosh(),
        x.tanh(),
        2.5,
        6.25,
        6.0,
        6.0,
        6.0,
        7.0,
        6.0,
        2.5,
        x.cbrt(),
        x.exp(),
        x.ln(),
        x.powf(1.5),
        x.powf(1.5),
        0.0,
        0.0,
        x.hypot(3.5),
        19.25,
        x.atan2(2.0),
        6.25,
        0.5,
    ];
    for ((name, _), expected) in FLOATS.into_iter().zip(expected) {
        let answer = running.call(name, &[value(x)]);
        let Ok(Val::Float64(answer)) = answer else {
            panic!("{name}: {answer:?}");
        };
        let difference = (answer - expected).abs() / expected.abs().max(1.0);
        assert!(difference < 1e-6, "{name}: {answer} for {expected}");
    }
    for name in BYTES {
        let answer = running.call(name, &[numbers(&[9, 3, 200, 4, 5])]);
        assert_eq!(answer.unwrap(), numbers(&[3, 4, 5, 9, 200, 3, 4]), "{name}");
        let least = running.call(name, &[numbers(&[0, 0])]);
        assert_eq!(least.unwrap(), numbers(&[]), "{name}");
    }
}

/// Such a definition would be called by everything that is linked with the file.
#[tokio::test]
async fn a_file_that_defines_a_function_of_the_runtime_for_all_is_refused() {
    let text = format!(
        "{SORT}#[unsafe(no_mangle)] pub extern \"C\" fn memcmp(_: *const u8, _: *const u8, _: usize) -> i32 {{ 0 }}"
    );
    let failure = build(&source(&top_k(), &text)).await.unwrap_err();
    assert!(
        failure
            .message
            .contains("defines `memcmp` for all the code"),
        "{}",
        failure.message
    );
    // A name that the run-time does not have may as well have it.
    let text = SORT.replace("pub fn top_k", "#[unsafe(no_mangle)]\npub fn top_k");
    build(&source(&top_k(), &text)).await.unwrap();
}

/// Inputs, judges and resources have exports of their own.
#[tokio::test]
async fn workloads_and_resources_meet_no_function_of_the_runtime() {
    let wit = "package example:sine;
        world prototype { export sin: func(x: f64) -> f64; }
        world workload {
          export generate: func(size: u32, seed: u64) -> f64;
          export check: func(x: f64, answer: f64) -> result<_, string>;
          export assess: func(x: f64, answer: f64) -> list<tuple<string, f64>>;
        }";
    let text = "pub fn generate(size: u32, _seed: u64) -> f64 { f64::from(size).sin() }
        pub fn check(x: f64, answer: f64) -> Result<(), String> {
            if answer == x.sin() { Ok(()) } else { Err(format!(\"{}\", x.cos())) }
        }
        pub fn assess(x: f64, answer: f64) -> Vec<(String, f64)> { vec![(\"pow\".to_owned(), x.powf(answer))] }";
    let request = BuildRequest {
        world: World::Workload,
        ..source(&interface(wit, "sin"), text)
    };
    let mut running = Running::new(&build(&request).await.unwrap());
    let made = running.call("generate", &[Val::U32(2), Val::U64(1)]);
    assert_eq!(made.unwrap(), value(2.0_f64.sin()));
    let judged = running.call("check", &[value(1.0), value(1.0_f64.sin())]);
    assert_eq!(judged.unwrap(), Val::Result(Ok(None)));

    let wit = "package example:sines;
        interface log { resource exp { prepare: static func(x: f64) -> exp; run: func(); output: func() -> f64; } }
        world prototype { export log; }";
    let text = "pub struct Exp(f64);
        impl Exp {
            pub fn prepare(x: f64) -> Self { Exp(x.ln()) }
            pub fn run(&mut self) { self.0 = self.0.exp() }
            pub fn output(&mut self) -> f64 { self.0.cbrt() }
        }";
    build(&source(&interface(wit, "log.exp"), text))
        .await
        .unwrap();
}
