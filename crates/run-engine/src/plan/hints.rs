//! Refusals of names and settings, with what was probably meant.

use crate::error::RunError;
use crate::executor::PYTHON;
use crate::plan::agent::{AgentSpec, meant_model};
use crate::registry::nearest;
use qa_scoring::env::EXECUTOR;
use serde_json::Value;
use sim_core::{DynEnvironmentSpec, DynInstance, Seat, Seed};

/// The configuration of a preset with settings, as [`DynEnvironmentSpec::configure`] makes it.
///
/// # Errors
/// As there; names the preset that was probably meant.
pub fn configure(
    kind: &dyn DynEnvironmentSpec,
    preset: Option<&str>,
    settings: &[(String, Value)],
) -> Result<Value, RunError> {
    kind.configure(preset, settings).map_err(|mut e| {
        let presets = kind.preset_list();
        // Only where the preset is unknown: otherwise the error is about a setting.
        if let Some(name) = preset.filter(|name| presets.iter().all(|p| p.name != *name)) {
            let known = presets.iter().map(|preset| preset.name);
            e.message += &did_you_mean(name, known);
        }
        e.into()
    })
}

/// A refused agent, with the policy that was probably meant.
pub(crate) fn agent_refused(
    kind: &dyn DynEnvironmentSpec,
    agent: &AgentSpec,
    refusal: RunError,
) -> RunError {
    let AgentSpec::Policy(text) = agent else {
        return refusal;
    };
    let name = text.split_once(':').map_or(text.as_str(), |(name, _)| name);
    let policies = kind.policy_list();
    // The name exists, so it was the argument that was refused.
    if policies.iter().any(|policy| policy.name == name) {
        return refusal;
    }
    if let Some(model) = meant_model(text) {
        return RunError::usage(format!(
            "`{}` is not a policy; a model is named with its API: `--agent {model}`",
            sim_core::error::clip(text)
        ));
    }
    let known = policies.iter().map(|policy| policy.name);
    let meant = did_you_mean(name, known);
    RunError::usage(format!("{refusal}{meant}"))
}

/// The refusal of a policy at a seat that is not under test, with the agents that this seat may have.
pub(crate) fn not_of_seat(
    kind: &dyn DynEnvironmentSpec,
    case: &dyn DynInstance,
    seat: &Seat,
    agent: &str,
) -> RunError {
    let policies = kind.policy_list().into_iter().filter(|policy| {
        // With an argument, as a policy that needs one is refused without it, whatever the seat.
        let name = match policy.example {
            Some(example) => format!("{}:{example}", policy.name),
            None => policy.name.to_owned(),
        };
        case.policy(&name, seat, Seed(0)).is_ok()
    });
    let other = if *seat == EXECUTOR {
        format!("`{PYTHON}`")
    } else {
        "a model".to_owned()
    };
    let agents: Vec<String> = std::iter::once(other)
        .chain(policies.map(|policy| format!("`{}`", policy.name)))
        .collect();
    RunError::usage(format!(
        "`{}` cannot play this seat of `{}`; it takes {}",
        sim_core::error::clip(agent),
        kind.name(),
        agents.join(" or ")
    ))
}

/// A refused suite, with those that there are where the refusal does not say it.
pub(crate) fn suite_refused(
    kind: &dyn DynEnvironmentSpec,
    suite: Option<&str>,
    refusal: RunError,
) -> RunError {
    let suites = kind.suite_names();
    let Some(name) = suite.filter(|name| !suites.contains(name)) else {
        return refusal;
    };
    let more = if suites.is_empty() {
        "; it has no suites; --preset chooses one of its presets".to_owned()
    } else {
        did_you_mean(name, suites.iter().copied())
    };
    RunError::usage(format!("{refusal}{more}"))
}

fn did_you_mean<'a>(name: &str, known: impl Iterator<Item = &'a str> + Clone) -> String {
    nearest(name, known).map_or_else(String::new, |near| format!("; did you mean `{near}`?"))
}
