//! The test that every simulator starts from.
//!
//! ```text
//! #[test]
//! fn contract() {
//!     let report = sim_core::testkit::check_contract(&BeerGame).unwrap();
//!     assert!(report.episodes > 0);
//! }
//! ```
//!
//! [`check_contract`] plays every policy of every preset, with the default cast in the seats that are not under
//! test, and checks what the contract promises:
//! records verify and survive JSON, one altered entry is noticed, the same seed gives the same
//! bytes, snapshots and forks continue identically, an interrupted episode resumes to the same record, a
//! restarted period equals its beginning, refusals change nothing, forfeits lead to a scored end, no score
//! exceeds its bound, and batch lanes equal single episodes.

mod batch;
mod hostile;
mod lanes;
mod optimal;
mod play;
mod plots;
mod restart;

pub use hostile::hostile_values;
pub use optimal::check_optimal;
pub use play::{play, play_typed, play_with};
pub use plots::{check_plots, play_plots};

use crate::dyn_spec::{DynEnvironmentSpec, DynInstance};
use crate::score::Effort;
use crate::seed::Seed;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::fmt::Debug;
use strum::VariantArray;

/// The environment variable that makes slow tests run in full.
pub const SLOW_TESTS: &str = "SLOW_TESTS";

/// The size of a slow test: `full` if the environment variable `SLOW_TESTS` is set, as `cargo xtask
/// ci` does, else `small`.
///
/// A test that needs more than a few seconds has a small form, which covers the same code, so that
/// `cargo test` takes minutes and not hours.
#[must_use]
pub fn small_or_full<T>(small: T, full: T) -> T {
    if std::env::var_os(SLOW_TESTS).is_some() {
        full
    } else {
        small
    }
}

/// The size of the full form of a slow test: `all` if the environment variable `SLOW_TESTS` is `all`, else
/// `full`. For searches that would take `cargo xtask ci` more than an hour.
#[must_use]
pub fn full_or_all<T>(full: T, all: T) -> T {
    if std::env::var_os(SLOW_TESTS).is_some_and(|value| value == "all") {
        all
    } else {
        full
    }
}

/// Asserts that every variant of an enum is read and written under the name that [`strum`] gives it: the attributes
/// of both derive it, and each could be changed alone.
pub fn check_names<E>()
where
    E: VariantArray + Copy + PartialEq + Debug + Serialize + DeserializeOwned + Into<&'static str>,
{
    for variant in E::VARIANTS {
        let name: &str = (*variant).into();
        let is_same = serde_json::to_value(variant).is_ok_and(|written| written == name)
            && serde_json::from_value::<E>(name.into()).is_ok_and(|read| read == *variant);
        assert!(is_same, "{variant:?} is not `{name}` in JSON");
    }
}

/// Counts of [`check_contract`]; a test may assert that none of them is zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ContractReport {
    /// Presets (or configurations) checked.
    pub presets: usize,
    /// Episodes played by policies.
    pub episodes: usize,
    /// Hostile inputs tried.
    pub hostile: usize,
    /// Batch steps compared with single steps.
    pub batch_steps: usize,
}

/// Checks every preset and policy of an environment.
///
/// # Errors
/// Names the broken promise, the preset and the policy.
pub fn check_contract(spec: &dyn DynEnvironmentSpec) -> Result<ContractReport, String> {
    let mut report = ContractReport::default();
    for preset in spec.preset_list() {
        let one = check_preset(spec, preset.name)?;
        report.presets += one.presets;
        report.episodes += one.episodes;
        report.hostile += one.hostile;
        report.batch_steps += one.batch_steps;
    }
    Ok(report)
}

/// Checks every policy of one preset.
///
/// # Errors
/// Names the preset, the broken promise and the policy.
pub fn check_preset(spec: &dyn DynEnvironmentSpec, preset: &str) -> Result<ContractReport, String> {
    let config = spec.configure(Some(preset), &[]);
    let report = config
        .map_err(|e| e.to_string())
        .and_then(|config| check_config(spec, &config));
    report.map_err(|e| format!("{} preset `{preset}`: {e}", spec.name()))
}

/// Checks every policy of one configuration, which need not be that of a preset.
///
/// # Errors
/// Names the broken promise and the policy.
pub fn check_config(
    spec: &dyn DynEnvironmentSpec,
    config: &Value,
) -> Result<ContractReport, String> {
    let run = Seed(2_024);
    let instance = spec.draw(config, run, 0).map_err(|e| e.to_string())?;
    let again = spec.draw(config, run, 0).map_err(|e| e.to_string())?;
    expect(
        instance.digest() == again.digest(),
        "one seed draws two different instances",
    )?;
    let loaded = spec.load(instance.instance()).map_err(|e| e.to_string())?;
    expect(
        instance.digest() == loaded.digest(),
        "an instance changes when it is written and read",
    )?;
    let mut report = check_instance(spec, &*instance)?;
    report.presets = 1;
    report.batch_steps += batch::check(spec, config)?;
    report.batch_steps += lanes::check(spec, config)?;
    Ok(report)
}

/// Checks every policy on one instance, for environments whose first instance does not have all kinds of turns.
///
/// # Errors
/// Names the broken promise and the policy.
pub fn check_instance(
    spec: &dyn DynEnvironmentSpec,
    instance: &dyn DynInstance,
) -> Result<ContractReport, String> {
    let reference = instance.reference(Effort::Quick);
    let mut report = ContractReport::default();
    let mut first = None;
    for policy in spec.policy_list() {
        let name = match policy.example {
            Some(example) => format!("{}:{example}", policy.name),
            None => policy.name.to_owned(),
        };
        if play::is_aside(spec, instance, &name)? {
            continue;
        }
        let record = play::check_policy(spec, instance, &reference, &name)
            .map_err(|e| format!("policy `{name}`: {e}"))?;
        first.get_or_insert(record);
        report.episodes += 1;
    }
    report.hostile += hostile::check(instance, first.as_ref())?;
    hostile::check_forfeits(instance)?;
    Ok(report)
}

fn expect(holds: bool, broken: &str) -> Result<(), String> {
    if holds {
        Ok(())
    } else {
        Err(broken.to_owned())
    }
}
