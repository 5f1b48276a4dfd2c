//! Fetching: a manifest by its digest, and the component that it names.

use super::error::RegistryError;
use super::options::RegistryOptions;
use super::session::{Request, Session};
use super::token::Access;
use bakeoff_domain::reference::ComponentReference;
use bakeoff_source::{
    ImageManifest, MANIFEST_BYTES_MAX, MANIFEST_MEDIA_TYPE, ManifestError, content_address,
};
use reqwest::header::ACCEPT;
use reqwest::{Method, StatusCode};

/// The first bytes of a component: the magic number, the version of the binary format, and the layer of components. A core
/// module has another.
const COMPONENT_PREAMBLE: [u8; 8] = *b"\0asm\x0d\0\x01\0";

/// A component that was fetched: both parts have the digests that they were asked for by.
#[derive(Clone, Debug)]
pub struct FetchedComponent {
    /// The bytes of the manifest.
    pub manifest_bytes: Vec<u8>,
    /// The manifest.
    pub manifest: ImageManifest,
    /// The component.
    pub component: Vec<u8>,
}

/// Returns the digest of what a tag names now: of the bytes of its manifest, whatever the registry says of them.
///
/// # Errors
/// The registry cannot be asked, or does not have it.
pub async fn digest_of_tag(
    reference: &ComponentReference,
    options: &RegistryOptions,
) -> Result<String, RegistryError> {
    let tag = reference.tag().ok_or_else(|| {
        RegistryError::Input(format!(
            "{reference} has no tag whose digest could be asked for"
        ))
    })?;
    let mut session = Session::open(reference, Access::Pull, options)?;
    let manifest = get_manifest(&mut session, tag).await?;
    Ok(digest_of(&manifest))
}

/// Fetches a component by its digest.
///
/// # Errors
/// The reference has no digest; the registry cannot be asked, does not have it, or sends something else.
pub async fn fetch(
    reference: &ComponentReference,
    options: &RegistryOptions,
) -> Result<FetchedComponent, RegistryError> {
    let wanted = reference
        .digest()
        .ok_or_else(|| RegistryError::Input(format!("{reference} has no digest to fetch it by")))?;
    let mut session = Session::open(reference, Access::Pull, options)?;
    let manifest_bytes = get_manifest(&mut session, wanted).await?;
    is_as_asked(
        &format!("the manifest of {reference}"),
        wanted,
        &manifest_bytes,
    )?;
    let manifest =
        ImageManifest::parse(&manifest_bytes).map_err(|why| RegistryError::Manifest {
            what: reference.to_string(),
            why,
        })?;
    let layer = manifest.layer();
    let part = format!("blobs/{}", layer.digest);
    let request = Request::new(Method::GET, session.address.of_part(reference, &part));
    let response = session.send(&request).await?;
    match response.status() {
        StatusCode::OK => {}
        StatusCode::NOT_FOUND => {
            return Err(
                session.unusable("it has a manifest, and not the component that this names")
            );
        }
        _ => return Err(session.unexpected("asked for a component", response).await),
    }
    // `parse` has bounded it.
    let size = usize::try_from(layer.size).unwrap_or(usize::MAX);
    let component = session.read(response, size, "the component").await?;
    is_as_asked(
        &format!("the component of {reference}"),
        &layer.digest,
        &component,
    )?;
    is_component(&component, reference.as_str())?;
    Ok(FetchedComponent {
        manifest_bytes,
        manifest,
        component,
    })
}

/// Refuses bytes that are no component, by how they begin: a builder looks at the rest, behind its fence.
pub(super) fn is_component(bytes: &[u8], what: &str) -> Result<(), RegistryError> {
    if bytes.starts_with(&COMPONENT_PREAMBLE) {
        return Ok(());
    }
    let why = if bytes.starts_with(&COMPONENT_PREAMBLE[..4]) {
        "it is a core module, or of a version that is not known"
    } else {
        "it does not begin as one"
    };
    Err(RegistryError::NoComponent {
        what: what.to_owned(),
        why,
    })
}

/// Returns the digest of bytes, as references and manifests have it.
pub(super) fn digest_of(bytes: &[u8]) -> String {
    format!("sha256:{}", content_address(bytes))
}

fn is_as_asked(what: &str, wanted: &str, bytes: &[u8]) -> Result<(), RegistryError> {
    let found = digest_of(bytes);
    if found == wanted {
        return Ok(());
    }
    Err(RegistryError::Digest {
        what: what.to_owned(),
        wanted: wanted.to_owned(),
        found,
    })
}

/// Asks for a manifest by a tag or a digest.
pub(super) async fn get_manifest(
    session: &mut Session<'_>,
    name: &str,
) -> Result<Vec<u8>, RegistryError> {
    let reference = session.reference;
    let url = session
        .address
        .of_part(reference, &format!("manifests/{name}"));
    let request = Request::new(Method::GET, url).with(ACCEPT, MANIFEST_MEDIA_TYPE);
    let response = session.send(&request).await?;
    match response.status() {
        StatusCode::OK => {
            session
                .read(response, MANIFEST_BYTES_MAX, "a manifest")
                .await
        }
        StatusCode::NOT_FOUND => Err(RegistryError::Missing {
            what: reference.to_string(),
        }),
        StatusCode::NOT_ACCEPTABLE => Err(RegistryError::Manifest {
            what: reference.to_string(),
            why: ManifestError::Form("it has another media type".to_owned()),
        }),
        _ => Err(session.unexpected("asked for a manifest", response).await),
    }
}
