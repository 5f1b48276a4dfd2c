//! The memory of the marks, and the names by which a module exports it.

/// The most points of a component.
pub(crate) const MARK_POINTS_MAX: u32 = 200_000;

/// Names of a module's exports of the marks: the memory, and the function that returns where they lie.
pub(super) const MEMORY_EXPORT: &str = "bakeoff-coverage-memory";
pub(super) const MARKS_EXPORT: &str = "bakeoff-coverage-marks";

/// Bytes before the marks: the address and the number of the marks, as the function that returns them leaves them there.
pub(super) const HEAD_BYTES: u32 = 8;

/// Returns the reason why a component with more points is refused.
pub(super) fn too_many_points() -> String {
    format!("it has more than {MARK_POINTS_MAX} pieces of code")
}
