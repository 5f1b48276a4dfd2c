//! The difference of a candidate from the one that it was made from, as lines of a terminal and as markup. Names, values and
//! lines come from outside.

use super::escape::{Html, Plain};
use bakeoff_domain::report::{CandidateDifference, DifferenceLine, ValueDifference};
use std::fmt::Write as _;

/// Returns the difference as lines of a terminal: values first, then lines of the source, `-` before one that only the
/// source before has, `+` before one that only that of the candidate has. Empty if nothing differs.
pub fn difference(difference: &CandidateDifference) -> String {
    let mut text = String::new();
    for value in values(difference) {
        text += &format!("{}\n", Plain(&value));
    }
    for line in &difference.lines {
        let line = format!("{} {}", mark(line), Plain(&spaced(line.text())));
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// Returns the values that differ, each as a text: `n: 1 → 2`.
pub(super) fn values(difference: &CandidateDifference) -> Vec<String> {
    let shown = |value: &Option<String>| value.clone().unwrap_or_else(|| "none".to_owned());
    let in_words = |one: &ValueDifference| {
        let (before, after) = (shown(&one.before), shown(&one.after));
        format!("{}: {before} → {after}", one.name)
    };
    difference.values.iter().map(in_words).collect()
}

/// Returns the lines that differ as markup, which tells those of one source also to whoever sees no colours; empty if none
/// differs.
pub(super) fn lines_as_markup(difference: &CandidateDifference) -> String {
    if difference.lines.is_empty() {
        return String::new();
    }
    let mut markup = "<pre class=\"change\" tabindex=\"0\"><code>".to_owned();
    for line in &difference.lines {
        let text = spaced(line.text());
        let (mark, text) = (mark(line), Html(&text));
        // Writing to a text cannot fail.
        let _ = match line {
            DifferenceLine::Before(_) => writeln!(markup, "<del>{mark} {text}</del>"),
            DifferenceLine::After(_) => writeln!(markup, "<ins>{mark} {text}</ins>"),
            _ => writeln!(markup, "{mark} {text}"),
        };
    }
    markup + "</code></pre>\n"
}

fn mark(line: &DifferenceLine) -> &'static str {
    match line {
        DifferenceLine::Same(_) => " ",
        DifferenceLine::Before(_) => "-",
        DifferenceLine::After(_) => "+",
        DifferenceLine::LeftOut(_) => "  …",
    }
}

/// Returns a line with spaces in the place of tabs, and of line breaks, which a forged one may have.
fn spaced(line: &str) -> String {
    line.replace('\t', "    ").replace('\n', " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hostile() -> CandidateDifference {
        CandidateDifference {
            candidate: "a 1.1".to_owned(),
            values: vec![ValueDifference {
                name: "n\u{202e}".to_owned(),
                before: None,
                after: Some("<b>".to_owned()),
            }],
            lines: vec![
                DifferenceLine::Same("\tfn f() {".to_owned()),
                DifferenceLine::Before("</code></pre><script>alert(1)</script>".to_owned()),
                DifferenceLine::After("a\u{1b}[2J\u{202e}\r\nb".to_owned()),
                DifferenceLine::LeftOut(7),
                DifferenceLine::Same(String::new()),
            ],
            more_lines: 0,
        }
    }

    #[test]
    fn a_terminal_shows_marked_lines_and_nothing_active() {
        let text = difference(&hostile());
        let expected = "n\\u{202e}: none → <b>\n      fn f() {\n- </code></pre><script>alert(1)</script>\n+ \
                        a\\u{1b}[2J\\u{202e} b\n  …\n\n";
        assert_eq!(text, expected);
        assert_eq!(difference(&CandidateDifference::default()), "");
    }

    #[test]
    fn no_line_of_a_source_is_markup() {
        let markup = lines_as_markup(&hostile());
        assert!(
            markup.contains(
                "\n<del>- &lt;/code&gt;&lt;/pre&gt;&lt;script&gt;alert(1)&lt;/script&gt;</del>\n"
            ),
            "{markup}"
        );
        assert!(markup.contains("<ins>+ a\\u{1b}[2J\\u{202e}"), "{markup}");
        assert_eq!(markup.matches("</pre>").count(), 1, "{markup}");
        assert!(
            !markup
                .chars()
                .any(|c| c != '\n' && super::super::escape::is_active(c))
        );
    }
}
