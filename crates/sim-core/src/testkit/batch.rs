//! Batch lanes against single episodes.

use super::expect;
use crate::dyn_spec::DynEnvironmentSpec;
use crate::seed::Seed;
use serde_json::Value;

/// More than one block of any likely width, and not a multiple of one.
const LANES: usize = 37;

const NO_REFERENCE: &str = "a batch lane has no reference environment";

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
    let width = layout.action.len();
    let mut actions = vec![0.0_f32; layout.action_len()];
    let mut obs = vec![0.0_f32; layout.observation_len()];
    let (mut rewards, mut dones) = (vec![0.0_f32; LANES], vec![false; LANES]);
    expect(
        batch
            .step_batch(&[], &mut obs, &mut rewards, &mut dones)
            .is_err()
            || width == 0,
        "a batch takes an action buffer of the wrong length",
    )?;
    let mut steps = 0;
    for step in 0..layout.horizon {
        let mut draw = Seed(6).stream("batch actions", u64::from(step));
        for (i, action) in actions.iter_mut().enumerate() {
            let Some(field) = layout.action.get(i % width.max(1)) else {
                continue;
            };
            #[expect(clippy::cast_possible_truncation, reason = "a unit draw fits an f32")]
            let share = draw.unit() as f32;
            let value = field.low + (field.high - field.low) * share * share;
            *action = if field.integer { value.round() } else { value };
        }
        batch
            .step_batch(&actions, &mut obs, &mut rewards, &mut dones)
            .map_err(|e| e.to_string())?;
        expect(
            obs.iter().chain(&rewards).all(|x| x.is_finite()),
            "a batch number is not finite",
        )?;
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
    batch.reset_lane(0, Seed(77));
    let fresh = batch.reference_env(0).ok_or(NO_REFERENCE)?;
    let value = fresh.score().map_err(|e| e.to_string())?.value();
    let lane_value = batch.lane_value(0).ok_or("a lane has no value")?;
    expect(
        (value - lane_value).abs() <= 1e-9 * value.abs().max(1.0),
        "a reset lane is not fresh",
    )?;
    Ok(steps)
}
