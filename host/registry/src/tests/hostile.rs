//! Registries that lie.

use super::fake_registry::{Answer, FakeRegistry};
use super::{EMPTY, options, published};
use crate::{RegistryError, digest_of_tag, fetch};
use bakeoff_domain::reference::ComponentReference;
use bakeoff_source::content_address;

async fn said(reference: &ComponentReference) -> String {
    fetch(reference, &options()).await.unwrap_err().to_string()
}

fn redirect(to: &str) -> Answer {
    Answer::Status(307, format!("Location: {to}\r\n"), Vec::new())
}

/// A manifest of a component in the registry, and its reference.
fn with_manifest(registry: &FakeRegistry, manifest: &str) -> ComponentReference {
    let digest = format!("sha256:{}", content_address(manifest.as_bytes()));
    let path = format!("/v2/team/heap/manifests/{digest}");
    registry.put(&path, Some(manifest.as_bytes().to_vec()));
    let text = format!("oci://{}/team/heap:1@{digest}", registry.host());
    ComponentReference::parse(&text).unwrap()
}

fn manifest(layer: &str, size: u64) -> String {
    format!(
        r#"{{"schemaVersion": 2, "config": {{"mediaType": "application/vnd.wasm.config.v0+json", "digest": "{layer}",
            "size": 2}}, "layers": [{{"mediaType": "application/wasm", "digest": "{layer}", "size": {size}}}]}}"#
    )
}

#[tokio::test]
async fn case_272_a_registry_that_is_down_or_breaks_off_gives_nothing() {
    let (registry, pinned) = published().await;
    for part in ["manifests/", "blobs/"] {
        registry.answers(part, Answer::Closed);
        let error = fetch(&pinned, &options()).await.unwrap_err();
        assert!(error.is_unreachable(), "{error}");
        assert!(error.to_string().contains(registry.host()), "{error}");
        registry.answers(part, Answer::Status(503, String::new(), b"later".to_vec()));
        let error = fetch(&pinned, &options()).await.unwrap_err();
        assert!(
            error.is_unreachable() && error.to_string().contains("503"),
            "{error}"
        );
        registry.answers_well();
    }
    registry.answers("blobs/", Answer::Claims(EMPTY.len() as u64));
    assert!(
        fetch(&pinned, &options())
            .await
            .unwrap_err()
            .is_unreachable()
    );
    registry.answers_well();
    let missing = ComponentReference::parse(&format!("oci://{}/none:1", registry.host())).unwrap();
    assert!(
        digest_of_tag(&missing, &options())
            .await
            .unwrap_err()
            .is_missing()
    );
    // A port that nobody listens on any more.
    let nobody = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let host = nobody.local_addr().unwrap();
    drop(nobody);
    let gone = ComponentReference::parse(&format!("oci://{host}/a:1")).unwrap();
    assert!(
        digest_of_tag(&gone, &options())
            .await
            .unwrap_err()
            .is_unreachable()
    );
}

#[tokio::test]
async fn case_273_what_has_another_digest_is_refused() {
    let (registry, pinned) = published().await;
    let fetched = fetch(&pinned, &options()).await.unwrap();
    let blob = format!("/v2/team/heap/blobs/{}", fetched.manifest.layer().digest);
    registry.put(&blob, Some(b"\0asm\x0d\0\x01\x01".to_vec()));
    let error = fetch(&pinned, &options()).await.unwrap_err();
    assert!(matches!(error, RegistryError::Digest { .. }), "{error}");
    assert!(error.to_string().contains("the component of"), "{error}");
    // Another manifest, also where a header says that it is the right one.
    let header = format!("Docker-Content-Digest: {}\r\n", pinned.digest().unwrap());
    registry.answers("manifests/", Answer::Status(200, header, b"{}".to_vec()));
    let error = said(&pinned).await;
    assert!(
        error.contains("the manifest of") && error.contains("nothing of it is kept"),
        "{error}"
    );
}

#[tokio::test]
async fn case_273_what_is_no_component_is_refused() {
    let registry = FakeRegistry::start();
    let core = b"\0asm\x01\0\0\0";
    let digest = format!("sha256:{}", content_address(core));
    registry.put(
        &format!("/v2/team/heap/blobs/{digest}"),
        Some(core.to_vec()),
    );
    let named = with_manifest(&registry, &manifest(&digest, core.len() as u64));
    assert!(said(&named).await.contains("core module"));
    for (manifest, why) in [
        (manifest("sha256:../../../key", 8), "no SHA-256"),
        (
            manifest(&digest, 8).replace("wasm.config", "oci.config"),
            "its config has the media type",
        ),
        ("{}".to_owned(), "no manifest"),
        ("[".repeat(100_000), "no manifest"),
    ] {
        let named = with_manifest(&registry, &manifest);
        let error = said(&named).await;
        assert!(error.contains(why), "{error}");
    }
}

#[tokio::test]
async fn case_274_answers_without_end_or_beyond_their_size_end() {
    let (registry, pinned) = published().await;
    for (part, answer, why) in [
        (
            "manifests/",
            Answer::Endless,
            "more than 1048576 bytes for a manifest",
        ),
        (
            "manifests/",
            Answer::Claims(1 << 40),
            "more than 1048576 bytes for a manifest",
        ),
        (
            "blobs/",
            Answer::Endless,
            "more than 8 bytes for the component",
        ),
        (
            "blobs/",
            Answer::Unsized([EMPTY, b"x"].concat()),
            "more than 8 bytes for the component",
        ),
        (
            "blobs/",
            Answer::Claims(9),
            "more than 8 bytes for the component",
        ),
    ] {
        registry.answers(part, answer);
        let error = said(&pinned).await;
        assert!(error.contains(why), "{error}");
        registry.answers_well();
    }
    // The description of an error may be endless as well.
    registry.answers(
        "blobs/",
        Answer::Status(418, "X: y\r\n".into(), vec![b'x'; 1 << 20]),
    );
    let error = said(&pinned).await;
    assert!(error.contains("418") && error.len() < 300, "{error}");
    registry.answers_well();
    // A component that says itself that it is too large is not asked for.
    let digest = format!("sha256:{}", content_address(b""));
    let large = with_manifest(&registry, &manifest(&digest, 33 << 20));
    let before = registry.asked().len();
    let error = said(&large).await;
    assert!(error.contains("a component may have 33554432"), "{error}");
    assert_eq!(registry.asked().len(), before + 1);
}

#[tokio::test]
async fn case_275_redirects_are_few_and_stay_where_tls_is() {
    let (registry, pinned) = published().await;
    let blob = format!(
        "/v2/team/heap/blobs/{}",
        fetch(&pinned, &options())
            .await
            .unwrap()
            .manifest
            .layer()
            .digest
    );
    let elsewhere = FakeRegistry::start();
    elsewhere.put("/store/heap", Some(EMPTY.to_vec()));
    registry.answers(
        "blobs/",
        redirect(&format!("http://{}/store/heap", elsewhere.host())),
    );
    assert_eq!(fetch(&pinned, &options()).await.unwrap().component, EMPTY);
    // For ever.
    registry.answers("blobs/", redirect(&blob));
    let error = said(&pinned).await;
    assert!(error.contains("redirects more than 4 times"), "{error}");
    for refused in [
        "http://192.0.2.1/store/heap",
        "file:///etc/passwd",
        "http://me:secret@127.0.0.1/store/heap",
        "gopher://127.0.0.1/",
        "http://",
    ] {
        registry.answers("blobs/", redirect(refused));
        let error = said(&pinned).await;
        assert!(error.contains("it leads"), "{refused}: {error}");
        assert!(!error.contains("secret"), "{error}");
    }
    registry.answers("blobs/", Answer::Status(307, String::new(), Vec::new()));
    assert!(said(&pinned).await.contains("does not say where"));
}
