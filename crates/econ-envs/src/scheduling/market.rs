//! A market prepared for stepping: its instance with the tables and figures derived from it.

use super::blocking::Kernel;
use super::instance::Instance;
use sim_core::Seed;

/// The parts of a run that never change.
#[derive(Debug)]
pub(super) struct Market {
    pub(super) instance: Instance,
    pub(super) evaluator: Evaluator,
}

impl Market {
    /// Prepares an instance that [`Instance::check`] accepts or that was just drawn.
    pub(super) fn of_checked(instance: Instance) -> Self {
        Self {
            evaluator: Evaluator::of_checked(&instance),
            instance,
        }
    }
}

/// What an answer to an assignment depends on: the tables of the preferences, and how pairs are shown.
// Apart from the instance, because a lane of a batch needs this alone: the lists of preferences are as large
// as a third of the tables, and no step reads them.
#[derive(Debug)]
pub(super) struct Evaluator {
    pub(super) kernel: Kernel,
    /// Most blocking pairs that are shown.
    pub(super) shown: usize,
    /// Seed of the draws of shown pairs.
    pub(super) feedback_seed: Seed,
}

impl Evaluator {
    /// The evaluator of an instance that [`Instance::check`] accepts or that was just drawn.
    pub(super) fn of_checked(instance: &Instance) -> Self {
        Self {
            kernel: Kernel::of_checked(&instance.preferences),
            shown: usize::from(instance.config.shown),
            feedback_seed: instance.feedback_seed,
        }
    }

    /// Expected blocking pairs of a random assignment: the denominator of the score.
    pub(super) fn expected_blocking(&self) -> f64 {
        let (sum, pairs) = self.kernel.expected_blocking();
        #[expect(
            clippy::cast_precision_loss,
            reason = "far below 2^53 up to 1000 workers"
        )]
        let expected = sum as f64 / pairs as f64;
        expected
    }

    /// 1 - blocking pairs / expectation.
    pub(super) fn value_of(&self, blocking: u32) -> f64 {
        if self.kernel.expected_blocking().0 == 0 {
            // Two agents per side whose preferences never conflict: every assignment is stable.
            return 1.0;
        }
        1.0 - f64::from(blocking) / self.expected_blocking()
    }
}
