//! Posterior sampling: learns the effectiveness from the numbers of workers.
//!
//! The logarithm of the workers, times the number of categories, is the sum of the logarithms of the
//! category sums, which are linear in the unknown effectiveness. On a logistic scale, which keeps every
//! value in its range, the prior is normal. A draw from the posterior is a draw from the prior that is
//! moved as little as the data require: damped Gauss-Newton steps find the nearest values that explain
//! the data ("randomise, then optimise"). The next plan is the best plan for such a draw. Early draws
//! explore; in every fifth period and towards the end the most probable values are used instead.

// Why not a normal approximation at the most probable values: the values that explain the data form a
// curved set, and the truth may lie hundreds of standard deviations of the approximation away, so some
// markets would never be solved. The best plan for a draw comes from the exact solver.

#![expect(
    clippy::indexing_slicing,
    reason = "vectors have one entry an unknown or a plan, lists of rows one row a plan"
)]

mod linear;

use super::super::action::Action;
use super::super::env::Procurement;
use super::super::instance::Instance;
use super::super::menu::Menu;
use super::super::observation::{Observation, PlanOutcome};
use super::super::optimum::{good_plan, log_of_product};
use super::{best_so_far, counts, effects, submit};
use linear::{Cholesky, dot};
use nalgebra::{DMatrix, DVector};
use sim_core::{Policy, Seed, Stream, math};
use std::collections::BTreeSet;

/// Standard deviation of the rounding of shown workers \[workers\]: a uniform error of width 0.01 has
/// 0.01 / sqrt(12).
const ROUNDING: f64 = 0.003;
/// Prior variance on the logistic scale. With this value the prior of the effectiveness is nearly
/// uniform.
const PRIOR: f64 = 2.9;
/// Noise levels at which the data are fitted, one after the other \[logarithm of workers, times
/// categories\]. The last level is the smallest noise that any plan is given: the effect of a single
/// unknown on a plan is mostly larger, and a slightly wider posterior explores more.
const LEVELS: [f64; 2] = [0.03, 1e-3];
/// Steps at each level.
// This and the numbers below are chosen, not measured; docs/procurement.md has the scores of the whole policy.
const STEPS: usize = 12;
/// First damping after a step that did not help, and the factor by which it changes.
const DAMPING: (f64, f64) = (0.1, 4.0);
/// Number of plans that the estimate uses at most: the latest ones. It bounds the size of the linear
/// system.
const MOST_PLANS: usize = 200;
/// Gap and number of relaxations of the search for the best plan of a draw. The draw is uncertain, so an
/// exact optimum would not be worth its time.
const GAP: f64 = 1e-4;
const RELAXATIONS: usize = 60;
/// Number of draws until the plan is one that was not submitted yet.
const TRIES: u64 = 4;

/// Learns the effectiveness from feedback. It knows the formula of the workers, the largest effectiveness
/// and the number of periods.
///
/// A period costs a linear system of one row for each distinct plan so far (at most 200)
/// and a short search for the best plan of the draw.
#[derive(Debug, Clone)]
pub struct Learning {
    largest: f64,
    periods: f64,
    seed: Seed,
}

impl Learning {
    /// A policy for markets with the largest effectiveness and the number of periods of `instance`; it
    /// does not read other fields.
    #[must_use]
    pub fn new(instance: &Instance, seed: Seed) -> Self {
        Self {
            largest: f64::from(instance.max_effectiveness),
            periods: f64::from(instance.rules.periods),
            seed,
        }
    }

    /// Width of a draw around the most probable values \[standard deviations\].
    fn scale(&self, attempt: u32) -> f64 {
        let progress = f64::from(attempt) / self.periods;
        match attempt % 5 {
            4 => 0.0,
            _ if progress < 0.7 => 1.0,
            _ if progress < 0.9 => 0.5,
            _ => 0.0,
        }
    }
}

impl Policy<Procurement> for Learning {
    fn act(&mut self, observation: &Observation) -> Action {
        let menu = &observation.menu;
        let data = data(observation);
        let best = best_so_far(observation);
        let seen: BTreeSet<Vec<u32>> = observation
            .history
            .iter()
            .filter_map(|attempt| attempt.plan.as_ref())
            .map(|lines| counts(menu, lines))
            .collect();
        // By the number of the attempt, as the policy has no state: it draws the same after an
        // interruption.
        let chance = self.seed.child("attempt", u64::from(observation.attempt));
        let mut scale = self.scale(observation.attempt);
        let mut plan = Vec::new();
        for number in 0..TRIES {
            let mut draw = chance.stream("belief", number);
            let effect = Draw::new(menu, self.largest, scale, &mut draw).explain(&data);
            let rows = rows(menu, &effect, self.largest);
            plan = good_plan(menu, &rows, best.as_deref(), GAP, RELAXATIONS);
            if !plan.is_empty() && !seen.contains(&plan) {
                break;
            }
            // A repeated plan gives no new information, so the next draw is wider.
            scale = (scale * 1.5).max(0.5);
        }
        submit(&plan)
    }
}

/// A draw from the prior, and its current position while it is moved to explain the data.
struct Draw {
    /// Largest effectiveness.
    largest: f64,
    categories: usize,
    /// The draw, on the logistic scale.
    centre: Vec<f64>,
    /// The current position.
    place: Vec<f64>,
}

/// The data, linearised at a position.
struct Linear {
    /// Residual of each plan at the position.
    rest: Vec<f64>,
    /// Derivatives with respect to the unknowns: one row for each unknown, one column for each plan.
    slopes: DMatrix<f64>,
    /// Inner products of the columns of `slopes`: a square matrix, of which the lower triangle is used.
    products: DMatrix<f64>,
}

/// One plan that supported workers.
struct Datum {
    /// Product, category and units of each product in the plan.
    units: Vec<(usize, usize, f64)>,
    /// Logarithm of the workers, times the number of categories.
    value: f64,
    noise: f64,
}

impl Datum {
    /// Writes the category sums of the plan.
    fn sums_into(&self, effect: &[f64], sums: &mut [f64]) {
        sums.fill(0.0);
        for &(product, category, units) in &self.units {
            sums[category] += units * effect[product];
        }
    }

    /// The residual for these sums.
    fn rest(&self, sums: &[f64]) -> f64 {
        self.value - log_of_product(sums)
    }
}

impl Draw {
    /// A draw `scale` standard deviations wide.
    fn new(menu: &Menu, largest: f64, scale: f64, draw: &mut Stream) -> Self {
        let centre: Vec<f64> = menu
            .all_products()
            .map(|_| scale * PRIOR.sqrt() * draw.normal())
            .collect();
        Self {
            largest,
            categories: menu.categories(),
            place: centre.clone(),
            centre,
        }
    }

    /// The effectiveness nearest to the draw that explains the data.
    fn explain(mut self, data: &[Datum]) -> Vec<f64> {
        let mut linear = Linear {
            rest: vec![0.0; data.len()],
            slopes: DMatrix::zeros(self.place.len(), data.len()),
            products: DMatrix::zeros(data.len(), data.len()),
        };
        // From coarse to fine: far from the solution the linear model is wrong, and fitting it exactly
        // would lead away.
        for level in LEVELS {
            self.settle(data, &mut linear, level);
        }
        self.effect(&self.place)
    }

    /// The effectiveness at a position on the logistic scale. The range is widened by half a unit at both
    /// ends, so that the ends themselves are at finite positions.
    fn effect(&self, place: &[f64]) -> Vec<f64> {
        place
            .iter()
            .map(|&u| 0.5 + self.largest * logistic(u))
            .collect()
    }

    /// Moves the position to the best compromise between the data and the draw, at this noise level.
    /// Steps that do not help are damped (Levenberg-Marquardt).
    fn settle(&mut self, data: &[Datum], linear: &mut Linear, level: f64) {
        let mut damping = 0.0;
        self.linearise(data, linear);
        let mut before = self.misfit(data, level, &self.place);
        for _ in 0..STEPS {
            let Some(place) = self.step(data, linear, level, damping) else {
                return;
            };
            let after = self.misfit(data, level, &place);
            if after < before {
                self.place = place;
                // An undamped step that gains less than a thousandth is the last that is worth its
                // linear system.
                if damping == 0.0 && after > before * 0.999 {
                    return;
                }
                before = after;
                damping = if damping <= DAMPING.0 {
                    0.0
                } else {
                    damping / DAMPING.1
                };
                self.linearise(data, linear);
            } else {
                damping = if damping == 0.0 {
                    DAMPING.0
                } else {
                    damping * DAMPING.1
                };
            }
        }
    }

    /// The position after one step; damping keeps it near the current one.
    // There are far more unknowns than plans, so the step solves a system of one row per plan instead of
    // one per unknown (matrix inversion lemma).
    fn step(&self, data: &[Datum], linear: &Linear, level: f64, damping: f64) -> Option<Vec<f64>> {
        let precision = 1.0 / PRIOR + damping;
        let pull = 1.0 / (PRIOR * precision);
        let away: Vec<f64> = self
            .place
            .iter()
            .zip(&self.centre)
            .map(|(u, c)| u - c)
            .collect();
        let target: Vec<f64> = linear
            .rest
            .iter()
            .zip(linear.slopes.column_iter())
            .map(|(rest, slopes)| rest + pull * dot(slopes.as_slice(), &away))
            .collect();
        let factor = Cholesky::new(data.len(), |row, column| {
            let noise = if row == column {
                data[row].noise.max(level)
            } else {
                0.0
            };
            linear.products[(row, column)] / precision + noise * noise
        })?;
        let step = &linear.slopes * DVector::from(factor.solve(&target));
        let moved = self.place.iter().zip(&away).zip(&step);
        Some(
            moved
                .map(|((u, away), step)| u - pull * away + step / precision)
                .collect(),
        )
    }

    /// Twice the negative log posterior density of `place`, up to a constant.
    fn misfit(&self, data: &[Datum], level: f64, place: &[f64]) -> f64 {
        let effect = self.effect(place);
        let mut sums = vec![0.0; self.categories];
        let fit = data.iter().map(|datum| {
            datum.sums_into(&effect, &mut sums);
            let rest = datum.rest(&sums) / datum.noise.max(level);
            rest * rest
        });
        let away = place
            .iter()
            .zip(&self.centre)
            .map(|(u, c)| (u - c) * (u - c));
        away.sum::<f64>() / PRIOR + fit.sum::<f64>()
    }

    fn linearise(&self, data: &[Datum], linear: &mut Linear) {
        let effect = self.effect(&self.place);
        // Derivative of the effectiveness by the place: largest times p (1 - p).
        let turn: Vec<f64> = effect
            .iter()
            .map(|e| (e - 0.5) * (1.0 - (e - 0.5) / self.largest))
            .collect();
        let mut sums = vec![0.0; self.categories];
        for (number, datum) in data.iter().enumerate() {
            datum.sums_into(&effect, &mut sums);
            linear.rest[number] = datum.rest(&sums);
            // A plan always has units of the same products, so the other entries stay 0.
            for &(product, category, units) in &datum.units {
                linear.slopes[(product, number)] = turn[product] * units / sums[category];
            }
        }
        for (number, slopes) in linear.slopes.column_iter().enumerate() {
            let above = linear.slopes.column_iter().take(number + 1);
            for (product, other) in linear.products.row_mut(number).iter_mut().zip(above) {
                *product = dot(slopes.as_slice(), other.as_slice());
            }
        }
    }
}

fn rows(menu: &Menu, effect: &[f64], largest: f64) -> Vec<Vec<f64>> {
    let first = first_of_category(menu);
    effects(menu, |product| {
        let number = first[usize::from(product.category)] + usize::from(product.index);
        // `effect` reaches half a unit beyond both ends; a plan must not be chosen for values that
        // no product can have.
        effect[number].clamp(1.0, largest)
    })
}

fn logistic(u: f64) -> f64 {
    1.0 / (1.0 + math::exp(-u))
}

/// Number of the first product of each category in one list of all.
fn first_of_category(menu: &Menu) -> Vec<usize> {
    let mut first = Vec::with_capacity(menu.categories());
    let mut number = 0;
    for &count in &menu.products {
        first.push(number);
        number += usize::try_from(count).unwrap_or(0);
    }
    first
}

/// The latest distinct plans that supported workers.
fn data(observation: &Observation) -> Vec<Datum> {
    let menu = &observation.menu;
    let first = first_of_category(menu);
    let unknowns = menu.all_products().count();
    #[expect(clippy::cast_precision_loss, reason = "at most 63 categories")]
    let k = menu.categories() as f64;
    let mut seen = BTreeSet::new();
    let mut data = Vec::new();
    for attempt in observation.history.iter().rev() {
        let (Some(lines), PlanOutcome::Supports { workers, .. }) =
            (&attempt.plan, &attempt.outcome)
        else {
            continue;
        };
        // No workers: a category was empty, which the menu tells as well, and 0 has no logarithm. A
        // plan repeated gives the same number, which is not a second observation.
        if *workers <= 0.0 || !seen.insert(counts(menu, lines)) {
            continue;
        }
        let mut units = vec![0.0; unknowns];
        for &(offer, copies) in lines.iter() {
            let Some(offer) = menu.offers.get(offer.index()) else {
                continue;
            };
            for &(product, count) in &offer.contents {
                let number = first[usize::from(product.category)] + usize::from(product.index);
                units[number] += f64::from(count) * f64::from(copies);
            }
        }
        let categories = menu
            .all_products()
            .map(|product| usize::from(product.category));
        data.push(Datum {
            units: categories
                .enumerate()
                .zip(units)
                .filter(|(_, units)| *units > 0.0)
                .map(|((product, category), units)| (product, category, units))
                .collect(),
            value: k * math::ln(*workers),
            // The derivative of `k ln(workers)` times the error of the workers.
            noise: k * ROUNDING / workers,
        });
        if data.len() == MOST_PLANS {
            break;
        }
    }
    data
}
