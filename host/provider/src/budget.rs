//! Budgets of a run: their limits, amounts held for calls under way, and amounts spent.

use super::error::{Amount, AskError};
use super::request::Purpose;
use super::usage::{SpentTable, Usage};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

/// Smallest share of the money that a call is made for, in millionths of a dollar: one cent.
const SHARE_MICRODOLLARS_MIN: u64 = 10_000;

/// The most that a call can take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Need {
    pub(super) prompt_tokens: u64,
    pub(super) output_tokens: u64,
    pub(super) money: MoneyNeed,
}

/// The most money that a call can take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MoneyNeed {
    /// Millionths of a dollar.
    UpTo(u64),
    /// Equal share of the money that is left, which the call keeps within: one of this many, less the calls under way.
    Share(u32),
    /// Unknown amount: the model has no price. Only without a budget of money.
    Unknown,
}

/// Amounts held for a call until it is settled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Reservation {
    pub(super) tokens: u64,
    pub(super) microdollars: u64,
}

/// The budgets of a run, and its accounts.
#[derive(Debug)]
pub(super) struct Budget {
    tokens_max: Option<u64>,
    microdollars_max: Option<u64>,
    accounts: Mutex<Accounts>,
    /// Notified whenever a held amount is freed or spent.
    settled: Notify,
}

#[derive(Debug, Default)]
struct Accounts {
    spent: SpentTable,
    held: Reservation,
    calls: u32,
}

impl Budget {
    pub(super) fn new(tokens_max: Option<u64>, microdollars_max: Option<u64>) -> Self {
        Self {
            tokens_max,
            microdollars_max,
            accounts: Mutex::default(),
            settled: Notify::new(),
        }
    }

    /// Holds the most that a call can take. While that could pass a budget only because of other calls
    /// under way, it waits for these: they hardly ever take all that is held for them.
    ///
    /// # Errors
    /// The call could pass a budget even if calls under way took nothing.
    pub(super) async fn reserve(&self, need: Need) -> Result<Reservation, AskError> {
        loop {
            let settled = self.settled.notified();
            tokio::pin!(settled);
            // Before the look at the accounts, so that no news in between is missed.
            settled.as_mut().enable();
            match self.try_reserve(need) {
                Ok(reservation) => return Ok(reservation),
                Err(Shortage::ForNow) => settled.await,
                Err(Shortage::ForGood(error)) => return Err(error),
            }
        }
    }

    fn try_reserve(&self, need: Need) -> Result<Reservation, Shortage> {
        let mut accounts = self.accounts();
        let usage = accounts.spent.total.usage;
        let needed = need.prompt_tokens.saturating_add(need.output_tokens);
        let tokens = [usage.tokens(), accounts.held.tokens, needed];
        let money_needed = match (need.money, self.microdollars_max) {
            (MoneyNeed::UpTo(microdollars), _) => microdollars,
            (MoneyNeed::Share(shares), Some(limit)) => {
                let taken = usage
                    .microdollars
                    .saturating_add(accounts.held.microdollars);
                // Calls under way have their shares already: what is left is for the others.
                let free = shares.saturating_sub(accounts.calls).max(1);
                (limit.saturating_sub(taken) / u64::from(free)).max(SHARE_MICRODOLLARS_MIN)
            }
            (MoneyNeed::Share(_) | MoneyNeed::Unknown, _) => 0,
        };
        let money = [usage.microdollars, accounts.held.microdollars, money_needed];
        for (limit, amounts, unit) in [
            (self.tokens_max, tokens, Amount::Tokens as fn(u64) -> Amount),
            (self.microdollars_max, money, Amount::Microdollars),
        ] {
            let [spent, held, needed] = amounts;
            let Some(limit) = limit else { continue };
            if spent.saturating_add(needed) > limit {
                return Err(Shortage::ForGood(AskError::BudgetExhausted {
                    limit: unit(limit),
                    spent: unit(spent),
                    reserved: unit(held),
                    needed: unit(needed),
                }));
            }
            if spent.saturating_add(held).saturating_add(needed) > limit {
                return Err(Shortage::ForNow);
            }
        }
        accounts.held.tokens = accounts.held.tokens.saturating_add(needed);
        accounts.held.microdollars = accounts.held.microdollars.saturating_add(money_needed);
        accounts.calls += 1;
        Ok(Reservation {
            tokens: needed,
            microdollars: money_needed,
        })
    }

    /// Lets the bounds count from now on, whatever was booked before.
    pub(super) fn count_from_now(&mut self) {
        let before = self.amounts().0;
        let beyond = |bound: &mut Option<u64>, before: u64| {
            *bound = bound.map(|bound| bound.saturating_add(before));
        };
        beyond(&mut self.tokens_max, before.tokens);
        beyond(&mut self.microdollars_max, before.microdollars);
    }

    /// Returns the amounts that are spent, and those that are held for calls under way.
    pub(super) fn amounts(&self) -> (Reservation, Reservation) {
        let accounts = self.accounts();
        let usage = accounts.spent.total.usage;
        let spent = Reservation {
            tokens: usage.tokens(),
            microdollars: usage.microdollars,
        };
        (spent, accounts.held)
    }

    /// Returns the bounds: of tokens, and of millionths of a dollar.
    pub(super) fn bounds(&self) -> (Option<u64>, Option<u64>) {
        (self.tokens_max, self.microdollars_max)
    }

    /// Frees the amounts held for a call, and books what the call took, if anything.
    pub(super) fn settle(&self, reservation: Reservation, taken: Option<Booking<'_>>) {
        let mut accounts = self.accounts();
        let held = &mut accounts.held;
        held.tokens = held.tokens.saturating_sub(reservation.tokens);
        held.microdollars = held.microdollars.saturating_sub(reservation.microdollars);
        accounts.calls = accounts.calls.saturating_sub(1);
        if let Some(booking) = taken {
            accounts.book(&booking);
        }
        drop(accounts);
        self.settled.notify_waiters();
    }

    /// Books usage without a reservation: from before this process began, or of a replay.
    pub(super) fn book(&self, booking: &Booking<'_>) {
        self.accounts().book(booking);
    }

    pub(super) fn spent(&self) -> SpentTable {
        self.accounts().spent.clone()
    }

    fn accounts(&self) -> MutexGuard<'_, Accounts> {
        self.accounts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Accounts {
    fn book(&mut self, booking: &Booking<'_>) {
        let Booking {
            purpose,
            subject,
            usage,
            seconds,
        } = *booking;
        self.spent.add(purpose, subject, &usage, seconds);
    }
}

/// Booking of a call in the accounts: its question, usage and duration.
#[derive(Clone, Copy, Debug)]
pub(super) struct Booking<'a> {
    pub(super) purpose: Purpose,
    pub(super) subject: &'a str,
    pub(super) usage: Usage,
    pub(super) seconds: f64,
}

/// Reason why nothing can be held for a call.
#[derive(Debug)]
enum Shortage {
    /// Calls under way may take less than is held for them.
    ForNow,
    ForGood(AskError),
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    fn need(tokens: u64, money: MoneyNeed) -> Need {
        Need {
            prompt_tokens: tokens,
            output_tokens: 0,
            money,
        }
    }

    fn booking(tokens: u64, microdollars: u64) -> Booking<'static> {
        let usage = Usage {
            input_tokens: tokens,
            microdollars,
            ..Usage::default()
        };
        Booking {
            purpose: Purpose::Plan,
            subject: "",
            usage,
            seconds: 0.0,
        }
    }

    fn block_on<T>(future: impl Future<Output = T>) -> T {
        let runtime = tokio::runtime::Builder::new_current_thread();
        let mut runtime = runtime;
        runtime.build().unwrap().block_on(future)
    }

    #[test]
    fn a_call_that_could_pass_a_budget_is_not_made() {
        block_on(async {
            let budget = Budget::new(Some(100), Some(1_000));
            let held = budget
                .reserve(need(60, MoneyNeed::UpTo(900)))
                .await
                .unwrap();
            budget.settle(held, Some(booking(50, 500)));
            let error = budget
                .reserve(need(51, MoneyNeed::UpTo(0)))
                .await
                .unwrap_err();
            let expected = AskError::BudgetExhausted {
                limit: Amount::Tokens(100),
                spent: Amount::Tokens(50),
                reserved: Amount::Tokens(0),
                needed: Amount::Tokens(51),
            };
            assert_eq!(error, expected);
            let error = budget
                .reserve(need(0, MoneyNeed::UpTo(501)))
                .await
                .unwrap_err();
            assert!(error.to_string().contains("$0.001000"), "{error}");
            // Exactly as much as is left.
            budget
                .reserve(need(50, MoneyNeed::UpTo(500)))
                .await
                .unwrap();
        });
    }

    #[test]
    fn a_call_waits_for_others_that_may_take_less_than_is_held_for_them() {
        block_on(async {
            let budget = Arc::new(Budget::new(Some(100), None));
            let held = budget.reserve(need(80, MoneyNeed::Unknown)).await.unwrap();
            let waiting = budget.reserve(need(80, MoneyNeed::Unknown));
            let finishing = async {
                tokio::task::yield_now().await;
                budget.settle(held, Some(booking(20, 0)));
            };
            let (second, ()) = tokio::join!(waiting, finishing);
            budget.settle(second.unwrap(), Some(booking(1, 0)));
            assert_eq!(budget.spent().total.usage.tokens(), 21);
            assert!(budget.reserve(need(80, MoneyNeed::Unknown)).await.is_err());
        });
    }

    #[test]
    fn bounds_that_count_from_now_leave_out_what_was_booked_before() {
        block_on(async {
            let mut budget = Budget::new(Some(100), Some(50));
            budget.book(&booking(90, 50));
            assert!(budget.reserve(need(20, MoneyNeed::UpTo(1))).await.is_err());
            budget.count_from_now();
            let held = budget
                .reserve(need(100, MoneyNeed::UpTo(50)))
                .await
                .unwrap();
            let (spent, under_way) = budget.amounts();
            assert_eq!((spent.tokens, under_way), (90, held));
            budget.settle(held, Some(booking(100, 50)));
            assert!(budget.reserve(need(1, MoneyNeed::UpTo(0))).await.is_err());
        });
    }

    #[test]
    fn money_is_shared_among_calls_that_keep_within_what_they_are_given() {
        block_on(async {
            let budget = Budget::new(None, Some(100_000));
            let first = budget.reserve(need(0, MoneyNeed::Share(2))).await.unwrap();
            let second = budget.reserve(need(0, MoneyNeed::Share(2))).await.unwrap();
            assert_eq!((first.microdollars, second.microdollars), (50_000, 50_000));
            budget.settle(first, Some(booking(0, 50_000)));
            budget.settle(second, Some(booking(0, 45_000)));
            assert!(budget.reserve(need(0, MoneyNeed::Share(2))).await.is_err());
        });
    }
}
