//! Strategies for the crate `proptest`: configurations, instances and actions, for property tests here
//! and in crates that build on this one. Needs the feature `proptest`.
//!
//! ```
//! use enterprise_sandbox::{OfficeTask, strategy};
//! use proptest::prelude::*;
//! use sim_core::Environment;
//! use std::sync::Arc;
//!
//! let instance_and_action = strategy::instance().prop_flat_map(|instance| {
//!     let action = strategy::action(&instance);
//!     (Just(instance), action)
//! });
//! let config = ProptestConfig::with_cases(16);
//! proptest!(config, |((instance, action) in instance_and_action)| {
//!     let mut env = OfficeTask::new(Arc::new(instance)).expect("a drawn instance can be played");
//!     prop_assert!(env.step(&action).is_ok());
//! });
//! ```

use crate::access::{AccessConfig, Enforcement, EngineKind};
use crate::action::Action;
use crate::config::{Config, PlanHint};
use crate::data::value::row_no;
use crate::instance::Instance;
use crate::menu::menu;
use crate::tasks::RefusalClass;
use crate::tools::ToolSet;
use proptest::prelude::*;
use proptest::sample::select;
use sim_core::{Episode, Seed};

/// Configurations with a company of fifty, so that cases are cheap: every enforcement, engine, tool
/// set and hint, with and without useless tools and rules in words.
pub fn config() -> impl Strategy<Value = Config> {
    let access = (
        select(vec![
            Enforcement::On,
            Enforcement::Advisory,
            Enforcement::Off,
        ]),
        select(vec![EngineKind::Cedar, EngineKind::Native]),
        any::<bool>(),
    );
    let access = access.prop_map(|(enforcement, engine, hide_existence)| AccessConfig {
        enforcement,
        engine,
        hide_existence,
        ..AccessConfig::default()
    });
    let plan = select(vec![
        PlanHint::None,
        PlanHint::Subgoals,
        PlanHint::Tools,
        PlanHint::Order,
    ]);
    let surface = select(vec![ToolSet::Compact, ToolSet::Fine]);
    (access, plan, surface, any::<bool>(), any::<bool>()).prop_map(
        |(access, plan, surface, distractors, show_rules)| Config {
            access,
            surface,
            plan,
            distractors,
            show_rules,
            ..Config::of(50)
        },
    )
}

/// Instances of drawn [`config`].
///
/// Configurations for which no task can be drawn are rejected, which is rare.
pub fn instance() -> impl Strategy<Value = Instance> {
    (config(), any::<u64>(), 0_u64..100).prop_filter_map("a task", |(config, run, index)| {
        Instance::generate(&config, Episode::of_run(Seed(run), index)).ok()
    })
}

/// Actions that a task of `instance` accepts at its start: calls of the gold plan, entries of the
/// menu, answers, refusals and the end.
pub fn action(instance: &Instance) -> impl Strategy<Value = Action> + use<> {
    let entries = row_no(menu(instance.surface).len());
    let calls: Vec<Action> = instance
        .right()
        .calls
        .into_iter()
        .map(|(tool, arguments)| Action::Call { tool, arguments })
        .chain([Action::End])
        .collect();
    let refusal = (select(RefusalClass::ALL.to_vec()), ".{0,40}")
        .prop_map(|(class, reason)| Action::Refuse { class, reason });
    let answer = ".{0,40}".prop_map(|text| Action::Answer {
        text,
        facts: serde_json::Map::new(),
    });
    prop_oneof![
        3 => select(calls),
        3 => (0..entries).prop_map(Action::Pick),
        1 => answer,
        1 => refusal,
    ]
}
