//! The role of a child process that is a runner.

use super::any_call::AnyCall;
use super::runner::Runner;
use bakeoff_compile::engine;
use bakeoff_confine::{Frames, Role};

/// The name of the role, which the parent passes to the child process.
pub const ROLE: &str = "runner";

/// Returns the role for [`bakeoff_confine::enter_if_child`].
pub fn role() -> Role {
    Role {
        name: ROLE,
        before_fence,
        run,
    }
}

/// Opens the kernel's list of written pages, by which instances are reset, and asks for pages of one size: resetting
/// one of 2 MiB costs as much as 512 small ones.
fn before_fence() {
    engine::can_list_written_pages();
    ask_for_pages_of_one_size();
}

#[cfg(target_os = "linux")]
fn ask_for_pages_of_one_size() {
    let (on, unused): (libc::c_ulong, libc::c_ulong) = (1, 0);
    // SAFETY: the request takes no pointer. Kernels that do not know it have nothing to turn off.
    unsafe { libc::prctl(libc::PR_SET_THP_DISABLE, on, unused, unused, unused) };
}

/// Does nothing: no runner is started on other systems.
#[cfg(not(target_os = "linux"))]
fn ask_for_pages_of_one_size() {}

fn run(message: &[u8], frames: &mut Frames) -> Result<(), String> {
    let (runner, call) = Runner::open::<AnyCall>(message)?;
    call.serve(&runner, frames)
}
