//! Draws of the normal distribution between bounds, and of the inverse gamma.

use sim_core::{Stream, math};

/// A normal draw with mean `mean` and variance 1, given that it lies between `low` and `high`.
///
/// # Source
/// Robert, Statistics and Computing 5, 1995: rejection from a normal, a shifted exponential or a
/// uniform distribution, depending on which one accepts most often.
pub(super) fn truncated(mean: f64, low: f64, high: f64, draws: &mut Stream) -> f64 {
    let (a, b) = (low - mean, high - mean);
    // Rounding may close the interval between two neighbours; its middle keeps their order.
    if b <= a {
        return 0.5 * (low + high);
    }
    // Beyond the mean on one side a normal draw would almost never be accepted, hence `tail`. A wide
    // interval around the mean accepts most normal draws. In a narrow one the density is nearly flat, so
    // a uniform draw is accepted often.
    if a > 0.0 {
        mean + tail(a, b, draws)
    } else if b < 0.0 {
        mean - tail(-b, -a, draws)
    } else if b - a > 2.0 {
        loop {
            let z = draws.normal();
            if a <= z && z <= b {
                return mean + z;
            }
        }
    } else {
        loop {
            let z = draws.uniform(a, b);
            if draws.unit() <= math::exp(-0.5 * z * z) {
                return mean + z;
            }
        }
    }
}

/// A standard normal draw between `0 < a < b`.
fn tail(a: f64, b: f64, draws: &mut Stream) -> f64 {
    // The rate that maximises the acceptance of the exponential (Robert 1995). Over less than one mean of
    // that exponential the uniform is as good and simpler.
    let rate = 0.5 * (a + (a * a + 4.0).sqrt());
    if (b - a) * rate < 1.0 {
        loop {
            let z = draws.uniform(a, b);
            if draws.unit() <= math::exp(0.5 * (a * a - z * z)) {
                return z;
            }
        }
    }
    loop {
        let z = a + draws.exponential() / rate;
        if z <= b && draws.unit() <= math::exp(-0.5 * (z - rate) * (z - rate)) {
            return z;
        }
    }
}

/// An approximately normal draw, several times faster than an exact one: the sum of twelve uniform
/// numbers of 16 bits each. It has the mean and variance of the standard normal and lies within six
/// standard deviations. Whole samples need n^2 of these draws and only the order of the values.
pub(super) fn nearly(draws: &mut Stream) -> f64 {
    let mut sum = 0_u32;
    for _ in 0..3 {
        let bits = draws.bits();
        for part in bits.to_le_bytes().chunks_exact(2) {
            if let [low, high] = part {
                sum += u32::from(u16::from_le_bytes([*low, *high]));
            }
        }
    }
    // Half a step for each of the twelve numbers puts the mean at 0.
    (f64::from(sum) + 6.0) / 65_536.0 - 6.0
}

/// A draw of the inverse gamma distribution with the given shape (at least 1) and scale.
///
/// # Source
/// Marsaglia and Tsang, ACM Transactions on Mathematical Software 26(3), 2000, for the gamma.
pub(super) fn inverse_gamma(shape: f64, scale: f64, draws: &mut Stream) -> f64 {
    let d = shape - 1.0 / 3.0;
    let c = 1.0 / (9.0 * d).sqrt();
    loop {
        let x = draws.normal();
        let v = 1.0 + c * x;
        if v > 0.0 {
            let v = v * v * v;
            // `unit` can be 0 and never 1, so the logarithm is finite.
            if math::ln(1.0 - draws.unit()) < 0.5 * x * x + d - d * v + d * math::ln(v) {
                return scale / (d * v);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sim_core::Seed;

    /// Means of 40,000 draws against the closed form of the truncated normal's mean.
    #[test]
    fn truncated_draws_have_their_mean() {
        let density = |z: f64| (-0.5 * z * z).exp() / std::f64::consts::TAU.sqrt();
        let below = |z: f64| 0.5 * math::erfc(-z / std::f64::consts::SQRT_2);
        let mut draws = Seed(1).stream("test", 0);
        for (low, high) in [
            (-0.5, 0.7),
            (-3.0, 0.4),
            (0.5, 0.9),
            (1.0, 9.0),
            (-9.0, -2.0),
            (-0.9, -0.6),
        ] {
            let (mut sum, many) = (0.0, 40_000);
            for _ in 0..many {
                let z = truncated(10.0, 10.0 + low, 10.0 + high, &mut draws) - 10.0;
                assert!((low..=high).contains(&z));
                sum += z;
            }
            let mean = (density(low) - density(high)) / (below(high) - below(low));
            assert!((sum / f64::from(many) - mean).abs() < 0.02, "{low} {high}");
        }
    }

    #[test]
    fn nearly_normal_draws_have_the_moments() {
        let mut draws = Seed(3).stream("test", 0);
        let many = 100_000;
        let drawn: Vec<f64> = (0..many).map(|_| nearly(&mut draws)).collect();
        let moment = |power| drawn.iter().map(|z| z.powi(power)).sum::<f64>() / f64::from(many);
        assert!(moment(1).abs() < 0.015);
        assert!((moment(2) - 1.0).abs() < 0.02);
        assert!((moment(4) - 2.9).abs() < 0.1);
    }

    #[test]
    fn inverse_gamma_has_its_mean() {
        let mut draws = Seed(2).stream("test", 0);
        let mean: f64 = (0..40_000)
            .map(|_| inverse_gamma(6.0, 10.0, &mut draws))
            .sum::<f64>()
            / 40_000.0;
        assert!((mean - 2.0).abs() < 0.03, "{mean}");
    }
}
