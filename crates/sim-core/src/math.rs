//! Transcendental functions with the same bits on every platform.
//!
//! The standard library calls the platform's C library for `exp`, `ln` and similar functions, whose last
//! digit differs between systems, so digests over such numbers would differ too. Simulators call these
//! functions instead (the `libm` crate). `sqrt`, `abs`, `floor`, `+ - * /` are exact in IEEE 754 and can be
//! used directly.

/// e to the power `x`.
#[inline]
#[must_use]
pub fn exp(x: f64) -> f64 {
    libm::exp(x)
}

/// e to the power `x`, minus one, accurate near zero.
#[inline]
#[must_use]
pub fn exp_m1(x: f64) -> f64 {
    libm::expm1(x)
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

    /// The very bits are the contract: a change of them moves every digest downstream.
    #[test]
    fn value_stability() {
        assert_eq!(exp(1.0).to_bits(), 0x4005_BF0A_8B14_576A);
        assert_eq!(ln(10.0).to_bits(), 0x4002_6BB1_BBB5_5516);
        assert_eq!(sin(1.0).to_bits(), 0x3FEA_ED54_8F09_0CEE);
        assert_eq!(pow(2.0, 0.5).to_bits(), 2.0_f64.sqrt().to_bits());
    }
}
