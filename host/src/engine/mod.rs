//! The engine: one place that decides how WebAssembly is compiled and run.
//!
//! Two profiles. They differ in what is woven into the guest's code, and therefore in what they
//! are good for; nothing else in bakeoff names [`wasmtime::Config`].

use bakeoff_domain::hex;
use sha2::{Digest, Sha256};
use std::hash::{Hash, Hasher};
use wasmtime::{Config, Engine, OptLevel, Strategy};

/// What a compiled component is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Profile {
    /// Fuel is counted: endless loops end, and the same call costs the same fuel on every machine.
    /// For workloads, the gate, and everything that is not timed.
    Checked,
    /// Nothing is woven in. Instrumentation distorts unevenly, and so changes who wins: the fence
    /// around a timed trial is its process.
    Timed,
}

/// Native stack that guest code may use. Deep recursion ends in a clean trap well before the
/// runner's own stack does.
pub const STACK_BYTES: usize = 512 << 10;

/// The configuration of a profile.
///
/// - Cranelift at its highest level, on one thread (children are limited by CPU time)
/// - no gc, exceptions, threads, 64-bit or multiple memories, relaxed SIMD, tail calls beyond what
///   a compiler of today emits by default, component-model async
/// - NaNs as the machine makes them, in both profiles: canonical ones in one of them would tell a
///   guest whether it is being checked or timed, and in the other would distort the times
/// - on-demand allocation, copy-on-write images, 4 GiB reservations with guards
/// - 512 KiB of stack
fn config(profile: Profile) -> Config {
    let mut config = Config::new();
    config
        .strategy(Strategy::Cranelift)
        .cranelift_opt_level(OptLevel::Speed)
        .parallel_compilation(false)
        .concurrency_support(false)
        .max_wasm_stack(STACK_BYTES)
        .wasm_component_model(true)
        .wasm_component_model_async(false)
        .wasm_gc(false)
        .wasm_function_references(false)
        .wasm_exceptions(false)
        .wasm_threads(false)
        .wasm_memory64(false)
        .wasm_multi_memory(false)
        .wasm_relaxed_simd(false)
        .wasm_stack_switching(false)
        .consume_fuel(profile == Profile::Checked)
        .cranelift_nan_canonicalization(false)
        .epoch_interruption(false);
    config
}

/// A new engine.
///
/// # Errors
/// The host's CPU or operating system is one the engine does not support.
pub fn new(profile: Profile) -> wasmtime::Result<Engine> {
    Engine::new(&config(profile))
}

/// Compiles a component to machine code that an engine of the same profile loads.
///
/// Only a confined child calls this: compiling is work without a bound of its own.
///
/// # Errors
/// The bytes are not a valid component, or the engine's compiler cannot take it.
pub fn precompile(profile: Profile, component: &[u8]) -> wasmtime::Result<Vec<u8>> {
    new(profile)?.precompile_component(component)
}

/// The same for several components, one after the other, by one engine.
///
/// # Errors
/// As for [`precompile`], for the first that cannot be compiled.
pub fn precompile_all(
    profile: Profile,
    components: &[impl AsRef<[u8]>],
) -> wasmtime::Result<Vec<Vec<u8>>> {
    let engine = new(profile)?;
    let compiled = components
        .iter()
        .map(|component| engine.precompile_component(component.as_ref()));
    compiled.collect()
}

/// Names the engine's version and everything in its configuration that decides what code comes out
/// of it: precompiled code is only ever used by an engine of the same fingerprint.
///
/// # Errors
/// As for [`new`].
pub fn fingerprint(profile: Profile) -> wasmtime::Result<String> {
    let engine = new(profile)?;
    let mut hasher = Sha256Hasher(Sha256::new());
    engine.precompile_compatibility_hash().hash(&mut hasher);
    let digest = hasher.0.finalize();
    Ok(format!("wasmtime-{}-{}", version(), hex(&digest[..8])))
}

/// The engine's version, as `Cargo.lock` resolved it.
pub fn version() -> &'static str {
    let lock = include_str!("../../../Cargo.lock");
    let entry = lock
        .split_once("name = \"wasmtime\"\nversion = \"")
        .map(|(_, rest)| rest);
    entry
        .and_then(|rest| rest.split_once('"'))
        .map_or("48", |(version, _)| version)
}

/// Feeds everything that is hashed to SHA-256: the standard hasher is not stable over releases.
struct Sha256Hasher(Sha256);

impl Hasher for Sha256Hasher {
    fn write(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    fn finish(&self) -> u64 {
        let digest = self.0.clone().finalize();
        u64::from_le_bytes(digest[..8].try_into().expect("a digest has 32 bytes"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_profiles_are_told_apart_by_their_fingerprints() {
        let checked = fingerprint(Profile::Checked).unwrap();
        assert_eq!(checked, fingerprint(Profile::Checked).unwrap());
        assert_ne!(checked, fingerprint(Profile::Timed).unwrap());
        assert!(checked.starts_with("wasmtime-48."), "{checked}");
    }
}
