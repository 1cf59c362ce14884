//! Lanes that play one episode after the other, as learners use them.
//!
//! A [`BatchEnvironment`] steps episodes and stops at their ends. [`Lanes`] adds what is the same for all
//! simulators: the episode that each lane plays next, resets by themselves in the three modes of Gymnasium,
//! the final observation and score, snapshots, and the record of an episode.
//!
//! ```
//! # use sim_core::{Autoreset, DynEnvironmentSpec, Lanes, Seed};
//! # fn show(spec: &dyn DynEnvironmentSpec) -> Result<(), Box<dyn std::error::Error>> {
//! let config = spec.configure(None, &[])?;
//! let mut lanes = Lanes::new(spec, &config, 8, Autoreset::NextStep)?.ok_or("no batch form")?;
//! lanes.reset(Seed(7))?; // lane k plays episode k of seed 7, then k + 8, k + 16, ...
//! let layout = lanes.layout().clone();
//! let (mut obs, mut rewards, mut ended) = (vec![0.0; layout.observation_len()], vec![0.0; 8], vec![false; 8]);
//! lanes.step(&vec![0.0; layout.action_len()], &mut obs, &mut rewards, &mut ended)?;
//! # Ok(())
//! # }
//! ```

use crate::batch::{BatchEnvironment, BatchLayout, no_lane};
use crate::bytes::{Digest, canonical_text};
use crate::dyn_spec::DynEnvironmentSpec;
use crate::error::{ConfigError, ShapeError, read};
use crate::limits::Limits;
use crate::record::{EpisodeRecord, Header};
use crate::seed::Seed;
use crate::session::Session;
use crate::spec::Episode;
use crate::tool::Input;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt;

/// When a lane whose episode has ended begins the next one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Autoreset {
    /// In the next step, which ignores the lane's action and returns the first observation and reward 0.
    #[default]
    NextStep,
    /// In the same step: its observation is the first one of the next episode, and the final one is in
    /// [`Finals`].
    SameStep,
    /// Never. The caller resets it; a step before that is an error.
    Disabled,
}

/// A step that was refused. No lane has moved.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum StepError {
    /// A buffer has the wrong length.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// An action is NaN or infinite.
    #[error("the action of lane {lane} has `{value}` in field {field}; it must be a finite number")]
    NotFinite {
        /// The lane.
        lane: usize,
        /// Number of the field in the action.
        field: usize,
        /// The value.
        value: f32,
    },
    /// A lane has ended and resets are off.
    #[error("the episode of lane {lane} is over; reset the lane before the next step")]
    Over {
        /// The lane.
        lane: usize,
    },
    /// The next episode of a lane cannot be drawn.
    #[error(transparent)]
    Episode(#[from] ConfigError),
}

/// The ends of the last step; only the entries of lanes that ended in it have a meaning.
#[derive(Debug, Clone, PartialEq)]
pub struct Finals {
    /// The final observation of each lane, one after the other; written with [`Autoreset::SameStep`] only,
    /// because otherwise the observation itself is the final one.
    pub obs: Vec<f32>,
    /// The score of the episode \[unit of the score\].
    pub scores: Vec<f64>,
    /// Steps in the episode.
    pub lengths: Vec<u32>,
    /// Number of the episode in its run.
    pub episodes: Vec<u64>,
    /// Numbers of actions in the episode that were outside of the range of their field and were clipped to it.
    pub clipped: Vec<u32>,
    /// Number of lanes that ended.
    pub count: usize,
}

/// What [`Lanes::step`] did to the lanes in total.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stepped {
    /// Number of episodes that ended; their lanes are marked in the buffer of ends.
    pub ended: usize,
}

/// The episode that a lane plays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Place {
    run: Seed,
    episode: u64,
    /// Steps played, and the number of the first one.
    played: u32,
    since: u64,
    over: bool,
    /// Numbers of its actions that were clipped.
    clipped: u32,
}

/// The actions of the episodes that run, from which snapshots and records are made.
#[derive(Debug, Clone, Default)]
struct Log {
    /// A ring with the actions of the last steps, one step after the other.
    rows: Vec<f32>,
    /// Numbers of a step, and steps in the ring.
    width: usize,
    steps: u64,
}

impl Log {
    fn row(&self, step: u64) -> std::ops::Range<usize> {
        #[expect(clippy::cast_possible_truncation, reason = "smaller than the ring")]
        let row = step.checked_rem(self.steps).unwrap_or(0) as usize;
        row * self.width..(row + 1) * self.width
    }

    fn put(&mut self, step: u64, actions: &[f32]) {
        let range = self.row(step);
        // The ring has as many rows as the longest episode has steps, so the row that is replaced
        // belongs to an episode that is over.
        if self.rows.len() < range.end {
            // Grows to its full length during the first episode, so that lanes which are never
            // stepped cost nothing.
            self.rows.resize(range.end, 0.0);
        }
        if let Some(row) = self.rows.get_mut(range) {
            row.copy_from_slice(actions);
        }
    }
}

/// Lanes of one environment that play one episode after the other.
pub struct Lanes {
    batch: Box<dyn BatchEnvironment>,
    environment: String,
    version: u32,
    config: Value,
    mode: Autoreset,
    /// How many episodes further a lane goes after each end.
    stride: u64,
    places: Vec<Place>,
    log: Log,
    /// Steps so far.
    step: u64,
    finals: Finals,
    /// Range of every number of the actions of a step.
    low: Vec<f32>,
    high: Vec<f32>,
}

/// A saved [`Lanes`]: the episode of every lane and its actions so far.
// Not the states of the simulators: an episode and its actions give the state again, bit for bit, and this
// form is the same for all of them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Snapshot {
    environment: String,
    version: u32,
    config: Value,
    autoreset: Autoreset,
    stride: u64,
    lanes: Vec<SavedLane>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SavedLane {
    run: Seed,
    episode: u64,
    actions: Vec<f32>,
}

impl Lanes {
    /// `lanes` lanes of an environment, at the episodes of [`reset`](Self::reset) with seed 0. `None` when
    /// the configuration has no batch form.
    ///
    /// # Errors
    /// When the configuration cannot be used, or has steps without actions.
    pub fn new(
        spec: &dyn DynEnvironmentSpec,
        config: &Value,
        lanes: usize,
        mode: Autoreset,
    ) -> Result<Option<Self>, ConfigError> {
        let run = Seed(0);
        let Some(batch) = spec.new_batch(config, lanes, run)? else {
            return Ok(None);
        };
        let layout = batch.layout();
        let log = Log {
            rows: Vec::new(),
            width: layout.action_len(),
            steps: u64::from(layout.horizon).max(1),
        };
        let finals = Finals {
            obs: vec![0.0; layout.observation_len()],
            scores: vec![0.0; lanes],
            lengths: vec![0; lanes],
            episodes: vec![0; lanes],
            clipped: vec![0; lanes],
            count: 0,
        };
        let fields = || layout.action.iter().cycle().take(layout.action_len());
        let low = fields().map(|field| field.low).collect();
        let high = fields().map(|field| field.high).collect();
        let place = |lane: usize| Place {
            run,
            episode: lane as u64,
            played: 0,
            since: 0,
            over: false,
            clipped: 0,
        };
        Ok(Some(Self {
            environment: spec.name().to_owned(),
            version: spec.version(),
            config: config.clone(),
            mode,
            stride: lanes as u64,
            places: (0..lanes).map(place).collect(),
            log,
            step: 0,
            finals,
            low,
            high,
            batch,
        }))
    }

    /// Shapes and meanings of the buffers.
    #[must_use]
    pub fn layout(&self) -> &BatchLayout {
        self.batch.layout()
    }

    /// The mode of resets.
    #[must_use]
    pub fn mode(&self) -> Autoreset {
        self.mode
    }

    /// The configuration that all lanes play.
    #[must_use]
    pub fn config(&self) -> &Value {
        &self.config
    }

    /// The ends of the last step.
    #[must_use]
    pub fn finals(&self) -> &Finals {
        &self.finals
    }

    /// The run and the number of the episode that a lane plays, or has just ended.
    #[must_use]
    pub fn episode(&self, lane: usize) -> Option<(Seed, u64)> {
        self.places
            .get(lane)
            .map(|place| (place.run, place.episode))
    }

    /// Whether a lane's episode is over.
    #[must_use]
    pub fn is_over(&self, lane: usize) -> bool {
        self.places.get(lane).is_none_or(|place| place.over)
    }

    /// The score of a lane so far \[unit of the score\].
    #[must_use]
    pub fn value(&self, lane: usize) -> Option<f64> {
        self.batch.lane_value(lane)
    }

    /// The typed action, as JSON, that the action vector of one lane encodes.
    #[must_use]
    pub fn action_value(&self, action: &[f32]) -> Value {
        self.batch.action_value(action)
    }

    /// Lane `k` begins episode `k` of the run with seed `run`; after it come `k + lanes`, `k + 2 lanes`, ...
    ///
    /// # Errors
    /// When an episode cannot be drawn. The lanes before this one have begun their episodes by then, because an
    /// episode is drawn in the lane that plays it; reset again before the next step.
    pub fn reset(&mut self, run: Seed) -> Result<(), ConfigError> {
        self.stride = self.places.len() as u64;
        for lane in 0..self.places.len() {
            self.begin(lane, run, lane as u64)?;
        }
        Ok(())
    }

    /// Every lane begins episode 0 of a run of its own; after it come 1, 2, ...
    ///
    /// # Errors
    /// When there are not as many seeds as lanes, and as in [`reset`](Self::reset).
    pub fn reset_each(&mut self, runs: &[Seed]) -> Result<(), ConfigError> {
        same_length("seeds", runs.len(), self.places.len())?;
        self.stride = 1;
        for (lane, run) in runs.iter().enumerate() {
            self.begin(lane, *run, 0)?;
        }
        Ok(())
    }

    /// The lanes of `mask` begin the episodes with the given numbers, or their next ones.
    ///
    /// # Errors
    /// When a list has the wrong length, and as in [`reset`](Self::reset).
    pub fn reset_lanes(
        &mut self,
        mask: &[bool],
        episodes: Option<&[u64]>,
    ) -> Result<(), ConfigError> {
        let lanes = self.places.len();
        same_length("mask", mask.len(), lanes)?;
        if let Some(episodes) = episodes {
            same_length("episodes", episodes.len(), lanes)?;
        }
        for lane in (0..lanes).filter(|lane| mask.get(*lane) == Some(&true)) {
            match episodes.and_then(|episodes| episodes.get(lane)) {
                Some(episode) => {
                    let run = self.places.get(lane).map_or(Seed(0), |place| place.run);
                    self.begin(lane, run, *episode)?;
                }
                None => self.begin_next(lane)?,
            }
        }
        Ok(())
    }

    fn begin(&mut self, lane: usize, run: Seed, episode: u64) -> Result<(), ConfigError> {
        let Some(place) = self.places.get_mut(lane) else {
            return Err(no_lane(lane, self.places.len()));
        };
        self.batch.reset_lane(lane, Episode::of_run(run, episode))?;
        *place = Place {
            run,
            episode,
            played: 0,
            since: self.step,
            over: false,
            clipped: 0,
        };
        Ok(())
    }

    /// Begins the next episode of a lane. One that cannot be drawn (a market that earns nothing) is left out,
    /// because a learner cannot do anything about it.
    fn begin_next(&mut self, lane: usize) -> Result<(), ConfigError> {
        /// Episodes in a row that are left out.
        const MOST_LEFT_OUT: u64 = 16;
        let mut error = no_lane(lane, self.places.len());
        let Some(&Place { run, episode, .. }) = self.places.get(lane) else {
            return Err(error);
        };
        for turn in 1..=MOST_LEFT_OUT {
            // A snapshot is a file and may hold any numbers.
            let next = episode.wrapping_add(self.stride.wrapping_mul(turn));
            match self.begin(lane, run, next) {
                Ok(()) => return Ok(()),
                Err(refused) => error = refused,
            }
        }
        Err(error)
    }

    /// Writes the observation of every lane.
    ///
    /// # Errors
    /// When the buffer has the wrong length.
    pub fn observe_into(&self, obs: &mut [f32]) -> Result<(), ShapeError> {
        self.batch.observe_into(obs)
    }

    /// Writes the observation of one lane.
    ///
    /// # Errors
    /// When the buffer has the wrong length.
    pub fn observe_lane(&self, lane: usize, obs: &mut [f32]) -> Result<(), ShapeError> {
        self.batch.observe_lane(lane, obs)
    }

    /// One action per lane: writes observations, rewards and whether the episode of a lane ended in this
    /// step. [`finals`](Self::finals) has the scores of these.
    ///
    /// # Errors
    /// When a buffer or an action is wrong, or a lane is over that only the caller resets. No lane has moved
    /// then. Also when sixteen episodes in a row cannot be drawn for a lane.
    pub fn step(
        &mut self,
        actions: &[f32],
        obs: &mut [f32],
        rewards: &mut [f64],
        ended: &mut [bool],
    ) -> Result<Stepped, StepError> {
        self.layout().check(actions, obs, rewards, ended)?;
        self.check_actions(actions)?;
        let over = self.places.iter().position(|place| place.over);
        if let (Some(lane), Autoreset::Disabled) = (over, self.mode) {
            return Err(StepError::Over { lane });
        }
        // Nothing refuses the actions from here on, so they may be logged and counted before the
        // step.
        self.log.put(self.step, actions);
        self.count_clipped(actions);
        // Lanes that are over ignore their action: they keep their state and earn nothing.
        self.batch.step_batch(actions, obs, rewards, ended)?;
        self.step += 1;
        self.finals.count = 0;
        let mut restarted = Vec::new();
        for (lane, (place, end)) in self.places.iter_mut().zip(ended.iter_mut()).enumerate() {
            if place.over {
                *end = false;
                restarted.push(lane);
                continue;
            }
            place.played += 1;
            if !*end {
                continue;
            }
            place.over = true;
            self.finals.count += 1;
            let slots = (
                self.finals.scores.get_mut(lane),
                self.finals.lengths.get_mut(lane),
                self.finals.episodes.get_mut(lane),
                self.finals.clipped.get_mut(lane),
            );
            if let (Some(score), Some(length), Some(episode), Some(clipped)) = slots {
                // Asked here, because the restart below begins the next episode of the lane.
                *score = self.batch.lane_value(lane).unwrap_or(f64::NAN);
                (*length, *episode, *clipped) = (place.played, place.episode, place.clipped);
            }
            if self.mode == Autoreset::SameStep {
                restarted.push(lane);
            }
        }
        if !restarted.is_empty() {
            self.restart(&restarted, obs)?;
        }
        Ok(Stepped {
            ended: self.finals.count,
        })
    }

    /// Begins the next episodes of some lanes and writes their first observations.
    fn restart(&mut self, lanes: &[usize], obs: &mut [f32]) -> Result<(), StepError> {
        let width = self.layout().observation.len();
        // The observations of the step are the final ones; those of the next episodes take their
        // places below.
        if self.mode == Autoreset::SameStep {
            for &lane in lanes {
                let range = lane * width..(lane + 1) * width;
                if let (Some(to), Some(from)) =
                    (self.finals.obs.get_mut(range.clone()), obs.get(range))
                {
                    to.copy_from_slice(from);
                }
            }
        }
        for &lane in lanes {
            self.begin_next(lane)?;
        }
        // Simulators compute many lanes faster than one at a time.
        if lanes.len() * 8 >= self.places.len() {
            return Ok(self.batch.observe_into(obs)?);
        }
        for &lane in lanes {
            if let Some(row) = obs.get_mut(lane * width..(lane + 1) * width) {
                self.batch.observe_lane(lane, row)?;
            }
        }
        Ok(())
    }

    fn check_actions(&self, actions: &[f32]) -> Result<(), StepError> {
        // Without an early exit this is a few vector instructions.
        if actions.iter().fold(true, |fine, x| fine & x.is_finite()) {
            return Ok(());
        }
        let width = self.layout().action.len().max(1);
        match actions.iter().enumerate().find(|(_, x)| !x.is_finite()) {
            Some((at, &value)) => Err(StepError::NotFinite {
                lane: at / width,
                field: at % width,
                value,
            }),
            None => Ok(()),
        }
    }

    /// Counts the numbers outside of their range, which the simulator clips.
    fn count_clipped(&mut self, actions: &[f32]) {
        let ranges = self.low.iter().zip(&self.high);
        let inside = |x: f32, (low, high): (&f32, &f32)| (x >= *low) & (x <= *high);
        // Nearly always all are inside. Without an early exit that is a few vector instructions.
        let all = actions.iter().zip(ranges.clone());
        if all.fold(true, |fine, (x, range)| fine & inside(*x, range)) {
            return;
        }
        let width = self.layout().action.len().max(1);
        let rows = actions.chunks(width);
        let bounds = self.low.chunks(width).zip(self.high.chunks(width));
        for (place, (row, (low, high))) in self.places.iter_mut().zip(rows.zip(bounds)) {
            if place.over {
                continue;
            }
            let ranges = low.iter().zip(high);
            let outside = row
                .iter()
                .zip(ranges)
                .filter(|(x, range)| !inside(**x, *range));
            place.clipped = outside.fold(place.clipped, |count, _| count.saturating_add(1));
        }
    }

    /// The actions of the episode that a lane plays, one after the other.
    #[must_use]
    pub fn actions(&self, lane: usize) -> Vec<f32> {
        let width = self.layout().action.len();
        let Some(place) = self.places.get(lane) else {
            return Vec::new();
        };
        let steps = place.since..place.since + u64::from(place.played);
        let rows = steps.filter_map(|step| self.log.rows.get(self.log.row(step)));
        rows.flat_map(|row| row.iter().skip(lane * width).take(width).copied())
            .collect()
    }

    /// The whole state, as JSON: the episode of every lane and its actions so far.
    #[must_use]
    pub fn snapshot(&self) -> Value {
        let lanes = self
            .places
            .iter()
            .enumerate()
            .map(|(lane, place)| SavedLane {
                run: place.run,
                episode: place.episode,
                actions: self.actions(lane),
            });
        crate::bytes::json(&Snapshot {
            environment: self.environment.clone(),
            version: self.version,
            config: self.config.clone(),
            autoreset: self.mode,
            stride: self.stride,
            lanes: lanes.collect(),
        })
    }

    /// The lanes of a snapshot, which continue as those it was taken of.
    ///
    /// # Errors
    /// When the snapshot is of another environment or version, or does not fit.
    pub fn restore(spec: &dyn DynEnvironmentSpec, snapshot: &Value) -> Result<Self, ConfigError> {
        let saved: Snapshot = read(snapshot)?;
        if (saved.environment.as_str(), saved.version) != (spec.name(), spec.version()) {
            return Err(ConfigError::new(
                "environment",
                format!(
                    "the snapshot is of `{}` version {}, this is `{}` version {}",
                    saved.environment,
                    saved.version,
                    spec.name(),
                    spec.version()
                ),
            ));
        }
        spec.check_config(&saved.config)?;
        let count = saved.lanes.len();
        let lanes = Self::new(spec, &saved.config, count, saved.autoreset)?;
        let Some(mut lanes) = lanes else {
            return Err(ConfigError::new("config", "it has no batch form"));
        };
        lanes.stride = saved.stride;
        lanes.replay(&saved.lanes)?;
        Ok(lanes)
    }

    /// Plays the saved actions again. All lanes are stepped together, and each begins its episode so late
    /// that all of them arrive at the same time.
    fn replay(&mut self, saved: &[SavedLane]) -> Result<(), ConfigError> {
        let width = self.layout().action.len().max(1);
        let most = self.layout().horizon as usize;
        let mut longest = 0;
        for (number, lane) in saved.iter().enumerate() {
            // All lanes are checked before one moves, and the horizon bounds the work: a file must
            // not cause a billion steps.
            let fits = lane.actions.len().is_multiple_of(width)
                && lane.actions.len() / width <= most
                && lane.actions.iter().all(|x| x.is_finite());
            if !fits {
                return Err(ConfigError::new(
                    format!("lanes[{number}].actions"),
                    format!("must be finite, {width} for each of at most {most} steps"),
                ));
            }
            longest = longest.max(lane.actions.len() / width);
        }
        let mut actions = vec![0.0; self.layout().action_len()];
        let mut obs = vec![0.0; self.layout().observation_len()];
        let (mut rewards, mut ended) = (vec![0.0; saved.len()], vec![false; saved.len()]);
        // A lane that has not begun yet is stepped as well, with zeros, in whatever episode it is.
        // That costs nothing, because lanes are stepped together, and `begin` forgets it.
        for step in 0..=longest {
            for (number, lane) in saved.iter().enumerate() {
                let steps = lane.actions.len() / width;
                if step + steps == longest {
                    self.begin(number, lane.run, lane.episode)?;
                }
                let at = (step + steps).checked_sub(longest).map(|row| row * width);
                let own = at.and_then(|at| lane.actions.get(at..at + width));
                let slots = actions.get_mut(number * width..(number + 1) * width);
                if let (Some(own), Some(slots)) = (own, slots) {
                    slots.copy_from_slice(own);
                }
            }
            if step == longest {
                break;
            }
            self.log.put(self.step, &actions);
            self.count_clipped(&actions);
            self.batch
                .step_batch(&actions, &mut obs, &mut rewards, &mut ended)
                .map_err(|e| ConfigError::new("lanes", e.to_string()))?;
            self.step += 1;
            for (place, end) in self.places.iter_mut().zip(&ended) {
                place.played += 1;
                place.over = *end;
            }
        }
        Ok(())
    }

    /// The record of the episode that a lane plays, as a run by a policy called `agent` would store it: the
    /// same actions, applied to a single environment.
    ///
    /// # Errors
    /// When the lane does not exist, `spec` is another environment, or an action is refused.
    pub fn record(
        &self,
        spec: &dyn DynEnvironmentSpec,
        lane: usize,
        agent: &str,
    ) -> Result<EpisodeRecord, ConfigError> {
        let place = self.places.get(lane);
        let place = place.ok_or_else(|| no_lane(lane, self.places.len()))?;
        let instance = spec.draw(&self.config, place.run, place.episode)?;
        let header = Header::new(
            &self.environment,
            self.version,
            Digest::of_bytes(canonical_text(&self.config).as_bytes()),
            instance.digest(),
            place.run,
            place.episode,
            agent,
        );
        // Played again and not written from the log: a record has the digests of all replies, which
        // a lane does not make.
        let mut session = Session::new(instance.open()?, header, Limits::default());
        let width = self.layout().action.len().max(1);
        for action in self.actions(lane).chunks_exact(width) {
            let reply = session
                .apply(Input::Act(self.batch.action_value(action)))
                .reply;
            if reply.is_rejected() {
                return Err(ConfigError::new("action", reply.text()));
            }
        }
        let record = session.finish();
        record.map_err(|e| ConfigError::new("score", e.to_string()))
    }
}

impl Clone for Lanes {
    fn clone(&self) -> Self {
        Self {
            batch: self.batch.fork(),
            environment: self.environment.clone(),
            version: self.version,
            config: self.config.clone(),
            mode: self.mode,
            stride: self.stride,
            places: self.places.clone(),
            log: self.log.clone(),
            step: self.step,
            finals: self.finals.clone(),
            low: self.low.clone(),
            high: self.high.clone(),
        }
    }
}

impl fmt::Debug for Lanes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lanes")
            .field("environment", &self.environment)
            .field("lanes", &self.places.len())
            .field("mode", &self.mode)
            .finish_non_exhaustive()
    }
}

fn same_length(name: &str, got: usize, needed: usize) -> Result<(), ConfigError> {
    if got == needed {
        return Ok(());
    }
    Err(ConfigError::new(
        name,
        format!("there are {needed} lanes, and `{got}` entries"),
    ))
}
