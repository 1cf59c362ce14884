//! Finding a plan in what a model wrote.

use super::{Amount, ReallocationPlan, Violation};
use crate::unit_id::UnitId;
use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt;

mod object;

/// A reply in which no plan was found.
///
/// The environment gives such a reply 0 points, after as many repeats as the
/// configuration allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("no reallocation plan found in the reply")]
pub struct UnreadablePlan;

impl From<UnreadablePlan> for Violation {
    fn from(_: UnreadablePlan) -> Self {
        Self::no_plan()
    }
}

/// The plan in a reply: the first top-level `{..}` that has the form of a plan.
///
/// Prose and code fences around it are skipped, and so are objects without any of the keys
/// `remove_from` and `add_to`. Keys are case-sensitive, unknown ones are ignored; ids are trimmed;
/// amounts may be texts (see [`Amount`]); a missing or `null` list is empty. Inside the object
/// `//` and `/* */` comments, commas before a closing bracket and a typographic minus are read as
/// their authors meant them. A truncated object is not a plan.
///
/// # Errors
/// [`UnreadablePlan`] when there is none.
///
/// # Complexity
/// At most 40 looks at a byte; a text that is made to need more is not read to its end.
///
/// # Example
/// ```
/// let plan = ceo_reallocation::plan::parse_plan(
///     "We shift a little:\n```json\n{\"remove_from\":{\"A\":\"3%\"},\"add_to\":{\"B\":3}}\n```",
/// )?;
/// assert_eq!(plan.removed(), 3.0);
/// # Ok::<(), ceo_reallocation::plan::UnreadablePlan>(())
/// ```
pub fn parse_plan(text: &str) -> Result<ReallocationPlan, UnreadablePlan> {
    first_object(text, |json| plan_of(serde_json::from_str(json).ok()?)).ok_or(UnreadablePlan)
}

/// The first top-level object of a text that `read` takes, given as strict JSON.
pub(crate) fn first_object<T>(text: &str, read: impl Fn(&str) -> Option<T>) -> Option<T> {
    let mut from = 0;
    // One budget for all attempts. A brace in prose costs a few characters, so only a text made for
    // it needs more than 40 looks at a byte.
    let mut budget = 40 * text.len();
    while let Some(start) = text
        .get(from..)
        .and_then(|rest| rest.find('{'))
        .map(|at| from + at)
    {
        match object::json_object(text.get(start..).unwrap_or_default(), &mut budget) {
            Some(found) => {
                if let Some(taken) = read(&found.json) {
                    return Some(taken);
                }
                // Skipped as a whole: a plan inside another object is not the answer but a part of
                // something.
                from = start + found.length;
            }
            // Not an object at all: braces in prose. A plan may stand inside or behind them.
            None => from = start + 1,
        }
    }
    None
}

/// The plan that a JSON value stands for, read as forgivingly as [`parse_plan`] does; `None` when
/// it has neither `remove_from` nor `add_to` or they are not objects.
///
/// This is what the tool `submit_plan` uses: arguments of a tool call are JSON already.
#[must_use]
pub fn read_plan_value(value: &Value) -> Option<ReallocationPlan> {
    plan_of(Loose::deserialize(value).ok()?)
}

fn plan_of(loose: Loose) -> Option<ReallocationPlan> {
    if loose.remove_from.is_none() && loose.add_to.is_none() {
        return None;
    }
    Some(ReallocationPlan {
        remove_from: loose.remove_from.flatten().unwrap_or_default().0,
        add_to: loose.add_to.flatten().unwrap_or_default().0,
        total_realloc_share: match loose.total_realloc_share {
            None | Some(Value::Null) => None,
            Some(value) => Some(amount(value)),
        },
        decision_type: words(loose.decision_type),
        rationale: words(loose.rationale),
        history_refs: loose.history_refs.map(rounds).unwrap_or_default(),
    })
}

/// A plan as models write it.
#[derive(Deserialize)]
struct Loose {
    #[serde(default, deserialize_with = "present")]
    remove_from: Option<Option<Amounts>>,
    #[serde(default, deserialize_with = "present")]
    add_to: Option<Option<Amounts>>,
    #[serde(default)]
    total_realloc_share: Option<Value>,
    #[serde(default)]
    decision_type: Option<Value>,
    #[serde(default)]
    rationale: Option<Value>,
    #[serde(default)]
    history_refs: Option<Value>,
}

/// Tells a key with `null` from a missing key.
fn present<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Option<Amounts>>, D::Error> {
    Option::<Amounts>::deserialize(from).map(Some)
}

/// Amounts by trimmed unit id. Where two keys fall together the last one stands, as in any JSON
/// reader.
#[derive(Default)]
struct Amounts(BTreeMap<UnitId, Amount>);

impl<'de> Deserialize<'de> for Amounts {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Entries;
        impl<'de> Visitor<'de> for Entries {
            type Value = Amounts;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of unit ids and amounts")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Amounts, M::Error> {
                let mut amounts = BTreeMap::new();
                while let Some((id, value)) = map.next_entry::<String, Value>()? {
                    amounts.insert(UnitId(id.trim().to_owned()), amount(value));
                }
                Ok(Amounts(amounts))
            }

            fn visit_seq<S: serde::de::SeqAccess<'de>>(
                self,
                mut seq: S,
            ) -> Result<Amounts, S::Error> {
                // `[]` is how some programs write an empty object.
                match seq.next_element::<IgnoredAny>()? {
                    None => Ok(Amounts::default()),
                    Some(_) => Err(serde::de::Error::custom(
                        "a list of amounts has no unit ids",
                    )),
                }
            }
        }
        from.deserialize_any(Entries)
    }
}

fn amount(value: Value) -> Amount {
    match value {
        Value::Number(number) => number
            .as_f64()
            .map_or_else(|| Amount::Text(number.to_string()), Amount::from),
        Value::String(text) => Amount::Text(text),
        // Kept as a text: the plan is then refused with a message that quotes what stands there.
        other => Amount::Text(other.to_string()),
    }
}

fn words(value: Option<Value>) -> String {
    match value {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text,
        Some(other) => other.to_string(),
    }
}

/// Round numbers; what is none is left out.
fn rounds(value: Value) -> Vec<u32> {
    let list = match value {
        Value::Array(list) => list,
        single => vec![single],
    };
    list.iter()
        .filter_map(|item| match item {
            Value::Number(number) => number.as_u64().and_then(|n| u32::try_from(n).ok()),
            Value::String(text) => text.trim().parse().ok(),
            _ => None,
        })
        .collect()
}
