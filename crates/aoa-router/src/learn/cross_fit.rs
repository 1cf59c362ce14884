//! Accuracy of rules on samples that they were not learnt from.
//!
//! The samples are dealt to folds. For each fold, default agent and rules are learnt from all other folds and applied
//! to it. So each sample is routed once, by rules that do not know it, and the sums over all samples are the figures.

use super::list::{Fit, fit};
use super::{FOLDS, LearnSettings, policy_of};
use crate::agents::Agents;
use crate::bits::Bits;
use crate::matrix::Matrix;
use crate::paired::{LEVEL, Paired};
use crate::router::Router;
use serde::{Deserialize, Serialize};
use sim_core::ConfigError;
use sim_core::stats::Interval;

/// The accuracy of learnt rules; each sample is routed by rules learnt without its fold.
///
/// It measures the way of learning, not the one list in the policy file, which is learnt from all samples.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct CrossFit {
    /// Number of folds.
    pub folds: usize,
    /// Number of samples.
    pub n: usize,
    /// Accuracy of the rules.
    pub accuracy: f64,
    /// Accuracy of the default agents alone, each chosen from the same folds as the rules.
    pub default_accuracy: f64,
    /// Rules compared with default agents.
    pub gain: Paired,
    /// 95 % interval of the gain.
    pub interval: Option<Interval>,
    /// Whether the rules are distinguishable from the default agents.
    pub distinguishable: bool,
}

/// Learns once without each fold; returns the lists as well.
pub(super) fn cross_fit(
    matrix: &Matrix,
    agents: &Agents,
    settings: &LearnSettings,
) -> Result<(CrossFit, Vec<Fit>), ConfigError> {
    // Shuffled first, because samples are sorted by name, and names are often numbered by a
    // pattern.
    let mut order: Vec<usize> = (0..matrix.len()).collect();
    settings.seed.stream("folds", 0).shuffle(&mut order);
    let mut fold_of = vec![0; matrix.len()];
    for (turn, at) in order.into_iter().enumerate() {
        if let Some(fold) = fold_of.get_mut(at) {
            *fold = turn % FOLDS;
        }
    }
    let mut pairs = Vec::with_capacity(matrix.len());
    let mut fits = Vec::with_capacity(FOLDS);
    for fold in 0..FOLDS {
        let is_out = |at: usize| fold_of.get(at) == Some(&fold);
        let within = Bits::of(matrix.len(), |at| !is_out(at));
        // The default agent is chosen anew as well: chosen from all samples it would know this
        // fold.
        let list = fit(matrix, agents, &within, settings);
        let router = Router::new(&policy_of(&list, agents, settings)?, agents)?;
        let samples = matrix.samples().iter().enumerate();
        for (at, sample) in samples.filter(|it| is_out(it.0)) {
            let chosen = router.choose_number(sample).agent;
            pairs.push((
                matrix.is_correct(chosen, at),
                // Against the default agent of the same fold, so that the gain is that of the rules
                // alone.
                matrix.is_correct(list.default_agent, at),
            ));
        }
        fits.push(list);
    }
    let right = |of: &dyn Fn(&(bool, bool)) -> bool| {
        let right = pairs.iter().filter(|pair| of(pair)).count();
        Paired::accuracy(pairs.len(), right).mean()
    };
    let gain = Paired::of(pairs.iter().copied());
    let cross_fit = CrossFit {
        folds: FOLDS,
        n: pairs.len(),
        accuracy: right(&|pair| pair.0),
        default_accuracy: right(&|pair| pair.1),
        gain,
        interval: gain.interval(LEVEL),
        distinguishable: gain.is_distinguishable(),
    };
    Ok((cross_fit, fits))
}
