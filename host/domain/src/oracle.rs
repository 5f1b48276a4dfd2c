//! The test of an oracle: right answers are changed a little, and what it says of them is counted.
//!
//! A changed answer may be right too (a set in another order), so accepted changes are shown to a person.
//! What a person need not decide is said as a [`Belief`]: an oracle that refuses no changed answer, or says
//! two things of one, decides nothing.

mod argument;
mod inputs;
mod judged;
mod tested;
mod words;

pub use argument::{ArgumentFacts, ArgumentForm};
pub use inputs::InputNote;
pub use judged::{ApproachAnswers, Change, JudgedAs, JudgedChange, TestedAnswer};
pub use tested::{
    AcceptedChange, Belief, ChangeCounts, Contradiction, DoubtfulInput, OracleTest, UnjudgedInput,
};
pub use words::{around_difference, shortened, shortened_pair};
