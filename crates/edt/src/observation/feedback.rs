//! The feedback: the result of a run.
//!
//! Final figures, eight points of the course, and one record for each project and
//! follow-on. It is the same for all agents and does not depend on
//! [`Disclosure`](crate::config::Disclosure): the outcome of a run is public.

use crate::action::Action;
use crate::engine::{Engine, ProjectEnd};
use crate::instance::Instance;
use crate::ledger::{Figures, ratio};
use serde::{Deserialize, Serialize};

/// Number of points in [`Feedback::course`].
const POINTS: usize = 8;

/// The result of a run. `step` gives it behind an `Arc`, because the environment keeps it too.
///
/// ```
/// use edt::{Action, Config, Edt, Instance};
/// use sim_core::{Environment, Episode, Seed};
/// use std::sync::Arc;
///
/// let instance = Instance::generate(&Config::default(), Episode::of_run(Seed(0), 0))?;
/// let mut env = Edt::new(Arc::new(instance))?;
/// let result = env.step(&Action::simple(env.firm()))?;
/// assert_eq!(result.course.len(), 8);
/// assert_eq!(result.projects.len(), 10);
/// let unfinished = result.projects.iter().filter(|end| end.remaining > 0.0).count();
/// assert!(unfinished > 0, "nine consultants are just enough on paper, and too few in the run");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Feedback {
    /// The decision as it was run.
    pub decision: Action,
    /// Whether no decision was made in time (a forfeit).
    pub forfeited: bool,
    /// Whether the rule moved the decision into the limits.
    pub clamped: bool,
    /// The firm's figures at the last step; `accumulated_earnings` is the score.
    pub figures: Figures,
    /// Plain mean of the utilization of all steps (the paper's Table 3).
    ///
    /// Effort delivered over capacity, 0 to 1 per step; 0 with no consultants.
    pub mean_utilization: f64,
    /// Risk of all revenue that is in the accumulated figure, weighted by revenue; 0 without
    /// revenue.
    pub revenue_risk: f64,
    /// Lowest cash of all steps \[money\].
    ///
    /// Negative when the firm had to borrow; expenses are paid at once and revenue
    /// arrives two steps late, so it is negative whenever the firm has costs in its first
    /// steps.
    pub lowest_cash: f64,
    /// The firm at eight times spread over the run, the last one included.
    pub course: Vec<FirmPoint>,
    /// Final states of the projects, follow-ons last.
    pub projects: Vec<ProjectEnd>,
}

/// The firm at one time of the run.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct FirmPoint {
    /// Time of the step.
    pub time: f64,
    /// Earnings of all earlier steps \[money\].
    pub accumulated_earnings: f64,
    /// Cash \[money\].
    pub cash: f64,
    /// Effort over capacity of all earlier steps.
    pub utilization: f64,
}

impl From<&Figures> for FirmPoint {
    fn from(figures: &Figures) -> Self {
        Self {
            time: figures.time,
            accumulated_earnings: figures.accumulated_earnings,
            cash: figures.cash,
            utilization: figures.overall_avg_utilization,
        }
    }
}

/// The decision as the state stores it; the result of the run follows from it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Taken {
    /// The decision as it was run.
    pub decision: Action,
    /// Whether no decision was made in time (a forfeit).
    pub forfeited: bool,
    /// Whether the rule moved the decision into the limits.
    pub clamped: bool,
}

impl Feedback {
    /// Runs the decision.
    pub(crate) fn of(instance: &Instance, engine: &mut Engine, taken: &Taken) -> Self {
        let chance = instance.chance(taken.decision.risk_level);
        let mut series = Vec::new();
        let totals = engine.run_with_series(&taken.decision, &chance, &mut series);
        // From the series: the final figures of the engine hold no cash of single steps.
        let lowest_cash = series.iter().map(|f| f.cash).fold(f64::INFINITY, f64::min);
        let last = series.len().saturating_sub(1);
        // The last step is left out here because the accumulated revenue, the
        // denominator, leaves it out too.
        let at_risk: f64 = series
            .iter()
            .take(last)
            .map(|f| f.revenue * f.revenue_risk)
            .sum();
        let course = (1..=POINTS)
            // Counted from the end of the first eighth, so that the last point is the last step.
            .filter_map(|k| series.get(last * k / POINTS))
            .map(FirmPoint::from)
            .collect();
        Self {
            decision: taken.decision.clone(),
            forfeited: taken.forfeited,
            clamped: taken.clamped,
            figures: series.last().copied().unwrap_or_default(),
            mean_utilization: totals.mean_utilization,
            revenue_risk: ratio(at_risk, totals.accumulated_revenue),
            lowest_cash: if lowest_cash.is_finite() {
                lowest_cash
            } else {
                0.0
            },
            course,
            projects: engine.project_ends(),
        }
    }
}
