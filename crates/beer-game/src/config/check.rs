//! Checks of configurations.

use super::{Board, Charged, Config, Cost, Demand, Play};
use crate::role::Role;
use crate::rule::{Lineup, MAX_AMOUNT};
use sim_core::{ConfigError, InRange as _};

impl Config {
    /// Checks that the configuration can be played.
    ///
    /// # Errors
    /// Names the first value that cannot, its path and the permitted range.
    ///
    /// The ranges stand on the fields. Besides, every drawn range has its lower end first, and there are one to
    /// four different controlled roles. Generator, environment and batch all call the check.
    pub fn check(&self) -> Result<(), ConfigError> {
        self.check_ranges()?;
        // Against the length of the game, which its own ranges do not know.
        self.demand
            .check(self.weeks)
            .map_err(|e| e.within("demand"))?;
        if self.opponents.is_empty() {
            return Err(ConfigError::new(
                "opponents",
                "must name at least one, e.g. [\"typical\"]",
            ));
        }
        for (i, lineup) in self.opponents.iter().enumerate() {
            // Of controlled roles as well: an unusable rule in a file is an error even where nobody
            // plays it.
            check_lineup(lineup).map_err(|e| e.within(&format!("opponents[{i}]")))?;
        }
        self.board.check_ranges().map_err(|e| e.within("board"))?;
        self.cost.check(&self.board).map_err(|e| e.within("cost"))?;
        self.play.check().map_err(|e| e.within("play"))?;
        self.order_up_to
            .iter()
            .try_for_each(|(_, level)| level.check_range("order_up_to", 0.0, MAX_AMOUNT))
    }
}

impl Cost {
    fn check(&self, board: &Board) -> Result<(), ConfigError> {
        self.check_ranges()?;
        // The lagged stock is a stock of fractions in its source; cut costs would be a game that
        // nobody published.
        if self.charged == Charged::LaggedStock && board.rounding == super::Rounding::OrdersAndCosts
        {
            return Err(ConfigError::new(
                "charged",
                "`lagged-stock` books no whole numbers; use it with another board.rounding",
            ));
        }
        Ok(())
    }
}

impl Play {
    fn check(&self) -> Result<(), ConfigError> {
        if self.controlled.is_empty() {
            return Err(ConfigError::new(
                "controlled",
                "must name at least one role, e.g. [\"retailer\"]",
            ));
        }
        // Named in words and not removed: a seat that is listed twice is probably a typing error
        // for another one.
        for role in Role::ALL {
            if self.controlled.iter().filter(|r| **r == role).count() > 1 {
                return Err(ConfigError::new(
                    "controlled",
                    format!("names `{role}` twice"),
                ));
            }
        }
        self.check_ranges()
    }
}

impl Demand {
    fn check(&self, weeks: u32) -> Result<(), ConfigError> {
        let range = |name: &str, [low, high]: [u32; 2]| {
            if low <= high {
                return Ok(());
            }
            Err(ConfigError::new(
                name,
                format!("`{low}` to `{high}` is not a range; the lowest comes first"),
            ))
        };
        self.check_ranges()?;
        match self {
            // A longer one is refused too, or its last weeks would be lost without a word.
            Self::Script { units } if units.len() != weeks as usize => {
                let got = units.len();
                Err(ConfigError::new(
                    "units",
                    format!("has `{got}` entries for {weeks} weeks, one a week is needed"),
                ))
            }
            &Self::DrawnStep {
                from_week, high, ..
            } => {
                range("from_week", from_week)?;
                range("high", high)
            }
            Self::Uniform { low, high } if low > high => Err(ConfigError::new(
                "low",
                format!("`{low}` must not be above high (`{high}`)"),
            )),
            Self::Script { .. } | Self::Step { .. } | Self::Uniform { .. } => Ok(()),
        }
    }
}

/// Whether every rule's parameters are usable.
fn check_lineup(lineup: &Lineup) -> Result<(), ConfigError> {
    for (role, rule) in lineup.rules.iter() {
        rule.0.check_ranges().map_err(|e| e.within(role.name()))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::{Formula, OrderingRule};

    #[test]
    fn every_preset_can_be_played() {
        for preset in Config::presets() {
            assert!(preset.config.check().is_ok(), "{}", preset.name);
        }
    }

    #[test]
    fn what_cannot_be_played_is_named() {
        let refuse = |change: &dyn Fn(&mut Config), expected: &str| {
            let mut config = Config::paper();
            change(&mut config);
            assert_eq!(config.check().unwrap_err().to_string(), expected);
        };
        refuse(
            &|c| c.weeks = 0,
            "weeks: `0` is out of range, it must be 1 to 520",
        );
        refuse(
            &|c| c.board.ship_delay = 9,
            "board.ship_delay: `9` is out of range, it must be 1 to 8",
        );
        refuse(
            &|c| c.cost.holding = -1.0,
            "cost.holding: `-1` is out of range, it must be 0 to 1000000",
        );
        refuse(
            &|c| c.cost.backlog = f64::NAN,
            "cost.backlog: `NaN` is out of range, it must be 0 to 1000000",
        );
        refuse(
            &|c| c.play.controlled.push(Role::Retailer),
            "play.controlled: names `retailer` twice",
        );
        refuse(
            &|c| c.play.controlled.clear(),
            "play.controlled: must name at least one role, e.g. [\"retailer\"]",
        );
        refuse(
            &|c| c.opponents.clear(),
            "opponents: must name at least one, e.g. [\"typical\"]",
        );
        refuse(
            &|c| c.demand = Demand::Script { units: vec![1, 2] },
            "demand.units: has `2` entries for 25 weeks, one a week is needed",
        );
        refuse(
            &|c| c.demand = Demand::Uniform { low: 3, high: 2 },
            "demand.low: `3` must not be above high (`2`)",
        );
        refuse(
            &|c| c.opponents = vec![Lineup::all(OrderingRule(Formula::Constant { units: -4.0 }))],
            "opponents[0].retailer.units: `-4` is out of range, it must be 0 to 1000000",
        );
    }
}
