//! Step by step against runs of the original engine.

use crate::golden::{agree, case, compare, load, template};
use edt::agent_model::AgentModel;
use edt::engine::{Chance, Engine};

fn deterministic(file: &str, cases: usize) {
    let Some(golden) = load(&format!("beer_edt/{file}")) else {
        return;
    };
    let firm = template(&golden["template"]);
    let mut compared = 0;
    for recorded in golden["cases"].as_array().unwrap() {
        let name = recorded["name"].as_str().unwrap();
        let (firm, decision) = case(&firm, recorded);
        let mut model = AgentModel::new(&firm, &decision, Chance::threshold(decision.risk_level));
        let figures = model.run();
        let numbers = compare(name, &recorded["steps"], &figures);
        assert!(numbers > 1_000, "{name}");
        let last = serde_json::to_value(figures.last().unwrap()).unwrap();
        for (key, value) in recorded["final"].as_object().unwrap() {
            agree(
                &format!("{name}: final {key}"),
                key,
                value.as_f64().unwrap(),
                last[key].as_f64().unwrap(),
            );
        }
        let ends = recorded["projects_end"].as_array().unwrap();
        assert_eq!(
            ends.len(),
            model.projects().len(),
            "{name}: projects at the end"
        );
        for (end, project) in ends.iter().zip(model.projects()) {
            let terms = project.terms();
            assert_eq!(end["name"], terms.name.as_str(), "{name}");
            assert_eq!(end["is_follow_on"], terms.is_follow_on, "{name}");
            assert_eq!(
                serde_json::to_value(project.state()).unwrap(),
                end["state"],
                "{name}: {}",
                terms.name
            );
            for (key, ours) in [
                ("start_time", terms.start_time),
                ("deadline", terms.deadline),
                ("remaining_effort", project.remaining_effort()),
                ("staff", f64::from(project.staff())),
                ("effort_risk", project.effort_risk()),
            ] {
                agree(
                    &format!("{name}: {} {key}", terms.name),
                    key,
                    end[key].as_f64().unwrap(),
                    ours,
                );
            }
        }
        let mut fast = Vec::new();
        let chance = Chance::threshold(decision.risk_level);
        let totals = Engine::new(&firm).run_with_series(&decision, &chance, &mut fast);
        compare(&format!("{name} (fast)"), &recorded["steps"], &fast);
        let earnings = recorded["final"]["accumulated_earnings"].as_f64().unwrap();
        assert_eq!(totals.accumulated_earnings, earnings, "{name}");
        compared += 1;
    }
    assert_eq!(compared, cases, "cases of {file}");
}

#[test]
fn seed_template() {
    deterministic("edt_seed_template.json", 34);
}

#[test]
fn without_risk() {
    deterministic("edt_deterministic_risk0.json", 28);
}

#[test]
fn threshold_risk() {
    deterministic("edt_threshold_risk.json", 22);
}

/// The final figures of all 84 runs, kept with the crate.
#[test]
fn finals() {
    let golden = load("beer_edt/edt_finals.json").unwrap();
    let mut compared = 0;
    for file in golden["files"].as_array().unwrap() {
        let firm = template(&file["template"]);
        for recorded in file["cases"].as_array().unwrap() {
            let name = recorded["name"].as_str().unwrap();
            let (firm, decision) = case(&firm, recorded);
            let chance = Chance::threshold(decision.risk_level);
            let mut fast = Vec::new();
            Engine::new(&firm).run_with_series(&decision, &chance, &mut fast);
            let plain = AgentModel::new(&firm, &decision, chance).run();
            for figures in [plain.last().unwrap(), fast.last().unwrap()] {
                let ours = serde_json::to_value(figures).unwrap();
                for (key, value) in recorded["final"].as_object().unwrap() {
                    let place = format!("{name}: final {key}");
                    agree(
                        &place,
                        key,
                        value.as_f64().unwrap(),
                        ours[key].as_f64().unwrap(),
                    );
                }
            }
            compared += 1;
        }
    }
    assert_eq!(compared, 84);
}

/// Two consultants, two projects, twelve steps, worked out by hand.
///
/// Time 1: project 1 opens after the consultants have acted. 2, 3, 4: both work on its 6 units.
/// 5: it is over, they lose the step. 6, 7: both work on the 4 units of project 2. 8: they lose
/// the step. Revenue 2 x 16,000 at 2, 3, 4 and 2 x 21,000 at 6, 7; expenses 36,000 a step, the last
/// of the 12 not counted.
#[test]
fn by_hand() {
    let mut firm = edt::firm::Firm::paper();
    firm.stop = 12;
    firm.projects.truncate(2);
    firm.projects[0].contracted_effort = 6.0;
    firm.projects[1].contracted_effort = 4.0;
    let window = |start| {
        Some(edt::action::Window {
            start,
            deadline: 11.0,
        })
    };
    let decision = edt::Action {
        consultants: 2,
        risk_level: 0.0,
        projects: vec![window(1.0), window(3.0)],
    };
    let mut series = Vec::new();
    let totals =
        Engine::new(&firm).run_with_series(&decision, &Chance::threshold(0.0), &mut series);
    let revenue: Vec<f64> = series.iter().map(|f| f.revenue / 1000.0).collect();
    assert_eq!(
        revenue,
        [
            0.0, 32.0, 32.0, 32.0, 0.0, 42.0, 42.0, 0.0, 0.0, 0.0, 0.0, 0.0
        ]
    );
    let busy: Vec<u32> = series.iter().map(|f| f.busy).collect();
    assert_eq!(busy, [0, 2, 2, 2, 0, 2, 2, 0, 0, 0, 0, 0]);
    assert_eq!(totals.accumulated_earnings, 180_000.0 - 11.0 * 36_000.0);
    assert_eq!(totals.mean_utilization, 5.0 / 12.0);
    // What is billed at 2 is in the bank at 4.
    assert_eq!(series[3].cash_flow, 32_000.0 - 36_000.0);
}

/// One full run of every preset and mode, to the last bit: a change here is a new `ABOUT.version`.
#[test]
fn value_stability() {
    use edt::engine::RiskMode;
    use edt::{Action, Config, Instance};
    let episode = sim_core::Episode {
        seed: sim_core::Seed(1),
        index: 0,
    };
    let mut digest = sim_core::Digest::of("edt 1").unwrap();
    for preset in Config::presets() {
        for risk_mode in [
            RiskMode::Threshold,
            RiskMode::BernoulliRepeat,
            RiskMode::BernoulliOnce,
        ] {
            let config = Config {
                risk_mode,
                ..preset.config.clone()
            };
            let instance = Instance::generate(&config, episode).unwrap();
            let decision = Action::template(&instance.firm);
            let chance = instance.chance(decision.risk_level);
            let mut series = Vec::new();
            Engine::new(&instance.firm).run_with_series(&decision, &chance, &mut series);
            digest = digest.chain(serde_json::to_string(&series).unwrap().as_bytes());
        }
    }
    assert_eq!(
        digest.to_string(),
        "235c07589072409014415aac976900b3b2e0776212b6739c7d3206443247fd75"
    );
}
