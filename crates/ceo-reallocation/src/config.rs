//! Settings of a run: scenarios, mode, visibility and scoring.
//!
//! A [`Config`] names a scenario (or `all`, or `generated`) and the rules of the episode;
//! an [`Instance`](crate::Instance) is what is played. Every field has a default, so a
//! file holds only what differs, and a program writes `..Config::default()`:
//!
//! ```
//! use ceo_reallocation::Config;
//! use ceo_reallocation::config::{GeneratorConfig, ScoringConfig, Visibility};
//! use ceo_reallocation::scenario::Tier;
//!
//! // Four rounds with a new fragile company of five units in each episode.
//! let config = Config {
//!     rounds: 4,
//!     visibility: Visibility::Full,
//!     generator: GeneratorConfig { tier: Some(Tier::Fragile), units: Some(5), ..GeneratorConfig::default() },
//!     scoring: ScoringConfig { band_tolerance_pp: 1.0, ..ScoringConfig::default() },
//!     ..Config::generated()
//! };
//! config.check()?;
//!
//! let typo = Config::of_scenario("C9-R9");
//! assert_eq!(typo.check().expect_err("there is no C9").place, "scenario");
//! # Ok::<(), sim_core::ConfigError>(())
//! ```
//!
//! | `rounds` | mode | what follows a plan |
//! |---|---|---|
//! | 1 | snapshot, as in the paper | the score; nothing moves on |
//! | 2 to 60 | rolling | the company changes ([`crate::dynamics`]); advisors and evaluation of later rounds follow by rule ([`crate::advisor_model`]) |

use crate::generator::Sector;
use crate::scenario::{AUTHORED_IDS, Tier};
use serde::{Deserialize, Serialize};
use sim_core::{ConfigError, Preset, Ranges};

pub use crate::scoring::{
    BoldnessConfig, GradeConfig, HistoryConfig, InvalidPolicy, Kappa, Lexicon, Posture,
    PreferenceSource, RoleConfig, ScoringConfig, ValidityConfig, WordsConfig,
};

/// The part of the advisors' knowledge that the chief executive sees.
///
/// The setting decides which fields of an advisor's view are filled, and in deliberation also how many seats there are.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Visibility {
    /// Each advisor's preference, reason, main risk and opposition condition (the default).
    #[default]
    Views,
    /// The same with private signals and biases: the paper's baseline, in which one model plays
    /// the advisors too.
    Full,
    /// The four advisors are agents of their own: each sees its own private signal only; they report and
    /// exchange messages, and the chief executive decides on that basis.
    Deliberation,
}

/// Settings of the deliberation before the chief executive decides.
///
/// It has an effect only with the visibility `deliberation`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, Ranges)]
#[serde(default, deny_unknown_fields)]
pub struct DeliberationConfig {
    /// Rounds of messages after the private reports (default 1).
    #[schemars(range(min = 0, max = 3))]
    pub rounds: u32,
    /// Words of a message; longer ones are cut (default 120).
    #[schemars(range(min = 1, max = 1000))]
    pub word_limit: u32,
    /// Messages of one advisor in one round (default 3).
    #[schemars(range(min = 1, max = 10))]
    pub messages_per_round: u32,
}

impl Default for DeliberationConfig {
    fn default() -> Self {
        Self {
            rounds: 1,
            word_limit: 120,
            messages_per_round: 3,
        }
    }
}

/// Settings of the generator, when `scenario` is `generated`.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, schemars::JsonSchema, Ranges,
)]
#[serde(default, deny_unknown_fields)]
pub struct GeneratorConfig {
    /// Difficulty; drawn for each episode when absent.
    pub tier: Option<Tier>,
    /// Line of business; drawn when absent.
    pub sector: Option<Sector>,
    /// Number of units; drawn when absent.
    #[schemars(range(min = 4, max = 8))]
    pub units: Option<u32>,
    /// Round of the decision: how much history there is; drawn when absent.
    #[schemars(range(min = 1, max = 4))]
    pub round: Option<u32>,
}

/// Settings. The default is the paper's: all 13 scenarios, one decision each.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema, Ranges)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Id of an authored scenario (`C3-R3`), `all` for the 13 in turn (the default), or
    /// `generated` for a new company in each episode.
    pub scenario: String,
    /// Decisions in an episode (default 1). 1 is snapshot mode; with more the company moves on from the plans, and
    /// advisors and evaluation follow by rule.
    #[schemars(range(min = 1, max = 60))]
    pub rounds: u32,
    /// The part of the advisors' knowledge that the chief executive sees.
    pub visibility: Visibility,
    /// Settings of the deliberation.
    pub deliberation: DeliberationConfig,
    /// Replies without a readable plan that are answered and may be repeated in a round (default
    /// 0: the first one ends the round with a score of 0).
    #[schemars(range(min = 0, max = 100))]
    pub unreadable_retries: u32,
    /// Standard deviation of random disturbance of returns and growth between rounds (default 0: none). It never
    /// touches a score of the same round.
    #[schemars(range(min = 0.0, max = 0.5))]
    pub noise_sigma: f64,
    /// Whether the older public rubric is computed as well (default false). It is reported beside
    /// the score as `older_rubric` and never mixed with it.
    pub older_rubric: bool,
    /// Settings of the generator, when `scenario` is `generated`.
    pub generator: GeneratorConfig,
    /// Every constant of the scorer.
    pub scoring: ScoringConfig,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            scenario: ALL.to_owned(),
            rounds: 1,
            visibility: Visibility::Views,
            deliberation: DeliberationConfig::default(),
            unreadable_retries: 0,
            noise_sigma: 0.0,
            older_rubric: false,
            generator: GeneratorConfig::default(),
            scoring: ScoringConfig::default(),
        }
    }
}

/// The setting that takes the 13 scenarios in turn.
pub(crate) const ALL: &str = "all";
/// The setting that draws a new company for each episode.
pub(crate) const GENERATED: &str = "generated";

impl Config {
    /// One authored scenario.
    ///
    /// The id is not looked up here; [`Config::check`] names the valid ones.
    #[must_use]
    pub fn of_scenario(id: &str) -> Self {
        Self {
            scenario: id.to_owned(),
            ..Self::default()
        }
    }

    /// The preset called `name` (`all` or the id of an authored scenario); `None` when there is no such
    /// preset.
    #[must_use]
    pub fn preset(name: &str) -> Option<Self> {
        Preset::find(Self::presets(), name)
    }

    /// A new company in each episode.
    ///
    /// Which companies are drawn is up to [`Config::generator`]. Most of the work of
    /// drawing one is checking that the scenario is a usable test.
    #[must_use]
    pub fn generated() -> Self {
        Self::of_scenario(GENERATED)
    }

    /// All presets: `all`, the default, the 13 authored scenarios, and `deliberation`.
    ///
    /// The names are `all`, the 13 entries of [`AUTHORED_IDS`], and `deliberation`.
    #[must_use]
    pub fn presets() -> Vec<Preset<Self>> {
        let mut presets = vec![Preset::new(
            ALL,
            "the 13 authored scenarios in turn",
            Self::default(),
        )];
        for (name, about) in AUTHORED_IDS.into_iter().zip(ABOUT) {
            presets.push(Preset::new(name, about, Self::of_scenario(name)));
        }
        presets.push(Preset::new(
            "deliberation",
            "the 13 authored scenarios; four advisors report and talk before the chief executive decides",
            Self {
                visibility: Visibility::Deliberation,
                ..Self::default()
            },
        ));
        presets
    }

    /// Number of different instances when they do not depend on the seed; `None` when they do.
    pub(crate) fn distinct(&self) -> Option<u64> {
        match self.scenario.as_str() {
            // Before the noise: a drawn company depends on the seed in any case.
            GENERATED => None,
            // Noise is drawn by the seed, but only between rounds.
            _ if self.noise_sigma > 0.0 && self.rounds > 1 => None,
            ALL => Some(AUTHORED_IDS.len() as u64),
            _ => Some(1),
        }
    }

    /// Checks names, ranges and constants.
    ///
    /// # Errors
    /// Names the first value at fault and what would be right.
    pub fn check(&self) -> Result<(), ConfigError> {
        let named = self.scenario == ALL
            || self.scenario == GENERATED
            || AUTHORED_IDS.contains(&self.scenario.as_str());
        if !named {
            return Err(ConfigError::new(
                "scenario",
                format!(
                    "there is no scenario `{}`; there are {ALL}, {GENERATED}, {}",
                    sim_core::error::clip(&self.scenario),
                    AUTHORED_IDS.join(", ")
                ),
            ));
        }
        self.check_settings()
    }

    /// The part of [`check`](Self::check) that does not concern the name of the scenario.
    pub(crate) fn check_settings(&self) -> Result<(), ConfigError> {
        // Apart from the name, because an instance from a file has a scenario of its own, whose
        // name is in no list.
        self.check_ranges()?;
        self.deliberation
            .check_ranges()
            .map_err(|error| error.within("deliberation"))?;
        self.generator
            .check_ranges()
            .map_err(|error| error.within("generator"))?;
        self.scoring
            .check()
            .map_err(|error| error.within("scoring"))
    }
}

/// One line for each authored scenario, in the order of [`AUTHORED_IDS`].
const ABOUT: [&str; 13] = [
    "easy: healthy industrial group, first move to monitored pumps",
    "easy: second step after a timid first round",
    "easy: cash-rich learning publisher with a speculative unit that loses money",
    "tension: growth or teacher trust after an outage",
    "tension: platform build with a covenant ahead",
    "fragile, case 1: platform transition under financial stress",
    "tension: innovation or continuity at a certified supplier",
    "fragile: customer care starved twice, lenders nervous",
    "fragile: holiday peak with an overloaded delivery unit",
    "fragile: thin runway, real productivity case",
    "adversarial: two advisors push a unit that is dying",
    "adversarial: strong growth story, weak early signals",
    "adversarial, case 2: restructuring after a demand shock",
];
