//! Settings of a run and the named presets.

pub use crate::action::DecisionRule;
pub use crate::chance::RiskMode;
pub use crate::firm::AgentOrder;
use crate::firm::{Firm, MOST_PROJECTS};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sim_core::{ConfigError, Preset};

/// Fewest projects that the generator draws.
pub const FEWEST_DRAWN: u32 = 5;

/// Settings. The default is the strategic paper's comparison.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// The source of the firm and its projects (default: the paper's template).
    pub template: Template,
    /// Order in which the agents act within a step (default `cpf`, as in the paper's comparison).
    pub agent_order: AgentOrder,
    /// Length of a step (default `whole`, dt = 1).
    pub step: StepLength,
    /// The rule for extensions and follow-ons (default `threshold`, as the original engine
    /// does).
    pub risk_mode: RiskMode,
    /// Treatment of a plan outside the limits (default `strict`).
    pub decision_rule: DecisionRule,
    /// The values that the agent is shown (default `paper`).
    pub disclosure: Disclosure,
}

/// The source of the firm.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Template {
    /// The template of the strategic paper: 12 consultants, 10 projects, 96 steps.
    #[default]
    Paper,
    /// A firm drawn from the episode's seed.
    Drawn(Drawn),
}

/// Settings of the generator.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Drawn {
    /// Projects on offer, 5 to 10,000 (default 10).
    pub projects: u32,
    /// Length of the run \[units of time\], 12 to 960 (default 96).
    pub units: u32,
    /// Share of the staff's time that the contracts together take on average, 0.1 to 3 (default
    /// 0.75; the paper's template has 845 / (12 * 96) = 0.73). It decides the number of consultants.
    pub load: f64,
}

impl Default for Drawn {
    fn default() -> Self {
        Self {
            projects: 10,
            units: 96,
            load: 0.75,
        }
    }
}

/// Length of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum StepLength {
    /// dt = 1.
    #[default]
    Whole,
    /// dt = 1/2.
    Half,
    /// dt = 1/4.
    Quarter,
}

impl StepLength {
    /// dt \[units of time\].
    #[must_use]
    pub fn dt(self) -> f64 {
        match self {
            Self::Whole => 1.0,
            Self::Half => 0.5,
            Self::Quarter => 0.25,
        }
    }
}

/// The values that the agent is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Disclosure {
    /// The values of the published comparison: the figures of firm and projects without the effort of
    /// an extension, and the possible events without the rule that decides about them.
    #[default]
    Paper,
    /// The effort of extensions too, and the rules of the run in full.
    Full,
}

impl Config {
    /// The preset called `name`; `None` when there is no such preset.
    #[must_use]
    pub fn preset(name: &str) -> Option<Self> {
        let mut presets = Self::presets().into_iter();
        presets
            .find(|preset| preset.name == name)
            .map(|preset| preset.config)
    }

    /// All presets, the default first.
    #[must_use]
    pub fn presets() -> Vec<Preset<Self>> {
        let drawn = |projects, units| Self {
            template: Template::Drawn(Drawn {
                projects,
                units,
                ..Drawn::default()
            }),
            ..Self::default()
        };
        vec![
            Preset {
                name: "paper",
                about: "the published template: 12 consultants, 10 projects, 96 steps",
                config: Self::default(),
            },
            Preset {
                name: "small",
                about: "5 drawn projects over 48 steps",
                config: drawn(5, 48),
            },
            Preset {
                name: "large",
                about: "200 drawn projects over 96 steps",
                config: drawn(200, 96),
            },
        ]
    }

    /// Checks the settings.
    ///
    /// # Errors
    /// Names the field at fault and what would be right.
    pub fn check(&self) -> Result<(), ConfigError> {
        let Template::Drawn(drawn) = &self.template else {
            return Ok(());
        };
        let most = u32::try_from(MOST_PROJECTS).unwrap_or(u32::MAX);
        if !(FEWEST_DRAWN..=most).contains(&drawn.projects) {
            return Err(ConfigError::new(
                "template.drawn.projects",
                format!("must lie in {FEWEST_DRAWN}..={most}, is {}", drawn.projects),
            ));
        }
        if !(12..=960).contains(&drawn.units) {
            return Err(ConfigError::new(
                "template.drawn.units",
                format!("must lie in 12..=960, is {}", drawn.units),
            ));
        }
        if !(0.1..=3.0).contains(&drawn.load) {
            return Err(ConfigError::new(
                "template.drawn.load",
                format!("must lie in 0.1..=3, is {}", drawn.load),
            ));
        }
        Ok(())
    }

    /// Whether every episode has the same instance.
    #[must_use]
    pub fn is_fixed(&self) -> bool {
        self.template == Template::Paper && !self.risk_mode.is_random()
    }

    pub(crate) fn settle(&self, firm: Firm) -> Firm {
        Firm {
            agent_order: self.agent_order,
            dt: self.step.dt(),
            ..firm
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_are_named() {
        let fault = |drawn| {
            let template = Template::Drawn(drawn);
            let config = Config {
                template,
                ..Config::default()
            };
            config.check().unwrap_err().to_string()
        };
        let few = Drawn {
            projects: 4,
            ..Drawn::default()
        };
        assert_eq!(
            fault(few),
            "template.drawn.projects: must lie in 5..=10000, is 4"
        );
        let idle = Drawn {
            load: f64::NAN,
            ..Drawn::default()
        };
        assert_eq!(
            fault(idle),
            "template.drawn.load: must lie in 0.1..=3, is NaN"
        );
        for preset in Config::presets() {
            preset.config.check().unwrap();
        }
    }
}
