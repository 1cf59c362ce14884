//! The Lagrangian bound.
//!
//! In every turn the projects together use at most `heads` consultants. Relaxing these constraints
//! with prices `p >= 0` gives, for every plan,
//! `earnings <= heads * sum(p) + sum over projects of max(revenue - p * consultants used) - expenses`:
//! a plan that respects the constraints pays at most `heads * p` in every turn. The maxima are
//! independent of each other, and [`Table`] computes each one exactly.

use super::table::{Line, Table};
use super::{Grid, Horizon, RiskScope, capacity_bound, expenses};
use crate::firm::Firm;

/// Largest number of table cells for a bound (8 bytes each, so 320 MB).
const MOST_CELLS: usize = 40_000_000;

/// Prices for consultants in each turn, and the bound that they prove:
/// `heads * sum of prices + sum of project values - expenses`.
///
/// All non-negative prices prove a bound; [`Dual::tighten`] searches for good ones with
/// projected subgradients and Polyak's step. Held and Karp (1971) is the classic example of the
/// method.
///
/// A bound for one head count also bounds all smaller ones ([`Dual::value_for`]), so a
/// few of them settle all head counts of a firm.
#[derive(Debug, Clone)]
pub struct Dual {
    pub(super) consultants: u32,
    pub(super) expenses: f64,
    pub(super) horizon: Horizon,
    pub(super) prices: Vec<f64>,
    pub(super) tables: Vec<Table>,
    grid: Grid,
    bound: f64,
}

impl Dual {
    /// A bound for plans with `consultants` consultants, all prices zero; `None` when the firm is
    /// too large for the tables.
    ///
    /// The limit is 40,000,000 cells: turns times work left times heads, summed over
    /// projects and their follow-ons. The firm should have passed [`Firm::check`].
    #[must_use]
    pub fn new(firm: &Firm, consultants: u32, scope: RiskScope) -> Option<Self> {
        let horizon = Horizon::new(firm);
        let dt = firm.clock().dt();
        let lines: Vec<Line> = firm
            .projects
            .iter()
            .map(|p| Line::new(p, consultants, dt, &horizon, scope))
            .collect();
        let cells = lines
            .iter()
            .map(|l| l.cells(&horizon))
            .fold(0, usize::saturating_add);
        if cells > MOST_CELLS {
            return None;
        }
        let tables: Vec<Table> = lines
            .into_iter()
            .map(|line| Table::new(line, horizon))
            .collect();
        let mut dual = Self {
            consultants,
            expenses: expenses(firm, consultants),
            horizon,
            prices: vec![0.0; horizon.end + 2],
            tables,
            grid: Grid::new(firm),
            bound: capacity_bound(firm, consultants, scope),
        };
        dual.bound = dual.bound.min(dual.fill());
        Some(dual)
    }

    /// Computes the tables for the present prices; returns the bound that they prove.
    fn fill(&mut self) -> f64 {
        let prices = self.prices.clone();
        for table in &mut self.tables {
            table.fill(&prices);
        }
        self.proven_for(self.consultants, self.expenses)
    }

    /// The bound that prices and tables prove for this many heads, which cost `expenses`.
    fn proven_for(&self, consultants: u32, expenses: f64) -> f64 {
        let untouched = |table: &Table| table.untouched(self.horizon.first);
        let values: f64 = self.tables.iter().map(untouched).sum();
        f64::from(consultants) * self.prices.iter().sum::<f64>() + values - expenses
    }

    /// Sets the same price for all turns, the best such price: the bound is convex in it, so a golden
    /// section search finds it. A good start saves many of the slower rounds that follow.
    fn flat(&mut self) {
        // From nothing to the best rate: at a higher price no work pays, and the bound only rises with it.
        let top = self.tables.iter().map(|t| t.line.rate).fold(0.0, f64::max);
        let (mut low, mut high) = (0.0, top);
        // Sixteen sections narrow the interval to 0.05 % of the highest rate.
        for _ in 0..16 {
            let (a, b) = (low + (high - low) * 0.382, low + (high - low) * 0.618);
            if self.at_flat(a) <= self.at_flat(b) {
                high = b
            } else {
                low = a
            }
        }
        let value = self.at_flat(low.midpoint(high));
        self.bound = self.bound.min(value);
    }

    fn at_flat(&mut self, price: f64) -> f64 {
        let turns = self.horizon.first..self.horizon.end;
        for (turn, own) in self.prices.iter_mut().enumerate() {
            *own = if turns.contains(&turn) { price } else { 0.0 };
        }
        self.fill()
    }

    /// Improves the prices for at most `rounds` rounds, aiming at `target`, earnings that some plan
    /// is known to reach. Stops early when the bound, lowered to the next value that earnings can
    /// have, meets the target.
    ///
    /// One round fills all tables once, so `rounds` times the number of cells is the
    /// work. The best prices found are kept; the bound never rises.
    pub fn tighten(&mut self, target: f64, rounds: u32) {
        let heads = f64::from(self.consultants);
        // Subgradient steps may raise the bound, so the best prices so far are kept.
        let mut best = self.prices.clone();
        let mut best_value = f64::INFINITY;
        let mut pace = 0.3;
        let mut stale = 0;
        self.flat();
        let mut value = self.fill();
        let mut direction = vec![0.0; self.prices.len()];
        for _ in 0..rounds {
            if value < best_value - 1e-9 {
                if value < best_value - 1e-5 * (best_value - target).abs() {
                    stale = 0;
                }
                best_value = value;
                best.clone_from(&self.prices);
                self.bound = self.bound.min(value);
            }
            stale += 1;
            if self.value() <= target {
                break;
            }
            // Polyak's step needs the optimal value; the target stands in for it. When 30 rounds gain too
            // little, the target is probably out of reach and steps are too long: shorten them.
            if stale > 30 {
                pace *= 0.7;
                stale = 0;
                if pace < 1e-3 {
                    break;
                }
            }
            let mut used = vec![0.0; self.prices.len()];
            for table in &self.tables {
                table.add_use(&self.prices, &mut used);
            }
            // The slope of the bound in a price is heads minus consultants used (Danskin). Smoothing it
            // with earlier slopes damps the zigzag of plain subgradients. A price at zero cannot fall.
            let mut norm = 0.0;
            let priced = self
                .prices
                .iter()
                .zip(&used)
                .zip(&mut direction)
                .enumerate();
            for (turn, ((price, used), direction)) in priced {
                let live = turn >= self.horizon.first && turn < self.horizon.end;
                let slope = if live { heads - used } else { 0.0 };
                *direction = 0.2 * slope + 0.8 * *direction;
                if *price <= 0.0 && *direction > 0.0 {
                    *direction = 0.0;
                }
                norm += *direction * *direction;
            }
            if norm <= 1e-12 {
                break;
            }
            let step = pace * (value - target).max(1.0) / norm;
            for (price, direction) in self.prices.iter_mut().zip(&direction) {
                *price = (*price - step * direction).max(0.0);
            }
            value = self.fill();
        }
        self.prices = best;
        self.fill();
    }

    /// The bound that the present prices prove for a smaller head count \[money\]: the prices are paid
    /// by fewer heads, and the value of a project does not rise when its cap falls. Infinity for a larger
    /// head count, for which the tables hold no values.
    #[must_use]
    pub fn value_for(&self, firm: &Firm, consultants: u32) -> f64 {
        if consultants > self.consultants {
            return f64::INFINITY;
        }
        let cost = expenses(firm, consultants);
        self.grid.lower(self.proven_for(consultants, cost), cost)
    }

    /// Number of table cells that one round computes.
    pub(super) fn cells(&self) -> u64 {
        self.tables
            .iter()
            .map(|t| u64::try_from(t.line.cells(&self.horizon)).unwrap_or(u64::MAX))
            .fold(0, u64::saturating_add)
    }

    /// The upper bound on earnings, lowered to the next value that earnings can have \[money\].
    #[must_use]
    pub fn value(&self) -> f64 {
        self.lower(self.bound)
    }

    pub(super) fn lower(&self, bound: f64) -> f64 {
        self.grid.lower(bound, self.expenses)
    }
}
