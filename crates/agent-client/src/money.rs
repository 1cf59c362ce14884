//! Money and prices.
//!
//! Amounts are whole millionths of a millionth of a dollar, so that sums do not depend on the
//! order in which replies arrive.
//!
//! ```
//! use agent_client::money::{Money, PriceBook};
//! use agent_client::Usage;
//!
//! let book = PriceBook::parse("[models.\"small-*\"]\ninput = 0.15\noutput = 0.60\n")?;
//! let price = book.price("small-2").ok_or("no price")?;
//! let usage = Usage { input: 1_000_000, output: 500_000, ..Usage::default() };
//! assert_eq!(price.of(&usage), "0.45".parse::<Money>()?); // 0.15 + 0.5 * 0.60
//! # Ok::<(), String>(())
//! ```

use crate::reply::Usage;
use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sim_core::error::{in_json_words, read_from};
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

/// Parts of a dollar in one dollar.
// At 0.15 dollars per million tokens a token costs 1.5e-7 dollars: millionths of a dollar would
// lose it.
const PER_DOLLAR: u128 = 1_000_000_000_000;

/// An amount of US dollars, from 0 to [`MOST`](Self::MOST). Sums do not grow beyond this limit.
///
/// Every amount is read back from a file exactly as it was written. It is written as a number of
/// dollars if that is exact, otherwise as text with all its digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Money(u128);

impl Money {
    /// Nothing.
    pub const ZERO: Self = Self(0);

    /// The largest amount: 10^15 dollars, more than the replies of any run can cost.
    pub const MOST: Self = Self(1_000_000_000_000_000 * PER_DOLLAR);

    /// The sum, at most [`MOST`](Self::MOST).
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self::of_parts(self.0.saturating_add(other.0))
    }

    /// The difference, at least 0.
    #[must_use]
    pub fn minus(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }

    /// Whether the sum of this and `more` is within `cap`. A sum that was limited to
    /// [`MOST`](Self::MOST) fits no cap.
    #[must_use]
    pub fn fits(self, more: Self, cap: Self) -> bool {
        self.0.saturating_add(more.0) <= cap.0 && self < Self::MOST
    }

    /// The amount in dollars, for tables.
    ///
    /// Rounded to the nearest double: compare amounts as [`Money`], not as dollars.
    #[must_use]
    pub fn dollars(self) -> f64 {
        #[expect(
            clippy::cast_precision_loss,
            reason = "for display; sums are whole numbers"
        )]
        let dollars = self.0 as f64 / PER_DOLLAR as f64;
        dollars
    }

    /// An amount of millionths of a millionth of a dollar, limited to [`MOST`](Self::MOST).
    fn of_parts(parts: u128) -> Self {
        Self(parts).min(Self::MOST)
    }
}

impl fmt::Display for Money {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cents = f.precision().unwrap_or(4);
        write!(f, "${:.cents$}", self.dollars())
    }
}

impl FromStr for Money {
    type Err = String;

    /// Reads `2.50` or `$2.50`.
    ///
    /// At most 12 decimals; no sign, exponent or separators.
    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("`{text}` is not an amount of dollars; write it like 2.50");
        let digits = text.trim();
        let digits = digits.strip_prefix('$').unwrap_or(digits);
        let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
        let is_digits = |s: &str| s.bytes().all(|b| b.is_ascii_digit());
        if (whole.is_empty() && part.is_empty())
            || part.len() > 12
            || !is_digits(whole)
            || !is_digits(part)
        {
            return Err(wrong());
        }
        let read = |s: &str| {
            if s.is_empty() {
                Ok(0)
            } else {
                s.parse::<u128>()
            }
        };
        let whole = read(whole).map_err(|_| wrong())?;
        let part = read(&format!("{part:0<12}")).map_err(|_| wrong())?;
        let all = whole
            .checked_mul(PER_DOLLAR)
            .and_then(|w| w.checked_add(part));
        all.map(Self)
            .filter(|all| *all <= Self::MOST)
            .ok_or_else(wrong)
    }
}

/// Writes a number of dollars, or text if a number would lose digits.
impl Serialize for Money {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let dollars = self.dollars();
        if Self::from_dollars(dollars) == Some(*self) {
            serializer.serialize_f64(dollars)
        } else {
            let (whole, part) = (self.0 / PER_DOLLAR, self.0 % PER_DOLLAR);
            serializer.collect_str(&format_args!("{whole}.{part:012}"))
        }
    }
}

impl<'de> Deserialize<'de> for Money {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Amount)
    }
}

/// Reads an amount in either form.
struct Amount;

impl Visitor<'_> for Amount {
    type Value = Money;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an amount of dollars, 0 to 10^15")
    }

    fn visit_f64<E: de::Error>(self, dollars: f64) -> Result<Money, E> {
        Money::from_dollars(dollars).ok_or_else(|| {
            E::custom(format!(
                "`{dollars}` is not an amount of dollars from 0 to 10^15"
            ))
        })
    }

    fn visit_u64<E: de::Error>(self, dollars: u64) -> Result<Money, E> {
        let parts = u128::from(dollars).checked_mul(PER_DOLLAR).map(Money);
        parts.filter(|all| *all <= Money::MOST).ok_or_else(|| {
            E::custom(format!(
                "`{dollars}` is not an amount of dollars from 0 to 10^15"
            ))
        })
    }

    fn visit_i64<E: de::Error>(self, dollars: i64) -> Result<Money, E> {
        let dollars = u64::try_from(dollars)
            .map_err(|_| E::custom(format!("`{dollars}` is not an amount of dollars")))?;
        self.visit_u64(dollars)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Money, E> {
        text.parse().map_err(E::custom)
    }
}

impl Money {
    /// The nearest amount; `None` outside 0 to 10^15 dollars.
    pub(crate) fn from_dollars(dollars: f64) -> Option<Self> {
        if !(0.0..=1e15).contains(&dollars) {
            return None;
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            clippy::cast_precision_loss,
            reason = "0 to 10^27, checked above"
        )]
        // The nearest, because a double such as 0.15 may lie slightly below the amount that was
        // written.
        let parts = (dollars * PER_DOLLAR as f64).round() as u128;
        Some(Self::of_parts(parts))
    }
}

/// The highest price that a price file may name \[US dollars per million tokens\]: a dollar a
/// token.
const MOST_PRICE: u128 = 1_000_000;

/// Reads a price.
fn price<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Money, D::Error> {
    // A price is written as a number; only sums are written as text with all digits.
    let dollars = f64::deserialize(deserializer)?;
    Money::from_dollars(dollars)
        .filter(|price| price.0 <= MOST_PRICE * PER_DOLLAR)
        .ok_or_else(|| {
            de::Error::custom(format!(
                "`{dollars}` is not a price: 0 to {MOST_PRICE} US dollars per million tokens"
            ))
        })
}

/// Reads a price that may be absent.
fn some_price<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Money>, D::Error> {
    price(deserializer).map(Some)
}

/// Prices of a model \[US dollars per million tokens\].
///
/// [`PriceBook::parse`] reads prices of 0 to 1,000,000.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Price {
    /// Input tokens.
    #[serde(deserialize_with = "price")]
    pub input: Money,
    /// Output tokens.
    #[serde(deserialize_with = "price")]
    pub output: Money,
    /// Input tokens that the server had cached; equal to `input` if absent.
    #[serde(
        default,
        deserialize_with = "some_price",
        skip_serializing_if = "Option::is_none"
    )]
    pub cached: Option<Money>,
    /// Input tokens that the server stores in its cache; equal to `input` if absent.
    #[serde(
        default,
        deserialize_with = "some_price",
        skip_serializing_if = "Option::is_none"
    )]
    pub stored: Option<Money>,
    /// Those of them that it stores for an hour; equal to `stored` if absent.
    #[serde(
        default,
        deserialize_with = "some_price",
        skip_serializing_if = "Option::is_none"
    )]
    pub stored_hour: Option<Money>,
}

impl Price {
    /// A model that costs nothing.
    pub const FREE: Self = Self {
        input: Money::ZERO,
        output: Money::ZERO,
        cached: None,
        stored: None,
        stored_hour: None,
    };

    /// The highest price of an input token, however it is counted.
    #[must_use]
    pub fn highest_input(&self) -> Money {
        let others = [self.cached, self.stored, self.stored_hour];
        others.into_iter().flatten().fold(self.input, Money::max)
    }

    /// The cost of `usage`.
    ///
    /// `input` counts all input tokens; `cached` and `stored` are parts of it and are charged at their own
    /// prices, and `stored_hour`, a part of `stored`, at its own. The sum is rounded up to a millionth of a
    /// millionth of a dollar. What the provider itself says that it charges takes the place of the sum.
    #[must_use]
    pub fn of(&self, usage: &Usage) -> Money {
        if let Some(billed) = usage.billed {
            return billed;
        }
        // The parts never exceed the total, so that no token is charged twice.
        let cached = usage.cached.min(usage.input);
        let stored = usage.stored.min(usage.input - cached);
        let hour = usage.stored_hour.min(stored);
        let short = self.stored.unwrap_or(self.input);
        let parts = [
            (usage.input - cached - stored, self.input),
            (cached, self.cached.unwrap_or(self.input)),
            (stored - hour, short),
            (hour, self.stored_hour.unwrap_or(short)),
            (usage.output, self.output),
        ];
        let sum: u128 = parts
            .into_iter()
            .map(|(tokens, price)| u128::from(tokens).saturating_mul(price.0))
            .fold(0, u128::saturating_add);
        // Rounded up, so that many small requests are never free.
        Money::of_parts(sum.div_ceil(1_000_000))
    }
}

/// Prices by model.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PriceBook {
    /// Prices by model name. A name may end in `*` and then applies to all models with this prefix.
    /// The longest matching name counts.
    pub models: BTreeMap<String, Price>,
}

impl PriceBook {
    /// Reads a price file, JSON if it begins with `{` and TOML otherwise:
    ///
    /// ```toml
    /// [models."some-model"]
    /// input = 0.15      # US dollars per million tokens
    /// output = 0.60
    /// cached = 0.075    # optional
    /// ```
    ///
    /// # Errors
    /// One line with the place and what is wrong.
    pub fn parse(text: &str) -> Result<Self, String> {
        if text.trim_start().starts_with('{') {
            let mut json = serde_json::Deserializer::from_str(text);
            return read_from(&mut json).map_err(|e| e.to_string());
        }
        let table = toml::Deserializer::parse(text).map_err(|e| toml_error(text, &e))?;
        serde_path_to_error::deserialize(table)
            .map_err(|e| format!("{}: {}", e.path(), toml_error(text, e.inner())))
    }

    /// The cost of a call of `backend` (`openai:some-model`) that was booked at `booked`. A call that was booked at 0
    /// costs what its tokens cost at these prices: otherwise a cap would not hold for what was paid before somebody
    /// named a price. A price of 0 that held for the call cannot be told from a price that was not known, and counts
    /// alike.
    #[must_use]
    pub fn cost_of(
        &self,
        backend: &str,
        usage: Option<&Usage>,
        booked: Option<Money>,
    ) -> Option<Money> {
        if booked != Some(Money::ZERO) {
            return booked;
        }
        let model = backend.split_once(':').map(|(_, model)| model);
        let price = model.and_then(|model| self.price(model));
        price
            .zip(usage)
            .map_or(booked, |(price, usage)| Some(price.of(usage)))
    }

    /// The price of `model`.
    #[must_use]
    pub fn price(&self, model: &str) -> Option<Price> {
        let fits = |name: &str| match name.strip_suffix('*') {
            Some(start) => model.starts_with(start),
            None => name == model,
        };
        self.models
            .iter()
            .filter(|(name, _)| fits(name))
            // An exact name before any pattern: `small-2*` fits `small-2` too and is longer.
            .max_by_key(|(name, _)| (!name.ends_with('*'), name.len()))
            .map(|(_, price)| *price)
    }
}

/// The message of a TOML error with its line.
fn toml_error(text: &str, error: &toml::de::Error) -> String {
    let line = error
        .span()
        .and_then(|span| text.get(..span.start))
        .map(|before| format!("line {}: ", before.matches('\n').count() + 1));
    let message = crate::error::one_line(&in_json_words(error.message()), 200);
    format!("{}{message}", line.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_was_booked_without_a_price_is_priced_later() {
        let book = PriceBook::parse("[models.m]\ninput = 10.0\noutput = 100.0\n").unwrap();
        let usage = Usage {
            input: 100,
            output: 10,
            ..Usage::default()
        };
        let dollars = |text: &str| Some(text.parse().unwrap());
        let zero = Some(Money::ZERO);
        for (backend, usage, booked, cost) in [
            ("openai:m", Some(&usage), zero, dollars("0.002")),
            ("openai:m", Some(&usage), dollars("0.5"), dollars("0.5")),
            // Answers of a cache were paid for in another run.
            ("openai:m", Some(&usage), None, None),
            ("openai:m", None, zero, zero),
            ("openai:other", Some(&usage), zero, zero),
        ] {
            assert_eq!(book.cost_of(backend, usage, booked), cost, "{backend}");
        }
    }

    proptest! {
        #[test]
        fn any_amount_is_read_back_as_it_was_written(parts in 0..=Money::MOST.0, shift in 0..90) {
            // Amounts of all sizes, the small ones too.
            let money = Money(parts >> shift);
            let text = serde_json::to_string(&money).unwrap();
            prop_assert_eq!(serde_json::from_str::<Money>(&text).unwrap(), money, "{}", text);
            let value = serde_json::to_value(money).unwrap();
            prop_assert_eq!(serde_json::from_value::<Money>(value).unwrap(), money);
        }

        #[test]
        fn any_usage_has_a_cost_that_can_be_read_back(
            tokens in any::<[u64; 4]>(),
            prices in any::<[u64; 4]>(),
        ) {
            let [input, cached, stored, output] = tokens;
            let usage = Usage { input, cached, stored, output, ..Usage::default() };
            let [input, cached, stored, output] = prices.map(|p| Money(u128::from(p)));
            let price = Price { input, output, cached: Some(cached), stored: Some(stored), stored_hour: None };
            let cost = price.of(&usage);
            let text = serde_json::to_string(&cost).unwrap();
            prop_assert_eq!(serde_json::from_str::<Money>(&text).unwrap(), cost);
        }
    }

    #[test]
    fn sums_stop_and_a_full_sum_fits_under_no_cap() {
        let most = Money::MOST;
        assert_eq!(most.plus(most), most);
        assert!(!most.fits(Money::ZERO, most));
        assert!(!Money(most.0 - 1).fits(Money(2), most));
        assert!(Money(most.0 - 2).fits(Money(1), most));
    }

    #[test]
    fn prices_are_within_their_range() {
        let file = |price: &str| format!("[models.x]\ninput = {price}\noutput = 1\n");
        for good in ["0", "0.15", "1000000", "1e6"] {
            assert!(PriceBook::parse(&file(good)).is_ok(), "{good}");
        }
        for bad in ["-0.1", "1000000.1", "1e300", "inf", "nan", "99999999999"] {
            let error = PriceBook::parse(&file(bad)).unwrap_err();
            assert!(error.contains("models.x.input"), "{error}");
        }
        let json = "{\"models\":{\"x\":{\"input\":1,\"output\":1,\"cached\":1e7}}}";
        assert!(
            PriceBook::parse(json)
                .unwrap_err()
                .contains("models.x.cached")
        );
    }

    #[test]
    fn amounts_are_read_exactly_or_refused() {
        let cents: Money = "2.50".parse().unwrap();
        assert_eq!(cents, Money(2_500_000_000_000));
        assert_eq!("$.5".parse(), Ok(Money(500_000_000_000)));
        assert_eq!("0".parse(), Ok(Money::ZERO));
        for wrong in [
            "",
            ".",
            "-1",
            "1e3",
            "1,5",
            "two",
            "1.2.3",
            "1000000000000001",
            "99999999999999999999999999999999999999999",
            "inf",
            "+1",
        ] {
            let error = wrong.parse::<Money>().unwrap_err();
            assert!(
                error.contains("is not an amount") && !error.contains('\n'),
                "{error}"
            );
        }
    }

    #[test]
    fn prices_count_each_kind_of_token() {
        let book = PriceBook::parse(
            "[models.\"m-*\"]\ninput = 1\noutput = 4\n[models.m-2]\ninput = 2.5\noutput = 10.0\n\
             cached = 0.5\n",
        )
        .unwrap();
        let usage = Usage {
            input: 1_000_000,
            cached: 400_000,
            output: 100_000,
            ..Usage::default()
        };
        // 0.6 M at 2.50, 0.4 M at 0.50, 0.1 M at 10: 1.50 + 0.20 + 1.00.
        assert_eq!(
            book.price("m-2").unwrap().of(&usage),
            "2.70".parse().unwrap()
        );
        // 1 M at 1, 0.1 M at 4.
        assert_eq!(
            book.price("m-20").unwrap().of(&usage),
            "1.40".parse().unwrap()
        );
        assert_eq!(book.price("other"), None);
        let json = serde_json::to_string(&book).unwrap();
        assert_eq!(PriceBook::parse(&json), Ok(book));
    }

    #[test]
    fn bad_price_files_get_one_line() {
        let cases = [
            ("[models.x]\ninput = 1\n", "missing field `output`"),
            ("[models.x]\ninput = -1\noutput = 1\n", "models.x.input"),
            ("[models.x]\ninput = \"1\"\noutput = 1\n", "models.x.input"),
            (
                "[models.x]\ninput = 1\noutput = 1\nprice = 2\n",
                "unknown field `price`",
            ),
            ("models\n", "line 1"),
            ("{\"models\": {\"x\": {\"input\": nan}}}", "models.x.input"),
            ("{\"models\": 3}", "models"),
            ("", "missing field `models`"),
        ];
        for (text, part) in cases {
            let error = PriceBook::parse(text).unwrap_err();
            assert!(
                error.contains(part) && !error.contains('\n'),
                "{text:?}: {error}"
            );
        }
    }
}
