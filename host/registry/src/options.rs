//! The options of all that is asked of registries.

use super::address::PlainHttp;
use super::credentials::Credentials;

/// The user's word on registries.
#[derive(Clone, Debug, Default)]
pub struct RegistryOptions {
    /// The credentials of the user.
    pub credentials: Credentials,
    /// The registries that are spoken to without TLS, beside those on this machine.
    pub plain_http: PlainHttp,
}
