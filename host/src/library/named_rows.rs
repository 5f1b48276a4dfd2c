//! Rows of text with a name each, whose texts stand below each other.

use bakeoff_domain::failure::Failure;
use bakeoff_render::escape::Plain;
use unicode_width::UnicodeWidthStr;

/// Returns a heading and rows of names and texts. The names are those of others, and the texts have no control characters.
pub(super) fn named_rows(heading: &str, rows: &[(&str, String)]) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let names = rows.iter().map(|(name, _)| Plain(name).to_string());
    let names: Vec<String> = names.collect();
    let width = names.iter().map(|name| name.width()).max().unwrap_or(0);
    let mut text = format!("\n{heading}:\n");
    for (name, (_, what)) in names.iter().zip(rows) {
        let blanks = " ".repeat(width - name.width());
        text += &format!("  {name}{blanks}  {what}\n");
    }
    text
}

/// Returns the text of a row of which nothing is known.
pub(super) fn not_known(failure: &Failure) -> String {
    let line = failure.message.lines().next().unwrap_or_default();
    format!("not known: {}", Plain(line))
}
