//! Numbers as the page shows them.

/// A number with thousands set apart; whole where it is whole, else up to four decimals.
pub(crate) fn plain(value: f64) -> String {
    let text = if value.fract() == 0.0 {
        format!("{value:.0}")
    } else {
        let text = format!("{value:.4}");
        text.trim_end_matches('0').to_owned()
    };
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", text.as_str()),
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
    use super::plain;

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
}
