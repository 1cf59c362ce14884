//! The decision: what is taken from which units and given to which.
//!
//! ```
//! use ceo_reallocation::plan::{DecisionType, ReallocationPlan, parse_plan};
//! use ceo_reallocation::scenario::UnitId;
//!
//! let (a, c) = (UnitId::from("A"), UnitId::from("C"));
//! let made = ReallocationPlan::from_deltas([(&a, -6.5), (&c, 6.5)], DecisionType::Moderate, "C needs it.");
//! assert_eq!((made.removed(), made.added()), (6.5, 6.5));
//! assert_eq!(made.kind(), Some(DecisionType::Moderate));
//!
//! // The same plan out of a reply with prose around it.
//! let read = parse_plan(
//!     r#"My plan: {"remove_from": {"A": "6.5%"}, "add_to": {"C": 6.5}, "decision_type": "Moderate"}"#,
//! )?;
//! assert_eq!(read.removed(), made.removed());
//! assert_eq!(read.kind(), made.kind());
//! # Ok::<(), ceo_reallocation::plan::UnreadablePlan>(())
//! ```

use crate::unit_id::UnitId;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

mod read;
mod violation;

pub(crate) use read::first_object;
pub use read::{UnreadablePlan, parse_plan, read_plan_value};
pub use violation::{Violation, ViolationCode, Warning};

/// An amount as it stands in a plan: a number, or a text that was meant as one.
///
/// A text is kept as it was written, so that a message can quote it and a stored plan reads back
/// exactly. `"12.5%"` and `" 12.5 "` have the value 12.5, as the signs of percent and the spaces
/// around a number change nothing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Amount {
    /// A number \[pp\].
    Number(f64),
    /// A text.
    Text(String),
}

impl Amount {
    /// Its value \[pp\]; NaN where the text is not a number.
    #[must_use]
    pub fn value(&self) -> f64 {
        match self {
            Self::Number(value) => *value,
            Self::Text(text) => number_in(text),
        }
    }
}

impl From<f64> for Amount {
    fn from(value: f64) -> Self {
        // NaN has no form in JSON, so it is stored as the text that has the same value.
        if value.is_finite() {
            Self::Number(value)
        } else {
            Self::Text(value.to_string())
        }
    }
}

/// The number that a text stands for: spaces around it, a percent sign after it and a typographic
/// minus before it change nothing. NaN when it is none.
fn number_in(text: &str) -> f64 {
    let text = text.trim();
    let text = text.strip_suffix('%').unwrap_or(text).trim_end();
    // Word processors and some models write a minus or a dash of their own for the sign.
    let plain = text.replace(['\u{2212}', '\u{2013}'], "-");
    // `f64::from_str` also takes words such as "infinity"; only digits make an amount.
    if plain
        .chars()
        .all(|c| c.is_ascii_digit() || matches!(c, '+' | '-' | '.' | 'e' | 'E'))
    {
        plain.parse().unwrap_or(f64::NAN)
    } else {
        f64::NAN
    }
}

/// A reallocation plan, as an agent gives it (paper, section 3.1 and appendix A.1).
///
/// A plan may be wrong in any way; [`Scorer::violations`](crate::score::Scorer::violations) says how.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReallocationPlan {
    /// Amounts taken, by unit \[pp\].
    #[serde(default)]
    pub remove_from: BTreeMap<UnitId, Amount>,
    /// Amounts given, by unit \[pp\].
    #[serde(default)]
    pub add_to: BTreeMap<UnitId, Amount>,
    /// The total that the author says is moved \[pp\]; the removed sum where it is missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total_realloc_share: Option<Amount>,
    /// `conservative`, `moderate` or `bold`; anything else counts as unknown.
    #[serde(default)]
    pub decision_type: String,
    /// Why, in words.
    #[serde(default)]
    pub rationale: String,
    /// Earlier rounds that the author refers to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub history_refs: Vec<u32>,
}

impl ReallocationPlan {
    /// A plan from signed moves, positive for what a unit receives \[pp\]; moves of 0 are left out
    /// and the declared total is the removed sum.
    ///
    /// Balance and limits are not checked here: a policy may give a wrong plan, and the
    /// scorer says what is wrong. A move that is not finite becomes an amount that the
    /// scorer refuses.
    #[must_use]
    pub fn from_deltas<'a>(
        deltas: impl IntoIterator<Item = (&'a UnitId, f64)>,
        decision_type: DecisionType,
        rationale: impl Into<String>,
    ) -> Self {
        let mut plan = Self {
            decision_type: decision_type.to_string(),
            rationale: rationale.into(),
            ..Self::default()
        };
        let mut removed = 0.0;
        for (id, delta) in deltas {
            if delta > 0.0 {
                plan.add_to.insert(id.clone(), delta.into());
            } else if delta < 0.0 {
                removed -= delta;
                plan.remove_from.insert(id.clone(), (-delta).into());
            }
        }
        plan.total_realloc_share = Some(removed.into());
        plan
    }

    /// The sum of what is taken \[pp\]: the `r` of every formula, whatever the plan declares. NaN
    /// when an amount is not a number.
    #[must_use]
    pub fn removed(&self) -> f64 {
        self.remove_from.values().map(Amount::value).sum()
    }

    /// The sum of what is given \[pp\].
    #[must_use]
    pub fn added(&self) -> f64 {
        self.add_to.values().map(Amount::value).sum()
    }

    /// The decision type that the author states.
    #[must_use]
    pub fn kind(&self) -> Option<DecisionType> {
        DecisionType::read(&self.decision_type)
    }
}

/// The type of a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[derive(strum::Display, strum::EnumString, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "snake_case", ascii_case_insensitive)]
pub enum DecisionType {
    /// Little is moved.
    Conservative,
    /// In between.
    Moderate,
    /// Much is moved.
    Bold,
}

impl DecisionType {
    /// The type that a text names; case and spaces around it change nothing.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        text.trim().parse().ok()
    }

    /// Number of steps between two types: 0, 1 or 2.
    ///
    /// The scorer gives half of the points for a neighbouring type
    /// (`neighbouring_label`).
    #[must_use]
    pub fn distance(self, other: Self) -> u8 {
        (self as u8).abs_diff(other as u8)
    }
}
