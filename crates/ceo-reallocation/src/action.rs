//! The action of a seat.
//!
//! ```
//! use ceo_reallocation::Action;
//! use ceo_reallocation::plan::{DecisionType, ReallocationPlan};
//! use ceo_reallocation::scenario::UnitId;
//!
//! // The same decision in two forms: with words, and as numbers for a program that learns.
//! let (a, c) = (UnitId::from("A"), UnitId::from("C"));
//! let plan = ReallocationPlan::from_deltas([(&a, -7.0), (&c, 7.0)], DecisionType::Moderate, "C needs it.");
//! let in_words = Action::Plan(plan);
//! let in_numbers = Action::Moves(vec![-7.0, 0.0, 7.0]);
//! let text = serde_json::to_string(&in_words)?;
//! assert_eq!(serde_json::from_str::<Action>(&text)?, in_words);
//! assert_eq!(serde_json::to_string(&in_numbers)?, r#"{"moves":[-7.0,0.0,7.0]}"#);
//! # Ok::<(), serde_json::Error>(())
//! ```

use crate::deliberation::AdvisorReport;
use crate::plan::{ReallocationPlan, read_plan_value};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Value, json};
use sim_core::error::{clip, one_line};
use std::collections::BTreeMap;

/// One decision of one seat.
///
/// As JSON, in the order of the variants: a plan as it is (`{"remove_from":{..},"add_to":{..},..}`),
/// `{"unreadable":"text"}`, `{"moves":[..]}`, `{"report":{..}}`.
///
/// Which one is expected depends on the seat in turn: an advisor gives a `Report`, the
/// chief executive one of the other three.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Action {
    /// The chief executive's plan.
    Plan(ReallocationPlan),
    /// The chief executive's reply held no plan; its beginning is kept for the record.
    Unreadable(String),
    /// Signed moves by unit, in the order of ids \[pp\]: the form for programs that learn. The larger
    /// side is scaled down to balance, the decision is named by its size, and there is no text.
    ///
    /// One number for each unit; missing ones count as 0. A vector of a lane has [`MAX_UNITS`] numbers
    /// whatever the number of units, and those behind the last unit mean nothing.
    ///
    /// [`MAX_UNITS`]: crate::scenario::MAX_UNITS
    Moves(Vec<f64>),
    /// An advisor's report and messages, in deliberation.
    Report(AdvisorReport),
}

impl Action {
    /// A reply without a plan.
    ///
    /// `reply` is cut to a short line. The environment answers such an action like any
    /// reply that it cannot read.
    #[must_use]
    pub fn unreadable(reply: &str) -> Self {
        Self::Unreadable(clip(reply))
    }
}

impl Serialize for Action {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Plan(plan) => plan.serialize(to),
            Self::Unreadable(reply) => json!({ "unreadable": reply }).serialize(to),
            Self::Moves(moves) => json!({ "moves": moves }).serialize(to),
            Self::Report(report) => BTreeMap::from([("report", report)]).serialize(to),
        }
    }
}

/// The form of an action, for messages.
const FORM: &str = "a plan with `remove_from` and `add_to`, or an object with one of `moves`, \
                    `report`, `unreadable`";

impl<'de> Deserialize<'de> for Action {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let wrong = |message: String| D::Error::custom(message);
        let Value::Object(mut map) = Value::deserialize(from)? else {
            return Err(wrong(format!("expected {FORM}")));
        };
        // Only where it is the one key: beside the fields of a plan such a word is an unknown
        // field, and the strict reading below says so.
        if map.len() == 1 {
            if let Some(reply) = map.remove("unreadable") {
                let reply = reply
                    .as_str()
                    .ok_or_else(|| wrong("`unreadable` holds text".to_owned()))?;
                return Ok(Self::unreadable(reply));
            }
            if let Some(moves) = map.remove("moves") {
                let moves = Vec::<f64>::deserialize(&moves)
                    .map_err(|_| wrong("`moves` holds one number for each unit".to_owned()))?;
                return Ok(Self::Moves(moves));
            }
            if let Some(report) = map.remove("report") {
                return AdvisorReport::deserialize(&report)
                    .map(Self::Report)
                    .map_err(|e| wrong(format!("`report`: {}", one_line(&e.to_string(), 200))));
            }
        }
        // A plan is read as strictly as it is written: an unknown field is a mistake here.
        let value = Value::Object(map);
        // The forgiving reader tells whether a plan was meant at all, the strict one what is wrong
        // with it. The strict one alone would take `{}` for a plan, because every field has a
        // default.
        let form = ReallocationPlan::deserialize(&value).map_err(|e| one_line(&e.to_string(), 200));
        match (form, read_plan_value(&value)) {
            (Ok(plan), Some(_)) => Ok(Self::Plan(plan)),
            (Err(message), Some(_)) => Err(wrong(message)),
            (_, None) => Err(wrong(format!("expected {FORM}"))),
        }
    }
}
