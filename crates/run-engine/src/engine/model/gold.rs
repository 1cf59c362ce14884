//! A solver's plan, for plan mode `gold` and for feedback `ground_truth`.

use agent_client::play::GoldPlan;
use sim_core::{DynInstance, Input, Seed, ToolEnvironment};
use std::fmt;
use std::sync::Arc;

/// Most decisions that are written out.
const MOST: usize = 100;

/// What the reference policy would do in an instance.
pub struct PolicyPlan {
    case: Arc<dyn DynInstance>,
    policy: &'static str,
}

impl PolicyPlan {
    /// The plan of `policy` for `case`.
    #[must_use]
    pub fn new(case: Arc<dyn DynInstance>, policy: &'static str) -> Self {
        Self { case, policy }
    }

    /// The decisions of a whole episode, one a line; `None` if it has none.
    ///
    /// # Errors
    /// Says why the policy cannot play the instance.
    pub fn whole(&self) -> Result<Option<String>, String> {
        let env = self.case.open().map_err(|e| e.to_string())?;
        self.decisions(env, false)
    }

    /// What it does from here on, on a copy: to the end of the turn, or of the episode.
    fn decisions(
        &self,
        mut env: Box<dyn ToolEnvironment>,
        turn: bool,
    ) -> Result<Option<String>, String> {
        let (period, seat) = (env.period().index, env.turn());
        let mut lines = Vec::new();
        // One player a seat, begun here: what it saw before it sees again in the environment.
        let mut players = std::collections::BTreeMap::new();
        while !env.is_over() && lines.len() < MOST {
            let now = env.turn();
            if turn && (env.period().index != period || now != seat) {
                break;
            }
            let player = match players.entry(now.clone()) {
                std::collections::btree_map::Entry::Occupied(known) => known.into_mut(),
                std::collections::btree_map::Entry::Vacant(free) => {
                    let player = self.case.policy(self.policy, &now, Seed(0));
                    free.insert(player.map_err(|e| e.to_string())?)
                }
            };
            let action = player.act(&*env).map_err(|e| e.to_string())?;
            lines.push(sim_core::bytes::canonical_text(&action));
            if env.apply(&Input::Act(action)).is_rejected() {
                return Err(format!("`{}` decided what the rules refuse", self.policy));
            }
            player.learn(&*env);
        }
        Ok((!lines.is_empty()).then(|| lines.join("\n")))
    }
}

impl fmt::Debug for PolicyPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PolicyPlan").field(&self.policy).finish()
    }
}

impl GoldPlan for PolicyPlan {
    fn plan(&self, env: &dyn ToolEnvironment) -> Option<String> {
        // On a fork, because planning must not move the episode itself.
        self.decisions(env.fork(), true).ok().flatten()
    }
}
