//! What the agent decides: a purchase plan.
//!
//! ```
//! use econ_envs::action_text::read_mapping_text;
//! use econ_envs::procurement::Action;
//! use econ_envs::procurement::menu::OfferId;
//!
//! // From counts, from lines, and from what an agent wrote: the same plan.
//! let counts = Action::from_counts(&[2, 0, 1])?;
//! let lines = Action::new([(OfferId(0), 2), (OfferId(2), 1)])?;
//! let written = Action::read(&read_mapping_text("{'Offer_1': 2, 'Offer_3': 1.0}")?, 3)?;
//! assert!(counts == lines && lines == written);
//!
//! // Amounts that mean nothing are refused.
//! let half = Action::read(&read_mapping_text("{'Offer_1': 0.5}")?, 3);
//! assert_eq!(half.expect_err("half a copy").code, "fractional_copies");
//! let sale = Action::read(&read_mapping_text("{'Offer_1': -4}")?, 3);
//! assert_eq!(sale.expect_err("a sale").code, "negative_copies");
//! # Ok::<(), sim_core::ActionError>(())
//! ```

use super::menu::OfferId;
use crate::action_text::{Literal, Mapping};
use serde::de::{self, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use sim_core::ActionError;
use sim_core::error::clip;
use sim_core::tool::whole;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

/// Lines of a plan, offer and copies, in the order in which they were named.
pub type Lines = Arc<[(OfferId, u32)]>;

/// Largest number of copies of one offer in a plan. No budget of a drawn market allows as many; one of a
/// market from a file may, and the optimum keeps to the limit too. It keeps every sum within 64 bits.
pub const MOST_COPIES: u32 = 1_000_000;

/// Largest number of lines of a plan.
// Five times as many as a menu has offers, since a line may replace an earlier one. Without a limit
// a list from outside could fill the memory before its faults are seen.
const MOST_LINES: usize = 10_000;

/// A purchase plan: copies of offers.
///
/// The order of the lines is kept because replies repeat it; it has no other meaning. In JSON it is an
/// object, `{"Offer_1": 2, "Offer_3": 1}`.
///
/// Two plans with the same copies in another order are different values; compare
/// [`Action::canonical`] to tell whether they buy the same.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Action {
    /// INVARIANT: no offer twice, no number of copies above [`MOST_COPIES`].
    lines: Vec<(OfferId, u32)>,
}

impl Action {
    /// A plan from lines. A second line for an offer replaces the copies of the first.
    ///
    /// # Errors
    /// `too_many_copies`.
    pub fn new(lines: impl IntoIterator<Item = (OfferId, u32)>) -> Result<Self, ActionError> {
        let mut named = BTreeSet::new();
        let mut plan = Self::default();
        for (offer, copies) in lines {
            if copies > MOST_COPIES {
                return Err(too_many(offer, &copies.to_string()));
            }
            if named.insert(offer) {
                plan.lines.push((offer, copies));
            } else if let Some(line) = plan.lines.iter_mut().find(|line| line.0 == offer) {
                line.1 = copies;
            }
        }
        Ok(plan)
    }

    /// A plan from the number of copies of each offer of the menu, in order; zeros are left out.
    ///
    /// # Errors
    /// `too_many_copies`.
    pub fn from_counts(copies: &[u32]) -> Result<Self, ActionError> {
        Self::new(sparse(copies))
    }

    /// The plan in a mapping that an agent wrote, for a menu of `offers` offers.
    ///
    /// # Errors
    /// `unknown_offer`, `not_a_number`, `negative_copies`, `fractional_copies`, `too_many_copies`.
    ///
    /// Names are those of the menu (`Offer_1` is the first); whole numbers may be written
    /// as `2` or `2.0`. Offers that are not named get no copies.
    pub fn read(written: &Mapping, offers: usize) -> Result<Self, ActionError> {
        let mut lines = Vec::with_capacity(written.len());
        for (name, value) in written.iter() {
            let offer = OfferId::from_name(name)
                .filter(|id| id.index() < offers)
                .ok_or_else(|| unknown(name, offers))?;
            lines.push((offer, whole_copies(offer, value)?));
        }
        Self::new(lines)
    }

    /// The lines in order, zeros included.
    #[must_use]
    pub fn lines(&self) -> &[(OfferId, u32)] {
        &self.lines
    }

    /// The canonical form of the plan: sorted by offer, without zeros.
    #[must_use]
    pub fn canonical(&self) -> Vec<(OfferId, u32)> {
        canonical(&self.lines)
    }

    /// Checks that every line names an offer of a menu of `offers` offers.
    ///
    /// # Errors
    /// `unknown_offer`.
    pub fn check(&self, offers: usize) -> Result<(), ActionError> {
        match self.lines.iter().find(|line| line.0.index() >= offers) {
            Some((offer, _)) => Err(unknown(&offer.to_string(), offers)),
            None => Ok(()),
        }
    }
}

/// The lines of a plan from the number of copies of each offer, in order, without zeros.
pub(super) fn sparse(copies: &[u32]) -> impl Iterator<Item = (OfferId, u32)> {
    (0..)
        .map(OfferId)
        .zip(copies.iter().copied())
        .filter(|(_, copies)| *copies > 0)
}

/// See [`Action::canonical`].
pub(super) fn canonical(lines: &[(OfferId, u32)]) -> Vec<(OfferId, u32)> {
    let mut lines: Vec<_> = lines.iter().copied().filter(|line| line.1 > 0).collect();
    lines.sort_unstable();
    lines
}

fn whole_copies(offer: OfferId, value: &Literal) -> Result<u32, ActionError> {
    let refused = |code: &'static str, rule: &str| {
        let text = format!("the copies of {offer} must {rule} `{}`", value.display());
        Err(ActionError::new(code, text))
    };
    let Some(number) = value.number() else {
        return refused("not_a_number", "be a whole number, not");
    };
    // Before the check for fractions: of `-0.5` the sign is what would pay the buyer.
    if number < 0.0 {
        return refused("negative_copies", "not be negative, got");
    }
    match value.whole().map(u32::try_from) {
        Some(Ok(copies)) if copies <= MOST_COPIES => Ok(copies),
        Some(_) => Err(too_many(offer, &value.display())),
        // Beyond 2^53 no double is a whole value to us, but the size is the fault, not a fraction.
        None if number > f64::from(MOST_COPIES) => Err(too_many(offer, &value.display())),
        None => refused("fractional_copies", "be a whole number, not"),
    }
}

fn unknown(name: &str, offers: usize) -> ActionError {
    ActionError::new(
        "unknown_offer",
        format!(
            "there is no offer `{}`; the offers are Offer_1 to Offer_{offers}",
            clip(name)
        ),
    )
}

fn too_many(offer: OfferId, copies: &str) -> ActionError {
    ActionError::new(
        "too_many_copies",
        format!(
            "`{}` copies of {offer} are too many; at most {MOST_COPIES}",
            clip(copies)
        ),
    )
}

impl Serialize for Action {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.lines.iter().map(|(offer, copies)| (offer, copies)))
    }
}

impl<'de> Deserialize<'de> for Action {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(PlanVisitor)
    }
}

/// Reads the object form, and a list of pairs, which keeps the order of the lines.
struct PlanVisitor;

impl<'de> Visitor<'de> for PlanVisitor {
    type Value = Action;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a plan such as {\"Offer_1\": 2}")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Action, A::Error> {
        let mut lines = Vec::new();
        while let Some((offer, copies)) = map.next_entry::<OfferId, Copies>()? {
            lines.push((offer, copies.0));
            bounded(&lines)?;
        }
        // An object has no order, and a build may keep or sort its keys, so the lines are sorted.
        lines.sort_by_key(|line: &(OfferId, u32)| line.0);
        Action::new(lines).map_err(de::Error::custom)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Action, A::Error> {
        let mut lines = Vec::new();
        while let Some((offer, copies)) = seq.next_element::<(OfferId, Copies)>()? {
            lines.push((offer, copies.0));
            bounded(&lines)?;
        }
        Action::new(lines).map_err(de::Error::custom)
    }
}

fn bounded<E: de::Error>(lines: &[(OfferId, u32)]) -> Result<(), E> {
    if lines.len() <= MOST_LINES {
        Ok(())
    } else {
        Err(E::custom(format!("a plan has at most {MOST_LINES} lines")))
    }
}

/// A number of copies in JSON; `2.0` is 2.
struct Copies(u32);

impl<'de> Deserialize<'de> for Copies {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        let copies = whole(&value).and_then(|copies| u32::try_from(copies).ok());
        let copies = copies.filter(|copies| *copies <= MOST_COPIES);
        copies.map(Self).ok_or_else(|| {
            de::Error::custom(format!(
                "must be a whole number of copies from 0 to {MOST_COPIES}, not `{}`",
                clip(&value.to_string())
            ))
        })
    }
}
