//! Arithmetic of quantitative checks: numbers, `+ - * /`, brackets and a sign.

/// Maximum number of brackets and signs that may be open at once.
// The reader calls itself for each, so that a case of brackets alone would overflow the stack.
const DEPTH: u32 = 64;

/// The value of an expression such as `(12 - 3) * 0.5`, and the numbers in it, in order.
///
/// # Errors
/// One line: what cannot be read, or that the value is not finite (a division by zero).
///
/// # Example
/// ```
/// use qa_scoring::interview::formula::evaluate;
/// assert_eq!(evaluate("(1 - 0.35) * 200"), Ok((130.0, vec![1.0, 0.35, 200.0])));
/// assert!(evaluate("2 * (3").is_err() && evaluate("1 / 0").is_err());
/// ```
pub fn evaluate(text: &str) -> Result<(f64, Vec<f64>), String> {
    let mut reader = Reader {
        chars: text.chars().filter(|c| !c.is_whitespace()).collect(),
        ..Reader::default()
    };
    let value = reader.sum(0)?;
    if let Some(rest) = reader.peek() {
        return Err(format!("`{rest}` does not belong there"));
    }
    Ok((value, reader.operands))
}

/// Recursive descent over characters without blanks.
// Not `crate::python::evaluate`, which says neither what cannot be read, as an author needs it, nor
// which numbers stand in the expression, as the lint does.
#[derive(Default)]
struct Reader {
    chars: Vec<char>,
    at: usize,
    operands: Vec<f64>,
}

impl Reader {
    fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    /// Takes the next character if `wanted` accepts it.
    fn next_if(&mut self, wanted: impl Fn(char) -> bool) -> Option<char> {
        let found = self.peek().filter(|c| wanted(*c))?;
        self.at += 1;
        Some(found)
    }

    fn sum(&mut self, depth: u32) -> Result<f64, String> {
        let mut value = self.product(depth)?;
        // A loop and no call of itself: equal operators group from the left, `10 - 4 - 3` is 3.
        while let Some(operator) = self.next_if(|c| matches!(c, '+' | '-')) {
            let next = self.product(depth)?;
            value += if operator == '+' { next } else { -next };
        }
        // Checked in each bracket, since `1 / (1 / 0)` as a whole is finite.
        if value.is_finite() {
            Ok(value)
        } else {
            Err("the value is not finite".to_owned())
        }
    }

    fn product(&mut self, depth: u32) -> Result<f64, String> {
        let mut value = self.atom(depth)?;
        while let Some(operator) = self.next_if(|c| matches!(c, '*' | '/')) {
            let next = self.atom(depth)?;
            value = if operator == '*' {
                value * next
            } else {
                value / next
            };
        }
        Ok(value)
    }

    fn atom(&mut self, depth: u32) -> Result<f64, String> {
        if depth > DEPTH {
            return Err(format!("more than {DEPTH} brackets are open"));
        }
        if self.next_if(|c| c == '-').is_some() {
            return Ok(-self.atom(depth + 1)?);
        }
        if self.next_if(|c| c == '(').is_some() {
            let value = self.sum(depth + 1)?;
            return match self.next_if(|c| c == ')') {
                Some(_) => Ok(value),
                None => Err("a bracket is not closed".to_owned()),
            };
        }
        let mut digits = String::new();
        while let Some(c) = self.next_if(|c| c.is_ascii_digit() || c == '.') {
            digits.push(c);
        }
        let number = digits.parse().map_err(|_| match self.peek() {
            Some(c) => format!("there is `{c}` where a number is expected"),
            None => "a number is missing at the end".to_owned(),
        })?;
        self.operands.push(number);
        Ok(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_have_their_value() {
        let cases = [
            ("2 + 3 * 4", 14.0),
            ("(2 + 3) * 4", 20.0),
            ("10 - 4 - 3", 3.0),
            ("12 / 3 / 2", 2.0),
            ("-(1 - 3) * -1.5", -3.0),
        ];
        for (text, value) in cases {
            assert_eq!(evaluate(text).unwrap().0, value, "{text}");
        }
    }

    #[test]
    fn what_is_not_arithmetic_is_refused() {
        for text in [
            "",
            "2 +",
            "2 * (3",
            "2)",
            "1 2 a",
            "three",
            "1.2.3",
            "1 / 0",
            "1 / (1 / 0)",
            "2 ^ 3",
        ] {
            assert!(evaluate(text).is_err(), "{text}");
        }
        let deep = format!("{}1{}", "(".repeat(100_000), ")".repeat(100_000));
        assert!(evaluate(&deep).is_err());
        assert!(evaluate(&"-".repeat(100_000)).is_err());
    }
}
