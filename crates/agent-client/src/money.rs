//! Money and prices.
//!
//! Amounts are whole millionths of a millionth of a dollar, so that sums do not depend on the
//! order in which replies arrive.

use crate::reply::Usage;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

/// Parts of a dollar in one dollar.
const PER_DOLLAR: u64 = 1_000_000_000_000;

/// An amount of US dollars, never negative. Sums stop at about 18 million.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Money(u64);

impl Money {
    /// Nothing.
    pub const ZERO: Self = Self(0);

    /// The sum.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    /// The difference, at least nothing.
    #[must_use]
    pub fn minus(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }

    /// The amount in dollars, for tables.
    #[must_use]
    pub fn dollars(self) -> f64 {
        #[expect(
            clippy::cast_precision_loss,
            reason = "for display; sums are whole numbers"
        )]
        let dollars = self.0 as f64 / PER_DOLLAR as f64;
        dollars
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
    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("`{text}` is no amount of dollars; write it like 2.50");
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
                s.parse::<u64>()
            }
        };
        let whole = read(whole).map_err(|_| wrong())?;
        let part = read(&format!("{part:0<12}")).map_err(|_| wrong())?;
        let all = whole
            .checked_mul(PER_DOLLAR)
            .and_then(|w| w.checked_add(part));
        all.map(Self).ok_or_else(wrong)
    }
}

/// Written as a number of dollars in files.
impl Serialize for Money {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.dollars())
    }
}

impl<'de> Deserialize<'de> for Money {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let dollars = f64::deserialize(deserializer)?;
        Self::from_dollars(dollars)
            .ok_or_else(|| serde::de::Error::custom(format!("`{dollars}` is no amount of dollars")))
    }
}

impl Money {
    fn from_dollars(dollars: f64) -> Option<Self> {
        if !(0.0..=1e6).contains(&dollars) {
            return None;
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            clippy::cast_precision_loss,
            reason = "0 to 10^18, checked above"
        )]
        let parts = (dollars * PER_DOLLAR as f64).round() as u64;
        Some(Self(parts))
    }
}

/// What a model costs \[US dollars per million tokens\].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Price {
    /// A million tokens read.
    pub input: Money,
    /// A million tokens written.
    pub output: Money,
    /// A million tokens read that the server had read before; as `input` when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached: Option<Money>,
    /// A million tokens stored for later; as `input` when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stored: Option<Money>,
}

impl Price {
    /// A model that costs nothing.
    pub const FREE: Self = Self {
        input: Money::ZERO,
        output: Money::ZERO,
        cached: None,
        stored: None,
    };

    /// What `usage` costs.
    #[must_use]
    pub fn of(&self, usage: &Usage) -> Money {
        let dear = usage
            .input
            .saturating_sub(usage.cached)
            .saturating_sub(usage.stored);
        let parts = [
            (dear, self.input),
            (usage.cached, self.cached.unwrap_or(self.input)),
            (usage.stored, self.stored.unwrap_or(self.input)),
            (usage.output, self.output),
        ];
        let sum: u128 = parts
            .into_iter()
            .map(|(tokens, price)| u128::from(tokens) * u128::from(price.0))
            .fold(0, u128::saturating_add);
        // Rounded up, so that many small requests are never free.
        Money(u64::try_from(sum.div_ceil(1_000_000)).unwrap_or(u64::MAX))
    }
}

/// Prices by model.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PriceBook {
    /// Prices by the name of the model; a name may end in `*` and then stands for all models that
    /// begin so. The longest name that fits counts.
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
            return serde_path_to_error::deserialize(&mut json)
                .map_err(|e| format!("{}: {}", e.path(), e.inner()));
        }
        let table = toml::Deserializer::parse(text).map_err(|e| toml_error(text, &e))?;
        serde_path_to_error::deserialize(table)
            .map_err(|e| format!("{}: {}", e.path(), toml_error(text, e.inner())))
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
            .max_by_key(|(name, _)| (!name.ends_with('*'), name.len()))
            .map(|(_, price)| *price)
    }
}

fn toml_error(text: &str, error: &toml::de::Error) -> String {
    let line = error
        .span()
        .and_then(|span| text.get(..span.start))
        .map(|before| format!("line {}: ", before.matches('\n').count() + 1));
    let message = crate::error::one_line(error.message(), 200);
    format!("{}{message}", line.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

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
            "99999999999",
            "inf",
            "+1",
        ] {
            let error = wrong.parse::<Money>().unwrap_err();
            assert!(
                error.contains("is no amount") && !error.contains('\n'),
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
