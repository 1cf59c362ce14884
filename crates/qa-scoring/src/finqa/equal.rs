//! Whether two programs compute the same for every table: FinQA's program accuracy.
//!
//! The published evaluator writes both programs as formulas over the literals of the right program and
//! lets a computer algebra system simplify them. Here both are evaluated in a finite field with random
//! values for the literals: formulas of `+ - * /` that are equal give equal values, and others differ
//! except with a probability of about 1e-17 (Schwartz-Zippel). Powers and comparisons are opaque: they
//! are equal if their arguments are.

use super::OPERATIONS;
use std::collections::BTreeSet;

/// The field's order, a Mersenne prime.
const PRIME: u64 = (1 << 61) - 1;

/// One step: operation and both arguments.
struct Step<'a> {
    op: &'a str,
    first: &'a str,
    second: &'a str,
}

/// Whether `given` is the same program as `right` in the sense of the data set's evaluator: it uses no
/// other literals and table rows, and its last step is the same formula. Tokens as from
/// [`tokens`](super::tokens), without the final mark; a last step that is cut off is ignored.
///
/// ```
/// use qa_scoring::finqa::{same_program, tokens};
/// let right = tokens("subtract(5, 3), divide(#0, 3)");
/// let other = tokens("divide(5, 3), divide(3, 3), subtract(#0, #1)");
/// assert!(same_program(&right, &other)); // (5 - 3) / 3 and 5 / 3 - 3 / 3
/// assert!(!same_program(&right, &tokens("divide(2, 3)"))); // the same value, another program
/// ```
#[must_use]
pub fn same_program(right: &[String], given: &[String]) -> bool {
    let (Some(right), Some(given)) = (steps(right), steps(given)) else {
        return false;
    };
    // Equal values do not make another formula right: `divide(2, 3)` for `subtract(5, 3),
    // divide(#0, 3)`.
    let known: BTreeSet<String> = right.iter().flat_map(literals).collect();
    if !given
        .iter()
        .flat_map(literals)
        .all(|literal| known.contains(&literal))
    {
        return false;
    }
    // Twice with independent values, as one evaluation takes unequal formulas for equal with a
    // probability of about their degree over 2^61.
    [0x51_7c, 0x2f_0b].into_iter().all(|salt| {
        let value = value(&right, salt);
        // A right program that divides by zero has no value, and nothing equals it. The published
        // evaluator calls two such programs the same.
        value.is_some() && value == self::value(&given, salt)
    })
}

/// The steps; `None` for an unknown operation or a missing bracket.
fn steps(tokens: &[String]) -> Option<Vec<Step<'_>>> {
    let mut steps = Vec::new();
    for chunk in tokens.chunks(4) {
        let op = chunk.first()?.trim_matches('(');
        if !OPERATIONS.contains(&op) {
            return None;
        }
        if let [_, first, second, close] = chunk {
            if close != ")" {
                return None;
            }
            let (first, second) = (first.trim(), second.trim());
            steps.push(Step { op, first, second });
        }
    }
    (!steps.is_empty()).then_some(steps)
}

/// The numbers that a step names; a table operation is one as a whole.
fn literals(step: &Step<'_>) -> Vec<String> {
    if step.op.starts_with("table_") {
        return vec![table_literal(step)];
    }
    [step.first, step.second]
        .into_iter()
        .filter(|argument| !argument.contains('#'))
        .map(str::to_owned)
        .collect()
}

fn table_literal(step: &Step<'_>) -> String {
    format!("{}({}, {})", step.op, step.first, step.second)
}

/// The value of the last step; `None` for a reference to a later step or a division by zero.
fn value(steps: &[Step<'_>], salt: u64) -> Option<u64> {
    let mut values: Vec<u64> = Vec::with_capacity(steps.len());
    for step in steps {
        if step.op.starts_with("table_") {
            values.push(literal(&table_literal(step), salt));
            continue;
        }
        let argument = |text: &str| match text.strip_prefix('#') {
            Some(place) => values.get(place.parse::<usize>().ok()?).copied(),
            None => Some(literal(text, salt)),
        };
        let (a, b) = (argument(step.first)?, argument(step.second)?);
        values.push(match step.op {
            // Both are below 2^61, so the sum fits.
            "add" => (a + b) % PRIME,
            // The prime is added first, as unsigned numbers cannot go below zero.
            "subtract" => (a + PRIME - b) % PRIME,
            "multiply" => times(a, b),
            "divide" => times(a, inverse(b)?),
            // Not a power in the field: exponents there follow other laws.
            op => mixed(&[salt, u64::from(op == "exp"), a, b]),
        });
    }
    values.last().copied()
}

/// The field element of a literal.
fn literal(text: &str, salt: u64) -> u64 {
    let bytes = text.bytes().map(u64::from);
    mixed(&std::iter::once(salt).chain(bytes).collect::<Vec<_>>())
}

/// A field element that depends on all words (the finaliser of SplitMix64 over each).
fn mixed(words: &[u64]) -> u64 {
    let state = words.iter().fold(0x9e37_79b9_7f4a_7c15_u64, |state, word| {
        let mut z = state
            .wrapping_add(*word)
            .wrapping_add(0x9e37_79b9_7f4a_7c15);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    });
    state % PRIME
}

fn times(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b) % u128::from(PRIME);
    // Below the prime, which has 61 bits.
    u64::try_from(product).unwrap_or_default()
}

/// The inverse by Fermat's little theorem; `None` for 0.
fn inverse(a: u64) -> Option<u64> {
    let (mut power, mut base, mut exponent) = (1, a, PRIME - 2);
    while exponent > 0 {
        if exponent & 1 == 1 {
            power = times(power, base);
        }
        base = times(base, base);
        exponent >>= 1;
    }
    (a != 0).then_some(power)
}
