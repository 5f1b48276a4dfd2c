//! Rules on system calls: which argument must have which value.

use seccompiler::{SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompRule};
use std::collections::BTreeMap;

/// Mechanism that keeps signals inside the fence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Signals {
    /// Landlock, from ABI 6 on.
    ScopedByLandlock,
    /// The filter of system calls: a process may signal only itself.
    OnlyOwn,
}

/// System calls by number, each with rules of which one must hold. No rule: the call always matches.
pub(super) type Rules = BTreeMap<i64, Vec<SeccompRule>>;

/// A condition on one argument of a system call. Integers are 32 bits wide: the kernel ignores the rest.
#[derive(Clone, Copy)]
pub(super) enum Check {
    Is(u64),
    IsNot(u64),
    /// All of these bits are set.
    Has(u64),
    /// Among the bits of the first number, exactly those of the second are set.
    Of(u64, u64),
    Null,
    LowBits(u64, u64),
}

/// Returns the condition that argument number `index` meets `check`.
fn condition(index: u8, check: Check) -> Result<SeccompCondition, String> {
    let (width, operator, value) = match check {
        Check::Is(value) => (SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, value),
        Check::IsNot(value) => (SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, value),
        Check::Has(bits) => (SeccompCmpArgLen::Qword, SeccompCmpOp::MaskedEq(bits), bits),
        Check::Of(bits, value) => (SeccompCmpArgLen::Qword, SeccompCmpOp::MaskedEq(bits), value),
        Check::Null => (SeccompCmpArgLen::Qword, SeccompCmpOp::Eq, 0),
        Check::LowBits(bits, value) => {
            (SeccompCmpArgLen::Dword, SeccompCmpOp::MaskedEq(bits), value)
        }
    };
    SeccompCondition::new(index, width, operator, value)
        .map_err(|error| format!("seccomp: {error}"))
}

/// Returns rules of which one must hold: argument number `index` meets one of `checks`.
pub(super) fn any_of(index: u8, checks: &[Check]) -> Result<Vec<SeccompRule>, String> {
    let rules = checks.iter().map(|&check| all_of(&[(index, check)]));
    Ok(rules.collect::<Result<Vec<_>, String>>()?.concat())
}

/// Returns the one rule that each of these arguments meets its check.
pub(super) fn all_of(checks: &[(u8, Check)]) -> Result<Vec<SeccompRule>, String> {
    let conditions = checks
        .iter()
        .map(|&(index, check)| condition(index, check))
        .collect::<Result<Vec<_>, String>>()?;
    let rule = SeccompRule::new(conditions).map_err(|error| format!("seccomp: {error}"))?;
    Ok(vec![rule])
}

/// Returns the id of this process, as an argument.
pub(super) fn own_pid() -> u64 {
    u64::from(std::process::id())
}

/// Returns a constant of the C library as an argument.
pub(super) fn word(constant: i32) -> u64 {
    u64::from(constant.cast_unsigned())
}
