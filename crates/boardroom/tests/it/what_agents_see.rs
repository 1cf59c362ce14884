//! What an agent may see of the score, in every environment: the code against the table in
//! `docs/what-agents-see.md`.

use agent_client::play::retell::retell_metrics;
use boardroom::Registry;
use serde_json::{Value, json};
use sim_core::Seed;
use sim_core::testkit::{play, play_with};
use std::collections::BTreeSet;
use std::path::Path;

/// A row: the environment, whether one seat plays or `several`, the seat where the row is about one, the metrics
/// that it sees, those that are hidden.
struct Row {
    environment: String,
    several: bool,
    seat: Option<String>,
    seen: Vec<String>,
    hidden: Vec<String>,
}

fn rows() -> Vec<Row> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/what-agents-see.md");
    let text = std::fs::read_to_string(page).unwrap();
    let names = |cell: &str| -> Vec<String> {
        let parts = cell.split('`').skip(1).step_by(2);
        parts.map(str::to_owned).collect()
    };
    let row = |line: &str| {
        let cells: Vec<&str> = line.trim_matches('|').split('|').collect();
        let &[environment, seats, seen, hidden] = &cells[..] else {
            return None;
        };
        Some(Row {
            environment: names(environment).concat(),
            several: seats.trim_start().starts_with("several"),
            seat: names(seats).first().cloned(),
            seen: names(seen),
            hidden: names(hidden),
        })
    };
    let (table, _) = text.split_once("## Rules").unwrap();
    table
        .lines()
        .filter(|line| line.starts_with("| `"))
        .filter_map(row)
        .collect()
}

fn fits(pattern: &str, seat: &str, metric: &str) -> bool {
    let pattern = pattern.replace("<seat>", seat);
    match pattern.split_once('*') {
        Some((start, end)) => metric.starts_with(start) && metric.ends_with(end),
        None => pattern == metric,
    }
}

/// Every metric of every preset stands in the row of every seat, on the side on which the code has it, and the
/// page names no other.
#[test]
fn the_page_says_what_every_seat_sees() {
    let registry = Registry::new();
    let rows = rows();
    let written: BTreeSet<&str> = rows.iter().map(|row| row.environment.as_str()).collect();
    let kinds: Vec<_> = registry.kinds().collect();
    let known: BTreeSet<&str> = kinds.iter().map(|kind| kind.name()).collect();
    assert_eq!(written, known);
    for kind in kinds {
        let mut measured = BTreeSet::new();
        // Metrics that no preset has.
        let more = match kind.name() {
            "ceo" => vec![
                json!({"visibility": "deliberation"}),
                json!({"rounds": 3, "older_rubric": true}),
            ],
            _ => Vec::new(),
        };
        let presets = kind.preset_list();
        let first = presets[0].name;
        let plain = presets.iter().map(|preset| (preset.name, json!({})));
        for (preset, settings) in plain.chain(more.into_iter().map(|more| (first, more))) {
            let settings: Vec<(String, Value)> =
                settings.as_object().unwrap().clone().into_iter().collect();
            let config = kind.configure(Some(preset), &settings).unwrap();
            // Some figures are of some tasks alone, such as those that must be refused.
            for episode in 0..if kind.name() == "office" { 40 } else { 1 } {
                let case = kind.draw(&config, Seed(3), episode).unwrap();
                let policy = kind.policy_list()[0].name;
                // Who is not under test is played as usual.
                let record = play_with(kind, &*case, policy, |seat| {
                    let mut usual = kind.default_cast().iter();
                    let usual = usual.find(|(name, _)| *name == seat.name());
                    let policy = usual.map_or(policy, |(_, agent)| agent);
                    case.policy(policy, seat, Seed(0))
                        .map_err(|e| e.to_string())
                });
                let record = record.unwrap();
                let env = case.open().unwrap();
                let seats = env.seats();
                for seat in &seats {
                    let of = |row: &&Row| {
                        row.environment == kind.name() && row.several == (seats.len() > 1)
                    };
                    let own = |row: &&Row| row.seat.as_deref() == Some(seat.name());
                    let row = rows.iter().filter(of).find(own);
                    let row = row.or_else(|| rows.iter().filter(of).find(|row| row.seat.is_none()));
                    let row =
                        row.unwrap_or_else(|| panic!("{} has no row for {seat}", kind.name()));
                    for metric in record.score.metrics().keys() {
                        let in_column = |column: &[String]| {
                            column.iter().any(|name| fits(name, seat.name(), metric))
                        };
                        let place = format!("{} {} {seat} {metric}", kind.name(), preset);
                        let sees = env.sees_metric(seat, metric);
                        assert_eq!(in_column(&row.seen), sees, "{place}");
                        assert!(sees || in_column(&row.hidden), "{place}");
                        measured.insert((seat.name().to_owned(), metric.to_string()));
                    }
                }
            }
        }
        for row in rows.iter().filter(|row| row.environment == kind.name()) {
            for name in row.seen.iter().chain(&row.hidden) {
                let found = measured
                    .iter()
                    .any(|(seat, metric)| fits(name, seat, metric));
                assert!(found, "{} does not measure `{name}`", kind.name());
            }
        }
    }
}

/// The retailer's memory holds its own figures and nothing of the other three roles.
#[test]
fn a_retailers_memory_holds_nothing_of_the_other_roles() {
    let registry = Registry::new();
    let spec = registry.kind("beer-game").unwrap();
    let config = spec.configure(Some("paper"), &[]).unwrap();
    let case = spec.draw(&config, Seed(3), 0).unwrap();
    let record = play(spec, &*case, "sterman").unwrap();
    let told = retell_metrics(&*case.open().unwrap(), &record.score);
    for own in ["cost_retailer: ", "own_cost: ", "service: "] {
        assert!(told.contains(own), "{own} in {told}");
    }
    for hidden in ["chain_cost", "brewery", "distributor", "wholesaler"] {
        assert!(!told.contains(hidden), "{hidden} in {told}");
    }
}
