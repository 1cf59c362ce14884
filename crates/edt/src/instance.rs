//! One instance to play: a firm, its rules, and the seed of its draws.
//!
//! An instance comes from one of three places: [`Instance::generate`] draws it from a
//! [`Config`], [`Instance::of_firm`] takes a firm that a program made, and `serde` reads
//! it from JSON. [`Edt::new`](crate::Edt::new) checks all of them alike.
//!
//! ```
//! use edt::{Config, Edt, Instance};
//! use std::sync::Arc;
//!
//! // A firm in the form of this crate. Rules that are left out are the defaults.
//! let text = r#"{
//!     "stop": 24, "fixed_cost": 5000, "risk_level": 0.5,
//!     "staff": [{"count": 2, "salary": 6000, "workplace_cost": 2000}],
//!     "projects": [{
//!         "name": "Audit", "contracted_effort": 30, "contracted_probability": 1,
//!         "extension_probability": 0.5, "extension_effort": 6, "follow_on_probability": 0.1,
//!         "consultants": 2, "start_time": 1, "deadline": 20, "billing_rate": 14000
//!     }]
//! }"#;
//! let instance: Instance = serde_json::from_str(text)?;
//! assert_eq!(instance, Instance::of_firm(instance.firm.clone()));
//! assert_eq!(Edt::new(Arc::new(instance))?.firm().head_count(), 2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use crate::action::DecisionRule;
use crate::chance::{Chance, RiskMode};
use crate::config::{Config, Disclosure, Template};
use crate::firm::Firm;
use crate::scenario;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sim_core::{ConfigError, Episode, Seed, error};

/// A firm with its rules.
///
/// Read from JSON it may also be a scenario alone, in our form or in that of the original engine;
/// the rules are the defaults then. See [`scenario`].
///
/// Two equal instances give the same run for the same plan, on every machine.
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
// A type of its own: `Instance` is read by `try_from`, which takes scenarios too and needs a plain reader of the fields.
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
        // By `read`, which names the place of a fault: the reader outside sees only that `try_from`
        // failed.
        let form: Form = error::read(&value)?;
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
    ///
    /// The threshold rule, strict decisions, the paper's disclosure, seed 0. The firm is
    /// not checked here; [`Edt::new`](crate::Edt::new) and [`Instance::check`] do that.
    /// To change a rule, set the field:
    ///
    /// ```
    /// use edt::{Instance, config::RiskMode, firm::Firm};
    /// use sim_core::Seed;
    ///
    /// let mut instance = Instance::of_firm(Firm::paper());
    /// instance.risk_mode = RiskMode::BernoulliRepeat;
    /// instance.seed = Seed(3);
    /// assert!(instance.check().is_ok());
    /// ```
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
    ///
    /// Under [`Template::Paper`] with the threshold rule nothing is drawn, and every
    /// episode has the same instance with seed 0. Use [`Episode::of_run`] in loops:
    ///
    /// ```
    /// use edt::{Config, Instance};
    /// use sim_core::{Episode, Seed};
    ///
    /// let small = Config::preset("small").ok_or("no such preset")?;
    /// let firms: Vec<Instance> = (0..100)
    ///     .map(|k| Instance::generate(&small, Episode::of_run(Seed(1), k)))
    ///     .collect::<Result<_, _>>()?;
    /// assert!(firms.iter().all(|one| one.firm.projects.len() == 5));
    /// assert_ne!(firms[0], firms[1]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn generate(config: &Config, episode: Episode) -> Result<Self, ConfigError> {
        config.check()?;
        let firm = match &config.template {
            Template::Paper => Firm::paper(),
            Template::Drawn(drawn) => drawn.firm(episode.seed)?,
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
    ///
    /// `risk_level` is R of the plan, 0 to 1. [`Engine::run`](crate::engine::Engine::run)
    /// uses the risk level of the plan instead, so there any value will do.
    #[must_use]
    pub fn chance(&self, risk_level: f64) -> Chance {
        Chance {
            mode: self.risk_mode,
            risk_level,
            seed: self.seed,
        }
    }
}
