//! Sums in so many rounds more than it takes: the work follows from a parameter alone.

use crate::bakeoff::param;

pub fn total(values: Vec<u64>) -> u64 {
    let rounds: u64 = param::get("rounds");
    let mut total = 0;
    for round in 0..=rounds {
        let sum: u64 = values.iter().map(|value| std::hint::black_box(*value)).sum();
        total = if round == 0 { sum } else { total.max(sum) };
    }
    total
}
