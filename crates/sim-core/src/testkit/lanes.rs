//! Lanes that play one episode after the other, against single environments.

use super::expect;
use crate::batch::{BatchLayout, ValueKind};
use crate::dyn_spec::DynEnvironmentSpec;
use crate::lanes::{Autoreset, Lanes};
use crate::seed::Seed;
use crate::tool::ToolEnvironment;
use serde_json::Value;

/// Not a multiple of anything, so that settings that alternate by episode change in a lane.
const LANES: usize = 5;
/// Steps of a comparison, at least: several episodes of short ones, part of one of long ones.
const STEPS: u32 = 60;

/// Buffers of a step.
struct Buffers {
    obs: Vec<f32>,
    rewards: Vec<f64>,
    ended: Vec<bool>,
}

impl Buffers {
    fn new(layout: &BatchLayout) -> Self {
        Self {
            obs: vec![f32::NAN; layout.observation_len()],
            rewards: vec![f64::NAN; LANES],
            ended: vec![false; LANES],
        }
    }

    fn step(&mut self, lanes: &mut Lanes, actions: &[f32]) -> Result<(), String> {
        lanes
            .step(actions, &mut self.obs, &mut self.rewards, &mut self.ended)
            .map_err(|e| e.to_string())?;
        Ok(())
    }
}

/// Drawn actions of a step.
fn draw(layout: &BatchLayout, step: u32) -> Vec<f32> {
    let mut stream = Seed(8).stream("lane actions", u64::from(step));
    let fields = layout.action.iter().cycle().take(layout.action_len());
    fields
        .map(|field| {
            #[expect(clippy::cast_possible_truncation, reason = "a unit draw fits an f32")]
            let share = stream.unit() as f32;
            let value = field.low + (field.useful - field.low) * share;
            if field.kind == ValueKind::Real {
                value
            } else {
                value.round()
            }
        })
        .collect()
}

/// What one lane should be doing.
struct Twin {
    env: Box<dyn ToolEnvironment>,
    episode: u64,
    sum: f64,
    steps: u32,
}

impl Twin {
    fn open(spec: &dyn DynEnvironmentSpec, config: &Value, episode: u64) -> Result<Self, String> {
        let env = spec
            .draw(config, Seed(9), episode)
            .and_then(|instance| instance.open())
            .map_err(|e| e.to_string())?;
        Ok(Self {
            env,
            episode,
            sum: 0.0,
            steps: 0,
        })
    }
}

/// Steps lanes in every mode of resets and compares them with single environments: rewards, ends, scores,
/// numbers of episodes, snapshots, records.
pub(super) fn check(spec: &dyn DynEnvironmentSpec, config: &Value) -> Result<usize, String> {
    let mut steps = 0;
    for mode in [
        Autoreset::NextStep,
        Autoreset::SameStep,
        Autoreset::Disabled,
    ] {
        steps += check_mode(spec, config, mode).map_err(|e| format!("lanes, {mode:?}: {e}"))?;
    }
    Ok(steps)
}

fn check_mode(
    spec: &dyn DynEnvironmentSpec,
    config: &Value,
    mode: Autoreset,
) -> Result<usize, String> {
    let lanes = Lanes::new(spec, config, LANES, mode).map_err(|e| e.to_string())?;
    let Some(mut lanes) = lanes else { return Ok(0) };
    lanes.reset(Seed(9)).map_err(|e| e.to_string())?;
    let layout = lanes.layout().clone();
    let mut buffers = Buffers::new(&layout);
    let mut twins = (0..LANES as u64)
        .map(|episode| Twin::open(spec, config, episode))
        .collect::<Result<Vec<_>, _>>()?;
    let mut compared = 0;
    let last = (layout.horizon + 3).min(STEPS.max(layout.horizon / 4));
    for step in 0..last {
        let actions = draw(&layout, step);
        let over: Vec<bool> = (0..LANES).map(|lane| lanes.is_over(lane)).collect();
        if mode == Autoreset::Disabled && over.contains(&true) {
            expect(
                buffers.step(&mut lanes, &actions).is_err(),
                "a step of a lane that is over is accepted",
            )?;
            lanes.reset_lanes(&over, None).map_err(|e| e.to_string())?;
        }
        if step == last / 2 {
            // A copy through its text continues as the lanes themselves.
            let text = lanes.snapshot().to_string();
            let saved = serde_json::from_str(&text).map_err(|e| e.to_string())?;
            let mut copy = Lanes::restore(spec, &saved).map_err(|e| e.to_string())?;
            let (mut fork, mut again) = (lanes.clone(), Buffers::new(&layout));
            let mut first = Buffers::new(&layout);
            first.step(&mut fork, &actions)?;
            again.step(&mut copy, &actions)?;
            expect(
                same(&first, &again) && fork.snapshot() == copy.snapshot(),
                "a restored snapshot continues differently",
            )?;
        }
        // Sent before the good action, which then shows whether the refused one has moved a lane.
        let mut broken = actions.clone();
        if let Some(number) = broken.last_mut() {
            *number = f32::NAN;
            expect(
                buffers.step(&mut lanes, &broken).is_err(),
                "an action that is not a number is accepted",
            )?;
        }
        buffers.step(&mut lanes, &actions)?;
        let results = buffers.rewards.iter().zip(&buffers.ended).zip(over);
        for (lane, (twin, ((reward, ended), over))) in twins.iter_mut().zip(results).enumerate() {
            if over {
                let next = twin.episode + LANES as u64;
                *twin = Twin::open(spec, config, next)?;
                if mode == Autoreset::NextStep {
                    expect(
                        *reward == 0.0 && !ended,
                        "the step of a reset earns something or ends",
                    )?;
                    continue;
                }
            }
            let width = layout.action.len();
            let action = actions.get(lane * width..(lane + 1) * width);
            let action = lanes.action_value(action.unwrap_or_default());
            let reply = twin.env.act(&action);
            if reply.is_rejected() {
                return Err(format!("lane {lane}, step {step}: {}", reply.text()));
            }
            (twin.sum, twin.steps) = (twin.sum + reward, twin.steps + 1);
            compared += 1;
            let score = twin.env.score().map_err(|e| e.to_string())?.value();
            let slack = 1e-9 * score.abs().max(layout.reward.scale);
            expect(
                (twin.sum - layout.reward.sign * score).abs() <= slack,
                &format!(
                    "lane {lane}, step {step}: rewards sum to {}, the score is {score}",
                    twin.sum
                ),
            )?;
            expect(
                *ended == twin.env.is_over(),
                &format!("lane {lane}, step {step}: its end differs"),
            )?;
            if !ended {
                continue;
            }
            let finals = lanes.finals();
            let final_score = finals.scores.get(lane).copied().unwrap_or(f64::NAN);
            expect(
                (final_score - score).abs() <= slack
                    && finals.lengths.get(lane) == Some(&twin.steps)
                    && finals.episodes.get(lane) == Some(&twin.episode),
                "the final score, length or number of an episode is wrong",
            )?;
            if mode == Autoreset::SameStep {
                let next = twin.episode + LANES as u64;
                expect(
                    lanes.episode(lane) == Some((Seed(9), next)),
                    "the next episode has another number",
                )?;
                *twin = Twin::open(spec, config, next)?;
                continue;
            }
            let record = lanes
                .record(spec, lane, "policy:test")
                .map_err(|e| e.to_string())?;
            expect(
                record.score.value() == score,
                "the record of a lane has another score",
            )?;
            let again = Twin::open(spec, config, twin.episode)?;
            record.verify(again.env).map_err(|e| e.to_string())?;
        }
    }
    Ok(compared)
}

fn same(a: &Buffers, b: &Buffers) -> bool {
    let bits = |obs: &[f32]| obs.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    bits(&a.obs) == bits(&b.obs) && a.rewards == b.rewards && a.ended == b.ended
}
