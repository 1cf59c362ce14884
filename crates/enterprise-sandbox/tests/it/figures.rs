//! Figures of the tasks of preset `paper`: length, variety, wording, balance.

use crate::support::paper;
use crate::tools::{native, office};
use enterprise_sandbox::tasks::{Generator, TaskConfig, TaskStats};
use sim_core::Seed;
use sim_core::testkit::small_or_full;
use std::sync::Arc;

/// The acceptance figures over 3,000 tasks; 600 in the ordinary run, where shares by template mean
/// little.
#[test]
fn slow_tasks_read_like_work() {
    let g = Generator::new(
        office(Arc::clone(&paper()), native()),
        TaskConfig::default(),
    )
    .unwrap();
    let count = small_or_full(600, 3_000);
    let (tasks, dropped) = g.batch(Seed(1), count);
    assert!(dropped.is_empty(), "{dropped:?}");
    let s = TaskStats::of(&tasks);
    println!("{}", serde_json::to_string_pretty(&s).unwrap());
    assert!((2.8..=3.2).contains(&s.mean_steps), "{}", s.mean_steps);
    assert!((1..=7).all(|n| s.steps.contains_key(&n)), "{:?}", s.steps);
    assert!(s.steps.keys().all(|n| (1..=7).contains(n)), "{:?}", s.steps);
    assert!(s.templates.len() >= 60, "{}", s.templates.len());
    assert!(s.largest_template <= 0.04, "{:?}", s.templates);
    assert!(s.bare_ids <= 0.1, "{}", s.bare_ids);
    assert!(s.greetings <= 0.3 && s.greeting_words.len() >= 10);
    assert!(s.wording_only <= 0.045, "{}", s.wording_only);
    if count == 3_000 {
        for (name, yes) in &s.yes {
            assert!((0.4..=0.6).contains(yes), "{name} {yes}");
        }
        for (name, share) in &s.constant_answers {
            assert!(*share <= 0.6, "{name} {share}");
        }
    }
}
