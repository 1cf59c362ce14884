//! The action {C, R, P}: how many consultants, how much revenue risk, which projects and when.
//!
//! A plan has as many parts as the firm has projects. Three constructors give the plans
//! of the comparison: [`Action::nothing`], [`Action::template`], [`Action::simple`].
//! Plans of your own start from one of them:
//!
//! ```
//! use edt::Action;
//! use edt::action::Window;
//! use edt::firm::Firm;
//!
//! let firm = Firm::paper();
//! let mut plan = Action::simple(&firm);
//! assert_eq!((plan.consultants, plan.accepted()), (9, 10));
//! // Full risk, without project 5, and project 2 one step later than the others.
//! plan.risk_level = 1.0;
//! plan.projects[4] = None;
//! plan.projects[1] = Some(Window { start: 2.0, deadline: 95.0 });
//! assert_eq!(plan.accepted(), 9);
//! ```

mod read;
mod rule;

pub use rule::DecisionRule;

use crate::firm::{Firm, Project};
use serde::{Deserialize, Serialize};

/// The window of an accepted project.
///
/// Times are those of the firm's clock, not indices of steps: the paper's run goes from 1
/// to 96. With the default rule both must lie on the grid of steps, and the deadline not
/// before the start.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Window {
    /// Time at which the project may be staffed.
    ///
    /// A project opens in the step of this time only; a time between two steps never
    /// opens it.
    pub start: f64,
    /// Time at which it ends, done or not.
    ///
    /// Work that is not finished by then is lost. Reaching it exactly is what may bring a
    /// follow-on.
    pub deadline: f64,
}

impl Project {
    /// The window of the template.
    #[must_use]
    pub fn window(&self) -> Window {
        Window {
            start: self.start_time,
            deadline: self.deadline,
        }
    }
}

/// The decision. It is taken once, before the run; then the firm runs to its end.
///
/// As JSON, `{"consultants": 9, "risk_level": 0.0, "projects": [null, {"start": 1, "deadline": 95}]}`
/// with one entry for each project of the firm. Also read: the short names `C`, `R`, `P` of the
/// paper, entries `0` or `null` for a rejected project, `[start, deadline]` or
/// `[1, start, deadline]` for an accepted one.
///
/// ```
/// use edt::Action;
///
/// let plan: Action = serde_json::from_str(r#"{"C": 9, "R": 0.5, "P": [0, [1, 5, 55], [1, 95]]}"#)?;
/// assert_eq!((plan.consultants, plan.accepted()), (9, 2));
/// // Reading checks the form; the limits of a firm are checked when the plan is played.
/// assert!(serde_json::from_str::<Action>(r#"{"C": 9.5, "R": 0, "P": []}"#).is_err());
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
// Read by hand: an untagged enum of the forms would answer every fault with "data did not match any
// variant", and a model could not mend it.
#[serde(try_from = "serde_json::Value")]
pub struct Action {
    /// C: how many consultants stay; the first ones of the list do.
    ///
    /// From 0 to the head count of the firm. Signed, so that a negative number in a reply
    /// can be refused with a message instead of failing to parse.
    pub consultants: i64,
    /// R: revenue risk level, 0 to 1.
    ///
    /// In threshold mode an extension or follow-on of probability p comes exactly when p
    /// > 1 - R.
    pub risk_level: f64,
    /// P: one entry for each project of the firm, `None` when it is rejected.
    pub projects: Vec<Option<Window>>,
}

impl Action {
    /// No consultants stay and no project is accepted: what runs after a forfeit.
    #[must_use]
    pub fn nothing(firm: &Firm) -> Self {
        Self {
            consultants: 0,
            risk_level: 0.0,
            projects: vec![None; firm.projects.len()],
        }
    }

    /// The template as it stands: all consultants, its risk level, its windows.
    #[must_use]
    pub fn template(firm: &Firm) -> Self {
        Self {
            consultants: i64::from(firm.head_count()),
            risk_level: firm.risk_level,
            projects: firm.projects.iter().map(|p| Some(p.window())).collect(),
        }
    }

    /// The Simple plan of the paper: every project from the first time to the one before the last,
    /// no revenue risk, the fewest consultants that cover the contracts.
    ///
    /// The deadline is the last index of the published decision format (95 of 96 steps); with the
    /// paper's template this gives its Table 3.
    ///
    /// With the paper's template: 845 consultant-steps of work over 96 steps need 9
    /// consultants, and the run earns 7,116,500 at a mean utilization of 0.934.
    #[must_use]
    pub fn simple(firm: &Firm) -> Self {
        let clock = firm.clock();
        let deadline = (clock.stop() - 1.0).max(clock.start());
        let window = Window {
            start: clock.start(),
            deadline,
        };
        Self {
            consultants: i64::from(firm.covering_staff()),
            risk_level: 0.0,
            projects: vec![Some(window); firm.projects.len()],
        }
    }

    /// Number of accepted projects.
    #[must_use]
    pub fn accepted(&self) -> usize {
        self.projects.iter().flatten().count()
    }
}
