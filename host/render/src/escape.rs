//! Escaped text: one type for each format.
//!
//! In every format, control and formatting characters are made visible: ESC becomes `\u{1b}`. Each
//! format has its own escapes in addition. What a runner of GitHub Actions would take for a command in a job's log,
//! `::` at the beginning of a line or `##[`, is escaped in all of them.

mod markdown;

pub use bakeoff_domain::is_active;
pub use markdown::{FencedBlock, FencedText, Markdown};
use std::fmt::{Display, Formatter, Result, Write};

/// Writes an active character as a visible escape.
fn visible(f: &mut Formatter<'_>, c: char) -> Result {
    write!(f, "\\u{{{:x}}}", c as u32)
}

/// Returns true if a runner of GitHub Actions would take what begins here for a command: `::` with nothing but spaces
/// before it in its line, or `##[` anywhere. Carriage returns between, which no format keeps, do not count.
fn opens_command(text: &str, index: usize) -> bool {
    let (before, rest) = text.split_at(index);
    let mut letters = rest.chars().filter(|c| *c != '\r');
    let mut next = || letters.next();
    match (next(), next()) {
        (Some('#'), Some('#')) => next() == Some('['),
        (Some(':'), Some(':')) => {
            let line = before.trim_end_matches(|c: char| c.is_whitespace() && c != '\n');
            line.is_empty() || line.ends_with('\n')
        }
        _ => false,
    }
}

/// Writes a text without active characters and commands, after escapes of one format: `escape` returns the text for a
/// character that has one.
fn escaped<'e>(
    f: &mut Formatter<'_>,
    text: &str,
    escape: impl Fn(usize, char) -> Option<&'e str>,
) -> Result {
    text.char_indices()
        .try_for_each(|(index, c)| match escape(index, c) {
            Some(escape) => f.write_str(escape),
            None if is_active(c) => visible(f, c),
            None if matches!(c, ':' | '#') && opens_command(text, index) => visible(f, c),
            None => f.write_char(c),
        })
}

/// A text on one line of a terminal. Line breaks become spaces; other active characters are made
/// visible.
pub struct Plain<'a>(pub &'a str);

impl Display for Plain<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        escaped(f, self.0, |_, c| match c {
            '\n' | '\t' => Some(" "),
            '\r' => Some(""),
            _ => None,
        })
    }
}

/// A word that a shell reads unchanged: in single quotes, where it needs them. Active characters stay:
/// what is shown goes through the type of its format as well.
pub struct ShellWord<'a>(pub &'a str);

impl Display for ShellWord<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=,:%+".contains(c);
        if !self.0.is_empty() && self.0.chars().all(plain) {
            f.write_str(self.0)
        } else {
            write!(f, "'{}'", self.0.replace('\'', r"'\''"))
        }
    }
}

/// The path of a file as a word of a shell that no program takes for an option.
pub struct ShellPath<'a>(pub &'a str);

impl Display for ShellPath<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        if self.0.starts_with('-') {
            ShellWord(&format!("./{}", self.0)).fmt(f)
        } else {
            ShellWord(self.0).fmt(f)
        }
    }
}

/// A text on several lines of a terminal: as [`Plain`], with its line breaks.
pub struct Lines<'a>(pub &'a str);

impl Display for Lines<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        self.0.split('\n').enumerate().try_for_each(|(at, line)| {
            if at > 0 {
                f.write_char('\n')?;
            }
            Plain(line).fmt(f)
        })
    }
}

/// A text that is escaped already, and was wrapped after that: no line of it is a command of a runner.
pub struct NoCommands<'a>(pub &'a str);

impl Display for NoCommands<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let text = self.0;
        text.char_indices().try_for_each(|(index, c)| match c {
            ':' | '#' if opens_command(text, index) => visible(f, c),
            c => f.write_char(c),
        })
    }
}

/// A text in HTML, between tags or in a quoted attribute, with its line breaks.
pub struct Html<'a>(pub &'a str);

impl Display for Html<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        escaped(f, self.0, |index, c| match c {
            '&' => Some("&amp;"),
            '<' => Some("&lt;"),
            '>' => Some("&gt;"),
            '"' => Some("&quot;"),
            '\'' => Some("&#39;"),
            '\n' => Some("\n"),
            '\t' => Some("    "),
            '\r' => Some(""),
            ':' if opens_command(self.0, index) => Some("&#58;"),
            '#' if opens_command(self.0, index) => Some("&#35;"),
            _ => None,
        })
    }
}

/// JSON on a terminal and in files: active characters and commands are escapes of JSON, which reads back as the same
/// values.
pub struct Json<'a>(pub &'a str);

impl Display for Json<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        json(f, self.0, &[])
    }
}

/// JSON in an element of HTML that holds data: as [`Json`], without what could end the element.
pub struct ScriptJson<'a>(pub &'a str);

impl Display for ScriptJson<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        json(f, self.0, &['<', '>', '&'])
    }
}

fn json(f: &mut Formatter<'_>, text: &str, more: &[char]) -> Result {
    text.char_indices().try_for_each(|(index, c)| match c {
        '\n' => f.write_char(c),
        '#' if opens_command(text, index) => json_escape(f, c),
        c if is_active(c) || more.contains(&c) => json_escape(f, c),
        c => f.write_char(c),
    })
}

/// Writes a character as JSON's escapes.
fn json_escape(f: &mut Formatter<'_>, c: char) -> Result {
    let mut units = [0; 2];
    let units = c.encode_utf16(&mut units);
    units.iter().try_for_each(|unit| write!(f, "\\u{unit:04x}"))
}

/// A text as a field of CSV: always quoted, and with an apostrophe in front if a spreadsheet would
/// take it for a formula.
pub struct Csv<'a>(pub &'a str);

impl Display for Csv<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.write_char('"')?;
        let first = self.0.trim_start().chars().next();
        if first.is_some_and(opens_formula) || self.0.starts_with(['\t', '\r', '\n']) {
            f.write_char('\'')?;
        }
        escaped(f, self.0, |_, c| match c {
            '"' => Some("\"\""),
            '\n' | '\t' => Some(" "),
            '\r' => Some(""),
            _ => None,
        })?;
        f.write_char('"')
    }
}

/// Returns true for a character that begins a formula, also in full width, which some spreadsheets
/// fold.
fn opens_formula(c: char) -> bool {
    matches!(
        c,
        '=' | '+' | '-' | '@' | '|' | '%' | '＝' | '＋' | '－' | '＠'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_in_a_command_is_never_an_option() {
        assert_eq!(ShellPath("-o.rs").to_string(), "./-o.rs");
        assert_eq!(ShellPath("./-o.rs").to_string(), "./-o.rs");
        assert_eq!(ShellPath("--out=a b").to_string(), "'./--out=a b'");
        assert_eq!(ShellPath("a.rs").to_string(), "a.rs");
    }

    #[test]
    fn a_terminal_gets_no_control_sequence() {
        let shown = Plain("a\u{1b}]52;c;aGk=\u{7}b\u{9b}2J\u{202e}c\0\r\nd").to_string();
        assert!(!shown.chars().any(is_active), "{shown}");
        assert!(shown.contains("\\u{1b}]52") && shown.contains("\\u{202e}"));
        assert_eq!(
            Lines("a\u{1b}[2J\r\n\tb\n").to_string(),
            "a\\u{1b}[2J\n b\n"
        );
    }

    #[test]
    fn no_line_is_a_command_of_a_runner() {
        let hostile = "::error::x\n \r\t::set-output name=a::b\nstd::x ##[group]\n##[add-mask]y";
        let formats = [
            Plain(hostile).to_string(),
            Lines(hostile).to_string(),
            Html(hostile).to_string(),
            Markdown(hostile).to_string(),
            FencedBlock(hostile).to_string(),
            Csv(hostile).to_string(),
            NoCommands(hostile).to_string(),
        ];
        for text in formats {
            let commands = text
                .lines()
                .filter(|line| line.trim_start().starts_with("::"));
            assert_eq!(commands.count(), 0, "{text}");
            assert!(!text.contains("##["), "{text}");
            assert!(text.contains("std::x"), "{text}");
        }
        assert_eq!(Plain("::error::x").to_string(), "\\u{3a}:error::x");
        assert_eq!(Json("\"##[x\"").to_string(), "\"\\u0023#[x\"");
        assert_eq!(NoCommands("\u{1b}[1m ::x").to_string(), "\u{1b}[1m ::x");
        assert_eq!(Html("::x ##[").to_string(), "&#58;:x &#35;#[");
        assert_eq!(Markdown("::x").to_string(), "\\::x");
    }

    #[test]
    fn html_has_no_markup() {
        let shown = Html("<script>alert(\"x\" + 'y')</script>&\0").to_string();
        assert_eq!(
            shown,
            "&lt;script&gt;alert(&quot;x&quot; + &#39;y&#39;)&lt;/script&gt;&amp;\\u{0}"
        );
    }

    #[test]
    fn a_spreadsheet_sees_no_formula() {
        for formula in ["=1+1", "+1", "-1", "@x", "\t=1", " =1", "\r=1", "＝1"] {
            let shown = Csv(formula).to_string();
            assert!(shown.starts_with("\"'"), "{shown}");
        }
        assert_eq!(Csv("say \"hi\"").to_string(), "\"say \"\"hi\"\"\"");
    }

    #[test]
    fn data_in_a_page_cannot_end_its_element_and_reads_back() {
        let text = "</script><!--<script>&\u{2028}\u{202e}\u{1b}\u{e0041}\"\\";
        let json = serde_json::to_string(text).unwrap();
        let shown = ScriptJson(&json).to_string();
        assert!(
            !shown.contains(['<', '>', '&']) && !shown.chars().any(is_active),
            "{shown}"
        );
        let back: String = serde_json::from_str(&shown).unwrap();
        assert_eq!(back, text);
    }
}
