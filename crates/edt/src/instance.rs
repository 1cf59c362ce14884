//! One instance to play: a firm, its rules, and the seed of its draws.

use crate::action::DecisionRule;
use crate::chance::{Chance, RiskMode};
use crate::config::{Config, Disclosure, Template};
use crate::firm::Firm;
use crate::scenario;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sim_core::{ConfigError, Episode, Seed};

/// A firm with its rules.
///
/// Read from JSON it may also be a scenario alone, in our form or in that of the original engine;
/// the rules are the defaults then. See [`scenario`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Value")]
pub struct Instance {
    /// The firm.
    pub firm: Firm,
    /// The rule for extensions and follow-ons.
    pub risk_mode: RiskMode,
    /// Treatment of a plan outside the limits.
    pub decision_rule: DecisionRule,
    /// The values that the agent is shown.
    pub disclosure: Disclosure,
    /// Root of the draws; without effect in threshold mode.
    pub seed: Seed,
}

/// The stored form.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Form {
    firm: Firm,
    #[serde(default)]
    risk_mode: RiskMode,
    #[serde(default)]
    decision_rule: DecisionRule,
    #[serde(default)]
    disclosure: Disclosure,
    #[serde(default)]
    seed: Seed,
}

impl TryFrom<Value> for Instance {
    type Error = ConfigError;

    fn try_from(value: Value) -> Result<Self, ConfigError> {
        if value.get("firm").is_none() {
            return scenario::from_value(&value, None).map(Self::of_firm);
        }
        let form: Form = scenario::typed(&value)?;
        Ok(Self {
            firm: form.firm,
            risk_mode: form.risk_mode,
            decision_rule: form.decision_rule,
            disclosure: form.disclosure,
            seed: form.seed,
        })
    }
}

impl Instance {
    /// A firm under the default rules.
    #[must_use]
    pub fn of_firm(firm: Firm) -> Self {
        Self {
            firm,
            risk_mode: RiskMode::default(),
            decision_rule: DecisionRule::default(),
            disclosure: Disclosure::default(),
            seed: Seed(0),
        }
    }

    /// Draws the instance of an episode from the episode's seed; its index is not used.
    ///
    /// # Errors
    /// When the settings cannot be used; names the setting at fault.
    pub fn generate(config: &Config, episode: Episode) -> Result<Self, ConfigError> {
        config.check()?;
        let firm = match &config.template {
            Template::Paper => Firm::paper(),
            Template::Drawn(drawn) => drawn.firm(episode.seed),
        };
        Ok(Self {
            firm: config.settle(firm),
            risk_mode: config.risk_mode,
            decision_rule: config.decision_rule,
            disclosure: config.disclosure,
            // Where nothing is drawn, two episodes are the same instance.
            seed: if config.risk_mode.is_random() {
                episode.seed
            } else {
                Seed(0)
            },
        })
    }

    /// Checks an instance that may come from a file.
    ///
    /// # Errors
    /// Names the field at fault and what would be right.
    pub fn check(&self) -> Result<(), ConfigError> {
        self.firm.check().map_err(|e| e.within("firm"))
    }

    /// The chance of a run at `risk_level`.
    #[must_use]
    pub fn chance(&self, risk_level: f64) -> Chance {
        Chance {
            mode: self.risk_mode,
            risk_level,
            seed: self.seed,
        }
    }
}
