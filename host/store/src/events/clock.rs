//! The clocks of events, behind a trait, so that a test can make the wall clock jump.

use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// A source of times.
pub trait Clock: Send {
    /// Milliseconds since some fixed moment; never goes back.
    fn monotonic_ms(&self) -> u64;
    /// The time of the wall clock; it may jump.
    fn wall(&self) -> SystemTime;
}

/// The clocks of the machine.
#[derive(Debug)]
pub struct SystemClock {
    start: Instant,
}

impl SystemClock {
    /// A clock that starts at zero now.
    pub fn new() -> Self {
        Self {
            start: Instant::now(),
        }
    }
}

impl Default for SystemClock {
    fn default() -> Self {
        Self::new()
    }
}

impl Clock for SystemClock {
    fn monotonic_ms(&self) -> u64 {
        u64::try_from(self.start.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    fn wall(&self) -> SystemTime {
        SystemTime::now()
    }
}

/// A time in UTC as RFC 3339 writes it, to the millisecond: `2026-11-21T12:04:14.250Z`.
///
/// Times before 1970 or after 9999 become the nearest of these ends.
///
/// ```
/// use bakeoff_store::events::rfc3339;
/// use std::time::{Duration, UNIX_EPOCH};
/// assert_eq!(rfc3339(UNIX_EPOCH), "1970-01-01T00:00:00.000Z");
/// assert_eq!(rfc3339(UNIX_EPOCH + Duration::from_secs(951_782_400)), "2000-02-29T00:00:00.000Z");
/// ```
pub fn rfc3339(time: SystemTime) -> String {
    const LAST_SECOND_OF_9999: u64 = 253_402_300_799;
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    let seconds = since.as_secs().min(LAST_SECOND_OF_9999);
    let (year, month, day) = civil_date(seconds / 86_400);
    let of_day = seconds % 86_400;
    format!(
        "{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}.{:03}Z",
        of_day / 3_600,
        of_day / 60 % 60,
        of_day % 60,
        since.subsec_millis()
    )
}

/// Year, month and day of a count of days since 1970-01-01, in the Gregorian calendar.
fn civil_date(days: u64) -> (u64, u64, u64) {
    let is_leap =
        |year: u64| year.is_multiple_of(4) && !year.is_multiple_of(100) || year.is_multiple_of(400);
    let mut rest = days;
    let mut year = 1970;
    loop {
        let length = if is_leap(year) { 366 } else { 365 };
        if rest < length {
            break;
        }
        rest -= length;
        year += 1;
    }
    let february = if is_leap(year) { 29 } else { 28 };
    let lengths = [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let mut month = 1;
    for length in lengths {
        if rest < length {
            break;
        }
        rest -= length;
        month += 1;
    }
    (year, month, rest + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn times_are_formatted_as_rfc_3339() {
        // Against `date -u -d @SECONDS`.
        for (seconds, text) in [
            (1_795_262_654, "2026-11-21T12:04:14.000Z"),
            (1_709_210_096, "2024-02-29T12:34:56.000Z"),
            (4_107_542_399, "2100-02-28T23:59:59.000Z"),
            (4_107_542_400, "2100-03-01T00:00:00.000Z"),
            (u64::MAX / 4, "9999-12-31T23:59:59.000Z"),
        ] {
            let time = UNIX_EPOCH.checked_add(Duration::from_secs(seconds));
            assert_eq!(rfc3339(time.unwrap()), text);
        }
    }
}
