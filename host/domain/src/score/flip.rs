//! The flip distance: how little the weights must move for another variant to win.
//!
//! For the winner a and a challenger b let g = score of a − score of b by criterion, and
//! G = Σ w·g > 0. The least Σ |w′ − w| with w′ ≥ 0 and Σ w′·g = 0 is a fractional knapsack: a unit
//! of weight taken from a criterion with g > 0, or given to one with g < 0, closes the gap by |g|,
//! so the largest |g| go first. Only the first kind runs out, at weight 0. The first challenger
//! met on the way from w to w′ is never further than any other's own distance, so the least
//! over all challengers is the distance to *another winner*, not only to a pair's tie.

use super::input::ScoreInput;
use super::variant_score::ScoreResult;
use serde::{Deserialize, Serialize};

/// The change of one weight.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WeightChange {
    /// The criterion's name.
    pub criterion: String,
    /// Weight of the criterion now.
    pub from: f64,
    /// Weight of the criterion where the totals meet.
    pub to: f64,
}

/// The least change of weights that makes the totals of the winner and another variant meet;
/// anything beyond it puts the other one first.
#[derive(Clone, Debug, PartialEq)]
pub struct Flip {
    /// Σ |change| over the criteria.
    pub distance: f64,
    /// Weights that move, and how far.
    pub changes: Vec<WeightChange>,
    /// The index of the variant that wins then.
    pub winner: usize,
}

/// The least flip over all challengers. `None` if no weights make another one win.
pub(super) fn least(
    input: &ScoreInput,
    ranked: &[usize],
    cells: &[Option<Vec<ScoreResult>>],
    winner: usize,
) -> Option<Flip> {
    let movable = movable(input, ranked, cells);
    let value = |who: usize, index: usize| {
        let cell = cells.get(who)?.as_ref()?.get(index)?;
        cell.as_ref().ok().map(|score| score.value)
    };
    let against = |challenger: usize| {
        let gains: Option<Vec<Gain>> = movable
            .iter()
            .map(|index| {
                Some(Gain {
                    index: *index,
                    weight: input.criteria[*index].weight,
                    lead: value(winner, *index)? - value(challenger, *index)?,
                })
            })
            .collect();
        let moves = least_moves(&gains?).filter(|moves| !moves.is_empty())?;
        Some(flip(input, challenger, &moves))
    };
    ranked
        .iter()
        .filter(|challenger| **challenger != winner)
        .filter_map(|challenger| against(*challenger))
        .min_by(|a, b| a.distance.total_cmp(&b.distance))
}

/// Criteria whose weight may move: those on which every ranked variant has a score. Raising any
/// other would unrank a variant instead of outvoting the winner. With opinions nobody wins, whatever they weigh.
fn movable(input: &ScoreInput, ranked: &[usize], cells: &[Option<Vec<ScoreResult>>]) -> Vec<usize> {
    let scored = |who: usize, index: usize| {
        let row = cells[who].as_ref();
        row.is_some_and(|row| row[index].is_ok())
    };
    (0..input.criteria.len())
        .filter(|index| !input.criteria[*index].is_opinion())
        .filter(|index| ranked.iter().all(|who| scored(*who, *index)))
        .collect()
}

/// One criterion, seen from the winner.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gain {
    /// Index of the criterion.
    pub(super) index: usize,
    /// Weight of the criterion.
    pub(super) weight: f64,
    /// Points by which the winner leads on the criterion; negative where the other one leads.
    pub(super) lead: f64,
}

/// The cheapest moves, by criterion, that bring Σ w·lead to 0; `None` if the other one cannot win
/// with any weights.
pub(super) fn least_moves(gains: &[Gain]) -> Option<Vec<(usize, f64)>> {
    if gains.iter().all(|gain| gain.lead >= 0.0) {
        return None;
    }
    let mut gap: f64 = gains.iter().map(|gain| gain.weight * gain.lead).sum();
    // What rounding leaves of a gap that is closed is no reason to move another weight.
    let closed = gap.abs() * 1e-12;
    let mut by_effect: Vec<&Gain> = gains.iter().filter(|gain| gain.lead != 0.0).collect();
    by_effect.sort_by(|a, b| b.lead.abs().total_cmp(&a.lead.abs()));
    let mut moves = Vec::new();
    for gain in by_effect {
        if gap <= closed {
            break;
        }
        let wanted = gap / gain.lead.abs();
        let step = if gain.lead < 0.0 {
            wanted
        } else {
            -wanted.min(gain.weight)
        };
        if step != 0.0 {
            moves.push((gain.index, step));
            gap -= step.abs() * gain.lead.abs();
        }
        // Weight can be given without end, so this move has closed the gap.
        if gain.lead < 0.0 {
            break;
        }
    }
    Some(moves)
}

/// The flip that these moves make.
fn flip(input: &ScoreInput, winner: usize, moves: &[(usize, f64)]) -> Flip {
    let change = |(index, step): &(usize, f64)| {
        let criterion = &input.criteria[*index];
        WeightChange {
            criterion: criterion.name.clone(),
            from: criterion.weight,
            to: (criterion.weight + step).max(0.0),
        }
    };
    Flip {
        distance: moves.iter().map(|(_, step)| step.abs()).sum(),
        changes: moves.iter().map(change).collect(),
        winner,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gap_that_one_weight_closes_moves_no_other() {
        for step in 0..1_000 {
            let lead = 5.0 + f64::from(step) * 0.0137;
            let gain = |index, weight, lead| Gain {
                index,
                weight,
                lead,
            };
            let gains = [gain(0, 1.0, lead), gain(1, 0.5, -3.8)];
            let moves = least_moves(&gains).unwrap();
            assert_eq!(moves.len(), 1, "a lead of {lead}: {moves:?}");
        }
    }
}
