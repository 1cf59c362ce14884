//! `Lanes`: episodes stepped together over numpy arrays.

use crate::error::value_error;
use crate::registry::{configure, find, read};
use crate::scale::{MOST, Scale};
use numpy::{
    IntoPyArray as _, PyArray1, PyReadonlyArray1, PyReadonlyArrayDyn, PyReadwriteArray1,
    PyReadwriteArrayDyn, PyUntypedArrayMethods as _,
};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyType};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sim_core::{Autoreset, ConfigError, DynEnvironmentSpec, Lanes as Core, Seed};

/// Lanes below this number step faster than Python's lock is released and taken again.
const WORTH_RELEASING: usize = 256;

/// Episodes of one environment that are stepped together, one after the other in each lane.
#[pyclass(module = "boardroom._native")]
pub(crate) struct Lanes {
    spec: &'static dyn DynEnvironmentSpec,
    core: Core,
    scale: Scale,
    numbers: Numbers,
    /// Actions in units, where those of the caller are scaled.
    actions: Vec<f32>,
}

/// The numbers that the caller exchanges with the lanes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Numbers {
    /// Whether observations and actions are scaled.
    scale: bool,
    reward: RewardKind,
}

/// What rewards are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum RewardKind {
    /// Divided by the typical size of a step's reward.
    Scaled,
    /// In the unit of the score.
    Raw,
    /// Normalised scores, which the package makes of those in the unit of the score: they need references.
    Score,
}

/// Lanes as bytes.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Saved {
    lanes: Value,
    // A part of the state: a policy that learnt on scaled numbers would otherwise go on with
    // others.
    numbers: Numbers,
}

/// One of the names of a setting.
fn named<T: serde::de::DeserializeOwned>(setting: &str, names: &str, name: &str) -> PyResult<T> {
    serde_json::from_value(Value::from(name))
        .map_err(|_| value_error(format!("{setting} is {names}, not '{name}'")))
}

/// The numbers of a contiguous array.
fn numbers<'a, T: numpy::Element>(
    array: &'a PyReadonlyArrayDyn<'_, T>,
    name: &str,
) -> PyResult<&'a [T]> {
    // `as_slice` takes columns side by side too, which would be read in the wrong order.
    if !array.is_c_contiguous() {
        return Err(contiguous(name));
    }
    array.as_slice().map_err(|_| contiguous(name))
}

fn numbers_mut<'a, T: numpy::Element>(
    array: &'a mut PyReadwriteArrayDyn<'_, T>,
    name: &str,
) -> PyResult<&'a mut [T]> {
    if !array.is_c_contiguous() {
        return Err(contiguous(name));
    }
    array.as_slice_mut().map_err(|_| contiguous(name))
}

fn contiguous(name: &str) -> PyErr {
    value_error(format!("{name} must be a C-contiguous array"))
}

impl Lanes {
    fn of(core: Core, spec: &'static dyn DynEnvironmentSpec, numbers: Numbers) -> Self {
        let layout = core.layout();
        Self {
            spec,
            scale: Scale::new(layout),
            actions: vec![0.0; layout.action_len()],
            numbers,
            core,
        }
    }

    fn count(&self) -> usize {
        self.core.layout().lanes
    }

    fn advance(
        &mut self,
        given: &[f32],
        obs: &mut [f32],
        rewards: &mut [f64],
        ended: &mut [bool],
    ) -> Result<usize, sim_core::lanes::StepError> {
        // An array of another length goes on as it is: `step` refuses it with both lengths.
        let actions = if self.numbers.scale && given.len() == self.actions.len() {
            self.scale.actions(given, &mut self.actions);
            &self.actions
        } else {
            given
        };
        let stepped = self.core.step(actions, obs, rewards, ended)?;
        if self.numbers.scale {
            self.scale.observations(obs);
        }
        if self.numbers.reward == RewardKind::Scaled {
            self.scale.rewards(rewards);
        }
        Ok(stepped.ended)
    }
}

#[pymethods]
impl Lanes {
    #[new]
    #[pyo3(signature = (environment, preset, settings, lanes, autoreset, scale, reward))]
    fn new(
        environment: &str,
        preset: Option<&str>,
        settings: &str,
        lanes: usize,
        autoreset: &str,
        scale: bool,
        reward: &str,
    ) -> PyResult<Self> {
        let autoreset: Autoreset = named(
            "autoreset",
            "'next_step', 'same_step' or 'disabled'",
            autoreset,
        )?;
        let reward = named("reward", "'scaled', 'raw' or 'score'", reward)?;
        let spec = find(environment)?;
        let config = configure(spec, preset, settings)?;
        let core = Core::new(spec, &config, lanes, autoreset).map_err(value_error)?;
        let core = core.ok_or_else(|| {
            value_error(format!(
                "`{environment}` has no form as numbers with these settings; \
                 boardroom.Game plays it with text and tools, boardroom.zoo its seats"
            ))
        })?;
        Ok(Self::of(core, spec, Numbers { scale, reward }))
    }

    /// Shapes, units and meanings of the arrays, as JSON.
    fn layout(&self) -> String {
        json!({
            "layout": self.core.layout(),
            "largest_scaled": MOST,
            "environment": self.spec.name(),
            "version": self.spec.version(),
            "sense": self.spec.sense(),
            "unit": self.spec.unit(),
            "autoreset": self.core.mode(),
            "numbers": self.numbers,
        })
        .to_string()
    }

    /// The configuration, as JSON.
    fn config(&self) -> String {
        self.core.config().to_string()
    }

    /// Lane k begins episode k of the run with this seed.
    fn reset(&mut self, py: Python<'_>, seed: u64) -> PyResult<()> {
        py.detach(|| self.core.reset(Seed(seed)))
            .map_err(value_error)
    }

    /// Every lane begins episode 0 of a run of its own.
    fn reset_each(&mut self, py: Python<'_>, seeds: Vec<u64>) -> PyResult<()> {
        let seeds: Vec<Seed> = seeds.into_iter().map(Seed).collect();
        py.detach(|| self.core.reset_each(&seeds))
            .map_err(value_error)
    }

    /// The lanes of the mask begin the given episodes, or their next ones.
    #[pyo3(signature = (mask, episodes=None))]
    fn reset_lanes(
        &mut self,
        mask: PyReadonlyArray1<'_, bool>,
        episodes: Option<Vec<u64>>,
    ) -> PyResult<()> {
        let mask = mask.as_slice().map_err(|_| contiguous("mask"))?;
        self.core
            .reset_lanes(mask, episodes.as_deref())
            .map_err(value_error)
    }

    /// Writes the observations.
    fn observe(&self, mut obs: PyReadwriteArrayDyn<'_, f32>) -> PyResult<()> {
        let obs = numbers_mut(&mut obs, "obs")?;
        self.core.observe_into(obs).map_err(value_error)?;
        if self.numbers.scale {
            self.scale.observations(obs);
        }
        Ok(())
    }

    /// One action per lane; returns the number of episodes that ended.
    fn step(
        &mut self,
        py: Python<'_>,
        actions: PyReadonlyArrayDyn<'_, f32>,
        mut obs: PyReadwriteArrayDyn<'_, f32>,
        mut rewards: PyReadwriteArray1<'_, f64>,
        mut ended: PyReadwriteArray1<'_, bool>,
    ) -> PyResult<usize> {
        let actions = numbers(&actions, "actions")?;
        let obs = numbers_mut(&mut obs, "obs")?;
        let rewards = rewards.as_slice_mut().map_err(|_| contiguous("rewards"))?;
        let ended = ended.as_slice_mut().map_err(|_| contiguous("ended"))?;
        // Several objects may be stepped in several threads, but only where a step takes longer
        // than handing over the lock.
        let stepped = if self.count() < WORTH_RELEASING {
            self.advance(actions, obs, rewards, ended)
        } else {
            py.detach(|| self.advance(actions, obs, rewards, ended))
        };
        stepped.map_err(value_error)
    }

    /// Writes the final observations of the last step (of lanes that reset in the same step).
    fn final_observations(&self, mut obs: PyReadwriteArrayDyn<'_, f32>) -> PyResult<()> {
        let obs = numbers_mut(&mut obs, "obs")?;
        let finals = &self.core.finals().obs;
        sim_core::ShapeError::check("obs", obs.len(), finals.len()).map_err(value_error)?;
        obs.copy_from_slice(finals);
        if self.numbers.scale {
            self.scale.observations(obs);
        }
        Ok(())
    }

    /// Scores, lengths and numbers of the episodes that ended in the last step; only the entries of their
    /// lanes have a meaning.
    #[expect(clippy::type_complexity, reason = "three arrays")]
    fn finals<'py>(
        &self,
        py: Python<'py>,
    ) -> (
        Bound<'py, PyArray1<f64>>,
        Bound<'py, PyArray1<u32>>,
        Bound<'py, PyArray1<u64>>,
    ) {
        let finals = self.core.finals();
        (
            // Copies, because the next step writes over them.
            finals.scores.clone().into_pyarray(py),
            finals.lengths.clone().into_pyarray(py),
            finals.episodes.clone().into_pyarray(py),
        )
    }

    /// For each of these episodes, the number of entries of its actions that were clipped.
    fn clipped<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u32>> {
        self.core.finals().clipped.clone().into_pyarray(py)
    }

    /// The seeds of the runs and the numbers of the episodes that the lanes play.
    fn episodes<'py>(
        &self,
        py: Python<'py>,
    ) -> (Bound<'py, PyArray1<u64>>, Bound<'py, PyArray1<u64>>) {
        let places = (0..self.count()).filter_map(|lane| self.core.episode(lane));
        let (seeds, episodes): (Vec<u64>, Vec<u64>) =
            places.map(|(seed, episode)| (seed.0, episode)).unzip();
        (seeds.into_pyarray(py), episodes.into_pyarray(py))
    }

    /// The score of a lane so far.
    fn value(&self, lane: usize) -> Option<f64> {
        self.core.value(lane)
    }

    /// Whether the episode of a lane is over.
    fn is_over(&self, lane: usize) -> bool {
        self.core.is_over(lane)
    }

    /// The typed action, as JSON, that an action vector of one lane stands for.
    fn action_value(&self, action: PyReadonlyArray1<'_, f32>) -> PyResult<String> {
        let given = action.as_slice().map_err(|_| contiguous("action"))?;
        let mut units = given.to_vec();
        if self.numbers.scale {
            self.scale.actions(given, &mut units);
        }
        Ok(self.core.action_value(&units).to_string())
    }

    /// The record of the episode that a lane plays, as JSON.
    fn record(&self, lane: usize, agent: &str) -> PyResult<String> {
        let record = self.core.record(self.spec, lane, agent);
        let record = record.map_err(value_error)?;
        Ok(sim_core::bytes::json(&record).to_string())
    }

    /// An independent copy that continues identically.
    fn fork(&self) -> Self {
        Self::of(self.core.clone(), self.spec, self.numbers)
    }

    /// The whole state as bytes (JSON text).
    fn snapshot<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        let saved = Saved {
            lanes: self.core.snapshot(),
            numbers: self.numbers,
        };
        PyBytes::new(py, sim_core::bytes::json(&saved).to_string().as_bytes())
    }

    /// The lanes of a snapshot.
    #[classmethod]
    fn restore(_class: &Bound<'_, PyType>, py: Python<'_>, snapshot: &[u8]) -> PyResult<Self> {
        let text = std::str::from_utf8(snapshot).map_err(value_error)?;
        let Saved { lanes, numbers } = sim_core::error::read(&read(text)?).map_err(value_error)?;
        // The environment comes first: only it can read the rest. By its name, because a reference to a specification of
        // this process means nothing in the one that unpickles.
        let name = lanes.get("environment").and_then(Value::as_str);
        let name = name
            .ok_or_else(|| value_error(ConfigError::new("lanes.environment", "must be a name")))?;
        let spec = find(name)?;
        let core = py
            .detach(|| Core::restore(spec, &lanes))
            .map_err(value_error)?;
        Ok(Self::of(core, spec, numbers))
    }
}
