//! Options of commands that speak to registries.

use super::failure::Failure;
use bakeoff_domain::reference::ReferenceError;
use bakeoff_registry::{Credentials, PlainHttp, RegistryError, RegistryOptions};
use clap::Args;

/// How registries are spoken to.
#[derive(Clone, Debug, Args)]
pub(super) struct RegistryArguments {
    /// Registry to speak to without TLS, as references name it, such as registry.local:5000; one on this machine needs no leave
    #[arg(long, value_name = "HOST")]
    plain_http: Vec<String>,
}

impl RegistryArguments {
    /// Returns the options, with the user's credentials.
    ///
    /// # Errors
    /// The environment, or docker's `config.json`, has credentials that cannot be used.
    pub(super) fn options(&self) -> Result<RegistryOptions, Failure> {
        let credentials = Credentials::of_user(&|name| std::env::var_os(name));
        Ok(RegistryOptions {
            credentials: credentials.map_err(|error| Failure::usage(error.to_string()))?,
            plain_http: PlainHttp::of(self.plain_http.iter().cloned()),
        })
    }
}

/// Returns the error of a text that is no reference. The text is not repeated: it may hold a password.
pub(super) fn not_a_reference(why: ReferenceError) -> Failure {
    Failure::usage(format!("the reference {why}"))
}

impl From<RegistryError> for Failure {
    fn from(error: RegistryError) -> Self {
        if error.is_unreachable() {
            Self::infrastructure(error)
        } else {
            Self::usage(error.to_string())
        }
    }
}
