//! Publishing: a component, its config, and the manifest that names both.

use super::error::RegistryError;
use super::fetch::{digest_of, get_manifest, is_component};
use super::options::RegistryOptions;
use super::session::{Request, Session};
use super::token::Access;
use bakeoff_domain::reference::ComponentReference;
use bakeoff_source::{
    COMPONENT_BYTES_MAX, CONFIG_MEDIA_TYPE, Descriptor, ImageManifest, LAYER_MEDIA_TYPE,
    MANIFEST_MEDIA_TYPE,
};
use reqwest::header::CONTENT_TYPE;
use reqwest::{Method, StatusCode};
use serde_json::json;
use std::collections::BTreeMap;

/// The annotation that has the text of a component's WIT.
pub const WIT_ANNOTATION: &str = "dev.bakeoff.wit";

/// The annotation that says which world a component is for: `prototype`, `evaluator` and so on.
pub const WORLD_ANNOTATION: &str = "dev.bakeoff.world";

/// The annotation that says what a component is called.
pub const TITLE_ANNOTATION: &str = "org.opencontainers.image.title";

/// The annotation that says what a component does.
pub const DESCRIPTION_ANNOTATION: &str = "org.opencontainers.image.description";

/// The longest text that is published beside a component, in bytes: all of it stands in the manifest.
const TEXT_BYTES_MAX: usize = 256 << 10;

/// The time of making that is published: none, so that the same component has the same digest whenever it is published. The
/// layout wants one.
const NO_TIME: &str = "1970-01-01T00:00:00Z";

/// A component to be published, with what is said of it.
#[derive(Clone, Debug)]
pub struct Publication {
    /// The component.
    pub component: Vec<u8>,
    /// The name for people.
    pub title: String,
    /// The description; empty if there is none.
    pub description: String,
    /// The world that it is for.
    pub world: String,
    /// The text of its WIT.
    pub wit: String,
    /// The names of its imports.
    pub imports: Vec<String>,
    /// The names of its exports.
    pub exports: Vec<String>,
}

/// A component that was published.
#[derive(Clone, Debug)]
pub struct Published {
    /// The reference, with the digest by which everybody gets this and nothing else.
    pub reference: ComponentReference,
    /// The digest that the tag had before, if it was moved.
    pub moved_from: Option<String>,
}

impl Publication {
    /// Returns the config of a component, as the layout of WebAssembly in registries has it.
    fn config(&self) -> Vec<u8> {
        let config = json!({
            "created": NO_TIME,
            "architecture": "wasm",
            "os": "wasip2",
            "layerDigests": [digest_of(&self.component)],
            "component": { "exports": self.exports, "imports": self.imports },
        });
        config.to_string().into_bytes()
    }

    fn manifest(&self, config: &[u8]) -> ImageManifest {
        let texts = [
            (TITLE_ANNOTATION, &self.title),
            (DESCRIPTION_ANNOTATION, &self.description),
            (WORLD_ANNOTATION, &self.world),
            (WIT_ANNOTATION, &self.wit),
        ];
        let texts = texts.into_iter().filter(|(_, text)| !text.is_empty());
        let annotations: BTreeMap<String, String> = texts
            .map(|(key, text)| (key.to_owned(), text.clone()))
            .collect();
        ImageManifest {
            schema_version: 2,
            media_type: Some(MANIFEST_MEDIA_TYPE.to_owned()),
            config: descriptor(CONFIG_MEDIA_TYPE, config),
            layers: vec![descriptor(LAYER_MEDIA_TYPE, &self.component)],
            annotations,
        }
    }

    fn is_publishable(&self) -> Result<(), RegistryError> {
        is_component(&self.component, &self.title)?;
        if self.component.len() > COMPONENT_BYTES_MAX {
            return Err(RegistryError::Input(format!(
                "{} has {} bytes, and a component may have {COMPONENT_BYTES_MAX}",
                self.title,
                self.component.len()
            )));
        }
        for (what, text) in [("WIT", &self.wit), ("description", &self.description)] {
            if text.len() > TEXT_BYTES_MAX {
                return Err(RegistryError::Input(format!(
                    "the {what} has {} bytes, and {TEXT_BYTES_MAX} can stand beside a component",
                    text.len()
                )));
            }
        }
        Ok(())
    }
}

fn descriptor(media_type: &str, bytes: &[u8]) -> Descriptor {
    Descriptor {
        media_type: media_type.to_owned(),
        digest: digest_of(bytes),
        size: bytes.len() as u64,
    }
}

/// Publishes a component under a tag. A tag that names something else already is moved only if `moves_tag` says so.
///
/// # Errors
/// The reference has no tag, or a digest; the registry cannot be asked, or refuses; the tag is taken.
pub async fn publish(
    reference: &ComponentReference,
    publication: &Publication,
    moves_tag: bool,
    options: &RegistryOptions,
) -> Result<Published, RegistryError> {
    let (Some(tag), None) = (reference.tag(), reference.digest()) else {
        return Err(RegistryError::Input(format!(
            "{reference} cannot be published under: name a tag, `oci://registry/name:tag`, and no digest, which follows from \
             what is published"
        )));
    };
    publication.is_publishable()?;
    let config = publication.config();
    let manifest = publication.manifest(&config);
    let manifest = serde_json::to_vec(&manifest)
        .map_err(|error| RegistryError::Input(format!("no manifest can be written: {error}")))?;
    let digest = digest_of(&manifest);
    let mut session = Session::open(reference, Access::PullAndPush, options)?;
    let before = match get_manifest(&mut session, tag).await {
        Ok(bytes) => Some(digest_of(&bytes)),
        Err(error) if error.is_missing() => None,
        // It names something that is no component.
        Err(RegistryError::Manifest { .. }) => Some("something else".to_owned()),
        Err(error) => return Err(error),
    };
    let moved_from = before.filter(|before| *before != digest);
    if let (Some(found), false) = (&moved_from, moves_tag) {
        return Err(RegistryError::TagTaken {
            what: reference.to_string(),
            found: found.clone(),
        });
    }
    for bytes in [&publication.component, &config] {
        put_blob(&mut session, bytes).await?;
    }
    let url = session
        .address
        .of_part(reference, &format!("manifests/{tag}"));
    let mut request = Request::new(Method::PUT, url).with(CONTENT_TYPE, MANIFEST_MEDIA_TYPE);
    request.body = manifest;
    let response = session.send(&request).await?;
    if response.status() != StatusCode::CREATED {
        return Err(session.unexpected("given a manifest", response).await);
    }
    let pinned = reference.pinned(&digest);
    Ok(Published {
        reference: pinned.map_err(|why| RegistryError::Input(format!("{reference} {why}")))?,
        moved_from,
    })
}

/// Sends bytes, unless the registry has them already.
async fn put_blob(session: &mut Session<'_>, bytes: &[u8]) -> Result<(), RegistryError> {
    let reference = session.reference;
    let digest = digest_of(bytes);
    let url = session
        .address
        .of_part(reference, &format!("blobs/{digest}"));
    let found = session.send(&Request::new(Method::HEAD, url)).await?;
    if found.status() == StatusCode::OK {
        return Ok(());
    }
    let url = session.address.of_part(reference, "blobs/uploads/");
    let begun = session.send(&Request::new(Method::POST, url)).await?;
    if begun.status() != StatusCode::ACCEPTED {
        return Err(session.unexpected("asked to take a component", begun).await);
    }
    let mut url = session.location(&begun)?;
    if !session.address.is_own(&url) {
        return Err(session.unusable(
            "it wants what is published sent to another host, where no credentials of its are sent",
        ));
    }
    url.query_pairs_mut().append_pair("digest", &digest);
    let mut request = Request::new(Method::PUT, url).with(CONTENT_TYPE, "application/octet-stream");
    request.body = bytes.to_vec();
    let response = session.send(&request).await?;
    if response.status() == StatusCode::CREATED {
        Ok(())
    } else {
        Err(session.unexpected("sent a component", response).await)
    }
}
