//! Failure labels, outcome and diagnostics.

use super::boldness::bold;
use super::compiled::{Compiled, Moves, at};
use super::{DecisionGrade, Marks};
use crate::scenario::{Direction, Officer, StrategyLabel};
use crate::scoring::ScoringConfig;
use serde::{Deserialize, Serialize};

/// The outcome in one word (figure 1d of the paper).
///
/// Checked in this order, and the first that applies is the outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DecisionOutcome {
    /// A hard rule is broken or the plan cannot be read.
    InvalidPlan,
    /// Valid, but the money is in the wrong places.
    Misallocated,
    /// Valid and in the right places, with something lost.
    AcceptableWithTradeoffs,
    /// 85 points or more and no label.
    HighQuality,
}

/// A pattern behind the labels (abstract and sections 4.3 to 4.6 of the paper).
///
/// A plan may show several. They explain labels and are not counted in the co-occurrence
/// table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Diagnostic {
    /// The plan copies one advisor.
    SingleAdvisorCapture {
        /// The advisor.
        officer: Officer,
    },
    /// Too little is moved, in the direction of the chief financial officer or hardly at all.
    ConservativeDefault,
    /// The plan contradicts its history and does not mention it.
    HistoricalAmnesia,
    /// A due reversal is missed and the unit is moved further the old way.
    PathDependentAnchoring,
}

/// All labels of an evaluation, in the order of [`StrategyLabel`].
pub(crate) fn labels(c: &Compiled, config: &ScoringConfig, marks: &Marks) -> Vec<StrategyLabel> {
    let mut labels = Vec::new();
    if !marks.is_valid {
        labels.push(StrategyLabel::InvalidPlan);
    }
    labels.extend(range_label(c, config, marks.moved_pp));
    if marks.is_valid && marks.fit < config.validity.misallocated_below - config.tie {
        labels.push(StrategyLabel::Misallocated);
    }
    if marks.overload > 0.0
        || marks.starvation > 0.0
        || marks.reversal_missed
        || marks.oscillating > 0
    {
        labels.push(StrategyLabel::HistoryInconsistent);
    }
    labels
}

/// Too little or too much, where the total lies outside of every range by more than the tolerance.
fn range_label(c: &Compiled, config: &ScoringConfig, r: f64) -> Option<StrategyLabel> {
    // Wider than the range that earns full boldness: a plan just outside loses points, but it is
    // not yet another strategy.
    let slack = config.band_tolerance_pp + config.eps_pp;
    if c.profiles
        .iter()
        .any(|p| r >= p.r_min - slack && r <= p.r_max + slack)
    {
        return None;
    }
    let least = c
        .profiles
        .iter()
        .map(|p| p.r_min)
        .fold(f64::INFINITY, f64::min);
    if r < least {
        return Some(StrategyLabel::NotBoldEnough);
    }
    // In a gap between ranges, or beyond all of them: the profile that pays most decides.
    let mut nearest = None;
    let mut most = f64::NEG_INFINITY;
    for p in &c.profiles {
        let pays = bold(p, r, config.eps_pp);
        // Of profiles that pay alike the first one decides, whatever the last digit says.
        if pays > most + config.tie {
            most = pays;
            nearest = Some(p);
        }
    }
    Some(match nearest {
        Some(p) if r < p.r_min => StrategyLabel::NotBoldEnough,
        _ => StrategyLabel::TooAggressive,
    })
}

/// The outcome in one word.
pub(crate) fn outcome(
    config: &ScoringConfig,
    marks: &Marks,
    labels: &[StrategyLabel],
) -> DecisionOutcome {
    if labels.contains(&StrategyLabel::InvalidPlan) {
        DecisionOutcome::InvalidPlan
    } else if labels.contains(&StrategyLabel::Misallocated) {
        DecisionOutcome::Misallocated
    } else if labels.is_empty()
        && DecisionGrade::of(marks.score, &config.grades) == DecisionGrade::A
    {
        DecisionOutcome::HighQuality
    } else {
        DecisionOutcome::AcceptableWithTradeoffs
    }
}

/// The patterns behind the labels.
pub(crate) fn diagnostics(
    c: &Compiled,
    config: &ScoringConfig,
    marks: &Marks,
    labels: &[StrategyLabel],
    moves: &Moves,
) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    if let Some(officer) = marks.captured_by {
        found.push(Diagnostic::SingleAdvisorCapture { officer });
    }
    let [cfo, others @ ..] = marks.similarity;
    let cfo_largest = others.iter().all(|j| cfo >= j - config.tie);
    if labels.contains(&StrategyLabel::NotBoldEnough) && (cfo_largest || marks.moved_pp < 1.0) {
        found.push(Diagnostic::ConservativeDefault);
    }
    if labels.contains(&StrategyLabel::HistoryInconsistent) && marks.consistency <= 0.0 {
        found.push(Diagnostic::HistoricalAmnesia);
    }
    if let Some(reversal) = c.reversal.filter(|_| marks.reversal_missed) {
        let further = match reversal.direction {
            Direction::Defund => at(&moves.add, reversal.unit),
            Direction::Fund => at(&moves.remove, reversal.unit),
        };
        if further >= config.move_tolerance_pp - config.eps_pp {
            found.push(Diagnostic::PathDependentAnchoring);
        }
    }
    found
}
