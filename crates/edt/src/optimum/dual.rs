//! The Lagrangian bound: a price for every consultant in every turn, and each project on its own.

use super::table::{Line, Table};
use super::{Grid, Horizon, RiskScope, capacity_bound, expenses};
use crate::firm::Firm;

/// Most table cells that are worked out for a bound (8 bytes each).
const MOST_CELLS: usize = 40_000_000;

/// Prices for consultants and the bound that they prove:
/// `heads * sum of prices + sum of project values - expenses`.
///
/// Every set of non-negative prices proves a bound; [`Dual::tighten`] looks for good ones with
/// projected subgradients and Polyak's step. Held and Karp (1971) is the classic example of the
/// method.
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

    /// Works out the tables for the present prices; returns the bound that they prove.
    fn fill(&mut self) -> f64 {
        let prices = self.prices.clone();
        for table in &mut self.tables {
            table.fill(&prices);
        }
        let heads = f64::from(self.consultants);
        let values: f64 = self
            .tables
            .iter()
            .map(|t| t.untouched(self.horizon.first))
            .sum();
        heads * self.prices.iter().sum::<f64>() + values - self.expenses
    }

    /// Sets one price for all turns, the best of its kind: the bound is convex in it.
    fn flat(&mut self) {
        let top = self.tables.iter().map(|t| t.line.rate).fold(0.0, f64::max);
        let (mut low, mut high) = (0.0, top);
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
    pub fn tighten(&mut self, target: f64, rounds: u32) {
        let heads = f64::from(self.consultants);
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
            // The slope of the bound in each price, smoothed with earlier ones; a price at zero
            // does not go below.
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

    /// The bound that the present prices prove for a smaller head count: prices count for fewer
    /// heads, and projects are worth no more with lower caps. For a larger one it proves nothing.
    #[must_use]
    pub fn value_for(&self, firm: &Firm, consultants: u32) -> f64 {
        if consultants > self.consultants {
            return f64::INFINITY;
        }
        let values: f64 = self
            .tables
            .iter()
            .map(|t| t.untouched(self.horizon.first))
            .sum();
        let cost = expenses(firm, consultants);
        let heads = f64::from(consultants);
        self.grid.lower(
            heads * self.prices.iter().sum::<f64>() + values - cost,
            cost,
        )
    }

    /// Table cells that one round works out.
    pub(super) fn cells(&self) -> usize {
        self.tables
            .iter()
            .map(|t| t.line.cells(&self.horizon))
            .sum()
    }

    /// Earnings that no plan exceeds, lowered to the next value that earnings can have.
    #[must_use]
    pub fn value(&self) -> f64 {
        self.lower(self.bound)
    }

    pub(super) fn lower(&self, bound: f64) -> f64 {
        self.grid.lower(bound, self.expenses)
    }
}
