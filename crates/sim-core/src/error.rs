//! One error type per phase: loading a configuration, acting, restoring, passing buffers.
//!
//! Messages are lower case, show the wrong value in backticks and say what is valid. Agents read
//! [`ActionError`]; its message helps the next attempt to succeed.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use std::borrow::Cow;
use std::fmt::{Display, LowerExp};

/// A configuration or an instance that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}{message}", if place.is_empty() { String::new() } else { format!("{place}: ") })]
#[non_exhaustive]
pub struct ConfigError {
    /// Dotted path of the value at fault, empty when the whole input is (for example `cost.holding`).
    pub place: String,
    /// The fault and what is valid.
    pub message: String,
    /// Whether the value may be right, but names something that this program was not given, such as an
    /// imported company.
    pub is_missing: bool,
}

impl ConfigError {
    /// An error at `place`, a dotted path that may be empty.
    pub fn new(place: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            place: place.into(),
            message: message.into(),
            is_missing: false,
        }
    }

    /// An error at `place`, whose value names something that this program was not given; `message` says how to
    /// give it. Nothing is said against the value: [`is_missing`](Self::is_missing) is set.
    pub fn missing(place: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            is_missing: true,
            ..Self::new(place, message)
        }
    }

    /// Checks that `low <= value <= high`. NaN is in no range.
    ///
    /// # Errors
    /// The error at `place`, which shows the value and the range.
    ///
    /// ```
    /// use sim_core::ConfigError;
    ///
    /// assert!(ConfigError::check_range("periods", 100, 1, 10_000).is_ok());
    /// let error = ConfigError::check_range("sigma", f64::NAN, 0.0, 0.99).expect_err("NaN");
    /// assert_eq!(error.to_string(), "sigma: `NaN` is out of range, it must be 0 to 0.99");
    /// ```
    pub fn check_range<T: PartialOrd + Display + LowerExp + Copy>(
        place: impl Display,
        value: T,
        low: T,
        high: T,
    ) -> Result<(), Self> {
        if (low..=high).contains(&value) {
            return Ok(());
        }
        let mut shown = value.to_string();
        if shown.len() > 24 {
            // 1e308 has 309 digits. No double takes more than 24 characters with an exponent.
            shown = format!("{value:e}");
        }
        Err(Self::new(
            place.to_string(),
            format!(
                "`{shown}` is out of range, it must be {}",
                range_text(low, high)
            ),
        ))
    }

    /// Checks the number of entries of a list.
    ///
    /// # Errors
    /// Names the field, the number and its range.
    pub fn check_length(place: &str, length: usize, low: usize, high: usize) -> Result<(), Self> {
        if (low..=high).contains(&length) {
            return Ok(());
        }
        let range = range_text(low, high);
        Err(Self::new(
            place,
            format!("it has {length} values, it must have {range}"),
        ))
    }

    /// The same error one level further out: `outer.place`.
    #[must_use]
    pub fn within(mut self, outer: &str) -> Self {
        self.place = match (outer.is_empty(), self.place.is_empty()) {
            (true, _) => self.place,
            (false, true) => outer.to_owned(),
            (false, false) => format!("{outer}.{}", self.place),
        };
        self
    }
}

/// A range in words (`0 to 0.99`), as every message and page shows it.
#[must_use]
pub fn range_text(low: impl Display, high: impl Display) -> String {
    format!("{low} to {high}")
}

/// A setting whose range stands on its field, for [`derive(Ranges)`](crate::Ranges).
///
/// ```
/// use schemars::JsonSchema;
/// use sim_core::Ranges;
///
/// #[derive(JsonSchema, Ranges)]
/// struct Config {
///     /// Length of the game \[weeks\].
///     #[schemars(range(min = 1, max = 520))]
///     weeks: u32,
///     /// Largest demand \[units\]; drawn when absent.
///     #[schemars(range(min = 0.0, max = 1e6))]
///     demand: Option<f64>,
/// }
///
/// let config = Config { weeks: 521, demand: None };
/// let fault = config.check_ranges().expect_err("too long");
/// assert_eq!(fault.to_string(), "weeks: `521` is out of range, it must be 1 to 520");
/// ```
pub trait InRange {
    /// Type of the bounds.
    type Number;

    /// Checks a number, or each number of a list, as [`ConfigError::check_range`] does. No number is in every range.
    ///
    /// # Errors
    /// The error at `place`.
    fn check_range(
        &self,
        place: &str,
        low: Self::Number,
        high: Self::Number,
    ) -> Result<(), ConfigError>;
}

macro_rules! in_range {
    ($($number:ty)*) => {$(
        impl InRange for $number {
            type Number = Self;

            fn check_range(&self, place: &str, low: Self, high: Self) -> Result<(), ConfigError> {
                ConfigError::check_range(place, *self, low, high)
            }
        }
    )*};
}

in_range!(u8 u16 u32 u64 usize i64 f64);

impl<T: InRange> InRange for Option<T> {
    type Number = T::Number;

    fn check_range(&self, place: &str, low: T::Number, high: T::Number) -> Result<(), ConfigError> {
        self.as_ref()
            .map_or(Ok(()), |number| number.check_range(place, low, high))
    }
}

impl<T: InRange<Number: Copy>> InRange for [T] {
    type Number = T::Number;

    fn check_range(&self, place: &str, low: T::Number, high: T::Number) -> Result<(), ConfigError> {
        let mut numbers = self.iter().enumerate();
        numbers.try_for_each(|(index, number)| {
            let in_list = number.check_range("", low, high);
            in_list.map_err(|fault| fault.within(&format!("{place}[{index}]")))
        })
    }
}

impl<T: InRange<Number: Copy>> InRange for Vec<T> {
    type Number = T::Number;

    fn check_range(&self, place: &str, low: T::Number, high: T::Number) -> Result<(), ConfigError> {
        self.as_slice().check_range(place, low, high)
    }
}

impl<T: InRange<Number: Copy>, const N: usize> InRange for [T; N] {
    type Number = T::Number;

    fn check_range(&self, place: &str, low: T::Number, high: T::Number) -> Result<(), ConfigError> {
        self.as_slice().check_range(place, low, high)
    }
}

/// The message for `what`, which needs the feature `feature` in a program that was built without it.
#[must_use]
pub fn feature_is_off(feature: &str, what: &str) -> String {
    format!(
        "{what} needs the feature `{feature}`, which this program was built without: \
         cargo build --release -p boardroom --features {feature}"
    )
}

/// A refused action or tool call. The environment is unchanged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{message}")]
#[serde(deny_unknown_fields)]
pub struct ActionError {
    /// Short stable name of the rule that was broken, in snake case (`negative_order`).
    pub code: Cow<'static, str>,
    /// The fault, its place and what is valid; one line, for the agent.
    pub message: String,
}

impl ActionError {
    /// A refusal named `code`, explained to the agent by `message`.
    ///
    /// The message is cut to one line of at most 1,000 characters, because it may quote arbitrary input.
    pub fn new(code: impl Into<Cow<'static, str>>, message: impl Into<String>) -> Self {
        let message = message.into();
        Self {
            code: code.into(),
            message: one_line(&message, 1_000),
        }
    }

    /// The arguments of a tool call do not match its schema.
    pub fn bad_arguments(message: impl Into<String>) -> Self {
        Self::new("bad_arguments", message)
    }

    /// The tool does not exist; `offered` are the names of the tools that do.
    #[must_use]
    pub fn unknown_tool(tool: &str, offered: &[&str]) -> Self {
        Self::new(
            "unknown_tool",
            format!(
                "there is no tool `{}`; the tools are {}",
                clip(tool),
                offered.join(", ")
            ),
        )
    }

    /// The episode has ended; no further action is possible.
    #[must_use]
    pub fn episode_over() -> Self {
        Self::new(
            "episode_over",
            "the episode is over; no further action is possible",
        )
    }
}

/// A snapshot that does not fit its environment.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("snapshot not usable at {place}: {message}")]
pub struct RestoreError {
    /// Path inside the snapshot.
    pub place: String,
    /// The fault.
    pub message: String,
}

impl RestoreError {
    /// The fault `message` at `place`.
    #[must_use]
    pub fn new(place: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            place: place.into(),
            message: message.into(),
        }
    }
}

impl From<ConfigError> for RestoreError {
    fn from(ConfigError { place, message, .. }: ConfigError) -> Self {
        Self { place, message }
    }
}

/// A buffer of the wrong length.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{buffer} has length {got}, the layout needs {needed}")]
pub struct ShapeError {
    /// Name of the buffer (`actions`, `obs`, `rewards`, `dones`).
    pub buffer: &'static str,
    /// Its length.
    pub got: usize,
    /// The length it must have.
    pub needed: usize,
}

impl ShapeError {
    /// Checks one buffer.
    ///
    /// # Errors
    /// When `got != needed`.
    pub fn check(buffer: &'static str, got: usize, needed: usize) -> Result<(), Self> {
        if got == needed {
            Ok(())
        } else {
            Err(Self {
                buffer,
                got,
                needed,
            })
        }
    }
}

/// Shortens agent-written text for an error message: at most 60 characters, control characters replaced by
/// a space, so that the message stays one readable line.
#[must_use]
pub fn clip(text: &str) -> String {
    one_line(text, 60)
}

/// The first `most` characters of `text` in one line, for messages.
#[must_use]
pub fn one_line(text: &str, most: usize) -> String {
    let mut out: String = text
        .chars()
        .take(most)
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    // Not `count()`, which would read a text of megabytes to its end for one bit.
    if text.chars().nth(most).is_some() {
        out.push('…');
    }
    out
}

/// Reads a value of a configuration, an instance or a snapshot.
///
/// # Errors
/// When the value does not have the form of a `T`: the place is the dotted path of the part at fault.
///
/// ```
/// let value = serde_json::json!({"cost": {"holding": "much"}});
/// # #[derive(Debug, serde::Deserialize)] struct Cost { holding: f64 }
/// # #[derive(Debug, serde::Deserialize)] struct Rules { cost: Cost }
/// let error = sim_core::error::read::<Rules>(&value).expect_err("a text");
/// assert_eq!(error.place, "cost.holding");
/// assert_eq!(error.message, "invalid type: string \"much\", expected a number");
/// ```
pub fn read<T: DeserializeOwned>(value: &Value) -> Result<T, ConfigError> {
    read_from(value)
}

/// As [`read`], from a reader of JSON, TOML or another format. A reader of text adds the line to the message.
///
/// # Errors
/// As for [`read`], or when the text is not of the format.
pub fn read_from<'de, T, R>(reader: R) -> Result<T, ConfigError>
where
    T: Deserialize<'de>,
    R: Deserializer<'de, Error: Display>,
{
    serde_path_to_error::deserialize(reader).map_err(|e| {
        let place = e.path().to_string();
        // The library writes `.` where the value as a whole is at fault; here that is the empty
        // place.
        let place = if place == "." { String::new() } else { place };
        let message = in_json_words(&e.inner().to_string());
        ConfigError::new(place, one_line(&message, 1_000))
    })
}

/// The message of a reader of JSON or TOML in the words of those formats: serde names the Rust type that a
/// value should have, which means nothing to the person who wrote the value.
///
/// ```
/// use sim_core::error::in_json_words;
///
/// let error = serde_json::from_str::<(u8, bool)>("[-1, true]").expect_err("negative");
/// let message = in_json_words(&error.to_string());
/// assert!(message.contains("expected a whole number from 0 to 255"), "{message}");
/// ```
#[must_use]
pub fn in_json_words(message: &str) -> String {
    const FOUND: [(&str, &str); 4] = [
        ("invalid type: map", "invalid type: object"),
        ("invalid type: sequence", "invalid type: list"),
        ("invalid type: floating point", "invalid type: number"),
        ("invalid type: unit value", "invalid type: null"),
    ];
    // serde gives what it expected as a text only. The alternative is a visitor of our own for each
    // type of each form, for the sake of a few words.
    let mut message = message.to_owned();
    for (found, words) in FOUND {
        if let Some(rest) = message.strip_prefix(found) {
            message = format!("{words}{rest}");
        }
    }
    // The last one, because what was found may be a text with the same words.
    let Some((found, expected)) = message.rsplit_once(", expected ") else {
        return message;
    };
    let (expected, place) = match expected.find(" at line ") {
        Some(at) => expected.split_at(at),
        None => (expected, ""),
    };
    if let Some(name) = found.strip_prefix("unknown variant ") {
        let words = match expected.strip_prefix("one of ") {
            Some(names) => format!("there are {names}"),
            None if expected.contains("` or `") => {
                format!("there are {}", expected.replacen("` or `", "` and `", 1))
            }
            None => format!("there is only {expected}"),
        };
        return format!("there is no {name}; {words}{place}");
    }
    // The range says what is wrong with a number, and nothing about another value.
    let in_range = message.starts_with("invalid value");
    match json_type(expected, in_range) {
        Some(words) => format!("{found}, expected {words}{place}"),
        None => message,
    }
}

/// What JSON calls the Rust type that serde calls `expected`, with the range of whole numbers if `in_range`; `None`
/// where serde's words are plain.
fn json_type(expected: &str, in_range: bool) -> Option<Cow<'static, str>> {
    let range = |low: &dyn Display, high: &dyn Display| {
        Some(if in_range {
            format!("a whole number from {low} to {high}").into()
        } else {
            "a whole number".into()
        })
    };
    match expected {
        "u8" => return range(&0, &u8::MAX),
        "u16" => return range(&0, &u16::MAX),
        "u32" => return range(&0, &u32::MAX),
        "u64" | "usize" => return range(&0, &u64::MAX),
        "i8" => return range(&i8::MIN, &i8::MAX),
        "i16" => return range(&i16::MIN, &i16::MAX),
        "i32" => return range(&i32::MIN, &i32::MAX),
        "i64" | "isize" => return range(&i64::MIN, &i64::MAX),
        _ => {}
    }
    if let Some((_, count)) = expected.rsplit_once(" with ")
        && let Some(count) = count
            .strip_suffix(" elements")
            .or(count.strip_suffix(" element"))
        && !expected.starts_with("struct ")
    {
        return Some(format!("a list of {count} values").into());
    }
    let begins = |names: &[&str]| names.iter().any(|name| expected.starts_with(name));
    let words = if matches!(expected, "f32" | "f64") {
        "a number"
    } else if matches!(expected, "unit" | "null") || begins(&["unit struct"]) {
        "null"
    } else if expected == "a map"
        || begins(&[
            "struct ",
            "internally tagged enum",
            "adjacently tagged enum",
        ])
    {
        "an object"
    } else if begins(&["enum ", "externally tagged enum", "string or map"]) {
        "a text, or an object with one key"
    } else if expected == "variant identifier" {
        "a text"
    } else if expected == "a sequence" || begins(&["tuple", "a tuple", "an array"]) {
        match expected
            .rsplit_once(" of size ")
            .or_else(|| expected.rsplit_once(" of length "))
        {
            Some((_, size)) => return Some(format!("a list of {size} values").into()),
            None => "a list",
        }
    } else {
        return None;
    };
    Some(words.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_nest_outwards() {
        let e = ConfigError::new("holding", "must not be negative").within("cost");
        assert_eq!(e.to_string(), "cost.holding: must not be negative");
        assert_eq!(
            ConfigError::new("", "not JSON").within("cost").to_string(),
            "cost: not JSON"
        );
    }

    #[test]
    fn clip_keeps_one_line() {
        assert_eq!(clip("a\nb"), "a b");
        assert_eq!(clip(&"x".repeat(61)).chars().count(), 61);
        assert_eq!(clip(&"x".repeat(60)), "x".repeat(60));
    }

    #[test]
    fn types_of_rust_are_told_in_the_words_of_json() {
        #[derive(Debug, Deserialize)]
        #[serde(tag = "kind")]
        enum Tagged {
            #[expect(dead_code, reason = "only read")]
            A { size: u32, share: f64 },
        }
        let told = |text: &str| {
            let error = serde_json::from_str::<Tagged>(text).unwrap_err();
            in_json_words(&error.to_string())
        };
        for (text, words) in [
            (
                "5",
                "invalid type: integer `5`, expected an object at line 1",
            ),
            (
                r#"{"kind": "A", "size": -1}"#,
                "expected a whole number from 0 to 4294967295",
            ),
            (
                r#"{"kind": "A", "size": [1]}"#,
                "invalid type: list, expected a whole number",
            ),
            (
                r#"{"kind": "A", "size": 1, "share": {}}"#,
                "invalid type: object, expected a number",
            ),
            (
                r#"{"kind": "B"}"#,
                "there is no `B`; there is only `A` at line 1",
            ),
        ] {
            let message = told(text);
            assert!(message.contains(words), "{message}");
        }
        let message = serde_json::from_str::<[u8; 2]>("{}")
            .unwrap_err()
            .to_string();
        let message = in_json_words(&message);
        assert!(message.contains("expected a list of 2 values"), "{message}");
    }

    #[test]
    fn an_unknown_name_is_answered_with_those_that_there_are() {
        #[derive(Debug, Deserialize)]
        enum Two {
            A,
            B,
        }
        #[derive(Debug, Deserialize)]
        enum Three {
            A,
            B,
            C,
        }
        let two = [Two::A, Two::B].len();
        let three = [Three::A, Three::B, Three::C].len();
        assert_eq!((two, three), (2, 3));
        for (message, words) in [
            (
                read::<Two>(&Value::from("D")).unwrap_err().message,
                "there is no `D`; there are `A` and `B`",
            ),
            (
                read::<Three>(&Value::from(", expected one of"))
                    .unwrap_err()
                    .message,
                "there is no `, expected one of`; there are `A`, `B`, `C`",
            ),
        ] {
            assert_eq!(message, words);
        }
    }

    #[test]
    fn a_large_number_is_shown_with_an_exponent() {
        let error = ConfigError::check_range("cost", 1e308, 0.0, 1.0).unwrap_err();
        assert!(error.message.starts_with("`1e308` is"), "{error}");
    }
}
