//! Macros for a crate that is a component of its own: one for each world.

/// Makes a crate a component of the world `evaluator`, from a type that implements
/// [`Evaluator`](crate::evaluator::Evaluator). Only in a build for WebAssembly anything is exported, so a crate can
/// be tested natively.
///
/// ```
/// #![forbid(unsafe_code)]
/// use bakeoff_guest::evaluator::{Criterion, Error, Evaluator, Evidence, Reading};
///
/// struct Loops;
///
/// impl Evaluator for Loops {
///     fn describe() -> Vec<Criterion> {
///         vec![Criterion::lower_is_better("loops", "Loops in the source.").range(0.0, 1e3).needs_source()]
///     }
///
///     fn evaluate(evidence: &dyn Evidence) -> Result<Vec<Reading>, Error> {
///         let loops = evidence.whole_source()?.matches("for ").count();
///         Ok(vec![Reading::new("loops", loops as f64)])
///     }
/// }
///
/// bakeoff_guest::export_evaluator!(Loops);
/// # fn main() {}
/// ```
#[macro_export]
macro_rules! export_evaluator {
    ($type:ident) => {
        const _: () = $crate::worlds::evaluator::implements::<$type>();
        #[cfg(target_arch = "wasm32")]
        $crate::worlds::evaluator::bindings::export_evaluator_world!(
            $type with_types_in $crate::worlds::evaluator::bindings
        );
    };
}

/// Makes a crate a component of the world `aggregator`, from a type that implements
/// [`Aggregator`](crate::aggregator::Aggregator).
///
/// ```
/// #![forbid(unsafe_code)]
/// use bakeoff_guest::aggregator::{Aggregator, Error, Section};
/// use bakeoff_guest::json::Json;
///
/// struct Field;
///
/// impl Aggregator for Field {
///     fn aggregate(report: &str) -> Result<Vec<Section>, Error> {
///         let count = Json::parse(report)?.key("variants").items().len();
///         Ok(vec![Section::new("Size of the field").paragraph(format!("{count} variants"))])
///     }
/// }
///
/// bakeoff_guest::export_aggregator!(Field);
/// # fn main() {}
/// ```
#[macro_export]
macro_rules! export_aggregator {
    ($type:ident) => {
        const _: () = $crate::worlds::aggregator::implements::<$type>();
        #[cfg(target_arch = "wasm32")]
        $crate::worlds::aggregator::bindings::export_aggregator_world!(
            $type with_types_in $crate::worlds::aggregator::bindings
        );
    };
}

/// Makes a crate a component of the world `proposer`, from a type that implements
/// [`Proposer`](crate::proposer::Proposer).
///
/// ```
/// #![forbid(unsafe_code)]
/// use bakeoff_guest::proposer::{Error, Proposal, Proposer, Task};
///
/// struct Stable;
///
/// impl Proposer for Stable {
///     fn propose(task: &Task) -> Result<Vec<Proposal>, Error> {
///         let known = task.known.first().ok_or("there is nothing to begin with")?;
///         let text = known.source().ok_or("it is a component")?;
///         Ok(vec![Proposal::new("stable sort", &text.replace("sort_unstable(", "sort("))])
///     }
/// }
///
/// bakeoff_guest::export_proposer!(Stable);
/// # fn main() {}
/// ```
#[macro_export]
macro_rules! export_proposer {
    ($type:ident) => {
        const _: () = $crate::worlds::proposer::implements::<$type>();
        #[cfg(target_arch = "wasm32")]
        $crate::worlds::proposer::bindings::export_proposer_world!(
            $type with_types_in $crate::worlds::proposer::bindings
        );
    };
}
