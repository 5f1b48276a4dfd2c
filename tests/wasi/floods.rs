//! Components that use what they may have without end. Each exports `solve: func(n: u32) -> u64`, and
//! never answers.

use super::components::{
    CLOCK, CLOCK_FUNCTIONS, CLOCK_LOWERED, FILES, FILES_LOWERED, RANDOM, RANDOM_LOWERED, component,
};

/// Does `each` again and again, after `first`. Both are core instructions with the locals `$a` and
/// `$b`; `functions` imports what they call.
fn for_ever(imports: &str, lowered: &str, functions: &str, first: &str, each: &str) -> Vec<u8> {
    let body = format!(
        r#"
  (import "env" "memory" (memory 16))
  {functions}
  (data (i32.const 1024) "inner/b")
  (func (export "solve") (param i32) (result i64)
    (local $a i32) (local $b i32)
    {first}
    (loop $again
      {each}
      (br $again))
    (unreachable))"#
    );
    component(imports, lowered, &body)
}

/// Sleeps for a nanosecond.
pub(crate) fn naps() -> Vec<u8> {
    for_ever(
        CLOCK,
        CLOCK_LOWERED,
        CLOCK_FUNCTIONS,
        "",
        r#"
      (local.set $a (call $subscribe (i64.const 1)))
      (call $block (local.get $a))
      (call $drop (local.get $a))"#,
    )
}

/// Draws random bytes, a few at a time.
pub(crate) fn draws() -> Vec<u8> {
    for_ever(
        RANDOM,
        RANDOM_LOWERED,
        r#"(import "host" "bytes" (func $bytes (param i64 i32)))"#,
        "",
        "(call $bytes (i64.const 64) (i32.const 16))",
    )
}

/// Makes resources of its own.
pub(crate) fn makes_resources() -> Vec<u8> {
    for_ever(
        "",
        r#"
  (type $thing (resource (rep i32)))
  (core func $new (canon resource.new $thing))"#,
        r#"(import "host" "new" (func $new (param i32) (result i32)))"#,
        "",
        "(drop (call $new (i32.const 1)))",
    )
}

/// In the first granted folder, with `$a` for the folder and `$b` for the file `inner/b`.
fn among_files(each: &str) -> Vec<u8> {
    for_ever(
        FILES,
        &format!(
            r#"{FILES_LOWERED}
  (alias export $types "directory-entry-stream" (type $entries))
  (core func $list (canon lower
    (func $types "[method]descriptor.read-directory") (memory $memory)))
  (core func $entry (canon lower
    (func $types "[method]directory-entry-stream.read-directory-entry")
    (memory $memory) (realloc $realloc)))
  (core func $drop-list (canon resource.drop $entries))"#
        ),
        r#"
  (import "host" "folders" (func $folders (param i32)))
  (import "host" "open" (func $open (param i32 i32 i32 i32 i32 i32 i32)))
  (import "host" "read" (func $read (param i32 i64 i64 i32)))
  (import "host" "list" (func $list (param i32 i32)))
  (import "host" "entry" (func $entry (param i32 i32)))
  (import "host" "drop-list" (func $drop-list (param i32)))"#,
        &format!(
            r#"
    (call $folders (i32.const 16))
    (if (i32.eqz (i32.load (i32.const 20))) (then (return (i64.const 999))))
    (local.set $a (i32.load (i32.load (i32.const 16))))
    {OPEN}
    (if (i32.load8_u (i32.const 32)) (then (return (i64.const 1000))))
    (local.set $b (i32.load (i32.const 36)))"#
        ),
        each,
    )
}

const OPEN: &str = r#"(call $open (local.get $a) (i32.const 0) (i32.const 1024) (i32.const 7)
      (i32.const 0) (i32.const 1) (i32.const 32))"#;

/// Reads a file from its beginning.
pub(crate) fn reads_again() -> Vec<u8> {
    among_files("(call $read (local.get $b) (i64.const 100000) (i64.const 0) (i32.const 48))")
}

/// Opens a file and never closes it.
pub(crate) fn opens() -> Vec<u8> {
    among_files(&format!(
        "{OPEN} (if (i32.load8_u (i32.const 32)) (then (return (i64.const 1001))))"
    ))
}

/// Lists a folder and gives the list back.
pub(crate) fn lists() -> Vec<u8> {
    among_files(
        r#"
      (call $list (local.get $a) (i32.const 64))
      (if (i32.load8_u (i32.const 64)) (then (return (i64.const 1002))))
      (call $entry (i32.load (i32.const 68)) (i32.const 80))
      (call $drop-list (i32.load (i32.const 68)))"#,
    )
}

/// Lists a folder and keeps the list.
pub(crate) fn keeps_lists() -> Vec<u8> {
    among_files(
        r#"
      (call $list (local.get $a) (i32.const 64))
      (if (i32.load8_u (i32.const 64)) (then (return (i64.const 1002))))"#,
    )
}
