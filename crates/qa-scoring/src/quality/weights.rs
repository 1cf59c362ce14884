//! Weights from preferences: the Bradley-Terry model, fitted by Newton's method.
//!
//! The loss is `sum log(1 + exp(-(S_i - S_j)))` over preferences of i to j, with `S` the weighted
//! sum of an item's dimensions; it is convex. "Normalised to sum to one" can be read in two ways:
//! fit without constraints and divide by the sum (recommended), or fit among weights that are not
//! negative and sum to one, which fixes the scale at 1 and has another optimum. Both are computed.

use nalgebra::{Cholesky, DMatrix, DVector, DVectorView};
use serde::{Deserialize, Serialize};
use sim_core::math;

/// Maximum number of Newton steps; data that need more count as separable.
const STEPS: usize = 60;

/// A fitted set of weights for `N` dimensions.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Fit<const N: usize>
where
    [f64; N]: Serialize + for<'a> Deserialize<'a>,
{
    /// The unconstrained minimum.
    pub weights: [f64; N],
    /// Loss there.
    pub loss: f64,
    /// The same divided by its sum; absent when the sum is 0.
    pub normalised: Option<[f64; N]>,
    /// The minimum among weights that are not negative and sum to one.
    pub simplex: [f64; N],
    /// Loss there.
    pub simplex_loss: f64,
}

/// Preferences to which no weights can be fitted.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FitError {
    /// There is none.
    #[error("no preference is given; at least one for each dimension is needed")]
    NoPreference,
    /// A preference names an item that does not exist, or an item against itself.
    #[error(
        "preference {index} names items {first} and {second}; there are {items}, and they must differ"
    )]
    BadPreference {
        /// Index of the preference, from 0.
        index: usize,
        /// The preferred item.
        first: usize,
        /// The other item.
        second: usize,
        /// Number of items.
        items: usize,
    },
    /// An item's dimension is not a finite number.
    #[error("item {0} has a dimension that is not a finite number")]
    NotFinite(usize),
    /// The compared items do not differ in every direction, so many weights fit equally well.
    #[error(
        "the compared items differ in fewer directions than there are dimensions; compare items that differ in each"
    )]
    Undetermined,
    /// Some weights put no preferred item behind the other and some before it, so the loss decreases for ever as they
    /// grow.
    #[error(
        "the preferences are separable: some weights contradict none of them, and larger ones fit better without end"
    )]
    Separable,
}

/// The preferences that a ranking implies, best first: every earlier item over every later one. A
/// ranking of three gives three.
///
/// ```
/// assert_eq!(qa_scoring::quality::preferences(&[4, 0, 2]), [(4, 0), (4, 2), (0, 2)]);
/// ```
#[must_use]
pub fn preferences(ranking: &[usize]) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    for (place, &better) in ranking.iter().enumerate() {
        pairs.extend(ranking.iter().skip(place + 1).map(|&worse| (better, worse)));
    }
    pairs
}

/// Differences of dimensions, preferred item minus the other.
/// Checked once here, so that the solver below sees finite numbers and valid items only.
fn differences<const N: usize>(
    items: &[[f64; N]],
    preferences: &[(usize, usize)],
) -> Result<Vec<[f64; N]>, FitError> {
    if preferences.is_empty() {
        return Err(FitError::NoPreference);
    }
    if let Some(index) = items
        .iter()
        .position(|item| item.iter().any(|v| !v.is_finite()))
    {
        return Err(FitError::NotFinite(index));
    }
    preferences
        .iter()
        .enumerate()
        .map(|(index, &(first, second))| {
            let bad = || FitError::BadPreference {
                index,
                first,
                second,
                items: items.len(),
            };
            let (a, b) = (
                items.get(first).ok_or_else(bad)?,
                items.get(second).ok_or_else(bad)?,
            );
            if first == second {
                return Err(bad());
            }
            let mut difference = *a;
            for (d, b) in difference.iter_mut().zip(b) {
                *d -= b;
            }
            Ok(difference)
        })
        .collect()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// `log(1 + exp(-z))` without overflow.
fn softplus_of_minus(z: f64) -> f64 {
    // Each branch takes the exponential of a number that is not positive, which is at most 1.
    if z > 0.0 {
        math::ln_1p(math::exp(-z))
    } else {
        -z + math::ln_1p(math::exp(z))
    }
}

/// `1 / (1 + exp(z))`.
fn share_against(z: f64) -> f64 {
    if z > 0.0 {
        let e = math::exp(-z);
        e / (1.0 + e)
    } else {
        1.0 / (1.0 + math::exp(z))
    }
}

/// The loss of weights.
///
/// # Errors
/// [`FitError`] for preferences that name an unknown item.
pub fn loss<const N: usize>(
    items: &[[f64; N]],
    preferences: &[(usize, usize)],
    weights: &[f64; N],
) -> Result<f64, FitError> {
    let differences = differences(items, preferences)?;
    Ok(differences
        .iter()
        .map(|d| softplus_of_minus(dot(weights, d)))
        .sum())
}

/// Fits weights to preferences `(preferred, other)`.
///
/// # Errors
/// [`FitError`] when the preferences are empty, name an unknown item, do not determine the weights,
/// or are separable.
///
/// ```
/// use qa_scoring::quality::fit;
/// // The first dimension is preferred twice as often as not, the second the other way round.
/// let items = [[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]];
/// let preferences = [(0, 2), (0, 2), (2, 0), (2, 1), (2, 1), (1, 2)];
/// let fitted = fit(&items, &preferences)?;
/// assert!((fitted.weights[0] - 2.0_f64.ln()).abs() < 1e-9);
/// assert!((fitted.weights[1] + 2.0_f64.ln()).abs() < 1e-9);
/// # Ok::<(), qa_scoring::quality::FitError>(())
/// ```
pub fn fit<const N: usize>(
    items: &[[f64; N]],
    preferences: &[(usize, usize)],
) -> Result<Fit<N>, FitError>
where
    [f64; N]: Serialize + for<'a> Deserialize<'a>,
{
    let differences = differences(items, preferences)?;
    let rows: Vec<Vec<f64>> = differences.iter().map(|d| d.to_vec()).collect();
    let offsets = vec![0.0; rows.len()];
    let found = newton(&rows, &offsets, N)?;
    let mut weights = [0.0; N];
    for (w, f) in weights.iter_mut().zip(&found) {
        *w = *f;
    }
    let total: f64 = weights.iter().sum();
    let (simplex, simplex_loss) = on_simplex(&differences);
    Ok(Fit {
        weights,
        loss: differences
            .iter()
            .map(|d| softplus_of_minus(dot(&weights, d)))
            .sum(),
        normalised: (total != 0.0).then(|| weights.map(|w| w / total)),
        simplex,
        simplex_loss,
    })
}

/// The minimum over weights that are not negative and sum to one. The loss is convex, so this is
/// the best of the unconstrained minima on the simplex's faces that lie inside their face.
fn on_simplex<const N: usize>(differences: &[[f64; N]]) -> ([f64; N], f64) {
    let mut best = ([0.0; N], f64::INFINITY);
    // All of them: for the three dimensions there are seven.
    for face in 1_u32..(1 << N) {
        let members: Vec<usize> = (0..N).filter(|k| face >> k & 1 == 1).collect();
        let Some((&anchor, free)) = members.split_first() else {
            continue;
        };
        let at = |d: &[f64; N], k: usize| d.get(k).copied().unwrap_or(0.0);
        // The weight of the anchor is 1 minus the others: S = d[anchor] + sum t_k (d[k] -
        // d[anchor]).
        let offsets: Vec<f64> = differences.iter().map(|d| at(d, anchor)).collect();
        let rows: Vec<Vec<f64>> = differences
            .iter()
            .map(|d| free.iter().map(|&k| at(d, k) - at(d, anchor)).collect())
            .collect();
        // Without a minimum inside it the loss falls or stays level towards an edge of the face,
        // and the edge is a face of its own.
        let Ok(shares) = newton(&rows, &offsets, free.len()) else {
            continue;
        };
        let mut weights = [0.0; N];
        let rest = 1.0 - shares.iter().sum::<f64>();
        for (k, w) in weights.iter_mut().enumerate() {
            if k == anchor {
                *w = rest;
            } else if let Some(place) = free.iter().position(|&f| f == k) {
                *w = shares.get(place).copied().unwrap_or(0.0);
            }
        }
        if weights.iter().any(|&w| w < 0.0) {
            continue;
        }
        let loss = differences
            .iter()
            .map(|d| softplus_of_minus(dot(&weights, d)))
            .sum();
        if loss < best.1 {
            best = (weights, loss);
        }
    }
    best
}

/// Minimises `sum log(1 + exp(-(offset + row . w)))` by damped Newton steps.
fn newton(rows: &[Vec<f64>], offsets: &[f64], size: usize) -> Result<Vec<f64>, FitError> {
    let mut weights = vec![0.0; size];
    if size == 0 {
        return Ok(weights);
    }
    let value = |weights: &[f64]| -> f64 {
        rows.iter()
            .zip(offsets)
            .map(|(row, offset)| softplus_of_minus(offset + dot(row, weights)))
            .sum()
    };
    let mut now = value(&weights);
    for step_number in 0..STEPS {
        let mut slope = DVector::zeros(size);
        let mut curve = DMatrix::zeros(size, size);
        for (row, offset) in rows.iter().zip(offsets) {
            // `slope` is the negative gradient and `curve` the second derivative, so `curve * step
            // = slope` is Newton's step.
            let against = share_against(offset + dot(row, &weights));
            let spread = against * (1.0 - against);
            let row = DVectorView::from_slice(row, size);
            slope.axpy(against, &row, 1.0);
            curve.ger(spread, &row, &row, 1.0);
        }
        let Some(step) = solve(curve, &slope) else {
            // Singular at the start: the items do not differ in some direction. Singular later: the
            // loss became flat on the way.
            return Err(if step_number == 0 {
                FitError::Undetermined
            } else {
                FitError::Separable
            });
        };
        // A full step can overshoot where the loss is almost flat; it is halved until the loss does
        // not increase.
        let mut scale = 1.0;
        let next = loop {
            let tried: Vec<f64> = weights
                .iter()
                .zip(&step)
                .map(|(w, s)| w + scale * s)
                .collect();
            let then = value(&tried);
            // Near the minimum the loss is equal for two weights within rounding; the step still
            // makes progress.
            if then <= now + 1e-12 * (1.0 + now) || scale < 1e-6 {
                now = then;
                break tried;
            }
            scale /= 2.0;
        };
        // The full step and not the one that was taken: a halved one is short though the minimum
        // may be far.
        let moved = step.iter().fold(0.0_f64, |m, s| m.max(s.abs()));
        let size_now = weights.iter().fold(1.0_f64, |m, w| m.max(w.abs()));
        weights = next;
        if moved <= 1e-10 * size_now {
            return Ok(weights);
        }
    }
    // On separable data the steps never shrink.
    Err(FitError::Separable)
}

/// Solves a symmetric positive definite system by Cholesky; `None` when it is not.
fn solve(matrix: DMatrix<f64>, right: &DVector<f64>) -> Option<DVector<f64>> {
    // A pivot this small relative to the trace is 0 within rounding: the matrix is singular.
    let least = 1e-13 * matrix.trace();
    let factor = Cholesky::new(matrix)?;
    let definite = factor
        .l_dirty()
        .diagonal()
        .iter()
        .all(|d| d * d > least && d.is_finite());
    definite.then(|| factor.solve(right))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_that_cannot_be_fitted_are_named() {
        let items = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0; 3]];
        assert_eq!(fit(&items, &[]), Err(FitError::NoPreference));
        assert!(matches!(
            fit(&items, &[(0, 9)]),
            Err(FitError::BadPreference { second: 9, .. })
        ));
        assert!(matches!(
            fit(&items, &[(1, 1)]),
            Err(FitError::BadPreference { .. })
        ));
        assert_eq!(fit(&items, &[(0, 3), (3, 0)]), Err(FitError::Undetermined));
        // Every preference agrees with weights (1, 1, 1).
        let agree = [(0, 3), (1, 3), (2, 3), (0, 3)];
        assert_eq!(fit(&items, &agree), Err(FitError::Separable));
        // One direction agrees throughout, the others do not.
        let partly = [(0, 3), (1, 3), (3, 1), (2, 3), (3, 2)];
        assert_eq!(fit(&items, &partly), Err(FitError::Separable));
    }
}
