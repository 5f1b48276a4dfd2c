//! Findings from the first calls on random inputs: whether the approaches do the same, and which sizes take long enough
//! to be timed.

use bakeoff_runner::RepeatedCall;
use bakeoff_source::interface::DerivedInterface;
use std::collections::BTreeSet;

/// Sizes of the inputs on which answers are compared, each with the number of inputs. A difference on few elements is
/// one that a person can follow; others need many.
pub(crate) const SEARCHED: [(u32, u64); 12] = [
    (1, 64),
    (2, 128),
    (3, 160),
    (4, 160),
    (5, 160),
    (6, 128),
    (7, 128),
    (8, 128),
    (20, 128),
    (70, 96),
    (140, 128),
    (300, 32),
];

/// Divisor of the number of inputs of each size: an eighth of them is tried on every size before the rest, so that no
/// size is left out when the time ends.
pub(crate) const FIRST_PART_DIVISOR: u64 = 8;

/// Sizes that may be timed, up to the first that takes any approach too long. Denser at first, for work that grows
/// fast.
const TIMED: [u32; 20] = [
    10, 12, 14, 16, 18, 20, 22, 24, 28, 32, 48, 64, 128, 256, 1_024, 4_096, 16_384, 65_536,
    262_144, 1_048_576,
];

/// Further sizes that may be timed where a size is no length but how large numbers are.
const TIMED_NUMBERS: [u32; 3] = [16_777_216, 268_435_456, 4_000_000_000];

/// Lengths of the batches in which these sizes are tried, in ascending order: once enough sizes can be timed, no
/// further batch is tried.
pub(crate) const TIMED_TOGETHER: [usize; 8] = [12, 4, 2, 1, 1, 1, 1, 1];

/// Returns the sizes that may be timed of inputs of a function.
pub fn timed_sizes(found: &DerivedInterface) -> Vec<u32> {
    if found.takes_only_numbers() {
        [&TIMED[..], &TIMED_NUMBERS[..]].concat()
    } else {
        TIMED.to_vec()
    }
}

/// Number of inputs of each of these sizes: of two, one is hardly ever short.
pub(crate) const INPUTS_OF_EACH: u64 = 2;

/// Least fuel of a call that takes long enough to be timed: 25 µs for code that does 16 units in a nanosecond, which is
/// as quick as any was seen.
const FUEL_MIN: u64 = 400_000;

/// The most fuel of a call with which a verdict does not take long, where the budget is not small: some hundredths of a
/// second.
const FUEL_GOOD_MAX: u64 = 100_000_000;

/// Least value of the `good_max` of [`CallLengths`], as a multiple of [`FUEL_MIN`], however small the budget is.
const FUEL_RANGE_MIN: u64 = 8;

/// Factor on the `good_max` of [`CallLengths`], for the most fuel of a call whose time is looked at.
const FUEL_MAX_FACTOR: u64 = 4;

/// The most fuel of a call whose answer is compared.
pub(crate) const SEARCH_FUEL_MAX: u64 = 40_000_000;

/// Divisor of the most fuel: an approach that takes less than this part of it on a size, and all of it on a size a few
/// times as large, does not end there.
const FUEL_LEAP_DIVISOR: u64 = 1_000;

/// The largest ratio of the two sizes that [`FUEL_LEAP_DIVISOR`] is about.
const SIZE_LEAP: u32 = 4;

/// The most characters of a small input, and the most digits of a number in it. Any approach that ends on it ends soon:
/// even one that tries all orders of eight things makes 40,320 steps.
const SMALL_CHARS_MAX: usize = 32;
const SMALL_DIGITS_MAX: usize = 1;

/// The most sizes that are timed.
pub(crate) const TIMED_MAX: usize = 2;

/// Returns the outcome of a call for comparisons: the digest of its answer, or `None` if it failed.
fn outcome(call: &RepeatedCall) -> Option<&str> {
    call.digest.as_deref()
}

/// Returns true if an approach that ends on these arguments does so soon: they are a few values, and no large number.
fn is_small(arguments: &str) -> bool {
    let mut runs = arguments.split(|letter: char| !letter.is_ascii_digit());
    arguments.len() <= SMALL_CHARS_MAX && runs.all(|digits| digits.len() <= SMALL_DIGITS_MAX)
}

/// Returns true if a call was stopped by a limit.
fn met_limit(call: &RepeatedCall) -> bool {
    call.error
        .as_ref()
        .is_some_and(|error| error.limit.is_some())
}

/// Returns true if an answer, as text, is the error of a `result`.
fn is_error(answer: &str) -> bool {
    answer == "err" || answer.starts_with("err(")
}

/// Calls of all approaches on the same inputs, in the same order for each approach.
pub(crate) struct FirstLook<'a> {
    pub(crate) calls: Vec<&'a [RepeatedCall]>,
}

/// Inputs on which approaches differ, all fail, or some are stopped by a limit.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Findings {
    /// Inputs on which answers differ: the index of the shortest, and their number. They include short inputs on which
    /// one approach answers and another is stopped.
    pub(crate) differ: Option<(usize, usize)>,
    /// Inputs on which all approaches fail: the index of the shortest, and their number.
    pub(crate) fail: Option<(usize, usize)>,
    /// Other inputs on which an approach was stopped by a limit: the index of that approach on the shortest, the index
    /// of that input, and their number.
    pub(crate) stopped: Option<(usize, usize, usize)>,
    /// Number of inputs, by approach, on which that approach was stopped by a limit and another one answers.
    pub(crate) stopped_alone: Vec<usize>,
    /// Number of inputs that were tried, each counted once.
    pub(crate) inputs: usize,
    /// Number of inputs on which all approaches give the same answer, and it is an error.
    pub(crate) errors: usize,
}

impl FirstLook<'_> {
    /// Returns true if all approaches fail on the input at this index, and none because of a limit.
    pub(crate) fn all_fail(&self, place: usize) -> bool {
        let fails = |call: &RepeatedCall| outcome(call).is_none() && !met_limit(call);
        let mut calls = self.calls.iter();
        calls.all(|calls| calls.get(place).is_some_and(fails))
    }

    /// Compares the outcomes of each input on which all approaches were called.
    pub(crate) fn compare(&self) -> Findings {
        let inputs = self
            .calls
            .iter()
            .map(|calls| calls.len())
            .min()
            .unwrap_or(0);
        let (mut differ, mut fail, mut errors) = (Vec::new(), Vec::new(), Vec::new());
        let mut stopped = Vec::new();
        let mut alone = vec![Vec::new(); self.calls.len()];
        for input in 0..inputs {
            let calls = self.calls.iter().map(|calls| &calls[input]);
            let first = self.calls[0];
            let first = &first[input];
            // An approach that met a limit may be right, and slow; but not on an input of a few small values.
            if calls.clone().any(met_limit) {
                let ends = calls.clone().any(|call| outcome(call).is_some());
                let places = calls.clone().zip(&mut alone);
                for (_, places) in places.filter(|(call, _)| ends && met_limit(call)) {
                    places.push(input);
                }
                if ends && is_small(&first.arguments) {
                    differ.push(input);
                } else {
                    stopped.push(input);
                }
                continue;
            }
            if calls.clone().any(|call| outcome(call) != outcome(first)) {
                differ.push(input);
            } else if outcome(first).is_none() {
                fail.push(input);
            } else if first.answer.as_ref().is_some_and(|text| is_error(text)) {
                errors.push(input);
            }
        }
        // Inputs are drawn, and some come more than once.
        let distinct = |found: &[usize]| -> usize {
            let texts = found.iter().map(|input| &*self.calls[0][*input].arguments);
            texts.collect::<BTreeSet<&str>>().len()
        };
        let shortest = |found: Vec<usize>| {
            let length = |input: &usize| self.calls[0][*input].arguments.len();
            let count = distinct(&found);
            let least = found.into_iter().min_by_key(length)?;
            Some((least, count))
        };
        let all: Vec<usize> = (0..inputs).collect();
        let stopped = shortest(stopped).and_then(|(input, count)| {
            let who = self
                .calls
                .iter()
                .position(|calls| met_limit(&calls[input]))?;
            Some((who, input, count))
        });
        Findings {
            differ: shortest(differ),
            fail: shortest(fail),
            stopped,
            stopped_alone: alone.iter().map(|places| distinct(places)).collect(),
            inputs: distinct(&all),
            errors: distinct(&errors),
        }
    }

    /// Chooses what is timed from sizes in ascending order, each with the indices of its inputs. Takes the first sizes
    /// that take every approach long enough and none too long. If there are none, takes one: where the quickest
    /// approach is too quick on every size, the first on which it takes at least half as long as on any; else the
    /// largest on which all approaches end.
    pub(crate) fn timed_sizes(
        &self,
        sizes: &[(u32, Vec<usize>)],
        lengths: CallLengths,
    ) -> TimedSizes {
        // By size: the fuel of each. An approach that is too slow for a size has none.
        let mut known: Vec<(u32, Vec<u64>)> = Vec::new();
        let mut stopped = None;
        for (size, places) in sizes {
            let fuel = |calls: &[RepeatedCall]| {
                let fuel = places
                    .iter()
                    .map(|place| calls.get(*place).and_then(|call| call.fuel));
                fuel.collect::<Option<Vec<u64>>>()?.into_iter().max()
            };
            let fuels: Vec<Option<u64>> = self.calls.iter().map(|calls| fuel(calls)).collect();
            if let Some(who) = fuels.iter().position(Option::is_none) {
                let before = known.last().map(|(size, fuels)| (*size, fuels[who]));
                let is_stopped = |place: &&usize| {
                    let call = self.calls[who].get(**place);
                    call.is_some_and(met_limit)
                };
                stopped = places.iter().find(is_stopped).map(|input| {
                    let others = self.calls.iter().filter_map(|calls| calls.get(*input));
                    let somebody_ends = others.map(outcome).any(|answer| answer.is_some());
                    let leaps = before.is_some_and(|(before, fuel)| {
                        *size <= before * SIZE_LEAP && fuel < lengths.fuel_max() / FUEL_LEAP_DIVISOR
                    });
                    StoppedCall {
                        who,
                        input: *input,
                        size: *size,
                        leaps: leaps && somebody_ends,
                    }
                });
                break;
            }
            known.push((*size, fuels.into_iter().flatten().collect()));
        }
        let least = |fuels: &[u64]| fuels.iter().min().copied().unwrap_or(0);
        let most = |fuels: &[u64]| fuels.iter().max().copied().unwrap_or(0);
        let good = known
            .iter()
            .filter(|(_, fuels)| least(fuels) >= FUEL_MIN && most(fuels) <= lengths.good_max);
        let mut chosen: Vec<u32> = good.map(|(size, _)| *size).take(TIMED_MAX).collect();
        let good = chosen.len();
        if chosen.is_empty() {
            // If all calls are short, larger inputs would take longer to make, and their calls hardly longer to run. Numbers
            // are as large as they may be: what is said of small ones alone is of little use.
            let longest = known.iter().map(|(_, fuels)| least(fuels)).max();
            let short = !lengths.are_numbers && longest.is_some_and(|longest| longest < FUEL_MIN);
            let enough = known
                .iter()
                .find(|(_, fuels)| short && longest.is_some_and(|all| 2 * least(fuels) >= all));
            chosen.extend(enough.or(known.last()).map(|(size, _)| *size));
        }
        TimedSizes {
            chosen,
            stopped,
            good,
        }
    }
}

/// Bounds on the fuel of calls that are timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CallLengths {
    /// The most fuel of a call with which a verdict does not take long.
    good_max: u64,
    /// True where a size is how large numbers are: a large one costs nothing to make.
    are_numbers: bool,
}

impl CallLengths {
    /// Returns the bounds for a part of the usual budget, from 0 to 1, and for inputs that are numbers alone or not.
    pub(crate) fn of(part: f64, are_numbers: bool) -> Self {
        let good_max = (part * FUEL_GOOD_MAX as f64) as u64;
        Self {
            good_max: good_max.max(FUEL_RANGE_MIN * FUEL_MIN),
            are_numbers,
        }
    }

    /// Returns the most fuel of a call whose time is looked at.
    pub(crate) fn fuel_max(self) -> u64 {
        FUEL_MAX_FACTOR * self.good_max
    }
}

/// Sizes that are timed, and the call that ended the search for them.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct TimedSizes {
    /// Sizes that are timed; none if not all approaches end on the smallest.
    pub(crate) chosen: Vec<u32>,
    /// Call that was stopped by a limit, after which no larger sizes were looked at.
    pub(crate) stopped: Option<StoppedCall>,
    /// Number of chosen sizes that take every approach long enough, and none too long.
    pub(crate) good: usize,
}

/// A call that was stopped by a limit.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct StoppedCall {
    /// Index of the approach.
    pub(crate) who: usize,
    /// Index of the input.
    pub(crate) input: usize,
    /// Size of the input.
    pub(crate) size: u32,
    /// True if the approach took next to nothing on a size that is not much smaller, and another one ends here: it may
    /// never end.
    pub(crate) leaps: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use bakeoff_domain::failure::FailureClass;
    use bakeoff_sandbox::GuestError;

    /// The lengths that calls may have where the budget is not small.
    const FULL: CallLengths = CallLengths {
        good_max: FUEL_GOOD_MAX,
        are_numbers: false,
    };

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
            stopped: None,
            stopped_alone: vec![0, 0],
            inputs: 3,
            errors: 0,
        };
        assert_eq!(look.compare(), expected);
        // An input that is drawn twice counts once.
        let (a, b) = ([a.clone(), a].concat(), [b.clone(), b].concat());
        let twice = FirstLook {
            calls: vec![&a, &b],
        };
        assert_eq!(twice.compare(), expected);
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
        // No approach takes long for one small number; for a large one, or many, it may.
        let stopped = |arguments: &str| {
            let mut slow = trapped(arguments);
            slow.error.as_mut().unwrap().limit = Some("fuel = 1".to_owned());
            [slow]
        };
        let many = "1, ".repeat(100);
        for (arguments, is_difference) in [("[9]", true), ("[10]", false), (&*many, false)] {
            let (quick, slow) = ([answered(arguments, "x", 1)], stopped(arguments));
            let look = FirstLook {
                calls: vec![&quick, &slow],
            };
            let found = look.compare();
            assert_eq!(found.differ.is_some(), is_difference, "{arguments}");
            assert_eq!(found.stopped, (!is_difference).then_some((1, 0, 1)));
            let both = FirstLook {
                calls: vec![&slow, &slow],
            };
            assert_eq!(both.compare().differ, None, "nobody knows better");
        }
    }

    #[test]
    fn who_took_nothing_and_then_all_of_it_does_not_end() {
        let stopped = || {
            let mut call = trapped("");
            call.error.as_mut().unwrap().limit = Some("fuel = 1".to_owned());
            call
        };
        let quick: Vec<_> = [1, 20, 40].map(|fuel| answered("", "", fuel)).into();
        let at = |sizes: [u32; 3]| -> Vec<(u32, Vec<usize>)> {
            sizes.into_iter().zip([vec![0], vec![1], vec![2]]).collect()
        };
        for (before, sizes, leaps) in [
            (200_000, [10, 20, 40], true),
            // It may well be slow: it was before, or the size is far larger.
            (FULL.fuel_max() / 10, [10, 20, 40], false),
            (200_000, [10, 20, 100], false),
        ] {
            let slow = vec![answered("", "", 100), answered("", "", before), stopped()];
            let look = FirstLook {
                calls: vec![&quick, &slow],
            };
            let timed = look.timed_sizes(&at(sizes), FULL);
            let found = timed.stopped.unwrap();
            assert_eq!((found.who, found.input, found.leaps), (1, 2, leaps));
            assert_eq!(timed.chosen, [20]);
        }
        let never = [stopped()];
        let look = FirstLook {
            calls: vec![&quick[..1], &never],
        };
        let timed = look.timed_sizes(&at([10, 20, 40])[..1], FULL);
        assert_eq!(
            (timed.chosen.len(), timed.stopped.unwrap().leaps),
            (0, false)
        );
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
        assert_eq!(both.timed_sizes(&sizes, FULL).chosen, [2_560]);
        let alone = FirstLook {
            calls: vec![&linear],
        };
        assert_eq!(alone.timed_sizes(&sizes, FULL).chosen, [2_560, 40_960]);
        assert_eq!(alone.timed_sizes(&sizes, FULL).good, TIMED_MAX);
        // Where the budget is small, so are the calls.
        let brief = alone.timed_sizes(&sizes, CallLengths::of(0.025, false));
        assert_eq!((brief.chosen, brief.good), (vec![2_560], 1));
        let quick = FirstLook {
            calls: vec![&linear[..2], &linear[..2]],
        };
        assert_eq!(quick.timed_sizes(&sizes, FULL).chosen, [160]);
        // No size makes these longer: large inputs would take long to make, and nothing else.
        let constant: Vec<_> = [50, 60, 55, 60].map(|fuel| answered("", "", fuel)).into();
        let constant = FirstLook {
            calls: vec![&constant, &linear],
        };
        assert_eq!(constant.timed_sizes(&sizes, FULL).chosen, [10]);
        let numbers = CallLengths {
            are_numbers: true,
            ..FULL
        };
        assert_eq!(constant.timed_sizes(&sizes, numbers).chosen, [40_960]);
    }
}
