//! Best-first branch and bound.

// The open node with the highest bound is expanded next: every node with a bound above the optimum must
// be expanded in any order, and this order expands no others. Every expansion also rounds the relaxation
// to a plan, so best-first does not delay good plans.

#![expect(
    clippy::indexing_slicing,
    reason = "every vector here has one entry an offer, an active offer or a tree node"
)]

use super::bound::{Outcome, apply};
use super::certificate::{Certificate, Node, NodeEnd, Prices};
use super::program::{Domain, Program, whole};
use super::relax::{Relaxed, Workspace};
use super::round::Draft;
use crate::procurement::menu::OfferId;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// 2^53: whole numbers below it are exact.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// What the search may cost, and how exact it must be.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    /// A node is closed when its bound exceeds the best plan's value by no more than this
    /// \[sum of logarithms\].
    pub(super) tolerance: f64,
    /// Most relaxations to solve.
    pub(super) relaxations: usize,
}

/// What the search found.
#[derive(Debug, Clone)]
pub(super) struct Found {
    /// Copies of each offer; empty when no plan supports anybody.
    pub(super) copies: Vec<u32>,
    /// Sum of logarithms of its category sums.
    pub(super) value: f64,
    /// No plan has more than this \[sum of logarithms\]; at least `value`.
    pub(super) bound: f64,
    /// Relaxations solved.
    pub(super) relaxations: usize,
    /// The proof of the bound.
    pub(super) certificate: Certificate,
}

struct Open {
    bound: f64,
    node: usize,
    domains: Vec<Domain>,
}

impl PartialEq for Open {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}
impl Eq for Open {}
impl PartialOrd for Open {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Open {
    /// Largest bound first; among equals the older node.
    fn cmp(&self, other: &Self) -> Ordering {
        self.bound
            .total_cmp(&other.bound)
            .then(other.node.cmp(&self.node))
    }
}

struct Search<'a, const N: usize> {
    program: &'a Program<N>,
    limits: Limits,
    work: Workspace<N>,
    gains: Vec<f64>,
    /// Whether every category sum stays below 2^53. Beyond, the running sums of a draft keep the rounding
    /// errors of their largest value, so a plan is valued by its copies.
    exact: bool,
    found: Found,
}

/// The best plan and the proof. `start` may hold a plan to begin with.
pub(super) fn search<const N: usize>(
    program: &Program<N>,
    limits: Limits,
    start: Option<&[u32]>,
) -> Found {
    let mut search = Search {
        program,
        limits,
        work: Workspace::default(),
        gains: Vec::new(),
        exact: program.reach() < EXACT,
        found: Found {
            copies: Vec::new(),
            value: f64::NEG_INFINITY,
            bound: f64::NEG_INFINITY,
            relaxations: 0,
            certificate: Certificate {
                nodes: vec![NodeEnd::Unfinished.into()],
            },
        },
    };
    search.run(start);
    search.found
}

impl<const N: usize> Search<'_, N> {
    fn run(&mut self, start: Option<&[u32]>) {
        let root = self.program.root();
        if let Some(start) = start {
            // `start` may hold any numbers, so it is rounded and paid for like a relaxation.
            let mut draft = Draft::round(
                self.program,
                &root,
                start
                    .iter()
                    .enumerate()
                    .map(|(offer, &copies)| (offer, f64::from(copies))),
            );
            self.polish(&mut draft, &root);
            self.offer(&draft);
        }
        let mut open = BinaryHeap::new();
        open.push(Open {
            bound: f64::INFINITY,
            node: 0,
            domains: root,
        });
        while let Some(node) = open.pop() {
            // All nodes that are still open lie below too, but each needs its mark: the certificate
            // has no other record that they are closed.
            if node.bound <= self.threshold() {
                self.proof(node.node).end = NodeEnd::Closed;
                continue;
            }
            // Nodes that are left open still count for the bound, so an early end gives a
            // weaker bound and never a wrong one.
            if self.found.relaxations >= self.limits.relaxations {
                self.found.bound = self.found.bound.max(node.bound);
                continue;
            }
            self.expand(node, &mut open);
        }
        // A node counts as closed up to the tolerance, so that much may be hidden in it.
        self.found.bound = self
            .found
            .bound
            .max(self.found.value + self.limits.tolerance);
    }

    fn proof(&mut self, node: usize) -> &mut Node {
        &mut self.found.certificate.nodes[node]
    }

    /// The value that a plan must exceed to be an improvement.
    fn threshold(&self) -> f64 {
        self.found.value + self.limits.tolerance
    }

    /// Keeps a plan if it is the best one so far.
    fn offer(&mut self, draft: &Draft<N>) {
        if draft.left < 0.0 {
            return;
        }
        let value = if self.exact {
            self.program.value(&draft.sums)
        } else {
            self.program.value(&self.program.sums(&draft.copies))
        };
        if value > self.found.value {
            self.found.value = value;
            self.found.copies.clone_from(&draft.copies);
        }
    }

    fn polish(&self, draft: &mut Draft<N>, domains: &[Domain]) {
        let offers: Vec<usize> = domains
            .iter()
            .enumerate()
            .filter(|(_, domain)| domain.positive())
            .map(|(offer, _)| offer)
            .collect();
        draft.fill(self.program, &offers);
        draft.exchange(self.program, &offers);
    }

    /// Bounds a node, shrinks its domains and splits the rest.
    fn expand(&mut self, mut node: Open, open: &mut BinaryHeap<Open>) {
        // Holds for every way out below except a split, which overwrites it.
        self.proof(node.node).end = NodeEnd::Closed;
        if !self.program.tighten(&mut node.domains) {
            return;
        }
        self.found.relaxations += 1;
        let threshold = self.threshold();
        let multipliers = match self.work.relax(self.program, &node.domains, threshold) {
            Relaxed::Infeasible => return,
            Relaxed::Single => {
                let draft = Draft::round(self.program, &node.domains, std::iter::empty());
                self.offer(&draft);
                return;
            }
            Relaxed::Solved { bound, multipliers } => {
                if bound > threshold {
                    self.try_rounding(&node.domains);
                }
                multipliers
            }
        };
        self.proof(node.node).prices = Some(Prices {
            categories: multipliers.y[..self.program.categories].to_vec(),
            money: multipliers.rho,
        });
        // Again, because rounding may just have found a better plan.
        let threshold = self.threshold();
        let bound = match apply(
            self.program,
            &mut node.domains,
            &multipliers,
            threshold,
            &mut self.gains,
        ) {
            Outcome::Pruned => return,
            // Other multipliers may give a child a weaker bound than its parent's, which still
            // holds.
            Outcome::Open { bound } => bound.min(node.bound),
        };
        let Some((offer, at)) = self.branch(&node.domains) else {
            // One plan is left after shrinking.
            let draft = Draft::round(self.program, &node.domains, std::iter::empty());
            self.offer(&draft);
            return;
        };
        // Children stand next to each other in the proof, so a split names the first one
        // only.
        let first_child = self.found.certificate.nodes.len();
        self.proof(node.node).end = NodeEnd::Split {
            offer: OfferId(u32::try_from(offer).unwrap_or(u32::MAX)),
            at,
            first_child,
        };
        // The two halves share no number of copies and together hold all of them: that is
        // what the certificate checks at a split.
        let mut more = node.domains.clone();
        more[offer] = more[offer].above(at);
        let mut fewer = node.domains;
        fewer[offer] = fewer[offer].up_to(at);
        if !fewer[offer].positive() && fewer[offer].zero {
            fewer[offer] = Domain::NOTHING;
        }
        for (child, domains) in [fewer, more].into_iter().enumerate() {
            let node = first_child + child;
            let end = if domains[offer].is_empty() {
                NodeEnd::Closed
            } else {
                NodeEnd::Unfinished
            };
            self.found.certificate.nodes.push(end.into());
            if end == NodeEnd::Unfinished {
                open.push(Open {
                    bound,
                    node,
                    domains,
                });
            }
        }
    }

    fn try_rounding(&mut self, domains: &[Domain]) {
        let work = &self.work;
        let mut draft = Draft::round(
            self.program,
            domains,
            work.active.iter().copied().zip(work.copies.iter().copied()),
        );
        self.polish(&mut draft, domains);
        self.offer(&draft);
    }

    /// The offer and the number of copies to split at: the offer for which the relaxation pays least of the
    /// true cost (fraction of a copy, upfront cost, minimum quantity). Both halves then have a clearly
    /// lower bound.
    fn branch(&self, domains: &[Domain]) -> Option<(usize, u32)> {
        let program = self.program;
        let mut best: Option<(f64, usize, u32)> = None;
        for (&offer, &x) in self.work.active.iter().zip(&self.work.copies) {
            let domain = domains[offer];
            if domain.is_fixed() {
                continue;
            }
            let x = x.clamp(f64::from(domain.least()), f64::from(domain.high));
            let part = x - x.floor();
            let unit = program.unit[offer];
            let mut missing = unit * part.min(1.0 - part);
            // Below `high`, so that both halves keep a number of copies.
            let mut at = whole(x).min(domain.high.saturating_sub(1));
            if domain.zero {
                let unpaid = program.upfront[offer] * (1.0 - x / f64::from(domain.high))
                    + unit * (f64::from(domain.low) - x).max(0.0);
                if x > 1e-9 && unpaid > missing || x < f64::from(domain.low) {
                    // An offer of which the relaxation takes next to nothing has its whole upfront
                    // cost unpaid and yet hardly moves the bound, so what it spends limits what
                    // counts. The factor 4 is chosen, not measured: another one changes which offer is
                    // split first, and never whether a bound holds.
                    missing = unpaid.min(unit * x * 4.0);
                    at = 0;
                }
            } else {
                at = at.max(domain.low);
            }
            if best.is_none_or(|(most, ..)| missing > most) {
                best = Some((missing, offer, at));
            }
        }
        best.map(|(_, offer, at)| (offer, at))
    }
}
