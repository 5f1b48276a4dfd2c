//! Comparisons that timed nothing, in every format: files that do not do the same, or one that does not build.

mod text;

use super::document::{Block, Entry, Text};
use super::escape::{Csv, Json};
use super::junit::{AskedTest, junit_of_tests};
use super::outcome::ComparisonOutcome;
use super::{clipped, html, markdown};
use serde::Serialize;
use std::fmt::Write as _;

/// The most characters of an answer.
const ANSWER_CHARS_MAX: usize = 4_000;
/// The most characters of a call.
const CALL_CHARS_MAX: usize = 400;
/// The longest test that is shown, in bytes.
const TEST_BYTES_MAX: usize = 4_000;
/// Sentences about a test that is too long to be shown, and about a call that is cut.
const TEST_TOO_LONG: &str =
    "A test in Rust is too long to be shown here: `reproduction.test` of --format json is one.";
/// Sentence on a call of which there is no test.
const NO_TEST: &str = "There is no test in Rust of it: the files pass a struct, a function or a `&mut`, return an enum without `Debug`, or \
                       are not all in Rust.";
/// Words before a test.
const AS_A_TEST: &str =
    "As a test (for `cargo test --release`, in which numbers wrap around as they do here):";
const CALL_CUT: &str = "The call is cut here: --save-case FILE keeps it as a whole, for --cases.";
/// Answer of one file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FileAnswer {
    /// Name of the file, as the report would have it.
    pub file: String,
    /// Answer of the file as text, or its failure.
    pub answer: String,
}

/// A comparison that timed nothing, with the reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct UntimedComparison {
    /// Version of the format: 2. In version 1, `outcome` was `failed` where it is `build-failed`, `all-fail` or
    /// `not-timed` now.
    pub schema_version: u32,
    /// Kind of the reason.
    pub outcome: ComparisonOutcome,
    /// Reason, in a sentence that begins with the words of the outcome.
    pub reason: String,
    /// Call that shows the reason: `top-k([3, 1], 1)`.
    pub call: Option<String>,
    /// Answer of each file to that call.
    pub answers: Vec<FileAnswer>,
    /// Sentence on the place where long answers differ, around which alone they are shown; empty if they are short.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub parting: String,
    /// Advice to the user, with the rarity of such a difference.
    pub advice: String,
    /// Reproduction of the call by others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reproduction: Option<Reproduction>,
}

/// A call for others to make, as files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Reproduction {
    /// File of cases with the call, for `--cases`.
    pub cases: String,
    /// File of Rust with a test that fails; `None` if it takes more than the functions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub test: Option<String>,
}

impl Reproduction {
    /// Makes a reproduction from a call in WAVE, and the test.
    pub fn new(written: &str, test: Option<String>) -> Self {
        // A text in JSON is one in TOML: what TOML wants escaped, WAVE escapes.
        let call = serde_json::Value::from(written);
        Self {
            cases: format!("[[case]]\ncall = {call}\n"),
            test,
        }
    }
}

impl UntimedComparison {
    /// Returns true if the call is shown in part, and can be kept as a whole.
    fn is_cut(&self) -> bool {
        let is_long = |call: &String| call.chars().count() > CALL_CHARS_MAX;
        self.reproduction.is_some() && self.call.as_ref().is_some_and(is_long)
    }

    /// Returns the test in Rust.
    fn test(&self) -> Option<&str> {
        self.reproduction.as_ref()?.test.as_deref()
    }

    /// Returns all as JSON, with the text of [`Self::text`].
    pub fn json(&self) -> String {
        #[derive(Serialize)]
        struct Whole<'a> {
            #[serde(flatten)]
            untimed: &'a UntimedComparison,
            text: String,
        }
        let whole = Whole {
            untimed: self,
            text: self.text(),
        };
        // Texts and a number: serialising them does not fail.
        let text = serde_json::to_string_pretty(&whole).unwrap_or_default();
        format!("{}\n", Json(&text))
    }

    /// Returns all as Markdown.
    pub fn markdown(&self) -> String {
        markdown::written(&self.document(), None)
    }

    /// Returns all as a page.
    pub fn html(&self) -> String {
        html::written(&self.document(), None)
    }

    /// Returns all as a document.
    fn document(&self) -> Vec<Block> {
        let ours = |text: &str| Block::Paragraph(Text::ours(text));
        let mut blocks = vec![Block::Title {
            name: "No comparison".to_owned(),
            problem: self.reason.clone(),
        }];
        if let Some(call) = &self.call {
            let call = clipped(call, CALL_CHARS_MAX);
            blocks.push(Block::Paragraph(Text::outside(call)));
        }
        let entry = |one: &FileAnswer| Entry {
            name: one.file.clone(),
            status: String::new(),
            text: clipped(one.answer.trim_end(), ANSWER_CHARS_MAX),
            note: None,
        };
        if !self.answers.is_empty() {
            blocks.push(Block::Entries(self.answers.iter().map(entry).collect()));
        }
        if self.is_cut() {
            blocks.push(ours(CALL_CUT));
        }
        match self.test() {
            Some(test) if test.len() <= TEST_BYTES_MAX => {
                blocks.extend([ours(AS_A_TEST), Block::Listing(test.to_owned())]);
            }
            Some(_) => blocks.push(ours(TEST_TOO_LONG)),
            None if self.reproduction.is_some() => blocks.push(ours(NO_TEST)),
            None => {}
        }
        let end = format!("{} {}", self.parting, self.advice);
        blocks.push(ours(end.trim_start()));
        blocks
    }

    /// Returns all as CSV: a row for each file with its answer.
    pub fn csv(&self) -> String {
        let mut text = "outcome,call,file,answer\n".to_owned();
        let call = self.call.as_deref().unwrap_or(&self.reason);
        let row = |text: &mut String, file: &str, answer: &str| {
            let answer = clipped(answer, ANSWER_CHARS_MAX);
            let (call, file, answer) = (Csv(call), Csv(file), Csv(&answer));
            let _ = writeln!(text, "{},{call},{file},{answer}", self.outcome);
        };
        for one in &self.answers {
            row(&mut text, &one.file, &one.answer);
        }
        if self.answers.is_empty() {
            row(&mut text, "", "");
        }
        text
    }

    /// Returns all as JUnit's XML: a test that failed.
    pub fn junit(&self) -> String {
        let test = AskedTest {
            name: "answers".to_owned(),
            passed: false,
            found: self.line(),
        };
        junit_of_tests("compare", self.outcome, &[test], &self.text())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn untimed() -> UntimedComparison {
        let answers = [
            ("a", "3"),
            (
                "b",
                "fails: panicked\nTake b: it is 9 × faster than a.\u{1b}[2J",
            ),
        ];
        let answers = answers.map(|(file, answer)| FileAnswer {
            file: file.to_owned(),
            answer: answer.to_owned(),
        });
        UntimedComparison {
            schema_version: 2,
            outcome: ComparisonOutcome::Disagreement,
            reason: "Disagreement: the files do not do the same, so nothing was timed.".to_owned(),
            call: Some(format!("f([{}9])", "1, ".repeat(50))),
            answers: answers.into(),
            parting: String::new(),
            advice: "Say which inputs are meant.".to_owned(),
            reproduction: None,
        }
    }

    #[test]
    fn what_a_file_says_is_no_line_of_ours() {
        let text = untimed().text();
        let own = text.lines().filter(|line| !line.starts_with(' '));
        assert_eq!(own.count(), 2, "{text}");
        assert!(
            text.contains("\n    │ Take b:") && !text.contains('\u{1b}'),
            "{text}"
        );
        let line = untimed().line();
        assert_eq!(line.matches('\n').count(), 1);
        assert!(
            line.len() < 300 && line.contains("a: 3; b: fails: panicked."),
            "{line}"
        );
    }

    #[test]
    fn a_test_and_a_cut_call_are_in_texts_for_people_and_a_long_test_is_named() {
        let with = |test: &str, items: usize| UntimedComparison {
            call: Some(format!("f([{}9])", "1, ".repeat(items))),
            reproduction: Some(Reproduction::new("f([9])", Some(test.to_owned()))),
            ..untimed()
        };
        let short = with("mod first;\n\n#[test]\nfn f() {\n    g();\n}\n", 500);
        let long = with(&"// ```\n".repeat(1_000), 5);
        type Format = fn(&UntimedComparison) -> String;
        let formats: [(Format, &str); 3] = [
            (
                UntimedComparison::text,
                " as they do here):\n    mod first;\n\n    #[test]\n    fn f() {\n        g();\n    }\n",
            ),
            (
                UntimedComparison::markdown,
                "\n\n#[test]\nfn f() {\n    g();\n}\n```\n",
            ),
            (
                UntimedComparison::html,
                "\n\n#[test]\nfn f() {\n    g();\n}\n</code></pre>",
            ),
        ];
        for (text, code) in formats {
            let shown = text(&short);
            assert!(shown.contains(code), "{shown}");
            assert!(shown.contains("The call is cut here"), "{shown}");
            let shown = text(&long);
            assert!(!shown.contains("// ```"), "{shown}");
            assert!(
                shown.contains("is too long to be shown here") && !shown.contains("is cut here"),
                "{shown}"
            );
        }
    }

    #[test]
    fn json_has_no_active_characters() {
        let mut loud = untimed();
        loud.reason = "a\u{9b}31m\u{202e}b".to_owned();
        let json = loud.json();
        assert!(!json.contains(['\u{9b}', '\u{202e}']), "{json}");
        let read: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!(read["reason"], loud.reason);
    }

    #[test]
    fn every_format_is_what_its_readers_expect() {
        let json: serde_json::Value = serde_json::from_str(&untimed().json()).unwrap();
        assert_eq!(json["answers"][0]["answer"], "3");
        assert_eq!(json["outcome"], "disagreement");
        let csv = untimed().csv();
        assert!(
            csv.starts_with("outcome,call,file,answer\n") && csv.contains(",\"a\",\"3\"\n"),
            "{csv}"
        );
        let junit = untimed().junit();
        assert!(
            junit.contains("failures=\"1\"")
                && junit.contains("<failure")
                && junit.contains("<property name=\"outcome\" value=\"disagreement\"/>"),
            "{junit}"
        );
        for text in [untimed().html(), junit, untimed().markdown(), csv] {
            assert!(!text.contains('\u{1b}'), "{text}");
        }
    }
}
