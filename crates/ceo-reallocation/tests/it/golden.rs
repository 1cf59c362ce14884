//! Parity with the golden files (see `tests/golden/README.md`).

use ceo_reallocation::config::ScoringConfig;
use ceo_reallocation::plan::ReallocationPlan;
use ceo_reallocation::scenario::{StrategyLabel, authored};
use ceo_reallocation::score::{ScoreCard, Scorer};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use strum::VariantArray as _;

#[derive(Deserialize)]
struct Cell {
    score: f64,
    #[serde(rename = "R")]
    role: f64,
    #[serde(rename = "B")]
    boldness: f64,
    #[serde(rename = "H")]
    history: f64,
    #[serde(rename = "V")]
    validity: f64,
    r: f64,
    grade: String,
    labels: Vec<StrategyLabel>,
    capture: bool,
    profile: String,
}

#[derive(Deserialize)]
struct Policies {
    cooccurrence: Vec<Vec<u64>>,
    n: usize,
    scenarios: BTreeMap<String, BTreeMap<String, Cell>>,
}

#[derive(Deserialize)]
struct Example {
    scenario: String,
    name: String,
    plan: ReallocationPlan,
    score: f64,
    #[serde(rename = "R")]
    role: f64,
    #[serde(rename = "B")]
    boldness: f64,
    #[serde(rename = "H")]
    history: f64,
    #[serde(rename = "V")]
    validity: f64,
    labels: Vec<StrategyLabel>,
}

#[derive(Deserialize)]
pub(crate) struct Plans {
    pub(crate) scenarios: BTreeMap<String, BTreeMap<String, ReallocationPlan>>,
    worked_examples: Vec<Example>,
}

fn policies() -> Policies {
    serde_json::from_str(include_str!("../golden/policies.json")).unwrap()
}

pub(crate) fn plans() -> Plans {
    serde_json::from_str(include_str!("../golden/policy_plans.json")).unwrap()
}

pub(crate) fn scorer(id: &str) -> Scorer {
    Scorer::new(authored().scenario(id).unwrap(), &ScoringConfig::default()).unwrap()
}

#[track_caller]
fn near(what: &str, got: f64, want: f64) {
    assert!(
        (got - want).abs() <= 1e-4,
        "{what}: got {got}, golden {want}"
    );
}

#[test]
fn all_91_cells() {
    let (policies, plans) = (policies(), plans());
    let mut cards: Vec<ScoreCard> = Vec::new();
    for (id, cells) in &policies.scenarios {
        let scorer = scorer(id);
        for (policy, cell) in cells {
            let card = scorer.score(&plans.scenarios[id][policy]);
            let what = format!("{id} {policy}");
            near(&format!("{what} score"), card.marks.score, cell.score);
            near(&format!("{what} R"), card.marks.role, cell.role);
            near(&format!("{what} B"), card.marks.boldness, cell.boldness);
            near(&format!("{what} H"), card.marks.history, cell.history);
            near(&format!("{what} V"), card.marks.validity, cell.validity);
            near(&format!("{what} r"), card.marks.moved_pp, cell.r);
            assert_eq!(format!("{:?}", card.grade), cell.grade, "{what}");
            assert_eq!(card.labels, cell.labels, "{what}");
            assert_eq!(card.marks.captured_by.is_some(), cell.capture, "{what}");
            assert_eq!(
                card.profile.as_deref(),
                Some(cell.profile.as_str()),
                "{what}"
            );
            cards.push(card);
        }
    }
    assert_eq!(cards.len(), 91);
    assert_eq!(cards.len(), policies.n);
    // How many plans have both labels (paper, appendix F).
    let both = |a, b| cards.iter().filter(|c| c.has(a) && c.has(b)).count() as u64;
    let row = |&a| {
        StrategyLabel::VARIANTS
            .iter()
            .map(|&b| both(a, b))
            .collect()
    };
    let table: Vec<Vec<u64>> = StrategyLabel::VARIANTS.iter().map(row).collect();
    assert_eq!(table, policies.cooccurrence);
}

#[test]
fn worked_examples_of_the_design() {
    let examples = plans().worked_examples;
    for example in &examples {
        let card = scorer(&example.scenario).score(&example.plan);
        let what = format!("{} {}", example.scenario, example.name);
        near(&format!("{what} score"), card.marks.score, example.score);
        near(&format!("{what} R"), card.marks.role, example.role);
        near(&format!("{what} B"), card.marks.boldness, example.boldness);
        near(&format!("{what} H"), card.marks.history, example.history);
        near(&format!("{what} V"), card.marks.validity, example.validity);
        assert_eq!(card.labels, example.labels, "{what}");
    }
    assert_eq!(examples.len(), 13);
}

#[test]
fn every_authored_scenario_passes_its_checks() {
    for scenario in &authored().scenarios {
        scenario.check().unwrap();
        let text = serde_json::to_value(scenario).unwrap();
        let raw: Value =
            serde_json::from_str(include_str!("../../fixtures/scenarios.json")).unwrap();
        let original = raw["scenarios"]
            .as_array()
            .unwrap()
            .iter()
            .find(|s| s["id"] == scenario.id.as_str())
            .unwrap()
            .clone();
        let again: ceo_reallocation::scenario::Scenario = serde_json::from_value(text).unwrap();
        assert_eq!(&again, scenario);
        assert_eq!(original["company_id"], scenario.company_id.as_str());
    }
    assert_eq!(authored().scenarios.len(), 13);
}
