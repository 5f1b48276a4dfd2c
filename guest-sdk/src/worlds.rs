//! Items to which the macros for crates that are components of their own expand. Not to be named elsewhere.
//!
//! The bindings of each world follow from `wit/`; a test of bakeoff makes them anew and compares.

/// The world `evaluator`.
pub mod evaluator {
    use crate::evaluator as evaluation;

    #[expect(missing_docs, unreachable_pub, reason = "made by a generator")]
    #[expect(clippy::undocumented_unsafe_blocks, reason = "made by a generator")]
    #[rustfmt::skip]
    pub mod bindings;
    #[path = "../../evaluator/export.rs"]
    mod export;

    /// Compiles for an evaluator alone.
    pub const fn implements<E: evaluation::Evaluator>() {}
}

/// The world `aggregator`.
pub mod aggregator {
    use crate::aggregator as aggregation;

    #[expect(missing_docs, unreachable_pub, reason = "made by a generator")]
    #[expect(clippy::undocumented_unsafe_blocks, reason = "made by a generator")]
    #[rustfmt::skip]
    pub mod bindings;
    #[path = "../../aggregator/export.rs"]
    mod export;

    /// Compiles for an aggregator alone.
    pub const fn implements<A: aggregation::Aggregator>() {}
}

/// The world `proposer`.
pub mod proposer {
    use crate::proposer as proposing;

    #[expect(missing_docs, unreachable_pub, reason = "made by a generator")]
    #[expect(clippy::undocumented_unsafe_blocks, reason = "made by a generator")]
    #[rustfmt::skip]
    pub mod bindings;
    #[path = "../../proposer/ask.rs"]
    pub(crate) mod ask;
    #[path = "../../proposer/export.rs"]
    mod export;

    /// Compiles for a proposer alone.
    pub const fn implements<P: proposing::Proposer>() {}
}
