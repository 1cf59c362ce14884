//! Games and questions of the real model through the program, each with tool calls and with calls as JSON in the text,
//! and what it scored.

use crate::command::{cargo, output};
use anyhow::{Context, Result, ensure};
use serde_json::Value;
use std::path::Path;

/// Folder of the recordings, which the tests of `boardroom` replay; `runs.txt` lists the runs.
const GOLDEN: &str = "crates/boardroom/tests/golden/smollm2";

/// Name and options of the two forms of calls.
const FORMS: [(&str, &str); 2] = [("tools", ""), ("emulate", "--weaker emulate")];

/// Files of a run that are kept: its calls and its records.
const KEPT: [&str; 2] = ["calls.jsonl", "episodes.jsonl"];

/// Plays the runs of the list at temperature 0 and prints a line for each; with `record`, their calls and
/// records become the recordings.
///
/// # Errors
/// If the runner cannot be built, or a run fails.
pub(super) fn play(root: &Path, base: &str, record: bool) -> Result<()> {
    let golden = root.join(GOLDEN);
    let list = std::fs::read_to_string(golden.join("runs.txt")).context("the list of runs")?;
    for line in list.lines().filter(|line| !line.starts_with('#')) {
        let (name, words) = line
            .split_once(": ")
            .with_context(|| format!("`{line}` is not `NAME: WORDS`"))?;
        for (form, more) in FORMS {
            let name = format!("{name}-{form}");
            let out = root.join("target/live-llm").join(&name);
            if out.exists() {
                std::fs::remove_dir_all(&out).context("cannot remove an older run")?;
            }
            let words = format!("{words} {more} --agent openai:smollm2 --json");
            let mut run = cargo(root, ["run", "--quiet", "--package", "boardroom", "--"]);
            run.args(words.split_whitespace())
                .arg("--out")
                .arg(&out)
                .env("OPENAI_BASE_URL", base)
                .env("OPENAI_API_KEY", "none");
            let summary = serde_json::from_str(&output(&mut run)?).context("the summary")?;
            println!("{}", told(&name, &summary)?);
            if record {
                keep(&out, &golden.join(&name))?;
            }
        }
    }
    Ok(())
}

/// Copies the files of a run that are kept.
fn keep(run: &Path, golden: &Path) -> Result<()> {
    std::fs::create_dir_all(golden).context("no folder for the recording")?;
    for file in KEPT {
        let from = run.join(file);
        if from.exists() {
            std::fs::copy(&from, golden.join(file)).context("cannot keep the recording")?;
        }
    }
    Ok(())
}

/// One line about a run, from its summary.
fn told(name: &str, summary: &Value) -> Result<String> {
    let number = |pointer: &str| summary.pointer(pointer).and_then(Value::as_f64);
    let requests = number("/usage/requests")
        .with_context(|| format!("the summary of {name} has no number of requests"))?;
    ensure!(number("/failed") == Some(0.0), "{name}: an episode failed");
    let score = number("/score/mean").map_or("none".to_owned(), |mean| format!("{mean}"));
    let forfeited = number("/flags/forfeited").unwrap_or(0.0);
    Ok(format!(
        "{name}: score {score}, {forfeited} turns forfeited, {requests} requests"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_line_says_score_turns_and_requests() {
        let summary = json!({"failed": 0, "score": {"mean": 600.0}, "flags": {"forfeited": 3},
                             "usage": {"requests": 24}});
        let line = told("beer-game-tools", &summary).unwrap();
        assert_eq!(
            line,
            "beer-game-tools: score 600, 3 turns forfeited, 24 requests"
        );
        let failed = json!({"failed": 1, "usage": {"requests": 1}});
        assert!(told("beer-game-tools", &failed).is_err());
    }
}
