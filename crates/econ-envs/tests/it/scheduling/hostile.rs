//! Agents that misbehave, and what no reply may give away.

use crate::hostile::{never_submits, sends_garbage, sends_garbage_for_long, writes_a_book};
use econ_envs::scheduling::config::{Horizon, Wording};
use econ_envs::scheduling::{Action, Config, Scheduling, Spec};
use serde_json::json;
use sim_core::{
    EnvironmentSpec as _, Episode, Seed, ToolAdapter, ToolEnvironment as _, ToolInterface as _,
};
use std::sync::Arc;

#[test]
fn misbehaviour_ends_scored_and_flagged() {
    let silent = never_submits(&Spec, "get_worker_ids");
    assert_eq!(silent.score.value(), 0.0);
    assert!(
        silent
            .score
            .all_incidents()
            .iter()
            .any(|i| i.code == "nothing_submitted")
    );
    sends_garbage(&Spec, "submit_assignment", "assignment");
    sends_garbage_for_long(&Spec, "submit_assignment", "assignment");
    writes_a_book(&Spec);
}

/// The agent reads ids, its own assignments and up to k problems: never how many there are, a
/// ranking or a score.
#[test]
fn no_reply_gives_anything_away() {
    let config = Config {
        periods: 6,
        ..Config::medium()
    };
    let instance = Arc::new(Spec.generate(&config, Episode::of_run(Seed(9), 0)).unwrap());
    let mut adapter = ToolAdapter::new(Scheduling::new(Arc::clone(&instance)).unwrap());
    let mut read = 0;
    while !adapter.is_over() {
        let tools = adapter.tools();
        let mut texts = vec![
            adapter.observation().to_string(),
            format!("{:?}", adapter.briefing()),
        ];
        for tool in tools.iter().filter(|t| t.name.starts_with("get_")) {
            let reply = adapter.call(&tool.name, &json!({}));
            assert!(!reply.is_rejected());
            texts.push(serde_json::to_string(&reply).unwrap());
        }
        let mut task_of: Vec<u16> = (0..20).collect();
        Seed(read).stream("play", 0).shuffle(&mut task_of);
        let action = serde_json::to_value(Action::new(task_of)).unwrap();
        texts.push(serde_json::to_string(&adapter.act(&action)).unwrap());
        texts.push(adapter.feedback().to_string());
        for text in texts {
            for word in [
                "blocking",
                "prefs",
                "preferences\"",
                "expected",
                "seed",
                "family",
            ] {
                assert!(!text.contains(word), "`{word}` in {text}");
            }
            assert!(text.matches("Problem:").count() <= 2 * 6);
            read += 1;
        }
    }
    assert!(read > 40);
}

#[test]
fn the_record_is_read_once_a_period_and_the_last_attempt_is_announced() {
    let config = Config {
        periods: 2,
        ..Config::basic()
    };
    let instance = Arc::new(Spec.generate(&config, Episode::of_run(Seed(9), 0)).unwrap());
    let mut adapter = ToolAdapter::new(Scheduling::new(instance).unwrap());
    assert!(!adapter.briefing().opening.contains("last attempt"));
    for _ in 0..2 {
        assert!(
            !adapter
                .call("get_previous_attempts_data", &json!({}))
                .is_rejected()
        );
        assert!(
            adapter
                .call("get_previous_attempts_data", &json!({}))
                .is_rejected()
        );
        adapter.restart_period();
        assert!(
            !adapter
                .call("get_previous_attempts_data", &json!({}))
                .is_rejected()
        );
        let ids: Vec<String> = (1..=10).map(|i| format!("'W{i}': 'T{i}'")).collect();
        let text = format!("{{{}}}", ids.join(", "));
        let last = adapter.env().period().index == 1;
        assert_eq!(adapter.briefing().opening.contains("last attempt"), last);
        let reply = adapter.call("submit_assignment", &json!({"assignment": text}));
        assert!(!reply.is_rejected(), "{}", reply.text());
    }
    assert!(adapter.is_over());
    assert_eq!(adapter.env().attempts().len(), 2);
}

/// What the options add to and take from the prompts.
#[test]
fn prompts_follow_their_options() {
    let system = |config: Config| {
        let instance = Spec.generate(&config, Episode::of_run(Seed(9), 0)).unwrap();
        Scheduling::new(Arc::new(instance))
            .unwrap()
            .briefing()
            .system
    };
    let standard = system(Config::basic());
    assert!(standard.contains("reasoning") && !standard.contains("100"));
    let plain = system(Config {
        wording: Wording::WithoutReasoning,
        ..Config::basic()
    });
    assert!(!plain.contains("reasoning"));
    let known = system(Config {
        horizon: Horizon::Known,
        ..Config::basic()
    });
    assert!(known.contains("100 attempts") && !known.contains("judged"));
    let goal = system(Config {
        horizon: Horizon::KnownWithGoal,
        ..Config::basic()
    });
    assert!(goal.contains("100 attempts") && goal.contains("judged"));
}
