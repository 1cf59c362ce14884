//! The scorer: a pure function of scenario, plan and constants.
//!
//! ```text
//! plan ──> readable? ──no──> 0
//!            │ yes
//!            ├─> role integration   R = 40 respect + 30 perspectives + 30 rationale
//!            ├─> boldness           B = best profile's weight, less by distance from its range
//!            ├─> history            H = 85 + reversal + consistency - overload - starvation
//!            └─> validity and fit   V = 0 if a hard rule is broken, else 40 + 60 fit
//!                                   overall = (R + B + H + V) / 4
//! ```
//!
//! Weights, grades and the 5k penalties are the paper's (appendix C); the formulas inside the
//! dimensions are ours where the paper leaves them open, and each says so in
//! [`ScoringConfig`]. A [`Scorer`] is compiled from a scenario once; scoring
//! a plan then costs a fraction of a microsecond plus the reading of its words.
//!
//! # The formulas
//!
//! With r the total removed, and the constants at their defaults:
//!
//! ```text
//! respect       sum over advisors of salience * (1 - weighted mean of the degrees of its broken conditions)
//! perspectives  min(1, third largest similarity / 0.35); 0 when one advisor captures the plan
//! rationale     0.35 hull + 0.25 type + 0.40 words
//! boldness      best over profiles: weight, or weight * max(0, 1 - kappa * relative distance of r from its range)
//! overload      5 for each round of the unbroken run in which the unit was funded under a warning
//! starvation    5 for each round of the unbroken run in which the protected unit was cut
//! reversal      10 * min(1, done / target), less beyond the stage limit
//! consistency   2.5 for a reference to earlier rounds, 2.5 more for a unit that was moved in one
//! fit           0.35 to preferred units + 0.20 from preferred units + 0.20 protection + 0.25 absorption
//! ```
//!
//! The profile that gives the fit is the one with the largest mean of boldness and fit.

use crate::plan::{DecisionType, ReallocationPlan, Violation, Warning};
use crate::scenario::{Officer, Scenario, StrategyLabel, UnitId};
use crate::scoring::{GradeConfig, InvalidPolicy, ScoringConfig};
use serde::{Deserialize, Serialize};
use sim_core::ConfigError;
use std::collections::BTreeMap;

mod boldness;
mod compiled;
mod history;
mod labels;
mod role;
mod rules;
mod text;
mod validity;

pub use crate::rubric::older_rubric;
pub use boldness::penalty;
pub use compiled::{Moves, UnitArray};
pub use labels::{DecisionOutcome, Diagnostic};
pub use role::similarity;
pub use text::TextMarks;

use compiled::Compiled;
use rules::Totals;
use text::Vocabulary;

/// The compiled scenario, for the bounds of the solver.
pub(crate) mod boxed {
    pub(crate) use super::boldness::bold;
    pub(crate) use super::compiled::{
        Compiled, CompiledProfile, Rule, UnitNo, at, at_mut, has, sum_of,
    };
    pub(crate) use super::history::reversed;
    pub(crate) use super::role::{Amounts, degree, hull};
    pub(crate) use super::validity::care;
}

/// Letter grade (appendix C.5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum DecisionGrade {
    /// 85 and above.
    A,
    /// 70 and above.
    B,
    /// 55 and above.
    C,
    /// 40 and above.
    D,
    /// Below 40.
    F,
}

impl DecisionGrade {
    /// The grade of an unrounded score.
    #[must_use]
    pub fn of(score: f64, from: &GradeConfig) -> Self {
        if score >= from.a {
            Self::A
        } else if score >= from.b {
            Self::B
        } else if score >= from.c {
            Self::C
        } else if score >= from.d {
            Self::D
        } else {
            Self::F
        }
    }
}

/// The part of a score that comes from words, as two numbers.
///
/// The largest values in a scenario are those of [`Scorer::best_wording`].
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct WordScores {
    /// Lexical part of the rationale, 0 to 1.
    pub lexical: f64,
    /// Consistency bonus of the history dimension \[points\].
    pub consistency: f64,
}

/// All numbers of one evaluation. Points unless said otherwise.
///
/// The score is the mean of the four dimensions; the fields after them are the parts of
/// which the dimensions are made, by the formulas of the module.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Marks {
    /// Overall score, 0 to 100.
    pub score: f64,
    /// Role integration R, 0 to 100.
    pub role: f64,
    /// Conditional boldness B, 0 to 100.
    pub boldness: f64,
    /// History-sensitive judgement H, 0 to 100.
    pub history: f64,
    /// Validity and fit V, 0 to 100.
    pub validity: f64,
    /// Total moved r \[pp\].
    pub moved_pp: f64,
    /// Whether every hard rule holds.
    pub is_valid: bool,
    /// Strategic fit to the chosen profile, 0 to 1.
    pub fit: f64,
    /// Position of the chosen profile in the scenario's list.
    pub profile: usize,
    /// Constraint respect, 0 to 1.
    pub respect: f64,
    /// Perspectives, 0 to 1; 0 under capture.
    pub perspectives: f64,
    /// Rationale quality, 0 to 1.
    pub rationale: f64,
    /// Place between opposed preferences, 0 to 1: part of the rationale.
    pub hull: f64,
    /// Decision type: part of the rationale, 0, 0.5 or 1.
    pub label: f64,
    /// Words: part of the rationale, 0 to 1.
    pub lexical: f64,
    /// Similarity of the plan to each advisor's preference (signed Tanimoto), in the order of
    /// [`Officer::ALL`].
    pub similarity: [f64; 4],
    /// The advisor whose preference the plan copies, if it is one only.
    pub captured_by: Option<Officer>,
    /// Overload penalty.
    pub overload: f64,
    /// Starvation penalty.
    pub starvation: f64,
    /// Reversal bonus.
    pub reversal: f64,
    /// Consistency bonus.
    pub consistency: f64,
    /// Whether a declared reversal is missed.
    pub reversal_missed: bool,
    /// Units that go back and forth.
    pub oscillating: u32,
}

/// The evaluation of one plan: numbers, labels, and what was wrong.
///
/// It serializes with all parts, so a report needs neither the scenario nor the scorer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ScoreCard {
    /// The numbers; all 0 when the plan could not be read.
    pub marks: Marks,
    /// Grade of the unrounded score.
    pub grade: DecisionGrade,
    /// Failure labels, in the order of [`StrategyLabel`].
    pub labels: Vec<StrategyLabel>,
    /// The one-word outcome (figure 1d of the paper).
    pub outcome: DecisionOutcome,
    /// Patterns behind the labels; not among the five.
    pub diagnostics: Vec<Diagnostic>,
    /// Id of the profile that the plan is compared with; none when it could not be read.
    pub profile: Option<String>,
    /// Broken rules, all of them.
    pub violations: Vec<Violation>,
    /// Oddities that cost nothing.
    pub warnings: Vec<Warning>,
}

impl ScoreCard {
    /// Overall score, 0 to 100, unrounded.
    #[must_use]
    pub fn score(&self) -> f64 {
        self.marks.score
    }

    /// Whether the plan breaks no rule.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        self.violations.is_empty()
    }

    /// Whether the plan could be read at all.
    #[must_use]
    pub fn is_readable(&self) -> bool {
        !self
            .violations
            .iter()
            .any(|violation| violation.code.is_unreadable())
    }

    /// Whether a label was given.
    #[must_use]
    pub fn has(&self, label: StrategyLabel) -> bool {
        self.labels.contains(&label)
    }

    /// The evaluation of a reply without a readable plan.
    ///
    /// All marks are 0, the grade is F, the label is `invalid_plan`.
    #[must_use]
    pub fn unreadable(violations: Vec<Violation>) -> Self {
        Self {
            marks: Marks::default(),
            grade: DecisionGrade::F,
            labels: vec![StrategyLabel::InvalidPlan],
            outcome: DecisionOutcome::InvalidPlan,
            diagnostics: Vec::new(),
            profile: None,
            violations,
            warnings: Vec::new(),
        }
    }
}

/// Rounds to two decimals, halves away from zero: how scores are printed.
#[must_use]
pub fn round2(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}

/// A scenario compiled for scoring.
///
/// # Example
/// ```
/// use ceo_reallocation::config::ScoringConfig;
/// use ceo_reallocation::scenario::authored;
/// use ceo_reallocation::score::Scorer;
/// let scenario = authored().scenario("C3-R3").ok_or("no such scenario")?;
/// let scorer = Scorer::new(scenario, &ScoringConfig::default())?;
/// let card = scorer.score(&scenario.evaluation.reference_plan);
/// assert!((card.score() - 97.5).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Scorer {
    scenario_id: String,
    ids: Vec<UnitId>,
    profile_ids: Vec<String>,
    compiled: Compiled,
    vocabulary: Vocabulary,
    config: ScoringConfig,
}

impl Scorer {
    /// Compiles a scenario.
    ///
    /// # Errors
    /// When the scenario has more than [`MAX_UNITS`](crate::scenario::MAX_UNITS) units or refers to a unit
    /// that it does not have. It is not checked in full; see [`Scenario::check`].
    pub fn new(scenario: &Scenario, config: &ScoringConfig) -> Result<Self, ConfigError> {
        let compiled = Compiled::new(scenario, config)?;
        let units = scenario.units_by_id();
        Ok(Self {
            scenario_id: scenario.id.clone(),
            ids: units.iter().map(|unit| unit.id.clone()).collect(),
            profile_ids: scenario
                .evaluation
                .profiles
                .iter()
                .map(|p| p.id.clone())
                .collect(),
            vocabulary: Vocabulary::new(&units, &config.lexicon),
            compiled,
            config: config.clone(),
        })
    }

    /// Unit ids in the order of [`Moves`] and [`UnitArray`].
    #[must_use]
    pub fn ids(&self) -> &[UnitId] {
        &self.ids
    }

    /// The constants.
    #[must_use]
    pub fn config(&self) -> &ScoringConfig {
        &self.config
    }

    pub(crate) fn compiled(&self) -> &Compiled {
        &self.compiled
    }

    /// The same scorer with other preferences in the perspectives part: those that advisors gave live.
    /// Conditions, disputes and everything else stay the scenario's.
    #[must_use]
    pub fn with_preferences(mut self, preferences: [UnitArray; 4]) -> Self {
        self.compiled.set_preferences(preferences);
        self
    }

    /// The plan as numbers.
    ///
    /// # Errors
    /// Everything that makes it unreadable.
    ///
    /// An unknown unit, an amount outside of 0 to 100 or not a number, a unit on both
    /// sides, a declared total that is not a number. All faults are listed, not only the
    /// first.
    pub fn moves(&self, plan: &ReallocationPlan) -> Result<Moves, Vec<Violation>> {
        rules::moves(&self.scenario_id, &self.ids, plan)
    }

    /// Numbers as a plan, with amounts of 0 left out.
    #[must_use]
    pub fn plan(
        &self,
        moves: &Moves,
        kind: DecisionType,
        rationale: impl Into<String>,
    ) -> ReallocationPlan {
        let deltas = self.ids.iter().zip(moves.deltas());
        ReallocationPlan::from_deltas(deltas, kind, rationale)
    }

    /// Signed moves by unit, without those of 0.
    pub(crate) fn by_unit(&self, moves: &Moves) -> BTreeMap<UnitId, f64> {
        let deltas = self.ids.iter().cloned().zip(moves.deltas());
        deltas.filter(|(_, delta)| *delta != 0.0).collect()
    }

    /// Everything that is wrong with a plan (the page's `validate`). Where it cannot be read, only
    /// the reasons for that.
    ///
    /// ```
    /// use ceo_reallocation::config::ScoringConfig;
    /// use ceo_reallocation::plan::{ViolationCode, parse_plan};
    /// use ceo_reallocation::scenario::authored;
    /// use ceo_reallocation::score::Scorer;
    ///
    /// let scenario = authored().scenario("C3-R3").ok_or("no such scenario")?;
    /// let scorer = Scorer::new(scenario, &ScoringConfig::default())?;
    /// let plan = parse_plan(r#"{"remove_from": {"A": 20, "B": 4, "D": 6}, "add_to": {"C": 30}}"#)?;
    /// let codes: Vec<ViolationCode> = scorer.violations(&plan).into_iter().map(|v| v.code).collect();
    /// assert_eq!(codes, [ViolationCode::ReallocCap, ViolationCode::Ceiling]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn violations(&self, plan: &ReallocationPlan) -> Vec<Violation> {
        match self.moves(plan) {
            Ok(moves) => self.broken_rules(&moves, self.declared(plan, &moves)),
            Err(violations) => violations,
        }
    }

    fn declared(&self, plan: &ReallocationPlan, moves: &Moves) -> f64 {
        plan.total_realloc_share
            .as_ref()
            .map_or_else(|| moves.removed(), crate::plan::Amount::value)
    }

    fn broken_rules(&self, moves: &Moves, declared: f64) -> Vec<Violation> {
        let mut found = Vec::new();
        rules::check(
            &self.compiled,
            moves,
            &Totals::of(moves),
            declared,
            |breach| {
                found.push(breach.violation(&self.compiled, &self.ids));
            },
        );
        found
    }

    /// Whether moves break no hard rule; the declared total is taken to be right.
    ///
    /// It costs a part of a full evaluation, which is why searches test it first.
    #[must_use]
    pub fn is_valid(&self, moves: &Moves) -> bool {
        rules::is_valid(&self.compiled, moves)
    }

    /// The decision type of a plan that moves `moved_pp` in this scenario.
    #[must_use]
    pub fn right_kind(&self, moved_pp: f64) -> DecisionType {
        self.compiled.band(moved_pp)
    }

    /// The largest consistency bonus that can be had here \[points\]: 0 without history.
    #[must_use]
    pub fn full_consistency(&self) -> f64 {
        if self.compiled.has_history {
            self.config.history.reference_bonus + self.config.history.unit_bonus
        } else {
            0.0
        }
    }

    /// The words that earn everything words can earn.
    #[must_use]
    pub fn best_wording(&self) -> WordScores {
        WordScores {
            lexical: 1.0,
            consistency: self.full_consistency(),
        }
    }

    /// Marks for the words of a rationale.
    #[must_use]
    pub fn read_words(&self, rationale: &str) -> TextMarks {
        self.vocabulary.read(rationale)
    }

    /// The worth of words under a plan.
    #[must_use]
    pub fn wording(&self, words: &TextMarks, moves: &Moves, has_refs: bool) -> WordScores {
        text::wording(&self.compiled, &self.config, words, moves, has_refs)
    }

    /// All numbers for given moves: the kernel, without words and messages.
    ///
    /// # Complexity
    /// A few hundred arithmetic operations; no allocation.
    ///
    /// `declared` is the total that the plan states \[pp\]; pass `moves.removed()` when
    /// there is none. `kind` is the decision type that it states, `None` when that is
    /// unknown. Searches call this millions of times; [`Scorer::score`] adds words,
    /// labels and messages.
    #[must_use]
    pub fn judge(
        &self,
        moves: &Moves,
        declared: f64,
        kind: Option<DecisionType>,
        wording: WordScores,
    ) -> Marks {
        // No early return for an invalid plan: its validity is 0, and the other dimensions still
        // count.
        let c = &self.compiled;
        let totals = Totals::of(moves);
        let (moved_pp, delta) = (totals.removed, totals.delta);
        let mut is_valid = true;
        rules::check(c, moves, &totals, declared, |_| is_valid = false);
        let mut marks = Marks {
            moved_pp,
            is_valid,
            ..Marks::default()
        };
        validity::mark(c, &self.config, moves, &mut marks);
        role::mark(
            c,
            &self.config,
            moves,
            &delta,
            kind,
            wording.lexical,
            &mut marks,
        );
        history::mark(
            c,
            &self.config,
            moves,
            &delta,
            wording.consistency,
            &mut marks,
        );
        marks.score = 0.25 * (marks.role + marks.boldness + marks.history + marks.validity);
        if !is_valid {
            match self.config.invalid_policy {
                InvalidPolicy::Literal => {}
                InvalidPolicy::CapAt(most) => marks.score = marks.score.min(most),
                InvalidPolicy::ZeroAll => {
                    (
                        marks.role,
                        marks.boldness,
                        marks.history,
                        marks.validity,
                        marks.score,
                    ) = (0.0, 0.0, 0.0, 0.0, 0.0);
                }
            }
        }
        marks
    }

    /// Scores a plan.
    ///
    /// The same plan always gets the same card: there is no randomness, and nothing is
    /// rounded.
    #[must_use]
    pub fn score(&self, plan: &ReallocationPlan) -> ScoreCard {
        let moves = match self.moves(plan) {
            Ok(moves) => moves,
            Err(violations) => return ScoreCard::unreadable(violations),
        };
        let declared = self.declared(plan, &moves);
        let words = self.read_words(&plan.rationale);
        let wording = self.wording(&words, &moves, !plan.history_refs.is_empty());
        let marks = self.judge(&moves, declared, plan.kind(), wording);
        // A second look, with words, is taken only at plans that break a rule: the first one
        // allocates nothing.
        let violations = if marks.is_valid {
            Vec::new()
        } else {
            self.broken_rules(&moves, declared)
        };
        let labels = labels::labels(&self.compiled, &self.config, &marks);
        let outcome = labels::outcome(&self.config, &marks, &labels);
        let diagnostics =
            labels::diagnostics(&self.compiled, &self.config, &marks, &labels, &moves);
        let warnings = if rules::looks_like_fractions(&self.compiled, &moves, declared) {
            vec![Warning::Fraction]
        } else {
            Vec::new()
        };
        ScoreCard {
            grade: DecisionGrade::of(marks.score, &self.config.grades),
            profile: self.profile_ids.get(marks.profile).cloned(),
            marks,
            labels,
            outcome,
            diagnostics,
            violations,
            warnings,
        }
    }
}
