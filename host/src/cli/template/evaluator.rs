//! An evaluator: what bakeoff cannot know of an approach, as numbers.
//!
//! `describe` is asked before anything is measured, `evaluate` once for each variant. Change both to what
//! counts for you.

use crate::bakeoff::{Criterion, Error, Evidence, Reading};

/// The criteria that this evaluator gives readings of.
pub fn describe() -> Vec<Criterion> {
    vec![
        Criterion::lower_is_better("unwraps", "Places in the source where it may panic.")
            .unit("places")
            .range(0.0, 100.0)
            .needs_source(),
        // About each answer, in an evaluator of its own: `Criterion::higher_is_better("quality", "…").range(0.0, 1.0).per_answer()`.
    ]
}

/// The readings of one variant.
pub fn evaluate(evidence: &dyn Evidence) -> Result<Vec<Reading>, Error> {
    let Ok(text) = evidence.whole_source() else {
        return Ok(Vec::new());
    };
    let places = ["unwrap()", "expect(", "panic!(", "unreachable!("];
    let count: usize = places.iter().map(|place| text.matches(place).count()).sum();
    // For criteria about each answer: `evidence.answer_count()`, `evidence.read_answer(number)`, and
    // `Reading::of_answer("quality", number, 0.5)`.
    Ok(vec![Reading::new("unwraps", count.min(100) as f64)])
}
