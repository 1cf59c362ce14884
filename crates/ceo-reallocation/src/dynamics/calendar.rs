//! Dates of rounds: one quarter apart.

/// The same day three months later, or the last day of that month where it has no such day. A text
/// that is not a date `YYYY-MM-DD` is returned unchanged.
///
/// ```
/// assert_eq!(ceo_reallocation::dynamics::next_quarter("2027-11-30"), "2028-02-29");
/// ```
#[must_use]
pub fn next_quarter(date: &str) -> String {
    // Own arithmetic: one operation on dates does not justify a calendar library.
    let mut parts = date.splitn(3, '-').map(str::parse::<u32>);
    let (Some(Ok(year)), Some(Ok(month)), Some(Ok(day))) =
        (parts.next(), parts.next(), parts.next())
    else {
        return date.to_owned();
    };
    if !(1..=12).contains(&month) || year > 9000 {
        return date.to_owned();
    }
    let (year, month) = if month > 9 {
        (year + 1, month - 9)
    } else {
        (year, month + 3)
    };
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let last = match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    };
    format!("{year:04}-{month:02}-{:02}", day.min(last))
}
