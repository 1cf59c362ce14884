//! Drawing the preferences of a market.

use super::config::{Config, PreferenceFamily, PreferenceLaw};
use super::instance::Instance;
use super::preferences::Preferences;
use sim_core::{ConfigError, Seed, Stream, math};

/// Draws the market of episode `index` (which selects the family when that is mixed).
///
/// # Errors
/// [`ConfigError`] when the configuration is out of range.
///
/// # Source
/// Appendix D.1 and the authors' program; see [`PreferenceLaw`] for where they differ.
pub fn generate(config: &Config, seed: Seed, index: u64) -> Result<Instance, ConfigError> {
    config.check()?;
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

/// Rankings of one side: public scores of the ranked agents, then one draw an agent and a ranker.
fn ranked_by_score(config: &Config, ratio: f64, draws: &mut Stream) -> Vec<Vec<u16>> {
    let scores = public_scores(config, ratio, draws);
    (0..config.workers)
        .map(|_| {
            let mut drawn: Vec<(f64, u16)> = scores
                .iter()
                .zip(0_u16..)
                .map(|(&score, agent)| {
                    let unit = draws.exponential();
                    match config.law {
                        // Largest first, hence the sign.
                        PreferenceLaw::Program => (-unit * score, agent),
                        PreferenceLaw::Paper => (unit / score, agent),
                    }
                })
                .collect();
            drawn.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            drawn.into_iter().map(|(_, agent)| agent).collect()
        })
        .collect()
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
