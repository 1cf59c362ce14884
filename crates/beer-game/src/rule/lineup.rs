//! The rules of the roles that are not under control.

use crate::role::{ByRole, Role};
use crate::rule::OrderingRule;
use schemars::JsonSchema;
use serde::de::value::StrDeserializer;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

/// One ordering rule for each role. The rules of controlled roles are not used.
///
/// In JSON either one rule for all (`"typical"`, `{"rule": "typical", "alpha": 0.5}`) or an
/// object with a rule for each role (`{"retailer": .., "wholesaler": .., "distributor": ..,
/// "brewery": ..}`).
///
/// ```
/// use beer_game::role::{ByRole, Role};
/// use beer_game::rule::{Lineup, OrderingRule};
///
/// let mut lineup = Lineup::all(OrderingRule::TYPICAL);
/// assert_eq!(lineup.to_string(), "typical");
/// lineup.rules[Role::Brewery] = OrderingRule::constant(100.0);
/// assert_eq!(lineup.shared(), None);
/// assert_eq!(lineup.rule(Role::Retailer), OrderingRule::TYPICAL);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lineup {
    /// The rules, downstream first.
    pub rules: ByRole<OrderingRule>,
}

impl Lineup {
    /// The same rule for every role.
    #[must_use]
    pub const fn all(rule: OrderingRule) -> Self {
        Self {
            rules: ByRole::all(rule),
        }
    }

    /// The rule of one role.
    #[must_use]
    pub fn rule(&self, role: Role) -> OrderingRule {
        self.rules[role]
    }

    /// The rule that all roles share, if they do.
    ///
    /// Two rules are the same if formula and parameters are.
    #[must_use]
    pub fn shared(&self) -> Option<OrderingRule> {
        self.rules.shared().copied()
    }
}

/// The shared rule, or the rules by role.
impl fmt::Display for Lineup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(rule) = self.shared() {
            return rule.fmt(f);
        }
        for (i, (role, rule)) in self.rules.iter().enumerate() {
            write!(f, "{}{role} {rule}", if i == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
}

/// The object form, as it is read.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Rules {
    retailer: OrderingRule,
    wholesaler: OrderingRule,
    distributor: OrderingRule,
    #[serde(alias = "factory")]
    brewery: OrderingRule,
}

/// A lineup as it may be written; for the JSON Schema only.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[expect(
    dead_code,
    reason = "never built: it only describes what the deserializer takes"
)]
enum LineupText {
    /// One rule for all roles.
    All(OrderingRule),
    /// A rule for each role.
    ByRole(Rules),
}

impl JsonSchema for Lineup {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Lineup".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        LineupText::json_schema(generator)
    }
}

impl Serialize for Lineup {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // The short form where it fits: a file with one rule for all is written back as it was.
        if let Some(rule) = self.shared() {
            return rule.serialize(serializer);
        }
        serializer.collect_map(self.rules.iter())
    }
}

impl<'de> Deserialize<'de> for Lineup {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(LineupVisitor)
    }
}

struct LineupVisitor;

impl<'de> Visitor<'de> for LineupVisitor {
    type Value = Lineup;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an ordering rule for all roles, or an object with one for each role")
    }

    fn visit_str<E: serde::de::Error>(self, name: &str) -> Result<Lineup, E> {
        OrderingRule::deserialize(StrDeserializer::new(name)).map(Lineup::all)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Lineup, A::Error> {
        // A rule has a key `rule`, a lineup has the roles: collect first, then decide.
        let mut fields = serde_json::Map::new();
        while let Some((key, value)) = map.next_entry::<String, serde_json::Value>()? {
            fields.insert(key, value);
        }
        let one_rule = fields.contains_key("rule");
        let whole = serde_json::Value::Object(fields);
        let custom = <A::Error as serde::de::Error>::custom::<serde_json::Error>;
        if one_rule {
            return OrderingRule::deserialize(whole)
                .map(Lineup::all)
                .map_err(custom);
        }
        let rules = Rules::deserialize(whole).map_err(custom)?;
        Ok(Lineup {
            rules: ByRole::from_fn(|role| match role {
                Role::Retailer => rules.retailer,
                Role::Wholesaler => rules.wholesaler,
                Role::Distributor => rules.distributor,
                Role::Brewery => rules.brewery,
            }),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_forms() {
        let all: Lineup = serde_json::from_str("\"typical\"").unwrap();
        assert_eq!(all, Lineup::all(OrderingRule::TYPICAL));
        let one: Lineup = serde_json::from_str(r#"{"rule": "constant", "units": 4}"#).unwrap();
        assert_eq!(one.to_string(), "constant:4");
        let text = r#"{"retailer": "typical", "wholesaler": "sterman",
                       "distributor": "order-up-to:28", "factory": "order-up-to:20"}"#;
        let mixed: Lineup = serde_json::from_str(text).unwrap();
        assert_eq!(mixed.rule(Role::Brewery), OrderingRule::order_up_to(20.0));
        let back: Lineup = serde_json::from_str(&serde_json::to_string(&mixed).unwrap()).unwrap();
        assert_eq!(back, mixed);
        assert_eq!(
            mixed.to_string(),
            "retailer typical, wholesaler sterman, distributor order-up-to:28, brewery order-up-to:20"
        );
        let error = serde_json::from_str::<Lineup>(r#"{"retailer": "typical"}"#).unwrap_err();
        assert!(error.to_string().contains("wholesaler"), "{error}");
        let error = serde_json::from_str::<Lineup>("\"clever\"").unwrap_err();
        assert!(
            error
                .to_string()
                .contains("`clever` is not an ordering rule"),
            "{error}"
        );
    }
}
