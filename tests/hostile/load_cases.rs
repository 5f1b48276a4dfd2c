//! Loading: files that should be components of the problem's world.

use super::batch::{Attackers, Batch, WIT, World, approach};
use super::components::{built, composed, doubling, functions, importing};
use bakeoff_source::COMPONENT_BYTES_MAX;
use std::fs;
use std::sync::LazyLock;

static BATCH: LazyLock<Batch> = LazyLock::new(|| {
    let good = built(&approach("good"), WIT, "top-k");
    let of = |wit: &str, call: &str, text: &str| built(text, wit, call);
    let random = |count: u64| -> Vec<u8> {
        let noise = (0..count).map(|at| (at.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8);
        noise.collect()
    };
    let mut noise_inside = good[..8].to_vec();
    noise_inside.extend(random(4_000));
    let other_types = WIT.replace("s64", "u32");
    let other_name = WIT.replace("export top-k:", "export largest:");
    let attackers = Attackers {
        components: vec![
            ("empty", Vec::new()),
            ("truncated", good[..good.len() / 2].to_vec()),
            ("random", random(4_000)),
            ("random-inside", noise_inside),
            ("core-module", b"\0asm\x01\0\0\0".to_vec()),
            ("oversize", vec![0; COMPONENT_BYTES_MAX + 1]),
            ("giant-function", functions(1, 0, 2 << 20)),
            ("giant-locals", functions(1, 49_000, 1_000)),
            ("many-functions", functions(500_000, 0, 0)),
            ("nested-instances", doubling(20)),
            (
                "wrong-world",
                of(
                    "package a:b; world prototype { export shortest-path: func(start: u32) -> u32; }",
                    "shortest-path",
                    "pub fn shortest_path(start: u32) -> u32 { start }",
                ),
            ),
            (
                "missing-export",
                of(
                    &other_name,
                    "largest",
                    &approach("good").replace("top_k", "largest"),
                ),
            ),
            (
                "wrong-type",
                of(
                    &other_types,
                    "top-k",
                    &approach("good").replace("i64", "u32"),
                ),
            ),
            ("imports-sockets", importing("wasi:sockets@0.2.6", "tcp")),
            (
                "imports-http",
                importing("wasi:http@0.2.6", "outgoing-handler"),
            ),
            ("future-version", importing("wasi:cli@9.1.0", "environment")),
            ("composed", composed()),
        ],
        ..Attackers::default()
    };
    Batch::run(&attackers, |_| ())
});

const INVALID: &str = "invalid-component";
const TOO_MUCH: &str = "load-compile-limit";
const FORBIDDEN: &str = "forbidden-import";

#[test]
fn case_19_empty_truncated() {
    BATCH.assert_failed("empty", INVALID, &[], "is empty");
    BATCH.assert_failed("truncated", INVALID, &[], "breaks off");
}

#[test]
fn case_20_random_bytes() {
    BATCH.assert_failed("random", INVALID, &[], "is not WebAssembly");
    BATCH.assert_failed("random-inside", INVALID, &[], "random-inside.wasm");
}

#[test]
fn case_21_core_module() {
    BATCH.assert_failed("core-module", INVALID, &[], "is a core WebAssembly module");
}

#[test]
fn case_22_oversize_file() {
    let limit = ["component = 33554432 bytes"];
    BATCH.assert_failed("oversize", "oversize-component", &limit, "33554433 bytes");
}

#[test]
fn case_23_giant_function() {
    let limit = ["bytes in one function = 1048576"];
    BATCH.assert_failed("giant-function", TOO_MUCH, &limit, "bytes in one function");
    let limit = ["locals in one function = 5000"];
    BATCH.assert_failed(
        "giant-locals",
        TOO_MUCH,
        &limit,
        "49000 locals in one function",
    );
}

#[test]
fn case_24_500k_functions() {
    let limit = ["functions = 100000"];
    BATCH.assert_failed("many-functions", TOO_MUCH, &limit, "500000 functions");
}

#[test]
fn case_25_nested_instances() {
    let limit = ["instances = 1000"];
    BATCH.assert_failed("nested-instances", TOO_MUCH, &limit, "2097152 instances");
}

#[test]
fn case_26_wrong_world() {
    BATCH.assert_failed(
        "wrong-world",
        "missing-export",
        &[],
        "it exports `shortest-path`",
    );
}

#[test]
fn case_27_missing_export() {
    let says = "does not export `top-k: func(values: list<s64>, k: u32) -> list<s64>`; it exports `largest`";
    BATCH.assert_failed("missing-export", "missing-export", &[], says);
}

#[test]
fn case_28_same_name_wrong_type() {
    let says = "as func(list<u32>, u32) -> list<u32>, the problem wants func(values: list<s64>, k: u32) -> list<s64>";
    BATCH.assert_failed("wrong-type", "wrong-world", &[], says);
}

#[test]
fn case_29_imports_sockets_and_http() {
    BATCH.assert_failed(
        "imports-sockets",
        FORBIDDEN,
        &[],
        "`wasi:sockets/tcp@0.2.6`",
    );
    BATCH.assert_failed(
        "imports-http",
        FORBIDDEN,
        &[],
        "`wasi:http/outgoing-handler@0.2.6`",
    );
}

#[test]
fn case_30_future_wit_version() {
    BATCH.assert_failed(
        "future-version",
        FORBIDDEN,
        &[],
        "`wasi:cli/environment@9.1.0`",
    );
}

#[test]
fn case_31_tampered_cache() {
    let world = World::new();
    world.write("experiment/wit/top-k.wit", WIT);
    world.write_approach("good");
    let build = || {
        let said = world.run(&[
            "build",
            "approaches/good.rs",
            "--wit",
            "wit",
            "--call",
            "top-k",
            "--format",
            "json",
        ]);
        assert_eq!(said.status, 0, "{}", said.stderr);
        said.json()
    };
    let first = build();
    assert_eq!(
        (&first["cached"], &build()["cached"]),
        (&false.into(), &true.into())
    );
    let entries = fs::read_dir(world.path("cache"))
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let entries: Vec<_> = entries.filter(|path| path.extension().is_some()).collect();
    assert_eq!(entries.len(), 1);
    let good = fs::read(&entries[0]).unwrap();
    // In the seal, in the component, and in the machine code.
    for at in [3, good.len() / 8, good.len() - good.len() / 8] {
        let mut bytes = good.clone();
        bytes[at] ^= 0x10;
        fs::write(&entries[0], bytes).unwrap();
        let again = build();
        assert_eq!(
            again["cached"], false,
            "an entry that was changed at {at} is believed"
        );
        assert_eq!(again["digest"], first["digest"]);
        assert_eq!(build()["cached"], true, "the entry is not made anew");
    }
}

/// What is exact about good prototypes is the same whoever is beside them.
#[test]
fn good_neighbours_are_measured_the_same_beside_anybody() {
    let alone = Batch::run(&Attackers::default(), |_| ());
    assert_eq!(alone.said.status, 0, "{}", alone.said.stderr);
    assert_eq!(alone.exact_readings(), BATCH.exact_readings());
    assert_eq!(alone.exact_readings(), super::run_cases::exact_readings());
    assert_eq!(alone.exact_readings(), super::build_cases::exact_readings());
}

/// No attack: what real composed components do, which must work, also where they are timed.
#[test]
fn case_85_composed_component() {
    BATCH.assert_ranked("composed");
}
