//! The engine: from readings and verdicts to who stands where.

use super::flip::{self, Flip};
use super::input::{Interval, ScoreInput, Status};
use super::scale::{self, Cell};
use super::{CLOSE, CriterionSummary, difference, pareto, rank, share};
use crate::numbers;
use crate::spec::GateOn;
use crate::verdict::Verdict;

/// How the first place came out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// One variant is surely ahead of all others.
    Winner,
    /// The first place is shared, and no verdict is missing that could settle it.
    Tie,
    /// The first place is shared because measuring ended before it was settled.
    NoCall,
    /// No variant was ranked.
    #[default]
    Nothing,
}

/// Where one candidate stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Standing {
    /// What became of it.
    pub status: Status,
    /// 1 + the number of candidates surely ahead of it; tied candidates share a rank.
    pub rank: Option<u32>,
    /// The weighted mean of its scores, from 0 to 1; below 0 where scores are.
    pub total: Option<Interval>,
    /// By criterion; `None` where there is none.
    pub scores: Vec<Option<Interval>>,
    /// Why it is eliminated or unranked, in words.
    pub reason: Option<String>,
}

/// Everything that scoring finds out. Candidates are indexes into the input.
#[derive(Clone, Debug, PartialEq)]
pub struct Scored {
    /// By candidate.
    pub standings: Vec<Standing>,
    /// All candidates in the order in which they are shown: by rank, then total, then declaration;
    /// unranked, eliminated and failed ones last.
    pub order: Vec<usize>,
    /// How the first place came out.
    pub outcome: Outcome,
    /// Who holds the first place alone.
    pub winner: Option<usize>,
    /// Who shares the first place; empty if there is a winner.
    pub tied: Vec<usize>,
    /// Who is not first and within [`CLOSE`] of the best total.
    pub alternatives: Vec<usize>,
    /// Ranked candidates that no other dominates.
    pub pareto: Vec<usize>,
    /// The least change of weights after which another than the winner has the best total.
    pub flip: Option<Flip>,
    /// By candidate: how often it has the best total when replicas are drawn anew; empty without
    /// replicas.
    pub first_share: Vec<f64>,
}

/// Scores, totals, ranks, and how sure they are.
pub fn score(input: &ScoreInput) -> Scored {
    let cells = scale::scores(input);
    let mut standings: Vec<Standing> = (0..input.candidates.len())
        .map(|index| standing(input, index, cells[index].as_deref()))
        .collect();

    let ranked: Vec<usize> = (0..standings.len())
        .filter(|index| standings[*index].status == Status::Ranked)
        .collect();
    let row = |place: usize| {
        (
            ranked[place],
            cells[ranked[place]].as_deref().unwrap_or(&[]),
        )
    };
    let ahead = rank::ahead(ranked.len(), |a, b| {
        difference::of_totals(input, row(a), row(b))
    });
    for (index, rank) in ranked.iter().zip(rank::ranks(&ahead)) {
        standings[*index].rank = Some(rank);
    }

    let order = order(&standings);
    let first: Vec<usize> = order
        .iter()
        .copied()
        .filter(|index| standings[*index].rank == Some(1))
        .collect();
    let winner = (first.len() == 1).then(|| first[0]);
    Scored {
        outcome: outcome(input, &first),
        alternatives: close(&standings, &order),
        pareto: pareto::front(input, &ranked, &cells),
        flip: winner.and_then(|winner| flip::least(input, &ranked, &cells, winner)),
        first_share: share::of_first_places(input, &ranked, &standings),
        tied: if winner.is_some() { Vec::new() } else { first },
        winner,
        order,
        standings,
    }
}

/// Scores, gates and the total of one candidate.
fn standing(input: &ScoreInput, index: usize, cells: Option<&[Cell]>) -> Standing {
    let Some(cells) = cells else {
        return Standing {
            status: Status::Failed,
            rank: None,
            total: None,
            scores: vec![None; input.criteria.len()],
            reason: None,
        };
    };
    let mut out = Vec::new();
    let mut missing = Vec::new();
    for (criterion, cell) in input.criteria.iter().zip(cells) {
        match gate(input, index, criterion, cell) {
            Some(Judged::Out(why)) => out.push(why),
            Some(Judged::Unknown(why)) => missing.push(why),
            None => {}
        }
        if let (Err(why), true) = (cell, criterion.weight > 0.0 && criterion.gate.is_none()) {
            missing.push(format!("no score for {}: {why}", criterion.name));
        }
    }
    let total = total(&input.criteria, cells);
    if total.is_none() && missing.is_empty() {
        missing.push("no criterion has a weight above zero".to_owned());
    }
    let (status, reason) = match (out.is_empty(), missing.is_empty()) {
        (false, _) => (Status::Eliminated, Some(out.join("; "))),
        (true, false) => (Status::Unranked, Some(missing.join("; "))),
        (true, true) => (Status::Ranked, None),
    };
    Standing {
        rank: None,
        total: total.filter(|_| status == Status::Ranked),
        scores: cells
            .iter()
            .map(|cell| cell.as_ref().ok().copied())
            .collect(),
        status,
        reason,
    }
}

/// What a gate has against a candidate.
enum Judged {
    /// It is kept out.
    Out(String),
    /// There is nothing to judge by.
    Unknown(String),
}

/// Whether the criterion's gate lets the candidate pass. A gate looks at the value, not at the ends
/// of its interval.
fn gate(
    input: &ScoreInput,
    index: usize,
    criterion: &CriterionSummary,
    cell: &Cell,
) -> Option<Judged> {
    let gate = criterion.gate?;
    let name = &criterion.name;
    let score = match cell {
        Ok(score) => score.value,
        Err(why) => {
            let why = format!("the gate on {name} cannot be judged: {why}");
            return Some(Judged::Unknown(why));
        }
    };
    let (what, value, unit) = match gate.on {
        GateOn::Score => ("score ", score, ""),
        GateOn::Reading => {
            let reading = input.candidates[index].readings.get(&criterion.source);
            let Some(reading) = reading else {
                let why = format!("the gate on {name} cannot be judged: there is no reading");
                return Some(Judged::Unknown(why));
            };
            ("", reading.value, criterion.unit.as_str())
        }
    };
    let shown = |x: f64| match unit {
        "ns" | "bytes" => numbers::reading(x, unit),
        _ => format!("{} {unit}", short(x)).trim_end().to_owned(),
    };
    let said = |how: &str, bound: f64| {
        let (value, bound) = (shown(value), shown(bound));
        Judged::Out(format!("{name}: {what}{value} is {how} the gate's {bound}"))
    };
    if let Some(min) = gate.min.filter(|min| value < *min) {
        return Some(said("below", min));
    }
    gate.max
        .filter(|max| value > *max)
        .map(|max| said("above", max))
}

/// A number for a sentence: at most two decimals.
fn short(x: f64) -> String {
    let rounded = (x * 100.0).round() / 100.0;
    if rounded.is_finite() && x.abs() < 1e15 {
        format!("{rounded}")
    } else {
        format!("{x:e}")
    }
}

/// Σ w·s/10 / Σ w over the criteria that count; an end that is unknown in one score is unknown in
/// the total.
fn total(criteria: &[CriterionSummary], cells: &[Cell]) -> Option<Interval> {
    let weights: f64 = criteria.iter().map(|criterion| criterion.weight).sum();
    let mut sum = Interval::exact(0.0);
    for (criterion, cell) in criteria.iter().zip(cells) {
        if criterion.weight > 0.0 {
            let score = cell.as_ref().ok()?;
            sum = sum.plus(score.rising(|x| criterion.weight * x / 10.0));
        }
    }
    (weights > 0.0).then(|| sum.rising(|x| x / weights))
}

/// By rank, then total, then declaration.
fn order(standings: &[Standing]) -> Vec<usize> {
    let class = |standing: &Standing| match standing.status {
        Status::Ranked => 0,
        Status::Unranked => 1,
        Status::Eliminated => 2,
        Status::Failed => 3,
    };
    let mut order: Vec<usize> = (0..standings.len()).collect();
    order.sort_by(|a, b| {
        let (a, b) = (&standings[*a], &standings[*b]);
        let value = |standing: &Standing| standing.total.map_or(0.0, |total| total.value);
        (class(a).cmp(&class(b)))
            .then(a.rank.cmp(&b.rank))
            .then(value(b).total_cmp(&value(a)))
    });
    order
}

/// Those who are not first, and close to the best total.
fn close(standings: &[Standing], order: &[usize]) -> Vec<usize> {
    let totals = standings.iter().filter_map(|s| s.total);
    let best = totals
        .map(|total| total.value)
        .fold(f64::NEG_INFINITY, f64::max);
    let is_close = |standing: &Standing| {
        let near = |total: Interval| best - total.value <= CLOSE + 1e-12;
        standing.rank.is_some_and(|rank| rank > 1) && standing.total.is_some_and(near)
    };
    let indexes = order.iter().copied();
    indexes
        .filter(|index| is_close(&standings[*index]))
        .collect()
}

/// Whether a shared first place is a tie, or was not settled.
fn outcome(input: &ScoreInput, first: &[usize]) -> Outcome {
    match first {
        [] => return Outcome::Nothing,
        [_] => return Outcome::Winner,
        _ => {}
    }
    let counts = |criterion: &&CriterionSummary| criterion.weight > 0.0 && criterion.is_paired();
    let settled = |a: usize, b: usize| {
        input.criteria.iter().filter(counts).all(|criterion| {
            let row = difference::row(input, criterion, a, b);
            row.is_some_and(|row| row.verdict != Verdict::NoCall)
        })
    };
    let pairs = first
        .iter()
        .enumerate()
        .flat_map(|(place, a)| first[place + 1..].iter().map(move |b| (*a, *b)));
    if pairs.into_iter().all(|(a, b)| settled(a, b)) {
        Outcome::Tie
    } else {
        Outcome::NoCall
    }
}
