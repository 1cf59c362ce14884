//! Arithmetic in a text, for the one published rule that passes model text to an interpreter.
//!
//! Only numbers, `+ - * / // % **`, signs and brackets are accepted: there are no names and no
//! calls, so the text cannot execute anything.
//!
//! `reply_text::number::whole` has an evaluator of its own for the stated answers of the other rules: that one reads the
//! notation of mathematics and refuses what has two readings (`10 - 4` may be a range), where Python has only one.

use sim_core::math;

/// Maximum depth of nested brackets and signs; Python itself fails at 200.
const DEPTH: u32 = 100;

/// The value of an arithmetic expression in Python's syntax, `None` when it is anything else, when
/// it divides by zero, or when the value is not finite.
///
/// ```
/// use qa_scoring::python::evaluate;
/// assert_eq!(evaluate("1/2"), Some(0.5));
/// assert_eq!(evaluate("-2**2 + 1_000"), Some(996.0));
/// assert_eq!(evaluate("min"), None);
/// assert_eq!(evaluate("010"), None); // Python refuses leading zeros
/// ```
#[must_use]
pub fn evaluate(text: &str) -> Option<f64> {
    let mut reader = Reader {
        rest: text.as_bytes(),
        depth: 0,
    };
    let value = reader.sum()?;
    reader.space();
    (reader.rest.is_empty() && value.is_finite()).then_some(value)
}

/// A reader of one expression by recursive descent: sum, product, sign, power, atom, from weak to strong.
struct Reader<'a> {
    rest: &'a [u8],
    depth: u32,
}

impl Reader<'_> {
    fn space(&mut self) {
        let count = self
            .rest
            .iter()
            .take_while(|b| matches!(b, b' ' | b'\t'))
            .count();
        self.rest = self.rest.get(count..).unwrap_or_default();
    }

    fn take(&mut self, mark: &[u8]) -> bool {
        self.space();
        match self.rest.strip_prefix(mark) {
            Some(tail) => {
                self.rest = tail;
                true
            }
            None => false,
        }
    }

    fn sum(&mut self) -> Option<f64> {
        let mut value = self.product()?;
        loop {
            if self.take(b"+") {
                value += self.product()?;
            } else if self.take(b"-") {
                value -= self.product()?;
            } else {
                return Some(value);
            }
        }
    }

    fn product(&mut self) -> Option<f64> {
        let mut value = self.signed()?;
        loop {
            // Before `/`, which is a beginning of it.
            if self.take(b"//") {
                value = divided(value, self.signed()?)?.0;
            } else if self.take(b"/") {
                let divisor = self.signed()?;
                value = (divisor != 0.0).then(|| value / divisor)?;
            } else if self.take(b"%") {
                value = divided(value, self.signed()?)?.1;
            } else if self.take(b"*") {
                value *= self.signed()?;
            } else {
                return Some(value);
            }
        }
    }

    fn signed(&mut self) -> Option<f64> {
        // Here and not in `sum`, because signs nest without brackets: `----1`.
        self.depth += 1;
        if self.depth > DEPTH {
            return None;
        }
        let value = if self.take(b"-") {
            self.signed().map(|v| -v)
        } else if self.take(b"+") {
            self.signed()
        } else {
            self.power()
        };
        self.depth -= 1;
        value
    }

    /// `**` binds more strongly than a sign before it and less than one after it, as in Python: -2**2 is -4, 2**-1 is 0.5.
    fn power(&mut self) -> Option<f64> {
        let base = self.atom()?;
        if self.take(b"**") {
            let exponent = self.signed()?;
            let value = math::pow(base, exponent);
            // A root of a negative number is complex in Python, and a power of floats that
            // overflows an error: neither is a number.
            return value.is_finite().then_some(value);
        }
        Some(base)
    }

    fn atom(&mut self) -> Option<f64> {
        self.space();
        if self.take(b"(") {
            let value = self.sum()?;
            return self.take(b")").then_some(value);
        }
        let length = self.number_length();
        let literal = self.rest.get(..length).filter(|l| !l.is_empty())?;
        let text = std::str::from_utf8(literal).ok()?;
        self.rest = self.rest.get(length..).unwrap_or_default();
        let whole = text.bytes().all(|b| b.is_ascii_digit() || b == b'_');
        // Of whole numbers only: Python reads `01.5`.
        let leading_zero =
            whole && text.starts_with('0') && text.bytes().any(|b| (b'1'..=b'9').contains(&b));
        if leading_zero {
            return None;
        }
        super::parse_float(text)
    }

    /// Length of the number at the front: digits, `_`, `.`, and an exponent with its sign.
    fn number_length(&self) -> usize {
        let mut length = 0;
        let mut previous = 0_u8;
        for &b in self.rest {
            // `1e-5` is one number and `1-5` are two.
            let exponent_sign =
                matches!(b, b'+' | b'-') && matches!(previous, b'e' | b'E') && length > 1;
            let part = b.is_ascii_digit()
                || matches!(b, b'.' | b'_')
                || (matches!(b, b'e' | b'E') && length > 0);
            if !(part || exponent_sign) {
                break;
            }
            previous = b;
            length += 1;
        }
        length
    }
}

/// `divmod(value, divisor)`.
fn divided(value: f64, divisor: f64) -> Option<(f64, f64)> {
    if divisor == 0.0 {
        return None;
    }
    // The remainder comes first and is exact, as in CPython. The quotient of 1 and 0.1 is rounded
    // up to 10, although the double 0.1 goes into 1 only nine times.
    let mut rest = value % divisor;
    let mut quotient = (value - rest) / divisor;
    if rest != 0.0 && (rest < 0.0) != (divisor < 0.0) {
        rest += divisor;
        quotient -= 1.0;
    }
    let whole = quotient.floor();
    Some((whole + f64::from(quotient - whole > 0.5), rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn follows_python() {
        for (text, value) in [
            ("2+3", 5.0),
            ("2**-1", 0.5),
            ("-7%3", 2.0),
            ("7//2", 3.0),
            ("-7//2", -4.0),
            ("7//-2", -4.0),
            ("7%-3", -2.0),
            ("1//0.1", 9.0),
            ("1%0.1", 0.099_999_999_999_999_95),
            ("-1//0.1", -10.0),
            ("1//-0.1", -10.0),
            ("5.5//0.5", 11.0),
            ("1e300//3", 3.333_333_333_333_333_5e299),
            ("2*(3+4)", 14.0),
            ("2**3**2", 512.0),
            ("1e3", 1000.0),
            ("00", 0.0),
            (".5", 0.5),
            ("- -3", 3.0),
        ] {
            assert_eq!(evaluate(text), Some(value), "{text}");
        }
        for text in [
            "", "1/0", "a", "1 2", "(1", "1)", "'5'", "[1]", "2+", "1..2", "9**9**9", "0**-1",
            "1%0",
        ] {
            assert_eq!(evaluate(text), None, "{text}");
        }
        let deep = "(".repeat(100_000);
        assert_eq!(evaluate(&deep), None);
    }
}
