//! What verdicts rest on: quiet cores, crowded ones, or replicas that ran alone.

use crate::report::{Basis, Protocol, QuietReplicas};

/// The heading of what is said of pairs.
pub(super) fn heading(protocol: &Protocol) -> &'static str {
    match (protocol.basis, protocol.quiet) {
        (Basis::Quiet, _) => "By pair, on quiet cores",
        (Basis::All, Some(_)) => "By pair, on crowded cores",
        (Basis::All, None) => "By pair",
        (Basis::Solo, _) => "By pair, of replicas that ran alone",
    }
}

/// What an answer in one line says, too, where a quiet machine might give another one.
pub(super) fn remark(protocol: &Protocol) -> Option<String> {
    let is_crowded = protocol.basis == Basis::All && protocol.quiet.is_some();
    (is_crowded && protocol.replicas > 0).then(|| "Measured on crowded cores.".to_owned())
}

/// `12 replicas on quiet cores`.
pub fn measured(protocol: &Protocol) -> String {
    let replicas = match protocol.replicas {
        1 => "1 replica".to_owned(),
        replicas => format!("{replicas} replicas"),
    };
    match (protocol.basis, protocol.quiet) {
        (Basis::Quiet, _) => format!("{replicas} on quiet cores"),
        (Basis::All, Some(_)) => format!("{replicas} on crowded cores"),
        (Basis::All, None) => replicas,
        (Basis::Solo, _) => format!("{replicas} that ran alone"),
    }
}

/// What to know of the cores, where something else used them; `None` if nobody did, or nothing is known.
pub fn note(basis: Basis, quiet: Option<QuietReplicas>) -> Option<String> {
    let QuietReplicas { quiet, of } = quiet?;
    match basis {
        Basis::Quiet if quiet < of => Some(format!(
            "Something else used the same physical cores in {} of {of} replicas: verdicts rest on what was measured \
             while they were quiet, in {quiet} of them.",
            of - quiet
        )),
        Basis::All => Some(format!(
            "Something else used the same physical cores: {} of {of} replicas had a quiet one, so verdicts are \
             about crowded cores. On a quiet machine close variants may have another order: measure on \
             dedicated cores, or at another time.",
            if quiet == 0 {
                "none".to_owned()
            } else {
                quiet.to_string()
            }
        )),
        Basis::Quiet | Basis::Solo => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn protocol(basis: Basis, quiet: Option<(u32, u32)>) -> Protocol {
        Protocol {
            basis,
            quiet: quiet.map(|(quiet, of)| QuietReplicas { quiet, of }),
            replicas: 8,
            ..Protocol::default()
        }
    }

    fn note_of(protocol: &Protocol) -> Option<String> {
        note(protocol.basis, protocol.quiet)
    }

    #[test]
    fn what_verdicts_rest_on_is_said() {
        let quiet = protocol(Basis::Quiet, Some((8, 8)));
        assert_eq!(heading(&quiet), "By pair, on quiet cores");
        assert_eq!(measured(&quiet), "8 replicas on quiet cores");
        assert_eq!(note_of(&quiet), None);
        let mixed = note_of(&protocol(Basis::Quiet, Some((8, 10)))).unwrap();
        assert!(
            mixed.contains("in 2 of 10 replicas") && mixed.contains("in 8 of them"),
            "{mixed}"
        );
        let crowded = protocol(Basis::All, Some((0, 8)));
        assert_eq!(heading(&crowded), "By pair, on crowded cores");
        assert_eq!(
            remark(&crowded).as_deref(),
            Some("Measured on crowded cores.")
        );
        assert_eq!(remark(&quiet), None);
        let text = note_of(&crowded).unwrap();
        assert!(text.contains("none of 8 replicas"), "{text}");
        let unknown = protocol(Basis::All, None);
        assert_eq!((heading(&unknown), note_of(&unknown)), ("By pair", None));
    }
}
