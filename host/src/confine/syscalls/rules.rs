//! Rules on system calls: which argument must have which value.

use seccompiler::{SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompRule};
use std::collections::BTreeMap;

/// What keeps signals inside the fence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::confine) enum Signals {
    /// Landlock does, from ABI 6 on.
    ScopedByLandlock,
    /// The filter does: a process may signal only itself.
    OnlyOwn,
}

/// System calls by number, each with rules of which one must hold. No rule: the call always matches.
pub(super) type Rules = BTreeMap<i64, Vec<SeccompRule>>;

/// The rule that argument number `index` meets `check`.
fn argument(index: u8, check: Check) -> Result<SeccompRule, String> {
    let (width, operator, value) = match check {
        Check::Is(value) => (SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, value),
        Check::IsNot(value) => (SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, value),
        Check::Has(bits) => (SeccompCmpArgLen::Qword, SeccompCmpOp::MaskedEq(bits), bits),
        Check::Null => (SeccompCmpArgLen::Qword, SeccompCmpOp::Eq, 0),
        Check::NotNull => (SeccompCmpArgLen::Qword, SeccompCmpOp::Ne, 0),
        Check::LowBits(bits, value) => {
            (SeccompCmpArgLen::Dword, SeccompCmpOp::MaskedEq(bits), value)
        }
    };
    SeccompCondition::new(index, width, operator, value)
        .and_then(|condition| SeccompRule::new(vec![condition]))
        .map_err(|error| format!("seccomp: {error}"))
}

/// A condition on one argument of a system call. Integers are 32 bits wide: the kernel ignores the rest.
#[derive(Clone, Copy)]
pub(super) enum Check {
    Is(u64),
    IsNot(u64),
    Has(u64),
    Null,
    NotNull,
    LowBits(u64, u64),
}

/// Rules of which one must hold: argument number `index` meets one of `checks`.
pub(super) fn any_of(index: u8, checks: &[Check]) -> Result<Vec<SeccompRule>, String> {
    checks.iter().map(|&check| argument(index, check)).collect()
}

/// The id of this process, as an argument.
pub(super) fn own_pid() -> u64 {
    u64::from(std::process::id())
}

/// A constant of the C library as an argument.
pub(super) fn word(constant: i32) -> u64 {
    u64::from(constant.cast_unsigned())
}
