//! Texts that are not answers, each with the reason.

use super::*;

/// Asserts that texts are refused for these reasons.
fn refused(ty: &str, cases: &[(&str, &str)]) {
    let types = types(ty);
    for (text, reason) in cases {
        let error = answer_from_json(text, &types).unwrap_err();
        assert_eq!(error.to_string(), *reason, "{ty}: {text}");
    }
}

#[test]
fn integers_are_refused_with_their_range() {
    let reason = |range: &str, found: &str| {
        format!("the answer: expected an integer from {range}, found {found}")
    };
    for (ty, range, found) in [
        ("u8", "0 to 255 (u8)", "256"),
        ("u8", "0 to 255 (u8)", "-1"),
        ("s8", "-128 to 127 (s8)", "-129"),
        ("u32", "0 to 4294967295 (u32)", "3.0"),
        ("u32", "0 to 4294967295 (u32)", "1e2"),
        ("u32", "0 to 4294967295 (u32)", "\"3\""),
        ("u32", "0 to 4294967295 (u32)", "null"),
        (
            "u64",
            "0 to 18446744073709551615 (u64)",
            "18446744073709551616",
        ),
        (
            "s64",
            "-9223372036854775808 to 9223372036854775807 (s64)",
            "9223372036854775808",
        ),
    ] {
        refused(ty, &[(found, &reason(range, found))]);
    }
    same("u8", &["0", "-0"]);
}

#[test]
fn other_scalars_are_refused() {
    refused(
        "bool",
        &[("1", "the answer: expected true or false, found 1")],
    );
    let range = "the answer: expected a number up to 3.4028235e38 (f32), found 3.5e38";
    let wanted = r#"the answer: expected a number (f32), "nan", "inf" or "-inf", found"#;
    refused(
        "f32",
        &[
            ("3.5e38", range),
            ("null", &format!("{wanted} null")),
            ("\"infinity\"", &format!("{wanted} \"infinity\"")),
        ],
    );
    refused(
        "f64",
        &[(
            "1e309",
            "the answer: expected a number up to 1.7976931348623157e308 (f64), found 1e309",
        )],
    );
    refused(
        "char",
        &[
            (
                "\"\"",
                "the answer: expected a string of one character, found \"\"",
            ),
            (
                "\"ab\"",
                "the answer: expected a string of one character, found \"ab\"",
            ),
            (
                "97",
                "the answer: expected a string of one character, found 97",
            ),
        ],
    );
    refused(
        "string",
        &[
            ("5", "the answer: expected a string, found 5"),
            (
                r#""\ud800""#,
                r#"the answer: expected a string, found "\ud800""#,
            ),
        ],
    );
}

#[test]
fn a_fault_has_its_place() {
    refused(
        "(list $person)",
        &[
            (
                r#"[{"name":"a","age":1},{"name":5,"age":1}]"#,
                "the answer at [1].name: expected a string, found 5",
            ),
            (
                r#"[{"name":"a","nick-name":[1, {}],"age":1}]"#,
                "the answer at [0].nick-name: expected a string, found [1, {}]",
            ),
            ("{}", "the answer: expected an array, found {}"),
            ("[[]]", "the answer at [0]: expected an object, found []"),
        ],
    );
    refused(
        "(tuple u8 (result (list bool)))",
        &[
            (
                "[1,{\"ok\":[true,0]}]",
                "the answer at [1].ok[1]: expected true or false, found 0",
            ),
            (
                "[1]",
                "the answer: expected an array of 2 elements, found [1]",
            ),
            (
                "[1,2,3]",
                "the answer: expected an array of 2 elements, found [1,2,3]",
            ),
        ],
    );
    refused(
        "(option (option string))",
        &[
            (
                r#"{"some":1}"#,
                "the answer at .some: expected a string, found 1",
            ),
            (
                "\"a\"",
                r#"the answer: expected null or {"some": value}, found "a""#,
            ),
        ],
    );
}

#[test]
fn what_is_found_is_shortened() {
    let sixty = format!("\"{}\"", "é".repeat(58));
    let more = format!("[{}", "1,".repeat(1000)) + "1]";
    let cut = format!("[{}…", "1,".repeat(29));
    refused(
        "(option bool)",
        &[
            (
                &sixty,
                &format!("the answer: expected true or false, found {sixty}"),
            ),
            (
                &more,
                &format!("the answer: expected true or false, found {cut}"),
            ),
        ],
    );
}

#[test]
fn records_with_other_fields_are_refused() {
    refused(
        "$person",
        &[
            (r#"{"name":"a"}"#, "the answer: the field `age` is missing"),
            (
                r#"{"age":1,"name":"a","Name":2}"#,
                "the answer: there is no field `Name`",
            ),
            (
                r#"{"age":1,"name":"a","age":1}"#,
                "the answer: the field `age` is there twice",
            ),
            (
                r#"{"name":"a","nick-name":null,"nick-name":null,"age":1}"#,
                "the answer: the field `nick-name` is there twice",
            ),
        ],
    );
}

#[test]
fn other_cases_and_flags_are_refused() {
    let wanted = r#"the answer: expected a case: "name", or {"name": payload}, found"#;
    refused(
        "$figure",
        &[
            (
                r#""square""#,
                "the answer: expected one of dot, circle, label, of, found \"square\"",
            ),
            (
                r#""circle""#,
                r#"the answer: expected {"circle": payload}, found "circle""#,
            ),
            (
                r#"{"dot":null}"#,
                r#"the answer at .dot: the case has no payload: it is written "dot""#,
            ),
            (
                r#"{"circle":"x"}"#,
                r#"the answer at .circle: expected a number (f64), "nan", "inf" or "-inf", found "x""#,
            ),
            ("{}", &format!("{wanted} {{}}")),
            (
                r#"{"circle":1,"circle":2}"#,
                &format!(r#"{wanted} {{"circle":1,"circle":2}}"#),
            ),
            (r#"{"square":1}"#, &format!(r#"{wanted} {{"square":1}}"#)),
        ],
    );
    refused(
        "$color",
        &[
            (
                "\"blue\"",
                "the answer: expected one of red, green, light-blue, found \"blue\"",
            ),
            (
                "0",
                "the answer: expected one of red, green, light-blue, found 0",
            ),
        ],
    );
    refused(
        "$rights",
        &[
            (
                r#"["read","read"]"#,
                "the answer at [1]: the flag `read` is there twice",
            ),
            (
                r#"["fly"]"#,
                "the answer at [0]: expected one of read, write, execute, a, b, c, d, e, last, found \"fly\"",
            ),
            ("3", "the answer: expected an array, found 3"),
        ],
    );
}

#[test]
fn other_results_are_refused() {
    let wanted = r#"the answer: expected {"ok": value} or {"error": value}, found"#;
    for ty in ["(result (error string))", "(result u8 (error string))"] {
        refused(
            ty,
            &[
                ("null", &format!("{wanted} null")),
                (r#"{"err":"x"}"#, &format!(r#"{wanted} {{"err":"x"}}"#)),
                (
                    r#"{"error":1}"#,
                    "the answer at .error: expected a string, found 1",
                ),
            ],
        );
    }
    refused(
        "(result (error string))",
        &[(r#"{"ok":1}"#, "the answer at .ok: expected null, found 1")],
    );
}

#[test]
fn a_text_that_is_not_json_is_refused_with_its_column() {
    refused(
        "(list u8)",
        &[
            ("", "not JSON: EOF while parsing a value at line 1 column 0"),
            ("[1,]", "not JSON: expected value at line 1 column 4"),
            ("[1] 2", "not JSON: trailing characters at line 1 column 5"),
            ("[01]", "not JSON: invalid number at line 1 column 3"),
            ("[NaN]", "not JSON: expected value at line 1 column 2"),
            (
                "[1",
                "not JSON: EOF while parsing a list at line 1 column 2",
            ),
        ],
    );
    let deep = "[".repeat(1_000_000) + &"]".repeat(1_000_000);
    let error = answer_from_json(&deep, &types("(list u8)")).unwrap_err();
    assert!(matches!(error, ValueJsonError::Answer { place, .. } if place == "[0]"));
}
