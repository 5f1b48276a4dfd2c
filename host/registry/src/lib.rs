//! Components in registries: fetched by their digests, and published, over the few requests of the [distribution
//! specification] that this takes.
//!
//! What answers may be anybody, and says what it likes: each answer has a largest size and a longest time, content counts by
//! its digest alone, and credentials of a registry go to that registry and to where it says that tokens are given, over TLS,
//! and never after a redirect to somewhere else.
//!
//! [distribution specification]: https://github.com/opencontainers/distribution-spec/blob/main/spec.md

mod address;
mod challenge;
mod credentials;
mod error;
mod fetch;
mod options;
mod publish;
mod session;
mod token;

#[cfg(test)]
mod tests;

pub use address::PlainHttp;
#[doc(hidden)]
pub use challenge::parses_challenge;
pub use credentials::{
    CredentialError, Credentials, PASSWORD_VARIABLE, REGISTRY_VARIABLE, USER_VARIABLE,
};
pub use error::RegistryError;
pub use fetch::{FetchedComponent, digest_of_tag, fetch};
pub use options::RegistryOptions;
pub use publish::{
    DESCRIPTION_ANNOTATION, Publication, Published, TITLE_ANNOTATION, WIT_ANNOTATION,
    WORLD_ANNOTATION, publish,
};
