//! Checking the constants of a scorer.

use super::{InvalidPolicy, ScoringConfig};
use sim_core::ConfigError;

impl ScoringConfig {
    /// Checks that every constant is a finite number of the right sign, and that scales are above
    /// 0.
    ///
    /// # Errors
    /// Names the first constant at fault and what would be right.
    ///
    /// The weights inside a dimension may sum to less than the whole, never to more.
    /// [`Scorer::new`](crate::score::Scorer::new) does not check;
    /// [`Config::check`](crate::Config::check) does.
    pub fn check(&self) -> Result<(), ConfigError> {
        let (v, b, r, h) = (&self.validity, &self.boldness, &self.role, &self.history);
        let not_negative = [
            ("eps_pp", self.eps_pp),
            ("mass_tolerance_pp", self.mass_tolerance_pp),
            ("declared_tolerance_pp", self.declared_tolerance_pp),
            ("band_tolerance_pp", self.band_tolerance_pp),
            ("move_tolerance_pp", self.move_tolerance_pp),
            ("tie", self.tie),
            ("validity.base", v.base),
            ("validity.span", v.span),
            ("validity.destinations", v.destinations),
            ("validity.sources", v.sources),
            ("validity.protection", v.protection),
            ("validity.absorption", v.absorption),
            ("validity.misallocated_below", v.misallocated_below),
            ("boldness.transformation.under", b.transformation.under),
            ("boldness.transformation.over", b.transformation.over),
            ("boldness.balanced.under", b.balanced.under),
            ("boldness.balanced.over", b.balanced.over),
            ("boldness.stability.under", b.stability.under),
            ("boldness.stability.over", b.stability.over),
            ("role.respect", r.respect),
            ("role.perspectives", r.perspectives),
            ("role.rationale", r.rationale),
            ("role.flag_tolerance_pp", r.flag_tolerance_pp),
            ("role.financial_tolerance", r.financial_tolerance),
            ("role.capture_similarity", r.capture_similarity),
            ("role.capture_lead", r.capture_lead),
            ("role.hull", r.hull),
            ("role.label", r.label),
            ("role.lexical", r.lexical),
            ("role.dispute_from_pp", r.dispute_from_pp),
            ("role.hull_margin_pp", r.hull_margin_pp),
            ("role.neighbouring_label", r.neighbouring_label),
            ("role.words.advisors", r.words.advisors),
            ("role.words.tension", r.words.tension),
            ("role.words.priority", r.words.priority),
            ("role.words.weak_sentence", r.words.weak_sentence),
            ("history.base", h.base),
            ("history.overload_per_round", h.overload_per_round),
            ("history.overload_excess_pp", h.overload_excess_pp),
            ("history.starvation_per_round", h.starvation_per_round),
            ("history.reversal_bonus", h.reversal_bonus),
            ("history.reference_bonus", h.reference_bonus),
            ("history.unit_bonus", h.unit_bonus),
            ("history.reversal_missed_below", h.reversal_missed_below),
            ("history.oscillation_from_pp", h.oscillation_from_pp),
            ("history.oscillation_penalty", h.oscillation_penalty),
            ("grades.a", self.grades.a),
            ("grades.b", self.grades.b),
            ("grades.c", self.grades.c),
            ("grades.d", self.grades.d),
        ];
        let above_zero = [
            ("validity.protection_scale_pp", v.protection_scale_pp),
            ("validity.absorption_scale_pp", v.absorption_scale_pp),
            ("role.concern_scale_pp", r.concern_scale_pp),
            ("role.concern_scale_months", r.concern_scale_months),
            ("role.concern_scale_leverage", r.concern_scale_leverage),
            ("role.perspective_target", r.perspective_target),
            ("role.hull_scale_pp", r.hull_scale_pp),
            ("role.hull_full_from_pp", r.hull_full_from_pp),
            ("history.stage_scale_pp", h.stage_scale_pp),
        ];
        for (place, value) in not_negative {
            // The upper end refuses infinity; `NaN` is in no range.
            if !(0.0..=1e6).contains(&value) {
                return Err(ConfigError::new(
                    place,
                    format!("must be at least 0, got {value}"),
                ));
            }
        }
        for (place, value) in above_zero {
            // Scales divide: one near zero would make a step out of a slope.
            if !(1e-9..=1e6).contains(&value) {
                return Err(ConfigError::new(
                    place,
                    format!("must be above 0, got {value}"),
                ));
            }
        }
        if let InvalidPolicy::CapAt(most) = self.invalid_policy {
            ConfigError::check_range("invalid_policy.cap_at", most, 0.0, 100.0)?;
        }
        ConfigError::check_range("role.perspectives_needed", r.perspectives_needed, 1, 4)?;
        self.check_weights()
    }

    /// The parts of a dimension must not exceed the dimension, so that scores stay in 0 to 100.
    fn check_weights(&self) -> Result<(), ConfigError> {
        let (v, r) = (&self.validity, &self.role);
        let sums = [
            ("validity", "base + span", v.base + v.span, 100.0),
            (
                "validity",
                "destinations + sources + protection + absorption",
                v.destinations + v.sources + v.protection + v.absorption,
                1.0,
            ),
            (
                "role",
                "respect + perspectives + rationale",
                r.respect + r.perspectives + r.rationale,
                100.0,
            ),
            (
                "role",
                "hull + label + lexical",
                r.hull + r.label + r.lexical,
                1.0,
            ),
            (
                "role.words",
                "advisors + tension + priority",
                r.words.advisors + r.words.tension + r.words.priority,
                1.0,
            ),
        ];
        for (place, what, sum, most) in sums {
            // Weights such as 0.35, 0.25 and 0.40 do not sum to 1 exactly.
            if sum > most + 1e-9 {
                return Err(ConfigError::new(
                    place,
                    format!("{what} must be at most {most}, is {sum}"),
                ));
            }
        }
        Ok(())
    }
}
