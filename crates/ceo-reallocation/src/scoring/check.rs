//! Checking the constants of a scorer.

use super::{InvalidPolicy, ScoringConfig};
use sim_core::ConfigError;

impl ScoringConfig {
    /// Checks the range of every constant, and the sums of weights.
    ///
    /// # Errors
    /// Names the first constant at fault and what would be right.
    ///
    /// The weights inside a dimension may sum to less than the whole, never to more.
    /// [`Scorer::new`](crate::score::Scorer::new) does not check;
    /// [`Config::check`](crate::Config::check) does.
    pub fn check(&self) -> Result<(), ConfigError> {
        // The upper ends refuse infinity. Scales divide, so theirs begin above 0: one near zero would make a step out of a
        // slope.
        self.check_ranges()?;
        let (boldness, role) = (&self.boldness, &self.role);
        for (place, checked) in [
            ("validity", self.validity.check_ranges()),
            (
                "boldness.transformation",
                boldness.transformation.check_ranges(),
            ),
            ("boldness.balanced", boldness.balanced.check_ranges()),
            ("boldness.stability", boldness.stability.check_ranges()),
            ("role", role.check_ranges()),
            ("role.words", role.words.check_ranges()),
            ("history", self.history.check_ranges()),
            ("grades", self.grades.check_ranges()),
        ] {
            checked.map_err(|error| error.within(place))?;
        }
        if let InvalidPolicy::CapAt(most) = self.invalid_policy {
            ConfigError::check_range("invalid_policy.cap_at", most, 0.0, 100.0)?;
        }
        self.check_weights()
    }

    /// The parts of a dimension must not exceed the dimension, so that scores stay in 0 to 100.
    fn check_weights(&self) -> Result<(), ConfigError> {
        let (v, r) = (&self.validity, &self.role);
        // At most and not exactly: a study of sensitivity may set a weight to 0.
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
