//! A market prepared for stepping: its instance with the tables and figures derived from it.
//!
//! The tables are computed once and shared by all episodes on the market: a lane's
//! reference environment gets them from the lane.

use super::blocking::Kernel;
use super::instance::Instance;

/// The parts of a run that never change.
#[derive(Debug)]
pub(super) struct Market {
    pub(super) instance: Instance,
    pub(super) kernel: Kernel,
    /// Expected blocking pairs of a random assignment, as an unreduced fraction.
    expected: (u64, u64),
}

impl Market {
    /// Prepares an instance that [`Instance::check`] accepts or that was just drawn.
    pub(super) fn of_checked(instance: Instance) -> Self {
        let kernel = Kernel::of_checked(&instance.preferences);
        Self {
            expected: kernel.expected_blocking(),
            kernel,
            instance,
        }
    }

    /// Expected blocking pairs of a random assignment: the denominator of the score.
    pub(super) fn expected_blocking(&self) -> f64 {
        let (sum, pairs) = self.expected;
        #[expect(
            clippy::cast_precision_loss,
            reason = "far below 2^53 up to 1000 workers"
        )]
        let expected = sum as f64 / pairs as f64;
        expected
    }

    /// 1 - blocking pairs / expectation.
    pub(super) fn value_of(&self, blocking: u32) -> f64 {
        if self.expected.0 == 0 {
            // Two agents per side whose preferences never conflict: every assignment is stable.
            return 1.0;
        }
        1.0 - f64::from(blocking) / self.expected_blocking()
    }
}
