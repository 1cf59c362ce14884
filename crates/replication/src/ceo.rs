//! Capital reallocation: worked examples, policies, optima.

use crate::play::{mean, on_all_cores};
use crate::row::{Row, Section, Source};
use anyhow::{Context, Result};
use ceo_reallocation::config::ScoringConfig;
use ceo_reallocation::optimum::best_plan;
use ceo_reallocation::plan::ReallocationPlan;
use ceo_reallocation::scenario::authored;
use ceo_reallocation::score::Scorer;
use serde::Deserialize;
use sim_core::{Effort, Status};
use std::collections::BTreeMap;

const COMMAND: &str = "cargo xtask replicate ceo";

#[derive(Deserialize)]
struct Plans {
    scenarios: BTreeMap<String, BTreeMap<String, ReallocationPlan>>,
    worked_examples: Vec<Example>,
}

#[derive(Deserialize)]
struct Example {
    scenario: String,
    name: String,
    plan: ReallocationPlan,
    score: f64,
}

#[derive(Deserialize)]
struct Cells {
    scenarios: BTreeMap<String, BTreeMap<String, Cell>>,
}

#[derive(Deserialize)]
struct Cell {
    score: f64,
}

#[derive(Deserialize)]
struct Optima {
    scenarios: BTreeMap<String, Optimum>,
}

#[derive(Deserialize)]
struct Optimum {
    best_found: f64,
    upper_bound: f64,
    proven_optimum: bool,
}

fn scorer(id: &str) -> Result<Scorer> {
    let scenario = authored()
        .scenario(id)
        .with_context(|| format!("there is no scenario {id}"))?;
    Ok(Scorer::new(scenario, &ScoringConfig::default())?)
}

pub(crate) fn section() -> Result<Section> {
    let text = include_str!("../../ceo-reallocation/tests/golden/policy_plans.json");
    let plans: Plans = serde_json::from_str(text).context("plans")?;
    let mut rows = examples(&plans)?;
    rows.extend(policies(&plans)?);
    rows.extend(optima()?);
    Ok(Section {
        key: "ceo",
        title: "Capital reallocation",
        about: "The reallocation paper's scoring (appendix C) on 13 scenarios written for this \
                project on the model of its appendix B. **These are not figures of the paper**: ours are compared \
                with those of a prototype of the same scorer, written separately for this project. \
                The paper's figures of models cannot be reproduced (see \"What cannot be reproduced, \
                and why\").",
        rows,
        notes: Vec::new(),
    })
}

fn examples(plans: &Plans) -> Result<Vec<Row>> {
    let source = Source::own("worked example", COMMAND);
    let mut rows = Vec::new();
    for example in &plans.worked_examples {
        let ours = scorer(&example.scenario)?.score(&example.plan).marks.score;
        let name = example.name.split(" (3.6").next().unwrap_or_default();
        let what = format!("{}, {name}", example.scenario);
        rows.push(source.within(what, example.score, 1e-4, 4, ours));
    }
    Ok(rows)
}

fn policies(plans: &Plans) -> Result<Vec<Row>> {
    let text = include_str!("../../ceo-reallocation/tests/golden/policies.json");
    let cells: Cells = serde_json::from_str(text).context("policies")?;
    let source = Source::own("13 scenarios", COMMAND);
    let mut known: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    let mut ours: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    let (mut agreeing, mut all) = (0, 0);
    for (id, by_policy) in &cells.scenarios {
        let scorer = scorer(id)?;
        for (policy, cell) in by_policy {
            let plan = plans
                .scenarios
                .get(id)
                .and_then(|plans| plans.get(policy))
                .with_context(|| format!("no plan of {policy} in {id}"))?;
            let score = scorer.score(plan).marks.score;
            agreeing += usize::from((score - cell.score).abs() <= 1e-4);
            all += 1;
            known.entry(policy).or_default().push(cell.score);
            ours.entry(policy).or_default().push(score);
        }
    }
    let what = "score of 7 policies in each scenario";
    let mut rows = vec![source.count(what, agreeing, all, "1e-4")];
    for (policy, scores) in &known {
        let mine = ours.get(policy).map_or(f64::NAN, |scores| mean(scores));
        let what = format!("`{}`: mean score", policy.replace('_', "-"));
        rows.push(source.within(what, mean(scores), 1e-4, 2, mine));
    }
    Ok(rows)
}

fn optima() -> Result<Vec<Row>> {
    let text = include_str!("../../ceo-reallocation/tests/golden/ceo_optima.json");
    let optima: Optima = serde_json::from_str(text).context("optima")?;
    let source = Source::own("reference optima", COMMAND);
    let listed: Vec<(&String, &Optimum)> = optima.scenarios.iter().collect();
    let found = on_all_cores(&listed, |(id, _)| {
        let scenario = authored()
            .scenario(id)
            .with_context(|| format!("there is no scenario {id}"))?;
        Ok(best_plan(scenario, &scorer(id)?, Effort::Quick))
    })?;
    let mut rows = Vec::new();
    for ((id, optimum), best) in listed.iter().zip(found) {
        let known = if optimum.proven_optimum {
            "proven".to_owned()
        } else {
            format!("bound {:.4}", optimum.upper_bound)
        };
        let status = if best.status == Status::Proven {
            "proven".to_owned()
        } else {
            format!("bound {:.4}", best.bound)
        };
        // A score above the stored plan's is fine too, one above its bound is not.
        let holds =
            best.score >= optimum.best_found - 1e-3 && best.score <= optimum.upper_bound + 1e-3;
        rows.push(source.stated(
            format!("{id}: best possible score"),
            format!("{:.4}, {known}", optimum.best_found),
            format!("{:.4}, {status}", best.score),
            "± 0.001",
            holds,
        ));
    }
    Ok(rows)
}
