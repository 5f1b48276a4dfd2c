//! The evaluators that come with bakeoff, on evidence that is known beforehand.

/// The module that an evaluator's file uses.
pub mod bakeoff {
    pub use bakeoff_guest::evaluator::*;
}

/// Branching complexity.
#[path = "../../components/branches/branches.rs"]
pub mod branches;
/// The evaluator of how full bins are.
#[path = "../../examples/bin-packing/evaluators/fullness.rs"]
pub mod fullness;
/// Size as it is read.
#[path = "../../components/source-size/source_size.rs"]
pub mod source_size;
/// The evaluator that `bakeoff init --evaluator` writes.
#[path = "../../host/src/cli/template/evaluator.rs"]
pub mod template;

use bakeoff::{Answer, KnownEvidence};

/// Branches and depth of a source.
fn counted(text: &str) -> (usize, usize) {
    let evidence = KnownEvidence::of_source(text);
    let readings = branches::evaluate(&evidence).unwrap();
    let named = |name: &str| readings.iter().find(|one| one.criterion == name).unwrap();
    (
        named("branches").value as usize,
        named("depth").value as usize,
    )
}

#[test]
fn branches_are_counted_as_mccabe_does() {
    assert_eq!(counted("fn f() {}"), (1, 1));
    assert_eq!(
        counted("fn f(a: bool) { if a { g() } else if b { h() } }"),
        (3, 2)
    );
    assert_eq!(
        counted("fn f() { for i in 0..3 { while g(i)? && h() {} } }"),
        (5, 3)
    );
    assert_eq!(
        counted("fn f() { match x { 1 => a, 2 | 3 => b, _ => c } }"),
        (3, 2)
    );
    let nested = "fn f() { match x { 1 => match y { 1 => a, _ => b }, _ => c } }";
    assert_eq!(counted(nested).0, 3);
    for (text, branches) in [
        ("fn f() { let Some(x) = y else { return }; }", 2),
        (
            "fn f() { match if a { b } else { c } { 1 => d, _ => e } }",
            3,
        ),
        ("fn f() { match !x { true => a, false => b } }", 2),
        (
            "impl A<{ N }> for B { fn f() { for Point { x } in y {} } }",
            2,
        ),
        ("fn f() { if x <= 0. || 1. <= x { } }", 3),
    ] {
        assert_eq!(counted(text).0, branches, "{text}");
    }
}

#[test]
fn what_only_looks_like_a_branch_is_none() {
    for text in [
        "// if a { } && b",
        "/* if /* while */ for */",
        "const A: &str = \"if a && b\";",
        "const A: &str = r#\"if \" && b\"#;",
        "const A: [u8; 2] = [b'\\'', b'?'];",
        "impl<T: ?Sized> Display for T where for<'a> &'a T: Copy;",
        "fn f() { let g = || 1; h(|| 2); let r = &&g; }",
        "const A: &&str = b as &&str; fn f<'a>(&&x: &'a &str) { let &&y = x; }",
        "fn f(r#if: u8) { r#match(r#if) }",
        "macro_rules! m { ($if:ident $(, $b:ty)?) => { $if }; ($c:ty) => { 1 } }",
        "fn f() { set! { 1 => 2, 3 => 4 }; let g = #[inline] || 1; }",
        "const IFFY: char = '\"'; const C: char = '\\u{3f}';",
    ] {
        assert_eq!(counted(text).0, 1, "{text}");
    }
}

#[test]
fn text_that_breaks_off_is_counted_as_far_as_it_goes() {
    for text in [
        "/* if",
        "\"if",
        "r#\"if",
        "'",
        "b'\\",
        "fn f() { if é",
        "}}}",
    ] {
        let (branches, _) = counted(text);
        assert!((1..=2).contains(&branches), "{text}");
    }
    let deep = counted(&"{ if ".repeat(5_000));
    assert_eq!(deep, (5_001, 50));
}

#[test]
fn a_component_without_source_has_no_branches() {
    assert_eq!(branches::evaluate(&KnownEvidence::default()).unwrap(), []);
    assert!(branches::describe().iter().all(|one| one.needs_source));
}

#[test]
fn bins_are_as_full_as_what_is_in_them() {
    let call = |arguments: [&str; 2], answer: &str| Answer {
        case: 0,
        arguments: arguments.map(str::to_owned).to_vec(),
        answer: Some(answer.to_owned()),
    };
    let answers = vec![
        call(["10", "[5, 5, 10]"], "[0, 0, 1]"),
        call(["10", "[5, 5]"], "[0, 3]"),
    ];
    let readings = fullness::evaluate(&KnownEvidence::of_answers(answers)).unwrap();
    let values: Vec<f64> = readings.iter().map(|one| one.value).collect();
    assert_eq!(values, [1.0, 0.25]);
    let wrong = vec![Answer::default()];
    assert!(fullness::evaluate(&KnownEvidence::of_answers(wrong)).is_err());
    assert_eq!(fullness::describe().len(), 1);
}

#[test]
fn the_evaluator_to_begin_with_counts_places_that_may_panic() {
    let text = "fn f() { a.unwrap(); b.expect(\"b\"); panic!(\"c\") }";
    let readings = template::evaluate(&KnownEvidence::of_source(text)).unwrap();
    assert_eq!(readings[0].value, 3.0);
    assert_eq!(template::describe()[0].name, readings[0].criterion);
}

/// Tokens of a source, and those of its longest function.
fn size(text: &str) -> (usize, usize) {
    let tokens = source_size::tokens(text);
    (tokens.len(), source_size::longest_function(&tokens))
}

#[test]
fn tokens_do_not_depend_on_layout_comments_or_the_length_of_names() {
    assert_eq!(size("fn f() { g(1) }"), (10, 4));
    assert_eq!(
        size("// x\nfn longer_name()\n{\n    g(1) /* a /* b */ c */\n}\n"),
        (10, 4)
    );
    // Texts and characters are one token, whatever is in them; a lifetime is a sign and a name.
    assert_eq!(
        size(r##"f("a // b", r#"c " d"#, b'\'', '}', 'a: loop)"##).0,
        15
    );
    // So is a number, and a name that would be a keyword.
    for (text, tokens) in [
        ("1.5e-3f64", 1),
        ("0x1e-3", 3),
        ("1..2", 4),
        ("1.max(2)", 6),
        ("x.0.1", 3),
        ("r#if", 1),
    ] {
        assert_eq!(size(text).0, tokens, "{text}");
    }
    assert_eq!(size("\"ends nowhere").0, 1);
    assert_eq!(size("/* ends nowhere").0, 0);
    // Of a trait's signature and a type, nothing is a body; a function in a function is part of it.
    assert_eq!(size("trait T { fn a(); } type F = fn(u8) -> u8;").1, 0);
    assert_eq!(size("fn a() { x } fn b() { fn c() { y y } z }").1, 9);
    assert_eq!(size("fn a() {").1, 0);
}

#[test]
fn sizes_are_readings_and_a_component_has_none() {
    let readings = source_size::evaluate(&KnownEvidence::of_source("// nothing")).unwrap();
    let values: Vec<f64> = readings.iter().map(|one| one.value).collect();
    assert_eq!(values, [1.0, 1.0]);
    assert_eq!(
        source_size::evaluate(&KnownEvidence::default()).unwrap(),
        []
    );
    let names: Vec<String> = source_size::describe()
        .into_iter()
        .map(|one| one.name)
        .collect();
    assert_eq!(names, ["tokens", "longest-function"]);
}
