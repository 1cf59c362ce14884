//! Ranks, ties sharing their mean.
//!
//! For 10, 20, 20, 30 the ranks are 1, 2.5, 2.5, 4.

/// The rank of every value, from 1, tied values sharing the mean of their ranks.
pub(super) fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    let at = |k: &usize| values.get(*k).copied().unwrap_or(f64::NAN);
    order.sort_by(|a, b| at(a).total_cmp(&at(b)));
    let mut ranks = vec![0.0; values.len()];
    let mut start = 0;
    for group in order.chunk_by(|a, b| at(a) == at(b)) {
        // Ranks start + 1 to start + len have this mean.
        let mean = start as f64 + (group.len() as f64 + 1.0) / 2.0;
        for &place in group {
            if let Some(rank) = ranks.get_mut(place) {
                *rank = mean;
            }
        }
        start += group.len();
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_share() {
        assert_eq!(ranks(&[3.0, 1.0, 3.0, 2.0]), [3.5, 1.0, 3.5, 2.0]);
        assert_eq!(ranks(&[-0.0, 0.0]), [1.5, 1.5]);
    }
}
