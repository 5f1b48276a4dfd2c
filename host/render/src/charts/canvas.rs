//! The canvas that all charts are drawn with.

use crate::escape::Html;
use std::fmt::Write;

/// Width of every chart, in its own units.
pub(super) const WIDTH: f64 = 720.0;

/// Largest number of characters of a name in a chart.
const LABEL_CHARS_MAX: usize = 24;

/// Colours for light and dark schemes, and strokes. Series 0 to 5 have a contrast of at least 4.5 : 1
/// on both backgrounds.
pub(crate) const STYLE: &str = "\
.bk{font:13px system-ui,sans-serif;--ink:#1f2328;--soft:#59636e;--line:#d1d9e0;--ground:#fff;\
--s0:#0550ae;--s1:#a63a00;--s2:#116329;--s3:#8250df;--s4:#9a0f5c;--s5:#5c4a00}\
@media(prefers-color-scheme:dark){.bk{--ink:#e6edf3;--soft:#9aa4af;--line:#3d444d;--ground:#0d1117;\
--s0:#79b8ff;--s1:#ffa657;--s2:#6fdd8b;--s3:#d2a8ff;--s4:#ff9bce;--s5:#e3c341}}\
.bk text{fill:var(--ink)}.bk .soft{fill:var(--soft)}.bk .grid{stroke:var(--line)}\
.bk .axis{stroke:var(--soft)}.bk .cross{stroke:var(--soft);stroke-dasharray:2 4}\
.bk .hollow{fill:var(--ground)}\
.bk .c0{stroke:var(--s0)}.bk .f0{fill:var(--s0)}.bk .c1{stroke:var(--s1)}.bk .f1{fill:var(--s1)}\
.bk .c2{stroke:var(--s2)}.bk .f2{fill:var(--s2)}.bk .c3{stroke:var(--s3)}.bk .f3{fill:var(--s3)}\
.bk .c4{stroke:var(--s4)}.bk .f4{fill:var(--s4)}.bk .c5{stroke:var(--s5)}.bk .f5{fill:var(--s5)}";

/// Number of distinct colours; later series differ by shape and label.
const COLOURS: usize = 6;

/// The anchor of a text.
#[derive(Clone, Copy)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// An SVG document that is being drawn.
pub(super) struct Canvas {
    body: String,
}

impl Canvas {
    pub(super) fn new() -> Self {
        Self {
            body: String::new(),
        }
    }

    /// Adds an element.
    fn add(&mut self, element: std::fmt::Arguments<'_>) {
        // Writing to a string cannot fail.
        let _ = self.body.write_fmt(element);
        self.body.push('\n');
    }

    pub(super) fn line(&mut self, from: (f64, f64), to: (f64, f64), class: &str) {
        let ((x1, y1), (x2, y2)) = (from, to);
        self.add(format_args!(
            r#"<line x1="{x1:.1}" y1="{y1:.1}" x2="{x2:.1}" y2="{y2:.1}" class="{class}"/>"#
        ));
    }

    /// Adds a thick line in the colour of a series.
    pub(super) fn bar(&mut self, from: (f64, f64), to: (f64, f64), series: usize) {
        let ((x1, y1), (x2, y2)) = (from, to);
        let colour = series % COLOURS;
        self.add(format_args!(
            r#"<line x1="{x1:.1}" y1="{y1:.1}" x2="{x2:.1}" y2="{y2:.1}" stroke-width="2" class="c{colour}"/>"#
        ));
    }

    pub(super) fn rect(&mut self, (x, y): (f64, f64), (w, h): (f64, f64), series: usize) {
        let colour = series % COLOURS;
        self.add(format_args!(
            r#"<rect x="{x:.1}" y="{y:.1}" width="{w:.1}" height="{h:.1}" class="f{colour}"/>"#
        ));
    }

    pub(super) fn path(&mut self, points: &[(f64, f64)], series: usize) {
        let mut list = String::new();
        for (x, y) in points {
            let _ = write!(list, "{x:.1},{y:.1} ");
        }
        let colour = series % COLOURS;
        let dash = ["", "7 3", "2 3"][(series / COLOURS) % 3];
        self.add(format_args!(
            r#"<polyline points="{}" fill="none" stroke-width="2" stroke-dasharray="{dash}" class="c{colour}"/>"#,
            list.trim_end()
        ));
    }

    /// Adds a mark in the colour and shape of a series.
    pub(super) fn mark(&mut self, at: (f64, f64), series: usize, hollow: bool) {
        self.shape(at, series, hollow, "");
    }

    /// Adds a mark with a text, escaped, that is shown to a reader who points at it or moves the focus to it.
    pub(super) fn point(&mut self, at: (f64, f64), series: usize, hollow: bool, text: &str) {
        self.shape(at, series, hollow, text);
    }

    fn shape(&mut self, (x, y): (f64, f64), series: usize, hollow: bool, text: &str) {
        let colour = series % COLOURS;
        let class = if hollow {
            format!("hollow c{colour}")
        } else {
            format!("f{colour} c{colour}")
        };
        let (element, place) = match series % 4 {
            0 => ("circle", format!(r#"cx="{x:.1}" cy="{y:.1}" r="4.5""#)),
            1 => {
                let (left, top) = (x - 4.0, y - 4.0);
                let place = format!(r#"x="{left:.1}" y="{top:.1}" width="8" height="8""#);
                ("rect", place)
            }
            2 => (
                "polygon",
                corners(&[(x, y - 5.5), (x + 5.5, y + 4.0), (x - 5.5, y + 4.0)]),
            ),
            _ => (
                "polygon",
                corners(&[(x, y - 6.0), (x + 6.0, y), (x, y + 6.0), (x - 6.0, y)]),
            ),
        };
        let end = match text {
            "" => "/>".to_owned(),
            text => format!("><title>{}</title></{element}>", Html(text)),
        };
        self.add(format_args!(
            r#"<{element} {place} stroke-width="2" class="{class}"{end}"#
        ));
    }

    /// Adds a small point with a text, escaped, that is shown to a reader who points at it or moves the focus to it.
    pub(super) fn dot(&mut self, (x, y): (f64, f64), text: &str) {
        self.add(format_args!(
            r#"<circle cx="{x:.1}" cy="{y:.1}" r="3" fill-opacity="0.6" class="f0"><title>{}</title></circle>"#,
            Html(text)
        ));
    }

    /// Adds a rectangle in the first colour, the stronger the larger `strength` is from 0 to 1, so that text on it can be read
    /// at any strength; with a text, escaped, that is shown to a reader who points at it.
    pub(super) fn tile(
        &mut self,
        (x, y): (f64, f64),
        (w, h): (f64, f64),
        strength: f64,
        text: &str,
    ) {
        let opacity = 0.08 + 0.32 * strength.clamp(0.0, 1.0);
        self.add(format_args!(
            r#"<rect x="{x:.1}" y="{y:.1}" width="{w:.1}" height="{h:.1}" fill-opacity="{opacity:.2}" class="f0"><title>{}</title></rect>"#,
            Html(text)
        ));
    }

    /// Adds a text, escaped.
    pub(super) fn text(&mut self, (x, y): (f64, f64), text: &str, anchor: Anchor, soft: bool) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let class = if soft { r#" class="soft""# } else { "" };
        self.add(format_args!(
            r#"<text x="{x:.1}" y="{y:.1}" text-anchor="{anchor}"{class}>{}</text>"#,
            Html(text)
        ));
    }

    /// Returns the whole document.
    pub(super) fn finish(self, name: &str, title: &str, description: &str, height: f64) -> String {
        format!(
            r#"<svg xmlns="http://www.w3.org/2000/svg" class="bk" viewBox="0 0 {WIDTH} {height:.0}" width="{WIDTH}" height="{height:.0}" role="img" aria-labelledby="{name}-t {name}-d">
<title id="{name}-t">{}</title>
<desc id="{name}-d">{}</desc>
<style>{STYLE}</style>
{}</svg>"#,
            Html(title),
            Html(description),
            self.body
        )
    }
}

/// Returns the corners of a polygon, as its attribute.
fn corners(points: &[(f64, f64)]) -> String {
    let points: Vec<String> = points
        .iter()
        .map(|(x, y)| format!("{x:.1},{y:.1}"))
        .collect();
    format!(r#"points="{}""#, points.join(" "))
}

/// Returns a name, cut to fit beside a chart.
pub(super) fn label(name: &str) -> String {
    crate::clipped(name, LABEL_CHARS_MAX)
}

/// Returns coordinates at least `gap` apart, close to the wanted ones and in the same order.
pub(super) fn spread(wanted: &[f64], gap: f64, bottom: f64) -> Vec<f64> {
    let mut order: Vec<usize> = (0..wanted.len()).collect();
    order.sort_by(|a, b| wanted[*a].total_cmp(&wanted[*b]));
    let mut placed = wanted.to_vec();
    let mut last = f64::NEG_INFINITY;
    for index in &order {
        placed[*index] = placed[*index].max(last + gap);
        last = placed[*index];
    }
    // The first pass may have pushed the last ones beyond the bottom.
    let mut limit = bottom;
    for index in order.iter().rev() {
        placed[*index] = placed[*index].min(limit);
        limit = placed[*index] - gap;
    }
    placed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_keep_their_distance() {
        assert_eq!(spread(&[10.0, 11.0, 50.0], 14.0, 100.0), [10.0, 24.0, 50.0]);
        assert_eq!(spread(&[99.0, 99.0], 14.0, 100.0), [86.0, 100.0]);
    }
}
