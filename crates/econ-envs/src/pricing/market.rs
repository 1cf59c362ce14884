//! A market prepared for stepping: the instance with its demand, optimum and printed ceilings.
//!
//! Every lane of a batch and every environment has one. Optimum and ceilings are computed
//! once here: both are the same in all periods or depend on the period alone.

use super::demand::MarketDemand;
use super::instance::Instance;
use super::optimum::{Optimum, optimum};
use sim_core::ConfigError;

/// The parts of a run that never change.
#[derive(Debug, Clone)]
pub(super) struct Market {
    pub(super) instance: Instance,
    pub(super) demand: MarketDemand,
    pub(super) optimum: Optimum,
    ceilings: Vec<f64>,
}

impl Market {
    /// Checks and prepares an instance.
    pub(super) fn new(instance: Instance) -> Result<Self, ConfigError> {
        instance.check()?;
        let factors = instance.shift.factors(instance.config.periods);
        let demand = instance.demand()?;
        let best = optimum(&demand);
        Ok(Self::of_parts(instance, demand, best, &factors))
    }

    /// Prepares an instance that was just drawn, without checking it again: a check walks over all
    /// periods, which a batch would repeat at every reset of a lane. `demand` and `optimum` are its own,
    /// `factors` those of its [`Shift`](super::instance::Shift), which a batch computes once.
    pub(super) fn of_parts(
        instance: Instance,
        demand: MarketDemand,
        optimum: Optimum,
        factors: &[f64],
    ) -> Self {
        let ceilings = instance.ceilings_at(&optimum, factors);
        Self {
            instance,
            demand,
            optimum,
            ceilings,
        }
    }

    /// Printed ceiling of each block of periods \[$\].
    pub(super) fn ceilings(&self) -> &[f64] {
        &self.ceilings
    }

    /// Printed ceiling of a period \[$\].
    pub(super) fn ceiling(&self, period: u32) -> f64 {
        // After the last period an observation still has a ceiling: that of the last block.
        let block = (period / self.instance.config.ceiling_block) as usize;
        self.ceilings
            .get(block)
            .or(self.ceilings.last())
            .copied()
            .unwrap_or(0.0)
    }

    /// Exact quantities and profits at `prices` in `period`.
    pub(super) fn sales(&self, period: u32, prices: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let n = self.demand.size();
        let (mut quantities, mut profits) = (vec![0.0; n], vec![0.0; n]);
        let alpha = self.instance.alpha_at(period);
        self.demand
            .fill(&alpha, prices, &mut quantities, &mut profits);
        (quantities, profits)
    }

    /// The highest profit that the scored periods can earn together \[$\].
    pub(super) fn scored_optimum(&self) -> f64 {
        self.optimum.profit * f64::from(self.instance.config.scored_periods)
    }
}
