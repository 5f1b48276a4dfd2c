//! Errors of a file: findings, each with its span, the reason and the help.

use miette::{Diagnostic, LabeledSpan, NamedSource, SourceCode};
use std::fmt;
use std::ops::Range;

/// The most findings that are shown: a file with more is easier to fix in steps.
const FINDINGS_SHOWN_MAX: usize = 10;

/// The longest line that is shown with a mark below it, in bytes: the library that draws marks fails
/// beyond 65,535 columns. A file with a longer line is not shown.
const LINE_BYTES_MAX: usize = 4096;

/// The most characters of a foreign text that a message quotes.
const QUOTED_CHARS_MAX: usize = 60;

/// Word for the experiment file in messages.
pub(super) const EXPERIMENT: &str = "experiment";

/// An experiment file, or a file it names, that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// There is no such file.
    #[error("there is no {what} at `{path}`")]
    Missing {
        /// The kind of file.
        what: &'static str,
        /// The path, as the user wrote it.
        path: String,
    },
    /// The file cannot be read.
    #[error("cannot read `{path}`: {reason}")]
    Unreadable {
        /// The path, as the user wrote it.
        path: String,
        /// The error of the system, or that the file is too large or not text.
        reason: String,
    },
    /// The file was read, and is invalid.
    #[error("{0}")]
    Invalid(Findings),
    /// A request without an experiment file is refused.
    #[error("{0}")]
    Refused(String),
}

impl Diagnostic for ConfigError {
    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        match self {
            Self::Missing { what, .. } if *what == EXPERIMENT => Some(Box::new(
                "name a folder that holds a `bakeoff.toml`, or such a file",
            )),
            Self::Missing { .. } => None,
            Self::Unreadable { .. } | Self::Refused(_) => None,
            Self::Invalid(findings) => findings.help(),
        }
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        match self {
            Self::Invalid(findings) => findings.source_code(),
            _ => None,
        }
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        match self {
            Self::Invalid(findings) => findings.labels(),
            _ => None,
        }
    }

    fn related<'a>(&'a self) -> Option<Box<dyn Iterator<Item = &'a dyn Diagnostic> + 'a>> {
        match self {
            Self::Invalid(findings) => findings.related(),
            _ => None,
        }
    }
}

/// One error at one place of a file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Finding {
    /// The error: a lowercase sentence.
    pub message: String,
    /// The span of the place, in bytes.
    pub span: Range<usize>,
    /// The label of the span.
    pub label: String,
    /// A related span, with its label.
    pub other: Option<(Range<usize>, String)>,
    /// The next step.
    pub help: Option<String>,
}

impl Finding {
    /// Makes a finding.
    pub fn new(
        span: Range<usize>,
        message: impl Into<String>,
        label: impl Into<String>,
        help: impl Into<String>,
    ) -> Self {
        Self {
            message: message.into(),
            span,
            label: label.into(),
            other: None,
            help: Some(help.into()),
        }
    }

    fn make_inert(&mut self) {
        let other = self.other.as_mut().map(|(_, label)| label);
        let texts = [&mut self.message, &mut self.label];
        for text in texts.into_iter().chain(other).chain(&mut self.help) {
            *text = escaped(text.chars());
        }
    }

    /// Adds a related span.
    #[must_use]
    pub fn with_other(mut self, span: Range<usize>, label: impl Into<String>) -> Self {
        self.other = Some((span, label.into()));
        self
    }
}

impl Diagnostic for Finding {
    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.help
            .as_ref()
            .map(|help| Box::new(help) as Box<dyn fmt::Display>)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let at = |span: &Range<usize>, label: &String| {
            LabeledSpan::new_with_span(Some(label.clone()), span.clone())
        };
        let first = at(&self.span, &self.label);
        let other = self.other.as_ref().map(|(span, label)| at(span, label));
        Some(Box::new(std::iter::once(first).chain(other)))
    }
}

/// All findings in one file, in the order of the file. Never empty.
#[derive(Debug)]
pub struct Findings {
    source: NamedSource<String>,
    list: Vec<Finding>,
    left_out: usize,
}

impl Findings {
    /// Makes findings about a text that are safe to print: characters that control a terminal or the
    /// direction of text are replaced in the text, byte for byte, and escaped in the findings, which may
    /// quote other files.
    pub(super) fn new(name: &str, text: &str, mut list: Vec<Finding>) -> Self {
        list.sort_by_key(|finding| finding.span.start);
        list.dedup();
        let left_out = list.len().saturating_sub(FINDINGS_SHOWN_MAX);
        list.truncate(FINDINGS_SHOWN_MAX);
        list.iter_mut().for_each(Finding::make_inert);
        Self {
            source: NamedSource::new(inert(name), inert(text)),
            list,
            left_out,
        }
    }

    /// The findings, at most 10 of them.
    pub fn list(&self) -> &[Finding] {
        &self.list
    }

    /// Returns the line in which a span begins, from 1.
    fn line(&self, span: &Range<usize>) -> usize {
        let before = self.source.inner().get(..span.start);
        before.map_or(1, |text| 1 + text.matches('\n').count())
    }

    /// Returns a finding with its line, and what the labels of its places say.
    fn told(&self, finding: &Finding) -> String {
        let Finding {
            message,
            span,
            label,
            other,
            ..
        } = finding;
        let mut text = format!("line {}: {message}", self.line(span));
        if !label.is_empty() {
            text += &format!(" ({label})");
        }
        if let Some((span, label)) = other {
            text += &format!("; line {}: {label}", self.line(span));
        }
        text
    }

    /// Returns each finding with its line, as one text, where nobody shows the file beside them.
    fn in_lines(&self) -> String {
        let list = self.list.iter();
        let list: Vec<String> = list
            .map(|one| format!("line {}: {}", self.line(&one.span), one.message))
            .collect();
        let more = match self.left_out {
            0 => String::new(),
            count => format!("; and {count} more"),
        };
        list.join("; ") + &more
    }
}

impl ConfigError {
    /// Returns the error as one text that needs no file beside it: findings have their lines.
    pub fn in_lines(&self) -> String {
        match self {
            Self::Invalid(findings) => findings.in_lines(),
            other => other.to_string(),
        }
    }

    /// Returns the error as text without the file beside it: each finding with its place, and what is said of the place.
    pub fn with_places(&self) -> String {
        let Self::Invalid(findings) = self else {
            return self.to_string();
        };
        let mut told: Vec<String> = Vec::new();
        for finding in &findings.list {
            let text = findings.told(finding);
            if !told.contains(&text) {
                told.push(text);
            }
        }
        let more = match findings.left_out {
            0 => String::new(),
            count => format!("; and {count} more"),
        };
        format!("{}, {}{more}", findings.source.name(), told.join("; "))
    }

    /// Returns the next step; with its line, if there are several findings.
    pub fn advice(&self) -> Option<String> {
        let Self::Invalid(findings) = self else {
            return self.help().map(|help| help.to_string());
        };
        if let [only] = findings.list.as_slice() {
            return only.help.clone();
        }
        let mut steps: Vec<String> = Vec::new();
        for finding in &findings.list {
            let step = (finding.help.as_ref())
                .map(|help| format!("line {}: {help}", findings.line(&finding.span)));
            steps.extend(step.filter(|step| !steps.contains(step)));
        }
        Some(steps.join("; ")).filter(|steps| !steps.is_empty())
    }
}

impl fmt::Display for Findings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.list.as_slice() {
            [only] => f.write_str(&only.message),
            several => {
                let count = several.len() + self.left_out;
                write!(f, "{count} things are wrong in {}", self.source.name())
            }
        }
    }
}

/// A single finding is shown as itself; several are shown one after another.
impl Diagnostic for Findings {
    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        match (self.list.as_slice(), self.left_out) {
            ([only], _) => only.help(),
            (_, 0) => None,
            (_, more) => Some(Box::new(format!(
                "the first of them follow; {more} more do not"
            ))),
        }
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        let mut lines = self.source.inner().lines();
        lines
            .all(|line| line.len() <= LINE_BYTES_MAX)
            .then_some(&self.source as _)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        match self.list.as_slice() {
            [only] => only.labels(),
            _ => None,
        }
    }

    fn related<'a>(&'a self) -> Option<Box<dyn Iterator<Item = &'a dyn Diagnostic> + 'a>> {
        match self.list.as_slice() {
            [_] => None,
            several => Some(Box::new(several.iter().map(|one| one as &dyn Diagnostic))),
        }
    }
}

impl std::error::Error for Findings {}

/// Returns true if a character controls a terminal or the direction of text.
fn is_active(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{200e}' | '\u{200f}' | '\u{061c}' | '\u{2028}' | '\u{2029}'
        )
        || matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Replaces every active character but line ends and tabs by a harmless one of the same length in
/// bytes, so that spans stay valid.
pub(super) fn inert(text: &str) -> String {
    let replace = |character: char| match character {
        '\n' | '\t' => character,
        // A carriage return alone would let a line overwrite itself on a terminal.
        '\r' => ' ',
        other if !is_active(other) => other,
        other if other.len_utf8() == 1 => '?',
        other if other.len_utf8() == 2 => '¿',
        _ => '\u{fffd}',
    };
    text.chars().map(replace).collect()
}

/// Escapes every active character but line ends and tabs.
fn escaped(text: impl Iterator<Item = char>) -> String {
    let mut shown = String::new();
    for character in text {
        match character {
            '\n' | '\t' => shown.push(character),
            other if is_active(other) => shown.extend(other.escape_unicode()),
            other => shown.push(other),
        }
    }
    shown
}

/// Quotes a foreign text in a message: bounded in length, on one line, escaped.
pub(super) fn quoted(text: &str) -> String {
    let start = text.chars().take(QUOTED_CHARS_MAX);
    let mut shown = escaped(start)
        .replace('\n', "\\u{a}")
        .replace('\t', "\\u{9}");
    if text.chars().nth(QUOTED_CHARS_MAX).is_some() {
        shown.push('…');
    }
    format!("`{shown}`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replacing_keeps_every_byte_in_its_place() {
        let text = "a\u{1b}[2J\u{9b}b\u{202e}c\r\n\td";
        let safe = inert(text);
        assert_eq!(safe.len(), text.len());
        assert_eq!(safe, "a?[2J¿b\u{fffd}c \n\td");
    }

    #[test]
    fn a_quoted_text_is_short_and_inert() {
        assert_eq!(quoted("heap"), "`heap`");
        assert_eq!(quoted("a\u{1b}[31m\n"), "`a\\u{1b}[31m\\u{a}`");
        assert_eq!(quoted(&"x".repeat(1000)).chars().count(), 63);
    }

    #[test]
    fn many_findings_are_counted_and_cut() {
        let finding = |at: usize| Finding::new(at..at + 1, format!("wrong {at}"), "here", "fix it");
        let all = Findings::new("f", &"x".repeat(50), (0..50).rev().map(finding).collect());
        assert_eq!(all.to_string(), "50 things are wrong in f");
        assert_eq!(all.list().len(), FINDINGS_SHOWN_MAX);
        assert_eq!(all.list()[0].message, "wrong 0");
        assert_eq!(
            all.help().unwrap().to_string(),
            "the first of them follow; 40 more do not"
        );
    }

    #[test]
    fn an_error_without_its_file_has_places_with_their_next_steps() {
        let finding = |at: usize, help: &str| Finding::new(at..at + 1, "wrong", "here", help);
        let list = vec![finding(4, "mend"), finding(2, "drop"), finding(0, "mend")];
        let error = ConfigError::Invalid(Findings::new("f.toml", "a\nb\nc", list));
        let told = "f.toml, line 1: wrong (here); line 2: wrong (here); line 3: wrong (here)";
        assert_eq!(error.with_places(), told);
        let steps = "line 1: mend; line 2: drop; line 3: mend";
        assert_eq!(error.advice().as_deref(), Some(steps));
        let one = finding(0, "mend").with_other(4..5, "and there");
        let error = ConfigError::Invalid(Findings::new("f.toml", "a\nb\nc", vec![one]));
        let told = "f.toml, line 1: wrong (here); line 3: and there";
        assert_eq!(error.with_places(), told);
        assert_eq!(error.advice().as_deref(), Some("mend"));
        let refused = ConfigError::Refused("no".to_owned());
        assert_eq!(refused.with_places(), "no");
        assert_eq!(refused.advice(), None);
        let missing = |what| ConfigError::Missing {
            what,
            path: "x".to_owned(),
        };
        assert!(missing(EXPERIMENT).advice().is_some());
        assert_eq!(missing("file of cases").advice(), None);
    }

    #[test]
    fn what_a_finding_quotes_is_made_visible_and_endless_lines_are_not_shown() {
        let shown = |text: &str| {
            let finding = Finding::new(text.len() - 1..text.len(), "a\u{1b}[2J\nb", "c", "d\u{7}");
            let findings = Findings::new("f", text, vec![finding]);
            let mut out = String::new();
            let handler = miette::GraphicalReportHandler::new();
            handler.render_report(&mut out, &findings).unwrap();
            assert!(out.contains("a\\u{1b}[2J"), "{out:?}");
            assert!(out.contains("d\\u{7}"), "{out:?}");
            out
        };
        assert!(shown("mark = this").contains("mark = this"));
        assert!(!shown(&"x".repeat(70_000)).contains("xxx"));
    }
}
