//! The pause that a server asks for before the next attempt.

use crate::wire::duration;
use reqwest::header::{DATE, HeaderMap, RETRY_AFTER};
use std::time::{Duration, SystemTime};

/// The pause that the server asks for: `retry-after-ms`, seconds, a span with its unit (`20s`), or a date, also as the
/// seconds or milliseconds of Unix.
pub(super) fn retry_after(headers: &HeaderMap, now: fn() -> SystemTime) -> Option<Duration> {
    if let Some(pause) = text(headers, "retry-after-ms")
        .and_then(number)
        .and_then(|ms| seconds(ms / 1_000.0))
    {
        return Some(pause);
    }
    pause(headers, RETRY_AFTER.as_str(), now)
}

/// Time until the reset of a rate limit with nothing left, in the same forms. It counts only beside a refusal, because
/// OpenAI and Groq send these headers with every answer, and only if no pause is asked for, because OpenAI's reset is the
/// time until the whole limit is free.
pub(super) fn reset(headers: &HeaderMap, now: fn() -> SystemTime) -> Option<Duration> {
    // The last one: OpenRouter, GitHub.
    ["-requests", "-tokens", ""]
        .iter()
        .filter(|limit| text(headers, &format!("x-ratelimit-remaining{limit}")) == Some("0"))
        .find_map(|limit| pause(headers, &format!("x-ratelimit-reset{limit}"), now))
}

fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers
        .get(name)
        .and_then(|v| v.to_str().ok())
        .map(str::trim)
}

fn number(text: &str) -> Option<f64> {
    text.parse::<f64>().ok().filter(|n| *n >= 0.0)
}

/// A pause of 0 or one that is over is ignored; the client's own, growing pause applies.
fn seconds(seconds: f64) -> Option<Duration> {
    Duration::try_from_secs_f64(seconds)
        .ok()
        .filter(|d| !d.is_zero())
}

/// The pause in the line `name`.
///
/// A date is compared with the server's own `Date`, so that its clock and ours may differ; our
/// clock is used only if there is no `Date`.
fn pause(headers: &HeaderMap, name: &str, now: fn() -> SystemTime) -> Option<Duration> {
    let value = text(headers, name)?;
    let since_epoch = |seconds: f64| {
        let seconds = if seconds < MILLISECONDS {
            seconds
        } else {
            seconds / 1_000.0
        };
        SystemTime::UNIX_EPOCH.checked_add(Duration::try_from_secs_f64(seconds).ok()?)
    };
    let until = match number(value) {
        Some(span) if span < EPOCH => return seconds(span),
        Some(date) => since_epoch(date)?,
        None => match httpdate::parse_http_date(value) {
            Ok(until) => until,
            Err(_) => return duration(value).filter(|pause| !pause.is_zero()),
        },
    };
    let from = text(headers, DATE.as_str())
        .and_then(|date| httpdate::parse_http_date(date).ok())
        .unwrap_or_else(now);
    until
        .duration_since(from)
        .ok()
        .filter(|pause| !pause.is_zero())
}

/// A number from which on it is a date: 30 years as a pause, September 2001 as a date \[s\].
const EPOCH: f64 = 1e9;

/// The same for a date in milliseconds.
const MILLISECONDS: f64 = 1e11;

#[expect(
    clippy::disallowed_methods,
    reason = "a server's Retry-After may be a date; no result depends on it"
)]
pub(super) fn wall_clock() -> SystemTime {
    SystemTime::now()
}

#[cfg(test)]
mod tests {
    use super::*;
    use reqwest::header::HeaderValue;

    #[test]
    fn retry_after_is_read_in_all_forms() {
        let now = || SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_777);
        type Case = (&'static [(&'static str, &'static str)], Option<u64>);
        let cases: &[Case] = &[
            (&[("retry-after", "2")], Some(2_000)),
            (&[("retry-after", " 0.25 ")], Some(250)),
            (&[("retry-after", "9"), ("retry-after-ms", "30")], Some(30)),
            // RFC 9110, 5.6.7: this date is 784111777.
            (
                &[("retry-after", "Sun, 06 Nov 1994 08:49:40 GMT")],
                Some(3_000),
            ),
            (&[("retry-after", "Sun, 06 Nov 1994 08:49:30 GMT")], None),
            (&[("retry-after", "0")], None),
            (
                &[("retry-after", "9"), ("retry-after-ms", "0")],
                Some(9_000),
            ),
            (
                &[
                    ("retry-after", "Sun, 06 Nov 1994 08:50:00 GMT"),
                    ("date", "Sun, 06 Nov 1994 08:49:55 GMT"),
                ],
                Some(5_000),
            ),
            (&[("retry-after", "soon")], None),
            (&[("retry-after", "20s")], Some(20_000)),
            (&[("retry-after", "1m30s")], Some(90_000)),
            (&[("retry-after", "350ms")], Some(350)),
            (
                &[
                    ("retry-after", "1771404545"),
                    ("date", "Wed, 18 Feb 2026 08:49:00 GMT"),
                ],
                Some(5_000),
            ),
            (
                &[
                    ("retry-after", "1771404545500"),
                    ("date", "Wed, 18 Feb 2026 08:49:00 GMT"),
                ],
                Some(5_500),
            ),
            (
                &[
                    ("retry-after", "1771404535"),
                    ("date", "Wed, 18 Feb 2026 08:49:00 GMT"),
                ],
                None,
            ),
            (
                &[
                    ("x-ratelimit-remaining-requests", "12"),
                    ("x-ratelimit-reset-requests", "8.64s"),
                    ("x-ratelimit-remaining-tokens", "0"),
                    ("x-ratelimit-reset-tokens", "6m0s"),
                ],
                Some(360_000),
            ),
            (
                &[
                    ("x-ratelimit-remaining", "0"),
                    ("x-ratelimit-reset", "1771404545500"),
                    ("date", "Wed, 18 Feb 2026 08:49:00 GMT"),
                ],
                Some(5_500),
            ),
            (
                &[
                    ("retry-after", "2"),
                    ("x-ratelimit-remaining-requests", "0"),
                    ("x-ratelimit-reset-requests", "1h0m0s"),
                ],
                Some(2_000),
            ),
            (&[("x-ratelimit-reset-requests", "8s")], None),
            (
                &[("x-ratelimit-remaining", "37"), ("x-ratelimit-reset", "60")],
                None,
            ),
            (&[("retry-after", "-1")], None),
            (&[("retry-after", "NaN")], None),
            (&[], None),
        ];
        for (fields, expected) in cases {
            let mut headers = HeaderMap::new();
            for (name, value) in *fields {
                headers.insert(*name, HeaderValue::from_static(value));
            }
            let asked = retry_after(&headers, now);
            let found = asked.or_else(|| reset(&headers, now));
            let (asked, found) = (asked.map(|d| d.as_millis()), found.map(|d| d.as_millis()));
            assert_eq!(found, expected.map(u128::from), "{fields:?}");
            let is_asked = fields.iter().any(|(name, _)| name.starts_with("retry"));
            assert_eq!(asked, found.filter(|_| is_asked), "{fields:?}");
        }
    }
}
