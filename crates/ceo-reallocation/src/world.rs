//! A company between rounds: the scenario of the present round and its hidden state.
//!
//! The scenario is what agents and scorer see; [`Undercurrent`] is what only the
//! transition knows. One step is [`World::carry_out`]: carry out the decision, then let
//! advisors and evaluation of the new round follow by rule.

use crate::advisor_model::{HiddenRisk, renew};
use crate::dynamics::{Decision, Noise, Undercurrent, advance, in_distress};
use crate::instance::Instance;
use crate::scenario::{Direction, Officer, PastDecision, Reversal, Scenario, ShockKind};
use serde::{Deserialize, Serialize};
use sim_core::ConfigError;

/// The decision type in the history of a rejected decision.
pub(crate) const REJECTED: &str = "rejected";
/// As [`REJECTED`], for a round without a readable decision.
pub(crate) const NO_DECISION: &str = "none";

/// Shocks that take at least this part of a market make a change of course due.
// Chosen, not measured; the authored shocks take 0.30 and 0.35.
const REVERSAL_FROM: f64 = 0.25;

/// A company between two decisions.
///
/// It holds nothing that depends on the agent except through the recorded decisions, so
/// [`World::after`] rebuilds it from a history.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct World {
    /// The scenario of the running round.
    pub scenario: Scenario,
    /// Its hidden state.
    pub hidden: Undercurrent,
}

impl World {
    /// The start of an instance.
    #[must_use]
    pub fn start(instance: &Instance) -> Self {
        Self {
            scenario: instance.scenario.clone(),
            hidden: Undercurrent::at_start(&instance.scenario),
        }
    }

    /// Carries a decision out and prepares the next round: state, advisors, evaluation.
    ///
    /// # Errors
    /// Never for a world that started from a checked instance.
    ///
    /// `instance` gives the drift of the company and the noise. With a sigma of 0 the
    /// result depends on the decision alone.
    pub fn carry_out(
        &mut self,
        instance: &Instance,
        decision: &Decision<'_>,
    ) -> Result<(), ConfigError> {
        let noise = Noise {
            sigma: instance.config.noise_sigma,
            seed: instance.seed,
        };
        advance(
            &mut self.scenario,
            &mut self.hidden,
            decision,
            instance.company.drift,
            Some(noise),
        );
        // After `advance`: both look at the round that has just begun.
        let (risk, reversal) = (self.story(), self.due_reversal());
        renew(&mut self.scenario, risk.as_ref(), reversal)
    }

    /// The world after the recorded decisions of a history: an oracle policy reconstructs the hidden
    /// state from it.
    ///
    /// # Errors
    /// Never for a history of the same instance.
    pub fn after(instance: &Instance, history: &[PastDecision]) -> Result<Self, ConfigError> {
        let mut world = Self::start(instance);
        // The first decisions are those of the scenario itself: its state already shows them.
        for past in history.iter().skip(instance.scenario.history.len()) {
            let decision = Decision {
                deltas: past.deltas_pp.clone(),
                rejected: matches!(past.decision_type.as_str(), REJECTED | NO_DECISION),
                decision_type: &past.decision_type,
                rationale: &past.rationale,
            };
            world.carry_out(instance, &decision)?;
        }
        Ok(world)
    }

    /// Whether the company is in distress.
    #[must_use]
    pub fn in_distress(&self) -> bool {
        in_distress(&self.scenario.company_state)
    }

    /// A market that will shrink next round makes a growth story untrue; only the chief financial
    /// officer has this knowledge.
    fn story(&self) -> Option<HiddenRisk> {
        let next = self.scenario.round + 1;
        self.scenario.shocks.iter().find_map(|shock| {
            let shrinks = shock.kind == ShockKind::MarketSize && shock.magnitude < 0.0;
            let unit = shock
                .unit
                .clone()
                .filter(|_| shrinks && shock.round == next)?;
            // The authored shocks of 0.30 and 0.35 become 0.6 and 0.7: within the degrees that the
            // generator draws, 0.6 to 0.9. The factor itself is chosen, not measured.
            let degree = (2.0 * -shock.magnitude).clamp(0.0, 0.9);
            Some(HiddenRisk {
                unit,
                degree,
                known_to: Officer::Cfo,
            })
        })
    }

    /// A unit whose market has just collapsed and that was funded before must be drawn down.
    fn due_reversal(&self) -> Option<Reversal> {
        let scenario = &self.scenario;
        let shock = scenario.shocks.iter().find(|shock| {
            shock.round == scenario.round
                && shock.kind == ShockKind::MarketSize
                && shock.magnitude <= -REVERSAL_FROM
        })?;
        let id = shock.unit.clone()?;
        let funded: f64 = scenario
            .history
            .iter()
            .rev()
            .take(2)
            .filter_map(|past| past.deltas_pp.get(&id))
            .sum();
        let unit = scenario.unit(id.as_str())?;
        let room = unit.share_pp - unit.floor_pp;
        // A fifth of its share lies between the authored targets, 3 of 20 (C6-R3) and 8 of 34 (C7-R3);
        // the most for one stage, below, is a quarter more, as in C7-R3.
        let target = (0.2 * unit.share_pp * 2.0).round() / 2.0;
        if funded <= 0.0 || room < target || target < 1.0 || scenario.is_locked(id.as_str()) {
            return None;
        }
        Some(Reversal {
            unit: id,
            direction: Direction::Defund,
            target_min_pp: target,
            stage_max_pp: 1.25 * target,
        })
    }
}
