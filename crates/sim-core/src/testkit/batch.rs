//! Batch lanes against single episodes.

use super::expect;
use crate::batch::{BatchEnvironment, BatchLayout, Layout, ValueKind};
use crate::dyn_spec::DynEnvironmentSpec;
use crate::seed::Seed;
use crate::spec::Episode;
use serde_json::Value;

/// More than one block of any likely width, and not a multiple of one.
const LANES: usize = 37;

const NO_REFERENCE: &str = "a batch lane has no reference environment";

/// The same lanes with their buffers arranged field by field.
struct ByField {
    batch: Box<dyn BatchEnvironment>,
    obs: Vec<f32>,
    rewards: Vec<f64>,
    dones: Vec<bool>,
}

impl ByField {
    /// `None` where the environment writes lane by lane only.
    fn new(
        spec: &dyn DynEnvironmentSpec,
        config: &Value,
        layout: &BatchLayout,
    ) -> Result<Option<Self>, String> {
        let batch = spec.new_batch(config, LANES, Seed(5));
        let Some(mut batch) = batch.map_err(|e| e.to_string())? else {
            return Ok(None);
        };
        expect(
            batch.arrange(Layout::LaneMajor),
            "a batch does not write lane by lane",
        )?;
        if !batch.arrange(Layout::FieldMajor) {
            return Ok(None);
        }
        // NaN, so that a number that the batch does not write differs from the expected one.
        Ok(Some(Self {
            batch,
            obs: vec![f32::NAN; layout.observation_len()],
            rewards: vec![f64::NAN; LANES],
            dones: vec![false; LANES],
        }))
    }

    /// Steps with the same actions and compares what comes back, to the last bit.
    fn step(&mut self, actions: &[f32], obs: &[f32], rewards: &[f64]) -> Result<(), String> {
        let actions = by_field(actions);
        self.batch
            .step_batch(&actions, &mut self.obs, &mut self.rewards, &mut self.dones)
            .map_err(|e| e.to_string())?;
        let same = |a: &[f32], b: &[f32]| {
            a.iter()
                .map(|x| x.to_bits())
                .eq(b.iter().map(|x| x.to_bits()))
        };
        expect(
            same(&self.obs, &by_field(obs))
                && (self.rewards.iter().map(|x| x.to_bits()))
                    .eq(rewards.iter().map(|x| x.to_bits())),
            "a batch whose buffers go field by field differs",
        )?;
        self.obs.fill(f32::NAN);
        self.batch
            .observe_into(&mut self.obs)
            .map_err(|e| e.to_string())?;
        expect(
            same(&self.obs, &by_field(obs)),
            "observations by field differ from those of the step",
        )
    }
}

/// The numbers of a buffer that holds one lane after the other, with one field after the other.
fn by_field(lane_by_lane: &[f32]) -> Vec<f32> {
    let fields = lane_by_lane.len() / LANES;
    (0..fields)
        .flat_map(|field| lane_by_lane.iter().skip(field).step_by(fields).copied())
        .collect()
}

/// Without any reset, lane `k` is at the start of episode `k` of the run.
fn starts(
    spec: &dyn DynEnvironmentSpec,
    config: &Value,
    batch: &dyn BatchEnvironment,
) -> Result<(), String> {
    for lane in 0..LANES {
        let drawn = spec
            .draw(config, Seed(5), lane as u64)
            .and_then(|instance| instance.open())
            .map_err(|e| e.to_string())?;
        let own = batch.reference_env(lane).ok_or(NO_REFERENCE)?;
        // An environment with notes for its agent keeps its own state inside.
        let mut start = drawn.snapshot();
        if let Some(inner) = start.get_mut("inner") {
            start = inner.take();
        }
        expect(
            own.observation() == drawn.observation() && own.snapshot() == start,
            &format!("lane {lane} does not start with episode {lane} of its run"),
        )?;
    }
    Ok(())
}

/// Steps all lanes with drawn actions, steps the reference environment of each lane with the same
/// actions, and compares ends and values.
pub(super) fn check(spec: &dyn DynEnvironmentSpec, config: &Value) -> Result<usize, String> {
    let batch = spec
        .new_batch(config, LANES, Seed(5))
        .map_err(|e| e.to_string())?;
    let Some(mut batch) = batch else { return Ok(0) };
    let layout = batch.layout().clone();
    let mut references = Vec::new();
    for lane in 0..LANES {
        references.push(batch.reference_env(lane).ok_or(NO_REFERENCE)?);
    }
    starts(spec, config, &*batch)?;
    let width = layout.action.len();
    let mut actions = vec![0.0_f32; layout.action_len()];
    let mut obs = vec![0.0_f32; layout.observation_len()];
    let (mut rewards, mut dones) = (vec![0.0_f64; LANES], vec![false; LANES]);
    expect(
        batch
            .step_batch(&[], &mut obs, &mut rewards, &mut dones)
            .is_err()
            || width == 0,
        "a batch takes an action buffer of the wrong length",
    )?;
    let mut by_field = ByField::new(spec, config, &layout)?;
    let mut steps = 0;
    for step in 0..layout.horizon {
        // Another seed than that of the episodes: actions must not follow the draws of the instances.
        let mut draw = Seed(6).stream("batch actions", u64::from(step));
        for (i, action) in actions.iter_mut().enumerate() {
            let Some(field) = layout.action.get(i % width.max(1)) else {
                continue;
            };
            #[expect(clippy::cast_possible_truncation, reason = "a unit draw fits an f32")]
            let share = draw.unit() as f32;
            // Squared, so that most actions are small: `high` is often far beyond sensible play.
            let value = field.low + (field.high - field.low) * share * share;
            *action = if field.kind == ValueKind::Real {
                value
            } else {
                value.round()
            };
        }
        batch
            .step_batch(&actions, &mut obs, &mut rewards, &mut dones)
            .map_err(|e| e.to_string())?;
        expect(
            obs.iter().all(|x| x.is_finite()) && rewards.iter().all(|x| x.is_finite()),
            "a batch number is not finite",
        )?;
        if let Some(by_field) = &mut by_field {
            by_field.step(&actions, &obs, &rewards)?;
        }
        for (lane, reference_env) in references.iter_mut().enumerate() {
            if reference_env.is_over() {
                continue;
            }
            let action = actions
                .get(lane * width..(lane + 1) * width)
                .unwrap_or_default();
            let reply = reference_env.act(&batch.action_value(action));
            if reply.is_rejected() {
                return Err(format!("lane {lane}, step {step}: {}", reply.text()));
            }
            steps += 1;
            let value = reference_env.score().map_err(|e| e.to_string())?.value();
            let lane_value = batch.lane_value(lane).ok_or("a lane has no value")?;
            // A batch may add the same amounts in another order than the single
            // environment, so the last digits may differ.
            let slack = 1e-9 * value.abs().max(1.0);
            expect(
                (value - lane_value).abs() <= slack,
                &format!(
                    "lane {lane}, step {step}: value {lane_value}, its reference environment has {value}"
                ),
            )?;
            expect(
                dones.get(lane).copied() == Some(reference_env.is_over()),
                &format!("lane {lane}, step {step}: done differs from its reference environment"),
            )?;
        }
    }
    expect(
        dones.iter().all(|done| *done),
        "a lane is not done after its horizon",
    )?;
    let again = Episode::of_run(Seed(77), 0);
    batch.reset_lane(0, again).map_err(|e| e.to_string())?;
    expect(
        batch.reset_lane(LANES, again).is_err(),
        "a lane that does not exist is reset",
    )?;
    let fresh = batch.reference_env(0).ok_or(NO_REFERENCE)?;
    let value = fresh.score().map_err(|e| e.to_string())?.value();
    let lane_value = batch.lane_value(0).ok_or("a lane has no value")?;
    expect(
        (value - lane_value).abs() <= 1e-9 * value.abs().max(1.0),
        "a reset lane is not fresh",
    )?;
    Ok(steps)
}
