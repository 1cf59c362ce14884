//! Every constant of the scorer, with the value and the origin of each.
//!
//! Marked \[paper\]: stands in the source (Dai, Peng, Qian, Xie, arXiv 2606.17459). All others are
//! choices made here where the paper gives a rule without a number.
//!
//! The defaults are the scorer of the project; another value is another scorer, and its
//! scores cannot be compared with published ones. A study of sensitivity changes one
//! constant at a time:
//!
//! ```
//! use ceo_reallocation::config::{InvalidPolicy, ScoringConfig};
//! use ceo_reallocation::plan::parse_plan;
//! use ceo_reallocation::scenario::authored;
//! use ceo_reallocation::score::Scorer;
//!
//! let scenario = authored().scenario("C3-R3").ok_or("no such scenario")?;
//! // One point is removed but not given to anyone: the balance is broken.
//! let plan = parse_plan(r#"{"remove_from": {"A": 13}, "add_to": {"C": 6, "D": 4, "B": 2}}"#)?;
//! let strict = ScoringConfig { invalid_policy: InvalidPolicy::ZeroAll, ..ScoringConfig::default() };
//! assert!(Scorer::new(scenario, &ScoringConfig::default())?.score(&plan).score() > 40.0);
//! assert_eq!(Scorer::new(scenario, &strict)?.score(&plan).score(), 0.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use serde::{Deserialize, Serialize};
use sim_core::Ranges;

mod check;
mod lexicon;

pub use lexicon::Lexicon;

/// The score of a plan that breaks a hard rule.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum InvalidPolicy {
    /// The validity dimension is 0 and the others count as they are: C.5 read literally. An
    /// otherwise perfect plan keeps up to 75 points. The default.
    #[default]
    Literal,
    /// As [`Literal`](Self::Literal), and the overall score is at most this.
    CapAt(f64),
    /// Every dimension is 0.
    ZeroAll,
}

/// The preferences with which the perspectives part compares the plan, in deliberation.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum PreferenceSource {
    /// Those of the scenario, so that scores of different advisors can be compared. The default.
    #[default]
    Authored,
    /// Those that the advisors gave in this episode.
    Live,
}

/// Validity and strategic fit (section 3.1 of the design): `base + span * fit`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema, Ranges)]
#[serde(default, deny_unknown_fields)]
pub struct ValidityConfig {
    /// Points of any valid plan (default 40).
    #[schemars(range(min = 0.0, max = 1e6))]
    pub base: f64,
    /// Points of a perfect fit (default 60).
    #[schemars(range(min = 0.0, max = 1e6))]
    pub span: f64,
    /// Weight of money that reaches preferred destinations (default 0.35).
    #[schemars(range(min = 0.0, max = 1e6))]
    pub destinations: f64,
    /// Weight of money that leaves preferred sources (default 0.20).
    #[schemars(range(min = 0.0, max = 1e6))]
    pub sources: f64,
    /// Weight of leaving protected units alone (default 0.20).
    #[schemars(range(min = 0.0, max = 1e6))]
    pub protection: f64,
    /// Weight of staying within absorptive capacities (default 0.25).
    #[schemars(range(min = 0.0, max = 1e6))]
    pub absorption: f64,
    /// Cut of protected units that loses all of `protection` \[pp\] (default 3).
    #[schemars(range(min = 1e-9, max = 1e6))]
    pub protection_scale_pp: f64,
    /// Excess over capacities that loses all of `absorption` \[pp\] (default 4).
    #[schemars(range(min = 1e-9, max = 1e6))]
    pub absorption_scale_pp: f64,
    /// Fit below which a valid plan is misallocated (default 0.70).
    #[schemars(range(min = 0.0, max = 1e6))]
    pub misallocated_below: f64,
}

impl Default for ValidityConfig {
    fn default() -> Self {
        Self {
            base: 40.0,
            span: 60.0,
            destinations: 0.35,
            sources: 0.20,
            protection: 0.20,
            absorption: 0.25,
            protection_scale_pp: 3.0,
            absorption_scale_pp: 4.0,
            misallocated_below: 0.70,
        }
    }
}

/// Strategic attitude of a profile; it sets how distance from its range is punished.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Posture {
    /// The portfolio must change now.
    Transformation,
    /// Change in steps.
    Balanced,
    /// Keep the company whole first.
    Stability,
}

/// Slopes of boldness over the relative distance from a range.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, schemars::JsonSchema, Ranges)]
#[serde(deny_unknown_fields)]
pub struct Kappa {
    /// Below the range.
    #[schemars(range(min = 0.0, max = 1e6))]
    pub under: f64,
    /// Above it.
    #[schemars(range(min = 0.0, max = 1e6))]
    pub over: f64,
}

/// Conditional boldness (section 3.2). The paper asks that moving too little under a
/// transformation profile costs more than moving too much under a conservative one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct BoldnessConfig {
    /// Under a transformation profile (default 2.5 under, 1.25 over).
    pub transformation: Kappa,
    /// Under a balanced profile (default 2.0 under, 1.5 over).
    pub balanced: Kappa,
    /// Under a stability profile (default 1.0 under, 1.25 over).
    pub stability: Kappa,
}

impl BoldnessConfig {
    /// The slopes of one posture.
    #[must_use]
    pub fn of(&self, posture: Posture) -> Kappa {
        match posture {
            Posture::Transformation => self.transformation,
            Posture::Balanced => self.balanced,
            Posture::Stability => self.stability,
        }
    }
}

impl Default for BoldnessConfig {
    fn default() -> Self {
        Self {
            transformation: Kappa {
                under: 2.5,
                over: 1.25,
            },
            balanced: Kappa {
                under: 2.0,
                over: 1.5,
            },
            stability: Kappa {
                under: 1.0,
                over: 1.25,
            },
        }
    }
}

/// Weights of the words of a rationale: the lexical part, which is at most 1.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema, Ranges)]
#[serde(default, deny_unknown_fields)]
pub struct WordsConfig {
    /// Weight of naming advisors (default 0.4).
    #[schemars(range(min = 0.0, max = 1e6))]
    pub advisors: f64,
    /// Number of advisors to name for all of it (default 3).
    pub advisors_needed: u32,
    /// Weight of a sentence that sets one thing against another (default 0.3).
    #[schemars(range(min = 0.0, max = 1e6))]
    pub tension: f64,
    /// Weight of a sentence that gives a reason or an order of importance (default 0.3).
    #[schemars(range(min = 0.0, max = 1e6))]
    pub priority: f64,
    /// Worth of such a sentence when it names less than two advisors, or no moved unit
    /// (default 0.5).
    #[schemars(range(min = 0.0, max = 1e6))]
    pub weak_sentence: f64,
}

impl Default for WordsConfig {
    fn default() -> Self {
        Self {
            advisors: 0.4,
            advisors_needed: 3,
            tension: 0.3,
            priority: 0.3,
            weak_sentence: 0.5,
        }
    }
}

/// Role integration (section 3.3): constraint respect, perspectives, rationale.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema, Ranges)]
#[serde(default, deny_unknown_fields)]
pub struct RoleConfig {
    /// Points of constraint respect (default 40, \[paper\]).
    #[schemars(range(min = 0.0, max = 1e6))]
    pub respect: f64,
    /// Points of perspectives (default 30, \[paper\]).
    #[schemars(range(min = 0.0, max = 1e6))]
    pub perspectives: f64,
    /// Points of the rationale (default 30, \[paper\]).
    #[schemars(range(min = 0.0, max = 1e6))]
    pub rationale: f64,
    /// Excess over an advisor's condition that is forgiven \[pp\] (default 0.05).
    #[schemars(range(min = 0.0, max = 1e6))]
    pub flag_tolerance_pp: f64,
    /// The same for runway and leverage (default 1e-6).
    #[schemars(range(min = 0.0, max = 1e6))]
    pub financial_tolerance: f64,
    /// Excess at which a concern counts in full \[pp\] (default 5).
    #[schemars(range(min = 1e-9, max = 1e6))]
    pub concern_scale_pp: f64,
    /// The same for runway \[months\] (default 1).
    #[schemars(range(min = 1e-9, max = 1e6))]
    pub concern_scale_months: f64,
    /// The same for leverage \[x\] (default 0.25).
    #[schemars(range(min = 1e-9, max = 1e6))]
    pub concern_scale_leverage: f64,
    /// Rank of the similarity that must be reached, from the largest (default 3: "at least
    /// three perspectives", \[paper\]).
    #[schemars(range(min = 1, max = 4))]
    pub perspectives_needed: u32,
    /// Similarity of that one that earns all points (default 0.35).
    #[schemars(range(min = 1e-9, max = 1e6))]
    pub perspective_target: f64,
    /// Similarity from which a plan may be captured by one advisor (default 0.85).
    #[schemars(range(min = 0.0, max = 1e6))]
    pub capture_similarity: f64,
    /// Lead over the next advisor that makes it so (default 0.25).
    #[schemars(range(min = 0.0, max = 1e6))]
    pub capture_lead: f64,
    /// Part of the rationale that is the plan's place between opposed preferences (default 0.35).
    #[schemars(range(min = 0.0, max = 1e6))]
    pub hull: f64,
    /// Part that is the right decision type (default 0.25).
    #[schemars(range(min = 0.0, max = 1e6))]
    pub label: f64,
    /// Part that is words (default 0.40).
    #[schemars(range(min = 0.0, max = 1e6))]
    pub lexical: f64,
    /// Spread of preferences from which a unit counts as disputed \[pp\] (default 4).
    #[schemars(range(min = 0.0, max = 1e6))]
    pub dispute_from_pp: f64,
    /// Margin around the preferences that is free \[pp\] (default 0.5).
    #[schemars(range(min = 0.0, max = 1e6))]
    pub hull_margin_pp: f64,
    /// Distance from the preferences that loses everything \[pp\] (default 5).
    #[schemars(range(min = 1e-9, max = 1e6))]
    pub hull_scale_pp: f64,
    /// Total from which the place between preferences counts in full \[pp\] (default 2).
    #[schemars(range(min = 1e-9, max = 1e6))]
    pub hull_full_from_pp: f64,
    /// Decision type one step off (default 0.5).
    #[schemars(range(min = 0.0, max = 1e6))]
    pub neighbouring_label: f64,
    /// Weights of words.
    pub words: WordsConfig,
    /// The preferences that count in deliberation.
    pub preferences: PreferenceSource,
}

impl Default for RoleConfig {
    fn default() -> Self {
        Self {
            respect: 40.0,
            perspectives: 30.0,
            rationale: 30.0,
            flag_tolerance_pp: 0.05,
            financial_tolerance: 1e-6,
            concern_scale_pp: 5.0,
            concern_scale_months: 1.0,
            concern_scale_leverage: 0.25,
            perspectives_needed: 3,
            perspective_target: 0.35,
            capture_similarity: 0.85,
            capture_lead: 0.25,
            hull: 0.35,
            label: 0.25,
            lexical: 0.40,
            dispute_from_pp: 4.0,
            hull_margin_pp: 0.5,
            hull_scale_pp: 5.0,
            hull_full_from_pp: 2.0,
            neighbouring_label: 0.5,
            words: WordsConfig::default(),
            preferences: PreferenceSource::Authored,
        }
    }
}

/// History-sensitive judgement (section 3.4).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema, Ranges)]
#[serde(default, deny_unknown_fields)]
pub struct HistoryConfig {
    /// Points before penalties and bonuses (default 85, so that both bonuses lead to 100).
    #[schemars(range(min = 0.0, max = 1e6))]
    pub base: f64,
    /// Penalty per earlier round of funding an overloaded unit (default 5, \[paper\]).
    #[schemars(range(min = 0.0, max = 1e6))]
    pub overload_per_round: f64,
    /// Addition above the capacity that is not an overload yet \[pp\] (default 0.5).
    #[schemars(range(min = 0.0, max = 1e6))]
    pub overload_excess_pp: f64,
    /// Penalty per earlier round of cutting a protected unit (default 5, \[paper\]).
    #[schemars(range(min = 0.0, max = 1e6))]
    pub starvation_per_round: f64,
    /// Bonus of a due reversal (default 10, \[paper\]).
    #[schemars(range(min = 0.0, max = 1e6))]
    pub reversal_bonus: f64,
    /// Distance beyond the stage limit at which the bonus is gone \[pp\] (default 5).
    #[schemars(range(min = 1e-9, max = 1e6))]
    pub stage_scale_pp: f64,
    /// Bonus of referring to earlier rounds (default 2.5; with `unit_bonus` 5, \[paper\]).
    #[schemars(range(min = 0.0, max = 1e6))]
    pub reference_bonus: f64,
    /// Bonus of naming, in addition, a unit moved before (default 2.5).
    #[schemars(range(min = 0.0, max = 1e6))]
    pub unit_bonus: f64,
    /// Part of a due reversal below which it is missed (default 0.25).
    #[schemars(range(min = 0.0, max = 1e6))]
    pub reversal_missed_below: f64,
    /// Move from which going back and forth counts as oscillation \[pp\] (default 4).
    #[schemars(range(min = 0.0, max = 1e6))]
    pub oscillation_from_pp: f64,
    /// Penalty per oscillating unit (default 0: a label only).
    #[schemars(range(min = 0.0, max = 1e6))]
    pub oscillation_penalty: f64,
}

impl Default for HistoryConfig {
    fn default() -> Self {
        Self {
            base: 85.0,
            overload_per_round: 5.0,
            overload_excess_pp: 0.5,
            starvation_per_round: 5.0,
            reversal_bonus: 10.0,
            stage_scale_pp: 5.0,
            reference_bonus: 2.5,
            unit_bonus: 2.5,
            reversal_missed_below: 0.25,
            oscillation_from_pp: 4.0,
            oscillation_penalty: 0.0,
        }
    }
}

/// Lowest scores of the grades (appendix C.5, \[paper\]).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, schemars::JsonSchema, Ranges)]
#[serde(default, deny_unknown_fields)]
pub struct GradeConfig {
    /// A from (default 85).
    #[schemars(range(min = 0.0, max = 1e6))]
    pub a: f64,
    /// B from (default 70).
    #[schemars(range(min = 0.0, max = 1e6))]
    pub b: f64,
    /// C from (default 55).
    #[schemars(range(min = 0.0, max = 1e6))]
    pub c: f64,
    /// D from (default 40).
    #[schemars(range(min = 0.0, max = 1e6))]
    pub d: f64,
}

impl Default for GradeConfig {
    fn default() -> Self {
        Self {
            a: 85.0,
            b: 70.0,
            c: 55.0,
            d: 40.0,
        }
    }
}

/// Everything the scorer may be asked to do differently. `Default` is the design's scorer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema, Ranges)]
#[serde(default, deny_unknown_fields)]
pub struct ScoringConfig {
    /// Slack of every hard limit \[pp\] (default 1e-6).
    #[schemars(range(min = 0.0, max = 1e6))]
    pub eps_pp: f64,
    /// Largest difference of removed and added money \[pp\] (default 0.01).
    #[schemars(range(min = 0.0, max = 1e6))]
    pub mass_tolerance_pp: f64,
    /// Largest difference of the declared and the real total \[pp\] (default 0.5).
    #[schemars(range(min = 0.0, max = 1e6))]
    pub declared_tolerance_pp: f64,
    /// Distance from a range that earns no label yet \[pp\] (default 0.5).
    #[schemars(range(min = 0.0, max = 1e6))]
    pub band_tolerance_pp: f64,
    /// Move from which a unit counts as moved \[pp\] (default 0.5).
    #[schemars(range(min = 0.0, max = 1e6))]
    pub move_tolerance_pp: f64,
    /// Slack of every comparison of computed scores (default 1e-9).
    #[schemars(range(min = 0.0, max = 1e6))]
    pub tie: f64,
    /// The score of invalid plans.
    pub invalid_policy: InvalidPolicy,
    /// Validity and fit.
    pub validity: ValidityConfig,
    /// Boldness.
    pub boldness: BoldnessConfig,
    /// Role integration.
    pub role: RoleConfig,
    /// History.
    pub history: HistoryConfig,
    /// Grades.
    pub grades: GradeConfig,
    /// Words that the rationale is searched for.
    pub lexicon: Lexicon,
}

impl Default for ScoringConfig {
    fn default() -> Self {
        Self {
            eps_pp: 1e-6,
            mass_tolerance_pp: 0.01,
            declared_tolerance_pp: 0.5,
            band_tolerance_pp: 0.5,
            move_tolerance_pp: 0.5,
            tie: 1e-9,
            invalid_policy: InvalidPolicy::Literal,
            validity: ValidityConfig::default(),
            boldness: BoldnessConfig::default(),
            role: RoleConfig::default(),
            history: HistoryConfig::default(),
            grades: GradeConfig::default(),
            lexicon: Lexicon::default(),
        }
    }
}
