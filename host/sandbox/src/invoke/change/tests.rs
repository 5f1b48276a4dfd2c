use super::*;
use wasmtime::Engine;
use wasmtime::component::Component;
use wasmtime::component::types::ComponentItem;

/// The type of the result of a function, declared in the text of a component after these types.
fn type_of(declared: &str, result: &str) -> Type {
    let engine = Engine::default();
    let text = format!("(component {declared} (import \"f\" (func (result {result}))))");
    let component = Component::new(&engine, wat::parse_str(text).unwrap()).unwrap();
    let found = component.component_type();
    let mut functions = found
        .imports(&engine)
        .filter_map(|(_, item)| match item.ty {
            ComponentItem::ComponentFunc(function) => function.results().next(),
            _ => None,
        });
    functions.next().unwrap()
}

/// All changes of an answer in WAVE, as text.
fn texts(declared: &str, result: &str, answer: &str) -> Vec<(Change, String)> {
    let ty = type_of(declared, result);
    let val = Val::from_wave(&ty, answer).unwrap();
    let answer = Value::from_val(val, Shape::of(&ty).as_ref());
    let changed = changes(&answer, &ty);
    assert!(changed.len() <= CHANGES_MAX);
    for (change, value) in &changed {
        assert!(!value.same_as(&answer), "{change} changes nothing");
    }
    let shown = changed.into_iter();
    shown
        .map(|(change, value)| (change, super::super::render(&value)))
        .collect()
}

#[test]
fn lists_lose_gain_exchange_and_change_elements() {
    let found = texts("", "(list s32)", "[1, 2, 3]");
    let expected = [
        (Change::Dropped, "[1, 2]"),
        (Change::Dropped, "[2, 3]"),
        (Change::Dropped, "[1, 3]"),
        (Change::Doubled, "[1, 2, 3, 3]"),
        (Change::Doubled, "[1, 1, 2, 3]"),
        (Change::Emptied, "[]"),
        (Change::Moved, "[3, 2, 1]"),
        (Change::Moved, "[1, 3, 2]"),
        (Change::Larger, "[2, 2, 3]"),
        (Change::Smaller, "[0, 2, 3]"),
        (Change::FarOff, "[1073741825, 2, 3]"),
        (Change::Larger, "[1, 3, 3]"),
        (Change::Smaller, "[1, 1, 3]"),
        (Change::FarOff, "[1, 1073741826, 3]"),
        (Change::Larger, "[1, 2, 4]"),
        (Change::Smaller, "[1, 2, 2]"),
        (Change::FarOff, "[1, 2, 1073741827]"),
    ];
    let expected = expected.map(|(change, text)| (change, text.to_owned()));
    assert_eq!(found, expected);
    assert_eq!(
        texts("", "(list s32)", "[]"),
        [(Change::Added, "[0]".to_owned())]
    );
}

#[test]
fn numbers_change_within_their_range() {
    let of = |ty: &str, answer: &str| -> Vec<String> {
        texts("", ty, answer)
            .into_iter()
            .map(|(_, text)| text)
            .collect()
    };
    assert_eq!(of("u8", "255"), ["254", "191"]);
    assert_eq!(of("u8", "0"), ["1", "64"]);
    assert_eq!(of("s64", "-1"), ["0", "-2", "-4611686018427387905"]);
    assert_eq!(
        of("f64", "1e300"),
        ["2e300", "0", "nan"].map(|text| {
            let value: f64 = text.parse().unwrap();
            super::super::render(&Value::F64(value))
        })
    );
    assert_eq!(of("f64", "nan"), Vec::<String>::new());
    assert_eq!(of("bool", "true"), ["false"]);
    assert_eq!(of("char", "'x'"), ["'a'"]);
    assert_eq!(
        of("string", "\"né\""),
        ["\"n\"", "\"néé\"", "\"na\"", "\"\""]
    );
    assert_eq!(of("string", "\"\""), ["\"a\""]);
}

#[test]
fn variants_become_another_case_and_change_inside() {
    let variant = "(type $t (variant (case \"none\") (case \"at\" u32) (case \"all\" (list u8)))) \
                   (import \"v\" (type $v (eq $t)))";
    assert_eq!(
        texts(variant, "$v", "at(3)"),
        [
            (Change::OtherCase, "%none"),
            (Change::Larger, "at(4)"),
            (Change::Smaller, "at(2)"),
            (Change::FarOff, "at(1073741827)"),
            (Change::OtherCase, "all([])"),
        ]
        .map(|(change, text)| (change, text.to_owned()))
    );
    let of = |ty: &str, answer: &str| -> Vec<String> {
        texts("", ty, answer)
            .into_iter()
            .map(|(_, text)| text)
            .collect()
    };
    assert_eq!(
        of("(option u32)", "some(3)"),
        ["none", "some(4)", "some(2)", "some(1073741827)"]
    );
    assert_eq!(of("(option u32)", "none"), ["some(0)"]);
    assert_eq!(
        of("(result u32 (error string))", "ok(3)"),
        ["err(\"\")", "ok(4)", "ok(2)", "ok(1073741827)"]
    );
    assert_eq!(of("(result u32 (error string))", "err(\"x\")")[0], "ok(0)");
    let named = "(type $e (enum \"a\" \"b\" \"c\")) (import \"e\" (type $n (eq $e)))";
    let found: Vec<String> = texts(named, "$n", "b")
        .into_iter()
        .map(|(_, text)| text)
        .collect();
    assert_eq!(found, ["a", "c"]);
    let flags = "(type $e (flags \"r\" \"w\")) (import \"e\" (type $n (eq $e)))";
    let found: Vec<String> = texts(flags, "$n", "{r}")
        .into_iter()
        .map(|(_, text)| text)
        .collect();
    assert_eq!(found, ["{}", "{r, w}"]);
}

#[test]
fn parts_are_exchanged_where_their_types_are_equal_and_each_is_changed() {
    let found: Vec<String> = texts("", "(tuple u32 u32 bool)", "(1, 7, true)")
        .into_iter()
        .map(|(_, text)| text)
        .collect();
    assert_eq!(
        found,
        [
            "(7, 1, true)",
            "(2, 7, true)",
            "(1, 8, true)",
            "(1, 7, false)",
            "(0, 7, true)",
            "(1, 6, true)",
            "(1073741825, 7, true)",
            "(1, 1073741831, true)"
        ]
    );
    let record = "(type $t (record (field \"at\" u32) (field \"found\" bool))) \
                  (import \"r\" (type $r (eq $t)))";
    let found: Vec<String> = texts(record, "(list $r)", "[{at: 1, found: true}]")
        .into_iter()
        .map(|(_, text)| text)
        .collect();
    assert!(found.contains(&"[]".to_owned()), "{found:?}");
    assert!(
        found.contains(&"[{at: 1, found: false}]".to_owned()),
        "{found:?}"
    );
    assert!(
        found.contains(&"[{at: 2, found: true}]".to_owned()),
        "{found:?}"
    );
}

#[test]
fn empty_and_equal_lists_are_told_from_others() {
    assert_eq!(form(&Value::S32List(Vec::new())), ArgumentForm::Empty);
    assert_eq!(form(&Value::Text(String::new())), ArgumentForm::Empty);
    assert_eq!(form(&Value::S32List(vec![4; 9])), ArgumentForm::AllEqual);
    assert_eq!(form(&Value::S32List(vec![4])), ArgumentForm::Varied);
    assert_eq!(form(&Value::S32List(vec![4, 5])), ArgumentForm::Varied);
    assert_eq!(form(&Value::U32(4)), ArgumentForm::Varied);
}
