//! Generated scenarios.

use ceo_reallocation::advisor_model::{ideal_range, ideal_total};
use ceo_reallocation::config::GeneratorConfig;
use ceo_reallocation::config::ScoringConfig;
use ceo_reallocation::dynamics::fragility;
use ceo_reallocation::dynamics::next_quarter;
use ceo_reallocation::generator::{Sector, generate};
use ceo_reallocation::plan::ReallocationPlan;
use ceo_reallocation::policy::{follow_text, nothing};
use ceo_reallocation::scenario::{Officer, Tier, authored};
use ceo_reallocation::score::Scorer;
use sim_core::Seed;
use std::collections::BTreeMap;

#[test]
fn slow_a_thousand_scenarios() {
    let mut rejected = BTreeMap::new();
    let mut tiers = BTreeMap::new();
    let mut references = Vec::new();
    for seed in 0..1000 {
        let made = generate(Seed(seed), &GeneratorConfig::default()).unwrap();
        let scenario = &made.scenario;
        scenario
            .check()
            .unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        let scorer = Scorer::new(scenario, &ScoringConfig::default()).unwrap();
        let reference = scorer.score(&scenario.evaluation.reference_plan);
        assert!(reference.score() >= 85.0, "seed {seed}");
        assert!(reference.is_valid(), "seed {seed}");
        assert!(
            reference.score() - scorer.score(&nothing()).score() >= 10.0,
            "seed {seed}"
        );
        for (officer, advisor) in scenario.advisors.iter() {
            let preference = advisor.preference_pp.iter().map(|(id, pp)| (id, *pp));
            let total: f64 = advisor.preference_pp.values().map(|pp| pp.max(0.0)).sum();
            let plan = ReallocationPlan::from_deltas(
                preference,
                scorer.right_kind(total),
                follow_text(officer),
            );
            let card = scorer.score(&plan);
            assert!(
                card.is_valid(),
                "seed {seed} {officer}: {:?}",
                card.violations
            );
            let least = match officer {
                Officer::Cfo | Officer::Cmo => 10.0,
                _ => 5.0,
            };
            assert!(
                reference.score() - card.score() >= least,
                "seed {seed} {officer}"
            );
        }
        for (reason, count) in made.rejected {
            *rejected.entry(reason).or_insert(0) += count;
        }
        *tiers.entry(scenario.tier).or_insert(0) += 1;
        references.push(reference.score());
    }
    let mean = references.iter().sum::<f64>() / 1000.0;
    eprintln!("rejected {rejected:?}, tiers {tiers:?}, mean reference {mean:.2}");
    assert_eq!(tiers.len(), 4);
    assert!(tiers.values().all(|count| *count > 150));
}

#[test]
fn the_right_amount_overlaps_the_authored_ranges() {
    let mut overlapping = 0;
    for scenario in authored()
        .scenarios
        .iter()
        .filter(|s| s.tier != Tier::Adversarial)
    {
        let state = &scenario.company_state;
        let phi = fragility(state);
        let cap = scenario.constraints.max_realloc_pp;
        let total = ideal_total(cap, state.transformation_pressure, phi, 0.0);
        let (low, high) = ideal_range(total);
        let main = &scenario.evaluation.profiles[0];
        assert!(
            low <= main.r_max_pp && high >= main.r_min_pp,
            "{}: {low}-{high}",
            scenario.id
        );
        overlapping += 1;
    }
    assert_eq!(overlapping, 10);
}

#[test]
fn targets_are_met_and_seeds_repeat() {
    let mut made = 0;
    for tier in [Tier::Easy, Tier::Tension, Tier::Fragile, Tier::Adversarial] {
        for sector in Sector::ALL {
            for units in 4..=8 {
                let round = 1 + (units % 4);
                let target = GeneratorConfig {
                    tier: Some(tier),
                    sector: Some(sector),
                    units: Some(units),
                    round: Some(round),
                };
                let first = generate(Seed(u64::from(units)), &target)
                    .unwrap_or_else(|e| panic!("{tier:?} {sector:?} {units}: {e}"));
                assert_eq!(first, generate(Seed(u64::from(units)), &target).unwrap());
                assert_eq!(first.scenario.tier, tier);
                assert_eq!(first.scenario.units.len(), units as usize);
                assert_eq!(first.scenario.history.len(), round as usize - 1);
                let mut names: Vec<_> = first.scenario.units.iter().map(|u| &u.name).collect();
                names.sort();
                names.dedup();
                assert_eq!(names.len(), units as usize, "{names:?}");
                made += 1;
            }
        }
    }
    assert_eq!(made, 100);
}

#[test]
fn a_target_out_of_range_is_refused() {
    let place = |target: GeneratorConfig| generate(Seed(0), &target).unwrap_err().place;
    let default = GeneratorConfig::default();
    let units = |units| GeneratorConfig {
        units: Some(units),
        ..default
    };
    assert_eq!(place(units(3)), "units");
    assert_eq!(place(units(9)), "units");
    let round = |round| GeneratorConfig {
        round: Some(round),
        ..default
    };
    assert_eq!(place(round(0)), "round");
    assert_eq!(place(round(u32::MAX)), "round");
}

#[test]
fn quarters_follow_each_other() {
    for (from, to) in [
        ("2027-01-18", "2027-04-18"),
        ("2027-10-31", "2028-01-31"),
        ("2027-03-31", "2027-06-30"),
        ("2026-11-29", "2027-02-28"),
        ("soon", "soon"),
    ] {
        assert_eq!(next_quarter(from), to);
    }
}
