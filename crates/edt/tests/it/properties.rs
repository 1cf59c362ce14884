//! What holds in every run, checked on the plain twin after every step.

use crate::random::firm_and_decision;
use edt::{Chance, Decision, Engine, Firm, RiskMode, Twin};
use proptest::prelude::*;
use sim_core::Seed;

proptest! {
    #![proptest_config(ProptestConfig { cases: 6000, ..ProptestConfig::default() })]

    #[test]
    fn conservation(
        (firm, decision) in firm_and_decision(7),
        mode in proptest::sample::select(vec![RiskMode::Threshold, RiskMode::BernoulliRepeat]),
        seed in any::<u64>(),
        stop_after in 0_u32..120,
    ) {
        let chance = Chance { mode, risk_level: 0.0, seed: Seed(seed) };
        let mut twin = Twin::new(&firm, &decision, chance);
        let dt = firm.dt;
        let mut resumed = None;
        while let Some(figures) = twin.step() {
            // Capacity is never exceeded, neither by one consultant nor by all.
            let worked: f64 = twin.consultants().iter().map(edt::Consultant::worked).sum();
            prop_assert!(twin.consultants().iter().all(|c| c.worked() <= dt));
            prop_assert!(worked <= dt * twin.consultants().len() as f64);
            prop_assert_eq!(figures.busy, twin.busy());
            // One project a consultant: head counts of open projects add up to those attached.
            for (index, project) in twin.projects().iter().enumerate() {
                let attached = twin.consultants().iter().filter(|c| c.project() == Some(index)).count();
                prop_assert!(attached <= project.staff() as usize);
                if let Some(cap) = project.terms().cap() {
                    prop_assert!(project.staff() <= cap);
                }
            }
            // Effort delivered = effort booked + effort not yet booked.
            let delivered: f64 = twin.projects().iter().map(edt::ProjectAgent::delivered).sum();
            let unreported: f64 = twin.projects().iter().map(edt::ProjectAgent::unreported).sum();
            let reported = twin.open_bookings().effort + twin.ledger().effort_booked();
            prop_assert!((delivered - unreported - reported).abs() < 1e-6);
            prop_assert_eq!(figures.earnings, figures.revenue - figures.expenses);
            if twin.steps_played() == stop_after {
                let text = serde_json::to_string(&twin).unwrap();
                resumed = Some(serde_json::from_str::<Twin>(&text).unwrap());
            }
            if let Some(copy) = resumed.as_mut().filter(|_| twin.steps_played() > stop_after) {
                prop_assert_eq!(copy.step(), Some(figures));
            }
        }
        if let Some(copy) = resumed {
            prop_assert_eq!(copy, twin);
        }
    }

    #[test]
    fn nothing_accepted_costs_the_staff(heads in 0_i64..=12, risk_level in 0.0..=1.0) {
        let firm = Firm::paper();
        let decision = Decision { consultants: heads, risk_level, ..Decision::nothing(&firm) };
        let totals = Engine::new(&firm).run(&decision, &Chance::threshold(0.0));
        prop_assert_eq!(totals.accumulated_earnings, -95.0 * (20_000.0 + heads as f64 * 8_000.0));
        prop_assert_eq!((totals.mean_utilization, totals.projects), (0.0, 0));
    }
}
