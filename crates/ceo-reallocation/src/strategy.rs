//! Strategies for the crate `proptest`: configurations, instances, scenarios and actions, for property
//! tests here and in crates that build on this one. Needs the feature `proptest`.
//!
//! ```
//! use ceo_reallocation::{CeoReallocation, strategy};
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
//!     let mut env = CeoReallocation::new(Arc::new(instance)).expect("a drawn instance can be played");
//!     prop_assert!(env.step(&action).is_ok());
//! });
//! ```

use crate::action::Action;
use crate::config::GeneratorConfig;
use crate::config::{Config, Visibility};
use crate::deliberation::AdvisorReport;
use crate::generator::generate;
use crate::instance::Instance;
use crate::plan::DecisionType;
use crate::scenario::{AUTHORED_IDS, MAX_UNITS, Scenario, authored};
use crate::score::{Moves, Scorer};
use crate::simple::random_moves;
use proptest::prelude::*;
use proptest::sample::select;
use sim_core::{Episode, Seed};

/// Configurations: an authored scenario or a generated one, 1 to 4 rounds, every visibility, with and
/// without noise.
pub fn config() -> impl Strategy<Value = Config> {
    let scenario = prop_oneof![
        3 => select(AUTHORED_IDS.to_vec()).prop_map(Config::of_scenario),
        1 => Just(Config::default()),
        1 => Just(Config::generated()),
    ];
    let visibility = select(vec![
        Visibility::Views,
        Visibility::Full,
        Visibility::Deliberation,
    ]);
    let noise = prop_oneof![Just(0.0), 0.0..=0.5];
    (scenario, 1_u32..=4, visibility, noise, 0_u32..3).prop_map(
        |(config, rounds, visibility, noise_sigma, unreadable_retries)| Config {
            rounds,
            visibility,
            noise_sigma,
            unreadable_retries,
            ..config
        },
    )
}

/// Instances of drawn [`config`].
pub fn instance() -> impl Strategy<Value = Instance> {
    (config(), any::<u64>(), 0_u64..13).prop_filter_map("a scenario", |(config, run, index)| {
        Instance::generate(&config, Episode::of_run(Seed(run), index)).ok()
    })
}

/// Authored and generated scenarios.
pub fn scenario() -> impl Strategy<Value = Scenario> {
    prop_oneof![
        select(AUTHORED_IDS.to_vec())
            .prop_filter_map("an authored id", |id| authored().scenario(id).cloned()),
        any::<u64>().prop_filter_map("a scenario", |seed| {
            let made = generate(Seed(seed), &GeneratorConfig::default()).ok()?;
            Some(made.scenario)
        }),
    ]
}

/// Signed moves by unit, in quarters of a point and often 0 \[pp\]; they need not balance.
pub fn deltas() -> impl Strategy<Value = [f64; MAX_UNITS]> {
    prop::array::uniform8(prop_oneof![
        Just(0.0),
        (-80..80_i32).prop_map(|quarters| f64::from(quarters) / 4.0)
    ])
}

/// Actions of the first seat of `instance`: the chief executive's plans (valid ones, and ones that break
/// limits) and moves; in deliberation, an empty report of the first advisor.
pub fn action(instance: &Instance) -> impl Strategy<Value = Action> + use<> {
    let deliberates = instance.config.visibility == Visibility::Deliberation;
    let scorer = Scorer::new(&instance.scenario, &instance.config.scoring).ok();
    (0_u8..3, deltas(), any::<u64>()).prop_filter_map("a scorer", move |(kind, deltas, seed)| {
        if deliberates {
            return Some(Action::Report(AdvisorReport::default()));
        }
        let scorer = scorer.as_ref()?;
        let moves = match kind {
            0 => return Some(Action::Moves(deltas.to_vec())),
            1 => Moves::from_deltas(&deltas),
            _ => random_moves(scorer, &mut Seed(seed).stream("plan", 0)).unwrap_or_default(),
        };
        Some(Action::Plan(scorer.plan(
            &moves,
            DecisionType::Moderate,
            "",
        )))
    })
}
