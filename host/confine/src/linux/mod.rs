//! This room on Linux: fences around children, keepers of programs, and what is watched of both in /proc.

mod bubblewrap;
mod cgroup;
mod cores;
mod enter;
mod file_fence;
mod folder_watch;
mod held_process;
mod keeper;
mod landlock_rules;
mod live_process;
mod measurement;
mod memory_file;
mod privileges;
mod probe;
mod program_host;
mod shared_page;
mod sockets;
mod spawn;
mod supervise;
mod syscalls;
mod watchdog;

#[cfg(test)]
#[path = "../../testing/keeper_before_main.rs"]
mod keeper_before_main;

pub use bubblewrap::bubblewrap_is_installed;
pub use cores::{pin, usable_cores};
pub use enter::enter_if_child;
pub use file_fence::{FileFence, kept_in};
pub use held_process::{HeldProcess, in_open_folder};
pub use keeper::{Keeper, enter_if_keeper, kept};
pub use measurement::{Measurement, measured, measured_in, sink};
pub use privileges::{in_own_session, kill_with_parent};
pub use probe::{EscapeAttempt, EscapeOutcome, PROBE, ProbeConfig};
pub use program_host::PROGRAM_HOST;
pub use shared_page::Announced;
pub(crate) use sockets::next_socket;
pub use sockets::socket_pair;
pub use spawn::{Child, Confinement};
