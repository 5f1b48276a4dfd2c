//! Replies that are good, late, broken or hostile, each with its class.

use super::*;
use crate::{AskError, ProgressStep};
use std::sync::{Arc, Mutex};

fn ask_once(api: (ProviderKind, &str), answers: Vec<Answer>) -> (Result<Value, AskError>, usize) {
    block_on(async {
        let server = MockServer::start(answers).await;
        let models = open(&server, options(api));
        let result = models.ask(&request("approach 1")).await;
        (result, server.requests().len())
    })
}

#[test]
fn what_is_sent_is_what_each_api_wants() {
    block_on(async {
        for api in APIS {
            let server = MockServer::start([whole("a")]).await;
            let models = open(&server, options(api));
            assert_eq!(models.ask(&request("")).await.unwrap(), answer("a"));
            let (head, body) = server.requests().remove(0);
            let schema = match api.0 {
                ProviderKind::Anthropic => {
                    assert!(head.starts_with("POST /v1/messages HTTP/1.1"), "{head}");
                    assert!(head.contains("anthropic-version: 2023-06-01"), "{head}");
                    assert_eq!(
                        (&body["max_tokens"], &body["system"]),
                        (&json!(500), &json!("Be brief."))
                    );
                    &body["output_config"]["format"]["schema"]
                }
                _ => {
                    assert!(
                        head.starts_with("POST /chat/completions HTTP/1.1"),
                        "{head}"
                    );
                    assert_eq!(body["stream_options"]["include_usage"], true);
                    assert_eq!(body["messages"][1]["content"], "Write it.");
                    assert_eq!(body["response_format"]["json_schema"]["strict"], true);
                    &body["response_format"]["json_schema"]["schema"]
                }
            };
            assert_eq!(
                (&body["model"], &body["stream"]),
                (&json!(api.1), &json!(true))
            );
            assert_eq!(schema["additionalProperties"], false);
            // A server on this machine holds the model to bounds; elsewhere they are told.
            let text = &schema["properties"]["text"];
            if head.starts_with("POST /chat/completions") {
                assert_eq!(text["minLength"], 1);
            } else {
                assert_eq!(text["description"], "(minLength: 1)");
            }
        }
    });
}

#[test]
fn what_fails_for_now_is_asked_again_and_what_fails_for_good_is_not() {
    for api in APIS {
        let transient = || {
            let status = |status| Answer::Status(status, "", "<html>".to_owned());
            vec![
                status(500),
                busy("Retry-After: 0\r\n"),
                status(529),
                whole("a"),
            ]
        };
        let (result, requests) = ask_once(api, transient());
        assert_eq!((result.unwrap(), requests), (answer("a"), 4));
        for (status, class) in [
            (400, "400"),
            (401, "check the key"),
            (404, "404"),
            (307, "redirects"),
        ] {
            let failing =
                Answer::Status(status, "Location: http://127.0.0.1:1/\r\n", "{}".to_owned());
            let (result, requests) = ask_once(api, vec![failing, whole("a")]);
            let error = result.unwrap_err();
            assert_eq!((error.class(), requests), ("model-unavailable", 1));
            assert!(error.to_string().contains(class), "{error}");
        }
        let (result, requests) = ask_once(api, vec![busy(""); 9]);
        let error = result.unwrap_err().to_string();
        assert!(
            error.contains("slow down") && error.contains("4 tries"),
            "{error}"
        );
        assert_eq!(requests, 4);
        // Longer than anybody waits for.
        let (result, requests) = ask_once(api, vec![busy("Retry-After: 9999\r\n"), whole("a")]);
        let error = result.unwrap_err().to_string();
        assert!(error.contains("9999 s"), "{error}");
        assert_eq!(requests, 1);
    }
}

#[test]
fn a_wait_is_never_shorter_than_the_provider_asks_for() {
    block_on(async {
        let server = MockServer::start([busy("Retry-After: 1\r\n"), whole("a")]).await;
        let waits = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&waits);
        let models = open(&server, options(APIS[0])).with_progress(move |progress| {
            if let ProgressStep::Waiting { wait, reason } = &progress.step {
                seen.lock().unwrap().push((*wait, reason.clone()));
            }
        });
        models.ask(&request("")).await.unwrap();
        let waits = waits.lock().unwrap();
        assert!(
            waits.len() == 1 && waits[0].0 >= Duration::from_secs(1),
            "{waits:?}"
        );
        assert!(waits[0].1.contains("slow down"), "{waits:?}");
    });
}

#[test]
fn a_server_that_is_not_there_is_unavailable() {
    block_on(async {
        let server = MockServer::start([]).await;
        let own = ModelOptions {
            base_url: Some("http://127.0.0.1:9".to_owned()),
            ..options(APIS[1])
        };
        let error = open(&server, own).ask(&request("")).await.unwrap_err();
        assert_eq!(error.class(), "model-unavailable");
        assert!(error.to_string().contains("refused"), "{error}");
    });
}

#[test]
fn an_invalid_reply_is_asked_for_again_twice_with_what_was_wrong() {
    let invalid: [(Answer, &str); 8] = [
        (
            Answer::Whole("no JSON".to_owned(), tokens(1, 1, 0)),
            "not JSON",
        ),
        (Answer::Whole(String::new(), tokens(1, 0, 0)), "empty"),
        (
            Answer::Whole("[1]".to_owned(), tokens(1, 1, 0)),
            "not an object",
        ),
        (
            Answer::Whole("{\"text\": \"\"}".to_owned(), tokens(1, 1, 0)),
            "at /text",
        ),
        (
            Answer::Whole(
                "\u{1b}]0;x\u{7}\u{202e}../../etc".to_owned(),
                tokens(1, 1, 0),
            ),
            "not JSON",
        ),
        (
            Answer::Raw(b"data: {\"choices\": [}\n\n"),
            "stream cannot be read",
        ),
        (Answer::Raw(b"data: \"\xff\xfe\"\n\n"), "not UTF-8"),
        (Answer::Raw(b"data: [1,\n\n"), "stream cannot be read"),
    ];
    for api in APIS {
        for (bad, problem) in &invalid {
            let (result, requests) = ask_once(api, vec![bad.clone(), bad.clone(), whole("a")]);
            assert_eq!((result.unwrap(), requests), (answer("a"), 3), "{bad:?}");
            let (result, requests) = ask_once(api, vec![bad.clone(); 9]);
            let error = result.unwrap_err();
            assert_eq!((error.class(), requests), ("invalid-reply", 3), "{bad:?}");
            let text = error.to_string();
            assert!(text.contains(problem), "{text}");
            assert!(!text.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{text:?}");
        }
    }
    block_on(async {
        let bad = Answer::Whole("{\"text\": 7}".to_owned(), tokens(1, 1, 0));
        let server = MockServer::start([bad, whole("a")]).await;
        open(&server, options(APIS[0]))
            .ask(&request(""))
            .await
            .unwrap();
        let (_, body) = server.requests().remove(1);
        let prompt = body["messages"][0]["content"].as_str().unwrap();
        assert!(
            prompt.starts_with("Write it.") && prompt.contains("at /text"),
            "{prompt}"
        );
    });
}

#[test]
fn a_reply_that_is_no_stream_is_invalid() {
    let plain = Answer::Status(200, "Content-Type: application/json\r\n", "{}".to_owned());
    let (result, _) = ask_once(APIS[0], vec![plain; 3]);
    let error = result.unwrap_err().to_string();
    assert!(
        error.contains("`application/json`, not a stream"),
        "{error}"
    );
}

#[test]
fn refusals_and_replies_beyond_their_limit_have_a_class_of_their_own() {
    for api in APIS {
        let stopped = |anthropic, openai| {
            Answer::Stopped(
                "I will \u{1b}[31mnot".to_owned(),
                tokens(1, 1, 0),
                anthropic,
                openai,
            )
        };
        let (result, requests) =
            ask_once(api, vec![stopped("refusal", "content_filter"), whole("a")]);
        let error = result.unwrap_err();
        assert_eq!((error.class(), requests), ("model-refused", 1));
        assert!(
            error.to_string().ends_with("I will \u{fffd}[31mnot"),
            "{error}"
        );
        let (result, requests) = ask_once(api, vec![stopped("max_tokens", "length"), whole("a")]);
        assert_eq!(
            (result.unwrap_err().class(), requests),
            ("reply-too-long", 1)
        );
        let (result, requests) = ask_once(api, vec![Answer::Endless, whole("a")]);
        assert_eq!(
            (result.unwrap_err().class(), requests),
            ("reply-too-long", 1)
        );
        let (result, requests) = ask_once(
            api,
            vec![Answer::Drip(answer("é").to_string(), tokens(1, 1, 0))],
        );
        assert_eq!((result.unwrap(), requests), (answer("é"), 1));
    }
}

#[test]
fn a_reply_that_is_cut_off_is_asked_for_again_so_often_and_no_more() {
    for api in APIS {
        for cut in [
            Answer::CutAfter("{\"te"),
            Answer::Closed,
            Answer::ErrorEvent,
        ] {
            let (result, requests) = ask_once(api, vec![cut.clone(), cut.clone(), whole("a")]);
            assert_eq!((result.unwrap(), requests), (answer("a"), 3));
            let (result, requests) = ask_once(api, vec![cut; 9]);
            assert_eq!((result.unwrap_err().class(), requests), ("reply-cut", 3));
        }
    }
}

#[test]
fn a_reply_that_stalls_ends_at_its_time_limit_or_when_the_run_is_interrupted() {
    block_on(async {
        let stall = || Answer::StallAfter("{");
        let server = MockServer::start([stall(), stall()]).await;
        let short = ModelOptions {
            timeout: Duration::from_millis(200),
            ..options(APIS[0])
        };
        let error = open(&server, short).ask(&request("")).await.unwrap_err();
        assert_eq!(error.class(), "model-timeout");
        let models = open(&server, options(APIS[0]));
        let interrupting = async {
            while server.requests().len() < 2 {
                tokio::task::yield_now().await;
            }
            models.interrupt();
        };
        let question = request("");
        let (result, ()) = tokio::join!(models.ask(&question), interrupting);
        assert_eq!(result, Err(AskError::Interrupted));
        assert_eq!(models.spent().total.upper_bound_calls, 1);
        assert_eq!(models.ask(&question).await, Err(AskError::Interrupted));
        assert_eq!(server.requests().len(), 2);
    });
}
