//! Files with faults: the place and what would be right.

use ceo_reallocation::{Instance, Spec};
use serde_json::{Value, json};
use sim_core::DynEnvironmentSpec;

fn instance(id: &str) -> Value {
    serde_json::to_value(Instance::authored(id).unwrap()).unwrap()
}

/// Sets the value at a JSON pointer and gives what loading it says.
fn refused(pointer: &str, value: Value) -> String {
    let mut file = instance("C3-R3");
    *file
        .pointer_mut(pointer)
        .unwrap_or_else(|| panic!("no {pointer}")) = value;
    Spec.load(&file)
        .err()
        .map_or_else(|| panic!("{pointer} is taken"), |e| e.to_string())
}

#[test]
fn faults_are_named_with_their_place() {
    let cases = [
        (
            "/scenario/units/0/share_pp",
            json!(40),
            "instance.scenario.units: the values of share_pp must sum to 100, they sum to 102",
        ),
        (
            "/scenario/units/0/floor_pp",
            json!(39),
            "instance.scenario.units[0].floor_pp: must not be above share_pp (38), got 39",
        ),
        (
            "/scenario/units/0/ceiling_pp",
            json!(30),
            "instance.scenario.units[0].ceiling_pp: must not be below share_pp (38), got 30",
        ),
        (
            "/scenario/units/1/id",
            json!("A"),
            "instance.scenario.units[1].id: unit `A` is listed twice",
        ),
        (
            "/scenario/units/1/growth_outlook",
            json!(1.5),
            "instance.scenario.units[1].growth_outlook: `1.5` is out of range, it must be 0 to 1",
        ),
        (
            "/scenario/constraints/locked_units",
            json!(["Z"]),
            "instance.scenario.constraints.locked_units: there is no unit `Z`; the units are A, B, C, D",
        ),
        (
            "/scenario/constraints/transfer_rules/0/unit",
            json!("Q"),
            "instance.scenario.constraints.transfer_rules[0].unit: there is no unit `Q`; the units are A, B, C, D",
        ),
        (
            "/scenario/advisors/CFO/salience",
            json!(0.4),
            "instance.scenario.advisors: the four values of salience must sum to 1, they sum to 1.1",
        ),
        (
            "/scenario/advisors/CTO/preference_pp",
            json!({"A": -8, "C": 6}),
            "instance.scenario.advisors.CTO.preference_pp: must sum to 0, sums to -2",
        ),
        (
            "/scenario/advisors/CTO/preference_pp",
            json!({"A": -30, "C": 30}),
            "instance.scenario.advisors.CTO.preference_pp: must be a valid plan: the plan moves 30.00 pp, the cap is 25.00",
        ),
        (
            "/scenario/advisors/CTO/flags/0/unit",
            json!("X"),
            "instance.scenario.advisors.CTO.flags[0]: there is no unit `X`; the units are A, B, C, D",
        ),
        (
            "/scenario/history/1/round",
            json!(3),
            "instance.scenario.history[1].round: rounds must run from 1 upwards, expected 2, got 3",
        ),
        (
            "/scenario/round",
            json!(2),
            "instance.scenario.history: round 2 needs the 1 earlier decisions, got 2",
        ),
        (
            "/scenario/evaluation/profiles/0/r_max_pp",
            json!(40),
            "instance.scenario.evaluation.profiles[0].r_max_pp: `40` is out of range, it must be 11 to 25",
        ),
        (
            "/scenario/evaluation/profiles/0/r_min_pp",
            json!(0),
            "instance.scenario.evaluation.profiles[0].r_min_pp: must be above 0, got 0",
        ),
        (
            "/scenario/evaluation/reference_plan/add_to",
            json!({"C": 6, "D": 4}),
            "instance.scenario.evaluation.reference_plan: must be a valid plan: removed 13.00 pp but added 10.00 pp",
        ),
        (
            "/scenario/evaluation/reference_plan",
            json!({"remove_from": {}, "add_to": {}}),
            "instance.scenario.evaluation.reference_plan: must score at least 85, scores 46.00",
        ),
        (
            "/scenario/company_state/cash_runway_months",
            json!(-1),
            "instance.scenario.company_state.cash_runway_months: `-1` is out of range, it must be 0 to 1200",
        ),
        (
            "/scenario/evaluation/profiles",
            json!([]),
            "instance.scenario.evaluation.profiles: must hold at least one acceptable strategy",
        ),
        (
            "/company/id",
            json!("C9"),
            "instance.company.id: must be the scenario's company `C3`, got `C9`",
        ),
        (
            "/config/rounds",
            json!(0),
            "instance.config.rounds: `0` is out of range, it must be 1 to 60",
        ),
        (
            "/config/scoring/validity/base",
            json!(90),
            "instance.config.scoring.validity: base + span must be at most 100, is 150",
        ),
        (
            "/config/scoring/role/hull_scale_pp",
            json!(0),
            "instance.config.scoring.role.hull_scale_pp: `0` is out of range, it must be 0.000000001 to 1000000",
        ),
    ];
    for (pointer, value, want) in &cases {
        assert_eq!(refused(pointer, value.clone()), *want);
    }
    assert!(cases.len() > 20);
}

#[test]
fn faults_of_form_are_named_with_their_place() {
    for (pointer, value, place, word) in [
        (
            "/scenario/units/0/share_pp",
            json!("NaN"),
            "instance.scenario.units[0].share_pp",
            "a number",
        ),
        (
            "/scenario/units/0/share_pp",
            Value::Null,
            "instance.scenario.units[0].share_pp",
            "a number",
        ),
        (
            "/scenario/units/0/role",
            json!("mascot"),
            "instance.scenario.units[0].role",
            "mascot",
        ),
        (
            "/scenario/tier",
            json!("hard"),
            "instance.scenario.tier",
            "hard",
        ),
        (
            "/scenario/advisors/CFO/flags/0",
            json!({"kind": "max_total", "severity": "veto"}),
            "instance.scenario.advisors.CFO.flags[0]",
            "missing field `pp`",
        ),
        (
            "/scenario/advisors/CFO/flags/0",
            json!({"kind": "max_total", "severity": "veto", "pp": 3, "unit": "A"}),
            "instance.scenario.advisors.CFO.flags[0]",
            "unknown field `unit`, expected `pp`",
        ),
        (
            "/scenario/advisors/CFO/flags/0",
            json!({"kind": "hunch", "severity": "veto"}),
            "instance.scenario.advisors.CFO.flags[0]",
            "hunch",
        ),
    ] {
        let said = refused(pointer, value);
        assert!(said.starts_with(place) && said.contains(word), "{said}");
    }
    let mut file = instance("C3-R3");
    file["scenario"]["mood"] = json!("good");
    let said = Spec.load(&file).err().unwrap().to_string();
    assert!(
        said.contains("instance.scenario.mood") || said.contains("mood"),
        "{said}"
    );
}

#[test]
fn settings_are_checked_with_their_place() {
    let said = |path: &str, value: Value| {
        Spec.configure(None, &[(path.to_owned(), value)])
            .unwrap_err()
            .to_string()
    };
    assert_eq!(
        said("rounds", json!(61)),
        "rounds: `61` is out of range, it must be 1 to 60"
    );
    assert_eq!(
        said("scoring.invalid_policy", json!({"cap_at": 139})),
        "scoring.invalid_policy.cap_at: `139` is out of range, it must be 0 to 100"
    );
    assert_eq!(
        said("noise_sigma", json!(2)),
        "noise_sigma: `2` is out of range, it must be 0 to 0.5"
    );
    assert_eq!(
        said("generator.units", json!(3)),
        "generator.units: `3` is out of range, it must be 4 to 8"
    );
    assert!(
        said("scenario", json!("C9-R9"))
            .starts_with("scenario: there is no scenario `C9-R9`; there are all")
    );
    assert!(said("visibility", json!("x-ray")).contains("visibility"));
    // A cap on invalid plans, and everything to 0, are settings.
    for (policy, want) in [
        (json!("literal"), 72.5),
        (json!({"cap_at": 39.0}), 39.0),
        (json!("zero_all"), 0.0),
    ] {
        let config = Spec
            .configure(
                Some("C3-R3"),
                &[("scoring.invalid_policy".to_owned(), policy)],
            )
            .unwrap();
        let case = DynEnvironmentSpec::draw(&Spec, &config, sim_core::Seed(0), 0).unwrap();
        let mut env = case.open().unwrap();
        let mut plan = instance("C3-R3")["scenario"]["evaluation"]["reference_plan"].clone();
        plan["add_to"]["B"] = json!(2);
        env.act(&plan);
        assert!((env.score().unwrap().value() - want).abs() < 1e-9);
        assert_eq!(env.score().unwrap().all_incidents()[0].code, "plan_invalid");
    }
}
