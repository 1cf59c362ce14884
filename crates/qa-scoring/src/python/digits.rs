//! Decimal digits of every script.

/// First code point of each run of ten decimal digits (general category Nd, Unicode 14.0, the
/// version that CPython 3.11 carries).
const ZEROS: [u32; 66] = [
    0x0030, 0x0660, 0x06F0, 0x07C0, 0x0966, 0x09E6, 0x0A66, 0x0AE6, 0x0B66, 0x0BE6, 0x0C66, 0x0CE6,
    0x0D66, 0x0DE6, 0x0E50, 0x0ED0, 0x0F20, 0x1040, 0x1090, 0x17E0, 0x1810, 0x1946, 0x19D0, 0x1A80,
    0x1A90, 0x1B50, 0x1BB0, 0x1C40, 0x1C50, 0xA620, 0xA8D0, 0xA900, 0xA9D0, 0xA9F0, 0xAA50, 0xABF0,
    0xFF10, 0x104A0, 0x10D30, 0x11066, 0x110F0, 0x11136, 0x111D0, 0x112F0, 0x11450, 0x114D0,
    0x11650, 0x116C0, 0x11730, 0x118E0, 0x11950, 0x11C50, 0x11D50, 0x11DA0, 0x16A60, 0x16AC0,
    0x16B50, 0x1D7CE, 0x1D7D8, 0x1D7E2, 0x1D7EC, 0x1D7F6, 0x1E140, 0x1E2F0, 0x1E950, 0x1FBF0,
];

/// The value 0 to 9 of a decimal digit in any script, `None` for every other character.
///
/// ```
/// use qa_scoring::python::digit_value;
/// assert_eq!(digit_value('7'), Some(7));
/// assert_eq!(digit_value('٣'), Some(3)); // Arabic-Indic
/// assert_eq!(digit_value('²'), None); // a superscript is not a decimal digit
/// ```
#[must_use]
pub fn digit_value(c: char) -> Option<u8> {
    let code = u32::from(c);
    // Nearly every character; the search would find the same.
    if code < 0x80 {
        return c
            .is_ascii_digit()
            .then(|| u8::try_from(code - 0x30).unwrap_or(0));
    }
    let run = ZEROS.partition_point(|&zero| zero <= code);
    let zero = ZEROS.get(run.checked_sub(1)?)?;
    u8::try_from(code - zero).ok().filter(|&value| value < 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_sorted_and_cover_660_digits() {
        assert!(ZEROS.windows(2).all(|w| w[0] + 10 <= w[1]));
        let count = (0..=0x10_FFFF)
            .filter_map(char::from_u32)
            .filter(|&c| digit_value(c).is_some())
            .count();
        assert_eq!(count, 660);
    }
}
