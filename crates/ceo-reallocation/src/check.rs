//! Checking a scenario, with the place of every fault and what would be right.
//!
//! Two levels: [`Scenario::check_form`] looks at each value and at how the parts refer to
//! each other; [`Scenario::check`] also scores, so that a scenario whose reference plan
//! breaks a rule or scores low is refused before anybody plays it.

use crate::plan::{DecisionType, ReallocationPlan};
use crate::scenario::{
    Flag, MAX_UNITS, MIN_UNITS, PastDecision, Scenario, StrategyProfile, TransferRule, Unit,
    UnitId, no_unit,
};
use crate::score::Scorer;
use crate::scoring::ScoringConfig;
use sim_core::ConfigError;
use std::collections::BTreeMap;

/// Largest deviation of a sum that stands for a whole.
// Decimal fractions of a file, such as 0.1 and 0.2, do not sum exactly.
const SUM_TOL: f64 = 1e-6;
/// Least score of a reference plan.
// The least score of grade A: a scenario must have an answer that the scorer itself calls good.
pub(crate) const REFERENCE_FROM: f64 = 85.0;

type Check = Result<(), ConfigError>;

/// A sum without the crumbs of binary fractions.
fn short(sum: f64) -> f64 {
    (sum * 1e6).round() / 1e6
}

fn fault(place: impl Into<String>, message: impl Into<String>) -> Check {
    Err(ConfigError::new(place, message))
}

/// A fault that `check_ranges` of a part found, with the place of the part.
fn ranges(part: &str, found: Check) -> Check {
    found.map_err(|fault| fault.within(part))
}

fn not_blank(place: impl Into<String>, text: &str) -> Check {
    if text.trim().is_empty() {
        fault(place, "must not be empty")
    } else {
        Ok(())
    }
}

fn sums_to_zero(place: impl Into<String>, deltas: &BTreeMap<UnitId, f64>) -> Check {
    let sum: f64 = deltas.values().sum();
    if sum.abs() <= SUM_TOL {
        Ok(())
    } else {
        fault(place, format!("must sum to 0, sums to {}", short(sum)))
    }
}

impl Scenario {
    /// Checks everything that a scenario must fulfil: ranges, sums, references between its parts,
    /// valid advisor preferences, and a reference plan that is valid and scores at least 85.
    ///
    /// # Errors
    /// The first fault, with its place in the file.
    ///
    /// ```
    /// use ceo_reallocation::scenario::authored;
    ///
    /// let mut scenario = authored().scenario("C3-R3").ok_or("no such scenario")?.clone();
    /// assert!(scenario.check().is_ok());
    /// scenario.units[0].share_pp += 1.0;
    /// let fault = scenario.check().expect_err("the shares sum to 101");
    /// assert_eq!(fault.place, "units");
    /// # Ok::<(), &str>(())
    /// ```
    pub fn check(&self) -> Check {
        // The form first: the scorer takes a scenario without a check in full.
        self.check_form()?;
        let scorer = Scorer::new(self, &ScoringConfig::default())?;
        for (officer, advisor) in self.advisors.iter() {
            let preference = ReallocationPlan::from_deltas(
                advisor.preference_pp.iter().map(|(id, pp)| (id, *pp)),
                DecisionType::Moderate,
                "",
            );
            if let Some(first) = scorer.violations(&preference).first() {
                return fault(
                    format!("advisors.{officer}.preference_pp"),
                    format!("must be a valid plan: {}", first.message),
                );
            }
        }
        let card = scorer.score(&self.evaluation.reference_plan);
        if let Some(first) = card.violations.first() {
            return fault(
                "evaluation.reference_plan",
                format!("must be a valid plan: {}", first.message),
            );
        }
        if card.score() < REFERENCE_FROM {
            return fault(
                "evaluation.reference_plan",
                format!(
                    "must score at least {REFERENCE_FROM}, scores {:.2}",
                    card.score()
                ),
            );
        }
        Ok(())
    }

    /// The part of [`check`](Self::check) that needs no scoring: form, ranges, sums, references.
    ///
    /// # Errors
    /// The first fault, with its place in the file.
    ///
    /// A company in rolling mode is checked only so far, because its advisors and
    /// reference plan follow by rule.
    pub fn check_form(&self) -> Check {
        for (place, text) in [
            ("id", &self.id),
            ("company_id", &self.company_id),
            ("target_date", &self.target_date),
        ] {
            not_blank(place, text)?;
        }
        if self.round == 0 {
            return fault("round", "must be at least 1, got 0");
        }
        self.check_company()?;
        self.check_units()?;
        self.check_constraints()?;
        self.check_advisors()?;
        self.check_history()?;
        for (n, shock) in self.shocks.iter().enumerate() {
            let place = format!("shocks[{n}]");
            ranges(&place, shock.check_ranges())?;
            if let Some(unit) = &shock.unit {
                self.known(format!("{place}.unit"), unit)?;
            }
        }
        self.check_evaluation()
    }

    fn known(&self, place: impl Into<String>, id: &UnitId) -> Check {
        if self.unit(id.as_str()).is_some() {
            return Ok(());
        }
        fault(place, no_unit(id, self.units.iter()))
    }

    fn all_known<'a>(&self, place: &str, ids: impl IntoIterator<Item = &'a UnitId>) -> Check {
        ids.into_iter().try_for_each(|id| self.known(place, id))
    }

    fn check_company(&self) -> Check {
        let state = &self.company_state;
        ranges("company_state", state.check_ranges())?;
        ranges(
            "company_state.margin_profile",
            state.margin_profile.check_ranges(),
        )?;
        ranges("company_state.proforma", state.proforma.check_ranges())
    }

    fn check_units(&self) -> Check {
        let count = self.units.len();
        if !(MIN_UNITS..=MAX_UNITS).contains(&count) {
            return fault(
                "units",
                format!("must be {MIN_UNITS} to {MAX_UNITS} units, got {count}"),
            );
        }
        for (n, unit) in self.units.iter().enumerate() {
            check_unit(&format!("units[{n}]"), unit)?;
            if self.units.iter().take(n).any(|other| other.id == unit.id) {
                return fault(
                    format!("units[{n}].id"),
                    format!("unit `{}` is listed twice", unit.id),
                );
            }
        }
        let sum: f64 = self.units.iter().map(|unit| unit.share_pp).sum();
        if (sum - 100.0).abs() > SUM_TOL {
            return fault(
                "units",
                format!(
                    "the values of share_pp must sum to 100, they sum to {}",
                    short(sum)
                ),
            );
        }
        Ok(())
    }

    fn check_constraints(&self) -> Check {
        let constraints = &self.constraints;
        ranges("constraints", constraints.check_ranges())?;
        self.all_known("constraints.locked_units", &constraints.locked_units)?;
        for (n, rule) in constraints.transfer_rules.iter().enumerate() {
            let place = format!("constraints.transfer_rules[{n}]");
            match rule {
                TransferRule::MaxAdd { unit, .. } | TransferRule::MinShare { unit, .. } => {
                    self.known(format!("{place}.unit"), unit)?;
                }
                TransferRule::ConditionalMinAdd {
                    if_unit, then_unit, ..
                } => self.all_known(&place, [if_unit, then_unit])?,
                TransferRule::RetainFraction {
                    sources,
                    destinations,
                    ..
                }
                | TransferRule::ForbidFlow {
                    sources,
                    destinations,
                } => self.all_known(&place, sources.iter().chain(destinations))?,
            }
            ranges(&place, rule.check_ranges())?;
        }
        Ok(())
    }

    fn check_advisors(&self) -> Check {
        let mut salience = 0.0;
        for (officer, advisor) in self.advisors.iter() {
            let place = format!("advisors.{officer}");
            ranges(&place, advisor.check_ranges())?;
            salience += advisor.salience;
            let preference = format!("{place}.preference_pp");
            self.all_known(&preference, advisor.preference_pp.keys())?;
            for value in advisor.preference_pp.values() {
                ConfigError::check_range(preference.as_str(), *value, -100.0, 100.0)?;
            }
            sums_to_zero(preference.as_str(), &advisor.preference_pp)?;
            for (n, flag) in advisor.flags.iter().enumerate() {
                self.check_flag(&format!("{place}.flags[{n}]"), flag)?;
            }
        }
        if (salience - 1.0).abs() > SUM_TOL {
            return fault(
                "advisors",
                format!(
                    "the four values of salience must sum to 1, they sum to {}",
                    short(salience)
                ),
            );
        }
        Ok(())
    }

    fn check_flag(&self, place: &str, flag: &Flag) -> Check {
        self.all_known(place, flag.kind.units())?;
        // The degrees of an advisor's flags are averaged by weight, and weights of 0 have no mean.
        if !(flag.weight > 0.0 && flag.weight.is_finite()) {
            return fault(
                format!("{place}.weight"),
                format!("must be a number above 0, got {}", flag.weight),
            );
        }
        Ok(())
    }

    fn check_history(&self) -> Check {
        // `check_form` has refused round 0, so this cannot be below 0.
        let expected = self.round as usize - 1;
        if self.history.len() != expected {
            return fault(
                "history",
                format!(
                    "round {} needs the {expected} earlier decisions, got {}",
                    self.round,
                    self.history.len()
                ),
            );
        }
        for (n, past) in self.history.iter().enumerate() {
            self.check_past(&format!("history[{n}]"), n, past)?;
        }
        Ok(())
    }

    fn check_past(&self, place: &str, n: usize, past: &PastDecision) -> Check {
        if past.round as usize != n + 1 {
            return fault(
                format!("{place}.round"),
                format!(
                    "rounds must run from 1 upwards, expected {}, got {}",
                    n + 1,
                    past.round
                ),
            );
        }
        let deltas = format!("{place}.deltas_pp");
        self.all_known(&deltas, past.deltas_pp.keys())?;
        for value in past.deltas_pp.values() {
            ConfigError::check_range(deltas.as_str(), *value, -100.0, 100.0)?;
        }
        sums_to_zero(deltas.as_str(), &past.deltas_pp)?;
        self.all_known(
            &format!("{place}.capacity_warnings"),
            &past.capacity_warnings,
        )
    }

    fn check_evaluation(&self) -> Check {
        let evaluation = &self.evaluation;
        if evaluation.profiles.is_empty() {
            return fault(
                "evaluation.profiles",
                "must hold at least one acceptable strategy",
            );
        }
        for (n, profile) in evaluation.profiles.iter().enumerate() {
            self.check_profile(&format!("evaluation.profiles[{n}]"), profile)?;
        }
        let bands = &evaluation.decision_bands;
        ranges("evaluation.decision_bands", bands.check_ranges())?;
        ConfigError::check_range(
            "evaluation.decision_bands.moderate_from_pp",
            bands.moderate_from_pp,
            0.0,
            bands.bold_from_pp,
        )?;
        if let Some(reversal) = &evaluation.reversal {
            self.known("evaluation.reversal.unit", &reversal.unit)?;
            ranges("evaluation.reversal", reversal.check_ranges())?;
            ConfigError::check_range(
                "evaluation.reversal.stage_max_pp",
                reversal.stage_max_pp,
                reversal.target_min_pp,
                100.0,
            )?;
        }
        Ok(())
    }

    fn check_profile(&self, place: &str, profile: &StrategyProfile) -> Check {
        ranges(place, profile.check_ranges())?;
        let cap = self.constraints.max_realloc_pp;
        // Above 0, not from 0: the distance below a range is measured as a part of its lower end.
        if profile.r_min_pp.is_nan() || profile.r_min_pp <= 0.0 {
            return fault(
                format!("{place}.r_min_pp"),
                format!("must be above 0, got {}", profile.r_min_pp),
            );
        }
        ConfigError::check_range(
            format!("{place}.r_max_pp"),
            profile.r_max_pp,
            profile.r_min_pp,
            cap,
        )?;
        self.all_known(
            &format!("{place}.preferred_sources"),
            &profile.preferred_sources,
        )?;
        self.all_known(
            &format!("{place}.preferred_destinations"),
            &profile.preferred_destinations,
        )?;
        ranges(
            &format!("{place}.tolerances"),
            profile.tolerances.check_ranges(),
        )
    }
}

fn check_unit(place: &str, unit: &Unit) -> Check {
    not_blank(format!("{place}.id"), unit.id.as_str())?;
    // Ids in plans are trimmed, so no plan could ever name such a unit.
    if unit.id.as_str().trim() != unit.id.as_str() {
        return fault(format!("{place}.id"), "must not begin or end with a space");
    }
    not_blank(format!("{place}.name"), &unit.name)?;
    // Before the comparisons, which NaN would pass.
    ranges(place, unit.check_ranges())?;
    if unit.floor_pp > unit.share_pp {
        return fault(
            format!("{place}.floor_pp"),
            format!(
                "must not be above share_pp ({}), got {}",
                unit.share_pp, unit.floor_pp
            ),
        );
    }
    if unit.ceiling_pp < unit.share_pp {
        return fault(
            format!("{place}.ceiling_pp"),
            format!(
                "must not be below share_pp ({}), got {}",
                unit.share_pp, unit.ceiling_pp
            ),
        );
    }
    Ok(())
}
