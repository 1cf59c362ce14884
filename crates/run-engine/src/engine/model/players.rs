//! The agents of a run that asks models, by seat.

use super::backends::Models;
use crate::error::RunError;
use crate::executor::Recorded;
use crate::plan::Plan;
use crate::plan::agent::AgentSpec;
use agent_client::backend::AgentBackend;
use agent_client::method::{MethodSpec, SeatPlayer, Team};
use agent_client::play::PlaySettings;
use sim_core::{DynEnvironmentSpec, DynInstance, Effort, Seat, Seed, ToolEnvironment};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Who plays which seat, ready to begin episodes.
#[derive(Debug, Clone)]
pub(crate) struct Players {
    /// The models of the stream: those of the run's agent, or of the first seat where that agent is a policy.
    pub(crate) team: Team,
    /// The method of the stream; where the run's agent is a policy, no seat is played with it.
    pub(crate) method: MethodSpec,
    /// The run's agent, where it is a policy.
    policy: Option<AgentSpec>,
    seats: BTreeMap<Seat, Player>,
    effort: Effort,
}

#[derive(Debug, Clone)]
enum Player {
    Policy(AgentSpec),
    Model {
        backend: Arc<dyn AgentBackend>,
        method: MethodSpec,
        play: PlaySettings,
    },
}

impl Players {
    /// The players of `plan`; `models` are those of its dialects, in the same order.
    ///
    /// # Errors
    /// When a backend is missing: a fault of this program.
    pub(crate) fn new(
        kind: &dyn DynEnvironmentSpec,
        plan: &Plan,
        models: &Models,
    ) -> Result<Self, RunError> {
        // Backends come in the order of the plan's dialects: the run's agent first, then the seats
        // by name. Nothing else connects a seat with its model, so a call that is left out here
        // would shift all later ones.
        let mut next = 0..;
        let mut backend = || models.backend(next.next().unwrap_or(usize::MAX));
        let (team, method) = match &plan.model {
            Some(model) => (Team::of(backend()?), model.method.clone()),
            None => (Team::of(models.backend(0)?), direct()?),
        };
        let mut seats = BTreeMap::new();
        // By name, as the plan has its seats.
        for (seat, agent) in plan.seat_specs(kind)? {
            let own = plan.seats.get(seat.name());
            let player = match own.and_then(|own| own.model.as_ref()) {
                Some(model) => Player::Model {
                    backend: backend()?,
                    method: model.method.clone(),
                    play: model.play,
                },
                None => Player::Policy(agent),
            };
            seats.insert(seat, player);
        }
        Ok(Self {
            team,
            method,
            policy: plan
                .model
                .is_none()
                .then(|| AgentSpec::parse(&plan.agent))
                .transpose()?,
            seats,
            effort: plan.policy_effort,
        })
    }

    /// The players of an episode with the seed `episode`, at the seats of `env` that the agent of the stream does not
    /// play. With `programs`, the values of programs are taken from there.
    ///
    /// # Errors
    /// When a policy or a method cannot be made.
    pub(crate) fn seated(
        &self,
        case: &dyn DynInstance,
        env: &dyn ToolEnvironment,
        episode: Seed,
        programs: Option<&Recorded>,
    ) -> Result<BTreeMap<Seat, SeatPlayer>, RunError> {
        let policy = |agent: &AgentSpec, seat: &Seat| {
            let player = agent.player(case, seat, episode, self.effort)?;
            let missing = || RunError::Failed(format!("nobody plays seat `{seat}`"));
            player.map(SeatPlayer::Policy).ok_or_else(missing)
        };
        let mut seated = BTreeMap::new();
        for seat in env.seats() {
            if let (Some(Player::Policy(AgentSpec::Python)), Some(programs)) =
                (self.seats.get(&seat), programs)
            {
                seated.insert(seat, SeatPlayer::Policy(Box::new(programs.clone())));
                continue;
            }
            let player = match (self.seats.get(&seat), &self.policy) {
                (Some(Player::Policy(agent)), _) | (None, Some(agent)) => policy(agent, &seat)?,
                (
                    Some(Player::Model {
                        backend,
                        method,
                        play,
                    }),
                    _,
                ) => SeatPlayer::Model {
                    backend: Arc::clone(backend),
                    method: method.make().map_err(|e| RunError::usage(e.message))?,
                    play: *play,
                },
                (None, None) => continue,
            };
            seated.insert(seat, player);
        }
        Ok(seated)
    }
}

/// The plainest method: one request for a decision, and no memory.
fn direct() -> Result<MethodSpec, RunError> {
    "direct"
        .parse()
        .map_err(|e: agent_client::AgentError| RunError::usage(e.message))
}
