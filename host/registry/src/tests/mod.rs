//! Fetching from and publishing to a registry on loopback, one that lies among them.

mod credentials;
#[path = "../../testing/fake_registry.rs"]
mod fake_registry;
mod hostile;

use crate::{PlainHttp, Publication, RegistryError, RegistryOptions, fetch, publish};
use crate::{digest_of_tag, error};
use bakeoff_domain::reference::ComponentReference;
use fake_registry::FakeRegistry;

/// The smallest component.
const EMPTY: &[u8] = b"\0asm\x0d\0\x01\0";

fn publication() -> Publication {
    Publication {
        component: EMPTY.to_vec(),
        title: "heap".to_owned(),
        description: "Keeps a heap.".to_owned(),
        world: "prototype".to_owned(),
        wit: "package a:b;".to_owned(),
        imports: Vec::new(),
        exports: vec!["top-k".to_owned()],
    }
}

fn reference(registry: &FakeRegistry) -> ComponentReference {
    ComponentReference::parse(&format!("oci://{}/team/heap:1", registry.host())).unwrap()
}

fn options() -> RegistryOptions {
    RegistryOptions::default()
}

/// A registry with a component, and the component's reference.
async fn published() -> (FakeRegistry, ComponentReference) {
    let registry = FakeRegistry::start();
    let published = publish(&reference(&registry), &publication(), false, &options()).await;
    (registry, published.unwrap().reference)
}

#[tokio::test]
async fn what_was_published_is_fetched_by_its_digest() {
    let (registry, pinned) = published().await;
    let fetched = fetch(&pinned, &options()).await.unwrap();
    assert_eq!(fetched.component, EMPTY);
    let texts = &fetched.manifest.annotations;
    assert_eq!(texts[crate::WIT_ANNOTATION], "package a:b;");
    assert_eq!(texts[crate::DESCRIPTION_ANNOTATION], "Keeps a heap.");
    assert_eq!(texts[crate::TITLE_ANNOTATION], "heap");
    assert_eq!(texts[crate::WORLD_ANNOTATION], "prototype");
    let config = format!("/v2/team/heap/blobs/{}", fetched.manifest.config.digest);
    let config: serde_json::Value =
        serde_json::from_slice(&registry.content(&config).unwrap()).unwrap();
    assert_eq!(config["layerDigests"][0], fetched.manifest.layer().digest);
    assert_eq!(config["component"]["exports"][0], "top-k");
    assert_eq!(
        (&config["architecture"], &config["os"]),
        (&"wasm".into(), &"wasip2".into())
    );
    let digest = digest_of_tag(&pinned, &options()).await.unwrap();
    assert_eq!(Some(digest.as_str()), pinned.digest());
}

#[tokio::test]
async fn the_same_component_has_the_same_digest_wherever_it_is_published() {
    let (_, here) = published().await;
    let (registry, there) = published().await;
    assert_eq!(here.digest(), there.digest());
    let again = publish(&reference(&registry), &publication(), false, &options()).await;
    let again = again.unwrap();
    assert_eq!((again.reference, again.moved_from), (there, None));
}

#[tokio::test]
async fn a_tag_is_moved_only_if_that_is_asked_for() {
    let (registry, first) = published().await;
    let other = Publication {
        description: "Another.".to_owned(),
        ..publication()
    };
    let refused = publish(&reference(&registry), &other, false, &options()).await;
    let refused = refused.unwrap_err();
    assert!(matches!(refused, RegistryError::TagTaken { .. }));
    assert!(
        refused.to_string().contains(first.digest().unwrap()),
        "{refused}"
    );
    let digest = digest_of_tag(&first, &options()).await.unwrap();
    assert_eq!(Some(digest.as_str()), first.digest());
    let moved = publish(&reference(&registry), &other, true, &options())
        .await
        .unwrap();
    assert_eq!(moved.moved_from.as_deref(), first.digest());
    assert_ne!(moved.reference.digest(), first.digest());
}

#[tokio::test]
async fn nothing_is_published_that_is_no_component_or_has_a_digest_in_its_name() {
    let (registry, pinned) = published().await;
    let core = Publication {
        component: b"\0asm\x01\0\0\0".to_vec(),
        ..publication()
    };
    let said =
        |result: Result<crate::Published, error::RegistryError>| result.unwrap_err().to_string();
    let asked = registry.asked().len();
    let refused = said(publish(&reference(&registry), &core, true, &options()).await);
    assert!(refused.contains("core module"), "{refused}");
    let refused = said(publish(&pinned, &publication(), true, &options()).await);
    assert!(refused.contains("no digest"), "{refused}");
    let long = Publication {
        wit: "x".repeat(1 << 20),
        ..publication()
    };
    let refused = said(publish(&reference(&registry), &long, true, &options()).await);
    assert!(refused.contains("WIT"), "{refused}");
    assert_eq!(registry.asked().len(), asked);
}

#[tokio::test]
async fn without_tls_nobody_outside_of_this_machine_is_asked() {
    let named = ComponentReference::parse("oci://registry.invalid:5000/a:1").unwrap();
    let refused = digest_of_tag(&named, &options()).await.unwrap_err();
    assert!(refused.is_unreachable(), "{refused}");
    // With leave, the same name has an address without TLS, which is only shown here.
    let plain = RegistryOptions {
        plain_http: PlainHttp::of(["registry.invalid:5000".to_owned()]),
        ..options()
    };
    let address = crate::address::Address::of(&named, &plain.plain_http).unwrap();
    assert_eq!(address.base.scheme(), "http");
}
