//! Strategies for property tests: configurations, instances and actions (feature `proptest`).

use super::action::Action;
use super::config::Config;
use super::instance::Instance;
use proptest::prelude::*;

/// Valid configurations of up to 480 questions.
pub fn config() -> impl Strategy<Value = Config> {
    (1..3_u32, 2..21_u32).prop_map(|(repeats, every)| Config { repeats, every })
}

/// Instances of [`config`].
pub fn instance() -> impl Strategy<Value = Instance> {
    config().prop_map(|config| Instance { config })
}

/// Any answer.
pub fn action(_instance: &Instance) -> impl Strategy<Value = Action> + use<> {
    prop_oneof![
        Just(Action::Now),
        Just(Action::Later),
        Just(Action::Unreadable)
    ]
}
