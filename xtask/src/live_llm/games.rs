//! Two games of the real model through the program, and the number of periods that it decided
//! itself.

use crate::command::{cargo, output};
use anyhow::{Context, Result};
use serde_json::Value;
use std::path::Path;

/// A game, the setting of its length, and the length (periods).
const GAMES: [(&str, &str, u64); 2] = [
    ("beer-game", "weeks", 20),
    ("procurement", "rules.periods", 10),
];

/// Plays both games at temperature 0 and prints a line for each.
///
/// # Errors
/// If the runner cannot be built, or a run fails.
pub(super) fn play(root: &Path, base: &str) -> Result<()> {
    for (environment, setting, periods) in GAMES {
        let set = format!("{setting}={periods}");
        let mut arguments = vec!["run", "--quiet", "--package", "boardroom", "--", "run"];
        arguments.extend([environment, "--agent", "openai:smollm2", "--set", &set]);
        arguments.extend(["--episodes", "1", "--limits", "8,4", "--max-tokens", "150"]);
        arguments.extend(["--temperature", "0", "--json"]);
        let mut run = cargo(root, arguments);
        run.env("OPENAI_BASE_URL", base)
            .env("OPENAI_API_KEY", "none");
        let summary = serde_json::from_str(&output(&mut run)?).context("the summary of the run")?;
        println!("{}", told(environment, periods, &summary)?);
    }
    Ok(())
}

/// One line about a run, from its summary.
fn told(environment: &str, periods: u64, summary: &Value) -> Result<String> {
    let number = |pointer: &str| {
        let found = summary.pointer(pointer).and_then(Value::as_u64);
        found.with_context(|| format!("the summary of {environment} has no number {pointer}"))
    };
    let forfeited = number("/flags/forfeited")?;
    let requests = number("/usage/requests")?;
    let decided = periods.saturating_sub(forfeited);
    Ok(format!(
        "{environment}: {decided} of {periods} periods decided by the model, {requests} requests"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn forfeited_periods_are_not_the_models() {
        let summary = json!({"flags": {"forfeited": 3}, "usage": {"requests": 24}});
        let line = told("procurement", 10, &summary).unwrap();
        assert_eq!(
            line,
            "procurement: 7 of 10 periods decided by the model, 24 requests"
        );
        assert!(told("procurement", 10, &json!({"usage": {"requests": 1}})).is_err());
    }
}
