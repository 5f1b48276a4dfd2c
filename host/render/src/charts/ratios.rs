//! The chart of times against one variant, with the intervals of the verdicts.

use super::canvas::{Anchor, Canvas, LogAxis, WIDTH, label};
use super::chart::{Chart, VARIANTS_MAX};
use crate::ratio_rows::{RatioRelation, RatioRow, ratios_to_reference};
use crate::tables;
use bakeoff_domain::report::Report;
use bakeoff_domain::report::words::{Standing, numbers};
use bakeoff_domain::verdict::Verdict;

const LEFT: f64 = 170.0;
const RIGHT: f64 = WIDTH - 180.0;
const ROW: f64 = 28.0;
const TOP: f64 = 16.0;

/// The axis ends at this factor.
const FACTOR_MAX: f64 = 100.0;

pub(crate) fn chart(report: &Report) -> Option<Chart> {
    let list = ratios_to_reference(report);
    if list.len() < 2 {
        return None;
    }
    let shown = &list[..list.len().min(VARIANTS_MAX)];
    let reference = &list[0].name;
    let title = format!("Time against {reference}");
    let description = format!(
        "Ratio of the time of each variant to that of {reference}, on a logarithmic axis, with the \
         interval of its verdict. {}",
        describe(shown)
    );
    let axis = axis(shown);
    let bottom = TOP + ROW * shown.len() as f64;
    let mut canvas = Canvas::new();
    for tick in axis.ticks() {
        let x = axis.at(tick);
        canvas.line((x, TOP), (x, bottom), "grid");
        let text = format!("{} ×", numbers::weight(tick));
        canvas.text((x, bottom + 18.0), &text, Anchor::Middle, true);
    }
    let one = axis.at(1.0);
    canvas.line((one, TOP), (one, bottom), "axis");
    for (index, ratio_row) in shown.iter().enumerate() {
        row(&mut canvas, &axis, index, ratio_row);
    }
    Some(Chart {
        name: "ratios".to_owned(),
        svg: canvas.finish("ratios", &title, &description, bottom + 28.0),
        title,
        description,
        table: tables::ratios(report),
    })
}

fn describe(list: &[RatioRow]) -> String {
    let ratios: Vec<String> = list[1..]
        .iter()
        .filter_map(|row| Some(format!("{}: {}", row.name, numbers::times(row.ratio?))))
        .collect();
    format!("{}.", ratios.join("; "))
}

fn axis(list: &[RatioRow]) -> LogAxis {
    let ends = list
        .iter()
        .filter_map(|row| row.ratio)
        .flat_map(|ratio| [Some(ratio.value), ratio.low, ratio.high])
        .flatten()
        .filter(|end| end.is_finite() && *end > 0.0);
    let (low, high) = ends.fold((1.0_f64, 1.05_f64), |(low, high), end| {
        (low.min(end), high.max(end))
    });
    LogAxis {
        low: (low * 0.98).max(1.0 / FACTOR_MAX),
        high: (high * 1.02).min(FACTOR_MAX),
        start: LEFT,
        end: RIGHT,
    }
}

fn row(canvas: &mut Canvas, axis: &LogAxis, index: usize, ratio_row: &RatioRow) {
    let y = TOP + ROW * (index as f64 + 0.5);
    let name = label(&ratio_row.name);
    canvas.text((LEFT - 12.0, y + 4.0), &name, Anchor::End, false);
    let Some(ratio) = ratio_row.ratio else {
        let text = match ratio_row.relation {
            RatioRelation::Reference(standing) => {
                canvas.mark((axis.at(1.0), y), 0, standing == Standing::Open);
                format!("1 ×, {}", standing.name())
            }
            RatioRelation::Verdict(_) => ratio_row.verdict_text(),
        };
        canvas.text((RIGHT + 12.0, y + 4.0), &text, Anchor::Start, true);
        return;
    };
    let low = ratio.low.map_or(LEFT, |low| axis.at(low));
    let high = ratio.high.map_or(RIGHT, |high| axis.at(high));
    canvas.bar((low, y), (high, y), 0);
    for (end, known) in [(low, ratio.low), (high, ratio.high)] {
        if known.is_some() {
            canvas.bar((end, y - 5.0), (end, y + 5.0), 0);
        }
    }
    let is_open = ratio_row.relation == RatioRelation::Verdict(Verdict::NoCall);
    let text = format!("{name}: {}", ratio_row.summary);
    canvas.point((axis.at(ratio.value), y), 0, is_open, &text);
    let verdict = match ratio_row.relation {
        RatioRelation::Verdict(Verdict::Tie | Verdict::NoCall) => {
            format!(", {}", ratio_row.verdict_text())
        }
        _ => String::new(),
    };
    let text = format!("{}{verdict}", numbers::times(ratio));
    canvas.text((RIGHT + 12.0, y + 4.0), &text, Anchor::Start, true);
}
