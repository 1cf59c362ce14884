//! The quality filter.

use super::SLACK;
use serde::{Deserialize, Serialize};

/// Weights of depth, synthesis and centrality in the total (paper, appendix D.2).
pub const WEIGHTS: [f64; 3] = [0.4, 0.4, 0.2];

/// Total from which a question is kept.
pub const THRESHOLD: f64 = 6.0;

/// Minimum of every single dimension. It implies the minimum of the total, so only this test is
/// binding; the total is kept for ranking.
pub const FLOOR: f64 = 6.0;

/// A question's three scores, 1 to 10 each.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Quality {
    /// Depth of reasoning (A).
    pub depth: f64,
    /// Degree of synthesis (B).
    pub synthesis: f64,
    /// Conceptual centrality (C).
    pub centrality: f64,
}

impl Quality {
    /// The weighted total.
    ///
    /// ```
    /// use qa_scoring::quality::Quality;
    /// let q = Quality { depth: 7.0, synthesis: 6.0, centrality: 9.0 };
    /// assert!((q.total() - 7.0).abs() < 1e-12);
    /// assert!(q.is_kept());
    /// ```
    #[must_use]
    pub fn total(self) -> f64 {
        let [a, b, c] = WEIGHTS;
        a * self.depth + b * self.synthesis + c * self.centrality
    }

    /// Whether the total alone reaches the threshold.
    #[must_use]
    pub fn reaches_total(self) -> bool {
        self.total() >= THRESHOLD - SLACK
    }

    /// Whether the question is kept: the total and every dimension reach their thresholds.
    #[must_use]
    pub fn is_kept(self) -> bool {
        let floor = self.depth.min(self.synthesis).min(self.centrality);
        self.reaches_total() && floor >= FLOOR - SLACK
    }
}

/// Share of the questions rejected by experts that a threshold on the total rejects too; `None` if
/// the experts rejected none. The paper reports 0.90 at 6.0.
///
/// The second part of each pair says whether the experts rejected the question.
#[must_use]
pub fn rejection_recall(questions: &[(Quality, bool)], threshold: f64) -> Option<f64> {
    let rejected: Vec<Quality> = questions
        .iter()
        .filter(|(_, rejected)| *rejected)
        .map(|(quality, _)| *quality)
        .collect();
    let filtered = rejected
        .iter()
        .filter(|quality| quality.total() < threshold - SLACK)
        .count();
    (!rejected.is_empty()).then(|| filtered as f64 / rejected.len() as f64)
}
