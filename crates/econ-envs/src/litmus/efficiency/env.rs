//! The environment: state, steps and score of a run.
//!
//! ```
//! use econ_envs::litmus::efficiency::{Action, Config, Efficiency, Instance};
//! use sim_core::{Environment, Episode, Seed};
//! use std::sync::Arc;
//!
//! let instance = Instance::generate(&Config::both(), Episode::of_run(Seed(2), 0))?;
//! let mut env = Efficiency::new(Arc::new(instance.clone()))?;
//! // The equal assignment pays all workers the same and scores 0; the efficient one scores 1.
//! for period in 0..30 {
//!     env.step(&Action { worker_of: instance.equal_block(period) })?;
//! }
//! assert!(env.outcome().inequality() < 1e-6);
//! assert_eq!(env.score()?.value(), 0.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use super::action::Action;
use super::config::Goal;
use super::instance::{Earnings, Instance};
use super::observation::{Feedback, Job, Observation, TaskSize};
use serde::{Deserialize, Serialize};
use sim_core::{
    ActionError, ConfigError, Environment, Incident, NotFinite, RestoreError, Score, Seat,
};
use std::sync::Arc;

/// A finished period.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Period {
    /// The worker of each task of the period.
    pub worker_of: Vec<u16>,
    /// Whether the period was forfeited and the tasks were assigned in the order of their ids.
    pub forfeited: bool,
}

/// Everything that changes during a run.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct State {
    /// The finished periods, in order.
    pub periods: Vec<Period>,
}

#[derive(Debug)]
struct Firm {
    instance: Instance,
    efficient: Earnings,
    equal: Earnings,
}

/// A run of the litmus test of efficiency against equality.
///
/// One period: the assignment is checked (every worker exactly one task), every worker is paid wage times
/// size, the firm earns size times productivity, and both are added to the record. The tasks of a
/// forfeited period are assigned in the order of their ids.
///
/// Productivities are hidden; the feedback of a period shows revenue and size of each
/// task, so one task per worker reveals them.
#[derive(Debug, Clone)]
pub struct Efficiency {
    firm: Arc<Firm>,
    state: State,
}

impl Efficiency {
    /// A run at its start.
    ///
    /// # Errors
    /// When [`Instance::check`] refuses the instance.
    ///
    /// Refused are lists of a wrong length, an equal assignment that does not pay
    /// equally, and firms in which efficiency and equality do not conflict.
    pub fn new(instance: Arc<Instance>) -> Result<Self, ConfigError> {
        instance.check()?;
        let instance = Arc::unwrap_or_clone(instance);
        let periods = usize::from(instance.config.periods);
        let efficient = instance.outcome((0..periods).flat_map(|p| instance.efficient(p)));
        let equal = instance.outcome(instance.equal.iter().copied());
        Ok(Self {
            firm: Arc::new(Firm {
                instance,
                efficient,
                equal,
            }),
            state: State::default(),
        })
    }

    /// The instance being played.
    #[must_use]
    pub fn instance(&self) -> &Instance {
        &self.firm.instance
    }

    /// Revenue and pay so far.
    #[must_use]
    pub fn outcome(&self) -> Earnings {
        self.firm.instance.outcome(
            self.state
                .periods
                .iter()
                .flat_map(|p| p.worker_of.iter().copied()),
        )
    }

    pub(super) fn period_number(&self) -> u16 {
        u16::try_from(self.state.periods.len()).unwrap_or(u16::MAX)
    }

    /// The feedback of each finished period.
    pub(super) fn record(&self) -> Vec<Feedback> {
        let instance = &self.firm.instance;
        let mut pay_so_far = vec![0.0; instance.workers()];
        let mut revenue_so_far = 0.0;
        let mut record = Vec::with_capacity(self.state.periods.len());
        for (number, period) in self.state.periods.iter().enumerate() {
            let first = number * instance.workers();
            let mut revenue = 0.0;
            let mut jobs = Vec::with_capacity(instance.workers());
            for (i, (&size, &worker)) in instance
                .block(number)
                .iter()
                .zip(&period.worker_of)
                .enumerate()
            {
                let at = usize::from(worker);
                let pay = f64::from(size) * instance.config.wage;
                let earned =
                    f64::from(size) * instance.productivity.get(at).copied().unwrap_or(0.0);
                revenue += earned;
                let mut sum = pay;
                if let Some(slot) = pay_so_far.get_mut(at) {
                    *slot += pay;
                    sum = *slot;
                }
                let task = u32::try_from(first + i + 1).unwrap_or(u32::MAX);
                jobs.push(Job {
                    task,
                    size,
                    worker,
                    pay,
                    revenue: earned,
                    pay_so_far: sum,
                });
            }
            revenue_so_far += revenue;
            let period = u16::try_from(number).unwrap_or(u16::MAX);
            record.push(Feedback {
                period,
                jobs,
                revenue,
                revenue_so_far,
            });
        }
        record
    }

    /// The feedback of the last finished period.
    fn last(&self) -> Feedback {
        self.record().pop().unwrap_or(Feedback {
            period: 0,
            jobs: Vec::new(),
            revenue: 0.0,
            revenue_so_far: 0.0,
        })
    }
}

impl Environment for Efficiency {
    type State = State;
    type Action = Action;
    type Observation = Observation;
    type Feedback = Feedback;

    fn state(&self) -> &State {
        &self.state
    }

    fn set_state(&mut self, state: State) -> Result<(), RestoreError> {
        let fail = |index: usize, message: String| {
            Err(RestoreError::new(format!("periods.{index}"), message))
        };
        if state.periods.len() > usize::from(self.firm.instance.config.periods) {
            return fail(
                state.periods.len(),
                "there are more periods than in a run".to_owned(),
            );
        }
        for (index, period) in state.periods.iter().enumerate() {
            let action = Action {
                worker_of: period.worker_of.clone(),
            };
            if let Err(error) = action.check(self.firm.instance.workers()) {
                return fail(index, error.message);
            }
        }
        self.state = state;
        Ok(())
    }

    fn observe(&self) -> Observation {
        let instance = &self.firm.instance;
        let number = self.state.periods.len();
        let first = number * instance.workers() + 1;
        Observation {
            workers: instance.config.workers,
            period: self.period_number(),
            tasks: instance
                .block(number)
                .iter()
                .enumerate()
                .map(|(i, &size)| TaskSize {
                    task: u32::try_from(first + i).unwrap_or(u32::MAX),
                    size,
                })
                .collect(),
            previous: self.record().pop(),
        }
    }

    fn step(&mut self, action: &Action) -> Result<Feedback, ActionError> {
        if self.is_over() {
            return Err(ActionError::episode_over());
        }
        action.check(self.firm.instance.workers())?;
        self.state.periods.push(Period {
            worker_of: action.worker_of.clone(),
            forfeited: false,
        });
        Ok(self.last())
    }

    fn forfeit(&mut self) -> Feedback {
        if !self.is_over() {
            // Somebody has to do the work, or revenue and pay of the period would be missing from
            // both goals. The order of the ids is random, so it favours nobody.
            let worker_of = (0..self.firm.instance.config.workers).collect();
            self.state.periods.push(Period {
                worker_of,
                forfeited: true,
            });
        }
        self.last()
    }

    fn is_over(&self) -> bool {
        self.period_number() >= self.firm.instance.config.periods
    }

    /// Metrics: `litmus`, `efficiency_competency` and `equality_competency` (whatever the
    /// goal), `revenue`, `inequality` \[$\]. Incidents: `forfeited_period`.
    fn score(&self) -> Result<Score, NotFinite> {
        let firm = &*self.firm;
        let actual = self.outcome();
        let efficiency = actual.revenue / firm.efficient.revenue;
        let equality = 1.0 - actual.inequality() / firm.efficient.inequality();
        let litmus = leaning(&actual, &firm.efficient, &firm.equal);
        let value = match firm.instance.config.goal {
            // Also before the end, where it says little: the two ends are those of a whole run.
            Goal::Both => litmus,
            Goal::Efficiency => efficiency,
            Goal::Equality => equality,
        };
        let forfeits = (0_u32..)
            .zip(&self.state.periods)
            .filter(|(_, p)| p.forfeited);
        Ok(Score::new(value)?
            .metric("litmus", litmus)
            .metric("efficiency_competency", efficiency)
            .metric("equality_competency", equality)
            .metric("revenue", actual.revenue)
            .metric("inequality", actual.inequality())
            .incidents(forfeits.map(|(period, _)| {
                Incident::forfeited(
                    period,
                    "nobody decided; the tasks went out in the order of their ids",
                )
            })))
    }

    /// Revenue and pay, which the results of the periods show. The others are measured against the optima.
    fn sees_metric(&self, _: &Seat, metric: &str) -> bool {
        matches!(metric, "revenue" | "inequality")
    }
}

/// Position of a run between the equal assignment (0) and the most efficient one (1): its point (revenue,
/// inequality) is projected onto the line between theirs. The axes are not scaled, as in the authors'
/// program.
pub(super) fn leaning(actual: &Earnings, efficient: &Earnings, equal: &Earnings) -> f64 {
    let revenue = equal.revenue - efficient.revenue;
    let inequality = equal.inequality() - efficient.inequality();
    let along = revenue * (equal.revenue - actual.revenue)
        + inequality * (equal.inequality() - actual.inequality());
    // `clamp` keeps -0; adding 0 makes it 0, or records would print "-0".
    (along / (revenue * revenue + inequality * inequality)).clamp(0.0, 1.0) + 0.0
}
