//! What the first calls on random inputs say: whether the approaches do the same, and which sizes take
//! long enough to be timed.

use crate::measure::RepeatedCall;

/// The sizes of inputs on which answers are compared: a difference on few elements is one that a person
/// can follow. There are several inputs of each.
pub(super) const SMALL: [u32; 8] = [1, 2, 3, 4, 5, 6, 7, 8];

/// The inputs of each small size.
pub(super) const INPUTS_OF_EACH: u64 = 24;

/// Larger sizes, up to the first that takes anybody too long. Denser at first, for work that grows fast.
pub(super) const LARGER: [u32; 20] = [
    10, 12, 14, 16, 18, 20, 22, 24, 28, 32, 48, 64, 128, 256, 1_024, 4_096, 16_384, 65_536,
    262_144, 1_048_576,
];

/// All sizes, in the order of the calls.
pub(super) fn sizes() -> Vec<u32> {
    SMALL.iter().chain(&LARGER).copied().collect()
}

/// Fuel of a call that takes long enough to be timed: 25 µs for code that does 16 units in a nanosecond,
/// which is as quick as any was seen.
const FUEL_MIN: u64 = 400_000;

/// Fuel of a call of which a verdict does not take long: some hundredths of a second.
const FUEL_GOOD_MAX: u64 = 100_000_000;

/// The most fuel of a call that is tried.
pub(super) const FUEL_MAX: u64 = 400_000_000;

/// The sizes that are timed.
const TIMED_MAX: usize = 2;

/// What one approach did with an input: its answer, by its digest, or that it failed.
fn outcome(call: &RepeatedCall) -> Option<&str> {
    call.digest.as_deref()
}

/// What a call did, for a reader.
pub(super) fn shown(call: &RepeatedCall) -> String {
    match (&call.answer, &call.error) {
        (Some(answer), _) => answer.clone(),
        (None, Some(error)) => format!("fails: {}", error.message),
        (None, None) => "nothing".to_owned(),
    }
}

/// Returns true if an answer, as text, is the error of a `result`.
fn is_error(answer: &str) -> bool {
    answer == "err" || answer.starts_with("err(")
}

/// Calls of all approaches on the same inputs, those of each approach in the same order.
pub(super) struct FirstLook<'a> {
    pub(super) calls: Vec<&'a [RepeatedCall]>,
}

/// The inputs on which approaches differ, or all fail.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Findings {
    /// Of the inputs on which answers differ, the place of the shortest, and how many there are.
    pub(super) differ: Option<(usize, usize)>,
    /// The same for inputs on which all fail.
    pub(super) fail: Option<(usize, usize)>,
    /// The inputs that were tried.
    pub(super) inputs: usize,
    /// Those of them on which all give the same answer, and it is an error.
    pub(super) errors: usize,
}

impl FirstLook<'_> {
    /// Compares the outcomes of each input that everybody got.
    pub(super) fn compare(&self) -> Findings {
        let inputs = self
            .calls
            .iter()
            .map(|calls| calls.len())
            .min()
            .unwrap_or(0);
        let (mut differ, mut fail, mut errors) = (Vec::new(), Vec::new(), 0);
        for input in 0..inputs {
            let mut calls = self.calls.iter().map(|calls| &calls[input]);
            // Who met a limit may be right, and takes long.
            let is_limit = |call: &RepeatedCall| {
                call.error
                    .as_ref()
                    .is_some_and(|error| error.limit.is_some())
            };
            if calls.clone().any(is_limit) {
                continue;
            }
            let Some(first) = calls.next() else {
                continue;
            };
            if calls.any(|call| outcome(call) != outcome(first)) {
                differ.push(input);
            } else if outcome(first).is_none() {
                fail.push(input);
            } else if first.answer.as_ref().is_some_and(|text| is_error(text)) {
                errors += 1;
            }
        }
        let shortest = |found: Vec<usize>| {
            let length = |input: &usize| self.calls[0][*input].arguments.len();
            let count = found.len();
            let least = found.into_iter().min_by_key(length)?;
            Some((least, count))
        };
        Findings {
            differ: shortest(differ),
            fail: shortest(fail),
            inputs,
            errors,
        }
    }

    /// Chooses what is timed of sizes in ascending order, each with the places of its inputs: first of
    /// those that take everybody long enough and nobody too long, else of those that somebody can be
    /// timed on.
    pub(super) fn timed_sizes(&self, sizes: &[(u32, Vec<usize>)]) -> Vec<u32> {
        let fuel = |calls: &[RepeatedCall], places: &[usize]| {
            let fuel = places
                .iter()
                .map(|place| calls.get(*place).and_then(|call| call.fuel));
            fuel.collect::<Option<Vec<u64>>>()?.into_iter().max()
        };
        // By size: the least and the most fuel of anybody. An approach that is too slow for a size has none.
        let mut known: Vec<(u32, u64, u64)> = Vec::new();
        for (size, places) in sizes {
            let fuels = self.calls.iter().map(|calls| fuel(calls, places));
            let Some(fuels) = fuels.collect::<Option<Vec<u64>>>() else {
                break;
            };
            let least = fuels.iter().min().copied().unwrap_or(0);
            let most = fuels.iter().max().copied().unwrap_or(0);
            known.push((*size, least, most));
        }
        let good = known
            .iter()
            .filter(|(_, least, most)| *least >= FUEL_MIN && *most <= FUEL_GOOD_MAX);
        let mut chosen: Vec<u32> = good.map(|(size, ..)| *size).take(TIMED_MAX).collect();
        if chosen.is_empty() {
            chosen.extend(known.last().map(|(size, ..)| *size));
        }
        chosen
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sandbox::GuestError;
    use bakeoff_domain::failure::FailureClass;

    fn answered(arguments: &str, answer: &str, fuel: u64) -> RepeatedCall {
        RepeatedCall {
            arguments: arguments.to_owned(),
            answer: Some(answer.to_owned()),
            digest: Some(answer.to_owned()),
            fuel: Some(fuel),
            ..RepeatedCall::default()
        }
    }

    fn trapped(arguments: &str) -> RepeatedCall {
        RepeatedCall {
            arguments: arguments.to_owned(),
            ..RepeatedCall::failed(GuestError::new(FailureClass::Trap, "unreachable"))
        }
    }

    #[test]
    fn the_shortest_input_on_which_they_differ_is_found() {
        let a = [
            answered("[1, 2, 3]", "x", 1),
            answered("[1]", "x", 1),
            trapped("[]"),
        ];
        let b = [
            answered("[1, 2, 3]", "y", 1),
            answered("[1]", "y", 1),
            trapped("[]"),
        ];
        let look = FirstLook {
            calls: vec![&a, &b],
        };
        let expected = Findings {
            differ: Some((1, 2)),
            fail: Some((2, 1)),
            inputs: 3,
            errors: 0,
        };
        assert_eq!(look.compare(), expected);
        let same = FirstLook {
            calls: vec![&a[..2], &a[..2]],
        };
        assert_eq!(same.compare().differ, None);
        let (refused, taken) = (answered("[1]", "err", 1), answered("[2]", "ok(3)", 1));
        let both = [refused.clone(), taken, answered("[3]", "err(none)", 1)];
        let look = FirstLook {
            calls: vec![&both, &both],
        };
        assert_eq!(look.compare().errors, 2);
    }

    #[test]
    fn one_that_fails_alone_differs_and_one_that_is_slow_does_not() {
        let (a, b) = ([answered("[1]", "x", 1)], [trapped("[1]")]);
        let look = FirstLook {
            calls: vec![&a, &b],
        };
        assert_eq!(look.compare().differ, Some((0, 1)));
        let mut slow = trapped("[1]");
        slow.error.as_mut().unwrap().limit = Some("fuel = 1".to_owned());
        let slow = [slow];
        let look = FirstLook {
            calls: vec![&a, &slow],
        };
        assert_eq!(look.compare().differ, None);
    }

    #[test]
    fn sizes_are_long_enough_for_the_quickest_and_not_too_long_for_the_slowest() {
        let sizes: Vec<(u32, Vec<usize>)> = (0..4).map(|at| (10 << (4 * at), vec![at])).collect();
        let linear: Vec<_> = [100, 1_600, 600_000, 4_096_000]
            .map(|fuel| answered("", "", fuel))
            .into();
        let square: Vec<_> = [1_000, 256_000, 60_000_000]
            .map(|fuel| answered("", "", fuel))
            .into();
        let both = FirstLook {
            calls: vec![&linear, &square],
        };
        assert_eq!(both.timed_sizes(&sizes), [2_560]);
        let alone = FirstLook {
            calls: vec![&linear],
        };
        assert_eq!(alone.timed_sizes(&sizes), [2_560, 40_960]);
        let quick = FirstLook {
            calls: vec![&linear[..2], &linear[..2]],
        };
        assert_eq!(quick.timed_sizes(&sizes), [160]);
    }
}
