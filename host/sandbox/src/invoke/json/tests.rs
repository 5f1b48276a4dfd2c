mod random;
mod refusals;

use super::*;
use wasmtime::component::types::ComponentItem;
use wasmtime::component::{Component, Val};
use wasmtime::{Config, Engine};

/// Types that have names, for the tests.
const NAMED: &str = r#"
    (type $r0 (record (field "name" string) (field "nick-name" (option string)) (field "age" u8)))
    (import "person" (type $person (eq $r0)))
    (type $r1 (variant (case "dot") (case "circle" f64) (case "label" string) (case "of" (option u8))))
    (import "figure" (type $figure (eq $r1)))
    (type $r2 (enum "red" "green" "light-blue"))
    (import "color" (type $color (eq $r2)))
    (type $r3 (flags "read" "write" "execute" "a" "b" "c" "d" "e" "last"))
    (import "rights" (type $rights (eq $r3)))
    (import "file" (type $file (sub resource)))
"#;

/// The types of functions whose only argument is of the type that they return, in the text format, after these
/// declarations.
fn all_types(declared: &str, types: &[String]) -> Vec<CallTypes> {
    let functions = types.iter().enumerate().map(|(index, ty)| {
        format!("(import \"f{index}\" (func (param \"x\" {ty}) (result {ty})))")
    });
    let functions: String = functions.collect();
    let engine = Engine::new(&Config::new()).unwrap();
    let text = format!("(component {declared} {functions})");
    let component = wat::parse_str(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
    let component = Component::new(&engine, component).unwrap();
    let found = component.component_type();
    found
        .imports(&engine)
        .filter_map(|(_, item)| match item.ty {
            ComponentItem::ComponentFunc(function) => Some(CallTypes::of(&function)),
            _ => None,
        })
        .collect()
}

fn types(ty: &str) -> CallTypes {
    all_types(NAMED, &[ty.to_owned()]).remove(0)
}

/// Returns true if two values are kept in the same bits.
fn is_identical(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Tuple(a), Value::Tuple(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_identical(a, b))
        }
        (Value::Nested(a), Value::Nested(b)) => a.layout == b.layout && a.image == b.image,
        _ => {
            std::mem::discriminant(a) == std::mem::discriminant(b)
                // The engine tells −0 from 0.
                && a.to_val() == b.to_val()
        }
    }
}

fn written(value: Value, types: &CallTypes) -> String {
    let line = arguments_as_json(&[value], types).unwrap();
    let text = line
        .strip_prefix('[')
        .and_then(|line| line.strip_suffix(']'));
    text.unwrap().to_owned()
}

/// Asserts that a value in WAVE has this JSON, and that both are read as the same.
fn both_ways(ty: &str, cases: &[(&str, &str)]) {
    let types = types(ty);
    has_json(&types).unwrap();
    for (wave, json) in cases {
        let value = super::super::parse_result(wave, &types).unwrap();
        assert_eq!(written(value.clone(), &types), *json, "{ty}");
        let back = answer_from_json(json, &types).unwrap().unwrap();
        assert!(is_identical(&back, &value), "{ty}: {back:?} for {json}");
    }
}

/// Asserts that texts are read as the same value as the first one.
fn same(ty: &str, texts: &[&str]) {
    let types = types(ty);
    let read = |text: &str| answer_from_json(text, &types).unwrap().unwrap();
    for text in texts {
        assert!(is_identical(&read(text), &read(texts[0])), "{ty}: {text}");
    }
}

#[test]
fn scalars_have_their_json() {
    both_ways("bool", &[("true", "true"), ("false", "false")]);
    both_ways("s8", &[("-128", "-128"), ("127", "127")]);
    both_ways("u8", &[("0", "0"), ("255", "255")]);
    both_ways("s16", &[("-32768", "-32768"), ("32767", "32767")]);
    both_ways("u16", &[("65535", "65535")]);
    both_ways("s32", &[("-2147483648", "-2147483648")]);
    both_ways("u32", &[("4294967295", "4294967295")]);
    both_ways(
        "char",
        &[("'é'", "\"é\""), ("'\\n'", r#""\n""#), ("'😀'", "\"😀\"")],
    );
    both_ways(
        "string",
        &[("\"\"", "\"\""), (r#""a\"\\\n""#, r#""a\"\\\n""#)],
    );
}

#[test]
fn large_integers_are_exact() {
    let least = "-9223372036854775808";
    let greatest = "9223372036854775807";
    both_ways("s64", &[(least, least), (greatest, greatest)]);
    let beyond = "9007199254740993";
    let greatest = "18446744073709551615";
    both_ways("u64", &[(beyond, beyond), (greatest, greatest)]);
    both_ways(
        "(list u64)",
        &[("[18446744073709551615]", "[18446744073709551615]")],
    );
    both_ways("(option u64)", &[("some(18446744073709551615)", greatest)]);
}

#[test]
fn floats_keep_their_bits() {
    let types = types("f64");
    for number in [
        f64::MAX,
        f64::MIN_POSITIVE,
        5e-324,
        0.1 + 0.2,
        123456789.12345679,
        -0.0,
        0.0,
        1e16,
        1e21,
        9007199254740993.0,
    ] {
        let text = written(Value::F64(number), &types);
        let Some(Value::F64(back)) = answer_from_json(&text, &types).unwrap() else {
            panic!("{text} is no f64");
        };
        assert_eq!(back.to_bits(), number.to_bits(), "{text}");
    }
    both_ways("f64", &[("0.1", "0.1"), ("1.0", "1.0"), ("-0.0", "-0.0")]);
    both_ways("f32", &[("0.1", "0.1"), ("16777216.0", "16777216.0")]);
    same("f64", &["1.7976931348623157e308", "17976931348623157E+292"]);
    same("f64", &["3.0", "3", "3e0", "30e-1"]);
    same("f64", &["9007199254740992.0", "9007199254740993"]);
    both_ways(
        "(list f32)",
        &[("[nan, inf, -inf]", r#"["nan","inf","-inf"]"#)],
    );
    both_ways(
        "(option f64)",
        &[("some(nan)", "\"nan\""), ("some(-0.0)", "-0.0")],
    );
    same(
        "(list f64)",
        &[
            r#"["nan","inf","-inf"]"#,
            r#"["NaN","Infinity","-Infinity"]"#,
        ],
    );
}

#[test]
fn an_f32_is_rounded_once() {
    // Just below the middle of two, which is the nearest f64.
    let below = "1.00000017881393432617187499";
    let Some(Value::F32(number)) = answer_from_json(below, &types("f32")).unwrap() else {
        panic!("{below} is no f32");
    };
    assert_eq!(number.to_bits(), 0x3f80_0001);
    let twice = below.parse::<f64>().unwrap() as f32;
    assert_eq!(twice.to_bits(), 0x3f80_0002);
}

#[test]
fn lists_and_tuples_are_arrays() {
    both_ways("(list u8)", &[("[1, 2, 255]", "[1,2,255]"), ("[]", "[]")]);
    both_ways("(list bool)", &[("[true, false]", "[true,false]")]);
    both_ways("(list char)", &[("['a', 'b']", r#"["a","b"]"#)]);
    both_ways("(list string)", &[(r#"["", "a"]"#, r#"["","a"]"#)]);
    both_ways("(list (list s16))", &[("[[], [1, -2]]", "[[],[1,-2]]")]);
    both_ways(
        "(tuple (list u8) string)",
        &[("([7], \"x\")", r#"[[7],"x"]"#)],
    );
    both_ways("(list (tuple u8 f32))", &[("[(1, 0.5)]", "[[1,0.5]]")]);
    same("(list u16)", &["[1,2]", " [ 1 ,\t2 ] \r\n"]);
}

#[test]
fn records_are_objects() {
    both_ways(
        "$person",
        &[
            (
                r#"{name: "Ada", nick-name: some("A"), age: 36}"#,
                r#"{"name":"Ada","nick-name":"A","age":36}"#,
            ),
            (
                r#"{name: "Ada", age: 36}"#,
                r#"{"name":"Ada","nick-name":null,"age":36}"#,
            ),
        ],
    );
    same(
        "$person",
        &[
            r#"{"name":"Ada","nick-name":null,"age":36}"#,
            r#"{"age":36,"name":"Ada"}"#,
            r#"{ "\u006eame" : "Ada" , "age" : 36 }"#,
        ],
    );
    same(
        "(list $person)",
        &[
            r#"[{"name":"Ada","nick-name":"A","age":36},{"name":"B","age":1}]"#,
            r#"[{"age":36,"nick-name":"A","name":"Ada"},{"age":1,"name":"B"}]"#,
        ],
    );
}

#[test]
fn cases_and_flags_go_by_their_names() {
    both_ways(
        "$figure",
        &[
            ("dot", "\"dot\""),
            ("circle(0.5)", r#"{"circle":0.5}"#),
            ("label(\"x\")", r#"{"label":"x"}"#),
            ("of(none)", r#"{"of":null}"#),
            ("of(some(3))", r#"{"of":3}"#),
        ],
    );
    both_ways(
        "$color",
        &[("red", "\"red\""), ("light-blue", "\"light-blue\"")],
    );
    both_ways(
        "$rights",
        &[
            ("{}", "[]"),
            ("{read, execute, last}", r#"["read","execute","last"]"#),
        ],
    );
    same("$rights", &[r#"["read","last"]"#, r#"["last","read"]"#]);
}

#[test]
fn options_are_null_or_the_value() {
    both_ways(
        "(option string)",
        &[("none", "null"), ("some(\"\")", "\"\"")],
    );
    both_ways(
        "(option (option u8))",
        &[
            ("none", "null"),
            ("some(none)", r#"{"some":null}"#),
            ("some(some(3))", r#"{"some":3}"#),
        ],
    );
    both_ways(
        "(option (option (option u8)))",
        &[
            ("some(none)", r#"{"some":null}"#),
            ("some(some(none))", r#"{"some":{"some":null}}"#),
            ("some(some(some(3)))", r#"{"some":{"some":3}}"#),
        ],
    );
    both_ways("(option (result))", &[("some(ok)", r#"{"ok":null}"#)]);
}

#[test]
fn results_are_ok_or_error() {
    both_ways(
        "(result u8 (error string))",
        &[
            ("ok(3)", r#"{"ok":3}"#),
            ("err(\"no\")", r#"{"error":"no"}"#),
        ],
    );
    both_ways(
        "(result (error string))",
        &[
            ("ok", r#"{"ok":null}"#),
            ("err(\"no\")", r#"{"error":"no"}"#),
        ],
    );
    both_ways(
        "(result (list u8))",
        &[("ok([1])", r#"{"ok":[1]}"#), ("err", r#"{"error":null}"#)],
    );
    both_ways(
        "(result)",
        &[("ok", r#"{"ok":null}"#), ("err", r#"{"error":null}"#)],
    );
}

#[test]
fn a_function_without_a_result_answers_null() {
    let types = CallTypes {
        params: Vec::new(),
        result: None,
    };
    assert_eq!(arguments_as_json(&[], &types).unwrap(), "[]");
    assert!(answer_from_json(" null ", &types).unwrap().is_none());
    let error = answer_from_json("0", &types).unwrap_err();
    let reason = "the answer: expected null, as the function has no result, found 0";
    assert_eq!(error.to_string(), reason);
}

#[test]
fn arguments_stand_on_one_line_in_their_order() {
    let both = CallTypes {
        params: [types("string").params, types("(list u8)").params].concat(),
        result: None,
    };
    let text = Value::Text("a\nb\r\u{0}".to_owned());
    let list = Value::Other(Val::List(vec![Val::U8(1)]));
    let line = arguments_as_json(&[text.clone(), list], &both).unwrap();
    assert_eq!(line, r#"["a\nb\r\u0000",[1]]"#);
    let error = arguments_as_json(std::slice::from_ref(&text), &both).unwrap_err();
    assert_eq!(error.to_string(), "1 arguments for a function that takes 2");
    let error = arguments_as_json(&[text.clone(), text], &both).unwrap_err();
    let reason = "argument 2: it does not have the type of its parameter";
    assert_eq!(error.to_string(), reason);
    let other = answer_from_json("[[1]]", &types("(list (list u8))")).unwrap();
    let error = arguments_as_json(&[other.unwrap()], &types("(list string)")).unwrap_err();
    let reason = "argument 1: it does not have the type of its parameter";
    assert_eq!(error.to_string(), reason);
}

#[test]
fn resources_have_no_json() {
    for ty in ["(own $file)", "(list (tuple u8 (option (own $file))))"] {
        let types = types(ty);
        let error = has_json(&types).unwrap_err();
        let reason = "argument 1 is or holds a resource, which has no form in JSON";
        assert_eq!(error.to_string(), reason);
        let error = answer_from_json("0", &types).unwrap_err();
        let reason = "the answer is or holds a resource, which has no form in JSON";
        assert_eq!(error.to_string(), reason);
    }
}

#[test]
fn a_million_numbers_go_out_and_in() {
    let numbers: Vec<u32> = (0..1_000_000_u32)
        .map(|n| n.wrapping_mul(2_654_435_761))
        .collect();
    let plain = types("(list u32)");
    let text = written(Value::U32List(numbers.clone()), &plain);
    let back = answer_from_json(&text, &plain).unwrap();
    assert!(matches!(back, Some(Value::U32List(back)) if back == numbers));
    let nested = types("(option (list u32))");
    let back = answer_from_json(&text, &nested).unwrap().unwrap();
    assert_eq!(written(back, &nested), text);
}
