//! The search for an instruction, before the test.
//!
//! [`evolve()`] needs [`Trials`], which try an instruction on one item and give a score and feedback.
//! The items must not be those of the test, otherwise the instruction has seen the answers.

use super::trials::{ItemTrial, Split, Trial, Trials};
use crate::backend::AgentBackend;
use crate::decide::Ctx;
use crate::error::AgentError;
use crate::json_text::spoken;
use crate::message::Message;
use crate::parallel::in_order;
use crate::prompt;
use crate::request::{ModelRole, Slot};
use minijinja::context;
use serde::{Deserialize, Serialize};
use sim_core::{Seed, Stream};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Budget of the search.
///
/// Every trial counts, on training and on validation items; a proposal is begun only if the rest covers both
/// minibatches and a whole validation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EvolveSettings {
    /// Maximum number of trials (default 150, as in the source's first example).
    pub metric_calls: usize,
    /// Maximum number of proposals; if absent, limited only by the trials.
    pub iterations: Option<usize>,
    /// Items of a minibatch (default 3).
    pub minibatch: usize,
    /// Trials of one instruction that run at the same time (default 1). It changes no result.
    pub concurrency: usize,
    /// Seed of the draws.
    pub seed: Seed,
}

impl Default for EvolveSettings {
    fn default() -> Self {
        Self {
            metric_calls: 150,
            iterations: None,
            minibatch: 3,
            concurrency: 1,
            seed: Seed(0),
        }
    }
}

impl EvolveSettings {
    /// Checks that these trials are enough for a search with `train` and `validation` items, and returns the
    /// size of a minibatch.
    ///
    /// # Errors
    /// When there are no items, or fewer than |validation| + 2 * (2 * minibatch + |validation|) trials: the
    /// first comparison and two proposals. With fewer there is almost no search.
    pub fn check(&self, train: usize, validation: usize) -> Result<usize, AgentError> {
        let batch = self.minibatch.min(train);
        if validation == 0 || batch == 0 {
            return Err(AgentError::setup(
                "evolving an instruction needs training and validation items",
            ));
        }
        let least = validation + 2 * (2 * batch + validation);
        if self.metric_calls < least {
            return Err(AgentError::setup(format!(
                "{} trials are too few for {validation} validation items and minibatches of {batch}; \
                 give at least {least}",
                self.metric_calls
            )));
        }
        Ok(batch)
    }
}

/// One proposal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Evolution {
    /// Index of the candidate from which it was made.
    pub parent: usize,
    /// Sum of the parent's scores on the minibatch.
    pub before: f64,
    /// Sum of its own scores.
    pub after: f64,
    /// Whether it was accepted.
    pub accepted: bool,
}

/// The result of the search.
///
/// Of equally good instructions the one that was found first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Evolved {
    /// The instruction with the best mean on the validation items.
    pub instruction: String,
    /// Its mean.
    pub mean: f64,
    /// Mean of the first instruction.
    pub first_mean: f64,
    /// Proposals in order.
    pub history: Vec<Evolution>,
    /// Number of trials used.
    pub metric_calls: usize,
}

struct Candidate {
    text: String,
    scores: Vec<f64>,
}

impl Candidate {
    fn mean(&self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "a number of items")]
        let n = self.scores.len().max(1) as f64;
        self.scores.iter().sum::<f64>() / n
    }
}

/// GEPA: evolves an instruction by reflecting on minibatches and keeping a Pareto front.
///
/// Source: Agrawal and others, 2025, and its public program. A round: draw a parent from the front
/// (weighted by the number of validation items on which it is best, dominated ones removed), try it
/// on a minibatch of training items, let the reflector propose a new text (1 request), and try that
/// on the same items. If its sum is strictly better, it is tried on all validation items and
/// accepted. A perfect minibatch proposes nothing. There is no merging, which is the program's
/// default. This implementation counts every trial and never exceeds the budget.
///
/// # Errors
/// When [`EvolveSettings::check`] refuses the budget, or a backend fails permanently.
///
/// # Complexity
/// At most [`EvolveSettings::metric_calls`] trials, of which [`EvolveSettings::concurrency`] on the items of a
/// minibatch or of the validation run at once, and one request of the reflector for each proposal. Every trial and proposal has a slot of its own, so an interrupted search that is repeated
/// with the same cassette asks nothing twice.
pub async fn evolve<T: ItemTrial + 'static>(
    trials: &Arc<Trials<T>>,
    reflector: &Arc<dyn AgentBackend>,
    first: &str,
    settings: &EvolveSettings,
    slot: &Slot,
) -> Result<Evolved, AgentError> {
    let (train, validation) = (trials.train.len(), trials.validation.len());
    let batch = settings.check(train, validation)?;
    let mut search = Search {
        trials,
        slot,
        at_once: settings.concurrency,
        used: 0,
        pool: Vec::new(),
    };
    let scores = search.validate(first).await?;
    search.pool.push(Candidate {
        text: first.to_owned(),
        scores,
    });
    let mut history = Vec::new();
    let most = settings.iterations.unwrap_or(usize::MAX);
    for round in 0_u64.. {
        // The dearest round, one whose proposal is accepted: what cannot be paid to its end is not
        // begun.
        let cost = 2 * batch + validation;
        let spent = search.used + cost > settings.metric_calls;
        // Perfect minibatches propose nothing; the bound keeps a search with only such minibatches
        // finite.
        if spent || history.len() >= most || round >= settings.metric_calls as u64 {
            break;
        }
        let mut chance = settings.seed.stream("evolve", round);
        let parent = search.draw(&mut chance);
        let mut items: Vec<usize> = (0..train).collect();
        chance.shuffle(&mut items);
        items.truncate(batch);
        let step = search.propose(parent, &items, &**reflector, round).await?;
        history.extend(step);
    }
    // In reverse order, because `max_by` takes the last of equal ones.
    let best = search
        .pool
        .iter()
        .rev()
        .max_by(|a, b| a.mean().total_cmp(&b.mean()));
    let (Some(best), Some(first)) = (best, search.pool.first()) else {
        return Err(AgentError::setup("the search lost its first instruction"));
    };
    Ok(Evolved {
        instruction: best.text.clone(),
        mean: best.mean(),
        first_mean: first.mean(),
        history,
        metric_calls: search.used,
    })
}

struct Search<'a, T: ItemTrial> {
    trials: &'a Arc<Trials<T>>,
    slot: &'a Slot,
    at_once: usize,
    used: usize,
    pool: Vec<Candidate>,
}

impl<T: ItemTrial + 'static> Search<'_, T> {
    /// Tries `text` on each of `items`, and returns the trials in the order of `items`.
    async fn run(
        &mut self,
        text: &str,
        split: Split,
        items: &[usize],
    ) -> Result<Vec<Trial>, AgentError> {
        let first = self.used + 1;
        self.used += items.len();
        let failed = Arc::new(AtomicBool::new(false));
        // A slot of its own for each trial, by its number in the search and not by the time at which it
        // runs: a search that is repeated asks the same.
        let mut work = (first..).zip(items).map(|(number, item)| {
            let (trials, text, item) = (Arc::clone(self.trials), text.to_owned(), *item);
            let (slot, failed) = (self.slot.child("trial", number), Arc::clone(&failed));
            async move {
                let trial = trials.run(&text, split, item, &slot).await;
                failed.fetch_or(trial.is_err(), Ordering::Relaxed);
                trial
            }
        });
        // After a failure the search ends, so no further trial is begun.
        let work = std::iter::from_fn(|| {
            let stops = failed.load(Ordering::Relaxed);
            work.next().filter(|_| !stops)
        });
        let mut tried = Vec::new();
        in_order(work, self.at_once, |_, trial| tried.push(trial)).await;
        let tried = tried.into_iter().collect::<Result<Vec<_>, _>>()?;
        if let Some(trial) = tried.iter().find(|trial| !trial.score.is_finite()) {
            return Err(AgentError::setup(format!(
                "the score of a trial must be a finite number, not `{}`",
                trial.score
            )));
        }
        Ok(tried)
    }

    async fn validate(&mut self, text: &str) -> Result<Vec<f64>, AgentError> {
        let items: Vec<usize> = (0..self.trials.validation.len()).collect();
        let tried = self.run(text, Split::Validation, &items).await?;
        Ok(tried.iter().map(|trial| trial.score).collect())
    }

    /// Draws a candidate of the front, weighted by the number of items on which it is best.
    fn draw(&self, chance: &mut Stream) -> usize {
        let wins = wins(
            &self
                .pool
                .iter()
                .map(|c| c.scores.as_slice())
                .collect::<Vec<_>>(),
        );
        // Above 0: on each item at least one candidate stays the best.
        let total: u64 = wins.iter().sum();
        let mut at = chance.below(total);
        for (place, n) in wins.iter().enumerate() {
            if at < *n {
                return place;
            }
            at -= n;
        }
        0
    }

    /// One round; `None` when the minibatch was perfect.
    async fn propose(
        &mut self,
        parent: usize,
        items: &[usize],
        reflector: &dyn AgentBackend,
        round: u64,
    ) -> Result<Option<Evolution>, AgentError> {
        let text = self.pool.get(parent).map(|c| c.text.clone());
        let text = text.ok_or_else(|| AgentError::setup(format!("no candidate {parent}")))?;
        let seen = self.run(&text, Split::Train, items).await?;
        if seen.iter().all(|trial| trial.score >= 1.0) {
            return Ok(None);
        }
        let before = seen.iter().map(|trial| trial.score).sum();
        let shown: Vec<_> = seen
            .iter()
            .map(|t| context! { transcript => &t.transcript, score => t.score, feedback => &t.feedback })
            .collect();
        let words = prompt::render("evolve", context! { instruction => &text, trials => shown })?;
        let cx = Ctx {
            backend: reflector,
            role: ModelRole::Reflector,
            slot: self.slot.child("proposal", round),
        };
        let reply = reflector
            .ask(cx.request(vec![Message::user(words)]))
            .await?;
        let mut step = Evolution {
            parent,
            before,
            after: before,
            accepted: false,
        };
        let proposal = prompt::inside(&spoken(&reply.said.text), "instruction");
        let Some(proposal) = proposal.filter(|new| !new.is_empty() && *new != text) else {
            return Ok(Some(step));
        };
        let tried = self.run(&proposal, Split::Train, items).await?;
        step.after = tried.iter().map(|trial| trial.score).sum();
        // Strictly better: an equal text adds nothing, and its validation costs trials.
        if step.after > step.before {
            let scores = self.validate(&proposal).await?;
            self.pool.push(Candidate {
                text: proposal,
                scores,
            });
            step.accepted = true;
        }
        Ok(Some(step))
    }
}

/// Number of items on which each candidate is among the best, after removal of the candidates whose
/// best items are all shared with remaining candidates.
///
/// `scores` holds one list for each candidate, with one score for each validation item.
fn wins(scores: &[&[f64]]) -> Vec<u64> {
    let items = scores.first().map_or(0, |s| s.len());
    let mut fronts: Vec<BTreeSet<usize>> = Vec::new();
    for item in 0..items {
        let at = |s: &[f64]| s.get(item).copied().unwrap_or(f64::NEG_INFINITY);
        let best = scores
            .iter()
            .map(|s| at(s))
            .fold(f64::NEG_INFINITY, f64::max);
        let front = scores.iter().enumerate().filter(|(_, s)| at(s) >= best);
        fronts.push(front.map(|(place, _)| place).collect());
    }
    let mean = |place: usize| {
        let sum: f64 = scores.get(place).map_or(0.0, |s| s.iter().sum());
        sum
    };
    // The weakest first, so that the better of two candidates with the same items stays.
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_by(|a, b| mean(*a).total_cmp(&mean(*b)).then(b.cmp(a)));
    for place in order {
        let dominated = fronts.iter().all(|f| !f.contains(&place) || f.len() > 1);
        if dominated {
            for front in &mut fronts {
                front.remove(&place);
            }
        }
    }
    (0..scores.len())
        .map(|place| fronts.iter().filter(|f| f.contains(&place)).count() as u64)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_front_holds_who_is_best_somewhere() {
        assert_eq!(
            wins(&[&[1.0, 0.0, 0.5], &[0.0, 1.0, 0.5], &[0.5, 0.5, 0.0]]),
            [2, 2, 0]
        );
        // The second is best only where the first is, too.
        assert_eq!(wins(&[&[1.0, 1.0], &[1.0, 0.0]]), [2, 0]);
        assert_eq!(wins(&[&[0.0, 0.0]]), [2]);
        assert_eq!(wins(&[&[1.0], &[1.0]]), [1, 0], "the older of equals");
    }
}
