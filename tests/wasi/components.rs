//! Components in text form, each around one core module, that import parts of WASI 0.2.
//!
//! Each exports `solve: func(n: u32) -> u64`. What they import is written down here only as far as
//! they use it.

/// A component: `imports` in the component's own text, `lowered` the core functions made of them as
/// `(core func $NAME (canon lower …))`, and `body` the fields of a core module that finds them all in
/// the module `host`, the memory and `realloc` in `env`, and exports `solve`.
pub(crate) fn component(imports: &str, lowered: &str, body: &str) -> Vec<u8> {
    let names: Vec<&str> = lowered
        .match_indices("(core func $")
        .filter_map(|(at, start)| lowered[at + start.len()..].split_whitespace().next())
        .collect();
    let host: String = names
        .iter()
        .map(|name| format!("(export \"{name}\" (func ${name}))"))
        .collect();
    let text = format!(
        r#"(component
  {imports}
  (core module $env
    (memory (export "memory") 16)
    (global $next (mut i32) (i32.const 65536))
    (func (export "realloc") (param i32 i32 i32 i32) (result i32)
      (local $at i32)
      (if (i32.gt_u (i32.add (global.get $next) (local.get 3)) (i32.const 1000000))
        (then (global.set $next (i32.const 65536))))
      (local.set $at (i32.and (i32.add (global.get $next) (i32.const 7)) (i32.const -8)))
      (global.set $next (i32.add (local.get $at) (local.get 3)))
      (local.get $at)))
  (core instance $env (instantiate $env))
  (alias core export $env "memory" (core memory $memory))
  (alias core export $env "realloc" (core func $realloc))
  {lowered}
  (core module $main {body})
  (core instance $main (instantiate $main
    (with "env" (instance $env))
    (with "host" (instance {host}))))
  (func (export "solve") (param "n" u32) (result u64)
    (canon lift (core func $main "solve"))))"#
    );
    wat::parse_str(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// A component that imports nothing and answers its argument.
pub(crate) fn plain() -> Vec<u8> {
    component(
        "",
        "",
        r#"(func (export "solve") (param i32) (result i64) (i64.extend_i32_u (local.get 0)))"#,
    )
}

/// Pollables, and those of a clock.
pub(super) const CLOCK: &str = r#"
  (import "wasi:io/poll@0.2.0" (instance $poll
    (export "pollable" (type $p (sub resource)))
    (export "[method]pollable.block" (func (param "self" (borrow $p))))))
  (alias export $poll "pollable" (type $pollable))
  (import "wasi:clocks/monotonic-clock@0.2.0" (instance $clock
    (alias outer 1 $pollable (type $p0))
    (export "pollable" (type $p (eq $p0)))
    (export "subscribe-duration" (func (param "when" u64) (result (own $p))))))"#;

pub(super) const CLOCK_LOWERED: &str = r#"
  (core func $subscribe (canon lower (func $clock "subscribe-duration")))
  (core func $block (canon lower (func $poll "[method]pollable.block")))
  (core func $drop (canon resource.drop $pollable))"#;

pub(super) const CLOCK_FUNCTIONS: &str = r#"
  (import "host" "subscribe" (func $subscribe (param i64) (result i32)))
  (import "host" "block" (func $block (param i32)))
  (import "host" "drop" (func $drop (param i32)))"#;

pub(super) const RANDOM: &str = r#"
  (import "wasi:random/random@0.2.0" (instance $random
    (export "get-random-bytes" (func (param "len" u64) (result (list u8))))))"#;

pub(super) const RANDOM_LOWERED: &str = r#"
  (core func $bytes (canon lower
    (func $random "get-random-bytes") (memory $memory) (realloc $realloc)))"#;

const STDOUT: &str = r#"
  (import "wasi:io/error@0.2.0" (instance $error (export "error" (type (sub resource)))))
  (alias export $error "error" (type $io-error))
  (import "wasi:io/streams@0.2.0" (instance $streams
    (alias outer 1 $io-error (type $e0))
    (export "error" (type $e (eq $e0)))
    (export "output-stream" (type $out (sub resource)))
    (type $se0 (variant (case "last-operation-failed" (own $e)) (case "closed")))
    (export "stream-error" (type $se (eq $se0)))
    (export "[method]output-stream.blocking-write-and-flush"
      (func (param "self" (borrow $out)) (param "contents" (list u8))
        (result (result (error $se)))))))
  (alias export $streams "output-stream" (type $output-stream))
  (import "wasi:cli/stdout@0.2.0" (instance $stdout
    (alias outer 1 $output-stream (type $o0))
    (export "output-stream" (type $o (eq $o0)))
    (export "get-stdout" (func (result (own $o))))))"#;

const STDOUT_LOWERED: &str = r#"
  (core func $get-stdout (canon lower (func $stdout "get-stdout")))
  (core func $write (canon lower
    (func $streams "[method]output-stream.blocking-write-and-flush") (memory $memory)))
  (core func $drop (canon resource.drop $output-stream))"#;

/// Writes `bytes` of zeroes a time, as long as it may; or once, a text, and then answers or traps.
pub(crate) fn writes(bytes: u32, times: u64, text: &str, then: &str) -> Vec<u8> {
    component(
        STDOUT,
        STDOUT_LOWERED,
        &format!(
            r#"
  (import "env" "memory" (memory 16))
  (import "host" "get-stdout" (func $get-stdout (result i32)))
  (import "host" "write" (func $write (param i32 i32 i32 i32)))
  (import "host" "drop" (func $drop (param i32)))
  (data (i32.const 100) "{text}")
  (func (export "solve") (param i32) (result i64)
    (local $out i32) (local $left i64)
    (local.set $out (call $get-stdout))
    (local.set $left (i64.const {times}))
    (loop $again
      (call $write (local.get $out) (i32.const 100) (i32.const {bytes}) (i32.const 16))
      (local.set $left (i64.sub (local.get $left) (i64.const 1)))
      (br_if $again (i64.ne (local.get $left) (i64.const 0))))
    (call $drop (local.get $out))
    {then})"#
        ),
    )
}

/// Asks for this many random bytes at once, and answers a number made of the first eight.
pub(crate) fn random_bytes(bytes: u64) -> Vec<u8> {
    component(
        RANDOM,
        RANDOM_LOWERED,
        &format!(
            r#"
  (import "env" "memory" (memory 16))
  (import "host" "bytes" (func $bytes (param i64 i32)))
  (func (export "solve") (param i32) (result i64)
    (call $bytes (i64.const {bytes}) (i32.const 16))
    (i64.load (i32.load (i32.const 16))))"#
        ),
    )
}

/// Sleeps this long, and answers its argument.
pub(crate) fn sleeps(nanoseconds: u64) -> Vec<u8> {
    component(
        CLOCK,
        CLOCK_LOWERED,
        &format!(
            r#"{CLOCK_FUNCTIONS}
  (func (export "solve") (param i32) (result i64)
    (local $p i32)
    (local.set $p (call $subscribe (i64.const {nanoseconds})))
    (call $block (local.get $p))
    (call $drop (local.get $p))
    (i64.extend_i32_u (local.get 0)))"#
        ),
    )
}

/// Makes this many pollables and gives none back; answers its argument.
pub(crate) fn hoards(handles: u32) -> Vec<u8> {
    component(
        CLOCK,
        r#"(core func $subscribe (canon lower (func $clock "subscribe-duration")))"#,
        &format!(
            r#"
  (import "host" "subscribe" (func $subscribe (param i64) (result i32)))
  (func (export "solve") (param i32) (result i64)
    (local $left i32)
    (local.set $left (i32.const {handles}))
    (loop $again
      (drop (call $subscribe (i64.const 1)))
      (local.set $left (i32.sub (local.get $left) (i32.const 1)))
      (br_if $again (local.get $left)))
    (i64.extend_i32_u (local.get 0)))"#
        ),
    )
}

/// Looks at both clocks this often, and answers the sum of what it saw.
pub(crate) fn clocks(times: u64) -> Vec<u8> {
    component(
        r#"
  (import "wasi:clocks/monotonic-clock@0.2.0" (instance $monotonic
    (export "now" (func (result u64)))))
  (import "wasi:clocks/wall-clock@0.2.0" (instance $wall
    (type $d0 (record (field "seconds" u64) (field "nanoseconds" u32)))
    (export "datetime" (type $d (eq $d0)))
    (export "now" (func (result $d)))))"#,
        r#"
  (core func $monotonic (canon lower (func $monotonic "now")))
  (core func $wall (canon lower (func $wall "now") (memory $memory)))"#,
        &format!(
            r#"
  (import "env" "memory" (memory 16))
  (import "host" "monotonic" (func $monotonic (result i64)))
  (import "host" "wall" (func $wall (param i32)))
  (func (export "solve") (param i32) (result i64)
    (local $left i64) (local $sum i64)
    (local.set $left (i64.const {times}))
    (loop $again
      (call $wall (i32.const 16))
      (local.set $sum (i64.add (local.get $sum)
        (i64.add (call $monotonic) (i64.load (i32.const 16)))))
      (local.set $left (i64.sub (local.get $left) (i64.const 1)))
      (br_if $again (i64.ne (local.get $left) (i64.const 0))))
    (local.get $sum))"#
        ),
    )
}

/// Ends its process with a failure.
pub(crate) fn exits() -> Vec<u8> {
    component(
        r#"(import "wasi:cli/exit@0.2.0" (instance $exit
    (export "exit" (func (param "status" (result))))))"#,
        r#"(core func $exit (canon lower (func $exit "exit")))"#,
        r#"
  (import "host" "exit" (func $exit (param i32)))
  (func (export "solve") (param i32) (result i64)
    (call $exit (i32.const 1))
    (i64.extend_i32_u (local.get 0)))"#,
    )
}

/// Counts environment variables, arguments and granted folders, and answers the sum.
pub(crate) fn looks_around() -> Vec<u8> {
    component(
        r#"
  (import "wasi:cli/environment@0.2.3" (instance $environment
    (export "get-environment" (func (result (list (tuple string string)))))
    (export "get-arguments" (func (result (list string))))))
  (import "wasi:filesystem/types@0.2.3" (instance $types
    (export "descriptor" (type (sub resource)))))
  (alias export $types "descriptor" (type $descriptor))
  (import "wasi:filesystem/preopens@0.2.3" (instance $preopens
    (alias outer 1 $descriptor (type $d0))
    (export "descriptor" (type $d (eq $d0)))
    (export "get-directories" (func (result (list (tuple (own $d) string)))))))"#,
        r#"
  (core func $environment (canon lower
    (func $environment "get-environment") (memory $memory) (realloc $realloc)))
  (core func $arguments (canon lower
    (func $environment "get-arguments") (memory $memory) (realloc $realloc)))
  (core func $folders (canon lower
    (func $preopens "get-directories") (memory $memory) (realloc $realloc)))"#,
        r#"
  (import "env" "memory" (memory 16))
  (import "host" "environment" (func $environment (param i32)))
  (import "host" "arguments" (func $arguments (param i32)))
  (import "host" "folders" (func $folders (param i32)))
  (func (export "solve") (param i32) (result i64)
    (call $environment (i32.const 16))
    (call $arguments (i32.const 32))
    (call $folders (i32.const 48))
    (i64.extend_i32_u (i32.add (i32.load (i32.const 20))
      (i32.add (i32.load (i32.const 36)) (i32.load (i32.const 52))))))"#,
    )
}

/// Imports an instance of this name, with a function in it that it never calls.
pub(crate) fn imports(name: &str) -> Vec<u8> {
    component(
        &format!(r#"(import "{name}" (instance $any (export "any" (func))))"#),
        r#"(core func $any (canon lower (func $any "any")))"#,
        r#"
  (import "host" "any" (func $any))
  (func (export "solve") (param i32) (result i64) (i64.extend_i32_u (local.get 0)))"#,
    )
}

/// Granted files, as far as they are used here.
pub(super) const FILES: &str = r#"
  (import "wasi:filesystem/types@0.2.0" (instance $types
    (export "descriptor" (type $d (sub resource)))
    (type $ec0 (enum "access" "would-block" "already" "bad-descriptor" "busy" "deadlock" "quota"
      "exist" "file-too-large" "illegal-byte-sequence" "in-progress" "interrupted" "invalid" "io"
      "is-directory" "loop" "too-many-links" "message-size" "name-too-long" "no-device" "no-entry"
      "no-lock" "insufficient-memory" "insufficient-space" "not-directory" "not-empty"
      "not-recoverable" "unsupported" "no-tty" "no-such-device" "overflow" "not-permitted" "pipe"
      "read-only" "invalid-seek" "text-file-busy" "cross-device"))
    (export "error-code" (type $ec (eq $ec0)))
    (type $pf0 (flags "symlink-follow"))
    (export "path-flags" (type $pf (eq $pf0)))
    (type $of0 (flags "create" "directory" "exclusive" "truncate"))
    (export "open-flags" (type $of (eq $of0)))
    (type $df0 (flags "read" "write" "file-integrity-sync" "data-integrity-sync"
      "requested-write-sync" "mutate-directory"))
    (export "descriptor-flags" (type $df (eq $df0)))
    (export "[method]descriptor.open-at" (func (param "self" (borrow $d))
      (param "path-flags" $pf) (param "path" string) (param "open-flags" $of)
      (param "flags" $df) (result (result (own $d) (error $ec)))))
    (export "[method]descriptor.read" (func (param "self" (borrow $d))
      (param "length" u64) (param "offset" u64)
      (result (result (tuple (list u8) bool) (error $ec)))))
    (export "directory-entry-stream" (type $des (sub resource)))
    (export "[method]descriptor.read-directory" (func (param "self" (borrow $d))
      (result (result (own $des) (error $ec)))))
    (type $dt0 (enum "unknown" "block-device" "character-device" "directory" "fifo"
      "symbolic-link" "regular-file" "socket"))
    (export "descriptor-type" (type $dt (eq $dt0)))
    (type $de0 (record (field "type" $dt) (field "name" string)))
    (export "directory-entry" (type $de (eq $de0)))
    (export "[method]directory-entry-stream.read-directory-entry"
      (func (param "self" (borrow $des))
        (result (result (option $de) (error $ec)))))))
  (alias export $types "descriptor" (type $descriptor))
  (import "wasi:filesystem/preopens@0.2.0" (instance $preopens
    (alias outer 1 $descriptor (type $d0))
    (export "descriptor" (type $d (eq $d0)))
    (export "get-directories" (func (result (list (tuple (own $d) string)))))))"#;

/// What leads to a granted file and its bytes.
pub(super) const FILES_LOWERED: &str = r#"
  (core func $folders (canon lower
    (func $preopens "get-directories") (memory $memory) (realloc $realloc)))
  (core func $open (canon lower
    (func $types "[method]descriptor.open-at") (memory $memory)))
  (core func $read (canon lower
    (func $types "[method]descriptor.read") (memory $memory) (realloc $realloc)))
"#;

/// In the first granted folder, opens `path` so that it may be read (`flags` 1) or written (2), and
/// answers the sum of the bytes of its beginning; or 1000 and the number of the error.
pub(crate) fn reads(path: &str, open_flags: u32, flags: u32) -> Vec<u8> {
    let lowered = format!("{FILES_LOWERED}(core func $drop (canon resource.drop $descriptor))");
    let body = format!(
        r#"
  (import "env" "memory" (memory 16))
  (import "host" "folders" (func $folders (param i32)))
  (import "host" "open" (func $open (param i32 i32 i32 i32 i32 i32 i32)))
  (import "host" "read" (func $read (param i32 i64 i64 i32)))
  (import "host" "drop" (func $drop (param i32)))
  (data (i32.const 1024) "{path}")
  (func (export "solve") (param i32) (result i64)
    (local $dir i32) (local $file i32) (local $at i32) (local $left i32) (local $sum i64)
    (call $folders (i32.const 16))
    (if (i32.eqz (i32.load (i32.const 20))) (then (return (i64.const 999))))
    (local.set $dir (i32.load (i32.load (i32.const 16))))
    (call $open (local.get $dir) (i32.const 0) (i32.const 1024) (i32.const {length})
      (i32.const {open_flags}) (i32.const {flags}) (i32.const 32))
    (call $drop (local.get $dir))
    (if (i32.load8_u (i32.const 32))
      (then (return (i64.extend_i32_u
        (i32.add (i32.const 1000) (i32.load8_u (i32.const 36)))))))
    (local.set $file (i32.load (i32.const 36)))
    (call $read (local.get $file) (i64.const 100) (i64.const 0) (i32.const 48))
    (call $drop (local.get $file))
    (if (i32.load8_u (i32.const 48))
      (then (return (i64.extend_i32_u
        (i32.add (i32.const 1000) (i32.load8_u (i32.const 52)))))))
    (local.set $at (i32.load (i32.const 52)))
    (local.set $left (i32.load (i32.const 56)))
    (block $done (loop $again
      (br_if $done (i32.eqz (local.get $left)))
      (local.set $sum (i64.add (local.get $sum) (i64.load8_u (local.get $at))))
      (local.set $at (i32.add (local.get $at) (i32.const 1)))
      (local.set $left (i32.sub (local.get $left) (i32.const 1)))
      (br $again)))
    (local.get $sum))"#,
        length = path.len()
    );
    component(FILES, &lowered, &body)
}

/// The number of `not-permitted` in `wasi:filesystem`'s errors.
pub(super) const NOT_PERMITTED: u64 = 1031;
/// The number of `read-only`.
pub(super) const READ_ONLY: u64 = 1033;
/// The number of `no-entry`.
pub(super) const NO_ENTRY: u64 = 1020;

/// A workload: `generate` draws a random number and gives the seed's last byte, and `check` wants the
/// argument for an answer.
pub(crate) fn workload() -> Vec<u8> {
    let text = r#"(component
  (import "wasi:random/random@0.2.0" (instance $random
    (export "get-random-u64" (func (result u64)))))
  (core func $draw (canon lower (func $random "get-random-u64")))
  (core module $main
    (import "host" "draw" (func $draw (result i64)))
    (memory (export "memory") 1)
    (data (i32.const 64) "another number")
    (func (export "generate") (param i32 i64) (result i32)
      (drop (call $draw))
      (i32.and (i32.wrap_i64 (local.get 1)) (i32.const 255)))
    (func (export "check") (param i32 i64) (result i32)
      (i32.store (i32.const 16) (i64.ne (i64.extend_i32_u (local.get 0)) (local.get 1)))
      (i32.store (i32.const 20) (i32.const 64))
      (i32.store (i32.const 24) (i32.const 14))
      (i32.const 16)))
  (core instance $main (instantiate $main
    (with "host" (instance (export "draw" (func $draw))))))
  (alias core export $main "memory" (core memory $memory))
  (func (export "generate") (param "size" u32) (param "seed" u64) (result u32)
    (canon lift (core func $main "generate")))
  (func (export "check") (param "n" u32) (param "answer" u64) (result (result (error string)))
    (canon lift (core func $main "check") (memory $memory))))"#;
    wat::parse_str(text).unwrap_or_else(|error| panic!("{error}"))
}

/// A component that answers one more than its argument.
pub(crate) fn one_more() -> Vec<u8> {
    component(
        "",
        "",
        r#"(func (export "solve") (param i32) (result i64)
    (i64.extend_i32_u (i32.add (local.get 0) (i32.const 1))))"#,
    )
}

/// A component of the shape that componentize-py makes: one module with the memory, the table and an
/// allocator, and many libraries that share them, each an instance that adds one to its argument by
/// the library before it.
pub(crate) fn linked(libraries: u32) -> Vec<u8> {
    let mut text = r#"(component
  (core module $env
    (memory (export "memory") 1)
    (table (export "table") 64 funcref)
    (func (export "next") (param i32) (result i32) (local.get 0)))
  (core instance $library0 (instantiate $env))
"#
    .to_owned();
    for library in 1..=libraries {
        let before = library - 1;
        text += &format!(
            r#"  (core module $library{library}
    (import "env" "memory" (memory 1))
    (import "env" "table" (table 64 funcref))
    (import "before" "next" (func $next (param i32) (result i32)))
    (func (export "next") (param i32) (result i32)
      (i32.add (i32.const 1) (call $next (local.get 0)))))
  (core instance $library{library} (instantiate $library{library}
    (with "env" (instance $library0))
    (with "before" (instance $library{before}))))
"#
        );
    }
    text += &format!(
        r#"  (core module $main
    (import "libraries" "next" (func $next (param i32) (result i32)))
    (func (export "solve") (param i32) (result i64)
      (i64.extend_i32_u (call $next (local.get 0)))))
  (core instance $main (instantiate $main (with "libraries" (instance $library{libraries}))))
  (func (export "solve") (param "n" u32) (result u64)
    (canon lift (core func $main "solve"))))"#
    );
    wat::parse_str(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}
