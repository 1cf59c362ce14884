//! Cuts text at byte positions without panics.

/// The part of `text` from `from` to `to`, empty when the positions do not fit.
#[must_use]
pub fn cut(text: &str, from: usize, to: usize) -> &str {
    text.get(from..to).unwrap_or_default()
}

/// The part of `text` from `from` on, empty when the position does not fit.
#[must_use]
pub fn after(text: &str, from: usize) -> &str {
    text.get(from..).unwrap_or_default()
}

/// The part of `text` before `to`, empty when the position does not fit.
#[must_use]
pub fn before(text: &str, to: usize) -> &str {
    text.get(..to).unwrap_or_default()
}

/// The first `limit` characters of `text`.
#[must_use]
pub fn first_chars(text: &str, limit: usize) -> &str {
    text.char_indices()
        .nth(limit)
        .map_or(text, |(at, _)| before(text, at))
}

/// The beginning of `text`, of at most `bytes` bytes.
#[must_use]
pub fn head(text: &str, bytes: usize) -> &str {
    // Backwards, so that a character which does not fit as a whole is left out.
    let end = (0..=bytes.min(text.len()))
        .rev()
        .find(|&at| text.is_char_boundary(at));
    before(text, end.unwrap_or(0))
}

/// The end of `text`, of at most `bytes` bytes.
#[must_use]
pub fn tail(text: &str, bytes: usize) -> &str {
    let from = text.len().saturating_sub(bytes);
    // Forwards here, for the same reason.
    let start = (from..=text.len()).find(|&at| text.is_char_boundary(at));
    after(text, start.unwrap_or(text.len()))
}

/// Whether one of `places` holds the position `at`. A place is its beginning and its end; they are in order and do not
/// overlap.
pub(crate) fn covers(places: &[(usize, usize)], at: usize) -> bool {
    let behind = places.partition_point(|&(from, _)| from <= at);
    let last = behind.checked_sub(1).and_then(|last| places.get(last));
    last.is_some_and(|&(_, to)| at < to)
}

/// Position of the first occurrence of `needle` (ASCII letters of it in lower case) in `text` at or after `from`, ASCII
/// letters compared without regard to case.
#[must_use]
pub fn find_ignoring_case(text: &str, needle: &str, from: usize) -> Option<usize> {
    // By the first letter, which the library finds quickly. In a copy in lower case, letters may
    // have other positions.
    let first = first_of(needle)?;
    let mut at = from;
    loop {
        at += after(text, at).find(first)?;
        if starts_ignoring_case(text, needle, at) {
            return Some(at);
        }
        at += after(text, at).chars().next()?.len_utf8();
    }
}

/// Position of the last occurrence of `needle`, as [`find_ignoring_case`] compares.
#[must_use]
pub fn rfind_ignoring_case(text: &str, needle: &str) -> Option<usize> {
    let first = first_of(needle)?;
    let mut end = text.len();
    loop {
        end = before(text, end).rfind(first)?;
        if starts_ignoring_case(text, needle, end) {
            return Some(end);
        }
    }
}

/// The first letter of a needle in both cases.
fn first_of(needle: &str) -> Option<[char; 2]> {
    let first = needle.chars().next()?;
    Some([first, first.to_ascii_uppercase()])
}

fn starts_ignoring_case(text: &str, needle: &str, at: usize) -> bool {
    text.as_bytes()
        .get(at..at + needle.len())
        // As bytes: folding the text would copy it, and may change its length.
        .is_some_and(|part| part.eq_ignore_ascii_case(needle.as_bytes()))
}
