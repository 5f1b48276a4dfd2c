//! The rules for prototypes, as a model is told them.

use bakeoff_domain::crates::AllowedCrate;
use bakeoff_domain::edition::Edition;
use bakeoff_domain::simd::Simd;

/// Returns the rules for a prototype, which depend on the use of vectors, on the edition, and on the crates that are
/// allowed.
pub(super) fn rules((simd, edition): (Simd, Edition), crates: &[AllowedCrate]) -> String {
    let vectors = match simd {
        Simd::On => "with 128-bit SIMD",
        Simd::Off => "without SIMD",
    };
    let edition = edition.name();
    let library = if crates.is_empty() {
        "no crates, no macros by derive of foreign crates: the standard library alone".to_owned()
    } else {
        let crates: Vec<String> = crates.iter().map(ToString::to_string).collect();
        format!(
            "the standard library, and these crates: {}",
            crates.join(", ")
        )
    };
    format!(
        "\
- One Rust file (edition {edition}) with the public function above. No `main`, no modules in other files; \
{library}.
- It is compiled for wasm32-unknown-unknown, -C opt-level=3, {vectors}, and runs alone in a sandbox: \
one thread, no files, network, clock, environment or randomness of the machine.
{RULES}"
    )
}

/// The rules that hold for every prototype.
const RULES: &str = "\
- Records, variants, enums and flags of the interface are in `crate::types`.
- Every call starts on a fresh instance: nothing is kept from call to call.
- The same input has the same answer. A panic, a wrong answer or a limit that is passed fails it.
- Integer overflow wraps silently, so mind it.";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_say_what_a_prototype_is_compiled_for() {
        let usual = rules((Simd::On, Edition::Rust2024), &[]);
        assert!(usual.contains("(edition 2024)") && usual.contains("with 128-bit SIMD"));
        assert!(usual.contains("no crates"));
        let allowed = [AllowedCrate::new("smallvec", "1")];
        let other = rules((Simd::Off, Edition::Rust2021), &allowed);
        assert!(other.contains("these crates: smallvec@1") && !other.contains("no crates"));
        assert!(other.contains("(edition 2021)") && other.contains("without SIMD"));
        assert!(other.ends_with("so mind it."));
    }
}
