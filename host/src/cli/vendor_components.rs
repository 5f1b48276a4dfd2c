//! Components in registries, as `bakeoff vendor` fetches them.

use super::failure::Failure;
use bakeoff_domain::reference::ComponentReference;
use bakeoff_registry::{
    DESCRIPTION_ANNOTATION, RegistryError, RegistryOptions, digest_of_tag, fetch,
};
use bakeoff_render::clipped;
use bakeoff_render::escape::Plain;
use bakeoff_source::VendoredComponents;
use serde::Serialize;

/// The most bytes that one command fetches.
const FETCHED_BYTES_MAX: usize = 1 << 30;

/// The most characters of a description that are shown.
const DESCRIPTION_CHARS_MAX: usize = 300;

/// A component that is there now.
#[derive(Debug, Serialize)]
pub(super) struct VendoredComponent {
    /// The reference, with its digest.
    pub(super) reference: ComponentReference,
    /// Bytes that were fetched; `null` if it was there already.
    pub(super) bytes_fetched: Option<usize>,
    /// The description of its publisher; `null` if it was there already, or nothing is said.
    description: Option<String>,
    /// The digest that its tag has by now, if that is another one.
    tag_moved_to: Option<String>,
    /// The reason why it is not known whether the tag was moved.
    tag_unknown: Option<String>,
}

impl VendoredComponent {
    /// Returns the lines that a terminal has of it.
    pub(super) fn lines(&self) -> String {
        let fate = match self.bytes_fetched {
            Some(bytes) => format!("fetched, {bytes} bytes"),
            None => "was here already".to_owned(),
        };
        let mut text = format!("{}\n  {fate}\n", self.reference);
        if let Some(description) = &self.description {
            text += &format!("  its publisher says: {}\n", Plain(description));
        }
        let tag = self.reference.tag().unwrap_or_default();
        if let Some(digest) = &self.tag_moved_to {
            text += &format!(
                "  the tag {tag} was moved: it is {digest} now. What is used stays the digest that is named; change it for the \
                 other\n"
            );
        }
        if let Some(why) = &self.tag_unknown {
            text += &format!(
                "  whether the tag {tag} was moved is not known: {}\n",
                Plain(why)
            );
        }
        text
    }
}

/// Fetches components that are not here yet, and asks what their tags name by now.
///
/// # Errors
/// A component is not here, and cannot be fetched. Those before it are kept.
pub(super) async fn vendor_components(
    references: impl IntoIterator<Item = &ComponentReference>,
    vendored: &VendoredComponents,
    options: &RegistryOptions,
) -> Result<Vec<VendoredComponent>, Failure> {
    let mut all = Vec::new();
    let mut bytes_left = FETCHED_BYTES_MAX;
    for reference in references {
        let one = vendor_component(reference, vendored, options).await?;
        let bytes = one.bytes_fetched.unwrap_or(0);
        bytes_left = bytes_left.checked_sub(bytes).ok_or_else(|| {
            Failure::usage(format!(
                "the components have more than {FETCHED_BYTES_MAX} bytes together: fetch some of them first, by \
                 `bakeoff vendor oci://…`, and the others after them"
            ))
        })?;
        all.push(one);
    }
    Ok(all)
}

async fn vendor_component(
    reference: &ComponentReference,
    vendored: &VendoredComponents,
    options: &RegistryOptions,
) -> Result<VendoredComponent, Failure> {
    let of_tag = match reference.tag() {
        Some(_) => Some(digest_of_tag(reference, options).await),
        None => None,
    };
    let (pinned, tag_moved_to, tag_unknown) = match (reference.digest(), of_tag) {
        (None, Some(digest)) => (pinned(reference, &digest?)?, None, None),
        // A reference has a tag or a digest.
        (_, None) => (reference.clone(), None, None),
        (Some(named), Some(Ok(digest))) => {
            (reference.clone(), (digest != named).then_some(digest), None)
        }
        (Some(_), Some(Err(error))) => (reference.clone(), None, Some(error)),
    };
    let here = VendoredComponent {
        reference: pinned.clone(),
        bytes_fetched: None,
        description: None,
        tag_moved_to,
        tag_unknown: tag_unknown.as_ref().map(RegistryError::to_string),
    };
    if vendored.has(&pinned) {
        return Ok(here);
    }
    // Whatever kept the tag from being asked for says most of it.
    if let Some(error) = tag_unknown.filter(|error| !error.is_missing()) {
        return Err(error.into());
    }
    let fetched = fetch(&pinned, options).await?;
    vendored
        .keep(&fetched.manifest_bytes, &fetched.component)
        .map_err(|error| Failure::infrastructure(format!("cannot keep {pinned}: {error}")))?;
    let description = fetched.manifest.annotations.get(DESCRIPTION_ANNOTATION);
    Ok(VendoredComponent {
        bytes_fetched: Some(fetched.component.len()),
        description: description.map(|text| clipped(text, DESCRIPTION_CHARS_MAX)),
        ..here
    })
}

fn pinned(reference: &ComponentReference, digest: &str) -> Result<ComponentReference, Failure> {
    let pinned = reference.pinned(digest);
    pinned.map_err(|why| Failure::usage(format!("{reference} with its digest {why}")))
}
