//! The agents that can be chosen, and their costs.

use serde_json::Value;
use sim_core::error::clip;
use sim_core::{ConfigError, METHODS};
use std::fmt;

/// An agent that a policy may name.
///
/// The number of requests settles ties between agents that are equally good.
#[derive(Debug, Clone, PartialEq)]
pub struct RoutedAgent {
    /// Its name, as tables show it.
    pub name: String,
    /// Expected number of model requests per sample; infinite if unknown.
    pub calls: f64,
}

/// The agents that a policy may name, in the order in which equal costs are settled.
///
/// Names are compared without surrounding blanks and without regard to case.
///
/// ```
/// use aoa_router::Agents;
/// let agents = Agents::methods();
/// assert_eq!(agents.find(" GEPA "), agents.find("gepa"));
/// assert_eq!(agents.find("oracle"), None);
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Agents(Vec<RoutedAgent>);

impl Agents {
    /// The agent methods, each with the typical number of requests per question.
    #[must_use]
    pub fn methods() -> Self {
        Self::new(METHODS.map(|method| (method.name.to_owned(), None)))
    }

    /// A list of agents, each with the number of requests per sample. Where it is unknown, the
    /// number of the method of that name is used, and infinity for all other names. A name that is
    /// already in the list is not added again.
    ///
    /// ```
    /// use aoa_router::Agents;
    /// let agents = Agents::new([("cot".to_owned(), None), ("my-agent".to_owned(), Some(2.5))]);
    /// let calls: Vec<f64> = agents.as_slice().iter().map(|agent| agent.calls).collect();
    /// assert_eq!(calls, [1.0, 2.5]);
    /// ```
    pub fn new(agents: impl IntoIterator<Item = (String, Option<f64>)>) -> Self {
        let mut known = Self::default();
        for (name, calls) in agents {
            if known.find(&name).is_some() {
                continue;
            }
            let key = folded(&name);
            let usual = || {
                let method = METHODS.iter().find(|method| method.name == key)?;
                Some(f64::from(method.cost))
            };
            // What was measured goes before what is typical of the method.
            let calls = calls.filter(|calls| *calls >= 0.0).or_else(usual);
            known.0.push(RoutedAgent {
                name: name.trim().to_owned(),
                calls: calls.unwrap_or(f64::INFINITY),
            });
        }
        known
    }

    /// Index of the agent called `name`.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<usize> {
        let key = folded(name);
        self.0.iter().position(|agent| is_named(&key, &agent.name))
    }

    /// A JSON Schema whose fields with the name of an agent list the agents that there are, so that a server that
    /// enforces it cannot let a model name another. Fields that may be empty list the empty text too.
    pub(crate) fn named_in(&self, mut schema: Value) -> Value {
        self.name_in(&mut schema);
        schema
    }

    fn name_in(&self, part: &mut Value) {
        // By the names of the fields: for the schema they are texts like any other.
        const NAMES: [(&str, bool); 5] = [
            ("choose", false),
            ("default_agent", false),
            ("agent_method", true),
            ("prefer_agent", true),
            ("avoid_agent", true),
        ];
        let fields = match part {
            Value::Array(members) => return members.iter_mut().for_each(|it| self.name_in(it)),
            Value::Object(fields) => fields,
            _ => return,
        };
        if let Some(Value::Object(properties)) = fields.get_mut("properties") {
            for (name, may_be_empty) in NAMES {
                if let Some(Value::Object(field)) = properties.get_mut(name) {
                    let agents = self.0.iter().map(|agent| agent.name.as_str());
                    let empty = may_be_empty.then_some("");
                    let choices: Vec<&str> = agents.chain(empty).collect();
                    field.insert("enum".to_owned(), choices.into());
                }
            }
        }
        fields.values_mut().for_each(|it| self.name_in(it));
    }

    /// As [`find`](Self::find); the error names the agents that there are.
    pub(crate) fn known(&self, name: &str) -> Result<usize, String> {
        let unknown = || format!("there is no agent `{}`; there are {self}", clip(name));
        self.find(name).ok_or_else(unknown)
    }

    /// As [`find`](Self::find); the error says where the name stands.
    pub(crate) fn known_at(&self, place: &str, name: &str) -> Result<usize, ConfigError> {
        let known = self.known(name);
        known.map_err(|text| ConfigError::new(place, text))
    }

    /// Name of agent number `at`; empty if there is no such agent.
    pub(crate) fn name(&self, at: usize) -> &str {
        self.0.get(at).map_or("", |agent| agent.name.as_str())
    }

    /// All of them.
    #[must_use]
    pub fn as_slice(&self) -> &[RoutedAgent] {
        &self.0
    }

    /// Number of requests of agent number `at`; infinite if there is no such agent.
    pub(crate) fn calls(&self, at: usize) -> f64 {
        self.0.get(at).map_or(f64::INFINITY, |agent| agent.calls)
    }

    /// The agent of `of` with the fewest requests; of equal ones the first in the list.
    pub(crate) fn simplest(&self, of: impl IntoIterator<Item = usize>) -> Option<usize> {
        of.into_iter()
            .min_by(|a, b| (self.calls(*a).total_cmp(&self.calls(*b))).then(a.cmp(b)))
    }
}

impl fmt::Display for Agents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.0.iter().map(|agent| agent.name.as_str()).collect();
        f.write_str(&names.join(", "))
    }
}

/// The form in which names are compared.
pub(crate) fn folded(name: &str) -> String {
    name.trim().to_lowercase()
}

/// Whether [`folded`] maps `name` to `key`.
pub(crate) fn is_named(key: &str, name: &str) -> bool {
    let name = name.trim();
    // Without the new string of `folded` for names in ASCII, which nearly all are: this is asked
    // for each sample and rule.
    name.eq_ignore_ascii_case(key) || (!name.is_ascii() && folded(name) == key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_compared_folded() {
        let agents = Agents::new([
            (" DC ".to_owned(), None),
            ("dc".to_owned(), Some(9.0)),
            ("mine".to_owned(), Some(-1.0)),
            ("Größe".to_owned(), Some(2.0)),
        ]);
        assert_eq!(agents.as_slice().len(), 3);
        assert_eq!(agents.to_string(), "DC, mine, Größe");
        assert_eq!(agents.calls(0), 2.0);
        assert_eq!(agents.calls(1), f64::INFINITY);
        assert_eq!(agents.find("GRÖSSE"), None);
        assert_eq!(agents.find("GRÖßE"), Some(2));
        assert!(is_named("größe", " GRÖßE ") && is_named("dc", "DC") && !is_named("dc", "dc2"));
    }

    #[test]
    fn the_simplest_has_the_fewest_requests() {
        let agents = Agents::methods();
        let at = |name: &str| agents.find(name).unwrap();
        let simplest = agents.simplest([at("amem"), at("dc"), at("reflexion")]);
        assert_eq!(simplest, Some(at("reflexion")));
        assert_eq!(agents.simplest([]), None);
    }
}
