//! Checks of configurations.

use super::{Board, Charged, Config, Cost, Demand, Play};
use crate::pipeline::MAX_DELAY;
use crate::role::Role;
use crate::rule::Lineup;
use crate::rule::{Formula, MAX_WINDOW};
use sim_core::ConfigError;

/// Longest game \[weeks\]: ten years.
const MAX_WEEKS: u32 = 520;
/// Largest demand, starting stock and permitted order \[units\], and largest price.
const MAX_UNITS: u32 = 1_000_000;

impl Config {
    /// Checks that the configuration can be played.
    ///
    /// # Errors
    /// Names the first value that cannot, its path and the permitted range.
    ///
    /// Ranges: weeks 1 to 520; delays 1 to 8; amounts, levels and prices 0 to 1,000,000;
    /// every drawn range with its lower end first; one to four different controlled
    /// roles; `theta` of a Sterman rule 0 to 1; times over which a rule closes a gap from
    /// 1 on. Numbers that are infinite or not a number are refused. Generator,
    /// environment and batch all call the check.
    pub fn check(&self) -> Result<(), ConfigError> {
        ConfigError::check_range("weeks", self.weeks, 1, MAX_WEEKS)?;
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
            check_lineup(lineup).map_err(|e| e.within(&format!("opponents[{i}]")))?;
        }
        self.board.check().map_err(|e| e.within("board"))?;
        self.cost.check(&self.board).map_err(|e| e.within("cost"))?;
        self.play.check().map_err(|e| e.within("play"))?;
        self.order_up_to
            .iter()
            .try_for_each(|(_, level)| amount("order_up_to", *level))
    }
}

impl Board {
    fn check(&self) -> Result<(), ConfigError> {
        ConfigError::check_range("order_delay", self.order_delay, 1, MAX_DELAY)?;
        ConfigError::check_range("ship_delay", self.ship_delay, 1, MAX_DELAY)?;
        ConfigError::check_range("production_delay", self.production_delay, 1, MAX_DELAY)?;
        ConfigError::check_range("initial_inventory", self.initial_inventory, 0, MAX_UNITS)?;
        ConfigError::check_range("initial_flow", self.initial_flow, 0, MAX_UNITS)?;
        ConfigError::check_range("target_inventory", self.target_inventory, 0, MAX_UNITS)?;
        ConfigError::check_range("forced_weeks", self.forced_weeks, 0, MAX_WEEKS)
    }
}

impl Cost {
    fn check(&self, board: &Board) -> Result<(), ConfigError> {
        amount("holding", self.holding)?;
        amount("backlog", self.backlog)?;
        amount("minimum", self.minimum)?;
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
        for role in Role::ALL {
            if self.controlled.iter().filter(|r| **r == role).count() > 1 {
                return Err(ConfigError::new(
                    "controlled",
                    format!("names `{role}` twice"),
                ));
            }
        }
        ConfigError::check_range("largest_order", self.largest_order, 1, MAX_UNITS)
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
        match self {
            Self::Script { units } => {
                if units.len() != weeks as usize {
                    let got = units.len();
                    return Err(ConfigError::new(
                        "units",
                        format!("has `{got}` entries for {weeks} weeks, one a week is needed"),
                    ));
                }
                units
                    .iter()
                    .try_for_each(|&u| ConfigError::check_range("units", u, 0, MAX_UNITS))
            }
            &Self::Step {
                low,
                high,
                from_week,
            } => {
                ConfigError::check_range("low", low, 0, MAX_UNITS)?;
                ConfigError::check_range("high", high, 0, MAX_UNITS)?;
                ConfigError::check_range("from_week", from_week, 1, MAX_WEEKS)
            }
            &Self::DrawnStep {
                low,
                from_week,
                high,
            } => {
                ConfigError::check_range("low", low, 0, MAX_UNITS)?;
                range("from_week", from_week)?;
                range("high", high)?;
                let [first, last] = from_week;
                ConfigError::check_range("from_week", first, 1, MAX_WEEKS)?;
                ConfigError::check_range("from_week", last, 1, MAX_WEEKS)?;
                let [_, most] = high;
                ConfigError::check_range("high", most, 0, MAX_UNITS)
            }
            &Self::Uniform { low, high } => {
                ConfigError::check_range("high", high, 0, MAX_UNITS)?;
                if low > high {
                    return Err(ConfigError::new(
                        "low",
                        format!("`{low}` must not be above high (`{high}`)"),
                    ));
                }
                Ok(())
            }
        }
    }
}

/// Whether every rule's parameters are usable.
fn check_lineup(lineup: &Lineup) -> Result<(), ConfigError> {
    for (role, rule) in lineup.rules.iter() {
        check_rule(&rule.0).map_err(|e| e.within(role.name()))?;
    }
    Ok(())
}

fn check_rule(formula: &Formula) -> Result<(), ConfigError> {
    let weeks = |weeks: f64| {
        if weeks.is_finite() && weeks >= 1.0 {
            return Ok(());
        }
        Err(ConfigError::new(
            "weeks",
            format!("must be a number from 1 on, not `{weeks}`"),
        ))
    };
    match *formula {
        Formula::Typical {
            alpha,
            beta,
            window,
        } => {
            amount("alpha", alpha)?;
            amount("beta", beta)?;
            ConfigError::check_range("window", window, 1, MAX_WINDOW)
        }
        Formula::GradualSmoothing { weeks: k }
        | Formula::SlowAdjustment { weeks: k }
        | Formula::OrderBalance { weeks: k }
        | Formula::SystemDynamics { weeks: k, .. } => weeks(k),
        Formula::OrderUpTo { level } => level.map_or(Ok(()), |level| amount("level", level)),
        Formula::Sterman {
            theta,
            alpha,
            beta,
            desired,
            reach,
        } => {
            ConfigError::check_range("theta", theta, 0.0, 1.0)?;
            amount("alpha", alpha)?;
            amount("beta", beta)?;
            amount("reach", reach)?;
            desired.map_or(Ok(()), |desired| amount("desired", desired))
        }
        Formula::Constant { units } => amount("units", units),
        Formula::BaseStock | Formula::IncludeSupplyLine | Formula::FollowDemand => Ok(()),
    }
}

/// A finite number from 0 to 1,000,000.
fn amount(name: &str, value: f64) -> Result<(), ConfigError> {
    ConfigError::check_range(name, value, 0.0, f64::from(MAX_UNITS))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::OrderingRule;

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
