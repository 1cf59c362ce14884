//! The proof that a plan is best, and its independent check.
//!
//! A certificate is the tree of the search: each node holds at most one set of multipliers and
//! ends closed or split in two by the copies of one offer. [`Certificate::verify`] walks the tree with
//! its own domains, starting with all plans, in whole cents and whole units:
//!
//! 1. it evaluates the plan with the environment's evaluator;
//! 2. in each node it removes the copies that the budget cannot pay and those that the multipliers
//!    exclude, by testing single numbers of copies instead of solving for them;
//! 3. a node that is not split must be empty, support no workers, hold a single plan that is not better,
//!    or be bounded by its multipliers.

// Multipliers are used only in the inequality of the bound, which holds for all
// multipliers. So a faulty solver cannot produce a certificate that passes.

use super::{TOLERANCE, sum_of_logs};
use crate::procurement::action::MOST_COPIES;
use crate::procurement::evaluate::Evaluator;
use crate::procurement::instance::Instance;
use crate::procurement::menu::OfferId;
use serde::{Deserialize, Serialize};
use sim_core::math;

/// A proof that no plan is better than a given one.
///
/// As JSON it can be stored beside a reference and checked years later by another
/// program: all it needs is the inequality of the bound, which stands in the
/// documentation of the optimum.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Certificate {
    /// The tree, root first.
    pub nodes: Vec<Node>,
}

/// A part of all plans: numbers of copies within a range for each offer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Node {
    /// Multipliers that bound the node and narrow its ranges.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prices: Option<Prices>,
    /// How it ends.
    pub end: NodeEnd,
}

impl From<NodeEnd> for Node {
    /// A node without multipliers.
    fn from(end: NodeEnd) -> Self {
        Self { prices: None, end }
    }
}

/// Multipliers of the bound.
///
/// Any positive numbers give a valid bound; good ones give a low bound.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Prices {
    /// Price of a unit of each category's sum; positive.
    pub categories: Vec<f64>,
    /// Price of a cent; not negative.
    pub money: f64,
}

/// How a node ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[non_exhaustive]
pub enum NodeEnd {
    /// It holds no better plan.
    Closed,
    /// The search ended before it: the certificate proves nothing.
    Unfinished,
    /// Plans with at most `at` copies of `offer` are in node `first_child`, all others in the node after
    /// it.
    Split {
        /// The offer.
        offer: OfferId,
        /// The dividing number of copies.
        at: u32,
        /// Number of the first of the two nodes.
        first_child: usize,
    },
}

/// Why a certificate proves nothing.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Refuted {
    /// The instance cannot be used.
    #[error("the instance cannot be used")]
    Instance,
    /// The plan breaks a minimum quantity, the budget, or the limit of copies of an offer.
    #[error("the plan is not feasible")]
    Infeasible,
    /// A node is neither split nor can it be closed.
    #[error("node {0} may hold a better plan")]
    Open(usize),
    /// A node has multipliers or children that are not valid.
    #[error("node {0} is malformed")]
    Malformed(usize),
}

/// The statement of a verified certificate.
#[derive(Debug, Clone, PartialEq)]
pub struct VerifiedCertificate {
    /// Sum of the logarithms of the plan's category sums; no plan has more than this plus
    /// [`TOLERANCE`].
    pub log_value: f64,
    /// Nodes that were closed.
    pub closed: usize,
}

#[derive(Debug, Clone, Copy)]
struct Range {
    zero: bool,
    low: i64,
    high: i64,
}

impl Range {
    fn has_positive(self) -> bool {
        self.low <= self.high
    }

    fn is_empty(self) -> bool {
        !self.zero && !self.has_positive()
    }

    fn single(self) -> Option<i64> {
        match (self.zero, self.has_positive()) {
            (true, false) => Some(0),
            (false, true) if self.low == self.high => Some(self.low),
            _ => None,
        }
    }
}

struct Line {
    row: Vec<f64>,
    unit: i64,
    upfront: i64,
}

impl Line {
    fn cost(&self, copies: i64) -> i64 {
        if copies > 0 {
            self.upfront + self.unit * copies
        } else {
            0
        }
    }

    /// Amount that `copies` add to `K`, minus their price.
    #[expect(clippy::cast_precision_loss, reason = "costs are below 2^53 cents")]
    fn surplus(&self, copies: i64, prices: &Prices) -> f64 {
        let worth: f64 = self
            .row
            .iter()
            .zip(&prices.categories)
            .map(|(a, y)| a * y)
            .sum();
        worth * copies as f64 - prices.money * self.cost(copies) as f64
    }
}

struct Checker<'a> {
    instance: &'a Instance,
    evaluator: Evaluator,
    lines: Vec<Line>,
    /// Sum of logarithms that a better plan must exceed.
    threshold: f64,
}

impl Certificate {
    /// Checks that no plan of `instance` is better than `plan`.
    ///
    /// # Errors
    /// Names the first node that proves nothing; [`Refuted::Instance`] when [`Instance::check`] refuses the
    /// instance.
    ///
    /// `plan` is the plan that is claimed to be best, not the one of the search: a
    /// certificate for a better plan proves nothing about a worse one.
    ///
    /// # Complexity
    /// For each node, offers times categories.
    pub fn verify(
        &self,
        instance: &Instance,
        plan: &[(OfferId, u32)],
    ) -> Result<VerifiedCertificate, Refuted> {
        let evaluator = Evaluator::new(instance).map_err(|_| Refuted::Instance)?;
        // The ranges of the tree end at the limit of copies, so a plan beyond it is not among those that
        // the certificate speaks of.
        let allowed = plan.iter().all(|&(_, copies)| copies <= MOST_COPIES);
        if !allowed || !evaluator.evaluate(plan).is_feasible() {
            return Err(Refuted::Infeasible);
        }
        let log_value = sum_of_logs(&evaluator.sums(plan));
        let rows = instance.rows();
        #[expect(clippy::cast_precision_loss, reason = "effects are at most 1e9")]
        let lines = instance
            .menu
            .offers
            .iter()
            .zip(&rows)
            .map(|(offer, row)| Line {
                row: row.iter().map(|&value| value as f64).collect(),
                unit: offer.unit_cents,
                upfront: offer.upfront_cents(),
            });
        let everything = instance.menu.offers.iter().map(|offer| Range {
            zero: true,
            low: i64::from(offer.min_copies()),
            high: i64::from(MOST_COPIES),
        });
        // A list and no recursion: a tree from a file may be as deep as it likes.
        let mut open = vec![(0_usize, everything.collect::<Vec<_>>())];
        let checker = Checker {
            instance,
            evaluator,
            lines: lines.collect(),
            threshold: log_value + TOLERANCE,
        };
        let mut closed = 0;
        let mut seen = vec![false; self.nodes.len()];
        while let Some((number, ranges)) = open.pop() {
            let node = self.nodes.get(number).ok_or(Refuted::Malformed(number))?;
            // In a tree each node has one parent. A node that is reached twice could make the walk
            // endless.
            if seen
                .get_mut(number)
                .is_none_or(|seen| std::mem::replace(seen, true))
            {
                return Err(Refuted::Malformed(number));
            }
            let Some(ranges) = checker.narrowed(number, node, ranges)? else {
                closed += 1;
                continue;
            };
            // `Closed` in a file is a claim. A node counts as closed where the checker closes it,
            // so one that is left open here and not split proves nothing.
            let NodeEnd::Split {
                offer,
                at,
                first_child,
            } = node.end
            else {
                return Err(Refuted::Open(number));
            };
            let range = *ranges
                .get(offer.index())
                .ok_or(Refuted::Malformed(number))?;
            let at = i64::from(at);
            // Together the two halves hold every number of copies of the range, so no
            // plan escapes the tree.
            let halves = [
                Range {
                    high: range.high.min(at),
                    ..range
                },
                Range {
                    zero: false,
                    low: range.low.max(at + 1),
                    ..range
                },
            ];
            for (child, half) in halves.into_iter().enumerate() {
                let mut ranges = ranges.clone();
                if let Some(range) = ranges.get_mut(offer.index()) {
                    *range = half;
                }
                open.push((first_child.saturating_add(child), ranges));
            }
        }
        Ok(VerifiedCertificate { log_value, closed })
    }
}

impl Checker<'_> {
    /// The ranges of a node, narrowed; `None` where it can hold no better plan.
    fn narrowed(
        &self,
        number: usize,
        node: &Node,
        mut ranges: Vec<Range>,
    ) -> Result<Option<Vec<Range>>, Refuted> {
        self.cut_by_budget(&mut ranges);
        if self.is_closed(&ranges) {
            return Ok(None);
        }
        if let Some(prices) = &node.prices {
            let sensible = prices.categories.len() == self.instance.menu.categories()
                && prices.categories.iter().all(|y| *y > 0.0 && y.is_finite())
                && prices.money >= 0.0
                && prices.money.is_finite();
            if !sensible {
                return Err(Refuted::Malformed(number));
            }
            if self.cut_by_prices(prices, &mut ranges) || self.is_closed(&ranges) {
                return Ok(None);
            }
        }
        Ok(Some(ranges))
    }

    fn is_closed(&self, ranges: &[Range]) -> bool {
        if ranges.iter().any(|range| range.is_empty()) {
            return true;
        }
        let due: i64 = self.due(ranges);
        if due > self.evaluator.budget_cents() {
            return true;
        }
        // A category whose sum stays 0 makes the product 0, so such a node supports no
        // workers.
        let unreachable = (0..self.instance.menu.categories()).any(|category| {
            self.lines.iter().zip(ranges).all(|(line, range)| {
                !range.has_positive() || line.row.get(category).is_none_or(|&a| a == 0.0)
            })
        });
        if unreachable {
            return true;
        }
        let plan: Option<Vec<(OfferId, u32)>> = (0..)
            .map(OfferId)
            .zip(ranges)
            .map(|(offer, range)| {
                range
                    .single()
                    .and_then(|copies| u32::try_from(copies).ok())
                    .map(|c| (offer, c))
            })
            .collect();
        // A single plan over the budget was closed by `due`, so here only its value matters.
        plan.is_some_and(|plan| sum_of_logs(&self.evaluator.sums(&plan)) <= self.threshold)
    }

    fn due(&self, ranges: &[Range]) -> i64 {
        self.lines
            .iter()
            .zip(ranges)
            .filter(|(_, range)| !range.zero)
            .map(|(line, range)| line.cost(range.low))
            .sum()
    }

    fn cut_by_budget(&self, ranges: &mut [Range]) {
        let left = self.evaluator.budget_cents() - self.due(ranges);
        for (line, range) in self.lines.iter().zip(ranges.iter_mut()) {
            let own = if range.zero { 0 } else { line.cost(range.low) };
            while range.has_positive() && line.cost(range.high) - own > left {
                // Jumps to the last number that can be paid.
                let room = (left + own - line.upfront).div_euclid(line.unit);
                // One less in any case, so that the loop ends whatever the division gives.
                range.high = room.min(range.high - 1);
            }
        }
    }

    /// Whether the multipliers close the node. If not, the ranges are narrowed.
    fn cut_by_prices(&self, prices: &Prices, ranges: &mut [Range]) -> bool {
        #[expect(
            clippy::cast_precision_loss,
            reason = "at most 63 categories, below 2^53 cents"
        )]
        let (k, budget) = (
            prices.categories.len() as f64,
            self.evaluator.budget_cents() as f64,
        );
        let log_y: f64 = prices.categories.iter().map(|&y| math::ln(y)).sum();
        let best: Vec<f64> = self
            .lines
            .iter()
            .zip(ranges.iter())
            .map(|(line, range)| {
                let zero = if range.zero { 0.0 } else { f64::NEG_INFINITY };
                let ends = if range.has_positive() {
                    line.surplus(range.low, prices)
                        .max(line.surplus(range.high, prices))
                } else {
                    f64::NEG_INFINITY
                };
                zero.max(ends)
            })
            .collect();
        let total = prices.money * budget + best.iter().sum::<f64>();
        let needed = k * math::exp((self.threshold + log_y) / k);
        // Without an allowance for rounding, unlike the search: here a rounding error in
        // the wrong direction must refuse a proof, not grant it. The tolerance of the
        // search leaves room for that.
        if total <= needed {
            return true;
        }
        for ((line, range), best) in self.lines.iter().zip(ranges.iter_mut()).zip(best) {
            // A number of copies stays when the node could still reach `needed` with all other offers at
            // their best.
            let stays = |copies: i64| total - best + line.surplus(copies, prices) > needed;
            if range.zero && !stays(0) {
                range.zero = false;
            }
            if !range.has_positive() {
                continue;
            }
            // The surplus is linear in positive copies, so the numbers that stay form one interval that
            // contains one of the ends.
            match (stays(range.low), stays(range.high)) {
                (true, true) => {}
                (true, false) => range.high = last(range.low, range.high, stays),
                (false, true) => {
                    let (low, high) = (range.low, range.high);
                    range.low = high - (last(0, high - low, |d| stays(high - d)));
                }
                (false, false) => range.high = range.low - 1,
            }
        }
        false
    }
}

/// The last number from `low` on that satisfies `holds`, by bisection; `low` satisfies it, `high` does not.
fn last(mut low: i64, mut high: i64, holds: impl Fn(i64) -> bool) -> i64 {
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if holds(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}
