//! Machines that a user names: one that `ssh` reaches, or a container of an image that is here.

use super::container::ContainerTarget;
use super::ssh::SshTarget;
use std::str::FromStr;

/// Examples that every error of a name ends with.
const EXAMPLES: &str = "name the machine as `ssh:HOST`, `ssh:USER@HOST` or `ssh://USER@HOST:PORT`, or a container as \
                        `container` or `container:IMAGE`";

/// The machine on which a command is to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RemoteTarget {
    /// A machine that `ssh` reaches.
    Ssh(SshTarget),
    /// A container that is started for the command, and removed after it.
    Container(ContainerTarget),
}

impl RemoteTarget {
    /// Returns the name of the machine, or of the container's image, as the user knows it.
    pub fn name(&self) -> &str {
        match self {
            Self::Ssh(target) => target.host(),
            Self::Container(target) => target.image(),
        }
    }
}

impl FromStr for RemoteTarget {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (way, rest) = match text.split_once(':') {
            Some((way, rest)) => (way, Some(rest)),
            None => (text, None),
        };
        match (way, rest) {
            ("ssh", Some(rest)) => {
                // An address with a user and a port is given to ssh as it is.
                let host = if rest.starts_with("//") { text } else { rest };
                let target = SshTarget::new(host).map(Self::Ssh);
                target.ok_or_else(|| format!("this is no name of a machine: {EXAMPLES}"))
            }
            ("container", image) => {
                let target = ContainerTarget::new(image).map(Self::Container);
                target.ok_or_else(|| format!("this is no name of an image: {EXAMPLES}"))
            }
            _ => Err(format!(
                "only `ssh` and `container` lead to other machines: {EXAMPLES}"
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_is_a_name_and_no_option() {
        for (text, host) in [
            ("ssh:fast", "fast"),
            ("ssh:me@10.0.0.2", "me@10.0.0.2"),
            ("ssh://me@fast:2222", "ssh://me@fast:2222"),
        ] {
            assert_eq!(text.parse::<RemoteTarget>().unwrap().name(), host);
        }
        for text in [
            "fast",
            "ssh:",
            "ssh",
            "ssh:-oProxyCommand=x",
            "ssh:a b",
            "ssh:a;b",
            "ssh:$(x)",
            "ssh:a'b",
            "docker:x",
        ] {
            let refused = text.parse::<RemoteTarget>().unwrap_err();
            assert!(refused.contains("ssh:HOST"), "{text}: {refused}");
        }
    }

    #[test]
    fn an_image_is_a_name_and_no_option() {
        let own = concat!("bakeoff:", env!("CARGO_PKG_VERSION"));
        for (text, image) in [
            ("container", own),
            ("container:rust", "rust"),
            ("container:host:5000/a/b:1.2", "host:5000/a/b:1.2"),
            ("container:a@sha256:00ff", "a@sha256:00ff"),
        ] {
            assert_eq!(text.parse::<RemoteTarget>().unwrap().name(), image);
        }
        for text in [
            "container:",
            "container:--privileged",
            "container:-v=/:/host",
            "container:a b",
            "container:a;b",
            "container:$(x)",
            "containers:a",
        ] {
            let refused = text.parse::<RemoteTarget>().unwrap_err();
            assert!(refused.contains("container:IMAGE"), "{text}: {refused}");
        }
        let long = format!("container:{}", "a".repeat(600));
        assert!(long.parse::<RemoteTarget>().is_err());
    }
}
