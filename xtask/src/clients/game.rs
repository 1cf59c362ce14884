//! The games that the clients play, and their expected results.

use super::boardroom::{self, Record};
use crate::built::Boardroom;
use anyhow::{Context, Result, bail, ensure};
use serde::Serialize;
use serde_json::{Value, json};
use std::path::Path;

/// An environment, and how it is played.
pub(super) struct Subject {
    pub(super) environment: &'static str,
    /// The policy whose decisions the clients repeat.
    policy: &'static str,
    /// Number of games: among those of the office, at least one writes something.
    games: usize,
}

/// A long game, one whose decisions are text, and one with many tools.
pub(super) const SUBJECTS: [Subject; 3] = [
    Subject {
        environment: "beer-game",
        policy: "order-up-to",
        games: 1,
    },
    Subject {
        environment: "procurement",
        policy: "greedy",
        games: 1,
    },
    Subject {
        environment: "office",
        policy: "oracle",
        games: 5,
    },
];

/// A tool call, in the form that scripts have.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Call {
    pub(super) tool: String,
    arguments: Value,
}

impl Call {
    fn new(tool: &str, arguments: Value) -> Self {
        let tool = tool.to_owned();
        Self { tool, arguments }
    }
}

/// One game.
pub(super) struct Game {
    pub(super) calls: Vec<Call>,
    /// Numbers of the calls that the environment must refuse.
    pub(super) refused: Vec<usize>,
    pub(super) record: Record,
}

/// The games of a subject: the policy plays them, then its calls are run as scripts.
pub(super) fn expected(
    boardroom: &Boardroom,
    subject: &Subject,
    folder: &Path,
) -> Result<Vec<Game>> {
    let Subject {
        environment,
        policy,
        games: count,
    } = *subject;
    let by_policy = folder.join("policy");
    boardroom.run(environment, count, policy, None, &by_policy)?;
    let mut games = Vec::new();
    for (number, line) in boardroom::lines(&by_policy)?.iter().enumerate() {
        let mut calls = prelude(environment)?;
        let refused = vec![calls.len() - 1];
        for entry in &line.entries {
            let action = entry.input.get("act");
            calls.push(said(environment, action.unwrap_or(&Value::Null))?);
        }
        let script = folder.join(format!("{number}.jsonl"));
        std::fs::write(&script, lines(&calls)?)
            .with_context(|| format!("cannot write {}", script.display()))?;
        let (agent, out) = (
            format!("script:{}", boardroom::text(&script)?),
            folder.join(number.to_string()),
        );
        boardroom.run(environment, count, &agent, Some(number), &out)?;
        let mut records = boardroom::records(&out)?;
        let record = records.pop().filter(|_| records.is_empty());
        let record = record
            .with_context(|| format!("{} does not hold exactly one record", out.display()))?;
        ensure!(
            record.score == line.record().score && record.ending == line.record().ending,
            "{environment}, game {number}: as calls {record:?}, as actions {:?}",
            line.record()
        );
        games.push(Game {
            calls,
            refused,
            record,
        });
    }
    ensure!(games.len() == count, "{environment}: {} games", games.len());
    Ok(games)
}

/// Writes the calls of the games, one game per line.
pub(super) fn write(games: &[Game], file: &Path) -> Result<()> {
    let mut text = String::new();
    for game in games {
        text.push_str(&serde_json::to_string(&game.calls)?);
        text.push('\n');
    }
    std::fs::write(file, text).with_context(|| format!("cannot write {}", file.display()))
}

fn lines(calls: &[Call]) -> Result<String> {
    let mut text = String::new();
    for call in calls {
        text.push_str(&serde_json::to_string(call)?);
        text.push('\n');
    }
    Ok(text)
}

/// The calls before the decisions: some queries, and a decision that is refused.
fn prelude(environment: &str) -> Result<Vec<Call>> {
    Ok(match environment {
        "beer-game" => vec![
            Call::new("get_stock", json!({})),
            Call::new("get_history", json!({"weeks": 3})),
            Call::new("place_order", json!({"quantity": -1})),
        ],
        "procurement" => vec![
            Call::new("get_equipment_information", json!({})),
            Call::new("get_budget", json!({})),
            Call::new(
                "write_notes",
                json!({"notes": "prices in \u{20ac}, \u{65e5}\u{672c}\n"}),
            ),
            Call::new(
                "submit_purchase_plan",
                json!({"purchase_plan": "two of everything"}),
            ),
        ],
        "office" => vec![
            Call::new("whoami", json!({})),
            Call::new("answer", json!({"facts": {}})),
        ],
        other => bail!("there is no recipe for playing `{other}`"),
    })
}

/// The tool call for a typed action.
fn said(environment: &str, action: &Value) -> Result<Call> {
    let wrong = || format!("`{action}` is not an action of {environment}");
    Ok(match environment {
        "beer-game" => Call::new("place_order", action.clone()),
        "procurement" => Call::new(
            "submit_purchase_plan",
            json!({"purchase_plan": action.to_string()}),
        ),
        _ => {
            let (kind, with) = action
                .as_object()
                .and_then(|map| map.iter().next())
                .with_context(wrong)?;
            match (kind.as_str(), with.get("tool"), with.get("arguments")) {
                ("call", Some(Value::String(tool)), Some(arguments)) => {
                    Call::new(tool, arguments.clone())
                }
                ("answer" | "refuse", ..) => Call::new(kind, with.clone()),
                _ => bail!(wrong()),
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn actions_become_calls() {
        for (environment, action, tool, arguments) in [
            (
                "beer-game",
                json!({"quantity": 4}),
                "place_order",
                json!({"quantity": 4}),
            ),
            (
                "procurement",
                json!({"Offer_1": 2}),
                "submit_purchase_plan",
                json!({"purchase_plan": "{\"Offer_1\":2}"}),
            ),
            (
                "office",
                json!({"call": {"tool": "clients_read", "arguments": {"limit": 1}}}),
                "clients_read",
                json!({"limit": 1}),
            ),
            (
                "office",
                json!({"refuse": {"class": "missing"}}),
                "refuse",
                json!({"class": "missing"}),
            ),
        ] {
            assert_eq!(
                said(environment, &action).unwrap(),
                Call::new(tool, arguments)
            );
        }
        assert!(said("office", &json!({"think": {}})).is_err());
        assert!(prelude("pricing").is_err());
    }
}
