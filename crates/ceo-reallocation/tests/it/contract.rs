//! The contract of the workspace, in every mode.

use ceo_reallocation::Spec;
use serde_json::{Value, json};
use sim_core::testkit::{
    ContractReport, check_contract, check_optimal, check_preset, full_or_all, play, small_or_full,
};
use sim_core::{
    ConfigError, DynEnvironmentSpec, DynInstance, Effort, PolicyAbout, PresetAbout, Reference,
    Seed, Sense,
};
use std::sync::Arc;

#[test]
fn slow_every_preset_and_policy() {
    let report = check_contract(&Spec).unwrap();
    assert_eq!(report.presets, 14);
    assert_eq!(report.episodes, 140);
    assert!(report.hostile > 1000);
    assert!(report.batch_steps > 0);
}

/// The environment with other settings under the name of a preset, so that the contract test can play
/// modes that have no preset of their own.
struct Set(Vec<(String, Value)>);

impl DynEnvironmentSpec for Set {
    fn name(&self) -> &'static str {
        DynEnvironmentSpec::name(&Spec)
    }
    fn version(&self) -> u32 {
        DynEnvironmentSpec::version(&Spec)
    }
    fn sense(&self) -> Sense {
        DynEnvironmentSpec::sense(&Spec)
    }
    fn about(&self) -> &'static str {
        DynEnvironmentSpec::about(&Spec)
    }
    fn unit(&self) -> &'static str {
        DynEnvironmentSpec::unit(&Spec)
    }
    fn preset_list(&self) -> Vec<PresetAbout> {
        DynEnvironmentSpec::preset_list(&Spec)
    }
    fn configure(
        &self,
        preset: Option<&str>,
        settings: &[(String, Value)],
    ) -> Result<Value, ConfigError> {
        let all: Vec<_> = settings.iter().chain(&self.0).cloned().collect();
        Spec.configure(preset, &all)
    }
    fn check_config(&self, config: &Value) -> Result<(), ConfigError> {
        Spec.check_config(config)
    }
    fn distinct_instances(&self, config: &Value) -> Result<Option<u64>, ConfigError> {
        DynEnvironmentSpec::distinct_instances(&Spec, config)
    }
    fn config_schema(&self) -> Value {
        Spec.config_schema()
    }
    fn policy_list(&self) -> Vec<PolicyAbout> {
        DynEnvironmentSpec::policy_list(&Spec)
    }
    fn suite_names(&self) -> Vec<&'static str> {
        DynEnvironmentSpec::suite_names(&Spec)
    }
    fn suite_instances(
        &self,
        name: &str,
        config: &Value,
    ) -> Result<Vec<Arc<dyn DynInstance>>, ConfigError> {
        DynEnvironmentSpec::suite_instances(&Spec, name, config)
    }
    fn draw(
        &self,
        config: &Value,
        run: Seed,
        index: u64,
    ) -> Result<Arc<dyn DynInstance>, ConfigError> {
        DynEnvironmentSpec::draw(&Spec, config, run, index)
    }
    fn load(&self, instance: &Value) -> Result<Arc<dyn DynInstance>, ConfigError> {
        Spec.load(instance)
    }
    fn new_batch(
        &self,
        config: &Value,
        lanes: usize,
        seed: Seed,
    ) -> Result<Option<Box<dyn sim_core::BatchEnvironment>>, ConfigError> {
        DynEnvironmentSpec::new_batch(&Spec, config, lanes, seed)
    }
}

fn contract_with(preset: &str, settings: &[(&str, Value)]) -> ContractReport {
    let set = Set(settings
        .iter()
        .map(|(k, v)| ((*k).to_owned(), v.clone()))
        .collect());
    let mut report = ContractReport::default();
    check_preset(&set, preset, &mut report).unwrap();
    assert_eq!(report.episodes, 10);
    report
}

#[test]
fn rolling_mode_keeps_the_contract() {
    let report = contract_with("C3-R3", &[("rounds", json!(5))]);
    assert!(report.batch_steps > 37);
    contract_with(
        "C7-R2",
        &[("rounds", json!(4)), ("noise_sigma", json!(0.05))],
    );
    contract_with(
        "C6-R3",
        &[("rounds", json!(3)), ("unreadable_retries", json!(2))],
    );
}

#[test]
fn deliberation_keeps_the_contract() {
    contract_with("C3-R3", &[("visibility", json!("deliberation"))]);
    contract_with(
        "C7-R3",
        &[
            ("visibility", json!("deliberation")),
            ("deliberation.rounds", json!(3)),
            ("rounds", json!(3)),
            ("scoring.role.preferences", json!("live")),
        ],
    );
    contract_with(
        "C1-R1",
        &[
            ("visibility", json!("deliberation")),
            ("deliberation.rounds", json!(0)),
        ],
    );
}

#[test]
fn generated_companies_keep_the_contract() {
    contract_with("all", &[("scenario", json!("generated"))]);
    contract_with(
        "all",
        &[("scenario", json!("generated")), ("rounds", json!(4))],
    );
}

#[test]
fn snapshot_scores_are_those_of_the_golden_table() {
    // Through the same path as the runner: registry, session, record.
    let golden: Value = serde_json::from_str(include_str!("../golden/policies.json")).unwrap();
    let names = [
        ("nothing", "do_nothing"),
        ("follow-cfo", "follow_cfo"),
        ("follow-cto", "follow_cto"),
        ("follow-coo", "follow_coo"),
        ("follow-cmo", "follow_cmo"),
        ("max-reallocation", "max_realloc"),
        ("reference", "reference"),
    ];
    let mut compared = 0;
    for id in ceo_reallocation::scenario::AUTHORED_IDS {
        let config = Spec.configure(Some(id), &[]).unwrap();
        let case = DynEnvironmentSpec::draw(&Spec, &config, Seed(1), 0).unwrap();
        for (policy, cell) in names {
            let record = play(&Spec, &*case, policy).unwrap();
            let want = golden["scenarios"][id][cell]["score"].as_f64().unwrap();
            let got = record.score.value();
            assert!((got - want).abs() <= 1e-4, "{id} {policy}: {got} {want}");
            compared += 1;
        }
    }
    assert_eq!(compared, 91);
}

#[test]
fn the_order_of_the_players_is_as_expected() {
    let mut means: Vec<(f64, &str)> = Vec::new();
    for policy in DynEnvironmentSpec::policy_list(&Spec) {
        let mut sum = 0.0;
        for id in ceo_reallocation::scenario::AUTHORED_IDS {
            let config = Spec.configure(Some(id), &[]).unwrap();
            let case = DynEnvironmentSpec::draw(&Spec, &config, Seed(1), 0).unwrap();
            sum += play(&Spec, &*case, policy.name).unwrap().score.value();
        }
        means.push((sum / 13.0, policy.name));
    }
    eprintln!("{means:?}");
    let of = |name: &str| means.iter().find(|(_, n)| *n == name).unwrap().0;
    assert!(of("optimal") > of("reference"));
    assert!(of("reference") > of("compromise") + 5.0);
    assert!(of("compromise") > of("follow-cfo"));
    assert!(of("follow-cfo") > of("nothing") + 10.0);
    assert!(of("random") > of("nothing") && of("random") < of("compromise"));
    assert!(of("max-reallocation") < of("follow-cmo"));
    assert!((of("nothing") - 45.67).abs() < 0.01);
    assert!((of("reference") - 97.32).abs() < 0.01);
}

#[test]
fn references_of_snapshots_are_proven() {
    let mut proven = 0;
    for id in ceo_reallocation::scenario::AUTHORED_IDS {
        let config = Spec.configure(Some(id), &[]).unwrap();
        let case = DynEnvironmentSpec::draw(&Spec, &config, Seed(1), 0).unwrap();
        let Reference {
            optimum,
            bound,
            baseline,
            status,
            ..
        } = case.reference(Effort::Quick);
        assert!(bound.unwrap() >= optimum.unwrap() && optimum.unwrap() > baseline.unwrap() + 40.0);
        proven += usize::from(status == sim_core::Status::Proven);
    }
    assert_eq!(proven, 12, "all but C6-R3");
}

/// Drawn scenarios of one round and of several.
#[test]
fn slow_optimal_is_never_worse_than_the_reference() {
    let count = small_or_full(2, full_or_all(8, 200));
    for (rounds, effort) in [(1, Effort::Quick), (1, Effort::Search), (3, Effort::Quick)] {
        let settings = [
            ("scenario".to_owned(), json!("generated")),
            ("rounds".to_owned(), json!(rounds)),
        ];
        let config = DynEnvironmentSpec::configure(&Spec, Some("all"), &settings).unwrap();
        let known = check_optimal(&Spec, &config, "optimal", count, effort);
        assert_eq!(known, Ok(count), "{rounds} rounds");
    }
}
