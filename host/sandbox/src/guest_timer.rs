//! The time of guest code: clocks are read at every entry to it and exit from it.
//!
//! Lowering arguments and lifting answers is work of the host and not counted. Calls of the guest's
//! allocator for arguments, the function itself and its post-return are counted, so that no work hides
//! there; the first of these by a cheaper clock, where the caller knows how many they are, or not at
//! all, where it knows that the allocator is ours. The same time of a calibrator of the same signature
//! is measured beside it and subtracted later.

use super::cpu_wall_time::CpuWallTime;
use super::lowering_timer::LoweringTimer;
use rustix::time::ClockId;
use wasmtime::CallHook;

/// The time in guest code, added up over entries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GuestTime {
    /// Time in guest code.
    pub time: CpuWallTime,
    /// The number of entries into guest code.
    pub count: u64,
    /// Time of each of the three parts of a call that has them, by the clock of the call: CPU time, or for short calls
    /// the monotonic clock.
    pub parts_ns: Option<[u64; 3]>,
}

/// Entries into the guest's allocator while arguments are lowered: the first ones of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lowering {
    /// This many are timed by a cheaper clock, since there may be one for each of thousands of strings.
    Timed(u64),
    /// This many are not timed: reading a clock takes longer than our allocator does, and its time is the same for
    /// every variant.
    Untimed(u64),
    /// This many are not timed, and all entries that follow, the function itself too, are timed by the cheaper clock:
    /// for calls that take less time than reading the CPU clock.
    ThenCheaply(u64),
}

/// No entry is timed: for calls whose time is not used.
pub const UNTIMED: Lowering = Lowering::Untimed(u64::MAX);

/// Timer that adds up the time in guest code. Host calls of a guest are included: work that a guest moves to the host
/// is still the guest's.
#[derive(Debug, Default)]
pub(super) struct GuestTimer {
    total: GuestTime,
    entered: CpuWallTime,
    depth: u32,
    lowering: LoweringTimer,
    /// The number of entries, from the next one on, that are only counted.
    untimed: u64,
    /// The thread's CPU time at the first entry that is not one of lowering.
    lowered_cpu_ns: Option<u64>,
    /// The time so far at the ends of the first parts, by both clocks.
    ended: [Option<CpuWallTime>; 2],
}

impl GuestTimer {
    #[inline]
    pub(super) fn on(&mut self, hook: CallHook) {
        match hook {
            CallHook::CallingWasm => {
                self.depth += 1;
                if self.depth == 1 && self.untimed > 0 {
                    // Nothing is read.
                } else if self.depth == 1 && self.lowering.is_expecting() {
                    self.lowering.enter();
                } else if self.depth == 1 {
                    // The CPU clock is read last, so that the other reading is not counted.
                    self.entered.wall_ns = CpuWallTime::read(ClockId::Monotonic);
                    self.entered.cpu_ns = CpuWallTime::thread_cpu_ns();
                }
            }
            CallHook::ReturningFromWasm => {
                self.depth = self.depth.saturating_sub(1);
                if self.depth == 0 && self.untimed > 0 {
                    self.untimed -= 1;
                    self.total.count += 1;
                } else if self.depth == 0 && self.lowering.is_expecting() {
                    self.total.time.wall_ns += self.lowering.leave();
                    self.total.count += 1;
                } else if self.depth == 0 {
                    let cpu_ns = CpuWallTime::thread_cpu_ns();
                    let wall_ns = CpuWallTime::read(ClockId::Monotonic);
                    self.total.time.cpu_ns += cpu_ns.saturating_sub(self.entered.cpu_ns);
                    self.total.time.wall_ns += wall_ns.saturating_sub(self.entered.wall_ns);
                    self.total.count += 1;
                    self.lowered_cpu_ns.get_or_insert(self.entered.cpu_ns);
                }
            }
            CallHook::CallingHost | CallHook::ReturningFromHost => {}
        }
    }

    /// Announces the entries, from the next one on, that are calls of the allocator while arguments are lowered.
    pub(super) fn expect_lowering(&mut self, lowering: Lowering) {
        let (timed, untimed) = match lowering {
            Lowering::Timed(entries) => (entries, 0),
            Lowering::Untimed(entries) => (0, entries),
            Lowering::ThenCheaply(entries) => (u64::MAX, entries),
        };
        self.lowering = LoweringTimer::expecting(timed);
        self.untimed = untimed;
    }

    /// Ends a part of the call; another part follows.
    pub(super) fn part_ended(&mut self) {
        let mut so_far = self.total.time;
        if self.depth > 0 && !self.lowering.is_expecting() {
            // All of the call is one entry.
            let now = CpuWallTime::thread_cpu_ns();
            so_far.cpu_ns += now.saturating_sub(self.entered.cpu_ns);
        }
        if let Some(part) = self.ended.iter_mut().find(|part| part.is_none()) {
            *part = Some(so_far);
        }
    }

    /// Returns the time of the three parts, if they ended; `is_short` if only the monotonic clock measured them. The
    /// allocator's time while arguments were lowered counts to the first.
    fn parts_ns(&self, is_short: bool) -> Option<[u64; 3]> {
        let [Some(first), Some(second)] = self.ended else {
            return None;
        };
        let ns = |time: CpuWallTime| if is_short { time.wall_ns } else { time.cpu_ns };
        let (first, second, all) = (ns(first), ns(second), ns(self.total.time));
        Some([
            first,
            second.saturating_sub(first),
            all.saturating_sub(second),
        ])
    }

    /// Returns the time since the last call, and starts anew.
    pub(super) fn take(&mut self) -> GuestTime {
        let mut taken = std::mem::take(self);
        let is_short = taken.lowering.has_begun() && taken.lowered_cpu_ns.is_none();
        taken.total.parts_ns = taken.parts_ns(is_short);
        if taken.lowering.has_begun() {
            let until = taken.lowered_cpu_ns;
            let until = until.unwrap_or_else(CpuWallTime::thread_cpu_ns);
            let lowered = taken.lowering.cpu_ns(until);
            taken.total.time.cpu_ns += lowered;
            match &mut taken.total.parts_ns {
                Some(parts) if is_short => *parts = scaled(*parts, lowered),
                Some([first, ..]) => *first += lowered,
                None => {}
            }
        }
        taken.total
    }
}

/// Parts of which only the ratio is known, as parts of `total_ns`.
fn scaled(parts: [u64; 3], total_ns: u64) -> [u64; 3] {
    let all = parts.iter().sum::<u64>().max(1);
    let part = |ns: u64| (total_ns as f64 * (ns as f64 / all as f64)) as u64;
    let (first, second) = (part(parts[0]), part(parts[1]));
    let third = total_ns.saturating_sub(first).saturating_sub(second);
    [first, second, third]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nested_entries_count_once() {
        let mut timer = GuestTimer::default();
        timer.on(CallHook::CallingWasm);
        timer.on(CallHook::CallingHost);
        timer.on(CallHook::CallingWasm);
        timer.on(CallHook::ReturningFromWasm);
        timer.on(CallHook::ReturningFromHost);
        timer.on(CallHook::ReturningFromWasm);
        assert_eq!(timer.take().count, 1);
        assert_eq!(timer.take(), GuestTime::default());
    }

    fn enter_and_leave(timer: &mut GuestTimer) {
        timer.on(CallHook::CallingWasm);
        timer.on(CallHook::ReturningFromWasm);
    }

    #[test]
    fn entries_of_lowering_are_counted_and_timed_by_their_own_timer() {
        let mut timer = GuestTimer::default();
        timer.expect_lowering(Lowering::Timed(3));
        for expected in [true, true, true, false, false] {
            assert_eq!(timer.lowering.is_expecting(), expected);
            enter_and_leave(&mut timer);
        }
        // The function's entry ended the lowering.
        assert!(timer.lowered_cpu_ns.is_some());
        assert_eq!(timer.take().count, 5);
        // The next call is about other arguments.
        assert!(!timer.lowering.is_expecting());
        enter_and_leave(&mut timer);
        assert!(!timer.lowering.has_begun());
    }

    #[test]
    fn untimed_entries_are_counted_and_the_next_one_is_timed() {
        let nap = || std::thread::sleep(std::time::Duration::from_millis(20));
        let nap_inside = |timer: &mut GuestTimer| {
            timer.on(CallHook::CallingWasm);
            nap();
            timer.on(CallHook::ReturningFromWasm);
        };
        let mut timer = GuestTimer::default();
        timer.expect_lowering(Lowering::Untimed(2));
        nap_inside(&mut timer);
        nap_inside(&mut timer);
        assert_eq!(timer.total.time, CpuWallTime::default());
        nap_inside(&mut timer);
        let taken = timer.take();
        assert_eq!(taken.count, 3);
        assert!(taken.time.wall_ns >= 20_000_000);
        // The next call is about other arguments.
        assert_eq!(timer.untimed, 0);
    }

    #[test]
    fn the_parts_of_a_call_add_up_by_either_clock() {
        for lowering in [
            Lowering::Timed(0),
            Lowering::Timed(1),
            Lowering::Untimed(1),
            Lowering::ThenCheaply(1),
        ] {
            let mut timer = GuestTimer::default();
            timer.expect_lowering(lowering);
            enter_and_leave(&mut timer);
            for _ in 0..2 {
                enter_and_leave(&mut timer);
                timer.part_ended();
            }
            enter_and_leave(&mut timer);
            let taken = timer.take();
            let parts = taken.parts_ns.unwrap();
            assert_eq!(parts.iter().sum::<u64>(), taken.time.cpu_ns, "{lowering:?}");
            assert!(parts[1] > 0, "{lowering:?}: {parts:?}");
            // A call that has no parts.
            enter_and_leave(&mut timer);
            assert_eq!(timer.take().parts_ns, None);
        }
        assert_eq!(scaled([20, 60, 120], 100), [10, 30, 60]);
        assert_eq!(scaled([0, 0, 0], 7), [0, 0, 7]);
    }

    #[test]
    fn all_of_a_call_may_be_one_entry() {
        let mut timer = GuestTimer::default();
        timer.on(CallHook::CallingWasm);
        for _ in 0..2 {
            enter_and_leave(&mut timer);
            timer.part_ended();
        }
        timer.on(CallHook::ReturningFromWasm);
        let taken = timer.take();
        let parts = taken.parts_ns.unwrap();
        assert_eq!(parts.iter().sum::<u64>(), taken.time.cpu_ns);
        assert!(parts[0] > 0 && parts[1] > 0, "{parts:?}");
    }

    #[test]
    fn all_of_a_short_call_is_timed_by_the_cheaper_clock() {
        let mut timer = GuestTimer::default();
        timer.expect_lowering(Lowering::ThenCheaply(1));
        enter_and_leave(&mut timer);
        assert!(!timer.lowering.has_begun(), "the allocator is not timed");
        enter_and_leave(&mut timer);
        enter_and_leave(&mut timer);
        assert!(timer.lowering.has_begun() && timer.lowered_cpu_ns.is_none());
        assert_eq!(timer.take().count, 3);
        assert!(!timer.lowering.is_expecting());
    }
}
