//! The charts of a search: the figure of each candidate, and the best so far, by the number of candidates, by time and by
//! money.

use super::canvas::{Anchor, Canvas, WIDTH, label};
use super::chart::Chart;
use crate::rounds::{by_figure, criterion, figure_of, made, spent_table};
use bakeoff_domain::report::words::numbers;
use bakeoff_domain::report::{Report, RoundCandidate, RoundTook, Rounds};
use bakeoff_domain::spec::Direction;

const LEFT: f64 = 90.0;
const RIGHT: f64 = WIDTH - 30.0;
const TOP: f64 = 24.0;
const BOTTOM: f64 = 260.0;

/// The number of lines of the grid.
const GRID_LINES: u32 = 4;

/// The number of names on the lower axis.
const NAMES: u32 = 4;

/// The most candidates that are marked.
const MARKS_MAX: usize = 400;

/// The quantity along the lower axis.
struct Along {
    /// Name of the chart, as a file name.
    file: &'static str,
    /// Name of the quantity in the title.
    name: &'static str,
    /// Name of the axis.
    axis: &'static str,
    /// The quantity when a candidate was known, by its place.
    at: Vec<f64>,
}

/// Returns the charts, if candidates have figures.
pub(crate) fn charts(report: &Report) -> Vec<Chart> {
    let Some(rounds) = &report.rounds else {
        return Vec::new();
    };
    let all: Vec<&RoundCandidate> = made(rounds).collect();
    let over = |spent: &dyn Fn(&RoundTook) -> f64| -> Vec<f64> {
        let until = |round: u32| {
            let took = rounds.took.iter();
            took.take_while(|one| one.round <= round).map(spent).sum()
        };
        all.iter().map(|one| until(one.round)).collect()
    };
    let mut alongs = vec![Along {
        file: "search",
        name: "candidates",
        axis: "candidates tried",
        at: (1..=all.len()).map(|place| place as f64).collect(),
    }];
    if !rounds.took.is_empty() {
        alongs.push(Along {
            file: "search-time",
            name: "time",
            axis: "seconds of searching",
            at: over(&RoundTook::seconds),
        });
    }
    let usd = |one: &RoundTook| one.cost.usd.unwrap_or(0.0);
    if rounds.took.iter().any(|one| usd(one) > 0.0) {
        alongs.push(Along {
            file: "search-cost",
            name: "money",
            axis: "US dollars",
            at: over(&usd),
        });
    }
    let charts = alongs.iter();
    charts
        .filter_map(|along| chart(report, rounds, &all, along))
        .collect()
}

fn chart(
    report: &Report,
    rounds: &Rounds,
    all: &[&RoundCandidate],
    along: &Along,
) -> Option<Chart> {
    let points: Vec<(f64, f64)> = (all.iter().zip(&along.at))
        .filter_map(|(one, at)| Some((*at, figure_of(report, rounds, one.ratio, one.reading)?)))
        .collect();
    // Where each round ended, and the figure that its best had in it.
    let until = |round: u32| {
        let of_round = all.iter().zip(&along.at);
        let of_round = of_round.filter(|(one, _)| one.round <= round);
        of_round.map(|(_, at)| *at).fold(0.0, f64::max)
    };
    let bests: Vec<(f64, f64, bool)> = (rounds.took.iter())
        .filter_map(|took| {
            let best = took.best.as_ref()?;
            let value = figure_of(report, rounds, best.ratio, best.reading)?;
            Some((until(took.round), value, best.is_new && took.round > 0))
        })
        .collect();
    let best_values = bests.iter().map(|best| best.1);
    let figures = || {
        points
            .iter()
            .map(|point| point.1)
            .chain(best_values.clone())
    };
    let low = figures().min_by(f64::total_cmp)?;
    let high = figures().max_by(f64::total_cmp)?;
    let margin = ((high - low) * 0.05)
        .max(low.abs() * 0.01)
        .max(f64::MIN_POSITIVE);
    let (low, high) = (low - margin, high + margin);
    let end = points.iter().map(|point| point.0).fold(0.0, f64::max);
    let end = if end > 0.0 { end } else { 1.0 };
    let x = |value: f64| LEFT + (RIGHT - LEFT) * (value / end).clamp(0.0, 1.0);
    let y = |value: f64| BOTTOM + (TOP - BOTTOM) * ((value - low) / (high - low)).clamp(0.0, 1.0);

    let (name, unit) = by_figure(report, rounds);
    let title = format!("Best so far, by {}", along.name);
    let description = format!(
        "{} of {} candidates of the search in the last look at each, and a line through the best figure so far of those that \
         were the best when a round was over; a full mark is one that became the best, with its figure then. They steered the \
         search, and claim nothing.",
        label(&name),
        numbers::count(points.len() as u64)
    );
    let mut canvas = Canvas::new();
    for line in 0..=GRID_LINES {
        let value = low + (high - low) * f64::from(line) / f64::from(GRID_LINES);
        canvas.line((LEFT, y(value)), (RIGHT, y(value)), "grid");
        let text = numbers::reading_with(3, value, &label(&unit));
        canvas.text((LEFT - 8.0, y(value) + 4.0), &text, Anchor::End, true);
    }
    canvas.line((LEFT, BOTTOM), (RIGHT, BOTTOM), "axis");
    for place in 0..=NAMES {
        let value = end * f64::from(place) / f64::from(NAMES);
        let text = numbers::significant(value, 3);
        canvas.text((x(value), BOTTOM + 20.0), &text, Anchor::Middle, true);
    }
    let every = points.len().div_ceil(MARKS_MAX).max(1);
    for (at, value) in points.iter().step_by(every) {
        canvas.mark((x(*at), y(*value)), 0, true);
    }
    // A staircase: the best stays the best until the next round is over.
    let mut line: Vec<(f64, f64)> = Vec::new();
    for (round, value) in best_so_far(report, rounds) {
        let at = until(round);
        let before = line.last().map(|last| last.1);
        line.extend(before.map(|before| (x(at), before)));
        line.push((x(at), y(value)));
    }
    let last = line.last().map(|last| (x(end), last.1));
    line.extend(last);
    canvas.path(&line, 1);
    for (at, value, _) in bests.iter().filter(|best| best.2) {
        canvas.mark((x(*at), y(*value)), 1, false);
    }
    let middle = f64::midpoint(LEFT, RIGHT);
    canvas.text((middle, BOTTOM + 38.0), along.axis, Anchor::Middle, true);
    canvas.text((LEFT, TOP - 10.0), &label(&name), Anchor::Start, true);
    Some(Chart {
        svg: canvas.finish(along.file, &title, &description, BOTTOM + 46.0),
        name: along.file.to_owned(),
        title,
        description,
        table: spent_table(report, rounds),
    })
}

/// Returns the best figure so far at the end of each round, of the candidates that were the best when a round was over. It
/// never becomes worse: of one that is measured again, the earlier figure stays if it was better. One that fails a gate
/// counts only where none passes.
fn best_so_far(report: &Report, rounds: &Rounds) -> Vec<(u32, f64)> {
    let is_lower =
        criterion(report, rounds).is_some_and(|by| by.direction == Direction::LowerIsBetter);
    let passes = |name: &str| {
        let known = rounds.lineage.iter().find(|one| one.name == name);
        known.is_none_or(|one| one.outcome != "gated")
    };
    let bests = rounds.took.iter().filter_map(|took| {
        let best = took.best.as_ref()?;
        let value = figure_of(report, rounds, best.ratio, best.reading)?;
        Some((took.round, value, passes(&best.name)))
    });
    let bests: Vec<(u32, f64, bool)> = bests.collect();
    let any_passes = bests.iter().any(|best| best.2);
    let mut line: Vec<(u32, f64)> = Vec::new();
    for (round, value, passes) in bests {
        if any_passes && !passes {
            continue;
        }
        let before = line.last().map(|last| last.1);
        let best = before.map_or(value, |before| {
            if is_lower {
                before.min(value)
            } else {
                before.max(value)
            }
        });
        line.push((round, best));
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rounds::tests::rounds;

    #[test]
    fn the_line_of_the_best_so_far_never_becomes_worse() {
        let report = crate::tables::tests::named("a");
        // The best of the second round was measured as slower than that of the first.
        let mut rounds = rounds();
        assert_eq!(
            best_so_far(&report, &rounds),
            [(0, 1.0), (1, 1.3), (2, 1.3)]
        );
        // Whoever fails a gate is behind all that pass, whatever its figure.
        rounds.lineage[1].outcome = "gated".to_owned();
        assert_eq!(best_so_far(&report, &rounds), [(0, 1.0), (2, 1.25)]);
        for one in &mut rounds.lineage {
            one.outcome = "gated".to_owned();
        }
        assert_eq!(best_so_far(&report, &rounds).len(), 3);
        assert_eq!(charts_of(&report, rounds).len(), 2);
    }

    fn charts_of(report: &Report, rounds: Rounds) -> Vec<Chart> {
        let rounds = Some(rounds);
        charts(&Report {
            rounds,
            ..report.clone()
        })
    }
}
