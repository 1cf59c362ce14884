//! The action {C, R, P}: how many consultants, how much revenue risk, which projects and when.

mod read;
mod rule;

pub use rule::DecisionRule;

use crate::firm::{Firm, Project};
use serde::{Deserialize, Serialize};

/// The window of an accepted project.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Window {
    /// Time at which the project may be staffed.
    pub start: f64,
    /// Time at which it ends, done or not.
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
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(try_from = "serde_json::Value")]
pub struct Action {
    /// C: how many consultants stay; the first ones of the list do.
    pub consultants: i64,
    /// R: revenue risk level, 0 to 1.
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
