//! The server of workers on other machines that runs of this host use, where their user names none.

use crate::error::Finding;
use crate::section::{At, Section};
use std::path::{Path, PathBuf};

/// The longest address, in characters.
const ADDRESS_CHARS_MAX: usize = 400;

/// Server of workers on other machines, as the host's policy names it.
#[derive(Clone, Debug, PartialEq)]
pub struct PolicyWorkers {
    /// The address, as it is written there.
    pub nats: String,
    /// A file of credentials for it.
    pub creds: Option<PathBuf>,
    /// A file of certificates of the authorities that may vouch for it.
    pub ca: Option<PathBuf>,
    /// The share of the answers that are worked out on this machine as well, from 0 to 1.
    pub recheck: Option<f64>,
}

/// Reads `[workers]`.
pub(super) fn workers(
    section: &mut Section<'_>,
    found: &mut Vec<Finding>,
) -> Option<At<PolicyWorkers>> {
    let nats = section.text("nats", found);
    let creds = file(section, "creds", found);
    let ca = file(section, "ca", found);
    let recheck = section.number("recheck", found);
    let recheck = recheck.and_then(|share| {
        let value = share.value.to_f64();
        if (0.0..=1.0).contains(&value) {
            return Some(value);
        }
        found.push(Finding::new(
            share.span,
            "`recheck` is no share",
            "this one",
            "it is a number from 0 to 1: 0.02 is one answer of 50",
        ));
        None
    });
    let Some(nats) = nats else {
        section.missing(
            "nats",
            "without it, the table names no server",
            "nats = \"nats://build-1:4222\"",
            found,
        );
        return None;
    };
    let is_address = ["nats://", "tls://"]
        .iter()
        .any(|scheme| nats.value.starts_with(scheme));
    if !is_address || nats.value.contains('@') || nats.value.chars().count() > ADDRESS_CHARS_MAX {
        found.push(Finding::new(
            nats.span,
            "`nats` is no address of a server",
            "this one",
            "write nats://HOST:PORT or tls://HOST:PORT, and /TEAM where several share one; credentials belong into a file, \
             which `creds` names",
        ));
        return None;
    }
    Some(At {
        value: PolicyWorkers {
            nats: nats.value.to_owned(),
            creds,
            ca,
            recheck,
        },
        span: nats.span,
    })
}

/// Reads the absolute path of a file.
fn file(section: &mut Section<'_>, key: &'static str, found: &mut Vec<Finding>) -> Option<PathBuf> {
    let text = section.text(key, found)?;
    if Path::new(text.value).is_absolute() {
        return Some(PathBuf::from(text.value));
    }
    // The folder that bakeoff is started in would choose it.
    found.push(Finding::new(
        text.span,
        format!("`{key}` is no absolute path"),
        "this one",
        "write it from `/` on",
    ));
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::Policy;

    #[test]
    fn a_server_of_workers_is_named_with_its_files_and_place() {
        let policy = |text: &str| Policy::parse(text, "policy.toml");
        let text = "[workers]\nrecheck = 0.02\ncreds = \"/etc/runs\"\nnats = \"tls://build-1/a\"\n";
        let named = policy(text).unwrap();
        let (workers, place) = named.workers().unwrap();
        assert_eq!(place, "policy.toml:4");
        let expected = PolicyWorkers {
            nats: "tls://build-1/a".to_owned(),
            creds: Some("/etc/runs".into()),
            ca: None,
            recheck: Some(0.02),
        };
        assert_eq!(*workers, expected);
        assert_eq!(policy("").unwrap().workers(), None);
        for wrong in [
            "",
            "nats = \"build-1\"",
            "nats = \"nats://ann:secret@build-1\"",
            "nats = 4",
            "nats = \"nats://a\"\nrecheck = 2",
            "nats = \"nats://a\"\ncreds = \"here\"",
            "nats = \"nats://a\"\nserver = \"x\"",
        ] {
            let refused = policy(&format!("[workers]\n{wrong}\n"));
            assert!(refused.is_err(), "{wrong}");
        }
    }
}
