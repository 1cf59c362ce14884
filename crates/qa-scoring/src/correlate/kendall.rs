//! Kendall's tau-b.
//!
//! ```text
//!  tau_b = (concordant - discordant) / sqrt((pairs - ties in x) (pairs - ties in y))
//! ```
//!
//! A pair of places is concordant if both values grow from one to the other, discordant if one grows and the other falls.

use super::{Correlation, usable};
use statrs::distribution::{ContinuousCDF, Normal};

/// Pairs up to which the exact distribution is used, when nothing is tied.
// SciPy's bound; with another one the p-values on both sides of it would differ from SciPy's.
const EXACT_UP_TO: usize = 33;

/// Kendall's tau-b with its p-value: exact without ties for up to 33 pairs (or when at most one pair of
/// pairs disagrees), else by the normal approximation with its correction for ties.
///
/// ```
/// use qa_scoring::correlate::kendall;
/// let found = kendall(&[1.0, 2.0, 3.0], &[1.0, 3.0, 2.0]).ok_or("too few pairs")?;
/// assert!((found.coefficient - 1.0 / 3.0).abs() < 1e-12);
/// assert!(found.p.is_some_and(|p| (p - 1.0).abs() < 1e-12));
/// # Ok::<(), &str>(())
/// ```
///
/// # Complexity
/// `n log n` in the number of pairs.
#[must_use]
pub fn kendall(x: &[f64], y: &[f64]) -> Option<Correlation> {
    let n = usable(x, y)?;
    let all = n * (n - 1) / 2;
    let total = all as f64;
    let (ties_x, ties_y) = (Ties::of(x), Ties::of(y));
    let spread = (total - ties_x.pairs) * (total - ties_y.pairs);
    if spread <= 0.0 {
        return None;
    }
    // Sorted by x, and by y where x is tied, a pair disagrees where y falls.
    let mut pairs: Vec<(f64, f64)> = x
        .iter()
        .zip(y)
        // A value of -0 is a tie with 0.
        .map(|(x, y)| (x + 0.0, y + 0.0))
        .collect();
    pairs.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let tied = pairs.chunk_by(|a, b| a == b).map(<[_]>::len);
    let tied_in_both: usize = tied.map(|t| t * (t - 1) / 2).sum();
    let mut y: Vec<f64> = pairs.into_iter().map(|(_, y)| y).collect();
    let discordant = inversions(&mut y);
    let differing = total - ties_x.pairs - ties_y.pairs + tied_in_both as f64;
    let difference = differing - 2.0 * discordant as f64;
    // Two roots and two divisions as in SciPy; one root of the product rounds differently.
    let coefficient = (difference / (total - ties_x.pairs).sqrt() / (total - ties_y.pairs).sqrt())
        .clamp(-1.0, 1.0);
    // Without ties every pair agrees or disagrees.
    let fewer = discordant.min(all - discordant);
    let untied = ties_x.pairs == 0.0 && ties_y.pairs == 0.0;
    let p = if untied && (n <= EXACT_UP_TO || fewer <= 1) {
        exact_p(n, fewer)
    } else {
        normal_p(n as f64, difference, &ties_x, &ties_y)
    };
    Some(Correlation { coefficient, p })
}

/// Sorts the values, and returns how many pairs of them stood in falling order.
fn inversions(values: &mut [f64]) -> usize {
    let half = values.len() / 2;
    if half == 0 {
        return 0;
    }
    let (left, right) = values.split_at_mut(half);
    let mut count = inversions(left) + inversions(right);
    // Both halves are sorted now: what is left in `larger` is larger than `value`.
    let mut larger = left.iter().peekable();
    for value in right.iter() {
        while larger.next_if(|left| *left <= value).is_some() {}
        count += larger.len();
    }
    // The sort merges two sorted runs in linear time.
    values.sort_by(f64::total_cmp);
    count
}

/// Sums over groups of tied values.
struct Ties {
    /// Tied pairs.
    pairs: f64,
    /// Tied triples, times six.
    triples: f64,
    /// `t (t - 1) (2 t + 5)`.
    spread: f64,
}

impl Ties {
    fn of(values: &[f64]) -> Self {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let mut ties = Self {
            pairs: 0.0,
            triples: 0.0,
            spread: 0.0,
        };
        for group in sorted.chunk_by(|a, b| a == b) {
            let t = group.len() as f64;
            ties.pairs += t * (t - 1.0) / 2.0;
            ties.triples += t * (t - 1.0) * (t - 2.0);
            ties.spread += t * (t - 1.0) * (2.0 * t + 5.0);
        }
        ties
    }
}

/// Two-sided p-value from the number of permutations with at most `fewer` disagreeing pairs.
fn exact_p(n: usize, fewer: usize) -> Option<f64> {
    let total = n * (n - 1) / 2;
    if 2 * fewer == total {
        return Some(1.0);
    }
    // shares[k]: share of the permutations of the first m places that have k disagreeing pairs.
    let mut shares = vec![0.0; fewer + 1];
    *shares.first_mut()? = 1.0;
    for m in 2..=n {
        // Inserting place m into a permutation of the others adds 0 to m - 1 disagreeing pairs,
        // each number equally often. So the new share of k is the mean of the old shares of k - m +
        // 1 to k, which a sliding sum gives in one pass.
        let mut window = 0.0;
        let mut next = Vec::with_capacity(shares.len());
        for (k, share) in shares.iter().enumerate() {
            window += share;
            if let Some(gone) = k.checked_sub(m) {
                window -= shares.get(gone)?;
            }
            next.push(window / m as f64);
        }
        shares = next;
    }
    // The distribution is symmetric, so both tails have the same probability.
    Some((2.0 * shares.iter().sum::<f64>()).clamp(0.0, 1.0))
}

/// Two-sided p-value by the normal approximation.
fn normal_p(n: f64, difference: f64, x: &Ties, y: &Ties) -> Option<f64> {
    let m = n * (n - 1.0);
    let triples = if n > 2.0 {
        x.triples * y.triples / (9.0 * m * (n - 2.0))
    } else {
        0.0
    };
    // SciPy's variance of the difference. Without ties the first term alone is left, n (n - 1) (2 n
    // + 5) / 18.
    let variance =
        (m * (2.0 * n + 5.0) - x.spread - y.spread) / 18.0 + 2.0 * x.pairs * y.pairs / m + triples;
    let normal = Normal::new(0.0, 1.0).ok()?;
    (variance > 0.0).then(|| (2.0 * normal.sf(difference.abs() / variance.sqrt())).min(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_shares_sum_to_one_over_all_permutations() {
        // Of four places, six permutations have at most two disagreeing pairs on one side: 1 + 3 + 5.
        assert!((exact_p(4, 2).unwrap() - 2.0 * 9.0 / 24.0).abs() < 1e-12);
        assert!((exact_p(3, 0).unwrap() - 2.0 / 6.0).abs() < 1e-12);
    }
}
