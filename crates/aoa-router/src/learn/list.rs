//! Grows a list of rules.

use super::candidate::{Candidate, candidates};
use super::{FAMILY_ERROR, KAPPA, LearnSettings, RULE_LEVEL};
use crate::agents::Agents;
use crate::bits::Bits;
use crate::matrix::Matrix;
use crate::paired::Paired;
use crate::policy::{Evidence, When};

/// A list of rules with a default agent; agents are numbers.
#[derive(Debug, Clone)]
pub(super) struct Fit {
    pub(super) default_agent: usize,
    pub(super) rules: Vec<Found>,
    /// Number of rules that were tried for the first rule.
    pub(super) tried: usize,
}

/// A learnt rule.
#[derive(Debug, Clone)]
pub(super) struct Found {
    pub(super) when: When,
    pub(super) agent: usize,
    pub(super) evidence: Evidence,
    /// The counted comparison with the default agent.
    pub(super) counted: Paired,
}

impl Found {
    /// Whether two rules have the same condition and agent, independent of their counts.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.agent == other.agent && self.when == other.when
    }
}

/// Learns a list from the samples in `within`.
pub(super) fn fit(
    matrix: &Matrix,
    agents: &Agents,
    within: &Bits,
    settings: &LearnSettings,
) -> Fit {
    let default_agent = matrix.best_within(agents, within).unwrap_or(0);
    let candidates = candidates(matrix, within, settings);
    let mut search = Search {
        matrix,
        agents,
        settings,
        default_agent,
        left: within.clone(),
        round: 0,
    };
    let mut fit = Fit {
        default_agent,
        rules: Vec::new(),
        tried: 0,
    };
    for round in 1..=settings.max_rules {
        search.round = round;
        // Restricted again in each round: what counts for a rule are the samples that reach it.
        let open: Vec<Open<'_>> = candidates
            .iter()
            .map(|candidate| Open::new(candidate, &search.left))
            .filter(|open| open.n >= settings.min_samples)
            .collect();
        // Each condition with each agent but the default one: all of them are tests that might pass by chance.
        let tried = open.len() * (matrix.agent_count().saturating_sub(1));
        // Only the first round is reported: no later one tries more, because it has fewer samples left.
        if round == 1 {
            fit.tried = tried;
        }
        let Some((open, found)) = search.best(&open, tried) else {
            break;
        };
        // The samples of a rule are decided by it, so later rules are measured on the rest.
        search.left = search.left.without(&open.samples);
        fit.rules.push(found);
    }
    fit
}

/// A condition, restricted to the samples that are left.
struct Open<'c> {
    candidate: &'c Candidate,
    samples: Bits,
    n: usize,
}

impl<'c> Open<'c> {
    fn new(candidate: &'c Candidate, left: &Bits) -> Self {
        let samples = candidate.samples.and(left);
        Self {
            candidate,
            n: samples.count(),
            samples,
        }
    }
}

struct Search<'m> {
    matrix: &'m Matrix,
    agents: &'m Agents,
    settings: &'m LearnSettings,
    default_agent: usize,
    /// Samples that no rule covers yet.
    left: Bits,
    /// Number of the next rule, from 1.
    round: usize,
}

impl Search<'_> {
    /// The rule with the largest `samples * lower end of the gain`, if any passes the tests.
    fn best<'o, 'c>(&self, open: &'o [Open<'c>], tried: usize) -> Option<(&'o Open<'c>, Found)> {
        // The error probability of the whole list is divided among its rules: rule number r gets
        // 1 / (r (r + 1)), and these shares sum to 1 over all r. Dividing by the number of rules
        // tried (Bonferroni) allows for the selection of the best one.
        #[expect(clippy::cast_precision_loss, reason = "small counts")]
        let share = {
            let rounds = (self.round * (self.round + 1)) as f64;
            FAMILY_ERROR / rounds / (tried as f64).max(1.0)
        };
        let others = || (0..self.matrix.agent_count()).filter(|it| *it != self.default_agent);
        let mut promising: Vec<(i64, usize, usize)> = Vec::new();
        for (at, condition) in open.iter().enumerate() {
            for agent in others() {
                if self.passes(condition, agent, share) {
                    let paired = self.compared(condition, agent);
                    let net = paired.wins.saturating_sub(paired.losses);
                    promising.push((i64::try_from(net).unwrap_or(i64::MAX), at, agent));
                }
            }
        }
        // No lower end exceeds its counted gain, so once a counted gain is not better than the best
        // lower end, no later one can be.
        promising.sort_by(|a, b| b.0.cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
        let mut best: Option<(f64, usize, Found)> = None;
        for (net, at, agent) in promising {
            // From 0: with a margin of 0, a rule that may gain nothing is no rule.
            let reached = best.as_ref().map_or(0.0, |best| best.0);
            #[expect(clippy::cast_precision_loss, reason = "a count of samples")]
            if net as f64 <= reached {
                break;
            }
            let Some(condition) = open.get(at) else {
                continue;
            };
            if let Some(found) = self.found(condition, agent) {
                #[expect(clippy::cast_precision_loss, reason = "a count of samples")]
                let value = found.evidence.low * condition.n as f64;
                if value > reached {
                    best = Some((value, at, found));
                }
            }
        }
        let (_, at, found) = best?;
        let condition = open.get(at)?;
        // An agent that is as good on these samples and needs fewer requests is the better choice.
        let as_good = others().filter(|agent| {
            *agent != found.agent
                && self.agents.calls(*agent) < self.agents.calls(found.agent)
                && self.passes(condition, *agent, share)
        });
        let as_good: Vec<Found> = as_good
            .filter_map(|agent| self.found(condition, agent))
            // Within the margin two gains count as equal everywhere, so requests decide.
            .filter(|it| found.evidence.gain - it.evidence.gain < self.settings.min_margin)
            .collect();
        let simplest = self.agents.simplest(as_good.iter().map(|it| it.agent));
        let simpler = as_good.into_iter().find(|it| Some(it.agent) == simplest);
        Some((condition, simpler.unwrap_or(found)))
    }

    fn compared(&self, open: &Open<'_>, agent: usize) -> Paired {
        self.matrix
            .compare_within(agent, self.default_agent, &open.samples)
    }

    /// The cheap tests: the counted gain, the sign test, the shrunk gain.
    fn passes(&self, open: &Open<'_>, agent: usize, share: f64) -> bool {
        let paired = self.compared(open, agent);
        let margin = self.settings.min_margin;
        paired.mean() >= margin
            && paired.sign_test() <= share
            && self.shrunk_gain(open, agent) >= margin
    }

    /// The rule, if the lower end of its gain reaches the margin.
    fn found(&self, open: &Open<'_>, agent: usize) -> Option<Found> {
        let counted = self.compared(open, agent);
        let interval = counted.interval(RULE_LEVEL)?;
        (interval.low >= self.settings.min_margin).then(|| Found {
            when: open.candidate.when.clone(),
            agent,
            counted,
            evidence: Evidence {
                n: open.n,
                gain: self.shrunk_gain(open, agent),
                low: interval.low,
                high: interval.high,
                p: counted.sign_test(),
                folds: None,
            },
        })
    }

    fn shrunk_gain(&self, open: &Open<'_>, agent: usize) -> f64 {
        self.shrunk_accuracy(open, agent) - self.shrunk_accuracy(open, self.default_agent)
    }

    /// Accuracy in the narrow group as if [`KAPPA`] further samples had the accuracy of the wider
    /// one. For a pair, that is the mean of its two conditions, each shrunk towards all samples in
    /// the same way.
    #[expect(clippy::cast_precision_loss, reason = "counts of samples")]
    fn shrunk_accuracy(&self, open: &Open<'_>, agent: usize) -> f64 {
        let right = |samples: &Bits| self.matrix.right_within(agent, samples) as f64;
        let towards = |samples: &Bits, rate: f64| {
            (right(samples) + KAPPA * rate) / (samples.count() as f64 + KAPPA)
        };
        let everywhere = right(&self.left) / (self.left.count() as f64).max(1.0);
        let wider: Vec<f64> = open
            .candidate
            .wider
            .iter()
            .map(|samples| towards(&samples.and(&self.left), everywhere))
            .collect();
        let parent = sim_core::stats::mean(&wider).unwrap_or(everywhere);
        towards(&open.samples, parent)
    }
}
