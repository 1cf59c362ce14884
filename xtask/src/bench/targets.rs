//! How fast each thing should be.
//!
//! A limit is what a kernel reaches that was written by hand for one purpose, on this kind of
//! machine (a 2025 server core), on one thread, with inputs that vary. A target is 1.5 times that
//! (2 times for batches): the allowance of an interface that checks its input. Where `exp` and `ln`
//! are taken from the `libm` crate, so that they agree on every platform, the target says so.

/// One target.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Target {
    /// The figure it is for.
    pub id: &'static str,
    /// What the best kernel takes \[ns\].
    pub limit: f64,
    /// What ours may take \[ns\].
    pub ns: f64,
    /// Why it is missed, where it is known to be.
    pub reason: Option<&'static str>,
}

const fn target(id: &'static str, limit: f64, ns: f64) -> Target {
    Target {
        id,
        limit,
        ns,
        reason: None,
    }
}

/// All targets.
pub const TARGETS: &[Target] = &[
    // Delays are settings here, not constants of the program.
    target("beer_game/single/dynamics/bptk/typical", 7.1, 25.0),
    target("beer_game/single/dynamics/bptk/order-up-to", 7.1, 25.0),
    target("beer_game/single/dynamics+view/paper/typical", 9.5, 25.0),
    target("beer_game/lockstep/bptk/typical/1024", 2.4, 5.0),
    target("beer_game/lockstep/bptk/order-up-to/1024", 2.4, 5.0),
    target("beer_game/lockstep/bptk/typical/8192", 2.4, 5.0),
    target("beer_game/lockstep/bptk/order-up-to/8192", 2.4, 5.0),
    target("beer_game/lockstep/paper/typical/1024", 2.4, 5.0),
    target("beer_game/lockstep/paper/typical/8192", 2.4, 5.0),
    target("edt/paper/totals", 3_580.0, 5_500.0),
    target("edt/paper/series", 3_580.0, 9_000.0),
    target("scheduling/blocking/rows", 248.0, 375.0),
    target("scheduling/blocking/list", 670.0, 1_000.0),
    target("scheduling/blocking/five", 395.0, 750.0),
    target("scheduling/market/expectation", 305.0, 500.0),
    // With `libm`.
    target("pricing/market/demand", 91.0, 190.0),
    target("pricing/market/optimum", 159.0, 300.0),
    target("pricing/step/lockstep", 36.0, 100.0),
    target("procurement/plan/sparse", 82.0, 125.0),
    target("procurement/plan/dense", 244.0, 365.0),
    target("procurement/optimum/basic median", 0.09e6, 0.2e6),
    target("procurement/optimum/medium median", 0.33e6, 0.7e6),
    target("procurement/optimum/hard median", 1.24e6, 2.5e6),
    target("procurement/optimum/hard worst", 9.7e6, 20.0e6),
    target("qa/rouge/55", 3_110.0, 4_700.0),
    target("qa/rouge/344", 19_800.0, 30_000.0),
    target("qa/rouge/2250", 178_000.0, 270_000.0),
    target("ceo/numbers", 125.0, 200.0),
    target("ceo/plan", 1_750.0, 3_000.0),
];

/// The target of a figure, if it has one.
#[must_use]
pub fn target_of(id: &str) -> Option<&'static Target> {
    TARGETS.iter().find(|target| target.id == id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_figure_has_one_target_above_its_limit() {
        for target in TARGETS {
            assert!(target.limit < target.ns, "{target:?}");
            let same = TARGETS.iter().filter(|other| other.id == target.id);
            assert_eq!(same.count(), 1, "{target:?}");
        }
        assert_eq!(target_of("no/such"), None);
    }
}
