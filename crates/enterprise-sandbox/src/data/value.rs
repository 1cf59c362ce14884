//! Values of fields: days, moments, money, and how each is read from the native files and shown.
//!
//! Dates are stored as day numbers and money as whole cents, so that results agree on all platforms
//! to the last digit. Records show dates as ISO text and money as a JSON number.
//!
//! | type | unit | read from | shown as |
//! |---|---|---|---|
//! | [`Day`] | days since 1970-01-01 | `2024-03-31`, `31-03-2024`, `/` or `.` between | `2024-03-31` |
//! | [`Moment`] | seconds since 1970-01-01 00:00 office time | `2024-03-31 09:15:00 IST`, `T`, `+05:30`, `Z` | `2024-03-31T09:15:00` |
//! | [`Cents`] | hundredths of the currency unit | `₹1,234.50`, `$99`, `12.5` | `1234.5` |
//!
//! Reading never guesses: a text in another form gives `None`, and the importer records the row as
//! repaired or quarantined.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt;

/// Seconds in a day.
const DAY_SECONDS: i64 = 86_400;

/// The months by name.
pub(crate) const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// A calendar day, counted from 1970-01-01 (day 0), proleptic Gregorian.
///
/// Serialised as ISO text; both forms of [`parse`](Self::parse) are read. The order of days is the
/// order of the numbers.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(try_from = "String", into = "String")]
pub struct Day(pub i32);

impl Day {
    /// The day `year`-`month`-`day`; `None` when there is no such day.
    ///
    /// # Source
    /// Days-from-civil with 400-year eras (public calendar arithmetic).
    ///
    /// ```
    /// use enterprise_sandbox::data::value::Day;
    /// assert_eq!(Day::from_date(2000, 3, 1).map(|d| d.0), Some(11_017));
    /// assert_eq!(Day::from_date(2023, 2, 29), None);
    /// ```
    #[must_use]
    pub fn from_date(year: i32, month: u32, day: u32) -> Option<Self> {
        if !(1..=12).contains(&month) || day == 0 || day > month_days(year, month) {
            return None;
        }
        // Years that begin in March have the leap day at their end, so that the months before it begin on the same
        // day of every year.
        let y = i64::from(if month <= 2 { year - 1 } else { year });
        let era = y.div_euclid(400);
        let year_of_era = y.rem_euclid(400);
        let shifted = i64::from((month + 9) % 12);
        // From March on, five months have 153 days (31, 30, 31, 30, 31), and so do the next five.
        let day_of_year = (153 * shifted + 2) / 5 + i64::from(day) - 1;
        let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
        // 719,468 days lie between 1 March of the year 0 and 1970-01-01.
        i32::try_from(era * 146_097 + day_of_era - 719_468)
            .ok()
            .map(Self)
    }

    /// Year, month (1..=12) and day of the month (1..=31); the inverse of
    /// [`from_date`](Self::from_date).
    #[must_use]
    pub fn date(self) -> (i32, u32, u32) {
        let z = i64::from(self.0) + 719_468;
        let era = z.div_euclid(146_097);
        let doe = z.rem_euclid(146_097);
        let yoe = (doe - doe / 1_460 + doe / 36_524 - doe / 146_096) / 365;
        let doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
        let shifted = (5 * doy + 2) / 153;
        let day = doy - (153 * shifted + 2) / 5 + 1;
        let month = if shifted < 10 {
            shifted + 3
        } else {
            shifted - 9
        };
        let year = yoe + era * 400 + i64::from(month <= 2);
        (
            i32::try_from(year).unwrap_or(i32::MAX),
            u32::try_from(month).unwrap_or(1),
            u32::try_from(day).unwrap_or(1),
        )
    }

    /// Reads `YYYY-MM-DD` or `DD-MM-YYYY` (`/` and `.` also separate); anything after the date is
    /// refused.
    ///
    /// Two-digit years are refused, because `03-04-05` would have three readings.
    ///
    /// ```
    /// use enterprise_sandbox::data::value::Day;
    /// let day = Day::parse("14-03-2016").ok_or("no date")?;
    /// assert_eq!(day.to_string(), "2016-03-14");
    /// assert_eq!(Day::parse("14-03-16"), None);
    /// assert_eq!(Day::parse("Present"), None); // the published leaving date of current staff
    /// # Ok::<(), &str>(())
    /// ```
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.trim().split(['-', '/', '.']);
        let (a, b, c) = (parts.next()?, parts.next()?, parts.next()?);
        if parts.next().is_some() {
            return None;
        }
        let (year, month, day) = if a.len() == 4 { (a, b, c) } else { (c, b, a) };
        if year.len() != 4 || !(1..=2).contains(&month.len()) || !(1..=2).contains(&day.len()) {
            return None;
        }
        Self::from_date(digits(year)?, digits(month)?, digits(day)?)
    }

    /// The day of a date, or of a moment.
    pub(crate) fn of(text: &str) -> Option<Self> {
        Moment::parse(text).map(|(moment, _)| moment.day())
    }

    /// `DD-MM-YYYY`, the form of the employee file.
    #[must_use]
    pub fn day_first(self) -> String {
        let (y, m, d) = self.date();
        format!("{d:02}-{m:02}-{y:04}")
    }

    /// Whether an office may have it: from 1950 to 2100, so that a slip such as 0204 or 20204 is noticed.
    pub(crate) fn is_near(self) -> bool {
        (1_950..=2_100).contains(&self.date().0)
    }

    /// The day `days` later (earlier when negative).
    ///
    /// Stops at the first or last day that the type can hold.
    #[must_use]
    pub fn plus(self, days: i64) -> Self {
        let sum = i64::from(self.0).saturating_add(days);
        Self(i32::try_from(sum).unwrap_or(if sum > 0 { i32::MAX } else { i32::MIN }))
    }

    /// The same date `years` later; 29 February becomes 28 February where there is none.
    #[must_use]
    pub fn plus_years(self, years: i32) -> Self {
        let (y, m, d) = self.date();
        Self::from_date(y + years, m, d)
            .or_else(|| Self::from_date(y + years, m, 28))
            .unwrap_or(self)
    }

    /// Midnight of the day.
    #[must_use]
    pub fn start(self) -> Moment {
        Moment(i64::from(self.0) * DAY_SECONDS)
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (y, m, d) = self.date();
        write!(f, "{y:04}-{m:02}-{d:02}")
    }
}

impl From<Day> for String {
    fn from(day: Day) -> Self {
        day.to_string()
    }
}

impl TryFrom<String> for Day {
    type Error = String;
    fn try_from(text: String) -> Result<Self, String> {
        Self::parse(&text).ok_or_else(|| format!("`{text}` is not a date like 2024-03-31"))
    }
}

impl schemars::JsonSchema for Day {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Day".into()
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({"type": "string", "format": "date", "description": "ISO date"})
    }
}

fn digits<T: std::str::FromStr>(text: &str) -> Option<T> {
    if text.bytes().all(|b| b.is_ascii_digit()) {
        text.parse().ok()
    } else {
        None
    }
}

fn month_days(year: i32, month: u32) -> u32 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        _ => 31,
    }
}

/// A moment on the office clock \[seconds since 1970-01-01 00:00 local time\]. The office is in one
/// time zone, five and a half hours ahead of UTC, as the published mails are (`IST`).
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Moment(pub i64);

impl Moment {
    /// Reads `YYYY-MM-DD[ |T]HH:MM[:SS[.fff]]`, optionally followed by `IST`, `+05:30` or `Z`, or a
    /// bare date. Returns the moment and whether a zone was named.
    ///
    /// Fractions of a second are dropped. A time in UTC (`Z`) is moved to office time.
    #[must_use]
    pub fn parse(text: &str) -> Option<(Self, bool)> {
        let text = text.trim();
        let zones = [("IST", 0), ("+05:30", 0), ("Z", 19_800)];
        let mut zones = zones.into_iter();
        let zone = zones.find_map(|(zone, shift)| Some((text.strip_suffix(zone)?, shift)));
        let (body, shift) = zone.unwrap_or((text, 0));
        let body = body.trim_end();
        let (date, clock) = body.split_once([' ', 'T']).unwrap_or((body, "00:00:00"));
        let day = Day::parse(date)?;
        let mut parts = clock.trim().splitn(3, ':');
        let hour: i64 = digits(parts.next()?)?;
        let minute: i64 = digits(parts.next()?)?;
        let second: i64 = match parts.next() {
            None => 0,
            Some(s) => digits(s.split('.').next()?)?,
        };
        // 60 is a leap second, which counts as the first second of the next minute.
        if hour > 23 || minute > 59 || second > 60 {
            return None;
        }
        Some((
            Self(day.start().0 + hour * 3_600 + minute * 60 + second + shift),
            zone.is_some(),
        ))
    }

    /// Its day.
    #[must_use]
    pub fn day(self) -> Day {
        Day(i32::try_from(self.0.div_euclid(DAY_SECONDS)).unwrap_or(i32::MAX))
    }

    /// `YYYY-MM-DD HH:MM:SS`, the form of the native files.
    /// Without a zone; the exporter adds `IST` where the file has it.
    #[must_use]
    pub fn spaced(self) -> String {
        self.to_string().replacen('T', " ", 1)
    }
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let s = self.0.rem_euclid(DAY_SECONDS);
        write!(
            f,
            "{}T{:02}:{:02}:{:02}",
            self.day(),
            s / 3_600,
            s / 60 % 60,
            s % 60
        )
    }
}

/// Money [1/100 of the currency unit]; the published prices have at most two decimals.
///
/// A whole number of hundredths, because tasks ask for sums and differences of prices: in binary
/// fractions `666.66 * 3` is not `1999.98`.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Cents(pub i64);

impl Cents {
    /// Reads `₹1,234.50`, `$99`, `1234.5` or `84000`; at most two decimals.
    ///
    /// ```
    /// use enterprise_sandbox::data::value::Cents;
    /// assert_eq!(Cents::parse("₹1,234.50"), Some(Cents(123_450)));
    /// assert_eq!(Cents::parse("12.345"), None);
    /// ```
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim().trim_start_matches(['₹', '$', '€', ' ']);
        let plain: String = text.chars().filter(|c| *c != ',').collect();
        let (whole, part) = plain.split_once('.').unwrap_or((&plain, ""));
        if whole.is_empty() || part.len() > 2 {
            return None;
        }
        let units: i64 = digits(whole)?;
        let rest: i64 = match part.len() {
            0 => 0,
            1 => digits::<i64>(part)? * 10,
            _ => digits(part)?,
        };
        units.checked_mul(100)?.checked_add(rest).map(Self)
    }

    /// Reads a JSON number or a text like [`Cents::parse`]; negative amounts are refused.
    #[must_use]
    pub fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::String(text) => Self::parse(text),
            Value::Number(n) => match n.as_i64() {
                Some(units) if units >= 0 => units.checked_mul(100).map(Self),
                Some(_) => None,
                // By its digits, not by a product: in binary fractions `4.35 * 100` is 434.99999999999994.
                None => Self::parse(&format!("{}", n.as_f64()?)),
            },
            _ => None,
        }
    }

    /// The amount as a JSON number: without decimals if it is whole.
    #[must_use]
    pub fn value(self) -> Value {
        if self.0 % 100 == 0 {
            return Value::from(self.0 / 100);
        }
        #[expect(
            clippy::cast_precision_loss,
            reason = "prices are far below 2^53 cents"
        )]
        let amount = self.0 as f64 / 100.0;
        Value::from(amount)
    }

    /// The discount from this list price down to `price` [%], rounded half up; 0 for a price that is
    /// not below it.
    ///
    /// In published sales this equals the stated percentage, whose rounding it follows.
    ///
    /// ```
    /// use enterprise_sandbox::data::value::Cents;
    /// assert_eq!(Cents(109_900).discount_to(Cents(19_900)), 82);
    /// assert_eq!(Cents(19_900).discount_to(Cents(19_900)), 0);
    /// ```
    #[must_use]
    pub fn discount_to(self, price: Self) -> u8 {
        if self.0 <= 0 || price.0 >= self.0 {
            return 0;
        }
        // `100 * off / list + 1/2`, rounded down, in whole numbers.
        let off = self.0 - price.0.max(0);
        u8::try_from((off * 200 + self.0) / (2 * self.0)).unwrap_or(100)
    }

    /// The amount after `sign`, with thousands separators, as in the native files.
    #[must_use]
    pub fn priced(self, sign: &str) -> String {
        let digits = (self.0 / 100).to_string();
        let mut out = String::from(sign);
        for (i, c) in digits.chars().enumerate() {
            if i > 0 && (digits.len() - i).is_multiple_of(3) {
                out.push(',');
            }
            out.push(c);
        }
        if self.0 % 100 != 0 {
            out.push_str(&format!(".{:02}", self.0 % 100));
        }
        out
    }
}

/// A row number from a length or position; tables stay below 2^32 rows.
pub(crate) fn row_no(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}

/// A whole number in JSON, given as a number or as digits in a text.
///
/// `None` for fractions, for numbers beyond 9e15 and for texts of more than 18 characters, which
/// the published files do not have.
#[must_use]
pub fn whole_number(value: &Value) -> Option<i64> {
    match value {
        Value::Number(n) => n.as_i64().or_else(|| {
            // Up to 2^53, about 9.007e15, every whole number has a float of its own.
            let f = n.as_f64()?;
            #[expect(
                clippy::cast_possible_truncation,
                reason = "checked to be whole and small"
            )]
            let whole = (f.fract() == 0.0 && f.abs() < 9e15).then_some(f as i64);
            whole
        }),
        Value::String(text) => {
            let text = text.trim();
            (!text.is_empty() && text.len() <= 18)
                .then(|| text.parse().ok())
                .flatten()
        }
        _ => None,
    }
}

/// The text of a scalar: a string as it is, a number or truth value in its JSON form.
///
/// `None` for null, lists and objects.
#[must_use]
pub fn scalar_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(n) => Some(n.to_string()),
        Value::Bool(b) => Some(b.to_string()),
        _ => None,
    }
}

/// The texts of the scalars of a list, or of the scalar that it is.
pub(crate) fn texts(value: &Value) -> Vec<String> {
    match value {
        Value::Array(list) => list.iter().filter_map(scalar_text).collect(),
        one => scalar_text(one).into_iter().collect(),
    }
}

/// 64-bit FNV-1a of `text`, for lookup tables that verify their results.
pub(crate) fn fingerprint(text: &str) -> u64 {
    // Not the hasher of the standard library, whose results may change: fingerprints stand in files, those of goals in
    // `plans/templates.txt` and those of calls in stored states.
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |h, b| {
        (h ^ u64::from(b)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// Lower case, single spaces, no quotation marks and no punctuation at the ends.
pub(crate) fn plain_text(text: &str) -> String {
    let lower: String = text
        .to_lowercase()
        .chars()
        .map(|c| if c.is_whitespace() { ' ' } else { c })
        .filter(|c| {
            !matches!(
                c,
                '"' | '\u{201c}' | '\u{201d}' | '\u{2018}' | '\u{2019}' | '`'
            )
        })
        .collect();
    let words: Vec<&str> = lower.split_whitespace().collect();
    // Inside a value they have a meaning: `1,234.50`, `a.b@example.com`.
    let ends: &[char] = &['.', ',', ';', ':', '!', '?', '\'', '(', ')'];
    words.join(" ").trim_matches(ends).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn days_go_there_and_back() {
        for n in (-800_000..800_000).step_by(97) {
            let (y, m, d) = Day(n).date();
            assert_eq!(Day::from_date(y, m, d), Some(Day(n)), "{y}-{m}-{d}");
        }
        assert_eq!(Day::parse("14-03-2016"), Day::parse("2016-03-14"));
        for bad in [
            "2016-13-01",
            "31-04-2016",
            "Present",
            "2016-3",
            "16-3-4",
            "2016-03-14 x",
            "",
        ] {
            assert_eq!(Day::parse(bad), None, "{bad}");
        }
        assert_eq!(
            Day::parse("2024-02-29").unwrap().plus_years(1).to_string(),
            "2025-02-28"
        );
    }

    #[test]
    fn moments_keep_the_zone_apart() {
        let (a, zoned) = Moment::parse("2019-05-06 09:15:00 IST").unwrap();
        assert!(zoned);
        assert_eq!(a.to_string(), "2019-05-06T09:15:00");
        assert_eq!(Moment::parse("2019-05-06T03:45:00Z").unwrap(), (a, true));
        assert_eq!(
            Moment::parse("2019-05-06T09:15:00.000").unwrap(),
            (a, false)
        );
        assert!(Moment::parse("2019-05-06 25:00:00").is_none());
    }

    #[test]
    fn money_is_exact() {
        assert_eq!(Cents::parse("₹666.66").unwrap().value(), json!(666.66));
        assert_eq!(
            Cents::parse("$2,357,113").unwrap().priced("$"),
            "$2,357,113"
        );
        assert_eq!(Cents(5).priced("₹"), "₹0.05");
        assert_eq!(Cents::from_value(&json!(12.5)), Some(Cents(1250)));
        assert_eq!(Cents::from_value(&json!(-1)), None);
        assert_eq!(Cents::parse("12.345"), None);
    }
}
