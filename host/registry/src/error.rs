//! Errors of registries.

use bakeoff_source::ManifestError;

/// The reason why something could not be fetched or published. Nothing was kept.
#[derive(Debug, thiserror::Error)]
pub enum RegistryError {
    /// No connection could be made, or it ended.
    #[error(
        "the registry {registry} cannot be asked now: {reason}; nothing was kept: check its name and the network, or try again later"
    )]
    Unreachable {
        /// Its host.
        registry: String,
        /// The reason.
        reason: String,
    },
    /// The registry wants credentials, or others.
    #[error("the registry {registry} refuses: {reason}")]
    Refused {
        /// Its host.
        registry: String,
        /// The reason, with the next step.
        reason: String,
    },
    /// The registry does not have what was asked for.
    #[error("the registry has no {what}: check the name, or whether it needs credentials")]
    Missing {
        /// The reference.
        what: String,
    },
    /// The registry said something that cannot be used.
    #[error("the answer of the registry {registry} cannot be used: {reason}")]
    Answer {
        /// Its host.
        registry: String,
        /// The reason.
        reason: String,
    },
    /// Content has another digest than it was asked for by.
    #[error(
        "{what} has the digest {found}, and {wanted} was asked for: the registry, or somebody between, sends something else; \
         nothing of it is kept"
    )]
    Digest {
        /// The thing: the manifest or the component of a reference.
        what: String,
        /// The digest that was asked for.
        wanted: String,
        /// The digest of what came.
        found: String,
    },
    /// There is a manifest, and it is not that of a component.
    #[error("{what} {why}")]
    Manifest {
        /// The reference.
        what: String,
        /// The reason.
        why: ManifestError,
    },
    /// The bytes are no component.
    #[error("{what} is no WebAssembly component: {why}")]
    NoComponent {
        /// The reference, or the file.
        what: String,
        /// The reason.
        why: &'static str,
    },
    /// A tag names something else already.
    #[error(
        "{what} is {found} already: publish under another tag, or move this one with --move-tag, for whoever names it without \
         a digest"
    )]
    TagTaken {
        /// The reference.
        what: String,
        /// The digest that the tag has.
        found: String,
    },
    /// The component to be published, or its name, cannot be used.
    #[error("{0}")]
    Input(String),
}

impl RegistryError {
    /// Returns true if the registry does not have what was asked for.
    pub fn is_missing(&self) -> bool {
        matches!(self, Self::Missing { .. })
    }

    /// Returns true if the registry could not be asked at all, so that asking later may help.
    pub fn is_unreachable(&self) -> bool {
        matches!(self, Self::Unreachable { .. })
    }
}
