//! WASI 0.2 for components that users bring: a virtual, empty world.
//!
//! The bindings are those of `wasmtime-wasi`; the implementation is not. Nothing here makes a system
//! call, starts a thread or waits: files are memory, time is a number that sleeping advances, random
//! numbers follow from a seed. So a component with imports needs no more permissions than one without,
//! the same calls always give the same results, and no guest can block its host.
//!
//! The limits are per call of the guest's export, except that on handles, which is per instance.

mod cli;
mod clocks;
mod files;
mod io;
mod parameters;
mod random;
mod state;

pub(super) use parameters::link as link_parameters;
pub(super) use state::VirtualWorld;

use wasmtime::component::{HasSelf, Linker};
use wasmtime_wasi::p2::bindings::{cli as wasi_cli, clocks as wasi_clocks, random as wasi_random};
use wasmtime_wasi::p2::bindings::{filesystem, sync};

/// Links every interface that the build accepts; `get` returns the virtual world of a store. Sockets
/// and HTTP are not among them: a component that imports them is not linked at all.
pub(super) fn link<T: 'static>(
    linker: &mut Linker<T>,
    get: fn(&mut T) -> &mut VirtualWorld,
) -> wasmtime::Result<()> {
    type World = HasSelf<VirtualWorld>;
    wasi_cli::environment::add_to_linker::<_, World>(linker, get)?;
    wasi_cli::exit::add_to_linker::<_, World>(linker, get)?;
    wasi_cli::stdin::add_to_linker::<_, World>(linker, get)?;
    wasi_cli::stdout::add_to_linker::<_, World>(linker, get)?;
    wasi_cli::stderr::add_to_linker::<_, World>(linker, get)?;
    wasi_cli::terminal_input::add_to_linker::<_, World>(linker, get)?;
    wasi_cli::terminal_output::add_to_linker::<_, World>(linker, get)?;
    wasi_cli::terminal_stdin::add_to_linker::<_, World>(linker, get)?;
    wasi_cli::terminal_stdout::add_to_linker::<_, World>(linker, get)?;
    wasi_cli::terminal_stderr::add_to_linker::<_, World>(linker, get)?;
    wasi_clocks::monotonic_clock::add_to_linker::<_, World>(linker, get)?;
    wasi_clocks::wall_clock::add_to_linker::<_, World>(linker, get)?;
    filesystem::preopens::add_to_linker::<_, World>(linker, get)?;
    sync::filesystem::types::add_to_linker::<_, World>(linker, get)?;
    wasmtime_wasi_io::bindings::wasi::io::error::add_to_linker::<_, World>(linker, get)?;
    sync::io::poll::add_to_linker::<_, World>(linker, get)?;
    sync::io::streams::add_to_linker::<_, World>(linker, get)?;
    wasi_random::random::add_to_linker::<_, World>(linker, get)?;
    wasi_random::insecure::add_to_linker::<_, World>(linker, get)?;
    wasi_random::insecure_seed::add_to_linker::<_, World>(linker, get)
}
