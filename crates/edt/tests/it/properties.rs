//! What holds in every run, checked on the agent model after every step.

use crate::firms::firm_and_action;
use edt::agent_model::AgentModel;
use edt::engine::{Chance, Engine, RiskMode};
use edt::firm::Firm;
use edt::strategy::{action, instance};
use edt::{Action, Edt, Observation};
use proptest::prelude::*;
use sim_core::{Environment as _, Seed};
use std::sync::Arc;

proptest! {
    #![proptest_config(ProptestConfig { cases: 6000, ..ProptestConfig::default() })]

    #[test]
    fn conservation(
        (firm, decision) in firm_and_action(7),
        mode in proptest::sample::select(vec![RiskMode::Threshold, RiskMode::BernoulliRepeat]),
        seed in any::<u64>(),
        stop_after in 0_u32..120,
    ) {
        let chance = Chance { mode, risk_level: 0.0, seed: Seed(seed) };
        let mut model = AgentModel::new(&firm, &decision, chance);
        let dt = firm.dt;
        let mut resumed = None;
        while let Some(figures) = model.step() {
            // Capacity is never exceeded, neither by one consultant nor by all.
            let worked: f64 = model.consultants().iter().map(edt::agent_model::Consultant::worked).sum();
            prop_assert!(model.consultants().iter().all(|c| c.worked() <= dt));
            prop_assert!(worked <= dt * model.consultants().len() as f64);
            prop_assert_eq!(figures.busy, model.busy());
            // One project a consultant: head counts of open projects add up to those attached.
            for (index, project) in model.projects().iter().enumerate() {
                let attached = model.consultants().iter().filter(|c| c.project() == Some(index)).count();
                prop_assert!(attached <= project.staff() as usize);
                if let Some(cap) = project.terms().cap() {
                    prop_assert!(project.staff() <= cap);
                }
            }
            // Effort delivered = effort booked + effort not yet booked.
            let delivered: f64 = model.projects().iter().map(edt::agent_model::ProjectAgent::delivered).sum();
            let unreported: f64 = model.projects().iter().map(edt::agent_model::ProjectAgent::unreported).sum();
            let reported = model.open_bookings().effort + model.ledger().effort_booked();
            prop_assert!((delivered - unreported - reported).abs() < 1e-6);
            prop_assert_eq!(figures.earnings, figures.revenue - figures.expenses);
            if model.steps_played() == stop_after {
                let text = serde_json::to_string(&model).unwrap();
                resumed = Some(serde_json::from_str::<AgentModel>(&text).unwrap());
            }
            if let Some(copy) = resumed.as_mut().filter(|_| model.steps_played() > stop_after) {
                prop_assert_eq!(copy.step(), Some(figures));
            }
        }
        if let Some(copy) = resumed {
            prop_assert_eq!(copy, model);
        }
    }

    #[test]
    fn nothing_accepted_costs_the_staff(heads in 0_i64..=12, risk_level in 0.0..=1.0) {
        let firm = Firm::paper();
        let decision = Action { consultants: heads, risk_level, ..Action::nothing(&firm) };
        let totals = Engine::new(&firm).run(&decision, &Chance::threshold(0.0));
        prop_assert_eq!(totals.accumulated_earnings, -95.0 * (20_000.0 + heads as f64 * 8_000.0));
        prop_assert_eq!((totals.mean_utilization, totals.projects), (0.0, 0));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// Drawn plans are accepted, and an observation can be stored and read.
    #[test]
    fn drawn_plans_are_accepted(
        (instance, plan) in instance().prop_flat_map(|instance| {
            let plan = action(&instance);
            (Just(instance), plan)
        }),
    ) {
        let mut env = Edt::new(Arc::new(instance)).unwrap();
        let seen = env.observe();
        let text = serde_json::to_string(&seen).unwrap();
        prop_assert_eq!(serde_json::from_str::<Observation>(&text).unwrap(), seen);
        prop_assert!(env.step(&plan).is_ok());
        prop_assert!(env.is_over());
    }
}
