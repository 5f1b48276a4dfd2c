//! Components that users bring.

use super::*;

/// A component of another interface, made from this source.
async fn made(wit: &str, call: &str, text: &str) -> Vec<u8> {
    build(&source(&interface(wit, call), text))
        .await
        .unwrap()
        .component
        .clone()
}

async fn refused(bytes: &[u8]) -> String {
    let failure = build(&component(&top_k(), bytes)).await.unwrap_err();
    format!("{}: {}", failure.class, failure.message)
}

#[tokio::test]
async fn a_component_of_the_problems_world_is_taken_as_it_is() {
    let bytes = build(&source(&top_k(), SORT)).await.unwrap();
    let built = build(&component(&top_k(), &bytes.component)).await.unwrap();
    assert_eq!(
        (&built.component, &built.digest),
        (&bytes.component, &bytes.digest)
    );
    assert_eq!((built.source_lines, built.source_cpu.as_nanos()), (None, 0));
    let answer = Running::new(&built)
        .call("top-k", &[list(&[3, 9]), Val::U32(1)])
        .unwrap();
    assert_eq!(answer, list(&[9]));
}

#[tokio::test]
async fn other_types_are_named_side_by_side() {
    let wit = "package other:name;
world prototype { export top-k: func(v: list<u32>, k: u32) -> list<u32>; }";
    let bytes = made(
        wit,
        "top-k",
        "pub fn top_k(v: Vec<u32>, _: u32) -> Vec<u32> { v }",
    )
    .await;
    assert_eq!(
        refused(&bytes).await,
        "wrong-world: mine.wasm exports `top-k` as func(list<u32>, u32) -> list<u32>, \
         the problem wants func(values: list<s64>, k: u32) -> list<s64>"
    );
}

#[tokio::test]
async fn types_of_one_name_and_two_structures_are_written_out() {
    let wit = |fields: &str| {
        format!(
            "package a:b; world prototype {{ record p {{ {fields} }} export f: func(a: list<p>) -> u8; }}"
        )
    };
    let text = "use crate::types::P; pub fn f(a: Vec<P>) -> u8 { a.len() as u8 }";
    let bytes = made(&wit("x: f64, y: f64"), "f", text).await;
    let wanted = interface(&wit("x: f64, z: f64"), "f");
    let failure = build(&component(&wanted, &bytes)).await.unwrap_err();
    assert_eq!(
        failure.message,
        "mine.wasm exports `f` as func(list<p>) -> u8, the problem wants func(a: list<p>) -> u8 \
         (`p` is record { x: f64, y: f64 } there, and record { x: f64, z: f64 } in the interface)"
    );
}

#[tokio::test]
async fn a_missing_export_is_named_beside_those_that_are_there() {
    let wit = "package a:b; world prototype { export largest: func(a: list<s64>) -> s64; }";
    let bytes = made(
        wit,
        "largest",
        "pub fn largest(a: Vec<i64>) -> i64 { a[0] }",
    )
    .await;
    assert_eq!(
        refused(&bytes).await,
        "missing-export: mine.wasm does not export \
         `top-k: func(values: list<s64>, k: u32) -> list<s64>`; it exports `largest`"
    );
}

#[tokio::test]
async fn an_import_that_is_not_granted_is_refused_by_name() {
    let request = BuildRequest {
        kind: BuildKind::Diagnostic,
        ..source(&top_k(), SORT)
    };
    let bytes = build(&request).await.unwrap().component.clone();
    assert_eq!(
        refused(&bytes).await,
        "forbidden-import: mine.wasm imports `bakeoff:diagnostic/panic@0.1.0`: it is not granted; \
         build it without"
    );
    // Where panics are listened to, what was built to report them may come back: that is how the
    // workload of a bundle does.
    let mut request = component(&top_k(), &bytes);
    request.kind = BuildKind::Diagnostic;
    assert_eq!(
        build(&request).await.unwrap().imports,
        [bakeoff_compile::DIAGNOSTIC_IMPORT]
    );
}

/// What a C compiler makes: the exports of the problem's world, with the names and types of the
/// canonical ABI, and nothing else.
const MODULE: &str = r#"(module
    (memory (export "memory") 2)
    (global $next (mut i32) (i32.const 1024))
    (func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32)
        (local $at i32)
        (local.set $at (i32.and (i32.add (global.get $next) (i32.const 7)) (i32.const -8)))
        (global.set $next (i32.add (local.get $at) (local.get 3)))
        (local.get $at))
    (func (export "top-k") (param i32 i32 i32) (result i32)
        (i32.store (i32.const 16) (local.get 0))
        (i32.store (i32.const 20) (local.get 2))
        (i32.const 16)))"#;

#[tokio::test]
async fn a_core_module_with_the_exports_of_the_world_becomes_a_component() {
    let module = wat::parse_str(MODULE).unwrap();
    let built = build(&component(&top_k(), &module)).await.unwrap();
    assert!(built.imports.is_empty());
    assert!(wasmparser::Parser::is_component(&built.component));
    let mut running = Running::new(&built);
    let answer = running.call("top-k", &[list(&[5, 4, 3]), Val::U32(2)]);
    assert_eq!(answer.unwrap(), list(&[5, 4]));

    let without = |export: &str| MODULE.replace(&format!("(export \"{export}\")"), "");
    for (text, says) in [
        (without("memory"), "memory"),
        (without("top-k"), "top-k"),
        (without("cabi_realloc"), "cabi_realloc"),
        (
            MODULE.replacen(
                "(module",
                "(module (import \"wasi_snapshot_preview1\" \"proc_exit\" (func (param i32)))",
                1,
            ),
            "takes an adapter",
        ),
        (
            MODULE.replacen("(module", "(module (import \"env\" \"puts\" (func))", 1),
            "env",
        ),
    ] {
        let message = refused(&wat::parse_str(&text).unwrap()).await;
        assert!(
            message.starts_with("invalid-component: mine.wasm is a core"),
            "{message}"
        );
        assert!(
            message.contains(says) && message.contains("docs/languages.md"),
            "{message}"
        );
    }
}

#[tokio::test]
async fn what_is_no_component_is_called_what_it_is() {
    let good = build(&source(&top_k(), SORT)).await.unwrap();
    for (bytes, says) in [
        (&b""[..], "invalid-component: mine.wasm is empty"),
        (
            b"random bytes",
            "invalid-component: mine.wasm is not WebAssembly",
        ),
        (
            b"\0asm\x01\0\0\0",
            "invalid-component: mine.wasm is a core WebAssembly module, and does not make a component of \
             this interface",
        ),
        (
            &good.component[..good.component.len() / 2],
            "invalid-component: mine.wasm breaks off",
        ),
    ] {
        let message = refused(bytes).await;
        assert!(message.starts_with(says), "{message}");
    }
    let large = vec![0; bakeoff_source::COMPONENT_BYTES_MAX + 1];
    assert!(
        refused(&large)
            .await
            .starts_with("oversize-component: mine.wasm has 33554433 bytes")
    );
}

#[tokio::test]
async fn a_component_with_any_byte_changed_never_harms_the_parent() {
    let good = build(&source(&top_k(), SORT))
        .await
        .unwrap()
        .component
        .clone();
    let builder = builder(None).await;
    for index in 0..24 {
        let mut bytes = good.clone();
        let at = 8 + index * (bytes.len() - 8) / 24;
        bytes[at] ^= 0x55;
        // It may still be a component: then it is built, else it has a class of its own.
        if let Err(failure) = builder.build(&component(&top_k(), &bytes)).await {
            assert!(!failure.class.is_machine_fault(), "{failure:?}");
            assert!(failure.message.starts_with("mine.wasm"), "{failure:?}");
        }
    }
}
