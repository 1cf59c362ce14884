//! The environment: one decision, then one run of the firm.
//!
//! An episode has one period. `observe` shows the firm and the projects on offer, `step`
//! takes the whole plan, runs the firm to its last step and returns the result, and then
//! the episode is over. What the strategic paper calls learning over six rounds is six
//! episodes on the same instance, each with the feedback of the one before in the agent's
//! memory.
//!
//! ```
//! use edt::{Action, Config, Edt, Instance};
//! use sim_core::{Environment, Episode, Seed};
//! use std::sync::Arc;
//!
//! let instance = Instance::generate(&Config::default(), Episode::of_run(Seed(0), 0))?;
//! let mut env = Edt::new(Arc::new(instance))?;
//!
//! // A plan outside the limits is refused, and the firm still waits for its plan.
//! let crowd = Action { consultants: 13, ..Action::simple(env.firm()) };
//! let refusal = env.step(&crowd).expect_err("there are 12 consultants");
//! assert_eq!(refusal.code, "bad_consultants");
//! assert!(!env.is_over());
//!
//! let plan = Action::simple(env.firm());
//! let result = env.step(&plan)?;
//! assert_eq!(result.figures.accumulated_earnings, 7_116_500.0);
//! assert_eq!(env.score()?.value(), 7_116_500.0);
//! assert!(env.is_over());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use crate::action::Action;
use crate::action::DecisionRule;
use crate::engine::Engine;
use crate::firm::Firm;
use crate::instance::Instance;
use crate::observation::{Feedback, Observation, Taken};
use serde::{Deserialize, Serialize};
use sim_core::{
    ActionError, ConfigError, Environment, Incident, NotFinite, RestoreError, Score, Seat,
};
use std::sync::Arc;

/// A firm before its decision or after its run.
///
/// The episode has one period: the decision is taken, the firm runs to its end, the accumulated
/// earnings at the last step are the score. The published comparison plays six such episodes on
/// one template, and shows the feedback of each before the next.
///
/// A clone shares the instance and, after the run, the result; both are behind an `Arc`.
#[derive(Debug, Clone)]
pub struct Edt {
    instance: Arc<Instance>,
    state: State,
    outcome: Option<Arc<Feedback>>,
}

/// The state: the decision, once it is taken. The result follows from it and is not stored.
///
/// [`Environment::set_state`] checks the stored decision and runs the firm again, so a
/// restored environment has the same feedback and score as the one that was stored.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct State {
    /// The decision, and whether it was clamped or a forfeit.
    pub taken: Option<Taken>,
}

impl Edt {
    /// A firm before its decision.
    ///
    /// # Errors
    /// When the instance cannot be played; names the field and what would be right.
    ///
    /// The checks are those of [`Instance::check`]: numbers in their ranges, at most
    /// 10,000 steps, windows of the template on the grid of steps.
    pub fn new(instance: Arc<Instance>) -> Result<Self, ConfigError> {
        instance.check()?;
        Ok(Self {
            instance,
            state: State::default(),
            outcome: None,
        })
    }

    /// The instance that is played.
    #[must_use]
    pub fn instance(&self) -> &Instance {
        &self.instance
    }

    /// The firm.
    #[must_use]
    pub fn firm(&self) -> &Firm {
        &self.instance.firm
    }

    /// The result of the run, once the decision is taken.
    #[must_use]
    pub fn outcome(&self) -> Option<&Feedback> {
        self.outcome.as_deref()
    }

    fn run(&mut self, taken: Taken) -> Arc<Feedback> {
        let mut engine = Engine::new(&self.instance.firm);
        let outcome = Arc::new(Feedback::of(&self.instance, &mut engine, &taken));
        self.state.taken = Some(taken);
        self.outcome = Some(Arc::clone(&outcome));
        outcome
    }
}

impl Environment for Edt {
    type State = State;
    type Action = Action;
    type Observation = Observation;
    type Feedback = Arc<Feedback>;

    fn state(&self) -> &State {
        &self.state
    }

    /// A decision outside the limits of this firm is refused, also under the clamping
    /// rule: a state holds the decision as it was run.
    fn set_state(&mut self, state: State) -> Result<(), RestoreError> {
        let Some(taken) = state.taken else {
            self.state = state;
            self.outcome = None;
            return Ok(());
        };
        DecisionRule::Strict
            .settle(&self.instance.firm, &taken.decision)
            .map_err(|e| RestoreError::new("taken.decision", e.message))?;
        self.run(taken);
        Ok(())
    }

    fn observe(&self) -> Observation {
        Observation::of(&self.instance, self.state.taken.is_some())
    }

    /// Settles the plan by the instance's [`DecisionRule`], runs the firm to its end, and
    /// ends the episode.
    /// # Errors
    /// A plan that the rule refuses (codes `bad_consultants`, `bad_risk_level`,
    /// `bad_project_count`, `bad_start`, `bad_deadline`), and every plan after the first.
    /// The environment is unchanged in that case.
    fn step(&mut self, action: &Action) -> Result<Arc<Feedback>, ActionError> {
        if self.is_over() {
            return Err(ActionError::episode_over());
        }
        let decision = self
            .instance
            .decision_rule
            .settle(&self.instance.firm, action)?;
        let clamped = decision != *action;
        Ok(self.run(Taken {
            decision,
            forfeited: false,
            clamped,
        }))
    }

    /// Runs the firm with [`Action::nothing`]: no consultants and no projects, so that not deciding is
    /// never better than running an empty firm.
    fn forfeit(&mut self) -> Arc<Feedback> {
        if let Some(outcome) = &self.outcome {
            return Arc::clone(outcome);
        }
        let decision = Action::nothing(&self.instance.firm);
        self.run(Taken {
            decision,
            forfeited: true,
            clamped: false,
        })
    }

    fn is_over(&self) -> bool {
        self.state.taken.is_some()
    }

    /// The accumulated earnings \[money\]; 0 before the decision. Metrics: revenue,
    /// expenses, cash and lowest cash \[money\], revenue risk, the two utilizations,
    /// profit margin, head count, risk level, accepted projects, projects that came up.
    /// Ratios without a denominator are absent. Incidents: `forfeited_period`,
    /// `plan_clamped`.
    fn score(&self) -> Result<Score, NotFinite> {
        let Some(outcome) = self.outcome() else {
            return Score::new(0.0);
        };
        let figures = &outcome.figures;
        let incident = |code: &str, note: &str| Incident {
            code: code.to_owned(),
            period: 0,
            note: note.to_owned(),
        };
        let mut incidents = Vec::new();
        if outcome.forfeited {
            incidents.push(incident(
                "forfeited_period",
                "no plan was decided; the firm stood empty",
            ));
        }
        if outcome.clamped {
            incidents.push(incident(
                "plan_clamped",
                "the plan was moved into the limits",
            ));
        }
        let heads = f64::from(u32::try_from(outcome.decision.consultants).unwrap_or(0));
        let accepted = f64::from(u32::try_from(outcome.decision.accepted()).unwrap_or(u32::MAX));
        // The figures say 0 for a ratio without a denominator, because they are numbers for a
        // series; a metric of 0 would be a measured one.
        let some = |ratio: f64, whole: f64| (whole != 0.0).then_some(ratio);
        Ok(Score::new(figures.accumulated_earnings)?
            .metric("accumulated_revenue", figures.accumulated_revenue)
            .metric("accumulated_expenses", figures.accumulated_expenses)
            .metric("cash", figures.cash)
            .metric("lowest_cash", outcome.lowest_cash)
            .metric(
                "revenue_risk",
                some(outcome.revenue_risk, figures.accumulated_revenue),
            )
            .metric("mean_utilization", some(outcome.mean_utilization, heads))
            .metric(
                "overall_utilization",
                some(figures.overall_avg_utilization, heads),
            )
            .metric(
                "profit_margin",
                some(figures.overall_profit_margin, figures.accumulated_revenue),
            )
            .metric("consultants", heads)
            .metric("risk_level", outcome.decision.risk_level)
            .metric("accepted_projects", accepted)
            .metric("projects", figures.projects)
            .incidents(incidents))
    }

    /// All: the outcome of a run is public.
    fn sees_metric(&self, _: &Seat, _: &str) -> bool {
        true
    }
}
