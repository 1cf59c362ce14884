//! One game to be played, with everything drawn.
//!
//! [`Instance::generate`] turns a configuration and an episode into a game. The same pair
//! always gives the same game; another index of the same run gives an independent demand
//! and the next opponents:
//!
//! ```
//! use beer_game::{Config, Instance};
//! use sim_core::{Episode, Seed};
//!
//! let config = Config::random();
//! let [first, again, third] =
//!     [0, 0, 2].map(|k| Instance::generate(&config, Episode::of_run(Seed(7), k)));
//! let (first, again, third) = (first?, again?, third?);
//! assert_eq!(first, again);
//! assert_eq!(first.opponents, third.opponents, "two opponents take turns");
//! assert_eq!((first.weeks(), first.drawn), (25, true));
//! # Ok::<(), sim_core::ConfigError>(())
//! ```
//!
//! An instance can also be read from JSON or built by hand, for example with a demand
//! from a company's own books. [`BeerGame::new`](crate::BeerGame::new) checks it then:
//!
//! ```
//! use beer_game::{BeerGame, Config, Instance};
//! use sim_core::{Episode, Seed};
//! use std::sync::Arc;
//!
//! let mut game = Instance::generate(&Config::paper(), Episode::of_run(Seed(0), 0))?;
//! game.demand = vec![120, 80, 95, 310];
//! assert!(BeerGame::new(Arc::new(game.clone())).is_ok(), "a game of four weeks");
//!
//! game.demand.clear();
//! let refused = BeerGame::new(Arc::new(game)).expect_err("nothing to play");
//! assert_eq!(refused.place, "weeks");
//! # Ok::<(), sim_core::ConfigError>(())
//! ```

use crate::config::{Board, Config, Cost, Demand, Disclosure, Play};
use crate::role::{ByRole, Role};
use crate::rule::{Lineup, OrderingRule};
use serde::{Deserialize, Serialize};
use sim_core::{ConfigError, Episode};

/// A game to be played. The environment and the reference read its future demand; no observation
/// contains it.
///
/// It is a record of what was drawn, next to a copy of the settings that the dynamics
/// need, so that a game can be stored and played again without the configuration. Two
/// games with equal instances have equal results for equal orders.
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
    /// What the prompts tell of the rules.
    #[serde(default, skip_serializing_if = "Disclosure::is_full")]
    pub disclosure: Disclosure,
}

impl Instance {
    /// The rules of the roles that no agent plays, where the game reveals them and there are such roles.
    pub(crate) fn revealed(&self) -> Option<String> {
        let is_other = |role: &Role| !self.play.controlled.contains(role);
        let others: Vec<(Role, OrderingRule)> = Role::ALL
            .into_iter()
            .filter(is_other)
            .map(|role| (role, self.opponents.rule(role)))
            .collect();
        let (_, first) = *others.first().filter(|_| self.play.reveal_opponents)?;
        if others.iter().all(|(_, rule)| *rule == first) {
            return Some(first.to_string());
        }
        let each = others.iter().map(|(role, rule)| format!("{role} {rule}"));
        Some(each.collect::<Vec<_>>().join(", "))
    }

    /// Draws the game of an episode: demand from the episode's seed, opponents in turn by its index.
    ///
    /// # Errors
    /// When the configuration cannot be played; names the setting at fault.
    ///
    /// Demand comes from the streams named in [`Demand::draw`]; the opponents are entry
    /// `index` modulo the number of lineups, and cost no draw. Controlled roles are put
    /// in order, downstream first, because that is the order in which seats decide.
    pub fn generate(config: &Config, episode: Episode) -> Result<Self, ConfigError> {
        config.check()?;
        let count = config.opponents.len() as u64;
        // By index and not drawn: with two rules every run meets each of them in half of its games.
        let turn = episode
            .index
            .checked_rem(count)
            .and_then(|turn| usize::try_from(turn).ok());
        let Some(&opponents) = turn.and_then(|turn| config.opponents.get(turn)) else {
            return Err(ConfigError::new("opponents", "must name at least one"));
        };
        let mut play = config.play.clone();
        // A file may list the seats in any order; decisions go downstream first in all games.
        play.controlled.sort_unstable();
        Ok(Self {
            demand: config.demand.draw(config.weeks, episode.seed),
            drawn: config.demand.is_drawn(),
            opponents,
            board: config.board.clone(),
            cost: config.cost.clone(),
            play,
            order_up_to: config.order_up_to,
            disclosure: config.disclosure,
        })
    }

    /// Length of the game \[weeks\].
    ///
    /// At least 1 and at most 520 in a game that [`check`](Self::check) accepts.
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
            // As a script, since what was drawn is fixed now; one check then serves settings and
            // games.
            demand: Demand::Script {
                units: self.demand.clone(),
            },
            opponents: vec![self.opponents],
            board: self.board.clone(),
            cost: self.cost.clone(),
            play: self.play.clone(),
            order_up_to: self.order_up_to,
            disclosure: self.disclosure,
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
    use crate::rule::OrderingRule;
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
        let [a, b] = [OrderingRule::TYPICAL, OrderingRule::SMOOTHING_4].map(Lineup::all);
        assert_eq!(opponents, [a, b, a, b]);
        let instance = Instance::generate(&config, Episode::of_run(Seed(1), 0)).unwrap();
        assert_eq!(instance.play.controlled, [Role::Retailer, Role::Brewery]);
        assert!(instance.check().is_ok());
    }
}
