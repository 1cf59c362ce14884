//! The number format of a block: `f32` where that is exact, `f64` otherwise.

use super::block::{Block, Lanes, Table};
use super::row::{LIMIT, WIDTH, to_order};
use super::seen::Observations;
use crate::chain::Setup;
use crate::config::Rounding;
use crate::role::Role;
use crate::rule::Formula;
use std::sync::Arc;

/// Longest lead time for which the bound of [`LIMIT`] holds \[weeks\]: formulas multiply demand by it.
// Four weeks of the largest demand are 4,000,000 units, which leaves room below 2^23 for the other terms of a formula.
const LONGEST_LEAD: f64 = 4.0;

/// Sixteen games.
#[derive(Debug, Clone)]
pub(super) struct Games {
    form: Form,
}

#[derive(Debug, Clone)]
#[expect(
    clippy::large_enum_variant,
    reason = "most blocks are compact, and are read faster without a pointer to follow"
)]
enum Form {
    Compact(Block<f32>),
    Wide(Box<Block<f64>>),
}

/// Work that games with whole amounts need not do.
#[derive(Debug, Clone, Copy)]
pub(super) struct Exact {
    /// Whether games of this kind start in `f32`.
    pub(super) compact: bool,
    /// Whether orders may have fractions that must be cut off.
    pub(super) cut: bool,
    /// Whether the format of the block computes costs exactly.
    pub(super) costs: bool,
}

impl Exact {
    fn of(setup: &Setup, table: &Table, compact: bool) -> Self {
        let mut others = Role::ALL
            .into_iter()
            .filter(|role| Some(*role) != table.role);
        let rounding = setup.board().rounding;
        // In compact games only a mean over several weeks has a fraction: the other formulas with a
        // division round themselves.
        let fractions = !compact || others.any(|role| setup.rule_of(role).0.window() > 1);
        Self {
            compact,
            cut: rounding != Rounding::Exact && fractions,
            // Amounts are below 2^23 and one of stock and backlog is 0, so a cost has at most 24
            // binary digits. With whole costs it could be past the largest number that `whole` takes.
            costs: compact && setup.costs_are_plain() && rounding != Rounding::OrdersAndCosts,
        }
    }
}

/// Evaluates an expression for the block of either form.
macro_rules! in_either {
    ($form:expr, $block:ident => $body:expr) => {
        match $form {
            Form::Compact($block) => $body,
            Form::Wide($block) => $body,
        }
    };
}

impl Games {
    /// Games of the columns' lanes. `demand` is the demand of all episodes, where it does not differ.
    pub(super) fn new(
        setup: &Arc<Setup>,
        table: &Table,
        demand: Option<&Arc<[u32]>>,
        lanes: Lanes,
    ) -> Self {
        let compact = is_exact_in_singles(setup, table);
        let exact = Exact::of(setup, table, compact);
        let form = if compact {
            Form::Compact(Block::new(setup, table, demand, lanes, exact))
        } else {
            Form::Wide(Box::new(Block::new(setup, table, demand, lanes, exact)))
        };
        Self { form }
    }

    pub(super) fn restart(&mut self, column: usize, demand: &[u32]) {
        in_either!(&mut self.form, block => block.restart(column, demand));
        if let Form::Wide(block) = &self.form
            && block.exact.compact
            && block.is_fresh()
        {
            // All games begin again, so the amounts that were too large are gone. A block that
            // stayed wide would take twice the memory for the rest of a training.
            self.form = Form::Compact(Block::clone(block).into_format());
        }
    }

    /// Plays a week in all columns: reads orders from `actions`, then writes observation, reward and
    /// end of the columns' lanes.
    #[inline(always)]
    pub(super) fn step(
        &mut self,
        table: &Table,
        largest: f32,
        actions: &[f32],
        obs: &mut Observations<'_>,
        rewards: &mut [f64],
        dones: &mut [bool],
    ) {
        let large = in_either!(&mut self.form, block => {
            let orders = block
                .lanes
                .gather(actions, 0.0, |action| to_order(action, largest));
            let mut earned = [0.0; WIDTH];
            let large = block.step(table, &orders, &mut earned);
            block.lanes.scatter(&earned, rewards);
            block.write_dones(table, dones);
            block.observe(table, obs);
            large
        });
        self.widen(large);
    }

    /// Plays all weeks that are left, every role by its rule.
    #[inline(always)]
    pub(super) fn play_out(&mut self, table: &Table) {
        while !in_either!(&self.form, block => block.weeks.all_over(table.weeks)) {
            let large = in_either!(&mut self.form, block => {
                block.step(table, &[0.0; WIDTH], &mut [0.0; WIDTH])
            });
            self.widen(large);
        }
    }

    /// Converts the block to `f64` once an amount is so `large` that `f32` might not be exact. No number
    /// changes: all amounts are still exact when the limit is passed.
    #[inline(always)]
    fn widen(&mut self, large: bool) {
        if large && let Form::Compact(block) = &self.form {
            self.form = Form::Wide(Box::new(block.clone().into_format()));
        }
    }

    pub(super) fn observe(&self, table: &Table, obs: &mut Observations<'_>) {
        in_either!(&self.form, block => block.observe(table, obs));
    }

    /// Writes the observation of one column.
    pub(super) fn observe_column(&self, table: &Table, column: usize, obs: &mut [f32]) {
        in_either!(&self.form, block => block.observe_column(table, column, obs));
    }

    /// The game of a column in a block of its own, for `lane`.
    pub(super) fn alone(&self, column: usize, lane: usize) -> Self {
        let form = match &self.form {
            Form::Compact(block) => Form::Compact(block.alone(column, lane)),
            Form::Wide(block) => Form::Wide(Box::new(block.alone(column, lane))),
        };
        Self { form }
    }

    /// The lanes of the columns.
    #[cfg(test)]
    pub(super) fn lanes(&self) -> Lanes {
        in_either!(&self.form, block => block.lanes)
    }

    pub(super) fn value(&self, column: usize) -> f64 {
        in_either!(&self.form, block => block.value(column))
    }
}

/// Whether games of this kind have whole amounts only, and formulas that `f32` computes exactly.
fn is_exact_in_singles(setup: &Setup, table: &Table) -> bool {
    let cut = setup.board().rounding != Rounding::Exact;
    // Dividing by a power of two only moves the exponent, so it is exact; dividing by 3 is not.
    let dyadic = |weeks: f64| [1.0, 2.0, 4.0, 8.0].contains(&weeks);
    let small_whole = |units: f64| units.fract() == 0.0 && units < LIMIT;
    let mut others = Role::ALL
        .into_iter()
        .filter(|role| Some(*role) != table.role);
    others.all(|role| {
        let (formula, standing) = setup.rule_of(role);
        let starts_small = small_whole(standing.target)
            && small_whole(standing.initial_position)
            && standing.lead_time <= LONGEST_LEAD;
        starts_small
            && match formula {
                Formula::Typical { alpha, beta, .. } => {
                    // Other factors than 0 and 1 give fractions, and so does a mean that is not cut.
                    let plain = |factor: f64| [0.0, 1.0].contains(&factor);
                    let window = formula.window();
                    let whole = cut || window == 1;
                    plain(alpha) && plain(beta) && dyadic(f64::from(window)) && whole
                }
                Formula::GradualSmoothing { weeks }
                | Formula::SlowAdjustment { weeks }
                | Formula::OrderBalance { weeks }
                | Formula::SystemDynamics { weeks, .. } => dyadic(weeks),
                Formula::OrderUpTo { level } => level.is_none_or(small_whole),
                Formula::Constant { units } => small_whole(units),
                Formula::BaseStock | Formula::IncludeSupplyLine | Formula::FollowDemand => true,
                // Exponential smoothing gives fractions that need all digits of an `f64`.
                Formula::Sterman { .. } => false,
            }
    })
}
