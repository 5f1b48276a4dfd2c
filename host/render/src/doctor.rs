//! The result of `bakeoff doctor` as text for a terminal.

use super::Colour;
use super::escape::Plain;
use super::lines::wrapped;
use bakeoff_domain::wording;
use bakeoff_run::doctor::{Examination, FindingState, MachineFinding};

/// Columns of the widest topic, its sign and the space after it.
const MARGIN: usize = 15;

/// Returns the findings, one below the other, each with its meaning and advice.
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
        let of = |finding: &&MachineFinding| finding.state == state;
        examination.findings.iter().filter(of).count()
    };
    let version = &examination.bakeoff;
    let able = if examination.can_run {
        "can run experiments on this machine"
    } else {
        "cannot run anything on this machine"
    };
    let counted = |count: usize, what: &str| (count > 0).then(|| wording::counted(count, what));
    let counts: Vec<String> = [
        counted(count(FindingState::Bad), "problem"),
        counted(count(FindingState::Limited), "limitation"),
    ]
    .into_iter()
    .flatten()
    .collect();
    let counts = if counts.is_empty() {
        "no problems".to_owned()
    } else {
        counts.join(", ")
    };
    format!("bakeoff {version} {able}: {counts}")
}

/// Returns a finding: its topic in the margin, and beside it up to three paragraphs.
fn paragraphs(finding: &MachineFinding, room: usize, colour: Colour) -> String {
    let (sign, code) = match finding.state {
        FindingState::Good => ("✓", "32"),
        FindingState::Limited => ("!", "33"),
        FindingState::Bad => ("✗", "31"),
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
            let margin = if out.is_empty() {
                format!("{} {:<12} ", styled(sign, code, colour), finding.topic)
            } else {
                " ".repeat(MARGIN)
            };
            out += &format!("{margin}{line}\n");
        }
    }
    out
}

/// Returns text in a colour, by its number.
fn styled(text: &str, code: &str, colour: Colour) -> String {
    match colour {
        Colour::Never => text.to_owned(),
        Colour::Always => format!("\u{1b}[{code}m{text}\u{1b}[0m"),
    }
}
