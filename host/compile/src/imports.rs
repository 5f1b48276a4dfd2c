//! The imports that components of users may have: those of WASI 0.2 that can be virtual.

/// The newest release of WASI 0.2 whose functions are all implemented.
const NEWEST: (u64, u64, u64) = (0, 2, 12);

/// The interfaces of WASI 0.2 that a component may import, and what each of them provides.
const VIRTUAL: [(&str, &str); 20] = [
    ("wasi:cli/environment", "no variable, no argument"),
    ("wasi:cli/exit", "a failure, not an exit"),
    ("wasi:cli/stdin", "an empty input"),
    (
        "wasi:cli/stdout",
        "a bounded output, of which the end is kept",
    ),
    (
        "wasi:cli/stderr",
        "a bounded output, of which the end is kept",
    ),
    ("wasi:cli/terminal-input", "no terminal"),
    ("wasi:cli/terminal-output", "no terminal"),
    ("wasi:cli/terminal-stdin", "no terminal"),
    ("wasi:cli/terminal-stdout", "no terminal"),
    ("wasi:cli/terminal-stderr", "no terminal"),
    (
        "wasi:clocks/monotonic-clock",
        "virtual time, the same in every run",
    ),
    (
        "wasi:clocks/wall-clock",
        "virtual time, the same in every run",
    ),
    ("wasi:filesystem/types", "granted folders, read only"),
    ("wasi:filesystem/preopens", "granted folders, read only"),
    ("wasi:io/error", "errors of streams"),
    ("wasi:io/poll", "waiting in virtual time"),
    ("wasi:io/streams", "streams of the above"),
    (
        "wasi:random/random",
        "seeded numbers, the same in every run",
    ),
    (
        "wasi:random/insecure",
        "seeded numbers, the same in every run",
    ),
    (
        "wasi:random/insecure-seed",
        "seeded numbers, the same in every run",
    ),
];

/// The rule for imports of WASI by components that users bring.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WasiImports {
    /// Imports of WASI are allowed, and virtual.
    #[default]
    Virtual,
    /// Imports of WASI are refused, by the host's policy.
    Refused,
}

/// The support for an import.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImportSupport {
    /// A virtual import. The text says what it provides.
    Virtual(&'static str),
    /// An import that is refused. The text says why.
    Refused(&'static str),
}

/// Returns the support for an import of a component that a user brings, by its name:
/// `wasi:random/random@0.2.0`.
pub fn import_support(import: &str) -> ImportSupport {
    let (interface, version) = import.split_once('@').unwrap_or((import, ""));
    let package = interface
        .split_once('/')
        .map_or(interface, |(package, _)| package);
    match package {
        "wasi:sockets" => return ImportSupport::Refused("there is no network"),
        "wasi:config" => {
            return ImportSupport::Refused(
                "only an approach with a `sweep` has parameters, by wasi:config/store 0.2.0-rc.1 or \
                 0.2.0-draft",
            );
        }
        "wasi:http" => return ImportSupport::Refused("there is no network, and so no HTTP"),
        "bakeoff:evaluator" => {
            return ImportSupport::Refused(
                "evaluators import that, which belong under `[[evaluator]]`",
            );
        }
        "bakeoff:completions" => {
            return ImportSupport::Refused(
                "proposers import that, which `bakeoff generate --proposer` asks",
            );
        }
        _ => {}
    }
    let Some((_, gets)) = VIRTUAL.iter().find(|(known, _)| *known == interface) else {
        return ImportSupport::Refused("it is not granted");
    };
    match release(version) {
        Some(release) if release.0 == 0 && release.1 == 2 && release <= NEWEST => {
            ImportSupport::Virtual(gets)
        }
        _ => ImportSupport::Refused("it is of another version of WASI than 0.2.0 to 0.2.12"),
    }
}

/// Returns the three numbers of a release; `None` for a pre-release.
fn release(version: &str) -> Option<(u64, u64, u64)> {
    let mut numbers = version.split('.').map(|number| number.parse().ok());
    let release = (numbers.next()??, numbers.next()??, numbers.next()??);
    numbers.next().is_none().then_some(release)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_of_wasi_0_2_are_virtual_and_nothing_else_is() {
        for import in [
            "wasi:random/random@0.2.0",
            "wasi:cli/exit@0.2.12",
            "wasi:filesystem/types@0.2.3",
        ] {
            assert!(
                matches!(import_support(import), ImportSupport::Virtual(_)),
                "{import}"
            );
        }
        for (import, why) in [
            ("wasi:sockets/tcp@0.2.0", "no network"),
            ("wasi:http/types@0.2.0", "no HTTP"),
            ("wasi:cli/exit@0.2.13", "another version"),
            ("wasi:cli/exit@0.3.0", "another version"),
            ("wasi:cli/exit@0.2.0-rc-2023-11-10", "another version"),
            ("wasi:cli/exit", "another version"),
            ("wasi:keyvalue/store@0.2.0", "not granted"),
            ("bakeoff:evaluator/types@0.1.0", "[[evaluator]]"),
            ("bakeoff:completions/completions@0.1.0", "--proposer"),
            ("wasi:config/store@0.2.0-rc.1", "with a `sweep`"),
            ("mine", "not granted"),
        ] {
            let ImportSupport::Refused(said) = import_support(import) else {
                panic!("{import} is provided")
            };
            assert!(said.contains(why), "{import}: {said}");
        }
    }
}
