//! Rules on system calls: which argument must have which value.

use seccompiler::{SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompRule};
use std::collections::BTreeMap;

/// What keeps signals inside the fence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Signals {
    /// Landlock does, from ABI 6 on.
    ScopedByLandlock,
    /// The filter does: a process may signal only itself.
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
    /// Of the first bits, exactly the second are set.
    Of(u64, u64),
    Null,
    LowBits(u64, u64),
}

/// The condition that argument number `index` meets `check`.
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

/// Rules of which one must hold: argument number `index` meets one of `checks`.
pub(super) fn any_of(index: u8, checks: &[Check]) -> Result<Vec<SeccompRule>, String> {
    let rules = checks.iter().map(|&check| all_of(&[(index, check)]));
    Ok(rules.collect::<Result<Vec<_>, String>>()?.concat())
}

/// The one rule that each of these arguments meets its check.
pub(super) fn all_of(checks: &[(u8, Check)]) -> Result<Vec<SeccompRule>, String> {
    let conditions = checks
        .iter()
        .map(|&(index, check)| condition(index, check))
        .collect::<Result<Vec<_>, String>>()?;
    let rule = SeccompRule::new(conditions).map_err(|error| format!("seccomp: {error}"))?;
    Ok(vec![rule])
}

/// The id of this process, as an argument.
pub(super) fn own_pid() -> u64 {
    u64::from(std::process::id())
}

/// A constant of the C library as an argument.
pub(super) fn word(constant: i32) -> u64 {
    u64::from(constant.cast_unsigned())
}
