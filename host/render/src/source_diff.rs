//! The difference of two sources, as lines of a terminal.

use super::escape::Plain;
use similar::{Algorithm, DiffOp, capture_diff_slices, group_diff_ops};
use std::fmt::Write as _;

/// Lines alike that are kept before and after a difference.
const LINES_AROUND: usize = 3;

/// The most lines of a source that are compared.
const LINES_MAX: usize = 2_000;

/// Returns the lines that differ, escaped, with some around them: `-` before a line that only the old source has, `+` before one
/// that only the new one has. Empty if no line differs.
pub fn source_diff(old: &str, new: &str) -> String {
    let lines = |source: &str| -> Vec<String> {
        let all = source.lines().take(LINES_MAX);
        all.map(|line| Plain(&line.replace('\t', "    ")).to_string())
            .collect()
    };
    let (old, new) = (lines(old), lines(new));
    let ops = capture_diff_slices(Algorithm::Patience, &old, &new);
    let mut text = String::new();
    for group in group_diff_ops(ops, LINES_AROUND) {
        if !text.is_empty() {
            text.push_str("  …\n");
        }
        for op in group {
            let mut put = |mark: char, lines: &[String]| {
                for line in lines {
                    // Writing to a text cannot fail.
                    let _ = writeln!(text, "{}", format!("{mark} {line}").trim_end());
                }
            };
            if matches!(op, DiffOp::Equal { .. }) {
                put(' ', &new[op.new_range()]);
            } else {
                put('-', &old[op.old_range()]);
                put('+', &new[op.new_range()]);
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_differ_are_marked_and_others_left_out() {
        let old: Vec<String> = (0..20).map(|line| format!("line {line}")).collect();
        let mut new = old.clone();
        new[2] = "another\u{1b}[2J".to_owned();
        new.remove(15);
        let diff = source_diff(&old.join("\n"), &new.join("\n"));
        let expected = "  line 0\n  line 1\n- line 2\n+ another";
        assert!(diff.starts_with(expected), "{diff}");
        assert!(!diff.contains('\u{1b}'), "{diff}");
        assert!(diff.contains("\n  …\n  line 12\n"), "{diff}");
        assert!(diff.contains("\n- line 15\n"), "{diff}");
        assert!(!diff.contains("line 8"), "{diff}");
        assert_eq!(source_diff("a\nb", "a\nb\n"), "");
    }
}
