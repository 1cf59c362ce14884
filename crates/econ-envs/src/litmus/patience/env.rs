//! The environment: state, questions and score of a run.

use super::action::Action;
use super::config::{DELAYS, Offer};
use super::discounting::{AmountAnswers, fit};
use super::instance::Instance;
use super::observation::{Feedback, Observation};
use serde::{Deserialize, Serialize};
use sim_core::{ActionError, ConfigError, Environment, Incident, NotFinite, RestoreError, Score};
use std::borrow::Cow;
use std::sync::Arc;

/// Everything that changes during a run.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct State {
    /// Questions asked so far.
    pub asked: u32,
    /// Number of answers "now" for each amount, in the order of the grid.
    pub now: Vec<u32>,
    /// Replies without a readable answer.
    pub unreadable: u32,
    /// Number of the first forfeited question, from 0.
    pub first_forfeit: Option<u32>,
    /// Forfeited questions; each counts as later.
    pub forfeited: u32,
}

/// A run of the patience test.
///
/// The questions come delay by delay, from the largest amount down; for each amount first
/// those with "now" as option A. A period is one question, and an agent sees no earlier
/// answer.
#[derive(Debug, Clone)]
pub struct Patience {
    instance: Arc<Instance>,
    offers: Arc<[Offer]>,
    state: State,
}

impl Patience {
    /// A run at its start.
    ///
    /// # Errors
    /// When [`Instance::check`] refuses the instance.
    pub fn new(instance: Arc<Instance>) -> Result<Self, ConfigError> {
        instance.check()?;
        let offers: Arc<[Offer]> = instance.config.offers().into();
        let state = State {
            now: vec![0; offers.len()],
            ..State::default()
        };
        Ok(Self {
            instance,
            offers,
            state,
        })
    }

    /// Number of questions in a run.
    #[must_use]
    pub fn questions(&self) -> u32 {
        u32::try_from(self.offers.len()).unwrap_or(u32::MAX) * self.instance.config.times()
    }

    pub(super) fn question(&self) -> u32 {
        self.state.asked
    }

    /// Position of the running question's amount in the grid.
    fn place(&self) -> usize {
        (self.state.asked / self.instance.config.times()) as usize
    }

    /// The answers for each amount so far.
    ///
    /// Amounts that were not asked yet are left out.
    #[must_use]
    pub fn answers(&self) -> Vec<AmountAnswers> {
        let times = self.instance.config.times();
        (0_u32..)
            .zip(self.offers.iter().zip(&self.state.now))
            .filter_map(|(place, (offer, &now))| {
                let asked = self.state.asked.saturating_sub(place * times).min(times);
                AmountAnswers::new(*offer, asked, now)
            })
            .collect()
    }

    fn note(&mut self, now: bool) -> Feedback {
        let question = self.state.asked;
        let place = self.place();
        if let Some(count) = self.state.now.get_mut(place) {
            *count += u32::from(now);
        }
        self.state.asked += 1;
        Feedback { question }
    }
}

impl Environment for Patience {
    type State = State;
    type Action = Action;
    type Observation = Observation;
    type Feedback = Feedback;

    fn state(&self) -> &State {
        &self.state
    }

    fn set_state(&mut self, state: State) -> Result<(), RestoreError> {
        let fail = |place: &str, message: &str| Err(RestoreError::new(place, message));
        if state.asked > self.questions() {
            return fail("asked", "more questions than in a run");
        }
        let times = self.instance.config.times();
        // Amount by amount: a sum could hide more answers to one amount than it has questions.
        let fits = (0_u32..)
            .zip(&state.now)
            .all(|(place, now)| *now <= state.asked.saturating_sub(place * times).min(times));
        if state.now.len() != self.offers.len() || !fits {
            return fail("now", "more answers than questions");
        }
        let others = u64::from(state.unreadable) + u64::from(state.forfeited);
        let now: u64 = state.now.iter().copied().map(u64::from).sum();
        if now + others > u64::from(state.asked) {
            return fail("unreadable", "more answers than questions");
        }
        if state.first_forfeit.is_some() != (state.forfeited > 0) {
            return fail("first_forfeit", "does not fit the number of forfeits");
        }
        self.state = state;
        Ok(())
    }

    fn observe(&self) -> Observation {
        let offer = self.offers.get(self.place()).or(self.offers.last());
        let delay = offer.and_then(|offer| DELAYS.get(offer.delay));
        // In the first half of an amount's questions the money now is option A.
        let within = self.state.asked % self.instance.config.times();
        Observation {
            question: self.state.asked,
            amount: offer.map_or(0.0, |offer| f64::from(offer.tenths) / 10.0),
            delay: Cow::Borrowed(delay.map_or("", |d| d.words)),
            years: delay.map_or(0.0, |d| d.years),
            now_first: within < self.instance.config.repeats,
        }
    }

    fn step(&mut self, action: &Action) -> Result<Feedback, ActionError> {
        if self.is_over() {
            return Err(ActionError::episode_over());
        }
        self.state.unreadable += u32::from(*action == Action::Unreadable);
        Ok(self.note(*action == Action::Now))
    }

    fn forfeit(&mut self) -> Feedback {
        if self.is_over() {
            return Feedback {
                question: self.state.asked,
            };
        }
        self.state.first_forfeit.get_or_insert(self.state.asked);
        self.state.forfeited += 1;
        self.note(false)
    }

    fn is_over(&self) -> bool {
        self.state.asked >= self.questions()
    }

    /// Metrics: `reliability`, `now_share`, `unreadable`, and for each delay the rate
    /// that fits its answers alone (`rate_1_year`, up to 199.9 %) with its reliability.
    /// Incidents: one `forfeited_period` that counts all forfeits.
    fn score(&self) -> Result<Score, NotFinite> {
        let answers = self.answers();
        let found = fit(&answers, &[0, 1, 2, 3], 200);
        let now: u32 = self.state.now.iter().sum();
        let share = |count: u32| {
            (self.state.asked > 0).then(|| f64::from(count) / f64::from(self.state.asked))
        };
        let mut score = Score::new(found.map_or(0.0, |f| f.rate))?
            .metric("reliability", found.map(|f| f.reliability))
            .metric("now_share", share(now))
            .metric("unreadable", f64::from(self.state.unreadable));
        for (index, delay) in DELAYS.iter().enumerate() {
            if let Some(one) = fit(&answers, &[index], 1999) {
                score = score
                    .metric(format!("rate_{}", delay.short), one.rate)
                    .metric(format!("reliability_{}", delay.short), one.reliability);
            }
        }
        Ok(
            // One for all: a run has 4,800 questions, and a model that misses one often misses
            // many.
            score.incidents(self.state.first_forfeit.map(|period| {
                Incident::forfeited(
                    period,
                    format!(
                        "{} questions from here on were not answered and count as later",
                        self.state.forfeited
                    ),
                )
            })),
        )
    }
}
