//! The acceptance of `boardroom classroom`: a lesson in several browsers.

use crate::built::Boardroom;
use crate::command::{output, program};
use anyhow::{Context, Result, bail};
use serde::Deserialize;
use serde_json::Value;
use std::path::Path;

/// The chain cost of order-up-to levels 32, 32, 32 and 24, and of the reference.
const COSTS: (f64, f64) = (204.0, 158.0);

/// Pages that axe checks: the lobby and the game of a player and of the teacher, and both ends.
const AXE_PAGES: u32 = 6;

/// Most clicks from a link to the first order.
const MOST_CLICKS: u32 = 3;

/// What the script saw.
#[derive(Debug, Deserialize)]
struct Seen {
    console: Vec<String>,
    requests: Vec<String>,
    faults: Vec<String>,
    figures: Figures,
}

#[derive(Debug, Deserialize)]
struct Figures {
    /// Pages that axe checked; their faults are among `faults`.
    axe: u32,
    compressed_bytes: u64,
    clicks_to_first_order: u32,
    chain_cost: f64,
    optimum: f64,
}

impl Seen {
    fn all_faults(&self) -> Vec<String> {
        let mut faults = self.faults.clone();
        faults.extend(self.console.iter().map(|line| format!("console: {line}")));
        let asked = self.requests.iter();
        faults.extend(asked.map(|url| format!("a request for {url}")));
        let clicks = self.figures.clicks_to_first_order;
        if clicks > MOST_CLICKS {
            faults.push(format!("{clicks} clicks to the first order"));
        }
        let axe = self.figures.axe;
        if axe != AXE_PAGES {
            faults.push(format!("axe checked {axe} pages, not {AXE_PAGES}"));
        }
        let costs = (self.figures.chain_cost, self.figures.optimum);
        if costs != COSTS {
            faults.push(format!("the debrief shows {costs:?}, not {COSTS:?}"));
        }
        faults
    }
}

/// Plays the lesson with `chromium` and the scripts in `scripts`; pictures go to `out`.
///
/// # Errors
/// If the pages fail a check, or the records do not verify.
pub(super) fn look(
    boardroom: &Boardroom,
    chromium: &Path,
    scripts: &Path,
    work: &Path,
    out: &Path,
) -> Result<()> {
    let folder = work.join("classroom");
    let mut node = program(scripts, "node");
    let out = std::path::absolute(out).context("the folder for pictures")?;
    node.arg("classroom.mjs").arg(chromium);
    node.arg(work.join("profile-classroom"))
        .arg(out)
        .arg(&folder);
    node.arg(boardroom.program());
    node.args(["classroom", "beer-game", "--preset", "classic"]);
    node.args(["--teams", "3", "--bot", "order-up-to"]);
    let printed = output(&mut node)?;
    let seen: Seen = serde_json::from_str(&printed)
        .with_context(|| format!("classroom.mjs printed something else: {printed}"))?;
    let mut faults = seen.all_faults();
    output(boardroom.call(&["verify"]).arg(&folder)).context("the lesson does not verify")?;
    let records = std::fs::read_to_string(folder.join("episodes.jsonl"))?;
    let records = records.lines().map(serde_json::from_str);
    let records = records.collect::<Result<Vec<Value>, _>>()?;
    let costs: Vec<&Value> = records
        .iter()
        .filter(|record| record.pointer("/header/trial") == Some(&Value::from(0)))
        .filter_map(|record| record.pointer("/score/metrics/chain_cost"))
        .collect();
    if records.len() != 3 || costs != [&Value::from(COSTS.0)] {
        faults.push(format!(
            "{} records, and team 1 at {costs:?}, not 3 and {}",
            records.len(),
            COSTS.0
        ));
    }
    if !faults.is_empty() {
        bail!(
            "the classroom is not what it should be:\n  {}",
            faults.join("\n  ")
        );
    }
    println!(
        "classroom: chain cost {} in four browsers, {} clicks to the first order, {} bytes compressed; a reload, a \
         lost connection and a killed server lost nothing; 3 records verified; axe: no serious fault in {AXE_PAGES} pages",
        seen.figures.chain_cost, seen.figures.clicks_to_first_order, seen.figures.compressed_bytes
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_costs_and_many_clicks_are_faults() {
        let mut seen = Seen {
            console: Vec::new(),
            requests: Vec::new(),
            faults: Vec::new(),
            figures: Figures {
                axe: AXE_PAGES,
                compressed_bytes: 1,
                clicks_to_first_order: 3,
                chain_cost: 204.0,
                optimum: 158.0,
            },
        };
        assert!(seen.all_faults().is_empty());
        seen.figures.clicks_to_first_order = 4;
        seen.figures.axe = 0;
        seen.figures.chain_cost = 205.0;
        seen.requests.push("http://elsewhere.example/".to_owned());
        assert_eq!(seen.all_faults().len(), 4);
    }
}
