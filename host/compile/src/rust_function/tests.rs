//! Tests of signatures that are read off sources.

use super::*;

fn signature(text: &str) -> Result<String, String> {
    let functions = public_functions(text).unwrap();
    functions[0].signature.clone().map(|signature| {
        let parameters = signature.parameters.iter();
        let parameters: Vec<String> = parameters
            .map(|(name, shape)| format!("{name}: {shape}"))
            .collect();
        format!("({}) -> {}", parameters.join(", "), signature.result)
    })
}

#[test]
fn what_changes_in_place_is_returned() {
    assert_eq!(
        signature("pub fn sort<T: Ord>(items: &mut [T]) {}").as_deref(),
        Ok("(items: list<T>) -> list<T>")
    );
    assert_eq!(
        signature("pub fn dedup(items: &mut Vec<u8>, _keep: usize) -> usize { 0 }").as_deref(),
        Ok("(items: list<u8>, keep: u32) -> tuple<u32, list<u8>>")
    );
    assert!(signature("pub fn nothing(items: &[u8]) {}").is_err());
    for (parameter, expected) in [
        ("x: Option<&mut u8>", "(x: option<u8>) -> option<u8>"),
        (
            "x: Option<&mut [T]>",
            "(x: option<list<T>>) -> option<list<T>>",
        ),
        (
            "x: (&mut Vec<u8>, usize)",
            "(x: tuple<list<u8>, u32>) -> tuple<list<u8>, u32>",
        ),
        ("x: Vec<&mut [u8]>", "(x: list<list<u8>>) -> list<list<u8>>"),
    ] {
        let text = format!("pub fn f<T: Ord>({parameter}) {{}}");
        assert_eq!(signature(&text).as_deref(), Ok(expected));
    }
    // What is lent to the caller is read, beside what was changed.
    for (function, expected) in [
        (
            "pub fn f(x: &mut Vec<u8>) -> &mut Vec<u8> { x }",
            "(x: list<u8>) -> tuple<list<u8>, list<u8>>",
        ),
        (
            "pub fn f(x: &mut [i64]) -> Option<&mut i64> { x.iter_mut().max() }",
            "(x: list<s64>) -> tuple<option<s64>, list<s64>>",
        ),
    ] {
        assert_eq!(signature(function).as_deref(), Ok(expected));
    }
    let refused = signature("pub fn f(x: [&mut u8; 2]) {}").unwrap_err();
    assert!(
        refused.contains("deeper than in an option, a tuple or a `Vec`"),
        "{refused}"
    );
}

#[test]
fn functions_are_passed_as_one_of_a_few_that_an_enum_chooses() {
    for (function, expected) in [
        (
            "pub fn apply(xs: &mut [i64], f: impl Fn(i64) -> i64) {}",
            "(xs: list<s64>, f: map-function) -> list<s64>",
        ),
        (
            "pub fn sort<T, K, F>(xs: &mut Vec<T>, key: F) where F: Fn(&T) -> K, K: Ord {}",
            "(xs: list<T>, key: map-function) -> list<T>",
        ),
        (
            "pub fn best<T>(xs: &[T], cmp: &dyn Fn(&T, &T) -> std::cmp::Ordering) -> usize { 0 }",
            "(xs: list<T>, cmp: order-function) -> u32",
        ),
        (
            "pub fn keep(xs: &[u8], keep: &mut impl FnMut(&u8) -> bool) -> Vec<u8> { vec![] }",
            "(xs: list<u8>, keep: test-function) -> list<u8>",
        ),
        (
            "pub fn fold<A>(xs: &[u8], first: A, f: fn(A, &u8) -> A) -> A { first }",
            "(xs: list<u8>, first: A, f: join-function) -> A",
        ),
        (
            "pub fn each(xs: &mut [u8], f: Box<dyn FnMut(&mut u8)>) {}",
            "(xs: list<u8>, f: map-function) -> list<u8>",
        ),
        (
            "pub fn is_sorted<T>(xs: &[T], less: impl Fn(&T, &T) -> bool) -> bool { true }",
            "(xs: list<T>, less: relation-function) -> bool",
        ),
        // What is returned is in the name where it decides what the closures do.
        (
            "pub fn sort(xs: &mut Vec<String>, key: impl Fn(&String) -> usize) {}",
            "(xs: list<string>, key: to-usize-function) -> list<string>",
        ),
        (
            "pub fn sort(xs: &mut Vec<i64>, key: &dyn Fn(&i64) -> u8) {}",
            "(xs: list<s64>, key: to-u8-function) -> list<s64>",
        ),
        (
            "pub fn map<T, U>(xs: &[T], f: impl Fn(&T) -> U) -> Vec<U> { vec![] }",
            "(xs: list<T>, f: key-function) -> list<U>",
        ),
        (
            "pub fn words(text: &str, f: impl Fn(&str) -> String) -> String { f(text) }",
            "(text: string, f: map-function) -> string",
        ),
    ] {
        assert_eq!(signature(function).as_deref(), Ok(expected));
    }
    for (function, part) in [
        ("Fn()", "the function impl Fn() (one that can be passed"),
        ("Fn(u8, u8, u8) -> u8", "takes a value, and returns bool"),
        (
            "Fn(u8) -> Option<u8>",
            "the function impl Fn(u8) -> Option<u8> (",
        ),
        (
            "Fn(&u8, &u16) -> Ordering",
            "which has no counterpart in WIT",
        ),
        ("Fn(Node) -> u8", "the function"),
        ("FnMut(u8)", "the function"),
    ] {
        let text = format!("pub fn f(x: u8, f: impl {function}) -> u8 {{ x }}");
        let refused = signature(&text).unwrap_err();
        assert!(refused.contains(part), "{refused}");
    }
    for text in [
        "pub fn f(x: u8) -> impl Fn(u8) -> u8 { move |y| x + y }",
        "pub fn f(x: u8, f: Option<fn(u8) -> u8>) -> u8 { x }",
    ] {
        let refused = signature(text).unwrap_err();
        assert!(
            refused.contains("a function can be a parameter alone"),
            "{refused}"
        );
    }
    let three = "pub fn f(x: u8, a: fn(u8) -> u8, b: fn(u8) -> u8, c: fn(u8) -> u8) -> u8 { x }";
    assert!(
        signature(three)
            .unwrap_err()
            .contains("more than 2 functions")
    );
    let twice =
        "pub enum MapFunction { A } pub fn f(x: MapFunction, f: fn(u8) -> u8) -> u8 { f(1) }";
    assert!(
        signature(twice)
            .unwrap_err()
            .contains("two enums called map-function")
    );
    // An array of them, or one inside another value, is none of these.
    assert!(signature("pub fn f(fs: Vec<fn(u8) -> u8>) -> u8 { 1 }").is_err());
}

#[test]
fn only_public_functions_that_can_be_called_count() {
    let text = "fn a() -> u8 { 0 } pub async fn b() -> u8 { 0 } pub unsafe fn c() -> u8 { 0 }
        pub(crate) fn d() -> u8 { 0 } pub fn e() -> u8 { 0 } mod m { pub fn f() {} }";
    let functions = public_functions(text).unwrap();
    let names: Vec<&str> = functions.iter().map(|function| &*function.name).collect();
    assert_eq!(names, ["e"]);
    let text = format!("{text} impl S {{ pub fn g(&self) {{}} fn h() {{}} }}");
    let found: Vec<String> = uncallable(&text).iter().map(ToString::to_string).collect();
    assert_eq!(
        found,
        [
            "b is async",
            "c is unsafe",
            "f is in the module m",
            "g is a method"
        ]
    );
    assert!(public_functions("pub fn (").is_err());
}

#[test]
fn case_271_functions_of_functions_have_bounds() {
    for depth in [2, 10, 40] {
        let nested = format!("{}u8{}", "impl Fn(".repeat(depth), ") -> u8".repeat(depth));
        let refused = signature(&format!("pub fn f(f: {nested}) -> u8 {{ 0 }}")).unwrap_err();
        assert!(
            refused.contains("which has no counterpart in WIT"),
            "{refused}"
        );
    }
    let many: Vec<String> = (0..50).map(|one| format!("f{one}: fn(u8) -> u8")).collect();
    let refused = signature(&format!("pub fn f({}) -> u8 {{ 0 }}", many.join(", "))).unwrap_err();
    assert!(
        refused.contains("it takes more than 2 functions"),
        "{refused}"
    );
    let more = vec![many.join(", "); 20].join(", ");
    assert!(signature(&format!("pub fn f({more}) -> u8 {{ 0 }}")).is_err());
    let of_many = format!(
        "pub fn f(f: impl Fn({}) -> u8) -> u8 {{ 0 }}",
        "u8, ".repeat(3_000)
    );
    assert!(signature(&of_many).is_err());
    let named = "pub enum OrderFunction { Natural, Reversed, Third }
        pub fn f(x: OrderFunction, f: fn(&u8, &u8) -> Ordering) -> u8 { 0 }";
    let refused = signature(named).unwrap_err();
    assert!(
        refused.contains("two enums called order-function"),
        "{refused}"
    );
}

#[test]
fn a_variable_is_passed_as_the_function_takes_its_value() {
    let vector = ".collect::<Vec<_>>()";
    for (parameters, expected) in [
        ("x: &[u8]", "&x".to_owned()),
        ("x: Vec<u8>", "x.clone()".to_owned()),
        (
            "x: &[usize]",
            format!("&x.iter().map(|item| *item as usize){vector}"),
        ),
        (
            "x: &[&str]",
            format!("&x.iter().map(|item| item.as_str()){vector}"),
        ),
        (
            "x: Vec<(isize, String)>",
            format!("x.iter().map(|item| (*(&item.0) as isize, (&item.1).clone())){vector}"),
        ),
        (
            "x: &[Vec<usize>]",
            format!("&x.iter().map(|item| item.iter().map(|item| *item as usize){vector}){vector}"),
        ),
        (
            "x: Option<usize>",
            "x.as_ref().map(|item| *item as usize)".to_owned(),
        ),
        (
            "x: &std::collections::BTreeSet<u8>",
            "&x.iter().map(|item| *item).collect()".to_owned(),
        ),
    ] {
        let source = format!("pub fn f({parameters}) -> u8 {{ 0 }}");
        let found = public_functions(&source).unwrap().remove(0).passing;
        let [(before, behind)] = &found.unwrap()[..] else {
            panic!("{parameters}");
        };
        assert_eq!(format!("{before}x{behind}"), expected);
    }
    let changed = public_functions("pub fn f(x: &mut [u8]) -> u8 { 0 }").unwrap();
    assert_eq!(changed[0].passing, None);
}
