//! Firms and plans that no configuration draws: with windows and work off the grid of steps, or small enough to try
//! every plan.

use edt::Action;
use edt::action::Window;
use edt::firm::{AgentOrder, Firm, Project, StaffGroup};
use proptest::prelude::*;
use proptest::sample::select;
use strum::VariantArray;

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
pub(crate) fn firm_and_action(most: usize) -> impl Strategy<Value = (Firm, Action)> {
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
pub(crate) fn tiny_firm(projects: usize, stop: u32) -> impl Strategy<Value = Firm> {
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
