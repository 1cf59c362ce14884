//! Formats numbers for the page.

/// A number with thousands separators; without decimals if it is whole, else with up to four.
pub(crate) fn plain(value: f64) -> String {
    at_most(value, 4)
}

/// The same with up to `decimals` decimals; trailing zeros are left out.
pub(crate) fn at_most(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    grouped(match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.'),
        false => &text,
    })
}

/// A number with thousands separators and exactly `decimals` decimals.
pub(crate) fn rounded(value: f64, decimals: usize) -> String {
    grouped(&format!("{value:.decimals$}"))
}

/// Adds thousands separators to a written number.
fn grouped(text: &str) -> String {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", text),
    };
    let (whole, rest) = digits.split_at(digits.find('.').unwrap_or(digits.len()));
    let mut grouped = String::new();
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index) % 3 == 0 {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    format!("{sign}{grouped}{rest}")
}

#[cfg(test)]
mod tests {
    use super::{at_most, plain, rounded};

    #[test]
    fn thousands_are_set_apart() {
        for (value, text) in [
            (0.0, "0"),
            (204.0, "204"),
            (-158_000.0, "-158,000"),
            (7_116_500.0, "7,116,500"),
            (7_154.687_5, "7,154.6875"),
            (30_828.5, "30,828.5"),
        ] {
            assert_eq!(plain(value), text);
        }
    }

    #[test]
    fn digits_are_those_of_the_number() {
        assert_eq!(at_most(97.5, 4), "97.5");
        assert_eq!(at_most(75_454.0, 1), "75,454");
        assert_eq!(at_most(100.0, 0), "100");
        assert_eq!(rounded(75_453.66, 1), "75,453.7");
        assert_eq!(rounded(97.5, 4), "97.5000");
    }
}
