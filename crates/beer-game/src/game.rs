//! The constants of a game, which do not change while it is played.

use crate::chain::Setup;
use crate::instance::Instance;
use crate::role::{ByRole, Role};
use sim_core::ConfigError;
use std::sync::Arc;

/// An instance that can be played, with its constants.
#[derive(Debug)]
pub(crate) struct Game {
    pub(crate) instance: Arc<Instance>,
    pub(crate) setup: Setup,
    /// The first role under control.
    pub(crate) first: Role,
}

impl Game {
    /// Names the value at fault if the instance cannot be played.
    pub(crate) fn new(instance: Arc<Instance>) -> Result<Self, ConfigError> {
        instance.check()?;
        let Some(&first) = instance.play.controlled.first() else {
            return Err(ConfigError::new("play.controlled", "must name a role"));
        };
        Ok(Self {
            setup: Setup::new(&instance.board, &instance.cost, &instance.opponents),
            instance,
            first,
        })
    }

    /// The first seat whose decision is missing.
    pub(crate) fn waiting(&self, sealed: &ByRole<Option<u32>>) -> Option<Role> {
        let mut seats = self.instance.play.controlled.iter().copied();
        seats.find(|role| sealed[*role].is_none())
    }
}
