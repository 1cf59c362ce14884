//! The acceptance of `boardroom view`: 40 runs of 10,000 episodes in Chromium.

use super::serving::Serving;
use crate::built::Boardroom;
use crate::command::{output, program, run};
use anyhow::{Context, Result, bail};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;

/// Runs, and episodes of each: 10,000 together, of 100 periods.
const RUNS: usize = 40;
const EPISODES: usize = 250;

/// Longest times in which a page may load \[ms\]; of the list and an episode, the fastest of three loads counts.
const MOST_MS: [(&str, f64); 3] = [("list", 1_000.0), ("episode", 300.0), ("hostile", 5_000.0)];

/// Pages that axe checks.
const AXE_PAGES: usize = 11;

/// The policy whose runs are verified: the viewer reads them whole to say so.
const VERIFIED: &str = "cost-plus";

/// Policies of the runs, in turn. The last one has a mean score that another episode changes.
const POLICIES: [&str; 4] = ["random", "cost-plus", "optimal", "hold-first-price"];

/// What the script saw.
#[derive(Debug, Deserialize)]
struct Seen {
    console: Vec<String>,
    requests: Vec<String>,
    faults: Vec<String>,
    ms: BTreeMap<String, f64>,
    /// Pages that axe checked; their faults are among `faults`.
    axe: usize,
    runs: usize,
    /// Rows of the list that say `verified`.
    verified: usize,
    turns: usize,
    plots: usize,
}

impl Seen {
    fn all_faults(&self) -> Vec<String> {
        let mut faults = self.faults.clone();
        faults.extend(self.console.iter().map(|line| format!("console: {line}")));
        faults.extend(
            self.requests
                .iter()
                .map(|url| format!("a request for {url}")),
        );
        for (page, most) in MOST_MS {
            match self.ms.get(page) {
                Some(ms) if *ms <= most => {}
                Some(ms) => faults.push(format!("{page} took {ms:.0} ms, more than {most}")),
                None => faults.push(format!("{page} was not opened")),
            }
        }
        if self.axe < AXE_PAGES {
            faults.push(format!("axe checked {} pages, not {AXE_PAGES}", self.axe));
        }
        if self.runs != RUNS {
            faults.push(format!("the list has {} runs, not {RUNS}", self.runs));
        }
        let verified = RUNS / POLICIES.len();
        if self.verified != verified {
            faults.push(format!(
                "{} runs are called verified, not {verified}",
                self.verified
            ));
        }
        if self.turns < 100 || self.plots < 2 {
            let (turns, plots) = (self.turns, self.plots);
            faults.push(format!("the episode has {turns} turns and {plots} plots"));
        }
        faults
    }
}

/// Opens the pages with `chromium` and the scripts in `scripts`; pictures go to `out`.
///
/// # Errors
/// If a run fails, or the pages fail a check.
pub(super) fn look(
    boardroom: &Boardroom,
    chromium: &Path,
    scripts: &Path,
    work: &Path,
    out: &Path,
) -> Result<()> {
    let runs = work.join("runs");
    for number in 0..RUNS {
        let agent = POLICIES.into_iter().cycle().nth(number).unwrap_or("random");
        let dir = runs.join(format!("pricing-{number:02}-{agent}"));
        // All policies meet the same instances, so that their runs can be compared.
        let seed = (number / POLICIES.len()).to_string();
        let count = EPISODES.to_string();
        let mut call = boardroom.call(&["run", "pricing", "--agent", agent, "--json"]);
        output(
            call.args(["--seed", &seed, "--episodes", &count, "--out"])
                .arg(&dir),
        )?;
        if agent == VERIFIED {
            output(boardroom.call(&["verify"]).arg(&dir))?;
        }
    }
    let first = runs.join("pricing-00-random");
    hostile(&first)?;
    // The last run has one record less, which is added while its page is open, and then a call of a model.
    let policy = POLICIES.last().copied().unwrap_or_default();
    let last_name = format!("pricing-{:02}-{policy}", RUNS - 1);
    let last = runs.join(&last_name);
    by_a_model(&last)?;
    let call = work.join("call.jsonl");
    std::fs::write(&call, format!("{}\n", stored_call(0, "raise the price")))?;
    let records = last.join("episodes.jsonl");
    let text = std::fs::read_to_string(&records).context("the records of a run")?;
    let kept = text.trim_end().rfind('\n').map_or(0, |at| at + 1);
    let (kept, more) = text.split_at(kept);
    std::fs::write(&records, kept)?;
    let added = work.join("more.jsonl");
    std::fs::write(&added, more)?;
    // A few of them as files: all would be 10,000.
    let small = work.join("small");
    copy(&first, &small.join("pricing"))?;
    let pages = work.join("pages");
    run(boardroom
        .call(&["view"])
        .arg(&small)
        .arg("--export")
        .arg(&pages))?;
    let (_viewer, address) = Serving::viewer(boardroom.call(&["view"]).arg(&runs))?;
    let path = std::path::absolute(out).context("the folder for pictures")?;
    let mut node = program(scripts, "node");
    node.arg("view.mjs").arg(chromium).arg(&address);
    node.args([
        "record.pricing-01-cost-plus.0.html",
        "record.pricing-00-random.0.html",
        "compare.pricing-00-random.pricing-01-cost-plus.html",
    ]);
    node.arg(pages.join("index.html")).arg(last_name);
    node.arg(&added).arg(&records);
    node.arg(&call).arg(last.join("calls.jsonl"));
    let printed = output(node.arg(work.join("profile-view")).arg(path))?;
    let seen: Seen = serde_json::from_str(&printed)
        .with_context(|| format!("view.mjs printed something else: {printed}"))?;
    let faults = seen.all_faults();
    if !faults.is_empty() {
        bail!(
            "the pages are not what they should be:\n  {}",
            faults.join("\n  ")
        );
    }
    let ms = |page: &str| seen.ms.get(page).copied().unwrap_or_default();
    println!(
        "view: list of {RUNS} runs {:.0} ms, episode {:.0} ms, five million letters {:.0} ms; no console error, \
         no other request; axe: no serious fault in {} pages",
        ms("list"),
        ms("episode"),
        ms("hostile"),
        seen.axe
    );
    Ok(())
}

/// Says in the manifest of a run that a model played it: the calls of a run of a policy are not shown.
fn by_a_model(dir: &Path) -> Result<()> {
    let path = dir.join("manifest.json");
    let mut manifest: Value = serde_json::from_str(&std::fs::read_to_string(&path)?)?;
    let plan = manifest.get_mut("plan").and_then(Value::as_object_mut);
    let plan = plan.context("a manifest without a plan")?;
    plan.insert("agent".to_owned(), json!("openai:mock"));
    plan.insert(
        "model".to_owned(),
        json!({
            "dialect": {"kind": "openai", "model": "mock", "max_tokens_field": "max_tokens"},
            "method": {"name": "direct", "deliberator": {"single": {"temperature": null}}, "memory": "none"},
            "feedback": "none",
            "play": {"plan": "none", "style": "native", "json_after": 2, "overflow": "drop_oldest"},
        }),
    );
    std::fs::write(&path, manifest.to_string()).context("cannot write a manifest")
}

/// Adds calls of a model to a run whose words are markup, control characters and five million letters.
fn hostile(dir: &Path) -> Result<()> {
    by_a_model(dir)?;
    let words = [
        "<script>window.ran = true</script><img src=x onerror=\"window.ran = true\"></pre></main>"
            .to_owned(),
        "\u{1b}[2J\u{0}\u{7}\u{202e}reversed".to_owned(),
        "five million letters ".repeat(250_000),
    ];
    let mut text = String::new();
    for (turn, words) in words.iter().enumerate() {
        text.push_str(&format!("{}\n", stored_call(turn, words)));
    }
    std::fs::write(dir.join("calls.jsonl"), text).context("cannot write calls")
}

/// A recorded call in turn `turn` of episode 0, in which a model says `words`.
fn stored_call(turn: usize, words: &str) -> Value {
    json!({
        "schema": 1,
        "key": format!("{turn:064x}"),
        "slot": format!("episode/-0/turn{turn}/query1"),
        "role": "agent",
        "backend": "openai:mock",
        "request": {"model": "mock", "messages": [{"role": "user", "content": words}]},
        "status": 200,
        "answer": {"choices": [{"index": 0, "finish_reason": "stop",
            "message": {"role": "assistant", "content": words}}]},
        "usage": {"input": 100, "output": 10},
        "cost": 0.01,
    })
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    std::fs::create_dir_all(to)?;
    for name in ["manifest.json", "calls.jsonl"] {
        std::fs::copy(from.join(name), to.join(name))?;
    }
    let records = std::fs::read_to_string(from.join("episodes.jsonl"))?;
    let few: String = records
        .lines()
        .take(3)
        .map(|line| format!("{line}\n"))
        .collect();
    std::fs::write(to.join("episodes.jsonl"), few).context("cannot write records")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_runs_are_forty_with_ten_thousand_episodes() {
        assert_eq!(RUNS * EPISODES, 10_000);
    }

    #[test]
    fn slow_pages_and_foreign_requests_are_faults() {
        let mut seen = Seen {
            console: Vec::new(),
            requests: Vec::new(),
            faults: Vec::new(),
            axe: AXE_PAGES,
            ms: MOST_MS
                .into_iter()
                .map(|(page, ms)| (page.to_owned(), ms))
                .collect(),
            runs: RUNS,
            verified: RUNS / POLICIES.len(),
            turns: 100,
            plots: 3,
        };
        assert!(seen.all_faults().is_empty());
        seen.ms.insert("list".to_owned(), 1_001.0);
        seen.requests.push("http://elsewhere/".to_owned());
        seen.axe = 0;
        seen.verified = 0;
        assert_eq!(seen.all_faults().len(), 4);
    }
}
