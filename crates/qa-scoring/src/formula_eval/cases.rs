//! Inputs for a function, drawn by the names of its parameters.

use super::CASES;
use super::target::{Parameter, TargetFunction};
use crate::python::{float_text, round_to};
use serde::{Deserialize, Serialize};
use sim_core::{Seed, seed::Stream};
use std::fmt;

/// One call: values for the class's fields and for the function's parameters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CallInputs {
    /// Fields of the class, empty for a plain function.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<(String, InputValue)>,
    /// Arguments by name.
    pub arguments: Vec<(String, InputValue)>,
}

/// A drawn value.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum InputValue {
    /// A whole number.
    Whole(i64),
    /// A float.
    Real(f64),
}

impl fmt::Display for InputValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole(value) => write!(f, "{value}"),
            // As Python writes it, since the text becomes a part of a program.
            Self::Real(value) => f.write_str(&float_text(*value)),
        }
    }
}

/// Draws [`CASES`] inputs for a target. They follow from the prompt and the attempt: the seed is the
/// 64-bit FNV-1a hash of the prompt.
///
/// # Source
/// Ranges of the published evaluation program. Its first rule is a test for parts of
/// names, so `accounts_payable` and `discount_rate` are whole numbers because they hold "count"; and
/// `interest` falls into the last class, 25 to 750.
///
/// | annotation or name | values |
/// |---|---|
/// | `int`, `n`, `n_payments`, or with count, num, payments, years, period | whole numbers 1 to 12 |
/// | with rate, growth, yield, return | 0.01 to 0.4 |
/// | with share, price, value, income | 10 to 1,000 |
/// | with dividend, cash | 1 to 500 |
/// | any other | 25 to 750, negative in 30 % of the draws |
///
/// The first row that fits counts. Values have four decimals.
#[must_use]
pub fn draw(prompt: &str, target: &TargetFunction, attempt: u64) -> Vec<CallInputs> {
    let mut stream = Seed(fnv1a(prompt.as_bytes())).stream("formula-eval", attempt);
    let mut values = |parameters: &[Parameter]| -> Vec<(String, InputValue)> {
        parameters
            .iter()
            .map(|p| (p.name.clone(), value(p, &mut stream)))
            .collect()
    };
    (0..CASES)
        // The fields of a literal are evaluated as they are written. With the arguments first,
        // every draw for a method would be another one.
        .map(|_| CallInputs {
            fields: target
                .class
                .as_ref()
                .map(|class| values(&class.fields))
                .unwrap_or_default(),
            arguments: values(&target.parameters),
        })
        .collect()
}

fn value(parameter: &Parameter, stream: &mut Stream) -> InputValue {
    let name = parameter.name.to_lowercase();
    let holds = |parts: &[&str]| parts.iter().any(|part| name.contains(part));
    // `n` as a whole name: as a part it would be found in most names.
    let whole = parameter.annotation.as_deref() == Some("int")
        || matches!(name.as_str(), "n" | "n_payments")
        || holds(&["count", "num", "payments", "years", "period"]);
    if whole {
        return InputValue::Whole(stream.between(1, 12));
    }
    let real = if holds(&["rate", "growth", "yield", "return"]) {
        stream.uniform(0.01, 0.4)
    } else if holds(&["share", "price", "value", "income"]) {
        stream.uniform(10.0, 1_000.0)
    } else if holds(&["dividend", "cash"]) {
        stream.uniform(1.0, 500.0)
    } else {
        let size = stream.uniform(25.0, 750.0);
        if stream.chance(0.3) { -size } else { size }
    };
    InputValue::Real(round_to(real, 4))
}

/// The 64-bit FNV-1a hash.
fn fnv1a(bytes: &[u8]) -> u64 {
    // Not the hasher of the standard library, whose values may change with its version: the inputs
    // of a prompt have to stay.
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &b| {
        (hash ^ u64::from(b)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formula_eval::find_target;

    #[test]
    fn draws_follow_from_the_prompt() {
        assert_eq!(fnv1a(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv1a(b"a"), 0xaf63_dc4c_8601_ec8c);
        let prompt = "def f(n: float, rate: float, price: float, cash_flow: float, debt: float, discount: float):\n";
        let target = find_target(prompt).unwrap();
        let cases = draw(prompt, &target, 0);
        assert_eq!(cases, draw(prompt, &target, 0));
        assert_ne!(cases, draw(prompt, &target, 1));
        for case in &cases {
            for (name, value) in &case.arguments {
                let ok = match (name.as_str(), value) {
                    ("n" | "discount", InputValue::Whole(v)) => (1..=12).contains(v),
                    ("rate", InputValue::Real(v)) => (0.01..=0.4).contains(v),
                    ("price", InputValue::Real(v)) => (10.0..=1_000.0).contains(v),
                    ("cash_flow", InputValue::Real(v)) => (1.0..=500.0).contains(v),
                    ("debt", InputValue::Real(v)) => (25.0..=750.0).contains(&v.abs()),
                    _ => false,
                };
                assert!(ok, "{name} {value}");
            }
        }
    }

    /// Pins the exact first draw, so that a change of the stream or a range is noticed.
    #[test]
    fn value_stability() {
        let target = find_target("def f(n, rate, price):\n").unwrap();
        let first: Vec<String> = draw("prompt", &target, 0)
            .first()
            .unwrap()
            .arguments
            .iter()
            .map(|(_, v)| v.to_string())
            .collect();
        assert_eq!(first, STABLE);
    }
    const STABLE: [&str; 3] = ["2", "0.245", "325.3554"];
}
