//! Correlation of two sets of figures, with p-values.
//!
//! Pearson's r, Spearman's rho and Kendall's tau-b, as `scipy.stats` computes them. Undefined
//! results (fewer than two pairs, or no spread) are absent. Columns of a table of models are correlated
//! by [`ModelTable::correlations`](crate::model_table::ModelTable::correlations).

mod kendall;
mod ranks;

use ranks::ranks;
use serde::{Deserialize, Serialize};
use statrs::distribution::{ContinuousCDF, StudentsT};

pub use kendall::kendall;

/// A coefficient and its two-sided p-value.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Correlation {
    /// The coefficient, -1 to 1.
    pub coefficient: f64,
    /// Two-sided probability of a coefficient at least this large if the two were independent;
    /// absent if undefined.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p: Option<f64>,
}

/// The kind of coefficient.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Coefficient {
    /// Pearson: of the values. The default, because it agrees with the paper's statements on its
    /// figure 4.
    #[default]
    Pearson,
    /// Of the ranks.
    Spearman,
    /// Of the order of pairs.
    Kendall,
}

/// The figure that represents a knowledge domain.
///
/// Figure 4 of the paper does not name its domain value; [`Gpt`](Self::Gpt) with Pearson's r agrees with what the text
/// says about the figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum DomainValue {
    /// Pooled accuracy of single and multiple choice.
    Acc,
    /// Mean of the judged scores of table and general questions. The default, with Pearson.
    #[default]
    Gpt,
    /// Mean of all four on a scale of 0 to 1.
    Mean4,
}

/// The chosen coefficient; `None` where it is undefined.
#[must_use]
pub fn correlate(coefficient: Coefficient, x: &[f64], y: &[f64]) -> Option<Correlation> {
    match coefficient {
        Coefficient::Pearson => pearson(x, y),
        Coefficient::Spearman => spearman(x, y),
        Coefficient::Kendall => kendall(x, y),
    }
}

/// Pearson's r; its p-value from Student's t with `n - 2` degrees of freedom (1 for two pairs).
///
/// ```
/// use qa_scoring::correlate::pearson;
/// let found = pearson(&[1.0, 2.0, 3.0, 4.0], &[1.0, 3.0, 2.0, 4.0]).ok_or("too few pairs")?;
/// assert!((found.coefficient - 0.8).abs() < 1e-12);
/// assert!(found.p.is_some_and(|p| (p - 0.2).abs() < 1e-12));
/// assert_eq!(pearson(&[1.0, 1.0], &[1.0, 2.0]), None);
/// # Ok::<(), &str>(())
/// ```
#[must_use]
pub fn pearson(x: &[f64], y: &[f64]) -> Option<Correlation> {
    let n = usable(x, y)?;
    let (mean_x, mean_y) = (sim_core::stats::mean(x)?, sim_core::stats::mean(y)?);
    let (mut xy, mut xx, mut yy) = (0.0, 0.0, 0.0);
    for (a, b) in x.iter().zip(y) {
        let (a, b) = (a - mean_x, b - mean_y);
        xy += a * b;
        xx += a * a;
        yy += b * b;
    }
    if xx <= 0.0 || yy <= 0.0 {
        return None;
    }
    // Each root by itself, because the product of two sums of squares may leave the range of a
    // double; cut, because rounding may pass 1.
    let coefficient = (xy / (xx.sqrt() * yy.sqrt())).clamp(-1.0, 1.0);
    Some(Correlation {
        coefficient,
        p: student_p(coefficient, n),
    })
}

/// Spearman's rho: Pearson's r of the ranks, ties sharing their mean rank.
///
/// ```
/// use qa_scoring::correlate::spearman;
/// let found = spearman(&[1.0, 2.0, 3.0], &[1.0, 10.0, 100.0]).ok_or("too few pairs")?;
/// assert!((found.coefficient - 1.0).abs() < 1e-12); // the order is the same
/// # Ok::<(), &str>(())
/// ```
#[must_use]
pub fn spearman(x: &[f64], y: &[f64]) -> Option<Correlation> {
    usable(x, y)?;
    pearson(&ranks(x), &ranks(y))
}

/// Number of pairs, `None` for fewer than two, unequal lengths, or a value that is not finite.
fn usable(x: &[f64], y: &[f64]) -> Option<usize> {
    let finite = x.iter().chain(y).all(|v| v.is_finite());
    (x.len() == y.len() && x.len() >= 2 && finite).then_some(x.len())
}

/// Two-sided p-value of a coefficient over `n` pairs.
fn student_p(r: f64, n: usize) -> Option<f64> {
    // Two pairs lie on a line whatever they are.
    if n == 2 {
        return Some(1.0);
    }
    let freedom = (n - 2) as f64;
    // Not `1 - r * r`, which has no digits left where r is near 1.
    let rest = (1.0 - r) * (1.0 + r);
    if rest <= 0.0 {
        return Some(0.0);
    }
    let t = r * (freedom / rest).sqrt();
    let student = StudentsT::new(0.0, 1.0, freedom).ok()?;
    Some((2.0 * student.sf(t.abs())).min(1.0))
}
