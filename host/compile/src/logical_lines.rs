//! Count of the logical lines of a source, whatever its layout, taken in the child.
//!
//! The tokens are laid out anew: a line ends behind `;`, `{` and `}` and before a `}`, behind a `,` that
//! stands directly between braces, and behind an attribute. A token that closes or continues an expression (`)`, `]`,
//! `,`, `;`, `.`, `?`, `else`) stays on the line of the `}` before it. A line of more than 80 characters, not
//! counting the spaces between its tokens, counts as several. So blank lines, comments, spaces and line breaks
//! make no difference, and neither does a macro that its source is passed through.
//!
//! Text that a source can read at compile time counts as code. `include_bytes!` and its like can only
//! include the source itself, since a build has no other file: if one of them is named anywhere, comments
//! count as tokens, each a line of its own, and the spaces count too, as one more run of characters. A
//! macro gets documentation among its input as attributes, so between the brackets of a macro
//! documentation counts like attributes.

use bakeoff_source::{Piece, pieces};

/// The version of the counting rule; part of the keys of builds, whose line counts depend on it.
pub const LINES_RULE: &str = "tokens-2";

/// The most characters of tokens in one line, about a line of 100 with its indentation and spaces.
const LINE_CHARS: u64 = 80;

/// The names of macros that read a file.
const INCLUDES: [&str; 3] = ["include", "include_bytes", "include_str"];

/// Returns the number of logical lines of a source. Takes time linear in its length, and never fails: in
/// a text that is no Rust, everything that looks like a token counts.
pub(super) fn logical_lines(text: &str) -> u64 {
    let reads_itself = pieces(text).any(|piece| {
        matches!(piece, Piece::Token(token)
            if INCLUDES.contains(&token.strip_prefix("r#").unwrap_or(token)))
    });
    let mut layout = Layout::default();
    let mut space_chars = 0_u64;
    for piece in pieces(text) {
        match piece {
            Piece::Token(token) => layout.add(token),
            Piece::Comment(comment)
                if reads_itself || (layout.in_macro() && is_documentation(comment)) =>
            {
                layout.add_comment(comment);
            }
            Piece::Space(space) if reads_itself => space_chars += space.chars().count() as u64,
            Piece::Comment(_) | Piece::Space(_) => {}
        }
    }
    layout.end_line();
    layout.lines + space_chars.div_ceil(LINE_CHARS)
}

#[derive(Default)]
struct Layout {
    lines: u64,
    /// The number of characters in the current line.
    chars: u64,
    /// The brackets that are open, innermost last; `#` for that of an attribute.
    open: Vec<u8>,
    /// The number of brackets that were open before those of the outermost open macro call; `None` outside of macros.
    macro_from: Option<usize>,
    /// True if the last tokens were a name and `!`, or these and another name.
    after_macro_name: bool,
    /// True if the last token was a name.
    after_name: bool,
    /// True if the last token was a `}`, so that the line may go on.
    after_brace: bool,
    /// True if the last token was `#`, or `!` behind it.
    after_hash: bool,
}

impl Layout {
    fn add(&mut self, token: &str) {
        let continues = matches!(token, ")" | "]" | "," | ";" | "." | "?" | "else");
        if (std::mem::take(&mut self.after_brace) && !continues) || token == "}" {
            self.end_line();
        }
        self.chars += token.chars().count() as u64;
        // Some characters that a name may begin with are no letters, such as `℘`.
        let is_name = token.starts_with(|c: char| c.is_alphabetic() || c == '_' || !c.is_ascii());
        let named = std::mem::replace(&mut self.after_name, is_name);
        let begins_macro = std::mem::take(&mut self.after_macro_name);
        match token {
            "{" | "(" | "[" if begins_macro => {
                self.macro_from.get_or_insert(self.open.len());
            }
            "!" => self.after_macro_name = named,
            // `macro_rules! name {`
            _ => self.after_macro_name = begins_macro && is_name,
        }
        let attribute = std::mem::take(&mut self.after_hash);
        match token {
            "#" => self.after_hash = true,
            "!" => self.after_hash = attribute,
            "[" if attribute => self.open.push(b'#'),
            "{" => {
                self.open.push(b'{');
                self.end_line();
            }
            "(" | "[" => self.open.push(b'('),
            "}" => {
                self.open.pop();
                self.after_brace = true;
            }
            ")" | "]" => {
                let opened = self.open.pop();
                if opened == Some(b'#') {
                    self.end_line();
                }
            }
            ";" | "," if matches!(self.open.last(), None | Some(b'{')) => self.end_line(),
            _ => {}
        }
        if matches!(token, "}" | ")" | "]") && self.macro_from >= Some(self.open.len()) {
            self.macro_from = None;
        }
    }

    /// Adds a comment that counts, as lines of its own.
    fn add_comment(&mut self, comment: &str) {
        self.end_line();
        self.chars = comment.chars().count() as u64;
        self.end_line();
    }

    /// Returns true if the next token is input of a macro.
    fn in_macro(&self) -> bool {
        self.macro_from.is_some()
    }

    fn end_line(&mut self) {
        self.lines += std::mem::take(&mut self.chars).div_ceil(LINE_CHARS);
    }
}

/// Returns true for a documentation comment, which a macro gets as an attribute.
fn is_documentation(comment: &str) -> bool {
    match comment.as_bytes() {
        [b'/', b'/', b'!', ..] | [b'/', b'*', b'!', ..] => true,
        [b'/', b'/', b'/', rest @ ..] => rest.first() != Some(&b'/'),
        [b'/', b'*', b'*', rest @ ..] => !matches!(rest.first(), Some(b'*' | b'/')),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAID_OUT: &str = "\
//! Sums.

/// Adds up.
#[inline]
pub fn sum(values: Vec<u64>, keep: bool) -> u64 {
    let mut total = 0; // so far
    for value in &values {
        if *value > 3 || keep {
            total += value;
        } else {
            total -= match value {
                0 => 1,
                _ => 2,
            };
        }
    }
    total
}
";

    #[test]
    fn case_68_one_line_source() {
        let one_line: String = LAID_OUT
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"))
            .map(|line| line.split("//").next().unwrap_or_default().trim())
            .collect::<Vec<_>>()
            .join(" ");
        assert!(!one_line.contains('\n'));
        let spread = LAID_OUT
            .replace(' ', "\n")
            .replace("//!\nSums.", "")
            .replace("///\nAdds\nup.", "");
        let spread = spread.replace("//\nso\nfar", "");
        // The lines of the text that are neither blank nor comments.
        assert_eq!(logical_lines(LAID_OUT), 15);
        assert_eq!(logical_lines(&one_line), 15);
        assert_eq!(logical_lines(&spread), 15);
        let through_macro =
            format!("macro_rules! same {{ ($($t:tt)*) => {{ $($t)* }} }} same! {{ {one_line} }}");
        assert!(logical_lines(&through_macro) > 15);
    }

    #[test]
    fn case_87_table_in_comments() {
        let table = "1022050301 2545373330 2337446730 ".repeat(200);
        let lines = table.chars().count() as u64 / LINE_CHARS;
        let code = "fn at(n: usize) -> u8 { T[n] }";
        let unread = format!("const T: [u8; 1] = [0]; // {table}\n{code}");
        assert_eq!(logical_lines(&unread), 4);
        for including in [
            "const T: &[u8] = include_bytes!(file!());",
            "const T: &str = include_str!(\"source.rs\");",
            "macro_rules! m { ($a:tt) => { const T: &[u8] = r#include_bytes!(file!()); } } m!(a);",
            "use core::include_bytes as other; const T: &[u8] = other!(file!());",
        ] {
            for comment in [format!("// {table}\n"), format!("/* {table} */")] {
                let counted = logical_lines(&format!("{including}{code}{comment}"));
                assert!(counted > lines, "{including} {counted}");
            }
            let spaces = " \n\t".repeat(40 * 80);
            let counted = logical_lines(&format!("{including}{code}{spaces}"));
            assert!(counted > 120, "{including} {counted}");
        }
        for documenting in [
            format!("m! {{\n/// {table}\n;\n}}"),
            format!("n!( {{ }} [ /** {table} */ ] );"),
            format!("\u{2118}! {{\n/// {table}\n}}"),
            format!("macro_rules! m {{ () => {{ n! {{ //! {table}\n }} }} }}"),
        ] {
            let counted = logical_lines(&format!("{documenting} {code}"));
            assert!(counted > lines, "{documenting} {counted}");
        }
        for unseen in [
            format!("m!(a); /// {table}\n{code}"),
            format!("m! {{ // {table}\n }} {code}"),
            format!("if !{{ a }} {{ }} /// {table}\n{code}"),
            format!("m! {{ //// {table}\n /*** {table} */ /**/ }} {code}"),
        ] {
            assert!(logical_lines(&unseen) < 10, "{unseen}");
        }
    }

    #[test]
    fn what_looks_like_a_bracket_in_a_text_is_none() {
        for line in [
            r#"let a = "{ ; } \" {";"#,
            r##"let a = r#"{ " ; }"#;"##,
            "let a = ('{', '\\'', b'{', '}');",
            "let a: &'static str = f::<'_>(b\"{;\");",
            "let r#type = [0; 4]; /* { ; /* } */ ; */",
            "let a = 1.5e3; // {",
        ] {
            assert_eq!(logical_lines(line), 1, "{line}");
        }
    }

    #[test]
    fn a_long_expression_is_several_lines() {
        let terms = vec!["another_name"; 40].join(" + ");
        assert_eq!(logical_lines(&format!("let a = {terms};")), 7);
        let chain = "values.iter().map(|value| { let twice = 2 * value; twice }).sum()";
        assert_eq!(logical_lines(chain), 4);
    }

    #[test]
    fn any_text_has_a_number_of_lines() {
        for text in [
            "", "\u{feff}", "'", "\"\\", "r#\"", "/* /*", "b'", "}}}}", "é'é", "#[", "r####",
        ] {
            let lines = logical_lines(text);
            assert!(lines <= text.len() as u64, "{text}: {lines}");
        }
        assert_eq!(
            logical_lines(&"(".repeat(1 << 20)),
            (1_u64 << 20).div_ceil(LINE_CHARS)
        );
    }
}
