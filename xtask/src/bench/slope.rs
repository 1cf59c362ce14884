//! How cost grows with size.

/// The size at the end of a figure's name, if there is one (`edt/growth/200`), and the name before
/// it.
#[must_use]
pub fn size_of(id: &str) -> Option<(&str, f64)> {
    let (name, size) = id.rsplit_once('/')?;
    let size: f64 = size.parse().ok()?;
    (size > 0.0).then_some((name, size))
}

/// Slope of the least-squares line through the logarithms of sizes and values: 1 means that twice
/// the size costs twice as much. `None` for fewer than three different sizes.
#[must_use]
pub fn log_log_slope(points: &[(f64, f64)]) -> Option<f64> {
    let mut sizes: Vec<f64> = points.iter().map(|(size, _)| *size).collect();
    sizes.sort_by(f64::total_cmp);
    sizes.dedup();
    if sizes.len() < 3
        || points
            .iter()
            .any(|(size, value)| *size <= 0.0 || *value <= 0.0)
    {
        return None;
    }
    let logs: Vec<(f64, f64)> = points.iter().map(|(x, y)| (x.ln(), y.ln())).collect();
    #[expect(clippy::cast_precision_loss, reason = "a handful of points")]
    let n = logs.len() as f64;
    let mean_x = logs.iter().map(|(x, _)| x).sum::<f64>() / n;
    let mean_y = logs.iter().map(|(_, y)| y).sum::<f64>() / n;
    let over: f64 = logs.iter().map(|(x, y)| (x - mean_x) * (y - mean_y)).sum();
    let under: f64 = logs.iter().map(|(x, _)| (x - mean_x).powi(2)).sum();
    Some(over / under)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_are_found() {
        for power in [0.0, 0.5, 1.0, 2.0] {
            let points: Vec<(f64, f64)> = [4.0_f64, 50.0, 900.0]
                .map(|x| (x, 3.0 * x.powf(power)))
                .to_vec();
            let slope = log_log_slope(&points).unwrap();
            assert!((slope - power).abs() < 1e-12, "{slope}");
        }
        assert_eq!(log_log_slope(&[(1.0, 1.0), (2.0, 2.0)]), None);
        assert_eq!(log_log_slope(&[(1.0, 1.0), (2.0, 2.0), (2.0, 3.0)]), None);
        assert_eq!(log_log_slope(&[(1.0, 1.0), (2.0, 0.0), (3.0, 3.0)]), None);
    }

    #[test]
    fn sizes_stand_at_the_end() {
        assert_eq!(size_of("qa/rouge/344"), Some(("qa/rouge", 344.0)));
        assert_eq!(size_of("edt/paper/totals"), None);
        assert_eq!(size_of("344"), None);
        assert_eq!(size_of("qa/rouge/0"), None);
    }
}
