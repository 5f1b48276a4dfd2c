//! What `bakeoff doctor` found, as text for a terminal.

use super::Colour;
use super::human::wrapped;
use super::inert::Plain;
use crate::doctor::{Examination, Finding, State};

/// Columns of the widest topic, its sign and the space after it.
const MARGIN: usize = 15;

/// The findings, one below the other; each with what it means and what to do.
pub fn doctor(examination: &Examination, width: usize, colour: Colour) -> String {
    let room = width.clamp(50, 160) - MARGIN;
    let mut out = format!("{}\n", styled(&headline(examination), "1", colour));
    for finding in &examination.findings {
        out.push('\n');
        out += &paragraphs(finding, room, colour);
    }
    out
}

fn headline(examination: &Examination) -> String {
    let count = |state| {
        let of = |finding: &&Finding| finding.state == state;
        examination.findings.iter().filter(of).count()
    };
    let version = &examination.bakeoff;
    let able = match examination.can_run {
        true => "can run experiments on this machine",
        false => "cannot run anything safely on this machine",
    };
    let rest = match (count(State::Bad), count(State::Limited)) {
        (0, 0) => "all is as it should be".to_owned(),
        (0, limited) => format!(
            "{limited} of {} could be better",
            examination.findings.len()
        ),
        (bad, 0) => format!("{bad} of {} must be mended", examination.findings.len()),
        (bad, limited) => format!("{bad} must be mended, {limited} could be better"),
    };
    format!("bakeoff {version} {able}; {rest}")
}

/// A finding: its topic in the margin, and beside it up to three paragraphs.
fn paragraphs(finding: &Finding, room: usize, colour: Colour) -> String {
    let (sign, code) = match finding.state {
        State::Good => ("✓", "32"),
        State::Limited => ("!", "33"),
        State::Bad => ("✗", "31"),
    };
    let next = finding.next.as_ref().map(|next| format!("→ {next}"));
    let texts = [
        Some(finding.found.clone()),
        Some(finding.means.clone()),
        next,
    ];
    let mut out = String::new();
    for text in texts.into_iter().flatten().filter(|text| !text.is_empty()) {
        for line in wrapped(&Plain(&text).to_string(), room) {
            let margin = match out.is_empty() {
                true => format!("{} {:<12} ", styled(sign, code, colour), finding.topic),
                false => " ".repeat(MARGIN),
            };
            out += &format!("{margin}{line}\n");
        }
    }
    out
}

/// Text in a colour, by its number.
fn styled(text: &str, code: &str, colour: Colour) -> String {
    match colour {
        Colour::Never => text.to_owned(),
        Colour::Always => format!("\u{1b}[{code}m{text}\u{1b}[0m"),
    }
}
