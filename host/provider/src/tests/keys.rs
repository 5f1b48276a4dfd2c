//! Keys, which stay where they belong.

use super::*;

#[test]
fn a_key_is_in_the_header_and_nowhere_else_also_where_a_server_sends_it_back() {
    block_on(async {
        for api in APIS {
            let echo =
                |status| Answer::Status(status, "", json!({"error": {"message": KEY}}).to_string());
            let server = MockServer::start([
                echo(500),
                Answer::Whole(answer(KEY).to_string(), tokens(1, 1, 0)),
                Answer::Stopped(KEY.to_owned(), tokens(1, 1, 0), "refusal", "content_filter"),
                Answer::Whole(format!("not JSON: {KEY}"), tokens(1, 1, 0)),
                echo(401),
            ])
            .await;
            let folder = tempfile::tempdir().unwrap();
            let record = folder.path().join("record.jsonl");
            let kept = ModelOptions {
                record: Some(record.clone()),
                ..options(api)
            };
            let news = std::sync::Arc::new(std::sync::Mutex::new(String::new()));
            let seen = std::sync::Arc::clone(&news);
            let models = open(&server, kept)
                .with_progress(move |progress| *seen.lock().unwrap() += &format!("{progress:?}\n"));
            assert_eq!(
                models.ask(&request("")).await.unwrap(),
                answer("[key removed]")
            );
            let refused = models.ask(&request("x")).await.unwrap_err();
            let denied = models.ask(&request("y")).await.unwrap_err();
            let (head, body) = server.requests().remove(0);
            let header = match api.0 {
                ProviderKind::Anthropic => format!("x-api-key: {KEY}"),
                _ => format!("authorization: Bearer {KEY}"),
            };
            assert!(head.contains(&header), "{head}");
            let sent: Vec<_> = server
                .requests()
                .into_iter()
                .map(|(_, body)| body)
                .collect();
            for text in [
                body.to_string(),
                json!(sent).to_string(),
                std::fs::read_to_string(&record).unwrap(),
                news.lock().unwrap().clone(),
                format!(
                    "{models:?} {refused} {refused:?} {denied} {denied:?} {}",
                    models.name()
                ),
            ] {
                assert!(!text.contains(KEY) && !text.is_empty(), "{text}");
            }
        }
    });
}

#[test]
fn an_address_of_the_experiment_gets_no_key_and_a_redirect_is_not_followed() {
    block_on(async {
        for api in APIS {
            let other = MockServer::start([whole("a")]).await;
            let trusted = MockServer::start([]).await;
            let named = ModelOptions {
                base_url: Some(other.address()),
                ..options(api)
            };
            open(&trusted, named).ask(&request("")).await.unwrap();
            let (head, _) = other.requests().remove(0);
            assert!(
                !head.contains(KEY) && !head.contains("authorization"),
                "{head}"
            );

            let to_other = format!("Location: {}/v1/messages\r\n", other.address());
            let redirect = Answer::Status(307, to_other.leak(), String::new());
            let trusted = MockServer::start([redirect]).await;
            let error = open(&trusted, options(api))
                .ask(&request(""))
                .await
                .unwrap_err();
            assert!(error.to_string().contains("not followed"), "{error}");
            assert_eq!((trusted.requests().len(), other.requests().len()), (1, 1));
        }
    });
}

#[test]
fn without_a_key_nothing_is_sent_to_an_api_that_needs_one() {
    let nothing = |_: &str| None;
    for (api, name) in [(APIS[0], "ANTHROPIC_API_KEY"), (APIS[1], "OPENAI_API_KEY")] {
        let opened = Models::open_with(
            options(api),
            Environment::new(&nothing),
            &SearchPath::default(),
        );
        let error = opened.unwrap_err().to_string();
        assert!(error.contains(name), "{error}");
    }
    let nameless = ModelOptions::new(ProviderKind::Anthropic);
    let opened = Models::open_with(nameless, Environment::new(&nothing), &SearchPath::default());
    assert!(opened.unwrap_err().to_string().contains("`model`"));
    let hostile = options((ProviderKind::Ollama, "a\u{1b}[2J"));
    let opened = Models::open_with(hostile, Environment::new(&nothing), &SearchPath::default());
    let error = opened.unwrap_err().to_string();
    assert!(
        error.contains("name of a model") && !error.contains('\u{1b}'),
        "{error}"
    );
}
