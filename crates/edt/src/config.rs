//! Settings of a run and the named presets.
//!
//! A [`Config`] says how firms are made and played; an [`Instance`](crate::Instance) is
//! one firm that was made so. Every field has a default, so a configuration in a file
//! holds only what differs, and a program writes `..Config::default()`:
//!
//! ```
//! use edt::config::{Config, Drawn, RiskMode, Template};
//!
//! let config = Config {
//!     template: Template::Drawn(Drawn { projects: 20, ..Drawn::default() }),
//!     risk_mode: RiskMode::BernoulliOnce,
//!     ..Config::default()
//! };
//! config.check()?;
//! assert!(!config.is_fixed());
//!
//! // A value outside its range is refused with the path of the field.
//! let empty = Config {
//!     template: Template::Drawn(Drawn { projects: 0, ..Drawn::default() }),
//!     ..Config::default()
//! };
//! let fault = empty.check().expect_err("a firm without projects");
//! assert_eq!(fault.place, "template.drawn.projects");
//! # Ok::<(), sim_core::ConfigError>(())
//! ```
//!
//! The agent order, the length of a step and the rule for events belong to the run, not
//! to the firm: `generate` writes the first two into the firm that it returns, whatever
//! the template says.

pub use crate::action::DecisionRule;
pub use crate::chance::RiskMode;
pub use crate::firm::AgentOrder;
use crate::firm::{Firm, MOST_PROJECTS};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sim_core::{ConfigError, Preset, Ranges};

/// Fewest projects that the generator draws.
pub const FEWEST_DRAWN: u32 = 5;

/// Settings. The default is the strategic paper's comparison.
///
/// With the default every episode is the same instance; a run of
/// several episodes then repeats one firm, as the published comparison does.
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
    /// The rules and values that the agent is shown (default `paper`).
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
///
/// The number of consultants is the work of all contracts, at 100 consultant-steps each
/// (scaled by `units / 96`), divided by `units * load`, rounded up, and at most
/// [`MOST_CONSULTANTS`](crate::firm::MOST_CONSULTANTS). It follows
/// from the settings alone, so all firms of one configuration have the same number of projects and
/// of consultants, and one batch can hold them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, Ranges)]
#[serde(default, deny_unknown_fields)]
pub struct Drawn {
    /// Projects on offer (default 10).
    #[schemars(range(min = FEWEST_DRAWN, max = MOST_PROJECTS))]
    pub projects: u32,
    /// Length of the run \[units of time\] (default 96).
    #[schemars(range(min = 12, max = 960))]
    pub units: u32,
    /// Share of the staff's time that the contracts together take on average (default 0.75; the paper's template
    /// has 845 / (12 * 96) = 0.73). It decides the number of consultants.
    #[schemars(range(min = 0.1, max = 3.0))]
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
///
/// Shorter steps let a consultant finish one project and begin another within a unit of
/// time. Costs are charged in proportion to the step, so earnings of different lengths
/// are comparable, but not equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
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

/// The rules and values that the agent is shown.
///
/// It changes prompts, the texts of the tools and the `extension_effort` of the projects that an agent sees,
/// and nothing in the run. A batch always shows everything.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Disclosure {
    /// As in the published comparison: horizon, costs and projects without the effort of an extension, and the
    /// form of the decision (A.6.6). How the firm works is not told: "the internal dynamics and governing
    /// equations remain hidden".
    #[default]
    Paper,
    /// The effort of extensions too, and the rules of the run in full.
    Full,
}

impl Config {
    /// The preset called `name`; `None` when there is no such preset.
    ///
    /// ```
    /// use edt::{Config, config::Template};
    ///
    /// let small = Config::preset("small").ok_or("no such preset")?;
    /// assert!(matches!(small.template, Template::Drawn(drawn) if drawn.projects == 5 && drawn.units == 48));
    /// assert!(Config::preset("huge").is_none());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn preset(name: &str) -> Option<Self> {
        Preset::find(Self::presets(), name)
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
            Preset::new(
                "paper",
                "the published template: 12 consultants, 10 projects, 96 steps",
                Self::default(),
            ),
            Preset::new("small", "5 drawn projects over 48 steps", drawn(5, 48)),
            Preset::new("large", "200 drawn projects over 96 steps", drawn(200, 96)),
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
        drawn.check_ranges().map_err(|e| e.within("template.drawn"))
    }

    /// Whether every episode has the same instance.
    ///
    /// True for the paper's template under the threshold rule. The random rules draw, so
    /// they give different instances even on the template.
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
            "template.drawn.projects: `4` is out of range, it must be 5 to 10000"
        );
        let idle = Drawn {
            load: f64::NAN,
            ..Drawn::default()
        };
        assert_eq!(
            fault(idle),
            "template.drawn.load: `NaN` is out of range, it must be 0.1 to 3"
        );
        for preset in Config::presets() {
            preset.config.check().unwrap();
        }
    }
}
