//! Completions of a model, as proposers import them.
//!
//! A runner speaks to nobody while a guest runs. A guest that asks for a completion which is not known yet ends
//! there: its question goes to the parent, which asks the model, and the proposer is called once more from its
//! beginning with one more answer. It has no clock and no randomness, so it comes to the same place again.

use super::guest_error::{GuestError, Refusal};
use super::limits::HOST_CALLS_MAX;
use bakeoff_domain::failure::FailureClass;
use serde::{Deserialize, Serialize};
use wasmtime::component::{HasSelf, Linker};

/// The most completions of one call of a proposer.
pub const COMPLETIONS_MAX: usize = 32;

/// The longest prompt of a completion, in bytes.
const PROMPT_BYTES_MAX: usize = 256 << 10;

mod bindings {
    wasmtime::component::bindgen!({
        path: "../../wit/completions",
        world: "imports",
        imports: { default: trappable },
    });
}

use bindings::bakeoff::completions::completions;

/// A question of a proposer to a model.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CompletionQuestion {
    /// The prompt.
    pub prompt: String,
    /// The most tokens that the reply may have.
    pub tokens_max: u32,
}

/// Reason why a question has no answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CompletionRefusal {
    /// The question was not sent, since its cost could exceed a budget.
    BudgetExhausted(String),
    /// The model cannot be reached.
    Unavailable(String),
    /// The model declined.
    Refused(String),
    /// The reply cannot be used.
    Unusable(String),
}

/// A question of a proposer with its answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnownCompletion {
    /// The question.
    pub question: CompletionQuestion,
    /// The model's text, or the reason why there is none.
    pub answer: Result<String, CompletionRefusal>,
}

/// Answers to a proposer's questions to a model, given to one call of the proposer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Completions {
    /// True if the proposer may ask a model.
    pub has_model: bool,
    /// The questions of the earlier calls with their answers, in the order in which the proposer asks them.
    pub known: Vec<KnownCompletion>,
}

/// The completions of a store, and how many of them were asked for.
#[derive(Default)]
pub(super) struct CompletionDesk {
    completions: Completions,
    asked: usize,
    calls: u64,
    /// The first question without an answer, which ended the guest.
    open: Option<CompletionQuestion>,
}

impl CompletionDesk {
    /// Makes a desk that answers from `completions`.
    pub(super) fn of(completions: Completions) -> Self {
        Self {
            completions,
            ..Self::default()
        }
    }

    /// Takes the question that ended the guest, if one did.
    pub(super) fn take_open(&mut self) -> Option<CompletionQuestion> {
        self.open.take()
    }
}

/// Links the interface `completions` that proposers import, in stores whose state has a desk.
pub(super) fn link<T: Send + 'static>(
    linker: &mut Linker<T>,
    desk: fn(&mut T) -> &mut CompletionDesk,
) -> wasmtime::Result<()> {
    completions::add_to_linker::<T, HasSelf<CompletionDesk>>(linker, desk)
}

fn ended<T>(class: FailureClass, what: &str, limit: Option<String>) -> wasmtime::Result<T> {
    let mut error = GuestError::new(class, what);
    error.limit = limit;
    Err(wasmtime::Error::from(Refusal(error)))
}

fn refusal(refusal: &CompletionRefusal) -> completions::Error {
    match refusal.clone() {
        CompletionRefusal::BudgetExhausted(why) => completions::Error::BudgetExhausted(why),
        CompletionRefusal::Unavailable(why) => completions::Error::Unavailable(why),
        CompletionRefusal::Refused(why) => completions::Error::Refused(why),
        CompletionRefusal::Unusable(why) => completions::Error::Unusable(why),
    }
}

impl completions::Host for CompletionDesk {
    fn complete(
        &mut self,
        prompt: String,
        tokens_max: u32,
    ) -> wasmtime::Result<Result<String, completions::Error>> {
        self.calls += 1;
        if self.calls > HOST_CALLS_MAX {
            let limit = Some(format!("host calls = {HOST_CALLS_MAX}"));
            return ended(FailureClass::HostLimit, "asked too often", limit);
        }
        if !self.completions.has_model {
            return Ok(Err(completions::Error::NoModel(
                "no model may be asked: name one with --provider, and what it may cost with --usd or --tokens"
                    .to_owned(),
            )));
        }
        if prompt.len() > PROMPT_BYTES_MAX {
            return Ok(Err(completions::Error::TooLarge(format!(
                "the prompt has {} bytes, and it may have {PROMPT_BYTES_MAX}",
                prompt.len()
            ))));
        }
        if self.asked == COMPLETIONS_MAX {
            return Ok(Err(completions::Error::TooMany(format!(
                "one call may ask for {COMPLETIONS_MAX} completions"
            ))));
        }
        let question = CompletionQuestion { prompt, tokens_max };
        let Some(known) = self.completions.known.get(self.asked) else {
            self.open = Some(question);
            return ended(FailureClass::Trap, "waits for a completion", None);
        };
        // The guest began anew with the same answers, so it can only differ if something in it is not repeatable.
        if known.question != question {
            let what = "asked something else than before, with the same answers";
            return ended(FailureClass::Trap, what, None);
        }
        self.asked += 1;
        Ok(known.answer.clone().map_err(|why| refusal(&why)))
    }
}

#[cfg(test)]
mod tests {
    use super::completions::{Error, Host as _};
    use super::*;

    fn known(prompt: &str, answer: Result<String, CompletionRefusal>) -> KnownCompletion {
        KnownCompletion {
            question: CompletionQuestion {
                prompt: prompt.to_owned(),
                tokens_max: 9,
            },
            answer,
        }
    }

    fn desk(known: Vec<KnownCompletion>) -> CompletionDesk {
        CompletionDesk::of(Completions {
            has_model: true,
            known,
        })
    }

    #[test]
    fn what_is_known_is_answered_and_the_first_other_question_ends_the_guest() {
        let why = CompletionRefusal::BudgetExhausted("spent".to_owned());
        let mut desk = desk(vec![known("a", Ok("one".to_owned())), known("b", Err(why))]);
        let mut ask = |prompt: &str| desk.complete(prompt.to_owned(), 9);
        assert_eq!(ask("a").unwrap().unwrap(), "one");
        assert!(matches!(
            ask("b").unwrap(),
            Err(Error::BudgetExhausted(why)) if why == "spent"
        ));
        assert!(ask("c").is_err());
        let open = desk.take_open().unwrap();
        assert_eq!((open.prompt.as_str(), open.tokens_max), ("c", 9));
        assert!(desk.take_open().is_none());
    }

    #[test]
    fn a_guest_that_asks_another_question_than_before_fails_and_asks_nobody() {
        let mut desk = desk(vec![known("a", Ok("one".to_owned()))]);
        assert!(desk.complete("b".to_owned(), 9).is_err());
        assert!(desk.take_open().is_none());
    }

    #[test]
    fn case_161_what_is_too_much_is_an_error_of_the_guest_and_asks_nobody() {
        let all = (0..COMPLETIONS_MAX).map(|_| known("a", Ok(String::new())));
        let mut desk = desk(all.collect());
        let long = "x".repeat(PROMPT_BYTES_MAX + 1);
        assert!(matches!(
            desk.complete(long, 9).unwrap(),
            Err(Error::TooLarge(_))
        ));
        for _ in 0..COMPLETIONS_MAX {
            assert!(desk.complete("a".to_owned(), 9).unwrap().is_ok());
        }
        let more = desk.complete("a".to_owned(), 9).unwrap();
        assert!(matches!(more, Err(Error::TooMany(_))));
        assert!(desk.take_open().is_none());
        desk.calls = HOST_CALLS_MAX;
        assert!(desk.complete("a".to_owned(), 9).is_err());
    }

    #[test]
    fn without_a_model_the_error_says_how_to_name_one() {
        let answer = CompletionDesk::default().complete("a".to_owned(), 9);
        let Err(Error::NoModel(why)) = answer.unwrap() else {
            panic!("there is no model");
        };
        assert!(why.contains("--provider"));
    }
}
