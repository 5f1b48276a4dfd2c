//! The header `Retry-After`: the time for which a server asks to be left alone.

use std::time::Duration;

const SECONDS_OF_A_DAY: u64 = 24 * 60 * 60;

/// Reads the value of `Retry-After` (RFC 9110, 10.2.3): seconds, or a date, which is compared with the date of the same
/// reply, so that the clocks need not agree. `None` if it is neither, or the reply has no date.
pub(super) fn retry_after(value: &str, date: &str) -> Option<Duration> {
    let value = value.trim();
    if let Ok(seconds) = value.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let (until, now) = (seconds_of(value)?, seconds_of(date.trim())?);
    Some(Duration::from_secs(until.saturating_sub(now)))
}

/// Returns the seconds since 1970 of a date such as `Sun, 06 Nov 1994 08:49:37 GMT`, the only form that servers may
/// send.
fn seconds_of(date: &str) -> Option<u64> {
    let (_, date) = date.split_once(", ")?;
    let parts: Vec<&str> = date.split(' ').collect();
    let [day, month, year, time, "GMT"] = parts[..] else {
        return None;
    };
    let number = |text: &str, digits: usize, least: u64, most: u64| {
        let is_number = text.len() == digits && text.bytes().all(|byte| byte.is_ascii_digit());
        let number = text.parse().ok().filter(|_| is_number);
        number.filter(|number| (least..=most).contains(number))
    };
    let day = number(day, 2, 1, 31)?;
    let months = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec";
    let month = 1 + months.split(' ').position(|name| name == month)? as u64;
    let year = number(year, 4, 1970, 9999)?;
    let parts: Vec<&str> = time.split(':').collect();
    let [hour, minute, second] = parts[..] else {
        return None;
    };
    let (hour, minute) = (number(hour, 2, 0, 23)?, number(minute, 2, 0, 59)?);
    // A leap second counts as the next one.
    let second = number(second, 2, 0, 60)?;
    let days = days_before(year, month) + day - 1;
    Some(days * SECONDS_OF_A_DAY + hour * 3600 + minute * 60 + second)
}

/// Returns the days from the first of January 1970 to the first of a month in the Gregorian calendar.
fn days_before(year: u64, month: u64) -> u64 {
    let is_leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let leap_years = |year: u64| year / 4 - year / 100 + year / 400;
    let whole_years = (year - 1970) * 365 + leap_years(year - 1) - leap_years(1969);
    let in_this_year: u64 = (1..month)
        .map(|month| match month {
            2 if is_leap => 29,
            2 => 28,
            4 | 6 | 9 | 11 => 30,
            _ => 31,
        })
        .sum();
    whole_years + in_this_year
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_and_dates_are_read_and_a_date_counts_from_that_of_the_reply() {
        let of = |value: &str, date: &str| retry_after(value, date).map(|wait| wait.as_secs());
        assert_eq!(of(" 7 ", ""), Some(7));
        let now = "Sun, 06 Nov 1994 08:49:37 GMT";
        assert_eq!(of("Sun, 06 Nov 1994 08:50:07 GMT", now), Some(30));
        assert_eq!(of("Mon, 07 Nov 1994 00:00:00 GMT", now), Some(54_623));
        // It is over already.
        assert_eq!(of(now, "Mon, 07 Nov 1994 00:00:00 GMT"), Some(0));
        assert_eq!(of(now, ""), None);
    }

    #[test]
    fn days_are_counted_by_the_calendar() {
        assert_eq!(seconds_of("Thu, 01 Jan 1970 00:00:00 GMT"), Some(0));
        assert_eq!(
            seconds_of("Sun, 06 Nov 1994 08:49:37 GMT"),
            Some(784_111_777)
        );
        assert_eq!(
            seconds_of("Tue, 29 Feb 2000 00:00:00 GMT"),
            Some(951_782_400)
        );
        assert_eq!(
            seconds_of("Wed, 01 Mar 2000 00:00:00 GMT"),
            Some(951_868_800)
        );
        assert_eq!(
            seconds_of("Fri, 31 Dec 9999 23:59:59 GMT"),
            Some(253_402_300_799)
        );
    }

    #[test]
    fn what_is_no_date_is_none() {
        for wrong in [
            "",
            "-1",
            "soon",
            "Sun, 06 Nov 1994 08:49:37 UTC",
            "Sun, 6 Nov 1994 08:49:37 GMT",
            "Sun, 32 Nov 1994 08:49:37 GMT",
            "Sun, 06 Nox 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 24:00:00 GMT",
            "Sun, 06 Nov 0000 08:49:37 GMT",
            "Sunday, 06-Nov-94 08:49:37 GMT",
            "Sun, 06 Nov 1994 +8:49:37 GMT",
        ] {
            assert_eq!(
                retry_after(wrong, "Sun, 06 Nov 1994 08:49:37 GMT"),
                None,
                "{wrong}"
            );
        }
    }
}
