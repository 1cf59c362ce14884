//! The grid of steps of a run.

use serde::{Deserialize, Serialize};

/// Steps of a run: `start, start + dt, ..., stop + 1 - dt`.
///
/// Every whole unit of time, the last one included, is cut into `1 / dt` steps; a run from 1 to 96
/// therefore has 96 steps with `dt` 1 and 384 with `dt` 1/4. All times on the grid are exact in
/// binary.
///
/// ```
/// use edt::firm::Firm;
///
/// let clock = Firm { dt: 0.25, ..Firm::paper() }.clock();
/// assert_eq!(clock.steps(), 384);
/// assert_eq!((clock.time(0), clock.time(383)), (1.0, 96.75));
/// assert_eq!(clock.step_at(1.5), Some(2));
/// assert_eq!(clock.step_at(1.1), None);
/// assert_eq!(clock.step_from(1.1), 1);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "StoredClock")]
pub struct Clock {
    start: u32,
    stop: u32,
    per_unit: u32,
}

/// A clock as it is stored, before it is checked.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredClock {
    start: u32,
    stop: u32,
    per_unit: u32,
}

impl TryFrom<StoredClock> for Clock {
    type Error = String;

    fn try_from(stored: StoredClock) -> Result<Self, String> {
        let StoredClock {
            start,
            stop,
            per_unit,
        } = stored;
        if stop < start || !matches!(per_unit, 1 | 2 | 4) {
            return Err(format!(
                "a clock from {start} to {stop} with {per_unit} steps in a unit of time; `stop` must not lie before \
                 `start`, and `per_unit` must be 1, 2 or 4"
            ));
        }
        Ok(Self::new(start, stop, per_unit))
    }
}

impl Clock {
    /// A grid from `start` to `stop` with `per_unit` (1, 2 or 4) steps in each unit of time.
    ///
    /// `stop` is raised to `start` when it lies before it.
    #[must_use]
    pub(crate) fn new(start: u32, stop: u32, per_unit: u32) -> Self {
        Self {
            start,
            stop: stop.max(start),
            per_unit: per_unit.max(1),
        }
    }

    /// First time on the grid.
    #[must_use]
    pub fn start(&self) -> f64 {
        f64::from(self.start)
    }

    /// Stop time: the last whole unit of time, which is still played in full.
    #[must_use]
    pub fn stop(&self) -> f64 {
        f64::from(self.stop)
    }

    /// Length of a step \[time\]: 1, 1/2 or 1/4.
    #[must_use]
    pub fn dt(&self) -> f64 {
        1.0 / f64::from(self.per_unit)
    }

    /// Steps in one unit of time.
    #[must_use]
    pub fn per_unit(&self) -> u32 {
        self.per_unit
    }

    /// Number of steps of a run.
    ///
    /// At most 10,000 for a firm that passed [`Firm::check`](crate::firm::Firm::check).
    #[must_use]
    pub fn steps(&self) -> u32 {
        (self.stop - self.start)
            .saturating_add(1)
            .saturating_mul(self.per_unit)
    }

    /// Time of the final step: the stop time, or later where a step is shorter than 1.
    #[must_use]
    pub fn last(&self) -> f64 {
        self.time(self.steps().saturating_sub(1))
    }

    /// Number of steps whose time lies before the stop time.
    ///
    /// Work that is done at or after the stop time is never extended.
    #[must_use]
    pub fn steps_before_stop(&self) -> u32 {
        (self.stop - self.start).saturating_mul(self.per_unit)
    }

    /// Time of step `step` (counted from 0).
    #[must_use]
    pub fn time(&self, step: u32) -> f64 {
        self.start() + f64::from(step) * self.dt()
    }

    /// The step whose time is exactly `time`; `None` when there is none.
    #[must_use]
    pub fn step_at(&self, time: f64) -> Option<u32> {
        let step = (time - self.start()) * f64::from(self.per_unit);
        // Without a tolerance: times on the grid are exact in binary, and the original engine
        // compares for equality.
        if step >= 0.0 && step < f64::from(self.steps()) && step.fract() == 0.0 {
            Some(whole(step))
        } else {
            None
        }
    }

    /// The first step at or after `time`; the number of steps when there is none.
    #[must_use]
    pub fn step_from(&self, time: f64) -> u32 {
        let step = ((time - self.start()) * f64::from(self.per_unit)).ceil();
        if step.is_nan() {
            self.steps()
        } else {
            whole(step.clamp(0.0, f64::from(self.steps())))
        }
    }
}

/// A non-negative whole `f64` below 2^32 as an integer.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the cast saturates"
)]
pub(crate) fn whole(x: f64) -> u32 {
    x as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stored_clocks_are_checked() {
        let clock = Clock::new(1, 25, 4);
        let text = serde_json::to_string(&clock).unwrap();
        assert_eq!(serde_json::from_str::<Clock>(&text).unwrap(), clock);
        for bad in [
            r#"{"start":5,"stop":1,"per_unit":1}"#,
            r#"{"start":1,"stop":5,"per_unit":0}"#,
            r#"{"start":1,"stop":5,"per_unit":3}"#,
        ] {
            assert!(serde_json::from_str::<Clock>(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn quarter_steps_reach_into_the_last_unit() {
        let clock = Clock::new(1, 25, 4);
        assert_eq!(
            (clock.steps(), clock.time(0), clock.time(99)),
            (100, 1.0, 25.75)
        );
        assert_eq!(clock.step_at(25.75), Some(99));
        assert_eq!(
            (clock.step_at(26.0), clock.step_at(0.75), clock.step_at(1.1)),
            (None, None, None)
        );
        assert_eq!(
            (
                clock.step_from(1.1),
                clock.step_from(-3.0),
                clock.step_from(99.0)
            ),
            (1, 0, 100)
        );
        assert_eq!(clock.steps_before_stop(), 96);
    }
}
