//! The environment as an agent sees it, and the built-in policies.

use edt::action::{DecisionRule, Window};
use edt::config::{Disclosure, StepLength, Template};
use edt::engine::{Chance, Engine, RiskMode};
use edt::firm::Firm;
use edt::tools::SUBMIT_PLAN;
use edt::{Action, Batch, Config, Edt, Instance, Spec};
use serde_json::{Value, json};
use sim_core::testkit::play;
use sim_core::testkit::small_or_full;
use sim_core::{
    BatchEnvironment, DynEnvironmentSpec, Effort, Environment, EnvironmentSpec, Episode, Seed,
    Status, ToolAdapter, ToolEnvironment, ToolInterface, ToolReply,
};
use std::sync::Arc;

/// An episode with a pinned seed.
const FIRST: Episode = Episode {
    seed: Seed(1),
    index: 0,
};

fn desk(config: &Config) -> ToolAdapter<Edt> {
    let instance = Instance::generate(config, FIRST).unwrap();
    ToolAdapter::new(Edt::new(Arc::new(instance)).unwrap())
}

fn simple_call() -> Value {
    let projects: Vec<Value> = (1..=10)
        .map(|n| json!({"project": n, "start": 1, "deadline": 95}))
        .collect();
    json!({"consultants": 9, "risk_level": 0, "projects": projects})
}

#[test]
fn simple_plan_gives_the_papers_table_3() {
    let mut desk = desk(&Config::default());
    let reply = desk.call(SUBMIT_PLAN, &simple_call());
    assert!(
        matches!(reply, ToolReply::PeriodOver { .. }),
        "{}",
        reply.text()
    );
    assert!(
        reply.text().contains("Accumulated earnings: 7,116,500."),
        "{}",
        reply.text()
    );
    let score = desk.score().unwrap();
    assert_eq!(score.value(), 7_116_500.0);
    let utilization = score.metrics()["mean_utilization"];
    assert!(
        (utilization - 0.934_027_777_777_777_6).abs() < 1e-9,
        "{utilization}"
    );
}

/// With steps of a quarter, a run to time 96 ends at 96.75. An agent that is told an earlier end gives work away, and
/// a lane with whole times only could not play the best plan.
#[test]
fn the_end_of_quarter_steps_is_told_and_can_be_played() {
    let config = Config {
        step: StepLength::Quarter,
        ..Config::default()
    };
    let mut desk = desk(&config);
    let prompt = desk.briefing();
    let firm = desk.call("get_firm", &json!({})).text().to_owned();
    for told in [&prompt.system, &prompt.opening, &firm] {
        assert!(
            told.contains("96.75") && !told.contains("time 96 "),
            "{told}"
        );
    }

    let earned = |deadline: f32| {
        let mut batch = Batch::new(&config, 1, Seed(1)).unwrap();
        let mut vector = vec![12.0_f32, 1.0];
        let plan = Action {
            consultants: 12,
            risk_level: 1.0,
            projects: vec![
                Some(Window {
                    start: 1.25,
                    deadline: f64::from(deadline)
                });
                10
            ],
        };
        for _ in &plan.projects {
            vector.extend([1.0, 1.25, deadline]);
        }
        let (mut seen, mut rewards, mut dones) =
            (vec![0.0; batch.layout().observation_len()], [0.0], [false]);
        batch
            .step_batch(&vector, &mut seen, &mut rewards, &mut dones)
            .unwrap();
        let instance = Instance::generate(&config, FIRST).unwrap();
        let mut env = Edt::new(Arc::new(instance)).unwrap();
        let run = env.step(&plan).unwrap();
        assert_eq!(rewards[0], run.figures.accumulated_earnings, "{deadline}");
        rewards[0]
    };
    assert_ne!(earned(96.75), earned(96.0));
}

/// Section 2.6 of the design page: Simple by head count.
#[test]
fn simple_by_head_count() {
    let firm = Firm::paper();
    let mut engine = Engine::new(&firm);
    let table = [
        (7, 5_180_500.0, 0.970),
        (8, 6_124_500.0, 0.949),
        (9, 7_116_500.0, 0.934),
        (10, 7_190_500.0, 0.879),
        (11, 6_452_500.0, 0.800),
        (12, 5_692_500.0, 0.734),
    ];
    for (consultants, earnings, utilization) in table {
        let decision = Action {
            consultants,
            ..Action::simple(&firm)
        };
        let totals = engine.run(&decision, &Chance::threshold(0.0));
        assert_eq!(totals.accumulated_earnings, earnings);
        assert!(
            (totals.mean_utilization - utilization).abs() <= 0.000_5,
            "{totals:?}"
        );
    }
    assert_eq!(Action::simple(&firm).consultants, 9);
}

#[test]
fn players_stand_in_their_order() {
    let config = serde_json::to_value(Config::default()).unwrap();
    let case = Spec.generate_case(&config);
    let value = |name: &str| play(&Spec, &*case, name).unwrap().score.value();
    let scores: Vec<f64> = ["random", "template", "simple", "local-search", "optimal"]
        .map(value)
        .into();
    assert!(scores.is_sorted(), "{scores:?}");
    assert_eq!(scores[1], 5_598_500.0);
    assert_eq!(scores[2], 7_116_500.0);
    assert_eq!(scores[4], 14_756_000.0);
    let reference = case.reference(Effort::Quick);
    assert_eq!(reference.status, Status::Proven);
    assert_eq!(
        (reference.optimum, reference.bound),
        (Some(14_756_000.0), Some(14_756_000.0))
    );
    assert_eq!(reference.baseline, Some(7_116_500.0));
}

/// In the ordinary run in one mode.
#[test]
fn slow_players_stand_in_their_order_on_drawn_firms() {
    let config = Config::presets()
        .into_iter()
        .find(|p| p.name == "small")
        .unwrap()
        .config;
    let modes = [RiskMode::Threshold, RiskMode::BernoulliRepeat];
    for mode in modes.into_iter().take(small_or_full(1, 2)) {
        let config = serde_json::to_value(Config {
            risk_mode: mode,
            ..config.clone()
        })
        .unwrap();
        let mut totals = [0.0; 5];
        for episode in 0..8 {
            let case = DynEnvironmentSpec::draw(&Spec, &config, Seed(7), episode).unwrap();
            let names = ["random", "template", "simple", "local-search", "optimal"];
            for (total, name) in totals.iter_mut().zip(names) {
                let value = play(&Spec, &*case, name).unwrap().score.value();
                assert!(value <= case.reference(Effort::Quick).bound.unwrap() + 1e-6);
                *total += value;
            }
        }
        // Template and simple change places from firm to firm.
        let [random, template, simple, local, optimal] = totals;
        assert!(random < template && random < simple, "{totals:?}");
        assert!(
            local > template.max(simple) && local <= optimal,
            "{totals:?}"
        );
    }
}

trait GenerateCase {
    fn generate_case(&self, config: &Value) -> Arc<dyn sim_core::DynInstance>;
}

impl GenerateCase for Spec {
    fn generate_case(&self, config: &Value) -> Arc<dyn sim_core::DynInstance> {
        DynEnvironmentSpec::draw(self, config, Seed(3), 0).unwrap()
    }
}

#[test]
fn refusals_say_what_would_be_right() {
    let mut desk = desk(&Config::default());
    let mut refuse = |change: fn(&mut Value)| {
        let mut call = simple_call();
        change(&mut call);
        let reply = desk.call(SUBMIT_PLAN, &call);
        assert!(reply.is_rejected(), "{}", reply.text());
        assert!(!desk.is_over());
        reply.text().to_owned()
    };
    let cases = [
        (
            refuse(|c| c["consultants"] = json!(13)),
            "consultants must be a whole number from 0 to 12, not 13",
        ),
        (
            refuse(|c| c["risk_level"] = json!(-0.1)),
            "risk_level must lie between 0 and 1, not -0.1",
        ),
        (
            refuse(|c| c["projects"][4]["project"] = json!(11)),
            "projects[4]: project must be from 1 to 10, not 11",
        ),
        (
            refuse(|c| c["projects"][4]["start"] = json!(2.5)),
            "start of project 5 must be a step from 1 to 96, not 2.5",
        ),
        (
            refuse(|c| c["projects"][4]["deadline"] = json!(97)),
            "deadline of project 5 must be a step from its start 1 to 96, not 97",
        ),
        (
            refuse(|c| c["projects"] = json!("all")),
            "projects must be a list, not the text `all`",
        ),
    ];
    for (ours, expected) in cases {
        assert_eq!(ours, expected);
    }
    let reply = desk.say("I would take them all.").unwrap();
    assert_eq!(
        reply.text(),
        "no plan found; give one JSON object with consultants, risk_level and projects"
    );
}

#[test]
fn plans_are_read_from_prose_and_clamped_where_that_is_the_rule() {
    let mut strict = desk(&Config::default());
    let plan = "My plan: {\"C\": 9, \"R\": 0, \"P\": [[1,1,95],[1,1,95],[1,1,95],[1,1,95],[1,1,95],[1,1,95],[1,1,95],[1,1,95],[1,1,95],[1,1,95]]}";
    assert!(!strict.say(plan).unwrap().is_rejected());
    assert_eq!(strict.score().unwrap().value(), 7_116_500.0);
    let mut clamping = desk(&Config {
        decision_rule: DecisionRule::Clamp,
        ..Config::default()
    });
    let wild = plan
        .replace("\"C\": 9", "\"C\": 400")
        .replace("\"R\": 0", "\"R\": -3");
    assert!(!clamping.say(&wild).unwrap().is_rejected());
    let score = clamping.score().unwrap();
    assert_eq!(score.value(), 5_692_500.0);
    assert_eq!(score.all_incidents()[0].code, "plan_clamped");
}

#[test]
fn what_is_hidden_stays_hidden() {
    let shown = |disclosure| {
        let desk = desk(&Config {
            disclosure,
            ..Config::default()
        });
        let mut all = desk.observation().to_string();
        let mut fork = desk.fork();
        for tool in ["get_firm", "get_projects"] {
            all.push_str(&serde_json::to_string(&fork.call(tool, &json!({}))).unwrap());
        }
        let briefing = desk.briefing();
        all + &briefing.system + &briefing.opening
    };
    let paper = shown(Disclosure::Paper);
    assert!(!paper.contains("extension_effort") && !paper.contains("effort of an extension"));
    assert!(!paper.contains("1 - risk_level"));
    // "The internal dynamics and governing equations remain hidden", and A.6.6: horizon, costs, projects, schema.
    for told in [
        "How the firm works",
        "extended",
        "follow-on project",
        "one step to be free",
        "busy or not",
    ] {
        assert!(!paper.contains(told), "{told}");
    }
    for told in [
        "from time 1 to time 96",
        "consultants",
        "risk_level, from 0 to 1",
        "start and a deadline",
    ] {
        assert!(paper.contains(told), "{told}");
    }
    assert!(paper.contains("Security Hardening") && paper.contains("24,000"));
    let full = shown(Disclosure::Full);
    assert!(full.contains("extension_effort") && full.contains("1 - risk_level"));
    assert!(full.contains("How the firm works") && full.contains("busy or not"));
}

#[test]
fn a_forfeited_firm_stands_empty() {
    let mut desk = desk(&Config::default());
    desk.forfeit_period();
    let score = desk.score().unwrap();
    assert_eq!(score.value(), -1_900_000.0);
    assert_eq!(score.all_incidents()[0].code, "forfeited_period");
    assert!(!score.metrics().contains_key("mean_utilization"));
}

#[test]
fn pages_of_projects() {
    let config = Config::presets()
        .into_iter()
        .find(|p| p.name == "large")
        .unwrap()
        .config;
    let mut desk = desk(&config);
    let mut page = |arguments: Value| desk.call("get_projects", &arguments);
    let lines = |reply: &ToolReply| reply.text().lines().count() - 2;
    assert_eq!(lines(&page(json!({}))), 50);
    assert_eq!(lines(&page(json!({"first": 190, "count": 50}))), 11);
    assert_eq!(
        page(json!({"first": 201})).text(),
        "first must be from 1 to 200, not 201"
    );
    assert_eq!(lines(&page(json!({"first": 3.0, "count": null}))), 50);
    for wrong in [
        json!({"first": "x"}),
        json!({"first": 0}),
        json!({"first": -1}),
        json!({"count": 0}),
        json!({"page": 2}),
    ] {
        assert!(page(wrong.clone()).is_rejected(), "{wrong}");
    }
}

/// The state alone brings back the outcome, and a state of another firm is refused.
#[test]
fn states_move_between_environments() {
    let instance = Arc::new(Instance::generate(&Config::default(), FIRST).unwrap());
    let mut here = Edt::new(Arc::clone(&instance)).unwrap();
    here.step(&Action::simple(here.firm())).unwrap();
    let mut there = Edt::new(instance).unwrap();
    there.set_state(here.state().clone()).unwrap();
    assert_eq!(there.outcome(), here.outcome());
    let drawn = edt::config::Drawn {
        projects: 25,
        ..Default::default()
    };
    let drawn = Config {
        template: Template::Drawn(drawn),
        ..Config::default()
    };
    let mut other = Edt::new(Arc::new(Instance::generate(&drawn, FIRST).unwrap())).unwrap();
    let error = other
        .set_state(here.state().clone())
        .unwrap_err()
        .to_string();
    assert!(error.contains("projects must have one entry"), "{error}");
    assert!(!other.is_over() && other.period().index == 0);
}

/// A scenario of the original engine is an instance; a bad one is refused before the run.
#[test]
fn instances_come_from_files() {
    let firm = serde_json::to_value(Firm::paper()).unwrap();
    let case = DynEnvironmentSpec::load(&Spec, &firm).unwrap();
    let generated = Spec.generate_case(&serde_json::to_value(Config::default()).unwrap());
    assert_eq!(case.digest(), generated.digest());
    let load = |instance: Value| match DynEnvironmentSpec::load(&Spec, &instance) {
        Ok(_) => panic!("accepted"),
        Err(error) => error.to_string(),
    };
    let mut bad = generated.instance().clone();
    bad["firm"]["projects"][1]["deadline"] = json!(3);
    assert_eq!(
        load(bad),
        "instance.firm.projects[1].deadline: must not lie before start_time 5, not 3"
    );
    let mut bad = generated.instance().clone();
    bad["firm"]["stop"] = json!("soon");
    assert!(load(bad).starts_with("instance: firm.stop: invalid type: string"));
    assert!(load(json!({"firms": 3})).starts_with("instance: no scenario here"));
}

#[test]
fn suite_of_the_paper() {
    let instances = EnvironmentSpec::suite(&Spec, "paper", &Config::default()).unwrap();
    assert_eq!(instances.len(), 1);
    assert_eq!(instances[0].firm, Firm::paper());
    assert!(EnvironmentSpec::suite(&Spec, "other", &Config::default()).is_err());
}
