//! The clock for progress, for intervals between writes and for the `seconds` of a summary. No number in
//! a record comes from it. Code that waits for time to pass (rate limits of models, idle games of the
//! server) reads Tokio's clock, which tests can pause and advance. The date names folders only.

use std::time::{Duration, Instant};

/// A stopwatch.
#[derive(Debug, Clone, Copy)]
pub struct Stopwatch(Instant);

impl Stopwatch {
    /// Starts one.
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "this is the runner's clock")]
    pub fn start() -> Self {
        Self(Instant::now())
    }

    /// Time since it was started.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }
}

/// The present time \[seconds since 1970-01-01 UTC\].
#[expect(
    clippy::disallowed_methods,
    reason = "the runner notes when a run began"
)]
pub(crate) fn seconds_now() -> u64 {
    let now = std::time::SystemTime::now();
    // A clock that stands before 1970 is no reason to fail: the date only names folders.
    let since = now.duration_since(std::time::UNIX_EPOCH);
    since.map_or(0, |since| since.as_secs())
}

/// The present day (UTC), such as `2026-11-23`.
#[must_use]
pub fn today() -> String {
    day_of(seconds_now())
}

/// The day (UTC) of a time \[seconds since 1970-01-01 UTC\], in the Gregorian calendar.
#[must_use]
pub fn day_of(seconds: u64) -> String {
    let is_leap = |year: u64| {
        year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
    };
    let mut day = seconds / 86_400;
    let mut year = 1970;
    // 400 years have 146,097 days; a loop over years ends soon for every clock.
    year += day / 146_097 * 400;
    day %= 146_097;
    loop {
        let length = if is_leap(year) { 366 } else { 365 };
        if day < length {
            break;
        }
        day -= length;
        year += 1;
    }
    let february = if is_leap(year) { 29 } else { 28 };
    let mut month = 1;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        if day < length {
            break;
        }
        day -= length;
        month += 1;
    }
    format!("{year:04}-{month:02}-{:02}", day + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values of `date -u -d @SECONDS +%F`.
    #[test]
    fn days_are_those_of_the_calendar() {
        for (seconds, day) in [
            (0, "1970-01-01"),
            (951_782_399, "2000-02-28"),
            (951_782_400, "2000-02-29"),
            (951_868_800, "2000-03-01"),
            (1_798_761_599, "2026-12-31"),
            (1_798_761_600, "2027-01-01"),
            (4_107_542_400, "2100-03-01"),
        ] {
            assert_eq!(day_of(seconds), day, "{seconds}");
        }
    }
}
