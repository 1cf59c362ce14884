//! Strategies for the crate `proptest`: configurations, instances, firms and plans, for property tests
//! here and in crates that build on this one. Needs the feature `proptest`.
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
use crate::firm::{AgentOrder, Firm, Project, StaffGroup};
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

fn effort() -> impl Strategy<Value = f64> {
    prop_oneof![
        6 => (0_u32..40).prop_map(f64::from),
        2 => (0_u32..160).prop_map(|q| f64::from(q) / 4.0),
        2 => 0.0..40.0,
        1 => select(vec![1e-9, 1e9 + 0.3, 1e12]),
    ]
}

fn probability() -> impl Strategy<Value = f64> {
    prop_oneof![(0_u32..=10).prop_map(|p| f64::from(p) / 10.0), 0.0..=1.0]
}

fn project() -> impl Strategy<Value = Project> {
    let cap = prop_oneof![8 => (1_u32..5).prop_map(f64::from), 1 => Just(0.0), 1 => Just(2.5)];
    let numbers = (effort(), effort(), cap, 1_u32..40);
    (numbers, probability(), probability(), probability()).prop_map(
        |((contracted_effort, extension_effort, consultants, rate), extend, follow, contract)| {
            Project {
                name: "project".to_owned(),
                contracted_effort,
                contracted_probability: contract,
                extension_probability: extend,
                extension_effort,
                follow_on_probability: follow,
                consultants,
                start_time: 1.0,
                deadline: 1.0,
                billing_rate: 500.0 * f64::from(rate),
                ..Project::default()
            }
        },
    )
}

/// A firm of up to `most` projects and a plan for it, with windows on and off the grid: for the engine
/// and the agent model, which take plans that the environment would refuse.
pub fn firm_and_action(most: usize) -> impl Strategy<Value = (Firm, Action)> {
    let firm = (
        proptest::collection::vec(project(), 0..=most),
        (0_u32..3, 1_u32..30),
        select(vec![1.0, 0.5, 0.25]),
        select(AgentOrder::VARIANTS),
        (0_u32..5, 0_u32..6),
    );
    firm.prop_flat_map(
        |(projects, (start, length), dt, agent_order, (few, many))| {
            let group = |count, salary| StaffGroup {
                count,
                salary,
                workplace_cost: 2_000.0,
            };
            let stop = start + length;
            let firm = Firm {
                start,
                stop,
                dt,
                agent_order,
                staff: vec![group(few, 6_000.0), group(many, 4_500.0)],
                projects,
                ..Firm::paper()
            };
            let quarters = 4 * (length + 3);
            let time = prop_oneof![
                5 => (0..length + 3).prop_map(move |k| f64::from(start + k)),
                1 => (0..quarters).prop_map(move |k| f64::from(start) + f64::from(k) / 4.0),
            ];
            let window = (time.clone(), time).prop_map(|(a, b)| Window {
                start: a.min(b),
                deadline: a.max(b),
            });
            let windows = proptest::collection::vec(
                proptest::option::weighted(0.85, window),
                firm.projects.len(),
            );
            let risk = prop_oneof![Just(0.0), Just(1.0), probability()];
            (Just(firm), 0..=few + many, risk, windows).prop_map(
                |(firm, heads, risk_level, projects)| {
                    let decision = Action {
                        consultants: i64::from(heads),
                        risk_level,
                        projects,
                    };
                    (firm, decision)
                },
            )
        },
    )
}

/// A firm small enough to try every plan: `projects` projects, times 1 to `stop`, any agent order.
///
/// Four consultants on equal terms, `dt` 1 or 1/2. `stop` is an upper limit of at least
/// 4; the last time is drawn from 4 to it.
pub fn tiny_firm(projects: usize, stop: u32) -> impl Strategy<Value = Firm> {
    let orders = select(AgentOrder::VARIANTS);
    let short = prop_oneof![4 => (0_u32..9).prop_map(f64::from), 1 => 0.0..9.0];
    let probability = select(vec![0.0, 0.0, 0.4, 0.7]);
    let project = (
        project(),
        short.clone(),
        short,
        probability.clone(),
        probability,
    )
        .prop_map(
            |(
                project,
                contracted_effort,
                extension_effort,
                extension_probability,
                follow_on_probability,
            )| {
                Project {
                    contracted_effort,
                    extension_effort,
                    extension_probability,
                    follow_on_probability,
                    ..project
                }
            },
        );
    let step = prop_oneof![5 => Just(1.0), 1 => Just(0.5)];
    (
        proptest::collection::vec(project, projects),
        orders,
        step,
        4..=stop,
    )
        .prop_map(|(projects, agent_order, dt, stop)| Firm {
            start: 1,
            stop,
            dt,
            agent_order,
            fixed_cost: 1_000.0,
            staff: vec![StaffGroup {
                count: 4,
                salary: 2_000.0,
                workplace_cost: 1_000.0,
            }],
            projects,
            ..Firm::paper()
        })
}
