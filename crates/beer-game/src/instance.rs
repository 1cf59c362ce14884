//! One game to be played, with everything drawn.

use crate::config::{Board, Config, Cost, Demand, Play};
use crate::role::ByRole;
use crate::rule::Lineup;
use serde::{Deserialize, Serialize};
use sim_core::{ConfigError, Episode};

/// A game to be played. The environment and the reference read its future demand; no observation
/// contains it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Instance {
    /// Demand week by week \[units\]; its length is the length of the game.
    pub demand: Vec<u32>,
    /// Whether the demand was drawn; if not, it is part of the published setting.
    pub drawn: bool,
    /// Rules of the roles that are not under control.
    pub opponents: Lineup,
    /// Delays, starting stocks and order of events.
    pub board: Board,
    /// Cost of stock and backlog.
    pub cost: Cost,
    /// Controlled roles, their observations, and the objective.
    pub play: Play,
    /// Levels of the baseline `order-up-to`, downstream first \[units\].
    pub order_up_to: ByRole<f64>,
}

impl Instance {
    /// Draws the game of an episode: demand from the episode's seed, opponents in turn by its index.
    ///
    /// # Errors
    /// When the configuration cannot be played; names the setting at fault.
    pub fn generate(config: &Config, episode: Episode) -> Result<Self, ConfigError> {
        config.check()?;
        let count = config.opponents.len() as u64;
        let turn = episode
            .index
            .checked_rem(count)
            .and_then(|turn| usize::try_from(turn).ok());
        let Some(&opponents) = turn.and_then(|turn| config.opponents.get(turn)) else {
            return Err(ConfigError::new("opponents", "must name at least one"));
        };
        let mut play = config.play.clone();
        play.controlled.sort_unstable();
        Ok(Self {
            demand: config.demand.draw(config.weeks, episode.seed),
            drawn: config.demand.is_drawn(),
            opponents,
            board: config.board.clone(),
            cost: config.cost.clone(),
            play,
            order_up_to: config.order_up_to,
        })
    }

    /// Length of the game \[weeks\].
    #[must_use]
    pub fn weeks(&self) -> u32 {
        u32::try_from(self.demand.len()).unwrap_or(u32::MAX)
    }

    /// Checks that the game can be played. A generated game can; one that was read from a file may not.
    ///
    /// # Errors
    /// Names the first value that cannot be used.
    pub fn check(&self) -> Result<(), ConfigError> {
        let as_config = Config {
            weeks: self.weeks(),
            demand: Demand::Script {
                units: self.demand.clone(),
            },
            opponents: vec![self.opponents],
            board: self.board.clone(),
            cost: self.cost.clone(),
            play: self.play.clone(),
            order_up_to: self.order_up_to,
        };
        as_config.check()?;
        if !self.play.controlled.is_sorted() {
            return Err(ConfigError::new(
                "play.controlled",
                "must go downstream first",
            ));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::role::Role;
    use crate::rule::Rule;
    use sim_core::Seed;

    #[test]
    fn opponents_take_turns_and_roles_are_put_in_order() {
        let mut config = Config::paper();
        config.play.controlled = vec![Role::Brewery, Role::Retailer];
        let opponents: Vec<Lineup> = (0..4)
            .map(|k| {
                Instance::generate(&config, Episode::of_run(Seed(1), k))
                    .unwrap()
                    .opponents
            })
            .collect();
        let [a, b] = [Rule::TYPICAL, Rule::SMOOTHING_4].map(Lineup::all);
        assert_eq!(opponents, [a, b, a, b]);
        let instance = Instance::generate(&config, Episode::of_run(Seed(1), 0)).unwrap();
        assert_eq!(instance.play.controlled, [Role::Retailer, Role::Brewery]);
        assert!(instance.check().is_ok());
    }
}
