//! Tokens and money, and their budgets.

use super::*;
use crate::{Amount, AskError};

#[test]
fn totals_are_the_servers_own_count_whatever_happens_in_between() {
    block_on(async {
        for api in APIS {
            let mut answers = Vec::new();
            for number in 0..8 {
                let count = tokens(1000 + number, 10 + 10 * number, 7 * number);
                let reply = answer(&number.to_string()).to_string();
                answers.push(busy("Retry-After: 0\r\n"));
                answers.push(match number % 3 {
                    0 => Answer::Drip(reply, count),
                    1 => Answer::Whole(reply, count),
                    _ => Answer::Whole("not JSON".to_owned(), count),
                });
                answers.push(Answer::Status(500, "", String::new()));
            }
            answers.extend([whole("last"), whole("last"), whole("last")]);
            let server = MockServer::start(answers).await;
            let wide = ModelOptions {
                concurrency: 3,
                ..options(api)
            };
            let patient = RetryPolicy {
                tries_max: 99,
                ..RETRIES
            };
            let models = open(&server, wide).with_retries(patient);
            let questions = ["a", "b", "c", "d", "e", "f", "g", "h"].map(request);
            let [a, b, c, d, e, f, g, h] = &questions;
            let all = tokio::join!(
                models.ask(a),
                models.ask(b),
                models.ask(c),
                models.ask(d),
                models.ask(e),
                models.ask(f),
                models.ask(g),
                models.ask(h)
            );
            for result in <[_; 8]>::from(all) {
                result.unwrap();
            }
            let (spent, counted) = (models.spent(), server.counted());
            let usage = spent.total.usage;
            assert_eq!(
                (usage.input_tokens, usage.output_tokens),
                (counted.input, counted.output)
            );
            assert_eq!(usage.cache_read_tokens, counted.cache_read);
            assert_eq!(usage.cache_write_tokens, 0);
            assert!(!usage.upper_bound && counted.input > 8_000);
            assert_eq!(spent.by_subject.len(), 8);
            let sum: u64 = spent
                .by_subject
                .values()
                .map(|spent| spent.usage.tokens())
                .sum();
            assert_eq!(sum, usage.tokens());
        }
    });
}

#[test]
fn each_api_is_counted_and_priced_as_it_counts() {
    block_on(async {
        for (api, cost) in [
            // 1,000 × $1 + 100 × $5 + 200 × $0.10 + 300 × $1.25, for a million.
            (APIS[0], 1_000 + 500 + 20 + 375),
            // 1,000 × $2 + 100 × $8 + 200 × $0.50; nothing is written to the cache.
            (APIS[1], 2_000 + 800 + 100),
        ] {
            let count = Tokens {
                input: 1_000,
                output: 100,
                cache_read: 200,
                cache_write: 300,
            };
            let server = MockServer::start([Answer::Whole(answer("a").to_string(), count)]).await;
            let models = open(&server, options(api));
            models.ask(&request("")).await.unwrap();
            let usage = models.spent().total.usage;
            assert_eq!((usage.input_tokens, usage.cache_read_tokens), (1_000, 200));
            assert_eq!((usage.microdollars, usage.unpriced), (cost, false));
        }
    });
}

#[test]
fn a_reply_that_is_cut_off_or_not_counted_is_booked_with_the_most_it_can_have_taken() {
    block_on(async {
        for api in APIS {
            let server = MockServer::start([
                Answer::CutAfter("{\"te"),
                Answer::Closed,
                Answer::Uncounted(answer("a").to_string()),
            ])
            .await;
            let models = open(&server, options(api));
            models.ask(&request("")).await.unwrap();
            let spent = models.spent().total;
            assert_eq!((spent.calls, spent.upper_bound_calls), (3, 3));
            assert_eq!(spent.usage.output_tokens, 3 * 500);
            let sent: usize = server
                .requests()
                .iter()
                .map(|(_, body)| body.to_string().len())
                .sum();
            assert!(spent.usage.input_tokens >= sent as u64);
            assert!(spent.usage.microdollars >= 3 * 500 * 5);
        }
    });
}

#[test]
fn a_call_that_could_pass_a_budget_is_not_made() {
    block_on(async {
        for api in APIS {
            for (money, tokens_max) in [(Some(30_000), None), (None, Some(11_000))] {
                let large = Answer::Whole(answer("a").to_string(), tokens(4_000, 500, 0));
                let server = MockServer::start(vec![large; 9]).await;
                let limited = ModelOptions {
                    microdollars_max: money,
                    tokens_max,
                    ..options(api)
                };
                let models = open(&server, limited);
                let error = loop {
                    if let Err(error) = models.ask(&request("")).await {
                        break error;
                    }
                };
                let spent = models.spent().total;
                assert_eq!(spent.calls as usize, server.requests().len());
                assert!((1..9).contains(&spent.calls), "{spent:?}");
                let AskError::BudgetExhausted {
                    limit,
                    spent: said,
                    needed,
                    ..
                } = error
                else {
                    panic!("{error}");
                };
                match limit {
                    Amount::Microdollars(_) => assert_eq!(said.number(), spent.usage.microdollars),
                    Amount::Tokens(_) => assert_eq!(said.number(), spent.usage.tokens()),
                }
                assert!(said.number() <= limit.number());
                assert!(said.number() + needed.number() > limit.number());
            }
        }
    });
}

#[test]
fn a_shorter_reply_is_asked_for_where_the_budget_has_no_room_for_the_longest() {
    block_on(async {
        for api in APIS {
            let server = MockServer::start(vec![whole("a"); 3]).await;
            let models = open(
                &server,
                ModelOptions {
                    tokens_max: Some(9_000),
                    ..options(api)
                },
            );
            let mut asked = request("");
            asked.output_tokens_max = 16_384;
            assert_eq!(models.ask(&asked).await, Ok(answer("a")));
            let sent = server.requests()[0].1.to_string();
            assert!(sent.contains("4096") && !sent.contains("16384"), "{sent}");
            // Below the least there is no reply worth its money.
            let little = ModelOptions {
                tokens_max: Some(2_500),
                ..options(api)
            };
            let error = open(&server, little).ask(&asked).await.unwrap_err();
            assert_eq!(error.class(), "budget-exhausted", "{error}");
            assert_eq!(server.requests().len(), 1);
        }
    });
}

#[test]
fn a_model_without_a_price_has_no_budget_of_money() {
    block_on(async {
        let server = MockServer::start([whole("a")]).await;
        let unknown = || options((ProviderKind::OpenAi, "my-own"));
        let limited = ModelOptions {
            microdollars_max: Some(1),
            ..unknown()
        };
        let error = try_open(&server, limited).unwrap_err().to_string();
        assert!(
            error.contains("my-own") && error.contains("prices"),
            "{error}"
        );
        let models = open(&server, unknown());
        models.ask(&request("")).await.unwrap();
        let spent = models.spent().total;
        assert_eq!((spent.unpriced_calls, spent.usage.microdollars), (1, 0));
    });
}

/// One that tells far more tokens than were asked for would end it by one reply.
#[test]
fn case_199_usage_beyond_what_was_asked_for() {
    block_on(async {
        for api in APIS {
            for (told, is_true) in [
                (tokens(1_000, 900, 0), true),
                (tokens(1_000, u64::MAX, 0), false),
                (tokens(u64::MAX, 250, 0), false),
                (tokens(1_000_000_000, 250, 0), false),
                (tokens(1_000, 250, u64::MAX / 2), false),
            ] {
                let text = answer(&"a".repeat(1_000)).to_string();
                let bytes = text.len() as u64;
                let server = MockServer::start([Answer::Whole(text, told)]).await;
                let models = open(&server, options(api));
                models.ask(&request("x")).await.unwrap();
                let spent = models.spent().total;
                assert_eq!(spent.usage.upper_bound, !is_true, "{told:?}");
                let most = if is_true { 1_900 } else { 10_000 + bytes };
                assert!(spent.usage.tokens() <= most, "{told:?}: {spent:?}");
            }
        }
    });
}

/// A gateway that tells false counts would make every budget endless.
#[test]
fn case_181_usage_zero() {
    block_on(async {
        for api in APIS {
            let text = "a".repeat(1_000);
            let long = || answer(&text).to_string();
            let bytes = long().len() as u64;
            for (told, is_true) in [
                (tokens(0, 0, 0), false),
                (tokens(1_000, 0, 0), false),
                (tokens(0, 1_000, 0), false),
                (tokens(1_000, 3, 0), false),
                (tokens(1_000, 250, 0), true),
                // All of the prompt was in the cache.
                (tokens(0, 250, 1_000), true),
            ] {
                let server = MockServer::start([Answer::Whole(long(), told)]).await;
                let models = open(&server, options(api));
                models.ask(&request("x")).await.unwrap();
                let spent = models.spent().total;
                assert_eq!(spent.usage.upper_bound, !is_true, "{told:?}");
                assert_eq!(spent.upper_bound_calls, u64::from(!is_true));
                if is_true {
                    assert_eq!(spent.usage.tokens(), 1_250);
                    continue;
                }
                let least = if told.output < 15 { bytes } else { told.output };
                assert!(spent.usage.output_tokens >= least, "{told:?}: {spent:?}");
                assert!(spent.usage.tokens() > 1_000 && spent.usage.microdollars > 0);
            }
            // And so the budget ends.
            let zero = || Answer::Whole(long(), tokens(0, 0, 0));
            let server = MockServer::start([zero(), zero(), zero(), zero(), zero()]).await;
            let bounded = ModelOptions {
                tokens_max: Some(20_000),
                ..options(api)
            };
            let models = open(&server, bounded);
            let mut asked = 0;
            let ended = loop {
                match models.ask(&request(&asked.to_string())).await {
                    Ok(_) => asked += 1,
                    Err(error) => break error,
                }
            };
            assert_eq!(ended.class(), "budget-exhausted");
            assert!((1..5).contains(&asked), "{asked}");
        }
    });
}
