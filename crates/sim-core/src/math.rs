//! Transcendental functions with the same bits on every platform.
//!
//! The standard library calls the platform's C library for `exp`, `ln` and similar functions, whose last
//! digit differs between systems, so digests over such numbers would differ too. Simulators call these
//! functions instead (the `libm` crate). `sqrt`, `abs`, `floor`, `+ - * /` are exact in IEEE 754 and can be
//! used directly.

use multiversion::multiversion;

/// e to the power `x`.
#[inline]
#[must_use]
pub fn exp(x: f64) -> f64 {
    libm::exp(x)
}

/// [`exp`] of every number of an array, with the same bits, several numbers at a time: about a quarter
/// of the time with AVX2.
///
/// # Source
/// The algorithm of `libm::exp` (`FreeBSD`, `e_exp.c`) without its branches: every operation on a
/// number is the same and in the same order, so every result is the same.
// Inlined, so that a caller compiled for wider vectors uses them here too.
#[inline(always)]
pub fn exp_each<const N: usize>(numbers: &mut [f64; N]) {
    let before = *numbers;
    let mut all_sure = true;
    for number in numbers.iter_mut() {
        let (power, sure) = exp_without_branches(*number);
        *number = power;
        all_sure &= sure;
    }
    // Infinite, not a number, or so large or small that the exponent leaves its range: rare enough for
    // one number at a time.
    if !all_sure {
        *numbers = before.map(exp);
    }
}

/// [`exp`] of every number of a list, with the same bits, several numbers at a time: with AVX2 about half of
/// the time for ten numbers; [`exp_each`] is for lists of a fixed, larger size.
// Compiled for every x86-64 processor and for those with wider vectors, as the batch loops are.
#[multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl", "x86_64+avx2"))]
pub fn exp_all(numbers: &mut [f64]) {
    // Asked first, because the numbers are replaced. Without a branch per number.
    let certain = |x: f64| (x > SURE_FROM) & (x < SURE_TO);
    let all_sure = numbers.iter().fold(true, |all, x| all & certain(*x));
    if all_sure {
        for number in numbers {
            (*number, _) = exp_without_branches(*number);
        }
    } else {
        for number in numbers {
            *number = exp(*number);
        }
    }
}

/// Between these numbers [`exp_without_branches`] is certain.
const SURE_FROM: f64 = -708.0;
const SURE_TO: f64 = 709.0;

/// `exp` of a number, and whether the result is certain: true from -708 to 709 and below -746, where
/// the result is 0.
#[inline(always)]
#[expect(
    clippy::excessive_precision,
    clippy::approx_constant,
    reason = "the constants stand as in `libm`"
)]
fn exp_without_branches(x: f64) -> (f64, bool) {
    // The constants of `libm::exp`.
    const LN2_HIGH: f64 = 6.931_471_803_691_238_164_90e-1;
    const LN2_LOW: f64 = 1.908_214_929_270_587_700_02e-10;
    const INVERSE_LN2: f64 = 1.442_695_040_888_963_387_00;
    const P1: f64 = 1.666_666_666_666_660_190_37e-1;
    const P2: f64 = -2.777_777_777_701_559_338_42e-3;
    const P3: f64 = 6.613_756_321_437_934_361_17e-5;
    const P4: f64 = -1.653_390_220_546_525_153_90e-6;
    const P5: f64 = 4.138_136_797_057_238_460_39e-8;
    // `libm` compares upper halves of numbers; these are the smallest numbers of those halves. Below
    // the first one the result is 1 + x, below the second one the power of two is 0.
    const TINY: f64 = f64::from_bits(0x3E30_0001_0000_0000);
    const HALF_LN2: f64 = f64::from_bits(0x3FD6_2E43_0000_0000);
    // 1.5 * 2^52: a number below 2^51 that is added to it is rounded to a whole number, whose binary
    // digits are then the last ones of the sum.
    const SHIFT: f64 = 6_755_399_441_055_744.0;
    // The exponent of a double is stored with this added.
    const BIAS: f64 = 1023.0;

    let size = x.abs();
    // 1. x = k ln 2 + r. `libm` cuts the fraction of k by a conversion to an integer; here it is the
    // nearest whole number, less 1 where that is too large. (A conversion has no vector form in plain
    // x86-64.)
    let turns = INVERSE_LN2 * size + 0.5;
    let nearest = (turns + SHIFT) - SHIFT;
    let whole = nearest - if nearest > turns { 1.0 } else { 0.0 };
    let k = (if size >= HALF_LN2 { whole } else { 0.0 }).copysign(x);
    let high = x - k * LN2_HIGH;
    let low = k * LN2_LOW;
    let r = high - low;
    // 2. exp(r) by a rational approximation
    let square = r * r;
    let c = r - square * (P1 + square * (P2 + square * (P3 + square * (P4 + square * P5))));
    let y = 1.0 + (r * c / (2.0 - c) - low + high);
    // 3. 2^k exp(r): k goes to the place of the exponent. The product is exact.
    let scale = f64::from_bits((k + (SHIFT + BIAS)).to_bits() << 52);
    let power = if size < TINY { 1.0 + x } else { y * scale };
    let vanishes = x < -746.0;
    let power = if vanishes { 0.0 } else { power };
    (power, vanishes | ((x > SURE_FROM) & (x < SURE_TO)))
}

/// Natural logarithm of `x`; NaN below zero, minus infinity at zero.
#[inline]
#[must_use]
pub fn ln(x: f64) -> f64 {
    libm::log(x)
}

/// Natural logarithm of `1 + x`, accurate near zero.
#[inline]
#[must_use]
pub fn ln_1p(x: f64) -> f64 {
    libm::log1p(x)
}

/// Logarithm of `x` to base 2.
#[inline]
#[must_use]
pub fn log2(x: f64) -> f64 {
    libm::log2(x)
}

/// Logarithm of `x` to base 10.
#[inline]
#[must_use]
pub fn log10(x: f64) -> f64 {
    libm::log10(x)
}

/// Natural logarithm of the gamma function at `x > 0`.
#[must_use]
pub fn ln_gamma(x: f64) -> f64 {
    libm::lgamma(x)
}

/// `base` to the power `exponent`. Costs about five logarithms: prefer a product or a root.
#[inline]
#[must_use]
pub fn pow(base: f64, exponent: f64) -> f64 {
    libm::pow(base, exponent)
}

/// Sine of `x` \[radians\].
#[inline]
#[must_use]
pub fn sin(x: f64) -> f64 {
    libm::sin(x)
}

/// Cosine of `x` \[radians\].
#[inline]
#[must_use]
pub fn cos(x: f64) -> f64 {
    libm::cos(x)
}

/// Hyperbolic tangent of `x`.
#[inline]
#[must_use]
pub fn tanh(x: f64) -> f64 {
    libm::tanh(x)
}

/// Complementary error function of `x`.
#[inline]
#[must_use]
pub fn erfc(x: f64) -> f64 {
    libm::erfc(x)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seed::{Seed, Stream};

    /// Compares [`exp_each`] with [`exp`] bit by bit.
    fn same_exp(numbers: [f64; 16]) {
        let mut powers = numbers;
        exp_each(&mut powers);
        for (x, power) in numbers.into_iter().zip(powers) {
            assert_eq!(power.to_bits(), exp(x).to_bits(), "exp({x:e})");
        }
    }

    /// Lists of every length up to a few vectors.
    #[test]
    fn exp_all_has_the_bits_of_exp() {
        let mut stream = Seed(3).stream("exp", 0);
        for round in 0..5_000 {
            // Half of the lists hold nothing that needs the function for one number.
            let limit = if round % 2 == 0 { 700.0 } else { f64::INFINITY };
            let numbers: Vec<f64> = (0..round % 19)
                .map(|_| drawn(&mut stream))
                .map(|x| if x.abs() < limit { x } else { x % limit })
                .collect();
            let mut powers = numbers.clone();
            exp_all(&mut powers);
            for (x, power) in numbers.into_iter().zip(powers) {
                assert_eq!(power.to_bits(), exp(x).to_bits(), "exp({x:e})");
            }
        }
        let mut with_nan = [1.0, f64::NAN, f64::NEG_INFINITY];
        exp_all(&mut with_nan);
        assert!(with_nan[0] == exp(1.0) && with_nan[1].is_nan() && with_nan[2] == 0.0);
    }

    /// One of: a number of the range in which results are neither 0 nor infinite, a small one, any
    /// double at all, a multiple of half a logarithm of 2 and its neighbours.
    fn drawn(stream: &mut Stream) -> f64 {
        match stream.below(5) {
            0 => stream.uniform(-708.0, 709.0),
            1 => stream.uniform(-1.5, 1.5),
            2 => stream.normal() * f64::from_bits((1023 - stream.below(64)) << 52),
            3 => {
                let near = stream.between(-2048, 2048) as f64 * 0.5 * std::f64::consts::LN_2;
                let step = stream.below(9).wrapping_sub(4) << (4 * stream.below(9));
                f64::from_bits(near.to_bits().wrapping_add(step))
            }
            _ => {
                let any = f64::from_bits(stream.bits());
                if any.is_nan() { stream.unit() } else { any }
            }
        }
    }

    #[test]
    fn exp_each_has_the_bits_of_exp() {
        let mut stream = Seed(1).stream("exp", 0);
        for _ in 0..20_000 {
            same_exp(std::array::from_fn(|_| drawn(&mut stream)));
        }
        let edges = [
            0.0,
            1e-300,
            2e-9,
            0.346,
            0.347,
            1.039,
            1.04,
            707.9,
            709.0,
            709.78,
            709.79,
            745.1,
            745.2,
            746.1,
            1e9,
            f64::INFINITY,
        ];
        for edge in edges {
            for bits in (0..4_u64).flat_map(|step| [step, step.wrapping_neg()]) {
                let near = f64::from_bits(edge.to_bits().wrapping_add(bits));
                if !near.is_nan() {
                    same_exp([near; 16]);
                    same_exp([-near; 16]);
                }
            }
        }
        // The upper halves of numbers that `libm` compares with, and their neighbours.
        for half in [
            0x3E30_0000_u64,
            0x3E30_0001,
            0x3FD6_2E42,
            0x3FD6_2E43,
            0x3FF0_A2B2,
        ] {
            let at = f64::from_bits(half << 32);
            same_exp(std::array::from_fn(|i| {
                let x = f64::from_bits(at.to_bits() + (i as u64 / 2) - 4);
                if i % 2 == 0 { x } else { -x }
            }));
        }
        let mut with_nan = [f64::NAN, -3.0];
        exp_each(&mut with_nan);
        assert!(with_nan[0].is_nan() && with_nan[1] == exp(-3.0));
    }

    /// A hundred million numbers where `SLOW_TESTS` is set.
    #[test]
    fn slow_exp_each_has_the_bits_of_exp() {
        let mut stream = Seed(2).stream("exp", 0);
        for _ in 0..crate::testkit::small_or_full(100_000, 100_000_000) / 16 {
            same_exp(std::array::from_fn(|_| drawn(&mut stream)));
        }
    }

    /// The very bits are the contract: a change of them moves every digest downstream.
    #[test]
    fn value_stability() {
        assert_eq!(exp(1.0).to_bits(), 0x4005_BF0A_8B14_576A);
        assert_eq!(ln(10.0).to_bits(), 0x4002_6BB1_BBB5_5516);
        assert_eq!(sin(1.0).to_bits(), 0x3FEA_ED54_8F09_0CEE);
        assert_eq!(pow(2.0, 0.5).to_bits(), 2.0_f64.sqrt().to_bits());
    }
}
