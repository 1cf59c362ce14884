//! Feedback `ground_truth` from a reference policy that fails.

use beer_game::{Action, BeerGame, Config, Instance, Observation, Spec};
use run_engine::Registry;
use run_engine::engine::execute::RunOptions;
use run_engine::engine::model::run::execute_model;
use run_engine::plan::model::RunBudget;
use run_engine::plan::options::{MethodOptions, ModelOptions, Sampling};
use run_engine::plan::{Plan, RunRequest};
use sim_core::{
    ConfigError, Effort, EnvironmentAbout, EnvironmentSpec, Policy, PolicySpec, Reference,
};
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// A recorded call of another run: a recording without calls does not say which model it replays.
const CALL: &str = r#"{"schema":1,"key":"-BFUiRP_O4XG-wC_0k2QBqoggznkJV3NwpUXTBY2tAQ",
"slot":"qa0","role":"agent","dialect":{"kind":"openai","model":"mock","max_tokens":2048},"backend":"openai:mock",
"request":{},"status":200,"answer":{}}"#;

/// How the reference policy fails.
#[derive(Debug, Clone, Copy)]
enum Fault {
    /// It cannot be made for the instance.
    Error,
    /// It panics at its first decision.
    Panic,
}

/// The Beer Game with a reference policy that fails.
#[derive(Debug, Clone, Copy)]
struct Faulty(Fault);

impl EnvironmentSpec for Faulty {
    const ABOUT: EnvironmentAbout = Spec::ABOUT;

    type Env = BeerGame;
    type Config = Config;
    type Instance = Instance;

    sim_core::facade_methods!(presets check generate begin);

    fn reference(&self, instance: &Instance, effort: Effort) -> Reference {
        Spec.reference(instance, effort)
    }

    fn policies(&self) -> Vec<PolicySpec<BeerGame, Instance>> {
        let fault = self.0;
        let make = move |_: sim_core::PolicyContext<'_, Instance>| match fault {
            Fault::Error => Err(ConfigError::new("demand", "no plan was found")),
            Fault::Panic => Ok(Panics),
        };
        vec![PolicySpec::new("optimal", "fails", make).oracle()]
    }
}

struct Panics;

impl Policy<BeerGame> for Panics {
    fn act(&mut self, _: &Observation) -> Action {
        panic!("no plan was found")
    }
}

/// The reasons why episodes failed, and how many were not played, with `feedback`. The model answers from
/// a recording without any request of these episodes.
fn failures(dir: &Path, fault: Fault, feedback: &str) -> (Vec<String>, u64) {
    let registry = Registry::new().with(Faulty(fault));
    let recording = dir.join("calls.jsonl");
    std::fs::write(&recording, CALL.replace('\n', "") + "\n").unwrap();
    let request = RunRequest {
        environment: Spec::ABOUT.name.to_owned(),
        agent: format!("replay:{}", recording.display()),
        episodes: Some(2),
        model: ModelOptions::of_method(
            MethodOptions {
                method: Some("dc".to_owned()),
                feedback: Some(feedback.parse().unwrap()),
                ..MethodOptions::default()
            },
            Sampling::default(),
        ),
        ..RunRequest::default()
    };
    let plan = Plan::new(&registry, request).unwrap();
    let finished = execute_model(
        &registry,
        &plan,
        None,
        RunOptions {
            means: &RunBudget::default(),
            steps: false,
            progress: false,
            stop: &AtomicBool::new(false),
        },
    )
    .unwrap();
    assert_eq!(finished.summary.episodes, 0);
    let reasons = finished.failures.into_iter().map(|(_, why)| why);
    (reasons.collect(), finished.unplayed)
}

/// The agent must not learn from other feedback than the plan says, so the episode is not played without
/// the right decisions.
#[test]
fn a_reference_policy_that_fails_fails_the_episode() {
    for (fault, facts) in [
        (Fault::Error, &["no plan was found"][..]),
        (Fault::Panic, &["panicked", "no plan was found"]),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let (reasons, unplayed) = failures(dir.path(), fault, "ground_truth");
        // The next episode of the stream would have learnt from the first.
        assert_eq!((reasons.len(), unplayed), (1, 1), "{fault:?}: {reasons:?}");
        for fact in [&["right decisions"], facts].concat() {
            assert!(reasons[0].contains(fact), "{fault:?}: {}", reasons[0]);
        }
    }
}

/// Other feedback needs no right decisions: the episode begins, and fails because its first request was not
/// recorded.
#[test]
fn the_reference_policy_is_asked_only_for_ground_truth() {
    for fault in [Fault::Error, Fault::Panic] {
        let dir = tempfile::tempdir().unwrap();
        let (reasons, _) = failures(dir.path(), fault, "outcome");
        assert_eq!(reasons.len(), 1, "{fault:?}: {reasons:?}");
        assert!(!reasons[0].contains("right decisions"), "{}", reasons[0]);
    }
}
