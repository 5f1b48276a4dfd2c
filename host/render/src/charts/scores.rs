//! The chart of scores by criterion, as bars with their intervals.

use super::canvas::{Anchor, Canvas, WIDTH, label};
use super::chart::{Chart, VARIANTS_MAX};
use crate::tables;
use bakeoff_domain::report::words::{self, numbers};
use bakeoff_domain::report::{Report, VariantReport};

const LEFT: f64 = 190.0;
const RIGHT: f64 = WIDTH - 60.0;
const ROW: f64 = 20.0;
const HEAD: f64 = 26.0;

/// The best score, at the right end.
const SCORE_MAX: f64 = 10.0;

/// Largest number of criteria in the chart.
const CRITERIA_MAX: usize = 10;

pub(crate) fn chart(report: &Report) -> Option<Chart> {
    let scored = report.variants.iter().filter(|v| !v.scores.is_empty());
    let variants: Vec<&VariantReport> = scored.take(VARIANTS_MAX).collect();
    let criteria = &report.criteria[..report.criteria.len().min(CRITERIA_MAX)];
    if variants.is_empty() || criteria.is_empty() {
        return None;
    }
    let title = "Scores by criterion".to_owned();
    let names: Vec<String> = criteria.iter().map(|c| label(&c.name)).collect();
    let description = format!(
        "Scores from 0 to 10, higher is better, of {} variants on {}.",
        variants.len(),
        names.join(", ")
    );
    let at = |score: f64| LEFT + score.clamp(0.0, SCORE_MAX) / SCORE_MAX * (RIGHT - LEFT);

    let mut canvas = Canvas::new();
    let group = HEAD + ROW * variants.len() as f64;
    let bottom = group * criteria.len() as f64 + 4.0;
    for step in 0..=5 {
        let score = SCORE_MAX * f64::from(step) / 5.0;
        canvas.line((at(score), 4.0), (at(score), bottom), "grid");
        let text = numbers::weight(score);
        canvas.text((at(score), bottom + 18.0), &text, Anchor::Middle, true);
    }
    for (place, criterion) in criteria.iter().enumerate() {
        let top = group * place as f64;
        let opinion = if criterion.is_opinion() {
            ", opinion"
        } else {
            ""
        };
        let weight = numbers::weight(criterion.weight);
        let decimals = words::score_decimals(report, criterion);
        let head = format!("{} (weight {weight}{opinion})", label(&criterion.name));
        canvas.text((8.0, top + 18.0), &head, Anchor::Start, true);
        for (index, variant) in variants.iter().enumerate() {
            let y = top + HEAD + ROW * index as f64;
            let name = label(&words::name(report, &variant.id));
            canvas.text((LEFT - 8.0, y + 12.0), &name, Anchor::End, false);
            let Some(score) = variant.scores.get(&criterion.name) else {
                canvas.text((LEFT + 4.0, y + 12.0), "no score", Anchor::Start, true);
                continue;
            };
            let end = at(score.value);
            canvas.rect((LEFT, y + 3.0), ((end - LEFT).max(1.0), ROW - 8.0), index);
            if let (Some(low), Some(high)) = (score.low, score.high) {
                let middle = y + ROW / 2.0 - 1.0;
                canvas.line((at(low), middle), (at(high), middle), "axis");
            }
            let text = numbers::decimals(decimals, score.value);
            canvas.text((end + 6.0, y + 12.0), &text, Anchor::Start, true);
        }
    }
    Some(Chart {
        name: "scores".to_owned(),
        svg: canvas.finish("scores", &title, &description, bottom + 28.0),
        title,
        description,
        table: tables::scores(report),
    })
}
