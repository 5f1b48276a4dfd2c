//! The weighing of criteria in the page of a report, by its reader: the core as WebAssembly, the report, and the script
//! that moves values between them and the page.

use super::escape::{Html, ScriptJson};
use bakeoff_domain::report::Report;
use bakeoff_domain::spec::ComparisonForm;
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::fmt::Write;
use std::sync::LazyLock;

/// `host/page` as WebAssembly, compressed with gzip: `.ci/page-core` makes it.
const CORE: &[u8] = include_bytes!("core.wasm.gz");

/// The core as a page carries it.
static CORE_TEXT: LazyLock<String> = LazyLock::new(|| base64(CORE));

/// The script, which the policy of the page names.
const SCRIPT: &str = include_str!("page.js");

/// The script that makes points of charts reachable by keyboard.
const POINTS: &str = include_str!("points.js");

/// The largest report that is put into a page, in bytes: with it and the core, a page stays below 1 MiB.
const REPORT_BYTES_MAX: usize = 512 << 10;

/// The parts of a page in which weights can be moved.
pub(super) struct Exploring {
    /// The sliders, for before the comparison.
    pub(super) panel: String,
    /// The data and the script, for the end of the page.
    pub(super) scripts: String,
}

/// Returns the parts that let a reader weigh the criteria, if there is more than one criterion and a table that
/// follows. `shown` is the part of the report that the page shows, which has the same criteria.
pub(super) fn exploring(report: &Report) -> Option<Exploring> {
    let has_table = report.options.comparison != ComparisonForm::Narrative;
    if report.criteria.len() < 2 || !has_table || report.unfinished.is_some() {
        return None;
    }
    // A report is maps with string keys and plain values: serialising it does not fail.
    let json = serde_json::to_string(&without_differences(report)).ok()?;
    if json.len() > REPORT_BYTES_MAX {
        return None;
    }
    let mut scripts = String::new();
    // Writing to a string cannot fail.
    let _ = write!(
        scripts,
        "<script type=\"application/json\" id=\"report\">{}</script>\n\
         <script type=\"application/gzip\" id=\"core\">{}</script>\n\
         <script>{SCRIPT}</script>\n",
        ScriptJson(&json),
        *CORE_TEXT,
    );
    Some(Exploring {
        panel: panel(report),
        scripts,
    })
}

/// Returns the report without the differences of a search, which are long and which no weight changes.
fn without_differences(report: &Report) -> Cow<'_, Report> {
    match &report.rounds {
        Some(rounds) if !rounds.differences.is_empty() => {
            let mut short = report.clone();
            let rounds = short.rounds.as_mut();
            rounds.into_iter().for_each(|own| own.differences.clear());
            Cow::Owned(short)
        }
        _ => Cow::Borrowed(report),
    }
}

/// Returns the script for a page with charts, for its end.
pub(super) fn points() -> String {
    format!("<script>{POINTS}</script>\n")
}

/// Returns the script policy of a page: it allows the script of the points; with [`Exploring`], also that and the core.
pub(super) fn script_policy(is_exploring: bool) -> String {
    let points = source_hash(POINTS);
    if is_exploring {
        format!(
            "script-src {points} {} 'wasm-unsafe-eval'; ",
            source_hash(SCRIPT)
        )
    } else {
        format!("script-src {points}; ")
    }
}

/// Returns the hash of an element's text, as a policy names it.
pub(super) fn source_hash(text: &str) -> String {
    format!("'sha256-{}'", base64(&Sha256::digest(text)))
}

fn panel(report: &Report) -> String {
    let largest = report.criteria.iter().map(|criterion| criterion.weight);
    let most = scale_end(largest.fold(0.0, f64::max));
    let mut panel = String::from(
        "<section id=\"explore\" hidden>\n<h2>Weigh it yourself</h2>\n\
         <p>The answer, the comparison and the sentences follow the weights, worked out as \
         <code>bakeoff report --weight</code> does; the address is a link to them.</p>\n",
    );
    for (index, criterion) in report.criteria.iter().enumerate() {
        let name = super::clipped(&bakeoff_domain::report::words::column_name(criterion), 64);
        let _ = writeln!(
            panel,
            "<div class=\"weight\"><label for=\"slider-{index}\">{name}</label>\
             <input type=\"range\" id=\"slider-{index}\" min=\"0\" max=\"{most}\" step=\"{step}\" value=\"{weight}\">\
             <input type=\"number\" id=\"number-{index}\" min=\"0\" max=\"1000000000\" step=\"any\" value=\"{weight}\" \
             aria-label=\"Weight of {name}, as a number\"></div>",
            name = Html(&name),
            step = most / 100.0,
            weight = criterion.weight,
        );
    }
    panel
        + "<p id=\"wrong\" role=\"alert\"></p>\n\
         <p><button type=\"button\" id=\"reset\">The run’s weights</button> \
         <label>Names with <input type=\"search\" id=\"filter\"></label></p>\n\
         <p id=\"changed\" hidden>These are not the run’s weights: its charts below are as it had them.</p>\n\
         </section>"
}

/// Returns the end of the sliders: the least of 1, 2 and 5 times a power of ten that is twice the largest weight.
fn scale_end(largest: f64) -> f64 {
    let wanted = (2.0 * largest).clamp(1.0, 1e9);
    let tens = (0..=9).map(|power| 10_f64.powi(power));
    let mut ends = tens.flat_map(|ten| [ten, 2.0 * ten, 5.0 * ten]);
    ends.find(|end| *end >= wanted).unwrap_or(1e9)
}

/// Returns the bytes as base64 with padding (RFC 4648, section 4).
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let byte = |at: usize| u32::from(chunk.get(at).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for place in 0..4 {
            let digit = DIGITS[(bits >> (18 - 6 * place)) as usize & 63];
            text.push(if place > chunk.len() {
                '='
            } else {
                digit.into()
            });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_that_of_the_standard() {
        let texts =
            ["", "f", "fo", "foo", "foob", "fooba", "foobar"].map(|text| base64(text.as_bytes()));
        let wanted = [
            "", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy",
        ];
        assert_eq!(texts, wanted);
    }

    #[test]
    fn sliders_end_at_a_round_number() {
        let ends = [0.0, 0.4, 0.6, 3.0, 30.0, 1e9].map(scale_end);
        assert_eq!(ends, [1.0, 1.0, 2.0, 10.0, 100.0, 1e9]);
    }

    #[test]
    fn a_script_cannot_end_its_element() {
        for script in [SCRIPT, POINTS] {
            assert!(!script.contains("</") && !script.contains("<!--"));
        }
    }
}
