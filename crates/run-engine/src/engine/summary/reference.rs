//! Compares the scores of a run with the references that they are measured against.

use crate::run_dir::references::MeasuredAgainst;
use crate::words::{counted, line, number};
use serde::Serialize;
use sim_core::stats::{mean, normalise};
use sim_core::{Digest, Reference, Sense, Status};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// Relative difference that rounding may leave between two computations of the same value.
const SAME: f64 = 1e-9;

/// The best scores that runs reached, by instance: only those that beat a best known value.
pub type BestReached = BTreeMap<Digest, f64>;

/// Whether `a` is better than `b` by more than rounding can leave.
fn beats(sense: Sense, a: f64, b: f64) -> bool {
    // Relative for large values, absolute below 1: for a best known value near 0, a relative
    // tolerance would let the last bit of a sum count as a better play.
    sense.regret(a, b) < -SAME * b.abs().max(1.0)
}

/// What the score of one episode is measured against.
#[derive(Debug, Clone)]
pub struct RowReference {
    /// The instance, where the best known value may be raised. Boxed, so that a million rows
    /// without an instance stay small; most runs have proven references or bounds.
    open: Option<Box<Digest>>,
    optimum: Known,
    bound: Known,
    baseline: Known,
    own_information: Known,
    status: Status,
}

/// A number that may be absent, in the size of a number: NaN is not a value of a reference.
#[derive(Debug, Clone, Copy)]
struct Known(f64);

impl Known {
    fn get(self) -> Option<f64> {
        Some(self.0).filter(|value| !value.is_nan())
    }
}

impl From<Option<f64>> for Known {
    fn from(value: Option<f64>) -> Self {
        Self(value.unwrap_or(f64::NAN))
    }
}

impl RowReference {
    /// The part of `against` that a summary needs.
    #[must_use]
    pub fn new(against: &MeasuredAgainst) -> Self {
        let reference = &against.reference;
        Self {
            open: against.open.map(Box::new),
            optimum: reference.optimum.into(),
            bound: reference.bound.into(),
            baseline: reference.baseline.into(),
            own_information: against.own_information.into(),
            status: reference.status,
        }
    }

    /// The values as a reference without a method.
    #[must_use]
    pub fn reference(&self) -> Reference {
        Reference {
            optimum: self.optimum.get(),
            bound: self.bound.get(),
            baseline: self.baseline.get(),
            status: self.status,
            method: String::new(),
        }
    }

    /// The same with the best known value in `best`, where that is better.
    #[must_use]
    pub fn raised(&self, best: &BestReached) -> Reference {
        Reference {
            optimum: self.best_known(best),
            ..self.reference()
        }
    }

    /// The best value known: the optimum, or the better value in `best`.
    fn best_known(&self, best: &BestReached) -> Option<f64> {
        let raised = self.open.as_ref().and_then(|open| best.get(open));
        raised.copied().or(self.optimum.get())
    }

    /// Whether `value` is better than a proven optimum or a bound.
    fn is_contradicted_by(&self, value: f64, sense: Sense) -> bool {
        let proven = self.optimum.get().filter(|_| self.status == Status::Proven);
        // The bound first: a proven optimum is that of exact amounts, and a record that rounds them
        // may beat it, but never its bound.
        let limit = self.bound.get().or(proven);
        limit.is_some_and(|limit| beats(sense, value, limit))
    }
}

/// Notes in `best` that an episode reached `value`, if that beats the best known value of its instance and
/// of `best`.
pub fn raise(best: &mut BestReached, sense: Sense, value: f64, row: &RowReference) {
    if let (Some(instance), Some(optimum)) = (&row.open, row.optimum.get())
        && beats(sense, value, optimum)
    {
        let held = best.entry(**instance).or_insert(value);
        if sense.better(value, *held) {
            *held = value;
        }
    }
}

/// `ratio` and `solved` of the `rows` (score and reference of each episode) with an optimum above 0.
pub(super) fn ratios(
    rows: &[(f64, &RowReference)],
    best: &BestReached,
) -> BTreeMap<&'static str, Vec<f64>> {
    let mut columns = BTreeMap::<&str, Vec<f64>>::new();
    for (value, row) in rows {
        let reference = Reference {
            optimum: row.best_known(best),
            ..Reference::none()
        };
        for (name, value) in ratio_metrics(*value, &reference).into_iter().flatten() {
            columns.entry(name).or_default().push(value);
        }
    }
    columns
}

/// The best known values that `rows` (score and reference of each episode) beat.
pub(super) fn best_reached<'a>(
    rows: impl Iterator<Item = (f64, &'a RowReference)>,
    sense: Sense,
) -> BestReached {
    let mut best = BestReached::new();
    for (value, row) in rows {
        raise(&mut best, sense, value, row);
    }
    best
}

/// References, as means over the instances that were played.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ReferenceSummary {
    /// Best value reached by any known play, those of the runs at hand included; absent unless known
    /// for every instance.
    pub optimum: Option<f64>,
    /// What the simple heuristic reaches.
    pub baseline: Option<f64>,
    /// Value that no play can beat.
    pub bound: Option<f64>,
    /// The least certain status of any instance.
    pub status: Status,
    /// Mean shortfall of the scores against the optimum, else against the bound; positive is
    /// worse. 0 where the scores are better by rounding alone (see `within_rounding`).
    pub regret: Option<f64>,
    /// Whether the scores are better than a proven optimum by no more than its bound allows (the optimum
    /// is that of exact amounts, the record rounds them), or than any reference by the rounding of a sum.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub within_rounding: bool,
    /// Mean score of the best known play that uses only what its seat observes; absent unless known
    /// for every instance.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub own_information: Option<f64>,
    /// The part of `regret` that separates `own_information` from the reference: what it would be
    /// worth to know the hidden state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub price_of_information: Option<f64>,
    /// The rest of `regret`: what the decisions lost against `own_information`. Negative where they
    /// were better on average; absent for an agent that knows hidden state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub regret_of_decisions: Option<f64>,
    /// Instances whose best known value these episodes raised.
    #[serde(skip_serializing_if = "is_none")]
    pub raised: u64,
    /// Episodes whose score beats a proven optimum or a bound, by more than rounding: an error of
    /// this program.
    #[serde(skip_serializing_if = "is_none")]
    pub contradicted: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde calls it")]
fn is_none(count: &u64) -> bool {
    *count == 0
}

impl ReferenceSummary {
    /// Sums up score and reference of each episode. A best known value counts as the best one in
    /// `best`, where that is better.
    pub(super) fn of(rows: &[(f64, &RowReference)], sense: Sense, best: &BestReached) -> Self {
        let all = |get: &dyn Fn(&RowReference) -> Option<f64>| {
            // Absent unless every instance has the value: a mean over some instances would be compared with scores
            // over all of them.
            let values: Option<Vec<f64>> = rows.iter().map(|(_, row)| get(row)).collect();
            values.and_then(|values| mean(&values))
        };
        let raised = |row: &RowReference| row.open.as_ref().and_then(|open| best.get(open));
        let optimum = all(&|row| row.best_known(best));
        let bound = all(&|row| row.bound.get());
        let own_information = all(&|row| row.own_information.get());
        let values: Vec<f64> = rows.iter().map(|(value, _)| *value).collect();
        let value = mean(&values);
        let against = optimum.or(bound);
        let worse = |a: Option<f64>, b: Option<f64>| a.zip(b).map(|(a, b)| sense.regret(a, b));
        // The mean has the least certain status of all: one instance without a proof makes it an estimate.
        let status = rows.iter().map(|(_, row)| row.status).min();
        let status = status.unwrap_or(Status::None);
        let regret = worse(value, against);
        let is_within_bound = || worse(value, bound).is_some_and(|beyond| beyond >= 0.0);
        let is_same = || {
            let pair = value.zip(against);
            pair.is_some_and(|(value, against)| !beats(sense, value, against))
        };
        let within_rounding = regret.is_some_and(|regret| regret < 0.0)
            && (is_same() || status == Status::Proven && is_within_bound());
        // `best` may hold values of other runs, as in a comparison. An instance counts only if an
        // episode of these rows reached the value.
        let by_us = rows
            .iter()
            .filter(|(value, row)| raised(row).is_some_and(|best| !beats(sense, *best, *value)));
        let by_us: BTreeSet<_> = by_us.filter_map(|(_, row)| row.open.as_ref()).collect();
        let contradicted = rows
            .iter()
            .filter(|(value, row)| row.is_contradicted_by(*value, sense));
        Self {
            optimum,
            baseline: all(&|row| row.baseline.get()),
            bound,
            status,
            regret: if within_rounding { Some(0.0) } else { regret },
            within_rounding,
            own_information,
            price_of_information: worse(own_information, against),
            regret_of_decisions: worse(value, own_information),
            raised: by_us.len() as u64,
            contradicted: contradicted.count() as u64,
        }
    }

    /// The two parts of the regret in words, where there is a play by own information.
    #[must_use]
    pub fn parts(&self) -> Option<String> {
        let (price, decisions) = self.price_of_information.zip(self.regret_of_decisions)?;
        let better = if decisions < 0.0 {
            ", better than the best play known that uses only what its seat sees"
        } else {
            ""
        };
        Some(format!(
            "price of information {}, regret of the decisions {}{better}",
            number(price),
            number(decisions)
        ))
    }

    /// The remark on best known values that these episodes raised.
    #[must_use]
    pub fn raised(&self) -> Option<String> {
        (self.raised > 0).then(|| {
            let count = counted(self.raised, "instance");
            format!("best known raised by this run in {count}")
        })
    }

    /// The remark on proven optima or bounds that were beaten.
    #[must_use]
    pub fn contradiction(&self) -> Option<String> {
        (self.contradicted > 0).then(|| {
            let count = counted(self.contradicted, "episode");
            format!(
                "{count} beat a proven optimum or a bound: a record was changed, which `boardroom verify` \
                 finds, or the proof or the bound of this program is wrong; in that case, please report it"
            )
        })
    }
}

/// The lines of the table of a run: the reference, the baseline and the distance. `{:#}` also shows the
/// bound beside a proven optimum, and the play that uses only what its seat sees.
impl fmt::Display for ReferenceSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shows_all = f.alternate();
        let is_proven = self.status == Status::Proven && self.raised == 0;
        let (name, status) = match (is_proven, self.raised()) {
            (true, _) => ("optimum", self.status.to_string()),
            (false, raised) => (
                "best known",
                raised.unwrap_or_else(|| "not proven".to_owned()),
            ),
        };
        line(f, name, self.optimum, &status)?;
        // How far the unknown optimum can be is told without being asked.
        if self.optimum.is_none() || ((shows_all || !is_proven) && self.bound != self.optimum) {
            line(f, "bound", self.bound, "no play can beat it")?;
        }
        let own = "best play known that uses only what its seat sees";
        line(
            f,
            "own info",
            self.own_information.filter(|_| shows_all),
            own,
        )?;
        line(f, "baseline", self.baseline, "")?;
        let against = self.optimum.or(self.bound);
        let share = self.regret.zip(against).filter(|(_, r)| *r != 0.0);
        let mut share = share.map_or_else(String::new, |(regret, r)| {
            format!("{:.1} % of the reference", 100.0 * regret / r.abs())
        });
        if let Some(parts) = self.parts() {
            share = format!("{share}: {parts}");
        }
        if self.within_rounding {
            line(f, "regret", Some(0.0), "(within rounding)")?;
        } else {
            line(f, "regret", self.regret, &share)?;
        }
        match self.contradiction() {
            Some(wrong) => writeln!(f, "  note: {wrong}"),
            None => Ok(()),
        }
    }
}

/// Score over optimum from which an instance counts as solved.
const SOLVED: f64 = 1.0 - 1e-9;

/// `ratio`, the score over the optimum, and `solved`, 1 where the optimum is reached, else 0; nothing
/// without an optimum above 0.
#[must_use]
pub fn ratio_metrics(value: f64, reference: &Reference) -> Option<[(&'static str, f64); 2]> {
    reference.optimum?;
    let ratio = normalise(value, reference, Sense::Maximise).ratio?;
    let solved = f64::from(u8::from(ratio >= SOLVED));
    Some([("ratio", ratio), ("solved", solved)])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn against(instance: u8, status: Status, optimum: f64, bound: f64) -> RowReference {
        let reference = Reference {
            optimum: Some(optimum),
            bound: Some(bound),
            status,
            ..Reference::none()
        };
        RowReference::new(&MeasuredAgainst {
            open: reference.is_open().then_some(Digest([instance; 32])),
            reference,
            own_information: None,
        })
    }

    fn of(rows: &[(f64, RowReference)], best: &BestReached) -> ReferenceSummary {
        let rows: Vec<_> = rows.iter().map(|(value, row)| (*value, row)).collect();
        ReferenceSummary::of(&rows, Sense::Minimise, best)
    }

    #[test]
    fn a_proven_optimum_is_beaten_by_rounding_alone() {
        // Costs: the optimum is 100, and the rounding of the record may save another 0.1.
        for (status, value, regret, rounding) in [
            (Status::Proven, 99.95, 0.0, true),
            (Status::Proven, 99.9, 0.0, true),
            (Status::Proven, 99.5, -0.5, false),
            (Status::Proven, 100.5, 0.5, false),
            (Status::Proven, 100.0, 0.0, false),
            (Status::BestKnown, 99.95, -0.05, false),
            // As a bound that adds up the costs of a game in another order.
            (Status::BestKnown, 100.0 - 1e-10, 0.0, true),
        ] {
            let row = (value, against(1, status, 100.0, 99.9));
            let found = of(&[row], &BestReached::new());
            assert_eq!(found.within_rounding, rounding, "{found:?}");
            assert!((found.regret.unwrap() - regret).abs() < 1e-9, "{found:?}");
        }
    }

    /// Costs: 100 is the best known, and 90 and 95 are reached on one instance of two.
    #[test]
    fn a_better_play_becomes_the_best_known() {
        let known = || against(1, Status::BestKnown, 100.0, 80.0);
        let rows = [
            (90.0, known()),
            (95.0, known()),
            (130.0, against(2, Status::BestKnown, 100.0, 80.0)),
        ];
        let plain: Vec<_> = rows.iter().map(|(value, row)| (*value, row)).collect();
        let best = best_reached(plain.into_iter(), Sense::Minimise);
        assert_eq!(best, BestReached::from([(Digest([1; 32]), 90.0)]));
        let found = of(&rows, &best);
        // (90 + 90 + 100) / 3 is the new reference: nothing is better than it.
        assert_eq!(found.optimum, Some(280.0 / 3.0));
        assert!((found.regret.unwrap() - 35.0 / 3.0).abs() < 1e-12);
        assert_eq!((found.raised, found.contradicted), (1, 0));
        // Another run raised it further: that one is measured by it, and this one did not raise it.
        let further = BestReached::from([(Digest([1; 32]), 85.0)]);
        let found = of(&rows, &further);
        assert_eq!((found.optimum, found.raised), (Some(90.0), 0));
    }

    #[test]
    fn a_beaten_proof_or_bound_is_an_error_of_ours() {
        let best = BestReached::new();
        for (value, reference, contradicted) in [
            (99.0, against(1, Status::Proven, 100.0, 100.0), 1),
            (100.0, against(1, Status::Proven, 100.0, 100.0), 0),
            // Rounding in the game: the bound lies beyond the optimum.
            (99.9, against(1, Status::Proven, 100.0, 99.5), 0),
            (79.0, against(1, Status::BestKnown, 100.0, 80.0), 1),
            (79.0, against(1, Status::Bound, 100.0, 80.0), 1),
        ] {
            let found = of(&[(value, reference)], &best);
            assert_eq!(found.contradicted, contradicted, "{value}");
            assert_eq!(found.contradiction().is_some(), contradicted > 0);
        }
    }

    #[test]
    fn a_ratio_needs_an_optimum() {
        let reference = |optimum| Reference {
            optimum,
            bound: Some(12.0),
            ..Reference::none()
        };
        let metrics = |value, optimum| ratio_metrics(value, &reference(optimum));
        assert_eq!(
            metrics(4.0, Some(8.0)),
            Some([("ratio", 0.5), ("solved", 0.0)])
        );
        assert_eq!(
            metrics(8.0, Some(8.0)),
            Some([("ratio", 1.0), ("solved", 1.0)])
        );
        assert_eq!(metrics(4.0, None), None);
        assert_eq!(metrics(4.0, Some(0.0)), None);
    }
}
