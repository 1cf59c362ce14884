//! The environments of this package by name.

use crate::error::value_error;
use pyo3::prelude::*;
use serde_json::{Value, json};
use sim_core::stats::normalise;
use sim_core::{ConfigError, DynEnvironmentSpec, Effort, Episode, Limits, Seed};
use std::sync::{Arc, OnceLock};

/// All environments, in the order of their names.
fn all() -> &'static [Arc<dyn DynEnvironmentSpec>] {
    // For the life of the process, because the classes of Python hold references and can have no
    // lifetime of Rust.
    static ALL: OnceLock<Vec<Arc<dyn DynEnvironmentSpec>>> = OnceLock::new();
    ALL.get_or_init(|| {
        vec![
            Arc::new(beer_game::Spec),
            Arc::new(ceo_reallocation::Spec),
            Arc::new(econ_envs::litmus::collusion::Spec),
            Arc::new(econ_envs::litmus::efficiency::Spec),
            Arc::new(econ_envs::litmus::patience::Spec),
            Arc::new(econ_envs::pricing::Spec),
            Arc::new(econ_envs::procurement::Spec),
            Arc::new(econ_envs::scheduling::Spec),
            Arc::new(edt::Spec),
            Arc::new(enterprise_sandbox::Spec::default()),
        ]
    })
}

/// The environment called `name`.
pub(crate) fn find(name: &str) -> PyResult<&'static dyn DynEnvironmentSpec> {
    let found = all().iter().find(|spec| spec.name() == name);
    found.map(|spec| &**spec).ok_or_else(|| {
        let names: Vec<_> = all().iter().map(|spec| spec.name()).collect();
        value_error(format!(
            "there is no environment `{name}`; there are {}",
            names.join(", ")
        ))
    })
}

/// The configuration of a preset with single values replaced. `settings` is a JSON object of dotted
/// paths and values, or a whole configuration under the key `""`.
pub(crate) fn configure(
    spec: &dyn DynEnvironmentSpec,
    preset: Option<&str>,
    settings: &str,
) -> PyResult<Value> {
    let settings = read(settings)?;
    let pairs: Vec<(String, Value)> = match settings {
        Value::Null => Vec::new(),
        Value::Object(mut map) => {
            // No setting has an empty path, so one text carries a whole configuration or changes of
            // a preset.
            if let Some(whole) = map.remove("") {
                if let Some((path, _)) = map.iter().next() {
                    return Err(value_error(format!(
                        "settings have a whole configuration (``) and `{path}`; change `{path}` in the configuration"
                    )));
                }
                spec.check_config(&whole).map_err(value_error)?;
                return Ok(whole);
            }
            map.into_iter().collect()
        }
        _ => {
            return Err(value_error(
                "settings must be an object of paths and values",
            ));
        }
    };
    spec.configure(preset, &pairs).map_err(value_error)
}

/// JSON text as a value; empty text is null.
pub(crate) fn read(text: &str) -> PyResult<Value> {
    if text.is_empty() {
        return Ok(Value::Null);
    }
    serde_json::from_str(text).map_err(value_error)
}

/// Names of all environments, as JSON.
#[pyfunction]
pub(crate) fn environments() -> String {
    let names: Vec<_> = all().iter().map(|spec| spec.name()).collect();
    json!(names).to_string()
}

/// What is known about an environment before it is played, as JSON.
#[pyfunction]
pub(crate) fn describe(name: &str) -> PyResult<String> {
    let spec = find(name)?;
    let presets = spec.preset_list();
    let described = json!({
        "name": spec.name(),
        "version": spec.version(),
        "about": spec.about().about,
        "unit": spec.unit(),
        "sense": spec.sense(),
        "ranked": spec.is_ranked(),
        "presets": presets,
        "policies": spec.policy_list(),
        "suites": spec.suite_names(),
        "settings": spec.config_schema(),
    });
    Ok(described.to_string())
}

/// The reference of episode `episode` of the run with seed `seed`, as JSON; with `value`, also where this
/// score lies between the baseline and the reference.
#[pyfunction]
#[pyo3(signature = (name, config, seed, episode, value=None, search=false))]
pub(crate) fn reference(
    py: Python<'_>,
    name: &str,
    config: &str,
    seed: u64,
    episode: u64,
    value: Option<f64>,
    search: bool,
) -> PyResult<String> {
    let spec = find(name)?;
    let config = read(config)?;
    let effort = if search {
        Effort::Search
    } else {
        Effort::Quick
    };
    // A search may take seconds; other threads of Python go on meanwhile.
    let found = py.detach(|| {
        let instance = spec.draw(&config, Seed(seed), episode)?;
        Ok::<_, ConfigError>(instance.reference(effort))
    });
    let found = found.map_err(value_error)?;
    let placed = value.map(|value| normalise(value, &found, spec.sense()));
    Ok(json!({"reference": found, "placed": placed}).to_string())
}

/// The pictures of the episode of a record, as JSON: series with names and units.
#[pyfunction]
pub(crate) fn plots(py: Python<'_>, name: &str, config: &str, record: &str) -> PyResult<String> {
    let spec = find(name)?;
    let config = read(config)?;
    let record: sim_core::EpisodeRecord = serde_json::from_str(record).map_err(value_error)?;
    let plots = py.detach(|| {
        let header = &record.header;
        // A record holds the digest of its configuration and not the configuration, so the caller
        // gives it.
        spec.draw(&config, header.seed, header.episode)?
            .plots(&record)
    });
    Ok(json!(plots.map_err(value_error)?).to_string())
}

/// One SVG of plots, which are JSON, one below the other; `None` if there is nothing to draw.
#[pyfunction]
pub(crate) fn draw(title: &str, plots: &str) -> PyResult<Option<String>> {
    let plots: Vec<sim_core::Plot> = serde_json::from_str(plots).map_err(value_error)?;
    for plot in &plots {
        // The caller may have changed them, or made them by hand.
        plot.check().map_err(value_error)?;
    }
    pictures::as_file(title, &plots).map_err(value_error)
}

/// The score of a built-in policy in an episode.
#[pyfunction]
pub(crate) fn policy_score(
    py: Python<'_>,
    name: &str,
    config: &str,
    seed: u64,
    episode: u64,
    policy: &str,
) -> PyResult<f64> {
    let spec = find(name)?;
    let config = read(config)?;
    py.detach(|| play(spec, &config, Seed(seed), episode, policy))
        .map_err(value_error)
}

fn play(
    spec: &dyn DynEnvironmentSpec,
    config: &Value,
    run: Seed,
    episode: u64,
    policy: &str,
) -> Result<f64, ConfigError> {
    let instance = spec.draw(config, run, episode)?;
    let seed = Episode::of_run(run, episode).seed;
    // As `boardroom run` plays it, seeds and the cast of other seats included.
    let played = instance.rollout(
        policy,
        &|seat| seed.of_policy(seat),
        Effort::Quick,
        Limits::default(),
    )?;
    played.map(|played| played.score.value()).ok_or_else(|| {
        ConfigError::new("agent", "policies play this environment in a session only")
    })
}
