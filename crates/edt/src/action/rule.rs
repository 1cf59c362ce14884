//! Treatment of decisions outside the limits.
//!
//! The published evaluator corrects a bad plan silently. That hides mistakes of an agent
//! from the agent and from the report, so here the default refuses with an explanation;
//! the authors' rule is an option for comparisons with their figures.
//!
//! ```
//! use edt::Action;
//! use edt::action::DecisionRule;
//! use edt::firm::Firm;
//!
//! let firm = Firm::paper();
//! let plan = Action { consultants: 40, risk_level: 1.5, ..Action::simple(&firm) };
//! assert!(DecisionRule::Strict.settle(&firm, &plan).is_err());
//! let settled = DecisionRule::Clamp.settle(&firm, &plan)?;
//! assert_eq!((settled.consultants, settled.risk_level), (12, 1.0));
//! # Ok::<(), sim_core::ActionError>(())
//! ```

use super::{Action, Window};
use crate::firm::Firm;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sim_core::ActionError;

/// Treatment of a decision outside the limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum DecisionRule {
    /// It is refused with an explanation; the agent may try again.
    #[default]
    Strict,
    /// It is moved into the limits, as the authors' evaluator does: C into 0 to the staff, R
    /// into 0 to 1, start and deadline (step indices) into 0 to H with H one less than the number of
    /// steps, a deadline before its start onto the start; each index is then used as a time, not
    /// before the first and not after the last. With the wrong number of entries every project
    /// gets its default: the indices of its window in the template.
    Clamp,
}

impl DecisionRule {
    /// The decision that will be run.
    ///
    /// # Errors
    /// Strict: every value outside the limits. Clamp: NaN only.
    ///
    /// Strict returns the decision unchanged. Clamp may change every part of it; the
    /// environment records the incident `plan_clamped` when it did.
    pub fn settle(self, firm: &Firm, decision: &Action) -> Result<Action, ActionError> {
        match self {
            Self::Strict => strict(firm, decision).map(|()| decision.clone()),
            Self::Clamp => clamp(firm, decision),
        }
    }
}

fn strict(firm: &Firm, decision: &Action) -> Result<(), ActionError> {
    let staff = firm.head_count();
    if !(0..=i64::from(staff)).contains(&decision.consultants) {
        return Err(ActionError::new(
            "bad_consultants",
            format!(
                "consultants must be a whole number from 0 to {staff}, not {}",
                decision.consultants
            ),
        ));
    }
    if !(0.0..=1.0).contains(&decision.risk_level) {
        return Err(ActionError::new(
            "bad_risk_level",
            format!(
                "risk_level must lie between 0 and 1, not {}",
                decision.risk_level
            ),
        ));
    }
    if decision.projects.len() != firm.projects.len() {
        return Err(ActionError::new(
            "bad_project_count",
            format!(
                "projects must have one entry for each of the {} projects, has {}",
                firm.projects.len(),
                decision.projects.len()
            ),
        ));
    }
    let clock = firm.clock();
    let last = clock.last();
    for (i, (window, project)) in decision.projects.iter().zip(&firm.projects).enumerate() {
        let Some(Window { start, deadline }) = window else {
            continue;
        };
        let number = i + 1;
        if clock.step_at(*start).is_none() {
            return Err(ActionError::new(
                "bad_start",
                format!(
                    "start of project {number} must be a step from {} to {last}, not {start}",
                    clock.start()
                ),
            ));
        }
        // The deadline of the template is always allowed, also when it lies between steps
        // or after the run: an agent may repeat what it was shown.
        let known = *deadline == project.deadline || clock.step_at(*deadline).is_some();
        if !known || deadline < start {
            return Err(ActionError::new(
                "bad_deadline",
                format!(
                    "deadline of project {number} must be a step from its start {start} to {last}, not {deadline}"
                ),
            ));
        }
    }
    Ok(())
}

fn clamp(firm: &Firm, decision: &Action) -> Result<Action, ActionError> {
    if decision.risk_level.is_nan() {
        return Err(ActionError::new(
            "bad_risk_level",
            "risk_level must be a number from 0 to 1",
        ));
    }
    let clock = firm.clock();
    let horizon = f64::from(clock.steps() - 1);
    let settle = |window: Window| -> Result<Window, ActionError> {
        if window.start.is_nan() || window.deadline.is_nan() {
            return Err(ActionError::new(
                "bad_start",
                "start and deadline must be numbers",
            ));
        }
        // The order of the authors' evaluator: round, clamp the indices, order them, and
        // only then read the index as a time.
        let start = window.start.round().clamp(0.0, horizon);
        let deadline = window.deadline.round().clamp(0.0, horizon).max(start);
        let time = |index: f64| index.clamp(clock.start(), clock.stop());
        Ok(Window {
            start: time(start),
            deadline: time(deadline),
        })
    };
    let projects = if decision.projects.len() == firm.projects.len() {
        decision
            .projects
            .iter()
            .map(|w| w.map(settle).transpose())
            .collect::<Result<_, _>>()?
    } else {
        // Template times become indices and are then read as times, one unit too early on the
        // paper's clock: that is what the authors' evaluator does with a list of the wrong length.
        let index = |time: f64| ((time - clock.start()) / clock.dt()).round();
        let default = |p: &crate::firm::Project| {
            settle(Window {
                start: index(p.start_time),
                deadline: index(p.deadline),
            })
            .map(Some)
        };
        firm.projects
            .iter()
            .map(default)
            .collect::<Result<_, _>>()?
    };
    Ok(Action {
        consultants: decision.consultants.clamp(0, i64::from(firm.head_count())),
        risk_level: decision.risk_level.clamp(0.0, 1.0),
        projects,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strict_says_what_would_be_right() {
        let firm = Firm::paper();
        let fault = |change: fn(&mut Action)| {
            let mut decision = Action::simple(&firm);
            change(&mut decision);
            DecisionRule::Strict
                .settle(&firm, &decision)
                .unwrap_err()
                .to_string()
        };
        assert_eq!(
            fault(|d| d.consultants = 13),
            "consultants must be a whole number from 0 to 12, not 13"
        );
        assert_eq!(
            fault(|d| d.risk_level = 1.5),
            "risk_level must lie between 0 and 1, not 1.5"
        );
        assert!(fault(|d| d.risk_level = f64::NAN).ends_with("not NaN"));
        assert_eq!(
            fault(|d| d.projects.truncate(3)),
            "projects must have one entry for each of the 10 projects, has 3"
        );
        assert_eq!(
            fault(|d| d.projects[2] = Some(Window {
                start: 0.0,
                deadline: 9.0
            })),
            "start of project 3 must be a step from 1 to 96, not 0"
        );
        assert_eq!(
            fault(|d| d.projects[2] = Some(Window {
                start: 7.0,
                deadline: 5.0
            })),
            "deadline of project 3 must be a step from its start 7 to 96, not 5"
        );
        for decision in [
            Action::simple(&firm),
            Action::template(&firm),
            Action::nothing(&firm),
        ] {
            assert_eq!(
                DecisionRule::Strict.settle(&firm, &decision).unwrap(),
                decision
            );
        }
    }

    #[test]
    fn clamp_follows_the_authors() {
        let firm = Firm::paper();
        let wild = Action {
            consultants: 99,
            risk_level: -1.0,
            projects: vec![
                Some(Window {
                    start: -4.0,
                    deadline: 200.0
                });
                10
            ],
        };
        let settled = DecisionRule::Clamp.settle(&firm, &wild).unwrap();
        assert_eq!((settled.consultants, settled.risk_level), (12, 0.0));
        assert_eq!(
            settled.projects[0],
            Some(Window {
                start: 1.0,
                deadline: 95.0
            })
        );
        let backwards = Action {
            projects: vec![
                Some(Window {
                    start: 40.0,
                    deadline: 3.0
                });
                10
            ],
            ..wild.clone()
        };
        let settled = DecisionRule::Clamp.settle(&firm, &backwards).unwrap();
        assert_eq!(
            settled.projects[0],
            Some(Window {
                start: 40.0,
                deadline: 40.0
            })
        );
        // Wrong length: indices of the template (time - 1), used as times.
        let short = Action {
            projects: Vec::new(),
            ..wild
        };
        let settled = DecisionRule::Clamp.settle(&firm, &short).unwrap();
        assert_eq!(
            settled.projects[1],
            Some(Window {
                start: 4.0,
                deadline: 54.0
            })
        );
    }
}
