//! The engine: the configuration by which WebAssembly is compiled and run.
//!
//! There are two profiles, which differ in the instrumentation of the guest's code. Nothing else in
//! bakeoff names [`wasmtime::Config`].

use bakeoff_domain::hex;
use sha2::{Digest, Sha256};
use std::hash::{Hash, Hasher};
use wasmparser::WasmFeatures;
use wasmtime::{
    Config, Enabled, Engine, InstanceAllocationStrategy, OptLevel, PoolingAllocationConfig,
    Strategy, WasmBacktraceDetails,
};

/// The purpose of compiled code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Profile {
    /// Code that counts fuel: endless loops end, and a call costs the same fuel on every machine. For
    /// workloads, the gate, and everything that is not timed.
    Checked,
    /// Code without instrumentation, which would slow variants by different factors and so change the
    /// winner. A timed trial is limited by its process.
    Timed,
}

/// The native stack of guest code, in bytes. Deep recursion traps well before the runner's own stack
/// overflows.
pub const STACK_BYTES: usize = 512 << 10;

/// Features of WebAssembly that a component may not use: it is refused when it is validated. The engine
/// has the code for some of them only (its cargo features, in `Cargo.toml`), and some are on by
/// default even without that code.
///
/// Several memories are not among them: the engine itself makes modules with two memories, which carry
/// values from one component inside another to the next. A component's own modules with several
/// memories are refused by the builder, when it inspects them.
const ABSENT: WasmFeatures = WasmFeatures::GC
    .union(WasmFeatures::GC_TYPES)
    .union(WasmFeatures::FUNCTION_REFERENCES)
    .union(WasmFeatures::EXCEPTIONS)
    .union(WasmFeatures::THREADS)
    .union(WasmFeatures::STACK_SWITCHING)
    .union(WasmFeatures::MEMORY64)
    .union(WasmFeatures::RELAXED_SIMD)
    .union(WasmFeatures::CM_ASYNC);

/// Returns the configuration of a profile.
///
/// - Cranelift at its highest level, on one thread (children are limited by CPU time): the engine is
///   built without threads that compile
/// - nothing of [`ABSENT`]
/// - NaNs as the machine makes them, in both profiles: canonical ones in one of them would tell a
///   guest whether it is being checked or timed, and in the other would distort the times
/// - on-demand allocation (see [`new_pooled`]), copy-on-write images, 4 GiB reservations with guards
/// - 512 KiB of stack
/// - no names of source files in backtraces
fn config(profile: Profile) -> Config {
    let mut config = Config::new();
    config
        .strategy(Strategy::Cranelift)
        .cranelift_opt_level(OptLevel::Speed)
        .concurrency_support(false)
        .max_wasm_stack(STACK_BYTES)
        .wasm_component_model(true)
        .wasm_features(ABSENT, false)
        .consume_fuel(profile == Profile::Checked)
        .cranelift_nan_canonicalization(false)
        .epoch_interruption(false)
        // Else a variable of the environment decides, and with it the name of the engine.
        .wasm_backtrace_details(WasmBacktraceDetails::Disable);
    config
}

/// Makes an engine with on-demand allocation.
///
/// # Errors
/// The engine does not support the host's CPU or operating system.
pub fn new(profile: Profile) -> wasmtime::Result<Engine> {
    Engine::new(&config(profile))
}

/// The sizes of a pool of slots, in which an engine makes instances again and again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pool {
    /// The number of components that have an instance at the same time.
    pub components: usize,
    /// The most core instances of one component.
    pub instances_max: usize,
    /// The most memories and tables of one component, each.
    pub tables_max: usize,
    /// The most bytes of memories and tables of one component.
    pub memory_bytes_max: u64,
    /// The number of bytes that an instance is known to write. Without the kernel's list of written
    /// pages, this much of its memory is cleared after each instance, and the rest is given back.
    pub resident_bytes: u64,
}

/// Returns the number of bytes that the slot of a component keeps between instances, if its instances are
/// known to write `resident_bytes`: some more than that. Memory that an instance writes beyond is given
/// back after it.
pub fn kept_bytes(resident_bytes: u64, memory_bytes_max: u64) -> u64 {
    let more = resident_bytes / 4 + (4 << 20);
    resident_bytes.saturating_add(more).min(memory_bytes_max)
}

/// The largest `VMContext` of a core instance, in bytes: a check only, nothing is reserved. An
/// interpreter of 20,000 functions has one of a megabyte.
const CORE_INSTANCE_BYTES_MAX: usize = 64 << 20;

/// The most memories and tables in a pool, each. A memory reserves 4 GiB of addresses, of 128 TiB.
const POOL_TABLES_MAX: usize = 4_096;

/// Makes an engine of the timed profile whose instances cost next to nothing: each component has slots
/// of its own in a pool, which keep their pages. If [`can_list_written_pages`] returns true, only the
/// pages that an instance wrote are reset after it; otherwise [`Pool::resident_bytes`] of its memory.
///
/// # Errors
/// As for [`new`], or the addresses cannot be reserved.
pub fn new_pooled(pool: &Pool) -> wasmtime::Result<Engine> {
    let bytes = usize::try_from(pool.memory_bytes_max).unwrap_or(usize::MAX);
    let listed = can_list_written_pages();
    let resident = if listed {
        kept_bytes(pool.resident_bytes, pool.memory_bytes_max)
    } else {
        pool.resident_bytes.min(pool.memory_bytes_max)
    };
    let resident = usize::try_from(resident).unwrap_or(usize::MAX);
    let instances = pool.components.saturating_mul(pool.instances_max);
    let tables = pool.components.saturating_mul(pool.tables_max);
    let tables = tables.min(POOL_TABLES_MAX) as u32;
    let each = pool.tables_max as u32;
    let mut slots = PoolingAllocationConfig::new();
    slots
        .total_component_instances(pool.components as u32)
        .total_core_instances(u32::try_from(instances).unwrap_or(u32::MAX))
        .total_memories(tables)
        .total_tables(tables)
        .max_memories_per_module(each)
        .max_tables_per_module(each)
        .table_elements(bytes / size_of::<usize>())
        .max_core_instance_size(CORE_INSTANCE_BYTES_MAX)
        .max_component_instance_size(CORE_INSTANCE_BYTES_MAX)
        .max_unused_warm_slots(tables)
        .linear_memory_keep_resident(resident)
        .table_keep_resident(resident)
        .pagemap_scan(if listed { Enabled::Yes } else { Enabled::No });
    let mut config = config(Profile::Timed);
    config.allocation_strategy(InstanceAllocationStrategy::Pooling(slots));
    Engine::new(&config)
}

/// Returns true if the kernel can list the pages that were written (`PAGEMAP_SCAN`, Linux 6.7). The
/// first call opens `/proc/self/pagemap`, so it has to come before a fence that closes it.
pub fn can_list_written_pages() -> bool {
    PoolingAllocationConfig::is_pagemap_scan_available()
}

/// Compiles a component to machine code for an engine of the same profile.
///
/// Only a confined child may call this: compilation has no limit of its own.
///
/// # Errors
/// The bytes are not a valid component, or the engine's compiler cannot take it.
pub fn precompile(profile: Profile, component: &[u8]) -> wasmtime::Result<Vec<u8>> {
    new(profile)?.precompile_component(component)
}

/// Compiles several components, one after the other, by one engine.
///
/// # Errors
/// As for [`precompile`], for the first component that fails.
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

/// Returns the engine's version and a digest of its configuration. Precompiled code is only used by an
/// engine of the same fingerprint.
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

/// Returns the engine's version, as `Cargo.lock` resolved it.
pub fn version() -> &'static str {
    let lock = include_str!("../../workspace.lock");
    let entry = lock
        .split_once("name = \"wasmtime\"\nversion = \"")
        .map(|(_, rest)| rest);
    entry
        .and_then(|rest| rest.split_once('"'))
        .map_or("48", |(version, _)| version)
}

/// A [`Hasher`] over SHA-256: the standard hasher is not stable across releases.
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
    fn the_profiles_have_different_fingerprints() {
        let checked = fingerprint(Profile::Checked).unwrap();
        assert_eq!(checked, fingerprint(Profile::Checked).unwrap());
        assert_ne!(checked, fingerprint(Profile::Timed).unwrap());
        assert!(checked.starts_with("wasmtime-48."), "{checked}");
    }

    /// Covers features that the engine is built without: components that use them must not abort the process.
    #[test]
    fn what_is_absent_is_refused() {
        for (name, parts) in [
            ("gc", "(core module (type (struct (field i32))))"),
            ("gc references", "(core module (func (param anyref)))"),
            (
                "external references",
                "(core module (func (param externref)))",
            ),
            ("external tables", "(core module (table 1 externref))"),
            (
                "function references",
                "(core module (type $f (func)) (func (param (ref $f))))",
            ),
            ("exceptions", "(core module (tag))"),
            (
                "catching",
                "(core module (func (block (try_table (catch_all 0)))))",
            ),
            ("threads", "(core module (memory 1 1 shared))"),
            (
                "atomics",
                "(core module (memory 1) (func (drop (i32.atomic.load (i32.const 0)))))",
            ),
            (
                "stack switching",
                "(core module (type $f (func)) (type $c (cont $f)) (func (param (ref $c))))",
            ),
            ("64-bit memories", "(core module (memory i64 1))"),
            (
                "relaxed SIMD",
                "(core module (func (param v128) (result v128)
                   (i8x16.relaxed_swizzle (local.get 0) (local.get 0))))",
            ),
            ("async functions", "(type (func async))"),
            ("streams", "(type (stream u8))"),
            ("futures", "(type (future u8))"),
            ("error contexts", "(core func (canon error-context.drop))"),
        ] {
            let component = wat::parse_str(format!("(component {parts})")).unwrap();
            for profile in [Profile::Checked, Profile::Timed] {
                assert!(precompile(profile, &component).is_err(), "{name}");
            }
        }
        // Tables of functions are what every compiler makes.
        let tables = "(component (core module (table 1 funcref) (func (drop (ref.null func)))))";
        precompile(Profile::Timed, &wat::parse_str(tables).unwrap()).unwrap();
    }
}
