//! The user's credentials for registries: of the environment, or of the file that `docker login` writes.
//!
//! No helper is started: `credsStore` and `credHelpers` name programs.

use bakeoff_files::{Reach, parse_json_of};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The variable that names the registry for which the next two are.
pub const REGISTRY_VARIABLE: &str = "BAKEOFF_REGISTRY";

/// The variable with the name of the user at the registry.
pub const USER_VARIABLE: &str = "BAKEOFF_REGISTRY_USER";

/// The variable with the password, or with a token in its place.
pub const PASSWORD_VARIABLE: &str = "BAKEOFF_REGISTRY_PASSWORD";

/// The variable that names the folder of docker's `config.json`.
const DOCKER_VARIABLE: &str = "DOCKER_CONFIG";

/// The largest `config.json`, in bytes.
const CONFIG_BYTES_MAX: u64 = 1 << 20;

/// The most values of a `config.json`.
const CONFIG_VALUES_MAX: usize = 10_000;

/// The longest user name or password, in bytes.
const LOGIN_BYTES_MAX: usize = 16 << 10;

/// A user and a password. Nothing but the header of a request sees them.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Login {
    pub(super) user: String,
    pub(super) password: String,
}

impl fmt::Debug for Login {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Login")
    }
}

/// The credentials of a user, by registry.
#[derive(Clone, Debug, Default)]
pub struct Credentials {
    logins: BTreeMap<String, Login>,
    /// The registries whose credentials only a helper knows, and whether that is all of them.
    with_helper: Vec<String>,
    has_store: bool,
}

/// The reason why the credentials cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum CredentialError {
    /// Variables of the environment do not fit together.
    #[error(
        "{USER_VARIABLE} and {PASSWORD_VARIABLE} are credentials for one registry: set {REGISTRY_VARIABLE} to its host, as \
         references name it, and both of them"
    )]
    Variables,
    /// The file cannot be used.
    #[error("{file} cannot be used: {reason}")]
    File {
        /// The file.
        file: String,
        /// The reason.
        reason: String,
    },
}

#[derive(Deserialize)]
struct DockerConfig {
    #[serde(default)]
    auths: BTreeMap<String, DockerLogin>,
    #[serde(default, rename = "credsStore")]
    store: Option<String>,
    #[serde(default, rename = "credHelpers")]
    helpers: BTreeMap<String, String>,
}

#[derive(Deserialize)]
struct DockerLogin {
    auth: Option<String>,
    username: Option<String>,
    password: Option<String>,
}

impl Credentials {
    /// Reads the credentials of the environment and of docker's `config.json`: in the folder that `DOCKER_CONFIG` names, or
    /// in `~/.docker`. The environment's come first.
    ///
    /// # Errors
    /// Variables are missing, or the file cannot be read. Nothing of either is in the message.
    pub fn of_user(
        environment: &dyn Fn(&str) -> Option<OsString>,
    ) -> Result<Self, CredentialError> {
        let get = |name: &str| environment(name).filter(|value| !value.is_empty());
        let folder = get(DOCKER_VARIABLE).map(PathBuf::from);
        let folder = folder.or_else(|| Some(PathBuf::from(get("HOME")?).join(".docker")));
        // A relative one would come with the folder that one stands in.
        let folder = folder.filter(|folder| folder.is_absolute());
        let mut all = match folder {
            Some(folder) => Self::of_file(&folder.join("config.json"))?,
            None => Self::default(),
        };
        let text = |name| get(name).map(|value| value.into_string().ok());
        match (
            text(REGISTRY_VARIABLE),
            text(USER_VARIABLE),
            text(PASSWORD_VARIABLE),
        ) {
            (_, None, None) => {}
            (Some(Some(registry)), Some(Some(user)), Some(Some(password))) => {
                let login = Login { user, password };
                if !login.is_sound() {
                    return Err(CredentialError::Variables);
                }
                all.logins.insert(registry_of(&registry), login);
            }
            _ => return Err(CredentialError::Variables),
        }
        Ok(all)
    }

    fn of_file(file: &Path) -> Result<Self, CredentialError> {
        let refused = |reason: String| CredentialError::File {
            file: file.display().to_string(),
            reason,
        };
        let bytes = match Reach::Anywhere.read_bounded(file, CONFIG_BYTES_MAX) {
            Err(error)
                if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) =>
            {
                return Ok(Self::default());
            }
            read => read.map_err(|error| refused(error.to_string()))?,
        };
        let bytes = bytes.ok_or_else(|| refused("it is larger than 1 MiB".to_owned()))?;
        let config: DockerConfig = parse_json_of(&bytes, CONFIG_VALUES_MAX)
            .map_err(|error| refused(format!("it is no configuration of docker: {error}")))?;
        let mut all = Self {
            has_store: config.store.is_some(),
            with_helper: config.helpers.keys().map(|one| registry_of(one)).collect(),
            ..Self::default()
        };
        for (name, login) in config.auths {
            let login = login.read().map_err(|()| {
                refused("it has credentials that are no user and password".to_owned())
            })?;
            if let Some(login) = login {
                all.logins.insert(registry_of(&name), login);
            }
        }
        Ok(all)
    }

    /// Returns the credentials for a registry, as references name it.
    pub(super) fn of(&self, registry: &str) -> Option<&Login> {
        self.logins.get(registry)
    }

    /// Returns what to do where a registry wants credentials, and there are none.
    pub(super) fn how_to_have(&self, registry: &str) -> String {
        let with_helper = self.has_store || self.with_helper.iter().any(|one| one == registry);
        let helper = if with_helper {
            " (those that docker's config.json leaves to a helper are not asked for: a helper is a program)"
        } else {
            ""
        };
        format!(
            "there are no credentials for it{helper}: `docker login {registry}` writes them where bakeoff looks for them, or set \
             {REGISTRY_VARIABLE}={registry}, {USER_VARIABLE} and {PASSWORD_VARIABLE}"
        )
    }
}

impl DockerLogin {
    fn read(self) -> Result<Option<Login>, ()> {
        let login = match (self.auth, self.username, self.password) {
            (Some(auth), _, _) if !auth.is_empty() => {
                let bytes = BASE64_STANDARD.decode(auth.trim()).map_err(drop)?;
                let text = String::from_utf8(bytes).map_err(drop)?;
                let (user, password) = text.split_once(':').ok_or(())?;
                Login {
                    user: user.to_owned(),
                    // Docker itself fills them up so.
                    password: password.trim_end_matches('\0').to_owned(),
                }
            }
            (_, Some(user), Some(password)) => Login { user, password },
            _ => return Ok(None),
        };
        login.is_sound().then_some(Some(login)).ok_or(())
    }
}

impl Login {
    /// Returns true for a user and a password that a header can have.
    fn is_sound(&self) -> bool {
        let plain =
            |text: &str| text.len() <= LOGIN_BYTES_MAX && !text.chars().any(char::is_control);
        !self.user.is_empty()
            && !self.user.contains(':')
            && plain(&self.user)
            && plain(&self.password)
    }
}

/// Returns the host of a registry as references name it, from a key of `config.json`: a host, or an address.
fn registry_of(name: &str) -> String {
    let name = name.trim();
    let name = name
        .strip_prefix("https://")
        .or(name.strip_prefix("http://"))
        .unwrap_or(name);
    let host = name.split('/').next().unwrap_or_default();
    match host {
        "index.docker.io" | "registry-1.docker.io" => "docker.io".to_owned(),
        host => host.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_file(text: &str) -> Result<Credentials, String> {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("config.json"), text).unwrap();
        let docker: OsString = folder.path().into();
        let environment = |name: &str| (name == DOCKER_VARIABLE).then(|| docker.clone());
        Credentials::of_user(&environment).map_err(|error| error.to_string())
    }

    fn of_variables(variables: &[(&str, &str)]) -> Result<Credentials, String> {
        let environment = |name: &str| {
            let mut variables = variables.iter();
            let found = variables.find(|(key, _)| *key == name);
            found.map(|(_, value)| OsString::from(value))
        };
        Credentials::of_user(&environment).map_err(|error| error.to_string())
    }

    fn pair(credentials: &Credentials, registry: &str) -> Option<(String, String)> {
        let login = credentials.of(registry)?;
        Some((login.user.clone(), login.password.clone()))
    }

    #[test]
    fn docker_s_file_is_read() {
        let auth = BASE64_STANDARD.encode("me:pass:word");
        let read = of_file(&format!(
            r#"{{"auths": {{"ghcr.io": {{"auth": "{auth}"}}, "https://index.docker.io/v1/": {{"auth": "{auth}"}},
                "localhost:5000": {{"username": "you", "password": "x"}}, "empty.io": {{}}}},
                "credHelpers": {{"helped.io": "secretservice"}}, "HttpHeaders": {{"User-Agent": "x"}}}}"#
        ))
        .unwrap();
        let me = Some(("me".to_owned(), "pass:word".to_owned()));
        assert_eq!(pair(&read, "ghcr.io"), me);
        assert_eq!(pair(&read, "docker.io"), me);
        assert_eq!(
            pair(&read, "localhost:5000"),
            Some(("you".into(), "x".into()))
        );
        for other in ["empty.io", "ghcr.io.evil.net", "localhost", "helped.io"] {
            assert_eq!(pair(&read, other), None, "{other}");
        }
        assert!(read.how_to_have("helped.io").contains("helper"));
        assert!(!read.how_to_have("empty.io").contains("helper"));
        assert!(!format!("{read:?}").contains("pass"));
    }

    #[test]
    fn a_file_that_is_none_is_refused_and_not_quoted() {
        for text in [
            r#"{"auths": {"a": {"auth": "hunter2!"}}}"#,
            r#"{"auths": {"a": {"auth": "aHVudGVyMg=="}}}"#,
            r#"{"auths": {"a": {"username": "a\nb", "password": "hunter2"}}}"#,
            r#"{"auths": {"a": {"auth": ["hunter2"]}}}"#,
            r#"{"auths": "hunter2"}"#,
            "hunter2",
        ] {
            let said = of_file(text).unwrap_err();
            assert!(said.contains("config.json"), "{said}");
            assert!(
                !said.contains("hunter2") && !said.contains("aHVu"),
                "{said}"
            );
        }
        assert!(of_file("{}").unwrap().logins.is_empty());
    }

    #[test]
    fn variables_are_for_one_registry() {
        let all = [
            (REGISTRY_VARIABLE, "localhost:5000"),
            (USER_VARIABLE, "me"),
            (PASSWORD_VARIABLE, "hunter2"),
        ];
        let read = of_variables(&all).unwrap();
        assert_eq!(
            pair(&read, "localhost:5000"),
            Some(("me".into(), "hunter2".into()))
        );
        assert_eq!(pair(&read, "ghcr.io"), None);
        assert!(of_variables(&all[..1]).unwrap().logins.is_empty());
        for some in [&all[1..], &all[..2], &all[2..]] {
            let said = of_variables(some).unwrap_err();
            assert!(
                said.contains(REGISTRY_VARIABLE) && !said.contains("hunter2"),
                "{said}"
            );
        }
        // What a folder brings names no file of credentials.
        assert!(
            of_variables(&[(DOCKER_VARIABLE, "here")])
                .unwrap()
                .logins
                .is_empty()
        );
    }
}
