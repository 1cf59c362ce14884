//! The order in which the agents act.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Order in which the agents act within a step. The letters stand for consultants (c), projects
/// (p) and controlling (f). Follow-on projects always act last, since they are appended to the
/// list when they come up.
///
/// The published comparison ran `cpf`; the interactive tutorial of the original engine runs `cfp`,
/// its stories `fcp`. The order changes results.
///
/// With the Simple plan on the paper's template, the three orders of the original
/// engine earn 7,116,500 (`cpf`), 6,980,500 (`cfp`) and 7,052,500 (`fcp`):
///
/// ```
/// use edt::Action;
/// use edt::engine::{Chance, Engine};
/// use edt::firm::{AgentOrder, Firm};
///
/// let earned = |agent_order| {
///     let firm = Firm { agent_order, ..Firm::paper() };
///     let plan = Action::simple(&firm);
///     Engine::new(&firm).run(&plan, &Chance::threshold(0.0)).accumulated_earnings
/// };
/// assert_eq!(earned(AgentOrder::Cpf), 7_116_500.0);
/// assert_eq!(earned(AgentOrder::Cfp), 6_980_500.0);
/// assert_eq!(earned(AgentOrder::Fcp), 7_052_500.0);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[derive(strum::VariantArray)]
pub enum AgentOrder {
    /// Consultants, projects, controlling: work is billed and booked in the step in which it is done.
    #[default]
    Cpf,
    /// Consultants, controlling, projects: revenue is booked one step late.
    Cfp,
    /// Controlling, consultants, projects: revenue and the cost of consultants are booked one step late.
    Fcp,
    /// Projects, consultants, controlling.
    Pcf,
    /// Projects, controlling, consultants.
    Pfc,
    /// Controlling, projects, consultants.
    Fpc,
}

/// A turn within a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Actor {
    /// All consultants.
    Consultants,
    /// All projects of the scenario.
    Projects,
    /// Controlling.
    Controlling,
    /// The follow-on projects.
    FollowOns,
}

impl AgentOrder {
    /// The turns of a step, in order.
    #[must_use]
    pub fn turns(self) -> [Actor; 4] {
        use Actor::{Consultants as C, Controlling as F, FollowOns, Projects as P};
        let [first, second, third] = match self {
            Self::Cpf => [C, P, F],
            Self::Cfp => [C, F, P],
            Self::Fcp => [F, C, P],
            Self::Pcf => [P, C, F],
            Self::Pfc => [P, F, C],
            Self::Fpc => [F, P, C],
        };
        [first, second, third, FollowOns]
    }

    fn before(self, first: Actor, second: Actor) -> bool {
        self.turns()
            .into_iter()
            .find(|a| *a == first || *a == second)
            == Some(first)
    }

    /// Whether consultants act before projects.
    #[must_use]
    pub fn work_before_projects(self) -> bool {
        self.before(Actor::Consultants, Actor::Projects)
    }

    /// Whether controlling acts before consultants, so that their cost is booked one step late.
    #[must_use]
    pub fn costs_lag(self) -> bool {
        self.before(Actor::Controlling, Actor::Consultants)
    }

    /// Steps between work on a project of the scenario and the booking of its revenue.
    ///
    /// 0 to 2. Together with [`AgentOrder::follow_on_lag`] it decides which work still
    /// counts: work at step `k` is earned when `k + lag` lies before the last step.
    #[must_use]
    pub fn revenue_lag(self) -> u32 {
        u32::from(!self.work_before_projects())
            + u32::from(self.before(Actor::Controlling, Actor::Projects))
    }

    /// Steps between work on a follow-on project and the booking of its revenue: one, in every
    /// order, because follow-ons report after controlling.
    #[must_use]
    pub fn follow_on_lag(self) -> u32 {
        1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use strum::VariantArray;

    #[test]
    fn lags_follow_from_the_order() {
        let lags: Vec<_> = AgentOrder::VARIANTS
            .iter()
            .map(|o| {
                (
                    serde_json::to_value(o).unwrap(),
                    o.revenue_lag(),
                    o.costs_lag(),
                )
            })
            .collect();
        assert_eq!(
            lags,
            [
                ("cpf".into(), 0, false),
                ("cfp".into(), 1, false),
                ("fcp".into(), 1, true),
                ("pcf".into(), 1, false),
                ("pfc".into(), 1, true),
                ("fpc".into(), 2, true)
            ]
        );
    }
}
