//! The words that a rationale is searched for, as data.
//!
//! Words are a small part of the score on purpose (at most 12 points of role integration
//! and 5 of history), since a list of words is easy to satisfy. Another language needs
//! another list and no code.

use serde::{Deserialize, Serialize};

/// Word lists, all in lower case; a word counts where no letter or digit stands directly before or
/// after it. English by default; another language is another value of this type.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Lexicon {
    /// Ways to name the chief financial officer.
    pub cfo: Vec<String>,
    /// Ways to name the chief technology officer.
    pub cto: Vec<String>,
    /// Ways to name the chief operating officer.
    pub coo: Vec<String>,
    /// Ways to name the chief marketing officer.
    pub cmo: Vec<String>,
    /// Words that set one thing against another.
    pub tension: Vec<String>,
    /// Words that give a reason or an order of importance.
    pub priority: Vec<String>,
    /// Words that refer to earlier rounds.
    pub earlier: Vec<String>,
    /// Words before an id when a unit is named by it ("unit A").
    pub unit: String,
}

fn list(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.to_owned()).collect()
}

impl Default for Lexicon {
    fn default() -> Self {
        Self {
            cfo: list(&["cfo", "chief financial"]),
            cto: list(&["cto", "chief technology"]),
            coo: list(&["coo", "chief operating"]),
            cmo: list(&["cmo", "chief marketing"]),
            tension: list(&[
                "but",
                "however",
                "while",
                "whereas",
                "although",
                "despite",
                "versus",
                "trade-off",
                "tradeoff",
                "tension",
                "conflict",
            ]),
            priority: list(&[
                "because",
                "therefore",
                "prioritise",
                "prioritize",
                "outweigh",
                "outweighs",
                "given that",
                "takes precedence",
                "for this reason",
            ]),
            earlier: list(&[
                "previous",
                "prior",
                "earlier",
                "last round",
                "last two rounds",
                "past round",
                "already raised",
                "history",
            ]),
            unit: "unit".to_owned(),
        }
    }
}
