//! Decisions between true and false in code.

use super::source::{group_length, tokens};

/// The lines of a file in which a `match` has two arms alone, `true` and `false`.
pub(crate) fn matches_on_bools(text: &str) -> Vec<usize> {
    let tokens = tokens(text);
    let line = |token: &str| {
        let at = token.as_ptr() as usize - text.as_ptr() as usize;
        1 + text[..at].matches('\n').count()
    };
    (0..tokens.len())
        .filter(|at| tokens[*at] == "match" && is_on_bool(&tokens[at + 1..]))
        .map(|at| line(tokens[at]))
        .collect()
}

/// Returns true if the arms of the `match` whose value begins here are `true` and `false` alone.
fn is_on_bool(rest: &[&str]) -> bool {
    let mut at = 0;
    while rest.get(at).is_some_and(|token| *token != "{") {
        at += match rest[at] {
            "(" | "[" => group_length(&rest[at..]),
            _ => 1,
        };
    }
    if at == rest.len() {
        return false;
    }
    let arms = &rest[at + 1..at + group_length(&rest[at..]) - 1];
    let mut values = Vec::new();
    let mut at = 0;
    while at < arms.len() {
        match &arms[at..] {
            ["(" | "[" | "{", ..] => at += group_length(&arms[at..]) - 1,
            [value @ ("true" | "false"), "=", ">", ..] if begins_an_arm(&arms[..at]) => {
                values.push(*value);
                at += 2;
            }
            // An arm with another pattern, or with a condition.
            ["=", ">", ..] => return false,
            _ => {}
        }
        at += 1;
    }
    values.len() == 2
}

fn begins_an_arm(before: &[&str]) -> bool {
    matches!(before.last(), None | Some(&("," | "}")))
}

#[test]
fn a_match_on_true_and_false_alone_is_found() {
    for (code, lines) in [
        ("match a {\n true => 1,\n false => 2,\n}", vec![1]),
        (
            "let a =\n match b(|c| { c }) { false => {} true => d(), };",
            vec![2],
        ),
        (
            "match a { true => match b { false => 1, true => 2 }, false => 3 }",
            vec![1, 1],
        ),
        ("match a { true if b => 1, true => 2, false => 3 }", vec![]),
        ("match a { true => 1, false if b => 2, false => 3 }", vec![]),
        (
            "match (a, b) { (true, _) => 1, (false, true) => 2, (false, false) => 3 }",
            vec![],
        ),
        ("match a { Some(true) => 1, _ => 2 }", vec![]),
        (
            "if a { \"match b { true => 1, false => 2 }\" } else { c }",
            vec![],
        ),
    ] {
        assert_eq!(matches_on_bools(code), lines, "{code}");
    }
}
