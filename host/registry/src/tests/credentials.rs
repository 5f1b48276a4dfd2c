//! The user's credentials, and who is given them.

use super::fake_registry::{Access, Answer, FakeRegistry, ReceivedRequest};
use super::{EMPTY, publication, published, reference};
use crate::{
    Credentials, PASSWORD_VARIABLE, REGISTRY_VARIABLE, RegistryOptions, USER_VARIABLE, fetch,
    publish,
};
use std::ffi::OsString;

/// `me:hunter2` in base64, as a header has it.
const BASIC: &str = "Basic bWU6aHVudGVyMg==";

/// Options with the credentials `me` and `hunter2` for a registry.
fn options(registry: &FakeRegistry) -> RegistryOptions {
    let host = registry.host().to_owned();
    let environment = move |name: &str| match name {
        REGISTRY_VARIABLE => Some(OsString::from(&host)),
        USER_VARIABLE => Some("me".into()),
        PASSWORD_VARIABLE => Some("hunter2".into()),
        _ => None,
    };
    RegistryOptions {
        credentials: Credentials::of_user(&environment).unwrap(),
        ..RegistryOptions::default()
    }
}

fn token() -> Answer {
    Answer::Status(200, String::new(), br#"{"token": "given"}"#.to_vec())
}

fn has_credentials(asked: &[ReceivedRequest]) -> bool {
    asked.iter().any(|one| one.authorization.is_some())
}

#[tokio::test]
async fn a_registry_gets_credentials_when_it_asks_and_not_before() {
    let (registry, pinned) = published().await;
    let options = options(&registry);
    fetch(&pinned, &options).await.unwrap();
    assert!(!has_credentials(&registry.asked()));
    registry.wants(Access::Basic(BASIC.to_owned()));
    fetch(&pinned, &options).await.unwrap();
    assert!(has_credentials(&registry.asked()));
    let none = fetch(&pinned, &RegistryOptions::default())
        .await
        .unwrap_err()
        .to_string();
    assert!(
        none.contains("there are no credentials") && none.contains("docker login"),
        "{none}"
    );
    registry.wants(Access::Basic("Basic b3RoZXI=".to_owned()));
    let wrong = fetch(&pinned, &options).await.unwrap_err().to_string();
    assert!(
        wrong.contains("UNAUTHORIZED") && wrong.contains("wrong"),
        "{wrong}"
    );
    assert!(
        !wrong.contains("hunter2") && !wrong.contains("who?"),
        "{wrong}"
    );
}

#[tokio::test]
async fn a_token_is_asked_for_where_the_registry_says_and_sent_to_the_registry() {
    let (registry, pinned) = published().await;
    let giver = FakeRegistry::start();
    giver.answers("/token", token());
    let realm = format!("http://{}/token?a=b", giver.host());
    registry.wants(Access::Token("given".to_owned(), realm));
    let options = options(&registry);
    fetch(&pinned, &options).await.unwrap();
    publish(&reference(&registry), &publication(), false, &options)
        .await
        .unwrap();
    let asked = giver.asked();
    assert_eq!(asked.len(), 2);
    assert!(
        asked
            .iter()
            .all(|one| one.authorization.as_deref() == Some(BASIC))
    );
    let scope = |access: &str| format!("service=fake&scope=repository%3Ateam%2Fheap%3A{access}");
    assert!(asked[0].path.ends_with(&scope("pull")), "{asked:?}");
    assert!(asked[1].path.ends_with(&scope("pull%2Cpush")), "{asked:?}");
    let sent = registry.asked();
    let with = sent.iter().filter_map(|one| one.authorization.as_deref());
    assert!(with.clone().count() > 2 && with.clone().all(|one| one == "Bearer given"));
}

#[tokio::test]
async fn case_276_no_credentials_go_to_another_host() {
    let (registry, pinned) = published().await;
    let options = options(&registry);
    registry.wants(Access::Basic(BASIC.to_owned()));
    let layer = fetch(&pinned, &options)
        .await
        .unwrap()
        .manifest
        .layer()
        .digest
        .clone();
    let elsewhere = FakeRegistry::start();
    elsewhere.put("/store/heap", Some(EMPTY.to_vec()));
    let location = format!("Location: http://{}/store/heap\r\n", elsewhere.host());
    registry.answers(&layer, Answer::Status(307, location, Vec::new()));
    assert_eq!(fetch(&pinned, &options).await.unwrap().component, EMPTY);
    assert!(!elsewhere.asked().is_empty() && !has_credentials(&elsewhere.asked()));
    // Also where it asks for them.
    elsewhere.wants(Access::Basic(BASIC.to_owned()));
    let error = fetch(&pinned, &options).await.unwrap_err().to_string();
    assert!(error.contains("no credentials are sent there"), "{error}");
    assert!(!has_credentials(&elsewhere.asked()));
    // And where it says that tokens for it are given elsewhere, before the registry itself wanted any.
    let giver = FakeRegistry::start();
    giver.answers("/token", token());
    let realm = format!("http://{}/token", giver.host());
    elsewhere.wants(Access::Token("given".to_owned(), realm));
    registry.wants(Access::Open);
    let error = fetch(&pinned, &options).await.unwrap_err().to_string();
    assert!(error.contains("no credentials are sent there"), "{error}");
    assert!(giver.asked().is_empty() && !has_credentials(&elsewhere.asked()));
    registry.wants(Access::Basic(BASIC.to_owned()));
    // What is published is not sent there either.
    let location = format!("Location: http://{}/upload\r\n", elsewhere.host());
    registry.answers("uploads/", Answer::Status(202, location, Vec::new()));
    registry.put(&format!("/v2/team/heap/blobs/{layer}"), None);
    registry.answers(&layer, Answer::Status(404, String::new(), Vec::new()));
    let before = elsewhere.asked().len();
    let error = publish(&reference(&registry), &publication(), true, &options).await;
    let error = error.unwrap_err().to_string();
    assert!(error.contains("another host"), "{error}");
    assert_eq!(elsewhere.asked().len(), before);
}

#[tokio::test]
async fn case_276_another_registry_gets_none_and_a_realm_without_tls_neither() {
    let (registry, pinned) = published().await;
    let other = FakeRegistry::start();
    // The credentials are for another one.
    let options = options(&other);
    registry.wants(Access::Basic(BASIC.to_owned()));
    assert!(fetch(&pinned, &options).await.is_err());
    assert!(!has_credentials(&registry.asked()));
    let options = self::options(&registry);
    for realm in [
        "http://192.0.2.1/token",
        "http://me@127.0.0.1/token",
        "ftp://127.0.0.1/token",
        "token",
        "",
    ] {
        registry.wants(Access::Token("given".to_owned(), realm.to_owned()));
        let error = fetch(&pinned, &options).await.unwrap_err().to_string();
        assert!(error.contains("where it gives tokens"), "{realm}: {error}");
    }
    // A place for tokens that leads on is not followed.
    let giver = FakeRegistry::start();
    let location = format!("Location: http://{}/token\r\n", other.host());
    giver.answers("/token", Answer::Status(307, location, Vec::new()));
    let realm = format!("http://{}/token", giver.host());
    registry.wants(Access::Token("given".to_owned(), realm));
    let error = fetch(&pinned, &options).await.unwrap_err().to_string();
    assert!(error.contains("the status is 307"), "{error}");
    assert!(other.asked().is_empty());
}
