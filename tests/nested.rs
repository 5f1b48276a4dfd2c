//! Values of nested types: that they reach a component, and come back from it, as the engine's own
//! conversion has it.

use bakeoff_compile::engine::{self, Profile};
use bakeoff_domain::failure::FailureClass;
use bakeoff_domain::spec::Limits;
use bakeoff_sandbox::invoke::{Callee, Value, parse_call, render};
use bakeoff_sandbox::{GuestState, Imports, Instance, Sandbox, UNTIMED};
use std::sync::Arc;
use wasmtime::component::{Component, Linker, Val};

/// Types, and values of them. What a value leaves out of a type is in another one.
const VALUES: [(&str, &[&str]); 16] = [
    ("(list string)", &[r#"[]"#, r#"["", "größer", "a"]"#]),
    ("(list (list u8))", &["[[], [1, 255], [7]]"]),
    (
        "(list (tuple u32 (list u8)))",
        &["[(4294967295, [1, 2, 3]), (0, []), (7, [9])]"],
    ),
    (
        "(list (option string))",
        &[r#"[none, some("x"), some(""), none]"#],
    ),
    (
        "(list (tuple u8 s64 bool f32))",
        &["[(1, -9, true, 1.5), (255, 9223372036854775807, false, -0.25)]"],
    ),
    ("(list char)", &["['a', 'ß', '🥧']"]),
    ("(list (tuple s8 s16 s32))", &["[(-1, -300, -70000)]"]),
    (
        "(list (list (list string)))",
        &[r#"[[], [["a", "b"], []], [["c"]]]"#],
    ),
    ("(list $point)", &["[{x: 1.5, y: -2}, {x: 0, y: 9}]"]),
    (
        "(list $shape)",
        &[r#"[dot, circle(2.5), named({text: "n", at: {x: 1, y: 2}})]"#],
    ),
    ("(list $colour)", &["[green, red, green]"]),
    ("(list $nine)", &["[{f0, f8}, {}, {f3}]"]),
    ("(list $most)", &["[{f0, f31}, {f16}]"]),
    (
        "(list (result u64 (error string)))",
        &[r#"[ok(5), err("e")]"#],
    ),
    ("(list (result))", &["[ok, err]"]),
    (
        "(list (option (option f64)))",
        &["[none, some(none), some(some(2.5))]"],
    ),
];

/// Names of flags.
fn flags(count: u32) -> String {
    (0..count).map(|flag| format!(" \"f{flag}\"")).collect()
}

/// A component that gives a list back, and for `trace` a digest of all that its allocator was asked for
/// and of the memory that it gave. What it gives is full of ones before.
fn component(ty: &str) -> String {
    let (nine, most) = (flags(9), flags(32));
    format!(
        r#"
(component
  (type $point-type (record (field "x" f64) (field "y" s16)))
  (export $point "point" (type $point-type))
  (type $named-type (record (field "text" string) (field "at" $point)))
  (export $named "named" (type $named-type))
  (type $shape-type (variant (case "dot") (case "circle" f32) (case "named" $named)))
  (export $shape "shape" (type $shape-type))
  (type $colour-type (enum "red" "green"))
  (export $colour "colour" (type $colour-type))
  (type $nine-type (flags{nine}))
  (export $nine "nine" (type $nine-type))
  (type $most-type (flags{most}))
  (export $most "most" (type $most-type))
  (core module $guest
    (memory (export "memory") 2)
    (global $top (mut i32) (i32.const 1024))
    (global $asked (mut i64) (i64.const 17))
    (func $mix (param i64)
      (global.set $asked
        (i64.mul (i64.xor (i64.rotl (global.get $asked) (i64.const 7)) (local.get 0))
          (i64.const 0x9E3779B97F4A7C15))))
    (func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32)
      (local $place i32)
      (call $mix (i64.extend_i32_u (local.get 0)))
      (call $mix (i64.extend_i32_u (local.get 1)))
      (call $mix (i64.extend_i32_u (local.get 2)))
      (call $mix (i64.extend_i32_u (local.get 3)))
      (local.set $place (global.get $top))
      (global.set $top
        (i32.and (i32.add (i32.add (local.get $place) (local.get 3)) (i32.const 7)) (i32.const -8)))
      (memory.fill (local.get $place) (i32.const 255)
        (i32.sub (global.get $top) (local.get $place)))
      (if (i32.gt_u (local.get 1) (local.get 3)) (then (local.set 1 (local.get 3))))
      (memory.copy (local.get $place) (local.get 0) (local.get 1))
      (local.get $place))
    (func (export "echo") (param i32 i32) (result i32)
      (i32.store (i32.const 8) (local.get 0))
      (i32.store (i32.const 12) (local.get 1))
      (i32.const 8))
    (func (export "trace") (param i32 i32) (result i64)
      (local $at i32)
      (call $mix (i64.extend_i32_u (local.get 0)))
      (call $mix (i64.extend_i32_u (local.get 1)))
      (local.set $at (i32.const 1024))
      (block $done
        (loop $again
          (br_if $done (i32.ge_u (local.get $at) (global.get $top)))
          (call $mix (i64.load (local.get $at)))
          (local.set $at (i32.add (local.get $at) (i32.const 8)))
          (br $again)))
      (global.get $asked)))
  (core instance $guest (instantiate $guest))
  (func (export "echo") (param "values" {ty}) (result {ty})
    (canon lift (core func $guest "echo") (memory (core memory $guest "memory")) (realloc (core func $guest "cabi_realloc"))))
  (func (export "echo-utf16") (param "values" {ty}) (result {ty})
    (canon lift (core func $guest "echo") string-encoding=utf16
      (memory (core memory $guest "memory")) (realloc (core func $guest "cabi_realloc"))))
  (func (export "trace") (param "values" {ty}) (result u64)
    (canon lift (core func $guest "trace") (memory (core memory $guest "memory")) (realloc (core func $guest "cabi_realloc"))))
  (func (export "trace-utf16") (param "values" {ty}) (result u64)
    (canon lift (core func $guest "trace") string-encoding=utf16
      (memory (core memory $guest "memory")) (realloc (core func $guest "cabi_realloc")))))
"#
    )
}

fn instance(code: &str) -> Instance {
    let code = wat::parse_str(code).unwrap();
    let code = engine::precompile(Profile::Timed, &code).unwrap();
    let sandbox = Sandbox::new(Profile::Timed, Limits::default()).unwrap();
    // SAFETY: the code was just made by `engine::precompile`, and is unchanged.
    let prepared = unsafe { sandbox.prepare(&code, Imports::None) }.unwrap();
    prepared.instantiate().unwrap()
}

fn callee(instance: &mut Instance, function: &str) -> Callee<GuestState> {
    instance.callee(&[function.to_owned()]).unwrap()
}

/// The engine's answer, by its own conversion.
fn engines_answer(code: &str, function: &str, argument: Val) -> Val {
    let engine = wasmtime::Engine::default();
    let component = Component::new(&engine, wat::parse_str(code).unwrap()).unwrap();
    let mut store = wasmtime::Store::new(&engine, ());
    let linker = Linker::new(&engine);
    let instance = linker.instantiate(&mut store, &component).unwrap();
    let func = instance.get_func(&mut store, function).unwrap();
    let mut results = [Val::Bool(false)];
    func.call(&mut store, &[argument], &mut results).unwrap();
    let [result] = results;
    result
}

#[test]
fn nested_values_come_back_as_they_were() {
    for (ty, texts) in VALUES {
        let code = component(ty);
        for text in texts {
            for function in ["echo", "echo-utf16"] {
                let mut instance = instance(&code);
                let echo = callee(&mut instance, function);
                let call = format!("{function}({text})");
                let argument = parse_call(&call, function, echo.ty()).unwrap();
                assert!(!matches!(argument[0], Value::Other(_)), "{ty}");
                let argument: Arc<[Value]> = argument.into();
                let answered = instance.call_lowering(&echo, &argument, UNTIMED).unwrap();
                let value = answered.value.unwrap();
                assert!(value.same_as(&argument[0]), "{ty}: {}", render(&value));
                assert_eq!(&render(&value), text, "{ty}");
                if function == "echo" {
                    assert_eq!(value.allocations(), answered.time.count - 1, "{ty}");
                }
            }
        }
    }
}

#[test]
fn memory_is_asked_for_and_written_as_the_engine_does() {
    for (ty, texts) in VALUES {
        let code = component(ty);
        for text in texts {
            for function in ["trace", "trace-utf16"] {
                let mut instance = instance(&code);
                let trace = callee(&mut instance, function);
                let call = format!("{function}({text})");
                let argument = parse_call(&call, function, trace.ty()).unwrap();
                let val = argument[0].to_val();
                let argument: Arc<[Value]> = argument.into();
                let answered = instance.call_lowering(&trace, &argument, UNTIMED).unwrap();
                let engines = engines_answer(&code, function, val);
                assert_eq!(answered.value.unwrap().to_val(), engines, "{ty}: {text}");
            }
        }
    }
}

/// A component that answers with this memory from 1024 on.
fn answering(ty: &str, memory: &str) -> String {
    format!(
        r#"
(component
  (core module $guest
    (memory (export "memory") 1)
    (data (i32.const 1024) "{memory}")
    (func (export "answer") (result i32) (i32.const 1024)))
  (core instance $guest (instantiate $guest))
  (func (export "answer") (result {ty})
    (canon lift (core func $guest "answer") (memory (core memory $guest "memory")))))
"#
    )
}

#[test]
fn answers_that_are_no_values_are_refused() {
    // A list at 1032, of one element.
    let list = r"\08\04\00\00\01\00\00\00";
    for (ty, element, why) in [
        (
            "(list string)",
            r"\00\04\00\00\ff\ff\ff\7f",
            "out of bounds",
        ),
        ("(list string)", r"\10\04\00\00\01\00\00\00\ff", "utf-8"),
        (
            "(list (list u32))",
            r"\01\04\00\00\01\00\00\00",
            "not aligned",
        ),
        (
            "(list (list u32))",
            r"\00\00\00\00\ff\ff\ff\7f",
            "out of bounds",
        ),
        ("(list (option u8))", r"\02\00", "discriminant 2"),
        (
            "(list (tuple char u8))",
            r"\00\d8\00\00\01\00\00\00",
            "char",
        ),
    ] {
        let mut instance = instance(&answering(ty, &format!("{list}{element}")));
        let answer = callee(&mut instance, "answer");
        let error = instance.call(&answer, &[].into()).unwrap_err();
        let message = error.message.to_lowercase();
        assert!(message.contains(why), "{ty}: {message}");
    }
}

/// A few bytes of an answer must not become gigabytes here: all that is copied counts.
#[test]
fn lists_that_overlap_count_as_often_as_they_are_read() {
    // 4,000 lists, each of which is the same 8 KiB.
    let pair = r"\00\04\00\00\00\20\00\00".repeat(4_000);
    let memory = format!(r"\08\04\00\00\a0\0f\00\00{pair}");
    let code = wat::parse_str(answering("(list (list u8))", &memory)).unwrap();
    let code = engine::precompile(Profile::Timed, &code).unwrap();
    for (output_bytes, is_read) in [(64 << 20, true), (16 << 20, false)] {
        let limits = Limits {
            output_bytes,
            ..Limits::default()
        };
        let sandbox = Sandbox::new(Profile::Timed, limits).unwrap();
        // SAFETY: the code was just made by `engine::precompile`, and is unchanged.
        let prepared = unsafe { sandbox.prepare(&code, Imports::None) }.unwrap();
        let mut instance = prepared.instantiate().unwrap();
        let answer = callee(&mut instance, "answer");
        match instance.call(&answer, &[].into()) {
            Ok(answered) => {
                assert!(is_read);
                assert_eq!(answered.value.unwrap().bytes(), 8 + 4_000 * (8 + 8_192));
            }
            Err(error) => {
                assert!(!is_read, "{}", error.message);
                assert_eq!(error.class, FailureClass::OutputLimit, "{}", error.message);
            }
        }
    }
}
