//! Strategies for the crate `proptest`: configurations, instances and plans, for property tests here and in
//! crates that build on this one. Needs the feature `proptest`.
//!
//! ```
//! use edt::{Edt, strategy};
//! use proptest::prelude::*;
//! use sim_core::Environment;
//! use std::sync::Arc;
//!
//! let instance_and_plan = strategy::instance().prop_flat_map(|instance| {
//!     let plan = strategy::action(&instance);
//!     (Just(instance), plan)
//! });
//! proptest!(|((instance, plan) in instance_and_plan)| {
//!     let mut env = Edt::new(Arc::new(instance)).expect("a drawn instance can be played");
//!     prop_assert!(env.step(&plan).is_ok());
//! });
//! ```

use crate::action::{Action, Window};
use crate::config::{Config, DecisionRule, Disclosure, Drawn, RiskMode, StepLength, Template};
use crate::firm::AgentOrder;
use crate::instance::Instance;
use proptest::prelude::*;
use proptest::sample::select;
use sim_core::{Episode, Seed};
use strum::VariantArray;

/// Configurations: the paper's template, or 5 to 12 drawn projects over 12 to 60 units of time, with
/// every combination of the other settings.
// Each setting is changed from its default by a line of its own, so that a new setting needs none to compile.
pub fn config() -> impl Strategy<Value = Config> {
    let drawn = Just(Drawn::default());
    let drawn = with(drawn, 5_u32..=12, |drawn, projects| {
        drawn.projects = projects
    });
    let drawn = with(drawn, 12_u32..=60, |drawn, units| drawn.units = units);
    let drawn = with(drawn, 0.1..=3.0, |drawn, load| drawn.load = load);
    let template = prop_oneof![1 => Just(Template::Paper), 4 => drawn.prop_map(Template::Drawn)];
    let config = with(Just(Config::default()), template, |config, template| {
        config.template = template;
    });
    let orders = select(AgentOrder::VARIANTS);
    let config = with(config, orders, |config, order| config.agent_order = order);
    let steps = select(vec![
        StepLength::Whole,
        StepLength::Half,
        StepLength::Quarter,
    ]);
    let config = with(config, steps, |config, step| config.step = step);
    let modes = select(vec![
        RiskMode::Threshold,
        RiskMode::BernoulliRepeat,
        RiskMode::BernoulliOnce,
    ]);
    let config = with(config, modes, |config, mode| config.risk_mode = mode);
    let rules = select(vec![DecisionRule::Strict, DecisionRule::Clamp]);
    let config = with(config, rules, |config, rule| config.decision_rule = rule);
    let disclosures = select(vec![Disclosure::Paper, Disclosure::Full]);
    with(config, disclosures, |config, shown| {
        config.disclosure = shown
    })
}

/// `settings` with one of them set to a drawn value.
fn with<S: std::fmt::Debug, T: std::fmt::Debug>(
    settings: impl Strategy<Value = S>,
    values: impl Strategy<Value = T>,
    set: fn(&mut S, T),
) -> impl Strategy<Value = S> {
    (settings, values).prop_map(move |(mut settings, value)| {
        set(&mut settings, value);
        settings
    })
}

/// Instances of drawn [`config`].
pub fn instance() -> impl Strategy<Value = Instance> {
    (config(), any::<u64>()).prop_filter_map("usable settings", |(config, run)| {
        Instance::generate(&config, Episode::of_run(Seed(run), 0)).ok()
    })
}

/// Plans that `instance` accepts: windows start and end on steps, four of five projects are accepted.
///
/// They hold for the instance's own clock, head count and number of projects;
/// [`Edt::step`](sim_core::Environment::step) accepts each of them under both decision
/// rules.
pub fn action(instance: &Instance) -> impl Strategy<Value = Action> + use<> {
    let firm = &instance.firm;
    let clock = firm.clock();
    let step = 0..clock.steps();
    let window = (step.clone(), step).prop_map(move |(a, b)| Window {
        start: clock.time(a.min(b)),
        deadline: clock.time(a.max(b)),
    });
    let windows =
        proptest::collection::vec(proptest::option::weighted(0.8, window), firm.projects.len());
    (0..=firm.head_count(), probability(), windows).prop_map(|(heads, risk_level, projects)| {
        Action {
            consultants: i64::from(heads),
            risk_level,
            projects,
        }
    })
}

fn probability() -> impl Strategy<Value = f64> {
    prop_oneof![(0_u32..=10).prop_map(|p| f64::from(p) / 10.0), 0.0..=1.0]
}
