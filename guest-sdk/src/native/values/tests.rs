use super::*;
use std::fmt::Debug;

fn read<T: Json>(text: &str) -> Result<T, String> {
    let mut reader = Reader::new(text.as_bytes());
    let value = T::read(&mut reader).and_then(|value| {
        reader.end()?;
        Ok(value)
    });
    value.map_err(|Malformed| reader.explain())
}

fn written(value: &impl Json) -> String {
    let mut line = Vec::new();
    value.write(&mut line);
    String::from_utf8(line).unwrap()
}

/// Asserts that texts are those of values, both ways.
fn both_ways<T: Json + PartialEq + Debug>(cases: &[(T, &str)]) {
    for (value, text) in cases {
        assert_eq!(written(value), *text);
        assert_eq!(read::<T>(text).as_ref(), Ok(value), "{text}");
    }
}

#[derive(Debug, PartialEq)]
struct Person {
    name: String,
    nick_name: Option<String>,
    line: u8,
}

record!(Person {
    name = "name",
    nick_name = "nick-name",
    line = "line"
});

#[derive(Debug, PartialEq)]
enum Figure {
    Dot,
    Circle(f64),
    Of(Option<u8>),
}

variant!(Figure { Dot = "dot" } { Circle = "circle", Of = "of" });

#[expect(
    dead_code,
    unreachable_pub,
    reason = "made by a macro for other crates"
)]
mod rights {
    crate::bitflags! {
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub struct Rights: u16 {
            const READ = 1 << 0;
            const WRITE = 1 << 1;
            const LAST = 1 << 9;
        }
    }
}
use rights::Rights;

flags!(Rights { READ = "read", WRITE = "write", LAST = "last" });

#[test]
fn integers_are_exact_and_bounded() {
    both_ways(&[(i8::MIN, "-128"), (i8::MAX, "127"), (0, "0")]);
    both_ways(&[(i16::MIN, "-32768"), (i16::MAX, "32767")]);
    both_ways(&[(i32::MIN, "-2147483648"), (i32::MAX, "2147483647")]);
    both_ways(&[
        (i64::MIN, "-9223372036854775808"),
        (i64::MAX, "9223372036854775807"),
    ]);
    both_ways(&[
        (u64::MAX, "18446744073709551615"),
        ((1 << 53) + 1, "9007199254740993"),
    ]);
    assert_eq!(read("-0"), Ok(0_u8));
    for text in ["256", "-1", "1.0", "1e2", "", "\"1\""] {
        assert!(read::<u8>(text).is_err(), "{text}");
    }
    assert!(read::<u64>("18446744073709551616").is_err());
    assert!(read::<u64>("184467440737095516150").is_err());
    assert!(read::<i64>("9223372036854775808").is_err());
    assert!(read::<i64>("-9223372036854775809").is_err());
}

#[test]
fn floats_have_the_fewest_digits_that_read_back() {
    both_ways(&[
        (0.1, "0.1"),
        (1.0, "1.0"),
        (f64::MAX, "1.7976931348623157e308"),
        (f64::MIN_POSITIVE, "2.2250738585072014e-308"),
        (5e-324, "5e-324"),
        (f64::INFINITY, "\"inf\""),
        (f64::NEG_INFINITY, "\"-inf\""),
    ]);
    both_ways(&[(0.1_f32, "0.1"), (f32::MAX, "3.4028235e38")]);
    assert_eq!(written(&-0.0_f64), "-0.0");
    assert_eq!(read("-0.0").map(f64::to_bits), Ok((-0.0_f64).to_bits()));
    assert_eq!(read("-0").map(f64::to_bits), Ok((-0.0_f64).to_bits()));
    assert_eq!(written(&f32::NAN), "\"nan\"");
    assert!(read::<f64>("\"nan\"").unwrap().is_nan());
    // Just below the middle of two, which is the nearest f64: an f32 is rounded once.
    let below = "1.00000017881393432617187499";
    assert_eq!(read(below).map(f32::to_bits), Ok(0x3f80_0001));
    for text in ["1e999", "\"x\"", "nan", ""] {
        assert!(read::<f64>(text).is_err(), "{text}");
    }
}

#[test]
fn texts_lists_and_tuples_have_their_form() {
    both_ways(&[
        ('é', "\"é\""),
        ('"', r#""\"""#),
        ('\0', r#""\u0000""#),
        ('😀', "\"😀\""),
    ]);
    both_ways(&[(String::new(), "\"\""), ("a\n".to_owned(), r#""a\n""#)]);
    both_ways(&[(vec![true, false], "[true,false]"), (Vec::new(), "[]")]);
    both_ways(&[(
        vec![vec!["a".to_owned(), ",".to_owned()], Vec::new()],
        r#"[["a",","],[]]"#,
    )]);
    both_ways(&[((7_u8, (true,), 'x'), r#"[7,[true],"x"]"#)]);
    assert_eq!(read(" [ 1 ,\t2 ] \r\n"), Ok(vec![1_u8, 2]));
    assert_eq!(read(r#""\ud83d\ude00""#), Ok('😀'));
    for text in ["[1,]", "[,1]", "[1 2]", "[1", "1", "[1]]"] {
        assert!(read::<Vec<u8>>(text).is_err(), "{text}");
    }
    for text in ["[1]", "[1,2,3]", "[]"] {
        assert!(read::<(u8, u8)>(text).is_err(), "{text}");
    }
    assert!(read::<char>("\"ab\"").is_err() && read::<char>("\"\"").is_err());
    let mut reader = Reader::new(b"\"\xff\"");
    assert_eq!(String::read(&mut reader), Err(Malformed));
}

#[test]
fn options_and_results_have_their_form() {
    both_ways(&[(None, "null"), (Some(3), "3")]);
    both_ways(&[
        (None, "null"),
        (Some(None), r#"{"some":null}"#),
        (Some(Some(None)), r#"{"some":{"some":null}}"#),
        (Some(Some(Some(3_u8))), r#"{"some":{"some":3}}"#),
    ]);
    both_ways(&[(Ok(3_u8), r#"{"ok":3}"#), (Err(()), r#"{"error":null}"#)]);
    both_ways(&[
        (Ok(()), r#"{"ok":null}"#),
        (Err("no".to_owned()), r#"{"error":"no"}"#),
    ]);
    both_ways(&[(Some(Ok::<(), ()>(())), r#"{"ok":null}"#)]);
    for text in ["{}", r#"{"other":1}"#, r#"{"ok":1,"error":null}"#, "1"] {
        assert!(read::<Result<u8, ()>>(text).is_err(), "{text}");
    }
    assert!(read::<Option<Option<u8>>>("3").is_err());
}

#[test]
fn named_types_go_by_their_names() {
    let person = |nick_name: Option<&str>| Person {
        name: "Ada".to_owned(),
        nick_name: nick_name.map(str::to_owned),
        line: 36,
    };
    both_ways(&[
        (
            person(Some("A")),
            r#"{"name":"Ada","nick-name":"A","line":36}"#,
        ),
        (person(None), r#"{"name":"Ada","nick-name":null,"line":36}"#),
    ]);
    for text in [
        r#"{"line":36,"name":"Ada"}"#,
        r#"{ "\u006eame" : "Ada" , "line" : 36 }"#,
    ] {
        assert_eq!(read(text), Ok(person(None)));
    }
    for text in [
        r#"{"name":"Ada"}"#,
        r#"{"name":"Ada","name":"Ada","line":36}"#,
        r#"{"name":"Ada","line":36,"other":1}"#,
        "[]",
    ] {
        assert!(read::<Person>(text).is_err(), "{text}");
    }
    both_ways(&[
        (Figure::Dot, "\"dot\""),
        (Figure::Circle(0.5), r#"{"circle":0.5}"#),
        (Figure::Of(None), r#"{"of":null}"#),
    ]);
    for text in ["\"circle\"", r#"{"dot":null}"#, "\"other\"", "{}"] {
        assert!(read::<Figure>(text).is_err(), "{text}");
    }
    both_ways(&[
        (Rights::empty(), "[]"),
        (Rights::all(), r#"["read","write","last"]"#),
    ]);
    assert_eq!(read(r#"["last","read"]"#), Ok(Rights::READ | Rights::LAST));
    for text in [r#"["read","read"]"#, r#"["other"]"#, "\"read\""] {
        assert!(read::<Rights>(text).is_err(), "{text}");
    }
}
