//! Exchanges that are kept: for the next run, and for replays.

use super::*;
use crate::AskError;
use crate::cassette::Cassette;
use crate::recorder::Recorder;
use std::path::Path;

fn recording(api: (ProviderKind, &str), path: &Path) -> ModelOptions {
    ModelOptions {
        record: Some(path.to_owned()),
        ..options(api)
    }
}

fn replaying(path: &Path) -> Models {
    let options = ModelOptions {
        cassette: Some(path.to_owned()),
        ..ModelOptions::new(ProviderKind::Replay)
    };
    let nothing = |_: &str| None;
    Models::open_with(options, Environment::new(&nothing), &SearchPath::default()).unwrap()
}

#[test]
fn what_was_received_is_not_paid_for_again_and_counts_all_the_same() {
    block_on(async {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("record.jsonl");
        let bad = Answer::Whole("not JSON".to_owned(), tokens(5, 5, 5));
        let refusal = Answer::Stopped(
            "no".to_owned(),
            tokens(1, 1, 0),
            "refusal",
            "content_filter",
        );
        let server = MockServer::start([
            bad,
            whole("a"),
            whole("b"),
            refusal,
            Answer::CutAfter("{"),
            whole("c"),
            whole("d"),
        ])
        .await;
        let questions = ["1", "1", "2", "3"].map(request);
        let mut earlier = Vec::new();
        let first = open(&server, recording(APIS[0], &path));
        for question in &questions {
            earlier.push(first.ask(question).await);
        }
        let spent = first.spent();
        assert_eq!((server.requests().len(), spent.total.calls), (6, 6));
        assert_eq!(earlier[3], Ok(answer("c")));
        drop(first);

        // As a kill in the middle of a write would leave it.
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, format!("{text}{{\"purpose\": \"prot")).unwrap();
        let second = open(&server, recording(APIS[0], &path));
        for (question, earlier) in questions.iter().zip(&earlier) {
            assert_eq!(&second.ask(question).await, earlier);
        }
        assert_eq!((server.requests().len(), second.spent()), (6, spent));
        // The same question once more, and one to another model, are new ones.
        assert_eq!(second.ask(&questions[0]).await, Ok(answer("d")));
        assert_eq!(server.requests().len(), 7);
        drop(second);
        let other = open(
            &server,
            recording((ProviderKind::Anthropic, "claude-opus-5"), &path),
        );
        other.ask(&questions[0]).await.unwrap_err();
        assert_eq!(server.requests().len(), 8);
    });
}

#[test]
fn one_process_at_a_time_writes_a_record() {
    block_on(async {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("record.jsonl");
        let server = MockServer::start([]).await;
        let _first = open(&server, recording(APIS[0], &path));
        let error = try_open(&server, recording(APIS[0], &path))
            .unwrap_err()
            .to_string();
        assert!(error.contains("another process"), "{error}");
        let mode = std::os::unix::fs::PermissionsExt::mode(&path.metadata().unwrap().permissions());
        assert_eq!(mode & 0o777, 0o600);
    });
}

#[test]
fn a_call_that_is_given_up_is_kept_as_cut_off_and_asked_again() {
    block_on(async {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("record.jsonl");
        let server = MockServer::start([Answer::StallAfter("{"), whole("a")]).await;
        let models = open(&server, recording(APIS[1], &path));
        let question = request("approach 1");
        let sent = async {
            while server.requests().is_empty() {
                tokio::task::yield_now().await;
            }
        };
        tokio::select! {
            answer = models.ask(&question) => panic!("{answer:?}"),
            () = sent => {}
        }
        let given_up = models.spent();
        assert_eq!(
            (given_up.total.calls, given_up.total.upper_bound_calls),
            (1, 1)
        );
        drop(models);
        let models = open(&server, recording(APIS[1], &path));
        assert_eq!(models.spent(), given_up);
        assert_eq!(models.ask(&question).await, Ok(answer("a")));
        let spent = models.spent();
        drop(models);
        let replay = replaying(&path);
        assert_eq!(replay.ask(&question).await, Ok(answer("a")));
        assert_eq!(replay.spent(), spent);
    });
}

#[test]
fn a_replay_gives_the_same_answers_errors_and_totals() {
    block_on(async {
        for api in APIS {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("record.jsonl");
            let server = MockServer::start([
                whole("a"),
                Answer::Whole("\u{1b}[2J".to_owned(), tokens(1, 1, 0)),
                whole("b"),
                Answer::Stopped("no".to_owned(), tokens(1, 1, 0), "max_tokens", "length"),
                Answer::Status(400, "", "{}".to_owned()),
            ])
            .await;
            let limited = ModelOptions {
                tokens_max: Some(20_000),
                ..recording(api, &path)
            };
            let models = open(&server, limited);
            let mut questions = ["1", "2", "3", "4", "5"].map(request);
            questions[4].prompt = "x".repeat(20_000);
            let mut live = Vec::new();
            for question in &questions {
                live.push(models.ask(question).await);
            }
            let classes = [2, 3, 4].map(|at| live[at].as_ref().unwrap_err().class());
            assert_eq!(
                classes,
                ["reply-too-long", "model-unavailable", "budget-exhausted"]
            );
            let replay = replaying(&path);
            for (question, live) in questions.iter().zip(&live) {
                assert_eq!(&replay.ask(question).await, live);
            }
            assert_eq!(replay.spent(), models.spent());
            assert!(replay.warnings().is_empty());
            let error = replay.ask(&questions[0]).await.unwrap_err().to_string();
            assert!(
                error.contains("no further reply for: prototype of 1"),
                "{error}"
            );
        }
    });
}

#[test]
fn a_cassette_that_was_written_by_hand_answers_in_its_order() {
    block_on(async {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cassette.jsonl");
        let lines = [
            r#"{"purpose": "prototype", "subject": "1", "reply": {"text": "first"}}"#,
            "",
            r#"{"purpose": "prototype", "subject": "2", "reply": {"text": "other"}}"#,
            r#"{"purpose": "prototype", "subject": "1", "reply": "no JSON"}"#,
            r#"{"purpose": "prototype", "subject": "1", "reply": {"text": "second"}, "request_digest": "00"}"#,
        ];
        std::fs::write(&path, lines.join("\n")).unwrap();
        let replay = replaying(&path);
        for (subject, text) in [("1", "first"), ("1", "second"), ("2", "other")] {
            assert_eq!(replay.ask(&request(subject)).await, Ok(answer(text)));
        }
        let warnings = replay.warnings();
        assert!(
            warnings.len() == 1 && warnings[0].contains(" 1 replies"),
            "{warnings:?}"
        );
        for (text, reason) in [
            ("{}", "line 1 is not an exchange"),
            (
                "\n{\"purpose\": \"prototype\", \"answer\": 1}",
                "line 2 is not an exchange: it has a field that is not known",
            ),
            ("\u{1b}", "line 1"),
            ("{\"purpose\": \"prototype\", \"\\u001b[2J\": 1}", "line 1"),
        ] {
            std::fs::write(&path, text).unwrap();
            let options = ModelOptions {
                cassette: Some(path.clone()),
                ..ModelOptions::new(ProviderKind::Replay)
            };
            let error = Models::open(options).unwrap_err().to_string();
            assert!(
                error.contains(reason) && !error.contains('\u{1b}'),
                "{error}"
            );
        }
    });
}

/// Whatever was looked at before: the file is found from its open folder.
#[test]
fn a_replay_that_somebody_else_named_stays_in_its_folder() {
    let folder = tempfile::tempdir().unwrap();
    let (home, outside) = (folder.path().join("home"), folder.path().join("outside"));
    std::fs::create_dir(&home).unwrap();
    std::fs::write(&outside, "").unwrap();
    std::fs::write(home.join("own"), "").unwrap();
    std::os::unix::fs::symlink(&outside, home.join("link")).unwrap();
    std::os::unix::fs::symlink("own", home.join("here")).unwrap();
    let open = |name: &str, within: Option<&Path>| {
        Models::open(ModelOptions {
            cassette: Some(home.join(name)),
            cassette_within: within.map(Path::to_owned),
            ..ModelOptions::new(ProviderKind::Replay)
        })
    };
    assert!(open("own", Some(&home)).is_ok() && open("here", Some(&home)).is_ok());
    for name in ["link", "../outside"] {
        let error = open(name, Some(&home)).unwrap_err().to_string();
        assert!(
            error.contains("cannot read") && error.contains("folder"),
            "{error}"
        );
        // Who names it himself may have it anywhere.
        assert!(open(name, None).is_ok());
    }
}

#[test]
fn where_nothing_can_be_kept_nothing_more_is_paid_for() {
    block_on(async {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("record.jsonl");
        let server = MockServer::start([whole("a"), whole("b")]).await;
        let mut models = open(&server, recording(APIS[0], &path));
        let read_only = std::fs::File::open(&path).unwrap();
        models.replace_recorder(Recorder::of_file(read_only));
        // What was paid for is still used.
        assert_eq!(models.ask(&request("1")).await, Ok(answer("a")));
        let error = models.ask(&request("2")).await.unwrap_err();
        assert!(
            matches!(&error, AskError::Unavailable { reason, .. } if reason.contains("cannot be written"))
        );
        assert_eq!((server.requests().len(), models.warnings().len()), (1, 1));
    });
}

#[test]
fn what_a_killed_process_had_sent_is_booked_with_the_most_it_can_have_taken() {
    block_on(async {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let (path, left) = (at("record.jsonl"), at("left.jsonl"));
        let server =
            MockServer::start([whole("a"), Answer::StallAfter("{"), whole("b"), whole("c")]).await;
        let models = open(&server, recording(APIS[1], &path));
        let first = request("approach 1");
        assert_eq!(models.ask(&first).await, Ok(answer("a")));
        let question = request("approach 2");
        let killed = async {
            while server.requests().len() < 2 {
                tokio::task::yield_now().await;
            }
            // What is on the disk at this moment is what a kill leaves.
            for end in ["", ".under-way"] {
                let of = |path: &Path| format!("{}{end}", path.display());
                std::fs::copy(of(&path), of(&left)).unwrap();
            }
        };
        tokio::select! {
            answer = models.ask(&question) => panic!("{answer:?}"),
            () = killed => {}
        }
        drop(models);
        let whole_call = open(&server, recording(APIS[1], &path)).spent().by_subject["approach 2"];
        let models = open(&server, recording(APIS[1], &left));
        let lost = models.spent();
        assert_eq!((lost.total.calls, lost.total.upper_bound_calls), (2, 1));
        assert_eq!(lost.by_subject["approach 2"].usage, whole_call.usage);
        assert!(!at("left.jsonl.under-way").exists());
        drop(models);

        // It is booked once, a budget counts it, and the question is asked again.
        let tight = ModelOptions {
            tokens_max: Some(lost.total.usage.tokens() + 10),
            ..recording(APIS[1], &left)
        };
        let models = open(&server, tight);
        assert_eq!(models.spent(), lost);
        let refused = models.ask(&question).await.unwrap_err();
        assert_eq!(refused.class(), "budget-exhausted");
        drop(models);
        let models = open(&server, recording(APIS[1], &left));
        assert_eq!(models.ask(&first).await, Ok(answer("a")));
        assert_eq!(models.ask(&question).await, Ok(answer("b")));
        assert_eq!(models.spent().total.calls, 3);

        // One whose end is in the record is not lost, and no file means that nothing is.
        drop(models);
        let record = std::fs::read(&left).unwrap();
        let line = record.split(|byte| *byte == b'\n').nth(1).unwrap();
        let line = crate::record_seal::without_seal(line);
        let exchange: serde_json::Value = serde_json::from_slice(&line).unwrap();
        let told = serde_json::json!([{"exchange": exchange, "record_bytes": 0}]);
        let (seal, _) = crate::record_seal::RecordSeal::of_user().unwrap();
        let seal = seal.with_lines(&record).unwrap();
        let told = seal.seal_under_way(told.to_string().as_bytes());
        std::fs::write(at("left.jsonl.under-way"), told).unwrap();
        let models = open(&server, recording(APIS[1], &left));
        assert_eq!(models.spent().total.calls, 3);
        assert!(models.notices().is_empty(), "{:?}", models.notices());
    });
}

#[test]
fn the_replies_of_a_cassette_have_a_bound_in_all() {
    let reply = format!("[{}]", vec!["0"; 100_000].join(","));
    let line = format!("{{\"purpose\":\"plan\",\"reply\":{reply}}}\n");
    assert!(Cassette::parse(line.repeat(20).as_bytes()).is_ok());
    let error = Cassette::parse(line.repeat(21).as_bytes()).unwrap_err();
    assert!(
        error.starts_with("up to line 21 its replies have 2100021 values"),
        "{error}"
    );
}
