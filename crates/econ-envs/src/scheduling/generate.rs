//! Draws the preferences of a market.
//!
//! Streams: `worker preferences` and `task preferences`, one each, so that the family of
//! one side moves no draw of the other. The seed of the shown pairs is a child of the
//! episode's seed.

use super::config::{Config, PreferenceFamily, PreferenceLaw};
use super::instance::Instance;
use super::preferences::Preferences;
use sim_core::{ConfigError, Episode, Stream, math};

/// See [`Instance::generate`].
pub(super) fn generate(config: &Config, episode: Episode) -> Result<Instance, ConfigError> {
    config.check()?;
    let Episode { seed, index } = episode;
    let family = config.family.of_episode(index);
    let workers = {
        let mut draws = seed.stream("worker preferences", 0);
        let ratio = if family.workers_correlated() {
            config.score_ratio
        } else {
            1.0
        };
        ranked_by_score(config, ratio, &mut draws)
    };
    let tasks = {
        let mut draws = seed.stream("task preferences", 0);
        match family {
            PreferenceFamily::Correlated => ranked_by_score(config, config.score_ratio, &mut draws),
            PreferenceFamily::Uniform | PreferenceFamily::Mixed => {
                ranked_by_score(config, 1.0, &mut draws)
            }
            PreferenceFamily::CorrelatedWorkersIdenticalTasks
            | PreferenceFamily::UniformWorkersIdenticalTasks => {
                let mut shared: Vec<u16> = (0..config.workers).collect();
                draws.shuffle(&mut shared);
                vec![shared; usize::from(config.workers)]
            }
        }
    };
    Ok(Instance {
        config: config.clone(),
        family,
        preferences: Preferences { workers, tasks },
        feedback_seed: seed.child("feedback", 0),
    })
}

/// Rankings of one side: public scores of the ranked agents, then one draw per ranker and agent.
fn ranked_by_score(config: &Config, ratio: f64, draws: &mut Stream) -> Vec<Vec<u16>> {
    let scores = public_scores(config, ratio, draws);
    let (mut drawn, mut keys) = (Vec::new(), Vec::new());
    (0..config.workers)
        .map(|_| {
            drawn.clear();
            drawn.extend(scores.iter().map(|&score| {
                let unit = draws.exponential();
                match config.law {
                    // Largest first, hence the sign.
                    PreferenceLaw::Program => -unit * score,
                    PreferenceLaw::Paper => unit / score,
                }
            }));
            ascending(&drawn, &mut keys)
        })
        .collect()
}

/// The bits of a key that hold the number of an agent.
const AGENT: u64 = 1023;

/// Maps doubles to whole numbers with the same order.
// The bits of negative numbers are inverted, which reverses them; the others get the top bit and so come
// after them.
pub(super) fn ordered_bits(number: f64) -> u64 {
    let bits = number.to_bits();
    if number.is_sign_negative() {
        !bits
    } else {
        bits | 1 << 63
    }
}

/// The agents by their draws, smallest first, ties by number. `keys` is working memory.
///
/// Sorting takes most of the time of drawing a market, and sorting plain numbers takes half the time
/// of sorting pairs. So the number of the agent replaces the lowest bits of its draw. When two draws
/// differ only in those bits, the exact draws are sorted instead.
fn ascending(drawn: &[f64], keys: &mut Vec<u64>) -> Vec<u16> {
    keys.clear();
    keys.extend(
        drawn
            .iter()
            .zip(0_u64..)
            .map(|(draw, agent)| ordered_bits(*draw) & !AGENT | agent & AGENT),
    );
    keys.sort_unstable();
    let close = keys.windows(2).any(|pair| match pair {
        [a, b] => (a ^ b) <= AGENT,
        _ => false,
    });
    if close || drawn.len() as u64 > AGENT + 1 {
        let mut exact: Vec<(f64, u16)> = drawn.iter().copied().zip(0..).collect();
        exact.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        return exact.into_iter().map(|(_, agent)| agent).collect();
    }
    keys.iter().map(|key| (key & AGENT) as u16).collect()
}

/// The public score of each ranked agent \[none, 1 to `ratio`\].
fn public_scores(config: &Config, ratio: f64, draws: &mut Stream) -> Vec<f64> {
    let n = config.workers;
    match config.law {
        PreferenceLaw::Program => {
            let step = math::ln(ratio) / f64::from(n - 1);
            let mut scores: Vec<f64> = (0..n).map(|i| math::exp(step * f64::from(i))).collect();
            draws.shuffle(&mut scores);
            scores
        }
        PreferenceLaw::Paper => (0..n).map(|_| draws.uniform(1.0, ratio)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Among them draws that are equal, or differ in their last bits alone.
        #[test]
        fn ascending_is_the_plain_order(
            steps in prop::collection::vec((-3_i64..3, -40_i64..40), 0..60),
        ) {
            let drawn: Vec<f64> = steps
                .iter()
                .map(|&(coarse, fine)| {
                    let near = f64::from_bits((coarse as f64).abs().to_bits().wrapping_add_signed(fine.abs()));
                    if coarse < 0 || fine < 0 { -near } else { near }
                })
                .collect();
            let mut plain: Vec<(f64, u16)> = drawn.iter().copied().zip(0..).collect();
            plain.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            let plain: Vec<u16> = plain.into_iter().map(|(_, agent)| agent).collect();
            prop_assert_eq!(ascending(&drawn, &mut Vec::new()), plain);
        }
    }
}
