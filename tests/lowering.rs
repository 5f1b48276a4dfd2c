//! The time of the allocator while arguments are lowered: by whatever clock, it is the guest's.

use bakeoff_compile::engine::{self, Profile};
use bakeoff_domain::spec::Limits;
use bakeoff_sandbox::invoke::Value;
use bakeoff_sandbox::{GuestTime, Imports, Instance, Lowering, Sandbox, UNTIMED};
use std::sync::Arc;
use wasmtime::component::Val;

/// The number of strings in the argument, and the calls of the allocator for them: the list needs
/// one, too.
const STRINGS: u64 = 300;
const LOWERING: u64 = STRINGS + 1;

/// How often the allocator is called for a string that takes less of UTF-16 than was asked for.
const IN_UTF16: u64 = 2;

/// A component that takes strings, in two encodings and with and without a post-return. All its work
/// is in the allocator: some 10 µs for each piece of memory.
const GUEST: &str = r#"
(component
  (core module $guest
    (memory (export "memory") 8)
    (global $top (mut i32) (i32.const 1024))
    (func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32)
      (local $rounds i32)
      (local $place i32)
      (local.set $rounds (i32.const 20000))
      (loop $again
        (br_if $again (local.tee $rounds (i32.sub (local.get $rounds) (i32.const 1)))))
      (local.set $place (global.get $top))
      (global.set $top
        (i32.and (i32.add (i32.add (local.get $place) (local.get 3)) (i32.const 7)) (i32.const -8)))
      (local.get $place))
    (func (export "take") (param i32 i32)
      (global.set $top (i32.const 1024)))
    (func (export "nested") (param i32 i32 i32 i32 i32))
    (func (export "many") (param i32))
    (func (export "post")))
  (core instance $guest (instantiate $guest))
  (func (export "utf8") (param "values" (list string))
    (canon lift (core func $guest "take") (memory (core memory $guest "memory")) (realloc (core func $guest "cabi_realloc"))))
  (func (export "utf16") (param "values" (list string))
    (canon lift (core func $guest "take") string-encoding=utf16
      (memory (core memory $guest "memory")) (realloc (core func $guest "cabi_realloc"))))
  (func (export "post") (param "values" (list string))
    (canon lift (core func $guest "take") (memory (core memory $guest "memory")) (realloc (core func $guest "cabi_realloc"))
      (post-return (core func $guest "post"))))
  (func (export "nested")
    (param "a" (list (tuple string (option (list string)) (list u8))))
    (param "b" (result string (error (list (list char)))))
    (canon lift (core func $guest "nested") (memory (core memory $guest "memory")) (realloc (core func $guest "cabi_realloc"))))
  (func (export "many") (param "a" (tuple string string string string string string string string u8))
    (canon lift (core func $guest "many") (memory (core memory $guest "memory")) (realloc (core func $guest "cabi_realloc")))))
"#;

/// The time of a call of `function` with strings.
fn time(function: &str, lowering: Lowering) -> GuestTime {
    let strings = vec![Val::String("größer".into()); STRINGS as usize];
    time_with(
        function,
        [Value::Other(Val::List(strings))].into(),
        lowering,
    )
}

fn time_with(function: &str, arguments: Arc<[Value]>, lowering: Lowering) -> GuestTime {
    let mut instance = instance();
    let callee = instance.callee(&[function.to_owned()]).unwrap();
    let answered = instance.call_lowering(&callee, &arguments, lowering);
    answered.unwrap().time
}

fn instance() -> Instance {
    let code = wat::parse_str(GUEST).unwrap();
    let code = engine::precompile(Profile::Timed, &code).unwrap();
    let sandbox = Sandbox::new(Profile::Timed, Limits::default()).unwrap();
    // SAFETY: the code was just made by `engine::precompile`, and is unchanged.
    let prepared = unsafe { sandbox.prepare(&code, Imports::None) }.unwrap();
    prepared.instantiate().unwrap()
}

#[test]
fn entries_are_counted_by_every_clock() {
    for (function, entries) in [
        ("utf8", LOWERING + 1),
        ("post", LOWERING + 2),
        ("utf16", 1 + IN_UTF16 * STRINGS + 1),
    ] {
        for lowering in [
            Lowering::Timed(0),
            Lowering::Timed(LOWERING),
            Lowering::Untimed(LOWERING),
            UNTIMED,
        ] {
            assert_eq!(time(function, lowering).count, entries, "{function}");
        }
    }
}

/// Both are CPU time of the same work, which a machine with other things to do does not change much.
#[test]
fn work_in_the_allocator_is_the_guests_by_either_clock() {
    for function in ["utf8", "post", "utf16"] {
        let (all, cheap) = (
            time(function, Lowering::Timed(0)),
            time(function, Lowering::Timed(LOWERING)),
        );
        let ratio = cheap.time.cpu_ns as f64 / all.time.cpu_ns as f64;
        assert!((0.2..5.0).contains(&ratio), "{function}: {ratio}");
    }
}

/// All work of this component is in the allocator, which is asked for more memory with UTF-16.
#[test]
fn where_the_allocator_is_untimed_all_else_is_timed() {
    let all = time("utf16", Lowering::Timed(0)).time.cpu_ns as f64;
    for (function, untimed, share) in [
        ("utf8", LOWERING, 0.0..0.2),
        ("utf8", LOWERING / 2, 0.1..5.0),
        ("utf16", LOWERING, 0.1..5.0),
    ] {
        let took = time(function, Lowering::Untimed(untimed)).time.cpu_ns as f64;
        assert!(
            share.contains(&(took / all)),
            "{function} {untimed}: {took} of {all}"
        );
    }
}

/// The number of calls of the allocator follows from the value, but for the one of parameters that are
/// too many to be passed flat.
#[test]
fn allocations_are_known_beforehand() {
    let text = |text: &str| Val::String(text.into());
    let some = |val| Some(Box::new(val));
    let piece = |list| {
        Val::Tuple(vec![
            text("a"),
            Val::Option(list),
            Val::List(vec![Val::U8(1)]),
        ])
    };
    let pieces = Val::List(vec![
        piece(None),
        piece(some(Val::List(vec![]))),
        piece(some(Val::List(vec![text(""), text("b")]))),
    ]);
    let nested = |b| vec![Value::Other(pieces.clone()), Value::Other(Val::Result(b))];
    let lists = Val::List(vec![Val::List(vec![Val::Char('c')]), Val::List(vec![])]);
    let mut many = vec![Value::Text("d".into()); 8];
    many.push(Value::U8(1));
    for (function, arguments, others) in [
        ("nested", nested(Ok(some(text("e")))), 0),
        ("nested", nested(Err(some(lists))), 0),
        ("many", vec![Value::Tuple(many)], 1),
    ] {
        let known: u64 = arguments.iter().map(Value::allocations).sum();
        let entries = time_with(function, arguments.into(), UNTIMED).count;
        assert_eq!(entries, known + others + 1, "{function}");
    }
}
